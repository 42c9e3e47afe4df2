/* Locations without a function have an address and a mapping with its build id.  If a file with
 * this build id is on this machine, its symbols are used.  Without a build id nothing proves
 * that a file with that path is the executed one, so it is not used.
 *
 * Addresses of callers already belong to the call (in the message), or were corrected (in the
 * older forms): they are looked up unchanged. */
#include "src/decode/pprof/pprof_frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/native.h"
#include "src/decode/common/words.h"

void
pprof_frames_init(struct pprof_frames *f, struct input *in, struct builder *b)
{
	*f = (struct pprof_frames){.b = b, .symbols = native_symbols(in)};
	symbols_local(f->symbols, false);
}

void
pprof_frames_release(struct pprof_frames *f)
{
	symbols_free(f->symbols);
	vec_release(&f->mapping);
}

/* ---- mappings ---- */

static bool
is_system(struct name n)
{
	return name_begins(n, "[kernel") || name_begins(n, "[vdso]") ||
	       name_begins(n, "[vsyscall]") || name_ends(n, ".ko");
}

static name_id
last_part(struct builder *b, name_id file)
{
	struct name n = builder_name_get(b, file);
	size_t from = n.len;

	if (n.len && n.at[0] == '[')
		return file;
	while (from && n.at[from - 1] != '/')
		from--;
	return from < n.len ? builder_name(b, n.at + from, n.len - from) : file;
}

uint32_t
pprof_mapping_add(struct pprof_frames *f, uint64_t start, uint64_t limit, uint64_t offset,
		  name_id file, name_id build_id)
{
	struct name path = builder_name_get(f->b, file);
	struct pprof_mapping m = {.start = start,
				  .limit = limit,
				  .offset = offset,
				  .file = file,
				  .module = last_part(f->b, file),
				  .system = is_system(path)};

	m.asked = native_module(f->symbols, path, builder_name_get(f->b, build_id), &m.symbols);
	native_file(f->b, m.module, file, build_id);
	if (start < limit)
		builder_module_range(f->b, m.module, start, limit, offset);
	*vec_push(&f->mapping) = m;
	return (uint32_t)f->mapping.n - 1;
}

void
pprof_frames_info(const struct pprof_frames *f)
{
	struct buf why = BUF_INIT;
	for (size_t i = 0; i < f->mapping.n; i++) {
		const struct pprof_mapping *m = &f->mapping.at[i];
		struct name file = builder_name_get(f->b, m->file);
		builder_info(f->b, "mapping", "0x%" PRIx64 "-0x%" PRIx64 " at 0x%" PRIx64 " %.*s",
			     m->start, m->limit, m->offset, (int)file.len, file.at);
		buf_reset(&why);
		if (m->asked)
			symbols_say(f->symbols, m->symbols, &why);
		if (why.len)
			builder_info(f->b, "symbols of", "%.*s: %s", (int)file.len, file.at,
				     buf_str(&why));
	}
	buf_release(&why);
}

/* ---- frames ---- */

frame_id
pprof_frame(struct pprof_frames *f, uint32_t mapping, name_id name, name_id file,
	    uint32_t definition, uint32_t line)
{
	struct name text = builder_name_get(f->b, name);
	struct function fn = {.name = name,
			      .file = file,
			      .line = definition,
			      .kind = (uint8_t)kind_of_name(text.at, text.len)};

	struct name path = builder_name_get(f->b, file);
	if (go_is_runtime(text.at, text.len, path.at, path.len))
		fn.kind = KIND_SYSTEM;
	if (mapping != PPROF_NO_MAPPING) {
		fn.module = f->mapping.at[mapping].module;
		if (f->mapping.at[mapping].system)
			fn.kind = KIND_SYSTEM;
	}
	return builder_frame_of(f->b, fn, line);
}

frame_id
pprof_frame_nameless(struct pprof_frames *f, uint32_t mapping, uint64_t address)
{
	name_id name = builder_namef(f->b, "0x%" PRIx64, address);

	return pprof_frame(f, mapping, name, NAME_EMPTY, 0, 0);
}

uint64_t
pprof_address(struct pprof_frames *f, uint32_t mapping, uint64_t address)
{
	uint64_t own;

	if (mapping == PPROF_NO_MAPPING || !f->mapping.at[mapping].asked)
		return address;
	const struct pprof_mapping *m = &f->mapping.at[mapping];
	return symbols_address(f->symbols, m->symbols, address - m->start + m->offset, &own)
		       ? own
		       : address;
}

unsigned
pprof_frames_at(struct pprof_frames *f, uint32_t mapping, uint64_t address, frame_id *out)
{
	struct symbols_frame found[SYMBOLS_DEPTH];
	unsigned n = 0;

	if (mapping != PPROF_NO_MAPPING && f->mapping.at[mapping].asked) {
		const struct pprof_mapping *m = &f->mapping.at[mapping];
		n = symbols_at(f->symbols, m->symbols, address - m->start + m->offset, true,
			       found, SYMBOLS_DEPTH);
	}
	for (unsigned i = 0; i < n; i++)
		out[i] = native_frame(f->b, f->mapping.at[mapping].module,
				      f->mapping.at[mapping].system, &found[i]);
	if (!n)
		out[n++] = pprof_frame_nameless(f, mapping, address);
	return n;
}
