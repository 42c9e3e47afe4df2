/* Markers: what happened, at a moment or for a while, beside what was sampled.
 *
 * Those that last are slices of a track beside the thread, with a time of their own: a marker
 * may last while its thread sleeps.  A begin and an end of one name belong together, the
 * innermost first; older profiles say in the marker's data which one it is. */
#include "src/decode/firefox/firefox_inside.h"

#include <stdlib.h>

#include "src/decode/common/slices.h"

#define MARK_TRACKS_MAX 1000u

enum { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

struct mark {
	int64_t start, end; /* end: of intervals */
	int64_t row;
	uint8_t phase;
};

static const struct ff_data *
data_of(const struct firefox *f, const struct ff_thread *t, int64_t row)
{
	int64_t data = ff_at(&t->marks, MARK_DATA, row);

	return data >= 0 && (uint64_t)data < f->data.n ? &f->data.at[data] : NULL;
}

/* What a row is.  False where it has no time. */
static bool
mark_of(const struct firefox *f, const struct ff_thread *t, int64_t row, struct mark *m)
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
	*m = (struct mark){start, end, row, (uint8_t)phase};
	return start != FF_NULL && (phase != PHASE_INTERVAL || end != FF_NULL);
}

bool
ff_marks_last(const struct firefox *f)
{
	struct mark m;

	for (size_t i = 0; i < f->thread.n; i++)
		for (size_t k = 0; k < f->thread.at[i].marks.column[MARK_NAME].n; k++)
			if (mark_of(f, &f->thread.at[i], (int64_t)k, &m) &&
			    m.phase != PHASE_INSTANT)
				return true;
	return false;
}

/* ---- labels ---- */

static bool
is_string(struct firefox *f, name_id type, name_id key)
{
	if (!f->string_field_of.n)
		for (size_t i = 0; i < f->strings.n; i++)
			idmap_put(&f->string_field_of,
				  (uint64_t)f->strings.at[i].type << 32 | f->strings.at[i].key, 1);
	return idmap_get(&f->string_field_of, (uint64_t)type << 32 | key) != IDMAP_NONE;
}

