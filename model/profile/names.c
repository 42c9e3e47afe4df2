#include "model/profile/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/mem.h"
#include "model/base/serial.h"
#include "model/base/vec.h"

/* Bytes go into arenas of a megabyte that never move (longer names get one of their own). So a
 * name is a pointer and a length, and readers may keep the pointer. Entries keep half of their
 * hash: a candidate with another one is not compared. */

#define ARENA_BYTES ((size_t)1 << 20)
#define FIRST_BYTES ((size_t)1 << 16) /* most profiles are small */
#define AHEAD 16u

void
names_init(struct names *t)
{
	*t = (struct names){.serial = serial_next()};
	slots_init(&t->slots);
	names_put(t, "", 0);
}

void
names_branch(struct names *to, const struct names *from)
{
	*to = (struct names){.n = from->n, .cap = from->n, .bytes = from->bytes,
			     .serial = serial_next()};
	to->at = mem_copy(from->at, from->n, sizeof *from->at);
	slots_copy(&to->slots, &from->slots);
}

void
names_release(struct names *t)
{
	for (size_t i = 0; i < t->n_arenas; i++)
		free(t->arena[i]);
	free(t->arena);
	free(t->at);
	slots_release(&t->slots);
	*t = (struct names){0};
}

static char *
arena_room(struct names *t, size_t bytes)
{
	if (!t->n_arenas || t->arena_size - t->arena_used < bytes) {
		t->arena = mem_realloc(t->arena, t->n_arenas + 1, sizeof *t->arena);
		t->arena_size = t->n_arenas ? ARENA_BYTES : FIRST_BYTES;
		t->arena_size = bytes > t->arena_size ? bytes : t->arena_size;
		t->arena[t->n_arenas++] = mem_alloc(t->arena_size, 1);
		t->arena_used = 0;
	}
	char *at = t->arena[t->n_arenas - 1] + t->arena_used;
	t->arena_used += bytes;
	return at;
}

static uint32_t
names_lookup(const struct names *t, const void *bytes, size_t len, uint32_t hash)
{
	uint32_t at = hash, place;

	while (slots_probe(&t->slots, &at, hash, &place)) {
		const struct name *name = &t->at[place - 1];
		if (name->hash == hash && name->len == len && !memcmp(name->at, bytes, len))
			return place - 1;
	}
	return UINT32_MAX;
}

static void
slots_anew(struct names *t)
{
	slots_grow(&t->slots, t->n + 1u);
	for (uint32_t i = 0; i < t->n; i++) {
		if (i + AHEAD < t->n)
			slots_prefetch(&t->slots, t->at[i + AHEAD].hash);
		slots_put(&t->slots, i + 1, t->at[i].hash);
	}
}

static name_id
put_hashed(struct names *t, const void *bytes, size_t len, uint32_t hash)
{
	uint32_t known = names_lookup(t, len ? bytes : "", len, hash);

	if (known != UINT32_MAX)
		return known;
	if (t->n == t->cap) {
		t->cap = (uint32_t)vec_grown(t->cap, t->n + 1u);
		t->at = mem_realloc(t->at, t->cap, sizeof *t->at);
	}
	while (!slots_have_room(&t->slots, t->n + 1u))
		slots_anew(t);
	char *copy = arena_room(t, len + 1);
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	t->at[t->n] = (struct name){.at = copy, .len = (uint32_t)len, .hash = hash};
	t->bytes += len;
	slots_put(&t->slots, t->n + 1, hash);
	return t->n++;
}

name_id
names_put(struct names *t, const void *bytes, size_t len)
{
	return put_hashed(t, bytes, len, (uint32_t)XXH3_64bits(len ? bytes : "", len));
}

/* Writes the truncated form of a long name to out[NAME_LEN_MAX]; returns its length. Does not
 * split a character of UTF-8. */
static size_t
shorten(const void *bytes, size_t len, char *out)
{
	enum { MARK = 3 + 8 };
	size_t keep = NAME_LEN_MAX - MARK;
	const unsigned char *from = bytes;
	char mark[MARK + 1];

	for (int i = 0; i < 3 && (from[keep] & 0xC0) == 0x80; i++)
		keep--;
	memcpy(out, from, keep);
	snprintf(mark, sizeof mark, "…%08" PRIx32, (uint32_t)XXH3_64bits(bytes, len));
	memcpy(out + keep, mark, MARK);
	return keep + MARK;
}

static __attribute__((noinline)) name_id
put_short(struct names *t, const void *bytes, size_t len)
{
	char text[NAME_LEN_MAX];
	uint32_t before = t->n;
	name_id id = names_put(t, text, shorten(bytes, len, text));

	t->n_cut += t->n - before;
	return id;
}

name_id
names_put_cut(struct names *t, const void *bytes, size_t len)
{
	return len > NAME_LEN_MAX ? put_short(t, bytes, len) : names_put(t, bytes, len);
}

void
names_fetch(const struct names *t, const void *bytes, size_t len)
{
	slots_prefetch(&t->slots, (uint32_t)XXH3_64bits(len ? bytes : "", len));
}

name_id
names_find(const struct names *t, const void *bytes, size_t len)
{
	return names_lookup(t, len ? bytes : "", len,
			    (uint32_t)XXH3_64bits(len ? bytes : "", len));
}
