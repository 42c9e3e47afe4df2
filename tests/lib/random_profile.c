#include "tests/lib/random_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/build/builder_load.h"
#include "tests/lib/unit.h"

/* Bugs in trees hide in coincidences: recursion, one name in two files, a function on two lines,
 * events at the very ends of a range, steps of no length, values that cancel out. So everything is
 * drawn from few names, few frames and short times, where they occur all the time.  Large numbers
 * are mixed in, since columns and sums have widths.  Each event is recorded twice: through the
 * builder, and in naive.h's list. */

static const char *const names[] = {
	"alpha",   "alphabet",     "Beta",    "beta", "gamma",  "__init",
	"io$read", "na\xC3\xAFve", "caf\xE9", "",     "x\x01y",
};
static const char *const files[] = {"", "one.c", "two.c", "One.h"};
static const char *const modules[] = {"", "libc", "app"};
static const char *const tracks[] = {"main", "worker", "worker", "Render", "io"};

#define PICK(c, table) ((table)[chance_below((c), sizeof(table) / sizeof *(table))])

/* ---- declarations ---- */

static struct line
random_line(struct chance *c)
{
	struct line line = line_plain(chance_below(c, 3));

	if (chance_one_in(c, 3))
		return line_unknown();
	if (chance_one_in(c, 4)) {
		line.form = LINE_CLAUSE;
		line.clause = (uint8_t)chance_below(c, 2);
	}
	return line;
}

/* Returns one of few addresses, some in the upper half of the range. */
static uint64_t
random_address(struct chance *c)
{
	return (chance_below(c, 2) ? UINT64_C(1) << 63 : 0) + 1 + chance_below(c, 2);
}

static void
make_frames(struct random_profile *r)
{
	struct chance *c = &r->chance;
	struct builder *b = r->builder[0];

	r->naive.n_frames = 2 + chance_below(c, NAIVE_FRAMES - 1);
	for (unsigned i = 0; i < r->naive.n_frames; i++) {
		struct naive_frame *f = &r->naive.frame[i];
		if (i && chance_one_in(c, 2)) {
			*f = r->naive.frame[chance_below(c, i)];
		} else {
			*f = (struct naive_frame){
				.name = PICK(c, names),
				.file = PICK(c, files),
				.module = PICK(c, modules),
				.defined = chance_below(c, 3),
				.kind = (enum kind)chance_below(c, KINDS),
			};
		}
		f->line = random_line(c);
		f->inlined = chance_one_in(c, 4);
		f->address = chance_one_in(c, 2) ? random_address(c) : ADDRESS_NONE;
		struct function fn = {
			.name = builder_name(b, f->name, strlen(f->name)),
			.file = builder_name(b, f->file, strlen(f->file)),
			.module = builder_name(b, f->module, strlen(f->module)),
			.line = f->defined,
			.kind = (uint8_t)f->kind,
		};
		f->name = *f->name ? f->name : UNNAMED; /* as all views show it */
		r->frame[i] = builder_frame_at(
			b, builder_frame(b, builder_function(b, fn), f->line), f->address);
		if (f->inlined)
			r->frame[i] = builder_frame_inlined(b, r->frame[i]);
	}
}

/* One file's metrics; those of the second file are the same. */
static void
declare_metrics(struct random_profile *r, struct builder *b)
{
	bool has_calls = r->naive.has_calls && r->naive.calls_metric == NAIVE_CALLS;

	r->metric[NAIVE_TIME] = builder_metric(b, "time", UNIT_NS, ROLE_TIME);
	r->metric[NAIVE_BYTES] = builder_metric(b, "bytes", UNIT_BYTES, ROLE_VALUE);
	r->metric[NAIVE_OPS] = builder_metric(b, "ops", UNIT_OPS, ROLE_VALUE);
	r->metric[NAIVE_SAMPLES] = r->metric[NAIVE_CALLS] = r->metric[NAIVE_LINES] =
		METRIC_NONE;
	if (r->samples_shown)
		r->metric[NAIVE_SAMPLES] =
			builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	if (has_calls || r->both_calls)
		r->metric[NAIVE_CALLS] =
			builder_metric(b, "calls", UNIT_CALLS, ROLE_CALLS);
	if (r->naive.has_calls && r->naive.calls_metric == NAIVE_OPS)
		builder_calls_metric(b, r->metric[NAIVE_OPS]);
	if (r->naive.has_lines)
		builder_metric(b, "line entries", UNIT_ENTRIES, ROLE_LINES);
}

