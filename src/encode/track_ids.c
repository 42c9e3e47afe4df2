#include "src/encode/track_ids.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "src/encode/json_text.h"

/* A number at the end of a name becomes the id if no other track has it.  Other tracks get the
 * smallest free id. */

#define BETWEEN " / "
#define DIGITS_MAX 15u /* exact in JavaScript */

/* Returns the length of the name without a final ` 42`, which goes to *id; 0 in *id: none. */
static size_t
track_ids_split(struct name n, int64_t *id)
{
	size_t at = n.len;
	int64_t v = 0;

	while (at && n.at[at - 1] >= '0' && n.at[at - 1] <= '9')
		at--;
	*id = 0;
	if (at < 2 || n.at[at - 1] != ' ' || at == n.len || n.at[at] == '0' ||
	    n.len - at > DIGITS_MAX)
		return n.len;
	for (size_t i = at; i < n.len; i++)
		v = v * 10 + (n.at[i] - '0');
	*id = v;
	return at - 1;
}

/* Returns the part after the process's name if the name begins with it. */
static struct name
own_part(const struct shown *s, track_id t)
{
	const struct track *track = &s->p->track[t];
	struct name n = names_get(&s->p->names, track->name);

	if (track->under == PROCESS_NONE)
		return n;
	struct name p = names_get(&s->p->names, s->p->process[track->under].name);
	size_t between = sizeof BETWEEN - 1, before = p.len + between;
	if (n.len <= before || memcmp(n.at, p.at, p.len) != 0 ||
	    memcmp(n.at + p.len, BETWEEN, between) != 0)
		return n;
	return (struct name){.at = n.at + before, .len = n.len - before};
}

/* ---- numbers ---- */

struct track_ids_taken {
	struct map map;
	VEC(int64_t) id;
	int64_t next;
};

static bool
track_ids_take(struct track_ids_taken *x, int64_t id)
{
	uint64_t hash = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t slot = map_first(&x->map, hash), i;

	while (map_probe(&x->map, &slot, hash, &i))
		if (x->id.at[i] == id)
			return false;
	map_insert(&x->map, hash, (uint32_t)x->id.n);
	*vec_push(&x->id) = id;
	return true;
}

static void
track_ids_number(int64_t *id, uint32_t n)
{
	struct track_ids_taken taken = {.next = 1};

	map_init(&taken.map);
	for (uint32_t i = 0; i < n; i++)
		if (id[i] && !track_ids_take(&taken, id[i]))
			id[i] = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!id[i]) {
			while (!track_ids_take(&taken, taken.next))
				taken.next++;
			id[i] = taken.next;
		}
	map_release(&taken.map);
	vec_release(&taken.id);
}

/* Chooses a track for the run of each file that has more time than its shown tracks. */
static void
find_runs(struct track_ids *x)
{
	const struct profile *p = x->s->p;
	uint8_t *known = mem_zalloc((size_t)p->n_groups + 1, 1); /* 1: its begin, 2: its end */

	x->has_run = mem_zalloc((size_t)p->n_tracks + 1, 1);
	for (track_id t = 0; t < p->n_tracks; t++) {
		const struct track *track = &p->track[t];
		const struct group *g = &p->group[track->group];
		if (x->s->shows[t] && track->has_time)
			known[track->group] |= (track->start <= g->start ? 1 : 0) |
					       (track->end >= g->end ? 2 : 0);
	}
	for (track_id t = 0; t < p->n_tracks; t++)
		if (x->s->shows[t] && p->track[t].has_time && known[p->track[t].group] < 3) {
			x->has_run[t] = 1;
			known[p->track[t].group] = 3;
		}
	free(known);
}

