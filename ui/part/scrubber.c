/* scrubber.c - see scrubber.h.
 *
 * The heights are sums of the metric per column, computed from the level-of-detail blocks of the
 * tracks, so a frame costs the columns of the screen.  All lines share one scale: a track that is
 * twice as busy is twice as high.  A metric without times (such as live memory at the end) has no
 * heights.  Then the scrubber draws time, or the first metric with times, and names it.
 *
 * The curve of the selection is made in portions, so no key waits for it, and only after the
 * selection or the profile has changed; a step of the range does not change it.  While more data
 * arrives, the profile changes several times a second.  The last curve stays until the next one is
 * complete; otherwise the line would be blank most of the time.
 *
 * Each step through a table changes the curve, and redrawing it costs more bytes than the step. So
 * a low screen, typical of slow lines, shows it only while the scrubber has the focus: then keys
 * keep the selection, and the user is about to choose a range by it. */
#include "ui/part/scrubber.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"

#define LABEL_MAX 20
#define HITS_SCREEN 16       /* screen height from which one row shows matches */
#define AXIS_SCREEN 20       /* from which one shows the axis */
#define CURVE_SCREEN 30      /* from which one shows the curve of the selection */
#define BOTH_SCREEN 34       /* below this, matches replace the curve */
#define CURVE_EVENTS 250000u /* read for it in one portion */

void
scrubber_init(struct scrubber *sc)
{
	*sc = (struct scrubber){.folds = UINT64_MAX, .drag_from = -1};
	layout_init(&sc->layout);
	curve_init(&sc->curve);
	curve_init(&sc->seen);
}

static void
drop_lines(struct scrubber *sc)
{
	for (size_t i = 0; i < sc->lines.n; i++)
		free(sc->lines.at[i].bin);
	sc->lines.n = 0;
}

/* Remembers the lines: while more is read, they should stay in place. */
static void
keep_places(struct scrubber *sc)
{
	sc->n_before = 0;
	for (size_t i = 0; i < sc->lines.n && i < SCRUBBER_TRACKS; i++)
		sc->before[sc->n_before++] = sc->lines.at[i].track;
}

void
scrubber_release(struct scrubber *sc)
{
	drop_lines(sc);
	vec_release(&sc->lines);
	layout_release(&sc->layout);
	curve_release(&sc->curve);
	curve_release(&sc->seen);
	free(sc->hit);
}

static bool
shows_hits(const struct scene *s, int screen_h)
{
	return screen_h >= HITS_SCREEN && s->search->path && s->search->keys;
}

/* On a low screen the curve replaces a track while it is shown. */
static bool
takes_turns(int screen_h)
{
	return screen_h >= AXIS_SCREEN && screen_h < CURVE_SCREEN;
}

static bool
shows_curve(const struct scrubber *sc, int screen_h, bool hits)
{
	if (takes_turns(screen_h))
		return sc->focus && !hits;
	return screen_h >= (hits ? BOTH_SCREEN : CURVE_SCREEN);
}

/* Returns the number of lines besides those of the tracks. */
static int
more_lines(const struct scrubber *sc, const struct scene *s, int screen_h)
{
	bool hits = shows_hits(s, screen_h);
	return (screen_h >= AXIS_SCREEN) + hits + shows_curve(sc, screen_h, hits);
}

int
scrubber_rows(const struct scrubber *sc, const struct scene *s, int screen_h)
{
	const struct profile *p = s->p;
	int want = screen_h < 20   ? 1
		   : screen_h < 34 ? 2
		   : screen_h < 50 ? 3
				   : SCRUBBER_TRACKS,
	    there = 0;
	if (lens_run(p) <= 0)
		return 0;
	if (takes_turns(screen_h) && shows_curve(sc, screen_h, shows_hits(s, screen_h)))
		want--;
	for (uint32_t i = 0; i < p->n_tracks && there < want; i++)
		there += scrubber_has_stacks(&p->track[i]);
	return there ? there + more_lines(sc, s, screen_h) : 0;
}

/* Returns a number that identifies the tracks left out. */
static uint64_t
scrubber_left_out(const struct scene *s)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < s->p->n_tracks; i++)
		if (!fold_has_track(s->fold, i))
			sum = (sum + i + 1) * 31;
	return sum;
}

