/* gotrace_v1_events.c - what the events of Go 1.11 to 1.21 mean.
 *
 * A lane is a P. Its goroutine is the one that it started last, until that one stops. The first
 * events list the goroutines that were there, up to the first Gomaxprocs: their states hold since
 * the beginning. */
#include "src/decode/gotrace/gotrace_v1.h"

#include <inttypes.h>

#define NO_TIME INT64_MIN

const char *
gotrace_v1_reason(uint8_t type)
{
	static const char *const reasons[64] = {
		[V1_GO_STOP] = "forever",
		[V1_GO_SCHED] = "runtime.Gosched",
		[V1_GO_PREEMPT] = "preempted",
		[V1_GO_SLEEP] = "sleep",
		[V1_GO_BLOCK] = "",
		[V1_BLOCK_SEND] = "chan send",
		[V1_BLOCK_RECV] = "chan receive",
		[V1_BLOCK_SELECT] = "select",
		[V1_BLOCK_SYNC] = "sync",
		[V1_BLOCK_COND] = "sync.(*Cond).Wait",
		[V1_BLOCK_NET] = "network",
		[V1_BLOCK_GC] = "GC mark assist wait for work",
	};

	return reasons[type];
}

static name_id
text_name(struct gotrace *d, const char *text)
{
	return builder_name(d->b, text, strlen(text));
}

/* The names of the reasons to stop the world. */
static name_id
stop_kind(struct gotrace *d, uint64_t kind)
{
	static const char *const old[] = {"GC mark termination", "GC sweep termination"};
	static const char *const kinds[] = {
		[0] = "unknown",	       [1] = "GC mark termination",
		[2] = "GC sweep termination",  [7] = "read mem stats",
		[9] = "GOMAXPROCS",	       [10] = "start trace",
		[11] = "stop trace",
	};
	char text[40];

	if (d->version < 21 && kind < 2)
		return text_name(d, old[kind]);
	if (d->version >= 21 && kind < sizeof kinds / sizeof *kinds && kinds[kind])
		return text_name(d, kinds[kind]);
	snprintf(text, sizeof text, "STW %" PRIu64, kind);
	return text_name(d, text);
}

/* ---- the goroutines that were there ---- */

void
gotrace_v1_begin(struct gotrace_v1 *v)
{
	struct gotrace *d = v->d;

	if (v->begun)
		return;
	v->begun = true;
	if (d->last_ns == INT64_MIN)
		return;
	for (uint32_t g = 0; g < v->there.n; g++) {
		uint8_t status = v->there.at[g];
		if (status)
			gotrace_becomes(d, g, (enum gotrace_status)status, d->first_ns, STACK_EMPTY,
					status == GO_SYSCALL ? text_name(d, "syscall")
							     : NAME_EMPTY);
	}
	for (size_t i = 0; i < d->order.lane.n; i++) {
		const struct gotrace_lane *lane = &d->order.lane.at[i];
		if (lane->goroutine != GOTRACE_NONE && lane->id != UINT64_MAX)
			gotrace_runs(d, gotrace_proc(d, lane->id), lane->goroutine, d->first_ns);
	}
}

static void
listed(struct gotrace_v1 *v, struct gotrace_lane *lane, const struct gotrace_v1_record *ev)
{
	static const uint8_t status[64] = {
		[V1_GO_CREATE] = GO_RUNNABLE, [V1_WAITING] = GO_WAITING,
		[V1_IN_SYSCALL] = GO_SYSCALL, [V1_GO_START] = GO_RUNNING,
		[V1_START_LABEL] = GO_RUNNING, [V1_START_LOCAL] = GO_RUNNING,
	};

	if (!status[ev->type])
		return;
	uint32_t g = gotrace_goroutine(v->d, ev->number[1]);
	while (v->there.n <= g)
		*vec_push(&v->there) = GO_UNDEFINED;
	v->there.at[g] = status[ev->type];
	if (ev->type == V1_GO_CREATE)
		gotrace_own_stack(v->d, g, ev->number[2]);
	if (status[ev->type] == GO_RUNNING)
		lane->goroutine = g;
}

/* ---- goroutines ---- */

static void
v1_runs(struct gotrace *d, const struct gotrace_lane *lane, int64_t time_ns)
{
	if (lane->id != UINT64_MAX)
		gotrace_runs(d, gotrace_proc(d, lane->id), lane->goroutine, time_ns);
}

