/* Constant pools: values that events refer to by number.  The values of a pool are scanned once
 * to find their offsets, and read when a reference needs them.  Results are cached until the
 * end of the chunk. */
#include "src/decode/jfr/jfr_inside.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/words.h"

bool
jfr_pools(struct jfr *d, struct cursor c, bool later, int64_t *delta)
{
	jfr_long(&d->chunk, &c); /* start, duration */
	jfr_long(&d->chunk, &c);
	*delta = (int64_t)jfr_long(&d->chunk, &c);
	cursor_bytes(&c, 1); /* bits of the kind of checkpoint */
	for (uint32_t pools = jfr_int(&d->chunk, &c); pools && !c.bad; pools--) {
		uint32_t type = idmap_get(&d->chunk.type_of, jfr_long(&d->chunk, &c));
		uint32_t n = jfr_int(&d->chunk, &c);
		if (type == IDMAP_NONE)
			return false;
		struct jfr_type *t = &d->chunk.type.at[type];
		for (; n && !c.bad; n--) {
			uint64_t key = jfr_long(&d->chunk, &c);
			size_t at = (size_t)(c.at - c.start);
			jfr_skip(&d->chunk, type, &c, 0);
			if (!c.bad && at < JFR_NONE &&
			    (later || idmap_get(&t->pool, key) == IDMAP_NONE))
				idmap_put(&t->pool, key, (uint32_t)at);
		}
	}
	return !c.bad;
}

void
jfr_pools_forget(struct jfr *d)
{
	idmap_release_all(&d->pools.stack_of, &d->pools.method_of, &d->pools.thread_of,
			  &d->pools.class_of, &d->pools.word_of);
	d->pools.stack.n = d->pools.method.n = 0;
}

/* Opens the value of a field: the value that it refers to, or contains. */
static bool
open_value(struct jfr *d, const struct jfr_got *got, struct jfr_set *out)
{
	size_t at = got ? got->at : 0;

	if (!got || got->type == JFR_NONE ||
	    (got->pooled && !jfr_pooled(&d->chunk, got->type, got->number, &at)))
		return false;
	struct cursor c = jfr_at(&d->chunk, at);
	jfr_fields(&d->chunk, got->type, &c, out);
	return !c.bad;
}

/* Returns the text of a string, a symbol, or a structure whose only field is one of these. */
static name_id
jfr_pools_text_of(struct jfr *d, const struct jfr_got *from, enum jfr_atom atom)
{
	struct jfr_got got = from ? *from : (struct jfr_got){.type = JFR_NONE};
	struct jfr_set set = {.when = 0};
	size_t at;

	for (unsigned depth = 0; depth < JFR_DEEP; depth++) {
		if (got.type == JFR_NONE)
			return NAME_EMPTY;
		at = got.at;
		if (got.pooled && !jfr_pooled(&d->chunk, got.type, got.number, &at))
			return NAME_EMPTY;
		struct cursor c = jfr_at(&d->chunk, at);
		if (d->chunk.type.at[got.type].kind == JFR_STRING)
			return jfr_string(d, &c);
		jfr_fields(&d->chunk, got.type, &c, &set);
		const struct jfr_got *in = jfr_got(&set, atom);
		in = in ? in : jfr_got(&set, ATOM_string);
		if (!in || c.bad)
			return NAME_EMPTY;
		got = *in;
		atom = ATOM_string;
	}
	return NAME_EMPTY;
}

/* ---- names ---- */

