/* Profiles by chance with one planted fault, or none.  Programs differ: threads, functions, bursts,
 * idle times, sampled or traced. */
#include "tests/lib/random_faults.h"

#include <stdio.h>
#include <string.h>

#include "model/build/builder.h"
#include "tests/lib/chance.h"
#include "tests/lib/unit.h"

#define FUNCTIONS 24u
#define DEEPEST 260u
#define MS 1000000

const char *const fault_answer[FAULTS] = {
	"hot",     "system",   "runtime",  "recursion", "imbalance", "phases",
	"stalls",  "periodic", "outliers", "growth",    "spikes",    "serial",
	"trust",   "waits",    "convoy",   "change",
};

struct plan {
	enum fault fault;
	struct chance c;
	struct builder *b;
	bool traced;
	unsigned threads, thread, functions;
	double share[FUNCTIONS], burst, duty;
	int64_t run, tick;
	stack_id stack[FUNCTIONS + 1]; /* the last is that of the fault */
	double planted; /* the part of the work that the fault's stack takes */
	int64_t from, to; /* of the fault, in ns */
	double size;
	double waiting; /* the part of their time that threads wait, by their states */
	bool nameless;  /* the system's function has an address for a name */
	bool quiet;	/* the counter has one value after its first point */
	bool counted;	/* memory is a counter, and few samples say what holds it */
	bool compares;  /* it is two recordings */
	bool blocks;    /* the stall is a call of the first thread */
	bool in_turn;	/* threads queue and wake each other */
	uint64_t again; /* the seed of another run of the same program; 0: none */
};

/* ---- the program ---- */

static frame_id
frame_of(struct plan *x, const char *name, enum kind kind)
{
	struct function f = {.name = builder_name(x->b, name, strlen(name)),
			     .kind = (uint8_t)kind};

	return builder_frame(x->b, builder_function(x->b, f), line_unknown());
}

static void
make_functions(struct plan *x)
{
	frame_id path[DEEPEST + 3] = {frame_of(x, "main", KIND_USER),
				      frame_of(x, "work", KIND_USER)};
	const char *name = x->fault == RUNTIME ? "malloc" : x->fault == TRUST ? "[unknown]" : "odd";
	enum kind kind = x->fault == SYSTEM ? KIND_SYSTEM : KIND_USER;
	if (x->fault == SYSTEM && x->nameless)
		name = "0xffffffff81000c82";
	unsigned n = 2, deep = x->fault == RECURSION ? (unsigned)x->size : 0;
	double sum = 0;

	for (unsigned i = 0; i < x->functions; i++) {
		char text[16];
		snprintf(text, sizeof text, "step%u", i);
		path[2] = frame_of(x, text, KIND_USER);
		x->stack[i] = builder_stack(x->b, path, 3);
		sum += x->share[i] = chance_between(&x->c, 0.6, 1);
	}
	for (unsigned i = 0; i < x->functions; i++)
		x->share[i] /= sum;
	while (deep--)
		path[n++] = frame_of(x, "down", KIND_USER);
	path[n++] = frame_of(x, name, kind);
	x->stack[FUNCTIONS] = builder_stack(x->b, path, n);
}

/* Which stack runs at a time. */
static stack_id
draw(struct plan *x, int64_t when)
{
	double u = chance_between(&x->c, 0, 1), planted = x->planted;
	unsigned i = 0;

	if (x->fault == PHASES && (when < x->from || when >= x->to))
		planted = 0;
	if (u < planted)
		return x->stack[FUNCTIONS];
	for (u = chance_between(&x->c, 0, 1); i + 1 < x->functions && u > x->share[i]; i++)
		u -= x->share[i];
	return x->stack[i];
}

/* Returns true if the fault keeps everything from running at that time. */
static bool
stops(const struct plan *x, int64_t when)
{
	if (x->fault == STALLS)
		return when >= x->from && when < x->to;
	if (x->fault == SERIAL) /* all but the first thread */
		return x->thread > 1 && when >= x->from && when < x->to;
	if (x->fault == PERIODIC)
		return fmod((double)when, x->size) < 0.5 * x->size;
	return false;
}

static int64_t
lasts(struct plan *x)
{
	double mean = x->traced ? (double)x->tick : x->burst * (double)x->tick;
	double v = chance_wait(&x->c, mean);

	if (x->fault == OUTLIERS && x->traced && chance_between(&x->c, 0, 1) < 0.03)
		v = x->size * mean;
	return 1 + (int64_t)v;
}

static void
put(struct plan *x, struct series *s, int64_t when, int64_t until, stack_id stack, bool calls)
{
	struct err e;
	int64_t one = 1;

	err_init(&e);
	if (x->traced) {
		ck_assert(builder_step(x->b, s, when, stack, calls ? STEP_CALL : STEP_RETURN, 0,
				       &e));
		return;
	}
	for (; when < until; when += x->tick)
		ck_assert(builder_sample(x->b, s, when, stack, &one, 0, &e));
}

