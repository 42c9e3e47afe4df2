/* tracedat_pages.c - the records of trace.dat.
 *
 *	page     u64 time of its first record, long length (bit 31: events were lost before; bit 30:
 *	         their number is behind the records), then records
 *	record   u32: 5 bits type, 27 bits time since the record before (big-endian: type first)
 *	         type 1..28: data of as many words    0: u32 length with itself, data
 *	         29: padding, without time the rest of the page; else u32 length
 *	         30: a u32 with higher bits of the time since    31: of the time
 *
 * Pages of a compressed file come in pieces. The records of all processors are merged by time. */
#include "src/decode/ftrace/tracedat.h"

#include <string.h>

#include "model/base/bisect.h"
#include "model/base/wide.h"
#include "src/input/unzlib.h"
#include "src/input/unzstd.h"

#define BREATHE 4096u

/* ---- pieces ---- */

char *
tracedat_space(struct buf *b, size_t n)
{
	vec_room(b->at, b->cap, b->len + n + 1);
	return b->at + b->len;
}

bool
tracedat_unpack(struct tracedat *t, const void *bytes, size_t len, size_t max, struct buf *out)
{
	struct unzstd *z;
	bool bad = false;
	size_t n;

	if (!t->zstd)
		return unzlib(bytes, len, max, out);
	z = unzstd_new();
	if (!z)
		return false;
	unzstd_feed(z, bytes, len);
	do {
		char *to = tracedat_space(out, 65536);
		n = unzstd_read(z, to, 65536, &bad);
		out->len += n;
	} while (n && !bad && out->len <= max);
	unzstd_free(z);
	return !bad && out->len <= max;
}

/* ---- pages and records ---- */

/* Unpacks the next piece of the processor. Returns false at the end, and with damage. */
static bool
tracedat_piece_next(struct tracedat *t, struct tracedat_cpu *cpu)
{
	struct buf packed = BUF_INIT;
	uint8_t head[8];

	if (!cpu->chunks || !input_read_at(t->in, cpu->at, head, sizeof head))
		return false;
	uint32_t len = bytes_u32(head, t->big), plain = bytes_u32(head + 4, t->big);
	bool good = len <= TRACEDAT_PART_MAX && plain <= TRACEDAT_PART_MAX;
	char *bytes = tracedat_space(&packed, good ? len : 0);
	buf_reset(&cpu->plain);
	good = good && input_read_at(t->in, cpu->at + 8, bytes, len) &&
	       tracedat_unpack(t, bytes, len, plain, &cpu->plain);
	buf_release(&packed);
	cpu->page_at = cpu->at;
	cpu->at += 8 + (uint64_t)len;
	cpu->chunks--;
	cpu->plain_at = 0;
	return (good && cpu->plain.len >= t->page.size) ||
	       err_damage(t->e, cpu->page_at, "pages that cannot be unpacked");
}

/* Returns the offset, or the end of the input if that is before it. */
static uint64_t
within_input(struct tracedat *t, uint64_t offset)
{
	uint8_t byte;

	if (input_read_at(t->in, offset, &byte, 1))
		return offset;
	return bisect(i, offset, input_read_at(t->in, i, &byte, 1));
}

/* Makes the next page of the processor available. Returns false at the end, and with damage. */
static bool
page_next(struct tracedat *t, struct tracedat_cpu *cpu)
{
	if (t->compressed) {
		if (cpu->plain_at + t->page.size > cpu->plain.len && !tracedat_piece_next(t, cpu))
			return false;
		cpu->page = (const uint8_t *)cpu->plain.at + cpu->plain_at;
		cpu->plain_at += t->page.size;
		return true;
	}
	if (cpu->at >= cpu->end)
		return false;
	buf_reset(&cpu->copy);
	char *bytes = tracedat_space(&cpu->copy, t->page.size);
	if (!input_read_at(t->in, cpu->at, bytes, t->page.size))
		return err_damage(t->e, within_input(t, cpu->at), "the file ends within a page");
	cpu->page = (const uint8_t *)bytes;
	cpu->page_at = cpu->at;
	cpu->at += t->page.size;
	return true;
}

