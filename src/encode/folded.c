#include "src/encode/encoder.h"

#include "model/human.h"
#include "model/mem.h"

/* Folded stacks: `frame;frame;... COUNT`, root first, for every node that has a value of
 * its own.  Names are written without control characters, so that a line stays a line; a `;` in a name
 * becomes `:`.  The path of a node is kept in one buffer while the tree is walked, cut back
 * on the way up.
 *
 * Functions of one name in two files are two nodes and one text.  Their lines are one line,
 * so lines are collected by text and written when the tree has been walked. */

struct lines {
	struct names text; /* line 0 is the empty one, never used */
	VEC(int64_t) value;
};

static void
lines_add(struct lines *l, const struct buf *path, int64_t value)
{
	name_id id = names_put(&l->text, buf_str(path), path->len);

	while (l->value.n <= id)
		*vec_push(&l->value) = 0;
	l->value.at[id] += value;
}

static void
lines_write(struct lines *l, FILE *out, unsigned decimals)
{
	struct buf value = BUF_INIT;

	for (name_id id = 0; id < l->value.n; id++) {
		struct name text = names_get(&l->text, id);
		if (!l->value.at[id])
			continue;
		buf_reset(&value);
		human_plain(&value, l->value.at[id], decimals);
		fwrite(text.at, 1, text.len, out);
		fprintf(out, " %s\n", buf_str(&value));
	}
	buf_release(&value);
	names_release(&l->text);
	vec_release(&l->value);
}

static void
add_frame(struct buf *path, const struct fold *f, const struct profile *p, key_id key)
{
	size_t start;

	if (path->len)
		buf_addc(path, ';');
	start = path->len;
	profile_write_name(p, projection_key_name(f->tree, p, key), path);
	struct line line = projection_key_line(f->tree, p, key);
	if (line.form != LINE_UNKNOWN) {
		buf_addc(path, ':');
		human_line(path, line);
	}
	for (size_t i = start; i < path->len; i++)
		if (path->at[i] == ';')
			path->at[i] = ':';
}

static void
cut(struct buf *path, size_t len)
{
	path->len = len;
	if (path->at)
		path->at[len] = '\0';
}

static void
write_tree(const struct encode_job *job, const struct fold *f, struct buf *path)
{
	const struct projection *t = f->tree;
	const struct profile *p = job->profile;
	struct lines lines = {0};
	/* what the path was before each open node was added */
	VEC(size_t) before = VEC_INIT;
	node_id i = t->first_child[NODE_ROOT];

	names_init(&lines.text);
	while (i != NODE_NONE && i != NODE_ROOT) {
		*vec_push(&before) = path->len;
		add_frame(path, f, p, t->key[i]);
		if (f->now.self[i])
			lines_add(&lines, path, f->now.self[i]);
		if (t->first_child[i] != NODE_NONE) {
			i = t->first_child[i];
			continue;
		}
		while (i != NODE_ROOT) {
			cut(path, before.at[--before.n]);
			if (t->next_sibling[i] != NODE_NONE) {
				i = t->next_sibling[i];
				break;
			}
			i = t->parent[i];
		}
	}
	lines_write(&lines, job->out, p->metric[f->metric].decimals);
	vec_release(&before);
}

static bool
folded_write(const struct encode_job *job, struct err *e)
{
	const struct profile *p = job->profile;
	struct fold *f = fold_new();
	struct buf path = BUF_INIT;
	bool good = true;

	if (!job->with_tracks) {
		good = fold_update(f, p, job->lens, NULL, e);
		if (good)
			write_tree(job, f, &path);
	}
	for (track_id t = 0; good && job->with_tracks && t < p->n_tracks; t++) {
		if (!p->track[t].n_series || p->track[t].series[0]->kind == SERIES_POINTS)
			continue;
		f->only_track = t;
		good = fold_update(f, p, job->lens, NULL, e);
		buf_reset(&path);
		profile_write_name(p, p->track[t].name, &path);
		for (size_t i = 0; i < path.len; i++)
			if (path.at[i] == ';')
				path.at[i] = ':';
		if (good)
			write_tree(job, f, &path);
	}
	buf_release(&path);
	fold_free(f);
	return good;
}

const struct encoder encoder_folded = {
	.name = "folded",
	.title = "one stack a line, then its value",
	.write = folded_write,
};
