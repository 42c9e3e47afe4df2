/* Resources, scopes, profiles, samples. A profile is one metric, that of its type. A sample is a
 * stack at some times, each with a value or with one event, or a sum without a time.
 *
 * Attributes of thread and process give a sample its track; the others are labels. Attributes of a
 * resource are labels of all its samples. */
#include "src/decode/otlp/otlp_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/pprof/pprof_types.h"
#include "src/input/hash.h"

#define NANOS_MAX (INT64_MAX / 2)
#define BREATHE 1024u /* samples */

/* How profiles.proto has the fields of what is read here.  Of a profile, that is its first two:
 * the numbers of the others, which are shown and nothing more, have moved between versions. */
static const struct proto_types sample_types = {
	.numbers = PROTO_BIT(1), .lists = PROTO_BITS(2, 4), .fixed_lists = PROTO_BIT(5)};
static const struct proto_types profile_types = {.bytes = PROTO_BITS(1, 2)};
static const struct proto_types scopes_types = {.bytes = PROTO_BITS(1, 2)};

struct value_type {
	name_id type, unit;
};

/* ---- the schema: profiles.proto ---- */

static const struct proto_row value_type_rows[] = {
	[1] = {"type_strindex", FIELD_INDEX(struct value_type, type)},
	[2] = {"unit_strindex", FIELD_INDEX(struct value_type, unit)},
};
/* Numbers as they were before August 2026 are known by their layout alone. */
static const struct proto_row sample_rows[] = {
	[1] = {"stack_index", FIELD_UNREAD(PROTO_VARINT)},
	[2] = {"attribute_indices", FIELD_NUMBERS(PROTO_VARINT, NULL)},
	[3] = {"link_index", FIELD_UNREAD(PROTO_VARINT)},
	[4] = {"values", FIELD_NUMBERS(PROTO_VARINT, NULL)},
	[5] = {"timestamps_unix_nano", FIELD_NUMBERS(PROTO_FIXED64, NULL)},
};
static const struct proto_table value_type_table = PROTO_TABLE("ValueType", value_type_rows);
static const struct proto_table sample_table = PROTO_TABLE("Sample", sample_rows);
static const struct proto_row profile_rows[] = {
	[1] = {"sample_type", FIELD_UNREAD(PROTO_BYTES), .inner = &value_type_table},
	[2] = {"samples", FIELD_UNREAD(PROTO_BYTES), .inner = &sample_table},
	[3] = {"time_unix_nano", FIELD_UNREAD(PROTO_FIXED64)},
	[4] = {"duration_nano", FIELD_UNREAD(PROTO_VARINT)},
	[5] = {"period_type", FIELD_UNREAD(PROTO_BYTES), .inner = &value_type_table},
	[6] = {"period", FIELD_UNREAD(PROTO_VARINT)},
	[10] = {"original_payload", FIELD_UNREAD(PROTO_BYTES)},
};
static const struct proto_row scope_rows[] = {[1] = {"name", FIELD_UNREAD(PROTO_BYTES)}};
static const struct proto_row resource_rows[] = {
	[1] = {"attributes", FIELD_VEC(struct otlp, resource, &otlp_key_value_table), .keep = true},
};
static const struct proto_table profile_table = PROTO_TABLE("Profile", profile_rows);
static const struct proto_table scope_table = PROTO_TABLE("InstrumentationScope", scope_rows);
static const struct proto_table resource_table = PROTO_TABLE("Resource", resource_rows);
static const struct proto_row scope_profiles_rows[] = {
	[1] = {"scope", FIELD_UNREAD(PROTO_BYTES), .inner = &scope_table},
	[2] = {"profiles", FIELD_UNREAD(PROTO_BYTES), .inner = &profile_table},
};
static const struct proto_table scope_profiles_table =
	PROTO_TABLE("ScopeProfiles", scope_profiles_rows);
static const struct proto_row resource_profiles_rows[] = {
	[1] = {"resource", FIELD_UNREAD(PROTO_BYTES), .inner = &resource_table},
	[2] = {"scope_profiles", FIELD_UNREAD(PROTO_BYTES), .inner = &scope_profiles_table},
};
static const struct proto_table resource_profiles_table =
	PROTO_TABLE("ResourceProfiles", resource_profiles_rows);
