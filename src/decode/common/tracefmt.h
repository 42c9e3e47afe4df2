/* tracefmt.h - formats of tracepoints, as files `format` of tracefs have them:
 *
 *	name: sched_switch
 *	ID: 314
 *	format:
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *
 * Trace data of perf and of trace-cmd contain these texts. */
#ifndef PNAV_SRC_DECODE_COMMON_TRACEFMT_H
#define PNAV_SRC_DECODE_COMMON_TRACEFMT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/decode/common/slice.h"

struct tracefmt_field {
	struct text_slice declared, name; /* `char prev_comm[16]`, `prev_comm` */
	uint32_t offset, size;
	bool is_signed;
};

/* Returns the text between `word` and one of `ends`; empty if there is none. */
struct text_slice tracefmt_behind(struct text_slice t, const char *word, const char *ends);
/* Returns the number at the beginning of the text; UINT32_MAX if it does not fit. */
uint32_t tracefmt_number(struct text_slice t);
/* Takes the next field off the front of *rest, the text of a format; returns false after the last
 * one. */
bool tracefmt_next(struct text_slice *rest, struct tracefmt_field *out);

#endif
