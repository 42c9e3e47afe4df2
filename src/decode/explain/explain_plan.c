/* Computes the own costs of nodes: a plan has inclusive numbers, and those of sub-plans are not
 * always in the node where they hang.
 *
 *	Hash Join  100 ms			a CTE and an InitPlan run inside the node that
 *	  CTE c					first needs them, whose numbers have theirs:
 *	    -> HashAggregate  60 ms  --.		they are moved there
 *	  -> CTE Scan on c  80 ms    <-'
 *
 * Times are of one loop of one process: elapsed time = time of a loop * loops / processes. Where
 * children have more than their node, the nodes above it make room, and keep their numbers. */
#include "src/decode/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/base/wide.h"
#include "src/decode/common/contradiction.h"
#include "src/decode/common/words.h"

#define PLACED_MAX 10000u /* nodes of a plan in which sub-plans are moved */
#define ROUNDING_NS 500 /* of a loop: times have three decimals of a ms */

static const struct {
	const char *name;
	enum unit unit;
	bool inclusive;
} measures[EXPLAIN_MEASURE_COUNT] = {
#define EXPLAIN_ROW(id, metric, of, deep) [EXPLAIN_##id] = {metric, of, deep},
	EXPLAIN_MEASURES(EXPLAIN_ROW)
#undef EXPLAIN_ROW
};

/* ---- reading ---- */

struct explain_node *
explain_node(struct explain *x, uint32_t parent)
{
	struct explain_node *n = mem_zalloc(1, sizeof *n);

	n->parent = n->runs_in = parent;
	n->workers.launched = -1;
	n->loop.rounding_ns = ROUNDING_NS;
	*vec_push(&x->plan.node) = n;
	return n;
}

void
explain_property(struct explain *x, struct explain_node *n, const char *key, size_t key_len,
		 const char *text, size_t len)
{
	buf_add(&n->text, text, len);
	buf_addc(&n->text, '\n');
	if (n->labels.n < EXPLAIN_LABELS_MAX)
		n->labels.at[n->labels.n++] = builder_label_text(x->b,
							     builder_name(x->b, key, key_len),
							     builder_name(x->b, text, len));
}

static void
plan_release(struct explain_plan *p)
{
	for (size_t i = 0; i < p->node.n; i++) {
		buf_release(&p->node.at[i]->text);
		free(p->node.at[i]);
	}
	buf_release(&p->planning.text);
	vec_release_all(&p->node, &p->trigger);
}

void
explain_plan_end(struct explain *x)
{
	bool any = false;

	for (size_t i = 0; i < x->plan.node.n; i++)
		any |= x->plan.node.at[i]->has_loops;
	x->not_executed |= !any && x->plan.node.n;
	if (any)
		*vec_push(&x->done) = x->plan;
	else
		plan_release(&x->plan);
	x->plan = (struct explain_plan){.query = NAME_EMPTY};
}

void
explain_release(struct explain *x)
{
	plan_release(&x->plan);
	for (size_t i = 0; i < x->done.n; i++)
		plan_release(&x->done.at[i]);
	vec_release(&x->done);
	buf_release(&x->text);
}

/* ---- numbers ---- */

/* Returns a * b / by, rounded half away from zero; numbers of files may be any. */
static int64_t
explain_scaled(int64_t a, int64_t b, int64_t by)
{
	wide product = wide_mul(wide_of(a), wide_of(b));
	wide twice = wide_add(wide_add(product, product), wide_of(by));

	return a < 0 || b < 0 ? 0 : wide_clipped(wide_div(twice, wide_of(2 * by)));
}

/* Returns the number of processes that run a node: those of the Gather below which it is. A SubPlan
 * of the Gather itself is evaluated by the process that gathers. That process need not take part in
 * the rest (parallel_leader_participation): then the Gather's child has fewer loops. */
static int64_t
processes(const struct explain_plan *p, uint32_t i)
{
	for (;;) {
		const struct explain_node *n = p->node.at[i];
		if (n->relation == EXPLAIN_INITPLAN || n->relation == EXPLAIN_CTE ||
		    n->parent == EXPLAIN_NONE)
			return 1;
		i = n->parent;
		int64_t launched = p->node.at[i]->workers.launched;
		if (launched < 0 || launched >= 100000 || n->relation == EXPLAIN_SUBPLAN)
			continue;
		bool once = p->node.at[i]->loops == 1;
		return once && n->loops > 0 && n->loops <= launched ? n->loops : launched + 1;
	}
}

static void
add_to(int64_t *to, int64_t more)
{
	if (__builtin_add_overflow(*to, more, to))
		*to = INT64_MAX;
}