/* A thread: bursts of one function each, and idle times between some of them. */
static void
make_thread(struct plan *x, unsigned number, metric_id samples)
{
	char name[16];
	int len = snprintf(name, sizeof name, "worker%u", number);
	track_id t = builder_track(x->b, name, (size_t)len, TRACK_THREAD);
	struct series *s = x->traced ? builder_steps(x->b, t)
				     : builder_samples(x->b, t, &samples, 1);
	double duty = x->duty;

	x->thread = number;
	if (x->fault == SERIAL)
		duty = number == 1 ? 0.95 : 0.6;
	if (x->fault == IMBALANCE)
		duty = number == 1 ? 0.95 : 0.95 / x->size;
	for (int64_t when = 0, until; when < x->run; when = until) {
		until = when + lasts(x);
		if (!x->traced)
			until = when + ((until - when) / x->tick + 1) * x->tick;
		if (x->blocks && number == 1 && when >= x->from && when < x->to) {
			until = x->to;
			put(x, s, when, until, x->stack[FUNCTIONS], true);
			put(x, s, until, until, STACK_EMPTY, false);
			continue;
		}
		if (stops(x, when)) {
			if (x->traced)
				put(x, s, when, until, STACK_EMPTY, false);
			until = when + x->tick;
			continue;
		}
		put(x, s, when, until, draw(x, when), true);
		/* the idle time after a burst has the length that gives the duty */
		int64_t idle = (int64_t)((double)(until - when) * (1 / duty - 1) *
					 chance_between(&x->c, 0.5, 1.5));
		if (idle > 0 && x->traced)
			put(x, s, until, until, STACK_EMPTY, false);
		until += x->traced ? idle : (idle + x->tick / 2) / x->tick * x->tick;
	}
}

/* Returns the begin of the thread's next turn: in a queue each thread runs for `hold`, one after
 * the other. */
static int64_t
next_turn(const struct plan *x, unsigned thread, int64_t since, int64_t hold)
{
	int64_t all = hold * x->threads, mine = hold * thread;

	return since <= mine ? mine : mine + (since - mine + all - 1) / all * all;
}

/* States by the scheduler: threads run, and wait for one another or for a timer. In a convoy all
 * but the first wait for that one now and then, or they queue, and each wakes the next one. */
static void
make_states(struct plan *x)
{
	actor_id actor[16], by;
	int64_t period = x->run / 10, convoy = x->fault == CONVOY ? (int64_t)(x->size * 0.1 *
								     (double)x->run) : 0;

	for (unsigned i = 0; i < x->threads; i++) {
		char name[16];
		int len = snprintf(name, sizeof name, "worker%u", i + 1);
		actor[i] = builder_actor(x->b, name, (size_t)len, TRACK_NONE);
	}
	for (unsigned i = 0; i < x->threads; i++)
		for (int64_t when = 0, until; when < x->run; when = until) {
			bool queues = (i || x->in_turn) && when % period < convoy;
			int64_t begin = when - when % period, hold = convoy / (4 * x->threads);
			double mean = 20 * MS * x->waiting / (1 - x->waiting);
			by = actor[chance_below(&x->c, x->threads)];
			by = by == actor[i] || chance_one_in(&x->c, 3) ? ACTOR_NONE : by;
			unsigned before = x->in_turn ? (i + x->threads - 1) % x->threads : 0;
			by = queues ? actor[before] : by;
			builder_state(x->b, actor[i], when, ACTOR_WAITING);
			until = queues ? begin + convoy
				       : when + 1 + (int64_t)chance_wait(&x->c, mean);
			int64_t turn = begin;
			turn += x->in_turn ? next_turn(x, i, when - begin, hold) : 0;
			bool turns = queues && x->in_turn && turn < until;
			until = turns ? turn + (turn == when) : until;
			builder_woken(x->b, actor[i], until, by);
			builder_state(x->b, actor[i], until, ACTOR_RUNNING);
			until += turns ? hold : 1 + (int64_t)chance_wait(&x->c, 20 * MS);
		}
}

static void
make_counter(struct plan *x)
{
	track_id t = builder_track(x->b, "queue", 5, TRACK_COUNTER);
	struct series *s = builder_points(x->b, t, false);
	struct err e;

	err_init(&e);
	for (unsigned i = 0; i < 200; i++) {
		int64_t when = x->run / 200 * i;
		double v = 1000 + 50 * chance_bell(&x->c);
		if (x->quiet)
			v = i ? 1000 : 0;
		if (x->fault == SPIKES && when <= x->from && x->from < when + x->run / 200)
			v += x->size * (x->quiet ? 200 : 60);
		ck_assert(builder_point(x->b, s, when, (int64_t)v, 0, &e));
	}
}

