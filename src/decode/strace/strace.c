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
 * The table of -c has only sums. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define CALLERS_MAX 256u

enum clock { CLOCK_UNKNOWN, CLOCK_EPOCH, CLOCK_DAY, CLOCK_STEP };

/* The last call of a process. */
struct last_call {
	bool waits, unfinished;
	int64_t start_ns, length_ns; /* -1: to the next line */
	frame_id frame;
	labels_id labels;
	name_id program; /* of an execve, once it has succeeded */
	bool is_execve;
};

struct strace {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	struct cast cast;           /* threads by pid, and marks */
	VEC(struct last_call) last; /* [track] */
	VEC(frame_id) caller;       /* of the call in the previous line, innermost first */
	uint32_t caller_track;
	name_id result;
	struct {
		enum clock kind;
		int64_t now_ns, day_ns, before_ns;
		bool any;
		bool none; /* the log has no times: calls are counted */
	} clock;
	bool any_pid;
	bool any_length; /* some call has a duration (-T) */
	struct {
		uint64_t strange, calls, unmatched;
	} n;
	struct {
		struct series *series;
		metric_id metric[2];
		track_id track;
	} sums; /* of -c */
	VEC(struct series *) counts; /* [track] of a log without times */
};

/* A line taken apart. */
struct call_line {
	int64_t pid;
	bool has_pid, has_time;
	int64_t time_ns;
	enum clock clock;
	const char *rest;
};

/* ---- a line ---- */

/* `HH:MM:SS[.fraction]` */
static bool
day_time(const char *at, const char *end, int64_t *ns)
{
	int64_t h, m, s;

	if (end - at < 8 || at[2] != ':' || at[5] != ':' || !number_parse(at, at + 2, &h) ||
	    !number_parse(at + 3, at + 5, &m) ||
	    !decimal_scaled(at + 6, (size_t)(end - at) - 6, 9, &s) || s < 0 || h < 0 || m < 0)
		return false;
	*ns = (h * 3600 + m * 60) * 1000000000 + s;
	return true;
}

static void
line_parse(struct call_line *l, const char *at, const char *end)
{
	const char *stop;

	*l = (struct call_line){0};
	at = skip_blanks(at, end);
	if (begins_with(at, end, "[pid ")) {
		const char *close = memchr(at, ']', (size_t)(end - at));
		if (close && number_parse(skip_blanks(at + 5, close), close, &l->pid)) {
			l->has_pid = true;
			at = skip_blanks(close + 1, end);
		}
	}
	stop = word_end(at, end);
	if (!l->has_pid && stop < end && number_parse(at, stop, &l->pid) && l->pid > 0) {
		l->has_pid = true;
		at = skip_blanks(stop, end);
		stop = word_end(at, end);
	}
	if (at < end && is_digit(*at)) {
		if (day_time(at, stop, &l->time_ns))
			l->clock = CLOCK_DAY;
		else if (memchr(at, '.', (size_t)(stop - at)) &&
			 decimal_scaled(at, (size_t)(stop - at), 9, &l->time_ns))
			l->clock = l->time_ns < INT64_C(100000000) * 1000000000 ? CLOCK_STEP
										: CLOCK_EPOCH;
		l->has_time = l->clock != CLOCK_UNKNOWN;
		if (l->has_time)
			at = skip_blanks(stop, end);
	}
	if (begins_with(at, end, "(+")) { /* -r beside another clock */
		const char *close = memchr(at, ')', (size_t)(end - at));
		at = close ? skip_blanks(close + 1, end) : at;
	}
	l->rest = at;
}

/* Recognises `name(`: returns the position of the bracket, or NULL. */
static const char *
call_name(const char *at, const char *end)
{
	const char *c = at;

	while (c < end && (is_digit(*c) || *c == '_' || (unsigned)((*c | 32) - 'a') < 26))
		c++;
	return c > at && !is_digit(*at) && c < end && *c == '(' ? c : NULL;
}

static bool
is_call(const char *at, const char *end)
{
	return call_name(at, end) && (text_find(at, end, ") = ") || text_find(at, end, ")  = ") ||
				      text_find(at, end, "<unfinished ...>") ||
				      text_find(at, end, "= "));
}

static int
strace_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	unsigned good = 0, bad = 0;
	struct call_line l;

	while (good + bad < 12 && head_line(head, &next, &at, &end)) {
		if (begins_with(at, end, "% time     seconds"))
			return 95;
		const char *text = skip_blanks(at, end);
		if (text == end || begins_with(text, end, "> ") || begins_with(at, end, "strace: "))
			continue;
		line_parse(&l, at, end);
		if (is_call(l.rest, end) || begins_with(l.rest, end, "<... ") ||
		    begins_with(l.rest, end, "+++ ") || begins_with(l.rest, end, "--- SIG"))
			good++;
		else if (end < (const char *)head.at + head.len)
			bad++; /* a line that the end of the head cuts proves nothing */
	}
	return good > 4 * bad ? 80 : 0;
}

