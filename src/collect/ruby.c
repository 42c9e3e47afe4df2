/* ruby.c - the frames of a thread of Ruby (MRI), in the memory of another process.
 *
 *	ruby_current_vm_ptr --> rb_vm_t
 *	                          | ractor.main_thread
 *	                          v
 *	                        rb_thread_t <--lt_node--> rb_thread_t ...   the main ractor's
 *	                          | ec, of the fiber that runs
 *	                          v
 *	                        vm_stack  [ values --> ....... <-- control frames ]
 *	                                                       cfp, innermost        end
 *	a control frame: pc, iseq --> body: label, path, table of lines
 *
 * The list of threads is a circle through the ractor, whose place in it is no thread: it is skipped
 * because its number does not match.  Threads of other ractors are not found.
 *
 * A method in C has a control frame without instructions.  It is left out, since its function is
 * on the C stack.  Each instruction stores its pc, so lines are exact, except in code of YJIT. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/collect/farmem.h"
#include "src/collect/interpreter.h"

#define THREADS_MAX 4096u
#define STEPS_MAX 4096u             /* control frames */
#define STACK_WORDS_MAX (1u << 24)
#define COUNT_MAX (1u << 17)        /* instructions of a function */
#define FINISH 0x20u                /* VM_FRAME_FLAG_FINISH: the outermost of a call of the loop */
#define TYPE_MASK 0x1fu
#define TYPE_STRING 5u
#define TYPE_ARRAY 7u
#define OTHER_PLACE (UINT64_C(1) << 13) /* RSTRING_NOEMBED; for arrays RARRAY_EMBED_FLAG */
#define NONE UINT16_MAX

/* Offsets in bytes. */
struct ruby_layout {
	uint16_t ec;                   /* rb_thread_t */
	uint16_t descriptor;           /* rb_thread_t.thread_id (3.0), or NONE */
	uint16_t native, tid;          /* rb_thread_t.nt or NONE, and tid there or beside it */
	uint16_t frame;                /* size of rb_control_frame_t */
	uint16_t infos, info;          /* rb_iseq_constant_body.insns_info; size of an entry */
	bool fixnum;                   /* location.first_lineno is a VALUE */
	bool long_strings;             /* short strings have a length as long ones do */
};

/* On machines with 64-bit pointers.  Computed by offsetof() in a program that includes Ruby's own
 * vm_core.h and iseq.h (3.1.2); and for 3.0.0 to 3.0.7, 3.1.0 to 3.1.7, 3.2.0 to 3.2.11 and 3.3.0
 * to 3.3.12 from the structures that bindgen made from these headers for rbspy
 * (ruby-structs/src/ruby_3_*.rs), by offset_of!(); both agree on 3.1.2. */
static const struct ruby_layout ruby_layouts[] = {
	{40, 80, NONE, NONE, 56, 120, 8, true, false},
	{40, NONE, NONE, 88, 64, 120, 12, true, false},
	{48, NONE, 40, 16, 64, 112, 12, false, true},
	{48, NONE, 40, 24, 56, 112, 12, false, true},
};
/* the same in all of these */
enum ruby_offset {
	VM_MAIN_THREAD = 40,
	EC_STACK = 0,
	EC_STACK_WORDS = 8,
	EC_CFP = 16,
	CFP_PC = 0,
	CFP_ISEQ = 16,
	CFP_EP = 32,
	ISEQ_BODY = 16,
	BODY_COUNT = 4,
	BODY_ENCODED = 8,
	BODY_PATH = 64, /* location */
	BODY_LABEL = 80,
	BODY_FIRST_LINE = 88,
	INFO_BODY = 0,
	INFO_SIZE = 16,
	INFO_INDEX = 24,
};

struct ruby {
	uint64_t vm; /* address of ruby_current_vm_ptr */
	const struct ruby_layout *layout;
};

static void *
open_ruby(struct farmem *m, const struct interpreter_binary *b, uint32_t *version)
{
	uint32_t number[3]; /* ruby_api_version: 3, 1, 0 */

	*version = b->stated;
	if (b->symbol[1] && farmem_read(m, b->symbol[1], number, sizeof number))
		*version = (number[0] & 0xff) << 24 | (number[1] & 0xff) << 16;
	unsigned minor = *version >> 16 & 0xff;
	if (!b->symbol[0] || *version >> 24 != 3 || sizeof(void *) != 8 ||
	    minor >= sizeof ruby_layouts / sizeof *ruby_layouts)
		return NULL;
	struct ruby *p = mem_zalloc(1, sizeof *p);
	*p = (struct ruby){b->symbol[0], &ruby_layouts[minor]};
	return p;
}

/* ---- threads and frames ---- */

