#include "src/decode/chrome/chrome_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/input/decimal.h"
#include "src/input/hash.h"

/* Processes and threads come up in any event and are named in any other, often at the end;
 * whether the process is part of a name is known when all is read.  So a track is made where
 * it comes up first, with the name that it has then, and all are named again at the end. */

#define MARK_TRACKS_MAX 1000u

#define BETWEEN " / " /* a process and what is its */

uint32_t
chrome_process(struct chrome *d, int64_t pid)
{
	if (d->last_process < d->process.n && d->process.at[d->last_process].pid == pid)
		return d->last_process;
	uint32_t i = idmap_get(&d->process_of, (uint64_t)pid);
	if (i == IDMAP_NONE) {
		i = (uint32_t)d->process.n;
		idmap_put(&d->process_of, (uint64_t)pid, i);
		*vec_push(&d->process) = (struct chrome_process){.pid = pid, .id = PROCESS_NONE};
	}
	d->last_process = i;
	return i;
}

uint32_t
chrome_thread(struct chrome *d, int64_t pid, int64_t tid)
{
	uint32_t process = chrome_process(d, pid);

	if (d->last_thread < d->thread.n) {
		const struct chrome_thread *last = &d->thread.at[d->last_thread];
		if (last->process == process && last->tid == tid)
			return d->last_thread;
	}
	int64_t key[] = {pid, tid};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&d->thread_of, hash);
	if (!*found) {
		*vec_push(&d->thread) = (struct chrome_thread){
			.tid = tid,
			.process = process,
			.track = CHROME_NONE,
			.start = CHROME_NO_TIME,
			.end = CHROME_NO_TIME,
			.last = INT64_MIN,
		};
		d->last_thread = (uint32_t)d->thread.n - 1;
		text_cache_put(&d->thread_of, found, hash, (uint32_t)d->thread.n);
	} else {
		d->last_thread = *found - 1;
	}
	return d->last_thread;
}

/* ---- names ---- */

static void
add_name(struct chrome *d, name_id id)
{
	struct name n = builder_name_get(d->b, id);

	buf_add(&d->scratch, n.at, n.len);
}

/* True if a name has this number as a word of its own: `stream 7`, `thread 4712 (python3)`. */
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

/* `NAME ID`, `WORD ID`, or what the id is where it is a text itself.  PyTorch's names have their
 * ids, and stay as they are. */
static void
add_owner(struct chrome *d, name_id name, int64_t id, const char *word)
{
	name_id text = chrome_id_text(id);

	if (name != NAME_EMPTY) {
		struct name n = builder_name_get(d->b, name);
		while (n.len && is_blank(n.at[n.len - 1]))
			n.len--;
		buf_add(&d->scratch, n.at, n.len);
		if (text == NAME_EMPTY && has_id(n.at, n.len, id))
			return;
		buf_addc(&d->scratch, ' ');
	} else if (text == NAME_EMPTY) {
		buf_addf(&d->scratch, "%s ", word);
	}
	if (text == NAME_EMPTY)
		buf_addf(&d->scratch, "%" PRId64, id);
	else
		add_name(d, text);
}

void
chrome_track_text(struct chrome *d, const struct chrome_track *x)
{
	const struct chrome_process *p = &d->process.at[x->process];

	buf_reset(&d->scratch);
	if (x->form == FORM_WHOLE) {
		add_name(d, x->name);
		return;
	}
	if (d->processes_used > 1) {
		add_owner(d, p->name, p->pid, "process");
		buf_adds(&d->scratch, BETWEEN);
	}
	if (x->form != FORM_PLAIN) {
		const struct chrome_thread *t = &d->thread.at[x->thread];
		add_owner(d, t->name, t->tid, "thread");
	}
	if (x->form == FORM_PROFILE)
		buf_adds(&d->scratch, " (profile)");
	if (x->form == FORM_THREAD_MARK)
		buf_addc(&d->scratch, ' ');
	if (x->form == FORM_THREAD_MARK || x->form == FORM_PLAIN)
		add_name(d, x->name);
}

