/* answers_calls.c - outliers: calls that last far longer than usual.
 *
 * The calls are replayed twice. The first time, a reservoir of durations of each function gives its
 * median; the second time, calls of ten times that are counted. Calls inside a call of the same
 * function do not count: the durations of a recursive function differ by its depth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/answers_inside.h"
#include "model/calls/callwalk.h"
#include "model/profile/human.h"

#define RESERVOIR 64u
#define CALLS_FEW 20u /* with fewer calls, nothing is usual */
#define TIMES 10      /* how many medians an outlier lasts */
#define OFTEN 0.1     /* the part of the calls from which on they are no outliers */
#define MATTERS 0.01  /* the part of the run that outliers take at least to be notable */

struct answers_timed {
	uint64_t n;
	float sample[RESERVOIR];
	double median, total; /* of all calls */
	double slow;          /* of the outliers */
	uint64_t n_slow;
	int64_t longest, when;
	track_id track;
};

struct timing {
	struct callwalk walk;
	const struct projection *tree; /* of the lens: calls that it does not show do not count */
	uint32_t *place; /* [function] index in `all` + 1 */
	VEC(struct answers_timed) all;
	VEC(function_id) function;
	bool counts; /* the second time */
	uint64_t random;
};

static void
take_duration(struct timing *x, struct answers_timed *f, int64_t v)
{
	f->n++;
	f->total += (double)v;
	if (f->n <= RESERVOIR) {
		f->sample[f->n - 1] = (float)v;
		return;
	}
	x->random = x->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	uint64_t at = (x->random >> 33) % f->n;
	if (at < RESERVOIR)
		f->sample[at] = (float)v;
}

static void
count_duration(struct timing *x, struct answers_timed *f, int64_t v, int64_t from)
{
	if (f->n < CALLS_FEW || (double)v < TIMES * f->median || !(f->median > 0))
		return;
	f->n_slow++;
	f->slow += (double)v;
	if (v > f->longest) {
		f->longest = v;
		f->when = from;
		f->track = x->walk.track;
	}
}

static void
closed(void *ctx, const struct replay_call *o, bool returned)
{
	struct timing *x = ctx;
	const struct replay *r = &x->walk.r;
	const struct projection *t = x->tree;

	if (!returned || !o->entered || r->known.at[r->place[o->function] - 1].depth ||
	    o->stack >= t->n_stacks || t->call_of[o->stack] == NODE_NONE)
		return;
	if (!x->place[o->function]) {
		*vec_push(&x->all) = (struct answers_timed){0};
		*vec_push(&x->function) = o->function;
		x->place[o->function] = (uint32_t)x->all.n;
	}
	struct answers_timed *f = &x->all.at[x->place[o->function] - 1];
	int64_t v = replay_between(o->entry, r->now);
	if (x->counts)
		count_duration(x, f, v, o->entry);
	else
		take_duration(x, f, v);
}

static void
replay(struct answers_work *w, struct timing *x)
{
	callwalk_init(&x->walk, w->p, &w->slice, false);
	x->walk.r.closed = closed;
	x->walk.r.ctx = x;
	while (!callwalk_run(&x->walk, pace_piece(w->pace, UINT32_MAX)) && pace_portion(w->pace))
		;
	callwalk_release(&x->walk);
}

static void
find_medians(struct timing *x)
{
	for (size_t i = 0; i < x->all.n; i++) {
		struct answers_timed *f = &x->all.at[i];
		double v[RESERVOIR];
		size_t n = f->n < RESERVOIR ? (size_t)f->n : RESERVOIR;
		for (size_t k = 0; k < n; k++)
			v[k] = (double)f->sample[k];
		f->median = answers_median(v, n);
	}
}

