/* Decompresses lz4: frames, and the form that was used before them. */
#include "src/input/inflate_inside.h"

#ifdef HAVE_LIBLZ4
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/input/cursor.h"

/* ---- frames ---- */

bool
inflate_lz4_begin(struct inflate_source *s)
{
	s->between = true;
	s->state.lz4.next = 1;
	return !LZ4F_isError(LZ4F_createDecompressionContext(&s->state.lz4.ctx, LZ4F_VERSION));
}

/* liblz4 checks the checksums of headers, blocks and contents, and skips skippable frames. It gets
 * a block at a time, because a call that fails returns no bytes of the blocks before. */
size_t
inflate_lz4_step(struct inflate_source *s, void *out, size_t n)
{
	size_t used = s->have < s->state.lz4.next ? s->have : s->state.lz4.next;
	if (s->between && !s->have)
		return 0;
	size_t r = LZ4F_decompress(s->state.lz4.ctx, out, &n, s->buf + s->at, &used, NULL);
	if (LZ4F_isError(r))
		return inflate_fault(s, "corrupt");
	inflate_took(s, used);
	s->given += n;
	s->between = r == 0;
	s->state.lz4.next = r ? r : 1;
	return n;
}

void
inflate_lz4_finish(struct inflate_source *s)
{
	LZ4F_freeDecompressionContext(s->state.lz4.ctx);
}

/* ---- the form before frames ---- */

/* The form of before 2013, which `lz4 -l` and the kernel's build write:
 *
 *	02 21 4C 18                  magic
 *	u32 n, n bytes               a block, of 8 MB but the last one, and so on to the end
 *
 * A magic in place of a length begins another such stream. Lengths of blocks are below it. */
#define LZ4_OLD_BLOCK (8u << 20)
#define LZ4_OLD_MAGIC 0x184C2102u

struct lz4_blocks {
	uint8_t word[4];
	unsigned word_len; /* bytes of the next number that were read */
	uint32_t len, have; /* of the block: its packed length, and how much of it was read */
	uint32_t ready, given; /* bytes of the unpacked block, and those that were returned */
	char *packed, *out;
};

bool
inflate_lz4_old_begin(struct inflate_source *s)
{
	s->state.blocks = mem_zalloc(1, sizeof *s->state.blocks);
	s->state.blocks->packed = mem_alloc(LZ4_COMPRESSBOUND(LZ4_OLD_BLOCK), 1);
	s->state.blocks->out = mem_alloc(LZ4_OLD_BLOCK, 1);
	return true;
}

/* Reads the length of the next block; false while there is none. */
static bool
lz4_old_length(struct inflate_source *s, struct lz4_blocks *o)
{
	while (s->have && o->word_len < sizeof o->word) {
		o->word[o->word_len++] = s->buf[s->at];
		inflate_took(s, 1);
	}
	s->between = !o->word_len;
	if (o->word_len < sizeof o->word)
		return false;
	o->word_len = 0;
	o->len = bytes_u32(o->word, false);
	o->have = 0;
	if (o->len == LZ4_OLD_MAGIC)
		o->len = 0;
	else if (!o->len || o->len > LZ4_COMPRESSBOUND(LZ4_OLD_BLOCK))
		inflate_fault(s, "corrupt");
	return o->len && !s->ended;
}

size_t
inflate_lz4_old_step(struct inflate_source *s, void *out, size_t n)
{
	struct lz4_blocks *o = s->state.blocks;
	if (o->given == o->ready && !o->len && !lz4_old_length(s, o))
		return 0;
	if (o->len) {
		uint32_t lacks = o->len - o->have;
		uint32_t some = s->have < lacks ? (uint32_t)s->have : lacks;
		memcpy(o->packed + o->have, s->buf + s->at, some);
		o->have += some;
		inflate_took(s, some);
		if (o->have < o->len)
			return 0;
		int made = LZ4_decompress_safe(o->packed, o->out, (int)o->len, LZ4_OLD_BLOCK);
		if (made < 0)
			return inflate_fault(s, "corrupt");
		o->len = o->given = 0;
		o->ready = (uint32_t)made;
		s->between = true;
	}
	if (n > o->ready - o->given)
		n = o->ready - o->given;
	memcpy(out, o->out + o->given, n);
	o->given += (uint32_t)n;
	s->given += n;
	return n;
}

void
inflate_lz4_old_finish(struct inflate_source *s)
{
	free_all(s->state.blocks->packed, s->state.blocks->out, s->state.blocks);
}
#endif
