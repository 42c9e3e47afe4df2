/* The second pass over a pprof message: its samples.
 *
 * Writers add up equal samples, so nearly every sample has a stack of its own. But neighbours share
 * most of their stacks, since writers walk a tree or a sorted table. So a sample costs the bytes of
 * its locations, and look-ups only for those that it does not share with the previous one, counted
 * from the root. Values go to totals: the format has no time. If several samples have the same
 * stack, because of their labels or without a reason, the bytes of the locations in the file find
 * the stack (stack_queue.h).
 *
 * A series has labels or none. Samples without labels go to one without, so that files without
 * labels pay nothing; a track gets each kind at its first use. A series has a limited number of
 * metrics: files with more types have several side by side. */
#include "src/decode/pprof/pprof_samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/stack_queue.h"
#include "src/decode/pprof/pprof_ahead.h"
#include "src/decode/pprof/pprof_labels.h"
#include "src/decode/pprof/pprof_types.h"

#define SERIES_METRICS (SERIES_METRICS_MAX - 1u)

/* One location of the previous sample. */
struct shared {
	uint32_t location;
	uint32_t depth; /* number of frames up to it */
};

/* The path of a sample, and that of the sample before, whose callers most share. */
struct pprof_path {
	VEC(struct shared) shared; /* root first */
	VEC(frame_id) frame;       /* the frames that are not shared, root first */
	struct buf before;         /* the bytes of all locations of `shared`; empty: not known */
	VEC(uint32_t) location;    /* of the current sample, leaf first */
	size_t tail;               /* locations behind them, which are shared */
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
	struct stack_queue queue;
	struct pprof_ahead ahead[STACK_QUEUE];
	VEC(int64_t) values; /* of each of those */
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
	vec_reserve(&s->values, s->metric.n * STACK_QUEUE + 1);
}

/* ---- stacks ---- */

/* Adds the frames of a location, which are innermost first, behind those above it. */
static void
push_location(struct pprof_tables *t, struct pprof_path *p, uint32_t location)
{
	uint32_t n;
	const frame_id *frame = pprof_location_frames(t, location, &n);

	while (n--)
		*vec_push(&p->frame) = frame[n];
}

static bool
read_locations(struct pprof_tables *t, struct pprof_path *p, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t id;

	vec_reserve(&p->location, p->location.n + f->len + 1);
	while (proto_number(&n, &id)) {
		uint32_t location = pprof_location_of(t, id), known;
		t->ids_missing += location == IDMAP_NONE && idmap_add(&t->missing, id, 1, &known);
		p->location.at[p->location.n++] = location;
	}
	return !n.c.bad;
}

/* Reads the locations up to those with which the sample before begins; at least the leaf. */
static bool
read_packed(struct pprof_tables *t, struct pprof_path *p, const struct proto_field *packed)
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

/* The next sample shares nothing with that before it. */
static void
forget_path(struct pprof_path *p)
{
	p->shared.n = p->tail = 0;
	buf_reset(&p->before);
}

/* Gives the path of the locations: the part that it shares with the sample before, and the frames
 * after that. A leaf has an address, which it would not have as a caller. */
static void
give_path(struct samples *s)
{
	struct pprof_path *p = &s->path;
	size_t n = p->location.n + p->tail, known = p->tail;

	while (known + 1 < n && known < p->shared.n &&
	       p->shared.at[known].location == p->location.at[n - 1 - known])
		known++;
	uint32_t depth = known ? p->shared.at[known - 1].depth : 0;
	p->shared.n = known;
	p->frame.n = 0;
	size_t i;
	for (i = known; i < n && p->frame.n <= STACK_DEPTH_MAX; i++) {
		uint32_t location = p->location.at[n - 1 - i];
		push_location(s->t, p, location);
		if (i + 1 == n)
			p->frame.at[p->frame.n - 1] = pprof_location_leaf(s->t, location);
		else
			*vec_push(&p->shared) =
				(struct shared){location, depth + (uint32_t)p->frame.n};
	}
	if (i < n) /* too deep: `before` has locations that `shared` lacks */
		forget_path(p);
	stack_queue_path(&s->queue, depth, p->frame.at, p->frame.n);
}

/* ---- a sample ---- */