static void
make_metrics(struct random_profile *r)
{
	struct chance *c = &r->chance;

	r->samples_shown = chance_one_in(c, 2);
	r->naive.has_calls = !chance_one_in(c, 5);
	r->naive.calls_metric = chance_one_in(c, 3) ? NAIVE_OPS : NAIVE_CALLS;
	r->both_calls = r->naive.calls_metric == NAIVE_OPS && r->naive.has_calls &&
			chance_one_in(c, 2);
	r->naive.has_lines = chance_one_in(c, 2);
	for (unsigned g = 0; g < r->naive.n_groups; g++)
		declare_metrics(r, r->builder[g]);
}

/* How metrics derive from an event's numbers, in series of parts; in the first way each metric is a
 * number of its own. */
static const struct way {
	uint8_t column[2];
	enum value_part part[2];
} ways[] = {
	{{0, 1}, {PART_ALL, PART_ALL}},
	{{0, 0}, {PART_GAIN, PART_ALL}},
	{{0, 1}, {PART_ALL, PART_BIT_1}},
	{{0, 1}, {PART_SIGN_0, PART_GAIN}},
};

static unsigned
chance_way(const struct chance *c)
{
	return c->state >> 40 & 3; /* takes no randomness from later draws */
}

static void
make_series(struct random_profile *r, unsigned track, enum naive_kind kind)
{
	struct random_series *s = &r->series[r->n_series++];
	struct builder *b = r->builder[r->naive.track[track].group];
	metric_id metrics[2] = {r->metric[NAIVE_BYTES], r->metric[NAIVE_OPS]};

	*s = (struct random_series){.kind = kind, .track = track, .last = -1};
	s->now = s->end = r->naive.track[track].group ? 1000000007 : -40;
	s->n_metrics = 1 + chance_below(&r->chance, 2);
	s->labelled = chance_one_in(&r->chance, 2);
	switch (kind) {
	case NAIVE_STEP:
		s->series = builder_steps(b, track);
		break;
	case NAIVE_SAMPLE:
		s->way = chance_way(&r->chance);
		s->series = s->way ? builder_samples_parts(b, track, metrics, ways[s->way].column,
							   ways[s->way].part, s->n_metrics)
				   : builder_samples(b, track, metrics, s->n_metrics);
		break;
	case NAIVE_TOTAL:
		s->series = builder_totals(b, track, metrics, s->n_metrics);
		break;
	case NAIVE_POINT:
		s->series = builder_points(b, track, false);
		break;
	}
	if (s->labelled)
		builder_labelled(b, s->series);
}

struct random_profile *
random_profile_new(uint64_t seed)
{
	struct random_profile *r = mem_zalloc(1, sizeof *r);
	struct chance *c = &r->chance;

	chance_init(c, seed);
	r->model = profile_new();
	r->naive.n_groups = 1 + chance_one_in(c, 4);
	r->naive.ordinal = chance_one_in(c, 4);
	r->disorder = chance_one_in(c, 2);
	for (unsigned g = 0; g < r->naive.n_groups; g++) {
		r->builder[g] = builder_new(r->model, g ? "second" : "first", "random");
		builder_axis(r->builder[g], r->naive.ordinal ? UNIT_SAMPLES : UNIT_NS);
	}
	make_frames(r);
	make_metrics(r);
	r->naive.n_tracks = r->naive.n_groups + chance_below(c, NAIVE_TRACKS - 1);
	for (unsigned t = 0; t < r->naive.n_tracks; t++) {
		unsigned group =
			t < r->naive.n_groups ? t : chance_below(c, r->naive.n_groups);
		r->naive.track[t].name = PICK(c, tracks);
		r->naive.track[t].group = group;
		builder_track(r->builder[group], r->naive.track[t].name,
			      strlen(r->naive.track[t].name), TRACK_THREAD);
		make_series(r, t, (enum naive_kind)chance_below(c, 4));
		if (chance_one_in(c, 3))
			make_series(r, t, (enum naive_kind)chance_below(c, 4));
	}
	return r;
}

/* ---- events ---- */

