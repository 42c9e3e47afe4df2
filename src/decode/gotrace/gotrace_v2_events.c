/* gotrace_v2_events.c - what the events of Go 1.22 and later mean.
 *
 * A lane is a thread (M). It holds a P, and a goroutine runs on it:
 *
 *	M 7 ── P 2 ── goroutine 19        a P in a system call stays with its thread
 *	M 8 ── P 0                        until another thread steals it
 *
 * The first events of each generation that name a goroutine or a P give its status. In the first
 * generation this status holds since the first event of the trace. */
#include "src/decode/gotrace/gotrace_v2.h"

/* ---- what an event waits for ---- */

static struct gotrace_turn *
go_waits(struct gotrace *d, const struct gotrace_event *ev, enum gotrace_status status)
{
	struct gotrace_turn *t = gotrace_turn_of(d, ev->arg[0]);

	return t->status == status && gotrace_turn_is(d, t, ev->arg[1]) ? NULL : t;
}

static struct gotrace_turn *
proc_waits(struct gotrace *d, struct gotrace_lane *lane)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t p = gotrace_proc(d, ev->arg[0]); /* which may move all Ps */
	struct gotrace_turn *t = &d->actors.proc.at[p].turn;

	if (!gotrace_turn_is(d, t, ev->arg[1]))
		return t;
	if (ev->type == V2_PROC_STEAL)
		return t->status == PROC_SYSCALL || t->status == PROC_ABANDONED ? NULL : t;
	if (t->status != PROC_IDLE)
		return t;
	return lane->proc == GOTRACE_NONE ? NULL : &d->actors.proc.at[lane->proc].turn;
}

struct gotrace_turn *
gotrace_v2_waits_for(struct gotrace *d, struct gotrace_lane *lane)
{
	struct gotrace_turn *t;

	switch (lane->event.type) {
	case V2_GO_START:
		return go_waits(d, &lane->event, GO_RUNNABLE);
	case V2_GO_UNBLOCK:
	case V2_GO_SWITCH:
	case V2_GO_SWITCH_DESTROY:
		return go_waits(d, &lane->event, GO_WAITING);
	case V2_PROC_START:
	case V2_PROC_STEAL:
		return proc_waits(d, lane);
	case V2_GC_ACTIVE:
	case V2_GC_BEGIN:
	case V2_GC_END:
		return !d->gc.status || lane->event.arg[0] == d->gc.seq + 1 ? NULL : &d->gc;
	case V2_SYSCALL_END_BLOCKED:
		t = lane->proc == GOTRACE_NONE ? NULL : &d->actors.proc.at[lane->proc].turn;
		return t && t->status == PROC_SYSCALL ? t : NULL;
	default:
		return NULL;
	}
}

/* Returns since when a status holds that is reported now. */
static int64_t
since_of(const struct gotrace *d, int64_t time_ns)
{
	return d->since_ns == INT64_MIN ? time_ns : d->since_ns;
}

/* ---- Ps ---- */

/* Shows on the lane's P what runs there. */
static void
refresh(struct gotrace *d, const struct gotrace_lane *lane, int64_t time_ns)
{
	uint32_t g = lane->goroutine;

	if (lane->proc == GOTRACE_NONE)
		return;
	if (g != GOTRACE_NONE && d->actors.go.at[g].state != GO_RUNNING)
		g = GOTRACE_NONE;
	gotrace_runs(d, lane->proc, g, time_ns);
}

static void
proc_status(struct gotrace *d, uint32_t proc, enum gotrace_proc_status status, uint64_t seq)
{
	gotrace_turn_set(d, &d->actors.proc.at[proc].turn, (uint8_t)status, seq);
}

/* The lane loses its P. */
static void
proc_leaves(struct gotrace *d, struct gotrace_lane *lane, enum gotrace_proc_status status,
	    int64_t time_ns)
{
	uint32_t p = lane->proc;

	if (p == GOTRACE_NONE)
		return;
	lane->proc = GOTRACE_NONE;
	gotrace_runs(d, p, GOTRACE_NONE, time_ns);
	proc_status(d, p, status, d->actors.proc.at[p].turn.seq);
}

static void
proc_stolen(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t p = gotrace_proc(d, ev->arg[0]);
	uint32_t from = idmap_get(&d->order.lane_of, ev->arg[2]);

	if (from != IDMAP_NONE && d->order.lane.at[from].proc == p)
		d->order.lane.at[from].proc = GOTRACE_NONE;
	gotrace_runs(d, p, GOTRACE_NONE, time_ns);
	proc_status(d, p, PROC_IDLE, ev->arg[1]);
}

