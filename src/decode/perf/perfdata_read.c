/* Parses records, events and samples of perf.data, byte by byte.
 *
 * A sample has no fixed layout: its event's sample_type selects the fields, in the order of this
 * file; several of them have a length of their own. Every length is checked here against the
 * remaining bytes, and nowhere else. Of the fields after the copied stack only the control group is
 * read; the rest (page sizes, AUX data) is not needed.
 *
 * Files may come from a machine with the other byte order. Numbers are swapped as they are read,
 * each in its own width; the flags of an event are bit fields, which a big-endian compiler numbers
 * from the other end of each byte.
 *
 * Rejected: swapping whole records before parsing (perf does this, and then has to restore every
 * pair of 32-bit fields). */
#include "src/decode/perf/perfdata_read.h"

const char *
perfdata_type_name(uint32_t type)
{
	static const char *const names[] = {
		[1] = "MMAP",
		[2] = "LOST",
		[3] = "COMM",
		[4] = "EXIT",
		[5] = "THROTTLE",
		[6] = "UNTHROTTLE",
		[7] = "FORK",
		[8] = "READ",
		[9] = "SAMPLE",
		[10] = "MMAP2",
		[11] = "AUX",
		[12] = "ITRACE_START",
		[13] = "LOST_SAMPLES",
		[14] = "SWITCH",
		[15] = "SWITCH_CPU_WIDE",
		[16] = "NAMESPACES",
		[17] = "KSYMBOL",
		[18] = "BPF_EVENT",
		[19] = "CGROUP",
		[20] = "TEXT_POKE",
		[21] = "AUX_OUTPUT_HW_ID",
		[22] = "CALLCHAIN_DEFERRED",
		[64] = "HEADER_ATTR",
		[65] = "HEADER_EVENT_TYPE",
		[66] = "HEADER_TRACING_DATA",
		[67] = "HEADER_BUILD_ID",
		[68] = "FINISHED_ROUND",
		[69] = "ID_INDEX",
		[70] = "AUXTRACE_INFO",
		[71] = "AUXTRACE",
		[72] = "AUXTRACE_ERROR",
		[73] = "THREAD_MAP",
		[74] = "CPU_MAP",
		[75] = "STAT_CONFIG",
		[76] = "STAT",
		[77] = "STAT_ROUND",
		[78] = "EVENT_UPDATE",
		[79] = "TIME_CONV",
		[80] = "HEADER_FEATURE",
		[81] = "COMPRESSED",
		[82] = "FINISHED_INIT",
		[83] = "COMPRESSED2",
		[84] = "BPF_METADATA",
		[85] = "SCHEDSTAT_CPU",
		[86] = "SCHEDSTAT_DOMAIN",
	};
	return type < sizeof names / sizeof *names ? names[type] : NULL;
}

struct cursor
perfdata_over(const uint8_t *at, size_t len, bool big_endian)
{
	struct cursor r = cursor_over(at, len);
	r.big_endian = big_endian;
	return r;
}

struct cursor
perfdata_body(const struct perfdata_record *rec, bool big_endian)
{
	return perfdata_over(rec->at + PERFDATA_HEADER, rec->size - PERFDATA_HEADER,
			     big_endian);
}

/* ---- events ---- */

static uint8_t
reversed(uint8_t byte)
{
	uint8_t out = 0;
	for (unsigned i = 0; i < 8; i++)
		out |= (uint8_t)((byte >> i & 1) << (7 - i));
	return out;
}

/* bit n of the result is flag n of perf_event.h in either byte order */
static uint64_t
read_flags(const uint8_t *at, bool big_endian)
{
	uint64_t flags = 0;
	for (unsigned i = 0; i < 8; i++)
		flags |= (uint64_t)(big_endian ? reversed(at[i]) : at[i]) << (8 * i);
	return flags;
}

#define NOWHERE 0xFFu

