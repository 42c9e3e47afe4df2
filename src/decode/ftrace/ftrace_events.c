#include "src/decode/ftrace/ftrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"

/* The meanings of single events. An unknown event is a sample of its thread; lines with `=>` after
 * it may show its stack in the kernel. */

/* ---- arguments ---- */

/* Gets the value after `key=`, up to the next blank; false if there is none. */
static bool
argument(const struct ftrace_line *l, const char *key, const char **at, const char **end)
{
	size_t len = strlen(key);

	for (const char *c = l->args; (c = text_find(c, l->end, key)) != NULL; c++) {
		if (c > l->args && !is_blank(c[-1]))
			continue;
		*at = c + len;
		*end = word_end(*at, l->end);
		return true;
	}
	return false;
}

static bool
number_argument(const struct ftrace_line *l, const char *key, int64_t *out)
{
	const char *at, *end;

	return argument(l, key, &at, &end) && number_parse(at, end, out);
}

/* ---- processors ---- */

/* Notes that a thread runs on a processor from this time on; 0: none. Turns are written with the
 * last name of its life, since a program that is executed gives it another one. */
static void
ftrace_turn_add(struct ftrace *f, int64_t number, int64_t time_ns, int64_t tid)
{
	struct ftrace_cpu *cpu = ftrace_processor(f, number);
	uint32_t at = (uint32_t)(cpu - f->processor.at);

	if (time_ns < cpu->last_ns) /* lines of one processor are in order, unless they are wrong */
		time_ns = cpu->last_ns;
	timed_add(&f->turns, time_ns,
		  (uint32_t[TIMED_NUMBERS]){at, tid > 0 ? ftrace_task(f, tid) + 1 : 0});
}

/* The last name of a thread in turns, and its stack; STACK_EMPTY: none yet. */
struct ftrace_shown {
	name_id name;
	stack_id stack;
};

/* Returns the stack of a thread on a processor at a time: its name. `shown` is the thread's. */
static stack_id
ftrace_turn_stack(struct ftrace *f, uint32_t track, int64_t time_ns, struct ftrace_shown *shown)
{
	const struct cast_track *t = &f->cast.track.at[track];
	name_id known = comms_at(&f->sched.comms, t->id, time_ns);
	struct buf text = BUF_INIT;

	known = known == NAME_EMPTY ? t->name : known;
	if (shown->stack != STACK_EMPTY && shown->name == known)
		return shown->stack;
	cast_owner_text(&text, f->b, known, t->id, "thread");
	frame_id frame = ftrace_frame(f, buf_str(&text), text.len, false);
	buf_release(&text);
	*shown = (struct ftrace_shown){known, builder_child(f->b, STACK_EMPTY, frame)};
	return shown->stack;
}

bool
ftrace_turns_write(struct ftrace *f, struct err *e)
{
	struct series **out = mem_zalloc(f->processor.n + 1, sizeof *out);
	struct ftrace_shown *shown = mem_zalloc(f->cast.track.n + 1, sizeof *shown);
	struct timed_reader reader;
	uint32_t of[TIMED_NUMBERS];
	bool good = true;
	int64_t time_ns;

	for (size_t i = 0; i < f->processor.n; i++)
		if (f->processor.at[i].steps)
			out[i] = builder_anew(f->b, f->processor.at[i].steps);
	comms_settle(&f->sched.comms);
	timed_read(&reader, &f->turns);
	while (good && timed_next(&reader, &time_ns, of)) {
		stack_id stack = of[1] ? ftrace_turn_stack(f, of[1] - 1, time_ns, &shown[of[1] - 1])
				       : STACK_EMPTY;
		good = builder_step(f->b, out[of[0]], time_ns, stack, 0, f->offset, e);
	}
	timed_read_end(&reader);
	for (size_t i = 0; i < f->processor.n; i++) {
		if (!out[i])
			continue;
		good = good &&
		       builder_step(f->b, out[i], f->last_ns, STACK_EMPTY, 0, f->offset, e);
		builder_renew(f->b, f->processor.at[i].steps, out[i]);
	}
	free_all(out, shown);
	return good;
}

static bool
ftrace_switched(struct ftrace *f, const struct ftrace_line *l, struct sched_task from,
		enum sched_left left, struct sched_task to)
{
	struct ftrace_cpu *cpu = ftrace_processor(f, l->cpu);

