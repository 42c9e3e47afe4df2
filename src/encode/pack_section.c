/* pack_section.c - the head and the sections of a packed profile.
 *
 * A section is compressed if that saves an eighth of it: columns that are packed to bits hardly
 * shrink, and are faster to read as they are. */
#include "src/encode/pack_inside.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/profile/pack_form.h"
#include "src/encode/zstd.h"

#define PACK_LEVEL 3

static void
put_fixed(FILE *out, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		putc((int)(v >> 8 * i & 0xff), out);
}

void
pack_head(struct pack_out *x)
{
	fwrite(PACK_MAGIC, 1, 8, x->out);
	put_fixed(x->out, PACK_VERSION, 4);
	put_fixed(x->out, zstd_there() ? PACK_ZSTD : 0, 4);
}

void
pack_section(struct pack_out *x, const char *kind)
{
	const struct buf *b = &x->at;
	uint32_t flags = 0;

	buf_reset(&x->packed);
	if (zstd_squeeze(buf_str(&x->at), x->at.len, PACK_LEVEL, &x->packed) &&
	    x->packed.len < x->at.len - x->at.len / 8) {
		b = &x->packed;
		flags = PACK_ZSTD;
	}
	fwrite(kind, 1, 4, x->out);
	put_fixed(x->out, flags, 4);
	put_fixed(x->out, b->len, 8);
	put_fixed(x->out, x->at.len, 8);
	put_fixed(x->out, XXH3_64bits(buf_str(b), b->len), 8);
	fwrite(buf_str(b), 1, b->len, x->out);
	buf_reset(&x->at);
	x->n_sections++;
}

void
pack_section_if_full(struct pack_out *x, const char *kind)
{
	if (x->at.len >= PACK_SECTION_FULL)
		pack_section(x, kind);
}
