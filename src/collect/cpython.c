/* cpython.c - see cpython.h.
 *
 *	_PyRuntime --> PyInterpreterState --> PyThreadState, one a thread
 *	                                        | 3.8-3.10: frame
 *	                                        | 3.11, 3.12: cframe -> current_frame
 *	                                        v 3.13 on: current_frame
 *	                frame -> previous -> ... -> NULL
 *	                  | code object, position in it
 *
 * Up to 3.10 each frame is a call of the loop in C.  From 3.11 on the loop executes calls of Python
 * functions itself: a frame with `is_entry` (3.11) is the outermost of a call of the loop, later a
 * frame that lies on the C stack follows it.
 *
 * The memory may change while it is read, and it may be garbage: lists are followed a limited
 * number of steps, and texts and tables have a maximum length. */
#include "src/collect/cpython.h"

#include <string.h>

#include "src/collect/farmem.h"

#define INTERPRETERS_MAX 64u
#define THREADS_MAX 4096u
#define OWNED_BY_C_STACK 3u /* enum _frameowner from 3.12 on: this and larger ones */
/* From 3.14 on, pycore_stackref.h: the low bits of a pointer in a frame. */
#define REFERENCE_TAGS UINT64_C(3)
/* Offsets on machines with 64-bit pointers, computed by offsetof() in programs that include
 * CPython's own headers: Include/internal/pycore_runtime.h, pycore_interp.h (3.8:
 * pycore_pystate.h), pycore_frame.h, and pystate.h, code.h, frameobject.h, unicodeobject.h of
 * Include/cpython; of 3.8.18, 3.9.18, 3.10.13, 3.11.2 and 3.11.7, 3.12.1. */
static const struct cpython_layout layouts[] = {
	[8] = {32, 0, 8, 8, 176, CPYTHON_NONE, 24, CPYTHON_NONE, 24, 32, 104, CPYTHON_NONE,
	       CPYTHON_NONE, 112, 104, 40, 120, CPYTHON_NONE, 48, 72},
	[9] = {32, 0, 8, 8, 176, CPYTHON_NONE, 24, CPYTHON_NONE, 24, 32, 104, CPYTHON_NONE,
	       CPYTHON_NONE, 112, 104, 40, 120, CPYTHON_NONE, 48, 72},
	[10] = {32, 0, 8, 8, 176, CPYTHON_NONE, 24, CPYTHON_NONE, 24, 32, 96, CPYTHON_NONE,
		CPYTHON_NONE, 112, 104, 40, 120, CPYTHON_NONE, 48, 72},
	[11] = {40, 0, 16, 8, 152, 160, 56, 8, 48, 32, 56, CPYTHON_NONE, 68, 128, 112, 72, 136, 184,
		48, 72},
	[12] = {40, 0, 72, 8, 136, 144, 56, 0, 8, 0, 56, 70, CPYTHON_NONE, 128, 112, 68, 136, 192,
		40, 56},
};

/* Where struct _Py_DebugOffsets, u64 each, has the offsets of the members of struct
 * cpython_layout: of 3.13, Include/internal/pycore_runtime.h, later pycore_debug_offsets.h. */
#define DEBUG_VERSION 1u
#define DEBUG_FREE_THREADED 2u
#define DEBUG_N 58u
static const struct debug_places {
	uint8_t interpreters, next_interpreter, threads;
	uint8_t next_thread, thread_id, native_id, frame;
	uint8_t previous, code, instruction, owner;
	uint8_t name, file, first_line, lines, start;
} places[] = {
	[13] = {5, 8, 9, 21, 24, 25, 23, 29, 30, 31, 33, 37, 35, 39, 38, 43},
	[14] = {5, 8, 9, 24, 27, 28, 26, 32, 33, 34, 36, 42, 40, 44, 43, 48},
	[15] = {5, 8, 9, 24, 30, 31, 26, 40, 41, 42, 44, 50, 48, 52, 51, 56},
};

static bool
debug_offsets(struct farmem *m, uint64_t runtime, uint64_t out[DEBUG_N])
{
	return farmem_read(m, runtime, out, DEBUG_N * sizeof *out) &&
	       !memcmp(out, "xdebugpy", 8);
}

