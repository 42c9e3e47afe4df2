/* hues.c - see hues.h.
 *
 * A terminal has six colours that eyes distinguish and that mark neither a search hit nor the
 * selection.  The costliest modules get them.  A letter in the legend and before each name shows
 * the same on terminals with eight colours or none.  A module keeps its colour: if colours followed
 * the range, sliding it would repaint the whole screen.  They are only reassigned while the file
 * loads, since the first modules are seldom the costliest.
 *
 * Frames without a symbol have the colour of their module in every mode: their names are addresses,
 * and a colour for each would be noise.
 *
 * With millions of functions, adding up the modules takes longer than a frame.  Until it is done,
 * the boxes keep their colours. */
#include "ui/part/hues.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/fold/nameless.h"
#include "model/profile/human.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

/* eighths of a box's colour: half of the total is self, a tenth, less */
#define SHADE_HOT 8u
#define SHADE_WARM 7u
#define SHADE_COOL 5u
#define NODE_STEPS 2u /* steps of a pace: each node misses the caches */

static const char *const words[] = {
	[HUE_AUTO] = "auto",
	[HUE_KIND] = "kind",
	[HUE_MODULE] = "module",
	[HUE_FILE] = "file",
};
#define WORDS (sizeof words / sizeof *words)

static const enum ink inks[HUES_MAX] = {
	INK_HUE_1, INK_HUE_2, INK_HUE_3, INK_HUE_4, INK_HUE_5, INK_HUE_6,
};

const char *
hue_word(enum hue by)
{
	return words[by];
}

bool
hue_read(const char *word, enum hue *out, struct err *e)
{
	for (size_t i = 0; i < WORDS; i++)
		if (!strcmp(words[i], word)) {
			*out = (enum hue)i;
			return true;
		}
	return err_usage(e, "colours are by kind, module, file or auto, not by '%s'", word);
}

void
hues_init(struct hues *h)
{
	*h = (struct hues){.is = HUE_KIND, .folds = UINT64_MAX};
}

void
hues_set(struct hues *h, enum hue by)
{
	struct work *work = h->work;
	work_drop(work);
	hues_init(h);
	h->by = by;
	h->is = by == HUE_AUTO ? HUE_KIND : by;
	h->work = work;
}

void
hues_release(struct hues *h)
{
	work_free(h->work);
	hues_init(h);
}

bool
hues_have_legend(const struct hues *h)
{
	return h->is != HUE_KIND;
}

/* Returns the name that decides the colour of a key; NAME_EMPTY if it is unknown. */
static name_id
hues_name_of(const struct scene *s, key_id key, enum hue by)
{
	const struct projection *t = s->fold->tree;
	function_id f = projection_key_function(t, s->p, key);
	enum subject subject = by == HUE_MODULE ? SUBJECT_MODULE : SUBJECT_FILE;
	if (f == UINT32_MAX)
		return granularity_rows[t->by].subject == subject
			       ? projection_key_name(t, s->p, key)
			       : NAME_EMPTY;
	struct function of = profile_function(s->p, f);
	return by == HUE_MODULE ? of.module : of.file;
}

static int
hues_index_of(const struct hues *h, name_id name)
{
	for (unsigned i = 0; name != NAME_EMPTY && i < h->n; i++)
		if (h->at[i].name == name)
			return (int)i;
	return -1;
}

/* ---- assignment ---- */

/* The cost of each name that occurs, by [name]. */
struct hue_sums {
	int64_t *self;
	uint8_t *occurs;
};

static bool
stands_before(const struct hue_sums *sums, name_id a, name_id b)
{
	return sums->self[a] != sums->self[b] ? sums->self[a] > sums->self[b] : a < b;
}

static void
add_nodes(struct hue_sums *sums, const struct hues *h, const struct scene *s, struct pace *pace)
{
	const struct projection *t = s->fold->tree;
	enum hue by = h->by == HUE_AUTO ? HUE_MODULE : h->by;
	for (node_id i = 1; i < t->n && pace_on(pace, NODE_STEPS); i++) {
		name_id name = hues_name_of(s, t->key[i], by);
		if (fold_add_self(s->fold, i, &sums->self[name]))
			sums->occurs[name] = 1;
	}
	for (name_id i = 0; i < s->p->names.n && pace_on(pace, 1); i++)
		sums->self[i] = numbers_scaled(sums->self[i], s->fold->now.by);
}

/* Gives the remaining colours to the costliest names without one, and sums the cost of the
 * others. */
static void
hues_give(struct hues *out, const struct hue_sums *sums, uint32_t n_names, struct pace *pace)
{
	unsigned first = out->n;
	for (name_id i = 0; i < n_names && pace_on(pace, 1); i++) {
		if (!sums->occurs[i] || hues_index_of(out, i) >= 0)
			continue;
		out->others += sums->self[i];
		if (i == NAME_EMPTY)
			continue;
		unsigned at = out->n;
		while (at > first && stands_before(sums, i, out->at[at - 1].name))
			at--;
		if (at == HUES_MAX)
			continue;
		out->n += out->n < HUES_MAX;
		for (unsigned k = out->n - 1; k > at; k--)
			out->at[k] = out->at[k - 1];
		out->at[at] = (struct hue_name){i, sums->self[i]};
	}
	for (unsigned i = first; i < out->n; i++)
		out->others -= out->at[i].self;
}

