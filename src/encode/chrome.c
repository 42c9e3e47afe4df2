#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/profile/human.h"
#include "src/encode/chrome_inside.h"
#include "src/encode/json_text.h"
#include "src/encode/losses.h"

/* The Trace Event Format, as a JSON object.  Steps become complete events (X), sorted by beginning
 * with outer ones first, so readers need no matching.  The steps are replayed twice: first to find
 * the duration of each slice, then to write.  Samples become CPU profiles in V8's form
 * (chrome_samples.c), counters C, marks i.  A track becomes a thread, with the ids in its name if
 * there are any. */

/* Writes `{"ph":"X","pid":1,"tid":2,"ts":3.004,"name":`, without the name. */
static void
event_at(struct chrome_writer *x, char ph, track_id track, int64_t time)
{
	chrome_separate(x);
	fprintf(x->out, "{\"ph\":\"%c\",\"pid\":%lld,\"tid\":%lld,\"ts\":", ph,
		(long long)track_pid(&x->ids, track), (long long)x->ids.tid[track]);
	json_decimals(x->out, sum_clipped(time, x->ids.shift), 3);
	fputs(",\"name\":", x->out);
}

/* The same of x->track, with the name and without the end. */
static void
event_begin(struct chrome_writer *x, char ph, int64_t time, name_id name)
{
	event_at(x, ph, x->track, time);
	chrome_string(x, name);
}

/* ---- names ---- */

static void
metadata(struct chrome_writer *x, const char *what, track_id t)
{
	chrome_separate(x);
	fprintf(x->out, "{\"ph\":\"M\",\"cat\":\"__metadata\",\"pid\":%lld,\"tid\":%lld,\"ts\":0,"
		"\"name\":\"%s\",\"args\":{",
		(long long)track_pid(&x->ids, t), (long long)x->ids.tid[t], what);
}

static void
name_arg(struct chrome_writer *x, struct buf *text)
{
	fputs("\"name\":", x->out);
	json_string(x->out, buf_str(text), text->len);
	buf_reset(text);
}

/* Counters and marks are not threads: our own metadata identifies their tracks. */
static void
chrome_write_names(struct chrome_writer *x)
{
	const struct profile *p = x->shown.p;
	uint8_t *named = mem_zalloc((size_t)p->n_groups + p->n_processes + 1, 1);
	struct buf text = BUF_INIT;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		uint32_t of = track->under == PROCESS_NONE ? track->group
							   : p->n_groups + track->under;
		if (!x->shown.shows[t])
			continue;
		if (!named[of]) {
			named[of] = 1;
			metadata(x, "process_name", t);
			track_process_name(&x->ids, t, &text);
			name_arg(x, &text);
			fputs("}}", x->out);
		}
		bool thread = track->kind < TRACK_COUNTER;
		metadata(x, thread ? "thread_name" : "pnav_track", t);
		track_own_name(&x->ids, t, &text);
		name_arg(x, &text);
		track_members(&x->ids, t, x->out);
		fputs("}}", x->out);
		if (!thread)
			continue;
		metadata(x, "thread_sort_index", t);
		fprintf(x->out, "\"sort_index\":%u}}", t);
	}
	buf_release(&text);
	free(named);
}

/* ---- slices ---- */

static void
chrome_entered(void *ctx, const struct shown_entry *entry)
{
	struct chrome_writer *x = ctx;

	*vec_push(&x->open) = (struct open_slice){spill_add(&x->lasts), entry->time};
}

static void
chrome_left(void *ctx, node_id node, int64_t time)
{
	struct chrome_writer *x = ctx;
	struct open_slice o = x->open.at[--x->open.n];

	(void)node;
	spill_set(&x->lasts, o.place, time - o.start);
}

static void
slice(void *ctx, const struct shown_entry *entry)
{
	struct chrome_writer *x = ctx;
	struct shown_frame f = shown_frame(&x->shown, x->shown.tree->key[entry->node]);

	event_begin(x, 'X', entry->time, f.name);
	fputs(",\"dur\":", x->out);
	json_decimals(x->out, spill_next(&x->lasts), 3);
	fprintf(x->out, ",\"cat\":\"%s\"}", kind_name(f.kind));
}

static void
slice_left(void *ctx, node_id node, int64_t time)
{
	(void)ctx;
	(void)node;
	(void)time;
}

