#include "model/profile/series_beside.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/profile/event_parcel.h"
#include "model/profile/series_inside.h"

/* Packing columns, adding up blocks and taking checkpoints is a third to a half of the cost of
 * reading a timeline, and needs nothing of the file. So a second thread does it, in the order of
 * the runs, with the same result. It is the only thread of the model. It is idle after each
 * drain, so a profile does not change while someone reads it.
 *
 * A run is some microseconds of work, less than waking a thread costs. Taking a lock and
 * fetching what another core has just written cost about as much as the run. So runs are passed
 * packed (event_parcel.h), through a ring of bytes with a counter for each side. The lock is
 * only taken to sleep and to wake, and a sleeping side is woken when there is work for a while.
 *
 * One side may notice late that the other sleeps: it looks again with the next run. If there is
 * none, it takes the lock, which makes both states certain. So no run is forgotten because the
 * other core has not seen a write yet.
 *
 * Which side has more work depends on the format, and changes within a file. Packing full
 * chunks, a third of the work, is independent of everything else. So the thread leaves some full
 * chunks open, and a side that would otherwise sleep packs one of them.
 *
 * Chunks of a packed profile are passed whole, through a few places under the lock: each is a
 * millisecond of work, and the giver meanwhile reads and unpacks the next ones.
 *
 * Rejected: passing full chunks to the thread (each needs its columns and those before it until
 * its checkpoint is taken, and half of the work is done before they are full). Also spinning
 * before sleeping (the faster side waits for hundreds of runs, which is longer).
 *
 * Invariants: bytes [taken, given) of the ring belong to the thread, all others to the giver. A
 * parcel is contiguous: none begins with less than PARCEL_BYTES left before the ring's end. An
 * open chunk is packed on a copy, since the array of chunks may move; the thread puts it back. */

#define RING (2u << 20)   /* has room for runs that arrive while a checkpoint is taken */
#define WAKE (512u << 10) /* queued bytes at which the thread is woken */
#define LINE 64u          /* of a cache: separates what one side writes often */
#define OPEN 4u           /* full chunks that wait to be packed */
#define ADOPT 32u         /* chunks that wait to be adopted: those of two sections */

struct open_chunk {
	enum { NONE, WAITS, IS_CLOSED, CLOSED } state;
	struct series *series;
	uint32_t at; /* which chunk of the series */
	struct chunk chunk;
};

struct adopt_job {
	struct series *series;
	struct chunk chunk;
	struct adopt_limits limits;
	uint64_t offset;
};

struct beside {
	pthread_t thread;
	uint8_t *ring;
	pthread_mutex_t mutex;       /* protects the flags `sleeps` and `waits`, which are hints
				      * without it */
	pthread_cond_t filled, done; /* the thread waits for `filled`, the giver for `done` */
	bool quit;
	struct open_chunk open[OPEN];
	struct adopt_job adopt[ADOPT]; /* [count % ADOPT] */
	uint64_t adopt_given, adopt_taken; /* counts of them */
	struct beside_adopted adopted;     /* written by the thread while any is not taken */
	_Atomic bool sleeps;     /* the thread sleeps until WAKE bytes are queued */
	_Atomic bool waits;      /* the giver sleeps until at most `wants` bytes are queued */
	_Atomic uint64_t wants;
	char apart[LINE];
	_Atomic uint64_t given; /* total bytes given */
	uint64_t known;         /* the giver's copy of `taken` */
	char apart_too[LINE];
	_Atomic uint64_t taken;
	struct event_run run; /* from here on: the thread's own */
	labels_id labels[EVENT_RUN_MAX];
	struct series_scratch scratch;
};

static inline uint64_t
series_beside_count(const _Atomic uint64_t *n)
{
	return atomic_load_explicit(n, memory_order_acquire);
}

static inline bool
may_be(const _Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_relaxed);
}

static inline void
series_set(_Atomic bool *flag, bool to)
{
	atomic_store_explicit(flag, to, memory_order_relaxed);
}

/* Returns where the next parcel at or behind `at` lies. */
static inline uint64_t
series_beside_place_of(uint64_t at)
{
	return RING - at % RING < PARCEL_BYTES ? at + RING - at % RING : at;
}

