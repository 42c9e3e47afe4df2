/* work.c - see work.h.
 *
 * A work that rests inside its loops needs its own stack.  That is the stack of a thread, which
 * runs only while its owner waits for it, and which is started when a work does not end in its
 * first portion.  Three alternatives were rejected:
 *
 * - Writing every loop of the model as a state machine: inversion, curves and lists of calls began
 * that way, each with its own portions.
 * - A thread that runs in parallel to its owner: patterns cache results, rows are drawn while they
 * change, and a loading profile would have a third user.
 * - swapcontext(): sanitizers cannot follow it. */
#include "ui/part/work.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "ui/screen/clock.h"

#define LEAST_NS 1000000 /* of a portion, however soon the picture is due */

struct works_hold {
	struct works_lock lock;
	bool held;
};

enum turn { OWNERS, WORKERS, ENDS };

struct work {
	struct pace pace; /* first: rests get a pointer to it */
	struct works *all;
	work_run *run;
	void *ctx;
	bool busy;
	int64_t began_ns, until_ns;

	bool has_thread;
	pthread_t thread;
	pthread_mutex_t mutex; /* guards `turn` */
	pthread_cond_t turned;
	enum turn turn; /* the running thread: the worker between two rests, or its owner */
	bool dropped;
};

/* ---- whose turn it is ---- */

static void
turn_to(struct work *w, enum turn turn)
{
	pthread_mutex_lock(&w->mutex);
	w->turn = turn;
	pthread_cond_broadcast(&w->turned);
	pthread_mutex_unlock(&w->mutex);
}

static void
wait_while(struct work *w, enum turn turn)
{
	pthread_mutex_lock(&w->mutex);
	while (w->turn == turn)
		pthread_cond_wait(&w->turned, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

static bool
work_rest(struct pace *p)
{
	struct work *w = (struct work *)p;

	if (clock_ns() >= w->until_ns && !w->dropped) {
		turn_to(w, OWNERS);
		wait_while(w, OWNERS);
	}
	return !w->dropped;
}

static void *
worker(void *arg)
{
	struct work *w = arg;

	for (;;) {
		wait_while(w, OWNERS);
		if (w->turn == ENDS)
			return NULL;
		w->run(w->ctx, &w->pace);
		w->busy = false;
		turn_to(w, OWNERS);
	}
}

/* The owner handles signals, except those that the worker's own faults raise: if blocked, they
 * would end the process without its handlers, and leave the terminal in raw mode. */
static bool
start_thread(struct work *w)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t all, before;

	if (w->has_thread)
		return true;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	w->turn = OWNERS;
	w->has_thread = !pthread_create(&w->thread, NULL, worker, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w->has_thread;
}

/* True if a work may run because the lock is held. */
static bool
is_held(const struct works *all)
{
	return !all->hold || all->hold->held;
}

/* ---- one ---- */

struct work *
work_new(struct works *all)
{
	struct work *w = mem_zalloc(1, sizeof *w);

	w->all = all;
	w->pace.rest = work_rest;
	w->pace.every = all->every ? all->every : PACE_STEPS;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->turned, NULL);
	*vec_push(&all->all) = w;
	return w;
}

void
work_free(struct work *w)
{
	if (!w)
		return;
	work_drop(w);
	if (w->has_thread) {
		turn_to(w, ENDS);
		pthread_join(w->thread, NULL);
	}
	for (size_t i = 0; i < w->all->all.n; i++)
		if (w->all->all.at[i] == w)
			w->all->all.at[i--] = w->all->all.at[--w->all->all.n];
	pthread_mutex_destroy(&w->mutex);
	pthread_cond_destroy(&w->turned);
	free(w);
}

void
work_begin(struct work *w, work_run *run, void *ctx)
{
	work_drop(w);
	w->run = run;
	w->ctx = ctx;
	w->busy = true;
	w->began_ns = 0;
	w->dropped = w->pace.over = false;
	w->pace.steps = 0;
}

/* A key that needs several works gives one picture. */
int64_t
works_until(const struct works *all, int64_t portion_ns)
{
	int64_t now = clock_ns(), least = portion_ns < LEAST_NS ? portion_ns : LEAST_NS;
	int64_t left = all && all->due_ns ? all->due_ns - now : portion_ns;

	if (portion_ns == WORK_ALL)
		return INT64_MAX;
	return now + (left < least ? least : left < portion_ns ? left : portion_ns);
}

bool
work_on(struct work *w, int64_t portion_ns)
{
	if (!w || !w->busy)
		return true;
	assert(is_held(w->all));
	int64_t now = clock_ns();
	bool begun = w->began_ns;

	w->began_ns = begun ? w->began_ns : now;
	w->until_ns = works_until(w->all, portion_ns);
	if (!begun && (portion_ns == WORK_ALL || !start_thread(w))) {
		w->run(w->ctx, NULL);
		w->busy = false;
		return true;
	}
	turn_to(w, WORKERS);
	wait_while(w, WORKERS);
	return !w->busy;
}

void
work_drop(struct work *w)
{
	if (!w || !w->busy)
		return;
	assert(is_held(w->all));
	w->dropped = true;
	if (w->began_ns) {
		turn_to(w, WORKERS);
		wait_while(w, WORKERS);
	}
	w->busy = false;
}

bool
work_busy(const struct work *w)
{
	return w && w->busy;
}

int64_t
work_age_ns(const struct work *w)
{
	return w && w->busy && w->began_ns ? clock_ns() - w->began_ns : 0;
}

/* ---- all ---- */

void
works_init(struct works *all, const struct works_lock *lock)
{
	*all = (struct works){.hold = mem_zalloc(1, sizeof *all->hold)};
	all->hold->lock = *lock;
}

void
works_release(struct works *all)
{
	assert(!all->all.n && !(all->hold && all->hold->held));
	vec_release(&all->all);
	free(all->hold);
	all->hold = NULL;
}

void
works_hold(struct works *all)
{
	struct works_hold *h = all->hold;

	assert(h && !h->held);
	if (h->lock.take)
		h->lock.take(h->lock.ctx);
	h->held = true;
}

void
works_let_go(struct works *all)
{
	struct works_hold *h = all->hold;

	assert(h && h->held);
	works_drop(all);
	h->held = false;
	if (h->lock.give)
		h->lock.give(h->lock.ctx);
}

void
works_due(struct works *all, int64_t in_ns)
{
	all->due_ns = clock_ns() + in_ns;
}

bool
works_busy(const struct works *all)
{
	for (size_t i = 0; i < all->all.n; i++)
		if (all->all.at[i]->busy)
			return true;
	return false;
}

int64_t
works_age_ns(const struct works *all)
{
	int64_t most = 0;

	for (size_t i = 0; i < all->all.n; i++) {
		int64_t age = work_age_ns(all->all.at[i]);
		most = age > most ? age : most;
	}
	return most;
}

void
works_on(struct works *all, int64_t portion_ns, const struct work *but)
{
	int64_t n = 0;

	for (size_t i = 0; i < all->all.n; i++)
		n += all->all.at[i] != but && all->all.at[i]->busy;
	if (n > 1 && portion_ns != WORK_ALL)
		portion_ns /= n;
	for (size_t i = 0; i < all->all.n; i++)
		if (all->all.at[i] != but)
			work_on(all->all.at[i], portion_ns);
}

void
works_drop(struct works *all)
{
	for (size_t i = 0; i < all->all.n; i++)
		work_drop(all->all.at[i]);
}