/* ---- clocks ---- */

static void
set_clock(struct strace *s, const struct call_line *l)
{
	if (!l->has_time)
		return;
	if (!s->clock.any)
		s->clock.kind = l->clock;
	if (!s->clock.any && l->clock == CLOCK_EPOCH)
		builder_clock(s->b, 0);
	s->clock.any = true;
	if (s->clock.kind == CLOCK_STEP) {
		if (__builtin_add_overflow(s->clock.now_ns, l->time_ns, &s->clock.now_ns))
			s->clock.now_ns = INT64_MAX;
		return;
	}
	if (s->clock.kind == CLOCK_DAY && l->time_ns + DAY_NS / 2 < s->clock.before_ns)
		s->clock.day_ns += DAY_NS;
	s->clock.before_ns = l->time_ns;
	s->clock.now_ns = l->time_ns + s->clock.day_ns;
}

/* ---- processes ---- */

static uint32_t
strace_track_of(struct strace *s, const struct call_line *l)
{
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
				  .kind = TRACK_THREAD, .id = l->has_pid ? l->pid : 0};
	uint32_t track = s->caller_track;

	if (track < s->last.n && s->cast.track.at[track].id == like.id && s->last.n)
		return track; /* that of the line before */
	track = cast_track(&s->cast, like);
	if (s->cast.track.at[track].made)
		return track;
	s->cast.track.at[track].name = l->has_pid ? builder_namef(s->b, "%" PRId64, l->pid)
						  : builder_name(s->b, "main", 4);
	cast_made(&s->cast, track);
	while (s->last.n <= track)
		*vec_push(&s->last) = (struct last_call){0};
	return track;
}

/* Names the track `PROGRAM PID`, or only with the program. */
static void
track_rename(struct strace *s, uint32_t track, name_id program)
{
	struct cast_track *t = &s->cast.track.at[track];
	struct name text = builder_name_get(s->b, program);
	struct buf name = BUF_INIT;

	buf_add(&name, text.at, text.len);
	if (t->id)
		buf_addf(&name, " %" PRId64, t->id);
	t->name = builder_name(s->b, buf_str(&name), name.len);
	buf_release(&name);
}

/* Ends the pending call: everything is known of it. */
static void
strace_finish(struct strace *s, uint32_t track, int64_t end_ns)
{
	struct last_call *c = &s->last.at[track];
	int64_t length = c->length_ns >= 0 ? c->length_ns : end_ns - c->start_ns;

	if (!c->waits)
		return;
	c->waits = false;
	for (size_t i = s->caller_track == track ? s->caller.n : 0; i-- > 0;)
		cast_slice(&s->cast, track, c->start_ns, length, s->caller.at[i], LABELS_NONE);
	cast_slice(&s->cast, track, c->start_ns, length, c->frame, c->labels);
	if (s->caller_track == track)
		s->caller.n = 0;
}

/* ---- calls ---- */

static frame_id
system_frame(struct strace *s, const char *at, size_t len)
{
	struct function f = {.name = builder_name(s->b, at, len), .kind = KIND_SYSTEM};

	return builder_frame_of(s->b, f, 0);
}

/* Parses the text after the last ` = `, and the duration: `-1 ENOENT (...) <0.1>`. */
static bool
result_parse(struct strace *s, struct last_call *c, const char *at, const char *end)
{
	const char *equals = NULL, *word, *stop, *took;
	const char *text = "ok";
	size_t len = 2;

	for (const char *p = at; (p = text_find(p, end, " = ")) != NULL; p++)
		equals = p + 3;
	if (!equals || equals == end)
		return false;
	c->length_ns = -1;
	for (took = end; took > equals && took[-1] != '<'; took--)
		;
	if (took > equals && end[-1] == '>' &&
	    !decimal_scaled(took, (size_t)(end - took) - 1, 9, &c->length_ns))
		c->length_ns = -1;
	s->any_length |= c->length_ns >= 0;
	stop = word_end(equals, end);
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
	label_id label = builder_label_text(s->b, s->result, builder_name(s->b, text, len));
	c->labels = builder_labels(s->b, &label, 1);
	return true;
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
succeeded(struct strace *s, uint32_t track, const char *at, const char *end)
{
	struct last_call *c = &s->last.at[track];

	if (c->is_execve && c->program != NAME_EMPTY && text_find(at, end, ") = 0"))
		track_rename(s, track, c->program);
}

static void
begin_call(struct strace *s, uint32_t track, const char *at, const char *bracket, const char *end)
{
	struct last_call *c = &s->last.at[track];

	*c = (struct last_call){
		.waits = true, .start_ns = s->clock.now_ns, .length_ns = -1};
	c->frame = system_frame(s, at, (size_t)(bracket - at));
	c->is_execve = is_key(at, (size_t)(bracket - at), "execve");
	if (c->is_execve)
		c->program = program_of(s, bracket, end);
	c->unfinished = text_find(bracket, end, "<unfinished ...>") != NULL;
	s->n.calls++;
	if (c->unfinished)
		return;
	result_parse(s, c, bracket, end);
	succeeded(s, track, bracket, end);
}

/* `<... read resumed>"", 1) = 1 <0.5>` */
static void
resume(struct strace *s, uint32_t track, const char *at, const char *end)
{
	struct last_call *c = &s->last.at[track];
	const char *close = text_find(at, end, "resumed>");

	if (!c->waits || !c->unfinished || !close) {
		s->n.unmatched++;
		return;
	}
	c->unfinished = false;
	result_parse(s, c, close, end);
	if (c->length_ns < 0)
		c->length_ns = s->clock.now_ns - c->start_ns;
	succeeded(s, track, close, end);
}

static bool
signal_mark(struct strace *s, const char *at, const char *end)
{
	const char *stop = word_end(at, end);
	name_id name = builder_name(s->b, at, (size_t)(stop - at));
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_MARKS,
				  .name = name};
	struct series *points = cast_points(&s->cast, cast_track(&s->cast, like), false, false);

	return builder_point(s->b, points, s->clock.now_ns, 0, s->offset, s->e);
}

