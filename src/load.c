/* Loading on a thread of its own, and the lock that reader and decoder share.
 *
 * The decoder needs the profile nearly all the time, a browser for a few milliseconds a
 * frame.  With a plain mutex the browser would wait for as long as the kernel likes to
 * let the decoder take it again.  So the lock is a queue of tickets: whoever wants the
 * profile draws a number, and the decoder, which looks once a refill (256 KB) whether a
 * number after its own was drawn, gives the lock away and queues up behind.  Readers
 * wait a fraction of a millisecond, none can starve the decoder, and where nobody looks
 * the decoder pays one relaxed load a refill.  While it waits for a pipe it holds
 * nothing.
 *
 * Rejected: a read-write lock (the decoder would still have to ask who waits), copies
 * of the profile (hundreds of megabytes), a lock a record (half the time of a decoder).
 *
 * What a compressed file lost at its end is the input's fault, not the decoder's: the
 * decoder has seen an early end, perhaps in the middle of a record, and says where that
 * began; the message says both.
 *
 * Invariants: `serving` is the ticket that holds the profile; the profile changes on
 * the decoder's thread alone, while it holds it; err, elapsed and format are constant
 * after `done`. */
#include "src/load.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "model/builder.h"
#include "model/mem.h"
#include "src/decode/decoder.h"
#include "src/input/source.h"

/* Decoders do not recurse; this is room for libraries. */
#define STACK_BYTES (8u << 20)

struct load {
	struct watch watch; /* first: callbacks get a pointer to it */
	struct profile *profile;
	char *path;
	int fd;
	struct format_options options;

	pthread_t thread;
	pthread_mutex_t mutex; /* over the tickets and `done` */
	pthread_cond_t turn, end;
	_Atomic uint32_t next; /* ticket to be drawn */
	uint32_t serving;
	uint32_t decoders_ticket; /* the decoder's thread alone */
	bool done;

	_Atomic uint64_t generation;
	const char *_Atomic format;
	int64_t start_ns;
	_Atomic int64_t end_ns;
	struct err err;
};

static int64_t
clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the lock ---- */

static uint32_t
queue_up(struct load *l)
{
	pthread_mutex_lock(&l->mutex);
	uint32_t mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
	while (l->serving != mine)
		pthread_cond_wait(&l->turn, &l->mutex);
	pthread_mutex_unlock(&l->mutex);
	return mine;
}

static void
next_one(struct load *l)
{
	pthread_mutex_lock(&l->mutex);
	l->serving++;
	pthread_cond_broadcast(&l->turn);
	pthread_mutex_unlock(&l->mutex);
}

void
load_lock(struct load *l)
{
	queue_up(l);
}

void
load_unlock(struct load *l)
{
	next_one(l);
}

static void
decoder_gives(struct watch *w)
{
	struct load *l = (struct load *)w;
	atomic_store_explicit(&l->generation, l->profile->generation,
			      memory_order_relaxed);
	next_one(l);
}

static void
decoder_takes(struct watch *w)
{
	struct load *l = (struct load *)w;
	l->decoders_ticket = queue_up(l);
}

static void
decoder_breathes(struct watch *w)
{
	struct load *l = (struct load *)w;
	uint32_t next = atomic_load_explicit(&l->next, memory_order_relaxed);
	atomic_store_explicit(&l->generation, l->profile->generation,
			      memory_order_relaxed);
	if (next != l->decoders_ticket + 1) {
		next_one(l);
		decoder_takes(w);
	}
}

/* ---- the decoder's thread ---- */

/* Joins what the decoder says with what the input knows. */
static void
explain(struct err *e, const struct err *fault)
{
	struct err both;
	if (!err_is_set(e)) {
		*e = *fault;
		return;
	}
	err_init(&both);
	if (e->class == ERR_DAMAGED && e->has_offset)
		err_damage(&both, e->offset, "%s (%s)", fault->text, e->text);
	else
		err_refuse(&both, "%s (%s)", fault->text, e->text);
	*e = both;
}

