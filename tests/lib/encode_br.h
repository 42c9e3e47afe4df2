/* encode_br.h - writes BR profiler logs, record by record as their document has them. */
#ifndef PNAV_TESTS_LIB_ENCODE_BR_H
#define PNAV_TESTS_LIB_ENCODE_BR_H

#include <stdint.h>

#include "model/base/buf.h"

void br_map(struct buf *out, uint16_t module, const char *file);
void br_current(struct buf *out, uint16_t module, uint32_t line, uint8_t clause);
void br_time(struct buf *out, uint64_t ns);
void br_backtrace(struct buf *out, uint16_t module, uint32_t line, uint8_t clause);
void br_function(struct buf *out, const char *name);
void br_gosub(struct buf *out);
void br_main(struct buf *out);
void br_end(struct buf *out);

#endif
