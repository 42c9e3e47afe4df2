/* gmon.out, the output of programs compiled with `gcc -pg`: a histogram of the program counter,
 * usually sampled a hundred times a second, and the number of calls from each place to each
 * function.
 *
 * A bin of the histogram covers a few bytes of code, which may belong to several functions.
 * Its hits are divided by the bytes of each function, as exact fractions of the histogram's
 * length. They are rounded once, at the end, by the largest remainders.
 *
 * Arcs have only counts: gmon_share.h computes their costs, graph_totals.h makes stacks. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/wide.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/gmon/gmon.h"
#include "src/decode/gmon/gmon_share.h"

/* A place in a function that has hits of a histogram. */
struct gmon_part {
	uint32_t function, place, order;
	wide of; /* hits times the histogram's length; then the remainder */
	int64_t hits;
};

struct gmon {
	struct builder *b;
	struct err *e;
	struct gmon_file file;
	struct gmon_program program;
	struct graph_totals out; /* time, samples */
	struct idmap function_of; /* begin of the code -> function of the graph */
	VEC(struct gmon_part) part; /* of the current histogram */
	struct idmap part_of;
	VEC(struct gmon_call) call;
	struct idmap call_of; /* (caller, callee) -> index */
	int64_t hits, calls;
	uint64_t arcs, histograms, blocks;
};

static int
gmon_probe(struct head head)
{
	bool is_wide, big_endian;

	if (gmon_is_bsd(head.at, head.len, &is_wide, &big_endian))
		return 95;
	if (head.len < 8 || memcmp(head.at, "gmon", 4) != 0)
		return 0;
	return bytes_u32(head.at + 4, true) == 1 || bytes_u32(head.at + 4, false) == 1 ? 100 : 0;
}

/* ---- functions ---- */

/* Looks up the code at an address in symbols and DWARF. */
static bool
look_up(struct gmon *g, uint64_t address, struct symbols_frame *out)
{
	uint64_t offset;

	return g->program.symbols &&
	       symbols_offset(g->program.symbols, g->program.module, address, &offset) &&
	       symbols_at(g->program.symbols, g->program.module, offset, false, out, 1);
}

static uint32_t
gmon_function_of(struct gmon *g, const struct gmon_code *code, uint64_t address)
{
	/* each address of code without a function counts separately */
	uint64_t start = code->name || code->start ? code->start : address;
	uint32_t i = idmap_get(&g->function_of, start);
	struct symbols_frame frame = {0};
	struct function f = {0};
	char text[32];

	if (i != IDMAP_NONE)
		return i;
	const char *name = code->name;
	if (name && look_up(g, start, &frame)) {
		f.file = frame.file ? builder_name(g->b, frame.file, strlen(frame.file))
				    : NAME_EMPTY;
		f.line = frame.definition;
	}
	if (!name) {
		snprintf(text, sizeof text, "0x%" PRIx64, start);
		name = text;
	}
	f.name = builder_name(g->b, name, strlen(name));
	f.kind = (uint8_t)kind_of_name(name, strlen(name));
	i = graph_totals_function(&g->out, builder_function(g->b, f));
	idmap_put(&g->function_of, start, i);
	return i;
}

/* Returns the line at an address of a function, as a place of the graph. */
static uint32_t
gmon_place_of(struct gmon *g, uint32_t function, const struct gmon_code *code, uint64_t address)
{
	struct symbols_frame frame = {0};

	if (code->name)
		look_up(g, address, &frame);
	struct line line = line_numbered(frame.line);
	return graph_totals_place(
		&g->out, builder_frame(g->b, g->out.function.at[function], line), false);
}

/* ---- histograms ---- */

static void
add_part(struct gmon *g, uint64_t address, const struct gmon_code *code, wide of)
{
	uint32_t function = gmon_function_of(g, code, address);
	uint32_t place = gmon_place_of(g, function, code, address);
	uint32_t i = idmap_get(&g->part_of, place); /* a place is of one function */

	if (i == IDMAP_NONE) {
		i = (uint32_t)g->part.n;
		idmap_put(&g->part_of, place, i);
		*vec_push(&g->part) = (struct gmon_part){
			.function = function, .place = place, .order = i};
	}
	g->part.at[i].of = wide_add(g->part.at[i].of, of);
}

