/* The output of strace: a line per system call.
 *
 *	4884  1795303320.785980 openat(AT_FDCWD, "x", O_RDONLY) = -1 ENOENT (...) <0.000011>
 *	[pid  4885] 12:02:11 read(3,  <unfinished ...>
 *	[pid  4885] 12:02:12 <... read resumed>"", 1) = 1 <0.5>
 *	4885  1795303320.9 --- SIGCHLD {si_signo=SIGCHLD, ...} ---
 *	4885  1795303321.0 +++ exited with 0 +++
 *	 > /lib/libc.so.6(__read+0x14) [0xff]
 *
 * Times are seconds since 1970 (-ttt), of the day (-t, -tt), or since the previous line (-r). The
 * duration of a call (-T) may follow at its end; otherwise the call lasts to the next line of its
 * process. So the last call of each process waits for its end, and for lines with its callers (-k).
 *
 * A log without times has sums: of calls, and of durations if it has them. The table of -c has only
 * sums. -C prints both the lines and the table, which says again what the lines say. So the table
 * counts only where there are no lines, and its seconds where the lines have neither times nor
 * durations. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/words.h"
#include "src/decode/strace/strace_inside.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define CALLERS_MAX 256u
#define SET_BACK_NS INT64_C(1000000000) /* a clock that goes back this far was set */

/* ---- a line ---- */

static bool
is_call(const char *at, const char *end)
{
	return strace_call_name(at, end) &&
	       (text_find(at, end, ") = ") || text_find(at, end, ")  = ") ||
		text_find(at, end, "<unfinished ...>") ||
		text_find(at, end, "<detached ...>") ||
		text_find(at, end, "strace: Process ") || text_find(at, end, "= "));
}

/* The begin of a call, its end, the end of a process or a signal. */
enum line_kind { LINE_STRANGE, LINE_CALL, LINE_RESUMED, LINE_ENDED, LINE_SIGNAL };

static enum line_kind
line_kind(const struct strace_line *l, const char *end)
{
	return strace_call_name(l->rest, end)                ? LINE_CALL
	       : begins_with(l->rest, end, "<... ")          ? LINE_RESUMED
	       : begins_with(l->rest, end, "+++ ")           ? LINE_ENDED
	       : begins_with(l->rest, end, "--- SIG")        ? LINE_SIGNAL
	       : begins_with(l->rest, end, "--- stopped by") ? LINE_SIGNAL
							     : LINE_STRANGE;
}

/* Returns true for what strace prints behind a message in the line of a call. */
static bool
is_rest_of_line(const char *text, const char *end)
{
	return begins_with(text, end, "<unfinished ...>") ||
	       begins_with(text, end, "<detached ...>");
}

static int
strace_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	unsigned good = 0, bad = 0;
	struct strace_table table = {0};
	struct strace_line l;
	bool open = false; /* the line before may go on */

	while (good + bad < 12 && head_line(head, &next, &at, &end)) {
		if (strace_table_begin(&table, at, end))
			return 95;
		const char *text = skip_blanks(at, end);
		if (text == end || begins_with(text, end, "> ") ||
		    begins_with(at, end, "strace: ") || is_rest_of_line(text, end))
			continue;
		strace_line_parse(&l, at, end);
		if (is_call(l.rest, end) || line_kind(&l, end) > LINE_CALL)
			good++;
		else if (!open && end < (const char *)head.at + head.len)
			bad++; /* a line that the end of the head cuts proves nothing */
		open = strace_is_unfinished(at, end);
	}
	if (good > 4 * bad)
		return 80;
	for (next = NULL; head_line(head, &next, &at, &end);) /* behind what the program printed */
		if (begins_with(skip_blanks(at, end), end, "% time ") &&
		    strace_table_begin(&table, at, end))
			return 80;
	return 0;
}

/* ---- clocks ---- */

