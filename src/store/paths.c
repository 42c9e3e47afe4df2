/* Stacks by their hash.  The hash of a path derives from that of its caller, so the cost is
 * proportional to the tree.  64 bits are enough for a hundred million stacks, but a collision is
 * possible.  It is detected here, and the profile is refused. */
#include "src/store/paths.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/store/rowout.h"

enum { PATH_KNOWN = 1, PATH_USED = 2 };

void
paths_init(struct paths *x, const struct shown *s, bool recorded)
{
	*x = (struct paths){.p = s->p, .tree = recorded ? NULL : s->tree};
	x->n = recorded ? s->p->stacks.n : s->tree->n;
	x->path = mem_alloc((size_t)x->n + 1, sizeof *x->path);
	x->state = mem_zalloc((size_t)x->n + 1, 1);
	map_init(&x->by_hash);
}

void
paths_release(struct paths *x)
{
	free(x->path);
	free(x->state);
	vec_release(&x->used);
	vec_release(&x->climb);
	map_release(&x->by_hash);
}

/* Returns the caller's index; the root has none and is not a frame. */
static uint32_t
up(const struct paths *x, uint32_t i)
{
	return x->tree ? x->tree->parent[i] : x->p->stacks.parent[i];
}

static bool
is_top(const struct paths *x, uint32_t i)
{
	return i == (x->tree ? NODE_ROOT : STACK_EMPTY);
}

static void
paths_put_name(const struct paths *x, name_id id, const char **at, size_t *len)
{
	struct name name = names_get(&x->p->names, id);

	*at = name.at;
	*len = name.len;
}

static void
put_line(struct schema_frame *f, struct line line)
{
	f->line = line.form == LINE_UNKNOWN ? 0 : line.number;
	f->clause = line.form == LINE_CLAUSE ? line.clause : 0;
	f->kind |= line.form == LINE_CLAUSE ? SCHEMA_CLAUSED : 0;
}

/* True for a function that is an address, as decoders name those without a symbol. */
static bool
paths_is_address(const struct schema_frame *f)
{
	static const char digits[] = "0123456789abcdef";

	return f->function_len > 2 && f->function[0] == '0' && f->function[1] == 'x' &&
	       strspn(f->function + 2, digits) == f->function_len - 2;
}

/* Adds the build id of the module, by which the function can be found later. */
static void
paths_put_build(const struct paths *x, name_id module, struct schema_frame *f)
{
	for (uint32_t i = 0; i < x->p->n_module_files; i++)
		if (x->p->module_file[i].module == module)
			paths_put_name(x, x->p->module_file[i].build_id, &f->build, &f->build_len);
}

static void
put_function(const struct paths *x, function_id id, struct schema_frame *f)
{
	struct function fn = profile_function(x->p, id);

	paths_put_name(x, fn.name, &f->function, &f->function_len);
	paths_put_name(x, fn.file, &f->file, &f->file_len);
	paths_put_name(x, fn.module, &f->module, &f->module_len);
	f->defined = fn.line;
	f->kind = fn.kind | (fn.last ? SCHEMA_UNNAMED : 0);
	if (paths_is_address(f))
		paths_put_build(x, fn.module, f);
}

static struct schema_frame
paths_frame_of(const struct paths *x, uint32_t i, uint64_t *address)
{
	struct schema_frame f = {.function = "", .file = "", .module = "", .build = ""};

	*address = ADDRESS_NONE;
	if (!x->tree) {
		frame_id id = x->p->stacks.frame[i];
		struct frame frame = profile_frame(x->p, id);
		put_function(x, frame.function, &f);
		put_line(&f, frame.line);
		f.kind |= frame.inlined ? SCHEMA_INLINED : 0;
		*address = frames_address(&x->p->frames, id);
		return f;
	}
	key_id key = x->tree->key[i];
	function_id id = projection_key_function(x->tree, x->p, key);
	if (id == UINT32_MAX) {
		name_id name = projection_key_name(x->tree, x->p, key);
		bool file = x->tree->by == BY_FILE;
		paths_put_name(x, name, file ? &f.file : &f.module,
			       file ? &f.file_len : &f.module_len);
		f.kind = SCHEMA_WHOLE;
		return f;
	}
	put_function(x, id, &f);
	put_line(&f, projection_key_line(x->tree, x->p, key));
	f.kind |= projection_key_inlined(x->tree, key) ? SCHEMA_INLINED : 0;
	*address = projection_key_address(x->tree, x->p, key);
	return f;
}

static bool
same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

