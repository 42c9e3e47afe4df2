/* line_profiler, for Python (pyutils/line_profiler): the files of kernprof -l and dump_stats(), a
 * pickle of one object.
 *
 *	LineStats
 *	  timings  {(file, first line, function): [(line, hits, time), ...]}
 *	  unit     seconds that one `time` is worth: 1e-9, 1e-6, or a clock's step
 *
 * A stack is one function: the file has no callers. The time of a line includes what it calls, so
 * functions that call each other count twice, and the sum of all is no time of the program.
 *
 * pickle.h reads the pickle, and executes nothing. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/decode/lprof/pickle.h"

#define PROBE_TEXT 512u

struct lprof {
	struct builder *b;
	struct err *e;
	struct pickle p;
	track_id track;
	struct series *series; /* time, hits */
	double unit_ns;
	uint64_t functions, unused;
};

static bool
is_line_stats(const char *module, uint64_t module_len, const char *name, uint64_t len)
{
	static const char *const modules[] = {"line_profiler", "_line_profiler"};

	if (len != 9 || memcmp(name, "LineStats", 9) != 0)
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(modules[i]);
		if (module_len >= n && !memcmp(module, modules[i], n) &&
		    (module_len == n || module[n] == '.'))
			return true;
	}
	return false;
}

static int
lprof_probe(struct head head)
{
	size_t len = head.len < PROBE_TEXT ? head.len : PROBE_TEXT;
	/* "c" and the name of a module: copy_reg or line_profiler */
	bool pickle = head.len > 2 && ((head.at[0] == 0x80 && head.at[1] <= 5) ||
				       (head.at[0] == 'c' && head.at[1] == 'c' &&
					(head.at[2] == 'o' || head.at[2] == 'l')));

	return pickle && memmem(head.at, len, "line_profiler", 13) &&
			       memmem(head.at, len, "LineStats", 9)
		       ? 100
		       : 0;
}

/* ---- values ---- */

static const struct pickle_node *
lprof_value(const struct lprof *l, uint32_t element)
{
	return &l->p.node.at[l->p.element.at[element].value];
}

/* Returns element i of a list or tuple; NULL if there is none. */
static const struct pickle_node *
lprof_element(const struct lprof *l, const struct pickle_node *list, unsigned i)
{
	if (list->kind != PICKLE_TUPLE && list->kind != PICKLE_LIST)
		return NULL;
	uint32_t e = list->list.first;
	while (e != PICKLE_NO && i--)
		e = l->p.element.at[e].next;
	return e == PICKLE_NO ? NULL : lprof_value(l, e);
}

/* Returns the value of a key of a dictionary; NULL if there is none. */
static const struct pickle_node *
lprof_member(const struct lprof *l, const struct pickle_node *dict, const char *key)
{
	const struct pickle_element *at = l->p.element.at;
	const struct pickle_node *found = NULL;

	if (dict->kind != PICKLE_DICT)
		return NULL;
	for (uint32_t k = dict->list.first; k != PICKLE_NO; k = at[at[k].next].next) {
		const struct pickle_node *name = lprof_value(l, k);
		if (name->kind == PICKLE_STRING && name->text.len == strlen(key) &&
		    !memcmp(name->text.at, key, name->text.len))
			found = lprof_value(l, at[k].next);
	}
	return found;
}

static bool
lprof_integer(const struct lprof *l, const struct pickle_node *list, unsigned i, int64_t *out)
{
	const struct pickle_node *n = lprof_element(l, list, i);

	if (!n || n->kind != PICKLE_INTEGER)
		return false;
	*out = n->integer;
	return true;
}

/* Returns a number of units in ns. */
static int64_t
lprof_ns(const struct lprof *l, int64_t units)
{
	int64_t whole = llround(l->unit_ns), ns;

	if (fabs(l->unit_ns - (double)whole) > 1e-6 * l->unit_ns) {
		double exact = (double)units * l->unit_ns;
		return exact < 9e18 ? llround(exact) : INT64_MAX;
	}
	return __builtin_mul_overflow(units, whole, &ns) ? INT64_MAX : ns;
}

/* ---- functions ---- */

static bool
lprof_line(struct lprof *l, const struct function *f, const struct pickle_node *line)
{
	int64_t number, hits, units;

	if (!lprof_integer(l, line, 0, &number) || !lprof_integer(l, line, 1, &hits) ||
	    !lprof_integer(l, line, 2, &units) || hits < 0 || units < 0)
		return err_damage(l->e, line->offset, "a line that is not (line, hits, time)");
	int64_t value[2] = {lprof_ns(l, units), hits};
	stack_id stack = builder_child(l->b, STACK_EMPTY, builder_frame_of(l->b, *f, number));
	builder_track_event(l->b, l->track);
	return builder_total(l->b, l->series, stack, value, line->offset, l->e);
}

