/* php.c - the frames of PHP, in the memory of another process.
 *
 *	executor_globals.current_execute_data --> zend_execute_data
 *	                                            | prev_execute_data --> ... --> NULL
 *	                                            | func --> zend_op_array: name, class, file
 *	                                            v opline --> zend_op.lineno
 *
 * Only builds without threads (NTS) have executor_globals; they execute PHP in one thread.
 *
 * execute_ex() keeps the current instruction in a register, and stores it in the frame only before
 * an instruction that may fail or call.  In between the stored one is an old one of the same
 * function.  So the register counts, where the look has it and where it is plausible: GCC's builds
 * keep the frame and the instruction in registers that no function called from there needs often.
 *
 * The version is in no data, so it is taken from the text of a header that PHP sends. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "src/collect/farmem.h"
#include "src/collect/interpreter.h"

#define STEPS_MAX 4096u          /* frames, with those of functions in C */
#define FILE_MAX (256u << 20)    /* bytes of a file that are searched for the version */
#define FUNCTION_IN_C 1u         /* ZEND_INTERNAL_FUNCTION */
#define EVAL_CODE 4u             /* ZEND_EVAL_CODE: the last type with instructions */
#define CALL_TOP (1u << 17)      /* ZEND_CALL_TOP: the outermost of a call of the loop */
#define OP_BYTES 32u

/* The registers of ZEND_VM_FP_GLOBAL_REG and _IP_ in Zend/zend_execute.c, by their index in
 * record_registers(). */
#if defined(__x86_64__)
#define FRAME_REGISTER 18u /* r14 */
#define OP_REGISTER 19u    /* r15 */
#elif defined(__aarch64__)
#define FRAME_REGISTER 27u /* x27 */
#define OP_REGISTER 28u    /* x28 */
#endif

/* Offsets on machines with 64-bit pointers.  Computed by offsetof() in a program that includes
 * PHP's own zend_globals.h and zend_compile.h (8.2.36, 8.4.27); for the other versions from
 * phpspy's structs/x86_64 and structs/aarch64/php_structs_*.h, which are equal, and which agree on
 * 8.2. */
enum php_offset {
	GLOBALS_CURRENT = 488,
	FRAME_OP = 0,
	FRAME_FUNCTION = 24,
	FRAME_INFO = 40, /* This.u1.type_info */
	FRAME_PREVIOUS = 48,
	FUNCTION_NAME = 8,
	FUNCTION_SCOPE = 16,
	CLASS_NAME = 8,
	OP_LINE = 24,
	STRING_LEN = 16,
	STRING_BYTES = 24,
};
struct php_layout {
	uint32_t version;
	uint16_t last, ops; /* zend_op_array.last, the number of .opcodes */
	uint16_t file;      /* .filename; .line_start follows it */
};
static const struct php_layout php_layouts[] = {
	{0x0704, 60, 64, 136}, {0x0800, 68, 72, 144}, {0x0801, 68, 72, 144},
	{0x0802, 80, 88, 152}, {0x0803, 76, 80, 144}, {0x0804, 96, 104, 168},
};

struct php {
	uint64_t globals;
	const struct php_layout *layout;
};

