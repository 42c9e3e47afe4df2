/* Lines of the tracers timerlat and osnoise, and osnoise's events: how late the system wakes
 * programs, and how long it interrupts them (Documentation/trace/timerlat-tracer.rst,
 * osnoise-tracer.rst).
 *
 *	#1     context    irq timer_latency       932 ns
 *	1000000        190  99.98100       9     18      0   1007     18      1
 *	irq_noise: local_timer:236 start 5789.858404871 duration 2848 ns
 *
 * The columns of the second are in us: the runtime, the noise, the rest in %, the longest noise;
 * then how often the hardware, NMIs, interrupts, soft ones and threads interfered. */
#include "src/decode/ftrace/ftrace.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/input/decimal.h"

#define COLUMNS 9u

/* Writes `cpu N WHAT`. */
static bool
noise_point(struct ftrace *f, const struct ftrace_line *l, const char *what, int64_t value)
{
	return ftrace_settle(f) && ftrace_cpu_point(f, l->cpu, what, l->time_ns, value);
}

static bool
timerlat(struct ftrace *f, const struct ftrace_line *l, const char *found)
{
	const char *number = skip_blanks(found + strlen(" timer_latency "), l->end), *word = found;
	struct buf what = BUF_INIT;
	int64_t ns;
	bool good = true;

	while (word > l->event && !is_blank(word[-1]))
		word--;
	buf_add(&what, word, (size_t)(found - word));
	buf_adds(&what, " latency");
	if (number_parse(number, word_end(number, l->end), &ns))
		good = noise_point(f, l, buf_str(&what), ns);
	buf_release(&what);
	return good;
}

/* Returns false if a line does not have these columns. */
static bool
osnoise_parse(const struct ftrace_line *l, int64_t value[COLUMNS])
{
	const char *at = l->event;

	for (unsigned i = 0; i < COLUMNS; i++) {
		const char *stop = word_end(at, l->end);
		if (!decimal_scaled(at, (size_t)(stop - at), i < 4 ? 3 : 0, &value[i]))
			return false;
		at = skip_blanks(stop, l->end);
	}
	return at == l->end;
}

static bool
osnoise(struct ftrace *f, const struct ftrace_line *l, const int64_t value[COLUMNS])
{
	static const char *const names[COLUMNS] = {
		NULL,	     "noise",	  NULL,		   "noise max",	  "noise hw",
		"noise nmi", "noise irq", "noise softirq", "noise thread"};
	bool good = true;

	for (unsigned i = 0; i < COLUMNS && good; i++)
		good = !names[i] || noise_point(f, l, names[i], value[i]);
	return good;
}

/* A value of the kind of noise, and a sample of its source. */
static bool
noise_event(struct ftrace *f, const struct ftrace_line *l, const char *start, const char *number)
{
	size_t len = (size_t)(l->event_end - l->event);
	struct buf what = BUF_INIT;
	int64_t ns;

	buf_add(&what, l->event, len);
	bool good = !number_parse(number, word_end(number, l->end), &ns) ||
		    noise_point(f, l, buf_str(&what), ns);
	buf_release(&what);
	if (!good || start <= l->args)
		return good && ftrace_sample(f, l, ftrace_frame(f, l->event, len, true));
	good = ftrace_sample(f, l, ftrace_frame(f, l->args, (size_t)(start - l->args), true));
	ftrace_caller(f, ftrace_frame(f, l->event, len, true));
	return good;
}

bool
ftrace_noise(struct ftrace *f, const struct ftrace_line *l, bool *good)
{
	static const char duration[] = " duration ";
	int64_t value[COLUMNS];
	const char *found;

	if (l->event_end == l->event && *l->event == '#' &&
	    (found = text_find(l->event, l->end, " timer_latency ")) != NULL) {
		*good = timerlat(f, l, found);
		return true;
	}
	if (l->event_end == l->event && is_digit(*l->event) && osnoise_parse(l, value)) {
		*good = osnoise(f, l, value);
		return true;
	}
	found = l->event_end - l->event > 6 && !memcmp(l->event_end - 6, "_noise", 6)
			? text_find(l->args, l->end, duration)
			: NULL;
	if (!found)
		return false;
	const char *start = text_find(l->args, l->end, " start ");
	*good = noise_event(f, l, start ? start : l->args, found + sizeof duration - 1);
	return true;
}