/* What stands before the name of a track, which is that of its process. */
static process_id
process_of(struct chrome *d, struct chrome_process *p)
{
	struct buf *name = &d->scratch;

	if (p->id != PROCESS_NONE && p->id_name == p->name)
		return p->id;
	buf_reset(name);
	if (p->whole != NAME_EMPTY)
		add_name(d, p->whole);
	else
		add_owner(d, p->name, p->pid, "process");
	if (p->id == PROCESS_NONE)
		p->id = builder_process(d->b, buf_str(name), name->len);
	else
		builder_process_rename(d->b, p->id, buf_str(name), name->len);
	p->id_name = p->name;
	return p->id;
}

void
chrome_tracks_rename(struct chrome *d)
{
	for (size_t i = 0; i < d->track.n; i++) {
		const struct chrome_track *x = &d->track.at[i];
		struct chrome_process *p = &d->process.at[x->process];
		if (x->form == FORM_WHOLE ? p->whole != NAME_EMPTY : d->processes_used > 1)
			builder_track_under(d->b, x->track, process_of(d, p));
		chrome_track_text(d, x);
		builder_track_rename(d->b, x->track, buf_str(&d->scratch), d->scratch.len);
	}
}

void
chrome_labels_tell(struct chrome *d)
{
	for (size_t i = 0; i < d->process.n; i++) {
		const struct chrome_process *p = &d->process.at[i];
		if (p->labels == NAME_EMPTY)
			continue;
		buf_reset(&d->scratch);
		add_owner(d, p->name, p->pid, "process");
		buf_adds(&d->scratch, ": ");
		add_name(d, p->labels);
		builder_info_bytes(d->b, "process label", buf_str(&d->scratch), d->scratch.len);
	}
}

void
chrome_tracks_extend(struct chrome *d)
{
	for (size_t i = 0; i < d->track.n; i++) {
		const struct chrome_track *x = &d->track.at[i];
		if (x->form == FORM_WHOLE && x->start != CHROME_NO_TIME)
			builder_track_end(d->b, x->track, x->start);
		if (x->form == FORM_WHOLE && x->end != CHROME_NO_TIME)
			builder_track_end(d->b, x->track, x->end);
	}
}

struct chrome_track *
chrome_track_new(struct chrome *d, struct chrome_track x)
{
	struct chrome_process *p = &d->process.at[x.process];

	d->processes_used += !p->used;
	p->used = true;
	chrome_track_text(d, &x);
	x.track = builder_track(d->b, buf_str(&d->scratch), d->scratch.len,
				(enum track_kind)x.kind);
	*vec_push(&d->track) = x;
	return &d->track.at[d->track.n - 1];
}

bool
chrome_is_own(const struct chrome_thread *t, bool points)
{
	return t->whole != NAME_EMPTY && points == (t->kind >= TRACK_COUNTER);
}

static struct chrome_track
chrome_track_whole(const struct chrome_thread *t)
{
	return (struct chrome_track){.process = t->process,
				     .form = FORM_WHOLE,
				     .kind = t->kind,
				     .name = t->whole,
				     .start = t->start,
				     .end = t->end};
}

struct chrome_track *
chrome_thread_track(struct chrome *d, uint32_t thread)
{
	struct chrome_thread *t = &d->thread.at[thread];

	if (t->track == CHROME_NONE) {
		t->track = (uint32_t)d->track.n;
		if (chrome_is_own(t, false))
			return chrome_track_new(d, chrome_track_whole(t));
		return chrome_track_new(d, (struct chrome_track){.process = t->process,
								 .thread = thread,
								 .form = FORM_THREAD,
								 .kind = TRACK_THREAD});
	}
	return &d->track.at[t->track];
}

/* ---- counters and marks ---- */

