#include "src/decode/v8log/v8log_libs.h"

#include <inttypes.h>
#include <string.h>

#include "src/decode/common/native.h"

/* V8 logs where the code of a library ends, and where the file would begin if it were mapped as
 * a whole, so addresses are offsets in the file.  There is no build id.  A file on this machine
 * counts as the executed one if its code ends on the same page. */

#define PAGE 4096u

void
v8_libs_add(struct v8_libs *l, uint64_t start, uint64_t end, const char *path, size_t len)
{
	if (end > start)
		*vec_push(&l->library) = (struct v8_library){
			.start = start, .end = end, .path = builder_name(l->b, path, len)};
}

static bool
v8log_libs_fits(struct v8_libs *l, struct v8_library *lib)
{
	struct name path = builder_name_get(l->b, lib->path);
	uint64_t size = lib->end - lib->start, address;

	if (lib->asked)
		return lib->fits;
	lib->asked = true;
	if (!path.len || *path.at != '/' || size % PAGE || size < PAGE)
		return false;
	if (!l->symbols)
		l->symbols = native_symbols(l->in);
	lib->symbols = symbols_add(l->symbols,
				   &(struct symbols_module){.kind = SYMBOLS_FILE,
							    .path = path.at,
							    .path_len = path.len});
	lib->fits = symbols_there(l->symbols, lib->symbols) &&
		    symbols_address(l->symbols, lib->symbols, size - PAGE, &address) &&
		    !symbols_address(l->symbols, lib->symbols, size, &address);
	return lib->fits;
}

static struct v8_library *
library_at(struct v8_libs *l, uint64_t address)
{
	struct v8_library *best = NULL;

	for (size_t i = 0; i < l->library.n; i++) {
		struct v8_library *lib = &l->library.at[i];
		if (address >= lib->start && address < lib->end && (!best || lib->end < best->end))
			best = lib;
	}
	return best;
}

static frame_id
v8log_libs_frame_of(struct v8_libs *l, const struct v8_library *lib,
		    const struct symbols_frame *s, uint64_t address)
{
	struct function f = {.module = lib->path, .kind = KIND_SYSTEM};
	struct line line = line_unknown();

	if (s) {
		f.name = builder_name(l->b, s->name, strlen(s->name));
		f.file = s->file ? builder_name(l->b, s->file, strlen(s->file)) : NAME_EMPTY;
		f.line = s->definition;
		line = s->line ? line_plain(s->line) : line;
	} else {
		f.name = builder_namef(l->b, "0x%" PRIx64, address);
	}
	return builder_frame(l->b, builder_function(l->b, f), line);
}

unsigned
v8_libs_at(struct v8_libs *l, uint64_t address, const frame_id **out)
{
	uint32_t at = idmap_get(&l->of_address, address);

	if (at == IDMAP_NONE) {
		struct symbols_frame found[SYMBOLS_DEPTH];
		struct v8_library *lib = library_at(l, address);
		if (!lib)
			return 0;
		unsigned n = v8log_libs_fits(l, lib)
				     ? symbols_at(l->symbols, lib->symbols,
						  address - lib->start, true, found,
						  SYMBOLS_DEPTH)
				     : 0;
		at = (uint32_t)l->frame.n;
		idmap_put(&l->of_address, address, at);
		*vec_push(&l->frame) = n ? n : 1;
		for (unsigned i = 0; i < n; i++)
			*vec_push(&l->frame) = v8log_libs_frame_of(l, lib, &found[i], address);
		if (!n)
			*vec_push(&l->frame) = v8log_libs_frame_of(l, lib, NULL, address);
	}
	*out = &l->frame.at[at + 1];
	return l->frame.at[at];
}

void
v8_libs_info(const struct v8_libs *l)
{
	for (size_t i = 0; i < l->library.n; i++) {
		const struct v8_library *lib = &l->library.at[i];
		struct name path = builder_name_get(l->b, lib->path);
		if (lib->fits)
			builder_info(l->b, "assumed",
				     "%.*s is the file that ran: its code is as long",
				     (int)path.len, path.at);
	}
}

void
v8_libs_release(struct v8_libs *l)
{
	if (l->symbols)
		symbols_free(l->symbols);
	vec_release_all(&l->library, &l->frame);
	idmap_release(&l->of_address);
}
