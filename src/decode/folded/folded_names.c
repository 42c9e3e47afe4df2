/* Frames of lines that the cache of stacks does not have.
 *
 * Lines are split first; the frames of all their names are found together, so that the slots of the
 * names are in the cache by then. Functions are made in the order of the lines.
 *
 * The model interns names, functions and frames in three tables, one after the other; here one
 * probe replaces all three (text_cache.h).  A name gets into that cache when it occurs for the
 * second time: in large files, most names that are new occur once.
 *
 * Neighbours in a sorted file share most of their frames. Comparing their texts finds the common
 * part, which is neither split nor looked up again. Rejected: keeping the frames of the last line
 * and comparing name by name (the same result, after splitting both). */
#include "src/decode/folded/folded_names.h"

#include <string.h>

/* ---- split ---- */

/* Returns the number of bytes that two texts have in common at their start. */
static size_t
common(const char *a, const char *b, size_t len)
{
	size_t i = 0;
	for (; i + 8 <= len; i += 8) {
		uint64_t x, y;
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < len && a[i] == b[i])
		i++;
	return i;
}

/* Drops the frames that the line does not share with the previous one. A frame is shared if its
 * ';' is in the common part; the last frame of a line has no ';' and is not shared. */
static void
share(struct folded_names *p, const char *text, size_t len)
{
	size_t same = p->end.n ? common(text, p->before, len < p->before_len ? len : p->before_len)
			       : 0;

	while (p->end.n && p->end.at[p->end.n - 1] >= same)
		p->end.n--;
	p->text.n = same < p->text.n ? same : p->text.n;
}

struct folded_part
folded_names_split(struct folded_names *p, const char *text, size_t len)
{
	const char *end = text + len, *at = text;
	size_t first = p->name.n;

	share(p, text, len);
	struct folded_part part = {.shared = p->end.n};
	if (p->end.n)
		at += p->end.at[p->end.n - 1] + 1;
	/* a path beyond the maximum depth need not be split to its end */
	while (at <= end && p->end.n <= STACK_DEPTH_MAX) {
		const char *stop = memchr(at, ';', (size_t)(end - at));
		struct folded_name *name = vec_push(&p->name);
		stop = stop ? stop : end;
		name->at = at;
		name->len = (size_t)(stop - at);
		name->hash = hash128(at, name->len);
		text_cache_soon(&p->named, name->hash);
		*vec_push(&p->end) = (size_t)(stop - text);
		at = stop + 1;
	}
	p->before = text;
	p->before_len = len;
	part.n = p->name.n - first;
	return part;
}

/* ---- frames ---- */

static frame_id
new_frame(struct builder *b, const char *name, size_t len)
{
	struct function f = {
		.name = builder_name(b, name, len),
		.kind = (uint8_t)kind_of_name(name, len),
	};
	if (len >= 4 && !memcmp(name + len - 4, "_[k]", 4))
		f.kind = KIND_SYSTEM;
	return builder_frame_of(b, f, 0);
}

/* Finds the frames of all names; makes new ones in the order of their names. */
static void
find_frames(struct folded_names *p, struct builder *b)
{
	const struct folded_name *all = p->name.at;
	size_t n = 0, end = p->name.n;

	vec_reserve(&p->frame, end);
	vec_reserve(&p->new, end);
	for (size_t i = p->found; i < end; i++) {
		uint32_t known = *text_cache_find(&p->named, all[i].hash);
		p->frame.at[i] = known - 1;
		if (!known) {
			builder_name_fetch(b, all[i].at, all[i].len);
			p->new.at[n++] = i;
		}
	}
	p->found = end;
	for (size_t i = 0; i < n; i++) {
		const struct folded_name *name = &all[p->new.at[i]];
		uint32_t *known = text_cache_find(&p->named, name->hash);
		p->named.asked--; /* it was counted before */
		frame_id frame = *known - 1;
		if (!*known) {
			frame = new_frame(b, name->at, name->len);
			if (frame < p->n_frames)
				text_cache_put(&p->named, known, name->hash, frame + 1);
			else
				p->n_frames = frame + 1; /* its name may be the only one */
		}
		p->frame.at[p->new.at[i]] = frame;
	}
}

const frame_id *
folded_names_frames(struct folded_names *p, struct builder *b, struct folded_part part)
{
	if (p->found < p->name.n)
		find_frames(p, b);
	p->taken += part.n;
	return p->frame.at + p->taken - part.n;
}

void
folded_names_keep(struct folded_names *p)
{
	size_t same = p->text.n;

	p->name.n = p->found = p->taken = 0;
	if (!p->before || p->before == p->text.at)
		return;
	vec_reserve(&p->text, p->before_len + 1);
	memcpy(p->text.at + same, p->before + same, p->before_len - same);
	p->text.n = p->before_len;
	p->before = p->text.at;
}

void
folded_names_release(struct folded_names *p)
{
	text_cache_release(&p->named);
	vec_release_all(&p->end, &p->text, &p->name, &p->frame, &p->new);
}