static void
v1_starts(struct gotrace *d, struct gotrace_lane *lane, const struct gotrace_v1_record *ev,
	  int64_t time_ns)
{
	uint32_t g = gotrace_goroutine(d, ev->number[1]);

	lane->goroutine = g;
	gotrace_becomes(d, g, GO_RUNNING, time_ns, STACK_EMPTY, NAME_EMPTY);
	if (ev->type == V1_START_LABEL)
		gotrace_label(d, g, gotrace_string(d, ev->number[3]), GOTRACE_NONE, time_ns);
	v1_runs(d, lane, time_ns);
}

static void
v1_stops(struct gotrace *d, struct gotrace_lane *lane, const struct gotrace_v1_record *ev,
	 int64_t time_ns)
{
	const char *reason = gotrace_v1_reason(ev->type);
	bool runnable = ev->type == V1_GO_SCHED || ev->type == V1_GO_PREEMPT;
	uint32_t g = lane->goroutine;

	if (g == GOTRACE_NONE)
		return;
	if (ev->type == V1_GO_END)
		gotrace_becomes(d, g, GO_UNDEFINED, time_ns, STACK_EMPTY, NAME_EMPTY);
	else
		gotrace_becomes(d, g, runnable ? GO_RUNNABLE : GO_WAITING, time_ns,
				gotrace_own_stack(d, g, ev->number[1]), text_name(d, reason));
	lane->goroutine = GOTRACE_NONE;
	v1_runs(d, lane, time_ns);
}

static void
v1_unblocks(struct gotrace_v1 *v, struct gotrace_lane *lane, const struct gotrace_v1_record *ev,
	    int64_t time_ns)
{
	struct gotrace *d = v->d;
	uint32_t g = gotrace_goroutine(d, ev->number[1]), by = lane->goroutine;

	gotrace_own_stack(d, by, ev->number[ev->type == V1_GO_UNBLOCK ? 3 : 2]);
	if (by != GOTRACE_NONE && v->timer && d->actors.go.at[by].id == v->timer)
		by = GOTRACE_NONE;
	gotrace_woken(d, g, time_ns, by);
}

/* A system call: unless its P is taken away (GoSysBlock), it did not block and takes no time. */
static void
v1_syscall(struct gotrace *d, struct gotrace_lane *lane, const struct gotrace_v1_record *ev,
	   int64_t time_ns)
{
	uint32_t g = ev->type == V1_SYSEXIT || ev->type == V1_SYSEXIT_LOCAL
			     ? gotrace_goroutine(d, ev->number[1])
			     : lane->goroutine;

	if (g == GOTRACE_NONE)
		return;
	if (ev->type == V1_SYSCALL) {
		gotrace_becomes(d, g, GO_SYSCALL, time_ns, gotrace_own_stack(d, g, ev->number[1]),
				text_name(d, "syscall"));
		lane->syscall_ns = time_ns;
	} else if (ev->type == V1_SYSBLOCK) {
		int64_t since = lane->syscall_ns == NO_TIME ? time_ns : lane->syscall_ns;
		if (lane->syscall_ns == NO_TIME)
			gotrace_becomes(d, g, GO_SYSCALL, time_ns, STACK_EMPTY,
					text_name(d, "syscall"));
		lane->syscall_ns = NO_TIME;
		lane->goroutine = GOTRACE_NONE;
		v1_runs(d, lane, since);
	} else {
		gotrace_becomes(d, g, GO_RUNNABLE, time_ns, d->actors.go.at[g].stack, NAME_EMPTY);
	}
}

/* The system call of the lane's goroutine did not block. */
static void
syscall_over(struct gotrace *d, struct gotrace_lane *lane)
{
	if (lane->goroutine != GOTRACE_NONE)
		gotrace_becomes(d, lane->goroutine, GO_RUNNING, lane->syscall_ns, STACK_EMPTY,
				NAME_EMPTY);
	lane->syscall_ns = NO_TIME;
}

static bool
v1_happens_to_goroutine(struct gotrace_v1 *v, struct gotrace_lane *lane,
			const struct gotrace_v1_record *ev, int64_t time_ns)
{
	struct gotrace *d = v->d;
	uint32_t g;

	switch (ev->type) {
	case V1_GO_CREATE:
		g = gotrace_goroutine(d, ev->number[1]);
		gotrace_own_stack(d, g, ev->number[2]);
		gotrace_own_stack(d, lane->goroutine, ev->number[3]);
		gotrace_woken(d, g, time_ns, lane->goroutine);
		return true;
	case V1_GO_START:
	case V1_START_LOCAL:
	case V1_START_LABEL:
		v1_starts(d, lane, ev, time_ns);
		return true;
	case V1_GO_UNBLOCK:
	case V1_UNBLOCK_LOCAL:
		v1_unblocks(v, lane, ev, time_ns);
		return true;
	case V1_SYSCALL:
	case V1_SYSBLOCK:
	case V1_SYSEXIT:
	case V1_SYSEXIT_LOCAL:
		v1_syscall(d, lane, ev, time_ns);
		return true;
	case V1_WAITING:
	case V1_IN_SYSCALL:
		gotrace_becomes(d, gotrace_goroutine(d, ev->number[1]),
				ev->type == V1_WAITING ? GO_WAITING : GO_SYSCALL, time_ns,
				STACK_EMPTY, NAME_EMPTY);
		return true;
	default:
		if (!gotrace_v1_reason(ev->type) && ev->type != V1_GO_END)
			return false;
		v1_stops(d, lane, ev, time_ns);
		return true;
	}
}

