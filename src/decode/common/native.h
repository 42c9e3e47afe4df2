/* native.h - frames of compiled code, named by files of this machine. */
#ifndef PNAV_SRC_DECODE_COMMON_NATIVE_H
#define PNAV_SRC_DECODE_COMMON_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/build/builder.h"
#include "src/input/input.h"
#include "src/symbol/symbols.h"

/* Returns symbols, searched where the command line says. While their files are read, other threads
 * may use the profile of this input (input_give()); so look up symbols only while the profile is
 * consistent. */
struct symbols *native_symbols(struct input *in);
/* Adds the module with this path and this hexadecimal build id; its number in *module. Returns
 * false without a valid build id, such as Go's own, or without an absolute path: then nothing
 * identifies the executed file. Both texts are borrowed for the call. */
bool native_module(struct symbols *s, struct name path, struct name build_id, uint32_t *module);
/* Records in the profile which file a module is, by the module's name in functions. */
void native_file(struct builder *b, name_id module, name_id path, name_id build_id);
/* Returns a frame of this module for the symbols of an address, marked if inlined. */
frame_id native_frame(struct builder *b, name_id module, bool system,
		      const struct symbols_frame *s);
/* Adds frames for an address of the module's file, innermost first. Returns their number, at most
 * SYMBOLS_DEPTH. */
unsigned native_frames_at(struct builder *b, struct symbols *s, uint32_t module,
			  name_id module_name, uint64_t address, frame_id *out);

#endif
