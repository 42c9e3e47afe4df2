/* scrubber.c - see scrubber.h.
 *
 * The heights are sums of the metric a column, taken from the level-of-detail blocks of
 * the tracks, so a frame costs the columns of the screen.  All lines share one scale: a
 * track that is twice as busy is twice as high.
 *
 * A range is kept in the lens, as moments; here it is only ever moved.  A range that
 * reaches the end of the run is open there, so that a run that still grows keeps growing
 * in it. */
#include "ui/part/scrubber.h"

#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

#define LABEL_MAX 20
#define HITS_SCREEN 16 /* rows that a screen must have to spare one for matches */

void
scrubber_init(struct scrubber *sc)
{
	*sc = (struct scrubber){.folds = UINT64_MAX, .drag_from = -1};
	layout_init(&sc->layout);
}

static void
drop_lines(struct scrubber *sc)
{
	for (size_t i = 0; i < sc->lines.n; i++)
		free(sc->lines.at[i].bin);
	sc->lines.n = 0;
}

void
scrubber_release(struct scrubber *sc)
{
	drop_lines(sc);
	vec_release(&sc->lines);
	layout_release(&sc->layout);
	free(sc->hit);
}

static bool
has_stacks(const struct track *t)
{
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_STEPS ||
		    t->series[i]->kind == SERIES_SAMPLES)
			return true;
	return false;
}

static bool
shows_hits(const struct scene *s, int screen_h)
{
	return screen_h >= HITS_SCREEN && s->search->path && s->search->keys;
}

int
scrubber_rows(const struct scene *s, int screen_h)
{
	const struct profile *p = s->p;
	int want = screen_h < 20   ? 1
		   : screen_h < 34 ? 2
		   : screen_h < 50 ? 3
				   : 5,
	    there = 0;
	if (show_duration(p) <= 0)
		return 0;
	for (uint32_t i = 0; i < p->n_tracks && there < want; i++)
		there += has_stacks(&p->track[i]);
	return there && shows_hits(s, screen_h) ? there + 1 : there;
}

/* Which metric of a series stands for its activity: the one looked at, else the first. */
static unsigned
metric_in(const struct series *s, metric_id metric)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == metric)
			return i;
	return 0;
}

static int64_t
track_weight(const struct track *t, metric_id metric)
{
	int64_t weight = 0;
	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (s->n_metrics &&
		    (s->kind == SERIES_STEPS || s->kind == SERIES_SAMPLES))
			weight += s->sum[metric_in(s, metric)];
	}
	return weight;
}

static int
by_weight(const void *a, const void *b)
{
	const struct scrub_line *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->track < y->track ? -1 : 1;
}

static void
fill_line(struct scrubber *sc, const struct scene *s, struct scrub_line *line)
{
	const struct track *t = &s->p->track[line->track];
	int64_t start = s->p->group[t->group].start;
	unsigned cols = (unsigned)sc->cols;
	int64_t *part = mem_alloc(cols, sizeof *part);
	line->bin = mem_zalloc(cols, sizeof *line->bin);
	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *x = t->series[i];
		if (!x->n_metrics ||
		    (x->kind != SERIES_STEPS && x->kind != SERIES_SAMPLES))
			continue;
		series_bins(x, metric_in(x, s->fold->metric), start,
			    start + sc->duration + 1, cols, part);
		for (unsigned c = 0; c < cols; c++)
			line->bin[c] += part[c];
	}
	for (unsigned c = 0; c < cols; c++)
		if (line->bin[c] > sc->peak)
			sc->peak = line->bin[c];
	free(part);
}

static void
choose_lines(struct scrubber *sc, const struct scene *s, int rows)
{
	VEC(struct scrub_line) all = VEC_INIT;
	for (uint32_t i = 0; i < s->p->n_tracks; i++)
		if (has_stacks(&s->p->track[i]) && lens_has_track(s->lens, s->p, i))
			*vec_push(&all) = (struct scrub_line){
				i, track_weight(&s->p->track[i], s->fold->metric), NULL};
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_weight);
	for (size_t i = 0; i < all.n && (int)i < rows; i++)
		*vec_push(&sc->lines) = all.at[i];
	vec_release(&all);
}

/* Where the matches are, on any track that is looked at. */
static void
fill_hits(struct scrubber *sc, const struct scene *s)
{
	unsigned cols = (unsigned)sc->cols;
	free(sc->hit);
	sc->hit = mem_zalloc(cols, 1);
	layout_look(&sc->layout, s->p, s->fold->tree);
	for (uint32_t i = 0; i < s->p->n_tracks; i++) {
		const struct track *t = &s->p->track[i];
		int64_t start = s->p->group[t->group].start;
		if (!lens_has_track(s->lens, s->p, i))
			continue;
		for (uint32_t k = 0; k < t->n_series; k++)
			layout_hits(&sc->layout, t->series[k], s->search->path, start,
				    start + sc->duration + 1, cols, sc->hit);
		if (!memchr(sc->hit, 0, cols))
			break;
	}
}

