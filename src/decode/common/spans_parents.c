/* Finds the parents of spans, names their tracks, and reports what a file of spans says. */
#include "src/decode/common/spans_inside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/profile/human.h"

/* ---- parents ---- */

/* Returns the span that `x` means by the id of its parent. */
static uint32_t
parent_by_id(const struct spans *s, const struct spans_one *x, struct span_id id)
{
	uint32_t first = spans_find(s, id), shared = SPAN_NONE;

	if (!s->by_track || first == SPAN_NONE)
		return first;
	for (uint32_t i = first; i != SPAN_NONE; i = s->span.at[i].same) {
		if (s->span.at[i].track == x->track)
			return i;
		if (shared == SPAN_NONE && s->span.at[i].bits & SPAN_SHARED)
			shared = i;
	}
	return shared != SPAN_NONE ? shared : first;
}

/* Returns the client's half of a span that both halves share, or SPAN_NONE. */
static uint32_t
other_half(const struct spans *s, const struct spans_one *x)
{
	for (uint32_t i = spans_find(s, x->id); i != SPAN_NONE; i = s->span.at[i].same)
		if (!(s->span.at[i].bits & SPAN_SHARED))
			return i;
	return SPAN_NONE;
}

static uint32_t
parent_of(struct spans *s, uint32_t i)
{
	const struct spans_one *x = &s->span.at[i];
	uint32_t up = x->bits & SPAN_SHARED ? other_half(s, x) : SPAN_NONE;
	bool has = x->parent != 0;

	if (up == SPAN_NONE && x->parent)
		up = parent_by_id(s, x, (struct span_id){x->id.trace, x->parent});
	for (uint32_t k = 0; x->bits & SPAN_BY_REFERENCE && up == SPAN_NONE && k < x->n_refs; k++) {
		struct span_id *ref = &s->ref.at[x->first_ref + k];
		has = true;
		if (ref->trace == x->id.trace)
			up = spans_find(s, *ref);
		if (up != SPAN_NONE)
			*ref = (struct span_id){0}; /* it is no link */
	}
	s->counts.no_parent += has && up == SPAN_NONE;
	return up;
}

/* Makes a span of each circle a root. */
static void
open_circles(struct spans *s)
{
	uint32_t n = (uint32_t)s->span.n, *met = mem_zalloc((size_t)n + 1, sizeof *met);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;
		while (k != SPAN_NONE && !met[k]) {
			met[k] = i + 1;
			k = s->span.at[k].up;
		}
		if (k == SPAN_NONE || met[k] != i + 1)
			continue;
		s->span.at[k].up = SPAN_NONE;
		s->counts.circles++;
	}
	free(met);
}

/* Labels spans with the caller that runs on another track. */
static void
label_callers(struct spans *s)
{
	name_id key = s->keys.at[SPAN_KEY_CALLER];

	for (size_t i = 0; i < s->span.n; i++) {
		struct spans_one *x = &s->span.at[i];
		if (x->up == SPAN_NONE || s->span.at[x->up].track == x->track)
			continue;
		const struct spans_one *up = &s->span.at[x->up];
		function_id f = builder_frame_get(s->b, up->frame).function;
		struct name service =
			builder_name_get(s->b, s->track.at[up->track].service);
		buf_reset(&s->text);
		buf_add(&s->text, service.at, service.len);
		buf_adds(&s->text, ": ");
		struct name name = builder_name_get(s->b, builder_function_get(s->b, f).name);
		buf_add(&s->text, name.at, name.len);
		name_id text = builder_name(s->b, buf_str(&s->text), s->text.len);
		x->labels = builder_labels_with(s->b, x->labels,
						builder_label_text(s->b, key, text));
	}
}

void
spans_parents(struct spans *s)
{
	for (uint32_t i = 0; i < s->span.n; i++)
		s->span.at[i].up = parent_of(s, i);
	open_circles(s);
	label_callers(s);
}

/* ---- tracks ---- */

void
spans_name_tracks(struct spans *s)
{
	for (size_t i = 0; i < s->track.n; i++) {
		struct spans_track *t = &s->track.at[i];
		struct name service = builder_name_get(s->b, t->service);
		struct name instance = builder_name_get(s->b, t->instance);
		bool several = false;
		for (size_t k = 0; k < s->track.n && !several; k++)
			several = k != i && s->track.at[k].service == t->service;
		buf_reset(&s->text);
		buf_add(&s->text, service.at, service.len);
		if (several && instance.len) {
			buf_addc(&s->text, ' ');
			buf_add(&s->text, instance.at, instance.len);
		}
		t->name = builder_name(s->b, buf_str(&s->text), s->text.len);
	}
}

