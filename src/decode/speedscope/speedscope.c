/* speedscope: the files of speedscope.app (its file-format-spec.ts, 0.0.1 to 1.25).
 *
 * One JSON object; keys come in any order. Programs usually write the frames first, and each
 * profile's kind, unit and start before its events: then everything is read in one pass. Parts
 * that come too early are skipped, and read again after the end of the document.
 *
 * The list of samples precedes the list of weights, or follows it: the stacks of samples are
 * kept, a number each. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/decode/speedscope/speedscope_profile.h"

static const char *const scope_kinds[] = {"evented", "sampled", NULL}; /* enum scope_kind */

struct document {
	struct scope_file x; /* first: rows_json.context is both */
	struct input *in;
	struct rows_json r;
	struct scope_profile at_hand;
	name_id exporter;
	bool has_frames;
	bool later; /* from here on profiles are read at the end, so that tracks keep their order */
	VEC(struct scope_profile) profile;
	VEC(uint8_t) measure; /* of each profile, enum scope_measure */
	int64_t active;
};

/* ---- the probe ---- */

static int
speedscope_probe(struct head head)
{
	return head.json && json_outline_says(head.json, "$schema", "speedscope.app") ? 100 : 0;
}

/* ---- frames ---- */

struct scope_frame {
	name_id name, file;
	int64_t line;
};

static bool
speedscope_frame_take(struct rows_json *r, void *document UNUSED, void *element)
{
	struct scope_file *x = r->context;
	const struct scope_frame *f = element;
	struct function fn = {.name = f->name, .file = f->file};

	if (fn.name == NAME_EMPTY)
		fn.name = builder_name(x->b, "(unnamed)", 9);
	struct name name = builder_name_get(x->b, fn.name);
	fn.kind = (uint8_t)kind_of_name(name.at, name.len);
	*vec_push(&x->frame) = builder_frame_of(x->b, fn, f->line);
	return true;
}

static const struct json_row frame_rows[] = {
	{"name", ROW_NAME(struct scope_frame, name)},
	{"file", ROW_NAME(struct scope_frame, file)},
	{"line", ROW_NUMBER(struct scope_frame, line)},
	{0},
};
static const struct json_list frames = {.rows = frame_rows,
					.size = sizeof(struct scope_frame),
					.record = true,
					.what = "a frame",
					.end = speedscope_frame_take};

/* ---- profiles ---- */

static bool
unit_take(struct rows_json *r UNUSED, void *profile, const struct json_value *v)
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

	struct scope_profile *p = profile;

	if (v->t.kind != JSON_STRING)
		return true;
	p->has_unit = true;
	p->measure = SCOPE_VALUE;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (json_is(&v->t, units[i].name)) {
			p->measure = units[i].measure;
			p->scale = units[i].scale;
		}
	return true;
}

/* Handles an array, enum scope_array r->row->scale: reads it if everything that it needs is
 * known, otherwise notes its position and skips it. */
static bool
array_meet(struct rows_json *r, void *profile, const struct json_token *t)
{
	struct document *d = r->context;
	struct scope_profile *p = profile;
	enum scope_array which = (enum scope_array)r->row->scale;
	bool wants_samples = which == SCOPE_WEIGHTS && !p->samples_end;

	if (t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	if (d->later || !d->has_frames || !scope_profile_ready(p) || wants_samples) {
		p->array[which] = t->offset;
		return json_skip(&r->j, t);
	}
	return scope_profile_begin(&d->x, p, t->offset) && scope_profile_array(r, p, which);
}

/* Reads the skipped parts, and ends the profile. */
static bool
speedscope_finish(struct document *d, struct scope_profile *p)
{
	bool good = scope_profile_begin(&d->x, p, 0);
	struct json outer = d->r.j;

	for (unsigned i = 0; good && i < SCOPE_ARRAYS; i++) {
		struct json_token t;
		if (!p->array[i] || (i == SCOPE_EVENTS) != (p->kind == SCOPE_EVENTED))
			continue;
		if (!input_seek(d->in, p->array[i]))
			return err_damage(d->x.e, p->array[i], "the input cannot be read twice");
		json_init(&d->r.j, d->in);
		good = json_next(&d->r.j, &t) && scope_profile_array(&d->r, p, (enum scope_array)i);
	}
	d->r.j = outer;
	return scope_profile_end(&d->x, p) && good;
}

static void *
profile_begin(struct rows_json *r, void *none UNUSED, void *own UNUSED)
{
	struct document *d = r->context;

	d->at_hand = (struct scope_profile){0};
	return &d->at_hand;
}

static bool
profile_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct document *d = r->context;
	struct scope_profile *p = element;
	bool good = true, pending = p->array[0] || p->array[1] || p->array[2];

	*vec_push(&d->measure) = (uint8_t)(p->has_unit ? p->measure : SCOPE_VALUE);
	if (!p->has_unit)
		p->measure = SCOPE_VALUE;
	if (!d->later && !pending && p->kind != SCOPE_UNKNOWN) {
		good = speedscope_finish(d, p);
		scope_profile_release(p);
		return good;
	}
	d->later = true;
	*vec_push(&d->profile) = *p;
	return good;
}

