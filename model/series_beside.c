#include "model/series_beside.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/series_inside.h"

/* Packing columns, adding up blocks and taking checkpoints is a third to a half of what reading
 * a timeline costs, and needs nothing of the file: so a second thread does it, in the order in
 * which runs are given, and what comes out is the same.  This is the only thread that the
 * model has, and it has no life between two drains: a profile that somebody looks at does not
 * change.
 *
 * A run is some microseconds of work, less than waking somebody up costs.  So the thread is
 * woken when several wait, and whoever gives them when half of the ring is free again.
 *
 * Rejected: to give away chunks that are full (each needs its columns and those before it until
 * its checkpoint is taken, and half of the work is done before they are full).
 *
 * Invariant: slots [taken, filled) are the thread's, all others the giver's. */

#define SLOTS 256u /* what comes while a chunk is closed finds room */
#define WAKE 16u /* runs that wait, when the thread is woken */

struct slot {
	struct series *series;
	int64_t before;
	bool labelled, summed;
	int64_t sum[EVENT_RUN_VALUES];
	labels_id labels[EVENT_RUN_MAX];
	struct event_run run;
};

struct beside {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t given, done;
	uint32_t filled, taken; /* how many were, ever */
	bool sleeps;            /* the thread, until some are given */
	bool waits;             /* the giver, until there are fewer than `wants` */
	uint32_t wants;
	bool quit;
	struct series_scratch scratch; /* the thread's */
	struct slot slot[SLOTS];
};

static void *
run(void *arg)
{
	struct beside *q = arg;

	pthread_mutex_lock(&q->mutex);
	for (;;) {
		while (q->filled == q->taken && !q->quit) {
			q->sleeps = true;
			pthread_cond_wait(&q->given, &q->mutex);
		}
		q->sleeps = false;
		if (q->filled == q->taken)
			break;
		struct slot *x = &q->slot[q->taken % SLOTS];
		pthread_mutex_unlock(&q->mutex);
		series_add_run(x->series, &q->scratch, &x->run, x->labelled ? x->labels : NULL,
			       x->summed ? x->sum : NULL, x->before);
		pthread_mutex_lock(&q->mutex);
		q->taken++;
		if (q->waits && q->filled - q->taken <= q->wants) {
			q->waits = false;
			pthread_cond_signal(&q->done);
		}
	}
	pthread_mutex_unlock(&q->mutex);
	return NULL;
}

/* Until no more than `wants` are on their way; the mutex is held. */
static void
wait_for(struct beside *q, uint32_t wants)
{
	while (q->filled - q->taken > wants) {
		q->waits = true;
		q->wants = wants;
		if (q->sleeps)
			pthread_cond_signal(&q->given);
		pthread_cond_wait(&q->done, &q->mutex);
	}
}

void
beside_give(struct beside *q, struct series *s, const struct event_run *run,
	    const labels_id *labels, const int64_t *sum, int64_t before)
{
	struct slot *x = &q->slot[q->filled % SLOTS];
	uint32_t n = run->n;

	x->series = s;
	x->before = before;
	x->labelled = labels;
	x->summed = sum;
	x->run.n = n;
	memcpy(x->run.time, run->time, n * sizeof *run->time);
	memcpy(x->run.stack, run->stack, n * sizeof *run->stack);
	for (unsigned v = 0; v < s->n_columns; v++)
		memcpy(x->run.value[v], run->value[v], n * sizeof **run->value);
	if (sum && s->n_columns)
		memcpy(x->sum, sum, s->n_columns * sizeof *sum);
	if (labels)
		memcpy(x->labels, labels, n * sizeof *labels);
	pthread_mutex_lock(&q->mutex);
	q->filled++;
	if (q->sleeps && q->filled - q->taken >= WAKE)
		pthread_cond_signal(&q->given);
	if (q->filled - q->taken == SLOTS)
		wait_for(q, SLOTS / 2);
	pthread_mutex_unlock(&q->mutex);
}

void
beside_drain(struct beside *q)
{
	pthread_mutex_lock(&q->mutex);
	wait_for(q, 0);
	pthread_mutex_unlock(&q->mutex);
}

struct beside *
beside_new(void)
{
	struct beside *q = mem_zalloc(1, sizeof *q);

	pthread_mutex_init(&q->mutex, NULL);
	pthread_cond_init(&q->given, NULL);
	pthread_cond_init(&q->done, NULL);
	if (pthread_create(&q->thread, NULL, run, q) == 0)
		return q;
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->given);
	pthread_mutex_destroy(&q->mutex);
	free(q);
	return NULL;
}

void
beside_free(struct beside *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->mutex);
	q->quit = true;
	pthread_cond_signal(&q->given);
	pthread_mutex_unlock(&q->mutex);
	pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->given);
	pthread_mutex_destroy(&q->mutex);
	series_scratch_release(&q->scratch);
	free(q);
}