/* Adds the inclusive numbers of a node to those of the children of another; or takes them off. */
static void
explain_hang(const struct explain_plan *p, uint32_t i, bool on)
{
	const struct explain_node *n = p->node.at[i];

	if (n->runs_in == EXPLAIN_NONE)
		return;
	struct explain_node *to = p->node.at[n->runs_in];
	add_to(&to->inner_ns, on ? n->total_ns : -n->total_ns);
	for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++)
		if (measures[m].inclusive)
			add_to(&to->inner[m], on ? n->measure[m] : -n->measure[m]);
}

static int64_t
sub_clipped(int64_t a, int64_t b)
{
	int64_t left;

	return __builtin_sub_overflow(a, b, &left) ? INT64_MIN : left;
}

static int64_t
explain_room(const struct explain_node *n)
{
	return sub_clipped(n->total_ns, n->inner_ns);
}

/* Raises a number to that of the children; the excess counts for the children of the node above. */
static void
pass_up(int64_t *total, int64_t inner, int64_t *above)
{
	int64_t excess = sub_clipped(inner, *total);

	if (excess > 0) {
		add_to(above, excess);
		add_to(total, excess);
	}
}

/* Gives each node at least what its children have, innermost nodes first. */
static void
explain_settle(const struct explain_plan *p)
{
	uint32_t *inside = mem_zalloc(p->node.n + 1, sizeof *inside); /* children to wait for */

	for (uint32_t i = 0; i < p->node.n; i++)
		if (p->node.at[i]->runs_in != EXPLAIN_NONE)
			inside[p->node.at[i]->runs_in]++;
	for (uint32_t leaf = 0; leaf < p->node.n; leaf++)
		for (uint32_t i = leaf, next; i != EXPLAIN_NONE && !inside[i]; i = next) {
			struct explain_node *n = p->node.at[i], root = {0}, *above = &root;
			inside[i] = EXPLAIN_NONE; /* done */
			if ((next = n->runs_in) != EXPLAIN_NONE) {
				inside[next]--;
				above = p->node.at[next];
			}
			pass_up(&n->total_ns, n->inner_ns, &above->inner_ns);
			for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++)
				if (measures[m].inclusive)
					pass_up(&n->measure[m], n->inner[m], &above->inner[m]);
		}
	free(inside);
}

static void
explain_numbers(const struct explain_plan *p)
{
	for (uint32_t i = 0; i < p->node.n; i++) {
		struct explain_node *n = p->node.at[i];
		n->total_ns = explain_scaled(n->loop.ns, n->loops, processes(p, i));
		n->measure[EXPLAIN_ROWS] = explain_scaled(n->rows.real, n->loops, 100);
		n->measure[EXPLAIN_ESTIMATED] = explain_scaled(n->rows.plan, n->loops, 100);
		n->measure[EXPLAIN_REMOVED] = explain_scaled(n->rows.removed, n->loops, 100);
		for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++)
			n->measure[m] = n->measure[m] < 0 ? 0 : n->measure[m];
	}
	for (uint32_t i = 0; i < p->node.n; i++)
		explain_hang(p, i, true);
}

/* ---- where sub-plans run ---- */

/* Returns true if node i is `root` or runs in it. */
static bool
runs_within(const struct explain_plan *p, uint32_t i, uint32_t root)
{
	for (; i != EXPLAIN_NONE; i = p->node.at[i]->runs_in)
		if (i == root)
			return true;
	return false;
}

/* Returns true if a property contains the word, not followed by a digit. */
static bool
text_names(const struct explain_node *n, const char *word, size_t len)
{
	const char *at = buf_str(&n->text), *end = at + n->text.len;

	while ((at = memmem(at, (size_t)(end - at), word, len))) {
		at += len;
		if (at == end || !is_digit(*at))
			return true;
	}
	return false;
}

/* Returns true if the node's properties name a parameter of the InitPlan with this heading:
 * `InitPlan 4 (returns $3)` or, since version 17, `InitPlan 4`. */
static bool
needs_parameter(const struct explain_node *n, struct name heading)
{
	const char *at = heading.at, *end = at + heading.len;
	char word[48];

	for (const char *dollar = at; (dollar = memchr(dollar, '$', (size_t)(end - dollar)));) {
		const char *stop = digits_end(dollar + 1, end);
		if (stop > dollar + 1 && text_names(n, dollar, (size_t)(stop - dollar)))
			return true;
		dollar = stop;
	}
	int len = snprintf(word, sizeof word, "(%.*s).", (int)(heading.len > 40 ? 40 : heading.len),
			   at);
	return text_names(n, word, (size_t)len);
}

