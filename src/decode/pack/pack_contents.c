/* pack_contents.c - checks and decompresses a section of a packed profile. */
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/profile/pack_form.h"
#include "src/decode/pack/pack.h"
#include "src/input/hash.h"
#include "src/input/input.h"
#include "src/input/unzstd.h"

bool
pack_goes_on(const struct input *in, uint64_t offset, struct err *e)
{
	return !input_stopped(in) || err_damage(e, offset, "not all of it was read");
}

static bool
unpack_section(const struct pack_section *s, const uint8_t *at, struct pack_room *out,
	       struct err *e)
{
	if (!out->z)
		out->z = unzstd_new();
	if (!out->z)
		return err_refuse(e, "this pnav was built without zstd, which the file needs");
	if (!unzstd_fits(at, s->stored, s->size))
		return err_damage(e, s->offset, "a compressed section is damaged");
	if (out->cap < s->size) {
		free(out->at);
		out->at = mem_alloc(s->size, 1);
		out->cap = s->size;
	}
	return unzstd_whole(out->z, at, s->stored, out->at, s->size) ||
	       err_damage(e, s->offset, "a compressed section is damaged");
}

bool
pack_is_intact(const struct pack_section *s, const uint8_t *stored, struct err *e)
{
	return hash64(stored, s->stored) == s->hash ||
	       err_damage(e, s->offset, "the checksum of a section is wrong");
}

const uint8_t *
pack_contents(const struct pack_section *s, const uint8_t *stored, struct pack_room *room,
	      struct err *e)
{
	if (!pack_is_intact(s, stored, e))
		return NULL;
	if (!(s->flags & PACK_ZSTD))
		return stored;
	return unpack_section(s, stored, room, e) ? room->at : NULL;
}

void
pack_room_release(struct pack_room *room)
{
	unzstd_free(room->z);
	free(room->at);
}
