#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/human.h"
#include "src/encode/shown.h"

/* One picture of the flame for any viewer: boxes as wide as their totals, the root at the
 * bottom, or with --invert at the top. Of values below 0 the amount decides, and they are
 * marked. It has no scripts and no external references; the numbers are in tooltips, which every
 * viewer shows. Boxes narrower than a tenth of a pixel are merged with their neighbours and say
 * so. A deep recursion with almost no cost would leave a page that is empty except for a thin
 * line of boxes. So if all rows from one on are such lines, one grey row represents them. */

#define WIDTH 1200u
#define ROW 16u
#define LEAST 0.1  /* pixels */
#define LETTER 6.7 /* of the font: an upper estimate */
#define SIDE_MAX 100000u
#define THREAD 3.0  /* pixels: boxes in a row too thin to point at */
#define THREADS 16u /* such rows that are drawn */

struct box {
	node_id node; /* NODE_NONE: `merged` nodes */
	uint32_t merged, depth;
	double x, width;
	int64_t total; /* below 0: marked */
};

struct svg {
	struct shown shown;
	const int64_t *total; /* [node] */
	const int64_t *area;  /* [node] of the width */
	FILE *out;
	unsigned width, height; /* height 0: automatic */
	uint32_t rows;
	double scale; /* pixels of 1 */
	VEC(struct box) box;
};

/* Light enough for black text; three shades, so that neighbours differ. */
static const char *const fills[KINDS][3] = {
	[KIND_USER] = {"#ffd08a", "#ffbf69", "#ffdfb0"},
	[KIND_INTRINSIC] = {"#a9d6f5", "#8fc8ef", "#c5e4fa"},
	[KIND_SYSTEM] = {"#bfe3b4", "#a8d79a", "#d5efcd"},
	[KIND_IDLE] = {"#dddddd", "#d2d2d2", "#e8e8e8"},
};

/* ---- where boxes are ---- */

static void
push_children(struct svg *s, const struct box *of)
{
	const struct shown *shown = &s->shown;
	uint32_t n = fold_children(shown->fold, shown->p, of->node, NULL, 0);
	node_id *child = mem_alloc((size_t)n + 1, sizeof *child);
	struct box rest = {.node = NODE_NONE, .depth = of->depth + 1};
	double x = of->x;

	fold_children(shown->fold, shown->p, of->node, child, n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t total = s->total[child[i]];
		double width = (double)s->area[child[i]] * s->scale;
		struct box b = {child[i], 0, of->depth + 1, x, width, total};
		if (width <= 0)
			continue;
		if (b.width < LEAST) {
			rest.merged++;
			rest.total += total;
			rest.width += width;
			continue;
		}
		*vec_push(&s->box) = b;
		x += b.width;
	}
	rest.x = x;
	if (rest.width >= LEAST)
		*vec_push(&s->box) = rest;
	free(child);
}

static void
svg_lay_out(struct svg *s)
{
	int64_t all = s->area[NODE_ROOT];

	s->scale = all > 0 ? (double)s->width / (double)all : 0;
	*vec_push(&s->box) = (struct box){NODE_ROOT, 0, 0, 0, all > 0 ? s->width : 0,
					  s->total[NODE_ROOT]};
	for (size_t i = 0; i < s->box.n; i++) {
		struct box b = s->box.at[i];
		if (s->height && (b.depth + 1) * ROW > s->height)
			continue;
		s->rows = b.depth + 1 > s->rows ? b.depth + 1 : s->rows;
		if (b.node != NODE_NONE)
			push_children(s, &b);
	}
}

static void
cut_threads(struct svg *s)
{
	uint32_t last = 0;

	for (size_t i = 0; i < s->box.n; i++)
		if (s->box.at[i].width >= THREAD && s->box.at[i].depth > last)
			last = s->box.at[i].depth;
	if (s->height || s->rows <= last + 1 + THREADS)
		return;
	s->rows = last + 1 + THREADS;
	for (size_t i = 0; i < s->box.n; i++) {
		struct box *b = &s->box.at[i];
		if (b->depth + 1 == s->rows && b->node != NODE_NONE &&
		    s->shown.tree->first_child[b->node] != NODE_NONE)
			*b = (struct box){NODE_NONE, 0, b->depth, b->x, b->width, b->total};
	}
}

/* ---- writing ---- */

/* Writes characters valid in XML, at most `most` of them; an ellipsis ends a truncated text.
 * U+FFFE and U+FFFF are not valid in XML. */
static void
escaped(struct svg *s, const struct buf *text, size_t most)
{
	size_t letters = 0, at = 0;

	for (size_t i = 0; i < text->len; i++)
		letters += ((unsigned char)text->at[i] & 0xc0) != 0x80;
	size_t keep = letters > most ? most - 1 : letters;
	for (size_t seen = 0; at < text->len; at++) {
		unsigned char c = (unsigned char)text->at[at];
		seen += (c & 0xc0) != 0x80;
		if (seen > keep)
			break;
		if (c == 0xef && at + 2 < text->len && !memcmp(text->at + at, "\xef\xbf", 2) &&
		    (unsigned char)text->at[at + 2] >= 0xbe) {
			fputs("\xef\xbf\xbd", s->out);
			at += 2;
		} else if (c == '&' || c == '<' || c == '>' || c == '"') {
			fprintf(s->out, "&#%d;", c);
		} else {
			putc(c < 0x20 || c == 0x7f ? '?' : c, s->out);
		}
	}
	if (letters > most)
		fputs("\xe2\x80\xa6", s->out);
}

