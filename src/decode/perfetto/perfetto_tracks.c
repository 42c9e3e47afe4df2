/* A packet describes a track, before its events or after them, or a track is only referred to
 * by its number or thread.  So the first event makes a track, and all tracks are named again at
 * the end. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/input/hash.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types process_types = {
	.numbers = PROTO_BIT(1),
	.bytes = PROTO_BIT(2) | PROTO_BIT(6),
};
static const struct proto_types thread_types = {
	.numbers = PROTO_BITS(1, 2) | PROTO_BIT(6),
	.bytes = PROTO_BIT(5),
};
static const struct proto_types counter_types = {
	.numbers = PROTO_BIT(1) | PROTO_BITS(3, 5),
	.bytes = PROTO_BIT(2) | PROTO_BIT(6),
};
static const struct proto_types track_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(5),
	.bytes = PROTO_BITS(2, 4) | PROTO_BIT(8) | PROTO_BIT(10) | PROTO_BIT(13),
};
static const struct proto_types tree_types = {.bytes = PROTO_BITS(1, 2)};
static const struct proto_types tree_process_types = {
	.numbers = PROTO_BITS(1, 2),
	.bytes = PROTO_BIT(3),
};
static const struct proto_types tree_thread_types = {
	.numbers = PROTO_BIT(1) | PROTO_BIT(3),
	.bytes = PROTO_BIT(2),
};

#define PARENTS_MAX 16u

static struct cast_process *
process_at(struct perfetto *d, int64_t pid)
{
	uint32_t i = cast_process(&d->cast, pid);

	return &d->cast.process.at[i];
}

static uint32_t
track_new(struct perfetto *d, enum pf_form form)
{
	*vec_push(&d->tracks.track) = (struct pf_track){
		.form = (uint8_t)form, .pid = -1, .tid = -1, .factor = 1, .cast = CAST_NONE};
	return (uint32_t)d->tracks.track.n - 1;
}

uint32_t
pf_track_uuid(struct perfetto *d, uint64_t uuid)
{
	uint32_t i = idmap_get(&d->tracks.track_of, uuid);

	if (i == IDMAP_NONE) {
		i = track_new(d, PF_OTHER);
		d->tracks.track.at[i].uuid = uuid;
		idmap_put(&d->tracks.track_of, uuid, i);
	}
	return i;
}

uint32_t
pf_track_named(struct perfetto *d, enum pf_form form, int64_t pid, int64_t key, name_id name)
{
	int64_t what[] = {form, pid, key, name};
	struct hash128 hash = hash128(what, sizeof what);
	uint32_t *found = text_cache_find(&d->tracks.track_keyed, hash);

	if (*found)
		return *found - 1;
	uint32_t i = track_new(d, form);
	text_cache_put(&d->tracks.track_keyed, found, hash, i + 1);
	d->tracks.track.at[i].pid = pid;
	d->tracks.track.at[i].tid = key;
	d->tracks.track.at[i].name = name;
	d->tracks.track.at[i].described = true;
	return i;
}

/* All references to a thread share one track; its process may become known later. */
uint32_t
pf_track_thread(struct perfetto *d, int64_t pid, int64_t tid)
{
	uint32_t known = idmap_get(&d->tracks.thread_pid, (uint64_t)tid);

	if (pid < 0 && known != IDMAP_NONE)
		pid = known;
	return pf_track_named(d, PF_THREAD, pid, tid, NAME_EMPTY);
}

/* ---- descriptors ---- */

/* Returns the length of a command line up to its options; Chrome writes it as one text. */
static size_t
options_at(struct name n)
{
	static const char options[] = " --";
	const char *at = n.len ? memmem(n.at, n.len, options, sizeof options - 1) : NULL;

	return at ? (size_t)(at - n.at) : n.len;
}

/* Names a process as a descriptor states it, else by its command line. A command line does not
 * replace a name, not even if the descriptor has it as the name. */
static void
name_process(struct perfetto *d, int64_t pid, name_id stated, name_id command)
{
	struct cast_process *process = process_at(d, pid);
	struct name name = builder_name_get(d->b, stated);

	if (options_at(name) < name.len) {
		command = command == NAME_EMPTY ? stated : command;
		stated = NAME_EMPTY;
	}
	name = builder_name_get(d->b, command);
	if (options_at(name) < name.len)
		command = builder_name(d->b, name.at, options_at(name));
	if (stated != NAME_EMPTY) {
		process->name = stated;
		idmap_put(&d->tracks.named, (uint64_t)pid, 1);
	} else if (command != NAME_EMPTY &&
		   idmap_get(&d->tracks.named, (uint64_t)pid) == IDMAP_NONE) {
		process->name = command;
	}
}