/* Begins the page: its time, its length, lost events. */
static bool
page_begin(struct tracedat *t, struct tracedat_cpu *cpu)
{
	const uint8_t *p = cpu->page;
	uint64_t commit = t->page.commit_size == 8 ? bytes_u64(p + t->page.commit_at, t->big)
					      : bytes_u32(p + t->page.commit_at, t->big);
	uint64_t len = commit & 0x7ffffff;

	cpu->page_ns = bytes_u64(p, t->big);
	if (len > t->page.size - t->page.data_at)
		return err_damage(t->e, cpu->page_at, "a page longer than pages are");
	cpu->c = cursor_over(p, t->page.data_at + (size_t)len);
	cpu->c.big_endian = t->big;
	cpu->c.at += t->page.data_at;
	if (!(commit >> 31 & 1) || !t->f)
		return true;
	const uint8_t *lost = p + t->page.data_at + len;
	if (!(commit >> 30 & 1) || len + 8 > t->page.size - t->page.data_at)
		t->f->n.lost++;
	else
		t->f->n.lost += t->page.commit_size == 8 ? bytes_u64(lost, t->big)
						       : bytes_u32(lost, t->big);
	ftrace_lost(t->f, cpu->number);
	return true;
}

/* Reads the next record of the page. Returns false if the page has none. */
static bool
record_in_page(struct tracedat *t, struct tracedat_cpu *cpu)
{
	struct cursor *c = &cpu->c;

	while (cursor_left(c) >= 4) {
		uint64_t at = (uint64_t)(c->at - c->start);
		uint32_t word = cursor_u32(c), n;
		uint32_t type = t->big ? word >> 27 : word & 31;
		uint64_t delta = t->big ? word & 0x7ffffff : word >> 5;
		if (type == 29) { /* padding */
			if (!delta)
				return false;
			n = cursor_u32(c);
			cpu->page_ns += delta;
			cursor_bytes(c, n > 4 ? n - 4 : 0);
			continue;
		}
		if (type == 30 || type == 31) {
			uint64_t high = (uint64_t)cursor_u32(c) << 27;
			if (type == 30)
				cpu->page_ns += high + delta;
			else
				cpu->page_ns = (cpu->page_ns & ~(UINT64_MAX >> 5)) | high | delta;
			continue;
		}
		n = type ? 4 * type : cursor_u32(c);
		if (!type) /* its length counts itself */
			n = n > 4 ? (n - 4 + 3) & ~3u : 0;
		const uint8_t *data = cursor_bytes(c, n);
		cpu->page_ns += delta;
		if (!data)
			return err_damage(t->e, cpu->page_at + at, "a record longer than its page");
		cpu->record = cursor_over(data, n);
		cpu->record.big_endian = t->big;
		cpu->record_at = cpu->page_at + at;
		cpu->record_ns = cpu->page_ns;
		return true;
	}
	return false;
}

static uint64_t
tracedat_ticks_ns(const struct tracedat *t, uint64_t ticks)
{
	wide ns = wide_mul(wide_of_unsigned(ticks), wide_of_unsigned(t->clock.mult));

	return wide_low(wide_div(ns, wide_of_unsigned(UINT64_C(1) << (t->clock.shift & 63))));
}

/* Moves on to the next record of the processor. */
static void
record_next(struct tracedat *t, struct tracedat_cpu *cpu)
{
	cpu->any = false;
	while (!cpu->c.bad) {
		if (cpu->page && record_in_page(t, cpu)) {
			cpu->any = true;
			if (t->clock.mult)
				cpu->record_ns = tracedat_ticks_ns(t, cpu->record_ns);
			return;
		}
		if (cpu->c.bad || !page_next(t, cpu) || !page_begin(t, cpu)) {
			cpu->page = NULL;
			return;
		}
	}
}

bool
tracedat_records(struct tracedat *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->cpu.n; i++)
		record_next(t, &t->cpu.at[i]);
	for (;;) {
		struct tracedat_cpu *first = NULL;
		for (size_t i = 0; i < t->cpu.n; i++) {
			struct tracedat_cpu *cpu = &t->cpu.at[i];
			if (cpu->any && (!first || cpu->record_ns < first->record_ns))
				first = cpu;
		}
		if (!first)
			return true;
		if (first->record_ns > INT64_MAX / 2)
			return err_damage(t->e, first->record_at, "a time that is too late");
		if (!tracedat_take(t, first))
			return false;
		record_next(t, first);
		if (++n % BREATHE == 0)
			input_breathe(t->in);
	}
}
