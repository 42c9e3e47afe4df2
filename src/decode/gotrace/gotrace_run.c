/* gotrace_run.c - what goroutines and Ps do.
 *
 *	goroutine   running ─► waiting, in a syscall ─► runnable ─► running ─► ...
 *	samples               `off-cpu`, where it      `runnable`
 *	                       stopped
 *	P           main.load ├──── empty ────┤ main.search ├─ ...
 *
 * A goroutine that existed before the trace gets its name with its first stack, which may be that
 * of the event that stops it. So the step of a P is written when it ends. The states of more than
 * GOTRACE_LONE goroutines would be too many rows to look at and much memory: the others share a
 * track with those of their name. */
#include "src/decode/gotrace/gotrace_inside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/ordered.h"
#include "src/decode/common/words.h"

#define HEADINGS_MAX 20u /* rows in the view `info` */
#define WORD(b, text) builder_name((b), (text), sizeof(text) - 1)

void
gotrace_actors_release(struct gotrace_actors *a)
{
	vec_release_all(&a->go, &a->proc, &a->heading, &a->thread_samples);
	idmap_release_all(&a->go_of, &a->proc_of, &a->heading_of, &a->threads);
}

/* ---- names ---- */

static name_id
start_name(const struct gotrace *d, const struct gotrace_goroutine *go)
{
	return go->start == GOTRACE_NONE ? NAME_EMPTY
					 : builder_function_get(d->b, go->start).name;
}

void
gotrace_goroutine_text(const struct gotrace *d, uint32_t goroutine, struct buf *out)
{
	const struct gotrace_goroutine *go = &d->actors.go.at[goroutine];

	cast_owner_text(out, d->b, start_name(d, go), (int64_t)go->id, "goroutine");
}

static struct gotrace_heading *
heading_of(struct gotrace *d, name_id name)
{
	struct gotrace_actors *a = &d->actors;
	uint32_t i = idmap_get(&a->heading_of, name);

	if (i == IDMAP_NONE) {
		struct name n = builder_name_get(d->b, name);
		i = (uint32_t)a->heading.n;
		idmap_put(&a->heading_of, name, i);
		*vec_push(&a->heading) = (struct gotrace_heading){
			.name = name, .process = PROCESS_NONE, .others = TRACK_NONE};
		if (n.len)
			a->heading.at[i].process = builder_process(d->b, n.at, n.len);
	}
	return &a->heading.at[i];
}

/* Names a goroutine that has no name yet after its start function. */
static void
gotrace_name(struct gotrace *d, uint32_t goroutine, function_id start)
{
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];
	struct buf text = BUF_INIT;

	if (go->start != GOTRACE_NONE || start == GOTRACE_NONE)
		return;
	struct name n = builder_name_get(d->b, builder_function_get(d->b, start).name);
	if (name_is(n, "runtime.main")) /* stacks of that goroutine begin with main.main */
		return;
	go->start = start;
	struct gotrace_heading *h = heading_of(d, start_name(d, go));
	h->n++;
	if (go->actor == ACTOR_NONE)
		return;
	gotrace_goroutine_text(d, goroutine, &text);
	builder_track_rename(d->b, go->track, buf_str(&text), text.len);
	builder_actor_rename(d->b, go->actor, buf_str(&text), text.len);
	if (h->process != PROCESS_NONE)
		builder_track_under(d->b, go->track, h->process);
	buf_release(&text);
}

stack_id
gotrace_own_stack(struct gotrace *d, uint32_t goroutine, uint64_t id)
{
	function_id outermost;
	stack_id stack = gotrace_stack(d, id, &outermost);

	if (goroutine != GOTRACE_NONE)
		gotrace_name(d, goroutine, outermost);
	return stack;
}

uint32_t
gotrace_goroutine(struct gotrace *d, uint64_t id)
{
	struct gotrace_actors *a = &d->actors;
	uint32_t i;
	struct buf text = BUF_INIT;

	if (!idmap_add(&a->go_of, id, a->go.n, &i))
		return i;
	*vec_push(&a->go) = (struct gotrace_goroutine){
		.id = id,
		.start = GOTRACE_NONE,
		.track = TRACK_NONE,
		.actor = ACTOR_NONE,
		.assist_ns = INT64_MIN,
		.regions = GOTRACE_NONE,
		.ranges = GOTRACE_NONE,
		.turn = {.waiting = GOTRACE_NONE},
	};
	if (i >= GOTRACE_LONE) {
		a->sharing++;
		return i;
	}
	gotrace_goroutine_text(d, i, &text);
	struct gotrace_goroutine *go = &a->go.at[i];
	go->track = builder_track(d->b, buf_str(&text), text.len, TRACK_THREAD);
	go->actor = builder_actor(d->b, buf_str(&text), text.len, go->track);
	buf_release(&text);
	return i;
}