/* ` > /lib/libc.so.6(__read+0x14) [0xff]` */
static void
caller_line(struct strace *s, const char *at, const char *end)
{
	const char *open = memchr(at, '(', (size_t)(end - at)), *close, *plus;
	struct function f = {0};

	if (!open || !(close = memchr(open, ')', (size_t)(end - open))) ||
	    s->caller.n >= CALLERS_MAX)
		return;
	plus = memchr(open, '+', (size_t)(close - open));
	const char *name = open + 1, *name_end = plus ? plus : close;
	if (name == name_end) { /* an address alone */
		const char *bracket = memchr(close, '[', (size_t)(end - close));
		name = bracket ? bracket + 1 : close;
		name_end = bracket && end[-1] == ']' ? end - 1 : name;
	}
	f.name = builder_name(s->b, name, (size_t)(name_end - name));
	f.module = builder_name(s->b, at, (size_t)(open - at));
	f.kind = (uint8_t)kind_of_name(name, (size_t)(name_end - name));
	*vec_push(&s->caller) = builder_frame_of(s->b, f, 0);
}

/* ---- the table of -c ---- */

static bool
sum_line(struct strace *s, const char *at, const char *end)
{
	const char *word[6], *stop[6];
	int64_t value[2];
	unsigned n = 0;

	for (at = skip_blanks(at, end); at < end && n < 6; at = skip_blanks(at, end)) {
		word[n] = at;
		at = stop[n++] = word_end(at, end);
	}
	if (n < 5 || !is_digit(*word[0]))
		return true;
	if (is_key(word[n - 1], (size_t)(stop[n - 1] - word[n - 1]), "total"))
		return true;
	if (!decimal_scaled(word[1], (size_t)(stop[1] - word[1]), 9, &value[0]) ||
	    !number_parse(word[3], stop[3], &value[1]))
		return err_damage(s->e, s->offset, "a row without time and calls");
	if (!s->sums.series) {
		s->sums.metric[0] = builder_metric(s->b, "time", UNIT_NS, ROLE_VALUE);
		s->sums.metric[1] = builder_metric(s->b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(s->b, s->sums.metric[1]);
		builder_default_metric(s->b, s->sums.metric[0]);
		s->sums.track = builder_main(s->b);
		s->sums.series = builder_totals(s->b, s->sums.track, s->sums.metric, 2);
	}
	frame_id frame = system_frame(s, word[n - 1], (size_t)(stop[n - 1] - word[n - 1]));
	builder_track_event(s->b, s->sums.track);
	return builder_total(s->b, s->sums.series,
			     builder_child(s->b, STACK_EMPTY, frame), value, s->offset,
			     s->e);
}

/* A call of a log without times. */
static bool
count_call(struct strace *s, const struct call_line *l, const char *bracket)
{
	uint32_t track = strace_track_of(s, l);
	track_id made = cast_made(&s->cast, track);
	int64_t one = 1;

	if (!s->counts.n) {
		s->sums.metric[0] = builder_metric(s->b, "calls", UNIT_CALLS, ROLE_VALUE);
		builder_calls_metric(s->b, s->sums.metric[0]);
		builder_default_metric(s->b, s->sums.metric[0]);
	}
	while (s->counts.n <= track)
		*vec_push(&s->counts) = NULL;
	if (!s->counts.at[track])
		s->counts.at[track] = builder_totals(s->b, made, s->sums.metric, 1);
	frame_id frame = system_frame(s, l->rest, (size_t)(bracket - l->rest));
	s->n.calls++;
	builder_track_event(s->b, made);
	return builder_total(s->b, s->counts.at[track], builder_child(s->b, STACK_EMPTY, frame),
			     &one, s->offset, s->e);
}

/* Notes the assumed meaning of the times, if the log does not state it. */
static void
report_assumed(struct strace *s)
{
	if (s->clock.none)
		builder_info(s->b, "assumed", "calls are counted: the log has no times "
					      "(strace -ttt -T prints them)");
	else if (s->n.calls && !s->any_length)
		builder_info(s->b, "assumed", "a call lasts until the next line of its process: "
					      "the log does not say how long (strace -T)");
}

/* ---- the decoder ---- */

static bool
strace_read_line(struct strace *s, const char *at, const char *end, bool *table)
{
	const char *text = skip_blanks(at, end), *bracket;
	struct call_line l;

	if (text == end)
		return true;
	*table |= begins_with(at, end, "% time     seconds");
	if (*table)
		return sum_line(s, at, end);
	if (begins_with(text, end, "> ")) {
		caller_line(s, text + 2, end);
		return true;
	}
	line_parse(&l, at, end);
	bool call = (bracket = call_name(l.rest, end)) != NULL;
	bool resumed = begins_with(l.rest, end, "<... ");
	bool ended = begins_with(l.rest, end, "+++ ");
	bool signal = begins_with(l.rest, end, "--- SIG");
	if (!call && !resumed && !ended && !signal) {
		s->n.strange++;
		return true;
	}
	s->any_pid |= l.has_pid;
	s->clock.none |= !l.has_time && !s->clock.any;
	if (s->clock.none)
		return !call || count_call(s, &l, bracket);
	set_clock(s, &l);
	uint32_t track = strace_track_of(s, &l);
	builder_track_end(s->b, cast_made(&s->cast, track), s->clock.now_ns);
	if (s->caller_track != track && s->caller.n)
		strace_finish(s, s->caller_track, s->clock.now_ns);
	if (!resumed && (ended || !s->last.at[track].unfinished))
		strace_finish(s, track, s->clock.now_ns);
	cast_reach(&s->cast, track, s->clock.now_ns);
	s->caller.n = 0;
	s->caller_track = track;
	if (call && !s->last.at[track].waits)
		begin_call(s, track, l.rest, bracket, end);
	else if (call)
		s->n.strange++;
	else if (resumed)
		resume(s, track, l.rest, end);
	return signal ? signal_mark(s, l.rest + 4, end) : true;
}

/* Shows the calls so far, while the input waits. */
static void
strace_show(void *context)
{
	struct strace *s = context;

	struct err e = {0};

	if (s->last.n && !s->clock.none) {
		cast_write(&s->cast, builder_timeline(s->b), METRIC_NONE, false, 0, &e);
		cast_rename(&s->cast);
	}
}

static bool
strace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct strace s = {.b = b, .e = e,
			   .cast = {.in = in, .b = b, .labelled = true, .ordered = true}};
	metric_id time = METRIC_NONE;
	struct text_line line;
	struct lines lines;
	bool good = true, table = false;

	s.result = builder_name(b, "result", 6);
	lines_init(&lines, in);
	input_when_idle(in, strace_show, &s);
	while (good && lines_next(&lines, &line)) {
		s.offset = line.offset;
		uint64_t strange = s.n.strange;
		good = line.cut ? err_damage(e, line.offset, "the line is too long")
				: strace_read_line(&s, line.at, line.at + line.len, &table);
		if (good && s.n.strange > strange && s.n.calls && !line.ended &&
		    !input_stopped(in)) {
			s.n.strange--;
			good = err_damage(e, line.offset, "the last line is truncated");
		}
	}
	input_when_idle(in, NULL, NULL);
	if (good && !table && s.n.strange && !s.last.n)
		good = err_refuse(e, "not text of strace: no line is a call");
	for (uint32_t track = 0; track < s.last.n; track++) {
		struct last_call *c = &s.last.at[track];
		/* the last call has duration 0; an unfinished one lasts to the end of the log */
		strace_finish(&s, track, c->unfinished ? s.cast.track.at[track].last : c->start_ns);
	}
	if (s.last.n && !s.clock.none) {
		time = builder_timeline(b);
		good = cast_write(&s.cast, time, METRIC_NONE, true, s.offset, s.e) && good;
	}
	cast_rename(&s.cast);
	report_assumed(&s);
	builder_warn_count(b, s.n.unmatched, "resumed calls have no beginning");
	builder_warn_count(b, s.n.strange, "lines are not calls, skipped");
	cast_release(&s.cast);
	vec_release_all(&s.last, &s.counts, &s.caller);
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
