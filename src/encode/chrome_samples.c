#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/sum.h"
#include "model/picture/layout.h"
#include "model/profile/human.h"
#include "src/encode/chrome_inside.h"
#include "src/encode/json_text.h"

/* Samples, in the events that V8's profiler writes into traces: a `Profile` for each track, then
 * its `ProfileChunk`s.  Each chunk has its new nodes, and samples with the time since the previous
 * one in whole microseconds (Perfetto reads no fractions).  DevTools, the Firefox Profiler,
 * speedscope and Perfetto read them, each with its own rules:
 *
 *	Firefox     makes one thread of a pid and a tid, so a track is one profile, in the order of
 *	            time; has one table of frames for all threads, so a node has one id in the file,
 *	            and ids have no gaps; parents come before their children; drops a sample that
 *	            is less than 0.5 ms after the previous one, or after 0, whatever it weighs
 *	DevTools    has one tree below the first node, which is (root)
 *	speedscope  sorts by ts, and reads the list as a timeline if the first event has a cat
 *
 * In these readers a sample lasts until the next one.  If it represents less (layout_hold.c), an
 * `(idle)` sample ends it, as in V8's files.  Our own members (decode/chrome/chrome_profile.c) hold
 * the exact weight of a sample and its metric; `(idle)` samples have no weight. */

#define CHUNK 1000u  /* samples */
#define ROOT 1u
#define IDLE 2u
#define FIREFOX 510000 /* ns: see above; slightly more, since Firefox sums fractions */
#define NO_WEIGHT INT64_MIN
#define LASTS_MAX (INT64_MAX / 8) /* ns */

struct chrome_thread_sample {
	int64_t time, weight, lasts;
	node_id node;
	uint32_t place;
};

struct chrome_thread_samples {
	struct chrome_writer *x;
	uint32_t *id_of;   /* [node] in the file; 0: not used yet */
	uint32_t *profile_of; /* [node] 1 + the track whose profile contains it */
	uint32_t n_ids;
	struct layout layout;
	struct layout_lane lane;
	unsigned column; /* of the lane's series */
	bool gathers;    /* into `all`, to be sorted; else samples arrive in order */
	VEC(struct chrome_thread_sample) all;
	/* the current profile */
	struct chrome_thread_sample before;
	bool has_before;
	int64_t at;    /* us: of the last sample written, (idle) or not, */
	int64_t taken; /* and ns of the last sample, as written */
	struct written {
		int64_t delta, weight; /* NO_WEIGHT: none */
		int64_t rest;          /* ns that it was written too late */
		uint32_t id;
	} one[CHUNK + 1]; /* of this chunk */
	uint32_t n;
	bool begins, has_rests;
	VEC(node_id) fresh; /* its new nodes */
	VEC(node_id) path;
	/* how long samples last, and how long readers assume: until the next one is written */
	double lasts, seen;
	bool open; /* the last one that was written has no end yet */
};

/* ---- a chunk ---- */

static void
chrome_samples_event(struct chrome_thread_samples *s, const char *name, int64_t time)
{
	struct chrome_writer *x = s->x;

	chrome_separate(x);
	fprintf(x->out, "{\"ph\":\"P\",\"cat\":\"disabled-by-default-v8.cpu_profiler\",");
	fprintf(x->out, "\"pid\":%lld,\"tid\":%lld,\"ts\":%lld,\"name\":\"%s\",\"id\":\"0x%x\",",
		(long long)track_pid(&x->ids, x->track), (long long)x->ids.tid[x->track],
		(long long)time, name, x->track + 1);
	fputs("\"args\":{\"data\":{", x->out);
}

/* Writes `{"id":3,"parent":1,"callFrame":{"functionName":`, without the name and
 * chrome_samples_place(). */