static const struct proto_row data_rows[] = {
	[1] = {"resource_profiles", FIELD_UNREAD(PROTO_BYTES), .inner = &resource_profiles_table},
	[2] = {"dictionary", FIELD_UNREAD(PROTO_BYTES), .inner = &otlp_dictionary_table},
};
const struct proto_table otlp_data_table = PROTO_TABLE("ProfilesData", data_rows);

/* ---- the layout ---- */

/* The vote of a sample about the layout: several numbers in field 3 are attributes, in field 4
 * values.  A single number is the link if other numbers are packed, and proves nothing if none
 * are. */
static int
vote(struct proto_field sample)
{
	struct proto p = proto_inside(&sample);
	unsigned single[5] = {0}, packed[6] = {0};
	struct proto_field f;

	while (proto_next(&p, &f)) {
		if (f.type == PROTO_BYTES && f.number <= 5)
			packed[f.number]++;
		else if (f.number == 3 || f.number == 4)
			single[f.number]++;
	}
	if (packed[3] || packed[4])
		return (packed[3] != 0) - (packed[4] != 0);
	if (packed[2] || packed[5])
		return (single[4] == 1) - (single[3] == 1);
	return (single[3] > 1) - (single[4] > 1);
}

/* A lead of this many votes decides: a file has one writer, and reading a large file twice
 * would take a quarter of the time. */
#define LEAD 4096

void
otlp_vote(const struct proto_field *resource, int *votes)
{
	struct proto_field g, h, s;

	for (struct proto r = proto_inside(resource); abs(*votes) < LEAD && proto_next(&r, &g);)
		for (struct proto t = proto_inside(&g); g.number == 2 && proto_next(&t, &h);)
			for (struct proto u = proto_inside(&h);
			     h.number == 2 && abs(*votes) < LEAD && proto_next(&u, &s);)
				*votes += s.number == 2 ? vote(s) : 0;
}

/* ---- tracks ---- */

/* Those that make tracks. */
enum owner { OWNER_NONE, THREAD_NAME, THREAD_ID, PROCESS_NAME, PROCESS_PID, OWNERS };

static enum owner
owner_of(struct otlp *d, name_id key)
{
	static const char *const keys[OWNERS] = {
		[THREAD_NAME] = "thread.name",
		[THREAD_ID] = "thread.id",
		[PROCESS_NAME] = "process.executable.name",
		[PROCESS_PID] = "process.pid",
	};

	for (int i = THREAD_NAME; i < OWNERS; i++)
		if (otlp_is(d, key, keys[i]))
			return (enum owner)i;
	return OWNER_NONE;
}

