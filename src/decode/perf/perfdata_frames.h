/* perfdata_frames.h - from addresses of samples to frames of the profile. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FRAMES_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/perfdata_read.h"
#include "src/decode/perf/perfdata_registers.h"
#include "src/decode/perf/perfdata_tasks.h"
#include "src/symbol/symbols.h"
#include "src/symbol/unwind.h"

enum perfdata_origin {
	PERFDATA_FROM_FILE, /* offsets in a file */
	PERFDATA_FROM_VDSO,
	PERFDATA_FROM_KERNEL, /* addresses as they ran, from here on */
	PERFDATA_FROM_JIT,
	PERFDATA_FROM_RECORD, /* one function, named by its KSYMBOL record */
	PERFDATA_FROM_NOWHERE,
};

struct perfdata_module {
	name_id name;
	uint8_t origin; /* enum perfdata_origin */
	bool system;
	uint32_t symbols; /* symbols_add() */
};

/* A build id that the file tells of a path. */
struct perfdata_build_id {
	name_id path;
	bool kernel; /* of the kernel or one of its modules */
	uint8_t id[20], len;
};

/* Code of a JIT compiler that is there from a time on. */
struct perfdata_reuse {
	uint64_t time;
	uint32_t pid;
	struct perfdata_map map;
};

/* An address whose frames are known. */
struct perfdata_known {
	uint64_t ip, key; /* key: the version of the maps it was looked for in, and how */
	uint32_t frames;  /* where they begin in the pool */
	bool there;
};
#define PERFDATA_KNOWN_BITS 13u /* of an index: they are to stay in the processor's cache */

struct perfdata_frames {
	struct input *in;
	struct builder *b;
	struct symbols *symbols;
	struct unwinder *unwinder;
	VEC(struct perfdata_module) module;
	VEC(struct perfdata_build_id) build_id;
	struct text_cache module_cache, frame_cache, stack_cache;
	VEC(uint32_t) pool; /* runs of frames: how many, then their ids */
	struct perfdata_known *known; /* [hash of ip and key] those that were asked last */
	VEC(frame_id) chain;
	VEC(frame_id) path; /* the stack before, the outermost first, ... */
	VEC(stack_id) path_stack; /* ... and what ends with each of its frames */
	VEC(frame_id) waiting;    /* chains, the outermost first, whose stacks are looked for */
	VEC(stack_id) waiting_stack;
	VEC(struct unwind_map) unwind_map;
	uint32_t kernel, guest_kernel; /* processes of these names */
	struct perfdata_machine machine; /* whose registers they are */
	VEC(frame_id) begins; /* those called _start */
	VEC(uint32_t) dumped; /* processes whose JIT compiler wrote a dump */
	VEC(struct perfdata_reuse) reuse; /* by time, those from `reused` on not yet */
	size_t reused;
	uint64_t unwound[UNWIND_ENDS]; /* stacks, by where they end */
	uint64_t no_files;             /* stacks of programs that are not here */
	uint64_t chains, cut_chains;   /* different ones; that the kernel has cut */
	size_t longest_chain;
	struct embedded *embedded;     /* what the recording holds of its files; or NULL */
	bool attached;                 /* to the profile, which frees it */
	struct embedding *embedding;   /* notes what is looked up; or NULL */
};

void perfdata_frames_init(struct perfdata_frames *f, struct input *in, struct builder *b,
			  struct perfdata_tasks *t);
void perfdata_frames_release(struct perfdata_frames *f);

/* A mapping of a process as its record tells it: which module that is. */
struct perfdata_mapping {
	const char *path;
	size_t path_len;
	uint32_t pid;
	unsigned mode; /* enum perfdata_mode */
	bool executable;
	uint64_t offset;
	const uint8_t *build_id;
	size_t build_id_len;
};
uint32_t perfdata_module(struct perfdata_frames *f, const struct perfdata_mapping *m);
/* Reads the dump of a JIT compiler that is mapped here, where it is one; `monotonic`: the
 * recording's clock is the dump's. */
void perfdata_jitdump(struct perfdata_frames *f, const struct perfdata_mapping *m, bool monotonic);
/* Maps what dumps tell of memory that is used again, up to a time. */
void perfdata_jit_until(struct perfdata_frames *f, struct perfdata_tasks *t, uint64_t time);
/* The module of one function that a record names. */
uint32_t perfdata_module_named(struct perfdata_frames *f, const char *name, size_t len);

#define PERFDATA_CALLER 1u  /* behind a call */
#define PERFDATA_UNWOUND 2u /* inlined calls are shown */
/* Appends the frames of an address to the chain, which ran in this mode in a process (an index of
 * t->process, UINT32_MAX: not known). */
void perfdata_push_address(struct perfdata_frames *f, const struct perfdata_tasks *t,
			   uint32_t process, uint64_t ip, unsigned mode, uint32_t flags);

/* Where the symbols of modules were looked for that have not all: info. */
void perfdata_say_symbols(const struct perfdata_frames *f);
/* How many copied stacks were unwound, and why others were not: info, and a warning where
 * they are many. */
/* Whether the chain has reached where its program begins, and which frames that is so in. */
bool perfdata_begins(const struct perfdata_frames *f);
void perfdata_note_begin(struct perfdata_frames *f, frame_id frame, const char *name);
void perfdata_say_unwound(const struct perfdata_frames *f);

#endif
