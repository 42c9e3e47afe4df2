/* pack_series.c - tracks of a packed profile, with their series and chunks. */
#include "src/decode/pack/pack.h"

#include <string.h>

#include "model/base/mem.h"
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
	x->first_track = x->id.n_tracks++ ? x->first_track : x->track;
	name = builder_name_get(x->b, unit);
	builder_track_unit(x->b, x->track, name.at, name.len);
	if (under)
		builder_track_under(x->b, x->track, x->id.process.at[under - 1]);
	x->about = about;
	x->in_track = true;
	read_value_names(x);
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

/* ---- chunks ---- */

/* Returns a copy of n numbers of `width` bytes, followed by zeros for readers of whole words. */
static void *
copy_numbers(const uint8_t *at, size_t n, unsigned width)
{
	uint8_t *out = mem_alloc(n * width + COLUMN_SLACK, 1);

	memcpy(out, at, n * width);
	memset(out + n * width, 0, COLUMN_SLACK);
	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ || width == 1 || width == 3)
		return out;
	for (size_t i = 0; i < n * width; i += width)
		for (unsigned k = 0; k < width / 2; k++) {
			uint8_t swap = out[i + k];
			out[i + k] = out[i + width - 1 - k];
			out[i + width - 1 - k] = swap;
		}
	return out;
}

static bool
read_column(struct pack *x, uint32_t n, struct column *c)
{
	uint32_t groups = (n + COLUMN_GROUP - 1) / COLUMN_GROUP;
	const uint8_t *bases = NULL;

	c->width = cursor_u8(&x->c);
	c->bits = cursor_u8(&x->c);
	uint8_t flags = cursor_u8(&x->c);
	c->shift = cursor_u8(&x->c);
	c->step = pack_id(x, (uint64_t)UINT32_MAX + 1);
	c->base = cursor_zigzag(&x->c);
	c->zeros = flags & PACK_ZEROS;
	if (flags & PACK_BASES)
		bases = cursor_bytes(&x->c, (uint64_t)groups * sizeof *c->bases);
	uint64_t size = column_bytes(c, n);
	unsigned each = c->width ? c->width : 1;
	const uint8_t *at = cursor_bytes(&x->c, size);
	if (x->c.bad)
		return false;
	if (bases)
		c->bases = copy_numbers(bases, groups, sizeof *c->bases);
	if (size)
		c->at = copy_numbers(at, size / each, each);
	return column_fits(c, n);
}

/* Reads a column for each metric of the series. */
static bool
read_sums(struct pack *x, uint32_t n, struct column *sum)
{
	bool good = true;

	memset(sum, 0, x->form.n_metrics * sizeof *sum);
	for (unsigned m = 0; good && m < x->form.n_metrics; m++)
		good = read_column(x, n, &sum[m]);
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
	if (x->c.bad || !read_column(x, n, &dominant) || !n || !read_sums(x, n - 1, sum)) {
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
	bool good = !x->c.bad && read_sums(x, x->n_seen, sum) &&
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
	while (pack_more(x))
		if (!read_checkpoint(x))
			return false;
	return true;
}

/* The bits of the steps that have a value of their own; those before each word are counted. */
static bool
read_own(struct pack *x, struct chunk *c, uint32_t *n_values)
{
	uint32_t words = (c->n + 63) / 64, n = 0;
	const uint8_t *at = cursor_bytes(&x->c, (uint64_t)words * sizeof *c->own);

	if (!at || (c->n % 64 && bytes_u64(at + 8 * (words - 1), false) >> c->n % 64))
		return false;
	c->own = copy_numbers(at, words, sizeof *c->own);
	c->own_before = mem_alloc(words, sizeof *c->own_before);
	for (uint32_t i = 0; i < words; i++) {
		c->own_before[i] = (uint16_t)n;
		n += (uint32_t)__builtin_popcountll(c->own[i]);
	}
	*n_values = n;
	return n > 0;
}

static bool
read_columns(struct pack *x, struct chunk *c)
{
	const struct adopt_series *f = &x->form;
	uint32_t n_values = c->n;
	bool good = true;

	if (cursor_u8(&x->c))
		good = f->valued && read_own(x, c, &n_values);
	good = good && read_column(x, c->n, &c->time);
	if (good && f->kind != SERIES_POINTS)
		good = read_column(x, c->n, &c->stack);
	if (good && f->labelled)
		good = read_column(x, c->n, &c->labels);
	for (unsigned v = 0; good && v < f->n_columns; v++)
		good = read_column(x, n_values, &c->value[v]);
	/* stacks are read as words of 32 bits */
	return good && c->stack.width <= 4 && c->stack.bits <= 32 && !c->stack.bases &&
	       !c->stack.zeros;
}

static bool
read_chunk(struct pack *x)
{
	struct chunk c = {0};
	struct adopt_ids ids = {.n_stacks = x->id.n_stacks,
				.n_labels = (uint32_t)x->id.set.n};

	c.n = c.cap = pack_id(x, CHUNK_MAX + 1);
	if (x->c.bad || !c.n)
		return false;
	if (x->form.n_columns)
		c.value = mem_zalloc(x->form.n_columns, sizeof *c.value);
	if (!read_columns(x, &c)) {
		series_chunk_release(x->series, &c);
		return false;
	}
	if (!x->whole)
		ids.stack = x->id.stack.at;
	if (!x->whole_sets)
		ids.labels = x->id.set.at;
	return builder_adopt_chunk(x->b, x->series, &c, &ids, x->offset, x->e);
}

bool
pack_read_chunks(struct pack *x)
{
	if (!x->series)
		return false;
	while (cursor_left(&x->c))
		if (!read_chunk(x))
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