/* Computes the positions of a sample's fields of one word each, in their order. */
static void
perfdata_read_lay_out(struct perfdata_attr *a)
{
	static const unsigned field[] = {
		PERFDATA_HAS_IDENTIFIER, PERFDATA_HAS_IP,     PERFDATA_HAS_TID,
		PERFDATA_HAS_TIME,       PERFDATA_HAS_ADDR,   PERFDATA_HAS_ID,
		PERFDATA_HAS_STREAM_ID,  PERFDATA_HAS_CPU,    PERFDATA_HAS_PERIOD,
	};
	uint8_t at[sizeof field / sizeof *field], words = 0;

	for (size_t i = 0; i < sizeof field / sizeof *field; i++)
		at[i] = a->sample_type & field[i] ? words++ : NOWHERE;
	a->layout = (struct perfdata_layout){
		.id = at[5] != NOWHERE ? at[5] : at[0],
		.ip = at[1],
		.tid = at[2],
		.time = at[3],
		.cpu = at[7],
		.period = at[8],
		.words = words,
	};
	a->fixed = !(a->sample_type &
		     (PERFDATA_HAS_READ | PERFDATA_HAS_RAW | PERFDATA_HAS_BRANCH_STACK |
		      PERFDATA_HAS_REGS_USER | PERFDATA_HAS_STACK_USER | PERFDATA_HAS_CGROUP));
}

/* perf_event_attr:
 *	 0 u32 type         16 u64 period/freq   40 u64 flags        72 u64 branch_type
 *	 4 u32 size         24 u64 sample_type   48 u32 wakeup       80 u64 regs_user
 *	 8 u64 config       32 u64 read_format   52 u32 bp, 56, 64   88 u32 stack_user, clock
 *	                                                             96 u64 regs_intr
 *	                                                            108 u16 max_stack */
struct perfdata_attr
perfdata_attr(const uint8_t *at, size_t size, bool big_endian)
{
	struct perfdata_attr a = {0};
	struct cursor r = perfdata_over(at, size, big_endian);
	a.type = cursor_u32(&r);
	cursor_u32(&r);
	a.config = cursor_u64(&r);
	a.period = cursor_u64(&r);
	a.sample_type = cursor_u64(&r);
	a.read_format = cursor_u64(&r);
	const uint8_t *flags = cursor_bytes(&r, 8);
	if (flags)
		a.flags = read_flags(flags, big_endian);
	cursor_bytes(&r, 24);
	a.branch_type = cursor_u64(&r);
	a.user_registers = cursor_u64(&r);
	cursor_u32(&r);
	a.clock = cursor_u32(&r);
	a.intr_registers = cursor_u64(&r);
	cursor_u32(&r);
	a.max_stack = cursor_u16(&r);
	perfdata_read_lay_out(&a);
	return a;
}

/* ---- samples ---- */

/* read_format: bit 0 time_enabled, 1 time_running, 2 id, 3 group, 4 lost.
 *	one:    value  [enabled] [running] [id] [lost]
 *	group:  n  [enabled] [running]  n × (value [id] [lost]) */
static void
perfdata_read_values(struct cursor *r, const struct perfdata_attr *a, struct perfdata_sample *out)
{
	uint64_t f = a->read_format;
	uint64_t times = (f & 1) + (f >> 1 & 1), each = 1 + (f >> 2 & 1) + (f >> 4 & 1);
	if (!(f >> 3 & 1)) {
		out->values = r->at;
		out->n_values = 1;
		cursor_bytes(r, 8 * (uint64_t)(times + each));
		return;
	}
	uint64_t n = cursor_u64(r);
	cursor_bytes(r, 8 * (uint64_t)times);
	out->values = r->at;
	if (n > cursor_left(r) / (8 * (uint64_t)each)) {
		r->bad = true;
		return;
	}
	out->n_values = (uint32_t)n;
	cursor_bytes(r, n * each * 8);
}

void
perfdata_value(const struct perfdata_sample *s, const struct perfdata_attr *a,
	       bool big_endian, uint32_t i, uint64_t *value, uint64_t *id)
{
	uint64_t f = a->read_format;
	bool has_id = f >> 2 & 1;
	if (!(f >> 3 & 1)) {
		unsigned times = (f & 1) + (f >> 1 & 1);
		*value = perfdata_word(s->values, 0, big_endian);
		*id = has_id ? perfdata_word(s->values, 1 + times, big_endian) : s->id;
		return;
	}
	uint64_t each = 1u + has_id + (f >> 4 & 1);
	*value = perfdata_word(s->values, i * each, big_endian);
	*id = has_id ? perfdata_word(s->values, i * each + 1, big_endian)
		     : s->id;
}

/* Replaces the callers in the user part of a chain, which frame pointers gave, by n calls that the
 * processor kept, the innermost first.  The address of the sample stays: it is more exact than the
 * target of the first call. */
static void
use_calls(struct perfdata_sample *s, const uint8_t *call, uint64_t n, bool big_endian)
{
	uint64_t i = 0;

	while (i < s->n_chain && perfdata_word(s->chain, i, big_endian) != PERFDATA_CONTEXT_USER)
		i++;
	if (i == s->n_chain)
		return;
	s->n_chain = i + 2 < s->n_chain ? i + 2 : s->n_chain;
	s->calls.at = call;
	s->calls.n = n;
}