void
track_ids_make(struct track_ids *x, const struct shown *s)
{
	const struct profile *p = s->p;

	*x = (struct track_ids){.s = s};
	x->pid = mem_zalloc((size_t)p->n_groups + p->n_processes + 1, sizeof *x->pid);
	x->tid = mem_zalloc((size_t)p->n_tracks + 1, sizeof *x->tid);
	for (process_id i = 0; i < p->n_processes; i++)
		track_ids_split(names_get(&p->names, p->process[i].name), &x->pid[p->n_groups + i]);
	for (track_id t = 0; t < p->n_tracks; t++)
		track_ids_split(own_part(s, t), &x->tid[t]);
	track_ids_number(x->pid, p->n_groups + p->n_processes);
	track_ids_number(x->tid, p->n_tracks);
	find_runs(x);
}

void
track_ids_release(struct track_ids *x)
{
	free(x->pid);
	free(x->tid);
	free(x->has_run);
}

int64_t
track_pid(const struct track_ids *x, track_id t)
{
	const struct track *track = &x->s->p->track[t];

	return x->pid[track->under == PROCESS_NONE ? track->group
						   : x->s->p->n_groups + track->under];
}

int64_t
track_pid_of_counter(const struct track_ids *x, track_id t)
{
	const struct shown *s = x->s;

	for (track_id k = 0; k < s->p->n_tracks && s->p->track[t].under == PROCESS_NONE; k++)
		if (s->shows[k] && s->p->track[k].kind < TRACK_COUNTER)
			return track_pid(x, k);
	return track_pid(x, t);
}

/* ---- names ---- */

/* Writes the name without the number, which is written separately. */
static void
name_without(const struct track_ids *x, struct name n, int64_t id, struct buf *out)
{
	int64_t own;
	size_t len = track_ids_split(n, &own);

	escape_bytes(out, n.at, own == id ? len : n.len, x->s->p->charset == CHARSET_CP437);
}

void
track_own_name(const struct track_ids *x, track_id t, struct buf *out)
{
	name_without(x, own_part(x->s, t), x->tid[t], out);
}

void
track_process_name(const struct track_ids *x, track_id t, struct buf *out)
{
	const struct profile *p = x->s->p;
	const struct track *track = &p->track[t];

	if (track->under == PROCESS_NONE)
		shown_name(x->s, p->group[track->group].name, out);
	else
		name_without(x, names_get(&p->names, p->process[track->under].name),
			     track_pid(x, t),
			     out);
}

static void
member(const struct track_ids *x, const char *key, name_id name, FILE *out)
{
	struct buf text = BUF_INIT;

	shown_name(x->s, name, &text);
	fprintf(out, ",\"%s\":", key);
	json_string(out, buf_str(&text), text.len);
	buf_release(&text);
}

/* Converts a time of the profile to one of the written file. */
static int64_t
shifted(const struct track_ids *x, const struct track *t, int64_t time)
{
	return sum_clipped(difference_clipped(time, x->s->base[t->group]), x->shift);
}

void
track_members(const struct track_ids *x, track_id t, FILE *out)
{
	const struct profile *p = x->s->p;
	const struct track *track = &p->track[t];
	const struct group *g = &p->group[track->group];

	member(x, "pnav_track", track->name, out);
	fprintf(out, ",\"pnav_kind\":\"%s\"", track_kind_name((enum track_kind)track->kind));
	if (track->under != PROCESS_NONE)
		member(x, "pnav_process", p->process[track->under].name, out);
	if (track->value_unit != NAME_EMPTY)
		member(x, "pnav_unit", track->value_unit, out);
	if (track->has_time && x->s->fold->whole && g->axis == UNIT_NS) {
		fputs(",\"pnav_start\":", out);
		json_whole(out, shifted(x, track, track->start));
		fputs(",\"pnav_end\":", out);
		json_whole(out, shifted(x, track, track->end));
	}
	if (x->has_run[t] && x->s->fold->whole && g->axis == UNIT_NS) {
		fputs(",\"pnav_run_start\":", out);
		json_whole(out, shifted(x, track, g->start));
		fputs(",\"pnav_run_end\":", out);
		json_whole(out, shifted(x, track, g->end));
	}
}
