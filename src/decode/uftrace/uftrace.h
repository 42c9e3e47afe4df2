/* uftrace.h - the parts of an uftrace directory other than the calls: the file `info`,
 * `task.txt`, maps of memory and lists of symbols. */
#ifndef PNAV_SRC_DECODE_UFTRACE_UFTRACE_H
#define PNAV_SRC_DECODE_UFTRACE_UFTRACE_H

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/slice.h"
#include "src/decode/decoder.h"

struct symbols;

enum uftrace_feature {
	UFTRACE_SYM_REL_ADDR = 1u << 5, /* symbols are relative to the start of their module */
};

struct uftrace_map {
	uint64_t low, high, base; /* base: the start of the module's first map */
	name_id module;
	uint32_t symbols;
};

/* The program of a process from a time on, until it loads a library (dlopen) or another one. */
struct uftrace_session {
	int64_t pid, time_ns;
	char sid[17];
	name_id program; /* its path */
	size_t before;   /* the session of the same program, without `library`; SIZE_MAX: none */
	name_id library;
	uint64_t base; /* of the library */
	bool mapped;   /* the maps were read */
	VEC(struct uftrace_map) map;
};

struct uftrace_task {
	int64_t tid, pid;
	int64_t parent; /* pid of the process that forked it; 0: none */
	int64_t time_ns;
};

struct uftrace_spec {
	size_t at, len; /* in the text */
};

/* The values that follow the records of functions: `arg1/i32,arg2/s` for each of them. */
struct uftrace_specs {
	struct buf text;
	VEC(struct uftrace_spec) spec;
	struct idmap of_name;  /* name of a function -> spec, by what `info` says */
	struct idmap of_place; /* number of a place -> spec, by the debug information; */
	struct idmap of_other; /* name of a function -> spec, for places that are not known */
};

struct uftrace {
	struct input *in; /* the file `info` */
	struct builder *b;
	struct err *e;
	bool big_endian;
	unsigned version;
	uint64_t features;
	struct uftrace_specs entry_specs, exit_specs;
	VEC(struct uftrace_session) session;
	VEC(struct uftrace_task) task;
	struct idmap task_of; /* tid -> task */
	struct cast cast;
	struct symbols *symbols;
	struct idmap symbols_of; /* a path's name -> module of symbols */
	struct idmap frame_of;   /* session and address -> frame */
	struct idmap symbol_of;  /* frame -> name of its symbol */
	struct idmap place;      /* module of symbols and address of a symbol -> number */
	uint32_t places;         /* the count of these */
	struct idmap place_of;   /* session and address -> number of the place */
};

/* Reads `info`: features, formats of recorded arguments; reports the other facts that are
 * useful. */
bool uftrace_info(struct uftrace *u);
/* Reads `task.txt`; returns false if it is missing. */
bool uftrace_tasks(struct uftrace *u);
/* Returns the session of a process at this time, SIZE_MAX if there is none, and the time of the
 * next session (INT64_MAX: none). */
size_t uftrace_session_at(const struct uftrace *u, int64_t pid, int64_t time_ns, int64_t *until);
/* Returns the frame of the function around an address of this session. */
frame_id uftrace_frame(struct uftrace *u, size_t session, uint64_t address);
/* Returns the number of the place of that function, after uftrace_frame(): functions of one name
 * are one frame, but each has its values. IDMAP_NONE if it is not known. */
uint32_t uftrace_place(const struct uftrace *u, size_t session, uint64_t address);
/* Returns the number of bytes of arguments, or of a returned value, that follow a record of
 * this function.  The file has `len` bytes at `at`.  SIZE_MAX if the number is unknown. */
size_t uftrace_values(const struct uftrace *u, frame_id frame, uint32_t place, bool exit,
		      const uint8_t *at, size_t len);
/* Adds `NAME@arg1/i32,...;...`; a function that has values keeps them. */
void uftrace_specs_add(struct uftrace *u, struct uftrace_specs *s, const char *at,
		       const char *end);
/* Adds the values `@arg1/i32,...` of the function of this name at a place, or IDMAP_NONE. */
void uftrace_specs_own(struct uftrace *u, struct uftrace_specs *s, const struct buf *name,
		       uint32_t place, struct text_slice values);
void uftrace_release(struct uftrace *u);

#endif