static bool
is_over_time(const struct profile *p, metric_id metric)
{
	for (uint32_t i = 0; i < p->n_tracks; i++)
		for (uint32_t k = 0; k < p->track[i].n_series; k++)
			if (scrubber_metric_in(p->track[i].series[k], metric) >= 0)
				return true;
	return false;
}

/* Returns the lens's metric, else time, else the first metric known over time. */
static metric_id
metric_drawn(const struct scene *s)
{
	const struct profile *p = s->p;
	if (is_over_time(p, s->fold->metric))
		return s->fold->metric;
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (p->metric[m].role == ROLE_TIME && profile_metric_shown(p, m) &&
		    is_over_time(p, m))
			return m;
	for (metric_id m = 0; m < p->n_metrics; m++)
		if (profile_metric_shown(p, m) && is_over_time(p, m))
			return m;
	return p->events_metric;
}

/* Returns the time after the last event of a file that begins at `start`. */
static int64_t
scrubber_end(const struct scrubber *sc, int64_t start)
{
	return sum_clipped(start, sum_clipped(sc->duration, 1));
}

/* Adds the values of a track to each column. */
static void
scrubber_add_track(struct scrubber *sc, const struct scene *s, const struct track *t, double *bin)
{
	int64_t start = s->p->group[t->group].start;
	unsigned cols = (unsigned)sc->cols;
	double *part = mem_alloc(cols, sizeof *part);
	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *x = t->series[i];
		int m = scrubber_metric_in(x, sc->metric);
		if (m < 0)
			continue;
		double unit = (double)profile_metric_unit(s->p, x, (unsigned)m);
		struct layout_lane lane = {.series = x};
		layout_lane_look(&sc->layout, s->p, &lane, sc->metric);
		layout_bins(&lane, (unsigned)m, start, scrubber_end(sc, start), cols, part);
		for (unsigned c = 0; c < cols; c++)
			bin[c] += unit * part[c];
	}
	free(part);
}

static void
fill_line(struct scrubber *sc, const struct scene *s, struct scrub_line *line)
{
	unsigned cols = (unsigned)sc->cols;
	line->bin = mem_zalloc(cols, sizeof *line->bin);
	if (line->process == PROCESS_NONE)
		scrubber_add_track(sc, s, &s->p->track[line->track], line->bin);
	for (uint32_t i = line->track; line->process != PROCESS_NONE && i < s->p->n_tracks; i++)
		if (s->p->track[i].under == line->process && scrubber_looks_at(s, i))
			scrubber_add_track(sc, s, &s->p->track[i], line->bin);
	for (unsigned c = 0; c < cols; c++)
		if (line->bin[c] > sc->peak)
			sc->peak = line->bin[c];
}

/* Finds the matches on any of the selected tracks. */
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
		if (!fold_has_track(s->fold, i))
			continue;
		for (uint32_t k = 0; k < t->n_series; k++)
			layout_hits(&sc->layout, t->series[k], s->search->path, start,
				    scrubber_end(sc, start), cols, sc->hit);
		if (!memchr(sc->hit, 0, cols))
			break;
	}
}

/* Collects the inputs of the curve.  The selected tracks go into `tracks` ([track]). */
static struct scrub_of
curve_wanted(const struct scrubber *sc, const struct scene *s, uint8_t *tracks)
{
	for (uint32_t i = 0; i < s->p->n_tracks; i++)
		tracks[i] = fold_has_track(s->fold, i);
	return (struct scrub_of){s->nav->key,
				 s->fold->tree->by,
				 s->fold->tree->serial,
				 s->fold->generation,
				 scrubber_left_out(s),
				 sc->metric,
				 sc->cols};
}

/* True if both describe the same curve, perhaps before more was read. */
static bool
similar_of(const struct scrub_of *a, const struct scrub_of *b)
{
	return a->key == b->key && a->by == b->by && a->left_out == b->left_out &&
	       a->metric == b->metric && a->cols == b->cols;
}

static bool
same_of(const struct scrub_of *a, const struct scrub_of *b)
{
	return similar_of(a, b) && a->tree == b->tree && a->generation == b->generation;
}

static void
begin_curve(struct scrubber *sc, const struct scene *s, const uint8_t *tracks)
{
	const struct projection *t = s->fold->tree;
	uint8_t *in = mem_zalloc(t->n_stacks, 1);
	curve_stacks_of(t, s->nav->key, in);
	struct curve_of of = {&sc->layout,    sc->metric,       in,
			      t->n_stacks,    tracks,           s->p->n_tracks,
			      scrubber_end(sc, 0), (unsigned)sc->cols, false};
	curve_begin(&sc->curve, s->p, &of);
	free(in);
}

