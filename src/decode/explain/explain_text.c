/* The lines of a plan in text.
 *
 *	Nested Loop  (cost=0.29..9.81 rows=1 width=36) (actual time=0.007..0.007 rows=0 loops=1)
 *	  Join Filter: (a.id = b.id)			a property of the node above
 *	  InitPlan 1 (returns $0)			a heading
 *	    ->  Result  (cost=...) (never executed)
 *	  ->  Seq Scan on a  (cost=...) (actual ...)
 *	Planning Time: 0.1 ms
 *
 * The column of the arrow, or of a heading's first letter, makes the tree: the parent is the
 * nearest entry above with a smaller column. Costs and times may each be missing. */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define TAB 8u
#define QUERY_MAX 200u

/* ---- numbers ---- */

bool
explain_number(const char *at, const char *end, const char *word, int scale, int64_t *out)
{
	const char *from = text_find(at, end, word), *stop;

	if (!from)
		return false;
	from += strlen(word);
	for (stop = from; stop < end && (is_digit(*stop) || *stop == '.'); stop++)
		if (*stop == '.' && stop + 1 < end && stop[1] == '.')
			break;
	if (end - stop > 1 && *stop == 'e')
		stop = digits_end(stop + 1 + (stop[1] == '+' || stop[1] == '-'), end);
	return decimal_scaled(from, (size_t)(stop - from), scale, out);
}

/* Reads `KEY=N` within a part of a line. */
static void
counts(struct explain_node *n, const char *at, const char *end, const char *word,
       enum explain_measure first)
{
	static const char *const keys[] = {"hit=", "read=", "dirtied=", "written="};
	const char *from = text_find(at, end, word), *stop;

	if (!from)
		return;
	stop = memchr(from, ',', (size_t)(end - from));
	stop = stop ? stop : end;
	if (first == EXPLAIN_TEMP_READ) {
		explain_number(from, stop, "read=", 0, &n->measure[EXPLAIN_TEMP_READ]);
		explain_number(from, stop, "written=", 0, &n->measure[EXPLAIN_TEMP_WRITTEN]);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		explain_number(from, stop, keys[i], 0, &n->measure[first + i]);
}

/* Adds up all `read=` and `write=` of a line. */
static void
io_times(struct explain_node *n, const char *at, const char *end)
{
	for (; at < end; at++) {
		int64_t ns;
		if (begins_with(at, end, "read=") && explain_number(at, end, "read=", 6, &ns))
			n->measure[EXPLAIN_IO_READ] += ns > INT64_MAX / 8 ? 0 : ns;
		if (begins_with(at, end, "write=") && explain_number(at, end, "write=", 6, &ns))
			n->measure[EXPLAIN_IO_WRITE] += ns > INT64_MAX / 8 ? 0 : ns;
	}
}

/* ---- nodes ---- */

/* Returns true for a node of MySQL; its `-> Hash` has no brackets. */
static bool
is_of_mysql(const char *at, const char *end)
{
	return begins_with(at, end, "-> ") && !begins_with(at, end, "->  ");
}

/* -> Inner hash join (a.id = b.id)  (cost=1.5..2.1e+6 rows=3) (actual time=8e-3..12 rows=3 loops=1)
 * The name may have brackets; those of the numbers follow two blanks. */
static const char *
mysql_brackets(const char *at, const char *end)
{
	const char *numbers = text_find(at, end, " (actual time=");

	if (numbers ? text_find(numbers, end, " rows=") && text_find(numbers, end, " loops=")
		    : text_find(at, end, " (never executed)") != NULL)
		return text_find(at, end, "  (");
	return NULL;
}

const char *
explain_brackets(const char *at, const char *end)
{
	const char *cost = text_find(at, end, "  (cost=");
	int64_t n;

	if (is_of_mysql(at, end))
		return mysql_brackets(at, end);
	if (cost)
		return cost > at && explain_number(cost, end, "  (cost=", 2, &n) &&
				       text_find(cost, end, " width=") &&
				       text_find(cost, end, " rows=")
			       ? cost
			       : NULL;
	const char *actual = text_find(at, end, " (actual ");
	if (actual && actual > at && actual[-1] != ' ' && text_find(actual, end, "rows=") &&
	    text_find(actual, end, " loops="))
		return actual;
	actual = text_find(at, end, " (never executed)");
	return actual && actual > at && actual + 17 == end ? actual : NULL;
}

/* Every node of a plan that was executed says so: one that does not was cut. */
static void
warn_of_cut(struct explain *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->plan.node.n; i++)
		n += x->plan.node.at[i]->has_loops;
	if (n && n < x->plan.node.n)
		builder_warn(x->b, "%zu of %zu nodes have no numbers of their execution",
			     x->plan.node.n - n, x->plan.node.n);
}

