#include "src/encode/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/picture/layout.h"
#include "src/encode/losses.h"

/* The processed form of the Firefox Profiler, version 60: tables as columns that all threads share,
 * a thread a track, markers for marks, counters.  The application upgrades older versions. The
 * tables are written after the threads, when all their texts are known. */

/* ---- samples ---- */

static void
firefox_sample(struct firefox_writer *x, node_id node, int64_t time, int64_t weight)
{
	comma(x);
	switch (x->writes) {
	case STACKS:
		json_whole(x->out, (int64_t)node - 1);
		break;
	case TIMES:
		milliseconds(x, time, x->axis_ns);
		break;
	case WEIGHTS:
		x->large |= json_is_large(weight);
		milliseconds(x, weight, x->metric_ns);
		break;
	case COUNT:
		break;
	}
}

static void
timed(void *ctx, const struct shown_sample *e)
{
	struct firefox_writer *x = ctx;
	if (e->node != NODE_ROOT)
		firefox_sample(x, e->node, e->time, shown_adds(x->series, x->column, e));
}

static void
gather(void *ctx, const struct shown_sample *e)
{
	struct firefox_writer *x = ctx;
	if (e->node != NODE_ROOT)
		*vec_push(&x->gathered) = (struct firefox_sample){
			e->time, shown_adds(x->series, x->column, e), e->node,
			(uint32_t)x->gathered.n};
}

ORDERED_BY_TWO(firefox_sample_order, struct firefox_sample, time, place)

/* Sums have no time: one a millisecond. */
static void
summed(struct firefox_writer *x)
{
	const struct shown *s = &x->shown;

	for (uint32_t i = 0; i < shown_nodes(s); i++) {
		node_id v = shown_node(s, i);
		if (shown_has_self(s, v))
			firefox_sample(x, v, (int64_t)x->n * (x->axis_ns ? MS : 1),
				       shown_self(s, v)[0]);
	}
}

static bool
says(const struct firefox_writer *x, const struct series *s)
{
	int i = series_metric(s, x->shown.metric.at[0]);

	if (i < 0 || !s->n)
		return false;
	return s->kind == SERIES_SAMPLES ||
	       (s->kind == SERIES_STEPS && role_lasts((enum metric_role)s->role[i]));
}

/* How the samples of a thread are written. */
enum firefox_order { SUMMED, SERIES, SORTED };

static enum firefox_order
firefox_order_of(struct firefox_writer *x, const struct track *t)
{
	unsigned timed_series = 0;
	bool sums = false, steps = false, sorted = true;

	for (uint32_t i = 0; i < t->n_series; i++) {
		const struct series *s = t->series[i];
		if (series_metric(s, x->shown.metric.at[0]) < 0 || !s->n)
			continue;
		timed_series += says(x, s);
		sums |= !says(x, s);
		steps |= s->kind == SERIES_STEPS;
		sorted &= s->sorted;
	}
	if (sums)
		x->loses_times |= timed_series || steps;
	return sums || !timed_series ? SUMMED : timed_series == 1 && sorted ? SERIES : SORTED;
}

static void
firefox_each(struct firefox_writer *x, const struct track *t,
	     void (*emit)(void *ctx, const struct shown_sample *e))
{
	for (uint32_t i = 0; i < t->n_series; i++) {
		if (!says(x, t->series[i]))
			continue;
		x->series = t->series[i];
		x->column = series_metric(x->series, x->shown.metric.at[0]);
		shown_samples(&x->shown, x->series, emit, x);
	}
}

static void
firefox_column(struct firefox_writer *x, const struct track *t, enum firefox_order order)
{
	x->n = 0;
	if (order == SUMMED)
		summed(x);
	else if (order == SERIES)
		firefox_each(x, t, timed);
	for (size_t i = 0; i < x->gathered.n; i++) {
		const struct firefox_sample *one = &x->gathered.at[i];
		firefox_sample(x, one->node, one->time, one->weight);
	}
}

static const char *
weight_type(const struct firefox_writer *x)
{
	enum unit unit = shown_unit(&x->shown, 0);

	return unit == UNIT_NS ? "tracing-ms" : unit == UNIT_BYTES ? "bytes" : "samples";
}

