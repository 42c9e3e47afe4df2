/* traced.c - see traced.h.
 *
 * The maps are read again at doubling intervals up to 50 ms, and when an address lies in no map.
 * Reading thousands of maps takes milliseconds, and a sample must not stop its thread that long.
 * But a young program still loads its libraries, and may end soon: its maps are read at once. */
#include "src/collect/traced.h"

#include <assert.h>

#define MAPS_NS 50000000u

static struct traced_process *
find_process(const struct traced *t, pid_t pid)
{
	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.at[i].pid == pid)
			return &t->processes.at[i];
	return NULL;
}

void
traced_join(struct traced *t, pid_t pid)
{
	struct traced_process *p = find_process(t, pid);
	if (!p) {
		p = vec_push(&t->processes);
		*p = (struct traced_process){.pid = pid, .began = record_now()};
	}
	p->threads++;
}

void
traced_leave(struct traced *t, pid_t pid)
{
	struct traced_process *p = find_process(t, pid);
	assert(p && p->threads);
	if (--p->threads)
		return;
	record_known_free(p->known);
	*p = t->processes.at[--t->processes.n];
}

enum traced_maps
traced_maps(const struct traced *t, pid_t pid, uint64_t pc)
{
	const struct traced_process *p = find_process(t, pid);
	uint64_t now = record_now();
	assert(p);
	uint64_t age = p->maps_at > p->began ? p->maps_at - p->began : 0;
	uint64_t pause = age < MAPS_NS ? age : MAPS_NS;
	if (record_known_has(p->known, pc) && now - p->maps_at < pause)
		return MAPS_KNOWN;
	return now - p->began < MAPS_NS ? MAPS_NOW : MAPS_LATER;
}

void
traced_read_maps(struct traced *t, struct record_task task, struct buf *out)
{
	struct traced_process *p = find_process(t, (pid_t)task.pid);
	if (!p)
		return;
	record_process(out, task, &p->known, NULL);
	p->maps_at = record_now();
}

void
traced_release(struct traced *t)
{
	for (size_t i = 0; i < t->processes.n; i++)
		record_known_free(t->processes.at[i].known);
	vec_release(&t->processes);
}
