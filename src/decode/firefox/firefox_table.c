/* Tables of Firefox's profiles come in two forms, columns of one length and rows with a schema:
 *
 *	{"length": 2, "time": [1, 2.5], "stack": [0, null]}
 *	{"schema": {"stack": 0, "time": 1}, "data": [[0, 1], [null, 2.5]]}
 *
 * Both become columns of integers; rows that stand before their schema wait for it.  A shape says
 * which are wanted and how their numbers count; what a table has beside those is stepped over.
 * Rows may be shorter than the schema. */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

#include "src/input/decimal.h"

#define POSITIONS 64u
#define SOME 256

const struct ff_shape ff_stack_shape = {
	4,
	{{"prefix", 0}, {"prefixOffset", 0}, {"frame", 0}, {"category", 0}},
};
const struct ff_shape ff_frame_shape = {
	8,
	{{"func", 0},
	 {"line", 0},
	 {"address", 0},
	 {"category", 0},
	 {"lib", 0},
	 {"location", 0},
	 {"relevantForJS", 0},
	 {"inlineDepth", 0}},
};
const struct ff_shape ff_func_shape = {
	7,
	{{"name", 0},
	 {"isJS", 0},
	 {"fileName", 0},
	 {"source", 0},
	 {"lineNumber", 0},
	 {"columnNumber", 0},
	 {"resource", 0}},
};
const struct ff_shape ff_resource_shape = {1, {{"lib", 0}}};
const struct ff_shape ff_source_shape = {1, {{"filename", 0}}};
static const struct ff_shape sample_shape = {
	6,
	{{"stack", 0},
	 {"time", FF_NS},
	 {"timeDeltas", FF_PS},
	 {"weight", FF_NS},
	 {"threadCPUDelta", FF_NS},
	 {"memoryAddress", 0}},
};
const struct ff_shape ff_mark_shape = {
	7,
	{{"name", 0},
	 {"startTime", FF_NS},
	 {"endTime", FF_NS},
	 {"time", FF_NS},
	 {"phase", 0},
	 {"category", 0},
	 {"data", FF_DATA}},
};
const struct ff_shape ff_count_shape = {
	3,
	{{"time", FF_NS}, {"timeDeltas", FF_PS}, {"count", FF_NS}},
};

void
ff_table_release(struct ff_table *t)
{
	for (unsigned i = 0; i < FF_COLUMNS; i++)
		vec_release(&t->column[i]);
}

void
ff_samples_release(struct ff_samples *s)
{
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++)
		packed_release(&s->column[i]);
}

/* ---- values ---- */

name_id
ff_name(struct firefox *f, const struct json_token *t)
{
	if (t->kind != JSON_STRING)
		return t->kind == JSON_NUMBER ? builder_name(f->b, t->at, t->len) : NAME_EMPTY;
	if (!t->escaped)
		return builder_name(f->b, t->at, t->len);
	buf_reset(&f->text);
	json_text(&f->j, t, &f->text);
	return builder_name(f->b, buf_str(&f->text), f->text.len);
}

int64_t
ff_number(const struct json_token *t, int scale)
{
	int64_t n;

	if (t->kind == JSON_TRUE || t->kind == JSON_FALSE)
		return t->kind == JSON_TRUE;
	if (t->kind != JSON_NUMBER || !decimal_scaled(t->at, t->len, scale, &n) ||
	    n == FF_NULL)
		return FF_NULL;
	return n;
}

/* ---- what a marker says ---- */

static void
data_member(struct firefox *f, struct ff_data *d, const struct json_token *key, name_id name,
	    const struct json_token *t)
{
	struct ff_field field = {.key = name, .kind = FF_FIELD_TEXT};

	if (json_is(key, "type"))
		d->type = ff_name(f, t);
	if (json_is(key, "startTime"))
		d->start = ff_number(t, FF_NS);
	if (json_is(key, "endTime"))
		d->end = ff_number(t, FF_NS);
	if (json_is(key, "interval") && t->kind == JSON_STRING)
		d->phase = json_is(t, "start") ? 2 : json_is(t, "end") ? 3 : d->phase;
	if (t->kind != JSON_STRING && t->kind != JSON_NUMBER)
		return;
	if (d->n >= FF_FIELDS_MAX) {
		f->deeper++;
		return;
	}
	if (t->kind == JSON_NUMBER && !decimal_is_fraction(t->at, t->len) &&
	    decimal_scaled(t->at, t->len, 0, &field.value))
		field.kind = FF_FIELD_NUMBER;
	else
		field.value = ff_name(f, t);
	*vec_push(&f->field) = field;
	d->n++;
}

