/* Timelines that Safari's Web Inspector exports (version 1): samples of JavaScript, and records
 * of the page's activities.
 *
 *	{"version": 1, "recording": {"displayName": "...", "startTime": S, "endTime": S,
 *	 "sampleStackTraces": [{"timestamp": S, "stackFrames": [{"name", "line", "column", "url",
 *	                        "expressionLocation": {"line", "column"}}, ...]}, ...],
 *	 "sampleDurations": [S, ...], "records": [{"type", "eventType", "startTime", "endTime"}]}}
 *
 * Times are seconds with their fractions.  A sample's time is its end.  Members come in any
 * order, so samples are kept until their durations are known; their stacks are made
 * immediately. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/cast.h"

#define RECORD_PREFIX "timeline-record-type-"

/* A function's place, and the position of a sample in it. */
struct js_frame {
	name_id name, url;
	int64_t line, column, at;
};

struct js_sample {
	int64_t end_ns;
	stack_id stack;
	uint64_t offset;
};

struct js_record {
	name_id type, event;
	int64_t start, end;
	bool starts, ends;
};

struct safari {
	struct builder *b;
	struct rows_json r;
	VEC(struct js_sample) sample;
	VEC(int64_t) duration;
	struct cast cast;
	name_id event_key, title;
	int64_t version;
	uint64_t others; /* records that are not shown */
	bool began, has_track;
	track_id track;
};

/* ---- samples ---- */

static track_id
main_track(struct safari *s)
{
	if (!s->has_track)
		s->track = builder_main(s->b);
	s->has_track = true;
	return s->track;
}

static bool
safari_frame_take(struct rows_json *r, void *sample UNUSED, void *element)
{
	struct safari *s = r->context;
	const struct js_frame *x = element;
	/* the file has -1 for unknown places, as 32 bits */
	int64_t line = x->line > 0 && x->line < UINT32_MAX ? x->line : 0;
	int64_t column = x->column > 0 && x->column < UINT32_MAX ? x->column : 0;
	struct function f = {.name = x->name, .file = x->url, .line = (uint32_t)line};

	if (f.name == NAME_EMPTY)
		f.name = js_anonymous(s->b, f.file, line, column);
	f.kind = (uint8_t)js_kind(builder_name_get(s->b, f.name),
				  builder_name_get(s->b, f.file));
	builder_next_frame(s->b, builder_frame_of(s->b, f, x->at));
	return true;
}

static const struct json_row place_rows[] = {
	{"line", ROW_NUMBER(struct js_frame, at)},
	{0},
};
static const struct json_row frame_rows[] = {
	{"name", ROW_NAME(struct js_frame, name)},
	{"url", ROW_NAME(struct js_frame, url)},
	{"line", ROW_NUMBER(struct js_frame, line)},
	{"column", ROW_NUMBER(struct js_frame, column)},
	{"expressionLocation", ROW_HERE(place_rows)},
	{0},
};

static void *
sample_begin(struct rows_json *r, void *recording UNUSED, void *own UNUSED)
{
	struct safari *s = r->context;

	main_track(s); /* tracks are in the order of the file */
	*vec_push(&s->sample) = (struct js_sample){.offset = r->offset};
	return &s->sample.at[--s->sample.n]; /* it counts when it is whole */
}

static bool
safari_sample_take(struct rows_json *r, void *recording UNUSED, void *element)
{
	struct safari *s = r->context;
	struct js_sample *sample = element;

	sample->stack = builder_next_leaf_first(s->b);
	s->sample.n++;
	return true;
}

static const struct json_row sample_rows[] = {
	{"timestamp", ROW_NUMBER(struct js_sample, end_ns), .scale = 9,
	 .must = "a sample without its time"},
	{"stackFrames", ROW_LIST_OF(struct js_frame, frame_rows, safari_frame_take)},
	{0},
};
static const struct json_list samples = {
	.rows = sample_rows, .record = true, .begin = sample_begin, .end = safari_sample_take};

static bool
durations_take(struct rows_json *r, void *recording UNUSED, const int64_t *ns, size_t n)
{
	struct safari *s = r->context;

	for (size_t i = 0; i < n; i++) {
		if (ns[i] < 0)
			return err_damage(r->e, r->offset, "an invalid duration");
		*vec_push(&s->duration) = ns[i];
	}
	return true;
}

/* ---- records ---- */

static frame_id
record_frame(struct safari *s, name_id type)
{
	struct name text = builder_name_get(s->b, type);
	size_t prefix = strlen(RECORD_PREFIX);

	if (text.len > prefix && !memcmp(text.at, RECORD_PREFIX, prefix))
		type = builder_name(s->b, text.at + prefix, text.len - prefix);
	struct function f = {.name = type, .kind = KIND_USER};
	return builder_frame_of(s->b, f, 0);
}

