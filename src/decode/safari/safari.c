/* Timelines that Safari's Web Inspector exports (version 1): samples of JavaScript, and what the
 * page did meanwhile.
 *
 *	{"version": 1, "recording": {"displayName": "...", "startTime": S, "endTime": S,
 *	 "sampleStackTraces": [{"timestamp": S, "stackFrames": [{"name", "line", "column", "url",
 *	                        "expressionLocation": {"line", "column"}}, ...]}, ...],
 *	 "sampleDurations": [S, ...], "records": [{"type", "eventType", "startTime", "endTime"}]}}
 *
 * Times are seconds with their fractions.  A sample's time is its end.  Members come in any
 * order, so samples wait for their durations; their stacks are made at once. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/common/timelines.h"
#include "src/input/decimal.h"

#define RECORD_PREFIX "timeline-record-type-"

struct js_sample {
	int64_t end_ns;
	stack_id stack;
	uint64_t offset;
};

struct safari {
	struct builder *b;
	struct err *e;
	struct json j;
	VEC(struct js_sample) sample;
	VEC(int64_t) duration;
	VEC(frame_id) frame; /* of the sample that is read */
	struct timelines lanes;
	name_id event_key;
	uint64_t others; /* records that are not shown */
	bool began, has_track;
	track_id track;
};

static int
safari_probe(struct head head)
{
	return head_members(head, "recording/displayName") ||
			       head_members(head, "recording/sampleStackTraces")
		       ? 90
		       : 0;
}

static bool
fault(struct safari *s, uint64_t element)
{
	return s->j.failed ? json_damage(&s->j, element, s->e) : true;
}

static bool
seconds(const struct json_token *t, int64_t *ns)
{
	return t->kind == JSON_NUMBER && decimal_scaled(t->at, t->len, 9, ns);
}

/* ---- samples ---- */

static track_id
main_track(struct safari *s)
{
	if (!s->has_track)
		s->track = builder_track(s->b, "main", 4, TRACK_THREAD);
	s->has_track = true;
	return s->track;
}

static bool
read_place(struct safari *s, int64_t *line)
{
	struct json_token t;

	while (json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		bool is_line = json_is(&t, "line");
		if (!json_next(&s->j, &t))
			break;
		if (is_line)
			*line = json_integer(&t);
		if (!json_skip(&s->j, &t))
			break;
	}
	return !s->j.failed;
}

static bool
read_frame(struct safari *s)
{
	name_id name = NAME_EMPTY, url = NAME_EMPTY;
	int64_t line = 0, column = 0, at = 0;
	struct json_token t;

	while (json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		static const char *const keys[] = {"name", "url", "line", "column",
						   "expressionLocation"};
		unsigned key = json_key(&t, keys, 5);
		if (!json_next(&s->j, &t))
			return false;
		if (key == 4 && t.kind == JSON_OBJECT) {
			if (!read_place(s, &at))
				return false;
			continue;
		}
		if (key < 2)
			*(key ? &url : &name) = json_name(s->b, &s->j, &t);
		else if (key < 4)
			*(key == 2 ? &line : &column) = json_integer(&t);
		if (!json_skip(&s->j, &t))
			return false;
	}
	/* code without a place has -1 there, as 32 bits */
	line = line > 0 && line < UINT32_MAX ? line : 0;
	column = column > 0 && column < UINT32_MAX ? column : 0;
	if (name == NAME_EMPTY)
		name = js_anonymous(s->b, url, line, column);
	struct name text = builder_name_get(s->b, name);
	struct function f = {
		.name = name,
		.file = url,
		.line = (uint32_t)line,
		.kind = (uint8_t)(js_is_system(text, builder_name_get(s->b, url))
					  ? KIND_SYSTEM
					  : KIND_USER),
	};
	*vec_push(&s->frame) = builder_frame(s->b, builder_function(s->b, f),
					     at > 0 && at < UINT32_MAX ? line_plain((uint32_t)at)
								       : line_unknown());
	return !s->j.failed;
}

static bool
read_sample(struct safari *s, uint64_t offset)
{
	struct js_sample sample = {.offset = offset};
	struct json_token t;
	bool timed = false;

	main_track(s); /* tracks stand in the order of the file */
	s->frame.n = 0;
	while (json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		bool time = json_is(&t, "timestamp"), frames = json_is(&t, "stackFrames");
		if (!json_next(&s->j, &t))
			break;
		if (time)
			timed = seconds(&t, &sample.end_ns);
		if (!(frames && t.kind == JSON_ARRAY)) {
			if (!json_skip(&s->j, &t))
				break;
			continue;
		}
		while (json_next(&s->j, &t) && t.kind != JSON_ARRAY_END)
			if (t.kind == JSON_OBJECT ? !read_frame(s) : !json_skip(&s->j, &t))
				break;
	}
	if (s->j.failed)
		return json_damage(&s->j, offset, s->e);
	if (!timed)
		return err_damage(s->e, offset, "a sample without its time");
	sample.stack = s->frame.n ? builder_stack_leaf_first(s->b, s->frame.at, s->frame.n)
				  : STACK_EMPTY;
	*vec_push(&s->sample) = sample;
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
	return builder_frame(s->b, builder_function(s->b, f), line_unknown());
}

