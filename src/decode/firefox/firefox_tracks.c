/* Tracks and their processes (cast.h). */
#include "src/decode/firefox/firefox_inside.h"

#include <string.h>

static uint32_t
process_of(struct firefox *f, name_id pid)
{
	return pid == NAME_EMPTY ? CAST_NONE : cast_process(&f->cast, cast_id_of(pid));
}

static void
process_find(struct firefox *f, name_id pid, name_id name)
{
	uint32_t i = process_of(f, pid);

	if (i == CAST_NONE || f->cast.process.at[i].used)
		return;
	f->cast.process.at[i].name = name;
	cast_use(&f->cast, i);
	cast_process_made(&f->cast, i);
}

void
ff_cast(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++) {
		struct ff_thread *t = &f->thread.at[i];
		if (t->own.track == NAME_EMPTY)
			process_find(f, t->pid, t->process);
		uint32_t own = t->tid == NAME_EMPTY ? CAST_NONE : (uint32_t)f->cast.track.n;
		t->cast = cast_add(&f->cast, (struct cast_track){.process = process_of(f, t->pid),
								 .thread = own,
								 .id = cast_id_of(t->tid),
								 .name = t->name,
								 .kind = TRACK_THREAD});
	}
	for (size_t i = 0; i < f->counter.n; i++)
		if (f->counter.at[i].own.track == NAME_EMPTY)
			process_find(f, f->counter.at[i].pid, NAME_EMPTY);
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
		.start = own->start == FF_NULL ? CAST_NO_TIME : own->start,
		.end = own->end == FF_NULL ? CAST_NO_TIME : own->end,
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
