#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "model/base/vec.h"
#include "model/profile/human.h"
#include "src/encode/json_text.h"
#include "src/encode/losses.h"
#include "src/encode/shown_times.h"

/* speedscope's own file format (its file-format-spec.ts): frames, and a profile a track. Steps
 * become open and close events, everything else samples with weights.  Without times there is one
 * profile, of sums; --with-tracks makes one for each track.
 *
 * speedscope shows one profile at a time and begins with the active one, which is the heaviest.
 * Profiles without weight come last. */

#define NO_FRAME UINT32_MAX

struct speedscope {
	struct shown shown;
	FILE *out;
	uint32_t *frame_of; /* [key] NO_FRAME: not in the tree */
	const char *separator;
	struct buf path; /* of the previous node, as written */
	node_id path_of;
	int64_t start;      /* of the range */
	int64_t end;        /* of the profile, from there */
	int64_t weighed;
	int column;
	bool weights;        /* whether weights or stacks are written */
	VEC(track_id) track; /* in the order of writing */
	size_t heaviest;     /* of them */
	bool negative, large;
	bool loses_calls; /* of a track without open and close events */
	bool loses_times; /* readers begin a sample where the one before ends: another time */
};

static void
text_member(struct speedscope *x, const char *key, name_id id)
{
	struct buf text = BUF_INIT;

	shown_name(&x->shown, id, &text);
	fprintf(x->out, "\"%s\":", key);
	json_string(x->out, buf_str(&text), text.len);
	buf_release(&text);
}

static void
separate(struct speedscope *x)
{
	fputs(x->separator, x->out);
	x->separator = ",";
}

/* Writes a value, perhaps with decimals. */
static void
value(struct speedscope *x, int64_t v)
{
	unsigned decimals = x->shown.p->metric[x->shown.metric.at[0]].decimals;
	struct buf text = BUF_INIT;

	x->large |= json_is_large(v);
	if (!decimals) {
		json_whole(x->out, v);
		return;
	}
	human_plain(&text, v, decimals);
	fputs(buf_str(&text), x->out);
	buf_release(&text);
}

static void
speedscope_number(struct speedscope *x, int64_t v)
{
	x->large |= json_is_large(v);
	json_whole(x->out, v);
}

ORDERED_BY_TWO(compare_frames, struct shown_frame, name, file)

/* Warns if functions that begin at different lines have one name and file: readers take frames
 * with the same name and file for one. */
static void
warn_merged(const struct speedscope *x, uint32_t n)
{
	VEC(struct shown_frame) all = VEC_INIT;
	uint32_t merged = 0;

	for (key_id k = 0; k < x->shown.tree->n_keys; k++)
		if (x->frame_of[k] != NO_FRAME)
			*vec_push(&all) = shown_frame(&x->shown, k);
	if (n)
		qsort(all.at, all.n, sizeof *all.at, compare_frames);
	for (size_t i = 1; i < all.n; i++)
		merged += !compare_frames(&all.at[i - 1], &all.at[i]) &&
			  all.at[i].defined != all.at[i - 1].defined &&
			  all.at[i].line == all.at[i - 1].line;
	if (merged)
		encode_warn(x->shown.job, "lines of definitions are left out: functions of one "
					  "name and file become one");
	vec_release(&all);
}

static void
speedscope_write_frames(struct speedscope *x)
{
	const struct projection *t = x->shown.tree;
	uint32_t n = 0;

	x->frame_of = mem_alloc((size_t)t->n_keys + 1, sizeof *x->frame_of);
	memset(x->frame_of, 0xff, ((size_t)t->n_keys + 1) * sizeof *x->frame_of);
	x->separator = "\n";
	for (node_id v = 1; v < t->n; v++) {
		if (x->frame_of[t->key[v]] != NO_FRAME)
			continue;
		x->frame_of[t->key[v]] = n++;
		struct shown_frame f = shown_frame(&x->shown, t->key[v]);
		separate(x);
		putc('{', x->out);
		text_member(x, "name", f.name);
		if (f.file != NAME_EMPTY) {
			putc(',', x->out);
			text_member(x, "file", f.file);
		}
		if (f.line) /* with --by line; else it could be the definition's */
			fprintf(x->out, ",\"line\":%u", f.line);
		fputs("}\n", x->out);
	}
	warn_merged(x, n);
}

/* Writes the frames of a node from the root: `[1,2,3]`. */
static void
speedscope_write_path(struct speedscope *x, node_id node)
{
	const struct projection *t = x->shown.tree;
	VEC(uint32_t) path = VEC_INIT;

	if (node != x->path_of) {
		for (node_id v = node; v != NODE_ROOT; v = t->parent[v])
			*vec_push(&path) = x->frame_of[t->key[v]];
		buf_reset(&x->path);
		buf_addc(&x->path, '[');
		for (size_t i = path.n; i-- > 0;)
			buf_addf(&x->path, "%u%s", path.at[i], i ? "," : "");
		buf_addc(&x->path, ']');
		x->path_of = node;
		vec_release(&path);
	}
	separate(x);
	fwrite(x->path.at, 1, x->path.len, x->out);
}

