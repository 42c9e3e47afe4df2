/* load.c - loading on a separate thread, and the lock that reader and decoder share.
 *
 * The decoder needs the profile nearly all the time, a browser for a few milliseconds a frame. With
 * a plain mutex the kernel could let the decoder take the lock again and again while the browser
 * waits.  So the lock is a queue of tickets.  A reader draws a number.  The decoder checks once a
 * refill (256 KB) whether a later number was drawn; if so, it releases the lock and queues up
 * behind that reader.  Readers wait a fraction of a millisecond, none can starve the decoder, and
 * without readers the decoder pays one relaxed load a refill.  While it waits for a pipe it holds
 * no lock.
 *
 * Rejected: a read-write lock (the decoder would still have to ask for waiting readers), copies of
 * the profile (hundreds of megabytes), a lock for each record (half the time of a decoder).
 *
 * If a compressed file is truncated, the input knows the reason, and the decoder only sees an early
 * end, perhaps within a record, and reports where that began.  The message contains both.
 *
 * Several files are read one after the other: decoders write into one profile, and parallel ones
 * would need a lock for each interned name. load_parts.c reads parts of one large file in parallel.
 *
 * Invariants: `serving` is the ticket that holds the profile; only the decoder's thread changes the
 * profile, while it holds the lock; err, elapsed and format are constant after `done`. */
#include "src/load.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/build/builder.h"
#include "model/build/builder_load.h"
#include "src/decode/decoder.h"
#include "src/input/clock.h"
#include "src/input/source.h"
#include "src/load_names.h"
#include "src/load_parts.h"
#include "src/store/read.h"
#include "src/symbol/demangle.h"

/* Decoders do not recurse; this is room for libraries. */
#define STACK_BYTES (8u << 20)
#define BESIDE_FROM 4096u /* runs of events from which a second thread is worth starting */

struct load_file {
	char *path;
	char *label; /* prefix of its tracks' names; NULL: it is the only file */
	struct err err;
};

struct load {
	struct watch watch; /* first: callbacks get a pointer to it */
	struct profile *profile;
	struct load_file *file;
	size_t n_files;
	uint64_t size; /* of all files; 0: unknown */
	int fd;        /* read this instead of opening the only file; -1: none */
	struct format_options options;

	pthread_t thread;
	pthread_mutex_t mutex; /* guards the tickets and `done` */
	pthread_cond_t turn, end;
	_Atomic uint32_t next; /* next ticket */
	uint32_t serving;
	uint32_t decoders_ticket; /* used only by the decoder's thread */
	struct builder *builder;  /* likewise; NULL between files */
	char *heap_end;           /* likewise: the heap below it may have large pages */
	bool done;

	_Atomic uint64_t generation;
	const char *_Atomic format;
	int64_t start_ns;
	_Atomic int64_t end_ns;
};

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

void
load_unlock(struct load *l)
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

/* ---- the heap ---- */

#define HEAP_STEP (64 << 20)  /* bytes by which the heap grows; unused pages cost nothing */
#define HEAP_BLOCK (8 << 20)  /* smaller blocks lie in the heap */

/* Threads of glibc have separate heaps.  If two threads write a profile, memory freed by one (such
 * as columns that grew) would be unavailable to the other, and both would keep it.
 *
 * The kernel gives a page of 2 MB only where the heap has all of its addresses, so the heap grows
 * in large steps and keeps what it has.  An array that grows in the heap leaves behind as much as
 * it takes, unless it is the last one; one with a mapping of its own grows in place. */
static void
share_heap(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK);
	mallopt(M_TOP_PAD, HEAP_STEP);
	mallopt(M_TRIM_THRESHOLD, 4 * HEAP_STEP);
#endif
}

/* Requests large pages for what the heap has grown by. Touching small ones for the first time took
 * a third of the time of some formats. A refusal does not matter. */