static bool
record_take(struct rows_json *r, void *recording UNUSED, void *element)
{
	struct safari *s = r->context;
	const struct js_record *x = element;
	int64_t length;

	if (x->type == NAME_EMPTY || x->event == NAME_EMPTY || !x->starts || !x->ends ||
	    __builtin_sub_overflow(x->end, x->start, &length)) {
		s->others++;
		return true;
	}
	label_id label = builder_label_text(s->b, s->event_key, x->event);
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_TASK,
				  .aside = true, .name = builder_name(s->b, "records", 7)};
	uint32_t track = cast_track(&s->cast, like);
	cast_made(&s->cast, track);
	cast_slice(&s->cast, track, x->start, length, record_frame(s, x->type),
		   builder_labels(s->b, &label, 1));
	return true;
}

static const struct json_row record_rows[] = {
	{"type", ROW_NAME(struct js_record, type)},
	{"eventType", ROW_NAME(struct js_record, event)},
	{"startTime", ROW_NUMBER(struct js_record, start), .scale = 9,
	 ROW_HAS(struct js_record, starts)},
	{"endTime", ROW_NUMBER(struct js_record, end), .scale = 9,
	 ROW_HAS(struct js_record, ends)},
	{0},
};

/* ---- the document ---- */

static const struct json_row recording_rows[] = {
	{"sampleStackTraces", ROW_LIST(&samples)},
	{"sampleDurations", ROW_COLUMN(durations_take), .scale = 9},
	{"records", ROW_RECORDS_OF(struct js_record, record_rows, record_take)},
	{"displayName", ROW_NAME(struct safari, title)},
	{0},
};
static const struct json_row document_rows[] = {
	{"version", ROW_NUMBER(struct safari, version)},
	{"recording", ROW_HERE(recording_rows), ROW_HAS(struct safari, began)},
	{0},
};

/* Writes samples, which end at their time and last their duration, or 0 without one. */
static bool
write_samples(struct safari *s, struct err *e)
{
	metric_id metric[] = {builder_metric(s->b, "time", UNIT_NS, ROLE_VALUE),
			      builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE)};
	track_id track = main_track(s);
	struct series *series = builder_samples(s->b, track, metric, 2);

	builder_default_metric(s->b, metric[0]);
	for (size_t i = 0; i < s->sample.n; i++) {
		const struct js_sample *x = &s->sample.at[i];
		int64_t lasts = i < s->duration.n ? s->duration.at[i] : 0, start;
		if (__builtin_sub_overflow(x->end_ns, lasts, &start))
			return err_damage(e, x->offset, "times exceed 2^63");
		bool any = x->stack != STACK_EMPTY;
		int64_t value[] = {any ? lasts : 0, any};
		if (!builder_sample(s->b, series, start, x->stack, value, x->offset, e))
			return false;
		builder_track_end(s->b, track, x->end_ns);
	}
	if (s->duration.n < s->sample.n)
		builder_warn_count(s->b, s->sample.n - s->duration.n, "sample has no duration",
				   "samples have no duration");
	return true;
}

static bool
write_records(struct safari *s, uint64_t offset, struct err *e)
{
	if (!cast_asyncs(&s->cast))
		return true;
	metric_id async = builder_time(s->b, "async");
	return cast_write(&s->cast, METRIC_NONE, async, true, offset, e);
}

static bool
safari_decode(struct input *in, struct builder *b, struct err *e)
{
	struct safari s = {.b = b, .version = 1,
			   .cast = {.in = in, .b = b, .labelled = true, .ordered = true}};

	s.event_key = builder_name(b, "eventType", 9);
	json_rows_begin(&s.r, in, b, e, &s);
	bool good = rows_json_document(&s.r, document_rows, &s, "not a timeline of Web Inspector");
	if (good && !s.began)
		good = err_refuse(e, "not a timeline of Web Inspector: it has no recording");
	if (s.version != 1)
		builder_warn(b, "version %" PRId64 ", read as version 1", s.version);
	if (s.title != NAME_EMPTY) {
		struct name title = builder_name_get(b, s.title);
		builder_info_bytes(b, "recording", title.at, title.len);
	}
	if (s.began) { /* everything before the damage is shown */
		good = write_samples(&s, e) && good;
		good = write_records(&s, input_offset(in), e) && good;
	}
	builder_info_count(b, "records not shown", s.others, "");
	json_rows_end(&s.r);
	cast_release(&s.cast);
	vec_release_all(&s.sample, &s.duration);
	return good;
}

const struct decoder decoder_safari = {
	.name = "safari",
	.title = "Timelines of Safari's Web Inspector",
	.made_of = MADE_JSON,
	.members = "recording/displayName|recording/sampleStackTraces",
	.decode = safari_decode,
};
