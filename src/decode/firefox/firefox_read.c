/* The document, member by member, in whatever order: programs write the tables before what
 * refers to them or behind it, so nothing is built before all is read. */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

#define PROFILES_DEEP 8u

/* Members of an object, one after the other: the key that is one of `keys`, n where it is
 * none of them, and the token that its value begins with.  False at the end, and at a fault. */
static bool
member(struct firefox *f, const char *const *keys, unsigned n, unsigned *which,
       struct json_token *t)
{
	if (!json_next(&f->j, t) || t->kind != JSON_KEY)
		return false;
	*which = json_key(t, keys, n);
	return json_next(&f->j, t);
}

/* ---- meta ---- */

static bool
categories_read(struct firefox *f, struct ff_profile *p)
{
	static const char *const keys[] = {"name"};
	struct json_token t;
	unsigned which;

	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		name_id name = NAME_EMPTY;
		while (t.kind == JSON_OBJECT && member(f, keys, 1, &which, &t)) {
			name = which == 0 ? ff_name(f, &t) : name;
			if (!json_skip(&f->j, &t))
				return false;
			t.kind = JSON_OBJECT;
		}
		*vec_push(&p->category) = name;
	}
	return !f->j.failed;
}

/* A list of fields of one kind of markers: which of them are strings of the table. */
static bool
fields_read(struct firefox *f)
{
	static const char *const keys[] = {"key", "format"};
	struct json_token t;
	unsigned which;

	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		name_id key = NAME_EMPTY;
		bool string = false;
		while (t.kind == JSON_OBJECT && member(f, keys, 2, &which, &t)) {
			if (which == 0)
				key = ff_name(f, &t);
			if (which == 1)
				string = json_is(&t, "unique-string") ||
					 json_is(&t, "flow-id") ||
					 json_is(&t, "terminating-flow-id");
			if (!json_skip(&f->j, &t))
				return false;
			t.kind = JSON_OBJECT;
		}
		if (string)
			*vec_push(&f->strings) = (struct ff_string_field){.key = key};
	}
	return !f->j.failed;
}

static bool
schemas_read(struct firefox *f)
{
	static const char *const keys[] = {"name", "fields", "data"};
	struct json_token t;
	unsigned which;

	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		size_t first = f->strings.n;
		name_id name = NAME_EMPTY;
		while (t.kind == JSON_OBJECT && member(f, keys, 3, &which, &t)) {
			name = which == 0 ? ff_name(f, &t) : name;
			bool fields = (which == 1 || which == 2) && t.kind == JSON_ARRAY;
			if (fields ? !fields_read(f) : !json_skip(&f->j, &t))
				return false;
			t.kind = JSON_OBJECT;
		}
		for (; first < f->strings.n; first++)
			f->strings.at[first].type = name;
	}
	return !f->j.failed;
}

static bool
units_read(struct firefox *f, struct ff_profile *p)
{
	static const char *const keys[] = {"threadCPUDelta"};
	struct json_token t;
	unsigned which;

	while (member(f, keys, 1, &which, &t)) {
		if (which == 0)
			p->cpu_unit = ff_name(f, &t);
		if (!json_skip(&f->j, &t))
			break;
	}
	return !f->j.failed;
}

static bool
meta_read(struct firefox *f, struct ff_profile *p)
{
	static const char *const keys[] = {
		"version", "preprocessedProfileVersion", "interval",    "startTime",
		"product", "categories",                 "sampleUnits", "markerSchema"};
	enum {
		META_VERSION,
		META_PROCESSED,
		META_INTERVAL,
		META_START,
		META_PRODUCT,
		META_CATEGORIES,
		META_UNITS,
		META_SCHEMAS,
	};
	struct json_token t;
	unsigned which;
	bool good = true;

	while (good && member(f, keys, 8, &which, &t)) {
		if (which == META_VERSION)
			p->version = ff_number(&t, 0);
		if (which == META_PROCESSED) {
			p->processed = ff_number(&t, 0);
			p->is_processed = true;
		}
		if (which == META_INTERVAL)
			p->interval = ff_number(&t, FF_NS);
		if (which == META_START)
			p->start = ff_number(&t, FF_NS);
		if (which == META_PRODUCT)
			p->product = ff_name(f, &t);
		if (which == META_CATEGORIES && t.kind == JSON_ARRAY)
			good = categories_read(f, p);
		else if (which == META_UNITS && t.kind == JSON_OBJECT)
			good = units_read(f, p);
		else if (which == META_SCHEMAS && t.kind == JSON_ARRAY)
			good = schemas_read(f);
		else
			good = json_skip(&f->j, &t);
	}
	return good && !f->j.failed;
}

/* ---- libraries, strings ---- */

