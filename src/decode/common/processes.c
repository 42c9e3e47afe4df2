/* processes.c - see processes.h.
 *
 * "process 4711", without a name: that is the name of its first thread, too, and a pattern of
 * tracks that was meant for this thread would take all others with it. */
#include "src/decode/common/processes.h"

#include <inttypes.h>
#include <stdio.h>

void
processes_release(struct processes *x)
{
	idmap_release(&x->process);
}

void
processes_put(struct processes *x, struct builder *b, int64_t pid, track_id t)
{
	char name[40];
	uint32_t id;

	if (pid < 1 || pid > INT32_MAX)
		return;
	id = idmap_get(&x->process, (uint64_t)pid);
	if (id == IDMAP_NONE) {
		int n = snprintf(name, sizeof name, "process %" PRId64, pid);
		id = builder_process(b, name, (size_t)n);
		idmap_put(&x->process, (uint64_t)pid, id);
	}
	builder_track_under(b, t, id);
}

void
thread_text(struct buf *out, const struct builder *b, name_id name, int64_t tid)
{
	struct name n = builder_name_get(b, name);

	buf_add(out, n.len ? n.at : "thread", n.len ? n.len : 6);
	buf_addf(out, " %" PRId64, tid);
}