static void
use_large_pages(struct load *l)
{
#ifdef MADV_HUGEPAGE
	char *end = sbrk(0);
	if (end == l->heap_end)
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)l->heap_end + page - 1) / page * page;
	if (from && (uintptr_t)end > from)
		madvise((char *)from, (uintptr_t)end - from, MADV_HUGEPAGE);
	l->heap_end = end;
#endif
}

/* Makes all appended events visible to readers. */
static void
load_settle(struct load *l)
{
	if (l->builder)
		builder_settle(l->builder);
}

/* Returns the size of all input; 0 if it is unknown. */
static uint64_t
size_on_disk(struct load *l)
{
	if (l->n_files == 1)
		return atomic_load(&l->watch.size);
	return l->size ? l->size + atomic_load(&l->watch.beside) : 0;
}

/* In a file that is read several times, each byte counts a fraction at each pass.  All bytes
 * together count a fraction if work follows the reading. */
static uint64_t
bytes_done(struct load *l, uint64_t size)
{
	struct watch *w = &l->watch;
	uint64_t bytes = atomic_load(&w->bytes), passes = atomic_load(&w->passes);
	double length = (double)atomic_load(&w->length), again = (double)atomic_load(&w->again);
	double later = atomic_load(&w->later) / 100.0;

	if ((passes < 2 && later == 0) || l->n_files != 1 || !size)
		return bytes;
	bytes = bytes < size ? bytes : size;
	if (l->done)
		return bytes;
	double part = (double)bytes;
	if (passes > 1)
		part = (part + (length > 0 ? again / length * (double)size : 0)) / (double)passes;
	part += (double)size * later * atomic_load(&w->later_done) / LATER_ALL - part * later;
	return part < (double)size ? (uint64_t)part : size;
}

static void
decoder_gives(struct watch *w)
{
	struct load *l = (struct load *)w;
	load_settle(l);
	atomic_store_explicit(&l->generation, l->profile->generation,
			      memory_order_relaxed);
	load_unlock(l);
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
	uint64_t size = size_on_disk(l);
	atomic_store_explicit(&l->generation, l->profile->generation,
			      memory_order_relaxed);
	use_large_pages(l);
	if (l->builder)
		builder_expect(l->builder, bytes_done(l, size), size);
	if (next != l->decoders_ticket + 1) {
		w->looked = true;
		load_settle(l);
		load_unlock(l);
		decoder_takes(w);
	}
}

/* ---- the decoder's thread ---- */

/* Joins the decoder's message with the input's reason. */
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

/* If the user named a format, reports where the file deviates from it: a refusal names the byte,
 * and a file without any readable event is refused, however far its damage. */
static void
report_deviation(const struct profile *p, uint64_t events, struct input *in, struct err *e)
{
	if (!input_options(in)->decoder || !err_is_set(e))
		return;
	if (e->class == ERR_DAMAGED && p->events == events)
		e->class = ERR_REFUSED;
	if (e->class != ERR_REFUSED || e->has_offset)
		return;
	e->has_offset = true;
	e->offset = input_offset(in);
}

/* Returns how many threads can run at once; 2 if that is unknown. */
static unsigned
cores_here(void)
{
	cpu_set_t cores;

	CPU_ZERO(&cores);
	return sched_getaffinity(0, sizeof cores, &cores) ? 2 : (unsigned)CPU_COUNT(&cores);
}

/* Prepares the builder of a file for this format. */
static struct builder *
load_begin(struct load *l, const struct load_file *f, const char *format)
{
	const char *none = NULL;
	atomic_compare_exchange_strong(&l->format, &none, format);
	l->profile->match_paths = l->options.match_paths;
	struct builder *b = builder_new(l->profile, f->path, format);
	l->builder = b;
	if (cores_here() > 1)
		builder_beside(b, BESIDE_FROM);
	if (f->label)
		builder_label(b, f->label);
	return b;
}

static void
load_end(struct load *l, const struct load_file *f)
{
	if (f->label && f->err.class == ERR_REFUSED)
		builder_discard(l->builder);
	else
		builder_finish(l->builder, &f->err);
	builder_free(l->builder);
	l->builder = NULL;
}

