/* answers_stacks.c - answers from the tree of a fold: hot, system, recursion, trust. */
#include "model/answer/answers_inside.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "model/base/wide.h"
#include "model/fold/nameless.h"
#include "model/profile/human.h"

static enum kind
answers_kind_of(const struct answers_work *w, const struct row *r)
{
	return (enum kind)profile_function(w->p, r->key).kind;
}

bool
answers_nameless(const struct answers_work *w, key_id key)
{
	struct name n = names_get(&w->p->names, w->p->frames.function.name[key]);

	return !n.len || nameless_name(n.at, n.len);
}

static bool
is_nameless(const struct answers_work *w, const struct row *r)
{
	return answers_nameless(w, r->key);
}

/* ---- hot ---- */

/* Returns the function with the largest self that is not idle time; its self is 0 if there is
 * none. */
static struct row
answers_hottest(const struct answers_work *w)
{
	struct row best = {0};
	bool traced = !(w->weight > 0) && !answers_runs_tasks(w); /* calls that wait take time */

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		if (r.self > best.self && answers_kind_of(w, &r) != KIND_IDLE &&
		    !(traced && answers_is_wait(w, r.key)))
			best = r;
	}
	return best;
}

/* Returns the caller on whose behalf the function has most of its self, KEY_NONE if there is
 * none; *self is that part. Calls of itself do not count as callers. */
static key_id
main_caller(const struct answers_work *w, key_id key, int64_t *self)
{
	const struct projection *t = w->fold->tree;
	int64_t *of = mem_zalloc(t->n_keys + 1, sizeof *of);
	const int64_t *own = w->fold->now.recorded.self;
	key_id best = KEY_NONE;

	*self = 0;
	for (node_id i = 1; i < t->n && pace_on(w->pace, 1); i++) {
		node_id up = t->parent[i];
		if (t->key[i] != key || !own[i])
			continue;
		while (up != NODE_ROOT && t->key[up] == key && pace_on(w->pace, 1))
			up = t->parent[up];
		if (up == NODE_ROOT)
			continue;
		key_id caller = t->key[up];
		of[caller] += own[i];
		if (of[caller] > *self) {
			*self = of[caller];
			best = caller;
		}
	}
	free(of);
	*self = numbers_scaled(*self, w->fold->now.by);
	return *self ? best : KEY_NONE;
}

/* Returns true if the function is at the root of nearly everything, and the profile has calls
 * instead of samples: its self is the time of calls that were not traced, as that of main() often
 * is. */
static bool
is_untraced_root(const struct answers_work *w, const struct row *r)
{
	const struct projection *t = w->fold->tree;
	int64_t root = 0;

	if (w->weight > 0)
		return false;
	for (node_id i = 1; i < t->n; i++)
		if (t->parent[i] == NODE_ROOT && t->key[i] == r->key)
			root += w->fold->now.recorded.total[i];
	root = numbers_scaled(root, w->fold->now.by);
	return (double)root >= 0.95 * answers_whole(w) && r->self < root;
}

/* Returns the row of the function with the largest self in slices without an end, which the
 * answers leave out; its self is only that part. */
static struct row
most_unfinished(const struct answers_work *w, const struct rows *all, uint32_t n_keys)
{
	int64_t *left = mem_zalloc(n_keys + 1, sizeof *left);
	struct row best = {0};

	for (uint32_t i = 0; i < all->n; i++)
		left[rows_get(all, i).key] += rows_get(all, i).self;
	for (uint32_t i = 0; i < w->rows.n; i++)
		if (rows_get(&w->rows, i).key < n_keys)
			left[rows_get(&w->rows, i).key] -= rows_get(&w->rows, i).self;
	for (uint32_t i = 0; i < all->n; i++) {
		struct row r = rows_get(all, i);
		r.self = left[r.key];
		if (r.self > best.self)
			best = r;
	}
	free(left);
	return best;
}

