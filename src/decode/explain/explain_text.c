/* Plans in text: of EXPLAIN itself, in a table of psql, in PostgreSQL's log.
 *
 *	Nested Loop  (cost=0.29..9.81 rows=1 width=36) (actual time=0.007..0.007 rows=0 loops=1)
 *	  Join Filter: (a.id = b.id)			a property of the node above
 *	  InitPlan 1 (returns $0)			a heading
 *	    ->  Result  (cost=...) (never executed)
 *	  ->  Seq Scan on a  (cost=...) (actual ...)
 *	Planning Time: 0.1 ms
 *
 * The column of the arrow, or of a heading's first letter, makes the tree: the parent is the
 * nearest entry above with a smaller column. A line of psql's tables has a border, and `+` where
 * the text continues. Such a table, and the lines of a log after their tabs, may also contain JSON,
 * which is collected. */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"

#define TAB 8u
#define QUERY_MAX 200u

struct text_entry {
	uint32_t column, node; /* node: of a heading, the node above it */
	name_id heading;
};

enum text_place { PLACE_NODES, PLACE_WORKER, PLACE_PLANNING, PLACE_JIT, PLACE_OTHER };

struct explain_text {
	struct explain *x;
	VEC(struct text_entry) open;
	struct buf json; /* lines of a plan in JSON */
	uint64_t json_at, line_at; /* where that plan and this line begin */
	struct buf query; /* of a log */
	enum text_place place;
	uint32_t worker;  /* column of `Worker N:` */
	bool table, log, in_log, in_query, begun, is_json;
	bool timed; /* some node says what it did */
	int64_t logged_ns;
};

/* ---- numbers ---- */

/* Reads the number after a word. Returns false if the word is missing. */
static bool
number_after(const char *at, const char *end, const char *word, int scale, int64_t *out)
{
	const char *from = text_find(at, end, word), *stop;

	if (!from)
		return false;
	from += strlen(word);
	for (stop = from; stop < end && (is_digit(*stop) || *stop == '.'); stop++)
		if (*stop == '.' && stop + 1 < end && stop[1] == '.')
			break;
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
		number_after(from, stop, "read=", 0, &n->measure[EXPLAIN_TEMP_READ]);
		number_after(from, stop, "written=", 0, &n->measure[EXPLAIN_TEMP_WRITTEN]);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		number_after(from, stop, keys[i], 0, &n->measure[first + i]);
}

/* Adds up all `read=` and `write=` of a line. */
static void
io_times(struct explain_node *n, const char *at, const char *end)
{
	for (; at < end; at++) {
		int64_t ns;
		if (begins_with(at, end, "read=") && number_after(at, end, "read=", 6, &ns))
			n->measure[EXPLAIN_IO_READ] += ns > INT64_MAX / 8 ? 0 : ns;
		if (begins_with(at, end, "write=") && number_after(at, end, "write=", 6, &ns))
			n->measure[EXPLAIN_IO_WRITE] += ns > INT64_MAX / 8 ? 0 : ns;
	}
}

/* ---- nodes ---- */

bool
explain_is_node(const char *at, const char *end)
{
	const char *cost = text_find(at, end, "  (cost=");
	int64_t n;

	return cost && cost > at && number_after(cost, end, "  (cost=", 2, &n) &&
	       text_find(cost, end, " width=") && text_find(cost, end, " rows=");
}

/* Closes the entries that do not contain this column; returns the innermost that does. */
static struct text_entry *
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

static void
plan_end(struct explain_text *t)
{
	struct explain *x = t->x;

	if (t->in_log && !x->plan.has_execution) {
		x->plan.execution_ns = t->logged_ns;
		x->plan.has_execution = true;
	}
	if (t->query.len)
		x->plan.query = builder_name(x->b, buf_str(&t->query),
					     t->query.len < QUERY_MAX ? t->query.len : QUERY_MAX);
	if (x->plan.node.n)
		explain_plan_end(x);
	t->open.n = 0;
	t->place = PLACE_NODES;
	buf_reset(&t->query);
}

