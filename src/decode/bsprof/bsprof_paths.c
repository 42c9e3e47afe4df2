#include "src/decode/bsprof/bsprof_paths.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/common/idmap.h"

/* A path element is one frame and the id of its caller's element; a measurement names the element
 * of its leaf. So the elements form the prefix tree of the profile, except that the executed line
 * of a frame comes from elsewhere: for a caller from the element that it calls, for the leaf from
 * the measurement.
 *
 * Each element is resolved once, root first, to the stack of its caller at the line of the call
 * ("base"); a measurement then adds one frame. The stacks of earlier measurements are cached, so
 * that a million measurements of some thousand places need no search. The lines of a function are
 * close to each other, so a path has a row of them as long as few of its cells are empty. Lines or
 * ids that do not fit are in a table by (id, line). That is a cache: of a pair of slots the less
 * recently used one is replaced. A table with as many misses as slots doubles, up to CACHE_MAX.
 *
 * The document promises that definitions precede their uses, but files may break that promise. An
 * element that cannot be resolved remembers the attempt, and is not tried again before the caller
 * reports that enough definitions have arrived. So each attempt costs every element once, whatever
 * the chains look like.
 *
 * Cycles: a new element closes a cycle exactly if the chain above it ends in the element itself.
 * The end of a chain is found as in a union-find, over the elements whose caller is not defined
 * yet, with path compression. So a cycle is damage at the element that closes it, and no later walk
 * can run for ever.
 *
 * Rejected: renaming frames when late strings arrive (frames are interned by name), and a
 * depth-first recursion (a chain may be as long as the file). */

#define NAME_NONE UINT32_MAX
#define CACHE_START 4096u /* slots */
#define CACHE_MAX (1u << 19)
#define ROW_LINES 8u /* a path may have this many empty lines for each used one */
#define ROWS 1024u   /* of ids that are not used */

struct bsprof_path {
	uint32_t caller,
		above;   /* ids; above: an undefined one up the chain, 0: none */
	uint32_t line;   /* the caller's, where there is one */
	uint32_t module; /* id for a root; index once resolved */
	uint32_t file, definition, function; /* ids of strings, a line */
	uint32_t tried;                      /* the round of the last vain attempt */
	bool resolved;
	function_id in;
	stack_id base;  /* the caller's, at its line */
	stack_id plain; /* the stack with this element at an unknown line */
};

struct module {
	uint32_t string;
	uint32_t next; /* the next element that waits for the same string; index + 1 */
	bool defined;
	track_id track;
};

struct bsprof_paths {
	struct builder *b;
	bool closed;
	uint32_t round;
	uint64_t work;
	struct idmap string_name; /* string id -> name_id */
	struct idmap module_of, path_of;
	struct idmap waiting; /* string id -> first module that waits for it */
	VEC(struct module) module;
	VEC(struct bsprof_path) path;
	VEC(uint32_t) chain; /* elements on the way up */
	struct bsprof_cache cache;
	size_t n_words, words_cap; /* of cache.word */
	uint32_t cache_missed;
};

struct bsprof_paths *
bsprof_paths_new(struct builder *b)
{
	struct bsprof_paths *t = mem_zalloc(1, sizeof *t);

	t->b = b;
	t->round = 1;
	t->cache.at = mem_zalloc(CACHE_START, sizeof *t->cache.at);
	t->cache.mask = CACHE_START - 1;
	t->n_words = 4; /* the empty one */
	vec_room(t->cache.word, t->words_cap, t->n_words);
	memset(t->cache.word, 0, t->n_words * sizeof *t->cache.word);
	return t;
}

void
bsprof_paths_free(struct bsprof_paths *t)
{
	if (!t)
		return;
	vec_release_all(&t->module, &t->path, &t->chain);
	idmap_release_all(&t->string_name, &t->module_of, &t->path_of, &t->waiting);
	free_all(t->cache.at, t->cache.row, t->cache.word, t);
}

