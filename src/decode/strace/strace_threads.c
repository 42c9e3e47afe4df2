/* The tracks of lines, and their names.
 *
 * A file (-o) has the process in each line. On a terminal, strace prints it only while there are
 * several:
 *
 *	clone(child_stack=NULL, flags=SIGCHLDstrace: Process 41 attached
 *	 <unfinished ...>
 *	[pid    41] close(3)                    = 0
 *	[pid    40] <... clone resumed>)        = 41
 *	[pid    41] +++ exited with 0 +++
 *	wait4(-1, NULL, 0, NULL)                = 41
 *
 * So lines without a process are those of the first one, whose number shows later, or those of the
 * only one that has not ended. */
#include "src/decode/strace/strace_inside.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/decode/common/words.h"

#define COMM_LEN 15u /* TASK_COMM_LEN of the kernel, without the 0 */

/* Returns the only thread that has not ended; CAST_NONE if there are several. */
static uint32_t
the_one_left(struct strace *s)
{
	if (s->pid.alone != CAST_NONE)
		return s->pid.alone;
	for (size_t i = 0; i < s->thread.n; i++) {
		if (s->thread.at[i].state != THREAD_RUNS)
			continue;
		if (s->pid.alone != CAST_NONE)
			return s->pid.alone = CAST_NONE;
		s->pid.alone = (uint32_t)i;
	}
	return s->pid.alone;
}

void
strace_thread_ended(struct strace *s, uint32_t track, bool ended)
{
	struct strace_thread *t = &s->thread.at[track];
	enum strace_state state = ended ? THREAD_ENDED : THREAD_RUNS;

	if (t->state != state)
		s->pid.alone = CAST_NONE;
	t->state = state;
}

bool
strace_attached(struct strace *s, const char *at, const char *end)
{
	static const char words[] = "strace: Process ";
	const char *text;
	int64_t pid;

	if (end - at < 9 || memcmp(end - 9, " attached", 9) != 0 ||
	    !(text = text_find(at, end, words)))
		return false;
	text += sizeof words - 1;
	/* one that is announced before any line is the first process itself */
	if (s->thread.n && number_parse(text, word_end(text, end), &pid) &&
	    s->pid.n_begun < STRACE_BEGUN_MAX)
		s->pid.begun[s->pid.n_begun++] = pid;
	return true;
}

/* Returns true if this process, which has a number and no track, is that of the lines without. */
static bool
is_first(const struct strace *s, int64_t pid, bool resumed)
{
	if (s->pid.main || s->pid.first == CAST_NONE)
		return false;
	for (unsigned i = 0; i < s->pid.n_begun; i++)
		if (s->pid.begun[i] == pid)
			return false;
	return resumed == s->thread.at[s->pid.first].last.unfinished;
}

/* Makes the track. */
static uint32_t
track_begin(struct strace *s, uint32_t track, const struct strace_line *l)
{
	s->cast.track.at[track].name = l->has_pid
					       ? builder_namef(s->b, "%" PRId64, l->pid)
					       : builder_name(s->b, "main", 4);
	cast_made(&s->cast, track);
	while (s->thread.n <= track)
		*vec_push(&s->thread) = (struct strace_thread){0};
	if (!l->has_pid)
		s->pid.first = track;
	return track;
}

/* The lines without a process so far are those of `pid`. */
static uint32_t
first_known(struct strace *s, int64_t pid)
{
	uint32_t track = s->pid.first;
	struct cast_track *t = &s->cast.track.at[track];

	s->pid.main = t->id = pid;
	if (name_is(builder_name_get(s->b, t->name), "main"))
		t->name = builder_namef(s->b, "%" PRId64, pid);
	else
		strace_rename(s, track, t->name);
	return track;
}

uint32_t
strace_track_of(struct strace *s, const struct strace_line *l, bool resumed)
{
	struct cast_track like = {.process = CAST_NONE,
				  .thread = CAST_NONE,
				  .kind = TRACK_THREAD,
				  .id = l->has_pid ? l->pid : 0};
	uint32_t track = s->caller_track;

	if (track < s->thread.n && s->cast.track.at[track].id == like.id)
		return track; /* that of the line before */
	if (!l->has_pid && s->pid.any && (track = the_one_left(s)) != CAST_NONE)
		return track;
	if (l->pid && l->pid == s->pid.main)
		return s->pid.first;
	s->pid.any |= l->has_pid;
	track = cast_track(&s->cast, like);
	if (s->cast.track.at[track].made)
		return track;
	if (l->has_pid && is_first(s, l->pid, resumed))
		return first_known(s, l->pid);
	return track_begin(s, track, l);
}

uint32_t
strace_track_known(struct strace *s, int64_t pid)
{
	struct cast_track like = {
		.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_THREAD, .id = pid};

	if (pid && pid == s->pid.main)
		return s->pid.first;
	uint32_t track = cast_track(&s->cast, like);
	return track < s->thread.n && s->cast.track.at[track].made ? track : CAST_NONE;
}

void
strace_rename(struct strace *s, uint32_t track, name_id program)
{
	struct cast_track *t = &s->cast.track.at[track];
	struct name text = builder_name_get(s->b, program);
	struct buf name = BUF_INIT;

	buf_add(&name, text.at, text.len);
	if (t->id)
		buf_addf(&name, " %" PRId64, t->id);
	t->name = builder_name(s->b, buf_str(&name), name.len);
	buf_release(&name);
}

void
strace_take_comm(struct strace *s, uint32_t track, const struct strace_line *l)
{
	struct name shown = builder_name_get(s->b, s->cast.track.at[track].name);
	name_id comm;

	if (!l->comm_len)
		return;
	comm = builder_name(s->b, l->comm, l->comm_len);
	if (comm == s->thread.at[track].comm)
		return;
	s->thread.at[track].comm = comm;
	if (l->comm_len < COMM_LEN || shown.len < COMM_LEN ||
	    memcmp(shown.at, l->comm, COMM_LEN))
		strace_rename(s, track, comm);
}