static void
proc_known(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	uint32_t p = gotrace_proc(d, lane->event.arg[0]);
	uint64_t status = lane->event.arg[1];

	/* it is idle for those who look: its thread has lost it */
	if (status == PROC_ABANDONED && d->actors.proc.at[p].turn.status == PROC_SYSCALL)
		status = PROC_SYSCALL;
	else if (status == PROC_RUNNING || status == PROC_SYSCALL)
		lane->proc = p;
	proc_status(d, p, status <= PROC_ABANDONED ? (enum gotrace_proc_status)status
						   : PROC_UNDEFINED, 0);
	refresh(d, lane, time_ns);
}

static void
happens_to_proc(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;

	switch (ev->type) {
	case V2_PROCS_CHANGE:
		gotrace_count(d, GO_MAXPROCS, ev->arg[0], time_ns, ev->offset);
		break;
	case V2_PROC_START:
		lane->proc = gotrace_proc(d, ev->arg[0]);
		proc_status(d, lane->proc, PROC_RUNNING, ev->arg[1]);
		refresh(d, lane, time_ns);
		break;
	case V2_PROC_STOP:
		proc_leaves(d, lane, PROC_IDLE, time_ns);
		break;
	case V2_PROC_STEAL:
		proc_stolen(d, lane, time_ns);
		break;
	case V2_PROC_STATUS:
		proc_known(d, lane, time_ns);
		break;
	default:
		break;
	}
}

/* ---- goroutines ---- */

static void
go_turns(struct gotrace *d, uint32_t g, enum gotrace_status status, uint64_t seq)
{
	gotrace_turn_set(d, &d->actors.go.at[g].turn, (uint8_t)status, seq);
}

/* The lane's goroutine stops. */
static void
go_stops(struct gotrace *d, struct gotrace_lane *lane, enum gotrace_status status, stack_id stack,
	 name_id reason, int64_t time_ns)
{
	uint32_t g = lane->goroutine;

	lane->goroutine = GOTRACE_NONE;
	if (g == GOTRACE_NONE)
		return;
	gotrace_becomes(d, g, status, time_ns, stack, reason);
	refresh(d, lane, time_ns);
	go_turns(d, g, status, d->actors.go.at[g].turn.seq);
}

static void
go_starts(struct gotrace *d, struct gotrace_lane *lane, uint32_t g, uint64_t seq, int64_t time_ns)
{
	lane->goroutine = g;
	gotrace_becomes(d, g, GO_RUNNING, time_ns, STACK_EMPTY, NAME_EMPTY);
	refresh(d, lane, time_ns);
	go_turns(d, g, GO_RUNNING, seq);
}

/* Another goroutine waits, and runs here now. */
static void
go_switches(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g = gotrace_goroutine(d, ev->arg[0]);

	gotrace_woken(d, g, time_ns, lane->goroutine);
	go_stops(d, lane, ev->type == V2_GO_SWITCH ? GO_WAITING : GO_UNDEFINED, STACK_EMPTY,
		 NAME_EMPTY, time_ns);
	go_starts(d, lane, g, ev->arg[1], time_ns);
}

static void
go_created(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g = gotrace_goroutine(d, ev->arg[0]);
	bool blocked = ev->type == V2_GO_CREATE_BLOCKED;

	gotrace_own_stack(d, g, ev->arg[1]);
	gotrace_own_stack(d, lane->goroutine, ev->arg[2]);
	if (blocked)
		gotrace_becomes(d, g, GO_WAITING, time_ns, STACK_EMPTY, NAME_EMPTY);
	else
		gotrace_woken(d, g, time_ns, lane->goroutine);
	go_turns(d, g, blocked ? GO_WAITING : GO_RUNNABLE, 0);
}

