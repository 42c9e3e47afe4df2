/* The garbage collector of .NET as slices: a collection from its start to its stop, a suspension
 * of all threads from its begin to the end of the restart. A background collection may last over
 * others; the number of a collection matches its start and its stop. */
#include "src/decode/nettrace/nettrace_inside.h"

#include <inttypes.h>

#include "src/decode/common/by_time.h"

#define FOR_GC 1u
#define FOR_GC_PREPARATION 6u

static uint32_t
gc_track(struct nettrace *d, uint32_t process)
{
	struct cast_track like = {
		.process = process,
		.thread = CAST_NONE,
		.kind = TRACK_TASK,
		.name = builder_name(d->b, "GC", 2),
		.aside = true,
		.own = {.start = CAST_NO_TIME, .end = CAST_NO_TIME},
	};

	return cast_track(&d->cast, like);
}

static labels_id
reason_label(struct nettrace *d, uint32_t reason)
{
	/* as the runtime's documents name them */
	static const char *const names[] = {
		"AllocSmall", "Induced", "LowMemory", "Empty", "AllocLarge", "OutOfSpaceSOH",
		"OutOfSpaceLOH", "InducedNotForced", "Internal", "InducedLowMemory",
		"InducedCompacting", "LowMemoryHost", "PMFullGC", "LowMemoryHostBlocking",
	};
	name_id value = reason < sizeof names / sizeof *names
				? builder_namef(d->b, "%s", names[reason])
				: builder_namef(d->b, "%" PRIu32, reason);
	label_id one = builder_label_text(d->b, builder_name(d->b, "reason", 6), value);

	return builder_labels(d->b, &one, 1);
}

static void
collection_write(struct nettrace *d, const struct nettrace_mark *m, int64_t end_ns)
{
	name_id name = builder_namef(d->b, "GC generation %" PRIu32 "%s", m->generation,
				     m->background ? " (background)" : "");
	int64_t begin = nettrace_ns(d, m->ticks);

	cast_slice(&d->cast, gc_track(d, m->process), begin, end_ns - begin,
		   builder_frame_named(d->b, name), reason_label(d, m->reason));
}

static void
suspension_write(struct nettrace *d, const struct nettrace_mark *m, int64_t end_ns)
{
	int64_t begin = nettrace_ns(d, m->ticks);

	cast_slice(&d->cast, gc_track(d, m->process), begin, end_ns - begin,
		   builder_frame_named(d->b, builder_name(d->b, "suspended for GC", 16)),
		   LABELS_NONE);
}

bool
nettrace_gc_write(struct nettrace *d, struct err *e)
{
	struct nettrace_mark *marks;
	struct idmap open = {0}; /* process and number of a collection -> index of its start */
	struct idmap held = {0}; /* process -> index of its suspension, + 1; 0: none */
	int64_t last_ns = nettrace_ns(d, d->last_ticks);

	if (!d->mark.n)
		return true;
	marks = d->mark.at = rows_by_time(d->mark.at, d->mark.n, sizeof *d->mark.at);
	d->mark.cap = d->mark.n;
	for (uint32_t i = 0; i < d->mark.n; i++) {
		struct nettrace_mark *m = &marks[i];
		uint64_t key = (uint64_t)m->process << 32 | m->count;
		uint32_t at = idmap_get(m->kind == NETTRACE_GC_ENDS ? &open : &held,
					m->kind == NETTRACE_GC_ENDS ? key : m->process);
		switch ((enum nettrace_mark_kind)m->kind) {
		case NETTRACE_GC_BEGINS:
			idmap_put(&open, key, i + 1);
			break;
		case NETTRACE_GC_ENDS:
			if (at != IDMAP_NONE && at)
				collection_write(d, &marks[at - 1], nettrace_ns(d, m->ticks));
			idmap_put(&open, key, 0);
			break;
		case NETTRACE_SUSPENDS:
			d->facts.other_suspensions +=
				m->reason != FOR_GC && m->reason != FOR_GC_PREPARATION;
			idmap_put(&held, m->process, i + 1);
			break;
		case NETTRACE_RESUMES:
			if (at != IDMAP_NONE && at &&
			    (marks[at - 1].reason == FOR_GC ||
			     marks[at - 1].reason == FOR_GC_PREPARATION))
				suspension_write(d, &marks[at - 1], nettrace_ns(d, m->ticks));
			idmap_put(&held, m->process, 0);
			break;
		}
	}
	for (uint32_t i = 0; i < d->mark.n; i++) { /* what the recording's end interrupts */
		uint64_t key = (uint64_t)marks[i].process << 32 | marks[i].count;
		if (marks[i].kind == NETTRACE_GC_BEGINS && idmap_get(&open, key) == i + 1)
			collection_write(d, &marks[i], last_ns);
	}
	idmap_release_all(&open, &held);
	if (!cast_asyncs(&d->cast))
		return true;
	return cast_write(&d->cast, METRIC_NONE,
			  builder_metric(d->b, "async", UNIT_NS, ROLE_TIME), true, d->offset, e);
}
