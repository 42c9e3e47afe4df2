#include "src/command/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/human.h"
#include "model/mem.h"
#include "model/tracks.h"

/* The views that read tracks and the file's own words: tracks, values, info. */

/* ---- times in text ---- */

/* The unit of every time in the sheet; false where files differ in it. */
static bool
common_axis(const struct profile *p, enum unit *axis)
{
	for (uint32_t i = 0; i < p->n_groups; i++)
		if (p->group[i].axis != p->group[0].axis)
			return false;
	if (p->n_groups)
		*axis = (enum unit)p->group[0].axis;
	return p->n_groups > 0;
}

void
report_times_text(struct report *r, const struct sheet *s, size_t limit, FILE *out,
		  unsigned first, unsigned last)
{
	size_t rows = sheet_rows(s) < limit ? sheet_rows(s) : limit;
	enum unit axis;
	struct sheet text;

	if (!common_axis(r->profile, &axis)) {
		sheet_write_text(s, out, limit);
		return;
	}
	sheet_init(&text, s->column, s->n_columns);
	for (size_t i = 0; i < rows; i++)
		for (unsigned c = 0; c < s->n_columns; c++) {
			const struct cell *cell = sheet_cell(s, i, c);
			struct buf time = BUF_INIT;
			if (c < first || c > last || cell->kind != CELL_NUMBER) {
				sheet_copy(&text, s, i, c);
				continue;
			}
			human_time(&time, cell->as.number, axis);
			sheet_bytes(&text, buf_str(&time), time.len);
			buf_release(&time);
		}
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
}

/* ---- tracks ---- */

static const struct sheet_column tracks_columns[] = {
	{"track", false, false}, {"kind", false, false}, {"unit", false, true},
	{"start", true, true},   {"end", true, true},    {"events", true, false},
};

static bool
tracks_fill(struct report *r, struct sheet *s)
{
	const struct profile *p = r->profile;

	for (track_id i = 0; i < p->n_tracks; i++) {
		const struct track *t = &p->track[i];
		const struct group *g = &p->group[t->group];
		if (!lens_has_track(r->lens, p, i))
			continue;
		sheet_name(s, p, t->name);
		sheet_text(s, track_kind_name((enum track_kind)t->kind));
		if (t->kind >= TRACK_COUNTER)
			sheet_name(s, p, t->value_unit);
		else if (t->has_time)
			sheet_text(s, unit_name((enum unit)t->unit));
		else
			sheet_empty(s);
		if (t->has_time) {
			sheet_number(s, t->start - g->start, 0);
			sheet_number(s, t->end - g->start, 0);
		} else {
			sheet_empty(s);
			sheet_empty(s);
		}
		sheet_number(s, (int64_t)t->events, 0);
	}
	return true;
}

static void
tracks_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	report_times_text(r, s, limit, out, 3, 4); /* start, end */
}

const struct report_view view_tracks = {
	.name = "tracks",
	.columns = tracks_columns,
	.n_columns = sizeof tracks_columns / sizeof *tracks_columns,
	.fill = tracks_fill,
	.text = tracks_text,
};

/* ---- values ---- */

static const struct sheet_column values_columns[] = {
	{"track", false, false},
	{"time", true, false},
	{"value", true, false},
};

struct point {
	int64_t time; /* from the group's first event */
	int64_t value;
	track_id track;
	bool floating;
	int64_t place; /* in the file */
};

static int
compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool
values_fill(struct report *r, struct sheet *s)
{
	const struct profile *p = r->profile;
	int64_t from, to;
	bool whole;
	VEC(struct point) points = VEC_INIT;

	if (!lens_range(r->lens, p, &from, &to, &whole, r->err))
		return false;
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		int64_t origin = p->group[track->group].start;
		if (!lens_has_track(r->lens, p, t))
			continue;
		for (uint32_t k = 0; k < track->n_series; k++) {
			const struct series *series = track->series[k];
			struct event e;
			for (uint64_t i = 0; series->kind == SERIES_POINTS &&
					     series_event(series, i, &e); i++) {
				if (!whole && (e.time - origin < from || e.time - origin >= to))
					continue;
				*vec_push(&points) = (struct point){e.time - origin, e.value, t,
								    series->floating, e.place};
			}
		}
	}
	if (points.n > 1)
		qsort(points.at, points.n, sizeof *points.at, compare_points);
	for (size_t i = 0; i < points.n; i++) {
		const struct point *at = &points.at[i];
		sheet_name(s, p, p->track[at->track].name);
		sheet_number(s, at->time, 0);
		if (at->floating) {
			double v;
			memcpy(&v, &at->value, sizeof v);
			sheet_real(s, v);
		} else {
			sheet_number(s, at->value, 0);
		}
	}
	vec_release(&points);
	return true;
}

static void
values_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	report_times_text(r, s, limit, out, 1, 1);
}

const struct report_view view_values = {
	.name = "values",
	.columns = values_columns,
	.n_columns = sizeof values_columns / sizeof *values_columns,
	.fill = values_fill,
	.text = values_text,
};

/* ---- info ---- */

static const struct sheet_column info_columns[] = {
	{"key", false, false},
	{"value", false, false},
};

static void
info_number(struct sheet *s, const char *key, int64_t v)
{
	sheet_text(s, key);
	sheet_number(s, v, 0);
}

static void
info_metrics(const struct profile *p, struct sheet *s)
{
	metric_id first = profile_default_metric(p);
	struct buf names = BUF_INIT;

	if (first != METRIC_NONE && profile_metric_shown(p, first))
		sheet_add_name(s, p, p->metric[first].name, &names);
	for (metric_id m = 0; m < p->n_metrics; m++) {
		if (m == first || !profile_metric_shown(p, m))
			continue;
		buf_adds(&names, names.len ? ", " : "");
		sheet_add_name(s, p, p->metric[m].name, &names);
	}
	sheet_text(s, "metrics");
	sheet_bytes(s, buf_str(&names), names.len);
	buf_release(&names);
}