static bool
firefox_write_samples(struct firefox_writer *x, track_id t, bool has_stacks, struct err *e)
{
	static const char *const heads[] = {"\"stack\":[", "],\"time\":[", "],\"weight\":["};
	const struct track *track = &x->shown.p->track[t];
	enum firefox_order order = firefox_order_of(x, track);

	x->gathered.n = 0;
	if (has_stacks && order == SUMMED) {
		if (!shown_load(&x->shown, t, e))
			return false;
		x->loses_samples = true;
		fputs(",\"pnav_sums\":true", x->out);
	} else if (has_stacks && order == SORTED) {
		firefox_each(x, track, gather);
		if (x->gathered.n)
			qsort(x->gathered.at, x->gathered.n, sizeof *x->gathered.at,
			      firefox_sample_order);
	}
	fputs(",\"samples\":{", x->out);
	for (x->writes = STACKS, x->n = 0; x->writes < COUNT; x->writes++) {
		fputs(heads[x->writes], x->out);
		if (has_stacks)
			firefox_column(x, track, order);
	}
	fprintf(x->out, "],\"weightType\":\"%s\",\"length\":%llu}", weight_type(x),
		(unsigned long long)x->n);
	return true;
}

/* ---- threads ---- */

static bool
write_thread(struct firefox_writer *x, track_id t, bool first, bool has_stacks, struct err *e)
{
	const struct profile *p = x->shown.p;
	const struct track *track = &p->track[t];

	fprintf(x->out, "%s\n{\"name\":", first ? "" : ",");
	firefox_own_text(x, t, track_own_name);
	track_members(&x->ids, t, x->out);
	fprintf(x->out, ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":",
		first ? "true" : "false");
	firefox_own_text(x, t, track_process_name);
	fprintf(x->out, ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		"\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"%lld\",\"tid\":%lld",
		(long long)track_pid(&x->ids, t), (long long)x->ids.tid[t]);
	x->axis_ns = p->group[track->group].axis == UNIT_NS;
	if (!firefox_write_samples(x, t, has_stacks, e))
		return false;
	firefox_write_markers(x, t, track->kind == TRACK_MARKS);
	putc('}', x->out);
	return true;
}

static bool
write_threads(struct firefox_writer *x, struct err *e)
{
	const struct profile *p = x->shown.p;
	bool first = true;
	size_t next = 0; /* of those with stacks, in rising order */

	fputs(",\n\"threads\":[", x->out);
	for (track_id t = 0; t < p->n_tracks; t++) {
		bool thread = next < x->shown.track.n && x->shown.track.at[next] == t;
		next += thread;
		if (!x->shown.shows[t] || p->track[t].kind == TRACK_COUNTER ||
		    p->track[t].kind == TRACK_STATE)
			continue;
		if (!write_thread(x, t, first, thread, e))
			return false;
		first = false;
	}
	putc(']', x->out);
	return true;
}

/* ---- tables ---- */

static uint32_t
firefox_index_of(uint32_t *index, uint32_t n)
{
	bool is_new = !*index;

	if (is_new)
		*index = n + 1;
	return is_new;
}

static void
firefox_find_frames(struct firefox_writer *x)
{
	const struct projection *t = x->shown.tree;

	for (node_id v = 1; v < t->n; v++) {
		key_id key = t->key[v];
		if (!firefox_index_of(&x->frame_of[key], (uint32_t)x->frame.n))
			continue;
		*vec_push(&x->frame) = key;
		function_id id = projection_key_function(t, x->shown.p, key);
		uint32_t *func = &x->func_of[id == UINT32_MAX ? key : id];
		struct shown_frame f = shown_frame(&x->shown, key);
		if (firefox_index_of(func, (uint32_t)x->func.n)) {
			*vec_push(&x->func) = f;
			if (f.file &&
			    firefox_index_of(&x->source_of[f.file], (uint32_t)x->source.n))
				*vec_push(&x->source) = f.file;
			if (f.module &&
			    firefox_index_of(&x->resource_of[f.module], (uint32_t)x->resource.n))
				*vec_push(&x->resource) = f.module;
		}
		*vec_push(&x->frame_func) = *func - 1;
	}
}

/* Writes a number, or `none` for an unknown one. */
static void
cell(struct firefox_writer *x, size_t i, bool known, uint64_t v, const char *none)
{
	if (i)
		putc(',', x->out);
	if (known)
		json_whole(x->out, (int64_t)v);
	else
		fputs(none, x->out);
}

static void
write_stack_table(struct firefox_writer *x)
{
	const struct projection *t = x->shown.tree;

	fputs("\"stackTable\":{\"frame\":[", x->out);
	for (node_id v = 1; v < t->n; v++)
		cell(x, v - 1, true, x->frame_of[t->key[v]] - 1, "");
	fputs("],\"prefix\":[", x->out);
	for (node_id v = 1; v < t->n; v++)
		cell(x, v - 1, t->parent[v] != NODE_ROOT, t->parent[v] - 1, "null");
	fprintf(x->out, "],\"length\":%u}", t->n - 1);
}

