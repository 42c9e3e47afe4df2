/* answers_waits.c - what threads wait for.
 *
 * Waiting is known in three ways. States of threads, as the scheduler records them, say who ended
 * a wait. Off-CPU samples have the stack in which a thread waited. In a trace of calls, functions
 * that wait have well-known names. The first of these that a profile has is used.
 *
 * Of a stack the outermost known function counts: pthread_cond_wait() calls what a mutex calls,
 * too. But a function that runs the program's code, such as GOMP_parallel(), does not wait
 * meanwhile. Threads that ran for less than 1 % of the run do not count: they wait by design. But
 * if that is so of all, all count.
 *
 * In a list of system calls, the program runs between these. In other traces, nothing is known of
 * a thread between its calls, and these alone are the whole. */
#include <math.h>
#include <stdlib.h>

#include "model/answer/answers_waits.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "model/profile/running.h"

#define RAN_LEAST 0.01   /* part of the run */
#define MOSTLY 0.99      /* a part that is called all */
#define READY_SAID 1     /* percent of the time: less is not said */
#define WAITS_MOST 4000000u /* waits that are kept for convoys; the others are not looked at */

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


/* ---- what a stack waits for ---- */

void
answers_wait_words(struct answers_words *out)
{
	answers_words_init(out, wait_names, WAIT_COUNT);
}

bool
answers_is_wait(const struct answers_work *w, key_id key)
{
	int class = answers_class_of(
		&w->waits, names_get(&w->p->names, w->p->frames.function.name[key]));

	return class == WAIT_LOCK || class == WAIT_SLEEP || class == WAIT_THREADS;
}

static bool
classify_nodes(struct answers_work *w, struct answers_wait_sums *x)
{
	const struct projection *t = w->fold->tree;
	uint8_t *of_key = mem_zalloc(t->n_keys + 1, 1);
	struct answers_callee *callee = answers_callees(w);
	bool any = false;

	x->of = mem_zalloc(t->n + 1, 1);
	x->taker = mem_zalloc(t->n + 1, sizeof *x->taker);
	x->waiter = mem_zalloc(t->n + 1, sizeof *x->waiter);
	x->in = mem_zalloc(t->n_keys + 1, sizeof *x->in);
	for (key_id key = 0; key < t->n_keys && pace_on(w->pace, 64); key++)
		of_key[key] = (uint8_t)answers_class_of(
			&w->waits, names_get(&w->p->names, w->p->frames.function.name[key]));
	for (node_id i = 1; i < t->n && pace_on(w->pace, 1); i++) {
		node_id up = t->parent[i];
		bool inside = x->of[up] &&
			      !answers_leaves_wait(w, callee, t->key[up], t->key[i]);
		x->of[i] = inside ? x->of[up] : of_key[t->key[i]];
		x->waiter[i] = inside ? x->waiter[up] : t->key[i];
		x->taker[i] = inside || up == NODE_ROOT ? x->taker[up] : t->key[up];
		if (x->of[i] && !inside && up == NODE_ROOT)
			x->taker[i] = t->key[i];
		any |= x->of[i] != WAIT_NONE;
	}
	free(callee);
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

/* Returns the time of the waits that were added since `before`. */
static double
waited_since(const struct answers_wait_sums *x, const struct answers_wait_sums *before)
{
	double waited = 0;

	for (int c = 0; c < WAIT_COUNT; c++)
		waited += x->time[c] - before->time[c];
	return waited;
}

/* Adds a thread, whose waits were added since `before`; takes them back if it hardly ran and hardly
 * wanted to (`ready`). */
static void
end_thread(const struct answers_work *w, struct answers_wait_sums *x,
	   const struct answers_wait_sums *before, double ran, double ready)
{
	double waited = waited_since(x, before);

	if (!x->sleepers && ran + ready < RAN_LEAST * (double)(w->to - w->from)) {
		for (int c = 0; c < WAIT_COUNT; c++)
			x->time[c] = before->time[c];
		x->one.n = before->one.n;
		return;
	}
	x->all += ran + ready + waited;
	x->ready += ready;
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
		int64_t from = difference_clipped(actor_time(a, i), g->start);
		int64_t to = i + 1 < a->n ? difference_clipped(actor_time(a, i + 1), g->start)
					  : end;
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
				add_wait(w, x, WAIT_THREADS,
					 (struct one_wait){.on = by,
							   .thread = id,
							   .from = from,
							   .to = to});
			else
				add_wait(w, x, WAIT_SLEEP, nothing);
			break;
		case ACTOR_IO:
			add_wait(w, x, WAIT_IO, nothing);
			break;
		}
	}
	unsigned threads = x->threads;
	end_thread(w, x, &before, ran, ready);
	if (x->threads == threads)
		return;
	double io = x->time[WAIT_IO] - before.time[WAIT_IO];
	double waits = fmax(io, waited_since(x, &before) - io);
	if (waits > x->longest_ns) {
		x->longest_ns = waits;
		x->longest = id;
	}
}

