/* flame_label.c - see flame_label.h. */
#include "ui/view/flame_label.h"

#include "model/profile/human.h"
#include "ui/part/chains.h"
#include "ui/part/compare.h"
#include "ui/part/hues.h"
#include "ui/part/mixture.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define CUT_COLS 4     /* of a name that is cut */
#define SIGN_COLS 6   /* of a letter and such a name */
#define WHOLE_COLS 200 /* of one that is not */

enum ink
flame_box_ink(const struct scene *s, node_id node, int cols)
{
	key_id key = s->fold->tree->key[node];
	if (key == KEY_NONE)
		return INK_PATH;
	if (s->fold->compares)
		return compare_box_ink(fold_sides(s->fold, node),
				       fold_sure(s->fold, node));
	return hues_ink(s, key, cols < 3);
}

unsigned
flame_box_shade(const struct fold *f, node_id node)
{
	return f->compares ? compare_box_shade(fold_sides(f, node),
					       fold_sure(f, node))
			   : hues_node_shade(f, node);
}

/* Two letters of a name identify nothing, so a box too narrow for more has none of a longer one. */
static void
flame_write_name(const struct scene *s, const struct flame_box *b, int room, struct buf *out)
{
	struct buf whole = BUF_INIT;
	if (room < CUT_COLS)
		chain_name(s, b->head, b->node, WHOLE_COLS, &whole);
	if (text_cols(buf_str(&whole)) <= room)
		chain_name(s, b->head, b->node, room, out);
	if (room >= CUT_COLS)
		mixture_write_rest(s, &b->held, out);
	buf_release(&whole);
}

static void
write_label(const struct scene *s, const struct flame_box *b, bool hit, int room,
	    struct buf *out)
{
	key_id key = s->fold->tree->key[b->node];
	enum kind kind = show_kind(s, key);
	if (hit)
		buf_addc(out, '*');
	if (!s->fold->compares && s->fold->now.total[b->node] < 0)
		buf_adds(out, "▼");
	if (key != KEY_NONE && !s->fold->compares && room >= SIGN_COLS)
		hues_sign(s, key, s->fold->tree->key[s->fold->tree->parent[b->head]], out);
	if (kind == KIND_SYSTEM || kind == KIND_IDLE)
		buf_adds(out, "◦");
	if (kind == KIND_INTRINSIC)
		buf_adds(out, "·");
	flame_write_name(s, b, room - text_cols(buf_str(out)), out);
	if (b->node == NODE_ROOT && s->fold->estimated)
		buf_adds(out, ", " FOLD_ESTIMATED);
}

/* Removes the text after the name if it does not fit; returns true if it did. */
static bool
keep_if_fits(struct buf *out, size_t name, int room)
{
	bool fits = out->len > name + 1 && text_cols(buf_str(out)) <= room;
	if (!fits && out->at) {
		out->len = name;
		out->at[name] = '\0';
	}
	return fits;
}

/* Writes the name, then share and value, or only the share, if they fit. */
static void
write_full_label(const struct scene *s, const struct flame_box *b, bool hit, int room,
		 struct buf *out)
{
	int64_t total = s->fold->now.total[b->node];
	write_label(s, b, hit, room, out);
	size_t name = out->len;
	for (int both = 1; both >= 0; both--) {
		buf_adds(out, "  ");
		human_share(out, total, s->fold->now.everything);
		if (both) {
			buf_adds(out, "  ");
			show_value(s, total, out);
		}
		if (keep_if_fits(out, name, room - 2))
			return;
	}
}

/* In a comparison: writes the kind of change, the name, and the amount if it fits. */
static void
write_changed_label(const struct scene *s, const struct flame_box *b, bool hit, int room,
		    struct buf *out)
{
	node_id node = b->node;
	struct sides x = fold_sides(s->fold, node);
	buf_adds(out, compare_mark(compare_fate(x), fold_sure(s->fold, node)));
	write_label(s, b, hit, room, out);
	size_t name = out->len;
	buf_addc(out, ' ');
	compare_share(x, out);
	keep_if_fits(out, name, room);
}

void
flame_write_label(const struct scene *s, const struct flame_box *b, bool hit, bool timed, int room,
		  struct buf *out)
{
	if (s->fold->compares)
		write_changed_label(s, b, hit, room, out);
	else if (timed) /* a frame has many boxes: their widths show its share */
		write_label(s, b, hit, room, out);
	else
		write_full_label(s, b, hit, room, out);
}