/* Returns the node, among those that fit, with the largest room; EXPLAIN_NONE if there is none. */
static uint32_t
roomiest(struct explain *x, const struct explain_plan *p, uint32_t sub, bool by_name)
{
	const struct explain_node *s = p->node.at[sub];
	struct name heading = builder_name_get(x->b, s->heading);
	name_id cte = NAME_EMPTY;
	uint32_t best = EXPLAIN_NONE;

	if (s->relation == EXPLAIN_CTE)
		cte = builder_name(x->b, heading.at + 4, heading.len - 4);
	for (uint32_t i = 0; i < p->node.n; i++) {
		const struct explain_node *n = p->node.at[i];
		bool fits = s->relation == EXPLAIN_CTE
				    ? n->cte == cte && cte != NAME_EMPTY && n->loops > 0
				    : runs_within(p, i, s->parent) &&
					      (!by_name || needs_parameter(n, heading));
		bool more = best == EXPLAIN_NONE ||
			    explain_room(n) > explain_room(p->node.at[best]);
		if (fits && more && !runs_within(p, i, sub))
			best = i;
	}
	return best;
}

static void
place(struct explain *x, const struct explain_plan *p, uint32_t i)
{
	struct explain_node *n = p->node.at[i];

	uint32_t to = roomiest(x, p, i, true);
	if (n->relation == EXPLAIN_INITPLAN && to == EXPLAIN_NONE &&
	    explain_room(p->node.at[n->parent]) < n->total_ns)
		to = roomiest(x, p, i, false);
	if (to != EXPLAIN_NONE) {
		if (n->relation == EXPLAIN_INITPLAN && to != n->parent &&
		    roomiest(x, p, i, true) == EXPLAIN_NONE) {
			struct name h = builder_name_get(x->b, n->heading);
			struct name in = builder_name_get(x->b, p->node.at[to]->name);
			builder_info(x->b, "assumed", "%.*s runs in %.*s", (int)h.len, h.at,
				     (int)in.len, in.at);
		}
		n->runs_in = to;
	}
	explain_hang(p, i, true);
}

/* ---- the profile ---- */

struct explain_out {
	struct explain *x;
	metric_id metric[EXPLAIN_MEASURE_COUNT + 2];
	int column[EXPLAIN_MEASURE_COUNT + 2]; /* a measure; TIME, CALLS */
	unsigned n;
	struct series *series;
	track_id track;
	label_id query;
};
enum { TIME = EXPLAIN_MEASURE_COUNT, CALLS };

static bool
put(struct explain_out *o, stack_id stack, const int64_t *measure, int64_t ns, int64_t calls,
    label_id *label, size_t n_labels)
{
	int64_t value[EXPLAIN_MEASURE_COUNT + 2];

	for (unsigned i = 0; i < o->n; i++)
		value[i] = o->column[i] == TIME    ? ns
			   : o->column[i] == CALLS ? calls
			   : measure               ? measure[o->column[i]]
						   : 0;
	if (o->query != LABEL_NONE)
		label[n_labels++] = o->query;
	builder_next_labels(o->x->b, o->series,
			    n_labels ? builder_labels(o->x->b, label, n_labels) : LABELS_NONE);
	builder_track_event(o->x->b, o->track);
	return builder_total(o->x->b, o->series, stack, value, 0, o->x->e);
}

static frame_id
explain_frame(struct explain *x, name_id name, name_id module)
{
	struct function f = {.name = name, .module = module, .kind = KIND_USER};

	return builder_frame(x->b, builder_function(x->b, f), line_unknown());
}

/* Returns `10x too low` or `100x too high`, by which the estimate misses; 0 if it is right. */
static label_id
estimate_label(struct explain *x, const struct explain_node *n)
{
	int64_t real = n->rows.real > 100 ? n->rows.real : 100, times = 1;
	int64_t plan = n->rows.plan > 100 ? n->rows.plan : 100;
	int64_t more = real > plan ? real : plan, less = real > plan ? plan : real;
	char text[64];

	if (n->loops <= 0 || !n->rows.plan)
		return LABEL_NONE;
	while (times <= INT64_MAX / 10 && more / times / 10 >= less)
		times *= 10;
	if (times == 1)
		return LABEL_NONE;
	int len = snprintf(text, sizeof text, "%" PRId64 "x too %s", times,
			   real > plan ? "low" : "high");
	return builder_label_text(x->b, builder_name(x->b, "estimate", 8),
				  builder_name(x->b, text, (size_t)len));
}