/* Writes time that no thread spends (a pending request) as a pair b, e with the track's name,
 * `CAT:NAME`. */
static void
async_event(struct chrome_writer *x, char ph, node_id node, int64_t time)
{
	const struct projection *t = x->shown.tree;
	struct buf text = BUF_INIT;

	event_begin(x, ph, time, shown_frame(&x->shown, t->key[node]).name);
	shown_name(&x->shown, x->shown.p->track[x->track].name, &text);
	fprintf(x->out, ",\"id\":%u,\"cat\":", x->track + 1);
	json_string(x->out, buf_str(&text), strcspn(buf_str(&text), ":"));
	putc('}', x->out);
	buf_release(&text);
}

static void
async_entered(void *ctx, const struct shown_entry *entry)
{
	async_event(ctx, 'b', entry->node, entry->time);
}

static void
async_left(void *ctx, node_id node, int64_t time)
{
	async_event(ctx, 'e', node, time);
}

static bool
is_async(const struct chrome_writer *x)
{
	const struct profile *p = x->shown.p;

	/* a metric of its own, such as work of processors, must not look like time of a thread */
	if (series_metric(x->series, x->shown.metric.at[0]) < 0 &&
	    series_metric(x->series, profile_default_metric(p)) < 0)
		return true;
	for (unsigned i = 0; i < x->series->n_metrics; i++) {
		if (x->series->metric[i] >= p->n_metrics)
			continue;
		struct name name = names_get(&p->names, p->metric[x->series->metric[i]].name);
		if (x->series->role[i] == ROLE_TIME)
			return name.len == 5 && !memcmp(name.at, "async", 5);
	}
	return false;
}

/* ---- counters and marks ---- */

static void
counted(void *ctx, const struct shown_point *e)
{
	struct chrome_writer *x = ctx;
	struct buf text = BUF_INIT;
	double real;

	memcpy(&real, &e->value, sizeof real);
	event_begin(x, 'C', e->time, x->shown.p->track[x->track].name);
	if (x->series->floating)
		human_real(&text, real);
	else
		human_plain(&text, e->value, 0);
	/* JSON has no infinity */
	bool number = !x->series->floating || (real - real == 0);
	fprintf(x->out, ",\"args\":{\"value\":%s}}", number ? buf_str(&text) : "0");
	buf_release(&text);
}

static void
marked(void *ctx, const struct shown_point *e)
{
	struct chrome_writer *x = ctx;
	const struct track *t = &x->shown.p->track[x->track];
	name_id name = track_value_name(t, e->value);

	event_begin(x, 'i', e->time, name == NAME_EMPTY ? t->name : name);
	fputs(",\"s\":\"t\"}", x->out);
}

static void
write_points(struct chrome_writer *x)
{
	bool marks = x->shown.p->track[x->track].kind == TRACK_MARKS;

	shown_points(&x->shown, x->series, marks ? marked : counted, x);
}

/* Writes one end of a flow. */
static void
flow_event(struct chrome_writer *x, char ph, track_id track, int64_t time)
{
	event_at(x, ph, track, time);
	fprintf(x->out, "\"flow\",\"cat\":\"flow\",\"id\":%llu%s}",
		(unsigned long long)x->flows, ph == 'f' ? ",\"bp\":\"e\"" : "");
}

static void
flowed(void *ctx, const struct shown_flow *flow)
{
	struct chrome_writer *x = ctx;

	x->flows++;
	flow_event(x, 's', flow->from, flow->from_time);
	flow_event(x, 'f', flow->to, flow->to_time);
}

/* Writes the series of one kind on the selected tracks, one after the other. */
static void
each_series(struct chrome_writer *x, enum series_kind kind, void (*write)(struct chrome_writer *x))
{
	const struct profile *p = x->shown.p;

	for (x->track = 0; x->track < p->n_tracks; x->track++)
		for (uint32_t i = 0; i < p->track[x->track].n_series; i++) {
			x->series = p->track[x->track].series[i];
			if (x->shown.shows[x->track] && x->series->kind == kind)
				write(x);
		}
}

static bool
has_kind(const struct shown *s, enum series_kind kind)
{
	for (size_t i = 0; i < s->track.n; i++)
		for (uint32_t k = 0; k < s->p->track[s->track.at[i]].n_series; k++)
			if (s->p->track[s->track.at[i]].series[k]->kind == kind)
				return true;
	return false;
}