/* The object whose '{' was read; its number, FF_NULL at a fault. */
static int64_t
data_read(struct firefox *f)
{
	struct ff_data d = {.first = (uint32_t)f->field.n, .start = FF_NULL, .end = FF_NULL};
	struct json_token t;

	while (json_next(&f->j, &t) && t.kind == JSON_KEY) {
		/* the key's bytes go with the next token */
		static const char *const known[] = {"type", "startTime", "endTime", "interval"};
		unsigned which = json_key(&t, known, 4);
		struct json_token key = {.at = which < 4 ? known[which] : "",
					 .len = which < 4 ? strlen(known[which]) : 0};
		t.kind = JSON_STRING;
		name_id name = ff_name(f, &t);
		if (!json_next(&f->j, &t))
			break;
		data_member(f, &d, &key, name, &t);
		f->deeper += t.kind == JSON_OBJECT || t.kind == JSON_ARRAY;
		if (!json_skip(&f->j, &t))
			break;
	}
	if (f->j.failed)
		return FF_NULL;
	*vec_push(&f->data) = d;
	return (int64_t)f->data.n - 1;
}

/* One value of a column, which *t begins. */
static bool
value_read(struct firefox *f, uint8_t scale, const struct json_token *t, int64_t *out)
{
	*out = FF_NULL;
	if (scale == FF_DATA && t->kind == JSON_OBJECT) {
		*out = data_read(f);
		return !f->j.failed;
	}
	if (scale == FF_WHOLE && t->kind == JSON_STRING)
		*out = FF_TEXT + (int64_t)ff_name(f, t);
	else if (scale != FF_DATA)
		*out = ff_number(t, scale);
	if (scale == FF_WHOLE && t->kind == JSON_NUMBER && *out <= FF_TEXT_END)
		*out = FF_NULL;
	return json_skip(&f->j, t);
}

/* ---- columns ---- */

/* Which of a shape's columns a key is; their number where it is none. */
static unsigned
column_of(const struct ff_shape *shape, const struct json_token *key)
{
	unsigned which = 0;

	while (which < shape->n && !json_is(key, shape->column[which].name))
		which++;
	return which;
}

/* Where a table goes: one of both. */
struct to {
	struct ff_table *table;
	struct ff_samples *samples;
};

