/* Features: sections after the data of a file, or records in a pipe, with the same bytes. perf
 * knows thirty. `info` lists those that `perf script --header` prints on one line, with the same
 * words. Three are used: names of events, build ids, and host and machine, which decide whether
 * files of this machine may be used.
 *
 * A malformed feature is ignored, since samples do not need it. */
#include "src/decode/perf/perfdata_features.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/input/unzlib.h"
#include "src/symbol/embedded.h"

/* ---- embedded names ---- */

/* The section of embedded names (feature 254):
 *
 *	 0 "PNAVNAME"
 *	 8 u32 version, 1       12 u32 compression: 0 none, 1 zlib
 *	16 u64 bytes of what follows once it is inflated
 *	24 what embedded.h reads
 *
 * All numbers are little-endian, whatever the recording's are. */

#define HEAD_SIZE 24u
#define LAYOUT_VERSION 1u
enum { AS_IT_IS, BY_ZLIB };
/* Ordinary sections inflate to three times their size; more than this is meant to exhaust
 * memory. */
#define INFLATED_TIMES 16u
#define INFLATED_FREE (1u << 20)

static void
perfdata_embedded_take(struct perfdata_frames *f, const uint8_t *at, size_t len,
		       uint64_t offset, struct err *e)
{
	struct err why = {0};

	f->embedding.symbols = embedded_read(at, len, &why);
	if (!f->embedding.symbols) {
		err_damage(e, offset, "%s", why.text);
		return;
	}
	struct embedded_sizes n = embedded_sizes(f->embedding.symbols);
	symbols_recorded(f->symbols, f->embedding.symbols);
	if (n.functions) {
		/* views request the code after the recording was read */
		builder_attach(f->b, EMBEDDED_KIND, f->embedding.symbols, embedded_release,
			       embedded_bytes);
		f->embedding.attached = true;
		builder_info(f->b, "embedded",
			     "names at %zu addresses of %zu modules, %zu stacks, the code of %zu "
			     "functions",
			     n.addresses, n.modules, n.stacks, n.functions);
	}
	else
		builder_info(f->b, "embedded", "names at %zu addresses of %zu modules, %zu stacks",
			     n.addresses, n.modules, n.stacks);
}

/* Reads the section; modules added later use it. If it is damaged, *e reports that at `offset`, its
 * beginning, and the section is ignored, as is one of a later version. */
static void
perfdata_embedded(struct perfdata_frames *f, const uint8_t *at, size_t len, uint64_t offset,
		  struct err *e)
{
	struct cursor r = perfdata_over(at, len, false);
	const uint8_t *magic = cursor_bytes(&r, 8);
	uint32_t version = cursor_u32(&r), compression = cursor_u32(&r);
	uint64_t size = cursor_u64(&r);
	struct buf plain = BUF_INIT;

	if (r.bad || memcmp(magic, "PNAVNAME", 8) != 0 || f->embedding.symbols) {
		err_damage(e, offset, "the section of embedded names has no head");
		return;
	}
	if (version != LAYOUT_VERSION || compression > BY_ZLIB) {
		builder_warn(f->b,
			     "the embedded names are of version %" PRIu32
			     ", which this pnav cannot read: the files of this machine are used",
			     version);
		return;
	}
	if (size > EMBEDDED_MAX || size > INFLATED_FREE + (uint64_t)INFLATED_TIMES * len ||
	    (compression == AS_IT_IS && size != len - HEAD_SIZE) ||
	    (compression == BY_ZLIB &&
	     (!unzlib(at + HEAD_SIZE, len - HEAD_SIZE, (size_t)size + 1, &plain) ||
	      plain.len != size)))
		err_damage(e, offset, "the section of embedded names cannot be inflated");
	else if (compression == AS_IT_IS)
		perfdata_embedded_take(f, at + HEAD_SIZE, (size_t)size, offset, e);
	else
		perfdata_embedded_take(f, (const uint8_t *)buf_str(&plain), plain.len, offset, e);
	buf_release(&plain);
}

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURES_KNOWN = 13,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_EMBEDDED = 254, /* not a feature of perf, which ignores it */
	FEATURE_JIT_MAPS = 255,
};

static const char *const text_features[FEATURES_KNOWN] = {
	[FEATURE_HOSTNAME] = "hostname", [4] = "os release", [5] = "perf version",
	[FEATURE_ARCH] = "arch",         [8] = "cpudesc",    [9] = "cpuid",
};

