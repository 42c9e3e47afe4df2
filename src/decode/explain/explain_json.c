/* Plans in JSON: an array of objects with a plan each, or one such object, as auto_explain
 * writes. */
#include "src/decode/explain/explain.h"

#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"

/* ---- nodes ---- */

static void
explain_add(int64_t *to, const struct json_value *v, int scale)
{
	int64_t n;

	if (json_value_scaled(v, scale, true, &n) && __builtin_add_overflow(*to, n, to))
		*to = INT64_MAX;
}

/* Reads texts of an array to one, with commas. */
static bool
texts_read(struct rows_json *r, struct buf *out)
{
	struct json_token t;
	bool any = false;

	while (json_next(&r->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind == JSON_STRING) {
			buf_adds(out, any ? ", " : "");
			json_text(&r->j, &t, out);
			any = true;
		} else if (!json_skip(&r->j, &t)) {
			return false;
		}
	}
	return !r->j.failed;
}

/* A member without a row; its name is in r->key. */
static bool
property_read(struct rows_json *r, void *node, const struct json_token *t)
{
	struct explain *x = r->context;
	struct explain_node *n = node;
	struct name key = {.at = buf_str(&r->key), .len = r->key.len};
	struct json_value v = {.t = *t};
	struct buf text = BUF_INIT;
	bool good = true;

	if (t->kind == JSON_NUMBER) {
		if (name_begins(key, "Rows Removed by "))
			explain_add(&n->rows.removed, &v, 2);
		else if (name_ends(key, "I/O Read Time"))
			explain_add(&n->measure[EXPLAIN_IO_READ], &v, 6);
		else if (name_ends(key, "I/O Write Time"))
			explain_add(&n->measure[EXPLAIN_IO_WRITE], &v, 6);
	} else if (t->kind == JSON_STRING) {
		json_text(&r->j, t, &text);
	} else if (t->kind == JSON_ARRAY) {
		good = texts_read(r, &text);
	} else {
		good = json_skip(&r->j, t);
	}
	/* the key is in r->key still: nothing within has a row */
	if (text.len)
		explain_property(x, n, buf_str(&r->key), r->key.len, buf_str(&text), text.len);
	buf_release(&text);
	return good;
}

static bool plans_read(struct rows_json *r, void *node, const struct json_token *t);

static bool
io_time_take(struct rows_json *r UNUSED, void *ns, const struct json_value *v)
{
	explain_add(ns, v, 6);
	return true;
}

static const char *const relations[] = {"InitPlan", "SubPlan", NULL};

#define NODE struct explain_node
#define BLOCKS(name, m) {name, ROW_NUMBER(NODE, measure[EXPLAIN_##m])}
#define BLOCK_ROWS                                                                         \
	BLOCKS("Shared Hit Blocks", SHARED_HIT), BLOCKS("Shared Read Blocks", SHARED_READ),    \
	BLOCKS("Shared Dirtied Blocks", SHARED_DIRTIED),                                       \
	BLOCKS("Shared Written Blocks", SHARED_WRITTEN), BLOCKS("Local Hit Blocks", LOCAL_HIT), \
	BLOCKS("Local Read Blocks", LOCAL_READ), BLOCKS("Local Dirtied Blocks", LOCAL_DIRTIED), \
	BLOCKS("Local Written Blocks", LOCAL_WRITTEN), BLOCKS("Temp Read Blocks", TEMP_READ),  \
	BLOCKS("Temp Written Blocks", TEMP_WRITTEN), BLOCKS("WAL Records", WAL_RECORDS),       \
	BLOCKS("WAL Bytes", WAL_BYTES),                                                        \
	{"I/O Read Time", ROW_VALUE_IN(NODE, measure[EXPLAIN_IO_READ], io_time_take)},         \
	{"I/O Write Time", ROW_VALUE_IN(NODE, measure[EXPLAIN_IO_WRITE], io_time_take)}

static const struct json_row node_rows[] = {
	{"Node Type", ROW_NAME(NODE, words.type)},
	{"Strategy", ROW_NAME(NODE, words.strategy)},
	{"Partial Mode", ROW_NAME(NODE, words.partial)},
	{"Operation", ROW_NAME(NODE, words.operation)},
	{"Join Type", ROW_NAME(NODE, words.join)},
	{"Scan Direction", ROW_NAME(NODE, words.direction)},
	{"Command", ROW_NAME(NODE, words.command)},
	{"Custom Plan Provider", ROW_NAME(NODE, words.provider)},
	{"Index Name", ROW_NAME(NODE, words.index)},
	{"Schema", ROW_NAME(NODE, words.schema)},
	{"Relation Name", ROW_NAME(NODE, words.relation)},
	{"Alias", ROW_NAME(NODE, words.alias)},
	{"Function Name", ROW_NAME(NODE, words.function)},
	{"Table Function Name", ROW_NAME(NODE, words.table_function)},
	{"CTE Name", ROW_NAME(NODE, words.cte)},
	{"Tuplestore Name", ROW_NAME(NODE, words.tuplestore)},
	{"Parallel Aware", ROW_TRUTH(NODE, words.parallel)},
	{"Async Capable", ROW_TRUTH(NODE, words.async)},
	{"Parent Relationship", ROW_WORD(NODE, relation, relations)},
	{"Subplan Name", ROW_NAME(NODE, heading)},
	{"Plan Rows", ROW_NUMBER(NODE, rows.plan), .scale = 2},
	{"Actual Total Time", ROW_NUMBER(NODE, loop.ns), .scale = 6, ROW_HAS(NODE, has_time)},
	{"Actual Rows", ROW_NUMBER(NODE, rows.real), .scale = 2},
	{"Actual Loops", ROW_NUMBER(NODE, loops), ROW_HAS(NODE, has_loops)},
	{"Workers Planned", ROW_NUMBER(NODE, workers.planned)},
	{"Workers Launched", ROW_NUMBER(NODE, workers.launched)},
	BLOCK_ROWS,
	{"Plans", ROW_INSIDE(plans_read)},
	{"*", ROW_INSIDE(property_read)},
	{0},
};

