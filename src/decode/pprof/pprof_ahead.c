/* Nearly all samples have one field of locations, then one of values, then their labels. Such a
 * sample is parsed without copying, before any look-up. */
#include "src/decode/pprof/pprof_ahead.h"

#include "src/decode/pprof/pprof_tables.h"

/* Returns false if there are too many values, or if one is malformed. */
static bool
pprof_read_values(const struct proto_field *f, int64_t *value, size_t n_values)
{
	struct proto_numbers n = proto_numbers(f, PROTO_VARINT);
	uint64_t number;
	size_t i = 0;

	while (proto_number(&n, &number)) {
		if (i == n_values)
			return false;
		value[i++] = (int64_t)number;
	}
	while (i < n_values)
		value[i++] = 0;
	return !n.c.bad;
}

static bool
is_plain(struct pprof_ahead *a, int64_t *value, size_t n_values)
{
	struct proto_field f = {.type = PROTO_BYTES};
	const uint8_t *at = a->field.at, *end;
	size_t len;

	if (a->field.type != PROTO_BYTES)
		return false;
	end = at + a->field.len;
	f.at = pprof_field_at(at, end, PPROF_SAMPLE_LOCATION, &f.len);
	if (!f.at || !f.len)
		return false;
	at = f.at + f.len;
	a->locations = f;
	f.at = pprof_field_at(at, end, PPROF_SAMPLE_VALUE, &f.len);
	if (!f.at || !pprof_read_values(&f, value, n_values))
		return false;
	at = f.at + f.len;
	a->labels = at < end ? at : NULL;
	a->labels_len = (size_t)(end - at);
	while (at < end && (at = pprof_field_at(at, end, PPROF_SAMPLE_LABEL, &len)))
		at += len;
	return at;
}

void
pprof_ahead_look(struct pprof_ahead *a, int64_t *value, size_t n_values)
{
	a->plain = is_plain(a, value, n_values);
}

/* Returns the number of equal bytes at the ends of both. */
static size_t
same_at_end(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
	size_t most = a_len < b_len ? a_len : b_len, n = 0;

	while (n + 8 <= most) {
		uint64_t differs = bytes_u64(a + a_len - n - 8, false) ^
				   bytes_u64(b + b_len - n - 8, false);
		if (differs)
			return n + (size_t)__builtin_clzll(differs) / 8;
		n += 8;
	}
	while (n < most && a[a_len - n - 1] == b[b_len - n - 1])
		n++;
	return n;
}

/* Numbers end with a byte that is less than 0x80. */
static size_t
count_numbers(const uint8_t *at, size_t len)
{
	size_t n = 0, i = 0;

	for (; i + 8 <= len; i += 8)
		n += (~bytes_u64(at + i, false) >> 7 & UINT64_C(0x0101010101010101)) *
			     UINT64_C(0x0101010101010101) >>
		     56;
	for (; i < len; i++)
		n += at[i] < 0x80;
	return n;
}

size_t
pprof_same_numbers(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, size_t *n)
{
	size_t same = same_at_end(a, a_len, b, b_len);

	while (same && (same == a_len || same == b_len || a[a_len - same - 1] >= 0x80 ||
			b[b_len - same - 1] >= 0x80))
		same--;
	*n = count_numbers(a + a_len - same, same);
	return same;
}
