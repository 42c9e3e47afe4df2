/* recothers.c - see recothers.h.
 *
 * The oldest records are those of the kernel and its modules, and of the control groups that were
 * there at the beginning: often those that last longest.  So maps stay, and groups that have ended
 * go before those that exist. */
#include "src/collect/recothers.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "src/collect/cgroup.h"

#define OTHERS_BYTES (4u << 20)
#define PATH_AT (sizeof(struct perf_event_header) + sizeof(uint64_t)) /* in a control group */

void
recothers_release(struct recothers *o)
{
	buf_release(&o->records);
}

/* `top`: the folder of the hierarchy, which stays as it is; empty: unknown. */
static bool
group_exists(const char *record, size_t size, struct buf *top)
{
	size_t len = top->len;

	if (!len || size <= PATH_AT)
		return false;
	buf_add(top, record + PATH_AT, strnlen(record + PATH_AT, size - PATH_AT));
	bool exists = !access(buf_str(top), F_OK);
	top->len = len;
	return exists;
}

/* Drops the oldest records but maps until that is `most` bytes. `top`: nor groups that exist; NULL:
 * those, too.  Returns the bytes. */
static size_t
drop_records(struct recothers *o, size_t most, struct buf *top)
{
	struct perf_event_header h;
	size_t kept = 0, dropped = 0;

	for (size_t at = 0; at < o->records.len; at += h.size) {
		const char *record = o->records.at + at;
		memcpy(&h, record, sizeof h);
		bool stays = h.type == PERF_RECORD_MMAP || h.type == PERF_RECORD_MMAP2 ||
			     dropped >= most ||
			     (top && h.type == PERF_RECORD_CGROUP &&
			      group_exists(record, h.size, top));
		if (stays) {
			memmove(o->records.at + kept, record, h.size);
			kept += h.size;
		} else {
			dropped += h.size;
		}
	}
	o->records.len = kept;
	return dropped;
}

void
recothers_take(struct recothers *o, const struct perf_event_header *record)
{
	struct buf top = BUF_INIT;
	size_t half = OTHERS_BYTES / 2;

	buf_add(&o->records, record, record->size);
	if (o->records.len <= (o->most ? o->most : OTHERS_BYTES))
		return;
	cgroup_top(&top);
	size_t dropped = drop_records(o, half, &top);
	if (dropped < half)
		drop_records(o, half - dropped, NULL);
	buf_release(&top);
	o->most = o->records.len + half; /* maps may be more than that */
	if (o->most < OTHERS_BYTES)
		o->most = OTHERS_BYTES;
}
