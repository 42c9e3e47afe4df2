/* Finds the stacks of lines that the cache of stacks does not have: frames by name, and the common
 * part with the previous line.
 *
 * If every line is new, nearly all time is spent waiting for memory: the slot of each name, the
 * place of each stack. Therefore the decoder processes many lines together, in three passes. The
 * first splits them and hashes the names; the second finds the frames, whose slots have been
 * prefetched meanwhile; the third follows the known part of the stacks, for all lines at once, and
 * makes the rest. Functions and stacks are made in the order of the lines, so they get the same ids
 * as line by line.
 *
 * Frames: the model interns names, functions and frames in three tables, one after the other; here
 * one probe replaces all three (text_cache.h).  A name gets into that cache when it occurs for the
 * second time: in large files, most names that are new occur once.
 *
 * Path: neighbours in a sorted file share most of their frames. Comparing their texts finds the
 * common part, which is neither split nor looked up again. Rejected: keeping the frames of the last
 * line and comparing name by name (the same result, after splitting both).
 *
 * Invariant: each pass compares a line with the line that the same pass took before. So each has
 * its own columns for the end and the stack of the previous line. */
#include "src/decode/folded/folded_cache.h"

#include <string.h>

#include "model/base/mem.h"

/* ---- the first pass: names ---- */

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

/* Drops the frames that the line does not share with the previous one.  Returns the number of
 * bytes that both have in common. */
static size_t
share(struct folded_paths *p, const struct folded_line *line, const char *before, size_t len)
{
	size_t same = common(line->text, before, line->len < len ? line->len : len);

	/* A frame is shared if its ';' is in the common part; the last frame of a line has no
	 * ';' and is not shared. */
	while (p->depth && p->end[p->depth - 1] >= same)
		p->depth--;
	return same;
}

static void
deeper(struct folded_paths *p, size_t end)
{
	if (p->depth == p->cap) {
		vec_room(p->end, p->cap, p->depth + 1);
		p->stack = mem_realloc(p->stack, p->cap, sizeof *p->stack);
	}
	p->end[p->depth++] = end;
}

static struct folded_piece *
new_piece(struct folded_paths *p, struct folded_line *line)
{
	struct folded_piece *piece = &p->piece[p->n_pieces++];

	*piece = (struct folded_piece){.line = line, .depth = p->depth, .first = p->n_names};
	return piece;
}

static void folded_cache_settle(struct folded_paths *p, struct builder *b);

/* Splits the names after the shared ones. */
static void
folded_cache_split(struct folded_paths *p, struct builder *b, struct folded_line *line)
{
	const char *end = line->text + line->len, *at = line->text;
	struct folded_piece *piece = new_piece(p, line);

	if (p->depth)
		at += p->end[p->depth - 1] + 1;
	/* a path beyond the maximum depth need not be split to its end */
	while (at <= end && p->depth <= STACK_DEPTH_MAX) {
		if (p->n_names == FOLDED_NAMES) {
			folded_cache_settle(p, b);
			piece = new_piece(p, line);
		}
		const char *stop = memchr(at, ';', (size_t)(end - at));
		struct folded_name *name = &p->name[p->n_names++];
		stop = stop ? stop : end;
		name->at = at;
		name->len = (size_t)(stop - at);
		name->hash = hash128(at, name->len);
		text_cache_prefetch(&p->named, name->hash);
		piece->n++;
		deeper(p, (size_t)(stop - line->text));
		at = stop + 1;
	}
}

/* ---- the second: frames ---- */

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

/* Finds the frames of names; makes new ones in the order of their names. */
static void
find_frames(struct folded_paths *p, struct builder *b)
{
	uint32_t new[FOLDED_NAMES], n = 0;

	for (uint32_t i = 0; i < p->n_names; i++) {
		const struct folded_name *name = &p->name[i];
		uint32_t known = *text_cache_find(&p->named, name->hash);
		p->frame[i] = known - 1;
		if (!known) {
			builder_name_fetch(b, name->at, name->len);
			new[n++] = i;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct folded_name *name = &p->name[new[i]];
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
		p->frame[new[i]] = frame;
	}
}

/* ---- the third: stacks ---- */

/* Finds the lines that share no frames with other lines of the batch.  They may branch off
 * anywhere in memory; the others branch off where the previous line does. */
static void
find_known(struct folded_paths *p, const struct builder *b)
{
	struct stacks_way way[FOLDED_LINES];
	struct folded_piece *which[FOLDED_LINES];
	size_t n = 0, shared = SIZE_MAX; /* with all before */

	for (uint32_t i = 0; i < p->n_pieces && !p->failed; i++) {
		struct folded_piece *piece = &p->piece[i];
		if (piece->depth > shared || p->n_pieces == 1)
			continue;
		shared = piece->depth;
		which[n] = piece;
		way[n++] = (struct stacks_way){
			.from = shared ? p->stack[shared - 1] : STACK_EMPTY,
			.frame = p->frame + piece->first,
			.n = piece->n,
			.each = p->known + piece->first,
		};
	}
	builder_paths_known(b, way, n);
	for (size_t i = 0; i < n; i++)
		which[i]->known = (uint32_t)way[i].known;
}

static stack_id
find_stack(struct folded_paths *p, struct builder *b, const struct folded_piece *piece)
{
	size_t depth = piece->depth, first = piece->first, known = piece->known;

	if (p->failed)
		return STACK_NONE;
	if (depth + piece->n > STACK_DEPTH_MAX)
		return builder_too_deep(b);
	memcpy(p->stack + depth, p->known + first, known * sizeof *p->known);
	depth += known;
	return builder_path(b, depth ? p->stack[depth - 1] : STACK_EMPTY,
			    p->frame + first + known, piece->n - known, p->stack + depth);
}

/* Completes all lines that have been split. */
static void
folded_cache_settle(struct folded_paths *p, struct builder *b)
{
	find_frames(p, b);
	find_known(p, b);
	for (uint32_t i = 0; i < p->n_pieces; i++) {
		struct folded_piece *piece = &p->piece[i];
		piece->line->stack = find_stack(p, b, piece);
		p->failed |= piece->line->stack == STACK_NONE;
	}
	p->n_pieces = p->n_names = 0;
}

void
folded_paths_find(struct folded_paths *p, struct builder *b, struct folded_line *line, size_t n)
{
	const char *before = p->text.at;
	size_t len = p->text.n, same = 0;

	for (size_t i = 0; i < n; i++) {
		if (p->depth)
			same = share(p, &line[i], before, len);
		folded_cache_split(p, b, &line[i]);
		before = line[i].text;
		len = line[i].len;
	}
	folded_cache_settle(p, b);
	if (!n)
		return;
	same = n == 1 ? same : 0; /* shared with the kept line, not with a line between them */
	vec_reserve(&p->text, len);
	p->text.n = len;
	if (len > same)
		memcpy(p->text.at + same, before + same, len - same);
}

void
folded_paths_release(struct folded_paths *p)
{
	text_cache_release(&p->named);
	vec_release(&p->text);
	free_all(p->end, p->stack);
	*p = (struct folded_paths){0};
}