/* The track that these make: found, or made with points. */
static struct chrome_track *
points_track(struct chrome *d, struct chrome_track x)
{
	uint32_t thread = chrome_thread(d, d->e.pid, d->e.tid);
	const struct chrome_thread *own = &d->thread.at[thread];

	if (chrome_is_own(own, true) && (own->kind == TRACK_MARKS) == (x.kind == TRACK_MARKS))
		x = chrome_track_whole(own);
	uint32_t key[] = {x.process, x.form == FORM_THREAD_MARK ? x.thread : CHROME_NONE, x.kind,
			  x.name};
	struct hash128 hash = hash128(key, sizeof key);
	uint32_t *found = text_cache_find(&d->track_of, hash);

	if (*found)
		return &d->track.at[*found - 1];
	text_cache_put(&d->track_of, found, hash, (uint32_t)d->track.n + 1);
	struct chrome_track *made = chrome_track_new(d, x);
	made->points = builder_points(d->b, made->track, x.kind != TRACK_MARKS);
	if (x.kind == TRACK_MARKS)
		builder_labelled(d->b, made->points);
	struct name unit = builder_name_get(d->b, x.form == FORM_WHOLE ? own->unit : NAME_EMPTY);
	if (unit.len)
		builder_track_unit(d->b, made->track, unit.at, unit.len);
	return made;
}

static bool
arg_number(const struct chrome *d, const struct chrome_arg *a, double *out)
{
	if (a->kind == VALUE_WHOLE) {
		*out = (double)a->whole;
		return true;
	}
	return decimal_double(chrome_arg_text(d, a), a->len, out);
}

/* `NAME[ID].KEY` without what there is not. */
static name_id
counter_name(struct chrome *d, name_id key)
{
	const struct chrome_event *e = &d->e;

	buf_reset(&d->scratch);
	add_name(d, e->name);
	if (e->has_id) {
		buf_addc(&d->scratch, '[');
		buf_add(&d->scratch, d->text.at + e->id_at, e->id_len);
		buf_addc(&d->scratch, ']');
	}
	if (e->n_args != 1 || (key != d->is.value && key != e->name)) {
		buf_addc(&d->scratch, '.');
		add_name(d, key);
	}
	return builder_name(d->b, buf_str(&d->scratch), d->scratch.len);
}

bool
chrome_counter(struct chrome *d, struct err *err)
{
	struct chrome_event *e = &d->e;

	for (unsigned i = 0; i < e->n_args; i++) {
		double value;
		if (!arg_number(d, &e->arg[i], &value))
			continue;
		struct chrome_track *x = points_track(
			d, (struct chrome_track){.process = chrome_process(d, e->pid),
						 .form = FORM_PLAIN,
						 .kind = TRACK_COUNTER,
						 .name = counter_name(d, e->arg[i].key)});
		if (!builder_point_double(d->b, x->points, e->ts, value, e->offset, err))
			return false;
	}
	if (e->n_deeper)
		builder_warn(d->b, "counters with more than %u values, or others than numbers",
			     CHROME_ARGS_MAX);
	return true;
}

static struct chrome_track *
mark_track(struct chrome *d)
{
	const struct chrome_event *e = &d->e;
	struct chrome_track x = {
		.process = chrome_process(d, e->pid),
		.form = FORM_PLAIN,
		.kind = TRACK_MARKS,
		.name = e->name != NAME_EMPTY ? e->name : builder_name(d->b, "(unnamed)", 9),
	};

	if (e->s == 't') {
		x.form = FORM_THREAD_MARK;
		x.thread = chrome_thread(d, e->pid, e->tid);
	}
	size_t before = d->track.n;
	if (d->mark_tracks >= MARK_TRACKS_MAX) {
		x.form = FORM_PLAIN;
		x.name = builder_name(d->b, "other marks", 11);
		builder_warn(d->b, "more than %u kinds of marks; the others are one track",
			     MARK_TRACKS_MAX);
	}
	struct chrome_track *found = points_track(d, x);
	d->mark_tracks += d->track.n > before;
	return found;
}

bool
chrome_mark(struct chrome *d, struct err *err)
{
	struct chrome_track *x = mark_track(d);

	builder_next_labels(d->b, x->points, chrome_labels(d));
	return builder_point(d->b, x->points, d->e.ts, 0, d->e.offset, err);
}
