#include "src/encode/html_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "src/encode/json_text.h"
#include "src/encode/zlib.h"

/* The profile of a page.  Numbers of one kind are in one array, which compresses best. */

struct data {
	struct page *x;
	FILE *out;
	uint32_t *name; /* [name_id] 1 + its place among the names; 0: not used yet */
	VEC(name_id) names;
	uint32_t *frame; /* [key of the tree] 1 + its place among the frames */
	VEC(key_id) frames;
};

/* ---- which nodes ---- */

static int64_t
html_weight(const struct page *x, node_id node)
{
	return fold_weight(x->shown.fold, node);
}

static bool
keeps(const struct page *x, node_id node)
{
	return fold_shows(x->shown.fold, node) && (!x->keep || x->keep[node]);
}

struct weighed {
	int64_t weight;
	node_id node;
};

ORDERED_LARGEST(heaviest_first, struct weighed, weight, node)

/* Keeps the heaviest nodes, parents before their children.  A parent gets one node more if some of
 * its children are not kept.  Each kept node changes that count by at most one, so the first nodes
 * until the limit are the most that fit.  A parent that weighs less than a child, which
 * negative values can do, is moved up before the child. */
void
html_limit(struct page *x, uint32_t most)
{
	const struct projection *t = x->shown.tree;
	const struct fold_numbers *now = &x->shown.fold->now;
	struct weighed *w = mem_alloc(t->n, sizeof *w);
	uint32_t *left = mem_zalloc(t->n, sizeof *left); /* children that are not kept */
	uint32_t n = 0, others = 0, kept = 0;

	for (node_id i = 0; i < t->n; i++)
		w[i] = (struct weighed){i ? html_weight(x, i) : INT64_MAX, i};
	for (node_id i = t->n; i-- > 1;)
		if (w[t->parent[i]].weight < w[i].weight)
			w[t->parent[i]].weight = w[i].weight;
	for (node_id i = 1; i < t->n; i++) {
		if (!fold_shows(x->shown.fold, i))
			continue;
		left[t->parent[i]]++;
		w[n++] = w[i];
	}
	qsort(w, n, sizeof *w, heaviest_first);
	x->keep = mem_zalloc(t->n, 1);
	others = left[NODE_ROOT] > 0;
	for (uint32_t i = 0; i < n; i++) {
		node_id v = w[i].node;
		others += (left[v] > 0) - (left[t->parent[v]] == 1);
		if (kept + 1 + others > most)
			break;
		left[t->parent[v]]--;
		x->keep[v] = 1;
		kept++;
	}
	x->other_nodes = n - kept;
	for (node_id i = 1; i < t->n; i++)
		if (!x->keep[i])
			x->other = sum_clipped(x->other, now->recorded.self[i]);
	x->other = numbers_scaled(x->other, now->by);
	free(w);
	free(left);
}

/* ---- names, rows, frames ---- */

static uint32_t
name_place(struct data *d, name_id id)
{
	if (id == NAME_EMPTY)
		return 0;
	if (!d->name[id]) {
		*vec_push(&d->names) = id;
		d->name[id] = (uint32_t)d->names.n;
	}
	return d->name[id];
}

/* The row of a key of the tree, which is added if a report does not have it. */
static uint32_t
row_place(struct data *d, key_id key)
{
	struct page *x = d->x;
	bool lines = x->shown.tree->by != x->fold->tree->by;
	key_id of = lines ? projection_key_function(x->shown.tree, x->p, key) : key;

	if (x->row_of[of] == UINT32_MAX) {
		x->row_of[of] = x->rows.n + x->extra.n;
		struct row *row = rows_add(&x->extra);
		row->key = of;
		row->calls = -1;
	}
	return x->row_of[of];
}

static uint32_t
frame_place(struct data *d, key_id key)
{
	if (d->x->shown.tree->by == d->x->fold->tree->by)
		return row_place(d, key);
	if (!d->frame[key]) {
		*vec_push(&d->frames) = key;
		d->frame[key] = (uint32_t)d->frames.n;
	}
	return d->frame[key] - 1;
}