	ftrace_comm(f, from.pid, l->time_ns, from.comm, from.len);
	ftrace_comm(f, to.pid, l->time_ns, to.comm, to.len);
	sched_switch(&f->sched, l->cpu, from.pid, left, to.pid, l->time_ns);
	cast_reach(&f->cast, ftrace_task(f, to.pid), l->time_ns);
	if (left == SCHED_ENDS)
		ftrace_dies(f, from.pid, l->time_ns);
	if (f->cpu == METRIC_NONE)
		f->cpu = ftrace_time(f, "cpu", false);
	if (!cpu->steps) {
		cpu->track = builder_trackf(f->b, TRACK_CORE, "cpu %" PRId64, l->cpu);
		cpu->steps = builder_turns(f->b, cpu->track, f->cpu);
		/* it has run since the first line of this processor */
		int64_t last = cpu->last_ns;
		cpu->last_ns = cpu->first_ns;
		ftrace_turn_add(f, l->cpu, cpu->first_ns, from.pid);
		ftrace_processor(f, l->cpu)->last_ns = last;
	}
	builder_track_event(f->b, cpu->track);
	ftrace_turn_add(f, l->cpu, l->time_ns, to.pid);
	return true;
}

static bool
woken(struct ftrace *f, const struct ftrace_line *l, struct sched_task task, enum sched_woken how)
{
	ftrace_comm(f, task.pid, l->time_ns, task.comm, task.len);
	sched_wake(&f->sched, l->cpu, task.pid, l->interrupts ? SCHED_NOBODY : l->pid, how,
		   l->time_ns);
	return ftrace_settle(f);
}

/* Parses `40:120:S`, the number, priority and state of a task. Returns its end, or NULL. */
static const char *
brief_task(const char *at, const char *end, int64_t *pid, const char **state)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));

	if (!colon || !number_parse(at, colon, pid) || *pid < 0)
		return NULL;
	colon = memchr(colon + 1, ':', (size_t)(end - colon) - 1);
	*state = colon ? colon + 1 : end;
	return *state < end ? word_end(*state, end) : NULL;
}

/* Handles `40:120:S ==> [003] 41:120:R name` and, with `+`, a wake-up, as the tracers of wake-ups
 * print them. Returns false for other events. */
static bool
brief(struct ftrace *f, const struct ftrace_line *l, const char *at, bool *good)
{
	struct sched_task from, to;
	const char *state, *after, *stop = brief_task(at, l->end, &from.pid, &state);
	const char *arrow = stop ? skip_blanks(stop, l->end) : l->end;
	bool wakes = begins_with(arrow, l->end, "+ [");

	if (!wakes && !begins_with(arrow, l->end, "==> ["))
		return false;
	stop = text_find(arrow, l->end, "] ");
	stop = stop ? brief_task(skip_blanks(stop + 2, l->end), l->end, &to.pid, &after) : NULL;
	if (!stop)
		return false;
	to.comm = skip_blanks(stop, l->end);
	to.len = (size_t)(drop_blanks(to.comm, l->end) - to.comm);
	struct name known = builder_name_get(
		f->b, f->cast.track.at[ftrace_task(f, from.pid)].name);
	from.comm = known.at;
	from.len = known.len;
	*good = wakes ? woken(f, l, to, SCHED_WAKEUP)
		      : ftrace_settle(f) &&
				ftrace_switched(f, l, from, sched_left_of(state, state + 1), to);
	return true;
}

/* ---- marks of programs ---- */

/* The next field of `B|42|name|...`. */
static bool
field(const char **at, const char *end, const char **from, const char **to)
{
	if (*at > end)
		return false;
	const char *bar = *at < end ? memchr(*at, '|', (size_t)(end - *at)) : NULL;
	*from = *at;
	*to = bar ? bar : end;
	*at = bar ? bar + 1 : end + 1;
	return true;
}

