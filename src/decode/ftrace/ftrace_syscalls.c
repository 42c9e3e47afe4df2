/* Samples, and calls of the system.
 *
 * A sample waits for its stack, whose lines follow it. An event that enters a call waits for the
 * one that leaves it: both are a slice. If the file has only one of them, it is a sample:
 *
 *	trace of tracefs    sys_openat(dfd: 3, ...)     sys_openat -> 0x3
 *	trace-cmd           sys_enter_openat: dfd: 3    sys_exit_openat: 0x3
 *	raw_syscalls        sys_enter: NR 257 (3, ...)  sys_exit: NR 257 = 3
 *
 * If both kinds of events are recorded, those with a name count. Programs write their marks
 * (atrace) inside a call, which ends there: the slice of the mark begins or ends in it. */
#include "src/decode/ftrace/ftrace.h"

#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/sum.h"

/* ---- samples ---- */

/* Writes a sample with n frames, leaf first. */
static bool
sample_write(struct ftrace *f, uint32_t track, int64_t time_ns, const frame_id *frame, size_t n)
{
	if (f->sample == METRIC_NONE)
		f->sample = builder_metric(f->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	while (f->samples.n <= track)
		*vec_push(&f->samples) = NULL;
	struct series **series = &f->samples.at[track];
	if (!*series)
		*series = builder_samples(f->b, cast_made(&f->cast, track), &f->sample, 1);
	/* the event has a separate metric: steps are events, too, but not samples */
	int64_t one = 1;
	return builder_sample(f->b, *series, time_ns, builder_stack_leaf_first(f->b, frame, n),
			      &one, f->offset, f->e);
}

bool
ftrace_settle(struct ftrace *f)
{
	struct ftrace_pending *p = &f->pending;
	size_t n = p->frame.n;

	p->frame.n = 0;
	if (!n || (n == 1 && p->of_call))
		return true;
	if (p->of_call)
		f->calls.at.at[p->track].sampled = true;
	return sample_write(f, p->track, p->time_ns, p->frame.at, n);
}

static void
pending_begin(struct ftrace *f, uint32_t track, int64_t time_ns, frame_id frame, bool of_call)
{
	struct ftrace_pending *p = &f->pending;

	p->track = track;
	p->foreign = p->traced = false;
	p->time_ns = time_ns;
	p->of_call = of_call;
	p->program = p->next = 0;
	*vec_push(&p->frame) = frame;
}

bool
ftrace_sample(struct ftrace *f, const struct ftrace_line *l, frame_id frame)
{
	uint32_t track = ftrace_thread(f, l->pid);

	if (!ftrace_settle(f))
		return false;
	pending_begin(f, track, l->time_ns, frame, false);
	return true;
}

/* The stack behind a line of the function tracer begins with the function of the line: drops the
 * caller that the line names. Returns true if the frame is that function. */
static bool
traced_drop(struct ftrace_pending *p, frame_id frame)
{
	p->traced = false;
	p->frame.n--;
	memmove(p->frame.at + 1, p->frame.at + 2, (p->frame.n - 1) * sizeof frame);
	p->program -= p->program > 0;
	p->next -= p->next > 0;
	return frame == p->frame.at[0];
}

void
ftrace_caller(struct ftrace *f, frame_id frame)
{
	struct ftrace_pending *p = &f->pending;

	if (!p->frame.n || p->frame.n >= STACK_DEPTH_MAX)
		return;
	if (p->traced && !(p->program && !p->next) && traced_drop(p, frame))
		return;
	vec_push(&p->frame);
	size_t i = p->next ? p->next++ : p->frame.n - 1;
	memmove(p->frame.at + i + 1, p->frame.at + i, (p->frame.n - 1 - i) * sizeof frame);
	p->frame.at[i] = frame;
}

/* ---- calls of the system ---- */

bool
ftrace_syscall_parse(const struct ftrace_line *l, struct ftrace_syscall *out)
{
	const char *at = l->event, *end = drop_blanks(at, l->end), *stop;

	if (!begins_with(at, end, "sys_"))
		return false;
	at += 4;
	for (stop = at; stop < end && !strchr(" \t(:", *stop); stop++)
		;
	*out = (struct ftrace_syscall){.at = at, .end = stop};
	out->enters = stop < end && *stop == '(' && end[-1] == ')';
	if (out->enters || begins_with(stop, end, " -> "))
		return stop > at;
	out->enters = begins_with(at, stop, "enter");
	if (stop != l->event_end || !(out->enters || begins_with(at, stop, "exit")))
		return false;
	at += out->enters ? 5 : 4;
	out->at = at + 1;
	if (at < stop)
		return *at == '_' && out->at < stop;
	if (l->args >= end || !begins_with(l->args, end, "NR "))
		return false;
	out->numbered = true;
	out->at = l->args + 3;
	for (out->end = out->at; out->end < end && is_digit(*out->end); out->end++)
		;
	return out->end > out->at;
}

/* Writes the event that entered a call as a sample, unless it is one already. */
static bool
syscall_unpaired(struct ftrace *f, uint32_t track)
{
	struct ftrace_call *c = &f->calls.at.at[track];

	c->state = CALL_NONE;
	return c->sampled || sample_write(f, track, c->start_ns, &c->frame, 1);
}

static bool
syscall_enter(struct ftrace *f, const struct ftrace_line *l, uint32_t track,
	      const struct ftrace_syscall *s, frame_id frame)
{
	struct ftrace_call *c = &f->calls.at.at[track];

	if (c->state == CALL_OPEN && s->numbered && !c->numbered)
		return true;
	if (c->state == CALL_OPEN && s->numbered == c->numbered && !syscall_unpaired(f, track))
		return false;
	*c = (struct ftrace_call){
		.start_ns = l->time_ns,
		.cpu = l->cpu,
		.frame = frame,
		.state = CALL_OPEN,
		.numbered = s->numbered,
		.last = is_key(s->at, (size_t)(s->end - s->at), "exit") ||
			is_key(s->at, (size_t)(s->end - s->at), "exit_group"),
	};
	pending_begin(f, track, l->time_ns, frame, true);
	return true;
}

static bool
syscall_exit(struct ftrace *f, const struct ftrace_line *l, uint32_t track,
	     const struct ftrace_syscall *s, frame_id frame)
{
	struct ftrace_call *c = &f->calls.at.at[track];
	bool open = c->state == CALL_OPEN;

	if (s->numbered && c->state != CALL_NONE && !c->numbered)
		return true; /* the event with the name has ended it, or will */
	if (c->state == CALL_CUT || (open && !c->lost && (c->frame == frame ||
							  c->numbered != s->numbered))) {
		if (open)
			cast_slice(&f->cast, track, c->start_ns, l->time_ns - c->start_ns, frame,
				   LABELS_NONE);
		f->calls.paired = true;
		c->state = CALL_ENDED;
		return true;
	}
	if (open && !syscall_unpaired(f, track))
		return false;
	return sample_write(f, track, l->time_ns, &frame, 1);
}

bool
ftrace_syscall(struct ftrace *f, const struct ftrace_line *l, const struct ftrace_syscall *s)
{
	uint32_t track = ftrace_thread(f, l->pid);
	struct buf name = BUF_INIT;

	while (f->calls.at.n <= track)
		*vec_push(&f->calls.at) = (struct ftrace_call){.state = CALL_NONE};
	buf_adds(&name, "sys_");
	buf_add(&name, s->at, (size_t)(s->end - s->at));
	frame_id frame = ftrace_frame(f, buf_str(&name), name.len, true);
	buf_release(&name);
	return s->enters ? syscall_enter(f, l, track, s, frame)
			 : syscall_exit(f, l, track, s, frame);
}

void
ftrace_syscall_cut(struct ftrace *f, const struct ftrace_line *l)
{
	uint32_t track = ftrace_task(f, l->pid);

	if (track >= f->calls.at.n || f->calls.at.at[track].state != CALL_OPEN)
		return;
	struct ftrace_call *c = &f->calls.at.at[track];
	cast_slice(&f->cast, track, c->start_ns, l->time_ns - c->start_ns, c->frame, LABELS_NONE);
	c->state = CALL_CUT;
}

void
ftrace_dies(struct ftrace *f, int64_t tid, int64_t time_ns)
{
	uint32_t track = tid > 0 ? ftrace_task(f, tid) : 0;

	if (tid <= 0 || track >= f->calls.at.n || f->calls.at.at[track].state != CALL_OPEN)
		return;
	f->calls.at.at[track].dies = true;
	f->calls.at.at[track].dies_ns = time_ns;
}

void
ftrace_lost(struct ftrace *f, int64_t cpu)
{
	sched_lost(&f->sched, cpu);
	for (size_t i = 0; i < f->calls.at.n; i++)
		f->calls.at.at[i].lost |= f->calls.at.at[i].cpu == cpu;
}

bool
ftrace_syscalls_end(struct ftrace *f)
{
	for (uint32_t i = 0; i < f->calls.at.n; i++) {
		struct ftrace_call *c = &f->calls.at.at[i];
		if (c->state != CALL_OPEN)
			continue;
		int64_t end_ns = c->dies   ? c->dies_ns
				 : c->last ? c->start_ns
					   : f->last_ns;
		if (f->calls.paired && !c->lost)
			cast_slice(&f->cast, i, c->start_ns, end_ns - c->start_ns, c->frame,
				   LABELS_NONE);
		else if (!syscall_unpaired(f, i))
			return false;
	}
	return true;
}
