/* Lines of events.  The options of the tracer decide what is in front of the event:
 *
 *	   shop-42   (   40) [001] d..2. 12.345678: event        most traces; flags may be missing
 *	   shop-42             1d..2. 16312us+: event             latency-format
 *	   shop-42             1-0x15  12.345678: event           of trace-cmd report -l -R
 *	   shop      42   1 1 00000002 0000001a [a9a7ea785] 16.369ms (+0.076ms): event   and verbose
 *
 * A time without a point, or without a unit in the last two, counts ticks of a clock that the file
 * does not name. */
#include "src/decode/ftrace/ftrace.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

/* Returns true if this flag says that an interrupt runs. */
static bool
is_interrupt(char flag)
{
	return memchr("hsHzZ", flag, 5) != NULL;
}

/* Parses `NAME-42 (  40)`, up to the bracket of the processor. */
static bool
task_parse(struct ftrace_line *l, const char *at, const char *end)
{
	const char *digits;

	at = skip_blanks(at, end);
	end = drop_blanks(at, end);
	l->tgid = -1;
	if (end > at && end[-1] == ')') {
		const char *open = end - 1; /* of `(   40)`, or `(-----)` */
		while (open > at && (is_digit(open[-1]) || is_blank(open[-1]) || open[-1] == '-'))
			open--;
		if (open == at || *--open != '(')
			return false;
		const char *inner = skip_blanks(open + 1, end - 1);
		if (!number_parse(inner, end - 1, &l->tgid) || l->tgid < 0)
			l->tgid = -1;
		end = open;
		end = drop_blanks(at, end);
	}
	for (digits = end; digits > at && is_digit(digits[-1]); digits--)
		;
	if (digits == end || digits == at || digits[-1] != '-' ||
	    !number_parse(digits, end, &l->pid))
		return false;
	l->comm = at;
	l->comm_end = digits - 1;
	return true;
}

/* Parses `12.345678:`, or `12345678:` in ticks. */
static bool
time_parse(struct ftrace_line *l, const char *at, const char *stop)
{
	if (stop - at < 2 || !is_digit(*at) || stop[-1] != ':')
		return false;
	l->ticks = !memchr(at, '.', (size_t)(stop - at));
	return l->ticks ? number_parse(at, stop - 1, &l->time_ns)
			: stop - at > 3 && decimal_scaled(at, (size_t)(stop - at) - 1, 9,
							  &l->time_ns);
}

/* Parses `] d..2 12.345678: event: args`, after the processor's number. */
static bool
rest_parse(struct ftrace_line *l, const char *at, const char *end)
{
	for (unsigned word = 0; word < 3; word++) { /* flags may be missing, or have blanks */
		at = skip_blanks(at, end);
		const char *stop = word_end(at, end);
		if (time_parse(l, at, stop)) {
			l->event = skip_blanks(stop, end);
			l->flagged = word > 0;
			return l->event < end;
		}
		if (!word && stop - at > 3) /* d..2: the third is the interrupt context */
			l->interrupts = is_interrupt(at[2]);
		at = stop;
	}
	return false;
}

static bool
usual_parse(struct ftrace_line *l, const char *at, const char *end)
{
	for (const char *c = at; (c = memchr(c, '[', (size_t)(end - c))) != NULL; c++) {
		const char *close = digits_end(c + 1, end);
		if (c > at && is_blank(c[-1]) && close > c + 1 && close < end && *close == ']' &&
		    number_parse(c + 1, close, &l->cpu) && rest_parse(l, close + 1, end) &&
		    task_parse(l, at, c))
			return true;
	}
	return false;
}

/* Parses the time of the latency format, `16312us+:`, of trace-cmd `12.345678:`, or in ticks `42:`.
 * Returns what follows it, or NULL. */
static const char *
latency_time(struct ftrace_line *l, const char *at, const char *end)
{
	const char *stop = digits_end(at, end);
	bool seconds = stop < end && *stop == '.', us = begins_with(stop, end, "us");

	stop = seconds ? digits_end(stop + 1, end) : stop;
	l->ticks = !seconds && !us;
	if (!decimal_scaled(at, (size_t)(stop - at), seconds ? 9 : us ? 3 : 0, &l->time_ns))
		return NULL;
	stop += us ? 2 : 0;
	if (stop < end && memchr(" +!#*@$", *stop, 7)) /* of long delays */
		stop++;
	return stop < end && *stop == ':' ? stop + 1 : NULL;
}