struct gotrace_turn *
gotrace_turn_of(struct gotrace *d, uint64_t id)
{
	uint32_t i = gotrace_goroutine(d, id);

	return &d->actors.go.at[i].turn;
}

uint32_t
gotrace_proc(struct gotrace *d, uint64_t id)
{
	struct gotrace_actors *a = &d->actors;
	uint32_t i;

	if (!idmap_add(&a->proc_of, id, a->proc.n, &i))
		return i;
	*vec_push(&a->proc) = (struct gotrace_proc){
		.id = id,
		.goroutine = GOTRACE_NONE,
		.sweep_ns = INT64_MIN,
		.ranges = GOTRACE_NONE,
		.turn = {.waiting = GOTRACE_NONE},
	};
	struct gotrace_proc *p = &a->proc.at[i];
	p->track = builder_trackf(d->b, TRACK_CORE, "P %" PRIu64, id);
	p->series = builder_turns(d->b, p->track, a->cpu);
	builder_labelled(d->b, p->series);
	return i;
}

/* ---- stacks and labels ---- */

/* The stack of a goroutine's start function alone; STACK_EMPTY if it is not known. */
static stack_id
base_of(struct gotrace *d, struct gotrace_goroutine *go)
{
	if (go->base == STACK_EMPTY && go->start != GOTRACE_NONE)
		go->base = builder_child(d->b, STACK_EMPTY,
					 builder_frame(d->b, go->start, line_unknown()));
	return go->base;
}

static stack_id
turn_stack(struct gotrace *d, uint32_t goroutine)
{
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];
	struct buf text = BUF_INIT;

	if (base_of(d, go) != STACK_EMPTY)
		return go->base;
	gotrace_goroutine_text(d, goroutine, &text);
	function_id f = builder_function_named(d->b, buf_str(&text), text.len);
	buf_release(&text);
	return builder_child(d->b, STACK_EMPTY, builder_frame(d->b, f, line_unknown()));
}

static labels_id
labels_of(struct gotrace *d, const struct gotrace_goroutine *go, name_id key, name_id value)
{
	label_id id[2];
	size_t n = 0;

	if (value != NAME_EMPTY)
		id[n++] = builder_label_text(d->b, key, value);
	if (go->track != TRACK_NONE)
		id[n++] = builder_label_number(d->b, WORD(d->b, "goroutine"), (int64_t)go->id,
					       NAME_EMPTY);
	return builder_labels(d->b, id, n);
}

/* ---- waits ---- */

/* Returns the track of a goroutine, or the one that it shares. */
static track_id
track_of(struct gotrace *d, const struct gotrace_goroutine *go, struct gotrace_heading **heading)
{
	*heading = NULL;
	if (go->track != TRACK_NONE)
		return go->track;
	struct gotrace_heading *h = *heading = heading_of(d, start_name(d, go));
	if (h->others == TRACK_NONE) {
		struct name n = builder_name_get(d->b, h->name);
		h->others = builder_trackf(d->b, TRACK_THREAD, "%s (others)",
					   n.len ? n.at : "goroutines");
		if (h->process != PROCESS_NONE)
			builder_track_under(d->b, h->others, h->process);
	}
	return h->others;
}

static struct series *
samples_of(struct gotrace *d, track_id track, metric_id *metric, const char *name, bool count)
{
	if (*metric == METRIC_NONE)
		*metric = builder_metric(d->b, name, count ? UNIT_SAMPLES : UNIT_NS,
					 ROLE_VALUE);
	struct series *s = builder_samples(d->b, track, metric, 1);
	builder_labelled(d->b, s);
	return s;
}

/* Returns the series of a goroutine's waits, whose samples are no records of the file. */
static struct series *
waits_of(struct gotrace *d, struct gotrace_goroutine *go, bool runnable)
{
	struct gotrace_actors *a = &d->actors;
	struct gotrace_wait *w = runnable ? &go->runnable : &go->off;
	struct gotrace_heading *h;

	if (w->series)
		return w->series;
	track_id track = track_of(d, go, &h);
	if (h && h->wait[runnable])
		return w->series = h->wait[runnable];
	w->series = samples_of(d, track, runnable ? &a->runnable : &a->off_cpu,
			       runnable ? "runnable" : "off-cpu", false);
	builder_derived(w->series);
	if (h)
		h->wait[runnable] = w->series;
	return w->series;
}

