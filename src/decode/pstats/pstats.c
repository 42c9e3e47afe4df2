/* Profiles of Python, saved by cProfile and profile (`python -m cProfile -o FILE`): a
 * dictionary written by marshal:
 *
 *	{(file, line, name): (cc, nc, tt, ct, {(file, line, name): (nc, cc, tt, ct), ...}), ...}
 *
 * A function was called nc times, cc of these not from itself.  It took tt seconds itself, ct
 * with its callees.  Its callers follow, with the same numbers for their calls.  The pure
 * Python profiler has only the number of calls for each caller: the costs are divided in
 * proportion.
 *
 * Python's sampling profiler (3.15, `python -m profiling.sampling run -o FILE`) writes the same
 * with the entry {("__sampled__",): True} at the end.  There the line is one of those that ran, cc
 * are the samples in it, nc those with it on the stack, and a caller has a number of samples.
 *
 * Entries are read in sequence.  The functions of callers are known only at the end, so calls
 * are arcs of a graph from the start (graph_totals.h). */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/base/wide.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/marshal.h"
#include "src/decode/common/words.h"

struct pstats_entry {
	uint32_t file, line, name; /* nodes */
	int64_t primitive, calls, self_ns, total_ns;
	uint32_t callers; /* node */
};

/* A row of callers. */
struct caller {
	uint32_t file, line, name;
	int64_t calls, total_ns;
	bool has_total;
};

struct pstats {
	struct builder *b;
	struct err *e;
	struct marshal m;
	struct graph_totals out;
	bool sampled;
	int64_t calls, primitive;
};

#define SAMPLED "__sampled__"
#define TAIL 32u /* bytes that have that entry and the end */

static int
pstats_probe(struct head head)
{
	if (head.len < 2 || (head.at[0] & 0x7F) != '{')
		return 0;
	uint8_t key = head.at[1] & 0x7F;
	return key == '(' || key == ')' ? 90 : 0;
}

/* ---- an entry ---- */

/* The first n values of a list. */
static bool
list_of(const struct marshal *m, uint32_t node, uint32_t *value, uint32_t n)
{
	const struct marshal_node *list = node == MARSHAL_NO ? NULL : marshal_get(m, node);

	if (!list || list->kind != MARSHAL_LIST || list->n < n)
		return false;
	node = list->first;
	for (uint32_t i = 0; i < n; i++, node = m->node.at[node].next)
		value[i] = node;
	return true;
}

static bool
seconds(const struct marshal *m, uint32_t node, int64_t *ns)
{
	double s;

	if (!marshal_real(m, node, &s) || !(fabs(s) < 9e9))
		return false;
	*ns = llround(s * 1e9);
	return true;
}

static bool
entry_parse(const struct marshal *m, uint32_t key, uint32_t value, struct pstats_entry *out)
{
	uint32_t k[3], v[5];

	if (!list_of(m, key, k, 3) || !list_of(m, value, v, 5))
		return false;
	*out = (struct pstats_entry){.file = k[0], .line = k[1], .name = k[2], .callers = v[4]};
	return marshal_integer(m, v[0], &out->primitive) && marshal_integer(m, v[1], &out->calls) &&
	       seconds(m, v[2], &out->self_ns) && seconds(m, v[3], &out->total_ns) &&
	       out->calls >= 0 && marshal_get(m, v[4])->kind == MARSHAL_LIST;
}

static bool
caller_parse(const struct marshal *m, uint32_t key, uint32_t value, struct caller *out)
{
	uint32_t k[3], v[4];

	if (!list_of(m, key, k, 3))
		return false;
	*out = (struct caller){.file = k[0], .line = k[1], .name = k[2]};
	if (marshal_integer(m, value, &out->calls))
		return out->calls >= 0;
	out->has_total = true;
	return list_of(m, value, v, 4) && marshal_integer(m, v[0], &out->calls) &&
	       out->calls >= 0 && seconds(m, v[3], &out->total_ns);
}

/* ---- functions ---- */

static struct name
pstats_text_of(const struct marshal *m, uint32_t node)
{
	const struct marshal_node *n = marshal_get(m, node);

	if (n->kind != MARSHAL_STRING || !n->string.len)
		return (struct name){.at = ""};
	return (struct name){.at = m->text.at + n->string.at, .len = n->string.len};
}

/* Built-in functions have the file `~`, also collections of garbage (`<GC>`) and native code. */
static uint32_t
pstats_function_of(struct pstats *p, uint32_t file, uint32_t line, uint32_t name)
{
	struct name path = pstats_text_of(&p->m, file), text = pstats_text_of(&p->m, name);
	bool built_in = path.len == 1 && path.at[0] == '~';
	int64_t number;

	if (!marshal_integer(&p->m, line, &number) || number < 0 || number >= UINT32_MAX)
		number = 0;
	struct function f = {
		.name = builder_name(p->b, text.at, text.len),
		.file = built_in ? NAME_EMPTY : builder_name(p->b, path.at, path.len),
		.line = p->sampled ? 0 : (uint32_t)number,
		.kind = (uint8_t)(built_in ? KIND_SYSTEM : KIND_USER),
	};
	return graph_totals_function(&p->out, builder_function(p->b, f));
}

