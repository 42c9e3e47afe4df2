/* The second pass over a pprof message: its samples.
 *
 * Writers add up equal samples, so nearly every sample has a stack of its own. But neighbours share
 * most of their stacks, since writers walk a tree or a sorted table. So a sample costs the bytes of
 * its locations, and look-ups only for those that it does not share with the previous one, counted
 * from the root. Values go to totals: the format has no time. If several samples have the same
 * stack, because of their labels or without a reason, the bytes of the locations in the file find
 * the stack.
 *
 * Each of these look-ups waits for memory: the slot of the bytes, that of a new stack, the sums of
 * the stack. So several samples of the window are parsed ahead, and their memory is prefetched
 * before the first is written. Samples are written completely and in order, so that nothing after
 * damage is in the profile. If a stack is new, the next sample is parsed between finding where the
 * stack branches off and making it.
 *
 * A series has labels or none. Samples without labels go to one without, so that files without
 * labels pay nothing; a track gets each kind at its first use. A series has a limited number of
 * metrics: files with more types have several side by side. */
#include "src/decode/pprof/pprof_samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/pprof/pprof_ahead.h"
#include "src/decode/pprof/pprof_labels.h"
#include "src/decode/pprof/pprof_types.h"

#define SERIES_METRICS (SERIES_METRICS_MAX - 1u)

/* One location of the previous sample, and the stack that ends with it. */
struct shared {
	uint32_t location;
	uint32_t depth; /* in frames */
	stack_id stack;
};

/* The stack under construction, and that of the sample before, whose callers most share. */
struct pprof_path {
	VEC(struct shared) shared; /* root first */
	VEC(frame_id) frame;       /* the frames that are not shared, root first */
	VEC(stack_id) each;        /* the stacks that end with those */
	struct buf before;         /* the bytes of all locations of `shared`; empty: not known */
	VEC(uint32_t) location;    /* of the current sample, leaf first */
	size_t tail;               /* locations behind them, which are shared */
	size_t known;    /* number of elements of `shared` that the sample has, too */
	stack_id branch; /* the stack that ends with the last of them */
	uint32_t depth;  /* its number of frames */
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
	struct pprof_path path;
	struct text_cache stacks;    /* a packed field's bytes -> stack + 1 */
	VEC(int64_t) value;
	struct pprof_ahead ahead[PPROF_AHEAD];
	VEC(int64_t) values;         /* of each of those */
	struct buf raw;              /* the labels of the current sample */
	uint64_t too_many;
};

/* ---- metrics ---- */

/* The metrics of types, and the number of types for each. */
struct taken {
	struct idmap names;   /* number of types by name: 2 for two or more */
	struct idmap metrics; /* metric of a type -> number of types that asked for it */
};

static void
count_names(struct taken *x, struct pprof_tables *t)
{
	for (size_t i = 0; i < t->type.n; i++) {
		name_id name = pprof_string(t, t->type.at[i].name);
		idmap_put(&x->names, name, idmap_get(&x->names, name) == IDMAP_NONE ? 1 : 2);
	}
}

/* Makes a metric that no type before has: types with equal names and units get one each. */
static metric_id
own_metric(struct samples *s, struct taken *x, metric_id m, struct name type, struct name unit)
{
	uint32_t again = idmap_get(&x->metrics, m);
	struct buf name = BUF_INIT;
	metric_id first = m;
	int64_t factor;
	enum unit is;

	while (idmap_get(&x->metrics, m) != IDMAP_NONE) {
		buf_reset(&name);
		buf_addf(&name, "%.*s (%.*s) (%" PRIu32 ")", (int)type.len, type.at,
			 (int)unit.len, unit.at, ++again);
		pprof_unit(unit, &is, &factor);
		m = builder_metric(s->b, buf_str(&name), is, ROLE_VALUE);
	}
	if (m != first)
		idmap_put(&x->metrics, first, again);
	idmap_put(&x->metrics, m, 1);
	buf_release(&name);
	return m;
}

