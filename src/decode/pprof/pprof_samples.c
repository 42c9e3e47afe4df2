/* The second pass over a pprof message: its samples.
 *
 * Writers add up equal samples, so that nearly each has a stack of its own; but neighbours
 * share most of theirs, since writers walk a tree or a sorted table.  A sample costs the
 * bytes of its locations, and the numbers and frames of those that it does not share with the
 * one before, counted from the root.  Values go to totals: the format has no time.  Where
 * labels or nothing at all part samples of one stack, the stack is found by the bytes of its
 * locations as they stand in the file.
 *
 * A series has labels or none.  Samples without labels go to one without, so that files
 * without labels pay nothing; a track gets each kind when it is first needed.  A series holds
 * a limited number of metrics: files with more types have several side by side. */
#include "src/decode/pprof/pprof_samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/buf.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/pprof/pprof_labels.h"
#include "src/decode/pprof/pprof_types.h"
#include "src/input/hash.h"

#define SERIES_METRICS (SERIES_METRICS_MAX - 1u)

/* One location of the sample before, and the stack that ends with it. */
struct shared {
	uint32_t location;
	uint32_t depth; /* in frames */
	stack_id stack;
};

struct samples {
	struct pprof_tables *t;
	struct builder *b;
	struct err *e;
	struct pprof_labels labels;
	VEC(metric_id) metric;
	VEC(int64_t) factor;
	unsigned parts; /* series that hold a sample's values */
	VEC(struct series *) series; /* [(track * 2 + labelled) * parts + part] */
	VEC(struct shared) shared;   /* root first */
	VEC(frame_id) frame;         /* what is not shared of it, root first */
	VEC(stack_id) each;          /* the stacks that end with those */
	struct buf before;           /* the bytes of all its locations; empty: not known */
	VEC(uint32_t) location;      /* of the sample at hand, leaf first */
	size_t tail;                 /* those behind them, which are shared */
	struct proto_field packed;   /* all of its locations, where they are in one field */
	struct text_cache stacks;    /* such a field's bytes -> stack + 1 */
	VEC(int64_t) value;
	struct buf raw; /* its labels */
	uint64_t too_many, locations_missing;
};

/* ---- metrics ---- */

static bool
same_name(struct pprof_tables *t, size_t i)
{
	for (size_t k = 0; k < t->type.n; k++)
		if (k != i && pprof_string(t, t->type.at[k].name) ==
				      pprof_string(t, t->type.at[i].name))
			return true;
	return false;
}

/* A metric that no type before has: of types that agree in name and unit each is one. */
static metric_id
own_metric(struct samples *s, metric_id m, struct name type, struct name unit)
{
	struct buf name = BUF_INIT;
	unsigned again = 1;

	for (size_t k = 0; k < s->metric.n; k++) {
		if (s->metric.at[k] != m)
			continue;
		buf_reset(&name);
		buf_addf(&name, "%.*s (%.*s) (%u)", (int)type.len, type.at, (int)unit.len,
			 unit.at, ++again);
		enum unit is;
		int64_t factor;
		pprof_unit(unit, &is, &factor);
		m = builder_metric(s->b, buf_str(&name), is, ROLE_VALUE);
		k = (size_t)-1;
	}
	buf_release(&name);
	return m;
}

static void
declare_metrics(struct samples *s)
{
	struct pprof_tables *t = s->t;
	metric_id chosen = METRIC_NONE;

	for (size_t i = 0; i < t->type.n; i++) {
		name_id type = pprof_string(t, t->type.at[i].name);
		struct name name = builder_name_get(s->b, type);
		struct name unit =
			builder_name_get(s->b, pprof_string(t, t->type.at[i].unit));
		int64_t factor;
		metric_id m = pprof_metric(s->b, name, unit, same_name(t, i), &factor);
		m = own_metric(s, m, name, unit);
		*vec_push(&s->metric) = m;
		*vec_push(&s->factor) = factor;
		if (t->default_type && chosen == METRIC_NONE &&
		    type == pprof_string(t, t->default_type))
			chosen = m;
	}
	if (chosen == METRIC_NONE && s->metric.n)
		chosen = s->metric.at[s->metric.n - 1];
	if (chosen != METRIC_NONE)
		builder_default_metric(s->b, chosen);
	s->parts = (unsigned)((s->metric.n + SERIES_METRICS - 1) / SERIES_METRICS);
	vec_reserve(&s->value, s->metric.n + 1);
}

/* ---- stacks ---- */

/* The frames of a location, which stand innermost first, behind those above it. */
static void
push_location(struct samples *s, uint32_t location)
{
	uint32_t n;
	const frame_id *frame = pprof_location_frames(s->t, location, &n);

	s->locations_missing += location == IDMAP_NONE;
	while (n--)
		*vec_push(&s->frame) = frame[n];
}

static bool
read_locations(struct samples *s, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t id;

	vec_reserve(&s->location, s->location.n + f->len + 1);
	while (proto_number(&n, &id)) {
		uint32_t location = pprof_location_of(s->t, id);
		pprof_location_soon(s->t, location);
		s->location.at[s->location.n++] = location;
	}
	return !n.c.bad;
}

