#include "model/profile/event_parcel.h"

#include <string.h>

/* Data that one core has written cost another core more to read than to add up. A run of 128
 * events with four values is 90 cache lines, each of which must be fetched. Most of their bytes
 * are zeros: times are close, values small or equal. So each column is sent as its first value
 * and the distances from it, in as many bytes as they need. Computing that costs a third of
 * fetching the rest.
 *
 * Most runs are whole, so the loops have a variant with a constant length, which the compiler
 * vectorises. For the same reason no loop has a branch. The functions with loops are too long to
 * be inlined by default; without the constant length they cost three times as much. */

#define INLINE static inline __attribute__((always_inline))
#define SMALL (UINT64_C(1) << 31)

struct event_header {
	int64_t base;
	uint64_t width; /* bytes of a distance: 0, 1, 2, 4, 8 */
};

INLINE size_t
parcel_column_bytes(uint64_t width, uint32_t n)
{
	return sizeof(struct event_header) + (n * width + 7) / 8 * 8;
}

/* Computes the distances from the first value; returns true if each fits four bytes. */
INLINE bool
distances(const int64_t *v, uint32_t n, int32_t *out)
{
	uint64_t base = (uint64_t)v[0], any = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t distance = (uint64_t)v[i] - base;
		any |= distance + SMALL;
		out[i] = (int32_t)(uint32_t)distance;
	}
	return any >> 32 == 0;
}

INLINE void
distances_of_words(const uint32_t *v, uint32_t n, int32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = (int32_t)(v[i] - v[0]);
}

INLINE uint64_t
width_of(const int32_t *v, uint32_t n)
{
	uint32_t any = 0, bits = 0; /* -1 has no bits but its sign */

	for (uint32_t i = 0; i < n; i++) {
		any |= (uint32_t)v[i];
		bits |= (uint32_t)(v[i] ^ v[i] >> 31);
	}
	return !any ? 0 : bits < 1u << 7 ? 1 : bits < 1u << 15 ? 2 : 4;
}

INLINE size_t
put_narrow(uint8_t *at, int64_t base, const int32_t *v, uint32_t n)
{
	struct event_header h = {base, width_of(v, n)};
	uint8_t *to = at + sizeof h;

	memcpy(at, &h, sizeof h);
	if (h.width == 1)
		for (uint32_t i = 0; i < n; i++)
			((int8_t *)to)[i] = (int8_t)v[i];
	else if (h.width == 2)
		for (uint32_t i = 0; i < n; i++)
			((int16_t *)(void *)to)[i] = (int16_t)v[i];
	else if (h.width == 4)
		memcpy(to, v, n * sizeof *v);
	return parcel_column_bytes(h.width, n);
}

INLINE size_t
put_n(uint8_t *at, const int64_t *v, uint32_t n)
{
	int32_t near[EVENT_RUN_MAX];

	if (distances(v, n, near))
		return put_narrow(at, v[0], near, n);
	struct event_header h = {0, sizeof *v};
	memcpy(at, &h, sizeof h);
	memcpy(at + sizeof h, v, n * sizeof *v);
	return parcel_column_bytes(h.width, n);
}

INLINE size_t
put_words_n(uint8_t *at, const uint32_t *v, uint32_t n)
{
	int32_t near[EVENT_RUN_MAX];

	distances_of_words(v, n, near);
	return put_narrow(at, v[0], near, n);
}

static size_t
event_parcel_put(uint8_t *at, const int64_t *v, uint32_t n)
{
	return n == EVENT_RUN_MAX ? put_n(at, v, EVENT_RUN_MAX) : put_n(at, v, n);
}

static size_t
event_put_words(uint8_t *at, const uint32_t *v, uint32_t n)
{
	return n == EVENT_RUN_MAX ? put_words_n(at, v, EVENT_RUN_MAX) : put_words_n(at, v, n);
}

size_t
parcel_pack(void *at, const struct parcel *p, const struct event_run *run,
	    const labels_id *labels)
{
	uint8_t *to = at;

	memcpy(to, p, sizeof *p);
	to += sizeof *p;
	to += event_parcel_put(to, run->time, p->n);
	to += event_put_words(to, run->stack, p->n);
	for (unsigned v = 0; v < p->n_columns; v++)
		to += event_parcel_put(to, run->value[v], p->n);
	if (p->labelled)
		to += event_put_words(to, labels, p->n);
	return (size_t)(to - (uint8_t *)at);
}

/* ---- unpacking ---- */

INLINE size_t
take_n(const uint8_t *at, uint32_t n, int64_t *v)
{
	const uint8_t *from = at + sizeof(struct event_header);
	struct event_header h;

	memcpy(&h, at, sizeof h);
	uint64_t base = (uint64_t)h.base;
	if (h.width == 0)
		for (uint32_t i = 0; i < n; i++)
			v[i] = h.base;
	else if (h.width == 1)
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)(base + (uint64_t)((const int8_t *)from)[i]);
	else if (h.width == 2)
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)(base +
					 (uint64_t)((const int16_t *)(const void *)from)[i]);
	else if (h.width == 4)
		for (uint32_t i = 0; i < n; i++)
			v[i] = (int64_t)(base +
					 (uint64_t)((const int32_t *)(const void *)from)[i]);
	else
		memcpy(v, from, n * sizeof *v);
	return parcel_column_bytes(h.width, n);
}

INLINE size_t
take_words_n(const uint8_t *at, uint32_t n, uint32_t *v)
{
	const uint8_t *from = at + sizeof(struct event_header);
	struct event_header h;

	memcpy(&h, at, sizeof h);
	uint32_t base = (uint32_t)h.base;
	if (h.width == 0)
		for (uint32_t i = 0; i < n; i++)
			v[i] = base;
	else if (h.width == 1)
		for (uint32_t i = 0; i < n; i++)
			v[i] = base + (uint32_t)((const int8_t *)from)[i];
	else if (h.width == 2)
		for (uint32_t i = 0; i < n; i++)
			v[i] = base + (uint32_t)((const int16_t *)(const void *)from)[i];
	else
		for (uint32_t i = 0; i < n; i++)
			v[i] = base + (uint32_t)((const int32_t *)(const void *)from)[i];
	return parcel_column_bytes(h.width, n);
}

static size_t
event_parcel_take(const uint8_t *at, uint32_t n, int64_t *v)
{
	return n == EVENT_RUN_MAX ? take_n(at, EVENT_RUN_MAX, v) : take_n(at, n, v);
}

static size_t
take_words(const uint8_t *at, uint32_t n, uint32_t *v)
{
	return n == EVENT_RUN_MAX ? take_words_n(at, EVENT_RUN_MAX, v) : take_words_n(at, n, v);
}

const struct parcel *
parcel_unpack(const void *at, struct event_run *run, labels_id *labels, size_t *bytes)
{
	const struct parcel *p = at;
	const uint8_t *from = (const uint8_t *)at + sizeof *p;

	run->n = p->n;
	from += event_parcel_take(from, p->n, run->time);
	from += take_words(from, p->n, run->stack);
	for (unsigned v = 0; v < p->n_columns; v++)
		from += event_parcel_take(from, p->n, run->value[v]);
	if (p->labelled)
		from += take_words(from, p->n, labels);
	*bytes = (size_t)(from - (const uint8_t *)at);
	return p;
}