/* u64 nr, [u64 index of the newest], nr × (from, to, flags), [nr counters] */
static void
read_branches(struct cursor *r, const struct perfdata_attr *a, struct perfdata_sample *out)
{
	bool calls = a->branch_type >> 11 & 1, index = a->branch_type >> 17 & 1,
	     counters = a->branch_type >> 19 & 1;
	uint64_t n = cursor_u64(r), each = 8 * PERFDATA_CALL_WORDS;

	if (index)
		cursor_u64(r);
	if (n > cursor_left(r) / each) {
		r->bad = true;
		return;
	}
	if (calls && n)
		use_calls(out, r->at, n, r->big_endian);
	cursor_bytes(r, n * each + (counters ? n * 8 : 0));
}

static void
read_user_state(struct cursor *r, const struct perfdata_attr *a,
		struct perfdata_sample *out)
{
	uint64_t type = a->sample_type;
	if (type & PERFDATA_HAS_REGS_USER) {
		out->user.abi = cursor_u64(r);
		if (out->user.abi)
			out->user.registers = cursor_bytes(
				r, 8 * (uint64_t)__builtin_popcountll(a->user_registers));
	}
	if (type & PERFDATA_HAS_STACK_USER) {
		uint64_t size = cursor_u64(r);
		if (size) {
			out->user.stack = cursor_bytes(r, size);
			/* how much of it was really copied */
			out->user.stack_len = cursor_u64(r);
			if (out->user.stack_len > size)
				out->user.stack_len = size;
		}
	}
}

/* Reads the fields between the copied stack and the control group, and the control group. */
static void
read_cgroup(struct cursor *r, const struct perfdata_attr *a, struct perfdata_sample *out)
{
	uint64_t type = a->sample_type;

	if (!(type & PERFDATA_HAS_CGROUP))
		return;
	if (type & (PERFDATA_HAS_WEIGHT | PERFDATA_HAS_WEIGHT_STRUCT))
		cursor_u64(r);
	if (type & PERFDATA_HAS_DATA_SRC)
		cursor_u64(r);
	if (type & PERFDATA_HAS_TRANSACTION)
		cursor_u64(r);
	if (type & PERFDATA_HAS_REGS_INTR && cursor_u64(r))
		cursor_bytes(r, 8 * (uint64_t)__builtin_popcountll(a->intr_registers));
	if (type & PERFDATA_HAS_PHYS_ADDR)
		cursor_u64(r);
	out->cgroup = cursor_u64(r);
}

static uint64_t
word_or(const uint8_t *words, uint8_t at, uint64_t none)
{
	return at != NOWHERE ? perfdata_word(words, at, false) : none;
}

/* Reads the usual sample: a few words, and perhaps a chain. */
static bool
fixed_sample(const struct perfdata_record *rec, const struct perfdata_attr *a,
	     struct perfdata_sample *out)
{
	const uint8_t *words = rec->at + PERFDATA_HEADER;
	size_t len = rec->size - PERFDATA_HEADER, head = 8u * a->layout.words;
	bool chain = a->sample_type & PERFDATA_HAS_CALLCHAIN;

	if (len < head + 8u * chain)
		return false;
	*out = (struct perfdata_sample){
		.ip = word_or(words, a->layout.ip, 0),
		.time = word_or(words, a->layout.time, 0),
		.id = word_or(words, a->layout.id, 0),
		.period = word_or(words, a->layout.period, a->period),
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.cpu = (uint32_t)word_or(words, a->layout.cpu, UINT32_MAX),
		.has_time = a->layout.time != NOWHERE,
		.has_id = a->layout.id != NOWHERE,
	};
	if (a->layout.tid != NOWHERE) {
		out->pid = bytes_u32(words + 8u * a->layout.tid, false);
		out->tid = bytes_u32(words + 8u * a->layout.tid + 4, false);
	}
	if (!chain)
		return true;
	out->n_chain = perfdata_word(words, a->layout.words, false);
	out->chain = words + head + 8;
	return out->n_chain <= (len - head - 8) / 8;
}

