/* sched.c - see sched.h.
 *
 * Every record proves that its thread runs on its CPU.  In addition, a switch gives the new
 * state of the previous thread, and a wake-up ends the wait of a thread. The state of a thread
 * follows from its own events:
 *
 *	         switched in                 wake-up
 *	RUNNABLE ───────────► RUNNING      WAITING, IO, UNKNOWN ───────► RUNNABLE
 *
 * The number of a thread that ended is used again: each life with a name of its own is an actor.
 *
 * While events of a CPU were lost, every thread may have run there, except for those that run
 * on other CPUs. The state of such a thread is unknown until its own next event, or until the
 * end of the gap, which restores its state. */
#include "src/decode/common/sched.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/decode/common/cast.h"

enum { RUNS, SWITCHED, WOKEN, WOKEN_LATE };

struct sched_event {
	int64_t time_ns;
	uint32_t thread, other; /* indexes of tids; IDMAP_NONE: none */
	uint32_t cpu;
	uint8_t kind, left;
};

/* A thread during the replay of the events. */
struct task {
	actor_id actor;    /* of this life */
	actor_id last;     /* of the last one */
	name_id name;      /* of this life; NAME_EMPTY: that of the last one */
	int64_t until_ns;  /* the end of this life */
	uint32_t cpu;      /* where it runs, IDMAP_NONE */
	uint8_t state;     /* enum actor_state, from its last event */
	stack_id stack;    /* `NAME` of the last life, on tracks of processors */
	process_id under;
	bool hidden;       /* by a loss */
	int64_t hidden_to; /* the end of it */
};

struct sched_replay {
	struct builder *b;
	const struct sched *s;
	struct task *task;
	size_t n_tasks;
	uint32_t *runs; /* [cpu] the thread there, or IDMAP_NONE */
	struct sched_cpu *cpu;
};

/* ---- collecting ---- */

static struct sched_cpu *
cpu_at(struct sched *s, int64_t cpu, uint32_t *index)
{
	uint32_t i;

	if (idmap_add(&s->cpu_of, (uint64_t)cpu, s->cpu.n, &i))
		*vec_push(&s->cpu) = (struct sched_cpu){.number = cpu, .now = IDMAP_NONE};
	*index = i;
	return &s->cpu.at[i];
}

static uint32_t
thread_at(struct sched *s, int64_t tid)
{
	uint32_t i;

	if (tid <= 0)
		return IDMAP_NONE;
	i = idmap_get(&s->thread_of, (uint64_t)tid);
	if (i == IDMAP_NONE) {
		i = (uint32_t)s->tid.n;
		idmap_put(&s->thread_of, (uint64_t)tid, i);
		*vec_push(&s->tid) = tid;
		*vec_push(&s->comm) = NAME_EMPTY;
		*vec_push(&s->noted) = NAME_EMPTY;
	}
	return i;
}

/* The numbers of an event in the list: indexes, 0 for IDMAP_NONE. */
enum { OF_THREAD, OF_OTHER, OF_CPU };
#define KIND_BITS 4u /* of the kind and state, below the CPU */

static void
add(struct sched *s, struct sched_event e)
{
	uint32_t of[TIMED_NUMBERS] = {
		[OF_THREAD] = e.thread + 1,
		[OF_OTHER] = e.other + 1,
		[OF_CPU] = e.cpu << KIND_BITS | (uint32_t)e.left << 2 | e.kind,
	};

	timed_add(&s->event, e.time_ns, of);
}

static bool
next_event(struct timed_reader *r, struct sched_event *e)
{
	uint32_t of[TIMED_NUMBERS];

	if (!timed_next(r, &e->time_ns, of))
		return false;
	e->kind = of[OF_CPU] & 3;
	e->left = of[OF_CPU] >> 2 & 3;
	e->thread = of[OF_THREAD] - 1;
	e->other = of[OF_OTHER] - 1;
	e->cpu = of[OF_CPU] >> KIND_BITS;
	return true;
}

static void
runs(struct sched *s, uint32_t at, uint32_t thread, int64_t time_ns)
{
	struct sched_cpu *c = &s->cpu.at[at];

	if (c->lost && c->seen && time_ns > c->last_ns)
		*vec_push(&s->loss) = (struct sched_loss){c->last_ns, time_ns, at};
	if (!c->seen || c->lost || c->now != thread)
		add(s, (struct sched_event){time_ns, thread, IDMAP_NONE, at, RUNS, 0});
	if (!c->seen || time_ns < c->first_ns)
		c->first_ns = time_ns;
	c->last_ns = time_ns;
	c->now = thread;
	c->seen = true;
	c->lost = false;
}

