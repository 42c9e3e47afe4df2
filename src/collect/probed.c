#include "src/collect/probed.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/collect/eventlist.h"
#include "src/collect/record.h"

#define PID_MAX (1u << 22) /* of Linux */
#define FINISHED_ROUND 68u /* PERF_RECORD_FINISHED_ROUND */

struct probed {
	uint8_t known[PID_MAX / 8]; /* [pid / 8] bits; only pages that are written cost memory */
	struct buf held;
	uint64_t dropped;
};

bool
probed_any(const struct eventlist *l)
{
	for (size_t i = 0; l && i < l->at.n; i++)
		if (l->at.at[i].probed)
			return true;
	return false;
}

static void
probed_add(struct probed *p, uint32_t pid)
{
	if (pid < PID_MAX)
		p->known[pid / 8] |= (uint8_t)(1u << pid % 8);
}

static bool
probed_knows(const struct probed *p, uint32_t pid)
{
	return pid < PID_MAX && p->known[pid / 8] & 1u << pid % 8;
}

struct probed *
probed_new(const pid_t *pid, size_t n)
{
	struct probed *p = mem_zalloc(1, sizeof *p);

	for (size_t i = 0; i < n; i++)
		probed_add(p, (uint32_t)pid[i]);
	return p;
}

void
probed_free(struct probed *p)
{
	if (!p)
		return;
	buf_release(&p->held);
	free(p);
}

static bool
is_of_probe(const struct eventlist *l, uint64_t id)
{
	for (size_t i = 0; i < l->at.n; i++)
		for (size_t k = 0; l->at.at[i].probed && k < l->at.at[i].ids.n; k++)
			if (l->at.at[i].ids.at[k] == id)
				return true;
	return false;
}

/* Appends the samples that were held and belong to known processes. */
static void
take_held(struct probed *p, const struct eventlist *l, struct buf *late)
{
	struct record_sample s;

	for (size_t at = 0; at < p->held.len; at += s.header.size) {
		memcpy(&s, p->held.at + at, sizeof s);
		if (probed_knows(p, s.pid) || !is_of_probe(l, s.id))
			buf_add(late, p->held.at + at, s.header.size);
		else
			p->dropped++;
	}
	buf_reset(&p->held);
}

bool
probed_take(struct probed *p, const struct eventlist *l,
	    const struct perf_event_header *record, struct buf *late)
{
	const struct record_sample *s = (const void *)record;
	uint32_t pid;

	if (record->type == PERF_RECORD_FORK) {
		memcpy(&pid, record + 1, sizeof pid);
		probed_add(p, pid);
	}
	if (record->type == PERF_RECORD_SAMPLE && !probed_knows(p, s->pid)) {
		buf_add(&p->held, record, record->size);
		return false;
	}
	if (record->type == FINISHED_ROUND)
		take_held(p, l, late);
	return true;
}

uint64_t
probed_dropped(struct probed *p)
{
	uint64_t n = p->dropped;

	p->dropped = 0;
	return n;
}