static void
process_named(struct perfetto *d, struct proto_field data, struct pf_track *t)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id name = NAME_EMPTY, first = NAME_EMPTY;
	int64_t pid = -1;

	while (pf_next(d, &p, &process_types, &f)) {
		pid = f.number == 1 ? (int64_t)(int32_t)f.value : pid;
		if (f.number == 2 && first == NAME_EMPTY)
			first = pf_text(d, &f);
		name = f.number == 6 ? pf_text(d, &f) : name;
	}
	if (t)
		t->pid = pid;
	name_process(d, pid, name, first);
}

static name_id
thread_read(struct perfetto *d, struct proto_field data, int64_t *pid, int64_t *tid,
	    uint64_t *reference_us)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	name_id name = NAME_EMPTY;

	*pid = *tid = -1;
	while (pf_next(d, &p, &thread_types, &f)) {
		*pid = f.number == 1 ? (int64_t)(int32_t)f.value : *pid;
		*tid = f.number == 2 ? (int64_t)f.value : *tid;
		name = f.number == 5 ? pf_text(d, &f) : name;
		if (f.number == 6 && reference_us)
			*reference_us = f.value;
	}
	if (*tid >= 0 && *pid >= 0)
		idmap_put(&d->tracks.thread_pid, (uint64_t)*tid, (uint32_t)*pid & INT32_MAX);
	if (*tid >= 0 && name != NAME_EMPTY)
		idmap_put(&d->tracks.thread_name, (uint64_t)*tid, name);
	return name;
}

static void
counter_read(struct perfetto *d, struct proto_field data, struct pf_track *t)
{
	static const char *const units[] = {"", "ns", "", "bytes"};
	struct proto p = proto_inside(&data);
	struct proto_field f;

	t->form = PF_COUNTER;
	while (pf_next(d, &p, &counter_types, &f)) {
		if (f.number == 1)
			t->counter_type = (uint8_t)(f.value < 3 ? f.value : 0);
		if (f.number == 3 && f.value < 4)
			t->unit = builder_name(d->b, units[f.value], strlen(units[f.value]));
		if (f.number == 6)
			t->unit = pf_text(d, &f);
		if (f.number == 4 && f.value && f.value < 1u << 30)
			t->factor = (int64_t)f.value;
		if (f.number == 5)
			t->incremental = f.value != 0;
	}
	if (t->counter_type == 1)
		t->unit = builder_name(d->b, "ns", 2);
}

void
pf_track_descriptor(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	uint64_t uuid = 0;

	while (pf_next(d, &p, &track_types, &f))
		uuid = f.number == 1 ? f.value : uuid;
	uint32_t track = pf_track_uuid(d, uuid);
	struct pf_track *t = &d->tracks.track.at[track];
	t->described = true;
	for (p = proto_inside(&data); proto_next(&p, &f);) {
		if (f.number == 5) {
			t->parent = f.value;
			t->has_parent = true;
		}
		if (f.number == 2 || f.number == 10 || f.number == 13)
			t->name = pf_text(d, &f);
		if (f.number == 3 && f.type == PROTO_BYTES) {
			t->form = PF_PROCESS;
			process_named(d, f, t);
		}
		if (f.number == 4 && f.type == PROTO_BYTES) {
			name_id name = thread_read(d, f, &t->pid, &t->tid, NULL);
			t->form = PF_THREAD;
			t->name = name != NAME_EMPTY ? name : t->name;
		}
		if (f.number == 8 && f.type == PROTO_BYTES)
			counter_read(d, f, t);
		if (f.number == 18 && f.type == PROTO_BYTES && t->form == PF_OTHER)
			t->form = PF_STATE;
	}
	if (t->form != PF_THREAD || t->tid < 0)
		return;
	/* samples and events of the kernel refer to this thread by its numbers */
	int64_t what[] = {PF_THREAD, t->pid, t->tid, NAME_EMPTY};
	struct hash128 hash = hash128(what, sizeof what);
	uint32_t *found = text_cache_find(&d->tracks.track_keyed, hash);
	if (!*found)
		text_cache_put(&d->tracks.track_keyed, found, hash, track + 1);
}

void
pf_process_descriptor(struct perfetto *d, struct proto_field data)
{
	process_named(d, data, NULL);
}

