#include <ctype.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/profile/human.h"
#include "src/encode/arcs.h"

/* A call graph for graphviz: the 80 heaviest functions (or --limit) with at least half a percent of
 * the total, and the arcs among them.  Labels are plain strings, since names may contain anything
 * and HTML-like labels would interpret it. */

#define LEAST 200 /* a 200th of the total */
#define MOST 80   /* more are unreadable */

struct dot_function {
	int64_t total;
	uint32_t id; /* of the arcs' functions */
};

struct dot {
	struct shown shown;
	struct arcs arcs;
	FILE *out;
	int64_t all;
	struct dot_function *function; /* those drawn, the largest total first */
	uint32_t n;
	uint8_t *drawn; /* [function] */
};

static void
dot_quoted(struct dot *x, const struct buf *text)
{
	putc('"', x->out);
	for (size_t i = 0; i < text->len; i++) {
		if (text->at[i] == '"' || text->at[i] == '\\')
			putc('\\', x->out);
		putc(text->at[i], x->out);
	}
	putc('"', x->out);
}

ORDERED_LARGEST(by_total, struct dot_function, total, id)

static bool
dot_read_limit(const struct dot *x, size_t *most, struct err *e)
{
	const char *text = encode_option(x->shown.job, "limit");
	char *end;

	if (!text)
		return true;
	*most = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end)
		return true;
	return err_usage(e, "--limit: '%s' is not a number", text);
}

static void
dot_choose(struct dot *x, size_t most)
{
	const struct arcs *a = &x->arcs;

	x->function = mem_alloc(a->function.n + 1, sizeof *x->function);
	x->drawn = mem_zalloc(a->function.n + 1, 1);
	for (uint32_t f = 0; f < a->function.n; f++)
		if (encode_option(x->shown.job, "limit") ||
		    (a->total.at[f] > 0 && a->total.at[f] >= x->all / LEAST))
			x->function[x->n++] = (struct dot_function){a->total.at[f], f};
	if (x->n)
		qsort(x->function, x->n, sizeof *x->function, by_total);
	if (x->n > most)
		x->n = (uint32_t)most;
	for (uint32_t i = 0; i < x->n; i++)
		x->drawn[x->function[i].id] = 1;
}

/* Writes a share of the whole. Values below 0 can make the whole 0: then the value itself. */
static void
dot_write_part(const struct dot *x, int64_t value, struct buf *out)
{
	if (x->all)
		human_share(out, value, x->all);
	else
		human_value(out, value, &x->shown.p->metric[x->shown.metric.at[0]]);
}

static void
dot_write_function(struct dot *x, uint32_t f)
{
	const struct arcs *a = &x->arcs;
	const struct shown_frame *frame = &a->function.at[f].frame;
	struct buf label = BUF_INIT;
	/* 8 to 28 points by self cost */
	int64_t self = a->self_sum.at[f] > 0 ? a->self_sum.at[f] : 0;
	double share = x->all > 0 ? (double)self / (double)x->all : 0;
	/* from white to red by total cost */
	int64_t total = a->total.at[f] > 0 ? a->total.at[f] : 0;
	double with = x->all > 0 ? (double)total / (double)x->all : 0;
	with = with < 1 ? with : 1;
	share = share < 1 ? share : 1;

	shown_name_people(&x->shown, frame->name, &label);
	if (frame->is_function && frame->file != NAME_EMPTY) {
		buf_addc(&label, '\n');
		shown_name_people(&x->shown, frame->file, &label);
	}
	buf_adds(&label, "\nself ");
	dot_write_part(x, a->self_sum.at[f], &label);
	buf_adds(&label, ", total ");
	dot_write_part(x, a->total.at[f], &label);
	fprintf(x->out, "\tf%u [label=", f);
	dot_quoted(x, &label);
	fprintf(x->out, ", fontsize=%d, fillcolor=\"#ff%02x%02x\"];\n", 8 + (int)(20 * share),
		255 - (int)(140 * with), 255 - (int)(190 * with));
	buf_release(&label);
}

static void
write_edges(struct dot *x, uint32_t f)
{
	const struct arcs *a = &x->arcs;

	for (uint32_t i = a->function.at[f].first_arc; i; i = a->arc.at[i - 1].next) {
		const struct arcs_arc *arc = &a->arc.at[i - 1];
		int64_t value = a->arc_value.at[i - 1];
		double share = x->all > 0 && value > 0 ? (double)value / (double)x->all : 0;
		struct buf label = BUF_INIT;
		if (!x->drawn[arc->callee])
			continue;
		human_value(&label, value, &x->shown.p->metric[x->shown.metric.at[0]]);
		fprintf(x->out, "\tf%u -> f%u [label=", f, arc->callee);
		dot_quoted(x, &label);
		/* tenths, without the locale's comma */
		unsigned width = 10 + (unsigned)(50 * (share < 1 ? share : 1));
		fprintf(x->out, ", penwidth=%u.%u];\n", width / 10, width % 10);
		buf_release(&label);
	}
}

static void
write_graph(struct dot *x, size_t most)
{
	struct buf title = BUF_INIT;

	arcs_make(&x->arcs, &x->shown);
	x->all = x->shown.fold->now.total[NODE_ROOT];
	dot_choose(x, most);
	shown_title(&x->shown, "pnav", &title);
	fputs("digraph ", x->out);
	dot_quoted(x, &title);
	fputs(" {\n\tnode [shape=box, style=filled, fontname=\"sans-serif\"];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=9];\n", x->out);
	for (uint32_t i = 0; i < x->n; i++)
		dot_write_function(x, x->function[i].id);
	for (uint32_t i = 0; i < x->n; i++)
		write_edges(x, x->function[i].id);
	fputs("}\n", x->out);
	buf_release(&title);
}

static bool
dot_write(const struct encode_job *job, struct err *e)
{
	struct dot x = {.out = job->out};

	if (!shown_open(&x.shown, job, SHOWN_ONE, e))
		return false;
	size_t most = MOST;
	bool good = dot_read_limit(&x, &most, e) && shown_load(&x.shown, TRACK_NONE, e);
	if (good)
		write_graph(&x, most);
	arcs_release(&x.arcs);
	free(x.function);
	free(x.drawn);
	shown_close(&x.shown);
	return good;
}

static const struct option_row dot_options[] = {
	{"limit", "N", "dot: at most N functions, the heaviest ones; 80", .kind = OPTION_NUMBER},
	{0},
};

const struct encoder encoder_dot = {
	.name = "dot",
	.endings = ".dot .gv",
	.title = "call graph for graphviz",
	.options = dot_options,
	.write = dot_write,
};
