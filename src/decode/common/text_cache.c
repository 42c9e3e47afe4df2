/* Caches the meaning of texts that repeat, such as folded stacks, or lines of a chain.
 *
 * Open addressing with the hash in the slot: a look-up usually touches one cache line, and the
 * text, which would take most of the memory, is not kept. 96 bits of XXH3 represent it; 64
 * would confuse two of a million texts once in about ten million files, silently.
 *
 * The table is bounded: a file in which every line is new gains nothing from it and should not
 * use memory for it. A full table is cleared, which costs the texts in use one miss each.
 * Beyond some megabytes it grows only while one of eight look-ups hits.
 *
 * It is not a map (model/base/map.h), because there is no column of keys to compare with: the
 * slot contains the whole key.
 *
 * Invariant: at most half of the slots are used, so a probe ends. */
#include "src/decode/common/text_cache.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

#define SLOTS_START 4096u
#define SLOTS_FREE (1u << 18) /* up to this size it grows even without hits */
#define SLOTS_MAX (1u << 21)

void
text_cache_begin(struct text_cache *c)
{
	c->slot = mem_zalloc(SLOTS_START, sizeof *c->slot);
	c->mask = SLOTS_START - 1;
}

/* Returns the slot of a value that text_cache_find() returned. */
static struct text_slot *
slot_of(const struct text_cache *c, const uint32_t *value)
{
	size_t bytes = (size_t)((const char *)value - (const char *)c->slot);
	return &c->slot[bytes / sizeof *c->slot];
}

/* Returns true if at least one of eight look-ups found a value. */
static bool
pays(const struct text_cache *c)
{
	uint64_t put = c->used - c->had, known = c->asked > put ? c->asked - put : 0;

	return known >= c->asked / 8;
}

static bool
may_grow(const struct text_cache *c)
{
	return c->mask < SLOTS_FREE - 1 || (c->mask < SLOTS_MAX - 1 && pays(c));
}

static void
grow(struct text_cache *c)
{
	struct text_slot *old = c->slot;
	uint32_t n = c->mask + 1;
	if (!may_grow(c)) {
		memset(c->slot, 0, sizeof *c->slot * n);
		c->used = c->had = 0;
		c->asked = 0;
		return;
	}
	c->slot = mem_zalloc((size_t)n * 2, sizeof *c->slot);
	c->mask = n * 2 - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].value)
			*slot_of(c, text_cache_find(c, (struct hash128){old[i].low,
									old[i].high})) = old[i];
	c->had = c->used;
	c->asked = 0;
	free(old);
}

void
text_cache_put(struct text_cache *c, uint32_t *where, struct hash128 hash, uint32_t value)
{
	*slot_of(c, where) =
		(struct text_slot){hash.low, (uint32_t)hash.high, value};
	if (++c->used > c->mask / 2)
		grow(c);
}

void
text_cache_put_late(struct text_cache *c, struct hash128 hash, uint32_t value)
{
	uint32_t *where = text_cache_find(c, hash);

	c->asked--; /* it was counted before */
	if (!*where)
		text_cache_put(c, where, hash, value);
}

void
text_cache_release(struct text_cache *c)
{
	free(c->slot);
	*c = (struct text_cache){0};
}