static void
chrome_node_begin(struct chrome_thread_samples *s, uint32_t id, uint32_t parent)
{
	fprintf(s->x->out, "{\"id\":%u,", id);
	if (parent)
		fprintf(s->x->out, "\"parent\":%u,", parent);
	fputs("\"callFrame\":{\"functionName\":", s->x->out);
}

/* A `line` of 0 means unknown.  V8 counts from 0. */
static void
chrome_samples_place(struct chrome_thread_samples *s, name_id file, uint32_t line)
{
	fputs(",\"scriptId\":0,\"url\":", s->x->out);
	chrome_string(s->x, file);
	fprintf(s->x->out, ",\"lineNumber\":%lld,\"columnNumber\":-1}}", (long long)line - 1);
}

static void
write_node(struct chrome_thread_samples *s, node_id v, bool first)
{
	const struct shown *shown = &s->x->shown;
	node_id parent = shown->tree->parent[v];
	struct shown_frame f = shown_frame(shown, shown->tree->key[v]);

	if (!first)
		fputs(",\n  ", s->x->out);
	chrome_node_begin(s, s->id_of[v], parent == NODE_ROOT ? ROOT : s->id_of[parent]);
	if (f.name == NAME_EMPTY)
		fputs("\"(unnamed)\"", s->x->out);
	else
		chrome_string(s->x, f.name);
	chrome_samples_place(s, f.file, f.line ? f.line : f.defined);
}

/* Writes a number for each sample of the chunk; nearly all are small. */
#define LIST(s, head, field)                                                               \
	do {                                                                               \
		fputs(head, (s)->x->out);                                                  \
		for (uint32_t i_ = 0; i_ < (s)->n; i_++) {                                 \
			if (i_)                                                            \
				putc(',', (s)->x->out);                                    \
			json_whole((s)->x->out, (int64_t)(s)->one[i_].field);              \
		}                                                                          \
	} while (0)

static void
write_weights(struct chrome_thread_samples *s)
{
	fputs("],\n \"pnav_weights\":[", s->x->out);
	for (uint32_t i = 0; i < s->n; i++) {
		if (i)
			putc(',', s->x->out);
		if (s->one[i].weight == NO_WEIGHT)
			fputs("null", s->x->out);
		else
			json_whole(s->x->out, s->one[i].weight);
	}
}

static void
flush(struct chrome_thread_samples *s, bool last)
{
	FILE *out = s->x->out;

	chrome_samples_event(s, "ProfileChunk", s->at);
	fputs("\n \"cpuProfile\":{\"nodes\":[", out);
	if (s->begins) {
		chrome_node_begin(s, ROOT, 0);
		fputs("\"(root)\"", out);
		chrome_samples_place(s, NAME_EMPTY, 0);
		fputs(",\n  ", out);
		chrome_node_begin(s, IDLE, ROOT);
		fputs("\"(idle)\"", out);
		chrome_samples_place(s, NAME_EMPTY, 0);
	}
	for (size_t i = 0; i < s->fresh.n; i++)
		write_node(s, s->fresh.at[i], !s->begins && !i);
	LIST(s, "],\n \"samples\":[", id);
	LIST(s, "]},\n \"timeDeltas\":[", delta);
	write_weights(s);
	if (s->has_rests)
		LIST(s, "],\n \"pnav_ns\":[", rest);
	putc(']', out);
	if (last)
		fprintf(out, ",\"endTime\":%lld", (long long)s->at);
	fputs("}}}", out);
	s->n = 0;
	s->fresh.n = 0;
	s->begins = s->has_rests = false;
}

/* Returns the id of a node; adds it and its ancestors to this profile if needed. */
static uint32_t
chrome_id_of(struct chrome_thread_samples *s, node_id v)
{
	for (node_id up = v; up != NODE_ROOT && s->profile_of[up] != s->x->track + 1;
	     up = s->x->shown.tree->parent[up])
		*vec_push(&s->path) = up;
	while (s->path.n) {
		node_id up = s->path.at[--s->path.n];
		if (!s->id_of[up])
			s->id_of[up] = ++s->n_ids;
		s->profile_of[up] = s->x->track + 1;
		*vec_push(&s->fresh) = up;
	}
	return s->id_of[v];
}