/* u32 room, text up to a NUL */
static const char *
perfdata_take_text(struct cursor *r, size_t *len)
{
	uint32_t room = cursor_u32(r);
	const uint8_t *at = cursor_bytes(r, room);
	*len = at ? strnlen((const char *)at, room) : 0;
	return at ? (const char *)at : "";
}

static void
perfdata_features_add_text(struct cursor *r, unsigned bit, struct builder *b,
			   struct perfdata_frames *frames)
{
	size_t len;
	char host[256] = "";
	const char *text = perfdata_take_text(r, &len);
	if (r->bad || !len)
		return;
	builder_info_bytes(b, text_features[bit], text, len);
	if (bit == FEATURE_ARCH) {
		frames->unwinding.machine.kind = perfdata_machine_named(text, len);
	} else if (bit == FEATURE_HOSTNAME) {
		bool here = !gethostname(host, sizeof host - 1) && strlen(host) == len &&
			    !memcmp(host, text, len);
		symbols_local(frames->symbols, here);
	}
}

/* u32 n, n texts */
static void
add_cmdline(struct cursor *r, struct builder *b)
{
	struct buf line = BUF_INIT;
	uint32_t n = cursor_u32(r);
	for (uint32_t i = 0; i < n && !r->bad; i++) {
		size_t len;
		const char *text = perfdata_take_text(r, &len);
		if (i)
			buf_addc(&line, ' ');
		buf_add(&line, text, len);
	}
	if (!r->bad && line.len)
		builder_info_bytes(b, "cmdline", line.at, line.len);
	buf_release(&line);
}

/* A sequence of records in a format of their own: header, s32 pid, 20 bytes of id, u8 its
 * length if misc says so, 3 unused; the path. */
static void
add_build_ids(const uint8_t *at, size_t len, bool big_endian, struct builder *b,
	      struct perfdata_frames *frames)
{
	struct cursor r = perfdata_over(at, len, big_endian);
	while (cursor_left(&r) >= PERFDATA_HEADER) {
		struct perfdata_build_id id = {.len = 20};
		size_t path_len;
		cursor_u32(&r);
		uint16_t misc = cursor_u16(&r), size = cursor_u16(&r);
		if (size < PERFDATA_HEADER || size - PERFDATA_HEADER > cursor_left(&r))
			return;
		struct cursor one =
			perfdata_over(r.at, size - PERFDATA_HEADER, big_endian);
		cursor_bytes(&r, size - PERFDATA_HEADER);
		cursor_u32(&one);
		const uint8_t *bytes = cursor_bytes(&one, 20);
		const uint8_t *length = cursor_bytes(&one, 4);
		const char *path = cursor_text(&one, &path_len);
		if (one.bad || !path_len)
			continue;
		memcpy(id.id, bytes, sizeof id.id);
		if (misc & PERFDATA_BUILD_ID_SIZE && *length && *length < id.len)
			id.len = *length;
		id.path = builder_name(b, path, path_len);
		id.kernel = (misc & PERFDATA_MODE) == PERFDATA_KERNEL_MODE;
		*vec_push(&frames->build_id) = id;
	}
}

/* A feature of pnav: the contents of /tmp/perf-PID.map, written by JIT compilers; u32 n; each
 * u32 pid, u32 length, text with NULs up to whole words. */
static void
add_jit_maps(const uint8_t *at, size_t len, bool big_endian, struct perfdata_frames *frames)
{
	struct cursor r = perfdata_over(at, len, big_endian);

	cursor_u32(&r);
	while (cursor_left(&r) >= 8) {
		char path[64];
		uint32_t pid = cursor_u32(&r), n = cursor_u32(&r);
		const uint8_t *text = cursor_bytes(&r, n);
		if (r.bad)
			break;
		snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map", pid);
		symbols_keep_jit(frames->symbols, path, (const char *)text, n);
		size_t fill = (8 - (len - cursor_left(&r)) % 8) % 8;
		cursor_bytes(&r, fill < cursor_left(&r) ? fill : cursor_left(&r));
	}
}

/* u32 version, u32 clock; u64 time of day, u64 time of that clock at this moment, both in ns. The
 * times of events are of that clock. */