static void
say_unfinished(struct answers_work *w, struct answers_item *out)
{
	struct lens lens;
	struct rows all = {0};
	struct err e;

	if (!w->regroup)
		return;
	err_init(&e);
	lens_copy(&lens, w->asks->lens);
	lens.by = BY_FUNCTION;
	lens.invert = false;
	struct fold *f = fold_beside(NULL, w->asks->p, &lens);
	f->pace = w->pace;
	if (fold_update(f, w->asks->p, &lens, NULL, &e)) {
		fold_rows_paced(f, &all, w->pace);
		struct row best = most_unfinished(w, &all, f->tree->n_keys);
		double share = 100 * (double)best.self / answers_whole(w);
		if (share >= 0.05) {
			name_id name = w->p->frames.function.name[best.key];
			answers_say(out, "; calls that never end are left out, such as ");
			answers_name(w, name, &out->text);
			answers_say(out, " with %.1f %%", share);
			answers_add_of(w, out, name, "unfinished_share", "%", share);
		}
		rows_release(&all);
	}
	fold_free(f);
	lens_release(&lens);
}

/* Returns the lower end of the interval of a function's self in %. If samples have no times, they
 * may depend on each other, and the interval that counts them as independent is the narrowest. */
static double
surely_hot(const struct answers_work *w, const struct row *row, struct evidence bar)
{
	double low, high;

	if (bar.known)
		return bar.low;
	if (!(w->samples > 0))
		return 100 * (double)row->self / answers_whole(w);
	evidence_wilson((double)row->self / w->weight, w->samples, &low, &high);
	return 100 * low;
}

/* Returns true if the file says that values of the metric include each other (info `overlapping`):
 * their sum is no whole. */
static bool
values_overlap(const struct answers_work *w)
{
	const char *metric = names_get(&w->p->names, w->p->metric[w->fold->metric].name).at;

	for (uint32_t i = 0; i < w->p->n_info; i++)
		if (!strcmp(names_get(&w->p->names, w->p->info[i].key).at, "overlapping") &&
		    !strcmp(names_get(&w->p->names, w->p->info[i].value).at, metric))
			return true;
	return false;
}

static void
say_overlapping(const struct answers_work *w, const struct row *best, struct answers_item *out)
{
	const struct metric *m = &w->p->metric[w->fold->metric];
	name_id name = w->p->frames.function.name[best->key];

	answers_name(w, name, &out->text);
	answers_say(out, " takes ");
	human_value(&out->text, best->self, m);
	answers_say(out, " with what it calls");
	answers_add_of(w, out, name, "self", unit_name(m->unit), (double)best->self);
}

static void
find_hot(struct answers_work *w, struct answers_item *out)
{
	struct row best = answers_hottest(w);
	int64_t part;

	if (!best.self) {
		answers_say(out, "no function has a cost of its own");
		say_unfinished(w, out);
		return;
	}
	if (values_overlap(w)) {
		say_overlapping(w, &best, out);
		return;
	}
	name_id name = w->p->frames.function.name[best.key];
	double share = 100 * (double)best.self / answers_whole(w);
	struct evidence e = answers_bar(w, &best);
	struct answers_number *n = answers_add_of(w, out, name, "share", "%", share);
	if (e.known) {
		n->bounded = true;
		n->low = e.low;
		n->high = e.high;
	}
	out->notable = answers_level(surely_hot(w, &best, e), 20);
	if (out->notable > 1 && is_nameless(w, &best))
		out->notable = 1; /* `trust` reports missing names, and comes first */
	if (is_untraced_root(w, &best))
		out->notable = 0; /* it only says that what it calls was not traced */
	answers_name(w, name, &out->text);
	answers_say(out, " takes %.1f %% itself", share);
	answers_say_interval(out, n);
	key_id caller = main_caller(w, best.key, &part);
	if (caller != KEY_NONE && !answers_nameless(w, best.key) &&
	    !answers_nameless(w, caller)) {
		double of = 100 * (double)part / (double)best.self;
		answers_add_of(w, out, w->p->frames.function.name[caller], "caller_share", "%",
			       of);
		answers_say(out, ", %.0f %% of that for ", of);
		answers_function(w, caller, &out->text);
	}
	answers_say_samples(w, out);
	say_unfinished(w, out);
}

