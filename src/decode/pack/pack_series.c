/* pack_series.c - tracks of a packed profile, with their series and chunks. */
#include "src/decode/pack/pack.h"

#include <string.h>

#include "model/profile/pack_form.h"

/* ---- tracks ---- */

static bool
end_series(struct pack *x)
{
	struct series *s = x->series;

	x->series = NULL;
	return !s || builder_adopt_series_end(x->b, s, x->series_end, x->offset, x->e);
}

bool
pack_end_track(struct pack *x)
{
	bool in = x->in_track, good = end_series(x);

	x->in_track = false;
	return (!in || builder_adopt_track(x->b, x->track, &x->about, x->offset, x->e)) && good;
}

void
pack_cut_track(struct pack *x)
{
	if (x->in_track)
		builder_adopt_cut(x->b, x->track, x->series, &x->about);
	x->series = NULL;
	x->in_track = false;
}

static void
read_value_names(struct pack *x)
{
	uint64_t n = cursor_varint(&x->c);

	for (uint64_t i = 0; !x->c.bad && i < n; i++) {
		int64_t value = cursor_zigzag(&x->c);
		name_id name = pack_name(x);
		if (!x->c.bad)
			builder_track_value(x->b, x->track, value, name);
	}
}

bool
pack_read_track(struct pack *x)
{
	if (!pack_end_track(x))
		return false;
	uint32_t file = pack_id(x, x->id.n_files);
	name_id id = pack_name(x);
	uint8_t kind = cursor_u8(&x->c);
	struct adopt_track about = {.unit = cursor_u8(&x->c)};
	name_id unit = pack_name(x);
	uint32_t under = pack_id(x, x->id.process.n + 1);
	about.has_time = cursor_u8(&x->c);
	about.start = cursor_zigzag(&x->c);
	about.end = cursor_zigzag(&x->c);
	about.events = cursor_varint(&x->c);
	if (x->c.bad || kind > TRACK_MARKS || about.unit > UNIT_COUNT || !x->id.n_metrics)
		return false;
	builder_adopt_in(x->b, file);
	struct name name = builder_name_get(x->b, id);
	x->track = builder_track(x->b, name.at, name.len, (enum track_kind)kind);
	x->id.first_track = x->id.n_tracks++ ? x->id.first_track : x->track;
	name = builder_name_get(x->b, unit);
	builder_track_unit(x->b, x->track, name.at, name.len);
	if (under)
		builder_track_under(x->b, x->track, x->id.process.at[under - 1]);
	x->about = about;
	x->in_track = true;
	read_value_names(x);
	x->complete = false;
	if (!x->c.bad && pack_more(x))
		builder_track_recorded(x->b, x->track, cursor_zigzag(&x->c));
	return !x->c.bad;
}

/* ---- series ---- */

bool
pack_read_series(struct pack *x)
{
	struct adopt_series f = {0};

	if (!x->in_track || !end_series(x))
		return false;
	f.kind = cursor_u8(&x->c);
	uint8_t flags = cursor_u8(&x->c);
	f.floating = flags & PACK_FLOATING;
	f.valued = flags & PACK_VALUED;
	f.turns = flags & PACK_TURNS;
	f.labelled = flags & PACK_LABELLED;
	f.derived = flags & PACK_DERIVED;
	f.interval = cursor_zigzag(&x->c);
	x->series_end = cursor_zigzag(&x->c);
	f.n_columns = cursor_u8(&x->c);
	f.n_metrics = cursor_u8(&x->c);
	for (unsigned i = 0; i < f.n_metrics && i < SERIES_METRICS_MAX; i++) {
		f.metric[i] = pack_id(x, (size_t)x->id.n_metrics + 1) - 1;
		f.role[i] = cursor_u8(&x->c);
		f.column[i] = cursor_u8(&x->c);
		f.part[i] = cursor_u8(&x->c);
	}
	if (x->c.bad || !adopt_series_fits(&f, x->id.n_metrics))
		return false;
	x->form = f;
	x->n_seen = 0;
	x->series = builder_adopt_series(x->b, x->track, &f, x->offset, x->e);
	return x->series != NULL;
}

/* ---- sums ---- */

/* Reads a column for each metric of the series. */
static bool
read_sums(struct pack *x, uint32_t n, struct column *sum)
{
	bool good = true;

	memset(sum, 0, x->form.n_metrics * sizeof *sum);
	for (unsigned m = 0; good && m < x->form.n_metrics; m++)
		good = pack_column(&x->c, n, &sum[m]);
	for (unsigned m = 0; !good && m < x->form.n_metrics; m++)
		column_release(&sum[m]);
	return good;
}

bool
pack_read_blocks(struct pack *x)
{
	struct column dominant = {0}, sum[SERIES_METRICS_MAX];

	if (!x->series)
		return false;
	uint32_t n = pack_id(x, UINT32_MAX);
	if (x->c.bad || !pack_column(&x->c, n, &dominant) || !n || !read_sums(x, n - 1, sum)) {
		column_release(&dominant);
		return false;
	}
	return builder_adopt_blocks(x->b, x->series, n, &dominant, sum);
}

/* Reads a checkpoint and takes it over. */
static bool
read_checkpoint(struct pack *x)
{
	struct column sum[SERIES_METRICS_MAX];
	VEC(stack_id) more = VEC_INIT;
	uint64_t events = cursor_varint(&x->c), n = cursor_varint(&x->c);
	uint32_t stack = 0;

	for (uint64_t i = 0; i < n && !x->c.bad; i++) {
		stack += (uint32_t)cursor_zigzag(&x->c);
		if (stack >= x->id.n_stacks)
			x->c.bad = true;
		else
			*vec_push(&more) = stack;
	}
	x->n_seen += (uint32_t)more.n;
	bool good = !x->c.bad && x->n_seen <= x->id.n_stacks && read_sums(x, x->n_seen, sum) &&
		    builder_adopt_checkpoint(x->b, x->series, events, more.at,
					     (uint32_t)more.n, sum);
	vec_release(&more);
	return good;
}

bool
pack_read_checkpoints(struct pack *x)
{
	if (!x->series)
		return false;
	if (!pack_more(x))
		return builder_adopt_alone(x->b, x->series);
	while (pack_more(x))
		if (!read_checkpoint(x))
			return false;
	return true;
}

bool
pack_read_sums(struct pack *x)
{
	uint64_t stack = 0;

	if (!x->series || x->form.kind != SERIES_TOTALS || x->form.labelled)
		return false;
	while (pack_more(x)) {
		int64_t sum[SERIES_METRICS_MAX];
		stack += pack_id(x, x->id.n_stacks);
		for (unsigned m = 0; m < x->form.n_metrics; m++)
			sum[m] = cursor_zigzag(&x->c);
		if (x->c.bad || stack >= x->id.n_stacks)
			return false;
		if (!builder_adopt_sums(x->b, x->series, pack_stack(x, (uint32_t)stack), sum,
					x->offset, x->e))
			return false;
	}
	return !x->c.bad;
}
