#include "src/encode/encoder.h"

#include <ctype.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/profile/human.h"
#include "src/encode/losses.h"

/* Folded stacks: `frame;frame;... COUNT`, root first, for every node with a self value.  A
 * comparison has two counts a line, old and new, as difffolded.pl writes them.  Control
 * characters are removed from names, so a stack stays on one line, and a `;` in a name becomes `:`.
 * One buffer holds the path of the current node; it is truncated on the way up.
 *
 * Functions with one name in two files are two nodes with the same text, and must share a line. So
 * lines are collected by text and written after the walk. */

#define BOM "\xEF\xBB\xBF"
#define NAME_NONE UINT32_MAX
#define MILLION 1000000
#define DECIMALS 6

struct folded_counts {
	int64_t base, now;
};

struct folded_lines {
	struct names text; /* line 0 is that of one frame without a name */
	VEC(struct folded_counts) value; /* as recorded */
	double by, base_by;		 /* the factors of the values that are written */
	unsigned decimals;
	bool compares; /* lines have both counts */
	bool joined;   /* a `;` was replaced */
};

/* Adds a line's value, or its value in the base. */
static void
lines_add(struct folded_lines *l, const struct buf *path, int64_t value, bool base)
{
	name_id id = names_put(&l->text, buf_str(path), path->len);

	while (l->value.n <= id)
		*vec_push(&l->value) = (struct folded_counts){0};
	*(base ? &l->value.at[id].base : &l->value.at[id].now) += value;
}

static bool
lines_have(const struct folded_lines *l, name_id id)
{
	return l->value.at[id].base || l->value.at[id].now;
}

/* True if the text ends in a blank and a number.  The count would be a second number, and a file in
 * which all lines have two is read as a comparison. */
static bool
ends_in_number(struct name text)
{
	size_t end = text.len, first, i;

	while (end && is_blank(text.at[end - 1]))
		end--;
	for (first = end; first && !is_blank(text.at[first - 1]); first--)
		;
	i = first + (first < end && text.at[first] == '-');
	if (!first || i == end || !isdigit((unsigned char)text.at[i]))
		return false;
	while (i < end && isdigit((unsigned char)text.at[i]))
		i++;
	if (i < end && text.at[i++] != '.')
		return false;
	for (size_t point = i; i < end; i++)
		if (!isdigit((unsigned char)text.at[i]) || point == end)
			return false;
	return true;
}

/* True if the text distinguishes the format from a column of numbers. */
static bool
has_letters(struct name text)
{
	for (size_t i = 0; i < text.len; i++)
		if (isalpha((unsigned char)text.at[i]) || text.at[i] == ';' ||
		    (unsigned char)text.at[i] >= 0x80)
			return true;
	return false;
}

static void
line_write(const struct folded_lines *l, name_id id, FILE *out)
{
	struct name text = names_get(&l->text, id);
	struct buf value = BUF_INIT;

	if (l->compares) {
		human_plain(&value, numbers_scaled(l->value.at[id].base, l->base_by),
			    l->decimals);
		buf_addc(&value, ' ');
	}
	human_plain(&value, numbers_scaled(l->value.at[id].now, l->by), l->decimals);
	fwrite(text.at, 1, text.len, out);
	fprintf(out, " %s\n", buf_str(&value));
	buf_release(&value);
}

/* Readers decide by the first lines, so a line that does not end in two numbers comes first, unless
 * all lines have two counts. */
static void
lines_write(const struct folded_lines *l, const struct encode_job *job)
{
	name_id first = NAME_NONE, single = NAME_NONE;
	bool letters = false;

	for (name_id id = 0; id < l->value.n; id++) {
		struct name text = names_get(&l->text, id);
		if (!lines_have(l, id))
			continue;
		first = first == NAME_NONE ? id : first;
		if (single == NAME_NONE && (l->compares || !ends_in_number(text)))
			single = id;
		letters |= has_letters(text);
	}
	if (first == NAME_NONE)
		return;
	if (single == NAME_NONE)
		encode_warn(
			job,
			"every stack ends in a number: read again, the file looks like a "
			"comparison of two counts");
	else if (!letters)
		encode_warn(job, "no name has a letter: --input folded reads it again");
	single = single == NAME_NONE ? first : single;
	struct name text = names_get(&l->text, single);
	if (text.len >= 3 && !memcmp(text.at, BOM, 3))
		fputs(BOM, job->out); /* readers then keep the name's own mark */
	line_write(l, single, job->out);
	for (name_id id = 0; id < l->value.n; id++)
		if (id != single && lines_have(l, id))
			line_write(l, id, job->out);
}

static void
lines_release(struct folded_lines *l)
{
	names_release(&l->text);
	vec_release(&l->value);
}

/* A `;` would split the name. */
static void
join_semicolons(struct folded_lines *l, struct buf *path, size_t start)
{
	for (size_t i = start; i < path->len; i++)
		if (path->at[i] == ';') {
			path->at[i] = ':';
			l->joined = true;
		}
}

static void
folded_add_frame(struct folded_lines *l, struct buf *path, const struct projection *t,
		 const struct profile *p, key_id key, bool first)
{
	size_t start;

	if (!first)
		buf_addc(path, ';');
	start = path->len;
	profile_write_name(p, projection_key_name(t, p, key), path);
	struct line line = projection_key_line(t, p, key);
	if (line.form != LINE_UNKNOWN) {
		buf_addc(path, ':');
		human_line(path, line);
	}
	join_semicolons(l, path, start);
}

