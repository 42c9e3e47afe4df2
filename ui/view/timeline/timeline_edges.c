/* timeline_edges.c - the edges of the slice or state at the cursor, and moving along them.
 *
 *	main 42      ·······←━━━━━        the wake-up arrives here
 *	worker 43    ━━━━━━━→·····        and left here
 *	─ waiting 7.1 ms ← worker 43 1.204 s ──
 *
 * The search costs milliseconds in a large profile, so it waits until the keys rest. */
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "model/profile/profile.h"
#include "ui/part/ruler.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"
#include "ui/view/timeline/timeline.h"

#define EDGE_ARRIVES 0x2190u
#define EDGE_LEAVES 0x2192u

static int64_t
actor_start(const struct scene *s, actor_id id)
{
	return s->p->group[s->p->actor[id].group].start;
}

static bool
shows_slice(const struct timeline *v)
{
	return !timeline_line(v) && v->has_slice && v->slice.shown;
}

/* Gets the extent of the slice under the cursor, or of the state if the thread waits or has no
 * slice there. Returns false if there is neither. */
static bool
edges_extent(const struct timeline *v, const struct scene *s, actor_id id, int64_t *from,
	     int64_t *to)
{
	enum actor_state state = timeline_state(s, id, v->when, from, to);

	if (state != ACTOR_WAITING && state != ACTOR_IO && shows_slice(v)) {
		*from = v->slice.start;
		*to = v->slice.end;
	}
	return *to > *from;
}

void
timeline_find_edges(struct timeline *v, struct scene *s)
{
	struct timeline_edges *e = &v->edges;
	actor_id id = timeline_actor(v);
	int64_t from = 0, to = 0;

	if (id == ACTOR_NONE || !edges_extent(v, s, id, &from, &to)) {
		e->actor = ACTOR_NONE;
		return;
	}
	if (e->actor == id && e->from == from && e->to == to && e->when == v->when &&
	    e->folds == s->folds)
		return;
	if (s->hurried) {
		e->actor = ACTOR_NONE;
		s->later = true;
		return;
	}
	e->actor = id;
	e->from = from;
	e->to = to;
	e->when = v->when;
	e->folds = s->folds;
	arrows_find(s->p, id, from, to, sum_clipped(actor_start(s, id), v->when), &e->found);
}

/* Writes an edge: "← worker-3 1.204 s" or "→ main". */
static void
timeline_write_edge(const struct scene *s, const struct arrow *x, struct buf *out)
{
	buf_adds(out, x->arrives ? "← " : "→ ");
	profile_show_name(s->p, s->p->actor[x->other].name, out);
	if (!x->arrives)
		return;
	buf_addc(out, ' ');
	ruler_write(difference_clipped(x->from_time, actor_start(s, x->other)), show_axis(s), out);
}

/* Returns the line on the screen that shows an actor, or NULL. */
static const struct shelf *
line_of(const struct timeline *v, actor_id id)
{
	for (size_t i = v->top; i < v->list.n && v->list.at[i].rows; i++) {
		const struct shelf *x = &v->list.at[i];
		if (x->kind == LINE_ACTOR ? x->actor == id
					  : x->kind == LINE_LANE &&
						    v->lanes.at[x->lane].actor == id)
			return x;
	}
	return NULL;
}

static void
draw_end(const struct timeline *v, const struct scene *s, struct canvas *c, struct area a,
	 actor_id id, int64_t time, uint32_t ch)
{
	const struct shelf *line = line_of(v, id);
	int x = timeline_column(v, difference_clipped(time, actor_start(s, id)));

	if (line && x >= 0 && x < v->cols)
		canvas_char(c, a.y + RULER_ROWS + line->y, a.x + v->label_cols + 1 + x,
			    INK_SCRUB_EDGE, ch);
}

void
timeline_draw_edges(const struct timeline *v, const struct scene *s, struct canvas *c,
		    struct area a)
{
	const struct timeline_edges *e = &v->edges;

	for (unsigned i = 0; e->actor != ACTOR_NONE && i < e->found.n; i++) {
		const struct arrow *x = &e->found.at[i];
		draw_end(v, s, c, a, x->arrives ? x->other : e->actor, x->from_time, EDGE_LEAVES);
		draw_end(v, s, c, a, x->arrives ? e->actor : x->other, x->to_time, EDGE_ARRIVES);
	}
}

const struct arrow *
timeline_edge(const struct timeline *v, bool arrives)
{
	for (unsigned i = 0; v->edges.actor != ACTOR_NONE && i < v->edges.found.n; i++)
		if (v->edges.found.at[i].arrives == arrives)
			return &v->edges.found.at[i];
	return NULL;
}

