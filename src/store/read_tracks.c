/* Tracks: hosts, threads, or the values of a label, as the address requests. */
#include "src/store/read_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/hash.h"

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

/* Writes a track's name to r->text. */
static void
name_track(struct reader *r, const struct buf *key)
{
	buf_reset(&r->text);
	switch (r->q.tracks) {
	case STORE_BY_HOST:
		buf_add(&r->text, buf_str(&key[0]), key[0].len);
		if (!r->text.len)
			buf_adds(&r->text, "[no host]");
		return;
	case STORE_BY_THREAD:
		if (key[0].len || !r->q.log) /* a trace log of one host does not name it */
			buf_addf(&r->text, "%s: ", buf_str(&key[0]));
		buf_adds(&r->text, buf_str(&key[2]));
		return;
	case STORE_BY_LABEL:
		buf_add(&r->text, buf_str(&key[0]), key[0].len);
		if (!r->text.len)
			buf_addf(&r->text, "[no %s]", r->url.label);
		return;
	case STORE_BY_NOTHING:
		buf_adds(&r->text, r->url.service ? r->url.service : "all");
		return;
	}
}

static void
read_add_track(struct reader *r, struct reader_track *t)
{
	name_track(r, t->key);
	t->id = builder_track(r->b, buf_str(&r->text), r->text.len, TRACK_THREAD);
	if (r->q.tracks == STORE_BY_THREAD && t->key[1].len) {
		buf_reset(&r->text);
		buf_addf(&r->text, "%s: %s", buf_str(&t->key[0]), buf_str(&t->key[1]));
		builder_track_under(r->b, t->id,
				    builder_process(r->b, buf_str(&r->text), r->text.len));
	}
	builder_track_recorded(r->b, t->id, t->recorded_ns);
	t->totals = builder_totals(r->b, t->id, r->id, r->calls ? 2 : 1);
}

/* Returns the index of the track with this hash; UINT32_MAX if it is unknown. */
static uint32_t
read_tracks_find(struct reader *r, uint64_t hash)
{
	uint32_t slot, i;

	if (!r->track_by_hash.slot)
		return UINT32_MAX;
	slot = map_first(&r->track_by_hash, hash);
	while (map_probe(&r->track_by_hash, &slot, hash, &i))
		if (r->tracks.at[i].hash == hash)
			return i;
	return UINT32_MAX;
}

struct reader_track *
reader_track(struct reader *r)
{
	uint32_t i = read_tracks_find(r, hash_keys(r));

	return i != UINT32_MAX ? &r->tracks.at[i] : NULL;
}

uint32_t
reader_track_made(struct reader *r)
{
	uint64_t hash = hash_keys(r);
	uint32_t i = read_tracks_find(r, hash);

	if (i != UINT32_MAX)
		return i;
	i = (uint32_t)r->tracks.n;
	map_insert(&r->track_by_hash, hash, i);
	struct reader_track *t = vec_push(&r->tracks);
	*t = (struct reader_track){.hash = hash};
	for (unsigned k = 0; k < question_keys(&r->q); k++)
		buf_add(&t->key[k], buf_str(&r->key[k]), r->key[k].len);
	return i;
}

static int
by_keys(const void *a, const void *b)
{
	const struct reader_track *x = a, *y = b;

	for (unsigned k = 0; k < READER_KEYS; k++) {
		size_t n = x->key[k].len < y->key[k].len ? x->key[k].len : y->key[k].len;
		int way = n ? memcmp(x->key[k].at, y->key[k].at, n) : 0;
		if (way || x->key[k].len != y->key[k].len)
			return way ? way : x->key[k].len < y->key[k].len ? -1 : 1;
	}
	return 0;
}

void
reader_tracks_forget(struct reader *r)
{
	for (size_t i = 0; i < r->tracks.n; i++)
		for (unsigned k = 0; k < READER_KEYS; k++)
			buf_release(&r->tracks.at[i].key[k]);
	r->tracks.n = 0;
	map_release(&r->track_by_hash);
	map_init(&r->track_by_hash);
}

void
reader_tracks_add(struct reader *r)
{
	uint32_t *order = mem_alloc(r->tracks.n + 1, sizeof *order);
	struct reader_track *at = r->tracks.at;

	/* sort a copy by name: rows refer to the original indexes */
	struct reader_track *sorted = mem_alloc(r->tracks.n + 1, sizeof *sorted);
	for (size_t i = 0; i < r->tracks.n; i++)
		sorted[i] = at[i];
	if (r->tracks.n > 1)
		qsort(sorted, r->tracks.n, sizeof *sorted, by_keys);
	for (size_t i = 0; i < r->tracks.n; i++)
		order[i] = read_tracks_find(r, sorted[i].hash);
	for (size_t i = 0; i < r->tracks.n; i++)
		read_add_track(r, &at[order[i]]);
	free(sorted);
	free(order);
}
