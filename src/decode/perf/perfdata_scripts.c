/* perfdata_scripts.c - frames of interpreters in the stacks of samples.
 *
 * The stack of an interpreter shows its loop, once for each call from C, and not what it executes.
 * A recorder that has read the interpreter's own frames adds them to the chain of the sample as
 * addresses that no program can have, and describes each function by a map:
 *
 *	PERF_RECORD_MMAP2   start, length 2^20, pgoff: its first line
 *	                    "//python/Shape.area (/srv/app/shapes.py)", also //ruby/ and //php/
 *	address in a chain  start + line
 *	PERF_CONTEXT_USER   ends the frames of one call of the loop
 *
 * So perf, which knows nothing of this, shows the path and the line.
 *
 *	native             scripts           woven
 *	memcpy                               memcpy
 *	loop               inner, outer |    inner; outer
 *	sort                                 sort
 *	loop               main |            main
 *	_start                               _start
 *
 * A call of the loop may have no frame yet, or no more: the chain then has more loops than the
 * sample has calls, and the innermost ones stay.  A chain that was cut has fewer: the other calls
 * follow at its root.
 *
 * Ruby's loop is two functions.  The inner one often has no name, since it was stripped; then it
 * counts as a part of the outer one. */
#include "src/decode/perf/perfdata_frames.h"

#include <string.h>

#include "src/decode/common/words.h"

/* pnav's own range; src/collect/interp.h has the same. */
#define SCRIPT_FIRST (UINT64_C(1) << 62)
#define SCRIPT_LAST (SCRIPT_FIRST + (UINT64_C(1) << 60))
#define NO_LOOP UINT32_MAX

bool
perfdata_is_script(uint64_t ip)
{
	return ip >= SCRIPT_FIRST && ip < SCRIPT_LAST;
}

/* Returns the " (" before the file; NULL: there is none.  Ruby's names have some of their own:
 * "block (2 levels) in run", "<top (required)>". */
static const char *
file_begins(const char *at, const char *end)
{

	for (;;) {
		const char *split = memmem(at, (size_t)(end - at), " (", 2);
		if (!split)
			return NULL;
		at = split + 2;
		while (at < end && *at >= '0' && *at <= '9')
			at++;
		if (at == split + 2 ? !begins_with(at, end, "required)>")
				    : !begins_with(at, end, " levels) in "))
			return split;
	}
}

bool
perfdata_script_path(struct name path, struct name *language, struct name *function,
		     struct name *file)
{
	static const char *const prefixes[] = {"//python/", "//ruby/", "//php/"};
	const char *at = NULL, *end = path.at + path.len;

	for (size_t i = 0; !at && i < sizeof prefixes / sizeof *prefixes; i++)
		if (begins_with(path.at, end, prefixes[i]))
			at = path.at + strlen(prefixes[i]);
	if (!at || end - at < 5 || end[-1] != ')')
		return false;
	const char *split = file_begins(at, end);
	if (!split || split == at || end - split < 4)
		return false;
	*language = (struct name){.at = path.at + 2, .len = (uint32_t)(at - 1 - (path.at + 2))};
	*function = (struct name){.at = at, .len = (uint32_t)(split - at)};
	*file = (struct name){.at = split + 2, .len = (uint32_t)(end - 1 - (split + 2))};
	return true;
}

/* The part of an interpreter's loop that a function is. */
enum loop_part {
	LOOP_NOT,
	LOOP_WHOLE,
	LOOP_INNER, /* called by a whole one */
};

bool
perfdata_is_ruby(const char *path, size_t len)
{
	return memmem(path, len, "ruby", 4);
}

/* Compilers add suffixes to parts of a function: ".cold", ".part.0". */
static enum loop_part
part_of_loop(bool ruby, const char *name)
{
	static const struct {
		const char *name;
		enum loop_part is;
	} loops[] = {
		{"_PyEval_EvalFrameDefault", LOOP_WHOLE},
		{"rb_vm_exec", LOOP_WHOLE},
		{"vm_exec_core", LOOP_INNER},
		{"vm_exec_loop", LOOP_INNER},
		{"execute_ex", LOOP_WHOLE},
	};
	if (name[0] == '0' && name[1] == 'x') /* an address instead of a name */
		return ruby ? LOOP_INNER : LOOP_NOT;
	size_t len = strcspn(name, ".");
	/* an instruction of Python, in builds whose loop consists of tail calls */
	if (!strncmp(name, "_TAIL_CALL_", 11))
		return LOOP_WHOLE;
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		if (strlen(loops[i].name) == len && !memcmp(loops[i].name, name, len))
			return loops[i].is;
	return LOOP_NOT;
}

void
perfdata_note_loop(struct perfdata_frames *f, frame_id frame, bool ruby, const char *name)
{
	struct perfdata_scripts *s = &f->scripts;
	enum loop_part part = part_of_loop(ruby, name);

	if (!part)
		return;
	while (s->loop.n <= frame)
		*vec_push(&s->loop) = LOOP_NOT;
	s->loop.at[frame] = part;
}

void
perfdata_scripts_begin(struct perfdata_frames *f)
{
	f->scripts.frame.n = f->scripts.end.n = 0;
}

void
perfdata_scripts_push(struct perfdata_frames *f, frame_id frame)
{
	*vec_push(&f->scripts.frame) = frame;
}

void
perfdata_scripts_end_call(struct perfdata_frames *f)
{
	*vec_push(&f->scripts.end) = f->scripts.frame.n;
}

static bool
perfdata_is_loop(const struct perfdata_scripts *s, frame_id frame)
{
	return frame < s->loop.n && s->loop.at[frame] == LOOP_WHOLE;
}

/* True if the frame is part of the loop that calls it. */
static bool
is_within_loop(const struct perfdata_frames *f, size_t i)
{
	const struct perfdata_scripts *s = &f->scripts;
	frame_id frame = f->chain.at[i];

	return frame < s->loop.n && s->loop.at[frame] == LOOP_INNER && i + 1 < f->chain.n &&
	       perfdata_is_loop(s, f->chain.at[i + 1]);
}

/* Appends the frames of a call; those of an empty one are the loop itself. */
static void
weave_call(struct perfdata_scripts *s, size_t call, frame_id loop)
{
	size_t from = call ? s->end.at[call - 1] : 0;

	if (from == s->end.at[call] && loop != NO_LOOP)
		*vec_push(&s->woven) = loop;
	for (size_t i = from; i < s->end.at[call]; i++)
		*vec_push(&s->woven) = s->frame.at[i];
}

void
perfdata_scripts_weave(struct perfdata_frames *f)
{
	struct perfdata_scripts *s = &f->scripts;
	size_t loops = 0, call = 0;

	if (!s->end.n)
		return;
	s->woven.n = 0;
	for (size_t i = 0; i < f->chain.n; i++)
		loops += perfdata_is_loop(s, f->chain.at[i]);
	for (size_t i = 0; i < f->chain.n; i++) {
		frame_id frame = f->chain.at[i];
		if (is_within_loop(f, i) && loops <= s->end.n - call)
			continue;
		if (!perfdata_is_loop(s, frame)) {
			*vec_push(&s->woven) = frame;
		} else if (loops > s->end.n - call) {
			*vec_push(&s->woven) = frame;
			loops--;
		} else {
			weave_call(s, call++, frame);
			loops--;
		}
	}
	while (call < s->end.n)
		weave_call(s, call++, NO_LOOP);
	vec_reserve(&f->chain, s->woven.n);
	memcpy(f->chain.at, s->woven.at, s->woven.n * sizeof *s->woven.at);
	f->chain.n = s->woven.n;
	s->samples++;
}
