/* native.h - frames of compiled code whose names files of this machine know. */
#ifndef PNAV_SRC_DECODE_COMMON_NATIVE_H
#define PNAV_SRC_DECODE_COMMON_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "src/input/input.h"
#include "src/symbol/symbols.h"

/* Symbols, which are looked for where the command line says.  While they are read from files
 * others may look at the profile that the input is decoded into: it is given away
 * (input_give()), so ask only where it is whole. */
struct symbols *native_symbols(struct input *in);
/* Adds the module of that path whose build id stands in hexadecimal digits; its number in
 * *module.  False where there is no such id, as Go's own are none, or no whole path: then
 * nothing tells which file ran, and it is not asked.  Both borrowed, for the call. */
bool native_module(struct symbols *s, struct name path, struct name build_id, uint32_t *module);
/* Tells the profile which file that is, as functions name the module. */
void native_file(struct builder *b, name_id module, name_id path, name_id build_id);
/* What symbols say of an address, as a frame of a module called so: marked where it was
 * inlined. */
frame_id native_frame(struct builder *b, name_id module, bool system,
		      const struct symbols_frame *s);
/* The frames at an address as the module's file counts them, innermost first; how many, at
 * most SYMBOLS_DEPTH. */
unsigned native_frames_at(struct builder *b, struct symbols *s, uint32_t module,
			  name_id module_name, uint64_t address, frame_id *out);

#endif
