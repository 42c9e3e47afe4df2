/* answers_convoy.c - do threads queue for one thing?
 *
 * A convoy is a moment at which three threads or more wait for one thing: the thread that will wake
 * them, the function that takes a lock, or their turn.  Threads that queue for a lock hand it on:
 * each is woken by one that waited beside it and had its turn before:
 *
 *	a  run wait wait wait run          a's wait was ended by b, which waited meanwhile:
 *	b  wait wait run wait wait         one queue
 *	c  wait run wait wait wait
 *
 * Threads that wake each other for other reasons overlap by chance, too.  So a queue counts only if
 * most of its waits were ended in this way. */
#include <math.h>
#include <stdlib.h>

#include "model/answer/answers_waits.h"
#include "model/fold/actorsum.h"

#define CONVOY_LEAST 3u
#define HANDED_LEAST 0.75 /* of the waits of a queue */

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

/* Returns all queues as one convoy: threads queue for a lock again and again.  The name is that of
 * a thread of the longest one. */
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

/* Names the pair of threads in the convoy with the longest wait, and lets the answer show the edges
 * that end the waits of the thread that waited. */
static void
say_longest_edge(const struct answers_work *w, struct answers_item *out, const struct convoy *c)
{
	const struct actorsum_row *best = NULL;
	struct actorsum all = {0};
	struct err e;

	err_init(&e);
	answers_show_view(out, "edges");
	actorsum_edges(w->p, &out->shown.lens, w->pace, &all, &e);
	for (size_t i = 0; i < all.row.n && !best; i++) {
		const struct actorsum_row *row = &all.row.at[i];
		if (row->what == EDGE_WAKE && row->from != ACTOR_NONE &&
		    (c->in_turn ? row->to : row->from) == c->on)
			best = row;
	}
	if (best) {
		answers_say(out, "; ");
		answers_name(w, w->p->actor[best->to].name, &out->text);
		answers_say(out, " waits ");
		answers_say_time(out, best->total_ns);
		answers_say(out, " for ");
		answers_name(w, w->p->actor[best->from].name, &out->text);
		answers_show_named(w, out, VERB_TRACK, w->p->actor[best->to].name);
	}
	actorsum_release(&all);
}

static void
say_convoy(struct answers_work *w, struct answers_item *out, const struct answers_wait_sums *x,
	   const struct convoy *c)
{
	double share = 100 * c->time / (double)(w->to - w->from);
	name_id name = x->source == WAIT_STATES ? w->p->actor[c->on].name
						: w->p->frames.function.name[c->on];

	answers_add_of(w, out, name, "share", "%", share);
	answers_add_of(w, out, name, "threads", "count", c->most);
	out->notable = answers_level(share, 10);
	answers_say(out, c->in_turn ? "three threads or more queue, "
				    : "three threads or more wait for ");
	answers_say(out, x->source == WAIT_STATES ? "" : "the lock of ");
	answers_name(w, name, &out->text);
	answers_say(out, "%s at once for %.1f %% of the time, at most %u",
		    c->in_turn ? " among them," : "", share, c->most);
	if (x->source == WAIT_STATES) {
		say_longest_edge(w, out, c);
		return;
	}
	answers_say(out, ", ");
	answers_show_waits(w, out, x, c->on, HUGE_VAL);
	answers_say(out, " in all");
}

static void
find_convoy(struct answers_work *w, struct answers_item *out)
{
	struct answers_wait_sums x;

	answers_find_waits(w, &x);
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
	answers_release_waits(&x);
}

const struct answers_row answer_convoy = {
	.name = "convoy",
	.question = "Do threads queue for one thing?",
	.guide = "waits",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_WAITS,
	.find = find_convoy,
};
