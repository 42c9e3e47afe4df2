#include "tests/lib/encode_perf.h"

void
perf_put(struct perf_pipe *e, uint64_t v, size_t n)
{
	char bytes[8];
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(v >> 8 * (e->swap ? n - 1 - i : i));
	buf_add(&e->out, bytes, n);
}

size_t
perf_begin_record(struct perf_pipe *e, uint32_t type, uint16_t misc)
{
	size_t at = e->out.len;
	perf_put(e, type, 4);
	perf_put(e, misc, 2);
	perf_put(e, 0, 2);
	return at;
}

void
perf_end_record(struct perf_pipe *e, size_t at)
{
	size_t size = e->out.len - at;
	e->out.at[at + 6] = (char)(e->swap ? size >> 8 : size);
	e->out.at[at + 7] = (char)(e->swap ? size : size >> 8);
}

void
perf_put_flags(struct perf_pipe *e, uint64_t flags)
{
	for (unsigned byte = 0; byte < 8; byte++) {
		unsigned v = flags >> 8 * byte & 0xff, reversed = 0;
		for (unsigned i = 0; i < 8; i++)
			reversed |= (v >> i & 1) << (7 - i);
		buf_addc(&e->out, (char)(e->swap ? reversed : v));
	}
}

void
perf_begin(struct perf_pipe *e, bool swap)
{
	*e = (struct perf_pipe){.swap = swap};
	buf_adds(&e->out, swap ? "2ELIFREP" : "PERFILE2");
	perf_put(e, 16, 8);
}

void
perf_put_event(struct perf_pipe *e, uint64_t config, uint64_t sample_type,
	       uint64_t read_format, uint64_t id)
{
	size_t at = perf_begin_record(e, 64, 0);
	perf_put(e, 1, 4);
	perf_put(e, 80, 4);
	perf_put(e, config, 8);
	perf_put(e, 17, 8);
	perf_put(e, sample_type, 8);
	perf_put(e, read_format, 8);
	perf_put_flags(e, 1u << 18);
	for (unsigned i = 0; i < 4; i++)
		perf_put(e, 0, 8);
	perf_put(e, id, 8);
	perf_end_record(e, at);
}

void
perf_put_round(struct perf_pipe *e)
{
	perf_end_record(e, perf_begin_record(e, 68, 0));
}

struct decoded
perf_decoded(const struct perf_pipe *e)
{
	return decoded(decoder_named("perfdata"), &e->out, FROM_BYTES, NULL);
}