/* Returns the callee's cost for a caller that has only a number of calls. */
static int64_t
in_proportion(const struct pstats_entry *entry, int64_t calls)
{
	if (!entry->calls || calls > entry->calls)
		return entry->total_ns;
	return wide_ratio(entry->total_ns, calls, entry->calls);
}

/* Sums over the callers of an entry. */
struct pstats_called {
	int64_t calls;
	int64_t cost[2]; /* of the callers that are other functions */
};

static bool
add_callers(struct pstats *p, const struct pstats_entry *entry, uint32_t callee,
	    struct pstats_called *called)
{
	uint32_t node = marshal_get(&p->m, entry->callers)->first;

	while (node != MARSHAL_NO) {
		struct caller c;
		uint32_t value = p->m.node.at[node].next;
		if (value == MARSHAL_NO || !caller_parse(&p->m, node, value, &c))
			return false;
		int64_t cost[2] = {c.has_total ? c.total_ns : in_proportion(entry, c.calls),
				   c.calls};
		uint32_t caller = pstats_function_of(p, c.file, c.line, c.name);
		if (!callgraph_arc(p->out.graph, caller, callee, c.calls, cost) ||
		    __builtin_add_overflow(called->calls, c.calls, &called->calls))
			return false;
		for (unsigned m = 0; m < 2 && caller != callee; m++)
			if (__builtin_add_overflow(called->cost[m], cost[m], &called->cost[m]))
				return false;
		node = p->m.node.at[value].next;
	}
	return true;
}

/* The self cost of a sampled entry belongs to its line. */
static bool
add_self(struct pstats *p, const struct pstats_entry *entry, uint32_t f)
{
	int64_t cost[2] = {entry->self_ns, entry->primitive}, line;

	if (!p->sampled || !marshal_integer(&p->m, entry->line, &line) || line <= 0)
		return graph_totals_self(&p->out, f, cost);
	frame_id frame =
		builder_frame(p->b, p->out.function.at[f], line_numbered(line));
	return callgraph_self(p->out.graph, f, graph_totals_place(&p->out, frame, false), cost);
}

static bool
add_entry(struct pstats *p, uint32_t key, uint32_t value, uint64_t offset)
{
	struct pstats_entry entry;
	struct pstats_called called = {0};

	if (!entry_parse(&p->m, key, value, &entry))
		return err_damage(p->e, offset, "expected a function with its times and callers");
	uint32_t f = pstats_function_of(p, entry.file, entry.line, entry.name);
	if (!add_self(p, &entry, f) ||
	    __builtin_add_overflow(p->calls, entry.calls, &p->calls) ||
	    __builtin_add_overflow(p->primitive, entry.primitive, &p->primitive))
		return err_damage(p->e, offset, "the sum of the values exceeds 2^63");
	if (!add_callers(p, &entry, f, &called))
		return err_damage(p->e, offset, "malformed callers");
	int64_t rest = entry.calls > called.calls ? entry.calls - called.calls : 0;
	if (rest && !callgraph_calls(p->out.graph, f, rest))
		return err_damage(p->e, offset, "the sum of the values exceeds 2^63");
	/* Sampled lines of one function may lie on one stack: what other functions and no function
	 * called counts the stack once. */
	int64_t entered[2] = {rest ? in_proportion(&entry, rest) : 0, rest};
	for (unsigned m = 0; m < 2; m++)
		if (__builtin_add_overflow(entered[m], called.cost[m], &entered[m]))
			return err_damage(p->e, offset, "the sum of the values exceeds 2^63");
	callgraph_gross(p->out.graph, f, p->sampled ? entered : &entry.total_ns);
	p->out.graph->callers_known = true;
	builder_track_event(p->b, p->out.track);
	return true;
}

/* ---- the decoder ---- */

/* Reads the next key and value of the dictionary, and forgets the previous ones. Returns false at
 * its end, and after damage. */
static bool
next_entry(struct marshal *m, uint32_t *key, uint32_t *value, struct err *e)
{
	uint64_t offset = input_offset(m->in);

	marshal_forget(m);
	*key = marshal_value(m);
	if (*key != MARSHAL_NO && m->node.at[*key].kind == MARSHAL_END)
		return false;
	*value = *key == MARSHAL_NO ? MARSHAL_NO : marshal_value(m);
	if (*value != MARSHAL_NO && m->node.at[*value].kind == MARSHAL_END)
		m->why = "expected a value";
	return m->why ? err_damage(e, offset, "%s", m->why) : true;
}