static bool
same_frame(const struct schema_frame *a, const struct schema_frame *b)
{
	return a->line == b->line && a->defined == b->defined && a->kind == b->kind &&
	       a->clause == b->clause &&
	       same_text(a->function, a->function_len, b->function, b->function_len) &&
	       same_text(a->file, a->file_len, b->file, b->file_len) &&
	       same_text(a->module, a->module_len, b->module, b->module_len) &&
	       same_text(a->build, a->build_len, b->build, b->build_len);
}

static bool
same_path(const struct paths *x, uint32_t i, uint32_t j)
{
	uint64_t at = 0, other = 0;
	bool leaf = true;

	for (; i != j && !is_top(x, i) && !is_top(x, j); i = up(x, i), j = up(x, j)) {
		struct schema_frame a = paths_frame_of(x, i, &at), b = paths_frame_of(x, j, &other);
		if (!same_frame(&a, &b) || (leaf && at != other))
			return false;
		leaf = false;
	}
	return i == j;
}

static void
paths_path_hash(struct paths *x, uint32_t i)
{
	uint64_t hash = 0, address;

	x->climb.n = 0;
	for (; !is_top(x, i) && !(x->state[i] & PATH_KNOWN); i = up(x, i))
		*vec_push(&x->climb) = i;
	if (!is_top(x, i))
		hash = x->path[i];
	while (x->climb.n) {
		i = x->climb.at[--x->climb.n];
		struct schema_frame f = paths_frame_of(x, i, &address);
		hash = schema_hash(hash, &f);
		x->path[i] = hash;
		x->state[i] |= PATH_KNOWN;
	}
}

static uint64_t
stack_hash(const struct paths *x, uint32_t i)
{
	uint64_t address;

	paths_frame_of(x, i, &address);
	return schema_hash_stack(x->path[i], address);
}

uint64_t
paths_hash(struct paths *x, stack_id stack, node_id node, struct err *e)
{
	uint32_t i = x->tree ? node : stack, slot, other;

	if (x->state[i] & PATH_USED)
		return stack_hash(x, i);
	paths_path_hash(x, i);
	uint64_t hash = stack_hash(x, i);
	slot = map_first(&x->by_hash, hash);
	x->state[i] |= PATH_USED;
	while (map_probe(&x->by_hash, &slot, hash, &other))
		if (stack_hash(x, other) == hash) {
			if (same_path(x, i, other))
				return hash;
			err_refuse(e, "two different stacks have the same hash: %016llx",
				   (unsigned long long)hash);
			return 0;
		}
	map_insert(&x->by_hash, hash, i);
	*vec_push(&x->used) = i;
	return hash;
}

uint64_t
paths_used(const struct paths *x, size_t i)
{
	return stack_hash(x, x->used.at[i]);
}

/* ---- rows ---- */

struct frames_of {
	VEC(struct schema_frame) frame; /* root first */
};

/* Writes one text of each frame. */
static void
put_texts(struct buf *out, const struct frames_of *of, size_t at, size_t len)
{
	rowout_length(out, of->frame.n);
	for (size_t k = 0; k < of->frame.n; k++) {
		const char *f = (const char *)&of->frame.at[k];
		rowout_text(out, *(const char *const *)(f + at), *(const size_t *)(f + len));
	}
}

#define TEXTS(member)                                                                      \
	put_texts(out, &of, offsetof(struct schema_frame, member),                         \
		  offsetof(struct schema_frame, member##_len))
#define NUMBERS(member)                                                                    \
	do {                                                                               \
		rowout_length(out, of.frame.n);                                            \
		for (size_t k = 0; k < of.frame.n; k++)                                    \
			rowout_whole(out, of.frame.at[k].member,                           \
				     sizeof of.frame.at[k].member);                        \
	} while (0)

void
paths_row(struct paths *x, size_t i, struct buf *out)
{
	struct frames_of of = {VEC_INIT};
	uint64_t address;

	x->climb.n = 0;
	for (uint32_t at = x->used.at[i]; !is_top(x, at); at = up(x, at))
		*vec_push(&x->climb) = at;
	while (x->climb.n)
		*vec_push(&of.frame) = paths_frame_of(x, x->climb.at[--x->climb.n], &address);
	paths_frame_of(x, x->used.at[i], &address);
	rowout_whole(out, paths_used(x, i), 8);
	TEXTS(function);
	TEXTS(file);
	TEXTS(module);
	NUMBERS(line);
	NUMBERS(kind);
	NUMBERS(defined);
	NUMBERS(clause);
	rowout_whole(out, address, 8);
	bool any = false;
	for (size_t k = 0; k < of.frame.n; k++)
		any |= of.frame.at[k].build_len > 0;
	if (any)
		TEXTS(build);
	else
		rowout_length(out, 0);
	vec_release(&of.frame);
}