static void
add_actors(struct answers_work *w, struct answers_wait_sums *x)
{
	uint8_t *keep = lens_actors(&w->lens, w->p);

	for (actor_id i = 0; i < w->p->n_actors && !pace_gives_up(w->pace); i++)
		if (keep[i] && w->p->actor[i].n && !answers_is_base(w, w->p->actor[i].group)) {
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

	/* each sample off the CPU is a wait, known or not */
	if (class == WAIT_NONE && (x->source != WAIT_SAMPLES || node == NODE_NONE))
		return;
	add_wait(w, x, class,
		 (struct one_wait){.on = class == WAIT_LOCK ? x->taker[node] : UINT32_MAX,
				   .from = from,
				   .to = to});
	if (class != WAIT_NONE)
		x->in[x->waiter[node]] += (double)(to - from);
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
			struct answers_wait_sums before = *x;
			add_stack(w, x, stack, from, to);
			if (calls && waited_since(x, &before) <= 0)
				ran += (double)((to < w->to ? to : w->to) -
						(from > w->from ? from : w->from));
		}
	}
	return ran;
}

/* Returns what the samples of a thread have of a metric, if it is a time. */
static double
time_of_metric(const struct answers_work *w, track_id t, metric_id m)
{
	struct slice slice = w->slice;

	slice.metric = m;
	return m == METRIC_NONE || w->p->metric[m].unit != UNIT_NS
		       ? 0
		       : (double)tally_track(w->p, t, &slice);
}

/* Returns the time from the thread's first event to its last one, in the range. */
static double
time_of_life(const struct answers_work *w, const struct track *t)
{
	int64_t origin = w->p->group[t->group].start;
	int64_t from = difference_clipped(t->start, origin);
	int64_t to = difference_clipped(t->end, origin);

	from = from > w->from ? from : w->from;
	to = to < w->to ? to : w->to;
	return to > from ? (double)to - (double)from : 0;
}

/* Returns how long the thread ran, of whose calls `in_calls` ns are no waits. */
static double
time_that_ran(const struct answers_work *w, const struct answers_wait_sums *x,
	      const struct answers_wait_sums *before, track_id t, double in_calls)
{
	if (x->source != WAIT_CALLS)
		return time_of_metric(w, t, running_base(w->p));
	if (!x->between)
		return in_calls;
	double ran = time_of_life(w, &w->p->track[t]) - waited_since(x, before);
	return ran > 0 ? ran : 0;
}

static void
add_track(struct answers_work *w, struct answers_wait_sums *x, track_id t)
{
	const struct track *track = &w->p->track[t];
	struct answers_wait_sums before = *x;
	double ran = 0, ready = time_of_metric(w, t, x->runnable);
	bool any = ready > 0;

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
		end_thread(w, x, &before, time_that_ran(w, x, &before, t, ran), ready);
}

static metric_id
find_metric(const struct profile *p, bool (*is)(const struct profile *p, metric_id m))
{
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (!p->metric[m].unused && is(p, m))
			return m;
	return METRIC_NONE;
}

static bool
has_calls(const struct answers_work *w)
{
	enum track_kind kind;
	metric_id base;

	return w->p->has_call_edges && answers_lanes(w, &kind, &base) && kind != TRACK_TASK;
}

bool
answers_has_waits(const struct answers_work *w)
{
	for (actor_id i = 0; i < w->p->n_actors; i++)
		if (w->p->actor[i].n)
			return w->to > w->from;
	return w->to > w->from &&
	       (find_metric(w->p, running_is_wait) != METRIC_NONE || has_calls(w));
}

/* Finds the waits of the threads that run, or of all: `sleepers`. */
static void
find_waits_of(struct answers_work *w, struct answers_wait_sums *x, bool sleepers)
{
	*x = (struct answers_wait_sums){
		.metric = METRIC_NONE, .runnable = METRIC_NONE, .sleepers = sleepers};
	add_actors(w, x);
	if (x->source != WAIT_UNKNOWN)
		return;
	x->metric = find_metric(w->p, running_is_off_cpu);
	x->runnable = find_metric(w->p, running_is_runnable);
	x->source = x->metric == METRIC_NONE && x->runnable == METRIC_NONE ? WAIT_CALLS
									   : WAIT_SAMPLES;
	x->between = x->source == WAIT_CALLS && answers_of_system(w);
	if (!classify_nodes(w, x) && x->runnable == METRIC_NONE)
		return;
	for (track_id t = 0; t < w->p->n_tracks; t++)
		if (w->tracks[t] && w->p->track[t].unit == UNIT_NS &&
		    w->p->track[t].kind != TRACK_CORE)
			add_track(w, x, t);
}

void
answers_find_waits(struct answers_work *w, struct answers_wait_sums *x)
{
	find_waits_of(w, x, false);
	if (x->threads)
		return;
	answers_release_waits(x);
	find_waits_of(w, x, true);
}