/* Closes the entries that do not contain this column; returns the innermost that does. */
static struct explain_entry *
entry_above(struct explain_text *t, uint32_t column)
{
	while (t->open.n > 1 && t->open.at[t->open.n - 1].column >= column)
		t->open.n--;
	return t->open.n ? &t->open.at[t->open.n - 1] : NULL;
}

static uint8_t
relation_of(struct name heading)
{
	return !heading.len                          ? EXPLAIN_CHILD
	       : name_begins(heading, "InitPlan")    ? EXPLAIN_INITPLAN
	       : name_begins(heading, "CTE ")        ? EXPLAIN_CTE
						     : EXPLAIN_SUBPLAN;
}

void
explain_text_end(struct explain_text *t)
{
	struct explain *x = t->x;

	if (t->in_log && !x->plan.has_execution) {
		x->plan.execution_ns = t->logged_ns;
		x->plan.has_execution = true;
	}
	if (t->query.len)
		x->plan.query = builder_name(x->b, buf_str(&t->query),
					     t->query.len < QUERY_MAX ? t->query.len : QUERY_MAX);
	warn_of_cut(x);
	if (x->plan.node.n)
		explain_plan_end(x);
	t->open.n = 0;
	t->place = PLACE_NODES;
	buf_reset(&t->query);
}

/* A node, whose numbers begin at `brackets`; at `end` if it has none. */
static void
node_line(struct explain_text *t, uint32_t column, const char *at, const char *brackets,
	  const char *end)
{
	struct explain *x = t->x;
	const char *actual;
	bool mysql = is_of_mysql(at, end), arrow = begins_with(at, end, "->  ");

	if (t->open.n && (mysql ? column <= t->open.at[0].column : !arrow))
		explain_text_end(t); /* a root begins the next plan */
	at += mysql ? 3 : arrow ? 4 : 0;
	struct explain_entry *above = entry_above(t, column);
	struct explain_node *n = explain_node(x, above ? above->node : EXPLAIN_NONE);
	if (above && above->heading != NAME_EMPTY) {
		n->heading = above->heading;
		n->relation = relation_of(builder_name_get(x->b, n->heading));
	}
	n->name = builder_name(x->b, at, (size_t)(brackets - at));
	explain_name_parts(x, n);
	actual = text_find(brackets, end, "(actual ");
	if (text_find(brackets, actual ? actual : end, "(cost="))
		explain_number(brackets, end, " rows=", 2, &n->rows.plan);
	n->has_loops = actual || brackets == end || text_find(brackets, end, "(never executed)");
	t->timed |= n->has_loops;
	if (actual) {
		const char *range = text_find(actual, end, "time=");
		range = range ? text_find(range, end, "..") : NULL;
		n->has_time = range && explain_number(range, end, "..", 6, &n->loop.ns);
		if (mysql)
			n->loop.rounding_ns = n->loop.ns / 200 + 1; /* three digits */
		explain_number(actual, end, " rows=", 2, &n->rows.real);
		if (!n->has_time && !n->rows.real)
			explain_number(actual, end, "rows=", 2, &n->rows.real);
		explain_number(actual, end, " loops=", 0, &n->loops);
	}
	*vec_push(&t->open) = (struct explain_entry){
		.column = arrow || mysql ? column : 0,
		.node = (uint32_t)x->plan.node.n - 1,
	};
	t->place = PLACE_NODES;
}