void
pf_thread_descriptor(struct perfetto *d, struct proto_field data)
{
	int64_t pid, tid;
	uint64_t reference = 0;

	thread_read(d, data, &pid, &tid, &reference);
	d->s->thread = pf_track_thread(d, pid, tid);
	d->s->last_us = reference < PF_TIME_MAX / 1000 ? (int64_t)reference : 0;
}

void
pf_process_tree(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data), q;
	struct proto_field f, g;

	while (pf_next(d, &p, &tree_types, &f)) {
		int64_t pid = -1, tid = -1, owner = -1;
		name_id first = NAME_EMPTY, name = NAME_EMPTY;
		if (f.type != PROTO_BYTES || (f.number != 1 && f.number != 2))
			continue;
		const struct proto_types *types = f.number == 1 ? &tree_process_types
								: &tree_thread_types;
		for (q = proto_inside(&f); pf_next(d, &q, types, &g);) {
			pid = tid = g.number == 1 ? (int64_t)(int32_t)g.value : tid;
			owner = g.number == 3 && g.type == PROTO_VARINT ? (int64_t)(int32_t)g.value
									: owner;
			if (g.number == 3 && first == NAME_EMPTY)
				first = pf_text(d, &g);
			name = g.number == 2 ? pf_text(d, &g) : name;
		}
		if (f.number == 1 && pid >= 0) {
			name_process(d, pid, NAME_EMPTY, first);
			idmap_put(&d->tracks.thread_pid, (uint64_t)pid, (uint32_t)pid);
		} else if (f.number == 2 && tid >= 0) {
			if (owner >= 0)
				idmap_put(&d->tracks.thread_pid, (uint64_t)tid, (uint32_t)owner);
			if (name != NAME_EMPTY)
				idmap_put(&d->tracks.thread_name, (uint64_t)tid, name);
		}
	}
}

/* ---- names ---- */

static void
perfetto_add_name(struct perfetto *d, name_id id)
{
	struct name n = builder_name_get(d->b, id);

	buf_add(&d->text, n.at, n.len);
}

/* Returns the process of a track, which may come from the tracks above it; -1: none. */
int64_t
pf_pid_of(struct perfetto *d, uint32_t track)
{
	for (unsigned i = 0; i < PARENTS_MAX; i++) {
		const struct pf_track *t = &d->tracks.track.at[track];
		if (t->form == PF_THREAD && t->pid < 0 && t->tid >= 0) {
			uint32_t pid = idmap_get(&d->tracks.thread_pid, (uint64_t)t->tid);
			return pid == IDMAP_NONE ? -1 : (int64_t)pid;
		}
		if (t->pid >= 0)
			return t->pid;
		uint32_t parent =
			t->has_parent ? idmap_get(&d->tracks.track_of, t->parent) : IDMAP_NONE;
		if (parent == IDMAP_NONE)
			return -1;
		track = parent;
	}
	return -1;
}

static name_id
perfetto_thread_name(struct perfetto *d, const struct pf_track *t)
{
	uint32_t known = t->tid < 0 ? IDMAP_NONE
				    : idmap_get(&d->tracks.thread_name, (uint64_t)t->tid);

	return t->name != NAME_EMPTY || known == IDMAP_NONE ? t->name : known;
}

static void
add_own(struct perfetto *d, const struct pf_track *t)
{
	static const char *const counters[] = {"", "thread time", "thread instructions"};
	name_id name = t->form == PF_THREAD ? perfetto_thread_name(d, t) : t->name;

	if (t->form == PF_THREAD) {
		cast_owner_text(&d->text, d->b, name, t->tid, "thread");
	} else if (t->form == PF_CORE) {
		buf_addf(&d->text, "cpu %" PRId64, t->tid);
	} else if (t->form == PF_HEAP) {
		buf_adds(&d->text, name != NAME_EMPTY ? "heap " : "heap");
		perfetto_add_name(d, name);
	} else if (name != NAME_EMPTY) {
		perfetto_add_name(d, name);
	} else if (t->form == PF_PROCESS) {
		cast_owner_text(&d->text, d->b, process_at(d, t->pid)->name, t->pid, "process");
	} else if (t->form == PF_COUNTER && t->counter_type) {
		buf_adds(&d->text, counters[t->counter_type]);
	} else {
		buf_addf(&d->text, "track %" PRIu64, t->uuid);
	}
}

