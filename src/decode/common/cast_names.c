/* cast_names.c - the names of processes and tracks.
 *
 * The process is part of a track's name once there are several, so that each name is that of
 * one track, and a pattern of tracks can mean a process. */
#include "src/decode/common/cast.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

#define TEXT_IDS (INT64_MIN / 2) /* ids that are texts: from here downward */
#define BETWEEN " / " /* between the name of a process and the name of its track */

int64_t
cast_id_of(name_id text)
{
	return TEXT_IDS - (int64_t)text;
}

name_id
cast_id_text(int64_t id)
{
	return id <= TEXT_IDS ? (name_id)(TEXT_IDS - id) : NAME_EMPTY;
}

/* Returns true if the name contains the number as a word: `stream 7`, `thread 4712 (python3)`. */
static bool
has_id(const char *at, size_t len, int64_t id)
{
	char digits[24];
	int said = snprintf(digits, sizeof digits, "%" PRId64, id);
	size_t n = said > 0 ? (size_t)said : 0;

	for (size_t i = 1; n && i + n <= len; i++)
		if (!memcmp(at + i, digits, n) && is_blank(at[i - 1]) &&
		    (i + n == len || is_blank(at[i + n])))
			return true;
	return false;
}

static void
cast_add_name(struct buf *out, const struct builder *b, name_id id)
{
	struct name n = builder_name_get(b, id);

	buf_add(out, n.at, n.len);
}

/* Returns true if the text of an id is a number, as in formats in which all ids are texts. */
static bool
is_number(struct name n)
{
	return n.len && digits_end(n.at, n.at + n.len) == n.at + n.len;
}

void
cast_owner_text(struct buf *out, const struct builder *b, name_id name, int64_t id,
		const char *word)
{
	name_id text = cast_id_text(id);

	if (name != NAME_EMPTY) {
		struct name n = builder_name_get(b, name);
		while (n.len && is_blank(n.at[n.len - 1]))
			n.len--;
		buf_add(out, n.at, n.len);
		if (text == NAME_EMPTY && has_id(n.at, n.len, id))
			return;
		buf_addc(out, ' ');
	} else if (text == NAME_EMPTY || is_number(builder_name_get(b, text))) {
		buf_addf(out, "%s ", word);
	}
	if (text == NAME_EMPTY)
		buf_addf(out, "%" PRId64, id);
	else
		cast_add_name(out, b, text);
}

static void
add_process(struct cast *c, uint32_t process)
{
	const struct cast_process *p = &c->process.at[process];

	cast_owner_text(&c->text, c->b, p->name, p->id, "process");
}

static void
process_text(struct cast *c, uint32_t process)
{
	const struct cast_process *p = &c->process.at[process];

	buf_reset(&c->text);
	if (p->whole != NAME_EMPTY)
		cast_add_name(&c->text, c->b, p->whole);
	else
		add_process(c, process);
}

void
cast_track_text(struct cast *c, uint32_t track)
{
	const struct cast_track *t = &c->track.at[track];
	bool prefix = t->prefix == PREFIX_ALWAYS ||
		      (t->prefix == PREFIX_IF_SEVERAL && c->several > 1);

	buf_reset(&c->text);
	if (t->whole) {
		cast_add_name(&c->text, c->b, t->own.name);
		return;
	}
	if (prefix && t->process != CAST_NONE) {
		add_process(c, t->process);
		buf_adds(&c->text, BETWEEN);
	}
	if (t->thread != CAST_NONE) {
		const struct cast_track *thread = &c->track.at[t->thread];
		cast_owner_text(&c->text, c->b, thread->name, thread->id, "thread");
		if (t->thread == track)
			return;
		buf_addc(&c->text, ' ');
	}
	cast_add_name(&c->text, c->b, t->name);
}

process_id
cast_process_made(struct cast *c, uint32_t process)
{
	struct cast_process *p = &c->process.at[process];

	process_text(c, process);
	if (p->made == PROCESS_NONE)
		p->made = builder_process(c->b, buf_str(&c->text), c->text.len);
	else
		builder_process_rename(c->b, p->made, buf_str(&c->text), c->text.len);
	builder_process_outside(c->b, p->made, p->outside);
	return p->made;
}

void
cast_rename(struct cast *c)
{
	for (uint32_t i = c->wanted.first; i != c->wanted.unmade;
	     i = c->track.at[i - 1].next) {
		const struct cast_track *t = &c->track.at[i - 1];
		bool under = c->lone || c->several > 1;
		if (t->process != CAST_NONE &&
		    (t->whole ? c->process.at[t->process].whole != NAME_EMPTY : under))
			builder_track_under(c->b, t->track, cast_process_made(c, t->process));
		cast_track_text(c, i - 1);
		builder_track_rename(c->b, t->track, buf_str(&c->text), c->text.len);
		struct name unit = builder_name_get(c->b, t->own.unit);
		if (unit.len)
			builder_track_unit(c->b, t->track, unit.at, unit.len);
		if (t->whole && t->own.start != CAST_NO_TIME)
			builder_track_end(c->b, t->track, t->own.start);
		if (t->whole && t->own.end != CAST_NO_TIME)
			builder_track_end(c->b, t->track, t->own.end);
		if (t->whole && t->own.run_start != CAST_NO_TIME &&
		    t->own.run_start < t->own.run_end) {
			builder_run_end(c->b, t->own.run_start);
			builder_run_end(c->b, t->own.run_end);
		}
	}
}