/* Divides the hits of one bin.  Addresses are counted in parts of a byte, `bins` of them, so
 * that the ends of bins are whole numbers. */
static void
divide_bin(struct gmon *g, const struct gmon_histogram *h, uint32_t bin, uint16_t hits)
{
	wide bins = wide_of_unsigned(h->bins), length = wide_of_unsigned(h->high - h->low);
	wide at = wide_add(wide_mul(wide_of_unsigned(h->low), bins),
			   wide_mul(length, wide_of(bin)));
	wide end = wide_add(at, length);

	while (wide_cmp(at, end) < 0) {
		uint64_t address = wide_low(wide_div(at, bins));
		struct gmon_code code = gmon_program_at(&g->program, address);
		wide stop = code.end ? wide_mul(wide_of_unsigned(code.end), bins) : end;
		if (wide_cmp(stop, end) > 0 || wide_cmp(stop, at) <= 0)
			stop = end;
		add_part(g, address, &code, wide_mul(wide_sub(stop, at), wide_of(hits)));
		at = stop;
	}
}

static int
by_rest(const void *a, const void *b)
{
	const struct gmon_part *x = a, *y = b;

	int order = wide_cmp(y->of, x->of);

	if (order)
		return order;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Rounds the hits and adds them as costs. */
static bool
write_parts(struct gmon *g, const struct gmon_histogram *h, int64_t hits)
{
	wide length = wide_of_unsigned(h->high - h->low);
	int64_t left = hits;
	bool good = true;

	for (size_t i = 0; i < g->part.n; i++) {
		struct gmon_part *p = &g->part.at[i];
		p->hits = wide_clipped(wide_div(p->of, length));
		p->of = wide_mod(p->of, length);
		left -= p->hits;
	}
	vec_sort(&g->part, by_rest);
	for (size_t i = 0; i < g->part.n && good; i++) {
		struct gmon_part *p = &g->part.at[i];
		p->hits += (int64_t)i < left;
		int64_t cost[2] = {wide_ratio(p->hits, 1000000000, h->rate), p->hits};
		good = callgraph_self(g->out.graph, p->function, p->place, cost);
	}
	g->part.n = 0;
	idmap_release(&g->part_of);
	g->part_of = (struct idmap){0};
	return good ? true : err_damage(g->e, h->offset, "the sum of the values exceeds 2^63");
}

static bool
add_histogram(struct gmon *g, const struct gmon_histogram *h)
{
	int64_t hits = 0;

	g->histograms++;
	if (g->histograms == 1) {
		builder_info(g->b, "histogram", "0x%" PRIx64 " to 0x%" PRIx64 ", %u bins",
			     h->low, h->high, (unsigned)h->bins);
		builder_info(g->b, "rate", "%u", (unsigned)h->rate);
	}
	for (uint32_t i = 0; i < h->bins; i++) {
		uint16_t n = bytes_u16(h->bin + (size_t)i * 2, g->file.c.big_endian);
		if (!n)
			continue;
		hits += n;
		divide_bin(g, h, i, n);
		builder_track_event(g->b, g->out.track);
	}
	g->hits += hits;
	return write_parts(g, h, hits);
}

/* ---- arcs ---- */

static bool
add_arc(struct gmon *g, const struct gmon_arc *arc, uint64_t offset)
{
	struct gmon_code callee = gmon_program_at(&g->program, arc->self);
	struct gmon_code caller = gmon_program_at(&g->program, arc->from);
	uint32_t to = gmon_function_of(g, &callee, arc->self), from = GMON_NOBODY;

	if (caller.name || (!g->program.named && caller.start))
		from = gmon_function_of(g, &caller, arc->from);
	uint64_t key = (uint64_t)from << 32 | to;
	uint32_t i;
	if (idmap_add(&g->call_of, key, g->call.n, &i))
		*vec_push(&g->call) = (struct gmon_call){.from = from, .to = to};
	g->arcs++;
	builder_track_event(g->b, g->out.track);
	if (__builtin_add_overflow(g->call.at[i].calls, arc->calls, &g->call.at[i].calls) ||
	    __builtin_add_overflow(g->calls, arc->calls, &g->calls))
		return err_damage(g->e, offset, "the sum of the values exceeds 2^63");
	return true;
}

/* Adds the cost of each arc to the graph, for both metrics. */
static bool
write_arcs(struct gmon *g)
{
	if (!g->out.graph || !g->call.n)
		return true;
	uint32_t n = g->out.graph->n_functions;
	double *self = mem_alloc((size_t)n + 1, sizeof *self);
	double *samples = mem_alloc(g->call.n, sizeof *samples);
	double *gross = mem_alloc((size_t)n + 1, 2 * sizeof *gross), *gross_samples = gross + n;
	bool good = true;

	for (uint32_t f = 0; f < n; f++)
		self[f] = (double)g->out.graph->self[(size_t)f * 2 + 1];
	gmon_share(g->call.at, g->call.n, self, gross_samples, n);
	for (size_t i = 0; i < g->call.n; i++)
		samples[i] = g->call.at[i].cost;
	for (uint32_t f = 0; f < n; f++)
		self[f] = (double)g->out.graph->self[(size_t)f * 2];
	gmon_share(g->call.at, g->call.n, self, gross, n); /* the same order as before */
	for (size_t i = 0; i < g->call.n && good; i++) {
		const struct gmon_call *c = &g->call.at[i];
		int64_t cost[2] = {llround(c->cost), llround(samples[i])};
		good = c->from == GMON_NOBODY
			       ? callgraph_calls(g->out.graph, c->to, c->calls)
			       : callgraph_arc(g->out.graph, c->from, c->to, c->calls, cost);
	}
	for (uint32_t f = 0; f < n; f++)
		callgraph_gross(g->out.graph, f,
				(int64_t[]){llround(gross[f]), llround(gross_samples[f])});
	g->out.graph->callers_known = true;
	free_all(self, samples, gross);
	return good ? true : err_damage(g->e, 0, "the sum of the values exceeds 2^63");
}

/* ---- the decoder ---- */

/* Without a program, functions begin at the targets of calls. */
static void
find_entries(struct gmon *g)
{
	struct gmon_file file = g->file;
	struct gmon_record r;
	struct err ignored = {0};

	while (gmon_next(&file, &r, &ignored))
		if (r.kind == GMON_ARC)
			gmon_program_entry(&g->program, r.arc.self);
	gmon_program_sort(&g->program);
}

/* Older libraries write run-time addresses, for which the program has no symbols. */
static bool
check_addresses(struct gmon *g)
{
	struct gmon_file file = g->file;
	struct gmon_record r;
	struct err ignored = {0};

	while (g->program.named && gmon_next(&file, &r, &ignored)) {
		if (r.kind != GMON_HISTOGRAM)
			continue;
		if (!gmon_program_covers(&g->program, r.histogram.low, r.histogram.high))
			return err_refuse(g->e,
					  "its addresses are not those of %s: they say where it "
					  "was loaded; link it with %s and record again",
					  g->program.path,
					  g->program.symbols ? "-no-pie"
							     : "-Wl,--disable-dynamicbase");
		break;
	}
	return true;
}

static bool
read_records(struct gmon *g)
{
	struct gmon_record r;
	bool good = true;

	while (good && gmon_next(&g->file, &r, g->e))
		switch (r.kind) {
		case GMON_HISTOGRAM:
			good = add_histogram(g, &r.histogram);
			break;
		case GMON_ARC:
			good = add_arc(g, &r.arc, r.offset);
			break;
		case GMON_BLOCKS:
			g->blocks += r.blocks;
			break;
		}
	return good && !err_is_set(g->e);
}

#ifdef HAVE_LIBDW
#define NO_PROGRAM "the program is not here, so functions are addresses: --binary FILE names it"
#define NO_SYMBOLS "functions are addresses: the program has no symbols"
#else
#define NO_SYMBOLS NO_PROGRAM
#define NO_PROGRAM "functions are addresses: this pnav was built without elfutils"
#endif

static void
gmon_report(struct gmon *g)
{
	if (g->program.named)
		builder_info_bytes(g->b, "program", g->program.path, strlen(g->program.path));
	else
		builder_warn(g->b, g->program.path ? NO_SYMBOLS : NO_PROGRAM);
	builder_info(g->b, "hits", "%" PRId64, g->hits);
	builder_info(g->b, "arcs", "%" PRIu64 ", calls %" PRId64, g->arcs, g->calls);
	builder_info_count(g->b, "basic blocks", g->blocks, ", not shown");
	builder_info(g->b, "assumed", GRAPH_ASSUMED);
	builder_info(g->b, "assumed", "each call of a function costs the same");
}

static bool
gmon_begin(struct gmon *g, struct input *in)
{
	g->out.b = g->b;
	g->out.metric[0] = builder_metric(g->b, "time", UNIT_NS, ROLE_VALUE);
	g->out.metric[1] = builder_metric(g->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	g->out.n_metrics = 2;
	g->out.calls = builder_metric(g->b, "calls", UNIT_CALLS, ROLE_VALUE);
	builder_calls_metric(g->b, g->out.calls);
	builder_default_metric(g->b, g->out.metric[0]);
	g->out.track = builder_main(g->b);
	if (!gmon_program_open(&g->program, in, g->e))
		return false;
	if (!g->program.named)
		find_entries(g);
	return true;
}

static bool
gmon_decode(struct input *in, struct builder *b, struct err *e)
{
	struct gmon g = {.b = b, .e = e};

	if (!gmon_open(&g.file, in, e))
		return false;
	bool good = gmon_begin(&g, in) && check_addresses(&g);
	if (good) {
		good = read_records(&g);
		good = write_arcs(&g) && good;
		good = graph_totals_write(&g.out, 0, g.e) && good;
		gmon_report(&g);
	}
	graph_totals_release(&g.out);
	gmon_program_release(&g.program);
	vec_release_all(&g.part, &g.call);
	idmap_release_all(&g.function_of, &g.part_of, &g.call_of);
	return good;
}

/* ---- dump ---- */

static bool
gmon_dump_one(struct dump *d, const struct gmon_file *f, const struct gmon_record *r)
{
	const struct gmon_histogram *h = &r->histogram;
	struct buf text = BUF_INIT;
	bool good = true;

	switch (r->kind) {
	case GMON_HISTOGRAM:
		good = dump_record(d, r->offset,
				   "histogram low=0x%" PRIx64 " high=0x%" PRIx64
				   " bins=%u rate=%u dimension=%s",
				   h->low, h->high, (unsigned)h->bins, (unsigned)h->rate,
				   dump_bytes(d, &text, h->dimension, strlen(h->dimension)));
		for (uint32_t i = 0; i < h->bins && good; i++) {
			unsigned n = bytes_u16(h->bin + (size_t)i * 2, f->c.big_endian);
			uint64_t at = (uint64_t)(h->bin - f->c.start) + (uint64_t)i * 2;
			good = !n || dump_record(d, at, "bin %u hits=%u", (unsigned)i, n);
		}
		break;
	case GMON_ARC:
		good = dump_record(d, r->offset,
				   "arc from=0x%" PRIx64 " self=0x%" PRIx64 " calls=%u",
				   r->arc.from, r->arc.self, (unsigned)r->arc.calls);
		break;
	case GMON_BLOCKS:
		good = dump_record(d, r->offset, "blocks n=%u", (unsigned)r->blocks);
		break;
	}
	buf_release(&text);
	return good;
}

static bool
gmon_dump(struct input *in, struct dump *d, struct err *e)
{
	struct gmon_file f;
	struct gmon_record r;

	if (!gmon_open(&f, in, e))
		return false;
	while (gmon_next(&f, &r, e))
		if (!gmon_dump_one(d, &f, &r))
			return false;
	return !err_is_set(e);
}

static const struct option_row gmon_options[] = {
	{"binary", "FILE", "gmon: the program that wrote it", .kind = OPTION_TEXT, .is_file = true},
	{0},
};

const struct decoder decoder_gmon = {
	.name = "gmon",
	.title = "gmon.out of programs compiled with -pg, as gprof reads it",
	.made_of = MADE_BINARY,
	.mangled = true,
	.options = gmon_options,
	.probe = gmon_probe,
	.decode = gmon_decode,
	.dump = gmon_dump,
};
