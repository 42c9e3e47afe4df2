#include "model/build/builder.h"

#define XXH_INLINE_ALL
#include <assert.h>
#include <xxhash.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "model/build/builder_inside.h"

/* The builder's names, functions, frames and stacks.
 *
 * Cache of whole stacks: a sample with thirty frames would cost thirty dependent probes. The
 * hash of its frame ids finds the stack in one. The path is then compared frame by frame, since
 * the hash alone would sometimes merge stacks. On a miss, the frames shared with the previous
 * stack are not looked up again. */

name_id
builder_name(struct builder *b, const void *bytes, size_t len)
{
	return names_put_cut(&b->p->names, bytes, len);
}

name_id
builder_namef(struct builder *b, const char *fmt, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	name_id name = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
	return name;
}

void
builder_name_fetch(const struct builder *b, const void *bytes, size_t len)
{
	if (len <= NAME_LEN_MAX)
		names_fetch(&b->p->names, bytes, len);
}

struct name
builder_name_get(const struct builder *b, name_id id)
{
	return names_get(&b->p->names, id);
}

void
builder_read_names(struct builder *b, builder_reads *reads)
{
	b->reads = reads;
}

/* Returns the displayed form of a name; converts each name once. */
static name_id
shown_name(struct builder *b, name_id id, struct name name)
{
	uint64_t hash = (uint64_t)(id + 1) * 0x9E3779B97F4A7C15u;
	uint32_t slot, i;
	struct buf text = BUF_INIT;
	name_id shown = id;

	if (!b->read.n)
		map_init(&b->read_map);
	slot = map_first(&b->read_map, hash);
	while (map_probe(&b->read_map, &slot, hash, &i))
		if (b->read.at[i].name == id)
			return b->read.at[i].shown;
	if (b->reads(name.at, name.len, &text))
		shown = builder_name(b, buf_str(&text), text.len);
	buf_release(&text);
	map_insert(&b->read_map, hash, (uint32_t)b->read.n);
	*vec_push(&b->read) = (struct read_name){id, shown};
	return shown;
}

static void
builder_show_name(struct builder *b, struct function *f)
{
	struct name name = builder_name_get(b, f->name);

	if (!name.len || name.at[0] != '_')
		return;
	name_id id = shown_name(b, f->name, name);
	struct name shown = builder_name_get(b, id);
	if (id != f->name && f->kind == (uint8_t)kind_of_name(name.at, name.len))
		f->kind = (uint8_t)kind_of_name(shown.at, shown.len);
	f->name = id;
}

function_id
builder_function(struct builder *b, struct function f)
{
	if (b->reads)
		builder_show_name(b, &f);
	return builder_function_shown(b, f);
}

function_id
builder_function_shown(struct builder *b, struct function f)
{
	if (f.name == NAME_EMPTY)
		f.name = builder_name(b, UNNAMED, sizeof UNNAMED - 1);
	if (b->alike.n) {
		function_id other = alike_find(&b->alike, b->p, f);
		if (other != UINT32_MAX)
			return other;
	}
	return frames_function(&b->p->frames, f);
}

name_id
builder_module_base(struct builder *b, name_id module)
{
	return alike_module(&b->p->names, module);
}

void
builder_next_builds(struct builder *b)
{
	alike_release(&b->alike);
	alike_init(&b->alike, b->p, b->p->comparison == COMPARE_FILES);
}

function_id
builder_function_named(struct builder *b, const void *name, size_t len)
{
	return builder_function(b, (struct function){
					   .name = builder_name(b, name, len),
					   .kind = (uint8_t)kind_of_name(name, len),
				   });
}

frame_id
builder_frame_named(struct builder *b, name_id name)
{
	struct name n = builder_name_get(b, name);

	return builder_frame(b, builder_function_named(b, n.at, n.len), line_unknown());
}

function_id
builder_function_unknown(struct builder *b)
{
	static const char unknown[] = "[unknown]";

	return builder_function_named(b, unknown, sizeof unknown - 1);
}