static stack_id
stack_of(struct random_profile *r, struct builder *b, const uint8_t *frames, unsigned n)
{
	frame_id ids[NAIVE_DEPTH];
	stack_id s = STACK_EMPTY;
	unsigned how = chance_below(&r->chance, 3);

	for (unsigned i = 0; i < n; i++)
		ids[how == 2 ? n - 1 - i : i] = r->frame[frames[i]];
	if (how == 1)
		return builder_stack(b, ids, n);
	if (how == 2)
		return builder_stack_leaf_first(b, ids, n);
	for (unsigned i = 0; i < n; i++)
		s = builder_child(b, s, ids[i]);
	return s;
}

/* Adds random labels to the next event of a series, or none. */
static void
random_labels(struct random_profile *r, struct random_series *s, struct naive_event *e)
{
	struct builder *b = r->builder[r->naive.track[s->track].group];
	label_id id[NAIVE_KEYS_OF_LABELS];
	size_t n = 0;

	for (unsigned k = 0; s->labelled && k < NAIVE_KEYS_OF_LABELS; k++) {
		const struct naive_label *l = &naive_labels[k];
		unsigned v = chance_below(&r->chance, NAIVE_VALUES);
		if (chance_one_in(&r->chance, 2))
			continue;
		e->label[k] = (uint8_t)(v + 1);
		name_id key = builder_name(b, l->key, strlen(l->key));
		id[n++] = l->is_number
				  ? builder_label_number(b, key, l->number[v],
							 builder_name(b, l->unit,
								      strlen(l->unit)))
				  : builder_label_text(b, key,
						       builder_name(b, l->text[v],
								    strlen(l->text[v])));
	}
	if (s->labelled)
		builder_next_labels(b, s->series, builder_labels(b, id, n));
}

static int64_t
random_value(struct chance *c)
{
	switch (chance_below(c, 6)) {
	case 0:
		return 0;
	case 1:
		return -(int64_t)chance_below(c, 50);
	case 2:
		return (int64_t)(chance_bits(c) >> (20 + chance_below(c, 44)));
	default:
		return chance_below(c, 10);
	}
}

static void
random_stack(struct random_profile *r, uint8_t *frames, unsigned *n)
{
	*n = chance_below(&r->chance, NAIVE_DEPTH + 1);
	for (unsigned i = 0; i < *n; i++)
		frames[i] = (uint8_t)chance_below(&r->chance, r->naive.n_frames);
}

/* Makes the next step of a program that calls, returns, changes lines, sleeps, and sometimes
 * appears at another place. */
static uint32_t
next_step(struct random_profile *r, struct random_series *s)
{
	struct chance *c = &r->chance;

	switch (chance_below(c, 8)) {
	case 0:
	case 1:
	case 2:
		if (s->depth == NAIVE_DEPTH)
			break;
		s->stack[s->depth++] = (uint8_t)chance_below(c, r->naive.n_frames);
		return STEP_CALL | (chance_one_in(c, 2) ? STEP_LINE : 0);
	case 3:
	case 4:
		if (!s->depth)
			break;
		s->depth--;
		return STEP_RETURN;
	case 5:
		if (!s->depth)
			break;
		s->stack[s->depth - 1] = (uint8_t)chance_below(c, r->naive.n_frames);
		return STEP_LINE;
	case 6:
		random_stack(r, s->stack, &s->depth);
		return 0;
	case 7:
		s->depth = 0;
		return 0;
	}
	return 0;
}

static void
add_step(struct random_profile *r, struct random_series *s, struct naive_event *e)
{
	struct builder *b = r->builder[r->naive.track[s->track].group];
	uint32_t flags = next_step(r, s);
	struct err err;

	err_init(&err);
	s->now += chance_below(&r->chance, 4);
	if (chance_one_in(&r->chance, 40))
		s->now += (int64_t)(chance_bits(&r->chance) >>
				    (24 + chance_below(&r->chance, 40)));
	s->end = s->end > s->now ? s->end : s->now;
	e->time = s->now;
	e->end = s->end;
	e->n = s->depth;
	memcpy(e->frame, s->stack, sizeof s->stack);
	if (!s->depth)
		flags &= ~(STEP_CALL | STEP_LINE);
	e->value[NAIVE_CALLS] = (flags & STEP_CALL) != 0;
	e->value[NAIVE_LINES] = (flags & STEP_LINE) != 0;
	if (s->last >= 0)
		r->naive.event[s->last].end = s->now;
	s->last = (int)r->naive.n_events;
	ck_assert(builder_step(b, s->series, e->time, stack_of(r, b, e->frame, e->n),
			       flags, 0, &err));
}