/* ---- strings and modules ---- */

static void
module_name(struct bsprof_paths *t, const struct module *m, name_id id)
{
	struct name name = builder_name_get(t->b, id);

	builder_track_rename(t->b, m->track, name.at, name.len);
}

void
bsprof_paths_string(struct bsprof_paths *t, const struct bsprof_entry *e)
{
	name_id name = builder_name(t->b, e->text, e->len);
	uint32_t known = idmap_get(&t->string_name, e->id);

	if (known != IDMAP_NONE) {
		if (known != name)
			builder_warn(t->b,
				     "string %u is defined again, and differently; "
				     "the first one is used",
				     e->id);
		return;
	}
	idmap_put(&t->string_name, e->id, name);
	uint32_t i = idmap_get(&t->waiting, e->id);
	if (i == IDMAP_NONE)
		return;
	for (i++; i; i = t->module.at[i - 1].next)
		module_name(t, &t->module.at[i - 1], name);
}

/* Returns the index of the module with this id; adds a nameless one if it is unknown. */
static uint32_t
module_index(struct bsprof_paths *t, uint32_t id)
{
	uint32_t i;

	if (!idmap_add(&t->module_of, id, t->module.n, &i))
		return i;
	*vec_push(&t->module) = (struct module){
		.track = builder_trackf(t->b, TRACK_MODULE, "module#%u", id),
	};
	return i;
}

void
bsprof_paths_module(struct bsprof_paths *t, const struct bsprof_entry *e)
{
	uint32_t i = module_index(t, e->id);
	struct module *m = &t->module.at[i];

	if (m->defined) {
		if (m->string != e->string)
			builder_warn(t->b,
				     "module %u is defined again, and differently; "
				     "the first one is used",
				     e->id);
		return;
	}
	m->defined = true;
	m->string = e->string;
	if (!e->string)
		return;
	name_id name = idmap_get(&t->string_name, e->string);
	if (name != NAME_NONE) {
		module_name(t, m, name);
		return;
	}
	uint32_t first = idmap_get(&t->waiting, e->string);
	m->next = first == IDMAP_NONE ? 0 : first + 1;
	idmap_put(&t->waiting, e->string, i);
}

track_id
bsprof_paths_track(const struct bsprof_paths *t, uint32_t module)
{
	return t->module.at[module].track;
}

/* ---- path elements ---- */

/* Returns the id of the undefined element at the end of the chain upward from `id`; 0 for a
 * root. */
static uint32_t
chain_end(struct bsprof_paths *t, uint32_t id)
{
	uint32_t end = id, i;

	while (end && (i = idmap_get(&t->path_of, end)) != IDMAP_NONE)
		end = t->path.at[i].above;
	while (id != end) {
		struct bsprof_path *p = &t->path.at[idmap_get(&t->path_of, id)];
		id = p->above;
		p->above = end;
	}
	return end;
}

static bool
path_differs(const struct bsprof_path *p, const struct bsprof_entry *e)
{
	return p->caller != e->caller || p->line != e->line || p->file != e->file ||
	       p->definition != e->definition || p->function != e->function ||
	       (!p->resolved && p->module != e->module);
}

bool
bsprof_paths_path(struct bsprof_paths *t, const struct bsprof_entry *e, struct err *err)
{
	uint32_t i = idmap_get(&t->path_of, e->id);

	if (i != IDMAP_NONE) {
		if (path_differs(&t->path.at[i], e))
			builder_warn(t->b,
				     "path element %u is defined again, and differently; "
				     "the first one is used",
				     e->id);
		return true;
	}
	if (e->caller && chain_end(t, e->caller) == e->id)
		return err_damage(err, e->offset, "path element %u is its own caller", e->id);
	idmap_put(&t->path_of, e->id, (uint32_t)t->path.n);
	*vec_push(&t->path) = (struct bsprof_path){
		.caller = e->caller,
		.above = e->caller,
		.line = e->line,
		.module = e->module,
		.file = e->file,
		.definition = e->definition,
		.function = e->function,
		.plain = STACK_NONE,
	};
	return true;
}