static labels_id
labels_of(struct firefox *f, struct ff_thread *t, int64_t row)
{
	const struct ff_data *data = data_of(f, t, row);
	name_id category = ff_category(f, t->profile, ff_at(&t->marks, MARK_CATEGORY, row));
	label_id id[FF_FIELDS_MAX + 1];
	size_t n = 0;

	if (category != NAME_EMPTY)
		id[n++] = builder_label_text(f->b, builder_name(f->b, "category", 8), category);
	for (uint32_t i = 0; data && i < data->n; i++) {
		const struct ff_field *field = &f->field.at[data->first + i];
		if (field->kind == FF_FIELD_NUMBER && !is_string(f, data->type, field->key)) {
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

static struct series *
mark_track(struct firefox *f, const struct ff_thread *t, name_id name)
{
	bool own = t->own.track != NAME_EMPTY && t->own.kind == TRACK_MARKS;
	/* a track of ours is one, whatever its marks are called */
	uint64_t key = own ? UINT64_MAX << 32 | t->own.track : (uint64_t)t->pid << 32 | name;
	uint32_t known = idmap_get(&f->mark_track_of, key);

	if (known == IDMAP_NONE && !own && f->mark_track.n >= MARK_TRACKS_MAX) {
		builder_warn(f->b, "more than %u kinds of marks; the others are one track",
			     MARK_TRACKS_MAX);
		name = builder_name(f->b, "other marks", 11);
		key = (uint64_t)t->pid << 32 | name;
		known = idmap_get(&f->mark_track_of, key);
	}
	if (known == IDMAP_NONE) {
		struct name n = builder_name_get(f->b, name);
		known = (uint32_t)f->mark_track.n;
		idmap_put(&f->mark_track_of, key, known);
		track_id track = own ? ff_own_track(f, &t->own)
				     : ff_track(f, t->pid, n.at, n.len, TRACK_MARKS);
		struct series *points = builder_points(f->b, track, false);
		builder_labelled(f->b, points);
		*vec_push(&f->mark_track) = points;
	}
	return f->mark_track.at[known];
}

static bool
instant(struct firefox *f, struct ff_thread *t, const struct mark *m, name_id name)
{
	struct series *points = mark_track(f, t, name);

	builder_next_labels(f->b, points, labels_of(f, t, m->row));
	return builder_point(f->b, points, m->start, 0, 0, f->e);
}

/* ---- those that last ---- */

struct open_mark {
	uint32_t slice, below; /* below: the one outside of the same name; index + 1 */
	bool open;
};

struct lasting {
	struct firefox *f;
	struct ff_thread *t;
	struct slices slices;
	VEC(struct open_mark) open;
	struct idmap top_of; /* name -> the innermost that is open; index + 1 */
	int64_t last;
};

static void
add_slice(struct lasting *x, const struct mark *m, name_id name, unsigned flags)
{
	struct firefox *f = x->f;
	struct name n = builder_name_get(f->b, name);
	frame_id frame = builder_frame(f->b, builder_function_named(f->b, n.at, n.len),
				       line_unknown());
	int64_t length = 0;

	if (m->phase == PHASE_INTERVAL && __builtin_sub_overflow(m->end, m->start, &length))
		length = 0;
	if (length < 0) {
		builder_warn(f->b, "markers of negative length, taken for 0");
		length = 0;
	}
	slices_add(&x->slices, slices_tick(m->start), (uint64_t)length, frame,
		   labels_of(f, x->t, m->row), flags);
}

static void
begin(struct lasting *x, const struct mark *m, name_id name)
{
	uint32_t below = idmap_get(&x->top_of, name);

	*vec_push(&x->open) = (struct open_mark){(uint32_t)x->slices.n,
						 below == IDMAP_NONE ? 0 : below, true};
	idmap_put(&x->top_of, name, (uint32_t)x->open.n);
	add_slice(x, m, name, SLICE_CUT);
}

static void
end(struct lasting *x, const struct mark *m, name_id name)
{
	uint32_t top = idmap_get(&x->top_of, name);

	if (top == IDMAP_NONE || !top) {
		builder_warn(x->f->b, "markers that end without a begin, ignored");
		return;
	}
	struct open_mark *o = &x->open.at[top - 1];
	slices_end(&x->slices, o->slice, slices_tick(m->start), 0);
	o->open = false;
	idmap_put(&x->top_of, name, o->below);
}

static bool
lasting_write(struct lasting *x)
{
	struct firefox *f = x->f;
	struct slices_out out = {
		.in = f->in, .b = f->b, .kind = SLICES_LABELLED, .metric = f->is.async};

	for (size_t i = 0; i < x->open.n; i++) {
		if (!x->open.at[i].open)
			continue;
		slices_end(&x->slices, x->open.at[i].slice, slices_tick(x->last), SLICE_CUT);
		slices_unfinished(&x->slices, x->open.at[i].slice, f->b);
		builder_warn(f->b, "markers without an end, which last to the last marker");
	}
	if (!x->slices.n)
		return true;
	struct slices_track track = {
		.track = ff_thread_track(f, x->t, " (markers)", TRACK_TASK), .kind = TRACK_TASK};
	struct buf name = BUF_INIT;
	buf_add(&name, f->text.at, f->text.len);
	track.name = buf_str(&name);
	track.len = name.len;
	bool good = slices_write(&x->slices, &out, &track, f->e);
	buf_release(&name);
	return good;
}

static int
by_time(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The rows that have a time, in its order. */
static struct mark *
marks_sorted(struct firefox *f, struct ff_thread *t, size_t *n)
{
	size_t rows = t->marks.column[MARK_NAME].n;
	struct mark *mark = mem_alloc(rows + 1, sizeof *mark);
	int64_t shift = ff_shift(f, t->profile);

	*n = 0;
	for (size_t i = 0; i < rows; i++) {
		struct mark *m = &mark[*n];
		if (!mark_of(f, t, (int64_t)i, m)) {
			builder_warn(f->b, "markers without a time, left out");
			continue;
		}
		if (__builtin_add_overflow(m->start, shift, &m->start) ||
		    (m->phase == PHASE_INTERVAL && __builtin_add_overflow(m->end, shift, &m->end)))
			continue;
		(*n)++;
	}
	qsort(mark, *n, sizeof *mark, by_time);
	return mark;
}

bool
ff_marks_write(struct firefox *f, struct ff_thread *t)
{
	struct lasting x = {.f = f, .t = t, .last = INT64_MIN};
	bool good = true;
	size_t n;
	struct mark *mark = marks_sorted(f, t, &n);

	for (size_t i = 0; i < n && good; i++) {
		const struct mark *m = &mark[i];
		int64_t last = m->phase == PHASE_INTERVAL && m->end > m->start ? m->end : m->start;
		name_id name = ff_column_string(f, ff_tables_of(f, t),
						ff_at(&t->marks, MARK_NAME, m->row));
		x.last = last > x.last ? last : x.last;
		if (name == NAME_EMPTY)
			name = builder_name(f->b, "(unnamed)", 9);
		if (m->phase == PHASE_INSTANT)
			good = instant(f, t, m, name);
		else if (m->phase == PHASE_INTERVAL)
			add_slice(&x, m, name, 0);
		else if (m->phase == PHASE_START)
			begin(&x, m, name);
		else
			end(&x, m, name);
	}
	free(mark);
	good = good && lasting_write(&x);
	slices_release(&x.slices);
	vec_release(&x.open);
	idmap_release(&x.top_of);
	return good;
}