/* Returns the name of a track after the names of those above it, without the process. */
static name_id
chain_name(struct perfetto *d, uint32_t track)
{
	const struct pf_track *chain[PARENTS_MAX];
	unsigned n = 0;
	uint32_t at = track;

	while (n < PARENTS_MAX) {
		const struct pf_track *t = &d->tracks.track.at[at];
		if (n && t->form == PF_PROCESS)
			break;
		chain[n++] = t;
		uint32_t parent = t->has_parent && t->form != PF_THREAD
					  ? idmap_get(&d->tracks.track_of, t->parent)
					  : IDMAP_NONE;
		if (parent == IDMAP_NONE || !d->tracks.track.at[parent].described)
			break;
		at = parent;
	}
	buf_reset(&d->text);
	while (n--) {
		add_own(d, chain[n]);
		if (n)
			buf_adds(&d->text, " / ");
	}
	return builder_name(d->b, buf_str(&d->text), d->text.len);
}

static enum track_kind
track_kind(const struct pf_track *t)
{
	switch ((enum pf_form)t->form) {
	case PF_THREAD:
		return TRACK_THREAD;
	case PF_COUNTER:
		return TRACK_COUNTER;
	case PF_CORE:
		return TRACK_CORE;
	case PF_MARK:
		return TRACK_MARKS;
	case PF_OTHER:
	case PF_PROCESS:
	case PF_STATE:
	case PF_HEAP:
		break;
	}
	return TRACK_TASK;
}

/* Updates d->cast with everything that is known of the track. */
static void
track_cast(struct perfetto *d, uint32_t track)
{
	const struct pf_track *t = &d->tracks.track.at[track];
	int64_t pid = pf_pid_of(d, track);
	bool thread = t->form == PF_THREAD;
	name_id name = thread ? perfetto_thread_name(d, t) : chain_name(d, track);
	uint32_t process = pid < 0 ? CAST_NONE : cast_process(&d->cast, pid);
	struct cast_track *x = &d->cast.track.at[t->cast];

	x->process = process;
	x->thread = thread ? t->cast : CAST_NONE;
	x->id = t->tid;
	x->name = name;
	x->kind = (uint8_t)track_kind(t);
	x->aside = !thread;
	x->own.unit = t->unit;
	x->prefix = t->form == PF_HEAP	    ? PREFIX_ALWAYS
		    : t->form == PF_PROCESS ? PREFIX_NEVER
					    : PREFIX_IF_SEVERAL;
}

uint32_t
pf_cast(struct perfetto *d, uint32_t track)
{
	if (d->tracks.track.at[track].cast == CAST_NONE) {
		d->tracks.track.at[track].cast = cast_add(&d->cast, (struct cast_track){0});
		track_cast(d, track);
	}
	return d->tracks.track.at[track].cast;
}

track_id
pf_track_made(struct perfetto *d, uint32_t track)
{
	return cast_made(&d->cast, pf_cast(d, track));
}

/* Descriptors may follow the events: only now the processes of all tracks are known, and their
 * number. */
void
pf_tracks_cast(struct perfetto *d)
{
	for (uint32_t i = 0; i < d->tracks.track.n; i++)
		if (d->tracks.track.at[i].cast != CAST_NONE)
			track_cast(d, i);
	cast_recount(&d->cast);
}

/* ---- points ---- */

/* A counter has whole numbers unless its first value is not whole. */
bool
pf_point(struct perfetto *d, uint32_t track, int64_t time, bool whole, int64_t value, double number)
{
	uint32_t x = pf_cast(d, track);
	struct pf_track *t = &d->tracks.track.at[track];

	if (!d->cast.track.at[x].points)
		t->floating = !whole;
	struct series *points = cast_points(&d->cast, x, t->floating, false);
	pf_reach(d, track, time);
	if (t->floating)
		return builder_point_double(d->b, points, time,
					    whole ? (double)value : number, d->p.offset, d->err);
	if (!whole)
		value = number > -9e18 && number < 9e18 ? (int64_t)round(number) : 0;
	return builder_point(d->b, points, time, value, d->p.offset, d->err);
}

bool
pf_mark(struct perfetto *d, uint32_t track, int64_t time, name_id name)
{
	int64_t pid = pf_pid_of(d, track);
	struct cast_track like = {
		.process = pid < 0 ? CAST_NONE : cast_process(&d->cast, pid),
		.thread = CAST_NONE,
		.name = name,
	};
	struct series *points = cast_points(&d->cast, cast_marks(&d->cast, like), false, false);

	pf_reach(d, PF_NONE, time);
	return builder_point(d->b, points, time, 0, d->p.offset, d->err);
}