void
sched_runs(struct sched *s, int64_t cpu, int64_t tid, int64_t time_ns)
{
	uint32_t at;

	cpu_at(s, cpu, &at);
	runs(s, at, thread_at(s, tid), time_ns);
}

/* Returns the name of a thread; NAME_EMPTY for one that is ignored. */
static name_id
comm_of(struct sched *s, uint32_t thread, const char *comm, size_t len)
{
	bool counts = thread != IDMAP_NONE && len && *comm != '<';

	return counts ? builder_name(s->b, comm, len) : NAME_EMPTY;
}

/* Another name is noted with its time; most records say the last one again. */
static void
comm_set(struct sched *s, uint32_t thread, name_id comm, int64_t time_ns)
{
	if (comm == NAME_EMPTY || s->noted.at[thread] == comm)
		return;
	s->comm.at[thread] = s->noted.at[thread] = comm;
	comms_named(&s->comms, s->tid.at[thread], time_ns, comm);
}

void
sched_named(struct sched *s, int64_t tid, const char *comm, size_t len, int64_t time_ns)
{
	uint32_t i = thread_at(s, tid);

	comm_set(s, i, comm_of(s, i, comm, len), time_ns);
}

void
sched_named_last(struct sched *s, int64_t tid, const char *comm, size_t len)
{
	uint32_t i = thread_at(s, tid);
	name_id name = comm_of(s, i, comm, len);

	if (name != NAME_EMPTY)
		s->comm.at[i] = name;
}

void
sched_runs_known(struct sched *s, int64_t cpu, struct sched_known *k, int64_t tid,
		 const char *comm, size_t len, int64_t time_ns)
{
	uint32_t at;

	cpu_at(s, cpu, &at);
	if (!k->there) {
		k->thread = thread_at(s, tid);
		k->comm = comm_of(s, k->thread, comm, len);
		k->there = true;
	}
	runs(s, at, k->thread, time_ns);
	comm_set(s, k->thread, k->comm, time_ns);
}

void
sched_switch(struct sched *s, int64_t cpu, int64_t prev, enum sched_left left, int64_t next,
	     int64_t time_ns)
{
	uint32_t at, from = thread_at(s, prev), to = thread_at(s, next);

	cpu_at(s, cpu, &at);
	runs(s, at, from, time_ns);
	add(s, (struct sched_event){time_ns, from, to, at, SWITCHED, (uint8_t)left});
	s->cpu.at[at].now = to;
	s->cpu.at[at].switches = s->any = true;
	if (left == SCHED_ENDS && from != IDMAP_NONE) {
		comms_ends(&s->comms, prev, time_ns);
		s->noted.at[from] = NAME_EMPTY;
	}
}

void
sched_wake(struct sched *s, int64_t cpu, int64_t tid, int64_t waker, enum sched_woken how,
	   int64_t time_ns)
{
	uint32_t thread = thread_at(s, tid), by = thread_at(s, waker), at;

	cpu_at(s, cpu, &at);
	s->has_waking |= how == SCHED_WAKING;
	s->any = true;
	if (how == SCHED_NEW)
		comms_begins(&s->comms, tid, time_ns);
	if (thread != IDMAP_NONE)
		add(s, (struct sched_event){time_ns, thread, by, at,
					    how == SCHED_WAKEUP ? WOKEN_LATE : WOKEN, 0});
}

int64_t
sched_on(const struct sched *s, int64_t cpu)
{
	uint32_t i = idmap_get(&s->cpu_of, (uint64_t)cpu);
	const struct sched_cpu *c = i == IDMAP_NONE ? NULL : &s->cpu.at[i];

	if (!c || !c->seen || c->lost)
		return SCHED_NOBODY;
	return c->now == IDMAP_NONE ? 0 : s->tid.at[c->now];
}

void
sched_lost(struct sched *s, int64_t cpu)
{
	uint32_t at;

	cpu_at(s, cpu, &at)->lost = true;
}