const struct answers_row answer_hot = {
	.name = "hot",
	.question = "What is hot?",
	.guide = "hot",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_COSTS,
	.find = find_hot,
};

/* ---- system ---- */

static void
find_system(struct answers_work *w, struct answers_item *out)
{
	int64_t self = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		self += answers_kind_of(w, &r) == KIND_SYSTEM ? r.self : 0;
	}
	struct answers_number *n = answers_add_share(w, out, "", (double)self);
	if (self)
		answers_show_entry(out, VERB_INCLUDE_SELF, "kind:system");
	if (answers_of_system(w)) {
		answers_say(out, "the profile has functions of the system only");
		return;
	}
	out->notable = answers_level(n->value, 30);
	answers_say(out, "the system takes %.1f %%", n->value);
	answers_say_interval(out, n);
	answers_say_samples(w, out);
}

const struct answers_row answer_system = {
	.name = "system",
	.question = "Is it the program or the system?",
	.guide = "system",
	.words = "--limit 10",
	.needs = ANSWERS_NEED_COSTS,
	.find = find_system,
};

/* ---- recursion ---- */

#define TENTHS 10
#define DEPTH_NOTABLE 100u
#define DEPTH_GROWS 16u /* recursion that is less deep is no growth */

/* Returns how often the function of each node occurs on its path, [node]. */
static uint32_t *
chain_depths(const struct answers_work *w)
{
	const struct projection *t = w->fold->tree;
	uint32_t *depth = mem_zalloc(t->n + 1, sizeof *depth);

	for (node_id i = 1; i < t->n && pace_on(w->pace, 1); i++) {
		node_id up = t->parent[i];
		depth[i] = 1;
		if (t->outermost[i])
			continue;
		while (up != NODE_ROOT && t->key[up] != t->key[i] && pace_on(w->pace, 1))
			up = t->parent[up];
		depth[i] += depth[up];
	}
	return depth;
}

/* Finds the deepest chain in each tenth of the run. */
static void
depth_of_tenths(struct answers_work *w, const uint32_t *depth, double *most)
{
	const struct fold *f = w->fold;
	struct tally tally;
	struct slice slice = w->slice;

	tally_init(&tally);
	tally.pace = w->pace;
	slice.whole = false;
	for (unsigned i = 0; i < TENTHS && !pace_gives_up(w->pace); i++) {
		slice.from = wide_part_up(w->from, w->to, TENTHS, i);
		slice.to = wide_part_up(w->from, w->to, TENTHS, i + 1);
		tally_count(&tally, w->p, &slice);
		most[i] = 0;
		for (stack_id s = 0; s < tally.n && s < f->tree->n_stacks; s++) {
			node_id node = f->tree->node_of[s];
			if (tally.cell[s].hits && node != NODE_NONE && depth[node] > most[i])
				most[i] = depth[node];
		}
	}
	tally_release(&tally);
}

/* Returns true if the slope of n values is surely above 0, and the last is twice the first. */
static bool
grows(const double *v, unsigned n)
{
	struct answers_line l = answers_fit(v, n);
	double error = sqrt(l.rest / (n - 2) / l.places);

	return l.slope > evidence_student_limit(n - 2) * error && l.slope > 0 && v[0] > 0 &&
	       v[n - 1] >= 2 * v[0];
}

/* Shows the chain: of the frames those of the function alone, a row for each. */
static void
show_chain(const struct answers_work *w, struct answers_item *out, name_id name, uint32_t depth)
{
	struct buf rows = BUF_INIT;

	buf_addf(&rows, "%u", depth);
	answers_show_named(w, out, VERB_SHOW, name);
	answers_show_option(out, "limit", buf_str(&rows));
	buf_release(&rows);
	out->shown.lens.by = BY_FUNCTION;
	out->shown.lens.invert = false;
}