/* ---- facts ---- */

#define TRACES_SHOWN 10u
#define MS(ns) (ns) / 1000000, (ns) % 1000000

static int
compare_traces(const void *left, const void *right)
{
	const struct spans_trace *a = left, *b = right;
	int64_t x = a->end - a->start, y = b->end - b->start;

	if (x != y)
		return x > y ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void
report_traces(struct spans *s)
{
	if (s->trace.n == 1 && !s->trace.at[0].id)
		return;
	struct buf lasts = BUF_INIT;
	builder_info(s->b, "traces", "%zu", s->trace.n);
	vec_sort(&s->trace, compare_traces);
	for (size_t i = 0; i < s->trace.n && i < TRACES_SHOWN; i++) {
		const struct spans_trace *t = &s->trace.at[i];
		struct name id = builder_name_get(s->b, t->name), root = {.at = "", .len = 0};
		int64_t ns = t->end - t->start;
		if (t->root != SPAN_NONE) {
			frame_id frame = s->span.at[t->root].frame;
			function_id f = builder_frame_get(s->b, frame).function;
			root = builder_name_get(s->b, builder_function_get(s->b, f).name);
		}
		buf_reset(&lasts);
		human_time(&lasts, ns, UNIT_NS);
		builder_info(s->b, "trace",
			     "%.*s%s%.*s  %s, %" PRIu32 " span%s, %" PRIu32 " error%s",
			     (int)id.len, id.at, root.len ? " " : "",
			     (int)root.len, root.at, buf_str(&lasts), t->n, t->n == 1 ? "" : "s",
			     t->errors, t->errors == 1 ? "" : "s");
	}
	buf_release(&lasts);
}

struct clock_pair {
	uint64_t key;
	uint64_t n, back;
	int64_t most;
};

ORDERED_BY(compare_pairs, struct clock_pair, key)

static void
report_pair(struct spans *s, const struct clock_pair *p)
{
	struct name from = builder_name_get(s->b, s->track.at[p->key >> 32].name);
	struct name to = builder_name_get(s->b, s->track.at[p->key & UINT32_MAX].name);

	builder_info(s->b, "clock",
		     "%.*s starts before %.*s in %" PRIu64 " of %" PRIu64
		     " calls, by up to %" PRId64 ".%06" PRId64 " ms",
		     (int)to.len, to.at, (int)from.len, from.at, p->back, p->n, MS(p->most));
}

/* Reports pairs of tracks whose clocks disagree: children that start before their parents. */
static void
report_clocks(struct spans *s)
{
	VEC(struct clock_pair) pairs = VEC_INIT;
	size_t n = 0;

	for (size_t i = 0; i < s->span.n; i++) {
		const struct spans_one *x = &s->span.at[i];
		const struct spans_one *up = x->up == SPAN_NONE ? x : &s->span.at[x->up];
		if (up->track != x->track)
			*vec_push(&pairs) = (struct clock_pair){
				.key = (uint64_t)up->track << 32 | x->track,
				.n = 1,
				.back = x->start < up->start,
				.most = x->start < up->start ? up->start - x->start : 0,
			};
	}
	vec_sort(&pairs, compare_pairs);
	for (size_t i = 0; i < pairs.n; i++) {
		struct clock_pair *to = n ? &pairs.at[n - 1] : NULL, *p = &pairs.at[i];
		if (!to || to->key != p->key) {
			pairs.at[n++] = *p;
			continue;
		}
		to->n++;
		to->back += p->back;
		to->most = p->most > to->most ? p->most : to->most;
	}
	for (size_t i = 0; i < n; i++)
		if (pairs.at[i].back)
			report_pair(s, &pairs.at[i]);
	vec_release(&pairs);
}

static void
report_count(struct spans *s, const char *key, uint64_t n)
{
	if (n)
		builder_info(s->b, key, "%" PRIu64, n);
}

void
spans_report(struct spans *s)
{
	builder_info(s->b, "spans", "%zu", s->span.n);
	report_count(s, "errors", s->counts.errors);
	report_clocks(s);
	report_traces(s); /* sorts them: nothing refers to traces after it */
	report_count(s, "parents not in the file", s->counts.no_parent);
	report_count(s, "duplicates", s->counts.duplicates);
	report_count(s, "without time", s->counts.no_time);
	report_count(s, "attributes not shown", s->counts.not_shown);
	report_count(s, "dropped by the program", s->counts.dropped);
	builder_warn_count(s->b, s->counts.negative,
			   "span ends before it starts: it lasts 0",
			   "spans end before they start: they last 0");
	builder_warn_count(s->b, s->counts.circles, "circle of parents, opened",
			   "circles of parents, opened");
}