/* "X-Powered-By: PHP/8.2.36", of main/main.c. */
static uint32_t
php_stated(const char *path)
{
	static const char header[] = "X-Powered-By: PHP/";
	enum { SIZE = 1 << 16, KEPT = 64 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *part = fd < 0 ? NULL : mem_zalloc(1, KEPT + SIZE + 1);
	unsigned major, minor;
	uint32_t version = 0;

	for (size_t done = 0; part && !version && done < FILE_MAX;) {
		ssize_t n = read(fd, part + KEPT, SIZE);
		if (n <= 0)
			break;
		part[KEPT + n] = '\0';
		done += (size_t)n;
		const char *at = memmem(part, KEPT + (size_t)n, header, sizeof header - 1);
		if (at && sscanf(at + sizeof header - 1, "%2u.%2u", &major, &minor) == 2)
			version = (major & 0xff) << 24 | (minor & 0xff) << 16;
		memmove(part, part + n, KEPT);
	}
	free(part);
	if (fd >= 0)
		close(fd);
	return version;
}

static void *
open_php(struct farmem *m, const struct interpreter_binary *b, uint32_t *version)
{
	(void)m;
	*version = b->stated;
	for (size_t i = 0; i < sizeof php_layouts / sizeof *php_layouts; i++) {
		if (php_layouts[i].version != *version >> 16 || !b->symbol[0] ||
		    sizeof(void *) != 8)
			continue;
		struct php *p = mem_zalloc(1, sizeof *p);
		*p = (struct php){b->symbol[0], &php_layouts[i]};
		return p;
	}
	return NULL;
}

/* ---- frames ---- */

/* Returns the instruction that a frame executes.  A sample's registers may be older than the
 * frame, whose memory had another function's frame then. */
static uint64_t
php_instruction(const struct php *p, struct farmem *m, const struct interpreter_thread *t,
		uint64_t frame)
{
#ifdef OP_REGISTER
	if (t->registers && t->registers[FRAME_REGISTER] == frame) {
		uint64_t function = farmem_u64(m, frame + FRAME_FUNCTION);
		uint64_t first = farmem_u64(m, function + p->layout->ops);
		uint64_t last = farmem_u32(m, function + p->layout->last);
		uint64_t far = t->registers[OP_REGISTER] - first;
		if (first && far < last * OP_BYTES && far % OP_BYTES == 0)
			return t->registers[OP_REGISTER];
	}
#endif
	(void)p;
	(void)t;
	return farmem_u64(m, frame + FRAME_OP);
}

static void
walk_php(const void *php, struct farmem *m, const struct interpreter_thread *t,
	 struct interpreter_frames *out)
{
	const struct php *p = php;
	uint64_t frame = farmem_u64(m, p->globals + GLOBALS_CURRENT);

	if (t->tid != (uint32_t)m->pid)
		return;
	for (unsigned i = 0; frame && i < STEPS_MAX; i++) {
		uint64_t function = farmem_u64(m, frame + FRAME_FUNCTION);
		uint8_t type = FUNCTION_IN_C;
		if (out->at.n >= INTERPRETER_FRAMES_MAX)
			break;
		if (function && farmem_read(m, function, &type, 1) && type > FUNCTION_IN_C &&
		    type <= EVAL_CODE) {
			uint64_t op = php_instruction(p, m, t, frame);
			/* closures are copies */
			uint64_t key = farmem_u64(m, function + p->layout->file) * 31;
			key = (key + farmem_u64(m, function + FUNCTION_NAME)) * 31;
			key = (key + farmem_u64(m, function + FUNCTION_SCOPE)) * 31;
			key += farmem_u32(m, function + p->layout->file + 8u);
			*vec_push(&out->at) = (struct interpreter_frame){
				function, key, farmem_u32(m, op + OP_LINE),
				farmem_u32(m, frame + FRAME_INFO) & CALL_TOP};
		}
		uint64_t previous = farmem_u64(m, frame + FRAME_PREVIOUS);
		if (previous == frame)
			break;
		frame = previous;
	}
	if (out->at.n)
		out->at.at[out->at.n - 1].ends = true;
}

/* ---- functions ---- */

static bool
code_of_php(const void *p, struct farmem *m, const struct interpreter_frame *f,
	    struct interpreter_code *out)
{
	uint64_t file = f->code + ((const struct php *)p)->layout->file;

	*out = (struct interpreter_code){
		.name = farmem_u64(m, f->code + FUNCTION_NAME),
		.file = farmem_u64(m, file),
		.scope = farmem_u64(m, f->code + FUNCTION_SCOPE),
		.first_line = farmem_u32(m, file + 8),
	};
	return out->file && out->first_line <= INT32_MAX;
}

static bool
php_string(struct farmem *m, uint64_t at, struct buf *out)
{
	return at && interpreter_bytes(m, at + STRING_BYTES, farmem_u64(m, at + STRING_LEN), out);
}

static bool
text_of_php(const void *p, struct farmem *m, const struct interpreter_code *c, struct buf *name,
	    struct buf *file)
{
	(void)p;
	if (c->scope && c->name) {
		if (!php_string(m, farmem_u64(m, c->scope + CLASS_NAME), name))
			return false;
		buf_adds(name, "::");
	}
	if (!c->name)
		buf_adds(name, "{main}");
	return (!c->name || php_string(m, c->name, name)) && php_string(m, c->file, file);
}

static uint32_t
line_of_php(const void *p, const struct interpreter_frame *f, const struct interpreter_code *c,
	    const uint8_t *table, size_t len)
{
	(void)p;
	(void)c;
	(void)table;
	(void)len;
	return f->position <= INT32_MAX ? (uint32_t)f->position : 0;
}

const struct interpreter interpreter_php = {
	.name = "php",
	.title = "PHP",
	.versions = "7.4 to 8.3 without threads",
	.advice = "",
	.symbol = {"executor_globals", "executor_globals_offset"},
	.stated = php_stated,
	.open = open_php,
	.walk = walk_php,
	.code = code_of_php,
	.text = text_of_php,
	.line = line_of_php,
};