uint32_t
cpython_version(struct farmem *m, uint64_t runtime)
{
	uint64_t d[DEBUG_N];

	return debug_offsets(m, runtime, d) ? (uint32_t)d[DEBUG_VERSION] : 0;
}

/* Takes the layout that the process itself states; false if a number cannot be right. */
static bool
read_layout(struct farmem *m, uint64_t runtime, const struct debug_places *at,
	    struct cpython_layout *out)
{
	uint64_t d[DEBUG_N];
	uint8_t used[sizeof *at];

	if (!debug_offsets(m, runtime, d) || d[DEBUG_FREE_THREADED])
		return false;
	memcpy(used, at, sizeof used);
	for (size_t i = 0; i < sizeof used; i++)
		if (d[used[i]] >= CPYTHON_NONE)
			return false;
	*out = (struct cpython_layout){
		.interpreters = (uint16_t)d[at->interpreters],
		.next_interpreter = (uint16_t)d[at->next_interpreter],
		.threads = (uint16_t)d[at->threads],
		.next_thread = (uint16_t)d[at->next_thread],
		.thread_id = (uint16_t)d[at->thread_id],
		.native_id = (uint16_t)d[at->native_id],
		.frame = (uint16_t)d[at->frame],
		.within = CPYTHON_NONE,
		.previous = (uint16_t)d[at->previous],
		.code = (uint16_t)d[at->code],
		.instruction = (uint16_t)d[at->instruction],
		.owner = (uint16_t)d[at->owner],
		.entry = CPYTHON_NONE,
		.name = (uint16_t)d[at->name],
		.file = (uint16_t)d[at->file],
		.first_line = (uint16_t)d[at->first_line],
		.lines = (uint16_t)d[at->lines],
		.start = (uint16_t)d[at->start],
		.ascii = 40,
		.compact = 56,
	};
	return true;
}

bool
cpython_open(struct cpython *p, struct farmem *m, uint64_t runtime, uint32_t version)
{
	unsigned major = version >> 24, minor = version >> 16 & 0xff;

	*p = (struct cpython){.minor = minor, .runtime = runtime};
	if (major != 3 || sizeof(void *) != 8)
		return false;
	if (minor < sizeof places / sizeof *places && places[minor].interpreters)
		return read_layout(m, runtime, &places[minor], &p->layout);
	if (minor >= sizeof layouts / sizeof *layouts || !layouts[minor].interpreters)
		return false;
	p->layout = layouts[minor];
	return true;
}

/* ---- threads ---- */

static bool
is_of_thread(const struct cpython *p, struct farmem *m, uint64_t thread, uint32_t tid)
{
	const struct cpython_layout *l = &p->layout;

	if (!thread)
		return false;
	if (l->native_id != CPYTHON_NONE)
		return farmem_u64(m, thread + l->native_id) == tid;
	/* before 3.11, Python knows only the descriptor */
	return interpreter_tid(m, farmem_u64(m, thread + l->thread_id)) == tid;
}

bool
cpython_thread(const struct cpython *p, struct farmem *m, uint32_t tid, uint64_t *cached)
{
	const struct cpython_layout *l = &p->layout;
	uint64_t interpreter = farmem_u64(m, p->runtime + l->interpreters);
	unsigned threads = 0;

	if (is_of_thread(p, m, *cached, tid))
		return true;
	*cached = 0;
	for (unsigned i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		uint64_t thread = farmem_u64(m, interpreter + l->threads);
		for (; thread && threads < THREADS_MAX; threads++) {
			if (is_of_thread(p, m, thread, tid)) {
				*cached = thread;
				return true;
			}
			thread = farmem_u64(m, thread + l->next_thread);
		}
		interpreter = farmem_u64(m, interpreter + l->next_interpreter);
	}
	return false;
}

/* ---- frames ---- */

static bool
is_on_c_stack(const struct cpython *p, struct farmem *m, uint64_t frame)
{
	uint8_t owner = 0;

	return p->layout.owner != CPYTHON_NONE &&
	       farmem_read(m, frame + p->layout.owner, &owner, 1) && owner >= OWNED_BY_C_STACK;
}