static const struct json_row profile_rows[] = {
	{"type", ROW_WORD(struct scope_profile, kind, scope_kinds)},
	{"name", ROW_TEXT(struct scope_profile, name)},
	{"unit", ROW_VALUE(unit_take)},
	{"startValue", ROW_DIGITS(struct scope_profile, start)},
	{"endValue", ROW_DIGITS(struct scope_profile, end)},
	{"events", ROW_INSIDE(array_meet), .scale = SCOPE_EVENTS},
	{"samples", ROW_INSIDE(array_meet), .scale = SCOPE_SAMPLES},
	{"weights", ROW_INSIDE(array_meet), .scale = SCOPE_WEIGHTS},
	{0},
};
static const struct json_list profiles = {
	.rows = profile_rows, .torn = true, .what = "a profile", .begin = profile_begin,
	.end = profile_take};

/* ---- the document ---- */

static const struct json_row shared_rows[] = {
	{"frames", ROW_LIST(&frames), ROW_HAS(struct document, has_frames)},
	{0},
};
static const struct json_row document_rows[] = {
	{"shared", ROW_HERE(shared_rows)},
	{"profiles", ROW_LIST(&profiles)},
	{"activeProfileIndex", ROW_NUMBER(struct document, active)},
	{"exporter", ROW_NAME(struct document, exporter)},
	{0},
};

static void
speedscope_report(struct document *d)
{
	struct scope_file *x = &d->x;
	size_t active = d->active >= 0 && (uint64_t)d->active < d->measure.n
				? (size_t)d->active
				: 0;

	if (d->measure.n && x->declared[d->measure.at[active]])
		builder_default_metric(x->b, x->metric[d->measure.at[active]]);
	builder_warn_count(x->b, x->ends_outer,
			   "frame ends below others that are open: those end, too",
			   "frames end below others that are open: those end, too");
	builder_warn_count(x->b, x->ends_of_nothing,
			   "end of a frame that never began, ignored",
			   "ends of frames that never began, ignored");
	builder_warn_count(x->b, x->never_ended,
			   "frame never closed: it lasts to the end",
			   "frames never closed: they last to the end");
	builder_warn_count(x->b, x->frames_missing,
			   "frame is not in the table: [unknown]",
			   "frames are not in the table: [unknown]");
}

static bool
speedscope_decode(struct input *in, struct builder *b, struct err *e)
{
	struct document d = {.x = {.b = b, .e = e}, .in = in};

	input_keep(in);
	json_rows_begin(&d.r, in, b, e, &d);
	bool good = rows_json_document(&d.r, document_rows, &d, "not a speedscope file");
	json_say(&d.r.j, b); /* the parts that are read later move the input */
	if (d.exporter != NAME_EMPTY) {
		struct name exporter = builder_name_get(b, d.exporter);
		builder_info_bytes(b, "exporter", exporter.at, exporter.len);
	}
	for (size_t i = 0; i < d.profile.n; i++) {
		struct scope_profile *p = &d.profile.at[i];
		if (p->kind == SCOPE_UNKNOWN)
			builder_warn(b, "a profile that is neither evented nor sampled, skipped");
		else
			good = speedscope_finish(&d, p) && good;
		scope_profile_release(p);
	}
	speedscope_report(&d);
	rows_json_release(&d.r);
	vec_release_all(&d.x.frame, &d.profile, &d.measure);
	return good && !err_is_set(e);
}

const struct decoder decoder_speedscope = {
	.name = "speedscope",
	.title = "speedscope: its own JSON files, evented and sampled",
	.made_of = MADE_JSON,
	.mangled = true,
	.members = "shared/frames profiles",
	.sure = 100,
	.probe = speedscope_probe,
	.decode = speedscope_decode,
};
