/* answers_waits.c - what threads wait for: waits, convoy.
 *
 * Waiting is known in three ways. States of threads, as the scheduler records them, say who ended
 * a wait. Off-CPU samples have the stack in which a thread waited. In a trace of calls, functions
 * that wait have well-known names. The first of these that a profile has is used.
 *
 * Of a stack the outermost known function counts: pthread_cond_wait() calls what a mutex calls,
 * too. Threads that ran for less than 1 % of the run do not count: they wait by design.
 *
 * A convoy is a moment at which three threads or more wait for one thing: the thread that will wake
 * them, the function that takes a lock, or their turn.  Threads that queue for a lock hand it on: each
 * is woken by one that waited beside it and had its turn before:
 *
 *	a  run wait wait wait run          a's wait was ended by b, which waited meanwhile:
 *	b  wait wait run wait wait         one queue
 *	c  wait run wait wait wait
 *
 * Threads that wake each other for other reasons overlap by chance, too.  So a queue counts only if
 * most of its waits were ended in this way. */
#include <math.h>
#include <stdlib.h>

#include "model/answer/answers_inside.h"
#include "model/base/sum.h"

#define RAN_LEAST 0.01   /* part of the run */
#define WAITS_MOST 4000000u /* waits that are kept for convoys; the others are not looked at */
#define CONVOY_LEAST 3u
#define HANDED_LEAST 0.75 /* of the waits of a queue */

#define WAIT_CLASSES(X)                                                                    \
	X(LOCK, "lock", "locks")                                                           \
	X(IO, "io", "files, devices and the network")                                      \
	X(SLEEP, "sleep", "timers")                                                        \
	X(THREADS, "threads", "other threads")

enum wait_class {
	WAIT_NONE,
#define WAIT_ENUM(id, name, text) WAIT_##id,
	WAIT_CLASSES(WAIT_ENUM)
#undef WAIT_ENUM
		WAIT_COUNT
};

static const struct {
	const char *name, *text;
} wait_classes[] = {
#define WAIT_ROW(id, name, text) [WAIT_##id] = {name, text},
	WAIT_CLASSES(WAIT_ROW)
#undef WAIT_ROW
};

/* Names of each class, as in answers_runtime.c. */
static const char *const wait_names[WAIT_COUNT] = {
	[WAIT_LOCK] =
		"pthread_mutex_lock* __pthread_mutex_lock* ___pthread_mutex_lock* "
		"pthread_rwlock_* __pthread_rwlock_* pthread_spin_lock* __lll_lock_wait* "
		"lll_lock* __GI___pthread_mutex_lock* futex_lock_pi* sem_wait* __new_sem_wait* "
		"std::mutex::lock* std::sync::mutex::Mutex* parking_lot::* "
		"std::sys::sync::mutex::* sync.(*Mutex).* sync.(*RWMutex).* "
		"runtime.lock2 runtime.semacquire* ObjectMonitor::enter* "
		"java.util.concurrent.locks.ReentrantLock.* "
		"java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire* "
		"PyThread_acquire_lock* take_gil gil_acquire* "
		"rb_mutex_lock* mutex_lock* __mutex_lock* rwsem_down_* down_read down_write "
		"futex_wait* do_futex __futex_abstimed_wait* futex syscall_futex",
	[WAIT_IO] =
		"read write readv writev pread* pwrite* fread fwrite recv recvfrom recvmsg send "
		"sendto sendmsg accept* connect fsync fdatasync __libc_read __libc_write __read "
		"__write __libc_recv* __libc_send* __GI___libc_read __GI___libc_write __recv "
		"__send poll __poll ppoll select __select pselect* epoll_wait* epoll_pwait* "
		"io_uring_enter* io_schedule* wait_on_page* folio_wait_* blk_* "
		"internal/poll.* syscall.Read syscall.Write net.(*conn).* "
		"os.(*File).Read os.(*File).Write runtime.netpoll* "
		"java.net.* sun.nio.ch.* java.io.FileInputStream.* java.io.FileOutputStream.* "
		"socket.recv* socket.accept ssl.read vfs_read vfs_write ksys_read ksys_write",
	[WAIT_SLEEP] =
		"sleep usleep nanosleep __nanosleep clock_nanosleep* __clock_nanosleep* "
		"hrtimer_nanosleep do_nanosleep common_nsleep time.sleep time_sleep time.Sleep "
		"std::this_thread::sleep_* std::thread::sleep* java.lang.Thread.sleep* "
		"Kernel#sleep rb_thread_sleep* schedule_hrtimeout*",
	[WAIT_THREADS] =
		"pthread_cond_* __pthread_cond_* ___pthread_cond_* pthread_join* "
		"__pthread_clockjoin* "
		"pthread_barrier_wait* __pthread_barrier_wait* std::condition_variable::* "
		"std::thread::join* std::sync::mpsc* std::sync::condvar* "
		"std::thread::JoinHandle* wait4 waitpid wait waitid do_wait "
		"runtime.gopark runtime.chanrecv* runtime.chansend* runtime.selectgo "
		"sync.(*WaitGroup).Wait sync.(*Cond).Wait java.lang.Object.wait* "
		"java.util.concurrent.locks.LockSupport.park* jdk.internal.misc.Unsafe.park "
		"java.lang.Thread.join* threading.* queue.* rb_thread_join* gomp_* "
		"omp_* __kmp_* tbb::* GOMP_* exit_to_user_mode_loop",
};