static bool
libs_read(struct firefox *f, uint32_t *first, uint32_t *n)
{
	static const char *const keys[] = {"name", "start", "end", "path", "codeId"};
	struct json_token t;
	unsigned which;

	*first = (uint32_t)f->lib.n;
	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		struct ff_lib lib = {.name = NAME_EMPTY};
		while (t.kind == JSON_OBJECT && member(f, keys, 5, &which, &t)) {
			int64_t number = ff_number(&t, 0);
			lib.name = which == 0 ? ff_name(f, &t) : lib.name;
			lib.start = which == 1 && number >= 0 ? (uint64_t)number : lib.start;
			lib.end = which == 2 && number >= 0 ? (uint64_t)number : lib.end;
			lib.path = which == 3 ? ff_name(f, &t) : lib.path;
			lib.build_id = which == 4 ? ff_name(f, &t) : lib.build_id;
			if (!json_skip(&f->j, &t))
				return false;
			t.kind = JSON_OBJECT;
		}
		*vec_push(&f->lib) = lib;
		*n = (uint32_t)f->lib.n - *first;
	}
	return !f->j.failed;
}

/* Up to version 3 of the raw profiles the list is JSON in a string, and a name in it is a path. */
static bool
libs_text_read(struct firefox *f, const struct json_token *t, uint32_t *first, uint32_t *n)
{
	struct json_kept kept = {.text = BUF_INIT};
	struct json_token inner;

	if (!json_keep_text(&f->j, t, &kept)) {
		buf_release(&kept.text);
		return true;
	}
	struct json outer = json_enter(&f->j, &kept);
	bool good = json_next(&f->j, &inner) && inner.kind == JSON_ARRAY && libs_read(f, first, n);
	f->j.where = kept.offset;
	json_return(&f->j, &outer, &kept);
	for (uint32_t i = 0; good && i < *n; i++) {
		struct ff_lib *lib = &f->lib.at[*first + i];
		struct name path = builder_name_get(f->b, lib->name);
		const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
		if (!slash)
			continue;
		lib->path = lib->name;
		lib->name = builder_name(f->b, slash + 1,
					 path.len - (size_t)(slash + 1 - path.at));
	}
	return !f->j.failed;
}

static bool
strings_read(struct firefox *f, struct ff_tables *out)
{
	struct json_token t;

	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		*vec_push(&out->string) = ff_name(f, &t);
		if (!json_skip(&f->j, &t))
			break;
	}
	return !f->j.failed;
}

/* ---- tables ---- */

/* A member of a thread, or of `shared`, that is a table of stacks; *taken where it was. */
static bool
tables_member(struct firefox *f, struct ff_tables *out, const char *key,
	      const struct json_token *t, bool *taken)
{
	const struct {
		const char *name;
		const struct ff_shape *shape;
		struct ff_table *table;
	} tables[] = {
		{"stackTable", &ff_stack_shape, &out->stack},
		{"frameTable", &ff_frame_shape, &out->frame},
		{"funcTable", &ff_func_shape, &out->func},
		{"resourceTable", &ff_resource_shape, &out->resource},
		{"sources", &ff_source_shape, &out->source},
	};

	*taken = true;
	if ((!strcmp(key, "stringArray") || !strcmp(key, "stringTable")) &&
	    t->kind == JSON_ARRAY)
		return strings_read(f, out);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(key, tables[i].name) && t->kind == JSON_OBJECT)
			return ff_table_read(f, tables[i].shape, tables[i].table);
	*taken = false;
	return true;
}

#define TABLE_KEYS                                                                         \
	"stackTable", "frameTable", "funcTable", "resourceTable", "sources", "stringArray",  \
		"stringTable"
#define N_TABLE_KEYS 7u

static bool
shared_read(struct firefox *f)
{
	static const char *const keys[] = {TABLE_KEYS};
	struct json_token t;
	unsigned which;
	bool taken, good = true;

	f->has_shared = true;
	while (good && member(f, keys, N_TABLE_KEYS, &which, &t))
		good = tables_member(f, &f->shared, which < N_TABLE_KEYS ? keys[which] : "", &t,
				     &taken) &&
		       (taken || json_skip(&f->j, &t));
	return good && !f->j.failed;
}

/* ---- what we say of tracks ---- */

#define OWN_KEYS "pnav_track", "pnav_kind", "pnav_process", "pnav_start", "pnav_end", \
	"pnav_unit", "pnav_sums"
#define N_OWN_KEYS 7u