static void
declare_metrics(struct samples *s)
{
	struct pprof_tables *t = s->t;
	metric_id chosen = METRIC_NONE;
	struct taken taken = {0};

	count_names(&taken, t);
	for (size_t i = 0; i < t->type.n; i++) {
		name_id type = pprof_string(t, t->type.at[i].name);
		struct name name = builder_name_get(s->b, type);
		struct name unit = builder_name_get(s->b, pprof_string(t, t->type.at[i].unit));
		int64_t factor;
		bool again = idmap_get(&taken.names, type) > 1;
		metric_id m = pprof_metric(s->b, name, unit, again, &factor);
		m = own_metric(s, &taken, m, name, unit);
		*vec_push(&s->metric) = m;
		*vec_push(&s->factor) = factor;
		if (t->about.default_type && chosen == METRIC_NONE &&
		    type == pprof_string(t, t->about.default_type))
			chosen = m;
	}
	idmap_release_all(&taken.names, &taken.metrics);
	if (chosen == METRIC_NONE && s->metric.n)
		chosen = s->metric.at[s->metric.n - 1];
	if (chosen != METRIC_NONE)
		builder_default_metric(s->b, chosen);
	s->parts = (unsigned)((s->metric.n + SERIES_METRICS - 1) / SERIES_METRICS);
	vec_reserve(&s->value, s->metric.n + 1);
	vec_reserve(&s->values, s->metric.n * PPROF_AHEAD + 1);
}

/* ---- stacks ---- */

/* Adds the frames of a location, which are innermost first, behind those above it. */
static void
push_location(struct pprof_tables *t, struct pprof_path *p, uint32_t location)
{
	uint32_t n;
	const frame_id *frame = pprof_location_frames(t, location, &n);

	t->ids_missing += location == IDMAP_NONE;
	while (n--)
		*vec_push(&p->frame) = frame[n];
}

static bool
read_locations(const struct pprof_tables *t, struct pprof_path *p, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t id;

	vec_reserve(&p->location, p->location.n + f->len + 1);
	while (proto_number(&n, &id))
		p->location.at[p->location.n++] = pprof_location_of(t, id);
	return !n.c.bad;
}

/* Reads the locations up to those with which the sample before begins; at least the leaf. */
static bool
read_packed(const struct pprof_tables *t, struct pprof_path *p, const struct proto_field *packed)
{
	const uint8_t *at = packed->at, *before = (const uint8_t *)p->before.at;
	size_t len = packed->len, len_before = p->before.len;
	size_t same = len_before ? pprof_same_numbers(at, len, before, len_before, &p->tail) : 0;
	struct proto_field front = *packed;

	p->location.n = 0;
	p->tail = same ? p->tail : 0;
	front.len = len - same;
	if (!read_locations(t, p, &front))
		return false;
	buf_reset(&p->before);
	buf_add(&p->before, at, len);
	return true;
}

/* Finds where the stack of the locations branches off from that of the sample before, and the
 * frames from there on. A leaf has an address, which it would not have as a caller. */
static void
locate(struct pprof_tables *t, struct pprof_path *p)
{
	size_t n = p->location.n + p->tail, known = p->tail;

	while (known + 1 < n && known < p->shared.n &&
	       p->shared.at[known].location == p->location.at[n - 1 - known])
		known++;
	p->known = p->shared.n = known;
	p->branch = known ? p->shared.at[known - 1].stack : STACK_EMPTY;
	p->depth = known ? p->shared.at[known - 1].depth : 0;
	p->frame.n = 0;
	for (size_t i = known; i < n && p->frame.n <= STACK_DEPTH_MAX; i++) {
		uint32_t location = p->location.at[n - 1 - i];
		push_location(t, p, location);
		if (i + 1 == n)
			p->frame.at[p->frame.n - 1] = pprof_location_leaf(t, location);
		else
			*vec_push(&p->shared) = (struct shared){
				location, p->depth + (uint32_t)p->frame.n, p->branch};
	}
	vec_reserve(&p->each, p->frame.n);
}

/* Returns the stack that was located. */
static stack_id
make_stack(struct builder *b, struct pprof_path *p)
{
	stack_id whole = p->depth + p->frame.n > STACK_DEPTH_MAX
				 ? builder_too_deep(b)
				 : builder_path(b, p->branch, p->frame.at, p->frame.n, p->each.at);

	if (whole == STACK_NONE) {
		p->shared.n = p->known;
		buf_reset(&p->before);
	}
	for (size_t i = p->known; i < p->shared.n; i++)
		if (p->shared.at[i].depth > p->depth) /* else only missing locations so far */
			p->shared.at[i].stack = p->each.at[p->shared.at[i].depth - p->depth - 1];
	return whole;
}

/* ---- a sample ---- */

static bool
pprof_samples_read_values(struct samples *s, const struct proto_field *f, size_t *n_values)
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

/* Keeps a label in the usual encoding: the tag, and a length in as few bytes as possible. */
static void
keep_label(struct samples *s, const struct proto_field *f)
{
	uint8_t head[11] = {PPROF_SAMPLE_LABEL << 3 | PROTO_BYTES};
	size_t n = 1;

	for (size_t len = f->len; n == 1 || len; len >>= 7)
		head[n++] = (uint8_t)((len & 0x7F) | (len > 0x7F ? 0x80 : 0));
	buf_add(&s->raw, head, n);
	buf_add(&s->raw, f->at, f->len);
}