/* Writes the wait of a goroutine that ends now, if it waited. */
static void
wait_ends(struct gotrace *d, struct gotrace_goroutine *go, int64_t time_ns)
{
	int64_t value = time_ns - go->since_ns;
	stack_id stack = go->stack;

	if (go->state == GO_UNDEFINED || go->state == GO_RUNNING || value <= 0)
		return;
	bool runnable = go->state == GO_RUNNABLE;
	struct series *s = waits_of(d, go, runnable);
	struct gotrace_wait *w = runnable ? &go->runnable : &go->off;
	if (w->labels == LABELS_NONE || w->reason != go->reason) {
		w->labels = labels_of(d, go, WORD(d->b, "reason"), go->reason);
		w->reason = go->reason;
	}
	if (stack == STACK_EMPTY)
		stack = base_of(d, go);
	if (stack == STACK_EMPTY)
		stack = builder_stack_missing(d->b, 1);
	builder_next_labels(d->b, s, w->labels);
	builder_sample(d->b, s, go->since_ns, stack, &value, 0, d->e);
}

static void
state_begins(struct gotrace *d, struct gotrace_goroutine *go, enum gotrace_status state,
	     int64_t time_ns)
{
	wait_ends(d, go, time_ns);
	go->state = (uint8_t)state;
	go->since_ns = time_ns;
	if (go->track != TRACK_NONE)
		builder_track_event(d->b, go->track);
}

void
gotrace_becomes(struct gotrace *d, uint32_t goroutine, enum gotrace_status state, int64_t time_ns,
		stack_id stack, name_id reason)
{
	static const uint8_t states[] = {
		[GO_UNDEFINED] = ACTOR_UNKNOWN, [GO_RUNNABLE] = ACTOR_RUNNABLE,
		[GO_RUNNING] = ACTOR_RUNNING,	[GO_SYSCALL] = ACTOR_IO,
		[GO_WAITING] = ACTOR_WAITING,
	};
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];

	state_begins(d, go, state, time_ns);
	go->stack = stack;
	go->reason = reason;
	if (go->actor != ACTOR_NONE)
		builder_state(d->b, go->actor, time_ns, (enum actor_state)states[state]);
	if (state == GO_UNDEFINED && go->track != TRACK_NONE)
		builder_track_end(d->b, go->track, time_ns);
}

void
gotrace_woken(struct gotrace *d, uint32_t goroutine, int64_t time_ns, uint32_t by)
{
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];

	state_begins(d, go, GO_RUNNABLE, time_ns);
	go->reason = NAME_EMPTY;
	d->actors.wakes += by != GOTRACE_NONE;
	d->actors.unnamed_wakes += by == GOTRACE_NONE;
	if (go->actor != ACTOR_NONE)
		builder_woken(d->b, go->actor, time_ns,
			      by == GOTRACE_NONE ? ACTOR_NONE : d->actors.go.at[by].actor);
}

/* ---- Ps ---- */

/* Writes the step that ends now. */
static void
turn_write(struct gotrace *d, struct gotrace_proc *p)
{
	stack_id stack = STACK_EMPTY;
	labels_id labels = LABELS_NONE;

	if (p->goroutine == GOTRACE_NONE && !p->any)
		return;
	if (p->goroutine != GOTRACE_NONE) {
		struct gotrace_goroutine *go = &d->actors.go.at[p->goroutine];
		if (go->turn_labels == LABELS_NONE)
			go->turn_labels = labels_of(d, go, WORD(d->b, "label"), go->label);
		labels = go->turn_labels;
		stack = turn_stack(d, p->goroutine);
		builder_track_event(d->b, p->track);
	}
	builder_next_labels(d->b, p->series, labels);
	builder_step(d->b, p->series, p->since_ns, stack, 0, 0, d->e);
	p->any = true;
}

void
gotrace_runs(struct gotrace *d, uint32_t proc, uint32_t goroutine, int64_t time_ns)
{
	struct gotrace_proc *p = &d->actors.proc.at[proc];

	if (p->goroutine == goroutine)
		return;
	turn_write(d, p);
	p->goroutine = goroutine;
	p->since_ns = time_ns;
}

void
gotrace_label(struct gotrace *d, uint32_t goroutine, name_id label, uint32_t proc,
	      int64_t time_ns)
{
	struct gotrace_proc *p = proc == GOTRACE_NONE ? NULL : &d->actors.proc.at[proc];
	struct gotrace_goroutine *go = &d->actors.go.at[goroutine];

	/* without a name, the step must not end yet */
	if (p && p->goroutine == goroutine && p->since_ns < time_ns && go->start != GOTRACE_NONE) {
		turn_write(d, p);
		p->since_ns = time_ns;
	}
	go->label = label;
	go->turn_labels = LABELS_NONE;
}

/* ---- samples of CPU time ---- */