static bool
read_record(struct safari *s, uint64_t offset)
{
	static const char *const keys[] = {"type", "eventType", "startTime", "endTime"};
	name_id type = NAME_EMPTY, event = NAME_EMPTY;
	bool starts = false, ends = false;
	int64_t start, end, length;
	struct json_token t;

	while (json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, 4);
		if (!json_next(&s->j, &t))
			break;
		if (key < 2)
			*(key ? &event : &type) = json_name(s->b, &s->j, &t);
		if (key == 2)
			starts = seconds(&t, &start);
		if (key == 3)
			ends = seconds(&t, &end);
		if (!json_skip(&s->j, &t))
			break;
	}
	if (s->j.failed)
		return json_damage(&s->j, offset, s->e);
	if (type == NAME_EMPTY || event == NAME_EMPTY || !starts || !ends ||
	    __builtin_sub_overflow(end, start, &length)) {
		s->others++;
		return true;
	}
	label_id label = builder_label_text(s->b, s->event_key, event);
	uint32_t lane = timelines_find(&s->lanes, 0);
	if (lane == TIMELINES_NONE)
		lane = timelines_add(&s->lanes, 0, "records", 7, TRACK_TASK);
	timelines_slice(&s->lanes, lane, start, length, record_frame(s, type),
			builder_labels(s->b, &label, 1));
	return true;
}

/* ---- the document ---- */

static bool
read_list(struct safari *s, bool (*read)(struct safari *, uint64_t offset))
{
	struct json_token t;

	while (json_next(&s->j, &t) && t.kind != JSON_ARRAY_END)
		if (t.kind == JSON_OBJECT ? !read(s, t.offset) : !json_skip(&s->j, &t))
			break;
	return !err_is_set(s->e) && fault(s, s->j.where);
}

static bool
read_durations(struct safari *s)
{
	struct json_token t;
	int64_t ns;

	while (json_next(&s->j, &t) && t.kind != JSON_ARRAY_END) {
		if (!seconds(&t, &ns) || ns < 0)
			return err_damage(s->e, t.offset, "a duration that is none");
		*vec_push(&s->duration) = ns;
	}
	return fault(s, s->j.where);
}

static bool
read_recording(struct safari *s)
{
	static const char *const keys[] = {"sampleStackTraces", "sampleDurations", "records",
					   "displayName"};
	struct json_token t;

	s->began = true;
	while (json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, 4);
		if (!json_next(&s->j, &t))
			break;
		bool good = key == 0 && t.kind == JSON_ARRAY   ? read_list(s, read_sample)
			    : key == 1 && t.kind == JSON_ARRAY ? read_durations(s)
			    : key == 2 && t.kind == JSON_ARRAY ? read_list(s, read_record)
							       : json_skip(&s->j, &t);
		if (key == 3 && good) {
			struct name name = builder_name_get(s->b, json_name(s->b, &s->j, &t));
			builder_info_bytes(s->b, "recording", name.at, name.len);
		}
		if (!good)
			break;
	}
	return !err_is_set(s->e) && fault(s, s->j.where);
}

static bool
read_document(struct safari *s)
{
	struct json_token t;
	bool good = true;

	if (!json_next(&s->j, &t) || t.kind != JSON_OBJECT)
		return fault(s, s->j.where) &&
		       err_refuse(s->e, "no timeline of Web Inspector: it is no object");
	while (good && json_next(&s->j, &t) && t.kind != JSON_OBJECT_END) {
		bool recording = json_is(&t, "recording"), version = json_is(&t, "version");
		if (!json_next(&s->j, &t))
			break;
		if (version && json_integer(&t) != 1)
			builder_warn(s->b, "version %" PRId64 ", read as version 1",
				     json_integer(&t));
		good = recording && t.kind == JSON_OBJECT ? read_recording(s)
							  : json_skip(&s->j, &t);
	}
	if (!good && err_is_set(s->e))
		return false;
	if (fault(s, s->j.where) && !s->began)
		return err_refuse(s->e, "no timeline of Web Inspector: it has no recording");
	return !err_is_set(s->e);
}

/* A sample lasts its duration and ends at its time; those without one have none. */
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
			return err_damage(e, x->offset, "times pass 2^63");
		bool any = x->stack != STACK_EMPTY;
		int64_t value[] = {any ? lasts : 0, any};
		builder_track_event(s->b, track);
		if (!builder_sample(s->b, series, start, x->stack, value, x->offset, e))
			return false;
		builder_track_end(s->b, track, x->end_ns);
	}
	if (s->duration.n < s->sample.n)
		builder_warn(s->b, "%zu samples have no duration",
			     s->sample.n - s->duration.n);
	return true;
}

static bool
write_records(struct safari *s, uint64_t offset, struct err *e)
{
	if (!timelines_any(&s->lanes))
		return true;
	metric_id async = builder_metric(s->b, "async", UNIT_NS, ROLE_TIME);
	builder_metric(s->b, "calls", UNIT_CALLS, ROLE_CALLS);
	return timelines_write(&s->lanes, async, offset, e);
}

static bool
safari_decode(struct input *in, struct builder *b, struct err *e)
{
	struct safari s = {.b = b, .e = e, .lanes = {.in = in, .b = b, .labelled = true}};
	struct err none;

	s.event_key = builder_name(b, "eventType", 9);
	json_init(&s.j, in);
	bool good = read_document(&s);
	err_init(&none);
	if (s.began) { /* what stands before damage is shown */
		good = write_samples(&s, good ? e : &none) && good;
		good = write_records(&s, input_offset(in), good ? e : &none) && good;
	}
	if (s.others)
		builder_info(b, "records not shown", "%" PRIu64, s.others);
	json_say(&s.j, b);
	timelines_release(&s.lanes);
	vec_release(&s.sample);
	vec_release(&s.duration);
	vec_release(&s.frame);
	return good;
}

const struct decoder decoder_safari = {
	.name = "safari",
	.title = "Timelines of Safari's Web Inspector",
	.manual = "safari",
	.made_of = MADE_JSON,
	.probe = safari_probe,
	.decode = safari_decode,
	.dump = json_dump,
};