static void
write_frame_table(struct firefox_writer *x)
{
	size_t n = x->frame.n;

	fputs(",\n\"frameTable\":{\"func\":[", x->out);
	for (size_t i = 0; i < n; i++)
		cell(x, i, true, x->frame_func.at[i], "");
	fputs("],\"line\":[", x->out);
	for (size_t i = 0; i < n; i++) {
		uint32_t line = shown_frame(&x->shown, x->frame.at[i]).line;
		cell(x, i, line, line, "null");
	}
	fputs("],\"category\":[", x->out);
	for (size_t i = 0; i < n; i++) /* in the order of the table in `meta` */
		cell(x, i, true, (uint64_t[KINDS]){[KIND_USER] = 0, [KIND_SYSTEM] = 1,
						   [KIND_INTRINSIC] = 2, [KIND_IDLE] = 3}
						[x->func.at[x->frame_func.at[i]].kind], "");
	firefox_constants(x, "],\"address\":[", "-1", n);
	firefox_constants(x, "],\"inlineDepth\":[", "0", n);
	firefox_constants(x, "],\"subcategory\":[", "0", n);
	firefox_constants(x, "],\"nativeSymbol\":[", "null", n);
	firefox_constants(x, "],\"innerWindowID\":[", "0", n);
	firefox_constants(x, "],\"column\":[", "null", n);
	fprintf(x->out, "],\"length\":%zu}", n);
}

static void
write_func_table(struct firefox_writer *x)
{
	size_t n = x->func.n;

	fputs(",\n\"funcTable\":{\"name\":[", x->out);
	for (size_t i = 0; i < n; i++)
		cell(x, i, true, firefox_name(x, x->func.at[i].name), "");
	fputs("],\"resource\":[", x->out);
	for (size_t i = 0; i < n; i++) {
		name_id module = x->func.at[i].module;
		cell(x, i, module, x->resource_of[module] - 1, "-1");
	}
	fputs("],\"source\":[", x->out);
	for (size_t i = 0; i < n; i++) {
		name_id file = x->func.at[i].file;
		cell(x, i, file, x->source_of[file] - 1, "null");
	}
	fputs("],\"lineNumber\":[", x->out);
	for (size_t i = 0; i < n; i++)
		cell(x, i, x->func.at[i].defined, x->func.at[i].defined, "null");
	firefox_constants(x, "],\"isJS\":[", "false", n);
	firefox_constants(x, "],\"relevantForJS\":[", "false", n);
	firefox_constants(x, "],\"columnNumber\":[", "null", n);
	fprintf(x->out, "],\"length\":%zu}", n);
}

static void
write_shared(struct firefox_writer *x)
{
	fputs(",\n\"shared\":{", x->out);
	write_stack_table(x);
	write_frame_table(x);
	write_func_table(x);
	fputs(",\n\"resourceTable\":{\"name\":[", x->out);
	for (size_t i = 0; i < x->resource.n; i++)
		cell(x, i, true, firefox_name(x, x->resource.at[i]), "");
	fputs("],\"lib\":[", x->out);
	for (size_t i = 0; i < x->resource.n; i++)
		cell(x, i, true, i, "");
	firefox_constants(x, "],\"host\":[", "null", x->resource.n);
	firefox_constants(x, "],\"type\":[", "1", x->resource.n);
	fprintf(x->out, "],\"length\":%zu},\n\"sources\":{\"filename\":[", x->resource.n);
	for (size_t i = 0; i < x->source.n; i++)
		cell(x, i, true, firefox_name(x, x->source.at[i]), "");
	firefox_constants(x, "],\"uuid\":[", "null", x->source.n);
	fprintf(x->out, "],\"length\":%zu},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
		"\"name\":[],\"functionSize\":[],\"length\":0},\n\"stringArray\":[", x->source.n);
	for (name_id i = 0; i < x->strings.n; i++) {
		struct name text = names_get(&x->strings, i);
		fputs(i ? ",\n" : "\n", x->out);
		json_string(x->out, text.at, text.len);
	}
	fputs("]}", x->out);
}

/* Writes the usual interval between two samples, in ms. */
static void
write_interval(struct firefox_writer *x)
{
	const struct shown *s = &x->shown;
	int64_t interval = 0;
	struct layout l;

	layout_init(&l);
	for (size_t i = 0; i < s->track.n && !interval; i++) {
		const struct track *t = &s->p->track[s->track.at[i]];
		for (uint32_t k = 0; k < t->n_series && !interval; k++)
			if (t->series[k]->kind == SERIES_SAMPLES && t->series[k]->n > 1 &&
			    s->p->group[t->group].axis == UNIT_NS)
				interval = layout_hold(&l, s->p, t->series[k]);
	}
	layout_release(&l);
	milliseconds(x, interval > 0 ? interval : MS, true);
}