static bool
is_ruby_thread(const struct ruby *p, struct farmem *m, uint64_t thread, uint32_t tid)
{
	const struct ruby_layout *l = p->layout;

	if (l->descriptor != NONE)
		return interpreter_tid(m, farmem_u64(m, thread + l->descriptor)) == tid;
	if (l->native == NONE)
		return farmem_u32(m, thread + l->tid) == tid;
	uint64_t native = farmem_u64(m, thread + l->native);
	return native && farmem_u32(m, native + l->tid) == tid;
}

/* Returns the rb_thread_t of a thread; 0: it has none. */
static uint64_t
ruby_thread(const struct ruby *p, struct farmem *m, const struct interpreter_thread *t)
{
	uint64_t vm, first, thread;

	if (*t->state && is_ruby_thread(p, m, *t->state, t->tid))
		return *t->state;
	*t->state = 0;
	vm = farmem_u64(m, p->vm);
	first = thread = vm ? farmem_u64(m, vm + VM_MAIN_THREAD) : 0;
	for (unsigned i = 0; thread && i < THREADS_MAX; i++) {
		if (is_ruby_thread(p, m, thread, t->tid)) {
			*t->state = thread;
			return thread;
		}
		thread = farmem_u64(m, thread); /* lt_node.next; a thread begins with lt_node */
		if (thread == first)
			break;
	}
	return 0;
}

static void
walk_ruby(const void *ruby, struct farmem *m, const struct interpreter_thread *t,
	  struct interpreter_frames *out)
{
	const struct ruby *p = ruby;
	uint64_t thread = ruby_thread(p, m, t), ec, frame[5];

	ec = thread ? farmem_u64(m, thread + p->layout->ec) : 0;
	uint64_t stack = ec ? farmem_u64(m, ec + EC_STACK) : 0;
	uint64_t words = ec ? farmem_u64(m, ec + EC_STACK_WORDS) : 0;
	uint64_t at = ec ? farmem_u64(m, ec + EC_CFP) : 0;
	uint64_t end = stack + words * sizeof(uint64_t);
	if (!stack || words > STACK_WORDS_MAX || end < stack || at < stack || at >= end ||
	    (end - at) % p->layout->frame)
		return;
	end -= p->layout->frame; /* the outermost one executes nothing */
	for (unsigned i = 0; at < end && i < STEPS_MAX; i++, at += p->layout->frame) {
		if (out->at.n >= INTERPRETER_FRAMES_MAX || !farmem_read(m, at, frame, sizeof frame))
			break;
		uint64_t pc = frame[CFP_PC / 8], iseq = frame[CFP_ISEQ / 8];
		uint64_t body = pc && iseq ? farmem_u64(m, iseq + ISEQ_BODY) : 0;
		if (body)
			*vec_push(&out->at) = (struct interpreter_frame){
				body, body, pc, farmem_u64(m, frame[CFP_EP / 8]) & FINISH};
	}
	if (out->at.n)
		out->at.at[out->at.n - 1].ends = true;
}

/* ---- functions ---- */

static bool
code_of_ruby(const void *p, struct farmem *m, const struct interpreter_frame *f,
	     struct interpreter_code *out)
{
	const struct ruby_layout *l = ((const struct ruby *)p)->layout;
	uint32_t first = farmem_u32(m, f->code + BODY_FIRST_LINE);

	*out = (struct interpreter_code){
		.name = farmem_u64(m, f->code + BODY_LABEL),
		.file = farmem_u64(m, f->code + BODY_PATH),
		.lines = f->code + l->infos,
		.scope = farmem_u64(m, f->code + BODY_ENCODED),
		.first_line = l->fixnum ? first >> 1 : first,
		.count = farmem_u32(m, f->code + BODY_COUNT),
	};
	return out->name && out->file && out->scope && out->count && out->count <= COUNT_MAX &&
	       out->first_line <= INT32_MAX;
}

/* RString, up to 3.1: flags with the length of a short string from bit 14 on, class, bytes at 16;
 * a long one has its length at 16, its address at 24.  From 3.2 on each has its length at 16. */
static bool
ruby_string(const struct ruby *p, struct farmem *m, uint64_t at, struct buf *out)
{
	uint64_t flags = at ? farmem_u64(m, at) : 0, len;

	if ((flags & TYPE_MASK) != TYPE_STRING)
		return false;
	len = farmem_u64(m, at + 16);
	if (flags & OTHER_PLACE)
		return interpreter_bytes(m, farmem_u64(m, at + 24), len, out);
	if (p->layout->long_strings)
		return interpreter_bytes(m, at + 24, len, out);
	return interpreter_bytes(m, at + 16, flags >> 14 & 0x1f, out);
}

/* The path is a string, or an array of the path as given and the real one, which may be nil. */
static bool
ruby_path(const struct ruby *p, struct farmem *m, uint64_t at, struct buf *out)
{
	uint64_t flags = farmem_u64(m, at);

	if ((flags & TYPE_MASK) != TYPE_ARRAY)
		return ruby_string(p, m, at, out);
	at = flags & OTHER_PLACE ? at + 16 : farmem_u64(m, at + 32);
	return ruby_string(p, m, farmem_u64(m, at + 8), out) ||
	       ruby_string(p, m, farmem_u64(m, at), out);
}

