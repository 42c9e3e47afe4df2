/* perfdata_frames.h - resolves addresses of samples to frames of the profile. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FRAMES_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FRAMES_H

#include "model/build/builder.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/perf/perfdata_registers.h"
#include "src/decode/perf/perfdata_tasks.h"
#include "src/symbol/symbols.h"

enum perfdata_origin {
	PERFDATA_FROM_FILE, /* offsets in a file */
	PERFDATA_FROM_VDSO,
	PERFDATA_FROM_KERNEL, /* run-time addresses, from here on */
	PERFDATA_FROM_JIT,
	PERFDATA_FROM_RECORD, /* one function, named by its KSYMBOL record */
	PERFDATA_FROM_SCRIPT, /* one function of an interpreter: perfdata_scripts.c */
	PERFDATA_FROM_NOWHERE,
};

struct perfdata_module {
	name_id name;
	uint8_t origin; /* enum perfdata_origin */
	bool system;
	bool ruby;        /* Ruby's interpreter */
	uint32_t symbols; /* symbols_add() */
};

/* A path's build id, as stated by the file. */
struct perfdata_build_id {
	name_id path;
	bool kernel; /* of the kernel or one of its modules */
	uint8_t id[20], len;
};

/* Code of a JIT compiler that is valid from a time on. */
struct perfdata_reuse {
	uint64_t time;
	uint32_t pid;
	struct perfdata_map map;
};

/* An address with known frames. */
struct perfdata_known {
	uint64_t ip, key; /* key: the version of the maps used, and how */
	uint32_t frames;  /* its run of frames */
	bool there;
};
#define PERFDATA_KNOWN_BITS 13u /* bits of an index: the table must stay in the processor's cache */

/* An address whose frames are sought. */
struct perfdata_sought {
	uint64_t ip, key;    /* as in struct perfdata_known */
	struct hash128 hash; /* of its place, unless found */
	uint32_t known;      /* the slot where the address is kept */
	uint32_t run;        /* its frames, if found */
	bool found;
};

/* Unwinds copies of stacks, and counts where they end. */
struct perfdata_unwinding {
	struct unwinder *unwinder;
	VEC(struct unwind_map) map;
	struct perfdata_machine machine; /* the machine of the registers */
	VEC(frame_id) begins;            /* functions named _start */
	uint64_t ends[UNWIND_ENDS];      /* stacks, by where they end */
	uint64_t no_files; /* stacks of programs without files on this machine */
};

/* The frames of interpreters of one sample, and where they belong. */
struct perfdata_scripts {
	VEC(frame_id) frame;
	VEC(size_t) end; /* index in frame, of each call of an interpreter's loop, leaf first */
	VEC(uint8_t) loop; /* [frame] its part of such a loop */
	VEC(frame_id) woven;
	uint64_t samples;
};

struct perfdata_frames {
	struct input *in;
	struct builder *b;
	struct symbols *symbols;
	VEC(struct perfdata_module) module;
	VEC(struct perfdata_build_id) build_id;
	struct text_cache module_cache, frame_cache;
	VEC(uint32_t) pool; /* runs of frames: their number, then their ids */
	struct perfdata_known *known; /* [hash of ip and key] the most recent ones */
	VEC(struct perfdata_sought) sought; /* the addresses of the chain */
	VEC(frame_id) chain, root_first;
	struct perfdata_unwinding unwinding;
	struct perfdata_scripts scripts;
	uint32_t kernel, guest_kernel; /* processes of these names */
	VEC(uint32_t) dumped; /* processes with a dump of a JIT compiler */
	struct {
		VEC(struct perfdata_reuse) at; /* sorted by time */
		size_t done;                   /* those from here on are not mapped yet */
	} reuses;
	struct {
		uint64_t n, cut; /* different ones; the truncated ones */
		bool calls;      /* there are chains of calls that the processor kept */
		size_t longest;
		uint64_t in_user, alone; /* samples in programs; those without any caller */
	} chains;
	struct {
		struct embedded *symbols;  /* of the recording; or NULL */
		bool attached;             /* the profile owns them now */
		struct embedding *results; /* collects the results of look-ups; or NULL */
	} embedding;
};