bool
perfdata_sample(const struct perfdata_record *rec, const struct perfdata_attr *a,
		bool big_endian, struct perfdata_sample *out)
{
	if (a->fixed && !big_endian)
		return fixed_sample(rec, a, out);
	struct cursor r = perfdata_body(rec, big_endian);
	uint64_t type = a->sample_type;
	*out = (struct perfdata_sample){
		.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX, .period = a->period};
	if (type & PERFDATA_HAS_IDENTIFIER)
		out->id = cursor_u64(&r);
	if (type & PERFDATA_HAS_IP)
		out->ip = cursor_u64(&r);
	if (type & PERFDATA_HAS_TID) {
		out->pid = cursor_u32(&r);
		out->tid = cursor_u32(&r);
	}
	if (type & PERFDATA_HAS_TIME)
		out->time = cursor_u64(&r);
	out->has_time = type & PERFDATA_HAS_TIME;
	if (type & PERFDATA_HAS_ADDR)
		cursor_u64(&r);
	if (type & PERFDATA_HAS_ID)
		out->id = cursor_u64(&r);
	out->has_id = type & (PERFDATA_HAS_ID | PERFDATA_HAS_IDENTIFIER);
	if (type & PERFDATA_HAS_STREAM_ID)
		cursor_u64(&r);
	if (type & PERFDATA_HAS_CPU) {
		out->cpu = cursor_u32(&r);
		cursor_u32(&r);
	}
	if (type & PERFDATA_HAS_PERIOD)
		out->period = cursor_u64(&r);
	if (type & PERFDATA_HAS_READ)
		perfdata_read_values(&r, a, out);
	if (type & PERFDATA_HAS_CALLCHAIN) {
		out->n_chain = cursor_u64(&r);
		out->chain = r.at;
		if (out->n_chain > cursor_left(&r) / 8)
			r.bad = true;
		else
			cursor_bytes(&r, out->n_chain * 8);
	}
	if (type & PERFDATA_HAS_RAW) {
		out->raw_len = cursor_u32(&r);
		out->raw = cursor_bytes(&r, out->raw_len);
	}
	if (type & PERFDATA_HAS_BRANCH_STACK)
		read_branches(&r, a, out);
	if (!r.bad)
		read_user_state(&r, a, out);
	if (!r.bad)
		read_cgroup(&r, a, out);
	return !r.bad;
}

uint32_t
perfdata_id_position(uint64_t sample_type)
{
	static const unsigned before[] = {PERFDATA_HAS_IP, PERFDATA_HAS_TID,
					  PERFDATA_HAS_TIME, PERFDATA_HAS_ADDR};
	uint32_t at = 0;
	if (sample_type & PERFDATA_HAS_IDENTIFIER)
		return 0;
	if (!(sample_type & PERFDATA_HAS_ID))
		return UINT32_MAX;
	for (size_t i = 0; i < sizeof before / sizeof *before; i++)
		at += sample_type & before[i] ? 8 : 0;
	return at;
}

/* [pid, tid] [time] [id] [stream_id] [cpu, res] [identifier], up to the record's end */
void
perfdata_trailer(const struct perfdata_record *rec, const struct perfdata_attr *a,
		 bool big_endian, struct perfdata_sample *out)
{
	static const unsigned fields[] = {
		PERFDATA_HAS_IDENTIFIER, PERFDATA_HAS_CPU,  PERFDATA_HAS_STREAM_ID,
		PERFDATA_HAS_ID,         PERFDATA_HAS_TIME, PERFDATA_HAS_TID,
	};
	size_t end = (rec->size - PERFDATA_HEADER) / 8;
	const uint8_t *words = rec->at + PERFDATA_HEADER;
	*out = (struct perfdata_sample){.cpu = UINT32_MAX};
	if (!perfdata_flag(a, PERFDATA_SAMPLE_ID_ALL))
		return;
	for (size_t i = 0; i < sizeof fields / sizeof *fields && end; i++) {
		if (!(a->sample_type & fields[i]))
			continue;
		uint64_t word = perfdata_word(words, --end, big_endian);
		if (fields[i] == PERFDATA_HAS_TIME) {
			out->time = word;
			out->has_time = true;
		} else if (fields[i] == PERFDATA_HAS_TID) {
			out->pid = bytes_u32(words + end * 8, big_endian);
			out->tid = bytes_u32(words + end * 8 + 4, big_endian);
			out->has_tid = true;
		} else if (fields[i] == PERFDATA_HAS_CPU) {
			out->cpu = bytes_u32(words + end * 8, big_endian);
		} else if (fields[i] == PERFDATA_HAS_ID ||
			   fields[i] == PERFDATA_HAS_IDENTIFIER) {
			out->id = word;
			out->has_id = true;
		}
	}
}