static bool
text_of_ruby(const void *p, struct farmem *m, const struct interpreter_code *c, struct buf *name,
	     struct buf *file)
{
	return ruby_string(p, m, c->name, name) && ruby_path(p, m, c->file, file);
}

/* ---- lines ----
 *
 * struct succ_index_table of iseq.c: how many entries begin up to an instruction.
 *
 *	instructions   0 to 53: u64 each nine, 7 bits an instruction
 *	               54 on:   blocks of 512: u32 rank before it, u32 of padding,
 *	                        u64 ranks of its parts of 64, 9 bits each from the second one on,
 *	                        u64[8] bits where entries begin
 */
#define DIRECT 54u
#define DIRECT_BYTES 48u
#define BLOCK 512u
#define BLOCK_BYTES 80u

static uint32_t
blocks_of(uint32_t count)
{
	return count < DIRECT ? 0 : (count - DIRECT + BLOCK - 1) / BLOCK;
}

static bool
add_memory(struct farmem *m, uint64_t at, size_t len, struct buf *out)
{
	uint8_t part[1024];

	while (len) {
		size_t n = len < sizeof part ? len : sizeof part;
		if (!farmem_read(m, at, part, n))
			return false;
		buf_add(out, part, n);
		at += n;
		len -= n;
	}
	return true;
}

/* Appends the table of instructions, and u32 of each entry's line; one entry alone has no table. */
static void
lines_of_ruby(const void *p, struct farmem *m, const struct interpreter_code *c, struct buf *out)
{
	static const uint8_t none[DIRECT_BYTES];
	const struct ruby_layout *l = ((const struct ruby *)p)->layout;
	uint64_t body = farmem_u64(m, c->lines + INFO_BODY);
	uint64_t index = farmem_u64(m, c->lines + INFO_INDEX);
	uint32_t n = farmem_u32(m, c->lines + INFO_SIZE);
	size_t direct = (c->count < DIRECT ? c->count + 8 : DIRECT) / 9 * sizeof(uint64_t);

	if (!n || n > c->count || (n > 1 && !index))
		return;
	if (n > 1) {
		if (!add_memory(m, index, direct, out))
			return;
		buf_add(out, none, DIRECT_BYTES - direct);
		if (!add_memory(m, index + direct, blocks_of(c->count) * BLOCK_BYTES, out))
			return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t line = farmem_u32(m, body + (uint64_t)i * l->info);
		buf_add(out, &line, sizeof line);
	}
}

static uint64_t
word_at(const uint8_t *table, size_t at)
{
	uint64_t value;

	memcpy(&value, table + at, sizeof value);
	return value;
}

/* Returns how many entries begin up to an instruction. */
static uint64_t
entries_until(const uint8_t *table, uint32_t at)
{
	if (at < DIRECT)
		return word_at(table, at / 9 * sizeof(uint64_t)) >> at % 9 * 7 & 0x7f;
	const uint8_t *block = table + DIRECT_BYTES + (at - DIRECT) / BLOCK * BLOCK_BYTES;
	uint32_t bit = (at - DIRECT) % BLOCK, part = bit / 64;
	uint64_t bits = word_at(block, 16 + part * sizeof(uint64_t)) << (63 - bit % 64);
	uint64_t before = part ? word_at(block, 8) >> (part - 1) * 9 & 0x1ff : 0;
	return (uint32_t)word_at(block, 0) + before + (unsigned)__builtin_popcountll(bits);
}

/* The pc is behind its instruction. */
static uint32_t
line_of_ruby(const void *p, const struct interpreter_frame *f, const struct interpreter_code *c,
	     const uint8_t *table, size_t len)
{
	uint64_t at = (f->position - c->scope) / sizeof(uint64_t), entry = 1;
	size_t index = DIRECT_BYTES + (size_t)blocks_of(c->count) * BLOCK_BYTES;
	uint32_t line;

	(void)p;
	if (f->position < c->scope || at > c->count)
		return 0;
	if (at)
		at--;
	if (len == sizeof line)
		index = 0;
	else if (len > index)
		entry = entries_until(table, (uint32_t)at);
	if (!entry || len < index || entry > (len - index) / sizeof line)
		return 0;
	memcpy(&line, table + index + (entry - 1) * sizeof line, sizeof line);
	return line <= INT32_MAX ? line : 0;
}

const struct interpreter interpreter_ruby = {
	.name = "ruby",
	.title = "Ruby",
	.versions = "3.0 to 3.3",
	.advice = "",
	.symbol = {"ruby_current_vm_ptr", "ruby_api_version"},
	.open = open_ruby,
	.walk = walk_ruby,
	.code = code_of_ruby,
	.text = text_of_ruby,
	.lines = lines_of_ruby,
	.line = line_of_ruby,
};
