/* latency.c - see latency.h.
 *
 * The rings of the CPUs arrive one after the other, so the return of a call may arrive before its
 * begin.  Samples are kept, and sorted by time at the end of a round (PERF_RECORD_FINISHED_ROUND),
 * up to the end of the round before: nothing earlier arrives any more.  If records were lost, all
 * calls that have begun are forgotten, since their returns may be among these.
 *
 * A thread's calls that have begun are a stack.  A return belongs to the innermost call of its
 * function; calls inside of it have ended without a return (longjmp, an exception), and are
 * dropped.  So are those whose frame lies below the stack pointer when a function begins.  The
 * stack is limited: calls below it are not measured. */
#include "src/collect/latency.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "src/collect/eventlist.h"
#include "src/collect/record.h"

#define ROUND 68u /* PERF_RECORD_FINISHED_ROUND */
#define CALLS_MAX 16u /* of a thread that have begun */
#define THREADS_MAX 65536u
#define WAITING_MAX (1u << 20)

struct latency_function {
	const struct collect_event *begins, *returns;
};

/* A begin or a return. */
struct latency_event {
	uint64_t time, sp; /* sp: the stack pointer; 0: unknown */
	uint32_t tid, function;
	bool returns;
	uint32_t order; /* of arrival */
};

struct latency_call {
	uint64_t time, sp;
	uint32_t function;
	bool counted;
};

struct latency_thread {
	uint32_t tid, n;
	struct latency_call call[CALLS_MAX]; /* outermost first */
};

struct latency {
	uint64_t limit_ns;
	uint64_t round;  /* when the last one ended */
	bool took;
	VEC(struct latency_function) function;
	VEC(struct latency_event) waiting;
	VEC(struct latency_thread) thread;
};

struct latency *
latency_new(uint64_t limit_ns)
{
	struct latency *l = mem_zalloc(1, sizeof *l);

	l->limit_ns = limit_ns;
	return l;
}

void
latency_free(struct latency *l)
{
	if (!l)
		return;
	vec_release(&l->function);
	vec_release(&l->waiting);
	vec_release(&l->thread);
	free(l);
}

void
latency_add(struct latency *l, const struct collect_event *begins,
	    const struct collect_event *returns)
{
	*vec_push(&l->function) = (struct latency_function){begins, returns};
}

static bool
has_counter(const struct collect_event *v, uint64_t id)
{
	for (size_t i = 0; i < v->ids.n; i++)
		if (v->ids.at[i] == id)
			return true;
	return false;
}

static void
latency_note(struct latency *l, const struct perf_event_header *record)
{
	struct record_sample s;
	uint64_t registers[RECORD_REGISTERS], sp = 0;

	if (record->size < sizeof s || l->waiting.n >= WAITING_MAX)
		return;
	memcpy(&s, record, sizeof s);
	for (uint32_t i = 0; i < l->function.n; i++) {
		bool returns = has_counter(l->function.at[i].returns, s.id);
		if (!returns && !has_counter(l->function.at[i].begins, s.id))
			continue;
		uint64_t type = l->function.at[i].begins->attr.sample_type;
		if (!returns && record_sample_registers(record, type, registers))
			sp = record_stack_pointer(registers);
		*vec_push(&l->waiting) = (struct latency_event){
			s.time, sp, s.tid, i, returns, (uint32_t)l->waiting.n};
		return;
	}
}

/* ---- calls ---- */

/* Returns a thread's entry, a new one if necessary and there is room. */
static struct latency_thread *
latency_thread_of(struct latency *l, uint32_t tid, bool make)
{
	for (size_t i = 0; i < l->thread.n; i++)
		if (l->thread.at[i].tid == tid)
			return &l->thread.at[i];
	if (!make || l->thread.n >= THREADS_MAX)
		return NULL;
	*vec_push(&l->thread) = (struct latency_thread){.tid = tid};
	return &l->thread.at[l->thread.n - 1];
}

static void
forget_thread(struct latency *l, struct latency_thread *t)
{
	if (t)
		*t = l->thread.at[--l->thread.n];
}

static void
call_begins(struct latency_thread *t, const struct latency_event *v)
{
	while (t->n && v->sp && t->call[t->n - 1].sp && t->call[t->n - 1].sp <= v->sp)
		t->n--;
	if (t->n == CALLS_MAX) {
		t->n--;
		memmove(t->call, t->call + 1, t->n * sizeof *t->call);
	}
	t->call[t->n++] = (struct latency_call){v->time, v->sp, v->function, false};
}

static void
call_returns(struct latency *l, struct latency_thread *t, const struct latency_event *v)
{
	uint32_t i = t->n;

	while (i && t->call[i - 1].function != v->function)
		i--;
	if (!i)
		return; /* it began before the recording, or below the stack */
	const struct latency_call *c = &t->call[i - 1];
	l->took |= !c->counted && v->time > c->time && v->time - c->time > l->limit_ns;
	t->n = i - 1;
}

ORDERED_BY_TWO(by_time, struct latency_event, time, order)

/* Measures the calls whose events have all arrived. */
static void
latency_measure(struct latency *l, uint64_t until)
{
	size_t n = 0;

	if (l->waiting.n)
		qsort(l->waiting.at, l->waiting.n, sizeof *l->waiting.at, by_time);
	for (; n < l->waiting.n && l->waiting.at[n].time <= until; n++) {
		const struct latency_event *v = &l->waiting.at[n];
		struct latency_thread *t = latency_thread_of(l, v->tid, !v->returns);
		if (t && v->returns)
			call_returns(l, t, v);
		else if (t)
			call_begins(t, v);
		if (t && !t->n)
			forget_thread(l, t);
	}
	for (size_t i = n; i < l->waiting.n; i++) {
		l->waiting.at[i - n] = l->waiting.at[i];
		l->waiting.at[i - n].order = (uint32_t)(i - n);
	}
	l->waiting.n -= n;
	for (size_t i = 0; i < l->thread.n; i++)
		for (uint32_t k = 0; k < l->thread.at[i].n; k++) {
			struct latency_call *c = &l->thread.at[i].call[k];
			if (c->counted || until <= c->time || until - c->time <= l->limit_ns)
				continue;
			l->took = c->counted = true;
		}
}

void
latency_take(struct latency *l, const struct perf_event_header *record)
{
	uint32_t id[4]; /* EXIT: pid, ppid, tid, ptid */

	if (record->type == ROUND) {
		latency_measure(l, l->round);
		l->round = record_now();
	} else if (record->type == PERF_RECORD_LOST) {
		l->thread.n = l->waiting.n = 0;
	} else if (record->type == PERF_RECORD_SAMPLE) {
		latency_note(l, record);
	} else if (record->type == PERF_RECORD_EXIT && record->size >= sizeof *record + sizeof id) {
		memcpy(id, record + 1, sizeof id);
		forget_thread(l, latency_thread_of(l, id[2], false));
	}
}

bool
latency_took(struct latency *l)
{
	bool took = l->took;

	l->took = false;
	return took;
}