/* ---- samples ---- */

/* Adds a sample of `time`, written at `at`, both in ns. */
static void
chrome_samples_put(struct chrome_thread_samples *s, uint32_t id, int64_t at, int64_t time,
		   int64_t weight)
{
	int64_t us = sum_clipped(at, CHROME_SHIFT) / 1000;
	int64_t rest = difference_clipped(sum_clipped(time, CHROME_SHIFT), us * 1000);

	s->one[s->n++] = (struct written){us - s->at, weight, rest, id};
	s->has_rests |= rest != 0;
	s->at = us;
}

/* Writes the pending sample, whose end the next one's time determines.  A sample that is too early
 * for Firefox is written later, if the shift is less than the sample's time. */
static void
put_before(struct chrome_thread_samples *s, int64_t next, bool last)
{
	const struct chrome_thread_sample *e = &s->before;
	int64_t least = s->taken + (e->lasts >= FIREFOX ? FIREFOX : 0);
	int64_t at = e->time > least ? e->time : least;
	int64_t end = e->lasts > next - at ? next : at + e->lasts;

	s->seen += s->open ? (double)(at - s->taken) : 0;
	s->open = true;
	s->taken = at;
	chrome_samples_put(s, chrome_id_of(s, e->node), at, e->time, e->weight);
	s->lasts += (double)e->lasts;
	if (last || (end < next && (next - end >= FIREFOX || e->lasts < FIREFOX))) {
		chrome_samples_put(s, IDLE, end, end, NO_WEIGHT);
		s->seen += (double)(end - at);
		s->open = false;
	}
	if (s->n >= CHUNK - 1 && !last)
		flush(s, false);
}

static void
chrome_samples_take(struct chrome_thread_samples *s, const struct chrome_thread_sample *e)
{
	if (s->has_before)
		put_before(s, e->time, false);
	s->before = *e;
	s->has_before = true;
}

static void
chrome_sampled(void *ctx, const struct shown_sample *e)
{
	struct chrome_thread_samples *s = ctx;
	int64_t lasts = s->lane.weight ? e->value[s->lane.weight - 1] : s->lane.hold;
	struct chrome_thread_sample one = {e->time, e->value[s->column], lasts > 0 ? lasts : 0,
					   e->node, (uint32_t)s->all.n};

	if (e->node == NODE_ROOT)
		return;
	if (s->gathers)
		*vec_push(&s->all) = one;
	else
		chrome_samples_take(s, &one);
}

ORDERED_BY_TWO(chrome_samples_by_time, struct chrome_thread_sample, time, place)

/* ---- a track ---- */

/* Returns the metric of a track's samples: the lens's, or, beside slices, one of their own. */
static metric_id
chrome_metric_of(const struct chrome_writer *x, const struct track *t)
{
	metric_id found = METRIC_NONE;

	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (s->kind != SERIES_SAMPLES || !s->n || !s->n_metrics)
			continue;
		if (series_metric(s, x->shown.metric.at[0]) >= 0)
			return x->shown.metric.at[0];
		if (found == METRIC_NONE && s->metric[0] < x->shown.p->n_metrics)
			found = s->metric[0];
	}
	return found;
}

static void
chrome_profile_begin(struct chrome_thread_samples *s, metric_id m)
{
	struct chrome_writer *x = s->x;
	const struct metric *metric = &x->shown.p->metric[m];

	s->at = CHROME_SHIFT / 1000;
	s->taken = -FIREFOX;
	chrome_samples_event(s, "Profile", s->at);
	fprintf(x->out, "\"startTime\":%lld,\"pnav_metric\":", (long long)s->at);
	chrome_string(x, metric->name);
	fprintf(x->out, ",\"pnav_unit\":\"%s\"%s%s}}}", unit_name((enum unit)metric->unit),
		metric->decimals ? ",\"pnav_decimals\":true" : "",
		m == x->shown.metric.at[0] ? ",\"pnav_shown\":true" : "");
	s->begins = true;
}

