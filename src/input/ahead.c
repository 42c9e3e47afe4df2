/* Reads and decompresses on a separate thread.
 *
 * Decompressing a file costs about as much as decoding it, and the two need only the bytes in
 * common. So a thread fills pieces while the decoder empties earlier ones. The pieces are few and
 * as large as the decoder's window, so that decompressed bytes are still in a cache when they are
 * decoded. A thread that ran out of work is woken when half of the pieces are ready: a wake-up for
 * each piece would cost a tenth of the time to fill it.
 *
 * This is not for sources that may wait (pipes, files that grow): a wait gives the profile's lock
 * away, which only the decoder's thread holds. It is not for plain files either: reading one is
 * already a copy, and formats seek in them.
 *
 * The thread inherits the blocked signals of its creator.
 *
 * Invariants: pieces [taken, filled) belong to the reader, the others to the thread; after `ended`
 * the thread touches nothing. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/source.h"

#define PIECES 8u
#define PIECE_BYTES (256u << 10)

struct ahead_piece {
	uint8_t *at;
	size_t n;
};

struct ahead {
	struct source base;
	struct source *inner;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct ahead_piece piece[PIECES];
	uint64_t filled, taken; /* counts of pieces since the start */
	size_t used;            /* of the piece being read; used by the reader alone */
	bool ended, quit;
};

static void *
ahead_run(void *arg)
{
	struct ahead *a = arg;
	bool more = true;

	pthread_mutex_lock(&a->mutex);
	while (more) {
		if (a->filled - a->taken == PIECES)
			while (!a->quit && a->filled - a->taken > PIECES / 2)
				pthread_cond_wait(&a->changed, &a->mutex);
		if (a->quit)
			break;
		struct ahead_piece *p = &a->piece[a->filled % PIECES];
		pthread_mutex_unlock(&a->mutex);
		p->n = a->inner->ops->read(a->inner, p->at, PIECE_BYTES);
		pthread_mutex_lock(&a->mutex);
		more = p->n > 0;
		a->filled += more;
		a->ended = !more;
		if (a->ended || a->filled - a->taken == PIECES / 2)
			pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->mutex);
	return NULL;
}

static size_t
ahead_read(struct source *base, void *out, size_t n)
{
	struct ahead *a = (struct ahead *)base;

	pthread_mutex_lock(&a->mutex);
	if (a->filled == a->taken)
		while (a->filled - a->taken < PIECES / 2 && !a->ended)
			pthread_cond_wait(&a->changed, &a->mutex);
	bool there = a->filled > a->taken;
	pthread_mutex_unlock(&a->mutex);
	if (!there) {
		base->fault = a->inner->fault;
		return 0;
	}
	const struct ahead_piece *p = &a->piece[a->taken % PIECES];
	n = n < p->n - a->used ? n : p->n - a->used;
	memcpy(out, p->at + a->used, n);
	a->used += n;
	if (a->used == p->n) {
		a->used = 0;
		pthread_mutex_lock(&a->mutex);
		if (a->filled - ++a->taken == PIECES / 2)
			pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->mutex);
	}
	return n;
}

static void
ahead_release(struct ahead *a)
{
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->mutex);
	for (unsigned i = 0; i < PIECES; i++)
		free(a->piece[i].at);
	free(a);
}

static void
ahead_close(struct source *base)
{
	struct ahead *a = (struct ahead *)base;

	pthread_mutex_lock(&a->mutex);
	a->quit = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	a->inner->ops->close(a->inner);
	ahead_release(a);
}

static const struct source_ops ahead_ops = {
	.read = ahead_read,
	.close = ahead_close,
};

struct source *
source_ahead(struct source *inner)
{
	struct ahead *a = mem_zalloc(1, sizeof *a);

	a->base.ops = &ahead_ops;
	err_init(&a->base.fault);
	a->inner = inner;
	for (unsigned i = 0; i < PIECES; i++)
		a->piece[i].at = mem_alloc(PIECE_BYTES, 1);
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (pthread_create(&a->thread, NULL, ahead_run, a) == 0)
		return &a->base;
	ahead_release(a);
	return inner;
}