static void
set_clock(struct strace *s, const struct strace_line *l)
{
	if (!l->has_time)
		return;
	if (!s->clock.any) {
		s->clock.kind = l->clock;
		s->clock.whole = l->whole;
	}
	if (!s->clock.any && l->clock == CLOCK_EPOCH)
		builder_clock(s->b, 0);
	s->clock.any = true;
	if (l->clock != s->clock.kind) /* of another log behind this one: no time that fits */
		return;
	if (s->clock.kind == CLOCK_STEP) {
		if (__builtin_add_overflow(s->clock.now_ns, l->time_ns, &s->clock.now_ns))
			s->clock.now_ns = INT64_MAX;
		return;
	}
	if (s->clock.kind == CLOCK_DAY && l->time_ns + DAY_NS / 2 < s->clock.before_ns &&
	    __builtin_add_overflow(s->clock.day_ns, DAY_NS, &s->clock.day_ns))
		s->clock.day_ns = INT64_MAX;
	s->clock.before_ns = l->time_ns;
	if (__builtin_add_overflow(l->time_ns, s->clock.day_ns, &s->clock.now_ns))
		s->clock.now_ns = INT64_MAX;
}

/* ---- the ends of calls ---- */

/* Adds a number to the sums of this metric of a track. */
static bool
add_sum(struct strace *s, struct series **sums, uint32_t track, metric_id metric,
	stack_id stack, int64_t value)
{
	if (!*sums)
		*sums = builder_totals(s->b, cast_made(&s->cast, track), &metric, 1);
	return builder_total(s->b, *sums, stack, &value, s->offset, s->e);
}

