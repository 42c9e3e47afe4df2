#include "src/decode/text1/text1.h"

#include <string.h>

#include "src/input/cursor.h"

/* The binary timeline of a Text1 export: records of 24 bytes, little-endian,
 *
 *	0  HANDLE u32
 *	4  FLAGS  u32   version 1.1: type in bits 0-3, core in bits 4-11
 *	                version 1.0: type in bits 24-27
 *	8  DATA   u64
 *	16 TIME   i64
 *
 * The file does not state its layout, but each layout leaves the other's bits zero
 * (pnav-formats(7)).  The first SCAN_BYTES decide; a later record that contradicts them is
 * damage there, so that everything before it is kept.
 *
 * The core 0xFF means unknown; data have it. */

#define RECORD 24u
#define SCAN_BYTES (1u << 20)
#define BATCH 64u /* records that are appended together */
#define PLAUSIBLE 4u /* records that no other file begins with */
#define TYPE_1_0 0x0F000000u
#define BITS_1_1 0x00000FFFu
#define CORE_KEY (UINT64_C(2) << 40)

enum version { VERSION_1_0, VERSION_1_1 };

bool
text1_bin_plausible(struct head head)
{
	size_t n = head.len / RECORD;
	int64_t before = INT64_MIN;
	bool blank = true; /* zeros would look like exits at time 0 */

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = head.at + i * RECORD;
		uint32_t flags = bytes_u32(p + 4, false);
		int64_t time = (int64_t)bytes_u64(p + 16, false);
		blank = blank && !flags && !time;
		if (bytes_u32(p, false) >> 28 > AREA_AUX_STATE || flags & ~(TYPE_1_0 | BITS_1_1) ||
		    (flags & 0xF) > EVENT_WRITE || flags >> 24 > EVENT_WRITE)
			return i >= PLAUSIBLE; /* damage, not another format */
		if (time < before)
			return i >= PLAUSIBLE;
		before = time;
	}
	return !blank;
}

/* Finds the version from the first megabyte. Usage or refusal in *e if that does not decide. */
static bool
find_version(struct input *in, enum version *out, struct err *e)
{
	const char *stated = input_option(in, "bin-version");
	uint32_t seen = 0;

	*out = VERSION_1_1;
	if (stated && !strcmp(stated, "1.0"))
		*out = VERSION_1_0;
	else if (stated && strcmp(stated, "1.1"))
		return err_usage(e, "--bin-version %s: it is 1.0 or 1.1", stated);
	if (stated)
		return true;
	input_need(in, SCAN_BYTES);
	const uint8_t *p = input_at(in);
	size_t n = input_have(in) < SCAN_BYTES ? input_have(in) : SCAN_BYTES;
	for (size_t i = 0; i + RECORD <= n; i += RECORD)
		seen |= bytes_u32(p + i + 4, false);
	if (seen & TYPE_1_0 && seen & BITS_1_1)
		return err_refuse(
			e, "the binary timeline has flags of version 1.0 and of 1.1: "
			   "say which it is with --bin-version");
	if (seen & TYPE_1_0)
		*out = VERSION_1_0;
	return true;
}

static uint32_t
context_of_core(struct text1 *t, enum version version, uint32_t core)
{
	char name[16] = "main";

	if (version == VERSION_1_1)
		snprintf(name, sizeof name, core == 0xFF ? "core ?" : "core %u", (unsigned)core);
	return text1_context(t, CORE_KEY | core, name, strlen(name),
			     version == VERSION_1_1 ? TRACK_CORE : TRACK_THREAD);
}

/* The meaning of a record's flags, by version. */
struct flags {
	enum version version;
	uint32_t others; /* bits that no record has */
};

static inline uint32_t
type_of(const struct flags *f, uint32_t flags)
{
	return f->version == VERSION_1_1 ? flags & 0xF : flags >> 24 & 0xF;
}

static inline uint32_t
core_of(const struct flags *f, uint32_t flags)
{
	return f->version == VERSION_1_1 ? flags >> 4 & 0xFF : 0;
}

