#include "src/decode/ftrace/ftrace.h"

#include <string.h>

#include "model/base/chars.h"
#include "model/base/sum.h"
#include "src/input/decimal.h"

/* function_graph prints calls in the form of a C program:
 *
 *	 0)               |  sys_open() {
 *	 0)   1.382 us    |    kmem_cache_alloc();
 *	 0) + 53.2 us     |  }
 *
 * Options add columns in front: of the task, `shop-42`, and of the time; and behind the call a
 * comment or a group in parentheses: return value, caller, depth. Without times, the work of
 * a processor is assumed to be contiguous: a call without callees lasts its stated duration; one
 * that ends lasts at least as long as its contents. With times: ftrace_nest.c. */

int64_t
ftrace_graph_duration(const char *at, const char *end)
{
	int64_t ns;

	at = skip_blanks(at, end);
	while (at < end && strchr("+!#*@$", *at))
		at = skip_blanks(at + 1, end);
	const char *stop = word_end(at, end);
	if (at == stop || !is_digit(*at) || !begins_with(skip_blanks(stop, end), end, "us") ||
	    !decimal_scaled(at, (size_t)(stop - at), 3, &ns))
		return -1;
	return ns;
}

/* Handles `}`. */
static void
graph_end(struct ftrace *f, uint32_t track, int64_t *clock_ns, bool timed, int64_t duration_ns)
{
	const struct cast_edges *edges = &f->cast.track.at[track].edges;
	struct cast_edge last = {0};

	if (edges->open.n)
		last = edges->open.at[edges->open.n - 1];
	if (!timed && edges->open.n && duration_ns >= 0) {
		int64_t ended = sum_clipped(last.time, duration_ns);
		if (ended > *clock_ns)
			*clock_ns = ended;
	}
	if (!cast_end(&f->cast, track, *clock_ns, NAME_EMPTY))
		f->n.unmatched++;
	else if (timed)
		ftrace_nest_end(f, track, last.slice, *clock_ns, duration_ns);
}

void
ftrace_graph_call(struct ftrace *f, uint32_t track, int64_t *clock_ns, bool timed,
		  int64_t duration_ns, const char *at, const char *end)
{
	const char *name_end;
	int64_t start = *clock_ns;

	at = skip_blanks(at, end);
	if (at == end || *at == '/')
		return; /* a comment */
	if (*at == '}') {
		graph_end(f, track, clock_ns, timed, duration_ns);
		return;
	}
	end = drop_blanks(at, end);
	name_end = memchr(at, '(', (size_t)(end - at));
	/* `name(arguments); comment`: the comment has the return value, the caller, the depth */
	bool leaf = end[-1] == ';' ||
		    (end[-1] != '{' && name_end && text_find(name_end, end, ");"));
	if (!name_end)
		name_end = word_end(at, end);
	frame_id frame = ftrace_symbol(f, at, name_end);
	if (!leaf) {
		cast_begin(&f->cast, track, start, NAME_EMPTY, frame, LABELS_NONE);
		if (timed)
			ftrace_nest_begin(f, track, start);
		return;
	}
	if (duration_ns < 0)
		duration_ns = 0;
	cast_slice_next(&f->cast, track, start, duration_ns, frame, LABELS_NONE);
	if (timed)
		ftrace_nest_leaf(f, track, start, duration_ns);
	*clock_ns = sum_clipped(start, duration_ns);
}

/* `shop-42` between two bars. */
static bool
task_column(const char *at, const char *end, const char **comm_end, int64_t *pid)
{
	const char *digits;

	end = drop_blanks(at, end);
	for (digits = end; digits > at && is_digit(digits[-1]); digits--)
		;
	if (digits == end || digits == at || digits[-1] != '-' || !number_parse(digits, end, pid))
		return false;
	*comm_end = digits - 1;
	return true;
}

static uint32_t
ftrace_track_of(struct ftrace *f, struct ftrace_cpu *cpu, int64_t number, const char *at,
		const char *end)
{
	const char *comm_end;
	int64_t pid;

	at = skip_blanks(at, end);
	if (task_column(at, end, &comm_end, &pid)) {
		ftrace_comm(f, pid, f->last_ns, at, (size_t)(comm_end - at));
		return ftrace_thread(f, pid);
	}
	if (cpu->graph == CAST_NONE) {
		struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE,
					  .kind = TRACK_CORE,
					  .name = builder_namef(f->b, "cpu %" PRId64, number)};
		cpu->graph = cast_add(&f->cast, like);
		cast_made(&f->cast, cpu->graph);
	}
	return cpu->graph;
}

/* Reads the column `  12.345678 |`, or `  12 us |` of the latency tracers: returns the time, or -1,
 * and where the following text begins. */
static const char *
time_column(const char *at, const char *end, int64_t *time_ns)
{
	const char *text = skip_blanks(at, end), *stop = word_end(text, end);
	const char *bar = skip_blanks(stop, end);
	int64_t us;

	*time_ns = -1;
	if (begins_with(bar, end, "us |") && number_parse(text, stop, &us) && us >= 0 &&
	    us < INT64_MAX / 1000) {
		*time_ns = us * 1000;
		return bar + 4;
	}
	if (bar == end || *bar != '|' || !memchr(text, '.', (size_t)(stop - text)) ||
	    !decimal_scaled(text, (size_t)(stop - text), 9, time_ns))
		return at;
	return bar + 1;
}

bool
ftrace_graph_line(struct ftrace *f, const char *at, const char *end)
{
	const char *bar, *call, *column;
	int64_t time_ns, number;

	const char *text = skip_blanks(at, end);
	if (begins_with(text, end, "------") || begins_with(text, end, "(Overruns: "))
		return true;
	at = skip_blanks(time_column(at, end, &time_ns), end);
	const char *digits = at;
	at = digits_end(at, end);
	if (at == digits || at == end || *at != ')' || !number_parse(digits, at, &number))
		return false;
	at++;
	if (text_find(at, end, " => ")) /* another task runs from here on */
		return true;
	bar = NULL;
	for (const char *c = at; c < end && !(bar && *c == '('); c++) /* `(sd-pam)-42 |` */
		if (*c == '|')
			bar = c;
	if (!bar)
		return false;
	call = bar + 1;
	column = at; /* the last column before the call; the column of the task is the first */
	const char *task_end = NULL;
	for (const char *c = at; c < bar; c++)
		if (*c == '|') {
			column = c + 1;
			task_end = task_end ? task_end : c;
		}
	struct ftrace_cpu *cpu = ftrace_processor(f, number);
	uint32_t track = ftrace_track_of(f, cpu, number, at, task_end ? task_end : at);
	cpu = ftrace_processor(f, number);
	if (time_ns >= 0)
		cpu->clock_ns = time_ns;
	int64_t clock = cpu->clock_ns;
	ftrace_graph_call(f, track, &clock, time_ns >= 0, ftrace_graph_duration(column, bar), call,
			  end);
	cpu->clock_ns = clock;
	return true;
}