/* Writes the modules, in the order of the resources. */
static void
write_libs(struct firefox_writer *x)
{
	static const char *const keys[] = {"name", "path", "debugName", "debugPath"};
	struct buf text = BUF_INIT;

	fputs(",\n\"libs\":[", x->out);
	for (size_t i = 0; i < x->resource.n; i++) {
		buf_reset(&text);
		shown_name(&x->shown, x->resource.at[i], &text);
		fputs(i ? ",\n{\"arch\":\"\"" : "\n{\"arch\":\"\"", x->out);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
			fprintf(x->out, ",\"%s\":", keys[k]);
			json_string(x->out, buf_str(&text), text.len);
		}
		fputs(",\"breakpadId\":\"\",\"codeId\":null}", x->out);
	}
	putc(']', x->out);
	buf_release(&text);
}

static void
write_meta(struct firefox_writer *x)
{
	struct buf title = BUF_INIT;

	fputs("{\"meta\":{\"interval\":", x->out);
	write_interval(x);
	fputs(",\"startTime\":0,\"product\":", x->out);
	shown_title(&x->shown, "", &title);
	json_string(x->out, buf_str(&title), title.len);
	buf_release(&title);
	fputs(",\"importedFrom\":\"pnav\",\"stackwalk\":1,\"processType\":0,"
	      "\"symbolicated\":true,\"version\":24,\"preprocessedProfileVersion\":60,"
	      "\"categories\":[\n"
	      "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"System\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"Intrinsic\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},\n"
	      "{\"name\":\"Idle\",\"color\":\"transparent\",\"subcategories\":[\"Other\"]}],"
	      "\"markerSchema\":[",
	      x->out);
	fputs(firefox_flow_schema, x->out);
	fputs("],\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
	      "\"threadCPUDelta\":\"ns\"}}",
	      x->out);
	write_libs(x);
	fputs(",\"pages\":[]", x->out);
}

static bool
firefox_write_file(struct firefox_writer *x, struct err *e)
{
	const struct profile *p = x->shown.p;
	uint32_t functions = p->frames.n_functions, keys = x->shown.tree->n_keys;

	x->metric_ns = shown_unit(&x->shown, 0) == UNIT_NS;
	x->frame_of = mem_zalloc((size_t)keys + 1, sizeof *x->frame_of);
	x->func_of = mem_zalloc((size_t)(keys > functions ? keys : functions) + 1,
				sizeof *x->func_of);
	x->source_of = mem_zalloc((size_t)p->names.n + 1, sizeof *x->source_of);
	x->resource_of = mem_zalloc((size_t)p->names.n + 1, sizeof *x->resource_of);
	track_ids_make(&x->ids, &x->shown);
	firefox_find_frames(x);
	firefox_find_flows(x);
	write_meta(x);
	if (!write_threads(x, e))
		return false;
	firefox_write_counters(x);
	write_shared(x);
	fputs("}\n", x->out);
	losses_warn(&x->shown, LOSES_AXIS | LOSES_CALLS | LOSES_LABELS | LOSES_METRICS |
				LOSES_VALUES | LOSES_SYSTEM | (x->loses_times ? LOSES_TIME : 0) |
				(x->loses_samples ? LOSES_SAMPLES : 0));
	if (x->large)
		encode_warn(x->shown.job, JSON_LARGE "readers in JavaScript");
	return true;
}

static bool
firefox_write(const struct encode_job *job, struct err *e)
{
	struct firefox_writer x = {.out = job->out};

	if (!shown_open(&x.shown, job, SHOWN_LINES | SHOWN_ONE | SHOWN_WHOLE, e))
		return false;
	names_init(&x.strings);
	bool good = firefox_write_file(&x, e);
	names_release(&x.strings);
	track_ids_release(&x.ids);
	shown_close(&x.shown);
	free(x.frame_of);
	free(x.func_of);
	free(x.source_of);
	free(x.resource_of);
	vec_release(&x.gathered);
	vec_release(&x.flow);
	vec_release(&x.frame);
	vec_release(&x.func);
	vec_release(&x.frame_func);
	vec_release(&x.source);
	vec_release(&x.resource);
	return good;
}

const struct encoder encoder_firefox = {
	.name = "firefox",
	.title = "Firefox Profiler's JSON: a thread a track",
	.write = firefox_write,
};