static void
perfdata_add_clock(struct cursor *r, struct builder *b, struct perfdata_frames *frames)
{
	uint32_t version = cursor_u32(r);
	cursor_u32(r);
	uint64_t day = cursor_u64(r), clock = cursor_u64(r);

	if (!r->bad && version == 1 && day <= INT64_MAX && clock <= INT64_MAX) {
		builder_clock(b, (int64_t)day - (int64_t)clock);
		symbols_began(frames->symbols, (int64_t)day);
	}
}

static void
add_feature(unsigned bit, const uint8_t *at, size_t len, bool big_endian,
	    struct builder *b, struct perfdata_events *v, struct perfdata_frames *frames)
{
	struct cursor r = perfdata_over(at, len, big_endian);
	if (bit < FEATURES_KNOWN && text_features[bit]) {
		perfdata_features_add_text(&r, bit, b, frames);
		return;
	}
	switch (bit) {
	case FEATURE_TRACING_DATA:
		perfdata_fields_read(&v->fields, b, at, len);
		break;
	case FEATURE_BUILD_ID:
		add_build_ids(at, len, big_endian, b, frames);
		break;
	case FEATURE_NRCPUS: {
		uint32_t available = cursor_u32(&r), online = cursor_u32(&r);
		if (r.bad)
			break;
		builder_info(b, "nrcpus online", "%" PRIu32, online);
		builder_info(b, "nrcpus avail", "%" PRIu32, available);
		break;
	}
	case FEATURE_TOTAL_MEM: {
		uint64_t kb = cursor_u64(&r);
		if (!r.bad)
			builder_info(b, "total memory", "%" PRIu64 " kB", kb);
		break;
	}
	case FEATURE_CMDLINE:
		add_cmdline(&r, b);
		break;
	case FEATURE_EVENT_DESC:
		perfdata_events_described(v, b, at, len, big_endian);
		break;
	case FEATURE_CLOCK_DATA:
		perfdata_add_clock(&r, b, frames);
		break;
	case FEATURE_JIT_MAPS:
		add_jit_maps(at, len, big_endian, frames);
		break;
	default:
		break;
	}
}

/* Returns where an unreadable section begins; for one after the end of the file, the end of the
 * data, where the table of sections begins. */
static uint64_t
lost_at(const struct perfdata_file *f, struct perfdata_section s)
{
	uint8_t first;

	return input_read_at(f->in, s.offset, &first, 1) ? s.offset : f->data.offset + f->data.size;
}

bool
perfdata_features(struct perfdata_file *f, struct builder *b, struct perfdata_events *v,
		  struct perfdata_frames *frames, struct err *e)
{
	struct perfdata_bytes bytes = {0};
	struct perfdata_section s;
	/* A finished file names its machine.  A file that lost this feature may be from any
	 * machine; one that is being written is from this machine. */
	symbols_local(frames->symbols, f->open_ended);
	static const unsigned more[] = {FEATURE_CLOCK_DATA, FEATURE_EMBEDDED, FEATURE_JIT_MAPS};
	for (unsigned i = 0; i < FEATURES_KNOWN + sizeof more / sizeof *more; i++) {
		unsigned bit = i < FEATURES_KNOWN ? i : more[i - FEATURES_KNOWN];
		if (!perfdata_feature(f, bit, &s) ||
		    (s.size && !perfdata_section(f, s, &bytes)))
			err_damage(e, lost_at(f, s), "the file ends within its description of "
						     "the machine and the command");
		else if (s.size && bit == FEATURE_EMBEDDED)
			perfdata_embedded(frames, bytes.v.at, bytes.v.n, s.offset, e);
		else if (s.size)
			add_feature(bit, bytes.v.at, bytes.v.n, f->big_endian, b, v, frames);
	}
	vec_release(&bytes.v);
	return !err_is_set(e);
}

void
perfdata_feature_record(const struct perfdata_record *rec, bool big_endian,
			struct builder *b, struct perfdata_events *v,
			struct perfdata_frames *frames)
{
	if (rec->type == PERFDATA_BUILD_ID) {
		add_build_ids(rec->at, rec->size, big_endian, b, frames);
		return;
	}
	struct cursor r = perfdata_body(rec, big_endian);
	uint64_t bit = cursor_u64(&r);
	if (!r.bad && (bit < FEATURES_KNOWN || bit == FEATURE_CLOCK_DATA))
		add_feature((unsigned)bit, r.at, cursor_left(&r), big_endian, b, v,
			    frames);
}
