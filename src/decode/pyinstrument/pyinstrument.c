/* pyinstrument, the sampling profiler of Python (joerick/pyinstrument): its reports in JSON, and
 * its sessions (.pyisession), which have each sample.
 *
 *	{"start_time": 1.7e9, "duration": 0.5, "sample_count": 334, "cpu_time": 0.4,
 *	 "root_frame": {"function": "main", "class_name": "A", "file_path": "/x.py", "line_no": 12,
 *	                "time": 0.5, "is_application_code": true, "children": [frame, ...]}}
 *
 *	{..., "frame_records": [
 *	 [["MainThread\0<thread>\0140", "main\0/x.py\012\x01l15\x01cA"], 0.001], ...]}
 *
 * In a report `time` includes the children, and a child `[self]` is a part of its parent's own
 * time. Times have six decimals, so the children may exceed their parent by rounding.
 *
 * A frame of a session is a text: function, file and first line between NULs, then attributes, each
 * after 0x01: `l` the current line, `c` the class. A record has the time since the one before. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/json_read.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

#define NO_FRAME UINT32_MAX
#define ROUNDING_NS 1000

struct pyi_frame {
	uint32_t id, parent; /* a parent has the smaller id */
	uint64_t offset;
	name_id function, class, file;
	int64_t line, time_ns, children_ns;
	int64_t n_children;
	bool has_time, application, has_application;
};

/* The meaning of a text in a session. */
struct pyi_place {
	frame_id frame;
	struct series *thread; /* NULL: it is a frame */
};

struct pyi_thread {
	name_id name;
	struct series *series;
};

struct pyi {
	struct builder *b;
	struct err *e;
	metric_id time, samples;
	VEC(struct pyi_frame) frame;
	uint32_t at; /* the frame that is read; NO_FRAME: none */
	uint64_t negative;
	VEC(struct pyi_place) place;
	struct text_cache place_of; /* text -> index + 1 */
	VEC(struct pyi_thread) thread;
	struct buf text;
	int64_t clock_ns;
	bool sampled; /* there are records */
};

/* ---- functions ---- */

static frame_id
pyi_make_frame(struct pyi *p, struct function f, name_id class, int64_t line)
{
	struct name of = builder_name_get(p->b, class), name = builder_name_get(p->b, f.name);

	if (name_is(builder_name_get(p->b, f.file), "<built-in>")) {
		f.file = NAME_EMPTY;
		f.kind = KIND_SYSTEM;
	}
	if (of.len)
		f.name = builder_namef(p->b, "%.*s.%.*s", (int)of.len, of.at, (int)name.len,
				       name.at);
	if (f.name == NAME_EMPTY)
		f.name = builder_name(p->b, "[unknown]", 9);
	return builder_frame_of(p->b, f, line);
}

/* ---- reports ---- */

static void *
pyi_frame_begin(struct rows_json *r, void *parent UNUSED, void *own)
{
	struct pyi *p = r->context;
	struct pyi_frame *f = own;

	*f = (struct pyi_frame){.id = (uint32_t)p->frame.n, .parent = p->at, .offset = r->offset};
	*vec_push(&p->frame) = *f;
	p->at = f->id;
	return f;
}

static bool
pyi_frame_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct pyi *p = r->context;
	const struct pyi_frame *f = element;

	p->frame.at[f->id] = *f;
	p->at = f->parent;
	return true;
}

static bool children_read(struct rows_json *r, void *frame, const struct json_token *t);

#define FRAME struct pyi_frame
static const struct json_row frame_rows[] = {
	{"function", ROW_NAME(FRAME, function)},
	{"class_name", ROW_NAME(FRAME, class)},
	{"file_path", ROW_NAME(FRAME, file)},
	{"line_no", ROW_NUMBER(FRAME, line)},
	{"time", ROW_NUMBER(FRAME, time_ns), .scale = 9, ROW_HAS(FRAME, has_time)},
	{"is_application_code", ROW_TRUTH(FRAME, application), ROW_HAS(FRAME, has_application)},
	{"children", ROW_INSIDE(children_read)},
	{0},
};
static const struct json_list frames = {
	.rows = frame_rows, .size = sizeof(FRAME), .begin = pyi_frame_begin, .end = pyi_frame_take,
	.torn = true};

static bool
children_read(struct rows_json *r, void *frame, const struct json_token *t)
{
	static const struct json_row row = {"", ROW_LIST(&frames)};

	return rows_json_value(r, &row, frame, t);
}

