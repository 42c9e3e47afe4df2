/* Stacks, from the rows of their table.  A row has eight arrays, one after the other, and each has
 * an element for each frame, root first.  Two servers may hold the same stack; one copy is
 * enough. */
#include "src/store/read_inside.h"

#include "src/store/schema.h"

struct frame_row {
	name_id name, file, module;
	uint32_t line, defined;
	uint8_t kind, clause;
};

struct stack_row {
	VEC(struct frame_row) at;
	VEC(frame_id) frame;
};

/* Reads the length of an array; all arrays of a stack have the same. */
static size_t
read_stacks_count(struct rowbin *a, struct stack_row *row, bool first)
{
	size_t n = rowbin_count(a);

	if (first && !err_is_set(&a->fault)) {
		row->at.n = 0;
		for (size_t i = 0; i < n; i++)
			*vec_push(&row->at) = (struct frame_row){0};
	} else if (n != row->at.n) {
		rowbin_is_wrong(a, "has a stack whose columns do not fit");
	}
	return err_is_set(&a->fault) ? 0 : n;
}

static name_id
name(struct reader *r, struct rowbin *a)
{
	rowbin_text(a, &r->text);
	return builder_name(r->b, buf_str(&r->text), r->text.len);
}

static void
read_row(struct reader *r, struct rowbin *a, struct stack_row *row)
{
	size_t n = read_stacks_count(a, row, true);

	for (size_t i = 0; i < n; i++)
		row->at.at[i].name = name(r, a);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].file = name(r, a);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].module = name(r, a);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].line = (uint32_t)rowbin_whole(a, 4);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].kind = (uint8_t)rowbin_whole(a, 1);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].defined = (uint32_t)rowbin_whole(a, 4);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].clause = (uint8_t)rowbin_whole(a, 1);
}

static frame_id
read_stacks_frame_of(struct reader *r, const struct frame_row *f)
{
	unsigned kind = f->kind & SCHEMA_KIND;
	struct line line = line_unknown();
	bool whole = f->kind & SCHEMA_WHOLE;
	struct function function = {
		/* the name of a file or module as a whole */
		.name = !whole ? f->name : f->file != NAME_EMPTY ? f->file : f->module,
		.file = f->file,
		.module = f->module,
		.line = f->defined,
		.kind = (uint8_t)(kind < KINDS ? kind : KIND_USER),
		.last = f->kind & SCHEMA_UNNAMED,
	};

	if (f->line || f->kind & SCHEMA_CLAUSED)
		line = (struct line){
			.number = f->line,
			.clause = f->clause,
			.form = f->kind & SCHEMA_CLAUSED ? LINE_CLAUSE : LINE_PLAIN,
		};
	frame_id frame = builder_frame(r->b, builder_function(r->b, function), line);
	return f->kind & SCHEMA_INLINED ? builder_frame_inlined(r->b, frame) : frame;
}

/* Returns the index of a hash; UINT32_MAX if it is unknown. */
static uint32_t
read_stacks_find(struct reader *r, uint64_t hash)
{
	uint32_t slot, i;

	if (!r->by_hash.slot)
		return UINT32_MAX;
	slot = map_first(&r->by_hash, hash);
	while (map_probe(&r->by_hash, &slot, hash, &i))
		if (r->known.at[i].hash == hash)
			return i;
	return UINT32_MAX;
}

static void
read_stacks_add(struct reader *r, uint64_t hash, const frame_id *frame, size_t n)
{
	stack_id id = n ? builder_stack(r->b, frame, n) : STACK_EMPTY;

	map_insert(&r->by_hash, hash, (uint32_t)r->known.n);
	*vec_push(&r->known) = (struct reader_stack){
		.hash = hash, .id = id, .first = (uint32_t)r->frames.n, .n = (uint32_t)n};
	for (size_t i = 0; i < n; i++)
		*vec_push(&r->frames) = frame[i];
}

/* True if the stack matches its hash. */
static bool
is_whole(const struct reader *r, uint64_t hash, const struct stack_row *row, uint64_t address)
{
	uint64_t path = 0;

	for (size_t i = 0; i < row->at.n; i++) {
		const struct frame_row *f = &row->at.at[i];
		struct name name = builder_name_get(r->b, f->name);
		struct name file = builder_name_get(r->b, f->file);
		struct name module = builder_name_get(r->b, f->module);
		struct schema_frame frame = {name.at,   file.at,    module.at, name.len,
					     file.len,  module.len, f->line,   f->defined,
					     f->kind,   f->clause};
		path = schema_hash(path, &frame);
	}
	return schema_hash_stack(path, address) == hash;
}

static void
take_row(struct reader *r, struct rowbin *a, uint64_t hash, struct stack_row *row,
	 uint64_t address)
{
	if (!is_whole(r, hash, row, address)) {
		rowbin_is_wrong(a, "has a stack that does not match its hash");
		return;
	}
	if (read_stacks_find(r, hash) != UINT32_MAX)
		return;
	row->frame.n = 0;
	for (size_t i = 0; i < row->at.n; i++)
		*vec_push(&row->frame) = read_stacks_frame_of(r, &row->at.at[i]);
	size_t n = row->frame.n;
	if (n)
		row->frame.at[n - 1] = builder_frame_at(r->b, row->frame.at[n - 1], address);
	read_stacks_add(r, hash, row->frame.at, n);
}

bool
reader_stacks(struct reader *r, struct err *e)
{
	struct stack_row row = {VEC_INIT, VEC_INIT};
	struct rowbin a;

	buf_reset(&r->sql);
	question_stacks(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		uint64_t hash = rowbin_whole(&a, 8);
		read_row(r, &a, &row);
		uint64_t address = rowbin_whole(&a, 8);
		if (!err_is_set(&a.fault))
			take_row(r, &a, hash, &row, address);
		reader_breathe(r);
	}
	vec_release(&row.at);
	vec_release(&row.frame);
	return rowbin_close(&a, e);
}

uint32_t
reader_stack(struct reader *r, uint64_t hash)
{
	uint32_t i = read_stacks_find(r, hash);

	if (i != UINT32_MAX)
		return i;
	frame_id frame = builder_frame(r->b, builder_function_unknown(r->b), line_unknown());
	read_stacks_add(r, hash, &frame, 1);
	r->unknown++;
	return (uint32_t)r->known.n - 1;
}