/* Memory: allocations and frees; a tenth of the run builds up what stays. */
static void
make_memory(struct plan *x)
{
	metric_id live = builder_metric(x->b, "live", UNIT_BYTES, ROLE_VALUE);
	struct series *s = builder_samples(x->b, builder_track(x->b, "stacks", 6, TRACK_MODULE),
					   &live, 1);
	struct series *counter = NULL;
	struct err e;
	int64_t held = 0;

	err_init(&e);
	if (x->counted) {
		track_id t = builder_track(x->b, "heap", 4, TRACK_COUNTER);
		builder_track_unit(x->b, t, "bytes", 5);
		counter = builder_points(x->b, t, false);
	}
	for (unsigned i = 0; i < 2000; i++) {
		double part = i / 2000.0, aim = 1e6 * fmin(1, part * 10);
		if (x->fault == GROWTH)
			aim += 1e6 * x->size * part;
		int64_t v = (int64_t)(aim * (1 + 0.05 * chance_bell(&x->c)));
		if (counter)
			ck_assert(builder_point(x->b, counter, x->run / 2000 * i, v, 0, &e));
		if (counter && i % 200)
			continue;
		v -= held;
		held += v;
		ck_assert(builder_sample(x->b, s, x->run / 2000 * i, x->stack[i % x->functions],
					 &v, 0, &e));
	}
}

static void
make_plan(struct plan *x, enum fault fault, uint64_t seed)
{
	*x = (struct plan){.fault = fault, .quiet = seed / FAULTS % 2,
			   .counted = seed / FAULTS % 2};
	chance_init(&x->c, seed);
	x->traced = fault == OUTLIERS || (fault != TRUST && chance_one_in(&x->c, 3));
	bool many = fault == IMBALANCE || fault == SERIAL || fault == CONVOY;
	x->compares = fault == CHANGE || (fault == HEALTHY && chance_one_in(&x->c, 3));
	x->waiting = chance_between(&x->c, 0.05, 0.3);
	x->traced &= !x->compares;
	x->threads = many ? 4 + chance_below(&x->c, 5) : 1 + chance_below(&x->c, 6);
	x->functions = 8 + chance_below(&x->c, FUNCTIONS - 8);
	x->burst = chance_between(&x->c, 1, 6);
	x->duty = chance_between(&x->c, 0.5, 1);
	x->run = (int64_t)(chance_between(&x->c, 2000, 6000) * MS);
	x->tick = x->traced ? MS / 2 : MS;
	double at = chance_between(&x->c, 0.2, 0.7);
	x->from = (int64_t)(at * (double)x->run);
	x->to = x->run;
	switch (fault) {
	case HOT: x->planted = chance_between(&x->c, 0.35, 0.7); break;
	case SYSTEM:
		x->planted = chance_between(&x->c, 0.4, 0.7);
		x->nameless = chance_one_in(&x->c, 2);
		break;
	case RUNTIME: x->planted = chance_between(&x->c, 0.2, 0.5); break;
	case PHASES: x->planted = chance_between(&x->c, 0.4, 0.9); break;
	case TRUST: x->planted = chance_between(&x->c, 0.08, 0.4); break;
	case RECURSION:
		x->planted = 0.05;
		x->size = chance_between(&x->c, 110, 250);
		break;
	case IMBALANCE: x->size = chance_between(&x->c, 2, 5); break;
	case STALLS:
		x->blocks = x->traced && x->threads >= 3;
		x->to = x->from + (int64_t)(chance_between(&x->c, 0.07, 0.2) * (double)x->run);
		break;
	case SERIAL:
		x->from = (int64_t)(chance_between(&x->c, 0.05, 0.1) * (double)x->run);
		x->to = x->from + (int64_t)(chance_between(&x->c, 0.6, 0.8) * (double)x->run);
		break;
	case PERIODIC: x->size = (double)x->run / chance_between(&x->c, 8, 40); break;
	case OUTLIERS: x->size = chance_between(&x->c, 20, 60); break;
	case GROWTH: x->size = chance_between(&x->c, 0.5, 3); break;
	case SPIKES: x->size = chance_between(&x->c, 10, 30); break;
	case WAITS: x->waiting = chance_between(&x->c, 0.6, 0.9); break;
	case CONVOY:
		x->size = chance_between(&x->c, 0.15, 0.4);
		x->in_turn = chance_one_in(&x->c, 2);
		break;
	case CHANGE: x->planted = chance_between(&x->c, 0.1, 0.3); break;
	case FAULTS: break;
	}
}

static void
make_file(struct profile *p, struct plan *x)
{
	metric_id samples = METRIC_NONE;
	struct err e;

	err_init(&e);
	x->b = builder_new(p, "made.up", "test");
	if (x->traced)
		builder_timeline(x->b);
	else
		samples = builder_metric(x->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	make_functions(x);
	if (x->again)
		chance_init(&x->c, x->again);
	for (unsigned i = 1; i <= x->threads; i++)
		make_thread(x, i, samples);
	make_states(x);
	make_counter(x);
	make_memory(x);
	builder_finish(x->b, &e);
	builder_free(x->b);
}

struct profile *
fault_profile(enum fault fault, uint64_t seed)
{
	struct profile *p = profile_new();
	struct plan x;

	make_plan(&x, fault, seed);
	if (x.compares) {
		struct plan base;
		make_plan(&base, fault, seed);
		base.planted = 0; /* the fault is new */
		profile_compare_files(p, 1);
		make_file(p, &base);
		x.again = seed + 100000;
	}
	make_file(p, &x);
	return p;
}

double
fault_size(enum fault fault, uint64_t seed)
{
	struct plan x;

	make_plan(&x, fault, seed);
	return x.size;
}
