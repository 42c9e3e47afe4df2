/* crew.c - threads that take pieces from a ring, one after the other.
 *
 * Pieces are large, so one lock suffices. There is a thread for each core but that of the caller,
 * who works when it would otherwise wait. Threads inherit the blocked signals of their creator.
 *
 * Invariants: pieces [taken, given) are in the ring. Those before `begun` are done, or a thread
 * works on them. */
#include "src/input/crew.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/base/mem.h"

#define CREW_THREADS 7u

struct crew_place {
	void *piece;
	bool done;
};

struct crew {
	void (*work)(void *piece);
	pthread_t thread[CREW_THREADS];
	unsigned n_threads;
	pthread_mutex_t mutex;
	pthread_cond_t given_some, done_some;
	struct crew_place ring[CREW_PIECES];
	uint64_t given, begun, taken;
	bool quit;
};

/* Works on the next piece, releasing the mutex meanwhile; false if there is none. */
static bool
work_on_one(struct crew *c)
{
	struct crew_place *p = &c->ring[c->begun % CREW_PIECES];

	if (c->begun == c->given)
		return false;
	c->begun++;
	pthread_mutex_unlock(&c->mutex);
	c->work(p->piece);
	pthread_mutex_lock(&c->mutex);
	p->done = true;
	return true;
}

static void *
crew_run(void *arg)
{
	struct crew *c = arg;

	pthread_mutex_lock(&c->mutex);
	while (!c->quit) {
		if (work_on_one(c))
			pthread_cond_signal(&c->done_some);
		else
			pthread_cond_wait(&c->given_some, &c->mutex);
	}
	pthread_mutex_unlock(&c->mutex);
	return NULL;
}

void
crew_give(struct crew *c, void *piece)
{
	pthread_mutex_lock(&c->mutex);
	assert(c->given - c->taken < CREW_PIECES);
	c->ring[c->given++ % CREW_PIECES] = (struct crew_place){.piece = piece};
	pthread_cond_signal(&c->given_some);
	pthread_mutex_unlock(&c->mutex);
}

void *
crew_take(struct crew *c)
{
	struct crew_place *p = &c->ring[c->taken % CREW_PIECES];
	void *piece = NULL;

	pthread_mutex_lock(&c->mutex);
	if (c->taken != c->given) {
		while (!p->done)
			if (!work_on_one(c))
				pthread_cond_wait(&c->done_some, &c->mutex);
		piece = p->piece;
		c->taken++;
	}
	pthread_mutex_unlock(&c->mutex);
	return piece;
}

unsigned
crew_pieces(const struct crew *c)
{
	return c->n_threads + 2;
}

/* Returns the number of cores that the process may use. */
static unsigned
cores(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

struct crew *
crew_new(void (*work)(void *piece))
{
	unsigned n = cores() - 1;

	if (!n)
		return NULL;
	struct crew *c = mem_zalloc(1, sizeof *c);
	c->work = work;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->given_some, NULL);
	pthread_cond_init(&c->done_some, NULL);
	while (c->n_threads < n && c->n_threads < CREW_THREADS &&
	       !pthread_create(&c->thread[c->n_threads], NULL, crew_run, c))
		c->n_threads++;
	if (c->n_threads)
		return c;
	crew_free(c);
	return NULL;
}

void
crew_free(struct crew *c)
{
	if (!c)
		return;
	assert(c->taken == c->given);
	pthread_mutex_lock(&c->mutex);
	c->quit = true;
	pthread_cond_broadcast(&c->given_some);
	pthread_mutex_unlock(&c->mutex);
	for (unsigned i = 0; i < c->n_threads; i++)
		pthread_join(c->thread[i], NULL);
	pthread_cond_destroy(&c->given_some);
	pthread_cond_destroy(&c->done_some);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}
