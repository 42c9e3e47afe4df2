/* chrono.c - see chrono.h.
 *
 * Every series of stacks is asked for its columns, and a column goes to the one that fills
 * it most; so a single thread is drawn as it ran, and many as what kept the machine busy.
 * Drawing them one under the other is the timeline's business.
 *
 * Neighbouring columns of one box are joined when the frame goes on: within a series that
 * is what layout says (a second call of the same function is another box); from one series
 * to another it is enough that the stacks are equal down to there.
 *
 * The frames of each column below the zoomed one are written down once, so that a row costs
 * its columns; deeper than CHRONO_ROWS_MAX nothing is drawn. */
#include "ui/part/chrono.h"

#include <stdlib.h>
#include <string.h>

#include "model/lens.h"
#include "model/mem.h"
#include "ui/part/chains.h"
#include "ui/part/show.h"

void
chrono_init(struct chrono *c)
{
	*c = (struct chrono){0};
	layout_init(&c->layout);
}

void
chrono_release(struct chrono *c)
{
	layout_release(&c->layout);
	free(c->node);
	free(c->keep);
	free(c->path);
	vec_release(&c->way);
	*c = (struct chrono){0};
}

static bool
is_drawn(const struct scene *s, track_id t, const struct series *r)
{
	if (r->kind != SERIES_STEPS && r->kind != SERIES_SAMPLES)
		return false;
	if (s->fold->only_track != TRACK_NONE && s->fold->only_track != t)
		return false;
	return r->sorted && r->n && lens_has_track(s->lens, s->p, t);
}

/* Fills node and keep: each column from the series that fills it most. */
static void
choose_columns(struct chrono *c, const struct scene *s)
{
	struct layout_column *col = mem_alloc(c->n, sizeof *col);
	uint8_t *share = mem_zalloc(c->n, 1);
	uint32_t *of = mem_zalloc(c->n, sizeof *of); /* the number of the series */
	uint32_t number = 0;
	int64_t from, to;
	show_range(s, &from, &to);
	for (track_id t = 0; t < s->p->n_tracks; t++) {
		const struct track *track = &s->p->track[t];
		int64_t start = s->p->group[track->group].start;
		bool drawn = false;
		for (uint32_t i = 0; i < track->n_series; i++) {
			const struct series *r = track->series[i];
			if (!is_drawn(s, t, r))
				continue;
			drawn = true;
			number++;
			const struct layout_lane lane = {r, layout_hold(r), NULL, 0};
			layout_columns(&c->layout, &lane, start + from, start + to, c->n, col);
			for (unsigned k = 0; k < c->n; k++) {
				if (col[k].node == NODE_NONE || col[k].share <= share[k])
					continue;
				share[k] = col[k].share;
				of[k] = number;
				c->node[k] = col[k].node;
				c->keep[k] = col[k].keep;
			}
		}
		c->tracks += drawn;
		c->track = drawn ? t : c->track;
	}
	for (unsigned k = 0; k < c->n; k++)
		if (!k || c->node[k] == NODE_NONE || c->node[k - 1] == NODE_NONE)
			c->keep[k] = 0;
		else if (of[k] != of[k - 1])
			c->keep[k] = layout_common(&c->layout, c->node[k - 1], c->node[k]);
	free(col);
	free(share);
	free(of);
}

/* Writes down the frames of a column, those of links left out. */
static void
write_path(struct chrono *c, const struct scene *s, unsigned k)
{
	const node_id *parent = s->fold->tree->parent;
	node_id zoom = chain_end(s, s->nav->zoom), n = c->node[k];
	size_t begin = c->way.n;
	if (n == NODE_NONE || !nav_is_above(s->fold, zoom, n))
		return;
	unsigned depth = c->layout.depth[n] - c->layout.depth[zoom];
	for (; depth > CHRONO_ROWS_MAX; depth--)
		n = parent[n];
	for (; n != zoom; n = parent[n])
		if (n == c->node[k] || !chain_is_link(s, n))
			*vec_push(&c->way) = n;
	for (size_t i = begin, j = c->way.n; i < j; i++) {
		node_id swap = c->way.at[--j];
		c->way.at[j] = c->way.at[i];
		c->way.at[i] = swap;
	}
}

bool
chrono_look(struct chrono *c, const struct scene *s, unsigned cols)
{
	c->n = cols;
	c->tracks = 0;
	c->track = TRACK_NONE;
	c->way.n = 0;
	c->node = mem_realloc(c->node, cols, sizeof *c->node);
	c->keep = mem_realloc(c->keep, cols, sizeof *c->keep);
	c->path = mem_realloc(c->path, (size_t)cols + 1, sizeof *c->path);
	memset(c->keep, 0, cols * sizeof *c->keep);
	for (unsigned k = 0; k < cols; k++)
		c->node[k] = NODE_NONE;
	if (show_duration(s->p) <= 0)
		return false;
	layout_look(&c->layout, s->p, s->fold->tree);
	choose_columns(c, s);
	for (unsigned k = 0; k < cols; k++) {
		c->path[k] = c->way.n;
		if (k && c->node[k] == c->node[k - 1])
			for (size_t i = c->path[k - 1], end = c->path[k]; i < end; i++) {
				node_id same = c->way.at[i];
				*vec_push(&c->way) = same;
			}
		else
			write_path(c, s, k);
	}
	c->path[cols] = c->way.n;
	return c->tracks > 0;
}

static node_id
frame_at(const struct chrono *c, unsigned k, unsigned row)
{
	return c->path[k] + row < c->path[k + 1] ? c->way.at[c->path[k] + row] : NODE_NONE;
}

bool
chrono_box(const struct chrono *c, const struct scene *s, unsigned row, int *x,
	   struct chrono_box *out)
{
	unsigned k = (unsigned)*x, end;
	while (k < c->n && frame_at(c, k, row) == NODE_NONE)
		k++;
	if (k == c->n)
		return false;
	node_id n = frame_at(c, k, row);
	for (end = k + 1; end < c->n && frame_at(c, end, row) == n &&
			  c->keep[end] >= c->layout.depth[n];)
		end++;
	*out = (struct chrono_box){chain_head(s, n), n, (int)k, (int)(end - k)};
	*x = (int)end;
	return true;
}