enum reply
timeline_follow(struct timeline *v, struct scene *s, int dir)
{
	s->hurried = false;
	timeline_find_edges(v, s);
	const struct arrow *x = timeline_edge(v, dir < 0);
	if (!x) {
		buf_addf(&s->say, "no edge %s here", dir < 0 ? "arrives" : "leaves");
		return REPLY_DONE;
	}
	struct arrow along = *x;
	int64_t to = dir < 0 ? along.from_time : along.to_time;
	*vec_push(&v->before) = (struct window){v->from, v->to, true, v->edges.actor, v->when,
						v->depth};
	timeline_go_actor(v, along.other);
	v->depth = 0;
	v->deep = 0;
	v->when = difference_clipped(to, actor_start(s, along.other));
	timeline_show_cursor(v);
	timeline_settle(v, s);
	timeline_write_edge(s, &along, &s->say);
	buf_adds(&s->say, ", Backspace returns");
	return REPLY_DONE;
}

enum reply
timeline_aim(const struct timeline *v, struct scene *s)
{
	actor_id id = timeline_actor(v);
	int64_t from, to;

	if (id == ACTOR_NONE)
		return REPLY_PASS;
	timeline_state(s, id, v->when, &from, &to);
	if (shows_slice(v)) {
		from = v->slice.start;
		to = v->slice.end;
	}
	int64_t start = actor_start(s, id);
	s->nav->actor = id;
	s->nav->from = difference_clipped(from, start);
	s->nav->to = difference_clipped(to, start);
	return to > from ? REPLY_WHY : REPLY_PASS;
}

/* ---- words ---- */

void
timeline_write_state(const struct timeline *v, const struct scene *s, int cols, struct buf *out)
{
	actor_id id = timeline_actor(v);
	struct buf text = BUF_INIT;
	int64_t from, to;

	if (id == ACTOR_NONE)
		return;
	enum actor_state state = timeline_state(s, id, v->when, &from, &to);
	if (to > from) {
		buf_addf(&text, " · %s ", actor_state_name(state));
		ruler_write(difference_clipped(to, from), show_axis(s), &text);
	}
	for (unsigned i = 0; v->edges.actor == id && i < v->edges.found.n; i++) {
		buf_addc(&text, ' ');
		timeline_write_edge(s, &v->edges.found.at[i], &text);
		if (text_cols(buf_str(&text)) <= cols)
			continue;
		text.len = 0; /* whole edges or none: the rest is on the card */
		break;
	}
	if (!text.len && to > from)
		buf_addf(&text, " · %s", actor_state_name(state));
	if (text.len && text_cols(buf_str(&text)) <= cols)
		buf_adds(out, buf_str(&text));
	buf_release(&text);
}

/* Writes the share of each state in the visible part of the run. */
static void
write_window(const struct timeline *v, const struct scene *s, actor_id id, struct buf *out)
{
	const struct actor *a = &s->p->actor[id];
	const struct group *g = &s->p->group[a->group];
	const struct state_row *row = id < v->n_state_rows ? v->state_row[id] : NULL;
	int64_t from = sum_clipped(g->start, v->from), to = sum_clipped(g->start, v->to);
	struct band_times times;
	const char *between = "";

	to = to < g->end ? to : g->end;
	if (!row || row->stamp != v->stamp || from >= to)
		return;
	bands_between(&row->bands, a, from, to, &times);
	buf_adds(out, "in the window: ");
	for (unsigned i = 0; i < ACTOR_STATE_COUNT; i++) {
		if (!times.ns[i])
			continue;
		buf_addf(out, "%s%s ", between, actor_state_name((enum actor_state)i));
		human_share(out, times.ns[i], difference_clipped(to, from));
		between = ", ";
	}
	buf_addc(out, '\n');
}

void
timeline_card(const void *view, const struct scene *s, struct buf *out)
{
	const struct timeline *v = view;
	actor_id id = timeline_actor(v);
	int64_t from, to;

	if (id == ACTOR_NONE)
		return;
	int64_t start = s->p->group[s->p->actor[id].group].start;
	enum actor_state state = timeline_state(s, id, v->when, &from, &to);
	profile_show_name(s->p, s->p->actor[id].name, out);
	buf_addc(out, '\n');
	if (to > from) {
		buf_addf(out, "%s ", actor_state_name(state));
		ruler_write(difference_clipped(to, from), show_axis(s), out);
		buf_adds(out, " from ");
		ruler_write(difference_clipped(from, start), show_axis(s), out);
		buf_addc(out, '\n');
	}
	write_window(v, s, id, out);
	for (unsigned i = 0; v->edges.actor == id && i < v->edges.found.n; i++) {
		timeline_write_edge(s, &v->edges.found.at[i], out);
		buf_addf(out, "  (%s)\n", edge_kind_name(v->edges.found.at[i].kind));
	}
	buf_adds(out, "\nstates: ━ running  ┅ runnable  · waiting  ≈ io  (blank: unknown)\n"
		      "where they take turns in a column: ─ ┄ ˙ ∼\n");
}