/* Parses `shop-42    1d..2. 16312us+: event`. */
static bool
latency_parse(struct ftrace_line *l, const char *at, const char *end)
{
	for (const char *c = at; (c = memchr(c, '-', (size_t)(end - c))) != NULL; c++) {
		const char *pid_end = digits_end(c + 1, end), *cpu = skip_blanks(pid_end, end);
		const char *flags = digits_end(cpu, end), *stop = word_end(flags, end);
		uint64_t bits = 0;
		bool raw = begins_with(flags, stop, "-0x") &&
			   hex_digits(flags + 3, stop, &bits) == stop;
		if (cpu == pid_end || flags == cpu || stop - flags < 4 ||
		    !(raw || memchr(".dDbBX", *flags, 6)) ||
		    !number_parse(c + 1, pid_end, &l->pid) ||
		    !number_parse(cpu, flags, &l->cpu))
			continue;
		const char *event = latency_time(l, skip_blanks(stop, end), end);
		if (!event)
			continue;
		l->interrupts = raw ? bits & FTRACE_IN_INTERRUPT : is_interrupt(flags[2]);
		l->comm = skip_blanks(at, c);
		l->comm_end = c;
		l->cut = l->comm_end - l->comm == 8;
		l->event = skip_blanks(event, end);
		return l->event < end;
	}
	return false;
}

/* Parses `shop      42   1 1 00000002 0000001a [a9a7ea785] 16.369ms (+0.076ms): event`. */
static bool
verbose_parse(struct ftrace_line *l, const char *at, const char *end)
{
	const char *from[5], *to[5], *stop, *bracket = text_find(at, end, " [");
	int64_t flags;

	stop = bracket ? text_find(bracket, end, "] ") : NULL;
	const char *time = stop ? stop + 2 : end, *time_end = word_end(time, end);
	stop = begins_with(time_end, end, " (+") ? text_find(time_end, end, "): ") : NULL;
	if (!stop)
		return false;
	l->event = skip_blanks(stop + 2, end);
	l->ticks = time_end[-1] != 's';
	if (!decimal_scaled(time, (size_t)(time_end - time) - (l->ticks ? 0 : 2),
			    l->ticks ? 0 : 6, &l->time_ns))
		return false;
	for (unsigned i = 5; i-- > 0; bracket = from[i]) { /* pid, processor, flags, depth, index */
		to[i] = from[i] = drop_blanks(at, bracket);
		while (from[i] > at && !is_blank(from[i][-1]))
			from[i]--;
	}
	l->comm = skip_blanks(at, from[0]);
	l->comm_end = drop_blanks(l->comm, from[0]);
	if (!number_parse(from[0], to[0], &l->pid) || !number_parse(from[1], to[1], &l->cpu) ||
	    !number_parse(from[2], to[2], &flags))
		return false;
	l->interrupts = flags & FTRACE_IN_INTERRUPT;
	return l->event < end;
}

bool
ftrace_line_parse(struct ftrace_line *l, const char *at, const char *end)
{
	const char *colon;

	l->interrupts = l->cut = false;
	l->flagged = true;
	l->tgid = -1;
	if (!usual_parse(l, at, end) && !latency_parse(l, at, end) && !verbose_parse(l, at, end))
		return false;
	l->end = end;
	if (begins_with(l->event, end, "(+")) { /* trace-cmd report --ts-diff */
		const char *close = digits_end(l->event + 2, end);
		l->event = close < end && *close == ')' ? skip_blanks(close + 1, end) : l->event;
	}
	colon = text_find(l->event, end, ": ");
	if (!colon && end > l->event && end[-1] == ':')
		colon = end - 1;
	l->event_end = colon ? colon : l->event;
	l->args = colon ? skip_blanks(colon + 1, end) : l->event;
	return true;
}