static bool
pyi_is_self(const struct pyi *p, const struct pyi_frame *f)
{
	return name_is(builder_name_get(p->b, f->function), "[self]");
}

/* Returns what a frame has beside its children. */
static int64_t
pyi_self(struct pyi *p, const struct pyi_frame *f)
{
	int64_t self;

	if (__builtin_sub_overflow(f->time_ns, f->children_ns, &self))
		return 0;
	if (self < 0 && self >= -ROUNDING_NS * (f->n_children + 1))
		return 0;
	p->negative += self < 0;
	return self;
}

static bool
pyi_frames_write(struct pyi *p)
{
	stack_id *stack = mem_alloc(p->frame.n + 1, sizeof *stack);
	track_id track = builder_main(p->b);
	struct series *series = builder_totals(p->b, track, &p->time, 1);
	bool good = true;

	for (size_t i = p->frame.n; i-- > 0;) {
		struct pyi_frame *f = &p->frame.at[i];
		if (!f->has_time) /* it was truncated before its time */
			f->time_ns = f->children_ns;
		if (f->parent == NO_FRAME || pyi_is_self(p, f))
			continue;
		struct pyi_frame *above = &p->frame.at[f->parent];
		above->n_children++;
		if (__builtin_add_overflow(above->children_ns, f->time_ns, &above->children_ns))
			above->children_ns = INT64_MAX;
	}
	for (size_t i = 0; i < p->frame.n && good; i++) {
		const struct pyi_frame *f = &p->frame.at[i];
		stack_id parent = f->parent == NO_FRAME ? STACK_EMPTY : stack[f->parent];
		stack[i] = parent;
		if (pyi_is_self(p, f) && f->parent != NO_FRAME)
			continue;
		bool system = f->has_application && !f->application;
		struct function fn = {.name = f->function, .file = f->file,
				      .line = line_numbered(f->line).number,
				      .kind = (uint8_t)(system ? KIND_SYSTEM : KIND_USER)};
		stack[i] = builder_child(p->b, parent, pyi_make_frame(p, fn, f->class, 0));
		int64_t self = pyi_self(p, f);
		builder_track_event(p->b, track);
		good = builder_total(p->b, series, stack[i], &self, f->offset, p->e);
	}
	free(stack);
	return good;
}

/* ---- sessions ---- */

static struct series *
pyi_series(struct pyi *p, name_id name)
{
	for (size_t i = 0; i < p->thread.n; i++)
		if (p->thread.at[i].name == name)
			return p->thread.at[i].series;
	struct name text = builder_name_get(p->b, name);
	track_id track = text.len ? builder_track(p->b, text.at, text.len, TRACK_THREAD)
				  : builder_main(p->b);
	struct series *s = builder_samples(p->b, track, (metric_id[]){p->time, p->samples}, 2);
	*vec_push(&p->thread) = (struct pyi_thread){name, s};
	return s;
}

/* Returns the part of a text up to a byte, and steps over both. */
static struct name
pyi_part(const char **at, const char *end, char stop)
{
	const char *begin = *at, *to = memchr(begin, stop, (size_t)(end - begin));

	*at = to ? to + 1 : end;
	return (struct name){.at = begin, .len = (uint32_t)((to ? to : end) - begin)};
}

static struct pyi_place
pyi_place_make(struct pyi *p, const char *at, size_t len)
{
	const char *end = at + len;
	struct name head = pyi_part(&at, end, 1);
	const char *in = head.at, *head_end = head.at + head.len;
	struct name function = pyi_part(&in, head_end, 0), file = pyi_part(&in, head_end, 0);
	struct function f = {.name = builder_name(p->b, function.at, function.len),
			     .file = builder_name(p->b, file.at, file.len), .kind = KIND_USER};
	name_id class = NAME_EMPTY;
	int64_t line = 0;

	if (name_is(file, "<thread>"))
		return (struct pyi_place){.thread = pyi_series(p, f.name)};
	if (decimal_scaled(in, (size_t)(head_end - in), 0, &line))
		f.line = line_numbered(line).number;
	line = 0;
	while (at < end) {
		struct name attribute = pyi_part(&at, end, 1);
		if (attribute.len && attribute.at[0] == 'c')
			class = builder_name(p->b, attribute.at + 1, attribute.len - 1);
		else if (attribute.len && attribute.at[0] == 'l')
			decimal_scaled(attribute.at + 1, attribute.len - 1, 0, &line);
	}
	return (struct pyi_place){.frame = pyi_make_frame(p, f, class, line)};
}

