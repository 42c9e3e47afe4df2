/* The raw listing of a perf.data file: the fields of each record in file order, undecoded.
 * Records from a compressed record follow it and have its offset, because they have no offset
 * in the file.
 *
 * Fields that are pairs of numbers in the record are `pid/tid`, as perf prints them. */
#include "src/decode/perf/perfdata_dump.h"

#include <inttypes.h>

#include "model/base/buf.h"
#include "src/decode/perf/perfdata_events.h"

struct dumper {
	struct dump *d;
	struct err *e;
	struct perfdata_file file;
	struct perfdata_events events;
	struct buf line, text;
	bool out_failed;
};

static void
perfdata_dump_add_text(struct dumper *u, struct cursor *r, const char *word)
{
	size_t len;
	const char *at = cursor_text(r, &len);
	buf_addf(&u->line, " %s %s", word, dump_bytes(u->d, &u->text, at, len));
}

static void
add_ids(struct dumper *u, struct cursor *r, const char *word)
{
	uint32_t pid = cursor_u32(r);
	buf_addf(&u->line, " %s %" PRId32 "/%" PRId32, word, (int32_t)pid,
		 (int32_t)cursor_u32(r));
}

static void
add_mmap(struct dumper *u, const struct perfdata_record *rec, struct cursor *r)
{
	add_ids(u, r, "pid");
	buf_addf(&u->line, " addr 0x%" PRIx64, cursor_u64(r));
	buf_addf(&u->line, " len 0x%" PRIx64, cursor_u64(r));
	buf_addf(&u->line, " offset 0x%" PRIx64, cursor_u64(r));
	if (rec->type == PERFDATA_MMAP2) {
		const uint8_t *id = cursor_bytes(r, 24);
		size_t len = id ? perfdata_event_build_id(&u->events, rec, id) : 0;
		if (len)
			buf_adds(&u->line, " build-id ");
		for (size_t i = 0; i < len; i++)
			buf_addf(&u->line, "%02x", id[4 + i]);
		buf_addf(&u->line, " prot %" PRIu32, cursor_u32(r));
		cursor_u32(r);
	}
	perfdata_dump_add_text(u, r, "path");
}

static void
perfdata_add_sample(struct dumper *u, const struct perfdata_record *rec)
{
	struct perfdata_sample s;
	uint32_t event = perfdata_event_of(&u->events, rec, u->file.big_endian);
	if (event == UINT32_MAX) {
		buf_adds(&u->line, " of an unknown event");
		return;
	}
	const struct perfdata_attr *a = &u->events.event.at[event].attr;
	if (!perfdata_sample(rec, a, u->file.big_endian, &s)) {
		buf_adds(&u->line, " longer than its record");
		return;
	}
	buf_addf(&u->line, " event %" PRIu32, event);
	if (a->sample_type & PERFDATA_HAS_TID)
		buf_addf(&u->line, " pid %" PRId32 "/%" PRId32, (int32_t)s.pid,
			 (int32_t)s.tid);
	if (s.has_time)
		buf_addf(&u->line, " time %" PRIu64, s.time);
	if (a->sample_type & PERFDATA_HAS_IP)
		buf_addf(&u->line, " ip 0x%" PRIx64, s.ip);
	buf_addf(&u->line, " period %" PRIu64, s.period);
	if (s.chain)
		buf_addf(&u->line, " chain of %" PRIu64, s.n_chain);
	for (uint64_t i = 0; s.chain && i < s.n_chain; i++)
		buf_addf(&u->line, " 0x%" PRIx64,
			 perfdata_word(s.chain, i, u->file.big_endian));
	if (s.calls.n)
		buf_addf(&u->line, " calls %" PRIu64, s.calls.n);
	for (uint64_t i = 0; i < s.calls.n; i++)
		buf_addf(&u->line, " 0x%" PRIx64,
			 perfdata_word(s.calls.at, i * PERFDATA_CALL_WORDS, u->file.big_endian));
	if (s.user.registers)
		buf_addf(&u->line, " registers 0x%" PRIx64, a->user_registers);
	if (s.user.stack)
		buf_addf(&u->line, " stack of %" PRIu64, s.user.stack_len);
}

