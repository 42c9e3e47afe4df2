#include "model/fold/changes_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/wide.h"
#include "model/fold/phases.h"

/* sample_weight.h gives the variance that a row's total would have if its samples were
 * independent. Blocks show how much more the totals of real programs vary: the time of each phase
 * of a side (phases.h) is cut into equal steps, and each is counted through the same tree. Several
 * files are counted in the same way. A file or block without a function counts as 0. The mean and
 * the squared distances are kept for each key and node. When shares are compared, a block counts as
 * its residual: its total minus its part of the whole. So a pause of the program is no change.
 *
 * A phase looks much like a function that happens to run for long. So a phase must be a hundred
 * times as long as one function runs at a time within it, which also leaves enough of these
 * stretches for blocks. Work that comes again, or changes often, counts as chance; but not if it
 * changes in the same way on both sides: n works that come by chance do so once in n! cases. */

#define BLOCKS 8u
#define PHASES_MOST 3 /* loads, computes, saves */
#define PHASE_STRETCHES 100
#define WINDOW_SAMPLES 50 /* of a window in which phases are looked for */
#define WINDOWS_LEAST 8

void
changes_sum_keys(struct changes_key *key, const struct projection *t, const struct fold_numbers *x,
	 struct pace *pace)
{
	memset(key, 0, (size_t)t->n_keys * sizeof *key);
	for (struct piece at = piece_of(1, t->n); piece_next(&at, pace);)
		for (node_id i = at.from; i < at.to; i++)
			numbers_add(x, t, i, &key[t->key[i]].self, &key[t->key[i]].total);
}

/* Counts the parts of a side, runs or blocks, one after the other. */
struct counting {
	struct changes *c;
	int side;
	const struct changes_asks *asks;
	const struct fold_numbers *whole; /* of the side */
	struct slice slice;		  /* of a part */
	struct tally tally;
	struct fold_numbers part;
	struct changes_key *key, *whole_key; /* of the part, and of the side */
};

static void
counting_init(struct counting *k, struct changes *c, int side, const struct changes_asks *asks)
{
	size_t keys = (size_t)asks->tree->n_keys + 1;

	*k = (struct counting){.c = c, .side = side, .asks = asks,
			       .whole = side ? asks->base_numbers : asks->now_numbers,
			       .slice = side ? *asks->base : *asks->now};
	tally_init(&k->tally);
	k->tally.pace = asks->pace;
	k->key = mem_zalloc(keys, sizeof *k->key);
	k->whole_key = mem_zalloc(keys, sizeof *k->whole_key);
	changes_sum_keys(k->whole_key, asks->tree, k->whole, asks->pace);
	for (int of = 0; of < CHANGES_OF; of++)
		c->sums[side][of] =
			mem_zalloc((size_t)(of == CHANGE_NODE ? c->n_nodes : c->n_keys) + 1,
				   sizeof *c->sums[side][of]);
}

static void
counting_release(struct counting *k)
{
	numbers_release(&k->part);
	tally_release(&k->tally);
	free(k->key);
	free(k->whole_key);
}

static void
count_part(struct counting *k)
{
	tally_count(&k->tally, k->asks->p, &k->slice);
	numbers_make(&k->part, k->asks->tree, &k->tally,
		     k->slice.metric == k->asks->p->calls_metric, k->asks->pace);
	changes_sum_keys(k->key, k->asks->tree, &k->part, k->asks->pace);
}

/* Adds the part to the sums: each number times `by`, minus `expected` times that of the side. */
static void
changes_add_part(struct counting *k, double by, double expected)
{
	struct evidence_sums *const *sums = k->c->sums[k->side];
	const struct changes_asks *asks = k->asks;

	for (struct piece at = piece_of(0, asks->tree->n); piece_next(&at, asks->pace);)
		for (node_id i = at.from; i < at.to; i++)
			evidence_add(&sums[CHANGE_NODE][i],
				     by * ((double)k->part.total[i] -
					   expected * (double)k->whole->total[i]));
	for (struct piece at = piece_of(0, asks->tree->n_keys); piece_next(&at, asks->pace);)
		for (key_id i = at.from; i < at.to; i++) {
			evidence_add(&sums[CHANGE_SELF][i],
				     by * ((double)k->key[i].self -
					   expected * (double)k->whole_key[i].self));
			evidence_add(&sums[CHANGE_TOTAL][i],
				     by * ((double)k->key[i].total -
					   expected * (double)k->whole_key[i].total));
		}
}

/* Adds a counted file: as it is, or scaled to the same whole, `now` divided by the files. */
static void
add_file(struct counting *k)
{
	const struct changes *c = k->c;
	double has = (double)k->part.everything;

	changes_add_part(k, c->shares && has > 0 ? c->whole[0] / c->averaged[0] / has : 1, 0);
}

/* Adds a counted host.  The total of a side is the value for each second (or of the whole) times
 * the seconds of `now`: a ratio of two sums.  Its variance is that of the residuals, what a host
 * has beyond its part of the side (W. G. Cochran, Sampling Techniques, 3rd ed., 6.4).  So the
 * mean of what is added is the total of the side, as displayed. */