static void
add_values(struct random_profile *r, struct random_series *s, struct naive_event *e)
{
	struct chance *c = &r->chance;
	struct builder *b = r->builder[r->naive.track[s->track].group];
	int64_t values[2] = {random_value(c), random_value(c)};
	struct err err;

	err_init(&err);
	random_stack(r, e->frame, &e->n);
	s->now += chance_below(c, 4);
	e->time = e->end = s->now - (r->disorder ? chance_below(c, 20) : 0);
	const struct way *way = &ways[s->way];
	e->value[NAIVE_BYTES] = value_part(way->part[0], values[way->column[0]]);
	if (s->n_metrics > 1)
		e->value[NAIVE_OPS] = value_part(way->part[1], values[way->column[1]]);
	stack_id stack = stack_of(r, b, e->frame, e->n);
	ck_assert(
		s->kind == NAIVE_TOTAL
			? builder_total(b, s->series, stack, values, 0, &err)
			: builder_sample(b, s->series, e->time, stack, values, 0, &err));
}

static void
add_point(struct random_profile *r, struct random_series *s, struct naive_event *e)
{
	struct err err;

	err_init(&err);
	s->now += chance_below(&r->chance, 4);
	e->time = e->end = s->now;
	ck_assert(builder_point(r->builder[r->naive.track[s->track].group], s->series,
				e->time, random_value(&r->chance), 0, &err));
}

void
random_profile_grow(struct random_profile *r, unsigned n)
{
	struct naive_profile *p = &r->naive;

	for (; n && p->n_events < NAIVE_EVENTS; n--) {
		struct random_series *s =
			&r->series[chance_below(&r->chance, r->n_series)];
		struct naive_event *e = &p->event[p->n_events];
		*e = (struct naive_event){.kind = s->kind, .track = s->track};
		e->value[NAIVE_SAMPLES] = 1;
		random_labels(r, s, e);
		if (s->kind == NAIVE_STEP)
			add_step(r, s, e);
		else if (s->kind == NAIVE_POINT)
			add_point(r, s, e);
		else
			add_values(r, s, e);
		p->n_events++;
	}
	/* the last step of a track may have a known end after its beginning */
	for (unsigned i = 0; i < r->n_series; i++) {
		struct random_series *s = &r->series[i];
		if (s->kind != NAIVE_STEP || s->last < 0 || !chance_one_in(&r->chance, 2))
			continue;
		int64_t end = s->now + chance_below(&r->chance, 6);
		builder_track_end(r->builder[p->track[s->track].group], s->track, end);
		for (unsigned k = 0; k < r->n_series; k++) {
			struct random_series *other = &r->series[k];
			if (other->kind != NAIVE_STEP || other->track != s->track)
				continue;
			other->end = other->end > end ? other->end : end;
			if (other->last >= 0)
				p->event[other->last].end = other->end;
		}
	}
	/* a reader settles the builders first */
	for (unsigned g = 0; g < r->naive.n_groups; g++)
		builder_settle(r->builder[g]);
}

/* Names tracks as the end of a file does: the second of a name is NAME (2). */
static void
tell_tracks_apart(struct random_profile *r)
{
	const char *given[NAIVE_TRACKS];

	for (unsigned t = 0; t < r->naive.n_tracks; t++) {
		unsigned n = 1;
		given[t] = r->naive.track[t].name;
		for (unsigned k = 0; k < t; k++)
			n += !strcmp(given[k], given[t]);
		if (n == 1)
			continue;
		snprintf(r->track_name[t], sizeof r->track_name[t], "%s (%u)", given[t], n);
		r->naive.track[t].name = r->track_name[t];
	}
}


void
random_profile_finish(struct random_profile *r)
{
	struct err none;

	err_init(&none);
	for (unsigned g = 0; g < r->naive.n_groups; g++)
		builder_finish(r->builder[g], &none);
	tell_tracks_apart(r);
}

void
random_profile_free(struct random_profile *r)
{
	for (unsigned g = 0; g < r->naive.n_groups; g++)
		builder_free(r->builder[g]);
	profile_free(r->model);
	free(r);
}

/* ---- lenses ---- */

