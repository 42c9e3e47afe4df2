/* The scheduler's events of a bundle: states of threads and who wakes them (common/sched.h).
 *
 * A bundle has the records of one processor, as messages or in columns (compact_sched), which do
 * not say who left the processor or who woke: that is the thread which runs there. So the records
 * of a bundle are sorted first. A wake-up precedes a switch of the same moment. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <stdlib.h>

#include "model/base/ordered.h"

enum { IN_INTERRUPT = 0x18 }; /* of common_flags: hard, soft */

void
pf_sched_put(struct perfetto *d, struct pf_record r)
{
	r.order = (uint32_t)d->cores.sched.bundle.n;
	*vec_push(&d->cores.sched.bundle) = r;
}

ORDERED_BY_TWO(by_time, struct pf_record, time, order)

static void
pf_sched_name(struct perfetto *d, int64_t tid, int64_t time, name_id comm)
{
	if (*builder_name_get(d->b, comm).at != '<')
		comms_named(&d->cores.sched.of.comms, tid, time, comm);
}

static void
take(struct perfetto *d, uint64_t cpu, const struct pf_record *r)
{
	struct sched *s = &d->cores.sched.of;
	int64_t number = (int64_t)cpu, on = r->on;

	/* in columns, or without a thread of its own */
	if (on < 0)
		on = sched_on(s, number);
	switch (r->kind) {
	case PF_RUNS:
		sched_runs(s, number, on, r->time);
		return;
	case PF_SWITCH:
		pf_sched_name(d, on, r->time, r->was);
		sched_switch(s, number, on, sched_left_by(r->state), r->tid, r->time);
		break;
	case PF_WAKING:
	case PF_WAKEUP:
	case PF_WAKEUP_NEW:
		sched_runs(s, number, on, r->time);
		sched_wake(s, number, r->tid,
			   r->state & IN_INTERRUPT || on <= 0 ? SCHED_NOBODY : on,
			   r->kind == PF_WAKING   ? SCHED_WAKING
			   : r->kind == PF_WAKEUP ? SCHED_WAKEUP
						  : SCHED_NEW,
			   r->time);
		break;
	}
	pf_sched_name(d, r->tid, r->time, r->comm);
}

void
pf_sched_bundle(struct perfetto *d, uint64_t cpu, bool lost)
{
	size_t n = d->cores.sched.bundle.n;

	if (lost)
		sched_lost(&d->cores.sched.of, (int64_t)cpu);
	vec_sort(&d->cores.sched.bundle, by_time);
	for (size_t i = 0; i < n; i++)
		take(d, cpu, &d->cores.sched.bundle.at[i]);
	d->cores.sched.bundle.n = 0;
}

name_id
pf_comm_at(const struct perfetto *d, int64_t tid, int64_t time)
{
	name_id last = comms_at(&d->cores.sched.of.comms, tid, time);
	uint32_t known = idmap_get(&d->tracks.thread_name, (uint64_t)tid);

	if (last != NAME_EMPTY)
		return last;
	return known == IDMAP_NONE ? NAME_EMPTY : known;
}

static void
describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct perfetto *d = context;
	name_id name = pf_comm_at(d, tid, INT64_MAX);
	uint32_t track = idmap_get(&d->cores.sched.track_of, (uint64_t)tid);

	if (track != IDMAP_NONE) {
		cast_track_text(&d->cast, track);
		buf_add(out->name, d->cast.text.at, d->cast.text.len);
		out->track = d->cast.track.at[track].track;
	} else {
		cast_owner_text(out->name, d->b, name, tid, "thread");
	}
}

void
pf_sched_write(struct perfetto *d)
{
	for (size_t i = 0; i < d->tracks.track.n; i++) {
		const struct pf_track *t = &d->tracks.track.at[i];
		if (t->form != PF_THREAD || t->tid <= 0 || t->cast == CAST_NONE)
			continue;
		if (d->cast.track.at[t->cast].made)
			idmap_put(&d->cores.sched.track_of, (uint64_t)t->tid, t->cast);
	}
	sched_write(&d->cores.sched.of, d->latest, describe, d);
}

void
pf_sched_release(struct perfetto *d)
{
	sched_release(&d->cores.sched.of);
	vec_release(&d->cores.sched.bundle);
	idmap_release(&d->cores.sched.track_of);
}
