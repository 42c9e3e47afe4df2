/* xhprof, tideways and uprofiler, profilers of PHP: costs for each pair of caller and callee,
 * as JSON, or in the format of PHP's serialize().
 *
 *	{"main()==>load": {"ct": 3, "wt": 1200, "cpu": 900, "mu": 64, "pmu": 0}, "main()": {...}}
 *	a:2:{s:14:"main()==>load";a:5:{s:2:"ct";i:3;...}...}
 *
 *	{"meta": {"simple_url": "/cart", ...}, "profile": {"main()==>load": {...}, ...}}
 *
 * The last is a document of XHGui, which collects the profiles of requests; a file may have many,
 * and they are added up.
 *
 * wt and cpu are microseconds, mu bytes; pmu is a maximum and cannot be summed.  The self cost
 * of a function is the cost of its incoming pairs minus that of its outgoing pairs.  It can be
 * negative, because the clocks are read at different moments.  It is kept, so that all
 * functions add up to main(), and a warning reports it.  `load@1` is load called from load; it
 * is a separate function here, too. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"

enum { WALL, CPU, MEMORY, COSTS, CALLS = COSTS, NUMBERS };

struct php_pair {
	function_id caller, callee;
	bool has_caller; /* of `main()` there is none */
	int64_t number[NUMBERS];
	bool has[NUMBERS];
};

struct xhprof {
	struct builder *b;
	struct err *e;
	VEC(struct php_pair) pair;
	bool has[NUMBERS];
	uint32_t below; /* functions that cost less than their callees */
	uint64_t requests; /* documents of XHGui */
};

/* ---- the probe ---- */

static int
xhprof_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return begins_with(at, end, "a:") && text_find(at, end, "s:2:\"ct\"") &&
			       text_find(at, end, "s:2:\"wt\"")
		       ? 85
		       : 0;
}

/* ---- PHP's serialize() ---- */

#define HEAD_MAX 24u

/* Parses `s:14:"`, `i:3;`: the number after the letter, up to the next character. */
static bool
php_head(struct input *in, int64_t *n, char behind)
{
	size_t i = 2;

	const char *at = (const char *)input_at(in), *end = at + input_have(in);
	if (end - at < 4 || at[1] != ':')
		return false;
	while (at + i < end && at[i] != ':' && at[i] != ';' && i < HEAD_MAX)
		i++;
	if (at + i >= end || !number_parse(at + 2, at + i, n))
		return false;
	i += at[i] == ':';
	if (at + i >= end || at[i] != behind)
		return false;
	input_skip(in, i + 1);
	return true;
}

/* Returns the JSON tokens of a value or a key. */
static bool
php_next(struct json *j, struct json_token *t)
{
	bool *is_value = j->source_state;
	int64_t n;

	input_need(j->in, HEAD_MAX);
	const char *at = input_have(j->in) ? (const char *)input_at(j->in) : "";

	*t = (struct json_token){.offset = input_offset(j->in), .at = ""};
	j->offset = t->offset;
	if (*at == '}' && j->depth && !*is_value) {
		input_skip(j->in, 1);
		t->kind = JSON_OBJECT_END;
		j->depth--;
	} else if (*at == 'a' && (*is_value || !j->depth) && php_head(j->in, &n, '{')) {
		t->kind = JSON_OBJECT;
		*is_value = false;
		j->depth++;
	} else if (*at == 's' && j->depth && php_head(j->in, &n, '"') && n >= 0 &&
		   input_need(j->in, (size_t)n + 2)) {
		t->kind = *is_value ? JSON_STRING : JSON_KEY;
		t->at = (const char *)input_at(j->in); /* it stays in the window */
		t->len = (size_t)n;
		input_skip(j->in, (size_t)n + 2);
		*is_value = !*is_value;
	} else if (*at == 'i' && *is_value && php_head(j->in, &n, ';')) {
		const char *first = at + 2;
		t->kind = JSON_NUMBER;
		t->at = first;
		t->len = (size_t)((const char *)input_at(j->in) - 1 - first);
		*is_value = false;
	} else {
		return json_source_fault(j, "expected a value of serialize()");
	}
	return true;
}

/* ---- a pair ---- */

static function_id
xhprof_function_of(struct xhprof *x, const char *at, const char *end)
{
	return builder_function(x->b, (struct function){
					      .name = builder_name(x->b, at, (size_t)(end - at)),
					      .kind = KIND_USER,
				      });
}

static bool
pair_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct xhprof *x = r->context;
	struct php_pair *p = element;
	const char *at = buf_str(&r->key), *end = at + r->key.len;
	const char *arrow = text_find(at, end, "==>");
	bool any = false;

	for (unsigned i = 0; i < NUMBERS; i++) {
		any |= p->has[i];
		x->has[i] |= p->has[i];
	}
	if (!any)
		return true; /* another member of XHGui's document */
	p->has_caller = arrow != NULL;
	if (arrow)
		p->caller = xhprof_function_of(x, at, arrow);
	p->callee = xhprof_function_of(x, arrow ? arrow + 3 : at, end);
	*vec_push(&x->pair) = *p;
	return true;
}

#define PAIR_ROW(name, i) \
	{name, ROW_NUMBER(struct php_pair, number[i]), ROW_HAS(struct php_pair, has[i])}

static const struct json_row pair_rows[] = {
	PAIR_ROW("wt", WALL), PAIR_ROW("cpu", CPU), PAIR_ROW("mu", MEMORY),
	PAIR_ROW("ct", CALLS), {0},
};
static const struct json_list pairs = {
	.rows = pair_rows, .size = sizeof(struct php_pair), .record = true, .end = pair_take};
static const struct json_row profile_rows[] = {
	{"*", ROW_ELEMENT(&pairs)},
	{0},
};

