/* Track events: slices, marks, counters and samples on a track; and the events of Chrome's
 * older form inside them, which mean the same as in a trace in JSON. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <stddef.h>
#include <string.h>

#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types event_types = {
	.numbers = PROTO_BIT(1) | PROTO_BITS(9, 11) | PROTO_BIT(16) | PROTO_BIT(30) |
		   PROTO_BIT(34) | PROTO_BIT(56),
	.lists = PROTO_BIT(3) | PROTO_BIT(12) | PROTO_BIT(31) | PROTO_BIT(36) | PROTO_BIT(42) |
		 PROTO_BIT(45),
	.bytes = PROTO_BIT(6) | PROTO_BITS(22, 23) | PROTO_BIT(33) | PROTO_BIT(55),
	.fixed64 = PROTO_BIT(44) | PROTO_BIT(57),
	.fixed_lists = PROTO_BITS(46, 48),
};
static const struct proto_types legacy_types = {
	.numbers = PROTO_BITS(1, 3) | PROTO_BIT(6) | PROTO_BITS(10, 12) | PROTO_BITS(18, 19),
	.bytes = PROTO_BIT(7),
};
static const struct proto_types source_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(4),
	.bytes = PROTO_BITS(2, 3),
};

#define CATEGORIES_MAX 8u
#define FLOWS_MAX 8u

enum { TYPE_NONE, TYPE_BEGIN, TYPE_END, TYPE_INSTANT, TYPE_COUNTER, TYPE_STATE };

struct legacy {
	bool there, local, has_thread, encloses;
	uint64_t phase;
	int64_t duration, pid, tid;
	uint64_t id;
	name_id name, scope;
};

struct categories {
	unsigned n;
	name_id at[CATEGORIES_MAX]; /* not initialised */
};

/* Flows that go through the event, and those that end there. */
struct flow_ids {
	unsigned n;
	struct flow_id {
		uint64_t id;
		bool ends;
	} at[FLOWS_MAX]; /* not initialised */
};

/* Flows; and counters beside the event's own: their values, and the tracks of these. */
struct extra {
	unsigned n, n_double, n_tracks, n_double_tracks;
	struct flow_ids flows;
	/* not initialised: */
	int64_t value[PF_EXTRA_MAX];
	double number[PF_EXTRA_MAX];
	uint64_t track[PF_EXTRA_MAX], double_track[PF_EXTRA_MAX];
};

struct pf_event {
	uint64_t type, name_iid, source_iid, stack_iid;
	name_id name;
	bool has_track, has_delta, has_absolute, has_double, has_weight;
	uint64_t track;
	int64_t value;
	/* not initialised, but for `source.number`, `stack.number` and `legacy.there`: */
	int64_t us;
	double number, weight;
	struct proto_field source, stack;
	struct legacy legacy;
	struct categories category;
	struct extra extra;
};

static double
as_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* ---- reading ---- */

static void
legacy_read(struct perfetto *d, struct legacy *l, const struct proto_field *data)
{
	struct proto p = proto_inside(data);
	struct proto_field f;

	if (!l->there)
		*l = (struct legacy){.there = true};
	while (pf_next(d, &p, &legacy_types, &f)) {
		if (f.number == 1)
			l->name = pf_interned_name(d, PF_EVENT_NAME, f.value);
		if (f.number == 2)
			l->phase = f.value;
		if (f.number == 3)
			l->duration = (int64_t)f.value;
		if (f.number == 6 || f.number == 10 || f.number == 11) {
			l->id = f.value;
			l->local = f.number == 10;
		}
		if (f.number == 12)
			l->encloses = f.value != 0;
		if (f.number == 7)
			l->scope = pf_text(d, &f);
		if (f.number == 18) {
			l->pid = (int64_t)(int32_t)f.value;
			l->has_thread = true;
		}
		if (f.number == 19) {
			l->tid = (int64_t)(int32_t)f.value;
			l->has_thread = true;
		}
	}
}

static void
extra_read(struct extra *x, const struct proto_field *f)
{
	bool fixed = f->number == 46;
	struct proto_numbers n = proto_numbers(f, fixed ? PROTO_FIXED64 : PROTO_VARINT);
	uint64_t v;

	while (proto_number(&n, &v)) {
		if (f->number == 12 && x->n < PF_EXTRA_MAX)
			x->value[x->n++] = (int64_t)v;
		if (f->number == 31 && x->n_tracks < PF_EXTRA_MAX)
			x->track[x->n_tracks++] = v;
		if (f->number == 45 && x->n_double_tracks < PF_EXTRA_MAX)
			x->double_track[x->n_double_tracks++] = v;
		if (f->number == 46 && x->n_double < PF_EXTRA_MAX)
			x->number[x->n_double++] = as_double(v);
	}
}

