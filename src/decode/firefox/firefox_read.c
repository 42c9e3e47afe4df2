/* The document, member by member in any order.  Programs write the tables before or after the
 * data that refers to them, so nothing is built before the whole document was read. */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

#include "src/decode/common/json_read.h"

#define PROFILES_DEEP 8u /* as texts within texts */

/* ---- meta ---- */

struct category {
	name_id name;
};

static bool
category_take(struct rows_json *r UNUSED, void *profile, void *element)
{
	*vec_push(&((struct ff_profile *)profile)->category) = ((struct category *)element)->name;
	return true;
}

static bool
category_none(struct rows_json *r, void *profile, const struct json_token *t)
{
	*vec_push(&((struct ff_profile *)profile)->category) = NAME_EMPTY;
	return json_skip(&r->j, t);
}

static const struct json_row category_rows[] = {
	{"name", ROW_NAME(struct category, name), .loose = true},
	{0},
};
static const struct json_list categories = {
	.rows = category_rows, .size = sizeof(struct category), .torn = true,
	.other = category_none, .end = category_take};

/* A kind of markers: which of its fields are indexes of the string table. */
struct marker_schema {
	size_t first; /* in strings */
	name_id name;
};

struct marker_field {
	name_id key;
	uint8_t is_string;
};

static bool
field_take(struct rows_json *r, void *schema UNUSED, void *element)
{
	struct firefox *f = r->context;
	const struct marker_field *x = element;

	if (x->is_string)
		*vec_push(&f->marks.string_field) =
			(struct ff_string_field){.key = x->key, .format = x->is_string};
	return true;
}

static void *
schema_begin(struct rows_json *r, void *profile UNUSED, void *own)
{
	((struct marker_schema *)own)->first =
		((struct firefox *)r->context)->marks.string_field.n;
	return own;
}

static bool
schema_take(struct rows_json *r, void *profile UNUSED, void *element)
{
	struct firefox *f = r->context;
	const struct marker_schema *s = element;

	for (size_t i = s->first; i < f->marks.string_field.n; i++)
		f->marks.string_field.at[i].type = s->name;
	return true;
}

static const char *const string_formats[] = {"unique-string", "flow-id", "terminating-flow-id",
					     NULL};
static const struct json_row field_rows[] = {
	{"key", ROW_NAME(struct marker_field, key), .loose = true},
	{"format", ROW_WORD(struct marker_field, is_string, string_formats)},
	{0},
};
static const struct json_list fields = {
	.rows = field_rows, .size = sizeof(struct marker_field), .end = field_take};
static const struct json_row schema_rows[] = {
	{"name", ROW_NAME(struct marker_schema, name), .loose = true},
	{"fields", ROW_LIST(&fields)},
	{"data", ROW_LIST(&fields)},
	{0},
};
static const struct json_list schemas = {
	.rows = schema_rows, .size = sizeof(struct marker_schema), .begin = schema_begin,
	.end = schema_take};
static const struct json_row units_rows[] = {
	{"threadCPUDelta", ROW_NAME(struct ff_profile, cpu_unit), .loose = true},
	{0},
};
static const struct json_row meta_rows[] = {
	{"version", ROW_NUMBER(struct ff_profile, version)},
	{"preprocessedProfileVersion", ROW_NUMBER(struct ff_profile, processed),
	 ROW_HAS(struct ff_profile, is_processed)},
	{"interval", ROW_NUMBER(struct ff_profile, interval), .scale = FF_NS},
	{"startTime", ROW_NUMBER(struct ff_profile, start), .scale = FF_NS},
	{"product", ROW_NAME(struct ff_profile, product), .loose = true},
	{"categories", ROW_LIST(&categories)},
	{"sampleUnits", ROW_HERE(units_rows)},
	{"markerSchema", ROW_LIST(&schemas)},
	{0},
};

/* ---- libraries, strings ---- */

static bool
lib_take(struct rows_json *r, void *libs, void *element)
{
	struct firefox *f = r->context;

	*vec_push(&f->lib) = *(struct ff_lib *)element;
	((struct ff_libs *)libs)->n = (uint32_t)f->lib.n - ((struct ff_libs *)libs)->first;
	return true;
}

static const struct json_row lib_rows[] = {
	{"name", ROW_NAME(struct ff_lib, name), .loose = true},
	{"start", ROW_NUMBER(struct ff_lib, start)},
	{"end", ROW_NUMBER(struct ff_lib, end)},
	{"path", ROW_NAME(struct ff_lib, path), .loose = true},
	{"codeId", ROW_NAME(struct ff_lib, build_id), .loose = true},
	{0},
};
static const struct json_row libs_row = {"libs", ROW_LIST_OF(struct ff_lib, lib_rows, lib_take)};