/* Refuses a text without a single line of the format that --input named. */
static void
refuse_odd(struct builder *b, struct err *e)
{
	uint64_t first;

	if (err_is_set(e) || !builder_only_odd(b, &first))
		return;
	err_refuse(e, "no line has this format");
	e->offset = first;
}

static void
decode(struct load *l, struct load_file *f, struct input *in)
{
	const struct decoder *d = decoder_of(in, &f->err);
	if (!d && input_stopped(in)) { /* before its format could be detected */
		err_init(&f->err);
		return;
	}
	if (!d) {
		if (input_fault(in) && !input_have(in))
			f->err = *input_fault(in); /* there were no bytes to examine */
		else if (input_fault(in))
			explain(&f->err, input_fault(in));
		f->err.class = ERR_REFUSED;
		return;
	}
	struct builder *b = load_begin(l, f, d->name);
	uint64_t events = l->profile->events;
	if (d->mangled && !l->options.no_demangle)
		builder_read_names(b, symbol_demangle);
	struct parts_plan plan = parts_plan_for(cores_here());
	parts_decode(d, in, b, &plan, &f->err);
	input_when_idle(in, NULL, NULL);
	refuse_odd(b, &f->err);
	report_deviation(l->profile, events, in, &f->err);
	if (input_stopped(in)) {
		err_init(&f->err);
		builder_incomplete(b, "stopped by the user");
	} else if (input_fault(in)) {
		explain(&f->err, input_fault(in));
	}
	load_end(l, f);
}

/* Reads the result of a store. */
static void
load_ask(struct load *l, struct load_file *f)
{
	struct builder *b = load_begin(l, f, STORE_FORMAT);
	load_names_store(f->path, b, &l->options, &l->watch, &f->err);
	if (atomic_load(&l->watch.stop))
		builder_incomplete(b, "stopped by the user");
	load_end(l, f);
}

static void
read_file(struct load *l, struct load_file *f)
{
	struct input *in =
		input_open_watched(f->path, l->fd, &l->options, &l->watch, &f->err);
	if (in)
		decode(l, f, in);
	input_close(in);
}

static void *
load_run(void *arg)
{
	struct load *l = arg;
	decoder_takes(&l->watch);
	for (size_t i = 0; i < l->n_files && !(i && atomic_load(&l->watch.stop)); i++) {
		struct load_file *f = &l->file[i];
		if (l->fd < 0 && store_url_is(f->path))
			load_ask(l, f);
		else
			read_file(l, f);
		if (l->n_files > 1 && err_is_set(&f->err) && f->err.class != ERR_DAMAGED)
			profile_miss_file(l->profile, f->path, f->err.text);
	}
	builder_compute_metrics(l->profile);
	if (l->options.align_clocks && l->profile->n_groups > 1)
		profile_align_clocks(l->profile);
	atomic_store(&l->end_ns, clock_ns());
	decoder_gives(&l->watch);
	pthread_mutex_lock(&l->mutex);
	l->done = true;
	pthread_cond_broadcast(&l->end);
	pthread_mutex_unlock(&l->mutex);
	return NULL;
}

/* The drawing thread handles signals, except those that this thread's own faults raise: if blocked,
 * they would end the process without its handlers, and leave a terminal in raw mode. */
static bool
start_thread(struct load *l)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t all, before;
	pthread_attr_t attr;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	share_heap();
	l->heap_end = sbrk(0);
	int failed = pthread_create(&l->thread, &attr, load_run, l);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

/* Returns the file's name, with its folder if another file has the same name, or what an address of
 * a store selects. */
static char *
label_of(const struct load *l, size_t i)
{
	struct buf title = BUF_INIT;
	if (store_url_is(l->file[i].path))
		store_url_title(l->file[i].path, &title);
	if (title.len)
		return title.at;
	const char *label = base_name(l->file[i].path);
	for (size_t k = 0; k < l->n_files; k++)
		if (k != i && !strcmp(base_name(l->file[k].path), label))
			label = l->file[i].path;
	label = strcmp(label, "-") ? label : "stdin";
	return mem_dup(label, strlen(label));
}