static bool
put_node(struct explain_out *o, struct explain_node *n, stack_id stack)
{
	label_id label[EXPLAIN_LABELS_MAX + 2];
	int64_t own[EXPLAIN_MEASURE_COUNT], ns = explain_room(n);
	size_t n_labels = 0;

	for (; n_labels < n->labels.n; n_labels++)
		label[n_labels] = n->labels.at[n_labels];
	label[n_labels] = estimate_label(o->x, n);
	n_labels += label[n_labels] != LABEL_NONE;
	for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++) {
		own[m] = n->measure[m] - (measures[m].inclusive ? n->inner[m] : 0);
		own[m] = own[m] < 0 ? 0 : own[m];
	}
	return put(o, stack, own, ns < 0 ? 0 : ns, n->loops > 0 ? n->loops : 0, label, n_labels);
}

/* Finds the stack of a node, after those of the nodes in which it runs. */
static stack_id
stack_of(struct explain *x, const struct explain_plan *p, stack_id *stack, uint32_t i)
{
	const struct explain_node *n = p->node.at[i];
	VEC(uint32_t) way = VEC_INIT;

	for (uint32_t k = i; k != EXPLAIN_NONE && stack[k] == STACK_NONE;
	     k = p->node.at[k]->runs_in)
		*vec_push(&way) = k;
	while (way.n) {
		uint32_t k = way.at[--way.n];
		n = p->node.at[k];
		stack_id s = n->runs_in == EXPLAIN_NONE ? STACK_EMPTY : stack[n->runs_in];
		if (n->heading != NAME_EMPTY)
			s = builder_child(x->b, s, explain_frame(x, n->heading, NAME_EMPTY));
		stack[k] = builder_child(x->b, s, explain_frame(x, n->name, n->module));
	}
	vec_release(&way);
	return stack[i];
}

/* A root beside the plan. */
static bool
put_beside(struct explain_out *o, const char *prefix, name_id name, const int64_t *measure,
	   int64_t ns, int64_t calls)
{
	struct explain *x = o->x;
	struct name n = builder_name_get(x->b, name);
	label_id label[2];

	buf_reset(&x->text);
	buf_adds(&x->text, prefix);
	buf_add(&x->text, n.at, n.len);
	name_id whole = builder_name(x->b, buf_str(&x->text), x->text.len);
	frame_id frame = explain_frame(x, whole, NAME_EMPTY);
	return put(o, builder_child(x->b, STACK_EMPTY, frame), measure, ns < 0 ? 0 : ns, calls,
		   label, 0);
}

static bool
put_rest(struct explain_out *o, struct explain_plan *p)
{
	int64_t rest = p->execution_ns - (p->node.n ? p->node.at[0]->total_ns : 0);
	bool good = true, timed = p->node.n && p->node.at[0]->has_time;

	if (p->has_planning)
		good = put_beside(o, "Planning", NAME_EMPTY, p->planning.measure,
				  p->planning.loop.ns, 1);
	for (size_t i = 0; i < p->trigger.n && good; i++) {
		const struct explain_trigger *t = &p->trigger.at[i];
		bool constraint = t->constraint != NAME_EMPTY;
		rest -= t->time_ns;
		good = put_beside(o, constraint ? "Trigger for constraint " : "Trigger ",
				  constraint ? t->constraint : t->name, NULL, t->time_ns, t->calls);
	}
	if (good && p->has_serialization) {
		rest -= p->serialization_ns;
		good = put_beside(o, "Serialization", NAME_EMPTY, NULL, p->serialization_ns, 0);
	}
	if (good && p->has_execution && timed && rest > 0)
		good = put_beside(o, "[executor]", NAME_EMPTY, NULL, rest, 0);
	return good;
}

/* Warns of the largest gap that rounding does not explain, and adds up all of them. */
static void
warn_of_gaps(struct explain *x, const struct explain_plan *p, int64_t *sum)
{
	int64_t *slack = mem_zalloc(p->node.n + 1, sizeof *slack), most = 0;
	uint32_t at = EXPLAIN_NONE;

	for (uint32_t i = 0; i < p->node.n; i++) {
		const struct explain_node *n = p->node.at[i];
		int64_t rounding = explain_scaled(n->loops, n->loop.rounding_ns, 1);
		add_to(&slack[i], rounding);
		if (n->runs_in != EXPLAIN_NONE)
			add_to(&slack[n->runs_in], rounding);
	}
	for (uint32_t i = 0; i < p->node.n; i++) {
		int64_t gap = sub_clipped(p->node.at[i]->inner_ns, p->node.at[i]->total_ns);
		if (!p->node.at[i]->has_time || gap <= slack[i])
			continue;
		add_to(sum, gap);
		if (gap > most) {
			most = gap;
			at = i;
		}
	}
	if (at != EXPLAIN_NONE) {
		struct name n = builder_name_get(x->b, p->node.at[at]->name);
		builder_warn(x->b,
			     "%.*s took less time than its children, by %" PRId64 ".%06" PRId64
			     " ms: its own time is 0",
			     (int)n.len, n.at, most / 1000000, most % 1000000);
	}
	free(slack);
}

