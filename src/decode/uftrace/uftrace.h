/* uftrace.h - what a directory of uftrace says beside the calls: its file `info`, `task.txt`,
 * maps of memory and lists of symbols. */
#ifndef PNAV_SRC_DECODE_UFTRACE_UFTRACE_H
#define PNAV_SRC_DECODE_UFTRACE_UFTRACE_H

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/idmap.h"
#include "src/decode/decoder.h"

struct symbols;

enum uftrace_feature {
	UFTRACE_SYM_REL_ADDR = 1u << 5, /* symbols count from where their module lies */
};

struct uftrace_map {
	uint64_t low, high, base; /* base: where the module's first map begins */
	name_id module;
	uint32_t symbols;
};

/* The program of a process from a time on. */
struct uftrace_session {
	int64_t pid, time_ns;
	char sid[17];
	name_id program; /* its path */
	bool mapped;     /* the maps were read */
	VEC(struct uftrace_map) map;
};

struct uftrace_task {
	int64_t tid, pid;
	int64_t parent; /* pid of the process that forked it; 0: none */
	int64_t time_ns;
};

struct uftrace {
	struct input *in; /* the file `info` */
	struct builder *b;
	struct err *e;
	bool big_endian;
	unsigned version;
	uint64_t features;
	struct buf entry_spec, exit_spec; /* `name@arg1/i32,...;...`: what follows records */
	VEC(struct uftrace_session) session;
	VEC(struct uftrace_task) task;
	struct idmap task_of; /* tid -> task */
	struct cast cast;
	struct symbols *symbols;
	struct idmap symbols_of; /* a path's name -> module of symbols */
	struct idmap frame_of;   /* session and address -> frame */
};

/* Reads `info`: features, what arguments are recorded; tells what is of use of the rest. */
bool uftrace_info(struct uftrace *u);
/* Reads `task.txt`; false where it is not there. */
bool uftrace_tasks(struct uftrace *u);
/* The session that a process runs in at this time, SIZE_MAX where there is none, and when another
 * begins (INT64_MAX: never). */
size_t uftrace_session_at(const struct uftrace *u, int64_t pid, int64_t time_ns, int64_t *until);
/* The function around an address of this session. */
frame_id uftrace_frame(struct uftrace *u, size_t session, uint64_t address);
/* How many bytes of arguments, or of what is returned, follow a record of this function, of
 * which `at` has `len`; SIZE_MAX where that cannot be told. */
size_t uftrace_values(const struct uftrace *u, frame_id frame, bool exit, const uint8_t *at,
		      size_t len);
void uftrace_release(struct uftrace *u);

#endif
