#include "src/encode/html_inside.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/profile/tracks.h"
#include "src/encode/json_text.h"
#include "src/encode/shown_times.h"

/* The overview of the run: how busy each track was and how counters went, in PARTS equal parts.  It
 * is a picture: 0 to STEPS of the most that a track was.  Steps fill the parts that they last over;
 * samples count where they are. */

#define PARTS 240u
#define STEPS 63 /* a character's worth */
#define TRACKS_MOST 48u

struct html_parts {
	struct page *x;
	FILE *out;
	int64_t from, length; /* of the range, from the first event */
	int column;           /* of a series of samples: the metric's, or -1 */
	bool floating;        /* of points */
	double *value;        /* [PARTS] */
	uint8_t *seen;        /* [PARTS] of points: there is a value */
	bool any;
};

static double
part_of(const struct html_parts *q, int64_t time)
{
	return ((double)time - (double)q->from) / (double)q->length * PARTS;
}

static void
html_add_sample(void *ctx, const struct shown_sample *e)
{
	struct html_parts *q = ctx;
	double at = part_of(q, e->time), end;

	if (e->node == NODE_ROOT || !(at >= 0) || at > PARTS)
		return;
	q->any = true;
	if (q->column >= 0) {
		q->value[at < PARTS ? (unsigned)at : PARTS - 1] += (double)e->value[q->column];
		return;
	}
	end = at + (double)e->lasts / (double)q->length * PARTS;
	end = end > PARTS ? PARTS : end;
	for (unsigned i = (unsigned)at; i < PARTS && (double)i < end; i++) {
		double low = at > i ? at : i, high = end < i + 1 ? end : i + 1;
		q->value[i] += high - low;
	}
}

static void
add_point(void *ctx, const struct shown_point *e)
{
	struct html_parts *q = ctx;
	double at = part_of(q, e->time);
	union {
		int64_t whole;
		double real;
	} v = {.whole = e->value};
	double value = q->floating ? v.real : (double)v.whole;

	if (!isfinite(value) || at < 0)
		return;
	unsigned i = at < PARTS ? (unsigned)at : PARTS - 1;
	if (!q->seen[i] || value > q->value[i])
		q->value[i] = value;
	q->seen[i] = 1;
	q->any = true;
}

static const struct series *
chosen_series(const struct html_parts *q, const struct track *t, bool points, int *column)
{
	for (uint32_t k = 0; k < t->n_series; k++) {
		const struct series *s = t->series[k];
		if (points ? s->kind == SERIES_POINTS : s->kind == SERIES_STEPS) {
			*column = -1;
			return s;
		}
		*column = points || s->kind != SERIES_SAMPLES ? -1
							  : series_metric(s, q->x->fold->metric);
		if (*column >= 0)
			return s;
	}
	return NULL;
}

/* Fills parts without a value with the last one before, as the counter had it. */
static void
hold_points(struct html_parts *q)
{
	double last = 0;
	bool any = false;

	for (unsigned i = 0; i < PARTS; i++) {
		if (q->seen[i]) {
			last = q->value[i];
			any = true;
		} else {
			q->value[i] = any ? last : 0;
		}
	}
}

static bool
html_fill(struct html_parts *q, const struct track *t, bool points)
{
	const struct series *s = chosen_series(q, t, points, &q->column);

	for (unsigned i = 0; i < PARTS; i++)
		q->value[i] = q->seen[i] = 0;
	q->any = false;
	if (!s)
		return false;
	q->floating = s->floating;
	if (points) {
		shown_points(&q->x->shown, s, add_point, q);
		hold_points(q);
	} else {
		shown_samples(&q->x->shown, s, html_add_sample, q);
	}
	return q->any;
}

static void
html_write_track(const struct html_parts *q, const struct track *t, bool points, bool first)
{
	double least = 0, most = 0;

	for (unsigned i = 0; i < PARTS; i++) {
		most = q->value[i] > most ? q->value[i] : most;
		least = q->value[i] < least ? q->value[i] : least;
	}
	fprintf(q->out, "%s\n{\"name\":", first ? "" : ",");
	html_write_name(q->x, q->out, t->name);
	fprintf(q->out, ",\"kind\":\"%s\",\"step\":%s", track_kind_name((enum track_kind)t->kind),
		q->column < 0 && !points ? "true" : "false");
	if (points)
		fprintf(q->out, ",\"low\":%.6g,\"high\":%.6g,\"unit\":", least, most);
	if (points)
		html_write_name(q->x, q->out, t->value_unit);
	/* of steps a whole part is what there is */
	most = q->column < 0 && !points && most < 1 ? 1 : most;
	fputs(",\"parts\":[", q->out);
	for (unsigned i = 0; i < PARTS; i++) {
		double part = most > least ? (q->value[i] - least) / (most - least) * STEPS : 0;
		int level = (int)ceil(part);
		if (i)
			putc(',', q->out);
		json_whole(q->out, level > STEPS ? STEPS : level);
	}
	fputs("]}", q->out);
}

static int
busiest_first(const void *a, const void *b, void *context)
{
	const struct profile *p = context;
	const track_id *x = a, *y = b;
	uint64_t nx = p->track[*x].events, ny = p->track[*y].events;

	return nx != ny ? (nx > ny ? -1 : 1) : (*x > *y) - (*x < *y);
}

ORDERED_NUMBERS(in_order, track_id)

/* Writes the busiest tracks, in the order of the profile. */
static void
html_write_tracks(struct html_parts *q)
{
	const struct page *x = q->x;
	track_id *track = mem_alloc((size_t)x->p->n_tracks + 1, sizeof *track);
	uint32_t n = 0, most, written = 0;

	for (track_id t = 0; t < x->p->n_tracks; t++)
		if (x->shown.shows[t] && x->p->track[t].has_time)
			track[n++] = t;
	qsort_r(track, n, sizeof *track, busiest_first, (void *)(uintptr_t)x->p);
	most = n > TRACKS_MOST ? TRACKS_MOST : n;
	qsort(track, most, sizeof *track, in_order);
	for (uint32_t i = 0; i < most; i++) {
		const struct track *t = &x->p->track[track[i]];
		bool points = t->kind == TRACK_COUNTER;
		if (!html_fill(q, t, points))
			continue;
		html_write_track(q, t, points, !written);
		written++;
	}
	fprintf(q->out, "],\"more\":%u", n - most);
	free(track);
}

void
html_time(struct page *x, FILE *out)
{
	struct html_parts q = {.x = x, .out = out, .length = shown_length(&x->shown)};
	enum unit axis = x->p->n_groups ? (enum unit)x->p->group[0].axis : UNIT_NS;

	if (!x->shown.has_time || q.length <= 0)
		return;
	if (!x->shown.fold->whole)
		q.from = x->shown.fold->from;
	q.value = mem_zalloc(PARTS, sizeof *q.value);
	q.seen = mem_zalloc(PARTS, 1);
	fprintf(out, ",\n\"time\":{\"unit\":\"%s\",\"from\":", unit_name(axis));
	json_whole(out, q.from);
	fputs(",\"length\":", out);
	json_whole(out, q.length);
	fputs(",\"tracks\":[", out);
	html_write_tracks(&q);
	putc('}', out);
	free(q.value);
	free(q.seen);
}