/* Adds the pending call to the sums of a log without times. */
static bool
add_call(struct strace *s, uint32_t track)
{
	struct strace_thread *t = &s->thread.at[track];
	stack_id stack = STACK_EMPTY;

	for (size_t i = s->caller_track == track ? s->caller.n : 0; i-- > 0;)
		stack = builder_child(s->b, stack, s->caller.at[i]);
	stack = builder_child(s->b, stack, t->last.frame);
	builder_track_event(s->b, cast_made(&s->cast, track));
	if (s->calls == METRIC_NONE) {
		s->calls = builder_metric(s->b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(s->b, s->calls);
		builder_default_metric(s->b, s->calls);
	}
	if (!add_sum(s, &t->calls, track, s->calls, stack, 1))
		return false;
	if (t->last.length_ns < 0)
		return true;
	if (s->lengths == METRIC_NONE) {
		s->lengths = builder_metric(s->b, "time", UNIT_NS, ROLE_VALUE);
		builder_default_metric(s->b, s->lengths);
	}
	return add_sum(s, &t->lengths, track, s->lengths, stack, t->last.length_ns);
}

/* Ends the pending call: everything is known of it. */
static bool
strace_finish(struct strace *s, uint32_t track, int64_t end_ns)
{
	struct last_call *c = &s->thread.at[track].last;
	int64_t length = c->length_ns >= 0 ? c->length_ns : end_ns - c->start_ns;
	bool good = true;

	if (!c->waits)
		return true;
	c->waits = false;
	if (s->clock.none) {
		good = add_call(s, track);
	} else {
		for (size_t i = s->caller_track == track ? s->caller.n : 0; i-- > 0;)
			cast_slice_next(&s->cast, track, c->start_ns, length, s->caller.at[i],
					LABELS_NONE);
		cast_slice_next(&s->cast, track, c->start_ns, length, c->frame, c->labels);
		if (__builtin_add_overflow(c->start_ns, length,
					   &s->thread.at[track].busy_ns))
			s->thread.at[track].busy_ns = INT64_MAX;
	}
	if (s->caller_track == track)
		s->caller.n = 0;
	return good;
}

/* ---- calls ---- */

/* Parses the text after the last ` = `, and the duration: `-1 ENOENT (...) <0.1>`. */
static void
result_parse(struct strace *s, struct last_call *c, const char *at, const char *end)
{
	const char *equals = text_find_last(at, end, " = "), *word, *stop, *took;
	const char *text = "ok";
	size_t len = 2;

	if (!equals || (equals += 3) == end)
		return;
	c->length_ns = -1;
	for (took = end; took > equals && took[-1] != '<'; took--)
		;
	if (took > equals && end[-1] == '>' &&
	    !decimal_scaled(took, (size_t)(end - took) - 1, 9, &c->length_ns))
		c->length_ns = -1;
	s->any_length |= c->length_ns >= 0;
	stop = word_end(equals, end);
	c->done = is_key(equals, (size_t)(stop - equals), "0");
	if (*equals == '?') {
		text = equals;
		len = 1;
	}
	word = skip_blanks(stop, end);
	stop = word_end(word, end);
	if ((*equals == '?' || *equals == '-') && word < stop && *word == 'E') {
		text = word;
		len = (size_t)(stop - word);
	}
	label_id label =
		builder_label_text(s->b, s->result, builder_name(s->b, text, len));
	c->labels = builder_labels(s->b, &label, 1);
}

/* Returns the program of an execve: the last part of its path. */
static name_id
program_of(struct strace *s, const char *at, const char *end)
{
	const char *quote = memchr(at, '"', (size_t)(end - at)), *close, *from;

	if (!quote || !(close = memchr(quote + 1, '"', (size_t)(end - quote - 1))))
		return NAME_EMPTY;
	for (from = close; from > quote + 1 && from[-1] != '/'; from--)
		;
	return builder_name(s->b, from, (size_t)(close - from));
}

static void
take_program(struct strace *s, uint32_t track, const struct last_call *c)
{
	if (c->is_execve && c->program != NAME_EMPTY && c->done)
		strace_rename(s, track, c->program);
}

static void
begin_call(struct strace *s, uint32_t track, const char *at, const char *bracket,
	   const char *end)
{
	struct last_call *c = &s->thread.at[track].last;

	*c = (struct last_call){
		.waits = true, .start_ns = s->clock.now_ns, .length_ns = -1};
	c->frame = strace_frame(s->b, at, (size_t)(bracket - at));
	/* a thread is in one call at a time; an earlier time means that its digits are cut off, or
	 * that the clock was set back */
	int64_t busy_ns = s->thread.at[track].busy_ns;
	if (c->start_ns < busy_ns && (s->clock.whole || busy_ns - c->start_ns < SET_BACK_NS))
		c->start_ns = busy_ns;
	c->is_execve = is_key(at, (size_t)(bracket - at), "execve");
	if (c->is_execve)
		c->program = program_of(s, bracket, end);
	c->split = strace_attached(s, bracket, end);
	c->unfinished = c->split || strace_is_unfinished(bracket, end);
	s->n.calls++;
	if (c->unfinished)
		return;
	result_parse(s, c, bracket, end);
	take_program(s, track, c);
}

/* `<... read resumed>"", 1) = 1 <0.5>` */
static void
resume(struct strace *s, uint32_t track, const char *at, const char *end)
{
	struct strace_thread *t = &s->thread.at[track];
	struct last_call *c = t->execs ? &s->thread.at[t->execs - 1].last : &t->last;
	const char *close = text_find(at, end, "resumed>");

	t->execs = 0;
	if (!c->waits || !c->unfinished || !close) {
		s->n.unmatched++;
		return;
	}
	c->unfinished = false;
	result_parse(s, c, close, end);
	if (c->length_ns < 0 && !s->clock.none)
		c->length_ns = s->clock.now_ns - c->start_ns;
	take_program(s, track, c);
}

/* `+++ superseded by execve in pid 41 +++`: that thread goes on with the number of this one, and
 * its call ends in a line of this one. */
static void
superseded(struct strace *s, uint32_t track, const char *at, const char *end)
{
	static const char words[] = "+++ superseded by execve in pid ";
	int64_t pid;

	if (!begins_with(at, end, words))
		return;
	at += sizeof words - 1;
	uint32_t by = number_parse(at, word_end(at, end), &pid) ? strace_track_known(s, pid)
								: CAST_NONE;
	if (by == CAST_NONE || by == track)
		return;
	s->thread.at[track].execs = by + 1;
	strace_thread_ended(s, by, true);
	strace_thread_ended(s, track, false);
}

static bool
signal_mark(struct strace *s, const char *at, const char *end)
{
	const char *stop = word_end(at, end);
	name_id name = builder_name(s->b, at, (size_t)(stop - at));
	struct cast_track like = {.process = CAST_NONE,
				  .thread = CAST_NONE,
				  .kind = TRACK_MARKS,
				  .name = name};
	struct series *points =
		cast_points(&s->cast, cast_track(&s->cast, like), false, false);

	return builder_point(s->b, points, s->clock.now_ns, 0, s->offset, s->e);
}

/* ` > /lib/libc.so.6(__read+0x14) [0xff14]`, with -kk also ` read.c:26`. Names of C++ have brackets
 * of their own. */
static void
caller_line(struct strace *s, const char *at, const char *end)
{
	const char *open = memchr(at, '(', (size_t)(end - at)), *plus;
	const char *close = text_find_last(at, end, ") [0x");
	struct function f = {0};
	int64_t line = 0;

	if (!open || !close || close < open || s->caller.n >= CALLERS_MAX)
		return;
	const char *address = close + strlen(") [");
	const char *address_end = memchr(address, ']', (size_t)(end - address));
	const char *name = open + 1, *name_end = close;
	if ((plus = text_find_last(name, name_end, "+0x")) != NULL)
		name_end = plus;
	if (name == name_end && address_end) { /* an address alone */
		name = address;
		name_end = address_end;
	}
	if (address_end && address_end + 1 < end) {
		const char *file = address_end + 2, *colon = text_find_last(file, end, ":");
		if (colon && number_parse(colon + 1, end, &line))
			f.file = builder_name(s->b, file, (size_t)(colon - file));
	}
	f.name = builder_name(s->b, name, (size_t)(name_end - name));
	f.module = builder_name(s->b, at, (size_t)(open - at));
	f.kind = (uint8_t)kind_of_name(name, (size_t)(name_end - name));
	*vec_push(&s->caller) = builder_frame_of(s->b, f, line);
}

/* ---- the table of -c and -C ---- */

/* Adds what only the table says. */
static bool
add_table(struct strace *s)
{
	bool lines = s->n.calls > 0;
	track_id track;

	if (!s->table.row.n ||
	    (lines && (!s->clock.none || s->any_length || !s->table.has_time)))
		return true;
	if (!lines && !s->table.has_time && !s->table.has_calls)
		return err_refuse(s->e, "the table has neither seconds nor calls "
					"(strace -U name,time-total,calls prints them)");
	if (!lines)
		track = builder_main(s->b);
	else if (s->thread.n == 1)
		track = cast_made(&s->cast, 0);
	else
		track = builder_trackf(s->b, TRACK_THREAD, "all processes");
	return strace_table_write(&s->table, s->b, track, !lines, s->offset, s->e);
}

/* Notes the assumed meaning of the times, if the log does not state it. */
static void
report_assumed(struct strace *s)
{
	if (s->clock.none && s->any_length)
		builder_info(s->b, "assumed",
			     "calls are added up: the log does not say when they "
			     "began (strace -ttt prints it)");
	else if (s->clock.none && s->table.any_time)
		builder_info(s->b, "assumed",
			     "the times are those of the table: the lines have none "
			     "(strace -ttt -T prints them)");
	else if (s->clock.none)
		builder_info(s->b, "assumed",
			     "calls are counted: the log has no times "
			     "(strace -ttt -T prints them)");
	else if (s->n.calls && !s->any_length)
		builder_info(s->b, "assumed",
			     "a call lasts until the next line of its process: "
			     "the log does not say how long (strace -T)");
}

/* ---- the decoder ---- */

static bool
strace_take_event(struct strace *s, const struct strace_line *l, enum line_kind kind,
		  const char *end)
{
	uint32_t track = strace_track_of(s, l, kind == LINE_RESUMED);
	struct last_call *c = &s->thread.at[track].last;
	bool good = true;

	strace_take_comm(s, track, l);
	strace_thread_ended(s, track, kind == LINE_ENDED);
	if (!s->clock.none)
		builder_track_end(s->b, cast_made(&s->cast, track), s->clock.now_ns);
	if (s->caller_track != track && s->caller.n)
		good = strace_finish(s, s->caller_track, s->clock.now_ns);
	if (kind != LINE_RESUMED &&
	    (kind == LINE_ENDED || s->clock.none || !c->unfinished))
		good = strace_finish(s, track, s->clock.now_ns) && good;
	cast_reach(&s->cast, track, s->clock.now_ns);
	s->caller.n = 0;
	s->caller_track = track;
	if (kind == LINE_CALL && !c->waits)
		begin_call(s, track, l->rest, strace_call_name(l->rest, end), end);
	else if (kind == LINE_CALL)
		odd_at(&s->odd, s->offset);
	else if (kind == LINE_RESUMED)
		resume(s, track, l->rest, end);
	else if (kind == LINE_ENDED)
		superseded(s, track, l->rest, end);
	else if (kind == LINE_SIGNAL && !s->clock.none)
		good = signal_mark(s, l->rest + 4, end) && good;
	return good;
}

/* Takes the end of a call in a line without a head, `) = 41 <0.000131>`: a message of strace has
 * split the call's line, or strace -z printed it when it knew the result. */
static bool
rest_of_call(struct strace *s, const char *at, const char *end)
{
	struct last_call *c;

	const char *equals = text_find_last(at, end, " = ");
	if (s->caller_track >= s->thread.n || !equals)
		return false;
	c = &s->thread.at[s->caller_track].last;
	equals = drop_blanks(at, equals);
	if (!c->waits || !c->unfinished || (!c->split && (equals == at || equals[-1] != ')')))
		return false;
	c->split = c->unfinished = false;
	result_parse(s, c, at, end);
	take_program(s, s->caller_track, c);
	return true;
}

static bool
strace_read_line(struct strace *s, const char *at, const char *end)
{
	const char *text = skip_blanks(at, end);
	struct strace_line l;
	enum line_kind kind;

	if (text == end || strace_table_begin(&s->table, at, end) ||
	    begins_with(at, end, "System call usage summary") ||
	    is_rest_of_line(text, end))
		return true;
	if (s->table.columns)
		return strace_table_line(&s->table, s->b, at, end, &s->odd,
					 s->offset, s->e);
	if (begins_with(text, end, "> ")) {
		caller_line(s, text + 2, end);
		return true;
	}
	strace_line_parse(&l, at, end);
	kind = line_kind(&l, end);
	if (kind == LINE_STRANGE) {
		if (!rest_of_call(s, at, end) && !strace_attached(s, at, end) &&
		    !begins_with(at, end, "strace: "))
			odd_at(&s->odd, s->offset);
		return true;
	}
	s->clock.none |= !l.has_time && !s->clock.any;
	if (!s->clock.none)
		set_clock(s, &l);
	return strace_take_event(s, &l, kind, end);
}

/* Shows the calls so far, while the input waits. */
static void
strace_show(void *context)
{
	struct strace *s = context;
	struct err e = {0};

	if (s->thread.n && !s->clock.none) {
		cast_write(&s->cast, builder_timeline(s->b), METRIC_NONE, false, 0, &e);
		cast_rename(&s->cast);
	}
}

static bool
strace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct strace s = {.b = b,
			   .e = e,
			   .cast = {.in = in, .b = b, .labelled = true, .ordered = true},
			   .pid = {.first = CAST_NONE, .alone = CAST_NONE},
			   .calls = METRIC_NONE,
			   .lengths = METRIC_NONE};
	metric_id time = METRIC_NONE;
	struct text_line line;
	struct lines lines;
	bool good = true;

	s.result = builder_name(b, "result", 6);
	lines_init(&lines, in);
	input_when_idle(in, strace_show, &s);
	while (good && lines_next(&lines, &line)) {
		s.offset = line.offset;
		const char *end = line.at + line.len;
		good = line.cut ? err_damage(e, line.offset, "the line is too long")
				: last_line_whole(in, line.ended, line.offset,
						  strace_last_line(&s, line.at, end), e) &&
					  strace_read_line(&s, line.at, end);
	}
	input_when_idle(in, NULL, NULL);
	if (good && !s.table.row.n && s.odd.n && !s.thread.n)
		good = err_refuse(e, "not text of strace: no line is a call");
	for (uint32_t track = 0; track < s.thread.n; track++) {
		struct last_call *c = &s.thread.at[track].last;
		/* the last call has duration 0; an unfinished one lasts to the end of the log */
		good = strace_finish(&s, track,
				     c->unfinished ? s.clock.now_ns : c->start_ns) &&
		       good;
	}
	if (s.thread.n && !s.clock.none) {
		time = builder_timeline(b);
		good = cast_write(&s.cast, time, METRIC_NONE, true, s.offset, s.e) && good;
	}
	good = add_table(&s) && good;
	if (good && s.table.columns && s.table.row.n && !input_stopped(in))
		good = err_damage(e, s.offset, "the table ends without its row of totals");
	cast_rename(&s.cast);
	report_assumed(&s);
	builder_warn_count(b, s.n.unmatched, "resumed call has no beginning",
			   "resumed calls have no beginning");
	odd_lines_report(&s.odd, b);
	cast_release(&s.cast);
	strace_table_release(&s.table);
	vec_release_all(&s.thread, &s.caller);
	return good;
}

const struct decoder decoder_strace = {
	.name = "strace",
	.title = "strace: system calls, with times (-ttt -T), and its table (-c)",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = strace_probe,
	.decode = strace_decode,
};
