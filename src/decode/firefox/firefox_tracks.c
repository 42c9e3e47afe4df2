/* Tracks and their processes (cast.h). */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

static uint32_t
process_of(struct firefox *f, name_id pid)
{
	return pid == NAME_EMPTY ? CAST_NONE : cast_process(&f->cast, cast_id_of(pid));
}

static void
use_process(struct firefox *f, uint32_t i, name_id name)
{
	if (i == CAST_NONE || f->cast.process.at[i].used)
		return;
	f->cast.process.at[i].name = name;
	cast_use(&f->cast, i);
	cast_process_made(&f->cast, i);
}

static bool
is_process(const struct firefox *f, uint32_t i, name_id name)
{
	const struct cast_process *p = &f->cast.process.at[i];

	return !p->used || p->name == NAME_EMPTY || p->name == name;
}

/* Returns the process `PID (N)` of a name, from the last N of this pid on, which begins with 2. */
static uint32_t
process_in_brackets(struct firefox *f, name_id pid, name_id name)
{
	uint32_t k = idmap_get(&f->named.number, pid), i;

	for (k = k == IDMAP_NONE ? 2 : k;; k++) {
		struct name text = builder_name_get(f->b, pid);
		buf_reset(&f->text);
		buf_add(&f->text, text.at, text.len);
		buf_addf(&f->text, " (%u)", k);
		i = cast_process(&f->cast, cast_id_of(builder_name(f->b, buf_str(&f->text),
								   f->text.len)));
		if (is_process(f, i, name))
			break;
	}
	idmap_put(&f->named.number, pid, k);
	return i;
}

/* Returns another process of this pid: the one that has it as a number, or one in brackets. */
static uint32_t
other_process(struct firefox *f, name_id pid, name_id name)
{
	struct name text = builder_name_get(f->b, pid);
	uint64_t number = 0;
	size_t digits = 0;

	while (digits < text.len && digits < 18 && text.at[digits] >= '0' &&
	       text.at[digits] <= '9')
		number = number * 10 + (uint64_t)(text.at[digits++] - '0');
	if (digits && digits == text.len) {
		uint32_t i = cast_process(&f->cast, (int64_t)number);
		if (is_process(f, i, name))
			return i;
	}
	return process_in_brackets(f, pid, name);
}

/* Returns the process of a thread.  Threads of one number with another name of the process are
 * those of another one: the command before and after exec.  That one has the number, which the
 * first has as a text; further ones a number in brackets, too. */
static uint32_t
process_of_thread(struct firefox *f, const struct ff_thread *t)
{
	uint32_t i = process_of(f, t->pid);
	uint64_t key = (uint64_t)t->pid << 32 | t->process;

	if (i == CAST_NONE || t->process == NAME_EMPTY || is_process(f, i, t->process))
		return i;
	i = idmap_get(&f->named.process, key);
	if (i == IDMAP_NONE || !is_process(f, i, t->process)) {
		i = other_process(f, t->pid, t->process);
		idmap_put(&f->named.process, key, i);
	}
	return i;
}

/* Raw profiles do not say the process of a counter: it is that of the threads beside it. */
static name_id
counter_pid(const struct firefox *f, const struct ff_counter *c)
{
	if (c->pid != NAME_EMPTY || f->profile.at[c->profile].is_processed)
		return c->pid;
	for (size_t i = 0; i < f->thread.n; i++)
		if (f->thread.at[i].profile == c->profile && f->thread.at[i].pid != NAME_EMPTY)
			return f->thread.at[i].pid;
	return NAME_EMPTY;
}

void
ff_cast(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		uint32_t process = process_of_thread(f, t);
		if (t->own.track == NAME_EMPTY)
			use_process(f, process, t->process);
		uint32_t own = t->tid == NAME_EMPTY ? CAST_NONE : (uint32_t)f->cast.track.n;
		t->cast = cast_add(&f->cast, (struct cast_track){.process = process,
								 .thread = own,
								 .id = cast_id_of(t->tid),
								 .name = t->name,
								 .kind = TRACK_THREAD});
	}
	for (size_t i = 0; i < f->counter.n; i++) {
		struct ff_counter *c = &f->counter.at[i];
		c->pid = counter_pid(f, c);
		if (c->own.track == NAME_EMPTY)
			use_process(f, process_of(f, c->pid), NAME_EMPTY);
	}
}

static int64_t
own_time(int64_t time)
{
	return time == FF_NULL ? CAST_NO_TIME : time;
}

struct cast_track
ff_own_track(struct firefox *f, const struct ff_own *own)
{
	struct cast_track like = {.process = process_of(f, own->process), .thread = CAST_NONE,
				  .name = own->track, .kind = own->kind, .whole = true};

	if (like.process != CAST_NONE)
		f->cast.process.at[like.process].whole = own->process;
	like.own = (struct cast_own){
		.name = own->track,
		.unit = own->unit,
		.kind = own->kind,
		.start = own_time(own->start),
		.end = own_time(own->end),
		.run_start = own_time(own->run_start),
		.run_end = own_time(own->run_end),
	};
	return like;
}

struct cast_track
ff_track(struct firefox *f, name_id pid, name_id name, enum track_kind kind)
{
	return (struct cast_track){.process = process_of(f, pid), .thread = CAST_NONE,
				   .name = name, .kind = (uint8_t)kind};
}

uint32_t
ff_thread_track(struct firefox *f, const struct ff_thread *t, const char *what,
		enum track_kind kind)
{
	struct cast_track like = ff_track(f, t->pid, builder_name(f->b, what, strlen(what)), kind);

	like.process = process_of_thread(f, t);
	if (!*what && t->own.track != NAME_EMPTY && t->own.kind < TRACK_COUNTER)
		return cast_add(&f->cast, ff_own_track(f, &t->own));
	if (t->tid == NAME_EMPTY) {
		struct name n = builder_name_get(f->b, t->name);
		buf_reset(&f->text);
		buf_add(&f->text, n.len ? n.at : "thread", n.len ? n.len : 6);
		buf_adds(&f->text, *what ? " " : "");
		buf_adds(&f->text, what);
		like.name = builder_name(f->b, buf_str(&f->text), f->text.len);
		return cast_add(&f->cast, like);
	}
	like.thread = t->cast;
	return *what ? cast_add(&f->cast, like) : t->cast;
}

/* ---- times ---- */

int64_t
ff_shift(const struct firefox *f, uint32_t profile)
{
	int64_t outer = f->profile.at[0].start, inner = f->profile.at[profile].start, shift;

	if (outer == FF_NULL || inner == FF_NULL ||
	    __builtin_sub_overflow(inner, outer, &shift))
		return 0;
	return shift;
}
