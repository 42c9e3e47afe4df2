#include "model/profile/frames.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Both tables are arrays of small structures behind hash slots. Contents are compared field by
 * field, so padding never matters.
 *
 * Most formats know only a function's name, and no line of a frame. These are found by the id of
 * the name, and of the function, without a hash. New names come in the order of their ids, so a
 * new one costs no cache miss here, and four bytes instead of a slot. Of functions that differ
 * only in kind, the first is found in this way. */

void
frames_init(struct frames *t)
{
	*t = (struct frames){0};
	slots_init(&t->function_slots);
	slots_init(&t->frame_slots);
}

void
frames_release(struct frames *t)
{
	free(t->function);
	free(t->frame);
	free(t->address);
	free(t->bare.at);
	free(t->plain.at);
	free(t->begin.at);
	slots_release(&t->function_slots);
	slots_release(&t->frame_slots);
	*t = (struct frames){0};
}

static struct direct
direct_copy(const struct direct *from)
{
	return (struct direct){
		.at = from->n ? mem_copy(from->at, from->n, sizeof *from->at) : NULL,
		.n = from->n,
		.cap = from->n,
	};
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
	slots_copy(&to->function_slots, &from->function_slots);
	slots_copy(&to->frame_slots, &from->frame_slots);
	to->bare = direct_copy(&from->bare);
	to->plain = direct_copy(&from->plain);
	to->begin = direct_copy(&from->begin);
}

static inline uint32_t
direct_get(const struct direct *d, uint32_t id)
{
	return id < d->n ? d->at[id] : 0;
}

static void
direct_set(struct direct *d, uint32_t id, uint32_t place)
{
	vec_room(d->at, d->cap, id + 1u);
	for (; d->n <= id; d->n++)
		d->at[d->n] = 0;
	d->at[id] = place;
}

void
frames_begin_at(struct frames *t, frame_id f)
{
	direct_set(&t->begin, t->frame[f].function, f + 1);
}

uint64_t
frames_begin(const struct frames *t, function_id f)
{
	uint32_t place = direct_get(&t->begin, f);

	return place ? frames_address(t, place - 1) : ADDRESS_NONE;
}

static bool
function_equal(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->file == b->file && a->module == b->module &&
	       a->line == b->line && a->kind == b->kind && a->last == b->last;
}

static uint32_t
function_bits(const struct function *f)
{
	const uint32_t key[] = {f->name, f->file, f->module, f->line,
				(uint32_t)f->kind << 1 | f->last};

	return (uint32_t)XXH3_64bits(key, sizeof key);
}

static inline bool
is_bare(const struct function *f)
{
	return f->file == NAME_EMPTY && f->module == NAME_EMPTY && !f->line;
}

static void
functions_anew(struct frames *t)
{
	slots_grow(&t->function_slots, t->n_functions + 1u);
	for (uint32_t i = 0; i < t->n_functions; i++) {
		const struct function *f = &t->function[i];
		if (!is_bare(f) || direct_get(&t->bare, f->name) != i + 1)
			slots_put(&t->function_slots, i + 1, function_bits(f));
	}
}

static function_id
add_function(struct frames *t, const struct function *f)
{
	vec_room(t->function, t->functions_cap, t->n_functions + 1);
	t->function[t->n_functions] = *f;
	t->any_module |= f->module != NAME_EMPTY;
	t->any_file |= f->file != NAME_EMPTY;
	return t->n_functions++;
}

function_id
frames_function(struct frames *t, struct function f)
{
	uint32_t bits, at, place;

	if (is_bare(&f)) {
		place = direct_get(&t->bare, f.name);
		if (!place) {
			direct_set(&t->bare, f.name, t->n_functions + 1);
			return add_function(t, &f);
		}
		if (function_equal(&t->function[place - 1], &f))
			return place - 1;
	}
	bits = at = function_bits(&f);
	while (slots_probe(&t->function_slots, &at, bits, &place))
		if (function_equal(&t->function[place - 1], &f))
			return place - 1;
	while (!slots_have_room(&t->function_slots, t->n_functions + 1u))
		functions_anew(t);
	slots_put(&t->function_slots, t->n_functions + 1, bits);
	return add_function(t, &f);
}

/* Most profiles have no addresses: the column is allocated for the first one. */
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

static uint32_t
frame_bits(const struct frame *f, uint64_t address)
{
	const uint32_t key[] = {f->function, f->line.number,
				(uint32_t)f->inlined << 16 | (uint32_t)f->line.clause << 8 |
					f->line.form,
				(uint32_t)address, (uint32_t)(address >> 32)};
	size_t used = address == ADDRESS_NONE ? 3 : 5;

	return (uint32_t)XXH3_64bits(key, used * sizeof *key);
}

static inline bool
is_plain(const struct frame *f, uint64_t address)
{
	return !f->line.number && !f->line.clause && f->line.form == LINE_UNKNOWN &&
	       !f->inlined && address == ADDRESS_NONE;
}

static void
frames_anew(struct frames *t)
{
	slots_grow(&t->frame_slots, t->n + 1u);
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t address = frames_address(t, i);
		if (!is_plain(&t->frame[i], address))
			slots_put(&t->frame_slots, i + 1, frame_bits(&t->frame[i], address));
	}
}

static frame_id
frames_add_frame(struct frames *t, const struct frame *f, uint64_t address)
{
	uint32_t cap = t->cap;

	vec_room(t->frame, t->cap, t->n + 1);
	t->frame[t->n] = *f;
	set_address(t, t->n, address, cap);
	t->any_inlined |= f->inlined;
	t->n_variants += f->inlined || address != ADDRESS_NONE;
	return t->n++;
}

frame_id
frames_put_at(struct frames *t, struct frame frame, uint64_t address)
{
	uint32_t bits, at, place;

	assert(frame.function < t->n_functions);
	if (is_plain(&frame, address)) {
		place = direct_get(&t->plain, frame.function);
		if (place)
			return place - 1;
		direct_set(&t->plain, frame.function, t->n + 1);
		return frames_add_frame(t, &frame, address);
	}
	bits = at = frame_bits(&frame, address);
	while (slots_probe(&t->frame_slots, &at, bits, &place)) {
		const struct frame *f = &t->frame[place - 1];
		if (f->function == frame.function && f->line.number == frame.line.number &&
		    f->line.clause == frame.line.clause && f->line.form == frame.line.form &&
		    f->inlined == frame.inlined && frames_address(t, place - 1) == address)
			return place - 1;
	}
	while (!slots_have_room(&t->frame_slots, t->n + 1u))
		frames_anew(t);
	slots_put(&t->frame_slots, t->n + 1, bits);
	return frames_add_frame(t, &frame, address);
}

frame_id
frames_put(struct frames *t, function_id function, struct line line)
{
	return frames_put_at(t, (struct frame){.function = function, .line = line},
			     ADDRESS_NONE);
}

static bool
is_underscored(const char *two)
{
	return two[0] == '_' && two[1] == '_';
}

enum kind
kind_of_name(const char *name, size_t len)
{
	return len >= 2 && is_underscored(name) && !is_underscored(name + len - 2)
		       ? KIND_INTRINSIC
		       : KIND_USER;
}

enum kind
kind_of_dos_name(const char *name, size_t len)
{
	if (len >= 2 && is_underscored(name))
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
	case KIND_IDLE:
		return "idle";
	}
	return "";
}