/* Writes one element of `samples` or of `weights`. */
static void
write_weighed(struct speedscope *x, node_id node, int64_t weight)
{
	if (weight < 0) {
		x->negative = true;
		return;
	}
	if (!x->weights) {
		speedscope_write_path(x, node);
		return;
	}
	separate(x);
	value(x, weight);
	x->weighed += weight;
}

/* ---- profiles ---- */

static void
speedscope_profile_begin(struct speedscope *x, const char *type, const char *unit, track_id t)
{
	fprintf(x->out, "{\"type\":\"%s\",", type);
	if (t != TRACK_NONE)
		text_member(x, "name", x->shown.p->track[t].name);
	else
		fputs("\"name\":\"\"", x->out);
	fprintf(x->out, ",\"unit\":\"%s\",\"startValue\":0", unit);
	x->end = x->weighed = 0;
	x->separator = "\n";
}

static void
write_edge(struct speedscope *x, char type, node_id node, int64_t time)
{
	time -= x->start;
	separate(x);
	fprintf(x->out, "{\"type\":\"%c\",\"at\":", type);
	speedscope_number(x, time);
	fprintf(x->out, ",\"frame\":%u}\n", x->frame_of[x->shown.tree->key[node]]);
	x->end = time > x->end ? time : x->end;
}

static void
speedscope_entered(void *ctx, const struct shown_entry *entry)
{
	write_edge(ctx, 'O', entry->node, entry->time);
}

static void
speedscope_left(void *ctx, node_id node, int64_t time)
{
	write_edge(ctx, 'C', node, time);
}

static const char *
value_unit(const struct speedscope *x)
{
	switch (shown_unit(&x->shown, x->shown.main)) {
	case UNIT_NS:
		return "nanoseconds";
	case UNIT_BYTES:
		return "bytes";
	case UNIT_SAMPLES:
	case UNIT_OPS:
	case UNIT_CALLS:
	case UNIT_ENTRIES:
	case UNIT_COUNT:
		break;
	}
	return "none";
}

static unsigned
write_evented(struct speedscope *x, track_id t, const struct series *series)
{
	struct shown_slices emit = {speedscope_entered, speedscope_left, x};

	speedscope_profile_begin(x, "evented", value_unit(x), t);
	fputs(",\"events\":[", x->out);
	unsigned replayed = shown_replay(&x->shown, series, &emit);
	fputs("],\"endValue\":", x->out);
	speedscope_number(x, x->end);
	putc('}', x->out);
	return replayed;
}

static void
speedscope_sampled(void *ctx, const struct shown_sample *e)
{
	struct speedscope *x = ctx;

	x->loses_times |= x->weights && e->time - x->start != x->weighed;
	write_weighed(x, e->node, x->column < 0 ? 1 : e->value[x->column]);
}

/* Writes the nodes of the loaded sums. */
static void
summed(struct speedscope *x)
{
	const struct shown *s = &x->shown;

	for (uint32_t i = 0; i < shown_nodes(s); i++) {
		node_id v = shown_node(s, i);
		if (shown_has_self(s, v))
			write_weighed(x, v, shown_self(s, v)[0]);
	}
}

/* Writes a series in time, or with NULL the loaded sums. */
static void
write_sampled(struct speedscope *x, track_id t, const struct series *series)
{
	x->loses_calls |= t == TRACK_NONE || shown_has_calls(&x->shown, t, UINT_MAX);
	speedscope_profile_begin(x, "sampled", value_unit(x), t);
	x->column = series ? series_metric(series, x->shown.metric.at[0]) : -1;
	for (int i = 0; i < 2; i++) {
		x->weights = i;
		x->separator = "\n";
		fputs(i ? "],\"weights\":[" : ",\"samples\":[", x->out);
		if (series)
			shown_samples(&x->shown, series, speedscope_sampled, x);
		else
			summed(x);
	}
	fputs("],\"endValue\":", x->out);
	value(x, x->weighed);
	putc('}', x->out);
}

/* Returns the only series of a track that has the metric in time; NULL if none or several have
 * it. */
static const struct series *
timed_series(struct speedscope *x, track_id t)
{
	const struct track *track = &x->shown.p->track[t];
	const struct series *found = NULL;
	bool one = true, timed = false;

	for (uint32_t i = 0; i < track->n_series; i++) {
		const struct series *s = track->series[i];
		int column = series_metric(s, x->shown.metric.at[0]);
		if (s->kind == SERIES_POINTS || !s->n || column < 0)
			continue;
		timed |= s->kind != SERIES_TOTALS;
		one &= !found && s->kind != SERIES_TOTALS &&
		       (s->kind != SERIES_STEPS || s->role[column] == ROLE_TIME);
		found = s;
	}
	x->loses_times |= timed && !one;
	return one ? found : NULL;
}