stack_id
builder_stack_missing(struct builder *b, uint64_t events)
{
	static const char name[] = "[no stack]";
	function_id f = builder_function_named(b, name, sizeof name - 1);

	b->n_missing += events;
	return builder_child(b, STACK_EMPTY, builder_frame(b, f, line_unknown()));
}

struct function
builder_function_get(const struct builder *b, function_id f)
{
	assert(f < b->p->frames.n_functions);
	return profile_function(b->p, f);
}

frame_id
builder_frame(struct builder *b, function_id f, struct line line)
{
	assert(f < b->p->frames.n_functions);
	if (line.form != LINE_UNKNOWN)
		b->p->has_lines = true;
	return frames_put(&b->p->frames, f, line);
}

frame_id
builder_frame_of(struct builder *b, struct function f, int64_t line)
{
	return builder_frame(b, builder_function(b, f), line_numbered(line));
}

frame_id
builder_frame_inlined(struct builder *b, frame_id f)
{
	struct frame frame = builder_frame_get(b, f);

	frame.inlined = true;
	return frames_put_at(&b->p->frames, frame, frames_address(&b->p->frames, f));
}

frame_id
builder_frame_at(struct builder *b, frame_id f, uint64_t address)
{
	if (address == ADDRESS_NONE)
		return f;
	return frames_put_at(&b->p->frames, builder_frame_get(b, f), address);
}

frame_id
builder_frame_begin(struct builder *b, frame_id f, uint64_t address)
{
	frame_id at = builder_frame_at(b, f, address);

	if (address != ADDRESS_NONE)
		frames_begin_at(&b->p->frames, at);
	return at;
}

struct frame
builder_frame_get(const struct builder *b, frame_id f)
{
	assert(f < b->p->frames.n);
	return profile_frame(b->p, f);
}

void
builder_module_file(struct builder *b, name_id module, name_id path, const uint8_t *build_id,
		    size_t len)
{
	struct profile *p = b->p;
	static const char digit[] = "0123456789abcdef";
	char hex[2 * 64];

	len = len < 64 ? len : 64;
	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digit[build_id[i] >> 4];
		hex[2 * i + 1] = digit[build_id[i] & 15];
	}
	vec_room(p->module_file, p->module_files_cap, p->n_module_files + 1);
	p->module_file[p->n_module_files++] = (struct module_file){
		module, path, len ? builder_name(b, hex, 2 * len) : NAME_EMPTY};
}

void
builder_attach(struct builder *b, const char *kind, void *at, void (*release)(void *at),
	       const void *(*bytes)(const void *at, size_t *len))
{
	struct profile *p = b->p;

	vec_room(p->attachment, p->attachments_cap, p->n_attachments + 1);
	p->attachment[p->n_attachments++] = (struct attachment){kind, at, release, bytes};
}

void
builder_module_range(struct builder *b, name_id module, uint64_t start, uint64_t limit,
		     uint64_t offset)
{
	struct profile *p = b->p;

	vec_room(p->module_range, p->module_ranges_cap, p->n_module_ranges + 1);
	p->module_range[p->n_module_ranges++] = (struct module_range){module, start, limit, offset};
}

stack_id
builder_child(struct builder *b, stack_id parent, frame_id frame)
{
	assert(frame < b->p->frames.n);
	if (parent == STACK_NONE)
		return STACK_NONE; /* the call that takes the stack sets the error */
	return stacks_child(&b->p->stacks, parent, frame);
}

stack_id
builder_stack_parent(const struct builder *b, stack_id s, frame_id *leaf)
{
	assert(s != STACK_EMPTY && s < b->p->stacks.n);
	*leaf = b->p->stacks.frame[s];
	return b->p->stacks.parent[s];
}

stack_id
builder_path(struct builder *b, stack_id from, const frame_id *frame, size_t n, stack_id *each)
{
	size_t done = n;

	if (from != STACK_NONE && n)
		done = stacks_path(&b->p->stacks, from, frame, n, 1, each);
	return from == STACK_NONE || done < n ? STACK_NONE : n ? each[n - 1] : from;
}

