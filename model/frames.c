#include "model/frames.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/mem.h"
#include "model/vec.h"

/* Both tables are arrays of small structures behind a map; contents are compared field by
 * field, so padding never decides what is equal. */

void
frames_init(struct frames *t)
{
	*t = (struct frames){0};
	map_init(&t->function_map);
	map_init(&t->frame_map);
}

void
frames_release(struct frames *t)
{
	free(t->function);
	free(t->frame);
	free(t->address);
	map_release(&t->function_map);
	map_release(&t->frame_map);
	*t = (struct frames){0};
}

void
frames_copy(struct frames *to, const struct frames *from)
{
	*to = (struct frames){.n_functions = from->n_functions,
			      .functions_cap = from->n_functions,
			      .n = from->n,
			      .cap = from->n,
			      .n_variants = from->n_variants,
			      .any_inlined = from->any_inlined,
			      .any_module = from->any_module,
			      .any_file = from->any_file};
	to->function = mem_copy(from->function, from->n_functions, sizeof *from->function);
	to->frame = mem_copy(from->frame, from->n, sizeof *from->frame);
	if (from->address)
		to->address = mem_copy(from->address, from->n, sizeof *from->address);
	map_copy(&to->function_map, &from->function_map);
	map_copy(&to->frame_map, &from->frame_map);
}

static bool
function_equal(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->file == b->file && a->module == b->module &&
	       a->line == b->line && a->kind == b->kind && a->last == b->last;
}

function_id
frames_function(struct frames *t, struct function f)
{
	const uint32_t key[] = {f.name,        f.file, f.module, f.line,
				(uint32_t)f.kind << 1 | f.last};
	uint64_t hash = XXH3_64bits(key, sizeof key);
	uint32_t slot = map_first(&t->function_map, hash), i;

	while (map_probe(&t->function_map, &slot, hash, &i))
		if (function_equal(&t->function[i], &f))
			return i;
	vec_room(t->function, t->functions_cap, t->n_functions + 1);
	t->function[t->n_functions] = f;
	t->any_module |= f.module != NAME_EMPTY;
	t->any_file |= f.file != NAME_EMPTY;
	map_insert(&t->function_map, hash, t->n_functions);
	return t->n_functions++;
}

/* Most profiles have no addresses: the column is made for the first. */
static void
set_address(struct frames *t, frame_id f, uint64_t address, uint32_t cap_before)
{
	if (!t->address && address != ADDRESS_NONE)
		t->address = mem_zalloc(t->cap, sizeof *t->address);
	else if (t->address && t->cap > cap_before)
		t->address = mem_realloc(t->address, t->cap, sizeof *t->address);
	if (t->address)
		t->address[f] = address;
}

frame_id
frames_put_at(struct frames *t, struct frame frame, uint64_t address)
{
	assert(frame.function < t->n_functions);
	const uint32_t key[] = {frame.function, frame.line.number,
				(uint32_t)frame.inlined << 16 |
					(uint32_t)frame.line.clause << 8 | frame.line.form,
				(uint32_t)address, (uint32_t)(address >> 32)};
	size_t used = address == ADDRESS_NONE ? 3 : 5;
	uint64_t hash = XXH3_64bits(key, used * sizeof *key);
	uint32_t slot = map_first(&t->frame_map, hash), i, cap = t->cap;

	while (map_probe(&t->frame_map, &slot, hash, &i)) {
		const struct frame *f = &t->frame[i];
		if (f->function == frame.function && f->line.number == frame.line.number &&
		    f->line.clause == frame.line.clause && f->line.form == frame.line.form &&
		    f->inlined == frame.inlined && frames_address(t, i) == address)
			return i;
	}
	vec_room(t->frame, t->cap, t->n + 1);
	t->frame[t->n] = frame;
	set_address(t, t->n, address, cap);
	t->any_inlined |= frame.inlined;
	t->n_variants += frame.inlined || address != ADDRESS_NONE;
	map_insert(&t->frame_map, hash, t->n);
	return t->n++;
}

frame_id
frames_put(struct frames *t, function_id function, struct line line)
{
	return frames_put_at(t, (struct frame){.function = function, .line = line},
			     ADDRESS_NONE);
}

enum kind
kind_of_name(const char *name, size_t len)
{
	if (len >= 2 && name[0] == '_' && name[1] == '_')
		return KIND_INTRINSIC;
	if (memchr(name, '@', len) || memchr(name, '$', len))
		return KIND_INTRINSIC;
	return KIND_USER;
}

const char *
kind_name(enum kind kind)
{
	switch (kind) {
	case KIND_USER:
		return "user";
	case KIND_INTRINSIC:
		return "intrinsic";
	case KIND_SYSTEM:
		return "system";
	}
	return "";
}