/* Wakes a side that sleeps; the mutex is held. */
static void
wake(_Atomic bool *asleep, pthread_cond_t *on)
{
	if (may_be(asleep))
		pthread_cond_signal(on);
	series_set(asleep, false);
}

/* ---- full chunks; the mutex is held ---- */

static struct open_chunk *
series_beside_find(struct beside *q, int state)
{
	for (unsigned i = 0; i < OPEN; i++)
		if ((int)q->open[i].state == state)
			return &q->open[i];
	return NULL;
}

/* Packs one open chunk, releasing the mutex meanwhile; returns false if there is none. */
static bool
close_one(struct beside *q)
{
	struct open_chunk *x = series_beside_find(q, WAITS);

	if (!x)
		return false;
	x->state = IS_CLOSED;
	pthread_mutex_unlock(&q->mutex);
	series_chunk_close(x->series, &x->chunk);
	pthread_mutex_lock(&q->mutex);
	x->state = CLOSED;
	return true;
}

/* Puts packed chunks back into their series. */
static void
put_back(struct beside *q)
{
	for (struct open_chunk *x; (x = series_beside_find(q, CLOSED)); x->state = NONE)
		x->series->chunk[x->at] = x->chunk;
}

static bool
any_open(struct beside *q)
{
	return series_beside_find(q, WAITS) || series_beside_find(q, IS_CLOSED) ||
	       series_beside_find(q, CLOSED);
}

/* ---- chunks that are adopted; the mutex is held ---- */

/* Adopts one chunk, releasing the mutex meanwhile; returns false if there is none. */
static bool
adopt_one(struct beside *q)
{
	struct adopt_job *x = &q->adopt[q->adopt_taken % ADOPT];
	struct beside_adopted *to = &q->adopted;

	if (q->adopt_given == q->adopt_taken)
		return false;
	pthread_mutex_unlock(&q->mutex);
	if (to->wrong)
		series_chunk_release(x->series, &x->chunk);
	else if ((to->wrong = series_adopt_chunk(x->series, &q->scratch, &x->chunk, &x->limits,
						 &to->bound)))
		to->offset = x->offset;
	pthread_mutex_lock(&q->mutex);
	q->adopt_taken++;
	if (q->adopt_given - q->adopt_taken <= ADOPT / 2)
		wake(&q->waits, &q->done);
	return true;
}

/* ---- the thread ---- */

/* Leaves a chunk to be packed later, perhaps by the giver. */
static bool
leave_open(void *with, struct series *s, uint32_t chunk)
{
	struct beside *q = with;

	pthread_mutex_lock(&q->mutex);
	put_back(q);
	struct open_chunk *x = series_beside_find(q, NONE);
	if (x) {
		*x = (struct open_chunk){WAITS, s, chunk, s->chunk[chunk]};
		wake(&q->waits, &q->done);
	}
	pthread_mutex_unlock(&q->mutex);
	return x;
}

/* Waits until there is something behind `taken`; returns how far. Returns `taken` if nothing
 * will come. */
static uint64_t
wait_for_some(struct beside *q, uint64_t taken)
{
	uint64_t given;

	pthread_mutex_lock(&q->mutex);
	while ((given = series_beside_count(&q->given)) == taken) {
		if (adopt_one(q))
			continue;
		bool closed = close_one(q);
		put_back(q);
		if (closed)
			continue;
		if (q->quit)
			break;
		wake(&q->waits, &q->done);
		series_set(&q->sleeps, true);
		pthread_cond_wait(&q->filled, &q->mutex);
	}
	series_set(&q->sleeps, false);
	pthread_mutex_unlock(&q->mutex);
	return given;
}

/* Writes the run that begins at or behind `at`; returns its end. */
static uint64_t
write_run(struct beside *q, uint64_t at)
{
	size_t bytes;

	at = series_beside_place_of(at);
	const struct parcel *p = parcel_unpack(q->ring + at % RING, &q->run, q->labels, &bytes);
	series_add_run(p->series, &q->scratch, &q->run, p->labelled ? q->labels : NULL,
		       p->summed ? p->sum : NULL, p->before);
	return at + bytes;
}

