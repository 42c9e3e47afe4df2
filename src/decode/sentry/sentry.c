/* Profiles of Sentry's SDKs in the sample format: version 1, of a transaction, and version 2,
 * chunks of a continuous profile; alone, or as an item of an envelope.
 *
 *	{"version": "1", "platform": "python", "transaction": {"name": ...}, "profile": {
 *	 "samples": [{"stack_id": 0, "thread_id": "7", "elapsed_since_start_ns": 9900990}],
 *	 "stacks": [[1, 0]], "frames": [{"function": "main", "module": "app", "lineno": 3,
 *	 "filename": "app.py", "abs_path": "/srv/app.py", "in_app": true}],
 *	 "thread_metadata": {"7": {"name": "MainThread"}}}}
 *
 * Stacks are leaf first. Version 2 has `timestamp` in seconds since 1970 instead. Some SDKs write
 * numbers as strings. An envelope is JSON documents on lines: its header, then a header
 * and a document for each item; so all documents of a file are read, and those without a profile
 * are passed over.
 *
 * A sample has no duration. Sentry lets it last until the next one of its thread, and the last one
 * for no time, and so does this decoder. Members come in any order, so the samples wait for
 * the end of their document. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/ordered.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/json_read.h"

#define HEADER_MAX 512u /* bytes of the header of an item */

struct sentry_frame {
	name_id function, module, package, file, path, address;
	int64_t line;
	bool in_app, has_in_app;
};

struct sentry_sample {
	int64_t time, stack;
	uint64_t offset;
	name_id thread; /* its id; then the index of its thread */
	bool has_time, stamped; /* stamped: since 1970 */
};

struct sentry_thread {
	name_id id, name;
	struct series *series;
};

struct sentry {
	struct builder *b;
	struct err *e;
	metric_id metric[2];
	/* of one document */
	VEC(frame_id) frame;
	VEC(int64_t) number;    /* the frames of stacks */
	VEC(size_t) stack;      /* where each begins in `number` */
	VEC(stack_id) known;    /* stack -> the builder's; STACK_NONE: not made yet */
	VEC(struct sentry_sample) sample;
	/* of all */
	VEC(struct sentry_thread) thread;
	struct idmap thread_of;
	int64_t zero; /* the time since 1970 at which the axis begins */
	bool has_zero;
	uint64_t documents, unknown, timeless;
};

/* ---- the probe ---- */

/* Recognises an envelope by its second line, or a later one in the head. */
static int
sentry_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	while (at < end && (*at == '\n' || *at == '\r'))
		at++;
	if (at == end || *at != '{')
		return 0;
	while ((at = memchr(at, '\n', (size_t)(end - at))) && ++at < end && *at == '{') {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);
		const char *type = len < HEADER_MAX ? memmem(at, len, "\"type\":", 7) : NULL;
		const char *value = type ? type + 7 : at + len;
		value += value < at + len && *value == ' ';
		if (at + len - value > 8 && !memcmp(value, "\"profile", 8) &&
		    (value[8] == '"' || value[8] == '_'))
			return 95;
	}
	return 0;
}

/* ---- reading ---- */

static bool
sentry_frame_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct sentry *s = r->context;
	const struct sentry_frame *f = element;
	name_id name = f->function;
	bool placed = f->line > 0 || f->file != NAME_EMPTY || f->path != NAME_EMPTY;

	if (name == NAME_EMPTY)
		name = placed			   ? builder_name(s->b, "(anonymous)", 11)
		       : f->address != NAME_EMPTY ? f->address
						   : builder_name(s->b, "[unknown]", 9);
	*vec_push(&s->frame) = builder_frame_of(
		s->b,
		(struct function){
			.name = name,
			.file = f->path != NAME_EMPTY ? f->path : f->file,
			.module = f->module != NAME_EMPTY ? f->module : f->package,
			.kind = (uint8_t)(f->has_in_app && !f->in_app ? KIND_SYSTEM : KIND_USER),
		},
		f->line);
	return true;
}

static bool
stacks_read(struct rows_json *r, void *none UNUSED, const struct json_token *t)
{
	static const struct json_row row = {
		"", ROW_NUMBERS(struct sentry, number), .loose = true};
	struct sentry *s = r->context;
	struct json_token stack;

	if (t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	while (json_next(&r->j, &stack) && stack.kind != JSON_ARRAY_END) {
		*vec_push(&s->stack) = s->number.n;
		if (!rows_json_value(r, &row, s, &stack))
			return false;
	}
	return !r->j.failed;
}

static bool
sentry_sample_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct sentry *s = r->context;
	struct sentry_sample *sample = element;

	sample->offset = r->offset;
	*vec_push(&s->sample) = *sample;
	return true;
}

