#include "model/profile/frames.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Both tables are columns behind hash slots. Most formats give few of the members, and a file may
 * have a million functions, so all columns but those of ids exist from their first value on.
 *
 * Most formats know only a function's name, and no line of a frame. These are found by the id of
 * the name, and of the function, without a hash. New names come in the order of their ids, so a
 * new one costs no cache miss here, and usually no memory (struct direct). Of functions that
 * differ only in kind, the first is found in this way. */

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
	free_all(t->function.name, t->function.file, t->function.module, t->function.line,
		 t->function.kind, t->frame.function, t->frame.line, t->frame.clause,
		 t->frame.form, t->address, t->bare.at, t->plain.at, t->begin.at);
	slots_release(&t->function_slots);
	slots_release(&t->frame_slots);
	*t = (struct frames){0};
}

#define COPY_COLUMN(column, n)                                                             \
	((column) = (column) ? mem_copy((column), (n), sizeof *(column)) : NULL)

static void
direct_copy(struct direct *d)
{
	COPY_COLUMN(d->at, d->n);
	d->cap = d->at ? d->n : 0;
}

void
frames_copy(struct frames *to, const struct frames *from)
{
	*to = *from;
	to->functions_cap = from->n_functions;
	to->cap = from->n;
	COPY_COLUMN(to->function.name, to->n_functions);
	COPY_COLUMN(to->function.file, to->n_functions);
	COPY_COLUMN(to->function.module, to->n_functions);
	COPY_COLUMN(to->function.line, to->n_functions);
	COPY_COLUMN(to->function.kind, to->n_functions);
	COPY_COLUMN(to->frame.function, to->n);
	COPY_COLUMN(to->frame.line, to->n);
	COPY_COLUMN(to->frame.clause, to->n);
	COPY_COLUMN(to->frame.form, to->n);
	COPY_COLUMN(to->address, to->n);
	slots_copy(&to->function_slots, &from->function_slots);
	slots_copy(&to->frame_slots, &from->frame_slots);
	direct_copy(&to->bare);
	direct_copy(&to->plain);
	direct_copy(&to->begin);
}

struct function
frames_get_function(const struct frames *t, function_id f)
{
	const struct function_columns *c = &t->function;
	uint8_t kind = c->kind ? c->kind[f] : 0;

	return (struct function){
		.name = c->name[f],
		.file = c->file ? c->file[f] : NAME_EMPTY,
		.module = c->module ? c->module[f] : NAME_EMPTY,
		.line = c->line ? c->line[f] : 0,
		.kind = kind & (uint8_t)~FUNCTION_LAST,
		.last = kind & FUNCTION_LAST,
	};
}

struct frame
frames_get(const struct frames *t, frame_id f)
{
	const struct frame_columns *c = &t->frame;
	uint8_t form = c->form ? c->form[f] : 0;

	return (struct frame){
		.function = c->function[f],
		.line = {.number = c->line ? c->line[f] : 0,
			 .clause = c->clause ? c->clause[f] : 0,
			 .form = form & (uint8_t)~FRAME_INLINED},
		.inlined = form & FRAME_INLINED,
	};
}

static void
direct_set(struct direct *d, uint32_t id, uint32_t place)
{
	if (!d->n) {
		d->first = id;
		d->place = place;
	}
	if (!d->at && (!d->n || (id == d->n && place == d->place + (id - d->first)))) {
		d->n = id + 1u;
		return;
	}
	uint32_t *at = d->at;
	vec_room(at, d->cap, id >= d->n ? id + 1u : d->n);
	for (uint32_t i = 0; !d->at && i < d->n; i++)
		at[i] = direct_get(d, i);
	d->at = at;
	for (; d->n <= id; d->n++)
		d->at[d->n] = 0;
	d->at[id] = place;
}

void
frames_begin_at(struct frames *t, frame_id f)
{
	direct_set(&t->begin, t->frame.function[f], f + 1);
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
		struct function f = frames_get_function(t, i);
		if (!is_bare(&f) || direct_get(&t->bare, f.name) != i + 1)
			slots_put(&t->function_slots, i + 1, function_bits(&f));
	}
}

/* Makes room for element n in a column; does not make a column for a zero. */
static void *
column_for(void *column, size_t size, uint64_t value, uint32_t cap, uint32_t cap_before)
{
	if (!column)
		return value ? mem_zalloc(cap, size) : NULL;
	return cap > cap_before ? mem_realloc(column, cap, size) : column;
}

/* Sets element n of a column, for which `cap` may just have grown. */
#define SET_COLUMN(column, n, value, cap, cap_before)                                      \
	do {                                                                               \
		(column) = column_for((column), sizeof *(column), (value), (cap),          \
				      (cap_before));                                       \
		if (column)                                                                \
			(column)[n] = (value);                                             \
	} while (0)

static function_id
add_function(struct frames *t, const struct function *f)
{
	struct function_columns *c = &t->function;
	uint32_t before = t->functions_cap, n = t->n_functions;
	uint8_t kind = f->last ? f->kind | FUNCTION_LAST : f->kind;

	vec_room(c->name, t->functions_cap, n + 1);
	c->name[n] = f->name;
	SET_COLUMN(c->file, n, f->file, t->functions_cap, before);
	SET_COLUMN(c->module, n, f->module, t->functions_cap, before);
	SET_COLUMN(c->line, n, f->line, t->functions_cap, before);
	SET_COLUMN(c->kind, n, kind, t->functions_cap, before);
	return t->n_functions++;
}

/* Returns true if the function at a place is f. */
static inline bool
is_function_at(const struct frames *t, uint32_t place, const struct function *f)
{
	struct function other = frames_get_function(t, place - 1);

	return function_equal(&other, f);
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
		if (is_function_at(t, place, &f))
			return place - 1;
	}
	bits = at = function_bits(&f);
	while (slots_probe(&t->function_slots, &at, bits, &place))
		if (is_function_at(t, place, &f))
			return place - 1;
	while (!slots_have_room(&t->function_slots, t->n_functions + 1u))
		functions_anew(t);
	slots_put(&t->function_slots, t->n_functions + 1, bits);
	return add_function(t, &f);
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
		struct frame f = frames_get(t, i);
		uint64_t address = frames_address(t, i);
		if (!is_plain(&f, address))
			slots_put(&t->frame_slots, i + 1, frame_bits(&f, address));
	}
}

static frame_id
frames_add_frame(struct frames *t, const struct frame *f, uint64_t address)
{
	struct frame_columns *c = &t->frame;
	uint32_t before = t->cap, n = t->n;
	uint8_t form = f->inlined ? f->line.form | FRAME_INLINED : f->line.form;

	vec_room(c->function, t->cap, n + 1);
	c->function[n] = f->function;
	SET_COLUMN(c->line, n, f->line.number, t->cap, before);
	SET_COLUMN(c->clause, n, f->line.clause, t->cap, before);
	SET_COLUMN(c->form, n, form, t->cap, before);
	SET_COLUMN(t->address, n, address, t->cap, before);
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
		struct frame f = frames_get(t, place - 1);
		if (f.function == frame.function && f.line.number == frame.line.number &&
		    f.line.clause == frame.line.clause && f.line.form == frame.line.form &&
		    f.inlined == frame.inlined && frames_address(t, place - 1) == address)
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