/* How many bytes are the same at the ends of both. */
static size_t
same_at_end(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t most = a_len < b_len ? a_len : b_len, n = 0;

	while (n + 8 <= most) {
		uint64_t differs = bytes_u64(a + a_len - n - 8, false) ^
				   bytes_u64(b + b_len - n - 8, false);
		if (differs)
			return n + (size_t)__builtin_clzll(differs) / 8;
		n += 8;
	}
	while (n < most && a[a_len - n - 1] == b[b_len - n - 1])
		n++;
	return n;
}

/* Numbers end with a byte that is less than 0x80. */
static size_t
count_numbers(const uint8_t *at, size_t len)
{
	size_t n = 0, i = 0;

	for (; i + 8 <= len; i += 8)
		n += (~bytes_u64(at + i, false) >> 7 & UINT64_C(0x0101010101010101)) *
			     UINT64_C(0x0101010101010101) >>
		     56;
	for (; i < len; i++)
		n += at[i] < 0x80;
	return n;
}

/* Reads what the callers of the sample before do not begin with; never without its leaf. */
static bool
read_packed(struct samples *s)
{
	const uint8_t *at = s->packed.at, *before = (const uint8_t *)s->before.at;
	size_t len = s->packed.len, len_before = s->before.len;
	size_t same = len_before ? same_at_end(at, len, before, len_before) : 0;
	struct proto_field front = s->packed;

	while (same && (same == len || same == len_before || at[len - same - 1] >= 0x80 ||
			before[len_before - same - 1] >= 0x80))
		same--;
	s->tail = same ? count_numbers(at + len - same, same) : 0;
	front.len = len - same;
	if (!read_locations(s, &front))
		return false;
	buf_reset(&s->before);
	buf_add(&s->before, at, len);
	return true;
}

/* Samples share the callers of the one before; a leaf has an address, which it would not have
 * as a caller. */
static stack_id
stack_of_locations(struct samples *s)
{
	size_t n = s->location.n + s->tail, known = s->tail;

	while (known + 1 < n && known < s->shared.n &&
	       s->shared.at[known].location == s->location.at[n - 1 - known])
		known++;
	s->shared.n = known;
	stack_id stack = known ? s->shared.at[known - 1].stack : STACK_EMPTY;
	uint32_t depth = known ? s->shared.at[known - 1].depth : 0;
	s->frame.n = 0;
	for (size_t i = known; i < n && s->frame.n <= STACK_DEPTH_MAX; i++) {
		uint32_t location = s->location.at[n - 1 - i];
		push_location(s, location);
		if (i + 1 == n)
			s->frame.at[s->frame.n - 1] = pprof_location_leaf(s->t, location);
		else
			*vec_push(&s->shared) =
				(struct shared){location, depth + (uint32_t)s->frame.n, stack};
	}
	vec_reserve(&s->each, s->frame.n);
	stack_id whole = depth + s->frame.n > STACK_DEPTH_MAX
				 ? builder_too_deep(s->b)
				 : builder_path(s->b, stack, s->frame.at, s->frame.n, s->each.at);
	if (whole == STACK_NONE) {
		s->shared.n = known;
		buf_reset(&s->before);
	}
	for (size_t i = known; i < s->shared.n; i++)
		if (s->shared.at[i].depth > depth) /* else nothing but missing locations so far */
			s->shared.at[i].stack = s->each.at[s->shared.at[i].depth - depth - 1];
	return whole;
}

/* The stack of the sample at hand.  False where its locations are malformed. */
static bool
stack_of(struct samples *s, stack_id *out)
{
	s->tail = 0;
	if (!s->packed.at) {
		buf_reset(&s->before);
		*out = stack_of_locations(s);
		return true;
	}
	if (text_cache_rests(&s->stacks)) {
		if (!read_packed(s))
			return false;
		*out = stack_of_locations(s);
		return true;
	}
	struct hash128 hash = hash128(s->packed.at, s->packed.len);
	uint32_t *known = text_cache_find(&s->stacks, hash);
	if (*known) {
		*out = *known - 1;
		return true;
	}
	if (!read_packed(s))
		return false;
	*out = stack_of_locations(s);
	if (*out != STACK_NONE)
		text_cache_put(&s->stacks, known, hash, *out + 1);
	return true;
}

/* ---- a sample ---- */

static bool
read_values(struct samples *s, const struct proto_field *f, size_t *n_values)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t value;

	while (proto_number(&n, &value)) {
		if (*n_values < s->metric.n)
			s->value.at[*n_values] = (int64_t)value;
		(*n_values)++;
	}
	return !n.c.bad;
}

/* A label as it stands: in front of it a tag and the length in five bytes. */
static void
keep_label(struct samples *s, const struct proto_field *f)
{
	uint8_t head[6] = {PPROF_SAMPLE_LABEL << 3 | PROTO_BYTES};

	for (unsigned i = 0; i < 5; i++)
		head[1 + i] = (uint8_t)((f->len >> 7 * i & 0x7F) | (i < 4 ? 0x80 : 0));
	buf_add(&s->raw, head, sizeof head);
	buf_add(&s->raw, f->at, f->len);
}

