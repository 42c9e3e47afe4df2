/* Markers: events at a moment or over an interval, beside the samples.
 *
 * Intervals become slices of a track beside the thread, which has its own time: a marker may
 * last while its thread sleeps. Intervals of one name run side by side, such as two requests of
 * the network; one in which another lies is around it, such as a refresh around its scripts.
 * Begins and ends of one name are matched, the innermost first, so those nest; older profiles mark
 * begins and ends in the marker's data. */
#include "src/decode/firefox/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/ordered.h"

enum { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

struct firefox_mark_row {
	int64_t start, end; /* end: of intervals */
	int64_t row;
	uint8_t phase;
};

static const struct ff_data *
data_of(const struct firefox *f, const struct ff_thread *t, int64_t row)
{
	int64_t data = ff_at(&t->marks, MARK_DATA, row);

	return data >= 0 && (uint64_t)data < f->marks.data.n ? &f->marks.data.at[data]
							     : NULL;
}

/* Reads a row. Returns false if it has no time. */
static bool
mark_of(const struct firefox *f, const struct ff_thread *t, int64_t row, struct firefox_mark_row *m)
{
	int64_t start = ff_at(&t->marks, MARK_START, row), end = ff_at(&t->marks, MARK_END, row);
	int64_t phase = ff_at(&t->marks, MARK_PHASE, row);
	const struct ff_data *data = data_of(f, t, row);

	if (start == FF_NULL)
		start = ff_at(&t->marks, MARK_TIME, row);
	if (phase < 0 || phase > PHASE_END) {
		phase = start != FF_NULL && end != FF_NULL ? PHASE_INTERVAL : PHASE_INSTANT;
		if (data && data->start != FF_NULL && data->end != FF_NULL) {
			start = data->start;
			end = data->end;
			phase = PHASE_INTERVAL;
		} else if (data && data->phase) {
			phase = data->phase;
		}
	}
	if (phase == PHASE_END && end != FF_NULL)
		start = end;
	*m = (struct firefox_mark_row){start, end, row, (uint8_t)phase};
	return start != FF_NULL && (phase != PHASE_INTERVAL || end != FF_NULL);
}

bool
ff_marks_last(const struct firefox *f)
{
	struct firefox_mark_row m;

	for (size_t i = 0; i < f->thread.n; i++)
		for (size_t k = 0; k < f->thread.at[i].marks.column[MARK_NAME].n; k++)
			if (mark_of(f, &f->thread.at[i], (int64_t)k, &m) &&
			    m.phase != PHASE_INSTANT)
				return true;
	return false;
}

/* ---- labels ---- */

/* Returns the format that the schema gives to a field. */
static enum ff_format
format_of(struct firefox *f, name_id type, name_id key)
{
	if (!f->marks.string_field_of.n)
		for (size_t i = 0; i < f->marks.string_field.n; i++)
			idmap_put(&f->marks.string_field_of,
				  (uint64_t)f->marks.string_field.at[i].type << 32 |
					  f->marks.string_field.at[i].key,
				  f->marks.string_field.at[i].format);
	uint32_t format = idmap_get(&f->marks.string_field_of, (uint64_t)type << 32 | key);
	return format == IDMAP_NONE ? FF_FORMAT_OTHER : (enum ff_format)format;
}

/* Adds the flows that a marker names, by the texts in its fields: markers of one text are a chain.
 * Returns true if pnav wrote the marker for a flow alone. */
static bool
take_flows(struct firefox *f, struct ff_thread *t, const struct firefox_mark_row *m)
{
	static const char own[] = "pnav flow";
	const struct ff_data *data = data_of(f, t, m->row);

	if (!data || t->samples_on == CAST_NONE)
		return false;
	for (uint32_t i = 0; i < data->n; i++) {
		const struct ff_field *field = &f->marks.field.at[data->first + i];
		enum ff_format format = format_of(f, data->type, field->key);
		if (format < FF_FORMAT_FLOW)
			continue;
		name_id text = field->kind == FF_FIELD_NUMBER
				       ? ff_string(f, ff_tables_of(f, t), field->value)
				       : (name_id)field->value;
		if (text != NAME_EMPTY)
			flows_add(&f->marks.flows, text, t->samples_on, m->start,
				  format == FF_FORMAT_LAST_FLOW ? FLOW_ENDS : 0);
	}
	struct name type = builder_name_get(f->b, data->type);
	return type.len >= sizeof own - 1 && !memcmp(type.at, own, sizeof own - 1);
}

static labels_id
firefox_labels_of(struct firefox *f, struct ff_thread *t, int64_t row)
{
	const struct ff_data *data = data_of(f, t, row);
	name_id category = ff_category(f, t->profile, ff_at(&t->marks, MARK_CATEGORY, row));
	label_id id[FF_FIELDS_MAX + 1];
	size_t n = 0;

	if (category != NAME_EMPTY)
		id[n++] = builder_label_text(f->b, builder_name(f->b, "category", 8), category);
	for (uint32_t i = 0; data && i < data->n; i++) {
		const struct ff_field *field = &f->marks.field.at[data->first + i];
		enum ff_format format = format_of(f, data->type, field->key);
		if (field->kind == FF_FIELD_NUMBER && format == FF_FORMAT_OTHER) {
			id[n++] = builder_label_number(f->b, field->key, field->value, NAME_EMPTY);
			continue;
		}
		name_id text = field->kind == FF_FIELD_NUMBER
				       ? ff_string(f, ff_tables_of(f, t), field->value)
				       : (name_id)field->value;
		if (text != NAME_EMPTY)
			id[n++] = builder_label_text(f->b, field->key, text);
	}
	return builder_labels(f->b, id, n);
}

/* ---- those of a moment ---- */

/* a track of pnav keeps its name, whatever the names of its marks */
static bool
instant(struct firefox *f, struct ff_thread *t, const struct firefox_mark_row *m, name_id name)
{
	bool own = t->own.track != NAME_EMPTY && t->own.kind == TRACK_MARKS;
	uint32_t track = own ? cast_track(&f->cast, ff_own_track(f, &t->own))
			     : cast_marks(&f->cast, ff_track(f, t->pid, name, TRACK_MARKS));
	struct series *points = cast_points(&f->cast, track, false, true);

	builder_next_labels(f->b, points, firefox_labels_of(f, t, m->row));
	return builder_point(f->b, points, m->start, 0, 0, f->e);
}

/* ---- those that last ---- */

static void
lasting(struct firefox *f, struct ff_thread *t, uint32_t track, const struct firefox_mark_row *m,
	name_id name)
{
	frame_id frame = builder_frame_named(f->b, name);
	int64_t length = 0;

	if (m->phase == PHASE_INTERVAL && __builtin_sub_overflow(m->end, m->start, &length))
		length = 0;
	if (length < 0)
		builder_warn(f->b, "markers of negative length, counted as 0");
	if (m->phase == PHASE_INTERVAL)
		cast_slice(&f->cast, track, m->start, length, frame,
			   firefox_labels_of(f, t, m->row));
	else if (m->phase == PHASE_START)
		cast_begin(&f->cast, track, m->start, name, frame, firefox_labels_of(f, t, m->row));
	else
		cast_end(&f->cast, track, m->start, name);
}

ORDERED_BY_TWO(firefox_by_time, struct firefox_mark_row, start, row)

/* Returns the rows that have a time, sorted by it. */
static struct firefox_mark_row *
marks_sorted(struct firefox *f, struct ff_thread *t, size_t *n)
{
	size_t rows = t->marks.column[MARK_NAME].n;
	struct firefox_mark_row *mark = mem_alloc(rows + 1, sizeof *mark);
	int64_t shift = ff_shift(f, t->profile);

	*n = 0;
	for (size_t i = 0; i < rows; i++) {
		struct firefox_mark_row *m = &mark[*n];
		if (!mark_of(f, t, (int64_t)i, m)) {
			builder_warn(f->b, "markers without a time, left out");
			continue;
		}
		if (__builtin_add_overflow(m->start, shift, &m->start) ||
		    (m->phase == PHASE_INTERVAL && __builtin_add_overflow(m->end, shift, &m->end)))
			continue;
		(*n)++;
	}
	qsort(mark, *n, sizeof *mark, firefox_by_time);
	return mark;
}

bool
ff_marks_write(struct firefox *f, struct ff_thread *t)
{
	bool good = true;
	size_t n;
	struct firefox_mark_row *mark = marks_sorted(f, t, &n);
	uint32_t track = n ? ff_thread_track(f, t, "(markers)", TRACK_TASK) : CAST_NONE;

	if (n)
		f->cast.track.at[track].nesting = CAST_NAMES;
	for (size_t i = 0; i < 2 * n && good; i++) { /* first those of a moment */
		const struct firefox_mark_row *m = &mark[i % n];
		name_id name = ff_column_string(f, ff_tables_of(f, t),
						ff_at(&t->marks, MARK_NAME, m->row));
		if (name == NAME_EMPTY)
			name = builder_name(f->b, "(unnamed)", 9);
		if ((m->phase == PHASE_INSTANT) != (i < n) || take_flows(f, t, m))
			continue;
		if (m->phase == PHASE_INSTANT)
			good = instant(f, t, m, name);
		else
			lasting(f, t, track, m, name);
	}
	if (n) {
		f->cast.track.at[track].aside = true;
		cast_reach(&f->cast, track, mark[n - 1].start);
		if (t->samples_on != CAST_NONE)
			cast_reach(&f->cast, track, f->cast.track.at[t->samples_on].last);
	}
	free(mark);
	return good && cast_write(&f->cast, METRIC_NONE, f->is.async, true, 0, f->e);
}
