/* Converts the tables to functions, frames and stacks.  It makes only the stacks that samples
 * and allocations use, and their callers.
 *
 * Raw profiles have no table of functions: a frame is a text, `name (url:line:column)` for
 * JavaScript, an address, or a native label, which is kept unchanged. */
#include "src/decode/firefox/firefox_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/native.h"
#include "src/decode/common/words.h"

name_id
ff_string(struct firefox *f, const struct ff_tables *t, int64_t index)
{
	const struct ff_tables *with = f->shared.string.n && !t->string.n ? &f->shared : t;

	if (index < 0)
		return NAME_EMPTY;
	if ((uint64_t)index < with->string.n)
		return with->string.at[index];
	f->counts.unknown++;
	return builder_name(f->b, "[unknown]", 9);
}

name_id
ff_column_string(struct firefox *f, const struct ff_tables *t, int64_t value)
{
	return value >= FF_TEXT && value <= FF_TEXT_END ? (name_id)(value - FF_TEXT)
							: ff_string(f, t, value);
}

struct ff_tables *
ff_tables_of(struct firefox *f, struct ff_thread *t)
{
	return f->has_shared && !t->tables.stack.column[STACK_FRAME].n ? &f->shared : &t->tables;
}

name_id
ff_category(const struct firefox *f, uint32_t profile, int64_t category)
{
	const struct ff_profile *p = &f->profile.at[profile];

	if (category < 0 || (uint64_t)category >= p->category.n)
		return NAME_EMPTY;
	return p->category.at[category];
}

/* ---- functions ---- */

static struct ff_lib *
lib_numbered(const struct firefox *f, const struct ff_tables *t, int64_t index)
{
	const struct ff_profile *p = &f->profile.at[t->profile];
	const struct ff_libs *libs = t->libs.n ? &t->libs : &p->libs;

	return index >= 0 && index < libs->n ? &f->lib.at[libs->first + (uint32_t)index] : NULL;
}

static const struct ff_lib *
lib_at(const struct firefox *f, const struct ff_tables *t, uint64_t address)
{
	const struct ff_lib *lib;

	for (int64_t i = 0; (lib = lib_numbered(f, t, i)); i++)
		if (address >= (uint64_t)lib->start && address < (uint64_t)lib->end)
			return lib;
	return NULL;
}

