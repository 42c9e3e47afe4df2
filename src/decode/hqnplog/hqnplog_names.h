/* hqnplog_names.h - reads the two name tables of a Harlequin probe log. */
#ifndef PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_NAMES_H
#define PNAV_SRC_DECODE_HQNPLOG_HQNPLOG_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions of the names in the bytes of a table, by id. Zero-initialised, it is empty. */
struct hqn_names {
	struct hqn_name {
		uint32_t at, len;
	} * name;
	uint32_t n;
	const char *form; /* the layout of the table; NULL if none fits */
};

/* Reads a table of `len` bytes, which begins at `offset` in the file and extends to the next one.
 * ids: the number of ids in use (the largest plus one). Returns false if no layout fits.
 * The table may have fewer names. */
bool hqn_names_read(struct hqn_names *t, const uint8_t *at, size_t len, uint64_t offset,
		    bool big_endian, uint64_t ids);
void hqn_names_release(struct hqn_names *t);

#endif
