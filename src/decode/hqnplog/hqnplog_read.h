/* hqnplog_read.h - reads the bytes of a Harlequin probe log: header, name tables, entries. Decoding
 * and dumping share it: it knows positions, not meanings.
 *
 *	hqn_header_read(in, &h, err)
 *	hqn_entries_reach(in, &h, tables, err)	-- the window is at the first entry
 *	hqn_entry_at(&h, input_at(in)) ...
 *	hqn_table_load(in, &h, i, &table)	-- unless hqn_tables_come_first(&h) */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_READ_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/cursor.h"
#include "src/input/input.h"

enum hqn_which { HQN_TRACES, HQN_TYPES, HQN_TABLES };

struct hqn_header {
	bool big_endian;
	uint64_t size, ticks, start, table[HQN_TABLES], entries, entry_size, count;
};

struct hqn_entry {
	uint64_t time, duration, thread, designator;
	uint32_t trace, type;
};

/* The bytes of a name table; owned. */
struct hqn_table {
	uint8_t *at;
	size_t len;
};

/* Returns false with damage at byte 0, or with a refusal. The window stays at byte 0. */
bool hqn_header_read(struct input *in, struct hqn_header *h, struct err *err);
/* Returns the end of the entries, the beginning of the first table after them; UINT64_MAX if there
 * is none. */
uint64_t hqn_entries_bound(const struct hqn_header *h);
/* Returns true if both tables precede the entries, close enough to be read on the way. */
bool hqn_tables_come_first(const struct hqn_header *h);
/* Copies a table from any position; it stays empty if it is missing. */
void hqn_table_load(struct input *in, const struct hqn_header *h, enum hqn_which i,
		    struct hqn_table *out);
/* The same while entries are read; restores the position. Returns false if that is impossible. */
bool hqn_table_peek(struct input *in, const struct hqn_header *h, enum hqn_which i,
		    struct hqn_table *out);
/* Moves to the entries; copies tables on the way. */
bool hqn_entries_reach(struct input *in, const struct hqn_header *h,
		       struct hqn_table raw[HQN_TABLES], struct err *err);

static inline struct hqn_entry
hqn_entry_at(const struct hqn_header *h, const uint8_t *p)
{
	return (struct hqn_entry){
		.time = bytes_u64(p, h->big_endian),
		.duration = bytes_u64(p + 8, h->big_endian),
		.thread = bytes_u64(p + 16, h->big_endian),
		.trace = bytes_u32(p + 24, h->big_endian),
		.type = bytes_u32(p + 28, h->big_endian),
		.designator = bytes_u64(p + 32, h->big_endian),
	};
}

#endif