static void
folded_cut(struct buf *path, size_t len)
{
	path->len = len;
	if (path->at)
		path->at[len] = '\0';
}

static void
add_tree(struct folded_lines *lines, const struct profile *p, const struct projection *t,
	 const int64_t *self, bool base, bool with_tracks, struct buf *path)
{
	/* lengths of the path before each open node */
	VEC(size_t) before = VEC_INIT;

	for (struct walk w = walk_begin(); walk_on(t, &w);) {
		if (!w.enters) {
			folded_cut(path, before.at[--before.n]);
			continue;
		}
		*vec_push(&before) = path->len;
		folded_add_frame(lines, path, t, p, t->key[w.node],
				 t->parent[w.node] == NODE_ROOT && !with_tracks);
		if (self[w.node])
			lines_add(lines, path, self[w.node], base);
	}
	vec_release(&before);
}

static void
warn_losses(const struct encode_job *job, struct fold *f, bool with_tracks)
{
	struct encode_job of = *job;
	struct shown s;
	struct err e;

	err_init(&e);
	of.fold = f;
	if (!shown_open(&s, &of, SHOWN_ONE | SHOWN_DIFF, &e))
		return;
	losses_warn(&s, LOSES_TIME | LOSES_CALLS | LOSES_MODULES | LOSES_LINES | LOSES_LABELS |
				LOSES_POINTS | LOSES_FLOWS | LOSES_SAMPLES | LOSES_METRICS |
				LOSES_SYSTEM | (with_tracks ? 0 : LOSES_TRACKS));
	shown_close(&s);
}

/* Writes the name of a track. In a comparison, a thread of both files has one name. */
static void
write_track(const struct folded_lines *lines, const struct profile *p, track_id t, struct buf *path)
{
	const struct track *track = &p->track[t];
	struct name own = profile_own_name(p, track->group, track->name);

	if (!lines->compares)
		profile_write_name(p, track->name, path);
	else if (own.len)
		escape_bytes(path, own.at, own.len, p->charset == CHARSET_CP437);
	else
		buf_adds(path, "main");
}

static void
add_tracks(struct folded_lines *lines, const struct profile *p, const struct fold *f,
	   struct buf *path)
{
	struct single single;

	single_init(&single, p, f);
	for (track_id t = 0; t < p->n_tracks; t++) {
		if (!p->track[t].n_series || p->track[t].series[0]->kind == SERIES_POINTS ||
		    !f->chosen[t])
			continue;
		single_track(&single, t);
		single_count(&single, f->metric);
		buf_reset(path);
		write_track(lines, p, t, path);
		join_semicolons(lines, path, 0);
		add_tree(lines, p, &single.tree, single.self,
			 lines->compares && profile_is_base(p, t), true, path);
	}
	single_release(&single);
}

/* Sets the factors. A sample of one of three files is a third of a count, and there may be hundreds
 * of such stacks: counts that are averages have decimals. */
static void
scale_lines(struct folded_lines *l, const struct profile *p, const struct fold *f,
	    bool with_tracks)
{
	const struct metric *m = &p->metric[f->metric];
	bool counts = m->unit != UNIT_NS && m->unit != UNIT_BYTES && !m->decimals;
	int64_t most = f->now.everything > f->base.everything ? f->now.everything
							      : f->base.everything;

	l->by = with_tracks && !l->compares ? 1 : f->now.by;
	l->base_by = l->compares ? f->base.by : 1;
	l->decimals = m->decimals;
	if (!counts || (l->by == 1 && l->base_by == 1) || most > INT64_MAX / MILLION)
		return;
	l->decimals = DECIMALS;
	l->by *= MILLION;
	l->base_by *= MILLION;
}

static bool
folded_write(const struct encode_job *job, struct err *e)
{
	const struct profile *p = job->profile;
	bool with_tracks = encode_option(job, "with-tracks");
	struct fold *f = fold_beside(job->fold, p, job->lens);
	struct buf path = BUF_INIT;
	struct folded_lines lines = {0};

	names_init(&lines.text);
	bool good = fold_update(f, p, job->lens, NULL, e);
	lines.compares = good && f->compares;
	if (good && with_tracks)
		add_tracks(&lines, p, f, &path);
	else if (good)
		add_tree(&lines, p, f->tree, f->now.recorded.self, false, false, &path);
	if (good && lines.compares && !with_tracks) {
		buf_reset(&path);
		add_tree(&lines, p, f->tree, f->base.recorded.self, true, false, &path);
	}
	if (good && p->n_metrics)
		scale_lines(&lines, p, f, with_tracks);
	if (good && p->n_metrics)
		lines_write(&lines, job);
	if (good && lines.joined)
		encode_warn(job, "`;` separates frames: in names it becomes `:`");
	if (good)
		warn_losses(job, f, with_tracks);
	lines_release(&lines);
	buf_release(&path);
	fold_free(f);
	return good;
}

static const struct option_row folded_options[] = {
	{"with-tracks", .help = "folded: the track in front of each stack"},
	{0},
};

const struct encoder encoder_folded = {
	.name = "folded",
	.endings = ".folded",
	.title = "one stack per line, then its value",
	.options = folded_options,
	.write = folded_write,
};