/* True if a selected track has the metric that is shown, in a series without time, or in one with
 * times. */
static bool
chrome_has_metric(const struct shown *s, bool timed)
{
	for (size_t i = 0; i < s->track.n; i++)
		for (uint32_t k = 0; k < s->p->track[s->track.at[i]].n_series; k++) {
			const struct series *one = s->p->track[s->track.at[i]].series[k];
			if (one->n && one->kind != SERIES_POINTS &&
			    (one->kind != SERIES_TOTALS) == timed &&
			    series_metric(one, s->metric.at[0]) >= 0)
				return true;
		}
	return false;
}

/* Refuses to write samples of other metrics in place of the sums that are shown. */
static bool
chrome_fits(const struct shown *s, struct err *e)
{
	struct buf name = BUF_INIT;

	if (!s->has_time && !shown_has_points(s))
		return err_usage(e, "this profile has no time: use folded, pprof or speedscope");
	if (!has_kind(s, SERIES_SAMPLES) || chrome_has_metric(s, true) ||
	    !chrome_has_metric(s, false))
		return true;
	profile_show_name(s->p, s->p->metric[s->metric.at[0]].name, &name);
	err_usage(e, "the metric %s has no time: use folded, pprof or speedscope, or --metric "
		     "with one that has", buf_str(&name));
	buf_release(&name);
	return false;
}

static void
write_steps(struct chrome_writer *x)
{
	struct shown_slices lengths = {chrome_entered, chrome_left, x};
	struct shown_slices slices = {slice, slice_left, x};
	struct shown_slices asyncs = {async_entered, async_left, x};
	bool async = is_async(x);
	struct shown_slices emit = async ? asyncs : slices;

	if (!async) {
		shown_replay(&x->shown, x->series, &lengths);
		spill_rewind(&x->lasts);
	}
	x->replayed |= shown_replay(&x->shown, x->series, &emit);
	spill_reset(&x->lasts);
}

static void
chrome_write_file(struct chrome_writer *x)
{
	bool samples = has_kind(&x->shown, SERIES_SAMPLES);

	/* Firefox skips samples of the first half millisecond */
	x->ids.shift = samples ? CHROME_SHIFT : 0;
	fputs("{\"traceEvents\":[", x->out);
	x->separator = "\n";
	chrome_write_names(x);
	each_series(x, SERIES_STEPS, write_steps);
	each_series(x, SERIES_POINTS, write_points);
	shown_flows(&x->shown, flowed, x);
	if (samples)
		chrome_samples(x);
	fputs("],\n\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"pnav " PACKAGE_VERSION
	      "\"}}\n", x->out);
	shown_replay_warn(&x->shown, x->replayed);
	if (chrome_has_metric(&x->shown, false))
		encode_warn(x->shown.job, "sums without time are left out");
	unsigned lines = has_kind(&x->shown, SERIES_STEPS) ? LOSES_LINES : LOSES_RAN;
	bool calls = false; /* of samples; those of slices are kept */
	for (size_t i = 0; i < x->shown.track.n; i++)
		calls |= shown_has_calls(&x->shown, x->shown.track.at[i],
					 1u << SERIES_SAMPLES | 1u << SERIES_TOTALS);
	losses_warn(&x->shown, LOSES_AXIS | LOSES_MODULES | lines | LOSES_LABELS | LOSES_SAMPLES |
				LOSES_METRICS | LOSES_VALUES | (calls ? LOSES_CALLS : 0) |
				(samples ? LOSES_SYSTEM : 0));
}

static bool
chrome_write(const struct encode_job *job, struct err *e)
{
	struct chrome_writer x = {.out = job->out};

	if (!shown_open(&x.shown, job, SHOWN_ONE, e))
		return false;
	bool good = chrome_fits(&x.shown, e);
	spill_init(&x.lasts);
	track_ids_make(&x.ids, &x.shown);
	if (good)
		chrome_write_file(&x);
	if (x.lasts.failed) {
		*e = x.lasts.e;
		good = false;
	}
	spill_release(&x.lasts);
	track_ids_release(&x.ids);
	shown_close(&x.shown);
	vec_release(&x.open);
	return good;
}

const struct encoder encoder_chrome = {
	.name = "chrome",
	.title = "trace of Chrome and Perfetto, in JSON",
	.write = chrome_write,
};
