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

/* Bytes go into arenas of half a megabyte that never move (longer names get one of their own), so
 * readers may keep a pointer to them. A file may have a million names, so a name costs four bytes
 * and a part of a slot beside its own bytes and length. There is no column of hashes: a slot
 * rejects nearly all other names, and growing the slots computes the hashes again, from bytes
 * that lie in the order of the ids. */

/* A place is the index of an arena << ARENA_BITS | the unit in it where the name begins: a byte
 * with its length, which is LONG_NAME if the length follows in four bytes, its bytes, a NUL. */
#define UNIT_BYTES ((size_t)2)
#define ARENA_BITS 18u
#define LONG_NAME 255u
#define ARENA_BYTES (UNIT_BYTES << ARENA_BITS)
#define FIRST_BYTES ((size_t)1 << 16) /* most profiles are small */
#define ARENAS_MAX (1u << (32 - ARENA_BITS))
#define AHEAD 16u

struct name
names_get(const struct names *t, name_id id)
{
	uint32_t place = t->place[id], unit = place & ((1u << ARENA_BITS) - 1);
	const char *at = t->arena[place >> ARENA_BITS] + unit * UNIT_BYTES;
	struct name name = {at + 1, (unsigned char)*at};

	if (name.len == LONG_NAME) {
		memcpy(&name.len, name.at, sizeof name.len);
		name.at += sizeof name.len;
	}
	return name;
}

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
	*to = (struct names){.n = from->n,
			     .cap = from->n,
			     .n_arenas = from->n_arenas,
			     .n_borrowed = from->n_arenas,
			     .bytes = from->bytes,
			     .serial = serial_next(),
			     .cp437 = from->cp437};
	to->place = mem_copy(from->place, from->n, sizeof *from->place);
	to->arena = mem_copy(from->arena, from->n_arenas, sizeof *from->arena);
	slots_copy(&to->slots, &from->slots);
}

void
names_release(struct names *t)
{
	for (uint32_t i = t->n_borrowed; i < t->n_arenas; i++)
		free(t->arena[i]);
	free(t->arena);
	free(t->place);
	slots_release(&t->slots);
	*t = (struct names){0};
}

static char *
arena_room(struct names *t, size_t bytes)
{
	bytes = (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
	if (t->arena_size - t->arena_used < bytes) {
		if (t->n_arenas == ARENAS_MAX) /* 8 GB */
			mem_exhausted(bytes);
		t->arena = mem_realloc(t->arena, t->n_arenas + 1u, sizeof *t->arena);
		t->arena_size = t->n_arenas > t->n_borrowed ? ARENA_BYTES : FIRST_BYTES;
		t->arena_size = bytes > t->arena_size ? bytes : t->arena_size;
		t->arena[t->n_arenas++] = mem_alloc(t->arena_size, 1);
		t->arena_used = 0;
	}
	char *at = t->arena[t->n_arenas - 1] + t->arena_used;
	t->arena_used += bytes;
	return at;
}

/* Stores the bytes of a new name; returns its place. */
static uint32_t
names_store(struct names *t, const void *bytes, size_t len)
{
	uint32_t length = (uint32_t)len;
	bool is_long = len >= LONG_NAME;
	char *start = arena_room(t, 1 + (is_long ? sizeof length : 0) + len + 1), *at = start;

	*at++ = (char)(is_long ? LONG_NAME : length);
	if (is_long) {
		memcpy(at, &length, sizeof length);
		at += sizeof length;
	}
	if (len)
		memcpy(at, bytes, len);
	at[len] = '\0';
	size_t unit = (size_t)(start - t->arena[t->n_arenas - 1]) / UNIT_BYTES;
	return (t->n_arenas - 1) << ARENA_BITS | (uint32_t)unit;
}

static inline uint32_t
name_bits(const void *bytes, size_t len)
{
	return (uint32_t)XXH3_64bits(len ? bytes : "", len);
}

uint32_t
name_hash(struct name name)
{
	return name_bits(name.at, name.len);
}

static uint32_t
names_lookup(const struct names *t, const void *bytes, size_t len, uint32_t bits)
{
	uint32_t at = bits, place;

	while (slots_probe(&t->slots, &at, bits, &place)) {
		struct name name = names_get(t, place - 1);
		if (name.len == len && !memcmp(name.at, bytes, len))
			return place - 1;
	}
	return UINT32_MAX;
}

static void
slots_anew(struct names *t)
{
	uint32_t bits[AHEAD];

	slots_grow(&t->slots, t->n + 1u);
	for (uint32_t from = 0; from < t->n; from += AHEAD) {
		uint32_t n = t->n - from < AHEAD ? t->n - from : AHEAD;
		for (uint32_t i = 0; i < n; i++) {
			struct name name = names_get(t, from + i);
			bits[i] = name_hash(name);
			slots_prefetch(&t->slots, bits[i]);
		}
		for (uint32_t i = 0; i < n; i++)
			slots_put(&t->slots, from + i + 1, bits[i]);
	}
}

name_id
names_put(struct names *t, const void *bytes, size_t len)
{
	uint32_t bits = name_bits(bytes, len);
	uint32_t known = names_lookup(t, len ? bytes : "", len, bits);

	if (known != UINT32_MAX)
		return known;
	vec_room(t->place, t->cap, t->n + 1u);
	while (!slots_have_room(&t->slots, t->n + 1u))
		slots_anew(t);
	t->place[t->n] = names_store(t, bytes, len);
	t->bytes += len;
	slots_put(&t->slots, t->n + 1, bits);
	return t->n++;
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
	slots_prefetch(&t->slots, name_bits(bytes, len));
}

name_id
names_find(const struct names *t, const void *bytes, size_t len)
{
	return names_lookup(t, len ? bytes : "", len, name_bits(bytes, len));
}