static name_id
value_name(struct otlp *d, const struct otlp_attribute *a)
{
	if (!a->is_number)
		return a->text;
	buf_reset(&d->text);
	buf_addf(&d->text, "%" PRId64, a->number);
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

/* Returns `NAME ID`, or the part of it that exists. */
static name_id
joined(struct otlp *d, name_id name, name_id id, const char *word, const char *none)
{
	struct name n = builder_name_get(d->b, name), i = builder_name_get(d->b, id);

	buf_reset(&d->text);
	if (!n.len && !i.len)
		buf_adds(&d->text, none);
	if (n.len)
		buf_add(&d->text, n.at, n.len);
	else if (i.len)
		buf_adds(&d->text, word);
	if (i.len)
		buf_addc(&d->text, ' ');
	buf_add(&d->text, i.at, i.len);
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

static uint32_t
otlp_track_of(struct otlp *d, const name_id owner[OWNERS])
{
	name_id process = joined(d, owner[PROCESS_NAME], owner[PROCESS_PID], "process", "");
	struct cast_track like = {
		.process = process == NAME_EMPTY ? CAST_NONE
						 : cast_process(&d->cast, cast_id_of(process)),
		.thread = CAST_NONE,
		.kind = TRACK_THREAD,
		.name = joined(d, owner[THREAD_NAME], owner[THREAD_ID], "thread", "main"),
	};
	uint32_t track = cast_track(&d->cast, like);

	cast_made(&d->cast, track);
	return track;
}

/* ---- profiles ---- */

struct profile_at {
	metric_id metric;
	int64_t factor;
	struct proto_field sample_type;
	uint64_t time, duration, period;
	struct proto_field period_type;
};

static struct otlp_series *
otlp_series_of(struct otlp *d, uint32_t track, metric_id metric, bool timed)
{
	for (size_t i = 0; i < d->series.n; i++) {
		struct otlp_series *s = &d->series.at[i];
		if (s->track == track && s->metric == metric && s->timed == timed)
			return s;
	}
	track_id t = cast_made(&d->cast, track);
	struct series *made = timed ? builder_samples(d->b, t, &metric, 1)
				    : builder_totals(d->b, t, &metric, 1);
	builder_labelled(d->b, made);
	*vec_push(&d->series) = (struct otlp_series){made, track, metric, timed};
	return &d->series.at[d->series.n - 1];
}

/* Reads attributes: of the resource, then of the sample. */
static struct otlp_said
attributes(struct otlp *d, const struct proto_field *fields, size_t n_fields)
{
	name_id owner[OWNERS] = {NAME_EMPTY};
	label_id id[OTLP_LABELS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < d->resource.n + n_fields; i++) {
		bool own = i >= d->resource.n;
		struct proto_numbers numbers = {0};
		uint64_t at = 0;
		if (own)
			numbers = proto_numbers(&fields[i - d->resource.n], PROTO_VARINT);
		while (!own || proto_number(&numbers, &at)) {
			bool known = !own || at < d->dictionary.attribute.n;
			const struct otlp_attribute *a = !own    ? &d->resource.at[i]
							 : known ? &d->dictionary.attribute.at[at]
								 : NULL;
			d->counts.missing += !known;
			enum owner is_of = a && a->there ? owner_of(d, a->key) : OWNER_NONE;
			if (is_of != OWNER_NONE)
				owner[is_of] = value_name(d, a);
			else if (a && a->there && n < OTLP_LABELS_MAX &&
				 (a->is_number || a->text != NAME_EMPTY))
				id[n++] = a->is_number ? builder_label_number(d->b, a->key,
									      a->number, a->unit)
						       : builder_label_text(d->b, a->key, a->text);
			if (!own)
				break;
		}
	}
	return (struct otlp_said){.track = otlp_track_of(d, owner),
				  .labels = n ? builder_labels(d->b, id, n) : LABELS_NONE};
}

/* Returns the attributes of a sample; most samples of a resource share them with another. */
static struct otlp_said
said_of(struct otlp *d, const struct otlp_sample *s)
{
	const struct proto_field *f = s->attribute.n == 1 ? &s->attribute.at[0] : NULL;
	uint64_t missing = d->counts.missing;

	if (!f || f->type != PROTO_BYTES || !f->len)
		return attributes(d, s->attribute.at, s->attribute.n);
	struct hash128 hash = hash128(f->at, f->len);
	hash.low ^= d->counts.resources * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t *known = text_cache_find(&d->said_by, hash);
	if (*known)
		return d->said.at[*known - 1];
	struct otlp_said said = attributes(d, f, 1);
	if (missing == d->counts.missing) { /* else it is counted each time */
		*vec_push(&d->said) = said;
		text_cache_put(&d->said_by, known, hash, (uint32_t)d->said.n);
	}
	return said;
}

static bool
otlp_put(struct otlp *d, const struct profile_at *p, const struct otlp_sample *s, bool timed,
	 uint64_t time, int64_t value)
{
	struct otlp_series *series = otlp_series_of(d, s->said.track, p->metric, timed);
	stack_id stack = otlp_stack(d, s->stack);

	if (__builtin_mul_overflow(value, p->factor, &value))
		return err_damage(d->err, d->message.offset, "a value exceeds 2^63");
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(d->b, 1);
	builder_next_labels(d->b, series->series, s->said.labels);
	if (!timed)
		builder_track_event(d->b, cast_made(&d->cast, s->said.track));
	return timed ? builder_sample(d->b, series->series, (int64_t)time, stack, &value,
				      d->message.offset, d->err)
		     : builder_total(d->b, series->series, stack, &value, d->message.offset,
				     d->err);
}

static bool
moments(struct otlp *d, const struct profile_at *p, const struct otlp_sample *s)
{
	int64_t sum = 0;

	if (s->value.n && s->value.n != s->time.n && s->time.n)
		builder_warn(d->b, "samples whose numbers of values and times differ");
	for (size_t i = 0; i < s->time.n; i++) {
		int64_t value = !s->value.n ? 1 : i < s->value.n ? s->value.at[i] : 0;
		if (s->time.at[i] > NANOS_MAX)
			builder_warn(d->b, "impossible times, left out");
		else if (!otlp_put(d, p, s, true, s->time.at[i], value))
			return false;
	}
	if (s->time.n)
		return true;
	for (size_t i = 0; i < s->value.n; i++)
		if (__builtin_add_overflow(sum, s->value.at[i], &sum))
			return err_damage(d->err, d->message.offset, "values exceed 2^63");
	return otlp_put(d, p, s, false, 0, sum);
}

static void
take_values(struct otlp_sample *s, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t v;

	while (proto_number(&n, &v))
		*vec_push(&s->value) = (int64_t)v;
}

static void
take_times(struct otlp_sample *s, const struct proto_field *f)
{
	struct proto_numbers n = proto_numbers(f, PROTO_FIXED64);
	uint64_t v;

	while (proto_number(&n, &v))
		*vec_push(&s->time) = v;
}

static inline void
sample_empty(struct otlp_sample *s)
{
	s->stack = 0;
	s->attribute.n = s->value.n = s->time.n = 0;
}

/* Returns the bytes of a field if it is the next one, and short; else none. */
static inline struct proto_field
short_list(struct cursor *c, uint32_t number)
{
	const uint8_t *at = c->at;

	if (cursor_left(c) < 2 || at[0] != (number << 3 | PROTO_BYTES) || at[1] >= 0x80 ||
	    at[1] > cursor_left(c) - 2)
		return (struct proto_field){.type = PROTO_BYTES};
	c->at += 2 + at[1];
	return (struct proto_field){number, PROTO_BYTES, 0, at + 2, at[1]};
}

/* Reads a sample whose fields have the order of their numbers and short packed lists, as nearly all
 * do. */
static bool
sample_plain(struct otlp_sample *s, const struct proto_field *data)
{
	struct cursor c = cursor_over(data->at, data->len);

	sample_empty(s);
	if (data->len && *c.at == (1 << 3 | PROTO_VARINT)) {
		c.at++;
		s->stack = cursor_varint(&c);
	}
	struct proto_field attributes = short_list(&c, 2), values = short_list(&c, 4),
			   times = short_list(&c, 5);
	if (c.bad || cursor_left(&c) || times.len % sizeof(uint64_t))
		return false;
	*vec_push(&s->attribute) = attributes;
	s->attribute.n -= !attributes.number;
	for (c = cursor_over(values.at, values.len); cursor_left(&c) && !c.bad;)
		*vec_push(&s->value) = (int64_t)cursor_varint(&c);
	for (size_t i = 0; i < times.len; i += sizeof(uint64_t))
		*vec_push(&s->time) = bytes_u64(times.at + i, false);
	return !c.bad;
}

/* The same for every sample. */
static __attribute__((cold, noinline)) void
sample_take(struct otlp *d, struct proto *q)
{
	struct otlp_sample *s = &d->sample;
	struct proto_field f;
	uint32_t values = d->layout == LAYOUT_VALUES_2 ? 2 : 4;
	uint32_t attribute_field = d->layout == LAYOUT_VALUES_2 ? 3 : 2;

	sample_empty(s);
	while (otlp_next(d, q, &sample_types, &f)) {
		if (f.number == 1)
			s->stack = f.value;
		else if (f.number == attribute_field)
			*vec_push(&s->attribute) = f;
		else if (f.number == values)
			take_values(s, &f);
		else if (f.number == 5)
			take_times(s, &f);
	}
}

static bool
sample_read(struct otlp *d, const struct profile_at *p, const struct proto_field *data)
{
	struct proto q = proto_inside(data);
	struct otlp_sample *s = &d->sample;

	if (d->layout == LAYOUT_VALUES_2 || !sample_plain(s, data))
		sample_take(d, &q);
	if (d->counts.samples++ % BREATHE == BREATHE - 1) {
		uint64_t done = d->message.field_offset + (uint64_t)(data->at - d->message.field);
		input_later_done(d->in, done - d->message.offset, d->message.len);
		input_breathe(d->in);
	}
	if (d->rows.fault)
		return false;
	if (q.c.bad) {
		builder_warn(d->b, "malformed samples, left out");
		return true;
	}
	s->said = said_of(d, s);
	return moments(d, p, s);
}

static struct value_type
type_read(struct otlp *d, const struct proto_field *data)
{
	struct value_type type = {NAME_EMPTY, NAME_EMPTY};

	if (data->number)
		rows_proto_read(&d->rows, &value_type_table, data, &type);
	return type;
}

static void
otlp_read_report(struct otlp *d, const struct profile_at *p)
{
	builder_info_count(d->b, "time", p->time, " ns since 1970");
	builder_info_count(d->b, "duration", p->duration, " ns");
	if (!p->period)
		return;
	struct value_type type = type_read(d, &p->period_type);
	struct name t = builder_name_get(d->b, type.type), u = builder_name_get(d->b, type.unit);
	builder_info(d->b, "period", "%.*s%s%" PRIu64 "%s%.*s", (int)t.len, t.at,
		     t.len ? " " : "", p->period, u.len ? " " : "", (int)u.len, u.at);
}

/* Steps over short samples. */
static void
skip_samples(struct cursor *c)
{
	while (short_list(c, 2).number)
		continue;
}

static bool
profile_read(struct otlp *d, struct proto_field data)
{
	struct profile_at p = {0};
	struct proto q = proto_inside(&data);
	struct proto_field f;
	bool good = true;

	while (otlp_next(d, &q, &profile_types, &f)) {
		d->counts.fields |= f.number < 64 ? (uint64_t)1 << f.number : 0;
		if (f.number == 1)
			p.sample_type = f;
		p.time = f.number == 3 ? f.value : p.time;
		p.duration = f.number == 4 ? f.value : p.duration;
		if (f.number == 5)
			p.period_type = f;
		p.period = f.number == 6 ? f.value : p.period;
		d->counts.payloads += f.number == 10 && f.len;
		if (f.number == 2)
			skip_samples(&q.c);
	}
	struct value_type type = type_read(d, &p.sample_type);
	if (d->rows.fault)
		return false;
	if (type.type == NAME_EMPTY)
		type.type = builder_name(d->b, "samples", 7);
	p.metric = pprof_metric(d->b, builder_name_get(d->b, type.type),
				builder_name_get(d->b, type.unit), false, &p.factor);
	if (d->first == METRIC_NONE)
		d->first = p.metric;
	if (!d->counts.profiles++)
		otlp_read_report(d, &p);
	for (q = proto_inside(&data); good && proto_next(&q, &f);)
		if (f.number == 2 && f.type == PROTO_BYTES)
			good = sample_read(d, &p, &f);
	return good;
}

/* ---- resources ---- */

static bool
scope_read(struct otlp *d, struct proto_field data)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;
	bool good = true;

	while (!d->counts.profiles && proto_next(&p, &f))
		for (q = proto_inside(&f); f.number == 1 && proto_next(&q, &g);)
			if (g.number == 1 && g.type == PROTO_BYTES && g.len)
				builder_info_bytes(d->b, "scope", g.at, g.len);
	for (p = proto_inside(&data); good && otlp_next(d, &p, &scopes_types, &f);)
		if (f.number == 2 && f.type == PROTO_BYTES)
			good = profile_read(d, f);
	return good && !d->rows.fault;
}

bool
otlp_resource(struct otlp *d, const struct proto_field *resource)
{
	struct proto q = proto_inside(resource);
	struct proto_field f;
	bool good = true;

	d->resource.n = 0;
	d->counts.resources++;
	while (otlp_next(d, &q, &scopes_types, &f))
		if (f.number == 1)
			rows_proto_read(&d->rows, &resource_table, &f, d);
	for (q = proto_inside(resource); good && otlp_next(d, &q, &scopes_types, &f);)
		if (f.number == 2 && f.type == PROTO_BYTES)
			good = scope_read(d, f);
	return good && !d->rows.fault;
}
