/* Tracks: hosts, threads, the values of a label, as the address asks for them; one for all where
 * the totals of each alone would be too many rows. */
#include "src/store/read_inside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/input/hash.h"

#define STEPS_SURE 4 /* so many fit, whatever happens in them */

void
reader_keys(struct reader *r, struct rowbin *a)
{
	for (unsigned i = 0; i < question_keys(&r->q); i++)
		rowbin_text(a, &r->key[i]);
}

static uint64_t
hash_keys(const struct reader *r)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < question_keys(&r->q); i++) {
		uint64_t both[2] = {hash, hash64(buf_str(&r->key[i]), r->key[i].len)};
		hash = hash64(both, sizeof both);
	}
	return hash;
}

/* What a track is called, in r->text. */
static void
name_track(struct reader *r)
{
	buf_reset(&r->text);
	switch (r->q.tracks) {
	case STORE_BY_HOST:
		buf_add(&r->text, buf_str(&r->key[0]), r->key[0].len);
		if (!r->text.len)
			buf_adds(&r->text, "[no host]");
		return;
	case STORE_BY_THREAD:
		buf_addf(&r->text, "%s: %s", buf_str(&r->key[0]), buf_str(&r->key[2]));
		return;
	case STORE_BY_LABEL:
		buf_add(&r->text, buf_str(&r->key[0]), r->key[0].len);
		if (!r->text.len)
			buf_addf(&r->text, "[no %s]", r->url.label);
		return;
	case STORE_BY_NOTHING:
		buf_adds(&r->text, r->url.service ? r->url.service : "all");
		return;
	}
}

static void
add_track(struct reader *r)
{
	unsigned metrics = r->calls ? 2 : 1;
	struct reader_track *t = vec_push(&r->tracks);

	name_track(r);
	*t = (struct reader_track){
		.hash = hash_keys(r),
		.id = builder_track(r->b, buf_str(&r->text), r->text.len, TRACK_THREAD),
	};
	if (r->q.tracks == STORE_BY_THREAD && r->key[1].len) {
		buf_reset(&r->text);
		buf_addf(&r->text, "%s: %s", buf_str(&r->key[0]), buf_str(&r->key[1]));
		builder_track_under(r->b, t->id,
				    builder_process(r->b, buf_str(&r->text), r->text.len));
	}
	t->totals = builder_totals(r->b, t->id, r->id, metrics);
}

struct reader_track *
reader_track(struct reader *r)
{
	uint64_t hash = hash_keys(r);
	size_t low = 0, high = r->tracks.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->tracks.at[mid].hash < hash)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->tracks.n && r->tracks.at[low].hash == hash ? &r->tracks.at[low] : NULL;
}

static int
by_hash(const void *a, const void *b)
{
	const struct reader_track *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static bool
ask_pairs(struct reader *r, uint64_t *pairs, struct err *e)
{
	struct rowbin a;

	*pairs = 0;
	buf_reset(&r->sql);
	question_pairs(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	if (rowbin_next(&a))
		*pairs = rowbin_whole(&a, 8);
	return rowbin_close(&a, e);
}

/* How many tracks there are; they are made where they are not too many. */
static bool
ask_tracks(struct reader *r, bool *fit, struct err *e)
{
	VEC(struct buf) keys = VEC_INIT;
	struct rowbin a;
	unsigned n = question_keys(&r->q);
	size_t rows = 0;

	buf_reset(&r->sql);
	question_tracks(&r->q, READER_TRACKS_MAX + 1, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		reader_keys(r, &a);
		rowbin_whole(&a, 8);
		rows++;
		for (unsigned i = 0; i < n; i++) {
			*vec_push(&keys) = r->key[i];
			r->key[i] = (struct buf)BUF_INIT;
		}
	}
	bool good = rowbin_close(&a, e);
	*fit = rows <= READER_TRACKS_MAX;
	if (good && *fit && n && rows * r->stacks > reader_most(r) / STEPS_SURE) {
		uint64_t pairs;
		good = ask_pairs(r, &pairs, e);
		*fit = pairs <= reader_most(r) / STEPS_SURE;
	}
	for (size_t i = 0; i < rows; i++) {
		for (unsigned k = 0; k < n; k++) {
			buf_release(&r->key[k]);
			r->key[k] = keys.at[i * n + k];
		}
		if (good && *fit)
			add_track(r);
	}
	vec_release(&keys);
	return good;
}

bool
reader_tracks(struct reader *r, struct err *e)
{
	bool fit;

	if (!ask_tracks(r, &fit, e))
		return false;
	if (!fit) {
		builder_warn(r->b, "the answer has too many tracks for %" PRIu64
			     " rows: they are one; ask with more rows=, or for fewer hosts",
			     reader_most(r));
		r->q.tracks = STORE_BY_NOTHING;
		if (!ask_tracks(r, &fit, e))
			return false;
	}
	if (r->tracks.n > 1)
		qsort(r->tracks.at, r->tracks.n, sizeof *r->tracks.at, by_hash);
	return true;
}