void
sched_describe(void *context, int64_t tid, struct sched_thread *out)
{
	struct sched *s = context;

	cast_owner_text(out->name, s->b, s->comm.at[thread_at(s, tid)], tid, "thread");
}

enum sched_left
sched_left_by(uint64_t bits)
{
	enum { IO = 2, ENDS = 0x30, ALL = 0xFF, PREEMPTED = 0x800 };

	if (!(bits & ALL) || bits >= PREEMPTED)
		return SCHED_RUNNABLE;
	if (bits & IO)
		return SCHED_IO;
	return bits & ENDS ? SCHED_ENDS : SCHED_WAITS;
}

/* ---- replaying ---- */

static void
set(struct sched_replay *r, struct task *t, enum actor_state state, int64_t time_ns)
{
	t->state = (uint8_t)state;
	t->hidden = false;
	if (t->actor != ACTOR_NONE)
		builder_state(r->b, t->actor, time_ns, state);
}

/* The thread leaves its CPU. */
static void
leave(struct sched_replay *r, struct task *t)
{
	if (t->cpu != IDMAP_NONE)
		r->runs[t->cpu] = IDMAP_NONE;
	t->cpu = IDMAP_NONE;
}

/* Returns the name of a thread in its life at a time; NAME_EMPTY if it is that of the last one. */
static name_id
name_then(const struct sched *s, uint32_t thread, int64_t time_ns)
{
	int64_t tid = s->tid.at[thread];
	name_id then = comms_at(&s->comms, tid, time_ns);

	return then == comms_at(&s->comms, tid, INT64_MAX) ? NAME_EMPTY : then;
}

/* Goes on to the life of a thread at this time, if that is another one. */
static void
sched_lives(struct sched_replay *r, uint32_t thread, int64_t time_ns)
{
	const struct sched *s = r->s;
	struct task *t = &r->task[thread];
	struct buf text = BUF_INIT;

	if (time_ns <= t->until_ns)
		return;
	const struct comm_life *l = comms_life_at(&s->comms, s->tid.at[thread], time_ns);
	name_id name = name_then(s, thread, time_ns);
	t->until_ns = l ? l->until_ns : INT64_MAX;
	if (name == t->name)
		return;
	if (t->state != ACTOR_UNKNOWN) { /* its end was not seen */
		leave(r, t);
		set(r, t, ACTOR_UNKNOWN, time_ns);
	}
	t->name = name;
	t->actor = t->last;
	if (name == NAME_EMPTY)
		return;
	cast_owner_text(&text, r->b, name, s->tid.at[thread], "thread");
	t->actor = builder_actor(r->b, buf_str(&text), text.len, TRACK_NONE);
	if (t->actor != ACTOR_NONE && t->under != PROCESS_NONE)
		builder_actor_under(r->b, t->actor, t->under);
	buf_release(&text);
}

static void
enter(struct sched_replay *r, uint32_t cpu, uint32_t thread, int64_t time_ns)
{
	uint32_t before = r->runs[cpu];

	if (before == thread)
		return;
	if (before != IDMAP_NONE) { /* the switch is missing */
		leave(r, &r->task[before]);
		set(r, &r->task[before], ACTOR_UNKNOWN, time_ns);
	}
	if (thread == IDMAP_NONE)
		return;
	leave(r, &r->task[thread]);
	r->task[thread].cpu = cpu;
	r->runs[cpu] = thread;
	set(r, &r->task[thread], ACTOR_RUNNING, time_ns);
}

/* Returns the stack of a thread on a processor at a time: the name of its life then. */
static stack_id
sched_turn_stack(struct sched_replay *r, uint32_t thread, int64_t time_ns)
{
	name_id then = name_then(r->s, thread, time_ns);
	struct buf name = BUF_INIT;

	if (then == NAME_EMPTY)
		return r->task[thread].stack;
	cast_owner_text(&name, r->b, then, r->s->tid.at[thread], "thread");
	function_id f = builder_function_named(r->b, buf_str(&name), name.len);
	buf_release(&name);
	return builder_child(r->b, STACK_EMPTY, builder_frame(r->b, f, line_unknown()));
}

/* Adds what runs on a processor from now on.  Ignores a time that does not fit. */
static void
turn(struct sched_replay *r, struct sched_cpu *c, uint32_t thread, int64_t time_ns)
{
	stack_id stack = thread == IDMAP_NONE ? STACK_EMPTY : sched_turn_stack(r, thread, time_ns);
	struct err none = {0};

	builder_step(r->b, c->turns, time_ns, stack, 0, 0, &none);
}

