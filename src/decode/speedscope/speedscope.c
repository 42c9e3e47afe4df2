/* speedscope: the files of speedscope.app (its file-format-spec.ts, 0.0.1 to 1.25).
 *
 * One JSON object; keys come in any order.  Programs write the frames first, then each profile
 * with its kind, unit and start before its events: then all is read in one go.  What comes
 * before that is known is stepped over, and read when the end of the document was seen.
 *
 * The lists of samples and of weights lie one behind the other: the stacks of the first are
 * kept, a number each. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/speedscope/speedscope_profile.h"
#include "src/input/decimal.h"

struct document {
	struct scope_file x;
	struct input *in;
	struct json j;
	bool has_frames;
	bool later; /* from here on profiles are read at the end, so that tracks keep their order */
	VEC(struct scope_profile) profile;
	VEC(uint8_t) measure; /* of each profile, enum scope_measure */
	int64_t active;
};

/* ---- telling the format ---- */

static int
speedscope_probe(struct head head)
{
	return head.json && (json_outline_says(head.json, "$schema", "speedscope.app") ||
			     json_outline_has_all(head.json, "shared/frames profiles"))
		       ? 100
		       : 0;
}

/* ---- frames ---- */

static bool
read_frame(struct document *d, uint64_t offset)
{
	static const char *const keys[] = {"name", "file", "line"};
	struct function fn = {0};
	struct json_token t;
	int64_t line = 0;

	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, 3);
		if (!json_next(&d->j, &t))
			break;
		if (key == 0)
			fn.name = json_name(d->x.b, &d->j, &t);
		if (key == 1)
			fn.file = json_name(d->x.b, &d->j, &t);
		if (key == 2 && (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, 0, &line)))
			line = 0;
		if (!json_skip(&d->j, &t))
			break;
	}
	if (d->j.failed)
		return json_damage(&d->j, offset, d->x.e);
	if (fn.name == NAME_EMPTY)
		fn.name = builder_name(d->x.b, "(unnamed)", 9);
	struct name name = builder_name_get(d->x.b, fn.name);
	fn.kind = (uint8_t)kind_of_name(name.at, name.len);
	*vec_push(&d->x.frame) =
		builder_frame(d->x.b, builder_function(d->x.b, fn),
			      line > 0 && line <= UINT32_MAX ? line_plain((uint32_t)line)
							    : line_unknown());
	return true;
}

static bool
fault(struct document *d)
{
	return json_damage(&d->j, d->j.where, d->x.e);
}

static bool
read_shared(struct document *d)
{
	struct json_token t;

	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		bool frames = json_is(&t, "frames");
		if (!json_next(&d->j, &t))
			break;
		if (!frames || t.kind != JSON_ARRAY) {
			if (!json_skip(&d->j, &t))
				break;
			continue;
		}
		d->has_frames = true;
		while (json_next(&d->j, &t) && t.kind != JSON_ARRAY_END) {
			if (t.kind != JSON_OBJECT)
				return err_damage(d->x.e, t.offset, "a frame that is no object");
			if (!read_frame(d, t.offset))
				return false;
		}
	}
	return d->j.failed ? fault(d) : true;
}

/* ---- profiles ---- */

enum member { TYPE, NAME, UNIT, START, END, EVENTS, SAMPLES, WEIGHTS, MEMBERS };

static void
set_unit(struct scope_profile *p, const struct json_token *t)
{
	static const struct {
		const char *name;
		enum scope_measure measure;
		int scale;
	} units[] = {
		{"nanoseconds", SCOPE_TIME, 0},  {"microseconds", SCOPE_TIME, 3},
		{"milliseconds", SCOPE_TIME, 6}, {"seconds", SCOPE_TIME, 9},
		{"bytes", SCOPE_BYTES, 0},
	};

	p->has_unit = true;
	p->measure = SCOPE_VALUE;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (json_is(t, units[i].name)) {
			p->measure = units[i].measure;
			p->scale = units[i].scale;
		}
}

static void
set_number(struct scope_number *n, const struct json_token *t)
{
	if (t->kind != JSON_NUMBER || t->len > sizeof n->at)
		return;
	memcpy(n->at, t->at, t->len);
	n->len = (uint8_t)t->len;
}

static void
set_member(struct document *d, struct scope_profile *p, enum member m,
	   const struct json_token *t)
{
	if (m == TYPE && t->kind == JSON_STRING)
		p->kind = json_is(t, "evented")   ? SCOPE_EVENTED
			  : json_is(t, "sampled") ? SCOPE_SAMPLED
						  : SCOPE_UNKNOWN;
	if (m == NAME && t->kind == JSON_STRING) {
		buf_reset(&p->name);
		json_text(&d->j, t, &p->name);
	}
	if (m == UNIT && t->kind == JSON_STRING)
		set_unit(p, t);
	if (m == START)
		set_number(&p->start, t);
	if (m == END)
		set_number(&p->end, t);
}

/* An array: read where all is known that it needs, else noted and stepped over. */
static bool
meet_array(struct document *d, struct scope_profile *p, enum scope_array which,
	   const struct json_token *t)
{
	bool wants_samples = which == SCOPE_WEIGHTS && !p->samples_end;

	if (d->later || !d->has_frames || !scope_profile_ready(p) || wants_samples) {
		p->array[which] = t->offset;
		return json_skip(&d->j, t) || fault(d);
	}
	return scope_profile_begin(&d->x, p, t->offset) &&
	       scope_profile_array(&d->x, p, which, &d->j);
}