static uint64_t
size_of_all(const struct load *l)
{
	uint64_t size = 0;
	struct stat st;
	for (size_t i = 0; i < l->n_files; i++) {
		if (stat(l->file[i].path, &st))
			continue; /* opening it fails, too */
		if (!S_ISREG(st.st_mode))
			return 0;
		size += (uint64_t)st.st_size;
	}
	return size;
}

static void
name_files(struct load *l, const char *const *paths, size_t n)
{
	l->file = mem_zalloc(n, sizeof *l->file);
	l->n_files = n;
	for (size_t i = 0; i < n; i++) {
		l->file[i].path = mem_dup(paths[i], strlen(paths[i]));
		err_init(&l->file[i].err);
	}
	if (n > 1) {
		l->size = size_of_all(l);
		for (size_t i = 0; i < n; i++)
			l->file[i].label = label_of(l, i);
	}
}

static struct load *
load_start_thread(struct profile *p, const char *const *paths, size_t n, int fd,
		  const struct format_options *options)
{
	struct load *l = mem_zalloc(1, sizeof *l);
	pthread_condattr_t monotonic;
	l->profile = p;
	name_files(l, paths, n);
	l->fd = fd;
	if (options)
		l->options = *options;
	l->watch.breathe = decoder_breathes;
	l->watch.silence_s = l->options.silence_s;
	l->watch.give = decoder_gives;
	l->watch.take = decoder_takes;
	l->watch.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&l->mutex, NULL);
	pthread_cond_init(&l->turn, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->end, &monotonic);
	pthread_condattr_destroy(&monotonic);
	l->start_ns = clock_ns();
	if (!start_thread(l)) {
		/* If no thread can be started, load before continuing. */
		l->thread = pthread_self();
		load_run(l);
	}
	return l;
}

struct load *
load_start(struct profile *p, const char *path, int fd, const struct format_options *options)
{
	return load_start_thread(p, &path, 1, fd, options);
}

struct load *
load_start_files(struct profile *p, const char *const *paths, size_t n,
		 const struct format_options *options)
{
	return load_start_thread(p, paths, n, -1, options);
}

struct load_state
load_state(struct load *l)
{
	uint64_t size = size_on_disk(l);

	pthread_mutex_lock(&l->mutex);
	bool done = l->done;
	uint64_t bytes = bytes_done(l, size);
	pthread_mutex_unlock(&l->mutex);
	int64_t end = atomic_load(&l->end_ns);
	return (struct load_state){
		.done = done,
		.stopped = atomic_load(&l->watch.stop),
		.bytes = bytes,
		.size = size,
		.elapsed_ns = (end ? end : clock_ns()) - l->start_ns,
		.generation = atomic_load(&l->generation),
		.format = atomic_load(&l->format),
	};
}

void
load_stop(struct load *l)
{
	uint64_t one = 1;
	/* Stopping a finished load has no effect. */
	if (load_wait(l, 0))
		return;
	atomic_store(&l->watch.stop, true);
	while (write(l->watch.wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

bool
load_wait(struct load *l, int timeout_ms)
{
	int64_t end_ns =
		clock_ns() + (timeout_ms > 0 ? timeout_ms * INT64_C(1000000) : 0);
	struct timespec until = {.tv_sec = (time_t)(end_ns / 1000000000),
				 .tv_nsec = (long)(end_ns % 1000000000)};
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
load_file_error(struct load *l, size_t i)
{
	load_wait(l, -1);
	return l->file[i].err;
}

bool
load_refused(struct load *l)
{
	load_wait(l, -1);
	for (size_t i = 0; i < l->n_files; i++) {
		enum err_class class = l->file[i].err.class;
		if (class == ERR_NONE || class == ERR_DAMAGED)
			return false;
	}
	return true;
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
	for (size_t i = 0; i < l->n_files; i++) {
		free(l->file[i].path);
		free(l->file[i].label);
	}
	free(l->file);
	free(l);
}