static void
hues_make(void *ctx, struct pace *pace)
{
	struct hues *h = ctx, made = {.n = h->fixed ? h->n : 0};
	const struct scene *s = h->scene;
	uint32_t n_names = s->p->names.n;
	struct hue_sums sums = {mem_zalloc(n_names, sizeof *sums.self), mem_zalloc(n_names, 1)};
	add_nodes(&sums, h, s, pace);
	for (unsigned i = 0; i < made.n; i++)
		made.at[i] = (struct hue_name){h->at[i].name, sums.self[h->at[i].name]};
	hues_give(&made, &sums, n_names, pace);
	free(sums.self);
	free(sums.occurs);
	if (pace_gives_up(pace))
		return;
	memcpy(h->at, made.at, sizeof h->at);
	h->n = made.n;
	h->others = made.others;
	h->folds = s->folds;
	if (h->by == HUE_AUTO && !h->fixed)
		h->is = h->n > 1 ? HUE_MODULE : HUE_KIND;
	h->fixed = s->facts->done;
}

void
hues_arrange(struct hues *h, const struct scene *s)
{
	if (h->by == HUE_KIND || h->folds == s->folds)
		return;
	if (!h->work)
		h->work = work_new(s->works);
	/* a new fold drops works that rest */
	bool begins = h->making != s->folds || !work_busy(h->work);
	h->making = s->folds;
	h->scene = s;
	if (begins)
		work_begin(h->work, hues_make, h);
	work_on(h->work, begins ? work_first(s->portion_ns) : s->portion_ns);
}

/* ---- appearance ---- */

static enum ink
kind_ink(const struct scene *s, key_id key, bool plain)
{
	static const enum ink shades[] = {INK_USER_1, INK_USER_2, INK_USER_3, INK_USER_4};
	function_id f = projection_key_function(s->fold->tree, s->p, key);
	name_id name = projection_key_name(s->fold->tree, s->p, key);
	struct name text = names_get(&s->p->names, name);
	if (f != UINT32_MAX && nameless_name(text.at, text.len))
		text = names_get(&s->p->names, profile_function(s->p, f).module);
	uint32_t hash = plain ? 0 : name_hash(text);
	switch (show_kind(s, key)) {
	case KIND_SYSTEM:
		return hash & 1 ? INK_SYSTEM_1 : INK_SYSTEM_2;
	case KIND_INTRINSIC:
		return hash & 1 ? INK_INTRINSIC_1 : INK_INTRINSIC_2;
	case KIND_IDLE:
		return INK_HUE_REST;
	case KIND_USER:
		break;
	}
	return shades[hash & 3];
}

enum ink
hues_ink(const struct scene *s, key_id key, bool plain)
{
	const struct hues *h = s->hues;
	if (!h || h->is == HUE_KIND)
		return kind_ink(s, key, plain);
	int at = hues_index_of(h, hues_name_of(s, key, h->is));
	return at < 0 ? INK_HUE_REST : inks[at];
}

void
hues_sign(const struct scene *s, key_id key, key_id above, struct buf *out)
{
	const struct hues *h = s->hues;
	int at = !h || h->is == HUE_KIND ? -1 : hues_index_of(h, hues_name_of(s, key, h->is));
	if (at >= 0 && (above == KEY_NONE || hues_index_of(h, hues_name_of(s, above, h->is)) != at))
		buf_addf(out, "%c ", 'a' + at);
}

unsigned
hues_shade(int64_t self, int64_t total)
{
	return self >= total / 2 ? SHADE_HOT : self >= total / 10 ? SHADE_WARM : SHADE_COOL;
}

unsigned
hues_node_shade(const struct fold *f, node_id node)
{
	return hues_shade(numbers_self(&f->now, f->tree, node), f->now.total[node]);
}

/* Writes " a libc.so.6 43.1 % ": the last part of a path, and its share. */
static void
write_piece(const struct hues *h, const struct scene *s, unsigned i, bool share,
	    struct buf *out)
{
	struct buf name = BUF_INIT;
	profile_show_name(s->p, h->at[i].name, &name);
	const char *slash = strrchr(buf_str(&name), '/');
	buf_addf(out, " %c %s ", (char)('a' + i),
		 slash && slash[1] ? slash + 1 : buf_str(&name));
	if (share) {
		human_share(out, h->at[i].self, s->fold->now.everything);
		buf_addc(out, ' ');
	}
	buf_release(&name);
}

/* Draws the pieces (or only measures them if c is NULL) and returns the next column.  `…` replaces
 * those that do not fit. */
static int
draw_pieces(const struct hues *h, const struct scene *s, bool share, struct canvas *c,
	    struct area a, int x)
{
	struct buf text = BUF_INIT;
	for (unsigned i = 0; i <= h->n; i++) {
		bool rest = i == h->n;
		if (rest ? h->others <= 0 : !h->at[i].self)
			continue;
		buf_reset(&text);
		if (rest)
			buf_adds(&text, " others ");
		else
			write_piece(h, s, i, share, &text);
		int cols = text_cols(buf_str(&text)), room = a.w - x;
		if (c && room > 0)
			canvas_fit(c, a.y, a.x + x, cols < room ? cols : room,
				   rest ? INK_HUE_REST : inks[i], buf_str(&text));
		x += cols + 1;
	}
	buf_release(&text);
	return x;
}

void
hues_draw(const struct hues *h, const struct scene *s, struct canvas *c, struct area a)
{
	struct buf text = BUF_INIT;
	if (a.h < 1)
		return;
	buf_addf(&text, " %ss%s", words[h->is], h->n ? ":" : ": unknown for all frames");
	int x = text_cols(buf_str(&text)) + 1;
	canvas_fit(c, a.y, a.x, x < a.w ? x : a.w, INK_DIM, buf_str(&text));
	if (h->n) {
		bool share = draw_pieces(h, s, true, NULL, a, x) <= a.w;
		draw_pieces(h, s, share, c, a, x);
	}
	buf_release(&text);
}