enum wait_source { WAIT_UNKNOWN, WAIT_STATES, WAIT_SAMPLES, WAIT_CALLS };

/* One wait for something that several threads may wait for. */
struct one_wait {
	uint32_t on;	 /* an actor, or a function */
	uint32_t thread; /* the actor that waits; unused with functions */
	uint32_t queue;	 /* see join_queues() */
	bool handed;	 /* its end was that of another wait of the queue */
	int64_t from, to;
};

struct answers_wait_sums {
	enum wait_source source;
	double time[WAIT_COUNT]; /* by class */
	double all; /* waiting and running time of the threads that count */
	unsigned threads;
	VEC(struct one_wait) one;
	/* scratch */
	metric_id metric; /* of off-CPU samples */
	uint8_t *of;      /* [node] enum wait_class */
	key_id *taker;    /* [node] the function that takes the lock */
};

/* ---- what a stack waits for ---- */

bool
answers_is_wait(const struct answers_work *w, key_id key)
{
	int class = answers_class_of(wait_names, WAIT_COUNT,
				     names_get(&w->p->names, profile_function(w->p, key)->name));

	return class == WAIT_LOCK || class == WAIT_SLEEP || class == WAIT_THREADS;
}

static bool
classify_nodes(struct answers_work *w, struct answers_wait_sums *x)
{
	const struct projection *t = w->fold->tree;
	uint8_t *of_key = mem_zalloc(t->n_keys + 1, 1);
	bool any = false;

	x->of = mem_zalloc(t->n + 1, 1);
	x->taker = mem_zalloc(t->n + 1, sizeof *x->taker);
	for (key_id key = 0; key < t->n_keys && pace_on(w->pace, 64); key++)
		of_key[key] = (uint8_t)answers_class_of(
			wait_names, WAIT_COUNT,
			names_get(&w->p->names, profile_function(w->p, key)->name));
	for (node_id i = 1; i < t->n && pace_on(w->pace, 1); i++) {
		node_id up = t->parent[i];
		x->of[i] = x->of[up] ? x->of[up] : of_key[t->key[i]];
		x->taker[i] = x->of[up] || up == NODE_ROOT ? x->taker[up] : t->key[up];
		if (x->of[i] && !x->of[up] && up == NODE_ROOT)
			x->taker[i] = t->key[i];
		any |= x->of[i] != WAIT_NONE;
	}
	free(of_key);
	return any;
}

/* Adds a wait of a thread, cut at the ends of the range. Times are since the file's first event. */
static void
add_wait(const struct answers_work *w, struct answers_wait_sums *x, enum wait_class class,
	 struct one_wait one)
{
	int64_t from = one.from, to = one.to;

	from = from < w->from ? w->from : from;
	to = to > w->to ? w->to : to;
	if (from >= to)
		return;
	x->time[class] += (double)(to - from);
	one.from = from;
	one.to = to;
	if (one.on != UINT32_MAX && x->one.n < WAITS_MOST)
		*vec_push(&x->one) = one;
}