static void *
explain_node_begin(struct rows_json *r, void *parent UNUSED, void *own UNUSED)
{
	struct explain *x = r->context;

	struct explain_node *n = explain_node(x, x->at);
	x->at = (uint32_t)x->plan.node.n - 1;
	return n;
}

static bool
explain_node_take(struct rows_json *r, void *parent UNUSED, void *node)
{
	struct explain *x = r->context;
	struct explain_node *n = node;

	explain_name(x, n);
	if (n->relation == EXPLAIN_INITPLAN &&
	    name_begins(builder_name_get(x->b, n->heading), "CTE "))
		n->relation = EXPLAIN_CTE;
	x->at = n->parent;
	return true;
}

static const struct json_list nodes = {
	.rows = node_rows, .begin = explain_node_begin, .end = explain_node_take, .torn = true};

static bool
plans_read(struct rows_json *r, void *node, const struct json_token *t)
{
	static const struct json_row row = {"", ROW_LIST(&nodes)};

	return rows_json_value(r, &row, node, t);
}

/* ---- the rest of a plan ---- */

static const struct json_row blocks_rows[] = {BLOCK_ROWS, {0}};
static const struct json_row trigger_rows[] = {
	{"Trigger Name", ROW_NAME(struct explain_trigger, name)},
	{"Constraint Name", ROW_NAME(struct explain_trigger, constraint)},
	{"Time", ROW_NUMBER(struct explain_trigger, time_ns), .scale = 6},
	{"Calls", ROW_NUMBER(struct explain_trigger, calls), .loose = true},
	{0},
};

static bool
trigger_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct explain *x = r->context;

	*vec_push(&x->plan.trigger) = *(struct explain_trigger *)element;
	return true;
}

static bool
query_take(struct rows_json *r, void *plan, const struct json_value *v)
{
	((struct explain_plan *)plan)->query = json_row_name(r, &v->t);
	return true;
}

static const struct json_row serialization_rows[] = {
	{"Time", ROW_NUMBER(struct explain_plan, serialization_ns), .scale = 6,
	 ROW_HAS(struct explain_plan, has_serialization)},
	{0},
};
static const struct json_row jit_timing_rows[] = {{"Total", ROW_FACT("JIT ms")}, {0}};
static const struct json_row jit_rows[] = {
	{"Functions", ROW_FACT("JIT functions")},
	{"Timing", ROW_HERE(jit_timing_rows)},
	{0},
};
#define EXECUTION(member)                                                                  \
	{member, ROW_FACT_NUMBER("execution ms", struct explain_plan, execution_ns), .scale = 6, \
	 ROW_HAS(struct explain_plan, has_execution)}

/* A setting of the session; its name is in r->key. */
static bool
setting_read(struct rows_json *r, void *plan UNUSED, const struct json_token *t)
{
	struct buf text = BUF_INIT;

	if (t->kind != JSON_STRING)
		return json_skip(&r->j, t);
	json_text(&r->j, t, &text);
	builder_info(r->b, "settings", "%s = '%s'", buf_str(&r->key), buf_str(&text));
	buf_release(&text);
	return true;
}

static const struct json_row settings_rows[] = {{"*", ROW_INSIDE(setting_read)}, {0}};
static const struct json_row plan_rows[] = {
	{"Query Text", ROW_VALUE(query_take)},
	{"Query Identifier", ROW_FACT("query identifier")},
	{"Plan", ROW_ELEMENT(&nodes)},
	{"Planning", ROW_IN(struct explain_plan, planning, blocks_rows)},
	{"Planning Time", ROW_FACT_NUMBER("planning ms", struct explain_plan, planning.loop.ns),
	 .scale = 6, ROW_HAS(struct explain_plan, has_planning)},
	{"Triggers", ROW_LIST_OF(struct explain_trigger, trigger_rows, trigger_take)},
	{"JIT", ROW_HERE(jit_rows)},
	{"Serialization", ROW_HERE(serialization_rows)},
	{"Settings", ROW_HERE(settings_rows)},
	EXECUTION("Execution Time"),
	EXECUTION("Total Runtime"),
	{0},
};

static void *
plan_begin(struct rows_json *r, void *parent UNUSED, void *own UNUSED)
{
	return &((struct explain *)r->context)->plan;
}

static bool
plan_take(struct rows_json *r, void *parent UNUSED, void *plan UNUSED)
{
	explain_plan_end(r->context);
	return true;
}

static const struct json_list plans = {
	.rows = plan_rows, .begin = plan_begin, .end = plan_take, .torn = true};

bool
explain_is_json(const char *at, const char *end)
{
	bool list = at < end && *at == '[';

	return list ? at + 1 == end || strchr(" \t\r\n{", at[1]) != NULL : at < end && *at == '{';
}

bool
explain_json(struct explain *x, struct input *in)
{
	static const struct json_row array = {"", ROW_LIST(&plans)};
	static const struct json_row object = {"", ROW_ELEMENT(&plans)};
	struct rows_json r;
	struct json_token t;
	bool good;

	x->at = EXPLAIN_NONE;
	json_rows_begin(&r, in, x->b, x->e, x);
	good = json_next(&r.j, &t) || json_damage(&r.j, r.j.where, x->e);
	if (good)
		good = rows_json_value(&r, t.kind == JSON_ARRAY ? &array : &object, x, &t);
	json_rows_end(&r);
	return good;
}