static void
flows_read(struct flow_ids *x, const struct proto_field *f)
{
	bool fixed = f->number > 46, ends = f->number == 42 || f->number == 48;
	struct proto_numbers n = proto_numbers(f, fixed ? PROTO_FIXED64 : PROTO_VARINT);
	uint64_t v;

	while (x->n < FLOWS_MAX && proto_number(&n, &v))
		x->at[x->n++] = (struct flow_id){v, ends};
}

static void
category_add(struct categories *c, name_id name)
{
	if (name != NAME_EMPTY && c->n < CATEGORIES_MAX)
		c->at[c->n++] = name;
}

/* Reads the fields that are not names. */
static void
rest_read(struct pf_event *e, const struct proto_field *f)
{
	switch (f->number) {
	case 12:
	case 31:
	case 45:
	case 46:
		extra_read(&e->extra, f);
		break;
	case 33:
		e->source = *f;
		break;
	case 34:
		e->source_iid = f->value;
		break;
	case 55:
		e->stack = *f;
		break;
	case 56:
		e->stack_iid = f->value;
		break;
	case 57:
		e->weight = as_double(f->value);
		e->has_weight = true;
		break;
	default:
		break;
	}
}

static void
field_read(struct perfetto *d, struct pf_event *e, const struct proto_field *f)
{
	struct proto_numbers n;
	uint64_t iid;

	switch (f->number) {
	case 1:
	case 16:
		e->has_delta = f->number == 1;
		e->has_absolute = f->number == 16;
		e->us = (int64_t)f->value;
		break;
	case 3:
		for (n = proto_numbers(f, PROTO_VARINT); proto_number(&n, &iid);)
			category_add(&e->category, pf_interned_name(d, PF_CATEGORY, iid));
		break;
	case 22:
		category_add(&e->category, pf_text(d, f));
		break;
	case 6:
		legacy_read(d, &e->legacy, f);
		break;
	case 9:
		e->type = f->value;
		break;
	case 10:
		e->name_iid = f->value;
		break;
	case 23:
		e->name = pf_text(d, f);
		break;
	case 11:
		e->track = f->value;
		e->has_track = true;
		break;
	case 30:
		e->value = (int64_t)f->value;
		break;
	case 44:
		e->number = as_double(f->value);
		e->has_double = true;
		break;
	case 36:
	case 42:
	case 47:
	case 48:
		flows_read(&e->extra.flows, f);
		break;
	default:
		rest_read(e, f);
		break;
	}
}

/* Reads the fields that most events have, up to another one. Returns false if there is none. */
static inline bool
usual_read(struct perfetto *d, struct pf_event *e, struct proto *p)
{
	uint64_t iid;

	while (cursor_left(&p->c))
		switch (*p->c.at) {
		case PROTO_TAG(3, PROTO_VARINT):
			if (!proto_take_number(p, &iid))
				return true;
			category_add(&e->category, pf_interned_name(d, PF_CATEGORY, iid));
			break;
		case PROTO_TAG(9, PROTO_VARINT):
			if (!proto_take_number(p, &e->type))
				return true;
			break;
		case PROTO_TAG(10, PROTO_VARINT):
			if (!proto_take_number(p, &e->name_iid))
				return true;
			break;
		case PROTO_TAG(11, PROTO_VARINT):
			if (!proto_take_number(p, &e->track))
				return true;
			e->has_track = true;
			break;
		default:
			return true;
		}
	return false;
}

/* ---- meaning of an event ---- */

/* Returns the time of an event: that of its packet, or its own, relative to its thread's
 * descriptor. */
static int64_t
time_of(struct perfetto *d, const struct pf_event *e)
{
	struct pf_sequence *s = d->s;

	if (!e->has_delta && !e->has_absolute)
		return d->p.time;
	if (e->us > PF_TIME_MAX / 2000 || e->us < -PF_TIME_MAX / 2000)
		return s->last_us * 1000;
	int64_t us = e->has_absolute ? e->us : s->last_us + e->us;
	if (us > PF_TIME_MAX / 2000 || us < -PF_TIME_MAX / 2000)
		us = s->last_us;
	if (e->has_delta)
		s->last_us = us;
	return us * 1000;
}

static uint32_t
perfetto_track_of(struct perfetto *d, const struct pf_event *e)
{
	struct pf_sequence *s = d->s;

	if (e->legacy.there && e->legacy.has_thread && e->legacy.tid > 0)
		return pf_track_thread(d, e->legacy.pid > 0 ? e->legacy.pid : -1, e->legacy.tid);
	if (e->has_track && e->track) {
		if (s->track == PF_NONE || s->uuid != e->track)
			s->track = pf_track_uuid(d, e->track);
		s->uuid = e->track;
		return s->track;
	}
	if (!e->has_track && s->defaults.has_track)
		return pf_track_uuid(d, s->defaults.track);
	return s->thread != PF_NONE ? s->thread : pf_track_uuid(d, 0);
}

