#include "tests/lib/encode_hqnplog.h"

#include <string.h>

/* The header of 80 bytes, the two name tables, each rounded up to 8 bytes, and entries of 40. The
 * tables may follow the entries, and all may be longer than necessary. */

static void
number(struct buf *out, const struct hqn_log *log, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(out, (char)(v >> 8 * (log->big_endian ? bytes - 1 - i : i)));
}

static void
zeros(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, 0);
}

static void
table(struct buf *out, const struct hqn_log *log, const char *const *names, uint64_t at)
{
	size_t start = out->len, n = 0, where;

	while (names[n])
		n++;
	if (log->form != FORM_STRINGS)
		number(out, log, n, log->form == FORM_U32 ? 4 : 8);
	if (log->form == FORM_OFFSETS || log->form == FORM_FILE_OFFSETS) {
		where = 8 + 8 * n + (log->form == FORM_FILE_OFFSETS ? at : 0);
		for (size_t i = 0; i < n; i++) {
			number(out, log, where, 8);
			where += strlen(names[i]) + 1;
		}
	}
	for (size_t i = 0; i < n; i++)
		buf_add(out, names[i], strlen(names[i]) + 1);
	zeros(out, -(out->len - start) & 7);
}

/* Writes both tables as if they began at byte `at`; *types is the beginning of the second. */
static void
tables(struct buf *out, const struct hqn_log *log, uint64_t at, uint64_t *types)
{
	table(out, log, log->traces, at);
	*types = at + out->len;
	table(out, log, log->types, *types);
}

void
hqn_write(struct buf *out, const struct hqn_log *log)
{
	uint64_t header = 80 + log->header_more, size = 40 + log->entry_more;
	uint64_t traces = header, types, entries = header;
	struct buf names = BUF_INIT;

	if (log->names_behind)
		traces = entries + size * log->n;
	tables(&names, log, traces, &types);
	if (!log->names_behind)
		entries = header + names.len;
	buf_add(out, "HQNplog\n", 8);
	number(out, log, UINT64_C(0x0807060504030201), 8);
	number(out, log, header, 8);
	number(out, log, log->ticks, 8);
	number(out, log, 12345, 8); /* start time */
	number(out, log, traces, 8);
	number(out, log, types, 8);
	number(out, log, entries, 8);
	number(out, log, size, 8);
	number(out, log, log->never_closed ? 0 : log->n, 8);
	zeros(out, log->header_more);
	if (!log->names_behind)
		buf_add(out, names.at, names.len);
	for (size_t i = 0; i < log->n; i++) {
		const struct hqn_record *r = &log->records[i];
		number(out, log, r->time, 8);
		number(out, log, r->duration, 8);
		number(out, log, r->thread, 8);
		number(out, log, r->trace, 4);
		number(out, log, r->type, 4);
		number(out, log, r->designator, 8);
		zeros(out, log->entry_more);
	}
	if (log->names_behind)
		buf_add(out, names.at, names.len);
	buf_release(&names);
}
