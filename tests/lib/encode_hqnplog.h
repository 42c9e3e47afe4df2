/* encode_hqnplog.h - writes Harlequin probe logs as probelog.h describes them. */
#ifndef PNAV_TESTS_LIB_ENCODE_HQNPLOG_H
#define PNAV_TESTS_LIB_ENCODE_HQNPLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

struct hqn_record {
	uint64_t time, duration, thread;
	uint32_t trace, type;
	uint64_t designator;
};

/* The readings of a name table that pnav-formats(7) lists. */
enum hqn_form {
	FORM_U64,
	FORM_U32,
	FORM_STRINGS,
	FORM_OFFSETS,
	FORM_FILE_OFFSETS,
	FORMS
};

struct hqn_log {
	const char *const *traces, *const *types; /* ended by NULL */
	const struct hqn_record *records;
	size_t n;
	uint64_t ticks; /* a second */
	bool big_endian, never_closed, names_behind;
	enum hqn_form form;
	unsigned header_more, entry_more; /* bytes beyond 80 and 40 */
};

void hqn_write(struct buf *out, const struct hqn_log *log);

#endif