static void
node_line(struct explain_text *t, uint32_t column, bool arrow, const char *at, const char *end)
{
	struct explain *x = t->x;
	const char *cost = text_find(at, end, "  (cost="), *actual;

	if (!arrow && t->open.n)
		plan_end(t); /* a root begins the next plan */
	struct text_entry *above = entry_above(t, column);
	struct explain_node *n = explain_node(x, above ? above->node : EXPLAIN_NONE);
	if (above && above->heading != NAME_EMPTY) {
		n->heading = above->heading;
		n->relation = relation_of(builder_name_get(x->b, n->heading));
	}
	n->name = builder_name(x->b, at, (size_t)(cost - at));
	explain_name_parts(x, n);
	number_after(cost, end, " rows=", 2, &n->rows.plan);
	actual = text_find(cost, end, "(actual ");
	n->has_loops = actual || text_find(cost, end, "(never executed)");
	t->timed |= n->has_loops;
	if (actual) {
		const char *range = text_find(actual, end, "time=");
		range = range ? text_find(range, end, "..") : NULL;
		n->has_time = range && number_after(range, end, "..", 6, &n->time_ns);
		number_after(actual, end, " rows=", 2, &n->rows.real);
		if (!n->has_time && !n->rows.real)
			number_after(actual, end, "rows=", 2, &n->rows.real);
		number_after(actual, end, " loops=", 0, &n->loops);
	}
	*vec_push(&t->open) = (struct text_entry){
		.column = arrow ? column : 0,
		.node = (uint32_t)x->plan.node.n - 1,
	};
	t->place = PLACE_NODES;
}

