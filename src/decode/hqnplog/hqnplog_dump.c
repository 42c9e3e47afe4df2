/* hqnplog_dump.c - see hqnplog_dump.h.
 *
 * Prints the records in the order of the file: the header, the tables of names before or after
 * the entries, and the entries, including unused space. */
#include "src/decode/hqnplog/hqnplog_dump.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/buf.h"
#include "src/decode/hqnplog/hqnplog_names.h"
#include "src/decode/hqnplog/hqnplog_read.h"

static bool
dump_table(struct dump *out, const struct hqn_header *h, enum hqn_which i,
	   const struct hqn_table *raw)
{
	static const char *const word[HQN_TABLES] = {[HQN_TRACES] = "trace", [HQN_TYPES] = "type"};
	struct hqn_names names;
	struct buf scratch = BUF_INIT;
	bool good = true;

	if (!hqn_names_read(&names, raw->at, raw->len, h->table[i], h->big_endian, 0))
		return dump_record(out, h->table[i], "%s names: %zu bytes, not readable",
				   word[i], raw->len);
	for (uint32_t k = 0; k < names.n && good; k++)
		good = dump_record(
			out, h->table[i] + names.name[k].at, "%s id=%" PRIu32 " %s", word[i], k,
			dump_bytes(out, &scratch, raw->at + names.name[k].at, names.name[k].len));
	hqn_names_release(&names);
	buf_release(&scratch);
	return good;
}

static bool
dump_tables(struct dump *out, const struct hqn_header *h, struct hqn_table raw[HQN_TABLES])
{
	enum hqn_which first = h->table[HQN_TRACES] <= h->table[HQN_TYPES] ? HQN_TRACES : HQN_TYPES;
	enum hqn_which second = first == HQN_TRACES ? HQN_TYPES : HQN_TRACES;

	return dump_table(out, h, first, &raw[first]) && dump_table(out, h, second, &raw[second]);
}

static bool
dump_entries(struct input *in, struct dump *out, const struct hqn_header *h, bool *good,
	     struct err *err)
{
	uint64_t bound = hqn_entries_bound(h), offset;

	for (uint64_t n = 0; !h->count || n < h->count; n++) {
		offset = input_offset(in);
		if (bound != UINT64_MAX && bound - offset < h->entry_size)
			return true;
		if (!input_need(in, (size_t)h->entry_size)) {
			if (input_have(in) && !input_stopped(in))
				*good = err_damage(err, offset,
						   "the file ends within an entry");
			return true;
		}
		struct hqn_entry e = hqn_entry_at(h, input_at(in));
		if (!dump_record(out, offset,
				 "entry time=%" PRIu64 " duration=%" PRIu64 " thread=0x%" PRIx64
				 " trace=%" PRIu32 " type=%" PRIu32 " designator=0x%" PRIx64,
				 e.time, e.duration, e.thread, e.trace, e.type, e.designator))
			return false;
		input_skip(in, (size_t)h->entry_size);
	}
	return true;
}

bool
hqnplog_dump(struct input *in, struct dump *out, struct err *err)
{
	struct hqn_header h;
	struct hqn_table raw[HQN_TABLES] = {0};
	bool good = hqn_header_read(in, &h, err), written;

	if (!good)
		return false;
	written = dump_record(out, 0,
			      "header %s-endian size=%" PRIu64 " ticks=%" PRIu64 " start=%" PRIu64
			      " traces=%" PRIu64 " types=%" PRIu64 " entries=%" PRIu64
			      " entry_size=%" PRIu64 " count=%" PRIu64,
			      h.big_endian ? "big" : "little", h.size, h.ticks, h.start,
			      h.table[HQN_TRACES], h.table[HQN_TYPES], h.entries, h.entry_size,
			      h.count);
	good = written && hqn_entries_reach(in, &h, raw, err);
	if (good && hqn_tables_come_first(&h))
		written = dump_tables(out, &h, raw);
	if (good && written)
		written = dump_entries(in, out, &h, &good, err);
	if (good && written && !hqn_tables_come_first(&h)) {
		for (int i = 0; i < HQN_TABLES; i++)
			hqn_table_load(in, &h, (enum hqn_which)i, &raw[i]);
		dump_tables(out, &h, raw);
	}
	for (int i = 0; i < HQN_TABLES; i++)
		free(raw[i].at);
	return good || !err_is_set(err);
}