/* Adds a thread, whose waits were added since `before`; takes them back if it hardly ran. */
static void
end_thread(const struct answers_work *w, struct answers_wait_sums *x,
	   const struct answers_wait_sums *before, double ran)
{
	double waited = 0;

	for (int c = 1; c < WAIT_COUNT; c++)
		waited += x->time[c] - before->time[c];
	if (ran < RAN_LEAST * (double)(w->to - w->from)) {
		for (int c = 1; c < WAIT_COUNT; c++)
			x->time[c] = before->time[c];
		x->one.n = before->one.n;
		return;
	}
	x->all += ran + waited;
	x->threads++;
}

/* ---- states ---- */

static void
add_actor(struct answers_work *w, struct answers_wait_sums *x, actor_id id)
{
	const struct actor *a = &w->p->actor[id];
	const struct group *g = &w->p->group[a->group];
	int64_t end = difference_clipped(g->end, g->start);
	struct answers_wait_sums before = *x;
	double ran = 0, ready = 0;

	for (uint32_t i = 0; i < a->n && pace_on(w->pace, 1); i++) {
		int64_t from = difference_clipped(a->time[i], g->start);
		int64_t to = i + 1 < a->n ? difference_clipped(a->time[i + 1], g->start) : end;
		int64_t begin = from < w->from ? w->from : from, until = to > w->to ? w->to : to;
		double lasts = until > begin ? (double)(until - begin) : 0;
		const struct one_wait nothing = {.on = UINT32_MAX, .from = from, .to = to};
		actor_id by = ACTOR_NONE;
		bool woken = i + 1 < a->n && actor_woken(a, i + 1, &by);
		switch (actor_state(a, i)) {
		case ACTOR_UNKNOWN:
			break;
		case ACTOR_RUNNING:
			ran += lasts;
			break;
		case ACTOR_RUNNABLE:
			ready += lasts;
			break;
		case ACTOR_WAITING:
			if (woken && by != ACTOR_NONE)
				add_wait(w, x, WAIT_THREADS, (struct one_wait){.on = by, .thread = id, .from = from, .to = to});
			else
				add_wait(w, x, WAIT_SLEEP, nothing);
			break;
		case ACTOR_IO:
			add_wait(w, x, WAIT_IO, nothing);
			break;
		}
	}
	unsigned threads = x->threads;
	end_thread(w, x, &before, ran);
	x->all += x->threads > threads ? ready : 0;
}

static void
add_actors(struct answers_work *w, struct answers_wait_sums *x)
{
	uint8_t *keep = lens_actors(&w->lens, w->p);

	for (actor_id i = 0; i < w->p->n_actors && !pace_gives_up(w->pace); i++)
		if (keep[i] && w->p->actor[i].n) {
			x->source = WAIT_STATES;
			add_actor(w, x, i);
		}
	free(keep);
}

/* ---- samples and calls ---- */

/* Returns the place of the metric in the series; n_metrics if it has none. */
static unsigned
metric_place(const struct series *s, metric_id m)
{
	unsigned i = 0;

	while (i < s->n_metrics && (m == METRIC_NONE || s->metric[i] != m))
		i++;
	return i;
}

static void
add_stack(const struct answers_work *w, struct answers_wait_sums *x, stack_id stack, int64_t from,
	  int64_t to)
{
	node_id node = stack < w->fold->tree->n_stacks ? w->fold->tree->node_of[stack] : NODE_NONE;
	enum wait_class class = node == NODE_NONE ? WAIT_NONE : (enum wait_class)x->of[node];

	if (class != WAIT_NONE)
		add_wait(w, x, class,
			 (struct one_wait){.on = class == WAIT_LOCK ? x->taker[node] : UINT32_MAX,
					   .from = from,
					   .to = to});
}

/* Adds the waits of a series: the samples of the metric, or the calls. Returns how long the thread
 * ran besides in calls. */