/* Returns true for a line that is the word, or begins with it and a blank. */
static bool
heads_plan(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	return begins_with(at, end, word) && (at + len == end || at[len] == ' ');
}

/* `InitPlan 1 (returns $0)`, `SubPlan 2`, `CTE name`; `InitPlan` and `SubPlan` alone before 8.4. */
static bool
heading_line(struct explain_text *t, uint32_t column, const char *at, const char *end)
{
	if (!t->open.n || !(heads_plan(at, end, "InitPlan") || heads_plan(at, end, "SubPlan") ||
			    begins_with(at, end, "CTE ")))
		return false;
	struct explain_entry *above = entry_above(t, column);
	*vec_push(&t->open) = (struct explain_entry){
		.column = column,
		.node = above->node,
		.heading = builder_name(t->x->b, at, (size_t)(end - at)),
	};
	return true;
}

/* A property of the last node: `KEY: TEXT`. */
static void
property_line(struct explain_text *t, struct explain_node *n, const char *at, const char *end)
{
	const char *colon = text_find(at, end, ": "), *text = colon ? colon + 2 : end;

	if (!colon)
		return;
	if (begins_with(at, end, "Buffers: ")) {
		counts(n, text, end, "shared ", EXPLAIN_SHARED_HIT);
		counts(n, text, end, "local ", EXPLAIN_LOCAL_HIT);
		counts(n, text, end, "temp ", EXPLAIN_TEMP_READ);
	} else if (begins_with(at, end, "I/O Timings: ")) {
		io_times(n, text, end);
	} else if (begins_with(at, end, "WAL: ")) {
		explain_number(text, end, "records=", 0, &n->measure[EXPLAIN_WAL_RECORDS]);
		explain_number(text, end, "bytes=", 0, &n->measure[EXPLAIN_WAL_BYTES]);
	} else if (begins_with(at, end, "Rows Removed by ")) {
		int64_t rows;
		if (explain_number(colon, end, ": ", 2, &rows) && rows < INT64_MAX / 8)
			n->rows.removed += rows;
	} else if (begins_with(at, end, "Workers Planned: ")) {
		explain_number(at, end, ": ", 0, &n->workers.planned);
	} else if (begins_with(at, end, "Workers Launched: ")) {
		explain_number(at, end, ": ", 0, &n->workers.launched);
	} else if (text < end && !is_digit(*text)) {
		explain_property(t->x, n, at, (size_t)(colon - at), text, (size_t)(end - text));
	}
}

/* Adds the number after a word to the facts; none if the word is missing. */
static void
number_fact(struct explain_text *t, const char *key, const char *at, const char *end,
	    const char *word)
{
	const char *from = text_find(at, end, word);

	if (!from)
		return;
	from += strlen(word);
	const char *blank = memchr(from, ' ', (size_t)(end - from));
	builder_info_bytes(t->x->b, key, from, (size_t)((blank ? blank : end) - from));
}

/* Lines after the nodes that end the plan. */
static bool
closing_line(struct explain_text *t, const char *at, const char *end)
{
	struct explain_plan *p = &t->x->plan;
	bool planning = begins_with(at, end, "Planning Time: ") ||
			begins_with(at, end, "Planning time: ");

	if (planning)
		p->has_planning = explain_number(at, end, ": ", 6, &p->planning.loop.ns);
	else if (begins_with(at, end, "Execution Time: ") ||
		 begins_with(at, end, "Execution time: ") ||
		 begins_with(at, end, "Total runtime: "))
		p->has_execution = explain_number(at, end, ": ", 6, &p->execution_ns);
	else
		return false;
	number_fact(t, planning ? "planning ms" : "execution ms", at, end, ": ");
	t->place = PLACE_OTHER;
	return true;
}