/* Returns the index of the thread of an id, which is a text. */
static uint32_t
sentry_thread_of(struct sentry *s, name_id id)
{
	uint32_t i;

	if (idmap_add(&s->thread_of, id, s->thread.n, &i))
		*vec_push(&s->thread) = (struct sentry_thread){.id = id};
	return i;
}

static bool
thread_take(struct rows_json *r, void *none UNUSED, void *element)
{
	struct sentry *s = r->context;
	name_id id = builder_name(s->b, buf_str(&r->key), r->key.len);

	uint32_t thread = sentry_thread_of(s, id); /* may move the table */
	s->thread.at[thread].name = ((struct sentry_thread *)element)->name;
	return true;
}

#define FRAME struct sentry_frame
#define SAMPLE struct sentry_sample
static const struct json_row frame_rows[] = {
	{"function", ROW_NAME(FRAME, function)},
	{"module", ROW_NAME(FRAME, module)},
	{"package", ROW_NAME(FRAME, package)},
	{"filename", ROW_NAME(FRAME, file)},
	{"abs_path", ROW_NAME(FRAME, path)},
	{"instruction_addr", ROW_NAME(FRAME, address)},
	{"lineno", ROW_NUMBER(FRAME, line)},
	{"in_app", ROW_TRUTH(FRAME, in_app), ROW_HAS(FRAME, has_in_app)},
	{0},
};
static const struct json_row sample_rows[] = {
	{"stack_id", ROW_NUMBER(SAMPLE, stack), .loose = true,
	 .must = "a sample without its stack"},
	{"thread_id", ROW_NAME(SAMPLE, thread), .loose = true},
	{"elapsed_since_start_ns", ROW_NUMBER(SAMPLE, time), .loose = true,
	 ROW_HAS(SAMPLE, has_time)},
	{"timestamp", ROW_NUMBER(SAMPLE, time), .scale = 9, .loose = true,
	 ROW_HAS(SAMPLE, stamped)},
	{0},
};
static const struct json_row thread_rows[] = {
	{"name", ROW_NAME(struct sentry_thread, name)},
	{0},
};
static const struct json_list threads = {
	.rows = thread_rows, .size = sizeof(struct sentry_thread), .end = thread_take};
static const struct json_row metadata_rows[] = {{"*", ROW_ELEMENT(&threads)}, {0}};
static const struct json_row profile_rows[] = {
	{"frames", ROW_LIST_OF(FRAME, frame_rows, sentry_frame_take)},
	{"stacks", ROW_INSIDE(stacks_read)},
	{"samples", ROW_RECORDS_OF(SAMPLE, sample_rows, sentry_sample_take)},
	{"thread_metadata", ROW_HERE(metadata_rows)},
	{0},
};
static const struct json_row transaction_rows[] = {{"name", ROW_FACT("transaction")}, {0}};
static const struct json_row document_rows[] = {
	{"profile", ROW_HERE(profile_rows)},
	{"transaction", ROW_HERE(transaction_rows)},
	{"platform", ROW_FACT("platform")},
	{"environment", ROW_FACT("environment")},
	{"release", ROW_FACT("release")},
	{0},
};

/* ---- samples ---- */

static frame_id
sentry_frame_at(struct sentry *s, int64_t i)
{
	if (i >= 0 && (uint64_t)i < s->frame.n)
		return s->frame.at[i];
	s->unknown++;
	return builder_frame(s->b, builder_function_unknown(s->b), line_unknown());
}

static stack_id
sentry_stack_of(struct sentry *s, int64_t i)
{
	if (i < 0 || (uint64_t)i >= s->stack.n) {
		builder_next_frame(s->b, sentry_frame_at(s, -1));
		return builder_next_leaf_first(s->b);
	}
	stack_id *known = &s->known.at[i];
	if (*known == STACK_NONE) {
		size_t end = (size_t)i + 1 < s->stack.n ? s->stack.at[i + 1] : s->number.n;
		for (size_t k = s->stack.at[i]; k < end; k++)
			builder_next_frame(s->b, sentry_frame_at(s, s->number.at[k]));
		*known = builder_next_leaf_first(s->b);
	}
	return *known != STACK_EMPTY ? *known : builder_stack_missing(s->b, 1);
}

