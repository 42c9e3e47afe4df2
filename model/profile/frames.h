/* frames.h - functions, and the frames in which they occur.
 *
 * A function is (name, file, module, definition line, kind). A frame is a function at the line
 * that it executes; one function occurs at many lines. A frame may be marked as inlined into its
 * caller. A leaf may have the address of the instruction in the module, where the profiler
 * stopped the program. Callers have no address, so that there are no more stacks than places in
 * the code. Functions and frames are interned: equal contents have equal ids. */
#ifndef PNAV_MODEL_PROFILE_FRAMES_H
#define PNAV_MODEL_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/slots.h"
#include "model/profile/names.h"

typedef uint32_t function_id;
typedef uint32_t frame_id;

/* The classification of the document profile(1) (see pnav(1)): by name, unless the decoder
 * knows better. Idle functions represent time in which nothing ran. */
enum kind { KIND_USER, KIND_INTRINSIC, KIND_SYSTEM, KIND_IDLE };
#define KINDS 4

struct function {
	name_id name, file, module; /* NAME_EMPTY if unknown */
	uint32_t line;              /* of the definition; 0 if unknown */
	uint8_t kind;               /* enum kind */
	bool last; /* represents all that a file does not name; sorted after its equals */
};

/* The line that a frame executes. */
enum line_form {
	LINE_UNKNOWN,
	LINE_PLAIN,  /* number */
	LINE_CLAUSE, /* number.clause, the form in which BR numbers its statements */
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

/* The address of a frame whose instruction is unknown. */
#define ADDRESS_NONE UINT64_C(0)

/* A map from ids to places, which are other ids + 1. Most tables map consecutive ids to
 * consecutive places: these need no array. */
struct direct {
	uint32_t *at; /* [id] the place, 0: none; NULL: [first, n) map to place, place + 1, ... */
	uint32_t n, cap; /* ids from n on have no place */
	uint32_t first, place;
};

/* Columns that are NULL hold only zeros, as most do in most profiles. */
struct function_columns {
	name_id *name, *file, *module;
	uint32_t *line;
	uint8_t *kind; /* and FUNCTION_LAST */
};
#define FUNCTION_LAST 0x80u

struct frame_columns {
	function_id *function;
	uint32_t *line;
	uint8_t *clause;
	uint8_t *form; /* and FRAME_INLINED */
};
#define FRAME_INLINED 0x80u

struct frames {
	struct function_columns function;
	uint32_t n_functions, functions_cap;
	struct frame_columns frame;
	uint64_t *address; /* [frame] ADDRESS_NONE if unknown; NULL: all unknown */
	uint32_t n, cap;
	uint32_t n_variants; /* number of frames that vary another one: with an address, or
			      * inlined */
	bool any_inlined;
	struct slots function_slots, frame_slots; /* places are ids + 1 */
	/* Replace the slots for frequent simple entries: functions with only a name, frames
	 * without a line. */
	struct direct bare;  /* [name] the function with nothing but this name */
	struct direct plain; /* [function] its frame without a line or an address */
	struct direct begin; /* [function] the frame whose address is the beginning of the
			      * function */
};

void frames_init(struct frames *t);
void frames_release(struct frames *t);
void frames_copy(struct frames *to, const struct frames *from); /* `to` is uninitialised */
function_id frames_function(struct frames *t, struct function f);
frame_id frames_put(struct frames *t, function_id function, struct line line);
frame_id frames_put_at(struct frames *t, struct frame f, uint64_t address);

/* Return a function, a frame. Loops that need one member read its column. */
struct function frames_get_function(const struct frames *t, function_id f);
struct frame frames_get(const struct frames *t, frame_id f);

static inline uint64_t
frames_address(const struct frames *t, frame_id f)
{
	return t->address ? t->address[f] : ADDRESS_NONE;
}

/* Returns the place of an id; 0 if it has none. */
static inline uint32_t
direct_get(const struct direct *d, uint32_t id)
{
	if (id >= d->n)
		return 0;
	if (d->at)
		return d->at[id];
	return id < d->first ? 0 : d->place + (id - d->first);
}

/* Records that the function of frame f begins at the address of f. */
void frames_begin_at(struct frames *t, frame_id f);
/* Returns the address where a function begins; ADDRESS_NONE if no file states it. */
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

/* Returns the line with this number, unknown if no line has it. */
static inline struct line
line_numbered(int64_t number)
{
	return number > 0 && number <= UINT32_MAX ? line_plain((uint32_t)number) : line_unknown();
}

/* Returns the kind that follows from a function's name alone: intrinsic for names that start
 * with "__" and do not end with it (internal functions of a C library, but not Python's
 * __init__), else user. Decoders of managed languages set KIND_USER themselves. */
enum kind kind_of_name(const char *name, size_t len);
/* Applies the rule of the MS-DOS document profile(1), for its reports and linker maps only:
 * intrinsic for names that start with "__" or contain '@' or '$', else user. */
enum kind kind_of_dos_name(const char *name, size_t len);
/* Returns "user", "intrinsic", "system" or "idle". */
const char *kind_name(enum kind kind);

#endif