static struct row
row_at(const struct page *x, uint32_t i)
{
	return i < x->rows.n ? rows_get(&x->rows, i) : x->extra.at[i - x->rows.n];
}

static void
data_whole(struct data *d, int64_t v)
{
	d->x->large |= json_is_large(v);
	json_whole(d->out, v);
}

/* Writes an array of whole numbers, of each of n things. */
static void
write_array(struct data *d, const char *name, uint32_t n,
	    int64_t (*number)(struct data *, uint32_t))
{
	fprintf(d->out, ",\n\"%s\":[", name);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			putc(',', d->out);
		data_whole(d, number(d, i));
	}
	putc(']', d->out);
}

static struct shown_frame
row_frame(struct data *d, uint32_t i)
{
	struct page *x = d->x;
	struct shown of = x->shown; /* keys are those of the other tree */

	of.tree = x->fold->tree;
	return shown_frame(&of, row_at(x, i).key);
}

#define ROW_NUMBER(name, value)                                                            \
	static int64_t put_##name(struct data *d, uint32_t i)                              \
	{                                                                                  \
		struct row r = row_at(d->x, i);                                            \
		(void)r;                                                                   \
		return value;                                                              \
	}
ROW_NUMBER(name, name_place(d, row_frame(d, i).name))
ROW_NUMBER(file, name_place(d, row_frame(d, i).file))
ROW_NUMBER(module, name_place(d, row_frame(d, i).module))
ROW_NUMBER(line, row_frame(d, i).defined)
ROW_NUMBER(kind, row_frame(d, i).is_function ? (int64_t)row_frame(d, i).kind : -1)
ROW_NUMBER(self, r.self)
ROW_NUMBER(total, r.total)
ROW_NUMBER(calls, r.calls)
ROW_NUMBER(base_self, r.base_self)
ROW_NUMBER(base_total, r.base_total)
ROW_NUMBER(sure, (int64_t)row_sure(d->x->fold, &r, false))
ROW_NUMBER(sure_total, (int64_t)row_sure(d->x->fold, &r, true))

static void
write_at(struct data *d, const struct projection *t, key_id key, bool first)
{
	struct buf text = BUF_INIT;

	human_line(&text, projection_key_line(t, d->x->p, key));
	if (!first)
		putc(',', d->out);
	json_string(d->out, buf_str(&text), text.len);
	buf_release(&text);
}

static void
html_write_rows(struct data *d)
{
	const struct page *x = d->x;
	uint32_t n = x->rows.n + x->extra.n;

	fprintf(d->out, ",\n\"rows\":{\"n\":%u,\"shown\":%u", n, x->rows.n);
	write_array(d, "name", n, put_name);
	write_array(d, "file", n, put_file);
	write_array(d, "module", n, put_module);
	write_array(d, "line", n, put_line);
	write_array(d, "kind", n, put_kind);
	write_array(d, "self", n, put_self);
	write_array(d, "total", n, put_total);
	write_array(d, "calls", n, put_calls);
	if (x->fold->compares) {
		write_array(d, "base_self", n, put_base_self);
		write_array(d, "base_total", n, put_base_total);
		write_array(d, "sure", n, put_sure);
		write_array(d, "sure_total", n, put_sure_total);
	}
	if (projection_has_frames(x->fold->tree)) {
		fputs(",\n\"at\":[", d->out);
		for (uint32_t i = 0; i < n; i++)
			write_at(d, x->fold->tree, row_at(x, i).key, !i);
		putc(']', d->out);
	}
	putc('}', d->out);
}

static int64_t
frame_row(struct data *d, uint32_t i)
{
	return row_place(d, d->frames.at[i]);
}

static void
html_write_frames(struct data *d)
{
	if (d->x->shown.tree->by == d->x->fold->tree->by)
		return;
	fputs(",\n\"frames\":{\"at\":[", d->out);
	for (uint32_t i = 0; i < d->frames.n; i++)
		write_at(d, d->x->shown.tree, d->frames.at[i], !i);
	putc(']', d->out);
	write_array(d, "row", (uint32_t)d->frames.n, frame_row);
	putc('}', d->out);
}

