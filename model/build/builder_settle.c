#include "model/build/builder_inside.h"

#include <string.h>

#include "model/base/buf.h"

/* builder_settle.c - functions that the other files of the builder share. */

/* With a label, names of tracks begin with it, unless the track has the file's name itself. */
name_id
builder_track_name(struct builder *b, const void *name, size_t len)
{
	struct buf text = BUF_INIT;
	size_t label_len = b->label ? strlen(b->label) : 0;

	if (!b->label)
		return builder_name(b, name, len);
	const char *end = label_len >= len ? b->label + label_len - len : NULL;
	buf_adds(&text, b->label);
	if (!end || (len && memcmp(end, name, len)) || (end > b->label && end[-1] != '/')) {
		buf_adds(&text, ": ");
		buf_add(&text, name, len);
	}
	name_id id = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
	return id;
}

/* Assigns tracks beside others to the processes of those. */
static void
tracks_settle(struct builder *b)
{
	for (uint32_t i = b->pairs_settled; i < b->n_pairs; i++) {
		process_id under = b->p->track[b->pair[i].beside].under;
		struct track *t = &b->p->track[b->pair[i].track];
		if (t->under == under)
			continue;
		t->under = under;
		b->p->generation++;
	}
	b->pairs_settled = b->n_pairs;
}

void
builder_settle(struct builder *b)
{
	pending_settle(&b->pending);
	tracks_settle(b);
}

/* Below this part of the input, what was read so far says little about the rest: many formats begin
 * with tables. */
#define EXPECT_FROM 16u

void
builder_expect(struct builder *b, uint64_t done, uint64_t all)
{
	uint64_t times = done > all / EXPECT_FROM ? (all + done - 1) / done : 1;

	slots_expect(&b->p->names.slots, times);
	slots_expect(&b->p->frames.function_slots, times);
	slots_expect(&b->p->frames.frame_slots, times);
	slots_expect(&b->p->stacks.slots, times);
}

bool
builder_is_empty(const struct builder *b)
{
	for (uint32_t t = b->first_track; t < b->p->n_tracks; t++) {
		const struct track *track = &b->p->track[t];
		if (track->events)
			return false;
		for (uint32_t i = 0; i < track->n_series; i++)
			if (track->series[i]->n)
				return false;
	}
	return true;
}