void perfdata_frames_init(struct perfdata_frames *f, struct input *in, struct builder *b,
			  struct perfdata_tasks *t);
void perfdata_frames_release(struct perfdata_frames *f);

/* A mapping of a process from a record, and its module. */
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
/* Reads the dump of a JIT compiler, if the mapped file is one; `monotonic`: the recording and the
 * dump use the same clock. */
void perfdata_jitdump(struct perfdata_frames *f, const struct perfdata_mapping *m, bool monotonic);
/* Maps reused memory as dumps describe it, up to a time. */
void perfdata_jit_until(struct perfdata_frames *f, struct perfdata_tasks *t, uint64_t time);
/* Returns the module of one function that a record names. */
uint32_t perfdata_module_named(struct perfdata_frames *f, const char *name, size_t len);

#define PERFDATA_CALLER 1u  /* a return address */
#define PERFDATA_UNWOUND 2u /* functions have the names of DWARF */
#define PERFDATA_LEAF 8u    /* the address of the instruction itself, not a return address */
/* The addresses that run in one mode in a process. */
struct perfdata_space {
	uint32_t process; /* the one whose maps apply; UINT32_MAX: none */
	uint64_t key;     /* the version of these maps, and whether they are the system's */
};
struct perfdata_space perfdata_space_of(const struct perfdata_frames *f,
					const struct perfdata_tasks *t, uint32_t process,
					unsigned mode);
/* Seeks an address among the recent ones, and fetches the memory for perfdata_push(). The flags of
 * the first address of a chain include PERFDATA_LEAF. */
void perfdata_seek(struct perfdata_frames *f, const struct perfdata_tasks *t,
		   struct perfdata_space space, uint64_t ip, uint32_t flags,
		   struct perfdata_sought *out);
/* Appends the frames of an address to the chain. */
void perfdata_push(struct perfdata_frames *f, const struct perfdata_tasks *t,
		   struct perfdata_space space, const struct perfdata_sought *a);
/* Does both for an address that ran in this mode, in the process with this index of t->process
 * (UINT32_MAX: unknown); the first of a chain becomes PERFDATA_LEAF. */
void perfdata_push_address(struct perfdata_frames *f, const struct perfdata_tasks *t,
			   uint32_t process, uint64_t ip, unsigned mode, uint32_t flags);
/* Finds the frame of an address in a process: *out; of inlined calls the outermost.  Returns false
 * if the address is not mapped. */
bool perfdata_script_at(struct perfdata_frames *f, const struct perfdata_tasks *t, uint32_t process,
			uint64_t ip, frame_id *out);

/* ---- perfdata_scripts.c ---- */

/* Returns true for addresses in the range for lines of an interpreter's functions. */
bool perfdata_is_script(uint64_t ip);
/* Splits the path of a module PERFDATA_FROM_SCRIPT, "//python/NAME (FILE)", into the language, the
 * function and its file.  Returns false for other paths. */
bool perfdata_script_path(struct name path, struct name *language, struct name *function,
			  struct name *file);
/* Returns true if a module with this path is Ruby's interpreter. */
bool perfdata_is_ruby(const char *path, size_t len);
/* Notes a frame that is the loop of an interpreter, by its name; `ruby`: in Ruby's interpreter. */
void perfdata_note_loop(struct perfdata_frames *f, frame_id frame, bool ruby, const char *name);
/* Begins a sample; adds a frame, innermost first; ends the frames of one call of the loop. */
void perfdata_scripts_begin(struct perfdata_frames *f);
void perfdata_scripts_push(struct perfdata_frames *f, frame_id frame);
void perfdata_scripts_end_call(struct perfdata_frames *f);
/* Replaces loops in the chain by the frames of the sample. */
void perfdata_scripts_weave(struct perfdata_frames *f);

/* Adds to info where symbols of incomplete modules were searched. */
void perfdata_say_symbols(const struct perfdata_frames *f);
/* Returns true if the chain has reached the beginning of its program. */
bool perfdata_begins(const struct perfdata_frames *f);
void perfdata_note_begin(struct perfdata_frames *f, frame_id frame, const char *name);
/* Adds to info how many copied stacks were unwound, and why others were not; warns if these are
 * many. */
void perfdata_say_unwound(const struct perfdata_frames *f);

#endif