static struct series *
thread_samples(struct gotrace *d, uint64_t thread)
{
	struct gotrace_actors *a = &d->actors;
	uint32_t i = idmap_get(&a->threads, thread);

	if (i != IDMAP_NONE)
		return a->thread_samples.at[i];
	track_id track = builder_trackf(d->b, TRACK_THREAD, "thread %" PRIu64, thread);
	idmap_put(&a->threads, thread, (uint32_t)a->thread_samples.n);
	return *vec_push(&a->thread_samples) =
		       samples_of(d, track, &a->samples, "samples", true);
}

void
gotrace_sample(struct gotrace *d, uint64_t thread, uint64_t proc, uint64_t goroutine,
	       int64_t time_ns, uint64_t stack, uint64_t offset)
{
	struct gotrace_actors *a = &d->actors;
	struct gotrace_heading *h = NULL;
	struct series **s = NULL, *made;
	const int64_t one = 1;
	function_id outermost;
	labels_id labels = LABELS_NONE;
	track_id track = TRACK_NONE;
	stack_id at = gotrace_stack(d, stack, &outermost);

	if (goroutine) {
		uint32_t i = gotrace_goroutine(d, goroutine);
		gotrace_name(d, i, outermost);
		track = track_of(d, &a->go.at[i], &h);
		s = h ? &h->samples : &a->go.at[i].samples;
		labels = labels_of(d, &a->go.at[i], NAME_EMPTY, NAME_EMPTY);
	} else if (proc != UINT64_MAX) {
		uint32_t i = gotrace_proc(d, proc);
		track = a->proc.at[i].track;
		s = &a->proc.at[i].samples;
	}
	if (!s)
		made = thread_samples(d, thread);
	else
		made = *s ? *s : (*s = samples_of(d, track, &a->samples, "samples", true));
	builder_next_labels(d->b, made, labels);
	builder_sample(d->b, made, time_ns, at ? at : builder_stack_missing(d->b, 1), &one,
		       offset, d->e);
}

/* ---- the end ---- */

void
gotrace_forget(struct gotrace *d)
{
	struct gotrace_actors *a = &d->actors;

	for (uint32_t i = 0; i < a->go.n; i++) {
		a->go.at[i].turn = (struct gotrace_turn){.waiting = GOTRACE_NONE};
		if (a->go.at[i].state != GO_UNDEFINED)
			gotrace_becomes(d, i, GO_UNDEFINED, d->last_ns, STACK_EMPTY, NAME_EMPTY);
	}
	for (uint32_t i = 0; i < a->proc.n; i++) {
		a->proc.at[i].turn = (struct gotrace_turn){.waiting = GOTRACE_NONE};
		gotrace_runs(d, i, GOTRACE_NONE, d->last_ns);
	}
	for (size_t i = 0; i < d->order.lane.n; i++)
		d->order.lane.at[i].goroutine = d->order.lane.at[i].proc = GOTRACE_NONE;
	d->gc = (struct gotrace_turn){.waiting = GOTRACE_NONE};
}

ORDERED_LARGEST(heading_by_n, struct gotrace_heading, n, name)

static void
actors_describe(struct gotrace *d)
{
	struct gotrace_actors *a = &d->actors;

	builder_info(d->b, "goroutines", "%zu", a->go.n);
	builder_info(d->b, "Ps", "%zu", a->proc.n);
	builder_info(d->b, "wake-ups", "%" PRIu64 " by goroutines, %" PRIu64 " by nobody",
		     a->wakes, a->unnamed_wakes);
	if (a->sharing)
		builder_info(d->b, "goroutines without a track",
			     "%" PRIu64 ", after the first %u: they share one with those of their "
			     "name, without states", a->sharing, GOTRACE_LONE);
	vec_sort(&a->heading, heading_by_n);
	for (size_t i = 0; i < a->heading.n && i < HEADINGS_MAX && a->heading.at[i].n > 1; i++) {
		struct name n = builder_name_get(d->b, a->heading.at[i].name);
		builder_info(d->b, "goroutines of", "%.*s: %" PRIu32, (int)n.len, n.at,
			     a->heading.at[i].n);
	}
}

void
gotrace_actors_finish(struct gotrace *d)
{
	struct gotrace_actors *a = &d->actors;

	for (size_t i = 0; i < a->go.n; i++) {
		struct gotrace_goroutine *go = &a->go.at[i];
		wait_ends(d, go, d->last_ns);
		if (go->state != GO_UNDEFINED && go->track != TRACK_NONE)
			builder_track_end(d->b, go->track, d->last_ns);
		go->state = GO_UNDEFINED;
	}
	for (uint32_t i = 0; i < a->proc.n; i++) {
		gotrace_runs(d, i, GOTRACE_NONE, d->last_ns);
		turn_write(d, &a->proc.at[i]);
	}
	builder_run_end(d->b, d->first_ns);
	builder_run_end(d->b, d->last_ns);
	actors_describe(d);
}
