/* Stacks, from the rows of their table.  A row has nine arrays, one after the other, and each has
 * an element for each frame, root first.  Two servers may hold the same stack; one copy is
 * enough. */
#include "src/store/read_inside.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/store/schema.h"

struct stack_row {
	VEC(struct frame_row) at;
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

static void
read_row(struct reader *r, struct rowbin *a, struct stack_row *row)
{
	size_t n = read_stacks_count(a, row, true);

	for (size_t i = 0; i < n; i++)
		row->at.at[i].name = reader_name(r, a);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].file = reader_name(r, a);
	n = read_stacks_count(a, row, false);
	for (size_t i = 0; i < n; i++)
		row->at.at[i].module = reader_name(r, a);
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

/* Reads the build ids of frames whose functions are addresses: one each, or none at all. */
static void
read_builds(struct reader *r, struct rowbin *a, struct stack_row *row)
{
	size_t n = rowbin_count(a);

	if (n && n != row->at.n)
		rowbin_is_wrong(a, "has a stack whose columns do not fit");
	for (size_t i = 0; i < n && !err_is_set(&a->fault); i++) {
		struct frame_row *f = &row->at.at[i];
		f->build = reader_name(r, a);
		f->call = f->build != NAME_EMPTY && i + 1 < n;
	}
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

/* Adds a stack that has no frames yet. */
static uint32_t
read_stacks_add(struct reader *r, uint64_t hash)
{
	map_insert(&r->by_hash, hash, (uint32_t)r->known.n);
	*vec_push(&r->known) = (struct reader_stack){.hash = hash, .id = STACK_EMPTY};
	return (uint32_t)r->known.n - 1;
}

/* Declares that the frames of a stack follow, n of them, which the caller appends to r->frames. */
static void
read_stacks_begin(struct reader *r, struct reader_stack *k, size_t n)
{
	k->found = true;
	k->first = (uint32_t)r->frames.n;
	k->n = (uint32_t)n;
}

/* True if the stack matches its hash. */
static bool
read_is_whole(const struct reader *r, uint64_t hash, const struct stack_row *row, uint64_t address)
{
	uint64_t path = 0;

	for (size_t i = 0; i < row->at.n; i++) {
		const struct frame_row *f = &row->at.at[i];
		struct name name = builder_name_get(r->b, f->name);
		struct name file = builder_name_get(r->b, f->file);
		struct name module = builder_name_get(r->b, f->module);
		struct name build = builder_name_get(r->b, f->build);
		struct schema_frame frame = {.function = name.at,
					     .file = file.at,
					     .module = module.at,
					     .build = build.at,
					     .function_len = name.len,
					     .file_len = file.len,
					     .module_len = module.len,
					     .build_len = build.len,
					     .line = f->line,
					     .defined = f->defined,
					     .kind = f->kind,
					     .clause = f->clause};
		path = schema_hash(path, &frame);
	}
	return schema_hash_stack(path, address) == hash;
}

void
stack_answer_add(struct stack_answer *answer, struct reader *r, uint64_t hash,
		 const struct frame_row *frame, size_t n, uint64_t address)
{
	uint32_t known = read_stacks_find(r, hash);

	if (known == UINT32_MAX || r->known.at[known].found)
		return;
	if (!answer->address)
		answer->address = mem_zalloc(r->known.n + 1, sizeof *answer->address);
	read_stacks_begin(r, &r->known.at[known], n);
	answer->address[known] = address;
	for (size_t i = 0; i < n; i++)
		*vec_push(&r->frames) = frame_rows_add(&answer->frames, &frame[i]);
}

static void
take_row(struct reader *r, struct rowbin *a, uint64_t hash, const struct stack_row *row,
	 uint64_t address, struct stack_answer *answer)
{
	if (read_is_whole(r, hash, row, address))
		stack_answer_add(answer, r, hash, row->at.at, row->at.n, address);
	else
		rowbin_is_wrong(a, "has a stack that does not match its hash");
}

/* Gives a stack that the table lacks one frame that marks it. */
static void
read_stacks_unknown(struct reader *r, struct reader_stack *k)
{
	frame_id frame = builder_frame(r->b, builder_function_unknown(r->b), line_unknown());

	read_stacks_begin(r, k, 1);
	*vec_push(&r->frames) = frame;
	k->id = builder_stack(r->b, &frame, 1);
	r->unknown++;
}

/* Gives each stack its frames instead of the indexes of their rows. */
void
stack_answer_make(struct stack_answer *answer, struct reader *r)
{
	frame_id *made = frame_rows_make(&answer->frames, r->b);

	for (size_t i = 0; i < r->known.n; i++) {
		struct reader_stack *k = &r->known.at[i];
		frame_id *frame = &r->frames.at[k->first];
		if (!k->n)
			continue;
		for (uint32_t f = 0; f < k->n; f++)
			frame[f] = made[frame[f]];
		frame[k->n - 1] = builder_frame_at(r->b, frame[k->n - 1], answer->address[i]);
		k->id = builder_stack(r->b, frame, k->n);
		reader_breathe(r);
	}
	for (size_t i = 0; i < r->known.n; i++)
		if (!r->known.at[i].found)
			read_stacks_unknown(r, &r->known.at[i]);
	free_all(made, answer->address);
	frame_rows_release(&answer->frames);
}

bool
reader_stacks(struct reader *r, struct err *e)
{
	struct stack_row row = {VEC_INIT};
	struct stack_answer answer = {.address = NULL};
	struct rowbin a;

	buf_reset(&r->sql);
	question_stacks(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		uint64_t hash = rowbin_whole(&a, 8);
		read_row(r, &a, &row);
		uint64_t address = rowbin_whole(&a, 8);
		read_builds(r, &a, &row);
		if (!err_is_set(&a.fault))
			take_row(r, &a, hash, &row, address, &answer);
		reader_breathe(r);
	}
	vec_release(&row.at);
	bool good = rowbin_close(&a, e) && reader_names(r, &answer.frames, e);
	stack_answer_make(&answer, r);
	return good;
}

uint32_t
reader_stack_wanted(struct reader *r, uint64_t hash)
{
	uint32_t i = read_stacks_find(r, hash);

	return i != UINT32_MAX ? i : read_stacks_add(r, hash);
}

uint32_t
reader_stack(struct reader *r, uint64_t hash)
{
	uint32_t i = read_stacks_find(r, hash);

	if (i != UINT32_MAX)
		return i;
	i = read_stacks_add(r, hash);
	read_stacks_unknown(r, &r->known.at[i]);
	return i;
}
