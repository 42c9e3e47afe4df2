/* For formats that leave names to the reader, and give the path and build id of a module, and
 * an address in it.  If the file is on this machine and has the same build id, its symbols name
 * the address.  So a name never comes from another build. */
#include "src/decode/common/native.h"

#include <string.h>

static void
give(void *in)
{
	input_give(in);
}

static void
native_take(void *in)
{
	input_take(in);
}

static bool
stops(void *in)
{
	return input_stopped(in);
}

struct symbols *
native_symbols(struct input *in)
{
	const struct format_options *o = input_options(in);
	struct symbols *s = symbols_new();

	symbols_places(s, o->symbols.at, o->symbols.n, o->debuginfod);
	if (o->no_demangle)
		symbols_raw(s);
	symbols_stops(s, stops, in);
	symbols_aside(s, give, native_take, in);
	return s;
}

bool
native_module(struct symbols *s, struct name path, struct name build_id, uint32_t *module)
{
	uint8_t id[64];
	struct symbols_module m = {.kind = SYMBOLS_FILE,
				   .path = path.at,
				   .path_len = path.len,
				   .build_id = id,
				   .build_id_len = symbols_build_id(build_id.at, build_id.len, id)};

	if (path.len >= 5 && !memcmp(path.at, "[vdso", 5))
		m.kind = SYMBOLS_VDSO;
	else if (!path.len || path.at[0] != '/')
		return false;
	if (!m.build_id_len)
		return false;
	*module = symbols_add(s, &m);
	return true;
}

void
native_file(struct builder *b, name_id module, name_id path, name_id build_id)
{
	uint8_t id[64];
	struct name hex = builder_name_get(b, build_id);
	size_t len = symbols_build_id(hex.at, hex.len, id);
	struct name n = builder_name_get(b, path);

	if (n.len && n.at[0] == '/')
		builder_module_file(b, module, path, id, len);
}

frame_id
native_frame(struct builder *b, name_id module, bool system, const struct symbols_frame *s)
{
	size_t len = strlen(s->name), file = s->file ? strlen(s->file) : 0;
	struct function fn = {
		.name = builder_name(b, s->name, len),
		.file = file ? builder_name(b, s->file, file) : NAME_EMPTY,
		.module = module,
		.line = s->definition,
		.kind = (uint8_t)(system ? KIND_SYSTEM : kind_of_name(s->name, len)),
	};
	frame_id frame = builder_frame_of(b, fn, s->line);

	return s->inlined ? builder_frame_inlined(b, frame) : frame;
}

unsigned
native_frames_at(struct builder *b, struct symbols *s, uint32_t module, name_id module_name,
		 uint64_t address, frame_id *out)
{
	struct symbols_frame found[SYMBOLS_DEPTH];
	uint64_t offset;

	if (!symbols_offset(s, module, address, &offset))
		return 0;
	unsigned n = symbols_at(s, module, offset, true, found, SYMBOLS_DEPTH);
	for (unsigned i = 0; i < n; i++)
		out[i] = native_frame(b, module_name, false, &found[i]);
	return n;
}
