/* encode_bsprof.h - writes .bsprof files, field by field as their specification has them. */
#ifndef PNAV_TESTS_LIB_ENCODE_BSPROF_H
#define PNAV_TESTS_LIB_ENCODE_BSPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"

void bsprof_varint(struct buf *out, uint64_t v);
/* start_ms 1700000000000, "app", ratios 1; `padding` zeros after the fields. */
void bsprof_header(struct buf *out, bool lines, bool memory, unsigned padding);
void bsprof_string(struct buf *out, uint64_t id, const char *text);
void bsprof_module(struct buf *out, uint64_t id, uint64_t string);
void bsprof_root(struct buf *out, uint64_t id, uint64_t module, uint64_t file,
		 uint64_t line, uint64_t function);
/* at: the line offset in the caller, or 0 in a file without line data. */
void bsprof_chained(struct buf *out, uint64_t id, uint64_t caller, uint64_t at,
		    uint64_t file, uint64_t line, uint64_t function);
void bsprof_cpu(struct buf *out, uint64_t path, uint64_t at, uint64_t cpu, uint64_t time);
void bsprof_calls(struct buf *out, uint64_t path, uint64_t count);
void bsprof_alloc(struct buf *out, uint64_t path, uint64_t at, uint64_t address,
		  uint64_t size);
/* op: 1 free, 2 free_realloc */
void bsprof_free(struct buf *out, uint64_t path, uint64_t at, unsigned op,
		 uint64_t address);
void bsprof_end(struct buf *out, uint64_t end_ms);

#endif
