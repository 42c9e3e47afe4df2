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
			      .cap = from->n};
	to->function = mem_copy(from->function, from->n_functions, sizeof *from->function);
	to->frame = mem_copy(from->frame, from->n, sizeof *from->frame);
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
	map_insert(&t->function_map, hash, t->n_functions);
	return t->n_functions++;
}

frame_id
frames_put(struct frames *t, function_id function, struct line line)
{
	assert(function < t->n_functions);
	const uint32_t key[] = {function, line.number,
				(uint32_t)line.clause << 8 | line.form};
	uint64_t hash = XXH3_64bits(key, sizeof key);
	uint32_t slot = map_first(&t->frame_map, hash), i;

	while (map_probe(&t->frame_map, &slot, hash, &i)) {
		const struct frame *f = &t->frame[i];
		if (f->function == function && f->line.number == line.number &&
		    f->line.clause == line.clause && f->line.form == line.form)
			return i;
	}
	vec_room(t->frame, t->cap, t->n + 1);
	t->frame[t->n] = (struct frame){.function = function, .line = line};
	map_insert(&t->frame_map, hash, t->n);
	return t->n++;
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