static void
sched_switched(struct sched_replay *r, const struct sched_event *e)
{
	static const uint8_t states[] = {
		[SCHED_RUNNABLE] = ACTOR_RUNNABLE,
		[SCHED_WAITS] = ACTOR_WAITING,
		[SCHED_IO] = ACTOR_IO,
		[SCHED_ENDS] = ACTOR_UNKNOWN,
	};

	enter(r, e->cpu, e->thread, e->time_ns);
	if (e->thread != IDMAP_NONE) {
		leave(r, &r->task[e->thread]);
		set(r, &r->task[e->thread], (enum actor_state)states[e->left], e->time_ns);
	}
	enter(r, e->cpu, e->other, e->time_ns);
	struct sched_cpu *c = &r->cpu[e->cpu];
	if (!c->turns)
		return;
	if (c->switches && e->time_ns > c->first_ns) /* it has run there since the first record */
		turn(r, c, e->thread, c->first_ns);
	c->switches = false;
	builder_track_event(r->b, c->track);
	turn(r, c, e->other, e->time_ns);
}

static void
woken(struct sched_replay *r, const struct sched_event *e)
{
	struct task *t = &r->task[e->thread];

	if (!t->hidden && (t->state == ACTOR_RUNNABLE || t->state == ACTOR_RUNNING))
		return;
	leave(r, t);
	t->state = ACTOR_RUNNABLE;
	t->hidden = false;
	if (t->actor != ACTOR_NONE)
		builder_woken(r->b, t->actor, e->time_ns,
			      e->other == IDMAP_NONE ? ACTOR_NONE : r->task[e->other].actor);
}

/* ---- losses ---- */

static void
hide(struct sched_replay *r, const struct sched_loss *l)
{
	uint32_t there = r->runs[l->cpu];

	if (there != IDMAP_NONE) { /* the next record there decides what runs */
		leave(r, &r->task[there]);
		r->task[there].state = ACTOR_UNKNOWN;
	}
	for (size_t i = 0; i < r->n_tasks; i++) {
		struct task *t = &r->task[i];
		if (t->cpu != IDMAP_NONE)
			continue;
		t->hidden_to = t->hidden && t->hidden_to > l->to_ns ? t->hidden_to : l->to_ns;
		t->hidden = true;
		if (t->actor != ACTOR_NONE)
			builder_state(r->b, t->actor, l->from_ns, ACTOR_UNKNOWN);
	}
}

static void
reveal(struct sched_replay *r, int64_t time_ns)
{
	for (size_t i = 0; i < r->n_tasks; i++) {
		struct task *t = &r->task[i];
		if (t->hidden && t->hidden_to <= time_ns)
			set(r, t, (enum actor_state)t->state, t->hidden_to);
	}
}

ORDERED_BY(by_begin, struct sched_loss, from_ns)

ORDERED_NUMBERS(by_end, int64_t)

/* The begins and ends of losses, in the order of time. */
struct losses {
	const struct sched_loss *at;
	int64_t *end; /* sorted */
	size_t n, begun, ended;
};

static void
losses_init(struct losses *l, struct sched *s)
{
	*l = (struct losses){.at = s->loss.at, .n = s->loss.n};
	l->end = mem_alloc(s->loss.n, sizeof *l->end);
	vec_sort(&s->loss, by_begin);
	for (size_t i = 0; i < s->loss.n; i++)
		l->end[i] = s->loss.at[i].to_ns;
	qsort(l->end, l->n, sizeof *l->end, by_end);
}

/* Applies the losses before an event at this time. */
static void
losses_until(struct losses *l, struct sched_replay *r, int64_t time_ns)
{
	while (l->ended < l->n) {
		bool begins = l->begun < l->n && l->at[l->begun].from_ns < time_ns;
		bool ends = l->end[l->ended] <= time_ns;
		if (ends && (!begins || l->end[l->ended] <= l->at[l->begun].from_ns))
			reveal(r, l->end[l->ended++]);
		else if (begins)
			hide(r, &l->at[l->begun++]);
		else
			return;
	}
}

/* ---- the decoder ---- */