void
scrubber_arrange(struct scrubber *sc, const struct scene *s, struct area a, int screen_h)
{
	int label = a.w / 5 < LABEL_MAX ? a.w / 5 : LABEL_MAX;
	int cols = a.w - label - 2;
	sc->has_hits = shows_hits(s, screen_h) && a.h > 1;
	int rows = a.h - sc->has_hits;
	if (sc->folds == s->folds && sc->cols == cols && (int)sc->lines.n == rows &&
	    sc->hit_updates == s->search->updates)
		return;
	sc->hit_updates = s->search->updates;
	drop_lines(sc);
	sc->folds = s->folds;
	sc->label_cols = label;
	sc->cols = cols;
	sc->duration = show_duration(s->p);
	sc->peak = 0;
	if (sc->cursor > sc->duration)
		sc->cursor = sc->duration;
	if (a.h <= 0 || cols < 1)
		return;
	choose_lines(sc, s, rows);
	if (sc->has_hits)
		fill_hits(sc, s);
	for (size_t i = 0; i < sc->lines.n; i++)
		fill_line(sc, s, &sc->lines.at[i]);
}

static int
column_of(const struct scrubber *sc, int64_t t)
{
	if (sc->duration <= 0 || t <= 0)
		return 0;
	int64_t col = (int64_t)((__int128)t * sc->cols / (sc->duration + 1));
	return (int)(col >= sc->cols ? sc->cols - 1 : col);
}

/* The first moment of a column; that of the one behind the last is the end of the run. */
static int64_t
moment_of(const struct scrubber *sc, int col)
{
	int64_t end = sc->duration + 1;
	return (int64_t)(((__int128)end * col + sc->cols - 1) / sc->cols);
}

/* The range that is compared with, in parentheses; brackets may stand over them. */
static void
draw_base(const struct scrubber *sc, const struct scene *s, struct canvas *c, int y,
	  int left)
{
	int64_t from, to;
	bool whole;
	struct err none;
	err_init(&none);
	if (!s->base || !lens_range(s->base, s->p, &from, &to, &whole, &none) || whole)
		return;
	canvas_char(c, y, left + column_of(sc, from), INK_SCRUB_EDGE, '(');
	canvas_char(c, y, left + column_of(sc, to - 1), INK_SCRUB_EDGE, ')');
}

static void
draw_line(const struct scrubber *sc, const struct scene *s, struct canvas *c,
	  struct area a, const struct scrub_line *line, int y)
{
	struct buf name = BUF_INIT;
	int left = a.x + sc->label_cols + 1;
	int64_t first, behind;
	show_range(s, &first, &behind);
	int from = column_of(sc, first), to = column_of(sc, behind - 1);
	profile_show_name(s->p, s->p->track[line->track].name, &name);
	/* of "file: track" the end tells more */
	if (s->p->n_groups > 1)
		canvas_fit_tail(c, y, a.x + 1, sc->label_cols - 1, INK_DIM, buf_str(&name));
	else
		canvas_fit(c, y, a.x + 1, sc->label_cols - 1, INK_DIM, buf_str(&name));
	buf_release(&name);
	for (int x = 0; x < sc->cols; x++) {
		int64_t v = line->bin[x];
		int level =
			sc->peak > 0 ? (int)((double)v / (double)sc->peak * 8 + 0.5) : 0;
		bool in = s->fold->whole || (x >= from && x <= to);
		uint32_t ch =
			v <= 0 ? ' ' : 0x2581 + (uint32_t)(level < 1 ? 0 : level - 1);
		canvas_char(c, y, left + x,
			    in && !s->fold->whole ? INK_SCRUB_IN : INK_SCRUB, ch);
	}
	draw_base(sc, s, c, y, left);
	if (!s->fold->whole) {
		canvas_char(c, y, left + from, INK_SCRUB_EDGE, '[');
		canvas_char(c, y, left + to, INK_SCRUB_EDGE, ']');
	}
	if (sc->focus)
		canvas_char(c, y, left + column_of(sc, sc->cursor), INK_SCRUB_HERE,
			    0x2502);
}

void
scrubber_draw(const struct scrubber *sc, const struct scene *s, struct canvas *c,
	      struct area a)
{
	for (size_t i = 0; i < sc->lines.n && (int)i < a.h; i++)
		draw_line(sc, s, c, a, &sc->lines.at[i], a.y + (int)i);
	if (!sc->has_hits || !sc->hit)
		return;
	int y = a.y + (int)sc->lines.n, left = a.x + sc->label_cols + 1;
	canvas_fit(c, y, a.x + 1, sc->label_cols - 1, INK_HIT, "matches");
	for (int x = 0; x < sc->cols; x++)
		if (sc->hit[x])
			canvas_char(c, y, left + x, INK_HIT, '*');
}