/* ---- nodes ---- */

/* Columns of the nodes, each in preorder. */
struct nodes {
	VEC(uint32_t) depth, frame;
	VEC(int64_t) self, base;
	VEC(uint8_t) sure;
	struct numbers_carry carry; /* the page sums nodes */
};

/* Puts a node with recorded numbers. */
static void
node_put(struct nodes *n, uint32_t depth, uint32_t frame, const struct fold *f, int64_t self,
	 int64_t base, uint8_t sure)
{
	*vec_push(&n->depth) = depth;
	*vec_push(&n->frame) = frame;
	*vec_push(&n->self) = numbers_carried(&n->carry.now, self, f->now.by);
	*vec_push(&n->base) =
		f->compares ? numbers_carried(&n->carry.base, base, f->base.by) : 0;
	*vec_push(&n->sure) = sure;
}

/* Puts the children of a node that are not kept, as one node.  Totals are those of sums, so what is
 * missing in them is the self of the whole. */
static void
put_other(struct data *d, struct nodes *n, node_id node, uint32_t depth)
{
	const struct fold *f = d->x->shown.fold;
	int64_t self = 0, base = 0;
	bool any = false;

	for (node_id c = f->tree->first_child[node]; c != NODE_NONE; c = f->tree->next_sibling[c]) {
		if (d->x->keep[c] || !fold_shows(f, c))
			continue;
		any = true;
		self = sum_clipped(self, f->now.recorded.total[c]);
		base = sum_clipped(base, f->compares ? f->base.recorded.total[c] : 0);
	}
	if (any)
		node_put(n, depth, UINT32_MAX, f, self, base, SURE_UNKNOWN);
}

static void
gather_nodes(struct data *d, struct nodes *n)
{
	const struct page *x = d->x;
	const struct fold *f = x->shown.fold;
	uint32_t depth = 0;

	if (x->keep)
		put_other(d, n, NODE_ROOT, 1);
	for (struct walk w = walk_begin(); walk_on(f->tree, &w);) {
		if (!w.enters) {
			depth--;
			continue;
		}
		depth++;
		if (!keeps(x, w.node))
			continue;
		node_put(n, depth, frame_place(d, f->tree->key[w.node]), f,
			 f->now.recorded.self[w.node],
			 f->compares ? f->base.recorded.self[w.node] : 0,
			 f->compares ? (uint8_t)fold_sure(f, w.node) : 0);
		if (x->keep)
			put_other(d, n, w.node, depth + 1);
	}
}

