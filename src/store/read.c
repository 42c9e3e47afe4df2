/* The reader.  Each query depends on the result of the previous one: which profiles exist, the
 * metric, the tracks, the totals, their stacks.  Then it chooses the time step that keeps the
 * detail under `rows`, and reads the detail in portions of the range, so that a browser fills up
 * from its left.
 *
 * It estimates the rows of a step from a part of the stacks.  Their keys are hashes, so every n-th
 * one is a fair sample.  Counting distinct stacks among twenty million samples for ten steps would
 * take longer than the query itself.  A wrong estimate costs rows but never changes a sum: whatever
 * is missing in the detail stays in the totals.
 *
 * Rejected: totals in a separate profile that the detail replaces.  Every user of the profile would
 * have to switch to the other one at the same moment, with its selection. */
#include "src/store/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "src/store/read_inside.h"

#define STEPS_SURE 4     /* this many fit in any case */
#define STEPS_MAX 200000 /* of a range: more than any screen and scrubber can show */
#define GUESSES 10u
#define GUESS_ROWS 400000u /* samples read for an estimate, about */
#define GUESS_STACKS 100u  /* a representative number of stacks */

/* ---- contents of the store ---- */

static enum unit
read_unit_of(const char *name)
{
	for (enum unit u = UNIT_NS; u < UNIT_COUNT; u++)
		if (!strcmp(unit_name(u), name))
			return u;
	return UNIT_COUNT;
}

static bool
read_metrics(struct reader *r, struct metric_rows *out, struct err *e)
{
	struct rowbin a;

	if (r->q.log)
		return reader_log_metrics(r, out, e);
	buf_reset(&r->sql);
	question_metrics(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		struct metric_row *m = vec_push(&out->at);
		*m = (struct metric_row){0};
		rowbin_text(&a, &r->text);
		m->name = mem_dup(buf_str(&r->text), r->text.len);
		rowbin_text(&a, &r->text);
		m->unit = read_unit_of(buf_str(&r->text));
		m->decimals = rowbin_whole(&a, 1) > 0;
		m->labels = rowbin_whole(&a, 4);
	}
	return rowbin_close(&a, e);
}

static const struct metric_row *
metric_named(const struct metric_rows *all, const char *name)
{
	for (size_t i = 0; i < all->at.n; i++)
		if (!strcmp(all->at.at[i].name, name))
			return &all->at.at[i];
	return NULL;
}

