/* frames.h - functions, and the frames in which they are seen.
 *
 * A function is (name, file, module, definition line, kind).  A frame is a function
 * at the line that it executes: one function is seen on many lines.  It may know that it was
 * inlined into its caller, and the address of the instruction in the module: of leaves, where
 * the profiler stopped the program.  Callers have none, so that there are no more stacks than
 * the code has places.  Both are interned: equal contents are equal ids. */
#ifndef PNAV_MODEL_FRAMES_H
#define PNAV_MODEL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/names.h"
#include "model/base/slots.h"

typedef uint32_t function_id;
typedef uint32_t frame_id;

/* profile(1)'s classification (pnav(1)): by the name, unless a decoder knows better. */
enum kind { KIND_USER, KIND_INTRINSIC, KIND_SYSTEM };
#define KINDS 3

struct function {
	name_id name, file, module; /* NAME_EMPTY where not known */
	uint32_t line;              /* of the definition; 0 where not known */
	uint8_t kind;               /* enum kind */
	bool last; /* stands for what a file does not name: after its equals in every order */
};

/* The line that a frame executes. */
enum line_form {
	LINE_UNKNOWN,
	LINE_PLAIN,  /* number */
	LINE_CLAUSE, /* number.clause, as BR numbers its statements */
};

struct line {
	uint32_t number;
	uint8_t clause;
	uint8_t form; /* enum line_form */
};

struct frame {
	function_id function;
	struct line line;
	bool inlined;
};

/* Of frames whose instruction is not known. */
#define ADDRESS_NONE UINT64_C(0)

/* From an id to another, where most have one. */
struct direct {
	uint32_t *at; /* [id] the other + 1; 0: none.  None from n on, too */
	uint32_t n, cap;
};

struct frames {
	struct function *function;
	uint32_t n_functions, functions_cap;
	struct frame *frame;
	uint64_t *address; /* [frame] ADDRESS_NONE where not known; NULL: of all */
	uint32_t n, cap;
	uint32_t n_variants; /* of another frame: with an address, or inlined */
	bool any_inlined;
	bool any_module, any_file; /* of the functions: has one of them one? */
	struct slots function_slots, frame_slots; /* places are ids + 1 */
	/* Those that need no slots: what is known by its name alone, seen on no line. */
	struct direct bare;  /* [name] the function of which nothing else is known */
	struct direct plain; /* [function] its frame without a line or an address */
	struct direct begin; /* [function] the frame whose address is where the function begins */
};

void frames_init(struct frames *t);
void frames_release(struct frames *t);
void frames_copy(struct frames *to, const struct frames *from); /* `to` is uninitialised */
function_id frames_function(struct frames *t, struct function f);
frame_id frames_put(struct frames *t, function_id function, struct line line);
frame_id frames_put_at(struct frames *t, struct frame f, uint64_t address);

static inline uint64_t
frames_address(const struct frames *t, frame_id f)
{
	return t->address ? t->address[f] : ADDRESS_NONE;
}

/* The function of frame f begins at the address of f. */
void frames_begin_at(struct frames *t, frame_id f);
/* Where a function begins; ADDRESS_NONE where no file said so. */
uint64_t frames_begin(const struct frames *t, function_id f);

static inline struct line
line_plain(uint32_t number)
{
	return (struct line){.number = number, .form = LINE_PLAIN};
}

static inline struct line
line_unknown(void)
{
	return (struct line){0};
}

/* The kind of a function, derived from its name alone: intrinsic for names that start with "__" and
 * do not end with it (internal functions of a C library, but not Python's __init__), else user.
 * Decoders of managed languages say KIND_USER themselves. */
enum kind kind_of_name(const char *name, size_t len);
/* The rule of the MS-DOS document profile(1), for its reports and linker maps alone: intrinsic for
 * names that start with "__" or contain '@' or '$', else user. */
enum kind kind_of_dos_name(const char *name, size_t len);
/* "user", "intrinsic", "system" */
const char *kind_name(enum kind kind);

#endif