static void
add_host(struct counting *k, const struct side_runs *r, uint32_t host)
{
	const struct changes *c = k->c;
	double part = c->shares ? (double)k->part.everything / c->whole[k->side]
				: r->recorded[host] / r->all;

	changes_add_part(k, r->n * (k->side ? c->scale : 1), part - 1.0 / r->n);
}

void
changes_count_runs(struct changes *c, int side, const struct changes_asks *asks,
		   const struct side_runs *r)
{
	const struct profile *p = asks->p;
	uint8_t *tracks = mem_zalloc((size_t)p->n_tracks + 1, 1);
	struct counting k;

	counting_init(&k, c, side, asks);
	k.slice.tracks = tracks;
	for (uint32_t i = 0; i < r->n && !pace_gives_up(asks->pace); i++) {
		for (track_id t = 0; t < p->n_tracks; t++)
			tracks[t] = r->of[t] == i;
		count_part(&k);
		if (r->recorded)
			add_host(&k, r, i);
		else
			add_file(&k);
	}
	counting_release(&k);
	free(tracks);
	c->run_weight[side] = c->weight[side] * (side ? c->scale : 1);
	if (r->recorded)
		c->run_weight[side] *= r->n;
}

/* Returns the part of the slice's range that has events; of several files, up to the end of the
 * longest. */
static void
slice_run(const struct profile *p, const struct slice *of, int64_t *from, int64_t *to)
{
	int64_t run = 0;

	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct group *g = &p->group[p->track[t].group];
		if (of->tracks[t] && difference_clipped(g->end, g->start) > run)
			run = difference_clipped(g->end, g->start);
	}
	run = sum_clipped(run, 1); /* the last event belongs to the last block */
	*from = of->whole ? 0 : of->from;
	*to = of->whole || of->to > run ? run : of->to;
}

/* Finds the phases of a side, if windows with enough samples show them. None come again. */
static void
find_phases(struct phases *out, const struct changes *c, int side, const struct changes_asks *asks,
	    const struct slice *slice, int64_t to)
{
	double windows = c->whole[side] / c->weight[side] / WINDOW_SAMPLES;

	*out = (struct phases){0};
	if (windows >= WINDOWS_LEAST)
		phases_find(out, &(struct phases_asks){
					 .p = asks->p,
					 .tree = asks->tree,
					 .numbers = side ? asks->base_numbers : asks->now_numbers,
					 .slice = *slice,
					 .from = slice->from,
					 .to = to,
					 .windows = (unsigned)fmin(windows, PHASES_WINDOWS),
					 .stretches = PHASE_STRETCHES,
					 .idle = !c->shares,
					 .pace = asks->pace});
	if (phases_come_again(out))
		*out = (struct phases){0};
}

/* Drops phases that are too many, unless both sides have the same. */
static void
drop_phases(struct phases phases[2], bool compares)
{
	if (compares && phases_same(&phases[0], &phases[1]))
		return;
	for (int side = 0; side < 2; side++)
		if (phases[side].n + 1 > PHASES_MOST)
			phases[side] = (struct phases){0};
}

static void
next_phase(struct counting *k)
{
	for (int of = 0; of < CHANGES_OF; of++) {
		uint32_t n = of == CHANGE_NODE ? k->c->n_nodes : k->c->n_keys;
		for (struct piece at = piece_of(0, n); piece_next(&at, k->asks->pace);)
			for (uint32_t i = at.from; i < at.to; i++)
				evidence_next_phase(&k->c->sums[k->side][of][i]);
	}
}

/* Counts the blocks of a side, whose slice is a range. */
static void
count_side(struct counting *k, const struct phases *phases, int64_t from, int64_t to)
{
	const struct changes *c = k->c;
	double scale = k->side ? c->scale : 1, whole = c->whole[k->side];

	for (unsigned phase = 0; phase <= phases->n; phase++) {
		int64_t begin = phase ? phases->cut[phase - 1] : from;
		int64_t end = phase < phases->n ? phases->cut[phase] : to;
		if (phase)
			next_phase(k);
		for (unsigned i = 0; i < BLOCKS && !pace_gives_up(k->asks->pace); i++) {
			k->slice.from = wide_part_up(begin, end, BLOCKS, i);
			k->slice.to = wide_part_up(begin, end, BLOCKS, i + 1);
			count_part(k);
			changes_add_part(k, scale,
					 c->shares ? (double)k->part.everything / whole : 0);
		}
	}
}

void
changes_count_blocks(struct changes *c, const struct changes_asks *asks)
{
	struct phases phases[2] = {0};
	struct counting k[2];
	uint8_t *tracks[2];
	int64_t from[2], to[2];
	int sides = asks->base ? 2 : 1;

	for (int side = 0; side < sides; side++) {
		slice_run(asks->p, side ? asks->base : asks->now, &from[side], &to[side]);
		counting_init(&k[side], c, side, asks);
		k[side].slice.whole = false;
		k[side].slice.from = from[side];
		tracks[side] = tally_tracks(asks->p, &k[side].slice);
		k[side].slice.tracks = tracks[side];
		find_phases(&phases[side], c, side, asks, &k[side].slice, to[side]);
	}
	drop_phases(phases, sides == 2);
	for (int side = 0; side < sides; side++) {
		count_side(&k[side], &phases[side], from[side], to[side]);
		free(tracks[side]);
		counting_release(&k[side]);
	}
}
