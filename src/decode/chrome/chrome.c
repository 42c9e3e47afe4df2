#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/decode/chrome/chrome_inside.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"

/* Traces of the Trace Event Format ("Trace Event Format", Google; pnav-formats(7)): the format
 * of Chrome's about:tracing, its DevTools and a hundred other programs.
 *
 * A file is an array of events, or an object with such an array and tables, in any order. The
 * decoder handles each event when it has read it (chrome_event.c).  It writes points at once
 * (cast.h).  Slices, begins, ends, asyncs and samples need the end of the file, and wait for it
 * in few bytes each.  While the input waits for more data, the slices and asyncs so far are
 * shown.  The format allows the array to lack its end, so that a program that dies leaves a
 * good file. */

#define LATER 20 /* percent of the time, spent on slices after reading */

/* ---- probe ---- */

/* Elements of an array of events have a phase, or the members that all events have.  An object
 * whose events lie beyond the head is recognised by the names of its other tables. */
static int
chrome_probe(struct head head)
{
	/* other members of the object, before its events */
	return head_members(head, "displayTimeUnit|otherData|systemTraceEvents|stackFrames|"
				  "beginningOfTime|deviceProperties")
		       ? 60
		       : 0;
}

/* ---- events ---- */

static bool
is_profile(const struct chrome *d)
{
	struct name n = builder_name_get(d->b, d->e.name);

	return name_is(n, "Profile") || name_is(n, "ProfileChunk") ||
	       name_is(n, "CpuProfile");
}

static void
sampled(struct chrome *d)
{
	const struct chrome_event *e = &d->e;

	if (is_profile(d)) {
		if (e->has_profile || d->cpu.ids.n > e->chunk.sample)
			chrome_profile_event(d);
		d->counts.counted['P']++;
	} else if (e->has_sf) {
		chrome_sample(d, chrome_thread(d), e->ts, e->sf, false);
	} else {
		builder_warn(d->b, "samples without a stack, left out");
	}
}

static void
edge(struct chrome *d, bool ends)
{
	const struct chrome_event *e = &d->e;

	if (ends) {
		cast_end(&d->cast, chrome_thread(d), e->ts, e->name);
		return;
	}
	chrome_bound_flow(d);
	struct chrome_said said = chrome_said(d);
	cast_begin(&d->cast, chrome_thread(d), e->ts, e->name, said.function, said.labels);
}

/* The files that clang reads are asyncs of the compiler's thread since clang 18: what it parses may
 * end within a file that it has begun to read meanwhile. */
static void
nestable(struct chrome *d, bool ends)
{
	if (d->e.cat != d->is.source || d->e.name != d->is.source) {
		chrome_async(d, ends, true);
		return;
	}
	uint32_t thread = chrome_thread(d);
	d->cast.track.at[thread].nesting = CAST_CUT;
	edge(d, ends);
}

/* PyTorch's recorder writes how long it recorded as slices of a process "Spans": no thread ran. */
static void
chrome_complete(struct chrome *d)
{
	uint32_t thread = chrome_thread(d);

	if (d->e.cat == d->is.trace && cast_id_text(d->e.pid) == d->is.spans) {
		d->cast.track.at[thread].aside = true;
		d->cast.track.at[thread].kind = TRACK_TASK;
	}
	chrome_slice(&d->cast, thread, &d->e, chrome_said(d));
}

/* Handles an event by its phase.  Returns false if the profile refuses it. */
static bool
handle(struct chrome *d, struct err *err)
{
	struct chrome_event *e = &d->e;

	if (e->ph == 'M') {
		chrome_metadata(d);
		return true;
	}
	if (!e->has_ts) {
		builder_warn(d->b, "events without a time, left out");
		return true;
	}
	switch (e->ph) {
	case 'X':
		if (e->args.is_sum && e->args.n)
			d->counts.sums++;
		else
			chrome_complete(d);
		chrome_bound_flow(d);
		return true;
	case 'B':
	case 'E':
		edge(d, e->ph == 'E');
		return true;
	case 'b':
	case 'e':
		nestable(d, e->ph == 'e');
		return true;
	case 'S':
	case 'F':
		chrome_async(d, e->ph == 'F', false);
		return true;
	case 'C':
		return chrome_counter(d, err);
	case 'n':
	case 'T':
	case 'p':
		e->s = 'p';
		return chrome_mark(d, err);
	case 'i':
	case 'I':
		if (e->has_profile && is_profile(d)) {
			sampled(d); /* Chrome 58 to 66 wrote the whole profile in this form */
			return true;
		}
		return chrome_mark(d, err);
	case 'R':
		return chrome_mark(d, err);
	case 's':
	case 't':
	case 'f':
		chrome_flow(d);
		return true;
	case 'P':
		sampled(d);
		return true;
	default:
		d->counts.counted[(unsigned char)e->ph % 128]++;
		return true;
	}
}