static bool
async(struct ftrace *f, const struct ftrace_line *l, const char *pid, const char *name,
      const char *name_end, const char *end, bool begins)
{
	struct buf key = BUF_INIT;

	buf_add(&key, pid, (size_t)(end - pid)); /* pid|name|cookie */
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_TASK,
				  .aside = true,
				  .id = builder_name(f->b, buf_str(&key), key.len),
				  .name = builder_name(f->b, name, (size_t)(name_end - name))};
	uint32_t track = cast_track(&f->cast, like);
	cast_made(&f->cast, track);
	buf_release(&key);
	if (begins && f->cast.track.at[track].edges.open.n) /* it has begun already */
		return true;
	if (begins)
		cast_begin(&f->cast, track, l->time_ns, NAME_EMPTY,
			   ftrace_frame(f, name, (size_t)(name_end - name), false), LABELS_NONE);
	else
		f->n.unmatched += !cast_end(&f->cast, track, l->time_ns, NAME_EMPTY);
	return true;
}

/* Handles `B|pid|name`, `E|pid`, `C|pid|name|value`, `S|pid|name|cookie`, `F|...`,
 * `I|pid|name`, `N|pid|track|name`. */
static bool
marked(struct ftrace *f, const struct ftrace_line *l, const char *at, const char *end)
{
	const char *letter = at, *letter_end, *pid, *pid_end, *name = end, *name_end = end;
	const char *value, *stop;
	int64_t number;

	field(&at, end, &letter, &letter_end);
	if (!field(&at, end, &pid, &pid_end))
		pid = pid_end = end;
	bool named = field(&at, end, &name, &name_end);
	if (*letter == 'B' || *letter == 'E')
		ftrace_syscall_cut(f, l);
	if (*letter == 'B') {
		name_end = named ? end : name_end; /* names of slices may hold bars */
		cast_begin(&f->cast, ftrace_thread(f, l->pid), l->time_ns, NAME_EMPTY,
			   ftrace_frame(f, name, (size_t)(name_end - name), false), LABELS_NONE);
	} else if (*letter == 'E') {
		f->n.unmatched += !cast_end(&f->cast, ftrace_thread(f, l->pid), l->time_ns,
					  NAME_EMPTY);
	} else if (*letter == 'C' && field(&at, end, &value, &stop)) {
		if (number_parse(value, stop, &number))
			return ftrace_point(f, name, (size_t)(name_end - name), TRACK_COUNTER,
					    l->time_ns, number);
		f->n.strange++;
	} else if ((*letter == 'S' || *letter == 'F') && field(&at, end, &value, &stop)) {
		return async(f, l, pid, name, name_end, stop, *letter == 'S');
	} else if (*letter == 'N' && field(&at, end, &value, &stop)) { /* after its track */
		return ftrace_point(f, value, (size_t)(stop - value), TRACK_MARKS, l->time_ns, 0);
	} else if (*letter == 'I') {
		return ftrace_point(f, name, (size_t)(name_end - name), TRACK_MARKS, l->time_ns, 0);
	} else {
		ftrace_counted(f, l->event, (size_t)(l->event_end - l->event));
	}
	return true;
}

/* Returns where such a mark begins: at once, or after an address or a function's name. */
static const char *
mark_of(const struct ftrace_line *l)
{
	const char *at = l->args;

	for (unsigned i = 0; i < 2 && at; i++) {
		if (l->end - at >= 1 && strchr("BECSFIGHN", *at) &&
		    (l->end - at == 1 || at[1] == '|'))
			return at;
		at = text_find(at, l->end, ": ");
		at = at ? skip_blanks(at + 2, l->end) : NULL;
	}
	return NULL;
}

/* ---- counters ---- */

static bool
ftrace_counter(struct ftrace *f, const struct ftrace_line *l, const char *key, const char *what)
{
	int64_t value, cpu = l->cpu;

	if (!number_argument(l, key, &value))
		return true;
	number_argument(l, "cpu_id=", &cpu);
	if (value == UINT32_MAX) /* it woke up */
		value = -1;
	return ftrace_cpu_point(f, cpu, what, l->time_ns, value);
}

static bool
limits(struct ftrace *f, const struct ftrace_line *l)
{
	return ftrace_counter(f, l, "min=", "min") && ftrace_counter(f, l, "min_freq=", "min") &&
	       ftrace_counter(f, l, "max=", "max") && ftrace_counter(f, l, "max_freq=", "max");
}

/* ---- the events ---- */

