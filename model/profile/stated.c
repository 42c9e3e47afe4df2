#include "model/profile/stated.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Blocks are few (tracks times metrics), rows as many as functions. Both are in the order in
 * which the decoder appends them, so a block is a contiguous range of rows. */

void
stated_release(struct stated *g)
{
	free(g->block);
	free(g->row);
	*g = (struct stated){0};
}

struct stated
stated_copy(const struct stated *g)
{
	struct stated out = *g;

	out.block = mem_copy(g->block, g->n_blocks, sizeof *g->block);
	out.row = mem_copy(g->row, g->n_rows, sizeof *g->row);
	out.blocks_cap = g->n_blocks;
	out.rows_cap = g->n_rows;
	return out;
}

void
stated_begin(struct stated *g, track_id track, metric_id metric, bool estimated)
{
	vec_room(g->block, g->blocks_cap, g->n_blocks + 1);
	g->block[g->n_blocks++] = (struct stated_block){
		.track = track, .metric = metric, .estimated = estimated, .first = g->n_rows};
}

void
stated_add(struct stated *g, function_id function, int64_t total)
{
	vec_room(g->row, g->rows_cap, g->n_rows + 1);
	g->row[g->n_rows++] = (struct stated_row){function, total};
	g->block[g->n_blocks - 1].n++;
}

void
stated_drop_from(struct stated *g, track_id first)
{
	while (g->n_blocks && g->block[g->n_blocks - 1].track >= first)
		g->n_rows = g->block[--g->n_blocks].first;
}

bool
stated_estimated(const struct stated *g, const uint8_t *tracks)
{
	for (uint32_t i = 0; i < g->n_blocks; i++)
		if (g->block[i].estimated && (!tracks || tracks[g->block[i].track]))
			return true;
	return false;
}
