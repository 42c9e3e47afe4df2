/* The output of macOS' sample(1) (and of Activity Monitor: "Sample Process"): a call graph with the
 * number of samples of a thread at each place.
 *
 *	Analysis of sampling depot (pid 4711) every 1 millisecond
 *	Call graph:
 *	    844 Thread_2503   DispatchQueue_1: com.apple.main-thread  (serial)
 *	    + 844 start  (in libdyld.dylib) + 1  [0x7fff6842a085]
 *	    +   800 main  (in depot) + 74  [0x10a279f6a]  main.c:353
 *	    +   ! 217 madvise  (in libsystem_kernel.dylib) + 10  [0x7fffca958f32]
 *
 * The width before a line's number gives its depth: four blanks, then two characters of ` +!:|` a
 * level. The lists after the graph contain nothing new. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/rollup.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"

#define INDENT 4u
#define TIMES_MAX (INT64_C(3600) * 1000000000)

struct sample {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	enum { BEFORE_GRAPH, IN_GRAPH, BEHIND_GRAPH } place;
	int64_t interval_ns; /* 0: not said */
	metric_id metric[2];
	track_id track;
	struct series *series;
	struct rollup rows; /* [0] is the thread */
};

static int
sample_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	bool said = false;

	if (!head_has(head, "Call graph:"))
		return 0;
	while (head_line(head, &next, &at, &end)) {
		said |= begins_with(at, end, "Analysis of sampling ") ||
			begins_with(at, end, "Sampling process ") ||
			begins_with(at, end, "Date/Time:");
		if (said && begins_with(at, end, "Call graph:"))
			return 95;
	}
	return 0;
}

/* ---- the head ---- */

/* `... every 1 millisecond`, `... with 10 milliseconds of run time between samples` */
static void
interval_read(struct sample *s, const char *at, const char *end)
{
	static const char *const before[] = {" every ", " with "};

	for (size_t i = 0; i < 2 && !s->interval_ns; i++) {
		const char *number = text_find(at, end, before[i]);
		if (!number)
			continue;
		number += strlen(before[i]);
		const char *number_end = word_end(number, end);
		int64_t ns;
		if (begins_with(number_end, end, " millisecond") &&
		    decimal_scaled(number, (size_t)(number_end - number), 6, &ns) && ns > 0 &&
		    ns < TIMES_MAX)
			s->interval_ns = ns;
	}
}

static void
head_line_read(struct sample *s, const char *at, const char *end)
{
	static const char *const facts[][2] = {
		{"Process:", "process"},	  {"Path:", "path"},
		{"Version:", "version"},	  {"Code Type:", "code type"},
		{"Date/Time:", "date"},		  {"OS Version:", "os version"},
		{"Physical footprint:", "physical footprint"},
	};

	if (begins_with(at, end, "Analysis of sampling ") ||
	    begins_with(at, end, "Sampling process "))
		interval_read(s, at, end);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (!begins_with(at, end, facts[i][0]))
			continue;
		const char *value = skip_blanks(at + strlen(facts[i][0]), end);
		builder_info_bytes(s->b, facts[i][1], value, (size_t)(end - value));
	}
}

static void
graph_begin(struct sample *s)
{
	s->place = IN_GRAPH;
	s->metric[0] = builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	s->metric[1] = builder_metric(s->b, "time", UNIT_NS, ROLE_VALUE);
	builder_default_metric(s->b, s->metric[0]);
	if (!s->interval_ns) {
		s->interval_ns = 1000000;
		builder_info(s->b, "assumed", "a sample every millisecond");
	}
	builder_info(s->b, "interval", "%" PRId64 " ns", s->interval_ns);
}

/* ---- rows ---- */

static bool
close_rows(struct sample *s, size_t depth)
{
	struct rollup_row r;

	while (rollup_close(&s->rows, depth, &r)) {
		int64_t value[2] = {r.self};
		if (!r.self)
			continue;
		if (r.stack == STACK_EMPTY)
			r.stack = builder_stack_missing(s->b, (uint64_t)r.self);
		if (__builtin_mul_overflow(r.self, s->interval_ns, &value[1]))
			return err_damage(s->e, r.offset, "the sum of the values exceeds 2^63");
		if (!builder_total(s->b, s->series, r.stack, value, r.offset, s->e))
			return false;
	}
	return true;
}

/* `Thread_2503: NAME   DispatchQueue_1: com.apple.main-thread  (serial)`; everything after the
 * number may be missing. */
static void
thread(struct sample *s, const char *at, const char *end)
{
	const char *id = begins_with(at, end, "Thread_") ? at + 7 : at, *id_end = id;
	const char *queue = text_find(at, end, "DispatchQueue_"), *name, *name_end;
	struct buf text = BUF_INIT;

	while (id_end < end && *id_end != ':' && !is_blank(*id_end))
		id_end++;
	name = skip_blanks(id_end + (id_end < end && *id_end == ':'), end);
	name_end = queue ? queue : end;
	if (name >= name_end && queue) {
		const char *colon = text_find(queue, end, ": ");
		name = colon ? colon + 2 : end;
		name_end = text_find(name, end, "  (");
		name_end = name_end ? name_end : end;
	}
	name_end = drop_blanks(name, name_end);
	if (name < name_end)
		buf_add(&text, name, (size_t)(name_end - name));
	else
		buf_adds(&text, "thread");
	buf_addc(&text, ' ');
	buf_add(&text, id, (size_t)(id_end - id));
	s->track = builder_track(s->b, buf_str(&text), text.len, TRACK_THREAD);
	s->series = builder_totals(s->b, s->track, s->metric, 2);
	buf_release(&text);
}