static const struct pyi_place *
pyi_place_of(struct pyi *p, struct json *j, const struct json_token *t)
{
	struct hash128 hash = hash128(t->at, t->len);
	uint32_t *index = text_cache_find(&p->place_of, hash);

	if (!*index) {
		buf_reset(&p->text);
		json_text(j, t, &p->text);
		*vec_push(&p->place) = pyi_place_make(p, buf_str(&p->text), p->text.len);
		text_cache_put(&p->place_of, index, hash, (uint32_t)p->place.n);
		return &p->place.at[p->place.n - 1];
	}
	return &p->place.at[*index - 1];
}

/* Reads the rest of a record, after its bracket. */
static bool
record_read(struct rows_json *r, uint64_t offset)
{
	struct pyi *p = r->context;
	struct series *series = NULL;
	struct json_token t;
	int64_t value[2] = {0, 1};
	bool good = true;

	while (good && json_next(&r->j, &t) && t.kind != JSON_ARRAY_END)
		if (t.kind == JSON_NUMBER)
			decimal_scaled(t.at, t.len, 9, &value[0]);
		else if (t.kind != JSON_ARRAY)
			good = json_skip(&r->j, &t);
		else
			while (json_next(&r->j, &t) && t.kind != JSON_ARRAY_END) {
				if (t.kind != JSON_STRING) {
					json_skip(&r->j, &t);
					continue;
				}
				const struct pyi_place *place = pyi_place_of(p, &r->j, &t);
				if (place->thread)
					series = place->thread;
				else
					builder_next_frame(p->b, place->frame);
			}
	stack_id stack = builder_next_stack(p->b);
	if (r->j.failed)
		return false;
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(p->b, 1);
	if (!series)
		series = pyi_series(p, NAME_EMPTY);
	if (value[0] < 0)
		value[0] = 0;
	good = builder_sample(p->b, series, p->clock_ns, stack, value, offset, p->e);
	if (good && __builtin_add_overflow(p->clock_ns, value[0], &p->clock_ns))
		good = err_damage(p->e, offset, "times exceed 2^63");
	return good;
}

static bool
records_read(struct rows_json *r, void *document, const struct json_token *t)
{
	struct pyi *p = document;
	struct json_token record;

	if (t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	p->sampled = true;
	while (json_next(&r->j, &record) && record.kind != JSON_ARRAY_END) {
		r->record = record.offset;
		if (record.kind == JSON_ARRAY ? !record_read(r, record.offset)
					      : !json_skip(&r->j, &record))
			return false;
	}
	r->record = r->j.failed ? r->record : JSON_NO_RECORD;
	return !r->j.failed;
}

/* ---- the decoder ---- */

static const struct json_row document_rows[] = {
	{"target_description", ROW_FACT("target")},
	{"program", ROW_FACT("target")},
	{"duration", ROW_FACT("duration s")},
	{"cpu_time", ROW_FACT("cpu s")},
	{"sample_count", ROW_FACT("samples taken")},
	{"root_frame", ROW_ELEMENT(&frames)},
	{"frame_records", ROW_INSIDE(records_read)},
	{0},
};

static bool
pyinstrument_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pyi p = {.b = b, .e = e, .at = NO_FRAME};
	struct err first = {0};

	p.time = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	p.samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(b, p.time);
	bool read = json_decode(in, b, &first, document_rows, &p, "not a profile of pyinstrument");
	if (!p.sampled)
		builder_metric_unused(b, p.samples);
	bool good = (p.sampled || pyi_frames_write(&p)) && read;
	if (p.sampled)
		builder_info(b, "assumed", "samples follow each other without gaps");
	builder_warn_count(
		b, p.negative,
		"frame costs less than its callees: its self time is negative",
		"frames cost less than their callees: their self time is negative");
	if (!read && !err_is_set(e))
		*e = first;
	vec_release_all(&p.frame, &p.place, &p.thread);
	text_cache_release(&p.place_of);
	buf_release(&p.text);
	return good;
}

const struct decoder decoder_pyinstrument = {
	.name = "pyinstrument",
	.title = "pyinstrument: reports in JSON and sessions",
	.made_of = MADE_JSON,
	.members = "root_frame/function duration|root_frame duration sample_count|"
		   "frame_records duration sample_count",
	.sure = 95,
	.decode = pyinstrument_decode,
};