/* Any record. */
static __attribute__((noinline)) bool
record_closer(struct text1 *t, const struct flags *f, uint32_t *context, const uint8_t *p,
	      uint64_t offset, struct err *e)
{
	enum version version = f->version;
	uint32_t flags = bytes_u32(p + 4, false), kind;
	uint32_t type = type_of(f, flags), core = core_of(f, flags);
	struct event_record r = {
		.handle = bytes_u32(p, false),
		.value = (int64_t)bytes_u64(p + 8, false),
		.time = (int64_t)bytes_u64(p + 16, false),
		.offset = offset,
	};

	if (flags & f->others)
		return err_damage(e, offset,
				  "flags %08X belong to the other version of the "
				  "binary timeline: see --bin-version",
				  (unsigned)flags);
	kind = r.handle >> 28;
	if (kind > AREA_AUX_STATE)
		return err_damage(e, offset, "no kind of area has the handle %08X",
				  (unsigned)r.handle);
	/* version 1.0 has no type for writes */
	if (version == VERSION_1_0 && (kind == AREA_VARIABLE || kind == AREA_AUX))
		type = EVENT_WRITE;
	if (type > EVENT_WRITE)
		return err_damage(e, offset, "there is no event of type %u", (unsigned)type);
	r.type = (enum event_type)type;
	if (kind >= AREA_VARIABLE) {
		uint32_t area = text1_data_area(t, r.handle); /* may move the areas */
		r.floating = t->areas.at[area].floating;
		return text1_event(t, &r, e);
	}
	if (context[core] == IDMAP_NONE)
		context[core] = context_of_core(t, version, core);
	r.context = context[core];
	return text1_event(t, &r, e);
}

/* Handles a record of the usual form: an event of a function, which has no value. */
static inline bool
record_usual(const struct flags *f, const uint32_t *context, const uint8_t *p, uint64_t offset,
	     struct event_record *out)
{
	uint32_t handle = bytes_u32(p, false), flags = bytes_u32(p + 4, false);
	uint32_t type = type_of(f, flags), in = context[core_of(f, flags)];

	out->handle = handle;
	out->type = (enum event_type)type;
	out->context = in;
	out->time = (int64_t)bytes_u64(p + 16, false);
	out->offset = offset;
	return handle >> 28 == AREA_FUNCTION && !(flags & f->others) && type <= EVENT_ENTRY &&
	       in != IDMAP_NONE;
}

/* n records, which lie at `offset`. */
static bool
records(struct text1 *t, const struct flags *f, uint32_t *context, const uint8_t *p, size_t n,
	uint64_t offset, struct err *e)
{
	struct event_record batch[BATCH];
	size_t in = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = p + i * RECORD;
		bool usual = record_usual(f, context, at, offset + i * RECORD, &batch[in]);
		in += usual;
		if (usual && in < BATCH)
			continue;
		if (!text1_events(t, batch, in, e))
			return false;
		in = 0;
		if (!usual && !record_closer(t, f, context, at, offset + i * RECORD, e))
			return false;
	}
	return text1_events(t, batch, in, e);
}

/* `where`: the file's name if it is not the opened one; the message names it, because the
 * offset would be misleading without it. */
bool
text1_bin_decode(struct text1 *t, struct input *in, const char *where, struct err *e)
{
	const char *stated = input_option(in, "bin-version");
	uint32_t context[256];
	enum version version;
	struct flags flags;
	struct err own = {0};
	bool good = true;

	if (!find_version(in, &version, e))
		return false;
	memset(context, 0xFF, sizeof context);
	flags = (struct flags){version, stated ? 0 : version == VERSION_1_1 ? TYPE_1_0 : BITS_1_1};
	builder_info(t->b, "timeline", "binary, version %s%s",
		     version == VERSION_1_1 ? "1.1" : "1.0", stated ? "" : " (by its flags)");
	while (good && input_need(in, RECORD)) {
		size_t n = input_have(in) / RECORD;
		const uint8_t *p = input_at(in);
		good = records(t, &flags, context, p, n, input_offset(in), &own);
		input_skip(in, n * RECORD);
	}
	if (good && input_have(in))
		builder_warn(t->b,
			     "%s%s%zu bytes too many at the end of the binary timeline, "
			     "at byte %llu",
			     where ? where : "", where ? ": " : "", input_have(in),
			     (unsigned long long)input_offset(in));
	if (!good)
		err_damage(e, own.offset, "%s%s%s", where ? where : "", where ? ": " : "",
			   own.text);
	return good;
}

bool
text1_bin_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const types[] = {"exit", "suspend", "resume", "entry", "write"};
	enum version version;
	bool good = true;

	if (!find_version(in, &version, e))
		return false;
	while (good && input_need(in, RECORD)) {
		const uint8_t *p = input_at(in);
		uint32_t flags = bytes_u32(p + 4, false);
		uint32_t type = version == VERSION_1_1 ? flags & 0xF : flags >> 24 & 0xF;
		char core[24] = "";
		if (version == VERSION_1_1)
			snprintf(core, sizeof core, " core %u", (unsigned)(flags >> 4 & 0xFF));
		good = dump_record(d, input_offset(in),
				   "event handle %08X flags %08X %s%s data %llu time %lld",
				   (unsigned)bytes_u32(p, false), (unsigned)flags,
				   type <= EVENT_WRITE ? types[type] : "?", core,
				   (unsigned long long)bytes_u64(p + 8, false),
				   (long long)bytes_u64(p + 16, false));
		input_skip(in, RECORD);
	}
	if (good && input_have(in))
		good = dump_record(d, input_offset(in), "rest %zu bytes", input_have(in));
	return good;
}