/* The function that a slice is. */
static frame_id
perfetto_frame_of(struct perfetto *d, const struct pf_event *e, name_id name)
{
	struct pf_source source = {0};
	struct proto p;
	struct proto_field f;

	if (!e->source.number && !e->source_iid)
		return pf_frame_named(d, name);
	uint32_t known = pf_interned(d, PF_SOURCE, e->source_iid);
	if (known != PF_NONE)
		source = d->names.source.at[known];
	if (e->source.number)
		p = proto_inside(&e->source);
	while (e->source.number && pf_next(d, &p, &source_types, &f)) {
		source.file = f.number == 2 ? pf_text(d, &f) : source.file;
		source.line = f.number == 4 ? (uint32_t)f.value : source.line;
	}
	if (source.file == NAME_EMPTY)
		return pf_frame_named(d, name);
	struct name n = builder_name_get(d->b, name);
	function_id function = builder_function(
		d->b, (struct function){.name = name,
					.file = source.file,
					.line = source.line,
					.kind = (uint8_t)kind_of_name(n.at, n.len)});
	return builder_frame(d->b, function, line_unknown());
}

static labels_id
perfetto_labels_of(struct perfetto *d, const struct pf_event *e)
{
	name_id category = e->category.n ? e->category.at[0] : NAME_EMPTY;

	if (!e->category.n)
		return LABELS_NONE;
	if (e->category.n > 1) {
		buf_reset(&d->text);
		for (unsigned i = 0; i < e->category.n; i++) {
			struct name n = builder_name_get(d->b, e->category.at[i]);
			buf_adds(&d->text, i ? "," : "");
			buf_add(&d->text, n.at, n.len);
		}
		category = builder_name(d->b, buf_str(&d->text), d->text.len);
	}
	uint32_t known = idmap_get(&d->names.labels_of, category);
	if (known == IDMAP_NONE) {
		label_id id = builder_label_text(d->b, builder_name(d->b, "cat", 3), category);
		known = builder_labels(d->b, &id, 1);
		idmap_put(&d->names.labels_of, category, known);
	}
	return known;
}

/* ---- counters ---- */

/* Counters that state differences are summed for each sequence. */
static bool
perfetto_counter(struct perfetto *d, uint64_t uuid, int64_t time, bool whole, int64_t value,
		 double number)
{
	uint32_t track = pf_track_uuid(d, uuid);
	struct pf_track *t = &d->tracks.track.at[track];

	if (t->form == PF_OTHER)
		t->form = PF_COUNTER;
	if (whole && __builtin_mul_overflow(value, t->factor, &value))
		value = 0;
	number *= (double)t->factor;
	if (t->incremental && whole) {
		uint32_t i;
		if (idmap_add(&d->s->sums, track, d->sum.n, &i))
			*vec_push(&d->sum) = 0;
		if (!__builtin_add_overflow(d->sum.at[i], value, &value))
			d->sum.at[i] = value;
	}
	return pf_point(d, track, time, whole, value, number);
}

static bool
extra_counters(struct perfetto *d, const struct extra *e, int64_t time)
{
	const struct pf_defaults *x = &d->s->defaults;
	const uint64_t *track = e->n_tracks ? e->track : x->extra;
	const uint64_t *doubled = e->n_double_tracks ? e->double_track : x->extra_double;
	unsigned n = e->n_tracks ? e->n_tracks : x->n_extra;
	unsigned n_double = e->n_double_tracks ? e->n_double_tracks : x->n_extra_double;
	bool good = true;

	for (unsigned i = 0; good && i < e->n && i < n; i++)
		good = perfetto_counter(d, track[i], time, true, e->value[i], 0);
	for (unsigned i = 0; good && i < e->n_double && i < n_double; i++)
		good = perfetto_counter(d, doubled[i], time, false, 0, e->number[i]);
	return good;
}

/* ---- older events ---- */

static uint64_t
async_key(struct perfetto *d, const struct pf_event *e, uint32_t track)
{
	const struct legacy *l = &e->legacy;
	bool old = l->phase == 'S' || l->phase == 'F';
	uint64_t key[] = {e->category.n ? e->category.at[0] : NAME_EMPTY, l->id, l->scope,
			  l->local ? (uint64_t)pf_pid_of(d, track) : 0, old};

	return hash64(key, sizeof key);
}

static void
legacy_flow(struct perfetto *d, const struct pf_event *e, uint32_t track, int64_t time,
	    name_id name, unsigned bits)
{
	uint64_t key[] = {async_key(d, e, track), name};

	flows_add(&d->tracks.flows, hash64(key, sizeof key), pf_cast(d, track), time, bits);
}