static bool
pprof_samples_read_values(struct samples *s, const struct proto_field *f, size_t *n_values)
{
	int64_t *to = s->values.at;
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t value;

	while (proto_number(&n, &value)) {
		if (*n_values < s->metric.n)
			to[*n_values] = (int64_t)value;
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

/* Reads a sample of any other form than nearly all have: its locations, the values of item 0, and
 * its labels. */
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

/* Adds a sample with this stack and these values. */
static bool
pprof_add_sample(struct samples *s, const struct pprof_ahead *a, int64_t *value, stack_id stack)
{
	struct pprof_label_set set = a->placed ? a->set
					       : pprof_labels_of(&s->labels, a->labels,
								 a->labels_len);

	builder_track_event(s->b, s->labels.track.at[set.track]);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(s->b, 1);
	return add_values(s, value, set, stack, a->offset);
}

/* ---- what the queue asks for ---- */

static bool
pprof_path(void *owner, uint32_t i)
{
	struct samples *s = owner;
	struct pprof_ahead *a = &s->ahead[i];

	a->bad = a->plain && !read_packed(s->t, &s->path, &a->locations);
	if (a->bad)
		forget_path(&s->path);
	else
		give_path(s);
	return !a->bad;
}

static void
pprof_soon(void *owner, uint32_t i, stack_id stack)
{
	struct samples *s = owner;
	struct pprof_ahead *a = &s->ahead[i];

	a->placed = pprof_labels_known(&s->labels, a->labels, a->labels_len, &a->set);
	for (unsigned part = 0; a->placed && part < s->parts; part++) {
		const struct series *series = *series_place(s, a->set, part);
		if (series)
			builder_total_soon(series, stack);
	}
}

static bool
pprof_take(void *owner, uint32_t i, stack_id stack)
{
	struct samples *s = owner;
	const struct pprof_ahead *a = &s->ahead[i];

	if (a->bad) {
		err_damage(s->e, a->offset, "a malformed sample");
		return true;
	}
	return pprof_add_sample(s, a, s->values.at + i * s->metric.n, stack);
}

static const struct stack_queue_ops pprof_ops = {
	.path = pprof_path, .soon = pprof_soon, .take = pprof_take};

/* ---- all of them ---- */

/* Takes a sample that is not plain, alone: there is one buffer for its parts. */
static bool
add_other(struct samples *s, struct pprof_ahead other)
{
	size_t n_values;

	if (!stack_queue_flush(&s->queue))
		return false;
	forget_path(&s->path);
	if (!take_apart(s, &other.field, &n_values)) {
		err_damage(s->e, other.offset, "a malformed sample");
		return true;
	}
	if (n_values > s->metric.n) {
		s->too_many++;
		return true;
	}
	for (size_t i = n_values; i < s->metric.n; i++)
		s->values.at[i] = 0;
	other.labels = s->raw.at;
	other.labels_len = s->raw.len;
	s->ahead[0] = other;
	return stack_queue_add(&s->queue, NULL, 0, 0) && stack_queue_flush(&s->queue);
}

static bool
pprof_add_field(struct samples *s, const struct proto_field *f, uint64_t offset)
{
	uint32_t i = stack_queue_next(&s->queue);
	struct pprof_ahead *a = &s->ahead[i];

	if (f->number != PPROF_SAMPLE)
		return true;
	*a = (struct pprof_ahead){.field = *f, .offset = offset};
	pprof_ahead_look(a, s->values.at + i * s->metric.n, s->metric.n);
	if (!a->plain)
		return add_other(s, *a);
	return stack_queue_add(&s->queue, a->locations.at, a->locations.len, 0);
}

/* Reads the fields that are completely in the window. */
static bool
read_window(struct samples *s, struct input *in)
{
	uint64_t offset;
	size_t have;
	const uint8_t *at = input_window(in, &have, &offset);
	struct cursor c = cursor_over(at, have);
	struct proto_field f;
	bool good = true;

	while (good && offset + (uint64_t)(c.at - at) < s->t->end) {
		uint64_t from = offset + (uint64_t)(c.at - at);
		if (!proto_take_plain(&c, &f))
			break;
		good = pprof_add_field(s, &f, from);
	}
	good = good && stack_queue_flush(&s->queue);
	input_skip(in, (size_t)(c.at - at));
	return good;
}

static bool
read_all(struct samples *s, struct input *in)
{
	struct proto_field f;
	struct err ends = {0};
	uint64_t offset;
	bool good = true;

	/* the first pass has already reported why the message ends */
	while (good && input_offset(in) < s->t->end) {
		uint64_t before = input_offset(in);
		good = read_window(s, in);
		if (!good || input_offset(in) > before)
			continue;
		if (!proto_next_of_input(in, &f, &offset, &ends))
			break;
		good = pprof_add_field(s, &f, offset) && stack_queue_flush(&s->queue);
	}
	return good && !err_is_set(s->e);
}

bool
pprof_samples_read(struct pprof_tables *t, struct input *in, struct err *e)
{
	struct samples s = {.t = t, .b = t->b, .e = e};
	bool good = true;

	s.queue = (struct stack_queue){.b = t->b, .ops = &pprof_ops, .owner = &s};
	declare_metrics(&s);
	pprof_labels_init(&s.labels, t->b, t);
	pprof_labels_keys(&s.labels);
	good = input_seek(in, 0) ? read_all(&s, in)
				 : err_damage(e, 0, "the input cannot be read twice");
	builder_warn_count(s.b, s.too_many,
			   "sample has more values than there are types, skipped",
			   "samples have more values than there are types, skipped");
	pprof_labels_release(&s.labels);
	vec_release_all(&s.metric, &s.factor, &s.series, &s.path.shared, &s.path.location,
			&s.path.frame, &s.values);
	buf_release_all(&s.path.before, &s.raw);
	stack_queue_release(&s.queue);
	return good;
}