/* Reads a sample of any other form than nearly all have. */
static bool
take_apart(struct samples *s, const struct proto_field *sample, size_t *n_values)
{
	static const struct proto_types types = {
		.lists = PROTO_BITS(PPROF_SAMPLE_LOCATION, PPROF_SAMPLE_VALUE),
		.bytes = PROTO_BIT(PPROF_SAMPLE_LABEL),
	};
	struct proto p = proto_inside(sample);
	struct proto_field f;
	bool good = true;

	s->path.location.n = *n_values = 0;
	buf_reset(&s->raw);
	while (proto_next_of(&p, &types, &f)) {
		if (f.number == PPROF_SAMPLE_LOCATION)
			good = read_locations(s->t, &s->path, &f) && good;
		else if (f.number == PPROF_SAMPLE_VALUE)
			good = pprof_samples_read_values(s, &f, n_values) && good;
		else if (f.number == PPROF_SAMPLE_LABEL)
			keep_label(s, &f);
	}
	return good && !p.c.bad;
}

static struct series **
series_place(struct samples *s, struct pprof_label_set set, unsigned part)
{
	size_t at = ((size_t)set.track * 2 + (set.set != LABELS_NONE)) * s->parts + part;

	while (s->series.n <= at)
		*vec_push(&s->series) = NULL;
	return &s->series.at[at];
}

static struct series *
pprof_series_of(struct samples *s, struct pprof_label_set set, unsigned part)
{
	struct series **known = series_place(s, set, part);
	size_t from = part * (size_t)SERIES_METRICS, n = s->metric.n - from;

	if (!*known) {
		*known = builder_totals(s->b, s->labels.track.at[set.track], s->metric.at + from,
					(unsigned)(n < SERIES_METRICS ? n : SERIES_METRICS));
		if (set.set != LABELS_NONE)
			builder_labelled(s->b, *known);
	}
	return *known;
}

static bool
add_values(struct samples *s, int64_t *value, struct pprof_label_set set, stack_id stack,
	   uint64_t offset)
{
	for (size_t i = 0; i < s->metric.n; i++)
		if (__builtin_mul_overflow(value[i], s->factor.at[i], &value[i]))
			return err_damage(s->e, offset, "a value exceeds 2^63");
	for (unsigned part = 0; part < s->parts; part++) {
		struct series *series = pprof_series_of(s, set, part);
		if (set.set != LABELS_NONE)
			builder_next_labels(s->b, series, set.set);
		if (!builder_total(s->b, series, stack, value + part * (size_t)SERIES_METRICS,
				   offset, s->e))
			return false;
	}
	return true;
}

/* Adds a sample with this stack, and these values and labels. */
static bool
pprof_add_sample(struct samples *s, int64_t *value, const void *labels, size_t labels_len,
		 stack_id stack, uint64_t offset)
{
	struct pprof_label_set set = pprof_labels_of(&s->labels, labels, labels_len);

	builder_track_event(s->b, s->labels.track.at[set.track]);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(s->b, 1);
	return add_values(s, value, set, stack, offset);
}

/* ---- stacks that were seen before ---- */

/* Caches the stack of these bytes.  Returns true if the cache was emptied, so that all may be
 * new again. */
static bool
remember(struct samples *s, struct hash128 hash, stack_id stack)
{
	uint32_t used = s->stacks.used;

	if (stack == STACK_NONE)
		return false;
	text_cache_put_late(&s->stacks, hash, stack + 1);
	return s->stacks.used < used;
}

static bool
add_other(struct samples *s, const struct pprof_ahead *a)
{
	size_t n_values;

	if (!take_apart(s, &a->field, &n_values)) {
		err_damage(s->e, a->offset, "a malformed sample");
		return true;
	}
	if (n_values > s->metric.n) {
		s->too_many++;
		return true;
	}
	for (size_t i = n_values; i < s->metric.n; i++)
		s->value.at[i] = 0;
	s->path.tail = 0;
	buf_reset(&s->path.before);
	locate(s->t, &s->path);
	return pprof_add_sample(s, s->value.at, s->raw.at, s->raw.len, make_stack(s->b, &s->path),
			  a->offset);
}

/* ---- some at a time ---- */

