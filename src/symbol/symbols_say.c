/* Explains for the view info why a module has no symbols. */
#include "src/symbol/symbols_inside.h"

#include <string.h>

#include "model/base/buf.h"

/* Names the places where no file with the build id is. */
static void
say_nowhere(const struct symbols *s, struct buf *out)
{
	const char *unasked = symbol_places_unasked(s->places);

	buf_addf(out, "no file with it at its path, in ~/.debug%s or under /usr/lib/debug",
		 symbol_places_dirs(s->places) ? ", in the folders of --symbols" : "");
	if (unasked)
		buf_addf(out, ", and debuginfod cannot be asked: %s", unasked);
	else if (symbol_places_server(s->places))
		buf_adds(out, ", and debuginfod has none");
}

static void
say_file(const struct symbols *s, const struct symbols_entry *m, struct buf *out)
{
	if (m->recorded && m->state != STATE_OPEN)
		buf_adds(out, "the recording lacks symbols for parts of it");
	else if (m->crowded)
		buf_adds(out, "too many files were open: the limit (ulimit -n) is too low");
	else if (m->state == STATE_OPEN)
		buf_addf(out, "%s lacks symbols for parts of it, and there are none beside it",
			 m->kind == SYMBOLS_VDSO ? "the vDSO" : "the file");
	else if (!m->build_id_len && !s->local)
		buf_adds(out, "made on another machine, so no file can be trusted");
	else if (m->kind == SYMBOLS_VDSO)
		buf_adds(out, "the running kernel has another one");
	else if (!m->build_id_len && m->nameless)
		buf_adds(out, "the file was removed or replaced before it was recorded");
	else if (!m->build_id_len)
		buf_adds(out, "no readable file at its path that has not changed since");
	else if (m->build_id_len == 20 && !memcmp(m->build_id, "\xFF\xFF\xFF\xFF", 4))
		buf_adds(out, "the file was gone before the recorder could read it");
	else
		say_nowhere(s, out);
}

static void
say_kernel(const struct symbols *s, const struct symbols_entry *m, struct buf *out)
{
	if (m->state == STATE_OPEN)
		buf_adds(out, "/proc/kallsyms lacks parts of it");
	else if (!m->build_id_len && !s->local)
		buf_adds(out, "made on another machine, so /proc/kallsyms cannot be trusted");
	else
		buf_adds(out, "/proc/kallsyms is of another kernel, or hides its addresses");
}

bool
symbols_crowded(const struct symbols *s)
{
	for (size_t i = 0; i < s->module.n; i++)
		if (s->module.at[i].crowded)
			return true;
	return false;
}

void
symbols_say(const struct symbols *s, uint32_t module, struct buf *out)
{
	const struct symbols_entry *m = &s->module.at[module];
	if (!m->missed)
		return;
	buf_adds(out, m->build_id_len	    ? "build id "
		      : m->kind == SYMBOLS_JIT || m->kind == SYMBOLS_LIST ? ""
					       : "no build id: ");
	for (size_t i = 0; i < m->build_id_len; i++)
		buf_addf(out, "%02x", m->build_id[i]);
	buf_adds(out, m->build_id_len ? ": " : "");
	switch (m->kind) {
	case SYMBOLS_FILE:
	case SYMBOLS_VDSO:
		say_file(s, m, out);
		break;
	case SYMBOLS_KERNEL:
		say_kernel(s, m, out);
		break;
	case SYMBOLS_JIT:
		buf_adds(out, m->state == STATE_OPEN ? "the map lacks parts of it"
			      : s->local	     ? "there is no map"
						     : "made on another machine");
		break;
	case SYMBOLS_LIST:
		buf_adds(out, m->state == STATE_OPEN ? "the list lacks parts of it"
						     : "there is no list");
		break;
	}
}
