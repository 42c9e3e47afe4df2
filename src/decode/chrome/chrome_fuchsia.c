/* Traces of Fuchsia have a second list of events, of the kernel:
 *
 *	"systemTraceEvents": {"type": "fuchsia", "events": [
 *		{"ph": "p", "pid": 10, "name": "shop"},
 *		{"ph": "t", "pid": 10, "tid": 11, "name": "initial-thread"},
 *		{"ph": "k", "ts": 5.5, "cpu": 1, "out": {"tid": 11, "state": 3, "prio": 16},
 *		 "in": {"tid": 7, "prio": 0}}]}
 *
 * They name processes and threads, and say when a thread leaves a CPU for another, and in which
 * state. A thread of priority 0 is the idle task of a CPU. Old traces have no priorities; there it
 * has a number that no other thread has, part of its address. (catapult's fuchsia_importer.html.)
 *
 * `type` may follow the events, so they wait for the end of the document. */
#include <stddef.h>
#include <string.h>

#include "src/decode/chrome/chrome_inside.h"
#include "src/decode/common/by_time.h"

#define IDLE_THREADS INT64_C(6444000000) /* without priorities: all above it */

enum { EVENT_SWITCH = 1, EVENT_PROCESS, EVENT_THREAD };
enum { STATE_DYING = 4, STATE_DEAD = 5, STATE_NEW = 0, STATE_RUNNING = 1 };

/* The thread that leaves a CPU, or the one that comes. */
struct fuchsia_side {
	int64_t tid, state, priority;
	bool has_priority;
};

struct fuchsia_event {
	int64_t ts, cpu, pid, tid;
	name_id name;
	uint8_t ph;
	bool has_ts;
	struct fuchsia_side out, in;
};

/* ---- reading ---- */

static int64_t
fuchsia_thread(const struct fuchsia_side *x)
{
	bool idle = x->has_priority ? x->priority == 0 : x->tid > IDLE_THREADS;

	return idle || x->tid < 0 ? 0 : x->tid;
}

static enum sched_left
fuchsia_left(int64_t state)
{
	return state == STATE_NEW || state == STATE_RUNNING  ? SCHED_RUNNABLE
	       : state == STATE_DYING || state == STATE_DEAD ? SCHED_ENDS
							     : SCHED_WAITS;
}

static bool
fuchsia_event_end(struct rows_json *r, void *none UNUSED, void *event)
{
	struct chrome *d = r->context;
	const struct fuchsia_event *e = event;

	if (e->ph == EVENT_SWITCH && e->has_ts && e->ts < CHROME_TIME_MAX &&
	    e->ts > -CHROME_TIME_MAX)
		*vec_push(&d->fuchsia.turn) = (struct chrome_turn){
			.time = e->ts,
			.cpu = e->cpu,
			.out = fuchsia_thread(&e->out),
			.in = fuchsia_thread(&e->in),
			.left = (uint8_t)fuchsia_left(e->out.state),
		};
	else if (e->ph == EVENT_PROCESS || e->ph == EVENT_THREAD)
		*vec_push(&d->fuchsia.named) = (struct chrome_named){
			.pid = e->pid,
			.tid = e->tid,
			.name = e->name,
			.thread = e->ph == EVENT_THREAD,
		};
	return true;
}

static bool
fuchsia_type_take(struct rows_json *r UNUSED, void *chrome, const struct json_value *v)
{
	((struct chrome *)chrome)->fuchsia.there = json_is(&v->t, "fuchsia");
	return true;
}

static const char *const phases[] = {"k", "p", "t", NULL};

static const struct json_row fuchsia_side_rows[] = {
	{"tid", ROW_NUMBER(struct fuchsia_side, tid)},
	{"state", ROW_NUMBER(struct fuchsia_side, state)},
	{"prio", ROW_NUMBER(struct fuchsia_side, priority),
	 ROW_HAS(struct fuchsia_side, has_priority)},
	{0},
};

static const struct json_row fuchsia_event_rows[] = {
	{"ph", ROW_WORD(struct fuchsia_event, ph, phases)},
	{"ts", ROW_NUMBER(struct fuchsia_event, ts), .scale = 3,
	 ROW_HAS(struct fuchsia_event, has_ts)},
	{"cpu", ROW_NUMBER(struct fuchsia_event, cpu)},
	{"out", ROW_IN(struct fuchsia_event, out, fuchsia_side_rows)},
	{"in", ROW_IN(struct fuchsia_event, in, fuchsia_side_rows)},
	{"pid", ROW_NUMBER(struct fuchsia_event, pid)},
	{"tid", ROW_NUMBER(struct fuchsia_event, tid)},
	{"name", ROW_NAME(struct fuchsia_event, name)},
	{0},
};

const struct json_row chrome_fuchsia_rows[] = {
	{"type", ROW_VALUE(fuchsia_type_take)},
	{"events", ROW_RECORDS_OF(struct fuchsia_event, fuchsia_event_rows, fuchsia_event_end)},
	{0},
};

/* ---- names ---- */

bool
chrome_fuchsia_names(struct chrome *d)
{
	if (!d->fuchsia.there)
		return false;
	for (size_t i = 0; i < d->fuchsia.named.n; i++) {
		const struct chrome_named *n = &d->fuchsia.named.at[i];
		uint32_t process = cast_process(&d->cast, n->pid);

		if (n->name == NAME_EMPTY && !n->thread)
			continue;
		if (!n->thread) {
			d->cast.process.at[process].name = n->name;
			continue;
		}
		uint32_t thread = cast_thread(&d->cast, process, n->tid);
		d->cast.track.at[thread].name = n->name;
		idmap_put(&d->fuchsia.thread_of, (uint64_t)n->tid, thread);
	}
	return d->fuchsia.turn.n > 0;
}

/* ---- the scheduler ---- */

static void
thread_describe(void *chrome, int64_t tid, struct sched_thread *out)
{
	struct chrome *d = chrome;
	uint32_t thread = idmap_get(&d->fuchsia.thread_of, (uint64_t)tid);

	if (thread == IDMAP_NONE) {
		cast_owner_text(out->name, d->b, NAME_EMPTY, tid, "thread");
		return;
	}
	const struct cast_track *t = &d->cast.track.at[thread];
	if (t->made)
		out->track = t->track;
	else
		out->under = cast_process_made(&d->cast, t->process);
	cast_track_text(&d->cast, thread);
	buf_add(out->name, d->cast.text.at, d->cast.text.len);
}

void
chrome_fuchsia_write(struct chrome *d, bool turns)
{
	struct sched s = {.b = d->b, .turns = turns};
	struct chrome_turn *x;
	size_t n = d->fuchsia.turn.n;

	if (!d->fuchsia.there || !n)
		return;
	x = d->fuchsia.turn.at = rows_by_time(d->fuchsia.turn.at, n, sizeof *x);
	d->fuchsia.turn.cap = n;
	for (size_t i = 0; i < n; i++) {
		sched_runs(&s, x[i].cpu, x[i].out, x[i].time);
		sched_switch(&s, x[i].cpu, x[i].out, (enum sched_left)x[i].left, x[i].in,
			     x[i].time);
	}
	sched_write(&s, x[n - 1].time, thread_describe, d);
	sched_release(&s);
}

void
chrome_fuchsia_release(struct chrome *d)
{
	vec_release_all(&d->fuchsia.turn, &d->fuchsia.named);
	idmap_release(&d->fuchsia.thread_of);
}
