/* Tables of Firefox's profiles come in two forms, columns of one length and rows with a schema:
 *
 *	{"length": 2, "time": [1, 2.5], "stack": [0, null]}
 *	{"schema": {"stack": 0, "time": 1}, "data": [[0, 1], [null, 2.5]]}
 *
 * Both become columns of integers; rows that precede their schema are kept until it is read.  A
 * shape lists the wanted columns and their units; all other columns are skipped.  Rows may be
 * shorter than the schema. */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

#include "src/input/decimal.h"

#define POSITIONS 64u
#define SOME 256

static const struct shape {
	unsigned n;
	struct {
		const char *name;
		uint8_t scale; /* enum ff_scale */
	} column[FF_COLUMNS];
} shapes[FF_SHAPES] = {
	[FF_STACKS] = {4, {{"prefix", 0}, {"prefixOffset", 0}, {"frame", 0}, {"category", 0}}},
	[FF_FRAMES] = {10, {{"func", 0}, {"line", 0}, {"address", 0}, {"category", 0},
			    {"lib", 0}, {"location", 0}, {"relevantForJS", 0},
			    {"inlineDepth", 0}, {"originalLocation", 0}, {"flags", 0}}},
	[FF_FUNCS] = {9, {{"name", 0}, {"isJS", 0}, {"fileName", 0}, {"source", 0},
			  {"lineNumber", 0}, {"columnNumber", 0}, {"resource", 0},
			  {"originalLocation", 0}, {"flags", 0}}},
	[FF_PLACES] = {2, {{"source", 0}, {"line", 0}}},
	[FF_RESOURCES] = {1, {{"lib", 0}}},
	[FF_SOURCES] = {1, {{"filename", 0}}},
	[FF_MARKS] = {7, {{"name", 0}, {"startTime", FF_NS}, {"endTime", FF_NS}, {"time", FF_NS},
			  {"phase", 0}, {"category", 0}, {"data", FF_DATA}}},
	[FF_COUNTS] = {3, {{"time", FF_NS}, {"timeDeltas", FF_PS}, {"count", FF_AMOUNT}}},
	[FF_SAMPLES] = {6, {{"stack", 0}, {"time", FF_NS}, {"timeDeltas", FF_PS},
			    {"weight", FF_AMOUNT}, {"threadCPUDelta", FF_AMOUNT},
			    {"memoryAddress", 0}}},
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

/* ---- data of markers ---- */

static int64_t
firefox_number_of(const struct json_token *t, int scale)
{
	int64_t n;

	if (t->kind == JSON_TRUE || t->kind == JSON_FALSE)
		return t->kind == JSON_TRUE;
	return t->kind == JSON_NUMBER && decimal_scaled(t->at, t->len, scale, &n) ? n : FF_NULL;
}

static bool
data_member(struct rows_json *r, void *data, const struct json_token *t)
{
	struct firefox *f = r->context;
	struct ff_data *d = data;
	const char *key = buf_str(&r->key);
	struct ff_field field = {.key = builder_name(f->b, key, r->key.len),
				 .kind = FF_FIELD_TEXT};

	if (!strcmp(key, "type"))
		d->type = json_row_name(r, t);
	if (!strcmp(key, "startTime"))
		d->start = firefox_number_of(t, FF_NS);
	if (!strcmp(key, "endTime"))
		d->end = firefox_number_of(t, FF_NS);
	if (!strcmp(key, "interval") && t->kind == JSON_STRING)
		d->phase = json_is(t, "start") ? 2 : json_is(t, "end") ? 3 : d->phase;
	if (t->kind != JSON_STRING && t->kind != JSON_NUMBER) {
		f->counts.deeper += t->kind == JSON_OBJECT || t->kind == JSON_ARRAY;
		return json_skip(&r->j, t);
	}
	if (d->n >= FF_FIELDS_MAX) {
		f->counts.deeper++;
		return true;
	}
	if (t->kind == JSON_NUMBER && !decimal_is_fraction(t->at, t->len) &&
	    decimal_scaled(t->at, t->len, 0, &field.value))
		field.kind = FF_FIELD_NUMBER;
	else
		field.value = json_row_name(r, t);
	*vec_push(&f->marks.field) = field;
	d->n++;
	return true;
}

/* Returns the number of the object whose first token is *t; FF_NULL after an error. */
static int64_t
data_read(struct rows_json *r, const struct json_token *t)
{
	static const struct json_row rows[] = {{"*", ROW_INSIDE(data_member)}, {0}};
	static const struct json_row row = {"data", ROW_HERE(rows)};
	struct firefox *f = r->context;
	struct ff_data d = {
		.first = (uint32_t)f->marks.field.n, .start = FF_NULL, .end = FF_NULL};

	if (!rows_json_value(r, &row, &d, t))
		return FF_NULL;
	*vec_push(&f->marks.data) = d;
	return (int64_t)f->marks.data.n - 1;
}

/* ---- a table ---- */

/* Where it goes: one of both. */
struct reading {
	const struct shape *shape;
	struct ff_table *table;
	struct ff_samples *samples;
	uint8_t position[POSITIONS]; /* [position] in the shape, 1 + the column; 0: skipped */
	struct json_kept rows;       /* that precede their schema */
	bool has_schema, has_column;
	uint8_t weight;
};

/* Returns the decimals that values of a column are stored with. */
static int
decimals_of(uint8_t scale)
{
	return scale == FF_AMOUNT ? 6 : scale;
}

/* Returns an amount that does not fit in millionths, or FF_NULL for another value. */
static int64_t
large_of(struct firefox *f, const struct json_token *t)
{
	int64_t n;

	if (t->kind != JSON_NUMBER || f->large.n == UINT32_MAX)
		return FF_NULL;
	if (!decimal_scaled(t->at, t->len, 0, &n)) {
		f->counts.limited++;
		n = t->len && *t->at == '-' ? -INT64_MAX : INT64_MAX;
	}
	*vec_push(&f->large) = n;
	return FF_LARGE + (int64_t)f->large.n - 1;
}

/* Reads one value of a column, beginning with *t. */
static bool
value_read(struct rows_json *r, uint8_t scale, const struct json_token *t, int64_t *out)
{
	*out = FF_NULL;
	if (scale == FF_DATA && t->kind == JSON_OBJECT) {
		*out = data_read(r, t);
		return *out != FF_NULL;
	}
	if (scale == FF_WHOLE && t->kind == JSON_STRING)
		*out = FF_TEXT + (int64_t)json_row_name(r, t);
	else if (scale != FF_DATA)
		*out = firefox_number_of(t, decimals_of(scale));
	if (scale == FF_AMOUNT && *out < FF_LARGE_END)
		*out = large_of(r->context, t);
	if (scale == FF_WHOLE && t->kind == JSON_NUMBER && *out <= FF_TEXT_END)
		*out = FF_NULL;
	return json_skip(&r->j, t);
}

static void
firefox_put(const struct reading *x, unsigned column, int64_t *v, size_t n)
{
	if (x->table) {
		size_t before = x->table->column[column].n;
		vec_reserve(&x->table->column[column], before + n);
		memcpy(x->table->column[column].at + before, v, n * sizeof *v);
		x->table->column[column].n += n;
		return;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = ff_packed(v[i]);
	packed_push_many(&x->samples->column[column], v, n);
}

/* Returns the column of a shape with this key; the number of columns if there is none. */
static unsigned
column_of(const struct reading *x, const char *key)
{
	unsigned which = 0;

	while (which < x->shape->n && strcmp(key, x->shape->column[which].name) != 0)
		which++;
	return which;
}

static bool
column_read(struct rows_json *r, void *reading, const struct json_token *t)
{
	struct reading *x = reading;
	unsigned column = column_of(x, buf_str(&r->key));
	struct json_token value;
	int64_t v[SOME];

	if (column == x->shape->n || t->kind != JSON_ARRAY)
		return json_skip(&r->j, t);
	uint8_t scale = x->shape->column[column].scale;
	unsigned decimals = (unsigned)decimals_of(scale);
	x->has_column = true;
	for (;;) {
		for (size_t n; scale != FF_DATA &&
			       (n = json_column(&r->j, decimals, true, v, SOME));)
			firefox_put(x, column, v, n);
		if (!json_next(&r->j, &value) || value.kind == JSON_ARRAY_END)
			return !r->j.failed;
		if (!value_read(r, scale, &value, v))
			return false;
		firefox_put(x, column, v, 1);
	}
}

static bool
position_take(struct rows_json *r, void *reading, const struct json_value *v)
{
	struct reading *x = reading;
	unsigned column = column_of(x, buf_str(&r->key));
	int64_t position = firefox_number_of(&v->t, 0);

	if (position >= 0 && position < POSITIONS)
		x->position[position] = column < x->shape->n ? (uint8_t)(column + 1) : 0;
	return true;
}

/* Reads a row after its '['; it counts only when it is complete. */
static bool
row_read(struct rows_json *r, const struct reading *x)
{
	int64_t row[FF_COLUMNS];
	struct json_token t;

	for (unsigned i = 0; i < x->shape->n; i++)
		row[i] = FF_NULL;
	for (unsigned at = 0; json_next(&r->j, &t) && t.kind != JSON_ARRAY_END; at++) {
		unsigned which = at < POSITIONS ? x->position[at] : 0;
		if (!which ? !json_skip(&r->j, &t)
			   : !value_read(r, x->shape->column[which - 1].scale, &t, &row[which - 1]))
			return false;
	}
	if (r->j.failed)
		return false;
	for (unsigned i = 0; i < x->shape->n; i++)
		firefox_put(x, i, &row[i], 1);
	return true;
}

/* Reads rows, or the column `data`, depending on the members before it. */
static bool
rows_read(struct rows_json *r, void *reading, const struct json_token *begin)
{
	struct reading *x = reading;
	struct json_token t;

	if (begin->kind != JSON_ARRAY)
		return json_skip(&r->j, begin);
	while (json_next(&r->j, &t) && t.kind != JSON_ARRAY_END)
		if (t.kind == JSON_ARRAY ? !row_read(r, x) : !json_skip(&r->j, &t))
			return false;
	return !r->j.failed;
}

static bool
data_meet(struct rows_json *r, void *reading, const struct json_token *t)
{
	struct reading *x = reading;

	if (x->has_schema)
		return rows_read(r, x, t);
	if (!x->has_column && t->kind == JSON_ARRAY)
		return json_keep(&r->j, t, &x->rows);
	buf_reset(&r->key);
	buf_adds(&r->key, "data");
	return column_read(r, x, t);
}

static const char *const weights[] = {"samples", "tracing-ms", "bytes", NULL};
static const struct json_row schema_rows[] = {{"*", ROW_VALUE(position_take)}, {0}};
static const struct json_row table_rows[] = {
	{"schema", ROW_HERE(schema_rows), ROW_HAS(struct reading, has_schema)},
	{"data", ROW_INSIDE(data_meet)},
	{"weightType", ROW_WORD(struct reading, weight, weights)},
	{"*", ROW_INSIDE(column_read)},
	{0},
};

static bool
read_into(struct rows_json *r, struct reading *x, const struct json_token *t)
{
	static const struct json_row row = {"table", ROW_HERE(table_rows)};
	static const struct json_row later = {"data", ROW_INSIDE(data_meet)};

	bool good = rows_json_value(r, &row, x, t);
	x->has_column = true; /* a table without a schema has columns */
	good = good && rows_json_again(r, &x->rows, &later, x);
	buf_release(&x->rows.text);
	return good;
}

bool
ff_table_read(struct rows_json *r, void *table, const struct json_token *t)
{
	struct reading x = {.shape = &shapes[r->row->scale], .table = table};

	return read_into(r, &x, t);
}

/* Columns start small: there may be thousands of threads with a few samples each. */
bool
ff_samples_read(struct rows_json *r, void *samples, const struct json_token *t)
{
	struct ff_samples *out = samples;
	struct reading x = {.shape = &shapes[FF_SAMPLES], .samples = out};

	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++)
		packed_room(&out->column[i], true);
	bool good = read_into(r, &x, t);
	out->weight = x.weight ? (uint8_t)(x.weight - 1) : FF_WEIGHT_SAMPLES;
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++)
		packed_room(&out->column[i], false);
	return good;
}

/* ---- rows of samples ---- */

void
ff_block_begin(struct ff_block *x, struct ff_samples *s)
{
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++) {
		x->reader[i].of = &s->column[i];
		x->reader[i].drops = true;
		x->reader[i].at = 0;
		for (size_t k = 0; k < FF_BLOCK && !s->column[i].n; k++)
			x->v[i][k] = FF_NULL;
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
		if (!r->of->n)
			continue;
		const int64_t *v = r->at < r->of->n ? packed_some(r, x->n, &n) : NULL;
		for (size_t k = 0; k < n; k++)
			x->v[i][k] = ff_unpacked(v[k]);
		for (size_t k = n; k < x->n; k++)
			x->v[i][k] = FF_NULL;
	}
	return x->n != 0;
}