/* Shows the address of the first request. */
static bool
xhgui_url_take(struct rows_json *r, void *none UNUSED, const struct json_value *v)
{
	struct xhprof *x = r->context;
	struct buf text = BUF_INIT;

	if (!x->requests++ && v->t.kind == JSON_STRING) {
		json_text(&r->j, &v->t, &text);
		builder_info_bytes(x->b, "url", buf_str(&text), text.len);
	}
	buf_release(&text);
	return true;
}

static const struct json_row meta_rows[] = {
	{"simple_url", ROW_VALUE(xhgui_url_take)},
	{0},
};
static const struct json_row document_rows[] = {
	{"profile", ROW_HERE(profile_rows)},
	{"meta", ROW_HERE(meta_rows)},
	{"*", ROW_ELEMENT(&pairs)},
	{0},
};

/* ---- the graph ---- */

/* Computes the self cost of each function: its incoming costs minus its outgoing ones. */
static bool
add_selfs(struct xhprof *x, struct graph_totals *t, const unsigned *column)
{
	uint32_t n = t->graph->n_functions;
	unsigned m = t->n_metrics;
	int64_t *self = mem_zalloc((size_t)n * m + 1, sizeof *self);
	bool good = true;

	for (size_t i = 0; i < x->pair.n; i++) {
		const struct php_pair *p = &x->pair.at[i];
		uint32_t to = graph_totals_function(t, p->callee);
		for (unsigned c = 0; c < m; c++) {
			int64_t *in = &self[(size_t)to * m + c], cost = p->number[column[c]];
			good &= !__builtin_add_overflow(*in, cost, in);
			if (!p->has_caller)
				continue;
			int64_t *out = &self[(size_t)graph_totals_function(t, p->caller) * m + c];
			good &= !__builtin_sub_overflow(*out, cost, out);
		}
	}
	for (uint32_t f = 0; f < n && good; f++) {
		if (!t->graph->has_gross[f]) /* its own row is missing: the file is truncated */
			memset(self + (size_t)f * m, 0, m * sizeof *self);
		good = graph_totals_self(t, f, self + (size_t)f * m);
		x->below += self[(size_t)f * m] < 0;
	}
	free(self);
	return good;
}

static bool
write_graph(struct xhprof *x)
{
	static const struct {
		const char *name;
		enum unit unit;
		int64_t scale;
	} of[COSTS] = {{"time", UNIT_NS, 1000}, {"cpu", UNIT_NS, 1000}, {"mem", UNIT_BYTES, 1}};
	struct graph_totals t = {.b = x->b};
	unsigned column[COSTS];
	bool good = true;

	x->has[WALL] = true;
	for (unsigned i = 0; i < COSTS; i++) {
		if (!x->has[i])
			continue;
		column[t.n_metrics] = i;
		t.metric[t.n_metrics++] = builder_metric(x->b, of[i].name, of[i].unit, ROLE_VALUE);
	}
	t.calls = builder_metric(x->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(x->b, t.calls);
	builder_default_metric(x->b, t.metric[0]);
	t.track = builder_main(x->b);
	for (size_t i = 0; i < x->pair.n && good; i++) {
		struct php_pair *p = &x->pair.at[i];
		int64_t cost[COSTS];
		for (unsigned k = 0; k < COSTS; k++)
			good &= !__builtin_mul_overflow(p->number[k], of[k].scale, &p->number[k]);
		for (unsigned c = 0; c < t.n_metrics; c++)
			cost[c] = p->number[column[c]];
		uint32_t to = graph_totals_function(&t, p->callee);
		callgraph_gross(t.graph, to, cost);
		t.graph->callers_known = true;
		builder_track_event(x->b, t.track);
		if (!p->has_caller)
			good = good && callgraph_calls(t.graph, to, p->number[CALLS]);
		else
			good = good && callgraph_arc(t.graph, graph_totals_function(&t, p->caller),
						     to, p->number[CALLS], cost);
	}
	good = good && (!t.graph || add_selfs(x, &t, column));
	if (!good)
		err_damage(x->e, 0, "the sum of the values exceeds 2^63");
	if (x->below)
		builder_warn(x->b,
			     "%" PRIu32 " function%s cost less than their callees: their self "
			     "time is negative",
			     x->below, x->below == 1 ? "" : "s");
	builder_info(x->b, "assumed", GRAPH_ASSUMED);
	vec_release(&x->pair);
	good = good && graph_totals_write(&t, 0, x->e);
	graph_totals_release(&t);
	return good;
}

/* ---- the decoder ---- */

static bool
xhprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct xhprof x = {.b = b, .e = e};
	struct rows_json r;
	bool is_value = false;

	json_rows_begin(&r, in, b, e, &x);
	if (input_first(in) == 'a') { /* PHP's serialize() */
		json_init_source(&r.j, in, php_next);
		r.j.source_state = &is_value;
	}
	bool good = rows_json_document(&r, document_rows, NULL, "not a profile of xhprof");
	while (good && x.requests && json_another(&r.j))
		good = rows_json_document(&r, document_rows, NULL, "not a profile of xhprof");
	json_rows_end(&r);
	if (x.requests > 1)
		builder_info(b, "requests", "%" PRIu64 ", added up", x.requests);
	return write_graph(&x) && good; /* everything before the damage is shown */
}

const struct decoder decoder_xhprof = {
	.name = "xhprof",
	.title = "xhprof, tideways, uprofiler: PHP, as JSON or serialized; XHGui",
	.made_of = MADE_JSON | MADE_TEXT,
	.members = "*/ct */wt|profile meta/simple_url|profile/main() meta",
	.sure = 85,
	.probe = xhprof_probe,
	.decode = xhprof_decode,
};