static double
answers_add_series(struct answers_work *w, struct answers_wait_sums *x, const struct series *s)
{
	int64_t origin = w->p->group[w->p->track[s->track].group].start;
	unsigned place = metric_place(s, x->metric);
	bool calls = s->kind == SERIES_STEPS;
	double ran = 0;

	for (uint32_t k = 0; k < s->n_chunks && pace_on(w->pace, s->chunk[k].n); k++) {
		const struct chunk *c = &s->chunk[k];
		for (uint32_t i = 0; i < c->n; i++) {
			stack_id stack = chunk_stack(c, i) & STEP_STACK;
			int64_t from = difference_clipped(column_get(&c->time, i), origin), to;
			if (calls)
				to = difference_clipped(i + 1 < c->n ? column_get(&c->time, i + 1)
								     : chunk_end(s, c), origin);
			else
				to = sum_clipped(from, series_number(s, c, i, place));
			if (stack == STACK_EMPTY || from >= w->to || to <= w->from)
				continue;
			double before = x->time[WAIT_LOCK] + x->time[WAIT_IO] +
					x->time[WAIT_SLEEP] + x->time[WAIT_THREADS];
			add_stack(w, x, stack, from, to);
			double after = x->time[WAIT_LOCK] + x->time[WAIT_IO] +
				       x->time[WAIT_SLEEP] + x->time[WAIT_THREADS];
			if (calls && after <= before)
				ran += (double)((to < w->to ? to : w->to) -
						(from > w->from ? from : w->from));
		}
	}
	return ran;
}

/* Returns how long the thread ran by its samples of a time. */
static double
time_on_cpu(const struct answers_work *w, track_id t)
{
	struct slice slice = w->slice;
	metric_id m = w->fold->metric;

	if (m == METRIC_NONE || w->p->metric[m].unit != UNIT_NS)
		for (m = 0; m < w->p->n_metrics; m++)
			if (w->p->metric[m].unit == UNIT_NS && !w->p->metric[m].unused)
				break;
	if (m >= w->p->n_metrics)
		return 0;
	slice.metric = m;
	return (double)tally_track(w->p, t, &slice);
}

static void
add_track(struct answers_work *w, struct answers_wait_sums *x, track_id t)
{
	const struct track *track = &w->p->track[t];
	struct answers_wait_sums before = *x;
	double ran = 0;
	bool any = false;

	for (uint32_t i = 0; i < track->n_series && !pace_gives_up(w->pace); i++) {
		const struct series *s = track->series[i];
		bool sampled = s->kind == SERIES_SAMPLES &&
			       metric_place(s, x->metric) < s->n_metrics;
		bool calls = x->source == WAIT_CALLS && s->kind == SERIES_STEPS && !s->derived;
		if (!s->sorted || !(sampled || calls))
			continue;
		ran += answers_add_series(w, x, s);
		any = true;
	}
	if (any)
		end_thread(w, x, &before, x->source == WAIT_CALLS ? ran : time_on_cpu(w, t));
}

static metric_id
off_cpu_metric(const struct profile *p)
{
	for (metric_id m = 0; m < p->n_metrics; m++) {
		struct name n = names_get(&p->names, p->metric[m].name);
		if (p->metric[m].unit == UNIT_NS && !p->metric[m].unused &&
		    ((n.len == 7 && !memcmp(n.at, "off-cpu", 7)) ||
		     (n.len == 6 && !memcmp(n.at, "offcpu", 6))))
			return m;
	}
	return METRIC_NONE;
}

static bool
has_calls(const struct answers_work *w)
{
	enum track_kind kind;
	metric_id base;

	return w->p->has_call_edges && answers_lanes(w, &kind, &base);
}

bool
answers_has_waits(const struct answers_work *w)
{
	for (actor_id i = 0; i < w->p->n_actors; i++)
		if (w->p->actor[i].n)
			return w->to > w->from;
	return w->to > w->from && (off_cpu_metric(w->p) != METRIC_NONE || has_calls(w));
}

static void
find_all_waits(struct answers_work *w, struct answers_wait_sums *x)
{
	*x = (struct answers_wait_sums){.metric = METRIC_NONE};
	add_actors(w, x);
	if (x->source != WAIT_UNKNOWN)
		return;
	x->metric = off_cpu_metric(w->p);
	x->source = x->metric == METRIC_NONE ? WAIT_CALLS : WAIT_SAMPLES;
	if (!classify_nodes(w, x))
		return;
	for (track_id t = 0; t < w->p->n_tracks; t++)
		if (w->tracks[t] && w->p->track[t].unit == UNIT_NS &&
		    w->p->track[t].kind != TRACK_CORE)
			add_track(w, x, t);
}

static void
waits_release(struct answers_wait_sums *x)
{
	vec_release(&x->one);
	free(x->of);
	free(x->taker);
}

/* ---- waits ---- */