/* ---- the runtime, and what the program marks ---- */

static bool
v1_happens_in_runtime(struct gotrace *d, const struct gotrace_lane *lane,
		      const struct gotrace_v1_record *ev, int64_t time_ns, uint64_t offset)
{
	bool begins = ev->type == V1_SWEEP_START || ev->type == V1_ASSIST_START;

	switch (ev->type) {
	case V1_MAXPROCS:
	case V1_HEAP_ALLOC:
	case V1_HEAP_GOAL:
		gotrace_count(d,
			      ev->type == V1_MAXPROCS	  ? GO_MAXPROCS
			      : ev->type == V1_HEAP_ALLOC ? GO_HEAP
							  : GO_HEAP_GOAL,
			      ev->number[1], time_ns, offset);
		return true;
	case V1_GC_START:
		gotrace_mark_begins(d, time_ns);
		return true;
	case V1_GC_DONE:
		gotrace_mark_ends(d, time_ns);
		return true;
	case V1_STW_START:
		gotrace_stop_begins(d, stop_kind(d, ev->number[1]), time_ns);
		return true;
	case V1_STW_DONE:
		gotrace_stop_ends(d, time_ns);
		return true;
	case V1_SWEEP_START:
	case V1_SWEEP_DONE:
		if (lane->id != UINT64_MAX)
			gotrace_sweep(d, gotrace_proc(d, lane->id), begins, time_ns);
		return true;
	case V1_ASSIST_START:
	case V1_ASSIST_DONE:
		if (lane->goroutine != GOTRACE_NONE)
			gotrace_assist(d, lane->goroutine, begins, time_ns);
		return true;
	default:
		return false;
	}
}

static void
v1_happens_in_program(struct gotrace *d, const struct gotrace_lane *lane,
		      const struct gotrace_v1_record *ev, int64_t time_ns, uint64_t offset)
{
	const uint64_t *n = ev->number;

	switch (ev->type) {
	case V1_TASK_CREATE:
		gotrace_task_begins(d, n[1], n[2], gotrace_string(d, n[3]), time_ns);
		break;
	case V1_TASK_END:
		gotrace_task_ends(d, n[1], time_ns);
		break;
	case V1_REGION:
		if (lane->goroutine != GOTRACE_NONE)
			gotrace_region(d, lane->goroutine, n[1], gotrace_string(d, n[3]), !n[2],
				       time_ns);
		break;
	case V1_LOG:
		gotrace_log(d, lane->goroutine, gotrace_string(d, n[2]),
			    builder_name(d->b, ev->text, (size_t)ev->text_len), time_ns, offset);
		break;
	case V1_CPU_SAMPLE:
		gotrace_sample(d, UINT64_MAX, n[2], n[3], time_ns, n[4], offset);
		break;
	default:
		break;
	}
}

void
gotrace_v1_happens(struct gotrace_v1 *v, struct gotrace_lane *lane,
		   const struct gotrace_v1_record *ev, uint64_t ticks, uint64_t offset)
{
	struct gotrace *d = v->d;
	int64_t time_ns;

	if (ev->type == V1_CPU_SAMPLE) {
		v1_happens_in_program(d, lane, ev, gotrace_ns(d, ticks), offset);
		return;
	}
	if (!v->begun && ev->type == V1_GO_CREATE) { /* no event: the goroutine was there */
		listed(v, lane, ev);
		return;
	}
	time_ns = gotrace_time(d, ticks);
	if (!v->begun && ev->type != V1_MAXPROCS) {
		listed(v, lane, ev);
		return;
	}
	gotrace_v1_begin(v);
	if (lane->syscall_ns != NO_TIME && ev->type != V1_SYSBLOCK)
		syscall_over(d, lane);
	if (!v1_happens_to_goroutine(v, lane, ev, time_ns) &&
	    !v1_happens_in_runtime(d, lane, ev, time_ns, offset))
		v1_happens_in_program(d, lane, ev, time_ns, offset);
}
