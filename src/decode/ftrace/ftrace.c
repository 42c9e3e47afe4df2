/* Text of the kernel's tracer: `trace` and `trace_pipe` of tracefs, `trace-cmd report`,
 * systrace's HTML (Documentation/trace/ftrace.rst).
 *
 *	            shop-42    (   40) [001] d..2  12.345678: sched_switch: prev_comm=shop ...
 *	 => schedule
 *	 1)   0.541 us    |        kfree();
 *
 * A comm may contain blanks, dashes and brackets; the pid follows its last dash. Most lines
 * have a time.  Lines of function_graph mostly have a duration, and a time only within each
 * processor.
 *
 * The track of a processor shows which thread runs there.  The track of a thread shows the
 * slices that programs mark (atrace), functions, and a sample for each other event, so that
 * views find it by its time. */
#include "src/decode/ftrace/ftrace.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"
#include "src/input/lines.h"

#define STRANGE_FIRST 100u

/* ---- a line ---- */

/* Old systrace files contain their text as a JavaScript string. */
static const char *
without_escape(const char *at, const char *end)
{
	return end - at >= 3 && !memcmp(end - 3, "\\n\\", 3) ? end - 3 : end;
}

/* Returns true for the lines that trace-cmd prints before the events. */
static bool
is_heading(const char *at, const char *end)
{
	return begins_with(at, end, "cpus=") || begins_with(at, end, "version = ") ||
	       (begins_with(at, end, "CPU ") && end - at > 12 &&
		!memcmp(end - 9, " is empty", 9));
}

/* ---- the probe ---- */

static bool
is_graph_line(const char *at, const char *end)
{
	const char *digits = skip_blanks(at, end), *c = digits_end(digits, end);

	return c > digits && c < end && *c == ')' && memchr(c, '|', (size_t)(end - c));
}

static int
ftrace_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	unsigned events = 0, graph = 0, others = 0;
	struct ftrace_line line;
	bool first = true;

	if (tracedat_is(head.at, head.len))
		return 100;
	while (events + others < 40 && head_line(head, &next, &at, &end)) {
		if (begins_with(at, end, "# tracer: "))
			return 100;
		if (first && begins_with(at, end, "cpus=") && is_digit(*(end - 1)))
			return 90;
		if (first && (begins_with(at, end, "<!DOCTYPE") || begins_with(at, end, "<html")))
			return text_find(at, (const char *)head.at + head.len,
					 "class=\"trace-data\"") ||
					       text_find(at, (const char *)head.at + head.len,
							 "# tracer: ")
				       ? 85
				       : 0;
		end = without_escape(at, end);
		if (skip_blanks(at, end) == end || *at == '#' || is_heading(at, end))
			continue;
		first = false;
		if (ftrace_line_parse(&line, at, end) && (line.flagged || !line.ticks))
			events++;
		else if (is_graph_line(at, end))
			graph++;
		else if (!begins_with(skip_blanks(at, end), end, "=> "))
			others++;
	}
	return (events + graph) > 4 * others ? (events ? 85 : 80) : 0;
}

/* ---- the decoder ---- */

/* `CPU:1 [LOST 7 EVENTS]`, trace-cmd's `CPU:1 [7 EVENTS DROPPED]`; both may lack the number. */
static bool
is_lost(struct ftrace *f, const char *at, const char *end)
{
	const char *bracket = begins_with(at, end, "CPU:") ? text_find(at, end, " [") : NULL;
	const char *number;
	int64_t n, cpu;

	if (!bracket)
		return false;
	bool dropped = text_find(at, end, "EVENTS DROPPED]") != NULL;
	if (!dropped && !text_find(bracket, end, "[LOST "))
		return false;
	number = bracket + (dropped ? 2 : 7);
	if (number < end && number_parse(number, word_end(number, end), &n) && n > 0)
		f->n.lost += (uint64_t)n;
	else
		f->n.lost++;
	if (number_parse(at + 4, bracket, &cpu))
		ftrace_lost(f, cpu);
	return true;
}

static bool
ftrace_read_line(struct ftrace *f, const char *at, const char *end)
{
	struct ftrace_line l;
	const char *text;

	end = without_escape(at, end);
	text = skip_blanks(at, end);
	if (begins_with(text, end, "=> ")) {
		if (!f->pending.foreign)
			ftrace_caller(f, ftrace_symbol(f, skip_blanks(text + 3, end), end));
		return true;
	}
	if (text == end || *text == '#' || is_lost(f, text, end) || is_heading(text, end))
		return true;
	if (is_graph_line(at, end) || !ftrace_line_parse(&l, at, end)) {
		if (!ftrace_graph_line(f, at, end))
			f->n.strange++;
		return true;
	}
	ftrace_learn(f, &l);
	return ftrace_event(f, &l);
}

/* Names processes after their first thread. */
static void
name_tracks(struct ftrace *f)
{
	for (size_t i = 0; i < f->cast.process.n; i++) {
		int64_t tgid = f->cast.process.at[i].id;
		uint32_t first = ftrace_task(f, tgid);
		f->cast.process.at[i].name = tgid ? f->cast.track.at[first].name : NAME_EMPTY;
	}
	cast_rename(&f->cast);
}

/* Declares the metrics of slices, if there are slices. */
static void
slices_metrics(struct ftrace *f, metric_id *metric, metric_id *aside)
{
	bool time = cast_slices(&f->cast), async = cast_asyncs(&f->cast);

	*metric = *aside = METRIC_NONE;
	if (time)
		*metric = ftrace_time(f, "time", true);
	if (async)
		*aside = ftrace_time(f, "async", true);
	if (time)
		builder_default_metric(f->b, *metric);
	else if (f->cpu != METRIC_NONE || f->sample != METRIC_NONE)
		builder_default_metric(f->b, f->cpu != METRIC_NONE ? f->cpu : f->sample);
}