static void
find_recursion(struct answers_work *w, struct answers_item *out)
{
	const struct projection *t = w->fold->tree;
	uint32_t *depth = chain_depths(w);
	double tenth[TENTHS] = {0};
	bool growing = false;
	node_id best = NODE_ROOT;

	for (node_id i = 1; i < t->n; i++)
		if (depth[i] > depth[best] && w->fold->now.present[i] &&
		    !answers_nameless(w, t->key[i]))
			best = i;
	if (depth[best] < 2) {
		answers_say(out, "no function calls itself");
		answers_add(out, "", "depth", "count", depth[best]);
		free(depth);
		return;
	}
	if (depth[best] >= DEPTH_GROWS && w->fold->run > TENTHS && !w->untimed) {
		depth_of_tenths(w, depth, tenth);
		growing = grows(tenth, TENTHS);
	}
	name_id name = w->p->frames.function.name[t->key[best]];
	answers_add_of(w, out, name, "depth", "count", depth[best]);
	out->notable = answers_level(depth[best], DEPTH_NOTABLE);
	out->notable = !out->notable && growing ? 1 : out->notable;
	answers_name(w, name, &out->text);
	answers_say(out, " calls itself up to %u deep", depth[best]);
	show_chain(w, out, name, depth[best]);
	if (growing)
		answers_say(out, ", deeper over the run: %.0f in the first tenth, %.0f in the last",
			    tenth[0], tenth[TENTHS - 1]);
	free(depth);
}

const struct answers_row answer_recursion = {
	.name = "recursion",
	.question = "How deep is the recursion?",
	.guide = "callers",
	.view = "tree",
	.words = "--limit 40",
	.needs = ANSWERS_NEED_COSTS,
	.find = find_recursion,
};

/* ---- trust ---- */

/* Returns the number that a text begins with; 0 if it begins with none. */
static double
leading_number(const char *text)
{
	return isdigit((unsigned char)*text) ? strtod(text, NULL) : 0;
}

/* Returns the count in the warnings with these words. */
static double
warned(const struct answers_work *w, const char *words)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->p->n_warnings; i++)
		if (strstr(w->p->warning[i].text, words))
			sum += leading_number(w->p->warning[i].text);
	return sum;
}

/* Returns the sum of the numbers with which facts begin whose key begins with `key`. */
static double
stated(const struct answers_work *w, const char *key)
{
	size_t len = strlen(key);
	double sum = 0;

	for (uint32_t i = 0; i < w->p->n_info; i++) {
		const struct info *x = &w->p->info[i];
		struct buf text = BUF_INIT;
		struct name name = names_get(&w->p->names, x->key);
		profile_write_name(w->p, x->value, &text);
		if (name.len >= len && !memcmp(name.at, key, len))
			sum += leading_number(buf_str(&text));
		buf_release(&text);
	}
	return sum;
}

/* Returns the number of events that the file says were lost. */
static double
lost_events(const struct answers_work *w)
{
	double sum = warned(w, "were lost");

	return sum < 1 ? stated(w, "lost") : sum;
}

/* One thing that may be wrong with a profile. */
struct doubt {
	const char *subject, *before, *after;
	int decimals;
	double share, threshold;
};

static double
share_truncated(const struct answers_work *w)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		struct name n = names_get(&w->p->names, w->p->frames.function.name[r.key]);
		if (n.len == 11 && !memcmp(n.at, "[truncated]", 11))
			total += r.total;
	}
	return 100 * (double)total / answers_whole(w);
}