static void
find_waits(struct answers_work *w, struct answers_item *out)
{
	struct answers_wait_sums x;
	double sum = 0;
	int best = 1;

	find_all_waits(w, &x);
	for (int c = 1; c < WAIT_COUNT; c++) {
		answers_add(out, wait_classes[c].name, "share", "%",
			    x.all > 0 ? 100 * x.time[c] / x.all : 0);
		sum += x.time[c];
		best = x.time[c] > x.time[best] ? c : best;
	}
	double share = x.all > 0 ? 100 * sum / x.all : 0;
	out->notable = answers_level(share, x.source == WAIT_STATES ? 50 : 30);
	if (!(sum > 0))
		answers_say(out, "no thread is known to wait");
	else
		answers_say(out,
			    "%u thread%s: waiting takes %.0f %% of the time, %.0f %% of that for "
			    "%s",
			    x.threads, x.threads == 1 ? "" : "s", share,
			    100 * x.time[best] / sum, wait_classes[best].text);
	waits_release(&x);
}

const struct answers_row answer_waits = {
	.name = "waits",
	.question = "What do threads wait for?",
	.guide = "waits",
	.command = "--view tracks",
	.needs = ANSWERS_NEED_WAITS,
	.find = find_waits,
};

/* ---- queues of threads ---- */

/* Returns the first wait of the queue of wait i. */
static uint32_t
queue_of(struct one_wait *at, uint32_t i)
{
	while (at[i].queue != i)
		i = at[i].queue = at[at[i].queue].queue;
	return i;
}

/* Returns the last wait of at[low..high), those of one thread, that ended in (from, to];
 * UINT32_MAX if there is none. */
static uint32_t
last_ended(const struct one_wait *at, uint32_t low, uint32_t high, int64_t from, int64_t to)
{
	uint32_t begin = low;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (at[middle].to <= to)
			low = middle + 1;
		else
			high = middle;
	}
	return low > begin && at[low - 1].to > from ? low - 1 : UINT32_MAX;
}

/* Joins each wait to that of the thread that ended it, if that thread waited meanwhile and had its
 * turn before.  The waits of a thread are consecutive, in order of time. */
static void
join_queues(struct answers_work *w, struct answers_wait_sums *x)
{
	uint32_t *first = mem_zalloc(w->p->n_actors + 1, sizeof *first);
	struct one_wait *at = x->one.at;

	for (uint32_t i = 0; i < x->one.n; i++) {
		at[i].queue = i;
		first[at[i].thread + 1]++;
	}
	for (actor_id i = 0; i < w->p->n_actors; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < x->one.n && pace_on(w->pace, 1); i++) {
		uint32_t by = last_ended(at, first[at[i].on], first[at[i].on + 1], at[i].from,
					 at[i].to);
		if (by == UINT32_MAX)
			continue;
		at[i].handed = true;
		uint32_t a = queue_of(at, i), b = queue_of(at, by);
		at[a > b ? a : b].queue = a > b ? b : a;
	}
	for (uint32_t i = 0; i < x->one.n; i++)
		at[i].queue = queue_of(at, i);
	free(first);
}

/* ---- convoy ---- */

