/* hqnplog_names.h - the two name tables of a Harlequin probe log. */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_NAMES_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The places of the names in the bytes of a table, by id.  Zero-initialised is empty. */
struct hqn_names {
	struct hqn_name {
		uint32_t at, len;
	} * name;
	uint32_t n;
	const char *form; /* how the table was read; NULL when no reading fits */
};

/* Reads a table of `len` bytes that lies at `offset` in the file and reaches to the next
 * one.  ids: how many the entries use (the largest and one).  False when nothing fits. */
bool hqn_names_read(struct hqn_names *t, const uint8_t *at, size_t len, uint64_t offset,
		    bool big_endian, uint64_t ids);
void hqn_names_release(struct hqn_names *t);

#endif