static void
report_workers(struct explain *x, const struct explain_plan *p)
{
	for (uint32_t i = 0; i < p->node.n; i++) {
		const struct explain_node *n = p->node.at[i];
		if (n->workers.launched >= 0 && n->workers.launched < n->workers.planned)
			builder_warn(x->b, "%" PRId64 " of %" PRId64 " planned workers ran",
				     n->workers.launched, n->workers.planned);
	}
}

static bool
plan_write(struct explain_out *o, struct explain_plan *p)
{
	struct explain *x = o->x;
	stack_id *stack = mem_alloc(p->node.n + 1, sizeof *stack);
	bool good = true;

	for (uint32_t i = 0; i < p->node.n; i++)
		stack[i] = STACK_NONE;
	for (uint32_t i = 0; i < p->node.n && good; i++)
		good = put_node(o, p->node.at[i], stack_of(x, p, stack, i));
	good = good && put_rest(o, p);
	report_workers(x, p);
	free(stack);
	return good;
}

/* Declares the metrics that are not 0 everywhere. */
static void
declare(struct explain_out *o)
{
	struct explain *x = o->x;
	bool timed = false, used[EXPLAIN_MEASURE_COUNT] = {false};

	for (size_t i = 0; i < x->done.n; i++) {
		const struct explain_plan *p = &x->done.at[i];
		for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++)
			used[m] |= p->planning.measure[m] > 0;
		for (uint32_t k = 0; k < p->node.n; k++) {
			timed |= p->node.at[k]->has_time;
			for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++)
				used[m] |= p->node.at[k]->measure[m] != 0;
		}
	}
	if (timed) {
		o->metric[o->n] = builder_metric(x->b, "time", UNIT_NS, ROLE_VALUE);
		o->column[o->n++] = TIME;
	}
	for (unsigned m = 0; m < EXPLAIN_MEASURE_COUNT; m++) {
		if (!used[m])
			continue;
		o->metric[o->n] =
			builder_metric(x->b, measures[m].name, measures[m].unit, ROLE_VALUE);
		o->column[o->n++] = (int)m;
	}
	o->metric[o->n] = builder_metric(x->b, "calls", UNIT_CALLS, ROLE_VALUE);
	o->column[o->n] = CALLS;
	builder_calls_metric(x->b, o->metric[o->n++]);
	builder_default_metric(x->b, o->metric[0]);
}

/* Moves the sub-plans that run elsewhere than they hang, in the order of the file. */
static void
place_all(struct explain *x, const struct explain_plan *p)
{
	if (p->node.n > PLACED_MAX)
		return;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < p->node.n; i++) {
			const struct explain_node *n = p->node.at[i];
			if (n->parent == EXPLAIN_NONE || (n->relation != EXPLAIN_INITPLAN &&
							  n->relation != EXPLAIN_CTE))
				continue;
			if (pass)
				place(x, p, i);
			else
				explain_hang(p, i, false); /* it takes no room yet */
		}
}

bool
explain_write(struct explain *x)
{
	struct explain_out o = {.x = x, .query = LABEL_NONE};
	int64_t gaps = 0, whole = 0;
	bool good = true;

	for (size_t i = 0; i < x->done.n; i++) {
		struct explain_plan *p = &x->done.at[i];
		explain_numbers(p);
		place_all(x, p);
		warn_of_gaps(x, p, &gaps);
		explain_settle(p);
		add_to(&whole, p->node.n ? p->node.at[0]->total_ns : 0);
	}
	contradiction_report(x->b, gaps, whole);
	declare(&o);
	for (size_t i = 0; i < x->done.n && good; i++) {
		struct explain_plan *p = &x->done.at[i];
		buf_reset(&x->text);
		buf_addf(&x->text, x->done.n > 1 ? "query %zu" : "main", i + 1);
		o.track = builder_track(x->b, buf_str(&x->text), x->text.len, TRACK_TASK);
		o.series = builder_totals(x->b, o.track, o.metric, o.n);
		builder_labelled(x->b, o.series);
		o.query = p->query == NAME_EMPTY
				  ? LABEL_NONE
				  : builder_label_text(x->b, builder_name(x->b, "query", 5),
						       p->query);
		good = plan_write(&o, p);
	}
	return good;
}