/* Leaves out the calls of other functions of that name, which may last longer. */
static void
show_apart(struct answers_work *w, struct answers_item *out, function_id function)
{
	struct function f = profile_function(w->p, function);
	bool file = false, module = false;

	for (function_id i = 0; i < w->p->frames.n_functions; i++) {
		struct function other = profile_function(w->p, i);
		file |= other.name == f.name && other.file != f.file;
		module |= other.name == f.name && other.module != f.module;
	}
	if (file)
		answers_show_leaf(w, out, SUBJECT_FILE, f.file);
	if (module)
		answers_show_leaf(w, out, SUBJECT_MODULE, f.module);
}

/* Shows the outliers, the longest first. */
static void
show_calls(struct answers_work *w, struct answers_item *out, const struct answers_timed *f,
	   function_id function)
{
	struct name n = names_get(&w->p->names, w->p->frames.function.name[function]);
	double over = ceil(TIMES * f->median) - 1;
	struct buf text = BUF_INIT;

	out->shown.function = function;
	pattern_exact(&text, SUBJECT_FN, n.at, n.len);
	answers_show_option(out, "function", buf_str(&text));
	show_apart(w, out, function);
	buf_reset(&text);
	buf_addf(&text, "%.0fns", over);
	answers_show_option(out, "over", buf_str(&text));
	answers_show_option(out, "limit", "10");
	buf_release(&text);
}

static void
say_outliers(struct answers_work *w, struct answers_item *out, const struct answers_timed *f,
	     function_id function)
{
	const struct profile *p = w->p;
	name_id name = p->frames.function.name[function];
	double share = 100 * f->slow / f->total;
	int64_t when = f->when - p->group[p->track[f->track].group].start;

	answers_add_of(w, out, name, "share", "%", share);
	answers_add_of(w, out, name, "count", "count", (double)f->n_slow);
	answers_add_of(w, out, name, "longest", "ns", (double)f->longest);
	if (f->slow >= MATTERS * (double)(w->to - w->from))
		out->notable = answers_level(share, 20);
	human_count(&out->text, (int64_t)f->n_slow);
	answers_say(out, " of ");
	human_count(&out->text, (int64_t)f->n);
	answers_say(out, " calls of ");
	answers_name(w, name, &out->text);
	answers_say(out, " last%s ten times its median or more, %.1f %% of its time; the longest ",
		    f->n_slow == 1 ? "s" : "", share);
	answers_say_time(out, f->longest);
	answers_say(out, " at ");
	answers_say_time(out, when);
	show_calls(w, out, f, function);
}

static void
find_outliers(struct answers_work *w, struct answers_item *out)
{
	struct timing x = {.tree = w->fold->tree, .random = 1};
	size_t best = 0;

	x.place = mem_zalloc(w->p->frames.n_functions + 1, sizeof *x.place);
	replay(w, &x);
	find_medians(&x);
	x.counts = true;
	replay(w, &x);
	for (size_t i = 0; i < x.all.n; i++)
		if ((double)x.all.at[i].n_slow > OFTEN * (double)x.all.at[i].n)
			x.all.at[i].slow = 0, x.all.at[i].n_slow = 0;
	/* the function whose outliers take the most time of those with a large share */
	for (size_t i = 1; i < x.all.n; i++) {
		const struct answers_timed *a = &x.all.at[i], *b = &x.all.at[best];
		bool large = a->slow >= 0.2 * a->total, other = b->slow >= 0.2 * b->total;
		if (large != other ? large : a->slow > b->slow)
			best = i;
	}
	if (x.all.n && x.all.at[best].n_slow)
		say_outliers(w, out, &x.all.at[best], x.function.at[best]);
	else
		answers_say(out, "no call lasts ten times as long as is usual for its function");
	free(x.place);
	vec_release(&x.all);
	vec_release(&x.function);
}

const struct answers_row answer_outliers = {
	.name = "outliers",
	.question = "Which calls are far slower than usual?",
	.guide = "slowest",
	.view = "slices",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_CALLS | ANSWERS_NEED_COSTS,
	.find = find_outliers,
};
