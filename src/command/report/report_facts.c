#include "src/command/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/derive/wall.h"
#include "model/profile/tracks.h"
#include "src/command/report/sheet.h"
#include "src/encode/json_text.h"

/* The views of tracks and of the file's own information: tracks, values, info. */

/* ---- tracks ---- */

static bool
tracks_fill(struct report *r)
{
	uint8_t *tracks = lens_tracks(r->lens, r->profile);

	for (track_id i = 0; i < r->profile->n_tracks; i++)
		if (tracks[i])
			rows_add(&r->rows)->track = i;
	free(tracks);
	return true;
}

const struct report_view view_tracks = {
	.name = "tracks",
	.rows = ROWS_TRACKS,
	.columns = "track,kind,unit,start,end,events",
	.fill = tracks_fill,
};

/* ---- labels ---- */

static bool
labels_fill(struct report *r)
{
	labelsum_make(r->profile, r->fold, r->pace, &r->labels);
	for (uint32_t i = 0; i < r->labels.n; i++) {
		struct row *row = rows_add(&r->rows);
		row->of.label = &r->labels.at[i];
		row->self = r->labels.at[i].self;
		row->calls = (int64_t)r->labels.at[i].events;
		row->base_self = r->labels.at[i].base_self;
		row_scale(row, r->fold->now.by, r->fold->base.by);
	}
	return true;
}

const struct report_view view_labels = {
	.name = "labels",
	.rows = ROWS_LABELS,
	.columns = "key,value,events,self,base_self,delta_self,change%",
	.folds = true,
	.parallelism = true,
	.fill = labels_fill,
};

/* ---- values ---- */

static int
compare_points(const void *a, const void *b, void *context)
{
	const struct report *r = context;
	const struct point *x = a, *y = b;

	if (!pace_on(r->pace, 1))
		return 0;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool
values_fill(struct report *r)
{
	const struct profile *p = r->profile;
	int64_t from, to;
	bool whole;

	if (!lens_range(r->lens, p, &from, &to, &whole, r->err))
		return false;
	uint8_t *tracks = lens_tracks(r->lens, p);
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		int64_t origin = p->group[track->group].start;
		if (!tracks[t])
			continue;
		for (uint32_t k = 0; k < track->n_series; k++) {
			const struct series *series = track->series[k];
			struct event e;
			for (uint64_t i = 0; series->kind == SERIES_POINTS &&
					     pace_on(r->pace, 1) &&
					     series_event(series, i, &e); i++) {
				int64_t at = difference_clipped(e.time, origin);
				if (!whole && (at < from || at >= to))
					continue;
				*vec_push(&r->points) = (struct point){
					at, e.value, t, series->floating, e.place};
			}
		}
	}
	free(tracks);
	if (r->points.n > 1)
		qsort_r(r->points.at, r->points.n, sizeof *r->points.at, compare_points, r);
	for (size_t i = 0; i < r->points.n; i++) {
		struct row *row = rows_add(&r->rows);
		row->track = r->points.at[i].track;
		row->of.point = &r->points.at[i];
	}
	return true;
}

const struct report_view view_values = {
	.name = "values",
	.rows = ROWS_POINTS,
	.columns = "track,time,value",
	.fill = values_fill,
};

/* ---- info ---- */

static bool
info_fill(struct report *r)
{
	int64_t from, to;
	bool whole;

	if (!lens_range(r->lens, r->loaded, &from, &to, &whole, r->err))
		return false;
	struct wall_shares *running = wall_shares_make(r->loaded, whole, from, to, r->pace);
	facts_make(&r->facts, r->loaded, r->plain, NULL, running, r->look.programs);
	free(running);
	for (size_t i = 0; i < r->facts.all.n; i++)
		if (!r->facts.all.at[i].aside)
			rows_add(&r->rows)->of.fact = &r->facts.all.at[i];
	return true;
}

const struct report_view view_info = {
	.name = "info",
	.rows = ROWS_FACTS,
	.columns = "key,value",
	.fill = info_fill,
};

static void
json_value(const struct fact *f, FILE *out)
{
	if (f->kind != FACT_WORDS)
		fprintf(out, "%" PRId64, f->number);
	else if (f->words)
		json_string(out, f->words, strlen(f->words));
	else
		fputs("null", out);
}

/* Returns the first visible fact with this key from `i` on; f->all.n: none. */
static size_t
next_of(const struct facts *f, const char *key, size_t i)
{
	while (i < f->all.n && (f->all.at[i].aside || strcmp(f->all.at[i].key, key) != 0))
		i++;
	return i;
}

/* Writes all facts of a key. */
static void
json_fact(const struct facts *f, size_t i, FILE *out)
{
	const char *key = f->all.at[i].key;
	bool many = next_of(f, key, i + 1) < f->all.n;

	json_string(out, key, strlen(key));
	fputs(many ? ": [" : ": ", out);
	json_value(&f->all.at[i], out);
	while ((i = next_of(f, key, i + 1)) < f->all.n) {
		fputs(", ", out);
		json_value(&f->all.at[i], out);
	}
	if (many)
		fputc(']', out);
}

void
info_write_json(const struct profile *p, const struct fold *plain, FILE *out)
{
	struct facts f = {0};
	bool first = true;

	facts_make(&f, p, plain, NULL, NULL, true);
	for (size_t i = 0; i < f.all.n; i++) {
		if (f.all.at[i].aside || next_of(&f, f.all.at[i].key, 0) != i)
			continue;
		fputs(first ? "\n  " : ",\n  ", out);
		json_fact(&f, i, out);
		first = false;
	}
	facts_release(&f);
}