/* `InitPlan 1 (returns $0)`, `SubPlan 2`, `CTE name`. */
static bool
heading_line(struct explain_text *t, uint32_t column, const char *at, const char *end)
{
	if (!t->open.n || !(begins_with(at, end, "InitPlan ") || begins_with(at, end, "SubPlan ") ||
			    begins_with(at, end, "CTE ")))
		return false;
	struct text_entry *above = entry_above(t, column);
	*vec_push(&t->open) = (struct text_entry){
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
		number_after(text, end, "records=", 0, &n->measure[EXPLAIN_WAL_RECORDS]);
		number_after(text, end, "bytes=", 0, &n->measure[EXPLAIN_WAL_BYTES]);
	} else if (begins_with(at, end, "Rows Removed by ")) {
		int64_t rows;
		if (number_after(colon, end, ": ", 2, &rows) && rows < INT64_MAX / 8)
			n->rows.removed += rows;
	} else if (begins_with(at, end, "Workers Planned: ")) {
		number_after(at, end, ": ", 0, &n->workers.planned);
	} else if (begins_with(at, end, "Workers Launched: ")) {
		number_after(at, end, ": ", 0, &n->workers.launched);
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
		p->has_planning = number_after(at, end, ": ", 6, &p->planning.time_ns);
	else if (begins_with(at, end, "Execution Time: ") ||
		 begins_with(at, end, "Execution time: ") ||
		 begins_with(at, end, "Total runtime: "))
		p->has_execution = number_after(at, end, ": ", 6, &p->execution_ns);
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
		number_after(colon, end, "time=", 6, &g.time_ns);
		number_after(colon, end, "calls=", 0, &g.calls);
		*vec_push(&p->trigger) = g;
		t->place = PLACE_OTHER;
	} else if (begins_with(at, end, "Serialization: ")) {
		p->has_serialization = number_after(at, end, "time=", 6, &p->serialization_ns);
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

static const char *
bare_end(const char *at, const char *end)
{
	while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	return end;
}

static void
explain_line(struct explain_text *t, const char *at, const char *end)
{
	uint32_t column = 0;

	end = bare_end(at, end);
	if (end - at > 1 && *at == '"' && end[-1] == '"') { /* pgAdmin copies rows in quotes */
		at++;
		end--;
	}
	for (; at < end && (*at == ' ' || *at == '\t'); at++)
		column = *at == '\t' ? (column / TAB + 1) * TAB : column + 1;
	end = bare_end(at, end);
	if (at == end)
		return;
	if (explain_is_node(at, end)) {
		bool arrow = begins_with(at, end, "->  ");
		t->in_query = false;
		node_line(t, column, arrow, at + (arrow ? 4 : 0), end);
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

/* ---- sections: a table of psql, a record of a log, a file ---- */

static bool
section_end(struct explain_text *t)
{
	bool good = true;

	if (t->is_json) {
		struct input *in = input_open_bytes(t->json.at ? t->json.at : "", t->json.len,
						    input_name(t->x->in));
		size_t first = t->x->done.n;
		good = explain_json(t->x, in);
		input_close(in);
		if (!good) /* the offset within the JSON is not that of the file */
			t->x->e->offset = t->json_at;
		for (; t->in_log && first < t->x->done.n; first++) {
			struct explain_plan *p = &t->x->done.at[first];
			p->execution_ns = p->has_execution ? p->execution_ns : t->logged_ns;
			p->has_execution = true;
		}
	} else {
		plan_end(t);
	}
	buf_reset(&t->json);
	t->begun = t->is_json = t->in_query = false;
	return good;
}

static void
section_line(struct explain_text *t, const char *at, const char *end)
{
	const char *first = skip_blanks(at, end);

	if (!t->begun && first < end) {
		t->begun = true;
		t->is_json = *first == '[' || *first == '{';
		t->json_at = t->line_at;
	}
	if (t->is_json) {
		buf_add(&t->json, at, (size_t)(end - at));
		buf_addc(&t->json, '\n');
	} else {
		explain_line(t, at, end);
	}
}

/* Returns the length of a border at the beginning of the line; 0 if there is none. */
static size_t
border(const char *at, const char *end)
{
	static const char *const borders[] = {"|", "\xE2\x94\x82", "\xE2\x95\x91"};

	for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
		if (begins_with(at, end, borders[i]))
			return strlen(borders[i]);
	return 0;
}

static const char *
without_end(const char *at, const char *end, const char *tail)
{
	size_t len = strlen(tail);

	return (size_t)(end - at) >= len && !memcmp(end - len, tail, len) ? end - len : end;
}

/* A line of a table of psql, without its borders and its continuation mark. */
static void
table_line(struct explain_text *t, const char *at, const char *end)
{
	size_t wide = border(at, end);

	at += wide;
	while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (wide) {
		end = without_end(at, end, "|");
		end = without_end(at, end, "\xE2\x94\x82");
		end = without_end(at, end, "\xE2\x95\x91");
		while (end > at && end[-1] == ' ')
			end--;
	}
	end = without_end(at, end, "+");
	end = without_end(at, end, "\xE2\x86\xB5");
	if (begins_with(at, end, "---") || begins_with(at, end, "\xE2\x94\x80") ||
	    begins_with(at, end, "+-"))
		return; /* the ruler */
	section_line(t, at, end);
}

static bool
is_title(const char *at, const char *end)
{
	const char *title = text_find(at, end, "QUERY PLAN");

	for (const char *c = at; title && c < title; c++)
		if (*c == '(' || *c == '\'' || (*c >= 'a' && *c <= 'z'))
			return false;
	return title != NULL;
}

/* A line of a log; its plans are the lines that begin with a tab. */
static bool
log_line(struct explain_text *t, const char *at, const char *end)
{
	bool good = true;

	if (at < end && *at == '\t' && t->in_log) {
		section_line(t, at + 1, end);
		return true;
	}
	if (t->in_log)
		good = section_end(t);
	const char *duration = text_find(at, end, "duration: ");
	t->in_log = duration && text_find(duration, end, " ms  plan:") &&
		    number_after(duration, end, "duration: ", 6, &t->logged_ns);
	t->log |= t->in_log;
	return good;
}

static bool
any_line(struct explain_text *t, const char *at, const char *end)
{
	bool good = true;

	if (t->log || (text_find(at, end, " ms  plan:") && text_find(at, end, "duration: ")))
		return log_line(t, at, end);
	if (is_title(at, end)) {
		good = section_end(t);
		t->table = true;
	} else if (t->table && *at == '(' && text_find(at, end, " row")) {
		good = section_end(t);
		t->table = false;
	} else if (t->table) {
		table_line(t, at, end);
	} else {
		section_line(t, at, end);
	}
	return good;
}

/* A node is whole with its last bracket, a time with its unit, a detail with its last number. */
static enum last_line
explain_last_line(const struct explain_text *t, const char *at, const char *end)
{
	const char *stop = drop_blanks(at, end), *node = text_find(at, stop, "(cost=");

	while (stop > at && (stop[-1] == '"' || stop[-1] == '+' || is_blank(stop[-1])))
		stop--;
	if (t->is_json) /* which shows what is missing */
		return LAST_CLOSED;
	if (node && t->timed && !text_find(node, stop, "(actual ") &&
	    !text_find(node, stop, "(never executed)"))
		return LAST_OPEN;
	if (stop - at > 3 && !memcmp(stop - 3, " ms", 3))
		return LAST_CLOSED;
	if (last_line_closed(at, stop, ")]}-") == LAST_CLOSED)
		return LAST_CLOSED;
	if (text_find(at, stop, "Time: ") || text_find(at, stop, "runtime: "))
		return LAST_OPEN;
	return text_find(at, stop, ": ") ? last_line_number(at, stop) : LAST_OPEN;
}

bool
explain_text(struct explain *x, struct input *in)
{
	struct explain_text t = {.x = x};
	struct lines lines;
	struct text_line line;
	struct err cut = {0};
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		t.line_at = line.offset;
		const char *end = line.at + line.len;
		if (!last_line_whole(in, line.ended, line.offset,
				     explain_last_line(&t, line.at, end), &cut))
			break;
		if (line.len)
			good = any_line(&t, line.at, end);
	}
	good = good && section_end(&t);
	if (good && err_is_set(&cut)) {
		*x->e = cut;
		good = false;
	}
	vec_release(&t.open);
	buf_release_all(&t.json, &t.query);
	return good;
}
