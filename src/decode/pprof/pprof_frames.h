/* pprof_frames.h - the mappings of a pprof profile, and the frames at an address in them.
 *
 * Both forms need it: the message for locations without lines, the older texts for all. */
#ifndef PNAV_SRC_DECODE_PPROF_FRAMES_H
#define PNAV_SRC_DECODE_PPROF_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"
#include "src/input/input.h"
#include "src/symbol/symbols.h"

#define PPROF_NO_MAPPING UINT32_MAX

struct pprof_mapping {
	uint64_t start, limit, offset; /* addresses [start, limit) map the file from offset on */
	name_id file;
	name_id module; /* the last part of the file's path */
	bool system;    /* belongs to the kernel, or is mapped by it into every process */
	bool asked;     /* there is a build id, and `symbols` is its number */
	uint32_t symbols;
};

struct pprof_frames {
	struct builder *b;
	struct symbols *symbols;
	VEC(struct pprof_mapping) mapping;
};

void pprof_frames_init(struct pprof_frames *f, struct input *in, struct builder *b);
void pprof_frames_release(struct pprof_frames *f);
/* Returns the index of a mapping; build_id in hexadecimal digits, NAME_EMPTY if there is none. */
uint32_t pprof_mapping_add(struct pprof_frames *f, uint64_t start, uint64_t limit,
			   uint64_t offset, name_id file, name_id build_id);
/* The frames at an address, innermost first, at most SYMBOLS_DEPTH: what symbols know, else
 * one that is called by the address.  At least one. */
unsigned pprof_frames_at(struct pprof_frames *f, uint32_t mapping, uint64_t address, frame_id *out);
/* The frame of a function in a mapping; file and lines as far as they are known (0: not). */
frame_id pprof_frame(struct pprof_frames *f, uint32_t mapping, name_id name, name_id file,
		     uint32_t definition, uint32_t line);
/* Returns the frame that is named by its address. */
frame_id pprof_frame_nameless(struct pprof_frames *f, uint32_t mapping, uint64_t address);
/* Converts an address to one of the mapping's file, if that file exists here and was used for
 * symbols; otherwise returns it unchanged. */
uint64_t pprof_address(struct pprof_frames *f, uint32_t mapping, uint64_t address);
/* A row of info a mapping. */
void pprof_frames_info(const struct pprof_frames *f);

#endif