static void
add_fields(struct dumper *u, const struct perfdata_record *rec)
{
	struct cursor r = perfdata_body(rec, u->file.big_endian);
	switch (rec->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
		add_mmap(u, rec, &r);
		break;
	case PERFDATA_COMM:
		add_ids(u, &r, rec->misc & PERFDATA_COMM_EXEC ? "exec" : "pid");
		perfdata_dump_add_text(u, &r, "name");
		break;
	case PERFDATA_FORK:
	case PERFDATA_EXIT: {
		uint32_t pid = cursor_u32(&r), ppid = cursor_u32(&r);
		uint32_t tid = cursor_u32(&r), ptid = cursor_u32(&r);
		buf_addf(&u->line,
			 " pid %" PRId32 "/%" PRId32 " parent %" PRId32 "/%" PRId32,
			 (int32_t)pid, (int32_t)tid, (int32_t)ppid, (int32_t)ptid);
		break;
	}
	case PERFDATA_KSYMBOL:
		buf_addf(&u->line, " addr 0x%" PRIx64, cursor_u64(&r));
		buf_addf(&u->line, " len 0x%" PRIx32, cursor_u32(&r));
		cursor_u32(&r);
		perfdata_dump_add_text(u, &r, "name");
		break;
	case PERFDATA_LOST:
		cursor_u64(&r);
		buf_addf(&u->line, " records %" PRIu64, cursor_u64(&r));
		break;
	case PERFDATA_LOST_SAMPLES:
		buf_addf(&u->line, " samples %" PRIu64, cursor_u64(&r));
		break;
	case PERFDATA_CALLCHAIN_DEFERRED: {
		buf_addf(&u->line, " cookie 0x%" PRIx64, cursor_u64(&r));
		uint64_t n = cursor_u64(&r);
		buf_addf(&u->line, " chain of %" PRIu64, n);
		for (uint64_t i = 0; i < n && !r.bad; i++)
			buf_addf(&u->line, " 0x%" PRIx64, cursor_u64(&r));
		break;
	}
	case PERFDATA_SAMPLE:
		perfdata_add_sample(u, rec);
		break;
	case PERFDATA_FEATURE:
		buf_addf(&u->line, " feature %" PRIu64, cursor_u64(&r));
		break;
	default:
		break;
	}
	if (r.bad)
		buf_adds(&u->line, " (cut)");
}

static bool
perfdata_dump_one(void *arg, const struct perfdata_record *rec)
{
	struct dumper *u = arg;
	const char *name = perfdata_type_name(rec->type);
	buf_reset(&u->line);
	if (name)
		buf_adds(&u->line, name);
	else
		buf_addf(&u->line, "type %" PRIu32, rec->type);
	buf_addf(&u->line, " misc 0x%x size %u", rec->misc, rec->size);
	if (rec->type == PERFDATA_ATTR &&
	    !perfdata_event_record(&u->events, rec, u->file.big_endian, u->e))
		return false;
	add_fields(u, rec);
	u->out_failed = !dump_record(u->d, rec->offset, "%s", buf_str(&u->line));
	return !u->out_failed;
}

static bool
dump_file(struct dumper *u)
{
	if (!u->file.pipe && !perfdata_events_read(&u->events, &u->file))
		return false;
	if (!u->file.pipe) {
		buf_addf(&u->line,
			 "header data at %" PRIu64 ", %" PRIu64 " bytes, %zu events",
			 u->file.data.offset, u->file.data.size, u->events.event.n);
		if (!dump_record(u->d, 0, "%s", buf_str(&u->line)))
			return true;
	} else if (!dump_record(u->d, 0, "header of a pipe")) {
		return true;
	}
	return perfdata_walk(&u->file, perfdata_dump_one, u) || u->out_failed;
}

bool
perfdata_dump(struct input *in, struct dump *d, struct err *e)
{
	struct dumper u = {.d = d, .e = e};
	bool ok = perfdata_open(&u.file, in, e) && dump_file(&u);
	perfdata_close(&u.file);
	perfdata_events_release(&u.events);
	buf_release_all(&u.line, &u.text);
	return ok;
}
