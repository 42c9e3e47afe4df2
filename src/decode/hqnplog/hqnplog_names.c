#include "src/decode/hqnplog/hqnplog_names.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"

/* "Harlequin RIP SDK, probelog.h": save_trace_names() writes a table and rounds its size up to
 * 8 bytes; the document does not describe its contents.  pnav-formats(7) lists likely layouts,
 * and the first that fits exactly is taken:
 *
 *	u64 count, strings		u32 count, strings
 *	strings alone
 *	count, offsets, strings		(u64 or u32 each; from the table or from the file)
 *
 * A layout fits if all names are printable and end in a NUL, the last one ends within 8 bytes
 * of the next table with only zeros after it, and every id that the entries use has a name; if
 * none does, a layout with a count may have fewer names.  A wrong layout would show wrong names,
 * which is worse than `trace#7`, so a table that fits no layout is not read.  Empty names are
 * placeholders and have an id. */

struct hqnplog_table {
	const uint8_t *at;
	size_t len;
	uint64_t offset;
	bool big_endian;
};

static uint64_t
hqnplog_names_number(const struct hqnplog_table *t, size_t at, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width; i++)
		v |= (uint64_t)t->at[at + i] << 8 * (t->big_endian ? width - 1 - i : i);
	return v;
}

/* Returns the length of the name at `at`; SIZE_MAX if there is none. */
static size_t
name_len(const struct hqnplog_table *t, size_t at)
{
	for (size_t i = at; i < t->len; i++) {
		if (!t->at[i])
			return i - at;
		if (t->at[i] < 0x20 || t->at[i] == 0x7F)
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

static bool
ends_at(const struct hqnplog_table *t, size_t end)
{
	if (t->len - end > 8)
		return false;
	for (; end < t->len; end++)
		if (t->at[end])
			return false;
	return true;
}

/* Reads n consecutive strings at `at`. */
static bool
strings(struct hqn_names *out, const struct hqnplog_table *t, size_t at, uint64_t n)
{
	if (n > t->len - at) /* each has its NUL */
		return false;
	out->name = mem_alloc((size_t)n, sizeof *out->name);
	for (out->n = 0; out->n < n; out->n++) {
		size_t len = name_len(t, at);
		if (len == SIZE_MAX)
			return false;
		out->name[out->n].at = (uint32_t)at;
		out->name[out->n].len = (uint32_t)len;
		at += len + 1;
	}
	return ends_at(t, at);
}

static bool
counted(struct hqn_names *out, const struct hqnplog_table *t, size_t width)
{
	return t->len >= width && strings(out, t, width, hqnplog_names_number(t, 0, width));
}

static bool
uncounted(struct hqn_names *out, const struct hqnplog_table *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->len; i++)
		n += !t->at[i];
	return t->len && strings(out, t, 0, n);
}

static bool
offsets(struct hqn_names *out, const struct hqnplog_table *t, size_t count_width, size_t width,
	bool from_file)
{
	if (t->len < count_width)
		return false;
	uint64_t n = hqnplog_names_number(t, 0, count_width);
	if (n > (t->len - count_width) / width)
		return false;
	size_t first = count_width + (size_t)n * width, end = first;
	out->name = mem_alloc((size_t)n, sizeof *out->name);
	for (out->n = 0; out->n < n; out->n++) {
		uint64_t at = hqnplog_names_number(t, count_width + out->n * width, width);
		at -= from_file ? t->offset : 0; /* too small a one wraps, and fails */
		if (at < first || at >= t->len || (at > first && t->at[at - 1]))
			return false; /* no name begins there */
		size_t len = name_len(t, (size_t)at);
		if (len == SIZE_MAX)
			return false;
		out->name[out->n].at = (uint32_t)at;
		out->name[out->n].len = (uint32_t)len;
		end = (size_t)at + len + 1 > end ? (size_t)at + len + 1 : end;
	}
	return ends_at(t, end);
}

#define STRINGS_ALONE 2

static bool
reading(struct hqn_names *out, const struct hqnplog_table *t, unsigned i)
{
	switch (i) {
	case 0:
		out->form = "64-bit count, strings";
		return counted(out, t, 8);
	case 1:
		out->form = "32-bit count, strings";
		return counted(out, t, 4);
	case STRINGS_ALONE:
		out->form = "strings alone";
		return uncounted(out, t);
	}
	i -= 3;
	out->form = "count, offsets, strings";
	return offsets(out, t, i & 4 ? 4 : 8, i & 2 ? 4 : 8, i & 1);
}

bool
hqn_names_read(struct hqn_names *out, const uint8_t *at, size_t len, uint64_t offset,
	       bool big_endian, uint64_t ids)
{
	struct hqnplog_table t = {.at = at, .len = len, .offset = offset, .big_endian = big_endian};

	/* one damaged entry must not take all names away: then a form that counts its names fits,
	 * too */
	for (unsigned i = 0; i < 2 * (3 + 8); i++) {
		bool all = i < 3 + 8;
		*out = (struct hqn_names){0};
		if (reading(out, &t, i % (3 + 8)) &&
		    (all ? ids <= out->n : out->n && i % (3 + 8) != STRINGS_ALONE))
			return true;
		hqn_names_release(out);
	}
	return false;
}

void
hqn_names_release(struct hqn_names *t)
{
	free(t->name);
	*t = (struct hqn_names){0};
}