#define WRITE_COLUMN(d, name, n, v)                                                        \
	do {                                                                               \
		fprintf((d)->out, "%s\"%s\":[", v++ ? ",\n" : "", #name);                  \
		for (size_t k = 0; k < (n)->name.n; k++) {                                 \
			if (k)                                                             \
				putc(',', (d)->out);                                       \
			data_whole((d), (int64_t)(n)->name.at[k]);                         \
		}                                                                          \
		putc(']', (d)->out);                                                       \
	} while (0)

static void
html_write_nodes(struct data *d, struct nodes *n)
{
	uint32_t other = d->x->shown.tree->by == d->x->fold->tree->by
				 ? d->x->rows.n + d->x->extra.n
				 : (uint32_t)d->frames.n;
	int v = 0;

	for (size_t i = 0; i < n->frame.n; i++)
		if (n->frame.at[i] == UINT32_MAX)
			n->frame.at[i] = other; /* one after the last */
	fputs(",\n\"nodes\":{", d->out);
	WRITE_COLUMN(d, depth, n, v);
	WRITE_COLUMN(d, frame, n, v);
	WRITE_COLUMN(d, self, n, v);
	if (d->x->fold->compares) {
		WRITE_COLUMN(d, base, n, v);
		WRITE_COLUMN(d, sure, n, v);
	}
	putc('}', d->out);
	vec_release(&n->depth);
	vec_release(&n->frame);
	vec_release(&n->self);
	vec_release(&n->base);
	vec_release(&n->sure);
}

/* ---- all of it ---- */

static void
html_write_metric(struct data *d)
{
	const struct page *x = d->x;
	const struct metric *m = x->look.metric;

	fputs(",\n\"metric\":{\"name\":", d->out);
	html_write_name(d->x, d->out, m ? m->name : NAME_EMPTY);
	fprintf(d->out, ",\"unit\":\"%s\",\"decimals\":%u,\"stated\":%s,\"estimated\":%s}",
		m ? unit_name((enum unit)m->unit) : "count", m ? m->decimals : 0u,
		x->fold->stated ? "true" : "false", x->fold->estimated ? "true" : "false");
}

static void
write_facts(struct data *d)
{
	const struct page *x = d->x;
	const struct fold *f = x->fold;
	struct buf title = BUF_INIT;

	shown_title(&x->shown, "pnav", &title);
	fputs("{\"pnav\":1,\"title\":", d->out);
	json_string(d->out, buf_str(&title), title.len);
	fprintf(d->out, ",\n\"by\":\"%s\",\"nameless\":\"%s\",\"invert\":%s,\"compares\":%s",
		granularity_name(f->tree->by), granularity_rows[f->tree->by].nameless,
		x->job->lens->invert ? "true" : "false", f->compares ? "true" : "false");
	fputs(",\n\"everything\":", d->out);
	data_whole(d, f->now.everything);
	if (f->compares) {
		fputs(",\"base_everything\":", d->out);
		data_whole(d, f->base.everything);
	}
	html_write_metric(d);
	if (x->keep) {
		fprintf(d->out, ",\n\"other\":{\"nodes\":%llu,\"self\":",
			(unsigned long long)x->other_nodes);
		data_whole(d, x->other);
		putc('}', d->out);
	}
	buf_release(&title);
}

static void
html_write_names(struct data *d)
{
	fputs(",\n\"names\":[\"\"", d->out);
	for (size_t i = 0; i < d->names.n; i++) {
		putc(',', d->out);
		html_write_name(d->x, d->out, d->names.at[i]);
	}
	fputs("]}\n", d->out);
}

static void
write_notes(struct data *d)
{
	const struct encode_job *job = d->x->job;

	for (size_t i = 0; i < job->n_notes; i++) {
		const struct encode_note *note = &job->notes[i];
		fputs(i ? ",\n" : ",\n\"notes\":[", d->out);
		fputs("{\"name\":", d->out);
		json_string(d->out, note->name, strlen(note->name));
		fputs(",\"where\":", d->out);
		json_string(d->out, note->where, strlen(note->where));
		putc('}', d->out);
	}
	if (job->n_notes)
		putc(']', d->out);
}

/* Rows come after the frames and nodes, which may add some, and names come last. */
bool
html_data(struct page *x, struct buf *out, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	struct data d = {.x = x, .out = open_memstream(&text, &len)};
	struct nodes nodes = {0};

	if (!d.out)
		return err_refuse(e, "no memory for the page");
	d.name = mem_zalloc((size_t)x->p->names.n + 1, sizeof *d.name);
	d.frame = mem_zalloc((size_t)x->shown.tree->n_keys + 1, sizeof *d.frame);
	write_facts(&d);
	gather_nodes(&d, &nodes);
	html_write_frames(&d);
	html_write_nodes(&d, &nodes);
	html_write_rows(&d);
	html_time(x, d.out);
	write_notes(&d);
	html_write_names(&d);
	bool good = !ferror(d.out);
	good = !fclose(d.out) && good && zlib_squeeze(text, len, out);
	free(text);
	free(d.name);
	free(d.frame);
	vec_release(&d.names);
	vec_release(&d.frames);
	return good || err_refuse(e, "the profile is too large for a page: see --limit-nodes");
}
