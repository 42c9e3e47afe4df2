#include "tests/lib/encode_br.h"

#include <string.h>

/* "Profiler File Layout": a type byte, then numbers in network byte order. */

static void
number(struct buf *out, uint64_t v, int bytes)
{
	while (bytes--)
		buf_addc(out, (char)(v >> 8 * bytes));
}

void
br_map(struct buf *out, uint16_t module, const char *file)
{
	number(out, 1, 1);
	number(out, module, 2);
	number(out, strlen(file), 2);
	buf_adds(out, file);
}

static void
place(struct buf *out, int tag, uint16_t module, uint32_t line, uint8_t clause)
{
	number(out, (uint64_t)tag, 1);
	number(out, module, 2);
	number(out, line, 4);
	number(out, clause, 1);
}

void
br_current(struct buf *out, uint16_t module, uint32_t line, uint8_t clause)
{
	place(out, 3, module, line, clause);
}

void
br_time(struct buf *out, uint64_t ns)
{
	number(out, 4, 1);
	number(out, ns, 8);
}

void
br_backtrace(struct buf *out, uint16_t module, uint32_t line, uint8_t clause)
{
	place(out, 5, module, line, clause);
}

void
br_end(struct buf *out)
{
	number(out, 6, 1);
}

void
br_function(struct buf *out, const char *name)
{
	number(out, 7, 1);
	number(out, strlen(name), 1);
	buf_adds(out, name);
}

void
br_gosub(struct buf *out)
{
	number(out, 8, 1);
}

void
br_main(struct buf *out)
{
	number(out, 9, 1);
}