/* ---- the range ---- */

static struct moment
moment_at(const struct scene *s, int64_t t)
{
	bool ns = show_axis(s) == UNIT_NS;
	return (struct moment){ns ? MOMENT_NS : MOMENT_ORDINAL, t};
}

void
scrubber_set_range(const struct scrubber *sc, const struct scene *s, int64_t from,
		   int64_t to, struct lens *l)
{
	int64_t end = sc->duration + 1;
	if (to <= from)
		to = from + 1;
	l->from = from > 0 ? moment_at(s, from) : (struct moment){MOMENT_OPEN, 0};
	l->to = to < end ? moment_at(s, to) : (struct moment){MOMENT_OPEN, 0};
}

/* Half as much again, or two thirds, about the middle; the whole run is narrowed about
 * the cursor. */
static void
resize_range(const struct scrubber *sc, const struct scene *s, bool wider, int64_t from,
	     int64_t to, struct lens *l)
{
	int64_t end = sc->duration + 1, width = to - from;
	int64_t middle = s->fold->whole && sc->placed ? sc->cursor : from + width / 2;
	int64_t want = wider ? width + width / 2 + 1 : width * 2 / 3;
	if (want < 1)
		want = 1;
	from = middle - want / 2;
	if (from + want > end)
		from = end - want;
	if (from < 0)
		from = 0;
	scrubber_set_range(sc, s, from, from + want > end ? end : from + want, l);
}

static void
slide_range(const struct scrubber *sc, const struct scene *s, int dir, int64_t from,
	    int64_t to, struct lens *l)
{
	int64_t end = sc->duration + 1, width = to - from, step = width / 4;
	if (step < 1)
		step = 1;
	from += dir * step;
	if (from + width > end)
		from = end - width;
	if (from < 0)
		from = 0;
	scrubber_set_range(sc, s, from, from + width, l);
}

static void
move_cursor(struct scrubber *sc, int by)
{
	int col = column_of(sc, sc->cursor) + by;
	col = col < 0 ? 0 : col >= sc->cols ? sc->cols - 1 : col;
	sc->cursor = moment_of(sc, col);
	if (sc->cursor > sc->duration)
		sc->cursor = sc->duration;
	sc->placed = true;
}

bool
scrubber_act(struct scrubber *sc, const struct scene *s, enum action action,
	     struct lens *l)
{
	int64_t end = sc->duration + 1, from, to, behind;
	show_range(s, &from, &to);
	if (sc->cols < 1 || sc->duration <= 0)
		return false;
	behind = moment_of(sc, column_of(sc, sc->cursor) + 1);
	switch (action) {
	case ACTION_SCRUB_LEFT:
	case ACTION_SCRUB_RIGHT:
		move_cursor(sc, action == ACTION_SCRUB_LEFT ? -1 : 1);
		return false;
	case ACTION_SCRUB_LEFT_FAST:
	case ACTION_SCRUB_RIGHT_FAST:
		move_cursor(sc, action == ACTION_SCRUB_LEFT_FAST ? -10 : 10);
		return false;
	case ACTION_SCRUB_FIRST:
	case ACTION_SCRUB_LAST:
		move_cursor(sc, action == ACTION_SCRUB_FIRST ? -sc->cols : sc->cols);
		return false;
	case ACTION_RANGE_START:
		scrubber_set_range(sc, s, sc->cursor, to > sc->cursor ? to : end, l);
		return true;
	case ACTION_RANGE_END:
		scrubber_set_range(sc, s, from < behind ? from : 0, behind, l);
		return true;
	case ACTION_SLIDE_BACK:
	case ACTION_SLIDE_ON:
		slide_range(sc, s, action == ACTION_SLIDE_ON ? 1 : -1, from, to, l);
		return !s->fold->whole;
	case ACTION_WIDEN:
	case ACTION_NARROW:
		resize_range(sc, s, action == ACTION_WIDEN, from, to, l);
		return true;
	case ACTION_RANGE_CLEAR:
		scrubber_set_range(sc, s, 0, end, l);
		return true;
	default:
		return false;
	}
}

bool
scrubber_point(struct scrubber *sc, const struct scene *s, int x, bool drag,
	       struct lens *l)
{
	int col = x - sc->label_cols - 1;
	if (sc->cols < 1 || sc->duration <= 0)
		return false;
	col = col < 0 ? 0 : col >= sc->cols ? sc->cols - 1 : col;
	sc->cursor = moment_of(sc, col);
	sc->placed = true;
	if (!drag || sc->drag_from < 0) {
		sc->drag_from = sc->cursor;
		return false;
	}
	int first = column_of(sc, sc->drag_from);
	int low = first < col ? first : col, high = first < col ? col : first;
	scrubber_set_range(sc, s, moment_of(sc, low), moment_of(sc, high + 1), l);
	return true;
}