/* Shows the slices so far, while the input waits. */
static void
ftrace_show(void *context)
{
	struct ftrace *f = context;
	metric_id metric, aside;

	struct err e = {0};

	ftrace_turns_write(f, &e);
	slices_metrics(f, &metric, &aside);
	cast_write(&f->cast, metric, aside, false, 0, &e);
	name_tracks(f);
}

static void
ftrace_report(struct ftrace *f)
{
	for (size_t i = 0; i < f->counted.at.n; i++) {
		struct buf key = BUF_INIT;
		struct name name = builder_name_get(f->b, f->counted.at.at[i].name);
		buf_adds(&key, "event ");
		buf_add(&key, name.at, name.len);
		builder_info(f->b, buf_str(&key), "%" PRIu64, f->counted.at.at[i].n);
		buf_release(&key);
	}
	builder_warn_count(f->b, f->n.lost, "event was lost when it was recorded",
			   "events were lost when it was recorded");
	builder_warn_count(f->b, f->n.unmatched,
			   "end of a slice that never began, ignored",
			   "ends of slices that never began, ignored");
	builder_warn_count(f->b, f->n.strange, "line is not an event, skipped",
			   "lines are not events, skipped");
}

static void
ftrace_release(struct ftrace *f)
{
	ftrace_nests_release(f);
	cast_release(&f->cast);
	sched_release(&f->sched);
	timed_release(&f->turns);
	vec_release_all(&f->samples, &f->processor, &f->counted.at, &f->pending.frame,
			&f->calls.at);
	idmap_release_all(&f->processor_of, &f->counted.of);
}

/* Comments, lines of an HTML page, and ends of calls `}` are whole; so are events that end in the
 * number of their last field, if that is known. */
static enum last_line
ftrace_last_line(const char *at, const char *end)
{
	static const char *const fields[] = {"next_prio", "target_cpu", "cpu_id"};
	const char *field = drop_blanks(at, end), *sign;

	while (field > at && !is_blank(field[-1]))
		field--;
	sign = memchr(field, '=', (size_t)(end - field));
	for (size_t i = 0; sign && i < sizeof fields / sizeof *fields; i++)
		if (is_key(field, (size_t)(sign - field), fields[i]))
			return last_line_number(at, end);
	return at < end && (*at == '#' || *at == '<') ? LAST_CLOSED
						      : last_line_closed(at, end, "}");
}

/* Reads a text. Sets *html if it is the text of a page. */
static bool
ftrace_read_text(struct ftrace *f, struct input *in, bool *html, struct err *e)
{
	struct text_line line;
	struct lines lines;
	bool good = true;

	lines_init(&lines, in);
	input_when_idle(in, ftrace_show, f);
	while (good && lines_next(&lines, &line)) {
		const char *end = line.at + line.len;
		f->offset = line.offset;
		*html |= begins_with(line.at, end, "<!DOCTYPE") ||
			 begins_with(line.at, end, "<html");
		if (line.cut)
			return err_damage(e, line.offset, "the line is too long");
		good = last_line_whole(in, line.ended, line.offset, ftrace_last_line(line.at, end),
				       e) &&
		       ftrace_read_line(f, line.at, end);
		if (good && !*html && f->n.strange == STRANGE_FIRST && !f->any &&
		    !cast_slices(&f->cast))
			return err_refuse(e, "not text of ftrace: none of its first lines is an "
					     "event");
	}
	return good;
}

static bool
ftrace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct ftrace f = {.b = b, .e = e, .cpu = METRIC_NONE, .sample = METRIC_NONE,
			   .cast = {.in = in, .b = b, .ordered = true, .labelled = true},
			   .sched = {.b = b}};
	metric_id metric, aside;
	bool html = false, binary = input_need(in, 12) && tracedat_is(input_at(in), input_have(in));
	bool good = binary ? tracedat_read(&f, in, e) : ftrace_read_text(&f, in, &html, e);

	input_when_idle(in, NULL, NULL);
	if (good && !html && f.n.strange && !f.any && !cast_slices(&f.cast))
		good = err_refuse(e, "not text of ftrace: no line is an event");
	good = ftrace_settle(&f) && good;
	good = ftrace_syscalls_end(&f) && good;
	ftrace_nests_end(&f);
	good = ftrace_turns_write(&f, e) && good;
	slices_metrics(&f, &metric, &aside);
	good = cast_write(&f.cast, metric, aside, true, f.offset, f.e) && good;
	name_tracks(&f);
	sched_write(&f.sched, f.last_ns, ftrace_describe, &f);
	if (html)
		f.n.strange = 0; /* the page around it */
	ftrace_report(&f);
	ftrace_release(&f);
	return good;
}

static bool
ftrace_dump(struct input *in, struct dump *d, struct err *e)
{
	return input_need(in, 12) && tracedat_is(input_at(in), input_have(in))
		       ? tracedat_dump(in, d, e)
		       : lines_dump(in, d, e);
}

const struct decoder decoder_ftrace = {
	.name = "ftrace",
	.title = "ftrace: trace.dat, tracefs, trace-cmd report, systrace",
	.made_of = MADE_TEXT | MADE_BINARY,
	.mangled = true,
	.probe = ftrace_probe,
	.decode = ftrace_decode,
	.dump = ftrace_dump,
};