static name_id
dotted(struct jfr *d, name_id name)
{
	struct name n = builder_name_get(d->b, name);

	buf_reset(&d->text);
	for (size_t i = 0; i < n.len; i++)
		buf_addc(&d->text, n.at[i] == '/' ? '.' : n.at[i]);
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

/* Returns the name of a key of a pool, made once. */
static name_id
cached(struct jfr *d, struct idmap *map, const struct jfr_got *got, enum jfr_atom atom, bool dots)
{
	if (!got)
		return NAME_EMPTY;
	/* several types share a map: their keys are small */
	uint64_t key = got->number ^ (uint64_t)got->type << 40;
	uint32_t known = got->pooled ? idmap_get(map, key) : IDMAP_NONE;
	if (known != IDMAP_NONE)
		return known;
	name_id name = jfr_pools_text_of(d, got, atom);
	if (dots)
		name = dotted(d, name);
	if (got->pooled)
		idmap_put(map, key, name);
	return name;
}

name_id
jfr_class(struct jfr *d, const struct jfr_got *got)
{
	return cached(d, &d->pools.class_of, got, ATOM_name, true);
}

name_id
jfr_word(struct jfr *d, const struct jfr_got *got)
{
	return jfr_text(d, got, ATOM_name);
}

name_id
jfr_text(struct jfr *d, const struct jfr_got *got, enum jfr_atom atom)
{
	return cached(d, &d->pools.word_of, got, atom, false);
}

/* ---- stacks ---- */

/* The kind of a frame by jdk.types.FrameType. */
enum how { HOW_JAVA, HOW_INLINED, HOW_NATIVE, HOW_MACHINE };

static enum how
how_of(struct jfr *d, const struct jfr_got *type)
{
	struct name n = builder_name_get(
		d->b, jfr_text(d, type, ATOM_description));

	return name_is(n, "Inlined")                       ? HOW_INLINED
	       : name_is(n, "Native")                      ? HOW_NATIVE
	       : name_is(n, "C++") || name_is(n, "Kernel") ? HOW_MACHINE
							   : HOW_JAVA;
}

/* Returns true if a native frame is a function of a library, which async-profiler writes with
 * the library as its class.  Java's own native methods are native frames, too; but no Java
 * method has the descriptor `()L;`. */
static bool
is_of_library(struct jfr *d, enum how how, struct name class, const struct jfr_got *descriptor)
{
	static const char *const endings[] = {".so", ".dylib", ".dll", ".exe"};

	if (how == HOW_MACHINE || how == HOW_JAVA || !class.len)
		return how == HOW_MACHINE;
	if (name_is(builder_name_get(d->b, jfr_pools_text_of(d, descriptor, ATOM_string)),
		    "()L;"))
		return true;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (name_ends(class, endings[i]))
			return true;
	return memmem(class.at, class.len, ".so.", 4) != NULL;
}

static struct function
method_made(struct jfr *d, const struct jfr_got *got, enum how how)
{
	struct jfr_set set = {.when = 0};
	name_id class = NAME_EMPTY, name = NAME_EMPTY;
	const struct jfr_got *descriptor = NULL, *of = NULL;

	if (open_value(d, got, &set)) {
		of = jfr_got(&set, ATOM_type);
		descriptor = jfr_got(&set, ATOM_descriptor);
		name = jfr_pools_text_of(d, jfr_got(&set, ATOM_name), ATOM_string);
	}
	class = jfr_pools_text_of(d, of, ATOM_name);
	struct name c = builder_name_get(d->b, class), n = builder_name_get(d->b, name);
	if (n.len && is_of_library(d, how, c, descriptor)) {
		const char *slash = memrchr(c.at, '/', c.len);
		if (slash)
			class = builder_name(d->b, slash + 1, (size_t)(c.at + c.len - slash) - 1);
		return (struct function){.name = name, .module = class, .kind = KIND_SYSTEM};
	}
	c = builder_name_get(d->b, jfr_class(d, of));
	buf_reset(&d->text);
	buf_add(&d->text, c.at, c.len);
	if (c.len && n.len)
		buf_addc(&d->text, '.');
	buf_add(&d->text, n.at, n.len);
	bool unknown = !d->text.len;
	if (unknown)
		buf_adds(&d->text, "[unknown]");
	bool system = !unknown && (how == HOW_NATIVE || how == HOW_MACHINE || !c.len);
	return (struct function){
		.name = builder_name(d->b, buf_str(&d->text), d->text.len),
		.kind = system ? KIND_SYSTEM : KIND_USER,
	};
}

static function_id
method(struct jfr *d, const struct jfr_got *got, enum how how)
{
	bool cached = got->pooled && got->number < UINT64_MAX / 4;
	uint64_t key = got->number << 2 | how;
	uint32_t known = cached ? idmap_get(&d->pools.method_of, key) : IDMAP_NONE;

	if (known != IDMAP_NONE)
		return d->pools.method.at[known];
	function_id f = builder_function(d->b, method_made(d, got, how));
	if (cached) {
		idmap_put(&d->pools.method_of, key, (uint32_t)d->pools.method.n);
		*vec_push(&d->pools.method) = f;
	}
	return f;
}

/* Reads a frame inside a trace, and moves the cursor after it. */
static void
frame(struct jfr *d, uint32_t type, struct cursor *c)
{
	jfr_fields(&d->chunk, type, c, &d->pools.frame);
	const struct jfr_got *what = jfr_got(&d->pools.frame, ATOM_method);
	const struct jfr_got *line = jfr_got(&d->pools.frame, ATOM_lineNumber);
	const struct jfr_got *kind = jfr_got(&d->pools.frame, ATOM_type);
	int32_t at = line ? (int32_t)line->number : 0;

	if (c->bad)
		return;
	enum how how = how_of(d, kind);
	function_id f = what ? method(d, what, how) : builder_function_unknown(d->b);
	frame_id id = builder_frame(d->b, f, line_numbered(at));
	*vec_push(&d->pools.frames) =
		how == HOW_INLINED ? builder_frame_inlined(d->b, id) : id;
}

static stack_id
stack_made(struct jfr *d, const struct jfr_got *got)
{
	if (!open_value(d, got, &d->pools.trace))
		return STACK_EMPTY;
	const struct jfr_got *list = jfr_got(&d->pools.trace, ATOM_frames);
	const struct jfr_got *cut = jfr_got(&d->pools.trace, ATOM_truncated);
	d->pools.frames.n = 0;
	if (!list || list->type == JFR_NONE || list->pooled)
		return STACK_EMPTY;
	struct cursor c = jfr_at(&d->chunk, list->at);
	/* [truncated] and a traced method may follow. */
	if (list->number > STACK_DEPTH_MAX - 2)
		return builder_too_deep(d->b);
	for (uint64_t i = 0; i < list->number && !c.bad; i++)
		frame(d, list->type, &c);
	if (cut && cut->number)
		*vec_push(&d->pools.frames) = builder_frame(
			d->b, builder_function_named(d->b, "[truncated]", 11),
			line_unknown());
	return d->pools.frames.n ? builder_stack_leaf_first(d->b, d->pools.frames.at,
							    d->pools.frames.n)
				 : STACK_EMPTY;
}

stack_id
jfr_stack(struct jfr *d, const struct jfr_got *got)
{
	if (!got)
		return STACK_EMPTY;
	uint32_t known =
		got->pooled ? idmap_get(&d->pools.stack_of, got->number) : IDMAP_NONE;
	if (known != IDMAP_NONE)
		return d->pools.stack.at[known];
	stack_id stack = stack_made(d, got);
	if (got->pooled) {
		idmap_put(&d->pools.stack_of, got->number, (uint32_t)d->pools.stack.n);
		*vec_push(&d->pools.stack) = stack;
	}
	return stack;
}

stack_id
jfr_stack_of_method(struct jfr *d, stack_id stack, const struct jfr_got *got)
{
	if (!got || stack == STACK_NONE)
		return stack;
	return builder_child(d->b, stack,
			     builder_frame(d->b, method(d, got, HOW_JAVA), line_unknown()));
}

/* ---- threads ---- */

uint32_t
jfr_thread(struct jfr *d, const struct jfr_got *got)
{
	uint32_t known = got && got->pooled ? idmap_get(&d->pools.thread_of, got->number)
					    : IDMAP_NONE;
	struct jfr_set *set = &d->pools.thread;
	name_id name = NAME_EMPTY;
	uint64_t id = 0;

	if (known != IDMAP_NONE)
		return known;
	bool there = open_value(d, got, set);
	if (there) {
		const struct jfr_got *number = jfr_got(set, ATOM_osThreadId);
		struct jfr_got java = {.type = JFR_NONE}, os = {.type = JFR_NONE};
		if (jfr_got(set, ATOM_javaName))
			java = *jfr_got(set, ATOM_javaName);
		if (jfr_got(set, ATOM_osName))
			os = *jfr_got(set, ATOM_osName);
		id = number ? number->number : 0;
		name = jfr_pools_text_of(d, &java, ATOM_string);
		if (name == NAME_EMPTY)
			name = jfr_pools_text_of(d, &os, ATOM_string);
	}
	struct name n = builder_name_get(d->b, name);
	buf_reset(&d->text);
	buf_add(&d->text, n.at, n.len);
	if (there)
		buf_addf(&d->text, "%s%" PRId64, n.len ? " " : "thread ", (int64_t)id);
	else
		buf_adds(&d->text, "main");
	uint32_t track = cast_track(
		&d->cast,
		(struct cast_track){
			.process = CAST_NONE,
			.thread = CAST_NONE,
			.kind = TRACK_THREAD,
			.name = builder_name(d->b, buf_str(&d->text), d->text.len)});
	if (got && got->pooled)
		idmap_put(&d->pools.thread_of, got->number, track);
	return track;
}