static bool
legacy_event(struct perfetto *d, const struct pf_event *e, uint32_t track, int64_t time,
	     name_id name)
{
	const struct legacy *l = &e->legacy;
	int64_t length = l->duration;

	switch (l->phase) {
	case 'B':
		pf_slice_begin(d, track, time, perfetto_frame_of(d, e, name),
			       perfetto_labels_of(d, e));
		return true;
	case 'E':
		pf_slice_end(d, track, time);
		return true;
	case 'X':
		if (length < 0 || length > PF_TIME_MAX / 1000)
			length = 0;
		pf_slice_whole(d, track, time, length * 1000, perfetto_frame_of(d, e, name),
			       perfetto_labels_of(d, e));
		return true;
	case 'b':
	case 'S':
		pf_async_begin(d, async_key(d, e, track), pf_pid_of(d, track),
			       e->category.n ? e->category.at[0] : NAME_EMPTY, name, time,
			       perfetto_frame_of(d, e, name), perfetto_labels_of(d, e));
		return true;
	case 'e':
	case 'F':
		pf_async_end(d, async_key(d, e, track), time);
		return true;
	case 'n':
	case 'T':
	case 'p':
	case 'i':
	case 'I':
	case 'R':
		return pf_mark(d, track, time, name);
	case 's':
		legacy_flow(d, e, track, time, name, FLOW_BEGINS);
		return true;
	case 't':
		legacy_flow(d, e, track, time, name, 0);
		return true;
	case 'f':
		legacy_flow(d, e, track, time, name, FLOW_ENDS | (l->encloses ? 0 : FLOW_NEXT));
		return true;
	default:
		d->counts.deeper++;
		return true;
	}
}

/* ---- an event ---- */

static bool
sampled(struct perfetto *d, const struct pf_event *e, uint32_t track, int64_t time)
{
	if (!e->stack.number && !e->stack_iid)
		return true;
	uint32_t stack = e->stack.number ? pf_stack_inline(d, e->stack)
					 : pf_interned(d, PF_STACK, e->stack_iid);
	if (stack == PF_NONE) {
		builder_warn(d->b, "stacks that are not interned");
		return true;
	}
	return pf_sample_event(d, track, time, stack, e->has_weight,
			       e->has_weight ? e->weight : 0);
}

bool
pf_event(struct perfetto *d, struct proto_field data)
{
	struct pf_event e;
	struct proto p = proto_inside(&data);
	struct proto_field f;

	memset(&e, 0, offsetof(struct pf_event, us)); /* of type TYPE_NONE */
	memset(&e.extra, 0, offsetof(struct extra, flows.at));
	e.source.number = e.stack.number = e.category.n = 0;
	e.legacy.there = false;
	while (usual_read(d, &e, &p) && pf_next(d, &p, &event_types, &f))
		field_read(d, &e, &f);
	if (d->wrong)
		return false;
	if (p.c.bad)
		builder_warn(d->b, "malformed track events");
	int64_t time = time_of(d, &e);
	uint32_t track = perfetto_track_of(d, &e);
	name_id name = e.name != NAME_EMPTY ? e.name
		       : e.name_iid	 ? pf_interned_name(d, PF_EVENT_NAME, e.name_iid)
		       : e.legacy.there	 ? e.legacy.name
					 : NAME_EMPTY;
	bool nameless = name == NAME_EMPTY;
	if (nameless && e.type != TYPE_END && e.type != TYPE_COUNTER)
		name = builder_name(d->b, "(unnamed)", 9);
	if (!extra_counters(d, &e.extra, time) || !sampled(d, &e, track, time))
		return false;
	for (unsigned i = 0; i < e.extra.flows.n; i++)
		flows_add(&d->tracks.flows, e.extra.flows.at[i].id, pf_cast(d, track), time,
			  e.extra.flows.at[i].ends ? FLOW_ENDS : 0);
	switch (e.type) {
	case TYPE_BEGIN:
		pf_slice_begin(d, track, time, perfetto_frame_of(d, &e, name),
			       perfetto_labels_of(d, &e));
		return true;
	case TYPE_END:
		pf_slice_end(d, track, time);
		return true;
	case TYPE_INSTANT:
		pf_reach(d, track, time);
		return pf_mark(d, track, time, name);
	case TYPE_COUNTER:
		return perfetto_counter(d, e.has_track ? e.track : d->s->defaults.track, time,
					!e.has_double, e.value, e.has_double ? e.number : 0);
	case TYPE_STATE:
		pf_single(d, track);
		if (nameless)
			pf_slice_end(d, track, time);
		else
			pf_slice_begin(d, track, time, perfetto_frame_of(d, &e, name),
				       perfetto_labels_of(d, &e));
		return true;
	default:
		return !e.legacy.there || legacy_event(d, &e, track, time, name);
	}
}