/* The status of a goroutine that existed before this generation. */
static void
go_known(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g = gotrace_goroutine(d, ev->arg[0]), there;
	uint64_t status = ev->arg[2];
	stack_id stack = STACK_EMPTY;

	if (ev->type == V2_GO_STATUS_STACK)
		stack = gotrace_own_stack(d, g, ev->arg[3]);
	if (status > GO_WAITING)
		return;
	if (d->actors.go.at[g].state == GO_UNDEFINED && status)
		gotrace_becomes(d, g, (enum gotrace_status)status, time_ns, stack,
				status == GO_SYSCALL ? builder_name(d->b, "syscall", 7)
						     : NAME_EMPTY);
	if (status == GO_RUNNING || (status == GO_SYSCALL && ev->arg[1] == lane->id)) {
		lane->goroutine = g;
	} else if (status == GO_SYSCALL && ev->arg[1] != UINT64_MAX) {
		ptrdiff_t self = lane - d->order.lane.at;
		there = gotrace_lane(&d->order, ev->arg[1]);
		d->order.lane.at[there].goroutine = g;
		lane = &d->order.lane.at[self];
	}
	refresh(d, lane, time_ns);
	go_turns(d, g, (enum gotrace_status)status, 0);
}

static void
happens_to_goroutine(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g;

	switch (ev->type) {
	case V2_GO_CREATE:
	case V2_GO_CREATE_BLOCKED:
		go_created(d, lane, time_ns);
		break;
	case V2_GO_START:
		go_starts(d, lane, gotrace_goroutine(d, ev->arg[0]), ev->arg[1], time_ns);
		break;
	case V2_GO_DESTROY:
		go_stops(d, lane, GO_UNDEFINED, STACK_EMPTY, NAME_EMPTY, time_ns);
		break;
	case V2_GO_STOP:
	case V2_GO_BLOCK:
		go_stops(d, lane, ev->type == V2_GO_STOP ? GO_RUNNABLE : GO_WAITING,
			 gotrace_own_stack(d, lane->goroutine, ev->arg[1]),
			 gotrace_string(d, ev->arg[0]), time_ns);
		break;
	case V2_GO_UNBLOCK:
		g = gotrace_goroutine(d, ev->arg[0]);
		gotrace_own_stack(d, lane->goroutine, ev->arg[2]);
		gotrace_woken(d, g, time_ns, lane->goroutine);
		go_turns(d, g, GO_RUNNABLE, ev->arg[1]);
		break;
	case V2_GO_SWITCH:
	case V2_GO_SWITCH_DESTROY:
		go_switches(d, lane, time_ns);
		break;
	default:
		break;
	}
}

/* ---- system calls ---- */

static void
happens_in_syscall(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g = ev->type == V2_GO_CREATE_SYSCALL ? gotrace_goroutine(d, ev->arg[0])
						      : lane->goroutine;
	bool begins = ev->type == V2_SYSCALL_BEGIN || ev->type == V2_GO_CREATE_SYSCALL;

	if (g == GOTRACE_NONE)
		return;
	if (ev->type == V2_GO_DESTROY_SYSCALL) {
		proc_leaves(d, lane, PROC_ABANDONED, time_ns);
		go_stops(d, lane, GO_UNDEFINED, STACK_EMPTY, NAME_EMPTY, time_ns);
		return;
	}
	if (ev->type == V2_SYSCALL_END_BLOCKED) {
		stack_id stack = d->actors.go.at[g].stack;
		go_stops(d, lane, GO_RUNNABLE, stack, NAME_EMPTY, time_ns);
		return;
	}
	lane->goroutine = g;
	if (begins)
		gotrace_becomes(d, g, GO_SYSCALL, time_ns,
				ev->type == V2_SYSCALL_BEGIN ? gotrace_own_stack(d, g, ev->arg[1])
							     : STACK_EMPTY,
				builder_name(d->b, "syscall", 7));
	else
		gotrace_becomes(d, g, GO_RUNNING, time_ns, STACK_EMPTY, NAME_EMPTY);
	refresh(d, lane, time_ns);
	if (ev->type == V2_GO_CREATE_SYSCALL)
		go_turns(d, g, GO_SYSCALL, 0);
	else
		go_turns(d, g, begins ? GO_SYSCALL : GO_RUNNING, d->actors.go.at[g].turn.seq);
	if (lane->proc != GOTRACE_NONE && ev->type != V2_GO_CREATE_SYSCALL)
		proc_status(d, lane->proc, begins ? PROC_SYSCALL : PROC_RUNNING,
			    begins ? ev->arg[0] : d->actors.proc.at[lane->proc].turn.seq);
}

/* ---- the runtime, and what the program marks ---- */