/* Returns true for the entry that says that the profile was sampled. */
static bool
is_marker(const struct pstats *p, uint32_t key)
{
	uint32_t name;

	return p->sampled && list_of(&p->m, key, &name, 1) &&
	       name_is(pstats_text_of(&p->m, name), SAMPLED);
}

/* Returns true if the last bytes have that entry, and goes back to the beginning. */
static bool
is_sampled(struct input *in)
{
	uint64_t size = input_size(in);
	char tail[TAIL];

	input_keep(in);
	if (!size) {
		input_discard(in, UINT64_MAX);
		size = input_offset(in);
		input_seek(in, 0);
	}
	size_t n = size < TAIL ? (size_t)size : TAIL;
	return input_read_at(in, size - n, tail, n) && memmem(tail, n, SAMPLED, strlen(SAMPLED));
}

static void
pstats_declare(struct pstats *p)
{
	p->out.metric[p->out.n_metrics++] = builder_metric(p->b, "time", UNIT_NS, ROLE_VALUE);
	builder_default_metric(p->b, p->out.metric[0]);
	p->out.calls = METRIC_NONE;
	if (p->sampled) {
		p->out.metric[p->out.n_metrics++] =
			builder_metric(p->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	} else {
		p->out.calls = builder_metric(p->b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(p->b, p->out.calls);
	}
	p->out.track = builder_main(p->b);
}

static bool
pstats_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pstats p = {.b = b, .e = e, .m = {.in = in}, .out = {.b = b}};
	uint32_t key, value;
	bool good;

	p.sampled = is_sampled(in);
	pstats_declare(&p);
	if (!marshal_begin(&p.m))
		good = err_refuse(e, "not a profile of Python: it is not a dictionary");
	else
		for (good = true; good;) {
			uint64_t offset = input_offset(in);
			if (!next_entry(&p.m, &key, &value, e))
				break;
			good = is_marker(&p, key) || add_entry(&p, key, value, offset);
		}
	good = good && !err_is_set(e);
	marshal_release(&p.m);
	good = graph_totals_write(&p.out, input_offset(in), e) && good;
	if (good && p.sampled && !p.calls)
		builder_warn(b, "the profiler took no samples");
	if (good && input_need(in, 1))
		builder_warn(b, "more than one profile: the first is read");
	builder_info(b, p.sampled ? "samples" : "calls", "%" PRId64,
		     p.sampled ? p.primitive : p.calls);
	if (!p.sampled)
		builder_info(b, "primitive calls", "%" PRId64, p.primitive);
	builder_info(b, "assumed", GRAPH_ASSUMED);
	graph_totals_release(&p.out);
	return good;
}

/* ---- dump ---- */

static bool
dump_entry(struct dump *d, const struct marshal *m, uint64_t offset, uint32_t key, uint32_t value)
{
	struct buf file = BUF_INIT, name = BUF_INIT;
	struct pstats_entry x;
	int64_t line;

	if (!entry_parse(m, key, value, &x))
		return dump_record(d, offset, "no function");
	struct name path = pstats_text_of(m, x.file), text = pstats_text_of(m, x.name);
	if (!marshal_integer(m, x.line, &line))
		line = 0;
	bool good = dump_record(d, offset,
				"function %s file=%s line=%" PRId64 " calls=%" PRId64
				" primitive=%" PRId64 " self=%" PRId64 "ns total=%" PRId64
				"ns callers=%u",
				dump_bytes(d, &name, text.at, text.len),
				dump_bytes(d, &file, path.at, path.len), line, x.calls, x.primitive,
				x.self_ns, x.total_ns, (unsigned)marshal_get(m, x.callers)->n / 2);
	for (uint32_t n = marshal_get(m, x.callers)->first; good && n != MARSHAL_NO;) {
		struct caller c;
		uint32_t row = m->node.at[n].next;
		if (row == MARSHAL_NO || !caller_parse(m, n, row, &c))
			break;
		text = pstats_text_of(m, c.name);
		good = dump_record(d, offset, "caller %s calls=%" PRId64 " total=%" PRId64 "ns",
				   dump_bytes(d, &name, text.at, text.len), c.calls, c.total_ns);
		n = m->node.at[row].next;
	}
	buf_release_all(&file, &name);
	return good;
}

static bool
pstats_dump(struct input *in, struct dump *d, struct err *e)
{
	struct marshal m = {.in = in};
	uint32_t key, value;
	bool good = marshal_begin(&m) ||
		    err_refuse(e, "not a profile of Python: it is not a dictionary");

	while (good) {
		uint64_t offset = input_offset(in);
		if (!next_entry(&m, &key, &value, e))
			break;
		good = dump_entry(d, &m, offset, key, value);
	}
	marshal_release(&m);
	return good && !err_is_set(e);
}

const struct decoder decoder_pstats = {
	.name = "pstats",
	.title = "Python's profiles: cProfile, profile, yappi's pstat",
	.made_of = MADE_BINARY,
	.probe = pstats_probe,
	.decode = pstats_decode,
	.dump = pstats_dump,
};
