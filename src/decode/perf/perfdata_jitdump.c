/* Dumps of JIT compilers that a recording names.
 *
 * A compiler that writes a dump maps a page of it, for nothing but that the recording has its
 * name: so it is read when that record comes, before any sample of the code.  It lies where the
 * record says, if the recording was made on this machine; a copy of it beside the recording is
 * taken first. */
#include "src/decode/perf/perfdata_frames.h"

#include <inttypes.h>
#include <string.h>

#include "model/buf.h"
#include "src/input/input.h"
#include "src/symbol/symbols.h"

static void
tell(struct perfdata_frames *f, const struct perfdata_mapping *m, bool there,
     const struct symbol_jitdump *told)
{
	struct buf text = BUF_INIT;

	buf_add(&text, m->path, m->path_len);
	if (there)
		buf_addf(&text, ": %" PRIu64 " functions", told->functions);
	else
		buf_adds(&text, ": not here, or of another machine");
	if (told->moved)
		buf_addf(&text, ", %" PRIu64 " moved", told->moved);
	builder_info_bytes(f->b, "jitdump", buf_str(&text), text.len);
	if (told->cut)
		builder_warn(f->b, "a dump of a JIT compiler ends within a record; code that it "
				   "tells of later has no names");
	buf_release(&text);
}

void
perfdata_jitdump(struct perfdata_frames *f, const struct perfdata_mapping *m)
{
	struct buf path = BUF_INIT, map = BUF_INIT, beside = BUF_INIT;
	struct symbol_jitdump told = {0};

	if (!m->executable || !symbols_is_jitdump(m->path, m->path_len))
		return;
	for (size_t i = 0; i < f->dumped.n; i++)
		if (f->dumped.at[i] == m->pid)
			return;
	*vec_push(&f->dumped) = m->pid;
	buf_add(&path, m->path, m->path_len);
	buf_addf(&map, "/tmp/perf-%" PRIu32 ".map", m->pid);
	const char *name = strrchr(buf_str(&path), '/');
	bool there = input_path_beside(f->in, name ? name + 1 : buf_str(&path), &beside) &&
		     symbols_keep_jitdump(f->symbols, buf_str(&map), buf_str(&beside), true, &told);
	there = there ||
		symbols_keep_jitdump(f->symbols, buf_str(&map), buf_str(&path), false, &told);
	tell(f, m, there, &told);
	buf_release(&beside);
	buf_release(&path);
	buf_release(&map);
}