/* Reads `file.c:12` after the address, or nothing. */
static struct line
place_read(struct sample *s, const char *at, const char *end, struct function *f)
{
	const char *colon = NULL;
	int64_t line;

	for (const char *c = at; c < end; c++)
		if (*c == ':')
			colon = c;
	if (!colon || colon == at)
		return line_unknown();
	const char *digits = colon + 1, *digits_end = digits;
	while (digits_end < end && is_digit(*digits_end)) /* it may be a list of lines */
		digits_end++;
	if (!number_parse(digits, digits_end, &line))
		return line_unknown();
	f->file = builder_name(s->b, at, (size_t)(colon - at));
	return line_numbered(line);
}

/* Reads `NAME  (in MODULE) + OFFSET  [0xADDRESS]  FILE:LINE`. Only the name is required. */
static frame_id
frame_read(struct sample *s, const char *at, const char *end)
{
	const char *module = text_find(at, end, "  (in "), *behind = at, *name_end = end;
	struct line line = line_unknown();
	struct function f = {0};

	if (module) {
		name_end = module;
		module += 6;
		const char *close = text_find(module, end, ")");
		behind = close ? close : end;
		f.module = builder_name(s->b, module, (size_t)(behind - module));
	}
	const char *address = text_find(behind, end, "  [0x"), *address_end = end;
	if (address) {
		name_end = module ? name_end : address;
		address += 3;
		const char *close = text_find(address, end, "]");
		if (close) {
			const char *file = skip_blanks(close + 1, end);
			line = place_read(s, file, end, &f);
			address_end = close;
		}
		for (const char *c = address; c < address_end; c++)
			if (*c == ',')
				address_end = c;
	}
	if (name_end - at == 3 && !memcmp(at, "???", 3) && address) {
		at = address;
		name_end = address_end;
	}
	f.name = builder_name(s->b, at, (size_t)(name_end - at));
	f.kind = (uint8_t)kind_of_name(at, (size_t)(name_end - at));
	return builder_frame(s->b, builder_function(s->b, f), line);
}

/* Returns false if the line is not a row, without damage in *s->e.  The rows below such a line
 * have no parent and are ignored, too: their samples stay with the row above it. */
static bool
row(struct sample *s, const char *line, const char *end)
{
	const char *at = line;
	int64_t count;

	while (at < end && *at && strchr(" +!:|", *at))
		at++;
	size_t depth = (size_t)(at - line);
	if (depth < INDENT || (depth - INDENT) % 2 || (depth - INDENT) / 2 > s->rows.open.n ||
	    (depth - INDENT) / 2 > STACK_DEPTH_MAX)
		return false;
	depth = (depth - INDENT) / 2;
	const char *number_end = word_end(at, end), *name = skip_blanks(number_end, end);
	if (!close_rows(s, depth) || !number_parse(at, number_end, &count) || count < 0 ||
	    name == end)
		return false;
	if (!depth)
		thread(s, name, end);
	frame_id frame = depth ? frame_read(s, name, end) : 0;
	if (!rollup_open(&s->rows, s->b, depth ? &frame : NULL, count, 0, s->offset))
		return err_damage(s->e, s->offset, "the sum of the values exceeds 2^63");
	builder_track_event(s->b, s->track);
	return true;
}

static bool
sample_line_read(struct sample *s, const char *at, const char *end)
{
	if (s->place == BEFORE_GRAPH) {
		if (begins_with(at, end, "Call graph:"))
			graph_begin(s);
		else
			head_line_read(s, at, end);
		return true;
	}
	if (s->place == BEHIND_GRAPH || (at == end && !s->rows.open.n))
		return true;
	if (at == end || begins_with(at, end, "Total number in stack") ||
	    begins_with(at, end, "Sort by top of stack") ||
	    begins_with(at, end, "Binary Images:")) {
		s->place = BEHIND_GRAPH;
		return true;
	}
	return row(s, at, end);
}

static bool
sample_decode(struct input *in, struct builder *b, struct err *e)
{
	struct sample s = {.b = b, .e = e};
	struct text_line line;
	struct odd_lines odd = {0};
	struct lines lines;
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		s.offset = line.offset;
		const char *end = line.at + line.len;
		if (line.cut)
			good = err_damage(e, line.offset, "the line is too long");
		else
			good = last_line_whole(in, line.ended, line.offset,
					       s.place == IN_GRAPH ? last_line_open(line.at, end)
								   : LAST_CLOSED, e) &&
			       (sample_line_read(&s, line.at, end) ||
				(!err_is_set(e) && odd_line(&odd, in, &line, e)));
	}
	if (good && s.place == BEFORE_GRAPH)
		good = err_refuse(e, "not output of sample: it has no call graph");
	good = close_rows(&s, 0) && good;
	odd_lines_report(&odd, b);
	if (s.rows.gap > 0)
		builder_warn(b, "lines have more samples than the one above them, by %" PRId64
				" at most: they are kept", s.rows.gap);
	if (good && s.place == IN_GRAPH && !input_stopped(in))
		good = err_damage(e, input_offset(in), "the end of the call graph is missing");
	rollup_release(&s.rows);
	return good;
}

const struct decoder decoder_sample = {
	.name = "sample",
	.title = "sample of macOS: a call graph of each thread",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = sample_probe,
	.decode = sample_decode,
};