static bool
beside_line(struct explain_text *t, const char *at, const char *end)
{
	struct explain_plan *p = &t->x->plan;

	if (closing_line(t, at, end))
		return true;
	if (begins_with(at, end, "Planning:")) {
		t->place = PLACE_PLANNING;
	} else if (begins_with(at, end, "Trigger ")) {
		const char *colon = text_find(at, end, ": "), *name = at + 8;
		struct explain_trigger g = {.time_ns = 0};
		if (!colon)
			return false;
		bool constraint = begins_with(name, end, "for constraint ");
		name += constraint ? 15 : 0;
		const char *on = text_find(name, colon, " on ");
		name_id id = builder_name(t->x->b, name, (size_t)((on ? on : colon) - name));
		*(constraint ? &g.constraint : &g.name) = id;
		explain_number(colon, end, "time=", 6, &g.time_ns);
		explain_number(colon, end, "calls=", 0, &g.calls);
		*vec_push(&p->trigger) = g;
		t->place = PLACE_OTHER;
	} else if (begins_with(at, end, "Serialization: ")) {
		p->has_serialization = explain_number(at, end, "time=", 6, &p->serialization_ns);
		t->place = PLACE_OTHER;
	} else if (begins_with(at, end, "JIT:")) {
		t->place = PLACE_JIT;
	} else if (begins_with(at, end, "Settings: ")) {
		builder_info_bytes(t->x->b, "settings", at + 10, (size_t)(end - at) - 10);
		t->place = PLACE_OTHER;
	} else if (begins_with(at, end, "Query Identifier: ")) {
		builder_info_bytes(t->x->b, "query identifier", at + 18, (size_t)(end - at) - 18);
	} else {
		return false;
	}
	return true;
}

/* Adds the lines of a log from `Query Text: ` on to the query. */
static void
query_line(struct explain_text *t, const char *at, const char *end)
{
	bool first = begins_with(at, end, "Query Text: ");

	t->in_query |= first;
	if (!t->in_query || t->query.len >= QUERY_MAX)
		return;
	buf_adds(&t->query, t->query.len ? " " : "");
	at += first ? 12 : 0;
	buf_add(&t->query, at, (size_t)(end - at));
}

void
explain_text_line(struct explain_text *t, const char *at, const char *end)
{
	uint32_t column = 0;

	for (; at < end && (*at == ' ' || *at == '\t'); at++)
		column = *at == '\t' ? (column / TAB + 1) * TAB : column + 1;
	end = drop_blanks(at, end);
	if (at == end)
		return;
	if (begins_with(at, end, "EXPLAIN: -> ")) /* of a client that prints rows vertically */
		at += 9;
	const char *brackets = explain_brackets(at, end);
	if (!brackets && t->open.n && is_of_mysql(at, end))
		brackets = end;
	if (brackets) {
		t->in_query = false;
		node_line(t, column, at, brackets, end);
		return;
	}
	if (t->in_log && !t->open.n) {
		query_line(t, at, end);
		return;
	}
	if (!t->open.n || beside_line(t, at, end))
		return;
	if (t->place == PLACE_WORKER && column > t->worker)
		return;
	if (begins_with(at, end, "Worker ") && t->place < PLACE_JIT) {
		t->place = PLACE_WORKER;
		t->worker = column;
		return;
	}
	if (t->place == PLACE_PLANNING) {
		property_line(t, &t->x->plan.planning, at, end);
	} else if (t->place == PLACE_JIT) {
		number_fact(t, "JIT functions", at, end, "Functions: ");
		number_fact(t, "JIT ms", at, end, "Total ");
	} else if (t->place != PLACE_OTHER) {
		t->place = PLACE_NODES;
		if (!heading_line(t, column, at, end))
			property_line(t, t->x->plan.node.at[t->x->plan.node.n - 1], at, end);
	}
}