static bool
refuse_metric(const struct reader *r, const struct metric_rows *all, struct err *e)
{
	struct buf names = BUF_INIT;

	for (size_t i = 0; i < all->at.n; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", all->at.at[i].name);
	if (all->at.n)
		err_refuse(e, "there is no metric '%s': there are %s", r->metric, buf_str(&names));
	else
		err_refuse(e, "no samples in this range");
	buf_release(&names);
	return false;
}

static metric_id
read_declare(struct reader *r, const struct metric_row *m, struct err *e)
{
	metric_id id = builder_metric(r->b, m->name, m->unit, ROLE_VALUE);

	if (m->decimals)
		builder_metric_decimals(r->b, id, 0, e);
	return id;
}

/* Chooses the metric and the one that counts its calls. */
static bool
choose_metric(struct reader *r, const struct metric_rows *all, struct err *e)
{
	const struct metric_row *m = metric_named(all, r->metric), *calls = NULL;

	if (!m && !r->url.metric && all->at.n)
		m = &all->at.at[0]; /* the default of these profiles does not occur in the range */
	if (!m)
		return refuse_metric(r, all, e);
	for (size_t i = 0; i < all->at.n; i++) {
		builder_info(r->b, "stored metric", "%s (%s)", all->at.at[i].name,
			     unit_name(all->at.at[i].unit));
		if (all->at.at[i].unit == (r->q.log ? UNIT_SAMPLES : UNIT_CALLS) &&
		    &all->at.at[i] != m)
			calls = &all->at.at[i];
	}
	free(r->metric);
	r->q.metric = r->metric = mem_dup(m->name, strlen(m->name));
	r->q.labelled = m->labels > 0;
	r->id[0] = read_declare(r, m, e);
	builder_default_metric(r->b, r->id[0]);
	if (m->unit == UNIT_CALLS)
		builder_calls_metric(r->b, r->id[0]);
	if (calls) {
		r->q.calls = r->calls = mem_dup(calls->name, strlen(calls->name));
		r->id[1] = read_declare(r, calls, e);
		if (calls->unit == UNIT_CALLS)
			builder_calls_metric(r->b, r->id[1]);
	}
	return !err_is_set(e);
}

static bool
learn_metric(struct reader *r, struct err *e)
{
	struct metric_rows all = {VEC_INIT};
	bool good = read_metrics(r, &all, e) && choose_metric(r, &all, e);

	for (size_t i = 0; i < all.at.n; i++)
		free(all.at.at[i].name);
	vec_release(&all.at);
	return good;
}

/* ---- totals ---- */

/* Reads a row with values over all of them. */
static void
note_total(struct reader *r, int64_t first, int64_t last, uint64_t counts, uint64_t events)
{
	r->q.first = r->samples + r->counts && r->q.first < first ? r->q.first : first;
	r->last = r->samples + r->counts && r->last > last ? r->last : last;
	r->samples += events;
	r->counts += counts;
}

/* Reads at most `most` rows, 0: all; sets *fit if there were no more. */
static bool
ask_totals(struct reader *r, uint64_t most, bool *fit, struct err *e)
{
	struct rowbin a;

	r->samples = r->counts = 0;
	r->totals.n = 0;
	buf_reset(&r->sql);
	question_totals(&r->q, most ? most + 1 : 0, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while ((!most || r->totals.n <= most) && rowbin_next(&a)) {
		reader_keys(r, &a);
		uint64_t stack = rowbin_whole(&a, 8), counts = 0;
		struct total_row row = {.value = {rowbin_signed(&a)}};
		if (r->calls) {
			row.value[1] = rowbin_signed(&a);
			counts = rowbin_whole(&a, 8);
		}
		row.events = rowbin_whole(&a, 8);
		int64_t first = rowbin_signed(&a), last = rowbin_signed(&a);
		if (err_is_set(&a.fault))
			break;
		row.track = reader_track_made(r);
		row.stack = reader_stack_wanted(r, stack);
		note_total(r, first, last, counts, row.events);
		*vec_push(&r->totals) = row;
		reader_breathe(r);
	}
	*fit = !(most && r->totals.n > most) && r->tracks.n <= READER_TRACKS_MAX;
	return rowbin_close(&a, e);
}

/* Uses one track for all if separate totals would be too many rows. */
static bool
ask_fitting(struct reader *r, struct err *e)
{
	bool fit, one = r->q.tracks == STORE_BY_NOTHING;
	uint64_t most = reader_most(r) / STEPS_SURE;

	if (!ask_totals(r, one ? 0 : most ? most : 1, &fit, e))
		return false;
	if (one || fit)
		return true;
	builder_warn(r->b,
		     "too many tracks for %" PRIu64
		     " rows: they become one; use a larger rows=, or fewer hosts",
		     reader_most(r));
	r->q.tracks = STORE_BY_NOTHING;
	reader_tracks_forget(r);
	return ask_totals(r, 0, &fit, e);
}

/* Profiles such as those of pprof and folded stacks may not say how long they took.  If a host has
 * no others, all hosts are runs of the same length.  Returns false in this case. */
static bool
hours_are_known(struct reader *r)
{
	size_t unknown = 0;

	for (size_t i = 0; i < r->tracks.n; i++)
		unknown += r->tracks.at[i].recorded_ns <= 0;
	for (size_t i = 0; i < r->tracks.n && unknown; i++)
		r->tracks.at[i].recorded_ns = RECORDED_UNKNOWN;
	if (unknown && unknown < r->tracks.n)
		builder_warn(r->b,
			     "%zu of %zu hosts have profiles without a duration: all count as "
			     "recorded for the same time",
			     unknown, r->tracks.n);
	return !unknown;
}

/* Learns for how long each host recorded the metric.  A host without samples of it gets a track,
 * too: it is one of those over which a comparison averages. */
static bool
ask_hours(struct reader *r, struct err *e)
{
	struct rowbin a;
	int64_t all = 0;

	if (r->q.log || r->q.tracks != STORE_BY_HOST)
		return true;
	buf_reset(&r->sql);
	question_hours(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		reader_keys(r, &a);
		int64_t ns = rowbin_signed(&a);
		if (err_is_set(&a.fault))
			break;
		if (ns > 0)
			r->tracks.at[reader_track_made(r)].recorded_ns = ns;
		all = sum_clipped(all, ns);
		reader_breathe(r);
	}
	buf_reset(&r->text);
	human_time(&r->text, all, UNIT_NS);
	if (hours_are_known(r))
		builder_info(r->b, "recorded", "%s in all on %zu hosts", buf_str(&r->text),
			     r->tracks.n);
	return rowbin_close(&a, e);
}

static bool
read_totals(struct reader *r, struct err *e)
{
	bool good = ask_fitting(r, e) && ask_hours(r, e);

	if (good && !r->totals.n)
		good = err_refuse(e, "no samples in this range");
	good = good && (r->q.log ? reader_log_stacks(r, e) : reader_stacks(r, e));
	if (good)
		reader_tracks_add(r);
	for (size_t i = 0; good && i < r->totals.n; i++) {
		const struct total_row *row = &r->totals.at[i];
		struct reader_track *t = &r->tracks.at[row->track];
		t->events += row->events;
		good = builder_total(r->b, t->totals, r->known.at[row->stack].id, row->value, 0, e);
		reader_breathe(r);
	}
	return good;
}

/* ---- how long a step is ---- */

/* Finds the steps to estimate, the longest first: none with more than STEPS_MAX in the range. */
static unsigned
steps_to_guess(const struct reader *r, int64_t *step)
{
	uint64_t span = (uint64_t)(r->last - r->q.first) + 1, all = r->known.n ? r->known.n : 1;
	uint64_t sure = reader_most(r) / (all * (r->tracks.n ? r->tracks.n : 1));
	unsigned i = 0, n = 0;

	/* this many steps always fit, except where labels add rows */
	sure = r->q.labelled || sure < 2 ? 2 : sure > STEPS_MAX ? STEPS_MAX : sure;
	while (i + 1 < READER_LADDER_MAX && (uint64_t)reader_ladder(i) < span / sure + 1)
		i++;
	for (; n < GUESSES; i--) {
		if (reader_ladder(i) > 1 && span / (uint64_t)reader_ladder(i) <= STEPS_MAX)
			step[n++] = reader_ladder(i);
		if (!i)
			break;
	}
	return n;
}

/* Finds the finest step with few enough rows, about *rows; *found is 0 if there is none. */
static bool
guess_step(struct reader *r, int64_t *found, uint64_t *rows, struct err *e)
{
	int64_t step[GUESSES];
	unsigned n = steps_to_guess(r, step);
	uint64_t part = r->samples / GUESS_ROWS, fair = r->known.n / GUESS_STACKS;
	struct rowbin a;

	*found = 0;
	part = part < fair ? part : fair;
	part = part ? part : 1;
	if (!n)
		return true;
	buf_reset(&r->sql);
	question_rows(&r->q, step, n, part, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	for (unsigned i = 0; rowbin_next(&a) && i < n; i++) {
		uint64_t of = rowbin_whole(&a, 8) * part;
		if (of <= reader_most(r)) {
			*found = step[i];
			*rows = of;
		}
	}
	return rowbin_close(&a, e);
}

/* Returns false with *e set; r->q.step is 0 if no step has few enough rows. */
static bool
choose_step(struct reader *r, uint64_t *rows, struct err *e)
{
	r->q.labels = r->q.labelled;
	*rows = r->samples;
	r->q.step = 1;
	if (r->samples + r->counts <= reader_most(r))
		return true;
	bool had = r->q.labels || r->q.owned, dropped = false;
	for (r->q.step = 0; !r->q.step; dropped = true) {
		if (!guess_step(r, &r->q.step, rows, e))
			return false;
		if (r->q.step || !(r->q.labels || r->q.owned))
			break;
		r->q.owned = r->q.labels && r->q.owned; /* those of samples go first */
		r->q.labels = false;
	}
	if (had && dropped)
		builder_warn(r->b, "%slabels would need more than %" PRIu64
			     " rows: they are left out", r->q.owned ? "samples' " : "",
			     reader_most(r));
	if (!r->q.step)
		builder_warn(r->b, "no time step needs less than %" PRIu64
			     " rows: the whole range is one step", reader_most(r));
	return true;
}

/* ---- all of it ---- */

static void
report_step(struct reader *r)
{
	struct buf step = BUF_INIT;

	if (r->q.step > 1)
		human_time(&step, r->q.step, UNIT_NS);
	else
		buf_adds(&step, r->q.step ? "every sample" : "the whole range");
	builder_info(r->b, "step", "%s", buf_str(&step));
	buf_release(&step);
}

static void
report_rows(struct reader *r)
{
	builder_info(r->b, "rows", "%" PRIu64 " of at most %" PRIu64, r->rows, reader_most(r));
	for (size_t i = 0; i < r->tracks.n; i++)
		builder_track_events(r->b, r->tracks.at[i].id, r->tracks.at[i].events);
	builder_warn_count(r->b, r->unknown, "stack is not in the store's table of them",
			   "stacks are not in the store's table of them");
}

/* An error after the first events is damage: they are kept. */
static bool
read_all(struct reader *r, struct err *e)
{
	uint64_t rows;

	bool known = r->q.log ? reader_log_learn(r, e) : reader_profiles(r, e);
	if (!known || !learn_metric(r, e) || !read_totals(r, e)) {
		if (e->class != ERR_USAGE)
			e->class = ERR_REFUSED; /* a part of the labels would be misleading */
		return false;
	}
	builder_clock(r->b, 0); /* times of samples are since 1970 */
	if (!r->q.log) {
		builder_info(r->b, "service", "%s", r->url.service ? r->url.service : "all");
		builder_info(r->b, "profiles", "%" PRIu64, r->profiles);
	}
	builder_info(r->b, "stored samples", "%" PRIu64, r->samples);
	r->since = READER_BREATHE_ROWS; /* show the totals at once */
	reader_breathe(r);
	bool good = reader_owned(r, e) && choose_step(r, &rows, e);
	if (good)
		report_step(r);
	if (good && r->q.step)
		vec_release(&r->totals);
	good = good && (r->q.step ? reader_detail(r, rows, e) : reader_one_step(r, e));
	report_rows(r);
	if (!good && e->class == ERR_REFUSED)
		e->class = ERR_DAMAGED;
	return good;
}

static void
read_release(struct reader *r)
{
	store_url_release(&r->url);
	periods_release(&r->periods);
	free(r->metric);
	free(r->calls);
	reader_tracks_forget(r);
	vec_release(&r->tracks);
	reader_labels_release(&r->labels);
	map_release(&r->track_by_hash);
	map_release(&r->by_hash);
	vec_release(&r->known);
	vec_release(&r->frames);
	vec_release(&r->totals);
	buf_release(&r->sql);
	buf_release(&r->text);
	for (size_t i = 0; i < READER_KEYS; i++)
		buf_release(&r->key[i]);
}

/* Prepares the queries of the address. */
static void
reader_begin(struct reader *r, int64_t now)
{
	question_init(&r->q, &r->url, now);
	r->log = (struct trace_log){.url = &r->url, .type = -1};
	r->q.log = r->url.log_table ? &r->log : NULL;
}

bool
store_read(const char *url, struct builder *b, struct watch *w, int64_t now,
	   const struct store_names *names, struct err *e)
{
	struct reader r = {.b = b, .watch = w, .names = names};

	if (!store_url_read(&r.url, url, e))
		return false;
	r.url.silence_s = w ? w->silence_s : 0;
	reader_begin(&r, now);
	if (r.url.metric)
		r.metric = mem_dup(r.url.metric, strlen(r.url.metric));
	bool good = read_all(&r, e);
	if (reader_stopped(&r))
		err_init(e);
	read_release(&r);
	return good;
}

static void
explain_one(const struct reader *r, unsigned i, struct buf *out)
{
	const struct question *q = &r->q;
	int64_t step = 1;

	switch (i) {
	case 0: question_begin(q, out); break;
	case 1: question_periods(q, out); break;
	case 2: question_period_rows(q, 0, UINT32_MAX, out); break;
	case 3: question_period_profiles(q, out); break;
	case 4: question_twice(q, out); break;
	case 5: question_profiles(q, out); break;
	case 6: question_metrics(q, out); break;
	case 7: question_totals(q, reader_most(r) / STEPS_SURE + 1, out); break;
	case 8: question_hours(q, out); break;
	case 9: question_stacks(q, out); break;
	case 10: question_owned(q, out); break;
	case 11: question_rows(q, &step, 1, 1, out); break;
	case 12: question_curves(q, step, out); break;
	case 13: question_detail(q, 0, 1, out); break;
	}
}

/* Appends the queries in their order, as for a store without usable periods. */
static void
explain_all(const struct reader *r, struct buf *out)
{
	static const char *const title[] = {
		"the earliest start of a profile that reaches into the range",
		"hours and days in the range that have sums",
		"... how many rows they have",
		"... whether the profiles are still those of the sums",
		"otherwise: whether a profile was stored twice; below as if one was",
		"profiles, and the metric that most of them have",
		"metrics",
		"totals",
		"for how long each host was recorded",
		"stacks",
		"labels that profiles were stored with",
		"how many rows a step has, of some steps",
		"curves, where steps are longer than a two-thousandth of the range",
		"detail, in portions of the range"};
	const char *unfit = periods_unfit(&r->q);

	if (unfit)
		buf_addf(out, "-- sums of hours and days are not used: %s\n\n", unfit);
	else
		buf_adds(out, "-- with hours and days that have sums, the queries from profiles to "
			      "labels also read\n-- their tables: period_sums for totals and "
			      "stacks, period_profiles for the others\n\n");
	for (unsigned i = 0; i < sizeof title / sizeof *title; i++) {
		if ((unfit && i >= 1 && i <= 3) || (i == 0 && r->q.from == INT64_MIN))
			continue;
		buf_addf(out, "-- %s\n", i == 4 && unfit ? strchr(title[i], ':') + 2 : title[i]);
		explain_one(r, i, out);
		buf_adds(out, i + 1 < sizeof title / sizeof *title ? ";\n\n" : ";\n");
	}
}

bool
store_explain(const char *url, int64_t now, struct buf *out, struct err *e)
{
	struct reader r = {0};

	if (!store_url_read(&r.url, url, e))
		return false;
	reader_begin(&r, now);
	r.q.explains = true;
	r.q.cut = r.url.from.given || r.url.to.given;
	if (r.q.log) {
		reader_log_explain(&r, out);
		read_release(&r);
		return true;
	}
	explain_all(&r, out);
	read_release(&r);
	return true;
}