static void
profile_end(struct chrome_thread_samples *s)
{
	if (s->all.n)
		qsort(s->all.at, s->all.n, sizeof *s->all.at, chrome_samples_by_time);
	for (size_t i = 0; i < s->all.n; i++)
		chrome_samples_take(s, &s->all.at[i]);
	s->all.n = 0;
	if (s->has_before)
		put_before(s, sum_clipped(s->before.time, LASTS_MAX), true);
	s->has_before = false;
	flush(s, true);
}

static void
chrome_write_track(struct chrome_thread_samples *s)
{
	struct chrome_writer *x = s->x;
	const struct track *t = &x->shown.p->track[x->track];
	metric_id m = chrome_metric_of(x, t);
	unsigned n = 0;

	if (m == METRIC_NONE)
		return;
	s->gathers = false;
	for (uint32_t i = 0; i < t->n_series; i++)
		if (t->series[i]->kind == SERIES_SAMPLES && series_metric(t->series[i], m) >= 0)
			s->gathers |= !t->series[i]->sorted || n++;
	chrome_profile_begin(s, m);
	for (uint32_t i = 0; i < t->n_series; i++) {
		s->lane = (struct layout_lane){.series = t->series[i]};
		int column = series_metric(t->series[i], m);
		if (t->series[i]->kind != SERIES_SAMPLES || column < 0)
			continue;
		s->column = (unsigned)column;
		layout_lane_look(&s->layout, x->shown.p, &s->lane, m);
		if (s->lane.held) /* other programs show when it changed */
			s->lane.hold = layout_hold(&s->layout, x->shown.p, s->lane.series);
		shown_samples(&x->shown, t->series[i], chrome_sampled, s);
	}
	profile_end(s);
}

/* Warns that other readers ignore weights and only use the time of the next sample. How long an
 * allocation lasts means nothing. */
static void
warn(const struct chrome_thread_samples *s)
{
	static const struct metric ns = {.unit = UNIT_NS};
	struct buf text = BUF_INIT;
	double less = s->seen < s->lasts ? s->lasts - s->seen : s->seen - s->lasts;

	if (s->x->shown.p->metric[s->x->shown.metric.at[0]].unit == UNIT_BYTES) {
		encode_warn(s->x->shown.job,
			    "other programs show when bytes changed, not how many");
		return;
	}
	if (less * 100 <= s->lasts || !(s->lasts < 9e18) || !(s->seen < 9e18))
		return;
	buf_adds(&text, "in other programs a sample lasts until the next one: they show ");
	human_value(&text, (int64_t)s->seen, &ns);
	buf_adds(&text, " of ");
	human_value(&text, (int64_t)s->lasts, &ns);
	encode_warn(s->x->shown.job, buf_str(&text));
	buf_release(&text);
}

void
chrome_samples(struct chrome_writer *x)
{
	const struct profile *p = x->shown.p;
	struct chrome_thread_samples s = {.x = x, .n_ids = IDLE};

	s.id_of = mem_zalloc((size_t)x->shown.tree->n + 1, sizeof *s.id_of);
	s.profile_of = mem_zalloc((size_t)x->shown.tree->n + 1, sizeof *s.profile_of);
	layout_init(&s.layout);
	for (x->track = 0; x->track < p->n_tracks; x->track++)
		if (x->shown.shows[x->track])
			chrome_write_track(&s);
	warn(&s);
	layout_release(&s.layout);
	free(s.id_of);
	free(s.profile_of);
	vec_release(&s.fresh);
	vec_release(&s.all);
	vec_release(&s.path);
}