static bool
speedscope_write_track(struct speedscope *x, track_id t, unsigned *replayed, struct err *e)
{
	const struct series *series = timed_series(x, t);

	fputs(x->track.at[0] == t ? "\n" : ",\n", x->out);
	if (series && series->kind == SERIES_STEPS)
		*replayed |= write_evented(x, t, series);
	else if (series)
		write_sampled(x, t, series);
	else if (!shown_load(&x->shown, t, e))
		return false;
	else
		write_sampled(x, t, NULL);
	return true;
}

/* True if the sums of all tracks form one profile. */
static bool
is_one(const struct speedscope *x)
{
	return !x->shown.has_time && !encode_option(x->shown.job, "with-tracks");
}

/* Computes the weight of a track in the lens's metric; returns false with *e. */
static bool
speedscope_weigh(struct speedscope *x, track_id t, int64_t *weight, struct err *e)
{
	const struct shown *s = &x->shown;

	*weight = 0;
	if (!shown_load(&x->shown, t, e))
		return false;
	for (uint32_t i = 0; i < shown_nodes(s); i++) {
		int64_t self = shown_self(s, shown_node(s, i))[0];
		*weight += self > 0 ? self : 0;
	}
	return true;
}

/* Sorts the tracks into the order of writing. */
static bool
order_tracks(struct speedscope *x, struct err *e)
{
	const struct shown *s = &x->shown;
	VEC(track_id) weightless = VEC_INIT;
	int64_t weight, most = 0;
	bool good = true;

	for (size_t i = 0; i < s->track.n && good; i++) {
		good = speedscope_weigh(x, s->track.at[i], &weight, e);
		if (good && !weight) {
			*vec_push(&weightless) = s->track.at[i];
			continue;
		}
		if (weight > most) {
			most = weight;
			x->heaviest = x->track.n;
		}
		*vec_push(&x->track) = s->track.at[i];
	}
	for (size_t i = 0; i < weightless.n; i++)
		*vec_push(&x->track) = weightless.at[i];
	vec_release(&weightless);
	return good;
}

static bool
write_profiles(struct speedscope *x, struct err *e)
{
	struct shown *s = &x->shown;
	unsigned replayed = 0;

	if (is_one(x)) {
		if (!shown_load(s, TRACK_NONE, e))
			return false;
		write_sampled(x, s->track.n == 1 ? s->track.at[0] : TRACK_NONE, NULL);
		return true;
	}
	if (!order_tracks(x, e))
		return false;
	for (size_t i = 0; i < x->track.n; i++)
		if (!speedscope_write_track(x, x->track.at[i], &replayed, e))
			return false;
	shown_replay_warn(s, replayed);
	return true;
}

static bool
speedscope_write_file(struct speedscope *x, struct err *e)
{
	const struct encode_job *job = x->shown.job;
	struct buf title = BUF_INIT;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"pnav@" PACKAGE_VERSION "\",\"name\":", x->out);
	shown_title(&x->shown, "", &title);
	json_string(x->out, buf_str(&title), title.len);
	buf_release(&title);
	fputs(",\n\"shared\":{\"frames\":[", x->out);
	speedscope_write_frames(x);
	fputs("]},\n\"profiles\":[", x->out);
	if (!write_profiles(x, e))
		return false;
	fprintf(x->out, "],\n\"activeProfileIndex\":%zu}\n", x->heaviest);
	losses_warn(&x->shown, LOSES_AXIS | LOSES_NO_TIME | LOSES_KINDS | LOSES_MODULES |
				       LOSES_DEFINED | LOSES_RAN | LOSES_LABELS | LOSES_POINTS |
				       LOSES_FLOWS | LOSES_SAMPLES | LOSES_METRICS |
				       LOSES_VALUES | LOSES_SYSTEM |
				       (x->loses_times ? LOSES_TIME : 0) |
				       (x->loses_calls ? LOSES_CALLS : 0) |
				       (is_one(x) ? LOSES_TRACKS : 0));
	if (x->negative)
		encode_warn(job, "weights below zero are left out");
	if (x->large)
		encode_warn(job, JSON_LARGE "readers in JavaScript");
	return true;
}

static bool
speedscope_write(const struct encode_job *job, struct err *e)
{
	struct speedscope x = {.out = job->out, .path_of = NODE_NONE};

	if (!shown_open(&x.shown, job, SHOWN_ONE, e))
		return false;
	x.start = x.shown.fold->whole ? 0 : x.shown.fold->from;
	bool good = speedscope_write_file(&x, e);
	shown_close(&x.shown);
	free(x.frame_of);
	vec_release(&x.track);
	buf_release(&x.path);
	return good;
}

static const struct option_row speedscope_options[] = {
	{"with-tracks", .help = "speedscope: a profile a track, though nothing has time"},
	{0},
};

const struct encoder encoder_speedscope = {
	.name = "speedscope",
	.endings = ".speedscope.json",
	.title = "speedscope's JSON: a profile a track",
	.options = speedscope_options,
	.write = speedscope_write,
};