static bool
chrome_event_take(struct rows_json *r, void *none UNUSED, void *event)
{
	struct chrome *d = r->context;

	if (r->j.failed) {
		chrome_profile_drop(d);
		return true;
	}
	chrome_event_end(event);
	if (!handle(d, r->e))
		return false;
	if (!d->e.chunk.kept)
		chrome_profile_drop(d);
	return true;
}

static bool
other_read(struct rows_json *r, void *none UNUSED, const struct json_token *t)
{
	builder_warn(((struct chrome *)r->context)->b, "elements that are not events, left out");
	return json_skip(&r->j, t);
}

static const struct json_list events = {.rows = chrome_event_rows,
					.record = true,
					.torn = true,
					.begin = chrome_event_begin,
					.end = chrome_event_take,
					.other = other_read};

/* ---- container ---- */

static bool
viztracer_read(struct rows_json *r, void *chrome, const struct json_token *t)
{
	((struct chrome *)chrome)->viztracer = true;
	return json_skip(&r->j, t);
}

static bool
system_read(struct rows_json *r, void *chrome, const struct json_token *t)
{
	static const struct json_row fuchsia = {"", ROW_HERE(chrome_fuchsia_rows)};
	struct chrome *d = chrome;

	if (t->kind == JSON_OBJECT)
		return rows_json_value(r, &fuchsia, d, t);
	if (t->kind != JSON_STRING)
		return json_skip(&r->j, t);
	json_text(&r->j, t, &d->system);
	d->system_at = json_offset(&r->j);
	return true;
}

static const struct json_row document_rows[] = {
	{"traceEvents", ROW_LIST(&events)},
	{"stackFrames", ROW_HERE(chrome_frames_rows)},
	{"samples", ROW_LIST(&chrome_samples_list)},
	{"viztracer_metadata", ROW_INSIDE(viztracer_read)},
	{"systemTraceEvents", ROW_INSIDE(system_read)},
	{"displayTimeUnit", ROW_FACT("time unit shown")},
	{"baseTimeNanoseconds", ROW_FACT("base time ns")},
	{0},
};

/* An array without its end is no damage if its last event is complete. */
static bool
document_read(struct chrome *d, struct err *err)
{
	static const struct json_row object = {"", ROW_HERE(document_rows)};
	static const struct json_row array = {"", ROW_LIST(&events)};
	struct json_token t;
	struct json *j = &d->r.j;

	json_rows_begin(&d->r, d->in, d->b, err, d);
	if (!json_next(j, &t))
		return json_damage(j, j->where, err);
	if (t.kind == JSON_OBJECT)
		return rows_json_value(&d->r, &object, d, &t);
	if (t.kind != JSON_ARRAY)
		return err_damage(err, t.offset, "neither an array nor an object");
	struct err e = {0};
	d->r.e = &e;
	bool good = rows_json_value(&d->r, &array, d, &t);
	d->r.e = err;
	bool open = !good && j->failed && j->cut && j->depth == 1;
	if (!good && !open)
		*err = e;
	if (open && !input_stopped(d->in)) {
		builder_warn(d->b, "the array of events is not closed");
		builder_incomplete(d->b, "the array is not closed");
	}
	return good || open;
}

/* ---- the end ---- */

static void
chrome_report(struct chrome *d)
{
	for (int i = 0; i < 128; i++)
		if (d->counts.counted[i] && i != 'P')
			builder_info(d->b, "skipped", "%s%c: %" PRIu64, i ? "ph " : "no ph",
				     i > 32 && i < 127 ? i : ' ', d->counts.counted[i]);
	builder_info_count(d->b, "profile events", d->counts.counted['P'], "");
	if (d->cpu.idle_samples)
		builder_info(d->b, "idle", "%" PRIu64 " samples of (idle), %" PRIu64
			     " ns: not in cpu", d->cpu.idle_samples, d->cpu.idle_ns);
	builder_info_count(d->b, "totals left out", d->counts.sums, "");
	builder_info_count(d->b, "args not shown", d->counts.deeper, "");
	json_say(&d->r.j, d->b);
}

