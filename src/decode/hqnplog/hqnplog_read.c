#include "src/decode/hqnplog/hqnplog_read.h"

#include <inttypes.h>

#include "model/base/mem.h"

/* "Harlequin RIP SDK, probelog.h", a header, and tables in any order:
 *
 *	0	8 bytes	"HQNplog\n"
 *	8	u64	byte-order mark, 0x0807060504030201
 *	16	u64	size of this header
 *	24	u64	ticks a second
 *	32	u64	start time
 *	40	u64	offset of the trace names, 48 of the type names, 56 of the entries
 *	64	u64	size of an entry
 *	72	u64	count of entries
 * An entry: u64 timestamp, u64 duration, u64 thread, u32 trace, u32 type, u64 designator.
 *
 *
 * All offsets and sizes come from the file.  They are compared with each other before use, and
 * the memory of a table grows with the bytes that are read, never by its stated size.  Most
 * logs have the names first, so that a pipe is read once. Names after the entries need
 * input_keep(), which allows reading a pipe again. */

#define HEADER_BYTES 80u
#define ENTRY_BYTES 40u
#define ENTRY_MAX (1u << 20)
#define TABLE_MAX (64u << 20) /* names beyond that are not read */

/* ---- header ---- */

bool
hqn_header_read(struct input *in, struct hqn_header *h, struct err *err)
{
	static const uint8_t magic[] = "HQNplog\n", mark[] = {1, 2, 3, 4, 5, 6, 7, 8};
	bool whole = input_need(in, HEADER_BYTES);
	const uint8_t *p = input_at(in);
	size_t have = input_have(in), n = have < 8 ? have : 8;

	*h = (struct hqn_header){0};
	if (have >= 8 && !memcmp(p, magic, 7) && p[7] != '\n')
		return err_refuse(err,
				  "a Harlequin probe log in its text form, whose layout "
				  "is not documented; the binary form can be read");
	if (!n || memcmp(p, magic, n) != 0)
		return err_refuse(err, "does not begin as a Harlequin probe log does");
	if (!whole)
		return err_damage(err, 0, "the file ends within its header");
	if (memcmp(p + 8, mark, 8) != 0) {
		h->big_endian = true;
		if (bytes_u64(p + 8, true) != UINT64_C(0x0807060504030201))
			return err_damage(err, 0, "the byte-order mark is invalid");
	}
	struct cursor c = cursor_over(p + 16, HEADER_BYTES - 16);
	c.big_endian = h->big_endian;
	h->size = cursor_u64(&c);
	h->ticks = cursor_u64(&c);
	h->start = cursor_u64(&c);
	h->table[HQN_TRACES] = cursor_u64(&c);
	h->table[HQN_TYPES] = cursor_u64(&c);
	h->entries = cursor_u64(&c);
	h->entry_size = cursor_u64(&c);
	h->count = cursor_u64(&c);
	if (!h->ticks)
		return err_damage(err, 0, "the clock has 0 ticks a second");
	if (h->size < HEADER_BYTES || h->entries < h->size)
		return err_damage(err, 0,
				  "the entries cannot begin at byte %" PRIu64
				  " after a header of %" PRIu64 " bytes",
				  h->entries, h->size);
	if (h->entry_size < ENTRY_BYTES || h->entry_size > ENTRY_MAX)
		return err_damage(err, 0, "an entry cannot have %" PRIu64 " bytes", h->entry_size);
	return true;
}

uint64_t
hqn_entries_bound(const struct hqn_header *h)
{
	uint64_t bound = UINT64_MAX;

	/* Names at the place of the entries follow them if the log has none, else precede them:
	 * they are a table of 0 bytes then. */
	for (int i = 0; i < HQN_TABLES; i++)
		if (h->table[i] + (h->count == 0) > h->entries && h->table[i] < bound)
			bound = h->table[i];
	return bound;
}

bool
hqn_tables_come_first(const struct hqn_header *h)
{
	return hqn_entries_bound(h) == UINT64_MAX && h->entries <= TABLE_MAX;
}

/* Returns the upper bound of a table: the beginning of the next part; UINT64_MAX: the file's
 * end. */
static uint64_t
table_bound(const struct hqn_header *h, enum hqn_which i)
{
	uint64_t at = h->table[i], bound = UINT64_MAX;
	const uint64_t others[] = {h->table[HQN_TRACES], h->table[HQN_TYPES], h->entries};

	for (size_t k = 0; k < 3; k++)
		if (others[k] > at && others[k] < bound)
			bound = others[k];
	return bound;
}

void
hqn_table_load(struct input *in, const struct hqn_header *h, enum hqn_which i,
	       struct hqn_table *out)
{
	uint64_t at = h->table[i], len = table_bound(h, i) - at;

	*out = (struct hqn_table){0};
	if (at < h->size)
		return;
	if (hqn_tables_come_first(h)) { /* the window still begins at byte 0 */
		if (at + len > h->entries || !input_need(in, (size_t)h->entries))
			return;
		out->at = mem_alloc((size_t)len, 1);
		memcpy(out->at, input_at(in) + at, (size_t)len);
	} else {
		if (!input_seek(in, at))
			return;
		input_need(in, len < TABLE_MAX ? (size_t)len : TABLE_MAX);
		len = input_have(in) < len ? input_have(in) : len;
		if (len > TABLE_MAX)
			return;
		out->at = mem_alloc((size_t)len, 1);
		memcpy(out->at, input_at(in), (size_t)len);
	}
	out->len = (size_t)len;
}

bool
hqn_table_peek(struct input *in, const struct hqn_header *h, enum hqn_which i,
	       struct hqn_table *out)
{
	uint64_t at = h->table[i], end = table_bound(h, i), size = input_size(in);

	*out = (struct hqn_table){0};
	end = end == UINT64_MAX ? size : end;
	if (at < h->size || end <= at || end - at > TABLE_MAX || end > size)
		return false;
	out->at = mem_alloc((size_t)(end - at), 1);
	out->len = (size_t)(end - at);
	return input_read_at(in, at, out->at, out->len);
}

bool
hqn_entries_reach(struct input *in, const struct hqn_header *h,
		  struct hqn_table raw[HQN_TABLES], struct err *err)
{
	if (hqn_tables_come_first(h))
		for (int i = 0; i < HQN_TABLES; i++)
			hqn_table_load(in, h, (enum hqn_which)i, &raw[i]);
	else
		input_keep(in);
	if (input_discard(in, h->entries))
		return true;
	return err_damage(err, 0, "the file ends before the entries, which begin at byte %" PRIu64,
			  h->entries);
}