static void
info_complete(const struct profile *p, const struct group *g, struct sheet *s)
{
	const char *why = p->why ? p->why : "not read to the end";
	struct buf text = BUF_INIT;

	sheet_text(s, "complete");
	if (p->n_groups > 1 ? g->why == NAME_EMPTY : p->complete) {
		sheet_text(s, "yes");
		return;
	}
	if (p->n_groups > 1)
		why = names_get(&p->names, g->why).at;
	buf_addf(&text, "no: %s", why);
	sheet_bytes(s, buf_str(&text), text.len);
	buf_release(&text);
}

static void
info_time(const struct group *g, struct sheet *s)
{
	if (!g->has_time)
		return;
	info_number(s, "start", g->start);
	info_number(s, "duration", g->end - g->start);
	sheet_text(s, "axis");
	sheet_text(s, unit_name((enum unit)g->axis));
}

static void
info_words(const struct profile *p, uint32_t group, struct sheet *s)
{
	for (uint32_t i = 0; i < p->n_info; i++) {
		if (p->info[i].group != group)
			continue;
		sheet_name(s, p, p->info[i].key);
		sheet_name(s, p, p->info[i].value);
	}
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		if (p->warning[i].group != group)
			continue;
		sheet_text(s, "warning");
		sheet_text(s, p->warning[i].text);
	}
}

static void
info_counts(const struct profile *p, struct sheet *s)
{
	info_number(s, "events", (int64_t)p->events);
	info_number(s, "functions", p->frames.n_functions);
	info_number(s, "frames", p->frames.n);
	info_number(s, "stacks", (int64_t)p->stacks.n - 1);
	info_number(s, "tracks", p->n_tracks);
}

/* Of several files: what holds for all, then each with its own words. */
static void
info_files(const struct profile *p, struct sheet *s)
{
	info_number(s, "files", p->n_groups);
	info_metrics(p, s);
	info_counts(p, s);
	for (uint32_t i = 0; i < p->n_groups; i++) {
		sheet_text(s, "file");
		sheet_name(s, p, p->group[i].name);
		sheet_text(s, "format");
		sheet_name(s, p, p->group[i].format);
		info_time(&p->group[i], s);
		info_complete(p, &p->group[i], s);
		info_words(p, i, s);
	}
}

static bool
info_fill(struct report *r, struct sheet *s)
{
	const struct profile *p = r->profile;
	const struct group *g = p->n_groups ? &p->group[0] : NULL;

	if (p->n_groups > 1) {
		info_files(p, s);
		return true;
	}
	sheet_text(s, "format");
	sheet_name(s, p, g ? g->format : NAME_EMPTY);
	info_metrics(p, s);
	if (g)
		info_time(g, s);
	info_counts(p, s);
	info_complete(p, g, s);
	info_words(p, 0, s);
	return true;
}

static bool
same_key(const struct sheet *info, size_t a, size_t b)
{
	const struct cell *x = sheet_cell(info, a, 0), *y = sheet_cell(info, b, 0);

	return x->len == y->len &&
	       !memcmp(info->text.at + x->as.at, info->text.at + y->as.at, x->len);
}

static void
info_json_value(const struct sheet *info, size_t row, FILE *out)
{
	const struct cell *c = sheet_cell(info, row, 1);

	if (c->kind == CELL_NUMBER)
		fprintf(out, "%" PRId64, c->as.number);
	else if (c->kind == CELL_TEXT)
		json_string(out, info->text.at + c->as.at, c->len);
	else
		fputs("null", out);
}

void
info_write_json(const struct sheet *info, size_t row, FILE *out)
{
	const struct cell *key = sheet_cell(info, row, 0);
	bool many = false;

	for (size_t k = row + 1; k < sheet_rows(info) && !many; k++)
		many = same_key(info, row, k);
	fputs(row ? ",\n  " : "\n  ", out);
	json_string(out, info->text.at + key->as.at, key->len);
	fputs(many ? ": [" : ": ", out);
	info_json_value(info, row, out);
	for (size_t k = row + 1; many && k < sheet_rows(info); k++)
		if (same_key(info, row, k)) {
			fputs(", ", out);
			info_json_value(info, k, out);
		}
	if (many)
		fputc(']', out);
}

static void
info_text(struct report *r, const struct sheet *s, size_t limit, FILE *out)
{
	size_t rows = sheet_rows(s) < limit ? sheet_rows(s) : limit;
	enum unit axis = UNIT_NS;
	bool common = common_axis(r->profile, &axis);
	struct sheet text;

	sheet_init(&text, s->column, s->n_columns);
	for (size_t i = 0; i < rows; i++) {
		const struct cell *key = sheet_cell(s, i, 0), *value = sheet_cell(s, i, 1);
		struct buf words = BUF_INIT;
		bool lasts = key->len == 8 && !memcmp(s->text.at + key->as.at, "duration", 8);
		sheet_copy(&text, s, i, 0);
		if (lasts && common && value->kind == CELL_NUMBER) {
			human_time(&words, value->as.number, axis);
			sheet_bytes(&text, buf_str(&words), words.len);
		} else {
			sheet_copy(&text, s, i, 1);
		}
		buf_release(&words);
	}
	sheet_write_text(&text, out, SIZE_MAX);
	sheet_release(&text);
}

const struct report_view view_info = {
	.name = "info",
	.columns = info_columns,
	.n_columns = sizeof info_columns / sizeof *info_columns,
	.fill = info_fill,
	.text = info_text,
};