static uint32_t
firefox_line_of(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static frame_id
frame_made(struct firefox *f, struct function fn, int64_t line)
{
	uint32_t at = firefox_line_of(line);

	return builder_frame_of(f->b, fn, at);
}

static frame_id
unknown_frame(struct firefox *f)
{
	f->counts.unknown++;
	return builder_frame(f->b, builder_function_unknown(f->b), line_unknown());
}

/* A column of frames or functions, where the row's flags say that it counts. */
static int64_t
frame_column(const struct ff_tables *t, unsigned column, int64_t row)
{
	static const uint8_t bit[FF_COLUMNS] = {[FRAME_ADDRESS] = 2, [FRAME_LIB] = 2,
						[FRAME_CATEGORY] = 4, [FRAME_LINE] = 16,
						[FRAME_ORIGINAL] = 64};
	int64_t flags = ff_at(&t->frame, FRAME_FLAGS, row);

	return flags == FF_NULL || !bit[column] || flags & bit[column]
		       ? ff_at(&t->frame, column, row)
		       : FF_NULL;
}

static int64_t
func_column(const struct ff_tables *t, unsigned column, int64_t row)
{
	static const uint8_t bit[FF_COLUMNS] = {[FUNC_RESOURCE] = 4, [FUNC_SOURCE] = 8,
						[FUNC_LINE] = 16, [FUNC_COLUMN] = 32,
						[FUNC_ORIGINAL] = 64};
	int64_t flags = ff_at(&t->func, FUNC_FLAGS, row);

	return flags == FF_NULL || !bit[column] || flags & bit[column]
		       ? ff_at(&t->func, column, row)
		       : FF_NULL;
}

static struct ff_lib *
lib_of(const struct firefox *f, const struct ff_tables *t, int64_t row, int64_t func)
{
	int64_t lib = frame_column(t, FRAME_LIB, row);

	if (lib < 0)
		lib = ff_at(&t->resource, RESOURCE_LIB, func_column(t, FUNC_RESOURCE, func));
	return lib_numbered(f, t, lib);
}

/* Finds the place before compilation, if the file has one: of a frame, or of a function. */
static bool
ff_place(const struct firefox *f, const struct ff_tables *t, int64_t original, int64_t *source,
	     int64_t *line)
{
	const struct ff_table *places =
		t->place.column[PLACE_LINE].n ? &t->place : &f->shared.place;

	if (ff_at(places, PLACE_LINE, original) == FF_NULL)
		return false;
	*source = ff_at(places, PLACE_SOURCE, original);
	*line = ff_at(places, PLACE_LINE, original);
	return true;
}

/* Returns the frame of a row of a processed profile's table. */
static frame_id
frame_of_func(struct firefox *f, const struct ff_tables *t, int64_t row)
{
	int64_t func = ff_at(&t->frame, FRAME_FUNC, row);
	int64_t file = ff_at(&t->func, FUNC_FILE, func);
	int64_t source = func_column(t, FUNC_SOURCE, func);
	int64_t line = func_column(t, FUNC_LINE, func);
	int64_t executing = frame_column(t, FRAME_LINE, row), ignored;

	if (func == FF_NULL || ff_at(&t->func, FUNC_NAME, func) == FF_NULL)
		return unknown_frame(f);
	f->counts.frames++;
	if (ff_place(f, t, func_column(t, FUNC_ORIGINAL, func), &source, &line))
		file = FF_NULL;
	f->counts.mapped +=
		ff_place(f, t, frame_column(t, FRAME_ORIGINAL, row), &ignored, &executing);
	if (file == FF_NULL && source != FF_NULL) {
		const struct ff_table *sources =
			t->source.column[SOURCE_FILE].n ? &t->source : &f->shared.source;
		file = ff_at(sources, SOURCE_FILE, source);
	}
	const struct ff_lib *module = lib_of(f, t, row, func);
	struct function fn = {
		.name = ff_column_string(f, t, ff_at(&t->func, FUNC_NAME, func)),
		.file = ff_column_string(f, t, file),
		.module = module ? module->name : NAME_EMPTY,
		.line = firefox_line_of(line),
	};
	struct name name = builder_name_get(f->b, fn.name);
	int64_t flags = ff_at(&t->func, FUNC_FLAGS, func);
	bool js = flags == FF_NULL ? ff_at(&t->func, FUNC_JS, func) == 1 : flags & FUNC_IS_JS;
	if (!name.len || (js && name_is(name, "(anonymous)")))
		fn.name = js_anonymous(f->b, fn.file, line, func_column(t, FUNC_COLUMN, func));
	name = builder_name_get(f->b, fn.name);
	fn.kind = (uint8_t)(js ? KIND_USER : kind_of_name(name.at, name.len));
	frame_id frame = frame_made(f, fn, executing);
	flags = ff_at(&t->frame, FRAME_FLAGS, row);
	bool inlined = flags == FF_NULL ? ff_at(&t->frame, FRAME_INLINE, row) > 0
					: flags & FRAME_IS_INLINED;
	return inlined ? builder_frame_inlined(f->b, frame) : frame;
}

/* Finds the frames of an address, innermost first, in the files of this machine: some samplers
 * write only addresses.  Returns 0 if the row has a name, or if the address is unknown. */
static unsigned
frames_of_address(struct firefox *f, const struct ff_tables *t, int64_t row, frame_id *out)
{
	int64_t func = ff_at(&t->frame, FRAME_FUNC, row);
	int64_t address = frame_column(t, FRAME_ADDRESS, row);
	struct name name =
		builder_name_get(
		f->b, ff_column_string(f, t, ff_at(&t->func, FUNC_NAME, func)));
	struct ff_lib *lib = lib_of(f, t, row, func);

	if (!lib || address <= 0 || name.len < 3 || memcmp(name.at, "0x", 2) != 0)
		return 0;
	if (!lib->tried) {
		lib->tried = true;
		if (!f->symbols)
			f->symbols = native_symbols(f->in);
		native_file(f->b, lib->name, lib->path, lib->build_id);
		lib->there = native_module(f->symbols, builder_name_get(f->b, lib->path),
					   builder_name_get(f->b, lib->build_id),
					   &lib->symbols);
	}
	/* samply counts from the start of the file's first segment */
	uint64_t base;
	return lib->there && symbols_base(f->symbols, lib->symbols, &base)
		       ? native_frames_at(f->b, f->symbols, lib->symbols, lib->name,
					  (uint64_t)address + base, out)
		       : 0;
}

/* ---- frames of raw profiles ---- */

struct firefox_place {
	size_t name, url, url_len; /* where the name ends; the address of the script */
	int64_t line, column;
};

/* Parses the number after the last ':' of at[from..*end), and sets *end to that ':'. */
static int64_t
number_behind(const char *at, size_t from, size_t *end)
{
	size_t i = *end;
	int64_t n = 0;

	while (i > from && is_digit(at[i - 1]))
		i--;
	if (i == *end || i == from || at[i - 1] != ':' || *end - i > 9)
		return 0;
	for (size_t k = i; k < *end; k++)
		n = n * 10 + (at[k] - '0');
	*end = i - 1;
	return n;
}

/* Parses `name (url:line:column)[source]`; returns false for other texts. */
static bool
firefox_place_of(struct name text, struct firefox_place *out)
{
	size_t end = text.len, open;

	if (end && text.at[end - 1] == ']') {
		while (end && text.at[end - 1] != '[')
			end--;
		end -= end > 0;
	}
	if (!end || text.at[end - 1] != ')')
		return false;
	end--;
	for (open = 0; open + 1 < end; open++)
		if (text.at[open] == ' ' && text.at[open + 1] == '(')
			break;
	if (open + 1 >= end)
		return false;
	size_t from = open + 2;
	int64_t last = number_behind(text.at, from, &end);
	int64_t first = last ? number_behind(text.at, from, &end) : 0;
	if (!last)
		return false;
	/* the URL of a script loaded by others lists them; the last one is the script */
	for (size_t i = from; i + 4 <= end; i++)
		if (!memcmp(text.at + i, " -> ", 4))
			from = i + 4;
	*out = (struct firefox_place){open, from, end - from, first ? first : last,
				      first ? last : 0};
	return true;
}

static frame_id
frame_of_location(struct firefox *f, const struct ff_tables *t, int64_t row)
{
	name_id id = ff_column_string(f, t, ff_at(&t->frame, FRAME_LOCATION, row));
	struct name text = builder_name_get(f->b, id);
	struct function fn = {.name = id, .kind = (uint8_t)kind_of_name(text.at, text.len)};
	struct firefox_place place;
	char hex[24] = "", *end;

	if (text.len > 2 && text.len < sizeof hex && !memcmp(text.at, "0x", 2)) {
		memcpy(hex, text.at, text.len);
		uint64_t address = strtoull(hex, &end, 16);
		const struct ff_lib *lib = *end ? NULL : lib_at(f, t, address);
		fn.module = lib ? lib->name : NAME_EMPTY;
	} else if (firefox_place_of(text, &place)) {
		fn.file = builder_name(f->b, text.at + place.url, place.url_len);
		fn.name = place.name ? builder_name(f->b, text.at, place.name) : NAME_EMPTY;
		struct name name = builder_name_get(f->b, fn.name);
		if (!name.len || name_is(name, "(anonymous)"))
			fn.name = js_anonymous(f->b, fn.file, place.line, place.column);
		fn.line = firefox_line_of(place.line);
		fn.kind = KIND_USER;
	}
	return frame_made(f, fn, ff_at(&t->frame, FRAME_LINE, row));
}

/* ---- stacks ---- */

static int64_t
prefix_of(const struct ff_tables *t, int64_t row)
{
	int64_t offset = ff_at(&t->stack, STACK_OFFSET, row);

	if (offset != FF_NULL)
		return offset > 0 && offset <= row ? row - offset : -1;
	int64_t prefix = ff_at(&t->stack, STACK_PREFIX, row);
	return prefix == FF_NULL ? -1 : prefix >= 0 && prefix < row ? prefix : FF_NULL;
}

static bool
is_root(struct firefox *f, frame_id frame)
{
	struct frame x = builder_frame_get(f->b, frame);
	struct name n = builder_name_get(f->b, builder_function_get(f->b, x.function).name);

	return name_is(n, "(root)");
}

struct firefox_binding {
	VEC(uint32_t) run;   /* [row] + 1, in `frame`; 0: not looked up yet */
	VEC(frame_id) frame; /* runs: a count, then the frames of a row, innermost first */
	VEC(uint32_t) depth; /* [stack] in frames */
};

/* Returns the frames of a row, usually one.  They are valid until the next call. */
static const frame_id *
firefox_frames_of(struct firefox *f, const struct ff_tables *t, struct firefox_binding *x,
		  int64_t row, unsigned *n)
{
	frame_id found[SYMBOLS_DEPTH];

	while (x->run.n <= (uint64_t)row)
		*vec_push(&x->run) = 0;
	if (!x->run.at[row]) {
		bool raw = ff_at(&t->frame, FRAME_LOCATION, row) != FF_NULL;
		*n = raw ? 0 : frames_of_address(f, t, row, found);
		if (!*n)
			found[(*n)++] =
				raw ? frame_of_location(f, t, row) : frame_of_func(f, t, row);
		*vec_push(&x->frame) = *n;
		x->run.at[row] = (uint32_t)x->frame.n;
		for (unsigned i = 0; i < *n; i++)
			*vec_push(&x->frame) = found[i];
	}
	*n = x->frame.at[x->run.at[row] - 1];
	return &x->frame.at[x->run.at[row]];
}

/* Returns true if the row of the frame table and everything it refers to exist. */
static bool
frame_is_there(const struct ff_tables *t, int64_t frame)
{
	int64_t func = ff_at(&t->frame, FRAME_FUNC, frame);

	return ff_at(&t->frame, FRAME_LOCATION, frame) != FF_NULL ||
	       ff_at(&t->func, FUNC_NAME, func) != FF_NULL;
}

/* Adds a row to its caller's stack; the leaf of a sample gets an address. */
static void
push_row(struct firefox *f, struct ff_tables *t, int64_t row, stack_id above,
	 const frame_id *frame, unsigned n)
{
	int64_t address = frame_column(t, FRAME_ADDRESS, ff_at(&t->stack, STACK_FRAME, row));

	while (n > 1)
		above = builder_child(f->b, above, frame[--n]);
	if (address <= 0 || t->used.at[row] & USED_CALLER)
		t->made.at[row] = builder_child(f->b, above, frame[0]);
	if (address > 0 && t->used.at[row] & USED_LEAF)
		t->leaf.at[row].stack = builder_child(
			f->b, above, builder_frame_at(f->b, frame[0], (uint64_t)address));
	else
		t->leaf.at[row].stack = t->made.at[row];
}

/* The prefix is made. */
static void
make(struct firefox *f, struct ff_tables *t, struct firefox_binding *x, int64_t row)
{
	int64_t prefix = prefix_of(t, row), frame = ff_at(&t->stack, STACK_FRAME, row);
	int64_t category = ff_at(&t->stack, STACK_CATEGORY, row);
	stack_id above = prefix >= 0 ? t->made.at[prefix] : STACK_EMPTY;
	frame_id unknown;
	const frame_id *frames = &unknown;
	unsigned n = 1;

	if (category == FF_NULL)
		category = frame_column(t, FRAME_CATEGORY, frame);
	if (category == FF_NULL && prefix >= 0)
		category = t->leaf.at[prefix].category;
	t->leaf.at[row].category = category >= 0 && category < INT32_MAX ? (int32_t)category : -1;
	if (above == FF_LOST || (!frame_is_there(t, frame) && f->cut)) {
		t->made.at[row] = t->leaf.at[row].stack = FF_LOST;
		return;
	}
	if (prefix == FF_NULL)
		above = builder_child(f->b, STACK_EMPTY, unknown_frame(f));
	if (prefix == -1 && ff_at(&t->stack, STACK_OFFSET, row) > row)
		builder_warn(f->b, "stacks whose caller is before the first one: roots");
	if (frame_is_there(t, frame))
		frames = firefox_frames_of(f, t, x, frame, &n);
	else
		unknown = unknown_frame(f);
	x->depth.at[row] = (prefix >= 0 ? x->depth.at[prefix] : 0) + n;
	if (above == STACK_EMPTY && prefix == -1 && is_root(f, frames[n - 1]))
		t->made.at[row] = t->leaf.at[row].stack = STACK_EMPTY;
	else if (x->depth.at[row] > STACK_DEPTH_MAX || above == STACK_NONE)
		t->made.at[row] = t->leaf.at[row].stack = builder_too_deep(f->b);
	else
		push_row(f, t, row, above, frames, n);
}

static void
firefox_bind(struct firefox *f, struct ff_tables *t)
{
	struct firefox_binding x = {.run = VEC_INIT, .frame = VEC_INIT, .depth = VEC_INIT};
	size_t n = t->used.n;

	vec_reserve(&t->made, n);
	vec_reserve(&t->leaf, n);
	vec_reserve(&x.depth, n);
	t->made.n = t->leaf.n = n;
	for (size_t i = n; i--;) {
		int64_t prefix = t->used.at[i] ? prefix_of(t, (int64_t)i) : -1;
		if (prefix >= 0)
			t->used.at[prefix] |= USED_CALLER;
	}
	for (size_t i = 0; i < n; i++)
		if (t->used.at[i])
			make(f, t, &x, (int64_t)i);
	vec_release_all(&x.run, &x.frame, &x.depth);
}

static void
mark_used(struct ff_tables *t, struct ff_samples *samples)
{
	size_t rows = t->stack.column[STACK_FRAME].n;
	struct packed *stack = &samples->column[SAMPLE_STACK];
	struct packed_reader r = {.of = stack};

	if (t->used.n < rows) {
		vec_reserve(&t->used, rows);
		memset(t->used.at + t->used.n, 0, (rows - t->used.n) * sizeof *t->used.at);
		t->used.n = rows;
	}
	while (r.at < stack->n) {
		size_t n;
		const int64_t *v = packed_some(&r, stack->n, &n);
		for (size_t i = 0; i < n; i++) {
			int64_t row = ff_unpacked(v[i]);
			if ((uint64_t)row < rows)
				t->used.at[row] |= USED_LEAF;
		}
	}
}

void
ff_stacks_bind(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		struct ff_tables *tables = ff_tables_of(f, t);
		mark_used(tables, &t->samples);
		mark_used(tables, &t->js);
		mark_used(tables, &t->native);
	}
	firefox_bind(f, &f->shared);
	for (size_t i = 0; i < f->thread.n; i++)
		if (ff_tables_of(f, &f->thread.at[i]) != &f->shared)
			firefox_bind(f, &f->thread.at[i].tables);
}

bool
ff_stack(struct firefox *f, const struct ff_tables *t, int64_t row, stack_id *stack,
	 int32_t *category)
{
	*stack = STACK_EMPTY;
	*category = -1;
	if (row == FF_NULL)
		return true;
	if (row >= 0 && (uint64_t)row < t->leaf.n && t->leaf.at[row].stack != FF_LOST) {
		*stack = t->leaf.at[row].stack;
		*category = t->leaf.at[row].category;
		return true;
	}
	if (f->cut) {
		f->counts.lost++;
		return false;
	}
	*stack = builder_child(f->b, STACK_EMPTY, unknown_frame(f));
	return true;
}