static void
happens_in_runtime(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;

	switch (ev->type) {
	case V2_STW_BEGIN:
		gotrace_stop_begins(d, gotrace_string(d, ev->arg[0]), time_ns);
		break;
	case V2_STW_END:
		gotrace_stop_ends(d, time_ns);
		break;
	case V2_GC_ACTIVE:
	case V2_GC_BEGIN:
		gotrace_mark_begins(d, ev->type == V2_GC_ACTIVE ? since_of(d, time_ns) : time_ns);
		break;
	case V2_GC_END:
		gotrace_mark_ends(d, time_ns);
		break;
	case V2_SWEEP_ACTIVE:
		gotrace_sweep(d, gotrace_proc(d, ev->arg[0]), true, since_of(d, time_ns));
		break;
	case V2_SWEEP_BEGIN:
	case V2_SWEEP_END:
		if (lane->proc != GOTRACE_NONE)
			gotrace_sweep(d, lane->proc, ev->type == V2_SWEEP_BEGIN, time_ns);
		break;
	case V2_ASSIST_ACTIVE:
		gotrace_assist(d, gotrace_goroutine(d, ev->arg[0]), true, since_of(d, time_ns));
		break;
	case V2_ASSIST_BEGIN:
	case V2_ASSIST_END:
		if (lane->goroutine != GOTRACE_NONE)
			gotrace_assist(d, lane->goroutine, ev->type == V2_ASSIST_BEGIN, time_ns);
		break;
	case V2_HEAP_ALLOC:
	case V2_HEAP_GOAL:
		gotrace_count(d, ev->type == V2_HEAP_ALLOC ? GO_HEAP : GO_HEAP_GOAL, ev->arg[0],
			      time_ns, ev->offset);
		break;
	default:
		break;
	}
	if (ev->type >= V2_GC_ACTIVE && ev->type <= V2_GC_END)
		gotrace_turn_set(d, &d->gc, 1, ev->arg[0]);
}

static void
happens_in_program(struct gotrace *d, struct gotrace_lane *lane, int64_t time_ns)
{
	const struct gotrace_event *ev = &lane->event;
	uint32_t g = lane->goroutine;

	switch (ev->type) {
	case V2_GO_LABEL:
		if (g != GOTRACE_NONE)
			gotrace_label(d, g, gotrace_string(d, ev->arg[0]), lane->proc, time_ns);
		break;
	case V2_TASK_BEGIN:
		gotrace_own_stack(d, g, ev->arg[3]);
		gotrace_task_begins(d, ev->arg[0], ev->arg[1], gotrace_string(d, ev->arg[2]),
				    time_ns);
		break;
	case V2_TASK_END:
		gotrace_own_stack(d, g, ev->arg[1]);
		gotrace_task_ends(d, ev->arg[0], time_ns);
		break;
	case V2_REGION_BEGIN:
	case V2_REGION_END:
		gotrace_own_stack(d, g, ev->arg[2]);
		if (g != GOTRACE_NONE)
			gotrace_region(d, g, ev->arg[0], gotrace_string(d, ev->arg[1]),
				       ev->type == V2_REGION_BEGIN, time_ns);
		break;
	case V2_LOG:
		gotrace_own_stack(d, g, ev->arg[3]);
		gotrace_log(d, g, gotrace_string(d, ev->arg[1]), gotrace_string(d, ev->arg[2]),
			    time_ns, ev->offset);
		break;
	default:
		break;
	}
}

void
gotrace_v2_happens(struct gotrace *d, struct gotrace_lane *lane)
{
	uint8_t type = lane->event.type;
	int64_t time_ns = gotrace_time(d, lane->event.ticks);

	if (d->since_ns == INT64_MAX)
		d->since_ns = time_ns;
	if (type == V2_GO_STATUS || type == V2_GO_STATUS_STACK)
		go_known(d, lane, since_of(d, time_ns));
	else if (type == V2_PROC_STATUS)
		proc_known(d, lane, since_of(d, time_ns));
	else if (type <= V2_PROC_STATUS)
		happens_to_proc(d, lane, time_ns);
	else if ((type >= V2_SYSCALL_BEGIN && type <= V2_SYSCALL_END_BLOCKED) ||
		 type == V2_GO_CREATE_SYSCALL || type == V2_GO_DESTROY_SYSCALL)
		happens_in_syscall(d, lane, time_ns);
	else if (type <= V2_GO_UNBLOCK || (type >= V2_GO_SWITCH && type <= V2_GO_CREATE_BLOCKED))
		happens_to_goroutine(d, lane, time_ns);
	else if (type <= V2_HEAP_GOAL)
		happens_in_runtime(d, lane, time_ns);
	else
		happens_in_program(d, lane, time_ns);
}