static void
arrange_curve(struct scrubber *sc, struct scene *s)
{
	uint8_t *tracks = mem_alloc(s->p->n_tracks, 1);
	struct scrub_of of = curve_wanted(sc, s, tracks);
	if (!same_of(&of, &sc->curve_of))
		begin_curve(sc, s, tracks);
	sc->curve_of = of;
	free(tracks);
	if (sc->curve.done)
		return;
	if (!curve_go_on(&sc->curve, CURVE_EVENTS)) {
		s->again = true;
		return;
	}
	struct curve before = sc->seen;
	sc->seen = sc->curve;
	sc->seen_of = of;
	sc->seen_all = s->facts->done;
	sc->curve = before;
	sc->curve.done = true;
	sc->curve_peak = 0;
	for (unsigned i = 0; i < sc->seen.cols; i++)
		if (sc->seen.whole[i] > sc->curve_peak)
			sc->curve_peak = sc->seen.whole[i];
}

/* Collects the inputs of the lines: equal inputs give equal lines. */
static struct scrub_lines_of
lines_wanted(const struct scene *s, int cols, int rows)
{
	return (struct scrub_lines_of){s->fold->of,
				       s->fold->generation,
				       scrubber_left_out(s),
				       s->fold->metric,
				       cols,
				       rows,
				       s->facts->done,
				       true};
}

static bool
same_lines(const struct scrub_lines_of *a, const struct scrub_lines_of *b)
{
	return a->of == b->of && a->generation == b->generation &&
	       a->left_out == b->left_out && a->metric == b->metric && a->cols == b->cols &&
	       a->rows == b->rows && a->done == b->done && a->made && b->made;
}

static void
make_lines(struct scrubber *sc, const struct scene *s, int cols, int rows)
{
	keep_places(sc);
	drop_lines(sc);
	sc->metric = metric_drawn(s);
	sc->stands_in = sc->metric != s->fold->metric;
	sc->duration = s->fold->run;
	sc->peak = 0;
	if (sc->cursor > sc->duration)
		sc->cursor = sc->duration;
	if (rows <= 0 || cols < 1)
		return;
	scrubber_choose_lines(sc, s, rows);
	for (size_t i = 0; i < sc->lines.n; i++)
		fill_line(sc, s, &sc->lines.at[i]);
}

/* Arranges the lines of the tracks and the matches.  Filters and a search keep the lines, whatever
 * number of tracks they were chosen from. */
static void
arrange_lines(struct scrubber *sc, const struct scene *s, int cols, int rows)
{
	if (sc->folds == s->folds && sc->cols == cols && sc->rows == rows &&
	    sc->hit_updates == s->search->updates)
		return;
	struct scrub_lines_of of = lines_wanted(s, cols, rows);
	sc->hit_updates = s->search->updates;
	sc->folds = s->folds;
	sc->rows = rows;
	sc->cols = cols;
	if (!same_lines(&of, &sc->lines_of))
		make_lines(sc, s, cols, rows);
	sc->lines_of = of;
	if (sc->has_hits && rows > 0 && cols >= 1)
		fill_hits(sc, s);
}

void
scrubber_arrange(struct scrubber *sc, struct scene *s, struct area a, int screen_h)
{
	int label = a.w / 5 < LABEL_MAX ? a.w / 5 : LABEL_MAX;
	int more = more_lines(sc, s, screen_h);
	sc->has_axis = screen_h >= AXIS_SCREEN;
	sc->has_hits = shows_hits(s, screen_h);
	sc->has_curve = shows_curve(sc, screen_h, sc->has_hits);
	sc->label_cols = label;
	arrange_lines(sc, s, a.w - label - 2, a.h > more ? a.h - more : 0);
	if ((sc->has_curve || sc->curve_asked) && sc->lines.n)
		arrange_curve(sc, s);
}

const struct curve *
scrubber_curve(const struct scrubber *sc)
{
	const struct scrub_of *now = &sc->curve_of, *seen = &sc->seen_of;
	if (!sc->seen.cols || !sc->lines.n || sc->seen.cols != (unsigned)sc->cols)
		return NULL;
	return (sc->seen_all ? same_of(now, seen) : similar_of(now, seen)) ? &sc->seen : NULL;
}
