#include "src/decode/common/sched_text.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

enum sched_left
sched_left_of(const char *at, const char *end)
{
	size_t len = (size_t)(end - at);
	int64_t bits;

	if (number_parse(at, end, &bits) && bits >= 0)
		return sched_left_by((uint64_t)bits);
	if (memchr(at, '+', len) || (len == 1 && *at == 'R'))
		return SCHED_RUNNABLE;
	if (memchr(at, 'D', len))
		return SCHED_IO;
	if (memchr(at, 'X', len) || memchr(at, 'Z', len) || memchr(at, 'x', len))
		return SCHED_ENDS;
	return SCHED_WAITS;
}

/* Returns the text after `key=` up to the next blank.  Returns false if the key is missing. */
static bool
argument(const char *args, const char *end, const char *key, const char **at, const char **stop)
{
	for (const char *c = args; (c = text_find(c, end, key)) != NULL; c++) {
		if (c > args && !is_blank(c[-1]))
			continue;
		*at = c + strlen(key);
		*stop = word_end(*at, end);
		return true;
	}
	return false;
}

/* Parses the layout with keys.  A comm may contain blanks, so it ends before the next key. */
static bool
keyed_switch(const char *args, const char *end, struct sched_task *prev, enum sched_left *left,
	     struct sched_task *next)
{
	static const char *const keys[] = {"prev_comm=", " prev_pid=", "next_comm=", " next_pid="};
	const char *at[4], *value[4], *c = args, *arrow, *state, *stop;

	for (unsigned i = 0; i < 4; i++) {
		if (i == 2 && (arrow = text_find(c, end, "==> ")) != NULL)
			c = arrow;
		at[i] = text_find(c, end, keys[i]);
		if (!at[i])
			return false;
		c = at[i];
		value[i] = c + strlen(keys[i]);
	}
	*prev = (struct sched_task){.comm = value[0], .len = (size_t)(at[1] - value[0])};
	*next = (struct sched_task){.comm = value[2], .len = (size_t)(at[3] - value[2])};
	*left = argument(args, end, "prev_state=", &state, &stop) ? sched_left_of(state, stop)
								  : SCHED_RUNNABLE;
	return number_parse(value[1], word_end(value[1], end), &prev->pid) &&
	       number_parse(value[3], word_end(value[3], end), &next->pid);
}

/* `a:1 [120]` */
static bool
short_task(const char *at, const char *end, struct sched_task *task)
{
	const char *bracket = text_find(at, end, " ["), *colon;

	if (!bracket)
		return false;
	for (colon = bracket; colon > at && colon[-1] != ':'; colon--)
		;
	if (colon == at || !number_parse(colon, bracket, &task->pid))
		return false;
	task->comm = at;
	task->len = (size_t)(colon - 1 - at);
	return true;
}

bool
sched_text_switch(const char *at, const char *end, struct sched_task *prev, enum sched_left *left,
		  struct sched_task *next)
{
	const char *arrow, *state;

	at = skip_blanks(at, end);
	if (text_find(at, end, "prev_comm="))
		return keyed_switch(at, end, prev, left, next);
	arrow = text_find(at, end, " ==> ");
	if (!arrow || !short_task(at, arrow, prev) || !short_task(arrow + 5, end, next))
		return false;
	for (state = arrow; state > at && !is_blank(state[-1]); state--)
		;
	*left = sched_left_of(state, arrow);
	return true;
}

bool
sched_text_wake(const char *at, const char *end, struct sched_task *task)
{
	const char *pid, *last = NULL;

	at = skip_blanks(at, end);
	if (!begins_with(at, end, "comm="))
		return short_task(at, end, task);
	at += strlen("comm=");
	for (pid = at; (pid = text_find(pid, end, " pid=")) != NULL; pid++)
		last = pid; /* earlier matches are part of the comm */
	if (!last)
		return false;
	pid = last + strlen(" pid=");
	*task = (struct sched_task){.comm = at, .len = (size_t)(last - at)};
	return number_parse(pid, word_end(pid, end), &task->pid);
}

bool
sched_text_wakes(const char *event, size_t len, enum sched_woken *how)
{
	*how = is_key(event, len, "sched_waking")   ? SCHED_WAKING
	       : is_key(event, len, "sched_wakeup") ? SCHED_WAKEUP
						    : SCHED_NEW;
	return *how != SCHED_NEW || is_key(event, len, "sched_wakeup_new");
}