static int
compare_waits(const void *a, const void *b)
{
	const struct one_wait *x = a, *y = b;

	if (x->on != y->on)
		return x->on < y->on ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int
answers_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

struct convoy {
	uint32_t on; /* a thread or a function; */
	bool in_turn; /* a thread of a queue */
	double time; /* during which enough threads wait */
	unsigned most;
};

/* Measures the waits at[0..n) for one thing, sorted by their begin; `end` is scratch, [n]. */
static struct convoy
measure(const struct one_wait *at, size_t n, int64_t *end)
{
	struct convoy c = {.on = at[0].on};
	int64_t since = 0;
	unsigned now = 0;

	for (size_t i = 0; i < n; i++)
		end[i] = at[i].to;
	qsort(end, n, sizeof *end, answers_compare_times);
	for (size_t i = 0, k = 0; k < n;) {
		bool begins = i < n && at[i].from < end[k];
		int64_t when = begins ? at[i++].from : end[k++];
		if (begins && ++now == CONVOY_LEAST)
			since = when;
		if (!begins && now-- == CONVOY_LEAST)
			c.time += (double)(when - since);
		c.most = now > c.most ? now : c.most;
	}
	return c;
}

/* Returns the index after the last wait for the same as wait i; the waits are sorted. */
static size_t
behind_last(const struct answers_wait_sums *x, size_t i)
{
	size_t k = i + 1;

	while (k < x->one.n && x->one.at[k].on == x->one.at[i].on)
		k++;
	return k;
}

/* True if most of the waits at[0..n) were ended by another of them. */
static bool
most_are_handed(const struct one_wait *at, size_t n)
{
	size_t handed = 0;

	for (size_t i = 0; i < n; i++)
		handed += at[i].handed;
	return (double)handed >= HANDED_LEAST * (double)n;
}

/* Sorts the waits by what they are for, and returns the convoy that lasts longest. */
static struct convoy
longest_convoy(struct answers_work *w, struct answers_wait_sums *x)
{
	int64_t *end = mem_alloc(x->one.n + 1, sizeof *end);
	struct convoy best = {0};

	if (x->one.n > 1)
		qsort(x->one.at, x->one.n, sizeof *x->one.at, compare_waits);
	for (size_t i = 0, k; i < x->one.n && pace_on(w->pace, 64); i = k) {
		k = behind_last(x, i);
		struct convoy now = measure(x->one.at + i, k - i, end);
		best = now.time > best.time ? now : best;
	}
	free(end);
	return best;
}

/* Returns all queues as one convoy: threads queue for a lock again and again.  The name is that of a
 * thread of the longest one. */
static struct convoy
all_queues(struct answers_work *w, struct answers_wait_sums *x)
{
	int64_t *end = mem_alloc(x->one.n + 1, sizeof *end);
	struct convoy all = {.in_turn = true};
	double longest = 0;

	for (size_t i = 0; i < x->one.n; i++)
		x->one.at[i].on = x->one.at[i].queue;
	if (x->one.n > 1)
		qsort(x->one.at, x->one.n, sizeof *x->one.at, compare_waits);
	for (size_t i = 0, k; i < x->one.n && pace_on(w->pace, 64); i = k) {
		k = behind_last(x, i);
		struct convoy now = measure(x->one.at + i, k - i, end);
		if (!most_are_handed(x->one.at + i, k - i))
			continue;
		all.time += now.time;
		all.most = now.most > all.most ? now.most : all.most;
		if (now.time > longest) {
			longest = now.time;
			all.on = x->one.at[i].thread;
		}
	}
	free(end);
	/* queues for two locks may be there at once */
	all.time = fmin(all.time, (double)(w->to - w->from));
	return all;
}

static void
say_convoy(struct answers_work *w, struct answers_item *out, const struct answers_wait_sums *x,
	   const struct convoy *c)
{
	double share = 100 * c->time / (double)(w->to - w->from);
	name_id name = x->source == WAIT_STATES ? w->p->actor[c->on].name
						: profile_function(w->p, c->on)->name;

	answers_add_of(w, out, name, "share", "%", share);
	answers_add_of(w, out, name, "threads", "count", c->most);
	out->notable = answers_level(share, 10);
	answers_say(out, c->in_turn ? "three threads or more queue, "
				    : "three threads or more wait for ");
	answers_say(out, x->source == WAIT_STATES ? "" : "the lock of ");
	answers_name(w, name, &out->text);
	answers_say(out, "%s at once for %.1f %% of the time, at most %u",
		    c->in_turn ? " among them," : "", share, c->most);
}

static void
find_convoy(struct answers_work *w, struct answers_item *out)
{
	struct answers_wait_sums x;

	find_all_waits(w, &x);
	if (x.source == WAIT_STATES)
		join_queues(w, &x);
	struct convoy best = longest_convoy(w, &x);
	if (x.source == WAIT_STATES) {
		struct convoy queues = all_queues(w, &x);
		best = queues.time > best.time ? queues : best;
	}
	if (best.time > 0) {
		say_convoy(w, out, &x, &best);
	} else {
		answers_add(out, "", "share", "%", 0);
		answers_add(out, "", "threads", "count", 0);
		answers_say(out, "no three threads wait for the same");
	}
	waits_release(&x);
}

const struct answers_row answer_convoy = {
	.name = "convoy",
	.question = "Do threads queue for one thing?",
	.guide = "waits",
	.command = "--view tracks",
	.needs = ANSWERS_NEED_WAITS,
	.find = find_convoy,
};