static void
own_member(struct firefox *f, struct ff_own *own, unsigned which, const struct json_token *t)
{
	if (which == 0)
		own->track = ff_name(f, t);
	for (unsigned k = 0; k <= TRACK_MARKS && which == 1; k++)
		if (json_is(t, track_kind_name((enum track_kind)k)))
			own->kind = (uint8_t)k;
	if (which == 2)
		own->process = ff_name(f, t);
	if (which == 3)
		own->start = ff_number(t, FF_WHOLE);
	if (which == 4)
		own->end = ff_number(t, FF_WHOLE);
	if (which == 5)
		own->unit = ff_name(f, t);
	own->sums |= which == 6 && t->kind == JSON_TRUE;
}

/* ---- threads ---- */

static const char *const thread_keys[] = {
	TABLE_KEYS,	  "samples", "markers",     "jsAllocations", "nativeAllocations", "name",
	"processName", "pid",	  "tid",	 "libs",	  OWN_KEYS};
enum {
	THREAD_SAMPLES = N_TABLE_KEYS,
	THREAD_MARKS,
	THREAD_JS,
	THREAD_NATIVE,
	THREAD_NAME,
	THREAD_PROCESS,
	THREAD_PID,
	THREAD_TID,
	THREAD_LIBS,
	THREAD_OWN,
	THREAD_KEYS = THREAD_OWN + N_OWN_KEYS,
};

static bool
thread_member(struct firefox *f, struct ff_thread *x, unsigned which, const struct json_token *t)
{
	bool object = t->kind == JSON_OBJECT, taken;

	if (which < N_TABLE_KEYS)
		return tables_member(f, &x->tables, thread_keys[which], t, &taken) &&
		       (taken || json_skip(&f->j, t));
	if (which == THREAD_SAMPLES && object)
		return ff_samples_read(f, &x->samples);
	if (which == THREAD_MARKS && object)
		return ff_table_read(f, &ff_mark_shape, &x->marks);
	if (which == THREAD_JS && object)
		return ff_samples_read(f, &x->js);
	if (which == THREAD_NATIVE && object)
		return ff_samples_read(f, &x->native);
	if (which == THREAD_LIBS && t->kind == JSON_ARRAY)
		return libs_read(f, &x->tables.first_lib, &x->tables.n_libs);
	f->refused += which == THREAD_SAMPLES && t->kind == JSON_ARRAY;
	if (which == THREAD_NAME)
		x->name = ff_name(f, t);
	if (which == THREAD_PROCESS)
		x->process = ff_name(f, t);
	if (which == THREAD_PID)
		x->pid = ff_name(f, t);
	if (which == THREAD_TID)
		x->tid = ff_name(f, t);
	if (which >= THREAD_OWN && which < THREAD_KEYS)
		own_member(f, &x->own, which - THREAD_OWN, t);
	return json_skip(&f->j, t);
}

static bool profile_nested(struct firefox *f, const struct json_token *t);

static bool
threads_read(struct firefox *f, uint32_t profile)
{
	struct json_token t;
	unsigned which;
	bool good = true;

	while (good && json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_OBJECT) {
			good = profile_nested(f, &t);
			continue;
		}
		struct ff_thread x = {.profile = profile,
				      .tables.profile = profile,
				      .own = {.start = FF_NULL, .end = FF_NULL}};
		while (good && member(f, thread_keys, THREAD_KEYS, &which, &t))
			good = thread_member(f, &x, which, &t);
		*vec_push(&f->thread) = x;
	}
	return good && !f->j.failed;
}

/* ---- counters ---- */

static bool groups_read(struct firefox *f, struct ff_counter *c, const struct json_token *t);

/* Samples of a counter lie in it, or in one or several groups. */
static bool
counter_member(struct firefox *f, struct ff_counter *c, unsigned which,
	       const struct json_token *t)
{
	if (which == 0)
		c->name = ff_name(f, t);
	if (which == 1)
		c->category = ff_name(f, t);
	if (which == 2)
		c->pid = ff_name(f, t);
	if (which == 3 && t->kind == JSON_OBJECT)
		return ff_table_read(f, &ff_count_shape, &c->table);
	if (which == 4 || which == 5)
		return groups_read(f, c, t);
	if (which >= 6 && which < 6 + N_OWN_KEYS)
		own_member(f, &c->own, which - 6, t);
	return json_skip(&f->j, t);
}

static bool
groups_read(struct firefox *f, struct ff_counter *c, const struct json_token *begin)
{
	static const char *const keys[] = {"samples"};
	struct json_token t = *begin;
	bool list = t.kind == JSON_ARRAY, good = true;
	unsigned which;

	if (t.kind != JSON_OBJECT && !list)
		return true;
	do {
		if (list && (!json_next(&f->j, &t) || t.kind == JSON_ARRAY_END))
			break;
		while (good && t.kind == JSON_OBJECT && member(f, keys, 1, &which, &t)) {
			good = which == 0 && t.kind == JSON_OBJECT
				       ? ff_table_read(f, &ff_count_shape, &c->table)
				       : json_skip(&f->j, &t);
			t.kind = JSON_OBJECT;
		}
	} while (list && good);
	return good && !f->j.failed;
}

