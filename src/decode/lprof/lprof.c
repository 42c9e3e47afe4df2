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

/* Returns the value of a key of a dictionary; PICKLE_ABSENT if there is none. */
static struct pickle_value
lprof_member(const struct lprof *l, struct pickle_value dict, const char *key)
{
	const struct pickle_element *at = l->p.element.at;
	struct pickle_value found = {.kind = PICKLE_ABSENT};

	if (dict.kind != PICKLE_DICT)
		return found;
	for (uint32_t k = l->p.node.at[dict.at].list.first; k != PICKLE_NO;
	     k = at[at[k].next].next) {
		if (at[k].value.kind != PICKLE_STRING)
			continue;
		struct pickle_op name = pickle_read(&l->p, at[k].value);
		if (name.len == strlen(key) && !memcmp(name.text, key, name.len))
			found = at[at[k].next].value;
	}
	return found;
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
lprof_line(struct lprof *l, const struct function *f, struct pickle_value line)
{
	enum { LINE, HITS, TIME, FIELDS };
	struct pickle_op of[FIELDS];
	uint64_t offset;

	pickle_read_row(&l->p, line, of, FIELDS, &offset);
	for (int i = 0; i < FIELDS; i++)
		if (of[i].kind != PICKLE_INTEGER || (i != LINE && of[i].integer < 0))
			return err_damage(l->e, offset, "a line that is not (line, hits, time)");
	int64_t value[2] = {lprof_ns(l, of[TIME].integer), of[HITS].integer};
	stack_id stack = builder_child(l->b, STACK_EMPTY,
				       builder_frame_of(l->b, *f, of[LINE].integer));
	builder_track_event(l->b, l->track);
	return builder_total(l->b, l->series, stack, value, offset, l->e);
}

/* A function, from its entry in `timings`. */
static bool
lprof_function(struct lprof *l, struct pickle_value key, struct pickle_value lines)
{
	enum { FILE_NAME, LINE, NAME, FIELDS };
	struct pickle_op of[FIELDS];
	struct function f = {.kind = KIND_USER};
	uint64_t offset;

	pickle_read_row(&l->p, key, of, FIELDS, &offset);
	if (of[FILE_NAME].kind != PICKLE_STRING || of[LINE].kind != PICKLE_INTEGER ||
	    of[NAME].kind != PICKLE_STRING || lines.kind != PICKLE_LIST)
		return err_damage(l->e, offset,
				  "a function that is not (file, line, name): [lines]");
	f.name = builder_name(l->b, of[NAME].text, of[NAME].len);
	f.file = builder_name(l->b, of[FILE_NAME].text, of[FILE_NAME].len);
	f.line = line_numbered(of[LINE].integer).number;
	l->functions++;
	uint32_t e = l->p.node.at[lines.at].list.first;
	l->unused += e == PICKLE_NO;
	for (; e != PICKLE_NO; e = l->p.element.at[e].next)
		if (!lprof_line(l, &f, l->p.element.at[e].value))
			return false;
	return true;
}

static bool
lprof_write(struct lprof *l, struct pickle_value object)
{
	const struct pickle_element *in = l->p.element.at;
	struct pickle_value timings = {.kind = PICKLE_ABSENT}, unit = timings;
	double seconds = 0;

	if (object.kind == PICKLE_OBJECT) {
		struct pickle_value state = l->p.node.at[object.at].state;
		timings = lprof_member(l, state, "timings");
		unit = lprof_member(l, state, "unit");
	}
	if (unit.kind == PICKLE_FLOAT)
		seconds = pickle_read(&l->p, unit).real;
	if (timings.kind != PICKLE_DICT || !(seconds > 0 && seconds < 1e6))
		return err_refuse(l->e, "not a profile of line_profiler: no timings with a unit");
	l->unit_ns = seconds * 1e9;
	builder_info(l->b, "unit s", "%g", seconds);
	for (uint32_t k = l->p.node.at[timings.at].list.first; k != PICKLE_NO;
	     k = in[in[k].next].next)
		if (!lprof_function(l, in[k].value, in[in[k].next].value))
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
	struct pickle_value object = pickle_load(&l.p, e);
	bool good = object.kind != PICKLE_ABSENT && lprof_write(&l, object);
	builder_info(b, "functions profiled", "%" PRIu64, l.functions);
	builder_info_count(b, "functions not called", l.unused, "");
	builder_info(b, "assumed", "the time of a line includes what it calls");
	builder_info(b, "overlapping", "time"); /* so the answers name no shares of its sum */
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