void
answers_release_waits(struct answers_wait_sums *x)
{
	vec_release(&x->one);
	free(x->of);
	free_all(x->taker, x->waiter, x->in);
}

/* ---- waits ---- */

void
answers_show_waits(const struct answers_work *w, struct answers_item *out,
		   const struct answers_wait_sums *x, key_id function, double part)
{
	const struct metric time = {.unit = UNIT_NS};
	metric_id m = x->source == WAIT_SAMPLES ? x->metric : running_base(w->p);

	if (m != METRIC_NONE && m != w->fold->metric)
		answers_show_metric(w, out, m);
	answers_show_named(w, out, VERB_INCLUDE, w->p->frames.function.name[function]);
	const struct metric *of = m == METRIC_NONE ? &time : &w->p->metric[m];
	int64_t all = answers_show_total(w, out);
	if (part < MOSTLY * (double)all) {
		human_value(&out->text, rounded_clipped(part), of);
		answers_say(out, " of its ");
	}
	human_value(&out->text, all, of);
}

/* Names the thread or the function that waits longest, and shows its waits. */
static void
say_longest(const struct answers_work *w, struct answers_item *out,
	    const struct answers_wait_sums *x)
{
	key_id best = 0;

	if (x->source == WAIT_STATES) {
		name_id name = w->p->actor[x->longest].name;
		answers_say(out, "; ");
		answers_name(w, name, &out->text);
		answers_say(out, " waits longest, ");
		answers_say_time(out, (int64_t)x->longest_ns);
		answers_show_view(out, "states");
		answers_show_named(w, out, VERB_TRACK, name);
		return;
	}
	for (key_id key = 0; key < w->fold->tree->n_keys; key++)
		best = x->in[key] > x->in[best] ? key : best;
	if (!(x->in[best] > 0))
		return;
	answers_say(out, "; most in ");
	answers_function(w, best, &out->text);
	answers_say(out, ", ");
	answers_show_waits(w, out, x, best, x->in[best]);
}

/* Says how long threads wanted a CPU; raises how notable that makes the answer. */
static void
say_ready(const struct answers_work *w, struct answers_item *out,
	  const struct answers_wait_sums *x, bool waits)
{
	double share = x->all > 0 ? 100 * x->ready / x->all : 0;
	unsigned level = answers_level(share, x->source == WAIT_STATES ? 50 : 30);

	answers_add(out, "cpu", "share", "%", share);
	if (share < READY_SAID)
		return;
	answers_say(out, "; ");
	if (!waits)
		answers_say(out, "%u thread%s: ", x->threads, x->threads == 1 ? "" : "s");
	answers_say(out, "wanting a CPU takes %.0f %%, ", share);
	answers_say_time(out, rounded_clipped(x->ready));
	out->notable = level > out->notable ? level : out->notable;
	if (waits)
		return;
	if (x->source == WAIT_STATES)
		answers_show_view(out, "states");
	else
		answers_show_metric(w, out, x->runnable);
}

static void
find_waits(struct answers_work *w, struct answers_item *out)
{
	struct answers_wait_sums x;
	int best = 1;

	answers_find_waits(w, &x);
	double sum = x.time[WAIT_NONE];
	for (int c = 1; c < WAIT_COUNT; c++) {
		answers_add(out, wait_classes[c].name, "share", "%",
			    x.all > 0 ? 100 * x.time[c] / x.all : 0);
		sum += x.time[c];
		best = x.time[c] > x.time[best] ? c : best;
	}
	answers_add(out, "unknown", "share", "%",
		    x.all > 0 ? 100 * x.time[WAIT_NONE] / x.all : 0);
	double share = x.all > 0 ? 100 * sum / x.all : 0;
	out->notable = answers_level(share, x.source == WAIT_STATES ? 50 : 30);
	if (!(sum > 0))
		answers_say(out, "no thread is known to wait");
	else
		answers_say(out, "%u thread%s: waiting takes %.0f %% of the time%s", x.threads,
			    x.threads == 1 ? "" : "s", share,
			    x.source == WAIT_CALLS && !x.between ? " in calls" : "");
	if (x.time[best] > 0)
		answers_say(out, ", %.0f %% of that for %s", 100 * x.time[best] / sum,
			    wait_classes[best].text);
	if (x.time[WAIT_NONE] > x.time[best])
		answers_say(out, ", %.0f %%%s for what is not known",
			    100 * x.time[WAIT_NONE] / sum, x.time[best] > 0 ? "" : " of that");
	say_ready(w, out, &x, sum > 0);
	if (sum > 0)
		say_longest(w, out, &x);
	answers_release_waits(&x);
}

const struct answers_row answer_waits = {
	.name = "waits",
	.question = "What do threads wait for?",
	.guide = "waits",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_WAITS,
	.find = find_waits,
};