static bool
read_members(struct document *d, struct scope_profile *p)
{
	static const char *const keys[] = {"type",     "name",   "unit",    "startValue",
					   "endValue", "events", "samples", "weights"};
	struct json_token t;

	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		enum member m = (enum member)json_key(&t, keys, MEMBERS);
		if (!json_next(&d->j, &t))
			break;
		if (m >= EVENTS && m < MEMBERS && t.kind == JSON_ARRAY) {
			if (!meet_array(d, p, (enum scope_array)(m - EVENTS), &t))
				return false;
			continue;
		}
		set_member(d, p, m, &t);
		if (!json_skip(&d->j, &t))
			break;
	}
	return d->j.failed ? fault(d) : true;
}

/* What could not be read yet, and the end of the profile. */
static bool
finish(struct document *d, struct scope_profile *p)
{
	bool good = scope_profile_begin(&d->x, p, 0);

	for (unsigned i = 0; good && i < SCOPE_ARRAYS; i++) {
		struct json_token t;
		struct json j;
		if (!p->array[i] || (i == SCOPE_EVENTS) != (p->kind == SCOPE_EVENTED))
			continue;
		if (!input_seek(d->in, p->array[i]))
			return err_damage(d->x.e, p->array[i], "this cannot be read again");
		json_init(&j, d->in);
		good = json_next(&j, &t) &&
		       scope_profile_array(&d->x, p, (enum scope_array)i, &j);
	}
	return scope_profile_end(&d->x, p, 0) && good;
}

static bool
read_profile(struct document *d)
{
	struct scope_profile p = {0};
	bool good = read_members(d, &p);
	bool pending = p.array[0] || p.array[1] || p.array[2];

	*vec_push(&d->measure) = (uint8_t)(p.has_unit ? p.measure : SCOPE_VALUE);
	if (!p.has_unit)
		p.measure = SCOPE_VALUE;
	if (!d->later && !pending && p.kind != SCOPE_UNKNOWN) {
		good = finish(d, &p) && good;
		scope_profile_release(&p);
		return good;
	}
	d->later = true;
	*vec_push(&d->profile) = p;
	return good;
}

static bool
read_profiles(struct document *d)
{
	struct json_token t;

	while (json_next(&d->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_OBJECT)
			return err_damage(d->x.e, t.offset, "a profile that is no object");
		if (!read_profile(d))
			return false;
	}
	return d->j.failed ? fault(d) : true;
}

/* ---- the document ---- */

static bool
read_document(struct document *d)
{
	struct json_token t;

	if (!json_next(&d->j, &t) || t.kind != JSON_OBJECT)
		return d->j.failed ? fault(d)
				   : err_refuse(d->x.e, "no speedscope file: it is no object");
	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		struct json_token key = t;
		bool shared = json_is(&key, "shared"), profiles = json_is(&key, "profiles");
		bool active = json_is(&key, "activeProfileIndex");
		bool exporter = json_is(&key, "exporter");
		if (!json_next(&d->j, &t))
			break;
		if (shared && t.kind == JSON_OBJECT) {
			if (!read_shared(d))
				return false;
			continue;
		}
		if (profiles && t.kind == JSON_ARRAY) {
			if (!read_profiles(d))
				return false;
			continue;
		}
		if (exporter && t.kind == JSON_STRING)
			json_info(d->x.b, &d->j, "exporter", &t);
		if (active && (t.kind != JSON_NUMBER ||
			       !decimal_scaled(t.at, t.len, 0, &d->active)))
			d->active = 0;
		if (!json_skip(&d->j, &t))
			break;
	}
	if (!d->j.failed)
		json_say(&d->j, d->x.b); /* what is read later moves the input */
	return d->j.failed ? fault(d) : true;
}

static void
tell(struct document *d)
{
	struct scope_file *x = &d->x;
	size_t active = d->active >= 0 && (uint64_t)d->active < d->measure.n
				? (size_t)d->active
				: 0;

	if (d->measure.n && x->declared[d->measure.at[active]])
		builder_default_metric(x->b, x->metric[d->measure.at[active]]);
	if (x->ends_outer)
		builder_warn(x->b,
			     "%" PRIu64 " frames end below others that are open: those end, too",
			     x->ends_outer);
	if (x->ends_of_nothing)
		builder_warn(x->b, "%" PRIu64 " ends of frames that are not open, ignored",
			     x->ends_of_nothing);
	if (x->never_ended)
		builder_warn(x->b, "%" PRIu64 " frames never closed: they last to the end",
			     x->never_ended);
	if (x->frames_missing)
		builder_warn(x->b, "%" PRIu64 " frames are not in the table: [unknown]",
			     x->frames_missing);
}

static bool
speedscope_decode(struct input *in, struct builder *b, struct err *e)
{
	struct document d = {.x = {.b = b, .e = e}, .in = in};

	input_keep(in);
	json_init(&d.j, in);
	bool good = read_document(&d);
	for (size_t i = 0; i < d.profile.n; i++) {
		struct scope_profile *p = &d.profile.at[i];
		if (p->kind == SCOPE_UNKNOWN)
			builder_warn(b, "a profile that is neither evented nor sampled, skipped");
		else
			good = finish(&d, p) && good;
		scope_profile_release(p);
	}
	tell(&d);
	vec_release(&d.x.frame);
	vec_release(&d.profile);
	vec_release(&d.measure);
	return good && !err_is_set(e);
}

const struct decoder decoder_speedscope = {
	.name = "speedscope",
	.title = "speedscope: its own JSON files, evented and sampled",
	.manual = "speedscope",
	.made_of = MADE_JSON,
	.mangled = true,
	.probe = speedscope_probe,
	.decode = speedscope_decode,
	.dump = json_dump,
};