/* A function, from its entry in `timings`. */
static bool
lprof_function(struct lprof *l, const struct pickle_node *key, const struct pickle_node *lines)
{
	const struct pickle_node *file = lprof_element(l, key, 0), *name = lprof_element(l, key, 2);
	struct function f = {.kind = KIND_USER};
	int64_t first = 0;

	if (!file || !name || file->kind != PICKLE_STRING || name->kind != PICKLE_STRING ||
	    !lprof_integer(l, key, 1, &first) || lines->kind != PICKLE_LIST)
		return err_damage(l->e, key->offset,
				  "a function that is not (file, line, name): [lines]");
	f.name = builder_name(l->b, name->text.at, name->text.len);
	f.file = builder_name(l->b, file->text.at, file->text.len);
	f.line = line_numbered(first).number;
	l->functions++;
	l->unused += lines->list.first == PICKLE_NO;
	for (uint32_t e = lines->list.first; e != PICKLE_NO; e = l->p.element.at[e].next)
		if (!lprof_line(l, &f, lprof_value(l, e)))
			return false;
	return true;
}

static bool
lprof_write(struct lprof *l, uint32_t object)
{
	const struct pickle_node *at = l->p.node.at;
	const struct pickle_element *in = l->p.element.at;
	uint32_t state = at[object].kind == PICKLE_OBJECT ? at[object].state : PICKLE_NO;
	const struct pickle_node *timings = NULL, *unit = NULL;

	if (state != PICKLE_NO) {
		timings = lprof_member(l, &at[state], "timings");
		unit = lprof_member(l, &at[state], "unit");
	}
	if (!timings || timings->kind != PICKLE_DICT || !unit || unit->kind != PICKLE_FLOAT ||
	    !(unit->real > 0 && unit->real < 1e6))
		return err_refuse(l->e, "not a profile of line_profiler: no timings with a unit");
	l->unit_ns = unit->real * 1e9;
	builder_info(l->b, "unit s", "%g", unit->real);
	for (uint32_t k = timings->list.first; k != PICKLE_NO; k = in[in[k].next].next)
		if (!lprof_function(l, lprof_value(l, k), lprof_value(l, in[k].next)))
			return false;
	return true;
}

/* ---- the decoder ---- */

static bool
lprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct lprof l = {.b = b, .e = e};
	metric_id metric[2];

	while (input_more(in))
		;
	metric[0] = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	metric[1] = builder_metric(b, "hits", UNIT_COUNT, ROLE_VALUE);
	builder_default_metric(b, metric[0]);
	l.track = builder_main(b);
	l.series = builder_totals(b, l.track, metric, 2);
	l.p = (struct pickle){.c = cursor_over(input_at(in), input_have(in)),
			      .is_class = is_line_stats};
	uint32_t object = pickle_load(&l.p, e);
	bool good = object != PICKLE_NO && lprof_write(&l, object);
	builder_info(b, "functions profiled", "%" PRIu64, l.functions);
	builder_info_count(b, "functions not called", l.unused, "");
	builder_info(b, "assumed", "the time of a line includes what it calls");
	pickle_release(&l.p);
	return good;
}

/* ---- dump ---- */

static bool
lprof_dump_one(struct dump *d, const struct pickle_op *op)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	bool good;

	if (op->second)
		good = dump_record(d, op->offset, "%s %s %s", op->name,
				   dump_bytes(d, &a, op->text, op->len),
				   dump_bytes(d, &b, op->second, op->second_len));
	else if (op->text)
		good = dump_record(d, op->offset, "%s %s", op->name,
				   dump_bytes(d, &a, op->text, op->len));
	else if (op->argument == PICKLE_REAL)
		good = dump_record(d, op->offset, "%s %g", op->name, op->real);
	else if (op->argument != PICKLE_NOTHING)
		good = dump_record(d, op->offset, "%s %s%" PRId64, op->name,
				   op->large ? "beyond 64 bits, " : "", op->integer);
	else
		good = dump_record(d, op->offset, "%s", op->name);
	buf_release_all(&a, &b);
	return good;
}

static bool
lprof_dump(struct input *in, struct dump *d, struct err *e)
{
	struct pickle_op op = {.code = 0};

	while (input_more(in))
		;
	struct cursor c = cursor_over(input_at(in), input_have(in));
	while (op.code != '.') {
		const char *why = pickle_next(&c, &op);
		if (why)
			return err_damage(e, op.offset, "%s", why);
		if (!lprof_dump_one(d, &op))
			return false;
	}
	return true;
}

const struct decoder decoder_lprof = {
	.name = "lprof",
	.title = "line_profiler: .lprof files, time and hits of lines of Python",
	.made_of = MADE_BINARY,
	.probe = lprof_probe,
	.decode = lprof_decode,
	.dump = lprof_dump,
};
