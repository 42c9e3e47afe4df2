/* The raw listing: one record a line, its byte offset first.
 *
 * People and grep read a listing, and tests compare it.  So offsets have a fixed width (more
 * digits if a file needs them), and bytes of the file never reach the terminal raw.  The text
 * is built in memory first: with one fwrite() a record, lines stay whole for any buffering. */
#include "model/base/escape.h"
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdarg.h>

#include "model/base/buf.h"

bool
dump_record(struct dump *d, uint64_t offset, const char *fmt, ...)
{
	struct buf line = BUF_INIT;
	va_list ap;
	buf_addf(&line, "%08" PRIu64 " ", offset);
	va_start(ap, fmt);
	buf_addv(&line, fmt, ap);
	va_end(ap);
	buf_addc(&line, '\n');
	bool written = fwrite(line.at, 1, line.len, d->out) == line.len;
	buf_release(&line);
	return written;
}

const char *
dump_bytes(struct dump *d, struct buf *scratch, const void *bytes, size_t len)
{
	const char *at = bytes;
	buf_reset(scratch);
	buf_addc(scratch, '"');
	while (len) {
		/* Quotes and backslashes are escaped here, the rest by escape_shown(). */
		size_t plain = 0;
		while (plain < len && at[plain] != '"' && at[plain] != '\\')
			plain++;
		escape_shown(scratch, at, plain, d->cp437);
		if (plain < len) {
			buf_addc(scratch, '\\');
			buf_addc(scratch, at[plain++]);
		}
		at += plain;
		len -= plain;
	}
	buf_addc(scratch, '"');
	return buf_str(scratch);
}