static struct series *
sentry_series(struct sentry *s, struct sentry_thread *t)
{
	if (t->series)
		return t->series;
	struct name id = builder_name_get(s->b, t->id), name = builder_name_get(s->b, t->name);
	track_id track = name.len ? builder_track(s->b, name.at, name.len, TRACK_THREAD)
			 : id.len ? builder_trackf(s->b, TRACK_THREAD, "thread %.*s", (int)id.len,
						   id.at)
				  : builder_main(s->b);
	t->series = builder_samples(s->b, track, s->metric, 2);
	return t->series;
}

ORDERED_BY_THREE(by_thread, struct sentry_sample, thread, time, offset)

/* Removes samples without a time, and moves times since 1970 to the axis. */
static void
sentry_times(struct sentry *s)
{
	size_t n = 0;
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < s->sample.n; i++) {
		struct sentry_sample *sample = &s->sample.at[i];
		sample->thread = sentry_thread_of(s, sample->thread);
		if (sample->stamped && sample->time < first)
			first = sample->time;
		if (sample->stamped || sample->has_time)
			s->sample.at[n++] = *sample;
	}
	s->timeless += s->sample.n - n;
	s->sample.n = n;
	if (first != INT64_MAX && !s->has_zero) {
		s->zero = first;
		s->has_zero = true;
	}
	for (size_t i = 0; i < n; i++)
		if (s->sample.at[i].stamped &&
		    __builtin_sub_overflow(s->sample.at[i].time, s->zero, &s->sample.at[i].time))
			s->sample.at[i].time = INT64_MAX;
}

/* Writes the samples of one document, which are complete or followed by damage. */
static bool
sentry_write(struct sentry *s)
{
	bool good = true;

	s->documents += s->sample.n > 0;
	sentry_times(s);
	for (size_t i = 0; i < s->stack.n; i++)
		*vec_push(&s->known) = STACK_NONE;
	vec_sort(&s->sample, by_thread);
	for (size_t i = 0; i < s->sample.n && good; i++) {
		const struct sentry_sample *x = &s->sample.at[i], *next = x + 1;
		int64_t value[2] = {0, 1};
		if (i + 1 < s->sample.n && next->thread == x->thread &&
		    __builtin_sub_overflow(next->time, x->time, &value[0]))
			value[0] = 0;
		good = builder_sample(s->b, sentry_series(s, &s->thread.at[x->thread]), x->time,
				      sentry_stack_of(s, x->stack), value, x->offset, s->e);
	}
	s->frame.n = s->number.n = s->stack.n = s->known.n = s->sample.n = 0;
	return good;
}

/* ---- the decoder ---- */

static bool
sentry_decode(struct input *in, struct builder *b, struct err *e)
{
	struct sentry s = {.b = b, .e = e};
	struct rows_json r;
	struct err first = {0};
	bool good;

	s.metric[0] = builder_metric(b, "time", UNIT_NS, ROLE_VALUE);
	s.metric[1] = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(b, s.metric[0]);
	json_rows_begin(&r, in, b, &first, &s);
	do {
		good = rows_json_document(&r, document_rows, NULL, "not a profile of Sentry");
		good = sentry_write(&s) && good;
	} while (good && json_another(&r.j));
	if (err_is_set(&first) && !err_is_set(e))
		*e = first;
	json_rows_end(&r);
	if (s.documents > 1)
		builder_info(b, "profiles", "%" PRIu64, s.documents);
	builder_info(b, "assumed", "a sample lasts until the next one of its thread");
	builder_warn_count(b, s.unknown, "frame or stack is not in the file: [unknown]",
			   "frames or stacks are not in the file: [unknown]");
	builder_warn_count(b, s.timeless, "sample without a time, ignored",
			   "samples without a time, ignored");
	vec_release_all(&s.frame, &s.number, &s.stack, &s.known, &s.sample, &s.thread);
	idmap_release_all(&s.thread_of);
	return good;
}

const struct decoder decoder_sentry = {
	.name = "sentry",
	.title = "Sentry: profiles of transactions, chunks of continuous ones",
	.made_of = MADE_JSON,
	.members = "profile/samples profile/stacks profile/frames",
	.sure = 95,
	.probe = sentry_probe,
	.decode = sentry_decode,
};