static void
put(const struct to *to, unsigned column, int64_t *v, size_t n)
{
	if (to->table) {
		for (size_t i = 0; i < n; i++)
			*vec_push(&to->table->column[column]) = v[i];
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = ff_packed(v[i]);
	packed_push_many(&to->samples->column[column], v, n);
}

/* A column, whose '[' was read. */
static bool
column_read(struct firefox *f, const struct to *to, unsigned column, uint8_t scale)
{
	struct json_token value;
	int64_t v[SOME];

	while (json_next(&f->j, &value) && value.kind != JSON_ARRAY_END) {
		if (!value_read(f, scale, &value, v))
			return false;
		put(to, column, v, 1);
		for (size_t n; scale != FF_DATA &&
			       (n = json_column(&f->j, scale, true, v, SOME));)
			put(to, column, v, n);
	}
	return !f->j.failed;
}

/* ---- rows ---- */

struct schema {
	uint8_t column[POSITIONS]; /* [position] in the shape; its n, or more: not wanted */
	bool there;
};

static bool
schema_read(struct firefox *f, const struct ff_shape *shape, struct schema *s)
{
	struct json_token t;

	memset(s->column, 0xFF, sizeof s->column);
	s->there = true;
	while (json_next(&f->j, &t) && t.kind == JSON_KEY) {
		unsigned which = column_of(shape, &t);
		if (!json_next(&f->j, &t))
			break;
		int64_t position = ff_number(&t, 0);
		if (position >= 0 && position < POSITIONS)
			s->column[position] = (uint8_t)which;
		if (!json_skip(&f->j, &t))
			break;
	}
	return !f->j.failed;
}

/* A row, whose '[' was read: it counts when it is whole. */
static bool
row_read(struct firefox *f, const struct ff_shape *shape, const struct schema *s,
	 const struct to *to)
{
	int64_t row[FF_COLUMNS];
	struct json_token t;

	for (unsigned i = 0; i < shape->n; i++)
		row[i] = FF_NULL;
	for (unsigned at = 0; json_next(&f->j, &t) && t.kind != JSON_ARRAY_END; at++) {
		unsigned which = at < POSITIONS ? s->column[at] : shape->n;
		if (which >= shape->n ? !json_skip(&f->j, &t)
				      : !value_read(f, shape->column[which].scale, &t, &row[which]))
			return false;
	}
	if (f->j.failed)
		return false;
	for (unsigned i = 0; i < shape->n; i++)
		put(to, i, &row[i], 1);
	return true;
}

static bool
rows_read(struct firefox *f, const struct ff_shape *shape, const struct schema *s,
	  const struct to *to)
{
	struct json_token t;

	while (json_next(&f->j, &t) && t.kind != JSON_ARRAY_END)
		if (t.kind == JSON_ARRAY ? !row_read(f, shape, s, to) : !json_skip(&f->j, &t))
			return false;
	return !f->j.failed;
}

static bool
read_into(struct firefox *f, const struct ff_shape *shape, const struct to *to)
{
	struct json_kept kept = {.text = BUF_INIT}; /* rows before their schema */
	struct schema schema = {.there = false};
	struct json_token t;
	bool good = true;

	while (good && json_next(&f->j, &t) && t.kind == JSON_KEY) {
		bool is_schema = json_is(&t, "schema"), data = json_is(&t, "data");
		bool weight = json_is(&t, "weightType");
		unsigned column = column_of(shape, &t);
		if (!json_next(&f->j, &t))
			break;
		if (is_schema && t.kind == JSON_OBJECT)
			good = schema_read(f, shape, &schema);
		else if (data && t.kind == JSON_ARRAY)
			good = schema.there ? rows_read(f, shape, &schema, to)
					    : json_keep(&f->j, &t, &kept);
		else if (weight && t.kind == JSON_STRING && to->samples)
			to->samples->weight = json_is(&t, "tracing-ms") ? FF_WEIGHT_TIME
					      : json_is(&t, "bytes")    ? FF_WEIGHT_BYTES
									: FF_WEIGHT_SAMPLES;
		else if (column < shape->n && t.kind == JSON_ARRAY)
			good = column_read(f, to, column, shape->column[column].scale);
		else
			good = json_skip(&f->j, &t);
	}
	if (good && !f->j.failed && schema.there && kept.text.len) {
		struct json outer = json_enter(&f->j, &kept);
		good = json_next(&f->j, &t) && rows_read(f, shape, &schema, to);
		json_return(&f->j, &outer, &kept);
	}
	buf_release(&kept.text);
	return good && !f->j.failed;
}

bool
ff_table_read(struct firefox *f, const struct ff_shape *shape, struct ff_table *out)
{
	return read_into(f, shape, &(struct to){.table = out});
}

/* There may be thousands of threads with a few samples each. */
bool
ff_samples_read(struct firefox *f, struct ff_samples *out)
{
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++)
		packed_room(&out->column[i], true);
	bool good = read_into(f, &sample_shape, &(struct to){.samples = out});
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++)
		packed_room(&out->column[i], false);
	return good;
}

/* ---- rows of samples ---- */

void
ff_block_begin(struct ff_block *x, struct ff_samples *s, bool drops)
{
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++) {
		x->reader[i].of = &s->column[i];
		x->reader[i].drops = drops;
		x->reader[i].at = 0;
	}
	x->left = ff_samples_n(s);
	x->n = 0;
}

bool
ff_block_next(struct ff_block *x)
{
	x->n = x->left < FF_BLOCK ? x->left : FF_BLOCK;
	x->left -= x->n;
	for (unsigned i = 0; i < SAMPLE_COLUMNS && x->n; i++) {
		struct packed_reader *r = &x->reader[i];
		size_t n = 0;
		const int64_t *v = r->at < r->of->n ? packed_some(r, x->n, &n) : NULL;
		for (size_t k = 0; k < n; k++)
			x->v[i][k] = ff_unpacked(v[k]);
		for (size_t k = n; k < x->n; k++)
			x->v[i][k] = FF_NULL;
	}
	return x->n != 0;
}