void
builder_paths_known(const struct builder *b, struct stacks_way *way, size_t n)
{
	stacks_known(&b->p->stacks, way, n);
}

void
builder_path_soon(const struct builder *b, stack_id parent, frame_id frame)
{
	stacks_soon(&b->p->stacks, parent, frame);
}

stack_id
builder_stack_next(const struct builder *b)
{
	return b->p->stacks.n;
}

stack_id
builder_too_deep(struct builder *b)
{
	b->deep = true;
	return STACK_NONE;
}

/* Returns true if `s` is the stack of these frames (root first if step is 1, leaf first if -1). */
static bool
stack_is(const struct stacks *t, stack_id s, const frame_id *leaf, size_t n, int step)
{
	for (; n; n--, leaf -= step) {
		if (s == STACK_EMPTY || t->frame[s] != *leaf)
			return false;
		s = t->parent[s];
	}
	return s == STACK_EMPTY;
}

/* Looks up frame by frame from where this stack differs from the last one. */
static stack_id
stack_walk(struct builder *b, const frame_id *root, size_t n, int step)
{
	size_t same = 0;
	stack_id s = STACK_EMPTY;

	if (n > b->last_cap) {
		vec_room(b->last, b->last_cap, n);
		b->last_stack = mem_realloc(b->last_stack, b->last_cap, sizeof *b->last_stack);
	}
	while (same < n && same < b->n_last && b->last[same] == *root) {
		s = b->last_stack[same++];
		root += step;
	}
	b->n_last = same + stacks_path(&b->p->stacks, s, root, n - same, step,
				       b->last_stack + same);
	for (size_t i = same; i < b->n_last; i++, root += step)
		b->last[i] = *root;
	return b->n_last < n ? STACK_NONE : n ? b->last_stack[n - 1] : STACK_EMPTY;
}

static stack_id
stack_find(struct builder *b, const frame_id *frames, size_t n, int step)
{
	uint64_t hash;
	uint32_t slot, i;
	stack_id s;

	if (!n)
		return STACK_EMPTY;
	if (n > STACK_DEPTH_MAX)
		return builder_too_deep(b);
	/* the two orders of one stack get two entries; that costs memory, not correctness */
	hash = XXH3_64bits(frames, n * sizeof *frames);
	slot = map_first(&b->whole, hash);
	const frame_id *leaf = step > 0 ? frames + n - 1 : frames;
	while (map_probe(&b->whole, &slot, hash, &i))
		if (stack_is(&b->p->stacks, b->whole_stack[i], leaf, n, step))
			return b->whole_stack[i];
	s = stack_walk(b, step > 0 ? frames : frames + n - 1, n, step);
	if (s == STACK_NONE)
		return s;
	vec_room(b->whole_stack, b->whole_cap, b->n_whole + 1);
	b->whole_stack[b->n_whole] = s;
	map_insert(&b->whole, hash, b->n_whole++);
	return s;
}

stack_id
builder_stack(struct builder *b, const frame_id *frames, size_t n)
{
	return stack_find(b, frames, n, 1);
}

stack_id
builder_stack_leaf_first(struct builder *b, const frame_id *frames, size_t n)
{
	return stack_find(b, frames, n, -1);
}

void
builder_next_frame(struct builder *b, frame_id frame)
{
	*vec_push(&b->next) = frame;
}

/* Forgets the frames, and returns their stack. */
static stack_id
next_taken(struct builder *b, stack_id stack)
{
	b->next.n = 0;
	return stack;
}

stack_id
builder_next_stack(struct builder *b)
{
	return next_taken(b, builder_stack(b, b->next.at, b->next.n));
}

stack_id
builder_next_leaf_first(struct builder *b)
{
	return next_taken(b, builder_stack_leaf_first(b, b->next.at, b->next.n));
}