/* Shows the slices and asyncs so far while the input waits.  Errors are reported at the end. */
static void
chrome_show(void *context)
{
	struct chrome *d = context;
	bool slices = cast_slices(&d->cast), asyncs = cast_asyncs(&d->cast);
	metric_id time = METRIC_NONE, async = METRIC_NONE;
	struct err e = {0};

	if (!slices && !asyncs)
		return;
	if (slices)
		time = builder_time(d->b, "time");
	if (asyncs)
		async = builder_time(d->b, "async");
	builder_default_metric(d->b, slices ? time : async);
	cast_write(&d->cast, time, async, false, 0, &e);
	cast_rename(&d->cast);
}

static bool
chrome_build(struct chrome *d, struct err *err)
{
	bool fuchsia = chrome_fuchsia_names(d);
	cast_settle(&d->cast); /* before the names of the system's trace */
	bool slices = cast_slices(&d->cast), cpu = d->cpu.sample.n || d->cpu.cpu_samples;
	bool own = d->cpu.own_samples;
	bool asyncs = cast_asyncs(&d->cast), system = chrome_system_read(d, cpu || own);
	metric_id time = METRIC_NONE, async = METRIC_NONE, sampled[2] = {METRIC_NONE, METRIC_NONE};

	system |= fuchsia;
	if (slices || !(cpu || own || asyncs || system))
		time = builder_time(d->b, "time");
	if (cpu) {
		sampled[0] = builder_metric(d->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
		sampled[1] = builder_metric(d->b, "cpu", UNIT_NS, ROLE_VALUE);
	}
	if (asyncs)
		async = builder_time(d->b, "async");
	d->cpu.own_first = !slices && !cpu;
	if (time != METRIC_NONE || cpu || (asyncs && !own && !system))
		builder_default_metric(d->b, time != METRIC_NONE ? time
							     : cpu ? sampled[1] : async);
	flows_bind(&d->flows, &d->cast);
	bool good = cast_write(&d->cast, time, async, true, 0, err);
	good = good && (!(cpu || own) || chrome_cpu_write(d, sampled, err));
	cast_rename(&d->cast);
	chrome_fuchsia_write(d, !(cpu || own));
	flows_write(&d->flows, &d->cast);
	chrome_labels_report(d);
	return good;
}

static void
chrome_release(struct chrome *d)
{
	cast_release(&d->cast);
	flows_release(&d->flows);
	chrome_cpu_release(d);
	chrome_fuchsia_release(d);
	rows_json_release(&d->r);
	vec_release(&d->functions.function);
	buf_release_all(&d->text, &d->scratch, &d->system);
	free(d->functions.plain);
	text_cache_release(&d->functions.placed);
}

static void
names_begin(struct chrome *d)
{
	d->is = (struct chrome_names){
		.name = builder_name(d->b, "name", 4),
		.detail = builder_name(d->b, "detail", 6),
		.data = builder_name(d->b, "data", 4),
		.avg = builder_name(d->b, "avg ms", 6),
		.url = builder_name(d->b, "url", 3),
		.line = builder_name(d->b, "line", 4),
		.column = builder_name(d->b, "column", 6),
		.allocated = builder_name(d->b, "allocatedName", 13),
		.value = builder_name(d->b, "value", 5),
		.cat = builder_name(d->b, "cat", 3),
		.trace = builder_name(d->b, "Trace", 5),
		.spans = builder_name(d->b, "Spans", 5),
		.source = builder_name(d->b, "Source", 6),
	};
	for (unsigned k = 0; k < KINDS; k++)
		d->is.kind[k] = builder_name(d->b, kind_name((enum kind)k),
					     strlen(kind_name((enum kind)k)));
}

static bool
chrome_decode(struct input *in, struct builder *b, struct err *err)
{
	struct chrome *d = mem_zalloc(1, sizeof *d);

	d->in = in;
	d->b = b;
	d->cast = (struct cast){.in = in, .b = b, .labelled = true, .frame = chrome_frame,
				.context = d};
	names_begin(d);
	input_when_idle(in, chrome_show, d);
	input_later(in, LATER);
	bool good = document_read(d, err);
	input_when_idle(in, NULL, NULL);
	/* an error does not remove what was read before it; the first error is reported */
	good = chrome_build(d, err) && good;
	chrome_report(d);
	chrome_release(d);
	free(d);
	return good;
}

const struct decoder decoder_chrome = {
	.name = "chrome",
	.title = "Trace Event Format: about:tracing, DevTools, clang, Bazel, ...",
	.made_of = MADE_JSON,
	.mangled = true,
	.members = "traceEvents|/ph|/name /cat /pid /ts",
	.probe = chrome_probe,
	.decode = chrome_decode,
	.dump = chrome_dump,
};