/* Prefetches memory that is certainly not in a cache: the slots of stacks, then their sums. */
static void
ask(struct samples *s, struct pprof_ahead *first, struct pprof_ahead *end)
{
	struct pprof_label_set set;

	for (struct pprof_ahead *a = first; a < end; a++) {
		a->stack = STACK_EMPTY;
		a->asked = a->plain && !text_cache_rests(&s->stacks);
		if (!a->asked)
			continue;
		a->hash = hash128(a->locations.at, a->locations.len);
		text_cache_prefetch(&s->stacks, a->hash);
	}
	for (struct pprof_ahead *a = first; a < end; a++) {
		uint32_t known = a->asked ? *text_cache_find(&s->stacks, a->hash) : 0;
		if (!known)
			continue;
		a->stack = known - 1;
		if (!pprof_labels_known(&s->labels, a->labels, a->labels_len, &set))
			continue;
		struct series *series = *series_place(s, set, 0);
		if (series)
			builder_total_soon(series, a->stack);
	}
}

/* Returns true if the sample's stack is new. An earlier sample may have made it since the first
 * look-up. */
static bool
is_new(struct samples *s, struct pprof_ahead *a)
{
	if (!a->plain || a->stack != STACK_EMPTY)
		return false;
	if (a->asked && !a->parsed)
		a->stack = text_cache_again(&s->stacks, a->hash);
	a->stack -= a->stack != STACK_EMPTY;
	return a->stack == STACK_EMPTY;
}

/* Reads the locations of a sample whose stack is new: once, and in order. */
static void
parse(struct samples *s, struct pprof_ahead *a)
{
	a->good = read_packed(s->t, &s->path, &a->locations);
	a->parsed = true;
}

static void
locate_ahead(struct samples *s, struct pprof_ahead *a)
{
	locate(s->t, &s->path);
	a->located = true;
	if (s->path.frame.n)
		builder_child_soon(s->b, s->path.branch, s->path.frame.at[0]);
}

static bool
are_same(const struct pprof_ahead *a, const struct pprof_ahead *b)
{
	return a->asked && b->asked && a->hash.low == b->hash.low && a->hash.high == b->hash.high;
}

/* Finds the stack of the current sample; the samples up to `end` follow it.  Returns false if
 * the locations are malformed. */
static bool
pprof_samples_stack_of(struct samples *s, struct pprof_ahead *a, struct pprof_ahead *end,
		       stack_id *out)
{
	struct pprof_ahead *next = a + 1;

	if (!is_new(s, a)) {
		*out = a->stack;
		return true;
	}
	if (!a->parsed)
		parse(s, a);
	if (!a->good)
		return false;
	if (!a->located)
		locate_ahead(s, a);
	if (next < end && !are_same(a, next) && is_new(s, next))
		parse(s, next);
	*out = make_stack(s->b, &s->path);
	if (a->asked && remember(s, a->hash, *out))
		ask(s, next, end);
	return true;
}

static bool
add_ahead(struct samples *s, size_t n)
{
	struct pprof_ahead *end = s->ahead + n;
	int64_t *value = s->values.at;
	stack_id stack;

	for (struct pprof_ahead *a = s->ahead; a < end; a++, value += s->metric.n)
		pprof_ahead_look(a, value, s->metric.n);
	ask(s, s->ahead, end);
	value = s->values.at;
	for (struct pprof_ahead *a = s->ahead; a < end; a++, value += s->metric.n) {
		if (!a->plain) {
			if (!add_other(s, a))
				return false;
			continue;
		}
		if (!pprof_samples_stack_of(s, a, end, &stack)) {
			err_damage(s->e, a->offset, "a malformed sample");
			continue;
		}
		if (!pprof_add_sample(s, value, a->labels, a->labels_len, stack, a->offset))
			return false;
		if (a + 1 < end && a[1].parsed && a[1].good)
			locate_ahead(s, a + 1);
	}
	return true;
}

/* ---- all of them ---- */

static bool
read_all(struct samples *s, struct input *in)
{
	struct proto_field f;
	struct err ends = {0};
	uint64_t offset;
	bool any, good = true;

	/* the first pass has already reported why the message ends */
	while (good && input_offset(in) < s->t->end) {
		size_t n = pprof_ahead_gather(in, s->t->end, s->ahead, &any);
		if (any) {
			good = add_ahead(s, n);
			continue;
		}
		if (!proto_next_of_input(in, &f, &offset, &ends))
			break;
		s->ahead[0] = (struct pprof_ahead){.field = f, .offset = offset};
		if (f.number == PPROF_SAMPLE)
			good = add_ahead(s, 1);
	}
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
				 : err_damage(e, 0, "the input cannot be read twice");
	builder_warn_count(s.b, s.too_many, "samples have more values than there are types, "
			   "skipped");
	pprof_labels_release(&s.labels);
	vec_release_all(&s.metric, &s.factor, &s.series, &s.path.shared, &s.path.location,
			&s.path.frame, &s.path.each);
	buf_release(&s.path.before);
	text_cache_release(&s.stacks);
	vec_release_all(&s.value, &s.values);
	buf_release(&s.raw);
	return good;
}