static bool
counters_read(struct firefox *f, uint32_t profile)
{
	static const char *const keys[] = {"name",    "category",     "pid",
					   "samples", "sampleGroups", "sample_groups",
					   OWN_KEYS};
	struct json_token t;
	unsigned which;
	bool good = true;

	while (good && json_next(&f->j, &t) && t.kind != JSON_ARRAY_END) {
		struct ff_counter c = {.profile = profile,
				       .own = {.start = FF_NULL, .end = FF_NULL}};
		if (t.kind != JSON_OBJECT) {
			good = json_skip(&f->j, &t);
			continue;
		}
		while (good && member(f, keys, 6 + N_OWN_KEYS, &which, &t))
			good = counter_member(f, &c, which, &t);
		*vec_push(&f->counter) = c;
	}
	return good && !f->j.failed;
}

/* ---- a profile ---- */

static bool profile_read(struct firefox *f, uint32_t profile);

/* The profile of another process, whose '{' was read. */
static bool
profile_new(struct firefox *f)
{
	*vec_push(&f->profile) = (struct ff_profile){.start = FF_NULL};
	f->depth++;
	bool good = profile_read(f, (uint32_t)f->profile.n - 1);
	f->depth--;
	return good;
}

/* The value `t`, which is the profile of another process or is skipped.  Versions 3 and 4 have such
 * profiles among their threads, as JSON in a string. */
static bool
profile_nested(struct firefox *f, const struct json_token *t)
{
	struct json_kept kept = {.text = BUF_INIT};
	struct json_token inner;

	if (f->depth >= PROFILES_DEEP || (t->kind != JSON_OBJECT && t->kind != JSON_STRING))
		return json_skip(&f->j, t);
	if (t->kind == JSON_OBJECT)
		return profile_new(f);
	if (!json_keep_text(&f->j, t, &kept)) {
		buf_release(&kept.text);
		return true;
	}
	struct json outer = json_enter(&f->j, &kept);
	if (json_next(&f->j, &inner) && inner.kind == JSON_OBJECT)
		profile_new(f);
	f->j.where = kept.offset;
	json_return(&f->j, &outer, &kept);
	return !f->j.failed;
}

static bool
profiles_read(struct firefox *f)
{
	struct json_token t;
	bool good = true;

	while (good && json_next(&f->j, &t) && t.kind != JSON_ARRAY_END)
		good = profile_nested(f, &t);
	return good && !f->j.failed;
}

static bool
profile_read(struct firefox *f, uint32_t profile)
{
	static const char *const keys[] = {"meta",     "libs",   "threads", "processes",
					   "counters", "shared", "profile"};
	enum { META, LIBS, THREADS, PROCESSES, COUNTERS, SHARED, PROFILE };
	struct json_token t;
	unsigned which;
	bool good = true;

	while (good && member(f, keys, 7, &which, &t)) {
		bool object = t.kind == JSON_OBJECT, array = t.kind == JSON_ARRAY;
		struct ff_profile *p = &f->profile.at[profile];
		if (which == META && object)
			good = meta_read(f, p);
		else if (which == LIBS && array)
			good = libs_read(f, &p->first_lib, &p->n_libs);
		else if (which == LIBS && t.kind == JSON_STRING)
			good = libs_text_read(f, &t, &p->first_lib, &p->n_libs);
		else if (which == THREADS && array)
			good = threads_read(f, profile);
		else if (which == PROCESSES && array)
			good = profiles_read(f);
		else if (which == COUNTERS && array)
			good = counters_read(f, profile);
		else if (which == SHARED && object)
			good = shared_read(f);
		else if (which == PROFILE && object && f->depth < PROFILES_DEEP) {
			f->depth++;
			good = profile_read(f, profile);
			f->depth--;
		} else
			good = json_skip(&f->j, &t);
	}
	return good && !f->j.failed;
}

bool
ff_read(struct firefox *f, struct input *in)
{
	struct json_token t;

	json_init(&f->j, in);
	*vec_push(&f->profile) = (struct ff_profile){.start = FF_NULL};
	if (!json_next(&f->j, &t))
		return json_damage(&f->j, f->j.where, f->e);
	if (t.kind != JSON_OBJECT)
		return err_refuse(f->e, "no profile: it is no object");
	if (!profile_read(f, 0))
		return json_damage(&f->j, f->j.where, f->e);
	return true;
}