static struct task *
tasks_new(struct sched *s,
	  void (*describe)(void *context, int64_t tid, struct sched_thread *out), void *context)
{
	struct task *task = mem_alloc(s->tid.n, sizeof *task);
	struct buf name = BUF_INIT;

	for (size_t i = 0; i < s->tid.n; i++) {
		struct sched_thread t = {&name, TRACK_NONE, PROCESS_NONE};
		buf_reset(&name);
		describe(context, s->tid.at[i], &t);
		actor_id a = builder_actor(s->b, buf_str(&name), name.len, t.track);
		task[i] = (struct task){.actor = a, .last = a, .until_ns = INT64_MIN,
					.cpu = IDMAP_NONE, .under = t.under};
		if (a != ACTOR_NONE && t.under != PROCESS_NONE)
			builder_actor_under(s->b, a, t.under);
	}
	buf_release(&name);
	return task;
}

/* Makes a track for each processor that had a switch. */
static void
turns_begin(struct sched *s, struct task *task)
{
	s->cpu_metric = builder_metric(s->b, "cpu", UNIT_NS, ROLE_TIME);
	for (size_t i = 0; i < s->tid.n; i++) {
		struct name of = builder_actor_name(s->b, task[i].actor);
		function_id f = builder_function_named(s->b, of.at, of.len);
		task[i].stack = builder_child(s->b, STACK_EMPTY,
					      builder_frame(s->b, f, line_unknown()));
	}
	process_id all = PROCESS_NONE;
	if (s->outside) {
		all = builder_process(s->b, "processors", 10);
		builder_process_outside(s->b, all, true);
	}
	for (size_t i = 0; i < s->cpu.n; i++) {
		struct sched_cpu *c = &s->cpu.at[i];
		if (!c->switches)
			continue;
		c->track = builder_trackf(s->b, TRACK_CORE, "cpu %" PRId64, c->number);
		if (all != PROCESS_NONE)
			builder_track_under(s->b, c->track, all);
		c->turns = builder_turns(s->b, c->track, s->cpu_metric);
	}
}

static void
replay_event(struct sched_replay *r, const struct sched_event *e, bool has_waking)
{
	if (e->thread != IDMAP_NONE)
		sched_lives(r, e->thread, e->time_ns);
	if (e->other != IDMAP_NONE)
		sched_lives(r, e->other, e->time_ns);
	if (e->kind == RUNS)
		enter(r, e->cpu, e->thread, e->time_ns);
	else if (e->kind == SWITCHED)
		sched_switched(r, e);
	else if (e->kind == WOKEN || !has_waking)
		woken(r, e);
}

void
sched_write(struct sched *s, int64_t end_ns,
	    void (*describe)(void *context, int64_t tid, struct sched_thread *out), void *context)
{
	struct sched_replay r = {.b = s->b, .s = s, .n_tasks = s->tid.n, .cpu = s->cpu.at};
	struct losses losses;
	struct err none = {0};
	struct timed_reader reader;
	struct sched_event e;

	s->cpu_metric = METRIC_NONE;
	if (!s->any)
		return;
	comms_settle(&s->comms);
	losses_init(&losses, s);
	r.task = tasks_new(s, describe, context);
	for (size_t i = 0; s->turns && i < s->cpu.n; i++)
		if (s->cpu.at[i].switches) {
			turns_begin(s, r.task);
			break;
		}
	r.runs = mem_alloc(s->cpu.n, sizeof *r.runs);
	for (size_t i = 0; i < s->cpu.n; i++)
		r.runs[i] = IDMAP_NONE;
	timed_read(&reader, &s->event);
	while (next_event(&reader, &e)) {
		if (losses.n)
			losses_until(&losses, &r, e.time_ns);
		replay_event(&r, &e, s->has_waking);
	}
	timed_read_end(&reader);
	losses_until(&losses, &r, INT64_MAX);
	builder_run_end(s->b, end_ns);
	for (size_t i = 0; i < s->cpu.n; i++)
		if (s->cpu.at[i].turns)
			builder_step(s->b, s->cpu.at[i].turns, end_ns, STACK_EMPTY, 0, 0, &none);
	free_all(losses.end, r.runs, r.task);
}

void
sched_release(struct sched *s)
{
	timed_release(&s->event);
	vec_release_all(&s->loss, &s->cpu, &s->tid, &s->comm, &s->noted);
	idmap_release_all(&s->cpu_of, &s->thread_of);
	comms_release(&s->comms);
}