static struct naive_entry
random_entry(struct random_profile *r)
{
	static const char *const words[] = {
		"alpha", "bet", "Bet", "a", "A",   "gam", "init", "m",  "zz",  "read", "",
		"one",   "two", "One", "c", "lib", "app", "user", "in", "sys", "inlined",
	};
	struct chance *c = &r->chance;
	struct naive_entry e = {
		.verb = (enum verb)chance_below(c, r->asks_labels ? VERB_COUNT
								   : VERB_WHERE),
		.subject = chance_one_in(c, 2) ? (enum subject)chance_below(c, 4)
					       : SUBJECT_FN,
		.negated = chance_one_in(c, 4),
		.off = chance_one_in(c, 10),
		.how = chance_below(c, 4),
		.text = PICK(c, words),
	};

	if (e.how == NAIVE_WHOLE)
		e.text = e.subject == SUBJECT_FN     ? PICK(c, names)
			 : e.subject == SUBJECT_FILE ? PICK(c, files)
						     : PICK(c, modules);
	if (e.verb == VERB_WHERE || e.verb == VERB_LABEL) {
		e.key = chance_below(c, NAIVE_KEYS_OF_LABELS);
		e.how = chance_below(c, 5);
		e.text = naive_labels[e.key].text[chance_below(c, NAIVE_VALUES)];
		e.low = (int64_t)chance_below(c, 5000) - 10;
		e.high = chance_one_in(c, 2) ? e.low + chance_below(c, 5000) : 70000;
	}
	if (e.verb == VERB_TRACK) {
		e.subject = SUBJECT_FN;
		e.text = PICK(c, tracks);
		e.off = chance_one_in(c, 2);
	}
	return e;
}

static void
random_range(struct random_profile *r, struct naive_lens *l)
{
	struct chance *c = &r->chance;
	bool timed = false;
	int64_t width = 60;

	for (unsigned i = 0; i < r->naive.n_events; i++)
		timed |= r->naive.event[i].kind != NAIVE_TOTAL;
	if (!timed || chance_one_in(c, 3))
		return;
	if (chance_one_in(c, 3))
		width = INT64_C(1) << chance_below(c, 40);
	l->has_from = !chance_one_in(c, 3);
	l->has_to = !chance_one_in(c, 3);
	l->percent = r->naive.n_groups == 1 && chance_one_in(c, 3);
	if (l->percent)
		width = 1010000000;
	l->from = (int64_t)(chance_bits(c) % (uint64_t)width);
	l->to = (int64_t)(chance_bits(c) % (uint64_t)width);
	if (l->to < l->from && !chance_one_in(c, 8)) {
		int64_t swap = l->from;
		l->from = l->to;
		l->to = swap;
	}
}

static struct moment
moment_of(const struct random_profile *r, const struct naive_lens *l, bool has,
	  int64_t value)
{
	if (!has)
		return (struct moment){.kind = MOMENT_OPEN};
	return (struct moment){
		.kind = l->percent         ? MOMENT_PERCENT
			: r->naive.ordinal ? MOMENT_ORDINAL
					   : MOMENT_NS,
		.value = value,
	};
}

void
random_lens(struct random_profile *r, struct naive_lens *naive, struct lens *model)
{
	static const char *const metric_names[NAIVE_METRICS] = {
		"time", "calls", "", "samples", "bytes", "ops",
	};
	struct chance *c = &r->chance;
	struct err err;

	err_init(&err);
	*naive = (struct naive_lens){
		.by = chance_one_in(c, 2) ? (enum granularity)chance_below(c, GRANULARITY_COUNT)
					  : BY_FUNCTION,
		.invert = chance_one_in(c, 3),
		.n_entries = chance_below(c, NAIVE_ENTRIES + 1),
	};
	do
		naive->metric = (enum naive_metric)chance_below(c, NAIVE_METRICS);
	while (r->metric[naive->metric] == METRIC_NONE);
	random_range(r, naive);
	lens_init(model);
	lens_set_metric(model, metric_names[naive->metric]);
	model->by = naive->by;
	model->invert = naive->invert;
	model->from = moment_of(r, naive, naive->has_from, naive->from);
	model->to = moment_of(r, naive, naive->has_to, naive->to);
	for (unsigned i = 0; i < naive->n_entries; i++) {
		char text[64];
		naive->entry[i] = random_entry(r);
		naive_pattern(&naive->entry[i], text);
		ck_assert_msg(
			lens_add(model, naive->entry[i].verb, text, strlen(text), &err),
			"%s", err.text);
		model->entries.at[i].off = naive->entry[i].off;
	}
}
