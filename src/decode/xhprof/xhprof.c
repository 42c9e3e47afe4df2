/* xhprof, tideways and uprofiler, profilers of PHP: what callers and callees cost together, as
 * JSON, or as PHP's serialize() writes it.
 *
 *	{"main()==>load": {"ct": 3, "wt": 1200, "cpu": 900, "mu": 64, "pmu": 0}, "main()": {...}}
 *	a:2:{s:14:"main()==>load";a:5:{s:2:"ct";i:3;...}...}
 *
 * wt and cpu are microseconds, mu bytes; pmu, a maximum, is nothing that can be added up.  A
 * function costs itself what comes into it less what goes out of it.  Clocks that were read at
 * different moments can make that less than nothing: it is kept, so that all functions add up to
 * main(), and reported.  `load@1` is load called from load: a function of its own here, too. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"
#include "src/input/json.h"

enum { WALL, CPU, MEMORY, COSTS, CALLS = COSTS, NUMBERS };
static const char *const keys[NUMBERS] = {"wt", "cpu", "mu", "ct"};

struct php_pair {
	function_id caller, callee;
	bool has_caller; /* of `main()` there is none */
	int64_t number[NUMBERS];
	uint64_t offset;
};

struct xhprof {
	struct builder *b;
	struct err *e;
	struct input *in;
	VEC(struct php_pair) pair;
	bool has[NUMBERS];
	uint32_t below; /* functions that cost less than what they call */
};

/* ---- telling the format ---- */

static int
xhprof_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	if (head.json)
		return head_members(head, "*/ct */wt") ? 85 : 0;
	while (at < end && *at && strchr(" \t\r\n", *at))
		at++;
	return begins_with(at, end, "a:") && text_find(at, end, "s:2:\"ct\"") &&
			       text_find(at, end, "s:2:\"wt\"")
		       ? 85
		       : 0;
}

/* ---- a pair ---- */

static function_id
function_of(struct xhprof *x, const char *at, const char *end)
{
	return builder_function(x->b, (struct function){
					      .name = builder_name(x->b, at, (size_t)(end - at)),
					      .kind = KIND_USER,
				      });
}

static void
add_pair(struct xhprof *x, const char *at, const char *end, struct php_pair *p)
{
	const char *arrow = text_find(at, end, "==>");

	p->has_caller = arrow != NULL;
	if (arrow)
		p->caller = function_of(x, at, arrow);
	p->callee = function_of(x, arrow ? arrow + 3 : at, end);
	*vec_push(&x->pair) = *p;
}

static void
set_number(struct xhprof *x, struct php_pair *p, unsigned key, int64_t n)
{
	if (key >= NUMBERS)
		return;
	p->number[key] = n;
	x->has[key] = true;
}

/* ---- JSON ---- */

static bool
json_numbers(struct xhprof *x, struct json *j, struct php_pair *p)
{
	struct json_token t;
	int64_t n;

	while (json_next(j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, NUMBERS);
		if (!json_next(j, &t))
			break;
		if (t.kind == JSON_NUMBER && decimal_scaled(t.at, t.len, 0, &n))
			set_number(x, p, key, n);
		if (!json_skip(j, &t))
			break;
	}
	return !j->failed;
}

static bool
read_json(struct xhprof *x)
{
	struct buf name = BUF_INIT;
	struct json_token t;
	struct json j;
	uint64_t offset = 0;

	json_init(&j, x->in);
	if (json_next(&j, &t) && t.kind != JSON_OBJECT)
		return err_refuse(x->e, "no profile of xhprof: it is no object");
	while (!j.failed && json_next(&j, &t) && t.kind != JSON_OBJECT_END) {
		struct php_pair p = {.offset = t.offset};
		offset = t.offset;
		buf_reset(&name);
		json_text(&j, &t, &name);
		if (!json_next(&j, &t))
			break;
		if (t.kind == JSON_OBJECT ? !json_numbers(x, &j, &p) : !json_skip(&j, &t))
			break;
		if (t.kind == JSON_OBJECT)
			add_pair(x, buf_str(&name), buf_str(&name) + name.len, &p);
	}
	buf_release(&name);
	json_say(&j, x->b);
	return j.failed ? json_damage(&j, offset, x->e) : true;
}

/* ---- PHP's serialize() ---- */

static bool
bad_php(struct xhprof *x, const char *what)
{
	return err_damage(x->e, input_offset(x->in), "%s", what);
}