static void *
run(void *arg)
{
	struct beside *q = arg;
	uint64_t taken = 0, given;

	while ((given = series_beside_count(&q->given)) != taken ||
	       (given = wait_for_some(q, taken)) != taken) {
		while (taken != given) {
			taken = write_run(q, taken);
			atomic_store_explicit(&q->taken, taken, memory_order_release);
			if (!may_be(&q->waits) ||
			    series_beside_count(&q->given) - taken > series_beside_count(&q->wants))
				continue;
			pthread_mutex_lock(&q->mutex);
			wake(&q->waits, &q->done);
			pthread_mutex_unlock(&q->mutex);
		}
	}
	return NULL;
}

/* ---- the giver ---- */

/* Waits until at most `wants` bytes are queued; 0: and until no chunk is open or to be adopted. */
static void
series_wait_for(struct beside *q, uint64_t wants)
{
	pthread_mutex_lock(&q->mutex);
	atomic_store_explicit(&q->wants, wants, memory_order_relaxed);
	while (series_beside_count(&q->given) -
			       (q->known = series_beside_count(&q->taken)) >
		       wants ||
	       (!wants && (any_open(q) || q->adopt_given != q->adopt_taken))) {
		wake(&q->sleeps, &q->filled);
		if (close_one(q))
			continue;
		series_set(&q->waits, true);
		pthread_cond_wait(&q->done, &q->mutex);
	}
	series_set(&q->waits, false);
	pthread_mutex_unlock(&q->mutex);
}

/* Waits for room for a parcel at `at`. */
static void
room_at(struct beside *q, uint64_t at)
{
	if (at + PARCEL_BYTES - q->known <= RING)
		return;
	q->known = series_beside_count(&q->taken);
	if (at + PARCEL_BYTES - q->known > RING)
		series_wait_for(q, RING / 2);
}

void
beside_give(struct beside *q, struct series *s, const struct event_run *run,
	    const labels_id *labels, const int64_t *sum, int64_t before)
{
	struct parcel p = {.series = s, .before = before, .n = run->n,
			   .n_columns = s->n_columns, .labelled = labels, .summed = sum};
	uint64_t at = series_beside_place_of(series_beside_count(&q->given));

	for (unsigned v = 0; sum && v < s->n_columns; v++)
		p.sum[v] = sum[v];
	room_at(q, at);
	at += parcel_pack(q->ring + at % RING, &p, run, labels);
	atomic_store_explicit(&q->given, at, memory_order_release);
	if (!may_be(&q->sleeps))
		return;
	q->known = series_beside_count(&q->taken);
	if (at - q->known < WAKE)
		return;
	pthread_mutex_lock(&q->mutex);
	wake(&q->sleeps, &q->filled);
	pthread_mutex_unlock(&q->mutex);
}

void
beside_adopt(struct beside *q, struct series *s, const struct chunk *c,
	     const struct adopt_limits *limits, uint64_t offset)
{
	pthread_mutex_lock(&q->mutex);
	while (q->adopt_given - q->adopt_taken == ADOPT) {
		series_set(&q->waits, true);
		pthread_cond_wait(&q->done, &q->mutex);
	}
	series_set(&q->waits, false);
	q->adopt[q->adopt_given++ % ADOPT] = (struct adopt_job){s, *c, *limits, offset};
	wake(&q->sleeps, &q->filled);
	pthread_mutex_unlock(&q->mutex);
}

struct beside_adopted
beside_adopted(struct beside *q)
{
	struct beside_adopted adopted = q->adopted;

	q->adopted = (struct beside_adopted){0};
	return adopted;
}

void
beside_drain(struct beside *q)
{
	series_wait_for(q, 0);
}

struct beside *
beside_new(void)
{
	struct beside *q = mem_zalloc(1, sizeof *q);

	q->ring = mem_alloc(RING, 1);
	q->scratch.closer = leave_open;
	q->scratch.closer_with = q;
	pthread_mutex_init(&q->mutex, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_cond_init(&q->done, NULL);
	if (pthread_create(&q->thread, NULL, run, q) == 0)
		return q;
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->mutex);
	free(q->ring);
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
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->mutex);
	pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->mutex);
	series_scratch_release(&q->scratch);
	free(q->ring);
	free(q);
}