/* Up to version 3 of raw profiles the list is JSON in a string, and its names are paths. */
static bool
libs_read(struct rows_json *r, void *libs, const struct json_token *t)
{
	struct firefox *f = r->context;
	struct ff_libs *x = libs;

	x->first = (uint32_t)f->lib.n;
	if (t->kind != JSON_STRING)
		return rows_json_value(r, &libs_row, x, t);
	bool good = rows_json_text(r, t, &libs_row, x);
	for (uint32_t i = 0; good && i < x->n; i++) {
		struct ff_lib *lib = &f->lib.at[x->first + i];
		struct name path = builder_name_get(f->b, lib->name);
		const char *slash = path.len ? memrchr(path.at, '/', path.len) : NULL;
		if (!slash)
			continue;
		lib->path = lib->name;
		lib->name = builder_name(f->b, slash + 1,
					 path.len - (size_t)(slash + 1 - path.at));
	}
	return good;
}

/* ---- tables ---- */

#define TABLE_ROW(name, s, m, sh) {name, ROW_INSIDE_IN(s, m, ff_table_read), .scale = (sh)}

static const struct json_row tables_rows[] = {
	TABLE_ROW("stackTable", struct ff_tables, stack, FF_STACKS),
	TABLE_ROW("frameTable", struct ff_tables, frame, FF_FRAMES),
	TABLE_ROW("funcTable", struct ff_tables, func, FF_FUNCS),
	TABLE_ROW("resourceTable", struct ff_tables, resource, FF_RESOURCES),
	TABLE_ROW("sources", struct ff_tables, source, FF_SOURCES),
	TABLE_ROW("sourceLocationTable", struct ff_tables, place, FF_PLACES),
	{"stringArray", ROW_EACH_IN(struct ff_tables, string, json_name_push)},
	{"stringTable", ROW_EACH_IN(struct ff_tables, string, json_name_push)},
	{0},
};

static bool
shared_read(struct rows_json *r, void *profile UNUSED, const struct json_token *t)
{
	static const struct json_row row = {"shared", ROW_HERE(tables_rows)};
	struct firefox *f = r->context;

	f->has_shared |= t->kind == JSON_OBJECT;
	return rows_json_value(r, &row, &f->shared, t);
}

/* ---- pnav's own attributes of tracks ---- */

static bool
kind_take(struct rows_json *r UNUSED, void *kind, const struct json_value *v)
{
	for (unsigned k = 0; k <= TRACK_MARKS; k++)
		if (json_is(&v->t, track_kind_name((enum track_kind)k)))
			*(uint8_t *)kind = (uint8_t)k;
	return true;
}

#define OWN_ROWS(s)                                                                        \
	{"pnav_track", ROW_NAME(s, own.track), .loose = true},                             \
	{"pnav_kind", ROW_VALUE_IN(s, own.kind, kind_take)},                               \
	{"pnav_process", ROW_NAME(s, own.process), .loose = true},                         \
	{"pnav_start", ROW_NUMBER(s, own.start)},                                          \
	{"pnav_end", ROW_NUMBER(s, own.end)},                                              \
	{"pnav_run_start", ROW_NUMBER(s, own.run_start)},                                  \
	{"pnav_run_end", ROW_NUMBER(s, own.run_end)},                                      \
	{"pnav_unit", ROW_NAME(s, own.unit), .loose = true},                               \
	{"pnav_sums", ROW_TRUTH(s, own.sums)}

/* ---- threads ---- */

static void *
firefox_thread_begin(struct rows_json *r, void *profile, void *own UNUSED)
{
	struct firefox *f = r->context;
	uint32_t i = ((struct ff_profile *)profile)->index;

	*vec_push(&f->thread) = (struct ff_thread){
		.profile = i,
		.tables.profile = i,
		.samples_on = CAST_NONE,
		.own = FF_OWN_NONE};
	return &f->thread.at[f->thread.n - 1];
}

/* Files from before version numbers have samples in another form. */
static bool
samples_read(struct rows_json *r, void *samples, const struct json_token *t)
{
	((struct firefox *)r->context)->counts.refused += t->kind == JSON_ARRAY;
	return ff_samples_read(r, samples, t);
}

static const struct json_row thread_rows[] = {
	{"samples", ROW_INSIDE_IN(struct ff_thread, samples, samples_read)},
	TABLE_ROW("markers", struct ff_thread, marks, FF_MARKS),
	{"jsAllocations", ROW_INSIDE_IN(struct ff_thread, js, ff_samples_read)},
	{"nativeAllocations", ROW_INSIDE_IN(struct ff_thread, native, ff_samples_read)},
	{"name", ROW_NAME(struct ff_thread, name), .loose = true},
	{"processName", ROW_NAME(struct ff_thread, process), .loose = true},
	{"pid", ROW_NAME(struct ff_thread, pid), .loose = true},
	{"tid", ROW_NAME(struct ff_thread, tid), .loose = true},
	{"libs", ROW_INSIDE_IN(struct ff_thread, tables.libs, libs_read)},
	TABLE_ROW("stackTable", struct ff_thread, tables.stack, FF_STACKS),
	TABLE_ROW("frameTable", struct ff_thread, tables.frame, FF_FRAMES),
	TABLE_ROW("funcTable", struct ff_thread, tables.func, FF_FUNCS),
	TABLE_ROW("resourceTable", struct ff_thread, tables.resource, FF_RESOURCES),
	TABLE_ROW("sources", struct ff_thread, tables.source, FF_SOURCES),
	{"stringArray", ROW_EACH_IN(struct ff_thread, tables.string, json_name_push)},
	{"stringTable", ROW_EACH_IN(struct ff_thread, tables.string, json_name_push)},
	OWN_ROWS(struct ff_thread),
	{0},
};