/* `s:14:"` and its like: the letter, and the number between the colons. */
static bool
php_head(struct xhprof *x, char letter, int64_t *n, char behind)
{
	const char *at, *end;
	size_t i = 2;

	input_need(x->in, 32);
	at = (const char *)input_at(x->in);
	end = at + input_have(x->in);
	if (end - at < 4 || at[0] != letter || at[1] != ':')
		return false;
	while (at + i < end && at[i] != ':' && at[i] != ';' && i < 24)
		i++;
	if (at + i >= end || !number_parse(at + 2, at + i, n))
		return false;
	if (at[i++] == ';')
		return behind == ';' ? (input_skip(x->in, i), true) : false;
	if (at + i >= end || at[i++] != behind)
		return false;
	input_skip(x->in, i);
	return true;
}

static bool
php_text(struct xhprof *x, struct buf *out)
{
	int64_t len;

	if (!php_head(x, 's', &len, '"') || len < 0 || !input_need(x->in, (size_t)len + 2))
		return bad_php(x, "no string where one belongs");
	buf_reset(out);
	buf_add(out, input_at(x->in), (size_t)len);
	input_skip(x->in, (size_t)len + 2);
	return true;
}

static bool
php_end(struct xhprof *x)
{
	if (!input_need(x->in, 1) || *input_at(x->in) != '}')
		return bad_php(x, "a list without its end");
	input_skip(x->in, 1);
	return true;
}

static bool
php_numbers(struct xhprof *x, struct php_pair *p, struct buf *key)
{
	int64_t n, value;

	if (!php_head(x, 'a', &n, '{'))
		return bad_php(x, "no list where one belongs");
	for (; n > 0; n--) {
		if (!php_text(x, key))
			return false;
		struct json_token t = {.kind = JSON_KEY, .at = buf_str(key), .len = key->len};
		if (!php_head(x, 'i', &value, ';'))
			return bad_php(x, "no number where one belongs");
		set_number(x, p, json_key(&t, keys, NUMBERS), value);
	}
	return php_end(x);
}

static bool
read_php(struct xhprof *x)
{
	struct buf name = BUF_INIT, key = BUF_INIT;
	bool good = true;
	int64_t n;

	if (!php_head(x, 'a', &n, '{'))
		good = err_refuse(x->e, "no profile of xhprof: it is no list");
	for (; good && n > 0; n--) {
		struct php_pair p = {.offset = input_offset(x->in)};
		good = php_text(x, &name) && php_numbers(x, &p, &key);
		if (good)
			add_pair(x, buf_str(&name), buf_str(&name) + name.len, &p);
	}
	good = good && php_end(x);
	buf_release(&name);
	buf_release(&key);
	return good;
}

/* ---- the graph ---- */

/* What each function costs itself: what comes in less what goes out. */
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
		if (!t->graph->has_gross[f]) /* its own row is missing: a file that was cut */
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
		t.metric[t.n_metrics++] =
			builder_metric(x->b, of[i].name, of[i].unit, ROLE_VALUE);
	}
	t.calls = builder_metric(x->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(x->b, t.calls);
	builder_default_metric(x->b, t.metric[0]);
	t.track = builder_track(x->b, "main", 4, TRACK_THREAD);
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
		err_damage(x->e, 0, "the sum of the values passes 2^63");
	if (x->below)
		builder_warn(x->b,
			     "%" PRIu32 " function%s cost less than what they call: their own "
			     "time is below zero",
			     x->below, x->below == 1 ? "" : "s");
	builder_info(x->b, "assumed", GRAPH_ASSUMED);
	good = good && graph_totals_write(&t, 0, x->e);
	graph_totals_release(&t);
	return good;
}

/* ---- the whole ---- */

static bool
is_php(struct input *in)
{
	return input_first(in) == 'a';
}

static bool
xhprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct xhprof x = {.b = b, .e = e, .in = in};
	struct err none;

	bool good = is_php(in) ? read_php(&x) : read_json(&x);
	err_init(&none);
	x.e = good ? e : &none; /* what stands before damage is shown */
	good = write_graph(&x) && good;
	vec_release(&x.pair);
	return good;
}

static bool
xhprof_dump(struct input *in, struct dump *d, struct err *e)
{
	return is_php(in) ? lines_dump(in, d, e) : json_dump(in, d, e);
}

const struct decoder decoder_xhprof = {
	.name = "xhprof",
	.title = "xhprof, tideways, uprofiler: PHP, as JSON or serialized",
	.manual = "xhprof",
	.made_of = MADE_JSON | MADE_TEXT,
	.probe = xhprof_probe,
	.decode = xhprof_decode,
	.dump = xhprof_dump,
};