void
bsprof_paths_retry(struct bsprof_paths *t)
{
	t->round++;
	t->work = 0;
}

uint64_t
bsprof_paths_work(const struct bsprof_paths *t)
{
	return t->work;
}

void
bsprof_paths_close(struct bsprof_paths *t)
{
	t->closed = true;
}

/* Returns the name with this id, `null` for id 0; NAME_NONE if it is not defined yet. */
static name_id
string_name(struct bsprof_paths *t, uint32_t id, const char *null, size_t null_len)
{
	name_id name;

	if (!id)
		return builder_name(t->b, null, null_len);
	name = idmap_get(&t->string_name, id);
	if (name != NAME_NONE || !t->closed)
		return name;
	builder_warn(t->b, "string %u is used and never defined", id);
	return builder_namef(t->b, "string#%u", id);
}

/* Returns the stack of an element at the line with this offset, which counts from 1. */
static stack_id
stack_at(struct bsprof_paths *t, uint32_t index, uint32_t line)
{
	struct bsprof_path *p = &t->path.at[index];
	uint64_t number = (uint64_t)p->definition + line - 1;

	if (!line || !p->definition || number > UINT32_MAX) {
		if (p->plain == STACK_NONE && p->base != STACK_NONE)
			p->plain = builder_child(t->b, p->base,
						 builder_frame(t->b, p->in, line_unknown()));
		return p->plain;
	}
	if (p->base == STACK_NONE)
		return STACK_NONE;
	return builder_child(t->b, p->base,
			     builder_frame(t->b, p->in, line_plain((uint32_t)number)));
}

/* Resolves an element whose caller, if any, is resolved. */
static bool
resolve_one(struct bsprof_paths *t, uint32_t index)
{
	struct bsprof_path *p = &t->path.at[index];
	name_id name = string_name(t, p->function, "<unknown>", 9);
	name_id file = string_name(t, p->file, "", 0);

	if (name == NAME_NONE || file == NAME_NONE)
		return false;
	struct name text = builder_name_get(t->b, name);
	p->in = builder_function(t->b, (struct function){
					       .name = name,
					       .file = file,
					       .line = p->definition,
					       .kind = (uint8_t)kind_of_name(text.at, text.len),
				       });
	if (p->caller) {
		uint32_t caller = idmap_get(&t->path_of, p->caller);
		p->base = stack_at(t, caller, p->line);
		p->module = t->path.at[caller].module;
	} else {
		p->base = STACK_EMPTY;
		p->module = module_index(t, p->module);
	}
	p->resolved = true;
	return true;
}

/* Resolves an element and all its callers, root first. */
static bool
resolve(struct bsprof_paths *t, uint32_t index)
{
	bool good = true;

	t->chain.n = 0;
	for (;;) {
		struct bsprof_path *p = &t->path.at[index];
		if (p->resolved)
			break;
		if (p->tried == t->round) {
			good = false;
			break;
		}
		*vec_push(&t->chain) = index;
		t->work++;
		if (!p->caller)
			break;
		index = idmap_get(&t->path_of, p->caller);
		if (index == IDMAP_NONE) {
			good = false;
			break;
		}
	}
	for (size_t i = t->chain.n; i-- > 0;) {
		good = good && resolve_one(t, t->chain.at[i]);
		if (!good)
			t->path.at[t->chain.at[i]].tried = t->round;
	}
	return good;
}

/* ---- the cache ---- */

const struct bsprof_cache *
bsprof_paths_cache(const struct bsprof_paths *t)
{
	return &t->cache;
}

