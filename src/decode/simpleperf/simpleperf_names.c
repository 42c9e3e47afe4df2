/* Reads the data after the samples that they refer to: files with their symbols, threads,
 * events. */
#include "src/decode/simpleperf/simpleperf_inside.h"

#include <string.h>

#define SWITCH "sched:sched_switch"

/* Reads a message. An invalid field is reported as damage at the end, after everything valid has
 * been read. */
bool
sp_message_read(struct simpleperf *s, const struct proto_table *t, const struct proto_field *f,
	     void *object)
{
	if (rows_proto_read(&s->reader.r, t, f, object))
		return true;
	s->counts.malformed += s->reader.r.fault != NULL;
	if (s->reader.r.wrong && !s->reader.n_wrong++)
		rows_proto_damage(&s->reader.r, s->reader.at, &s->reader.wrong);
	s->reader.r.fault = NULL;
	s->reader.r.wrong = NULL;
	return false;
}

/* The last part of a path; "[kernel.kallsyms]" has no parts. */
static name_id
simpleperf_names_module_of(struct simpleperf *s, const struct proto_field *path)
{
	const char *at = (const char *)path->at;
	const char *slash = path->len && *at != '[' ? memrchr(at, '/', path->len) : NULL;
	size_t skip = slash && (size_t)(slash - at) + 1 < path->len ? (size_t)(slash - at) + 1 : 0;

	return path->len ? builder_name(s->b, at + skip, path->len - skip) : NAME_EMPTY;
}

struct file_message {
	uint64_t id;
	struct proto_field path;
	size_t n_symbols;
};

static bool
symbol_take(struct rows_proto *r, void *file, const struct proto_field *f)
{
	struct simpleperf *s = r->context;

	*vec_push(&s->symbol) = f->len ? builder_name(s->b, f->at, f->len) : NAME_EMPTY;
	((struct file_message *)file)->n_symbols++;
	return true;
}

static const struct proto_row file_rows[] = {
	[1] = {"id", FIELD_UINT(struct file_message, id)},
	[2] = {"path", FIELD_BYTES(struct file_message, path)},
	[3] = {"symbol", FIELD_EACH(PROTO_BYTES, symbol_take)},
	[4] = {"mangled_symbol", FIELD_UNREAD(PROTO_BYTES)},
};
const struct proto_table sp_file_table = PROTO_TABLE("File", file_rows);

bool
sp_file_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;
	size_t first = s->symbol.n;
	struct file_message m = {0};

	if (s->reader.has_names || !sp_message_read(s, &sp_file_table, f, &m) ||
	    idmap_get(&s->file_of, m.id) != IDMAP_NONE)
		return true;
	idmap_put(&s->file_of, m.id, (uint32_t)s->file.n);
	*vec_push(&s->file) = (struct sp_file){
		.module = simpleperf_names_module_of(s, &m.path),
		.system = m.path.len && memmem(m.path.at, m.path.len, "[kernel.kallsyms]", 17),
		.first = first,
		.n = m.n_symbols,
	};
	return true;
}

uint32_t
sp_thread_of(struct simpleperf *s, int64_t tid)
{
	uint32_t i;

	if (!idmap_add(&s->thread_of, (uint64_t)tid, s->thread.n, &i))
		return i;
	*vec_push(&s->thread) = (struct sp_thread){.tid = tid};
	return i;
}

struct thread_message {
	int64_t tid, pid;
	name_id name;
};

static const struct proto_row thread_rows[] = {
	[1] = {"thread_id", FIELD_INT(struct thread_message, tid)},
	[2] = {"process_id", FIELD_INT(struct thread_message, pid)},
	[3] = {"thread_name", FIELD_NAME(struct thread_message, name)},
};
const struct proto_table sp_thread_table = PROTO_TABLE("Thread", thread_rows);

bool
sp_thread_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;
	struct thread_message m = {0};

	s->counts.threads += !s->reader.has_names;
	if (s->reader.has_names || !sp_message_read(s, &sp_thread_table, f, &m))
		return true;
	uint32_t i = sp_thread_of(s, m.tid);
	s->thread.at[i].pid = m.pid;
	s->thread.at[i].name = m.name;
	return true;
}

static bool
simpleperf_event_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;

	*vec_push(&s->event) = (struct sp_event){
		.name = f->len ? builder_name(s->b, f->at, f->len) : NAME_EMPTY,
		.metric = METRIC_NONE,
		.is_switch = f->len == strlen(SWITCH) && !memcmp(f->at, SWITCH, f->len),
	};
	return true;
}

static bool
fact_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	static const char *const keys[] = {[2] = "package", [3] = "application",
					   [4] = "Android SDK", [5] = "Android build"};
	struct simpleperf *s = r->context;

	if (f->len)
		builder_info_bytes(s->b, keys[f->number], f->at, f->len);
	return true;
}

static const struct proto_row meta_rows[] = {
	[1] = {"event_type", FIELD_EACH(PROTO_BYTES, simpleperf_event_take)},
	[2] = {"app_package_name", FIELD_EACH(PROTO_BYTES, fact_take)},
	[3] = {"app_type", FIELD_EACH(PROTO_BYTES, fact_take)},
	[4] = {"android_sdk_version", FIELD_EACH(PROTO_BYTES, fact_take)},
	[5] = {"android_build_type", FIELD_EACH(PROTO_BYTES, fact_take)},
	[6] = {"trace_offcpu", FIELD_BOOL(struct simpleperf, offcpu)},
};
const struct proto_table sp_meta_table = PROTO_TABLE("MetaInfo", meta_rows);

bool
sp_meta_take(struct rows_proto *r, void *none UNUSED, const struct proto_field *f)
{
	struct simpleperf *s = r->context;

	if (!s->event.n)
		sp_message_read(s, &sp_meta_table, f, s);
	return true;
}