/* Returns what the fact "unwound: 10 of 12 stacks" leaves, in %. */
static double
share_not_unwound(const struct answers_work *w)
{
	double whole = 0, all = 0;

	for (uint32_t i = 0; i < w->p->n_info; i++) {
		struct name key = names_get(&w->p->names, w->p->info[i].key);
		const char *text = names_get(&w->p->names, w->p->info[i].value).at;
		const char *of = strcmp(key.at, "unwound") == 0 ? strstr(text, " of ") : NULL;
		whole += of ? strtod(text, NULL) : 0;
		all += of ? strtod(of + 4, NULL) : 0;
	}
	return all > 0 ? 100 - 100 * whole / all : 0;
}

static double
share_nameless(const struct answers_work *w)
{
	int64_t self = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		self += is_nameless(w, &r) ? r.self : 0;
	}
	return 100 * (double)self / answers_whole(w);
}

#define RUNS_LEAST 0.05 /* of the whole: a program that is always idle has no hot function */

/* Returns half the width of the interval of the hottest function, in % of its share. It counts
 * samples as independent: a function that runs in one phase only has a wide error bar, but not for
 * lack of samples. */
static double
imprecision(const struct answers_work *w)
{
	struct row best = answers_hottest(w);
	double low, high, runs = 0;

	for (uint32_t i = 0; i < w->rows.n; i++) {
		struct row r = rows_get(&w->rows, i);
		runs += answers_kind_of(w, &r) == KIND_IDLE ? 0 : (double)r.self;
	}
	if (!best.self || !(w->samples > 0) || runs < RUNS_LEAST * answers_whole(w))
		return 0;
	evidence_wilson((double)best.self / w->weight, w->samples, &low, &high);
	return 100 * (high - low) / 2 / ((double)best.self / answers_whole(w));
}

static void
find_trust(struct answers_work *w, struct answers_item *out)
{
	double lost = lost_events(w), events = (double)w->p->events;
	double callerless = w->p->n_groups == 1 ? stated(w, "without callers") : 0;
	struct doubt all[] = {
		{"unknown", "", " % of the cost has no name", 1, share_nameless(w), 5},
		{"truncated", "", " % of the cost has truncated stacks", 1, share_truncated(w), 5},
		{"callers", "", " % of the samples in programs have no callers: record with "
		 "--call-graph dwarf", 1, callerless, 5},
		{"unwound", "", " % of the stacks could not be unwound to their beginning", 1,
		 share_not_unwound(w), 5},
		{"lost", "", " % of the events were lost", 1, 100 * lost / (lost + events + 1), 5},
		{"samples", "the share of the hottest function is known to \xc2\xb1",
		 w->has_chance ? " % only" : " % at best", 0, imprecision(w), 25},
		{"clock", "", " % of the times go back", 1,
		 100 * warned(w, "go back") / (events + 1), 5},
		{"contradicting", "", " % of the time contradicts itself: parts took longer than "
		 "what contains them", 1, stated(w, "contradicting"), 5},
	};
	const struct doubt *worst = NULL;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct doubt *d = &all[i];
		unsigned level = answers_level(d->share, d->threshold);
		answers_add(out, d->subject, "share", "%", d->share);
		if (!level)
			continue;
		if (!worst || d->share / d->threshold > worst->share / worst->threshold)
			worst = d;
		out->notable = level > out->notable ? level : out->notable;
	}
	if (!worst && values_overlap(w)) {
		answers_say(out, "the numbers include what is called: they overlap, and their sum "
				 "is no cost of the program");
		out->notable = 1;
		return;
	}
	if (!worst) {
		answers_say(out, "nothing speaks against the numbers");
		answers_say_samples(w, out);
		return;
	}
	if (*worst->before && worst->share > 100)
		answers_say(out, "there are too few samples to know the share of the hottest "
				 "function");
	else
		answers_say(out, "%s%.*f%s", worst->before, worst->decimals, worst->share,
			    worst->after);
	answers_say_samples(w, out);
}

const struct answers_row answer_trust = {
	.name = "trust",
	.question = "Can I trust these numbers?",
	.guide = "trust",
	.view = "info",
	.needs = ANSWERS_NEED_COSTS,
	.find = find_trust,
};
