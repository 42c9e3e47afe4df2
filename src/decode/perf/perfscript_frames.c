/* Frames of `perf script`: converts the text of a line to a frame, once for each different text.
 *
 * The symbol's offset is part of the hashed text: removing it first would cost more than the few
 * additional entries do. Properties known after a frame's line (source position, module of an
 * inlined one) make a new frame from the old one. This step has a cache of its own, since with
 * DWARF call graphs it happens to a third of all frames.
 *
 * Kernel, guest kernel and kernel modules are `system` (pnav-formats(7)). `[vdso]` is not: it is
 * code of the program's own path, in user mode.
 *
 * Invariant: ids in the chain carry PERF_INLINED only until perf_frames_stack(). */
#include "src/decode/perf/perfscript_frames.h"

#include <string.h>

#include "src/decode/common/words.h"
#include "src/input/hash.h"

void
perf_frames_reset(struct perf_frames *f)
{
	f->chain.n = 0;
	f->any_inlined = false;
}

void
perf_frames_release(struct perf_frames *f)
{
	vec_release(&f->chain);
	text_cache_release(&f->text);
	text_cache_release(&f->refined);
}

/* "/lib/modules/6.1/kernel/fs/xfs.ko.xz" */
static bool
is_module_file(struct name n)
{
	static const char *const packed[] = {".xz", ".gz", ".zst"};
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (name_ends(n, packed[i])) {
			n.len -= (uint32_t)strlen(packed[i]);
			break;
		}
	return name_ends(n, ".ko");
}

static bool
is_kernel(struct name n)
{
	/* In brackets, but of the program. */
	static const char *const user[] = {"[unknown]", "[vdso]", "[heap]", "[stack]",
					   "[uprobes]"};
	if (name_begins(n, "[kernel.") || name_begins(n, "[guest.kernel"))
		return true;
	if (!n.len || n.at[0] != '[')
		return is_module_file(n);
	for (size_t i = 0; i < sizeof user / sizeof *user; i++)
		if (name_is(n, user[i]))
			return false;
	/* "[JIT] tid 123" and "[anon:x]" are no modules, "[xfs]" is one. */
	return n.at[n.len - 1] == ']' && !memchr(n.at, ':', n.len) &&
	       !memchr(n.at, ' ', n.len);
}

static frame_id
make_frame(struct builder *b, name_id name, name_id file, name_id module,
	   struct line line)
{
	struct name text = builder_name_get(b, name);
	struct function f = {.name = name, .file = file, .module = module};
	f.kind = is_kernel(builder_name_get(b, module))
			 ? KIND_SYSTEM
			 : (uint8_t)kind_of_name(text.at, text.len);
	return builder_frame(b, builder_function(b, f), line);
}

static uint32_t
new_frame(struct builder *b, struct text_slice address, struct text_slice behind)
{
	struct perf_symbol s = perf_symbol(behind);
	name_id module = builder_name(b, s.module.at, s.module.len);
	name_id name;
	if (s.name.len) {
		name = builder_name(b, s.name.at, s.name.len);
	} else {
		/* `-F ip`: the line has only the address. */
		char hex[2 + 16] = "0x";
		memcpy(hex + 2, address.at, address.len);
		name = builder_name(b, hex, 2 + address.len);
	}
	frame_id id = make_frame(b, name, NAME_EMPTY, module, line_unknown());
	return id | (s.inlined ? PERF_INLINED : 0);
}

void
perf_frames_push(struct perf_frames *f, struct builder *b, struct text_slice address,
		 struct text_slice behind)
{
	/* Without a symbol, the address is the name. */
	bool bare = !behind.len || *behind.at == '(';
	struct text_slice text =
		bare ? (struct text_slice){address.at,
						 (size_t)(behind.at + behind.len - address.at)}
		     : behind;
	struct hash128 hash = hash128(text.at, text.len);
	uint32_t *known = text_cache_find(&f->text, hash), value = *known;
	if (!value) {
		value = new_frame(b, address, behind) + 1;
		text_cache_put(&f->text, known, hash, value);
	}
	*vec_push(&f->chain) = value - 1;
	f->any_inlined |= (value - 1) >= PERF_INLINED;
}

struct refinement {
	uint32_t frame;
	name_id file, module;
	uint32_t line;
};

/* Returns the frame with another file and line, or (file NAME_EMPTY) with another module. */
static frame_id
refine(struct perf_frames *f, struct builder *b, struct refinement r)
{
	struct hash128 hash = hash128(&r, sizeof r);
	uint32_t *known = text_cache_find(&f->refined, hash), value = *known;
	if (!value) {
		struct frame frame = builder_frame_get(b, r.frame);
		struct function fn = builder_function_get(b, frame.function);
		struct line line = r.file ? line_plain(r.line) : frame.line;
		value = make_frame(b, fn.name, r.file ? r.file : fn.file,
				   r.file ? fn.module : r.module, line) +
			1;
		text_cache_put(&f->refined, known, hash, value);
	}
	return value - 1;
}

void
perf_frames_source(struct perf_frames *f, struct builder *b, struct perf_source source)
{
	if (!f->chain.n)
		return;
	uint32_t *last = &f->chain.at[f->chain.n - 1];
	uint32_t flag = *last & PERF_INLINED;
	if (source.inlined) {
		flag = PERF_INLINED;
		f->any_inlined = true;
	}
	*last &= ~PERF_INLINED;
	if (source.line)
		*last = refine(
			f, b,
			(struct refinement){
				.frame = *last,
				.file = builder_name(b, source.file.at, source.file.len),
				.line = source.line,
			});
	*last |= flag;
}

/* From the root on, an inlined frame gets the module of the frame that contains it. */
static void
place_inlined(struct perf_frames *f, struct builder *b)
{
	name_id module = NAME_EMPTY;
	for (size_t i = f->chain.n; i-- > 0;) {
		uint32_t *frame = &f->chain.at[i];
		if (!(*frame & PERF_INLINED)) {
			struct frame at = builder_frame_get(b, *frame);
			module = builder_function_get(b, at.function).module;
			continue;
		}
		*frame &= ~PERF_INLINED;
		if (module != NAME_EMPTY)
			*frame = refine(
				f, b,
				(struct refinement){.frame = *frame, .module = module});
		*frame = builder_frame_inlined(b, *frame);
	}
}

stack_id
perf_frames_stack(struct perf_frames *f, struct builder *b)
{
	if (!f->chain.n) {
		static const char unknown[] = "[unknown]";
		function_id fn = builder_function_named(b, unknown, sizeof unknown - 1);
		return builder_child(b, STACK_EMPTY,
				     builder_frame(b, fn, line_unknown()));
	}
	if (f->any_inlined)
		place_inlined(f, b);
	return builder_stack_leaf_first(b, f->chain.at, f->chain.n);
}
