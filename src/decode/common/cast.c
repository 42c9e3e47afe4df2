/* cast.c - processes, threads and tracks by their numbers and names.
 *
 * Neighbouring events are mostly of one thread, so the last process and thread are compared before
 * the tables. */
#include "src/decode/common/cast.h"

#include <string.h>

#include "src/input/hash.h"

#define MARKS_MAX 1000u

uint32_t
cast_process(struct cast *c, int64_t id)
{
	if (c->last_process < c->process.n && c->process.at[c->last_process].id == id)
		return c->last_process;
	uint32_t i;
	if (idmap_add(&c->process_of, (uint64_t)id, c->process.n, &i))
		*vec_push(&c->process) = (struct cast_process){.id = id, .made = PROCESS_NONE};
	c->last_process = i;
	return i;
}

void
cast_use(struct cast *c, uint32_t process)
{
	struct cast_process *p = &c->process.at[process];

	c->several += !p->used;
	p->used = true;
}

/* ---- tracks ---- */

uint32_t
cast_add(struct cast *c, struct cast_track like)
{
	like.last = INT64_MIN;
	*vec_push(&c->track) = like;
	return (uint32_t)c->track.n - 1;
}

/* Returns where the index of such a track is stored, plus 1.  If that is 0, the caller stores
 * it there. */
static uint32_t *
track_place(struct cast *c, const struct cast_track *like, struct hash128 *hash)
{
	int64_t key[] = {like->process, like->thread, like->kind, like->name, like->id};

	*hash = hash128(key, sizeof key);
	return text_cache_find(&c->track_of, *hash);
}

uint32_t
cast_track(struct cast *c, struct cast_track like)
{
	struct hash128 hash;
	uint32_t *found = track_place(c, &like, &hash);

	if (*found)
		return *found - 1;
	text_cache_put(&c->track_of, found, hash, (uint32_t)c->track.n + 1);
	return cast_add(c, like);
}

/* Usual numbers and texts have keys of their own; keys of threads without a process are small. */
static uint64_t
thread_key(uint32_t process, int64_t id)
{
	name_id text = cast_id_text(id);
	int64_t key[] = {process, id};

	if (text == NAME_EMPTY && (id < 0 || id > UINT32_MAX))
		return hash64(key, sizeof key);
	return (uint64_t)(process + 1) << 33 | (uint64_t)(text != NAME_EMPTY) << 32 |
	       (text != NAME_EMPTY ? text : (uint64_t)id);
}

uint32_t
cast_thread(struct cast *c, uint32_t process, int64_t id)
{
	uint32_t i = c->last_thread;

	if (i < c->track.n) {
		const struct cast_track *last = &c->track.at[i];
		if (last->process == process && last->id == id && last->thread == i)
			return i;
	}
	uint64_t key = thread_key(process, id);
	i = c->last_thread = idmap_get(&c->thread_of, key);
	if (i != IDMAP_NONE)
		return i;
	struct cast_track like = {.process = process,
				  .thread = (uint32_t)c->track.n,
				  .id = id,
				  .kind = TRACK_THREAD};
	like.own.start = like.own.end = CAST_NO_TIME;
	i = c->last_thread = cast_add(c, like);
	idmap_put(&c->thread_of, key, i);
	return i;
}

uint32_t
cast_marks(struct cast *c, struct cast_track like)
{
	struct hash128 hash;

	like.kind = TRACK_MARKS;
	if (*track_place(c, &like, &hash))
		return cast_track(c, like);
	if (c->kinds_of_marks >= MARKS_MAX) {
		builder_warn(c->b, "more than %u kinds of marks; the others are one track",
			     MARKS_MAX);
		like.thread = CAST_NONE;
		like.name = builder_name(c->b, "other marks", 11);
	} else {
		c->kinds_of_marks++;
	}
	return cast_track(c, like);
}

uint32_t
cast_async_track(struct cast *c, uint32_t process, name_id category, name_id name)
{
	uint32_t key[] = {process, category, name};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&c->track_of, hash);

	if (*found)
		return *found - 1;
	struct name head = builder_name_get(c->b, category), tail = builder_name_get(c->b, name);
	buf_reset(&c->text);
	buf_add(&c->text, head.at, head.len);
	buf_adds(&c->text, head.len ? ":" : "");
	buf_add(&c->text, tail.at, tail.len);
	uint32_t i = cast_add(c, (struct cast_track){
					 .process = process,
					 .thread = CAST_NONE,
					 .kind = TRACK_TASK,
					 .name = builder_name(c->b, buf_str(&c->text),
							      c->text.len)});
	text_cache_put(&c->track_of, found, hash, i + 1);
	return i;
}

static void
track_make(struct cast *c, uint32_t track)
{
	struct cast_track *t = &c->track.at[track];

	if (t->thread == track && t->own.name != NAME_EMPTY && t->own.kind < TRACK_COUNTER) {
		t->whole = true;
		t->kind = t->own.kind;
	}
	if (t->process != CAST_NONE)
		cast_use(c, t->process);
	cast_track_text(c, track);
	t->track = builder_track(c->b, buf_str(&c->text), c->text.len, (enum track_kind)t->kind);
	t->made = true;
}

void
cast_settle(struct cast *c)
{
	for (; c->wanted.unmade;
	     c->wanted.unmade = c->track.at[c->wanted.unmade - 1].next)
		track_make(c, c->wanted.unmade - 1);
}

track_id
cast_made(struct cast *c, uint32_t track)
{
	if (!c->track.at[track].made) {
		cast_want(c, track);
		cast_settle(c);
	}
	return c->track.at[track].track;
}

void
cast_under(struct cast *c, uint32_t track, int64_t pid)
{
	if (pid < 1 || pid > INT32_MAX)
		return;
	uint32_t process = cast_process(c, pid);
	c->track.at[track].process = process;
	builder_track_under(c->b, cast_made(c, track), cast_process_made(c, process));
}

void
cast_recount(struct cast *c)
{
	cast_settle(c);
	for (size_t i = 0; i < c->process.n; i++)
		c->process.at[i].used = false;
	c->several = 0;
	for (uint32_t i = c->wanted.first; i; i = c->track.at[i - 1].next) {
		uint32_t process = c->track.at[i - 1].process;
		if (process != CAST_NONE)
			cast_use(c, process);
	}
}

struct series *
cast_points(struct cast *c, uint32_t track, bool floating, bool labelled)
{
	struct series *points = c->track.at[track].points;

	if (points)
		return points;
	points = builder_points(c->b, cast_made(c, track), floating);
	if (labelled)
		builder_labelled(c->b, points);
	c->track.at[track].points = points;
	return points;
}

void
cast_release(struct cast *c)
{
	for (size_t i = 0; i < c->track.n; i++) {
		slices_release(&c->track.at[i].slices);
		vec_release(&c->track.at[i].edges.open);
		edgelog_release(&c->track.at[i].edges.log);
		timed_release(&c->track.at[i].edges.waiting);
		slices_kept_release(&c->track.at[i].shown);
	}
	for (size_t i = 0; i < c->async.group.n; i++)
		slices_kept_release(&c->async.group.at[i].shown);
	vec_release_all(&c->process, &c->track);
	idmap_release_all(&c->process_of, &c->thread_of);
	buf_release(&c->text);
	text_cache_release(&c->track_of);
	vec_release_all(&c->async.at, &c->async.group);
	idmap_release(&c->async.group_of);
}