/* Reads `name <-parent` of the function tracer; trace-cmd has two dashes. */
static bool
function(struct ftrace *f, const struct ftrace_line *l, const char *at, const char *arrow)
{
	const char *parent = arrow + 3;

	while (parent < l->end && *parent == '-')
		parent++;
	if (!ftrace_sample(f, l, ftrace_symbol(f, at, arrow)))
		return false;
	ftrace_caller(f, ftrace_symbol(f, skip_blanks(parent, l->end), l->end));
	f->pending.traced = true;
	return true;
}

static bool
is_event(const struct ftrace_line *l, const char *name)
{
	return is_key(l->event, (size_t)(l->event_end - l->event), name);
}

/* trace-cmd's function_graph. */
static void
graph_event(struct ftrace *f, const struct ftrace_line *l)
{
	const char *bar = memchr(l->args, '|', (size_t)(l->end - l->args));
	const char *at = bar ? bar + 1 : l->args, *stop = bar ? bar : l->args;
	int64_t clock = l->time_ns;

	ftrace_graph_call(f, ftrace_thread(f, l->pid), &clock, true,
			  ftrace_graph_duration(l->args, stop), at, l->end);
}

bool
ftrace_event(struct ftrace *f, const struct ftrace_line *l)
{
	const char *arrow, *mark;
	struct sched_task from, to;
	struct ftrace_syscall call;
	enum sched_left left;
	enum sched_woken how;
	bool good;

	if (is_event(l, "kernel_stack") || begins_with(l->event, l->end, "<stack trace>")) {
		f->pending.foreign = f->pending.track != ftrace_thread(f, l->pid);
		f->pending.next = f->pending.program; /* of the event before */
		return true;
	}
	if (is_event(l, "user_stack") || begins_with(l->event, l->end, "<user stack trace>")) {
		f->pending.foreign = f->pending.track != ftrace_thread(f, l->pid);
		f->pending.program = f->pending.frame.n;
		f->pending.next = 0;
		return true;
	}
	if (is_event(l, "sched_switch")) /* in another layout, nothing is known */
		return ftrace_settle(f) &&
		       (!sched_text_switch(l->args, l->end, &from, &left, &to) ||
			ftrace_switched(f, l, from, left, to));
	if (sched_text_wakes(l->event, (size_t)(l->event_end - l->event), &how)) {
		ftrace_counted(f, l->event, (size_t)(l->event_end - l->event));
		return sched_text_wake(l->args, l->end, &to) ? woken(f, l, to, how)
							     : ftrace_settle(f);
	}
	if ((is_digit(*l->event) && brief(f, l, l->event, &good)) ||
	    ((is_event(l, "context_switch") || is_event(l, "wakeup")) &&
	     brief(f, l, l->args, &good)) ||
	    ftrace_noise(f, l, &good))
		return good;
	if (is_event(l, "cpu_frequency"))
		return ftrace_settle(f) && ftrace_counter(f, l, "state=", "freq");
	if (is_event(l, "cpu_idle"))
		return ftrace_settle(f) && ftrace_counter(f, l, "state=", "idle");
	if (is_event(l, "cpu_frequency_limits"))
		return ftrace_settle(f) && limits(f, l);
	if (is_event(l, "funcgraph_entry") || is_event(l, "fgraph_retaddr_entry") ||
	    is_event(l, "funcgraph_exit")) {
		graph_event(f, l);
		return ftrace_settle(f);
	}
	if ((is_event(l, "tracing_mark_write") || is_event(l, "print") || is_event(l, "bputs") ||
	     is_event(l, "bprint") || is_event(l, "0")) &&
	    (mark = mark_of(l)) != NULL)
		return ftrace_settle(f) && marked(f, l, mark, l->end);
	if ((l->event_end == l->event || is_event(l, "function")) &&
	    (arrow = text_find(l->event, l->end, " <-")) != NULL)
		return function(f, l, is_event(l, "function") ? l->args : l->event, arrow);
	if (is_event(l, "function") && l->args < l->end) /* trace-cmd without -O parent */
		return ftrace_sample(f, l, ftrace_symbol(f, l->args, l->end));
	if (ftrace_syscall_parse(l, &call))
		return ftrace_settle(f) && ftrace_syscall(f, l, &call);
	if (l->event_end == l->event)
		return ftrace_sample(f, l, ftrace_symbol(f, l->event, l->end));
	frame_id frame = ftrace_frame(f, l->event, (size_t)(l->event_end - l->event), true);
	return ftrace_sample(f, l, frame);
}