static void
cache_grow(struct bsprof_paths *t)
{
	struct bsprof_cached *old = t->cache.at;
	uint32_t n = t->cache.mask + 1;

	t->cache.at = mem_zalloc((size_t)n * 2, sizeof *t->cache.at);
	t->cache.mask = n * 2 - 1;
	t->cache_missed = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct bsprof_cached *pair = bsprof_cache_pair(&t->cache, old[i].path, old[i].line);
		if (old[i].path)
			pair[pair->path != 0] = old[i];
	}
	free(old);
}

/* Makes room in word[] for a row that includes this line, and copies the old row.  Returns 0 if
 * the row would be too empty, or too large for its first word. */
static uint32_t
row_grow(struct bsprof_paths *t, uint32_t path, uint32_t line, uint32_t module)
{
	struct bsprof_cache *c = &t->cache;
	const uint32_t *old = bsprof_cache_row(c, path);
	uint32_t known = 0, have = *old & BSPROF_ROW_LINES, n = 0;

	for (uint32_t i = 0; i < have; i++)
		known += old[1 + i] != STACK_NONE;
	if (line < BSPROF_ROW_LINES)
		n = (line + 1) | 3; /* with the first word, a multiple of 16 bytes */
	if (!n || n > (known + 1) * ROW_LINES || module >> 24 || t->n_words + n + 1 > UINT32_MAX)
		return 0;
	uint32_t at = (uint32_t)t->n_words;
	t->n_words += n + 1;
	vec_room(c->word, t->words_cap, t->n_words);
	old = bsprof_cache_row(c, path); /* it may have moved */
	c->word[at] = module << BSPROF_ROW_BITS | n;
	for (uint32_t i = 0; i < n; i++)
		c->word[at + 1 + i] = i < have ? old[1 + i] : STACK_NONE;
	return at;
}

/* Puts a place into the row of its path; returns false if the row cannot take it. */
static bool
row_put(struct bsprof_paths *t, uint32_t path, uint32_t line, const struct bsprof_place *place)
{
	struct bsprof_cache *c = &t->cache;
	size_t most = t->path.n * 2 + ROWS;

	if (place->stack == STACK_NONE || path >= most)
		return false;
	if (path >= c->n_rows) {
		c->row = mem_realloc(c->row, most, sizeof *c->row);
		memset(c->row + c->n_rows, 0, (most - c->n_rows) * sizeof *c->row);
		c->n_rows = (uint32_t)most;
	}
	if (line >= (*bsprof_cache_row(c, path) & BSPROF_ROW_LINES)) {
		uint32_t at = row_grow(t, path, line, place->module);
		if (!at)
			return false;
		c->row[path] = at;
	}
	c->word[c->row[path] + 1 + line] = place->stack;
	return true;
}

/* Finds a place that was not cached, and caches it. */
static bool
find_missing(struct bsprof_paths *t, uint32_t path, uint32_t line, struct bsprof_place *out)
{
	uint32_t index = idmap_get(&t->path_of, path);

	if (index == IDMAP_NONE || (!t->path.at[index].resolved && !resolve(t, index)))
		return false;
	out->stack = stack_at(t, index, line);
	out->module = t->path.at[index].module;
	if (row_put(t, path, line, out))
		return true;
	if (++t->cache_missed > t->cache.mask && t->cache.mask < CACHE_MAX - 1)
		cache_grow(t);
	struct bsprof_cached *pair = bsprof_cache_pair(&t->cache, path, line);
	pair[1] = pair[0];
	pair[0] = (struct bsprof_cached){path, line, out->module, out->stack};
	return true;
}

bool
bsprof_paths_find(struct bsprof_paths *t, uint32_t path, uint32_t line, struct bsprof_place *out)
{
	out->stack = bsprof_cache_find(&t->cache, path, line, &out->module);
	if (out->stack == STACK_NONE && !find_missing(t, path, line, out))
		return false;
	out->track = t->module.at[out->module].track;
	return true;
}