static bool profile_of_text(struct rows_json *r, void *profile, const struct json_token *t);

static const struct json_list threads = {
	.rows = thread_rows, .begin = firefox_thread_begin, .other = profile_of_text};

/* ---- counters ---- */

/* A counter has its samples in itself, or in one or several groups. */
static void *
group_begin(struct rows_json *r UNUSED, void *counter, void *own UNUSED)
{
	return counter;
}

static const struct json_row group_rows[] = {
	TABLE_ROW("samples", struct ff_counter, table, FF_COUNTS),
	{0},
};
static const struct json_list groups = {.rows = group_rows, .begin = group_begin};

static bool
groups_read(struct rows_json *r, void *counter, const struct json_token *t)
{
	static const struct json_row list = {"sampleGroups", ROW_LIST(&groups)};
	static const struct json_row one = {"sampleGroups", ROW_HERE(group_rows)};

	return rows_json_value(r, t->kind == JSON_ARRAY ? &list : &one, counter, t);
}

static void *
counter_begin(struct rows_json *r, void *profile, void *own UNUSED)
{
	struct firefox *f = r->context;

	*vec_push(&f->counter) = (struct ff_counter){
		.profile = ((struct ff_profile *)profile)->index,
		.own = FF_OWN_NONE};
	return &f->counter.at[f->counter.n - 1];
}

static const struct json_row counter_rows[] = {
	{"name", ROW_NAME(struct ff_counter, name), .loose = true},
	{"category", ROW_NAME(struct ff_counter, category), .loose = true},
	{"pid", ROW_NAME(struct ff_counter, pid), .loose = true},
	TABLE_ROW("samples", struct ff_counter, table, FF_COUNTS),
	{"sampleGroups", ROW_INSIDE(groups_read)},
	{"sample_groups", ROW_INSIDE(groups_read)},
	OWN_ROWS(struct ff_counter),
	{0},
};
static const struct json_list counters = {.rows = counter_rows, .begin = counter_begin};

/* ---- a profile ---- */

/* The profile of the file, or of another process. */
static void *
profile_begin(struct rows_json *r, void *parent UNUSED, void *own)
{
	struct firefox *f = r->context;
	struct ff_profile *p = own;

	*p = (struct ff_profile){.start = FF_NULL, .index = (uint32_t)f->profile.n};
	*vec_push(&f->profile) = *p;
	return p;
}

static bool
profile_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct firefox *f = r->context;
	const struct ff_profile *p = element;

	f->profile.at[p->index] = *p;
	return true;
}

static const struct json_list profiles;
static const struct json_row profile_rows[] = {
	{"meta", ROW_HERE(meta_rows)},
	{"libs", ROW_INSIDE_IN(struct ff_profile, libs, libs_read)},
	{"threads", ROW_LIST(&threads)},
	{"processes", ROW_LIST(&profiles)},
	{"counters", ROW_LIST(&counters)},
	{"shared", ROW_INSIDE(shared_read)},
	{"profile", ROW_HERE(profile_rows)},
	{0},
};
static const struct json_list profiles = {
	.rows = profile_rows, .size = sizeof(struct ff_profile), .torn = true,
	.begin = profile_begin, .other = profile_of_text, .end = profile_take};
static const struct json_row profile_row = {"profile", ROW_ELEMENT(&profiles)};

/* Versions 3 and 4 have profiles of other processes among their threads, as JSON in a string. */
static bool
profile_of_text(struct rows_json *r, void *profile UNUSED, const struct json_token *t)
{
	struct firefox *f = r->context;

	if (f->counts.depth >= PROFILES_DEEP || t->kind != JSON_STRING)
		return json_skip(&r->j, t);
	f->counts.depth++;
	bool good = rows_json_text(r, t, &profile_row, NULL);
	f->counts.depth--;
	return good;
}

bool
ff_read(struct firefox *f, struct input *in)
{
	struct ff_profile p;

	if (f->container.used && !slabs_open(&f->container.slabs, in, f->e))
		return false;
	json_rows_begin(&f->r, in, f->b, f->e, f);
	if (f->container.used)
		json_init_slabs(&f->r.j, &f->container.slabs);
	profile_begin(&f->r, NULL, &p);
	bool good = rows_json_document(&f->r, profile_rows, &p, "no profile");
	profile_take(&f->r, NULL, &p);
	if (good && f->container.used && f->container.slabs.missing != SLABS_NONE)
		good = err_damage(f->e, f->container.slabs.missing,
				  "a slab that is not in the file");
	return good;
}