static void
decode(struct load *l, struct input *in)
{
	const struct decoder *d = decoder_of(in, &l->err);
	if (!d) {
		if (input_fault(in))
			explain(&l->err, input_fault(in));
		l->err.class = ERR_REFUSED;
		return;
	}
	atomic_store(&l->format, d->name);
	struct builder *b = builder_new(l->profile, l->path, d->name);
	d->decode(in, b, &l->err);
	if (input_stopped(in)) {
		err_init(&l->err);
		builder_incomplete(b, "stopped by the user");
	} else if (input_fault(in)) {
		explain(&l->err, input_fault(in));
	}
	builder_finish(b, &l->err);
	builder_free(b);
}

static void *
run(void *arg)
{
	struct load *l = arg;
	decoder_takes(&l->watch);
	struct input *in =
		input_open_watched(l->path, l->fd, &l->options, &l->watch, &l->err);
	if (in)
		decode(l, in);
	input_close(in);
	atomic_store(&l->end_ns, clock_ns());
	decoder_gives(&l->watch);
	pthread_mutex_lock(&l->mutex);
	l->done = true;
	pthread_cond_broadcast(&l->end);
	pthread_mutex_unlock(&l->mutex);
	return NULL;
}

/* Signals are the business of the thread that draws. */
static bool
start_thread(struct load *l)
{
	sigset_t all, before;
	pthread_attr_t attr;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	int failed = pthread_create(&l->thread, &attr, run, l);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

struct load *
load_start(struct profile *p, const char *path, int fd,
	   const struct format_options *options)
{
	struct load *l = mem_zalloc(1, sizeof *l);
	pthread_condattr_t monotonic;
	l->profile = p;
	l->path = mem_dup(path, strlen(path));
	l->fd = fd;
	if (options)
		l->options = *options;
	l->watch.breathe = decoder_breathes;
	l->watch.give = decoder_gives;
	l->watch.take = decoder_takes;
	l->watch.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err_init(&l->err);
	pthread_mutex_init(&l->mutex, NULL);
	pthread_cond_init(&l->turn, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->end, &monotonic);
	pthread_condattr_destroy(&monotonic);
	l->start_ns = clock_ns();
	if (!start_thread(l)) {
		/* No second thread: load before going on. */
		l->thread = pthread_self();
		run(l);
	}
	return l;
}

struct load_state
load_state(struct load *l)
{
	pthread_mutex_lock(&l->mutex);
	bool done = l->done;
	pthread_mutex_unlock(&l->mutex);
	int64_t end = atomic_load(&l->end_ns);
	return (struct load_state){
		.done = done,
		.stopped = atomic_load(&l->watch.stop),
		.bytes = atomic_load(&l->watch.bytes),
		.size = atomic_load(&l->watch.size),
		.elapsed_ns = (end ? end : clock_ns()) - l->start_ns,
		.generation = atomic_load(&l->generation),
		.format = atomic_load(&l->format),
	};
}

void
load_stop(struct load *l)
{
	uint64_t one = 1;
	/* Stopping what is over changes nothing about it. */
	if (load_wait(l, 0))
		return;
	atomic_store(&l->watch.stop, true);
	while (write(l->watch.wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

bool
load_wait(struct load *l, int timeout_ms)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	if (timeout_ms > 0) {
		until.tv_sec += timeout_ms / 1000;
		until.tv_nsec += timeout_ms % 1000 * 1000000L;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000L;
		}
	}
	pthread_mutex_lock(&l->mutex);
	int late = 0;
	while (!l->done && !late && timeout_ms)
		late = timeout_ms < 0
			       ? pthread_cond_wait(&l->end, &l->mutex)
			       : pthread_cond_timedwait(&l->end, &l->mutex, &until);
	bool done = l->done;
	pthread_mutex_unlock(&l->mutex);
	return done;
}

struct err
load_error(struct load *l)
{
	load_wait(l, -1);
	return l->err;
}

void
load_free(struct load *l)
{
	if (!l)
		return;
	load_stop(l);
	if (!pthread_equal(l->thread, pthread_self()))
		pthread_join(l->thread, NULL);
	close(l->watch.wake_fd);
	pthread_mutex_destroy(&l->mutex);
	pthread_cond_destroy(&l->turn);
	pthread_cond_destroy(&l->end);
	free(l->path);
	free(l);
}
