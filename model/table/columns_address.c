#include "model/table/columns_inside.h"

#include <inttypes.h>

/* Returns the address of the instruction, by address; that of the function, by function, if its
 * file states it. */
static uint64_t
columns_address_of(const struct look *l, const struct row *r)
{
	if (l->tree->by == BY_FUNCTION)
		return frames_begin(&l->p->frames, r->key);
	return projection_key_address(l->tree, l->p, r->key);
}

void
address_text(const struct look *l, const struct row *r, struct buf *out)
{
	uint64_t at = columns_address_of(l, r);

	if (at != ADDRESS_NONE)
		buf_addf(out, "0x%" PRIx64, at);
}

/* The lowest first: numbers are sorted descending, and addresses of the kernel have the highest
 * bit. */
struct value
address_number(const struct look *l, const struct row *r)
{
	uint64_t at = columns_address_of(l, r);

	return at == ADDRESS_NONE ? none() : whole(~(int64_t)(at ^ UINT64_C(1) << 63));
}