/* Writes hundredths of a pixel, whatever the locale. */
static void
pixels(struct svg *s, const char *name, double v)
{
	unsigned long hundredths = (unsigned long)(v * 100 + 0.5);

	fprintf(s->out, " %s=\"%lu.%02lu\"", name, hundredths / 100, hundredths % 100);
}

static void
box_title(const struct svg *s, const struct box *b, struct buf *name, struct buf *title)
{
	const struct shown *shown = &s->shown;
	const struct metric *m = &shown->p->metric[shown->metric.at[0]];

	if (b->total < 0)
		buf_adds(name, "\xe2\x96\xbc"); /* a triangle that points down */
	if (b->node == NODE_NONE && !b->merged)
		buf_adds(name, "and deeper");
	else if (b->node == NODE_NONE)
		buf_addf(name, "%u more", b->merged);
	else if (b->node == NODE_ROOT)
		buf_adds(name, "all");
	else
		shown_name_people(shown, shown_frame(shown, shown->tree->key[b->node]).name, name);
	buf_add(title, buf_str(name), name->len);
	buf_adds(title, " (");
	if (b->node != NODE_NONE && b->node != NODE_ROOT) {
		buf_adds(title, "self ");
		human_value(title, shown_self(shown, b->node)[0], m);
		buf_adds(title, ", ");
	}
	buf_adds(title, "total ");
	human_value(title, b->total, m);
	if (s->total[NODE_ROOT]) { /* of values below 0, the sum may be 0 */
		buf_adds(title, ", ");
		human_share(title, b->total, s->total[NODE_ROOT]);
	}
	buf_addc(title, ')');
}

static const char *
box_fill(const struct svg *s, const struct box *b)
{
	if (b->node == NODE_NONE || b->node == NODE_ROOT)
		return "#dddddd";
	key_id key = s->shown.tree->key[b->node];
	return fills[shown_frame(&s->shown, key).kind][key * 2654435761u / 97 % 3];
}

static void
write_box(struct svg *s, const struct box *b)
{
	struct buf name = BUF_INIT, title = BUF_INIT;
	uint32_t row = s->shown.lens.invert ? b->depth : s->rows - 1 - b->depth;
	double room = (b->width - 6) / LETTER;

	box_title(s, b, &name, &title);
	fputs("<g><title>", s->out);
	escaped(s, &title, SIZE_MAX);
	fputs("</title><rect", s->out);
	pixels(s, "x", b->x);
	fprintf(s->out, " y=\"%u\"", row * ROW);
	pixels(s, "width", b->width);
	fprintf(s->out, " height=\"%u\" fill=\"%s\"%s/>", ROW - 1, box_fill(s, b),
		b->total < 0 ? " fill-opacity=\"0.4\"" : "");
	if (room >= 3) {
		fputs("<text", s->out);
		pixels(s, "x", b->x + 3);
		fprintf(s->out, " y=\"%u\">", row * ROW + 11);
		escaped(s, &name, (size_t)room);
		fputs("</text>", s->out);
	}
	fputs("</g>\n", s->out);
	buf_release(&name);
	buf_release(&title);
}

static void
write_picture(struct svg *s)
{
	unsigned height = s->height ? s->height : s->rows * ROW;
	struct buf title = BUF_INIT;

	shown_title(&s->shown, "pnav", &title);
	fprintf(s->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" font-family=\"monospace\" font-size=\"11\">\n<title>",
		s->width, height, s->width, height);
	escaped(s, &title, SIZE_MAX);
	fprintf(s->out, "</title>\n<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n", s->width,
		height);
	for (size_t i = 0; i < s->box.n; i++)
		if (s->box.at[i].depth < s->rows && s->box.at[i].width > 0)
			write_box(s, &s->box.at[i]);
	fputs("</svg>\n", s->out);
	buf_release(&title);
}

static bool
read_size(struct svg *s, struct err *e)
{
	const char *text = encode_option(s->shown.job, "size");
	char end;

	s->width = WIDTH;
	if (!text)
		return true;
	if ((sscanf(text, "%6ux%6u%c", &s->width, &s->height, &end) == 2 && s->height >= ROW &&
	     s->width >= 16 && s->width <= SIDE_MAX && s->height <= SIDE_MAX))
		return true;
	return err_usage(e, "--size: '%s' is not WIDTHxHEIGHT in pixels", text);
}

static bool
svg_write(const struct encode_job *job, struct err *e)
{
	struct svg s = {.out = job->out};

	if (!shown_open(&s.shown, job, SHOWN_ONE, e))
		return false;
	bool good = read_size(&s, e) && shown_load(&s.shown, TRACK_NONE, e);
	if (good) {
		const struct fold_numbers *now = &s.shown.fold->now;
		s.total = now->total;
		s.area = now->area ? now->area : now->total;
		svg_lay_out(&s);
		cut_threads(&s);
		write_picture(&s);
	}
	vec_release(&s.box);
	shown_close(&s.shown);
	return good;
}

static const struct option_row svg_options[] = {
	{"size", "WxH", "svg: pixels; default 1200 wide and as high as necessary",
	 .kind = OPTION_TEXT},
	{0},
};

const struct encoder encoder_svg = {
	.name = "svg",
	.endings = ".svg",
	.title = "picture of the flame, for browsers",
	.options = svg_options,
	.write = svg_write,
};