static bool
frame_ends(const struct cpython *p, struct farmem *m, uint64_t frame)
{
	uint8_t entry = 1;

	if (p->minor <= 10)
		return true;
	if (p->layout.entry != CPYTHON_NONE)
		return !farmem_read(m, frame + p->layout.entry, &entry, 1) || entry;
	return false; /* cpython_walk() */
}

void
cpython_walk(const struct cpython *p, struct farmem *m, uint64_t thread,
	     struct interpreter_frames *out)
{
	const struct cpython_layout *l = &p->layout;
	uint64_t frame = farmem_u64(m, thread + l->frame);

	out->at.n = 0;
	if (l->within != CPYTHON_NONE && frame)
		frame = farmem_u64(m, frame + l->within);
	for (unsigned i = 0; frame && i < INTERPRETER_FRAMES_MAX; i++) {
		uint64_t code = farmem_u64(m, frame + l->code) & ~REFERENCE_TAGS;
		if (is_on_c_stack(p, m, frame)) {
			if (out->at.n)
				out->at.at[out->at.n - 1].ends = true;
		} else if (code) {
			uint64_t at = farmem_u64(m, frame + l->instruction);
			/* f_lasti is an int */
			*vec_push(&out->at) = (struct interpreter_frame){
				code, code, p->minor <= 10 ? (uint32_t)at : at,
				frame_ends(p, m, frame)};
		}
		uint64_t previous = farmem_u64(m, frame + l->previous);
		if (previous == frame)
			break;
		frame = previous;
	}
	if (out->at.n)
		out->at.at[out->at.n - 1].ends = true;
}

/* ---- code ---- */

bool
cpython_code(const struct cpython *p, struct farmem *m, uint64_t at,
	     struct interpreter_code *out)
{
	const struct cpython_layout *l = &p->layout;

	*out = (struct interpreter_code){
		.name = farmem_u64(m, at + l->name),
		.file = farmem_u64(m, at + l->file),
		.lines = farmem_u64(m, at + l->lines),
		.first_line = farmem_u32(m, at + l->first_line),
	};
	return out->name && out->file && out->lines && out->first_line <= INT32_MAX;
}

static void
add_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x20 || c == 0x7f || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = '?';
	if (c < 0x80) {
		buf_addc(out, (char)c);
	} else if (c < 0x800) {
		buf_addc(out, (char)(0xc0 | c >> 6));
		buf_addc(out, (char)(0x80 | (c & 63)));
	} else {
		if (c < 0x10000) {
			buf_addc(out, (char)(0xe0 | c >> 12));
		} else {
			buf_addc(out, (char)(0xf0 | c >> 18));
			buf_addc(out, (char)(0x80 | (c >> 12 & 63)));
		}
		buf_addc(out, (char)(0x80 | (c >> 6 & 63)));
		buf_addc(out, (char)(0x80 | (c & 63)));
	}
}

/* PyASCIIObject: refcount, type, u64 length at 16, hash, u32 state at 32 (interned:2, kind:3,
 * compact:1, ascii:1); the characters follow it or PyCompactUnicodeObject, 1, 2 or 4 bytes each. */
bool
cpython_text(const struct cpython *p, struct farmem *m, uint64_t at, struct buf *out)
{
	uint64_t len = farmem_u64(m, at + 16);
	uint32_t state = farmem_u32(m, at + 32), kind = state >> 2 & 7;
	bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
	uint8_t bytes[4 * INTERPRETER_TEXT_MAX];

	if (!at || !compact || !len || len > INT32_MAX || (kind != 1 && kind != 2 && kind != 4))
		return false;
	len = len < INTERPRETER_TEXT_MAX ? len : INTERPRETER_TEXT_MAX;
	at += ascii ? p->layout.ascii : p->layout.compact;
	if (!farmem_read(m, at, bytes, (size_t)len * kind))
		return false;
	for (size_t i = 0; i < len; i++) {
		uint32_t c = bytes[i];
		uint16_t half;
		if (kind == 2) {
			memcpy(&half, bytes + 2 * i, sizeof half);
			c = half;
		} else if (kind == 4) {
			memcpy(&c, bytes + 4 * i, sizeof c);
		}
		add_utf8(out, c);
	}
	return true;
}