/* One field of them is kept for stack_of(); of several, which no writer of today makes, the
 * numbers. */
static bool
take_locations(struct samples *s, const struct proto_field *f)
{
	bool good = true;

	if (f->type == PROTO_BYTES && f->len && !s->packed.at && !s->location.n) {
		s->packed = *f;
		return true;
	}
	if (s->packed.at)
		good = read_locations(s, &s->packed);
	s->packed.at = NULL;
	return read_locations(s, f) && good;
}

static bool
take_apart(struct samples *s, const struct proto_field *sample, size_t *n_values)
{
	struct proto p = proto_inside(sample);
	struct proto_field f;
	bool good = true;

	s->location.n = *n_values = 0;
	s->packed.at = NULL;
	buf_reset(&s->raw);
	while (proto_next(&p, &f)) {
		if (f.number == PPROF_SAMPLE_LOCATION)
			good = take_locations(s, &f) && good;
		else if (f.number == PPROF_SAMPLE_VALUE)
			good = read_values(s, &f, n_values) && good;
		else if (f.number == PPROF_SAMPLE_LABEL && f.type == PROTO_BYTES)
			keep_label(s, &f);
	}
	return good && !p.c.bad;
}

static struct series *
series_of(struct samples *s, struct pprof_label_set set, unsigned part)
{
	bool labelled = set.set != LABELS_NONE;
	size_t at = ((size_t)set.track * 2 + labelled) * s->parts + part;
	size_t from = part * (size_t)SERIES_METRICS, n = s->metric.n - from;

	while (s->series.n <= at)
		*vec_push(&s->series) = NULL;
	if (!s->series.at[at]) {
		struct series *new = builder_totals(
			s->b, s->labels.track.at[set.track], s->metric.at + from,
			(unsigned)(n < SERIES_METRICS ? n : SERIES_METRICS));
		if (labelled)
			builder_labelled(s->b, new);
		s->series.at[at] = new;
	}
	return s->series.at[at];
}

static bool
add_values(struct samples *s, struct pprof_label_set set, stack_id stack, uint64_t offset)
{
	for (size_t i = 0; i < s->metric.n; i++)
		if (__builtin_mul_overflow(s->value.at[i], s->factor.at[i], &s->value.at[i]))
			return err_damage(s->e, offset, "a value passes 2^63");
	for (unsigned part = 0; part < s->parts; part++) {
		struct series *series = series_of(s, set, part);
		if (set.set != LABELS_NONE)
			builder_next_labels(s->b, series, set.set);
		if (!builder_total(s->b, series, stack,
				   s->value.at + part * (size_t)SERIES_METRICS, offset, s->e))
			return false;
	}
	return true;
}

static bool
add_sample(struct samples *s, const struct proto_field *f, uint64_t offset)
{
	size_t n_values;

	stack_id stack = STACK_EMPTY;
	bool good = take_apart(s, f, &n_values);

	if (good && n_values > s->metric.n) {
		s->too_many++;
		return true;
	}
	if (!good || !stack_of(s, &stack)) {
		err_damage(s->e, offset, "a sample that is malformed");
		return true;
	}
	for (size_t i = n_values; i < s->metric.n; i++)
		s->value.at[i] = 0;
	struct pprof_label_set set = pprof_labels_of(&s->labels, s->raw.at, s->raw.len);
	builder_track_event(s->b, s->labels.track.at[set.track]);
	return stack == STACK_EMPTY || add_values(s, set, stack, offset);
}

/* ---- all of them ---- */

static bool
read_all(struct samples *s, struct input *in)
{
	struct proto_field f;
	struct err ends;
	uint64_t offset;
	bool good = true;

	/* What ends the message has been told by the first pass. */
	err_init(&ends);
	while (good && input_offset(in) < s->t->end &&
	       proto_next_of_input(in, &f, &offset, &ends))
		if (f.number == PPROF_SAMPLE)
			good = add_sample(s, &f, offset);
	return good && !err_is_set(s->e);
}

bool
pprof_samples_read(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct samples s = {.t = t, .b = t->b, .e = e};
	bool good = true;

	declare_metrics(&s);
	pprof_labels_init(&s.labels, t->b, t);
	pprof_labels_keys(&s.labels);
	good = input_seek(in, 0) ? read_all(&s, in)
				 : err_damage(e, 0, "the file cannot be read again");
	t->ids_missing += s.locations_missing;
	if (s.too_many)
		builder_warn(s.b, "%" PRIu64 " samples have more values than there are types, skipped",
			     s.too_many);
	pprof_labels_release(&s.labels);
	vec_release(&s.metric);
	vec_release(&s.factor);
	vec_release(&s.series);
	vec_release(&s.shared);
	vec_release(&s.location);
	buf_release(&s.before);
	vec_release(&s.frame);
	vec_release(&s.each);
	text_cache_release(&s.stacks);
	vec_release(&s.value);
	buf_release(&s.raw);
	return good;
}
