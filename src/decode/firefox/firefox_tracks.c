/* Tracks, and the processes that they stand under. */
#include "src/decode/firefox/firefox_inside.h"

static void
add_name(struct firefox *f, name_id id)
{
	struct name n = builder_name_get(f->b, id);

	buf_add(&f->text, n.at, n.len);
}

/* The process of this number, new or known. */
static struct ff_process *
process_of(struct firefox *f, name_id pid, name_id name)
{
	for (size_t i = 0; i < f->process.n; i++)
		if (f->process.at[i].pid == pid)
			return &f->process.at[i];
	buf_reset(&f->text);
	if (name != NAME_EMPTY)
		add_name(f, name);
	else
		buf_adds(&f->text, "process");
	buf_addc(&f->text, ' ');
	add_name(f, pid);
	*vec_push(&f->process) = (struct ff_process){
		.pid = pid,
		.name = builder_name(f->b, buf_str(&f->text), f->text.len),
		.process = builder_process(f->b, buf_str(&f->text), f->text.len),
	};
	return &f->process.at[f->process.n - 1];
}

void
ff_processes_find(struct firefox *f)
{
	for (size_t i = 0; i < f->thread.n; i++)
		if (f->thread.at[i].pid != NAME_EMPTY && f->thread.at[i].own.track == NAME_EMPTY)
			process_of(f, f->thread.at[i].pid, f->thread.at[i].process);
	for (size_t i = 0; i < f->counter.n; i++)
		if (f->counter.at[i].pid != NAME_EMPTY && f->counter.at[i].own.track == NAME_EMPTY)
			process_of(f, f->counter.at[i].pid, NAME_EMPTY);
}

track_id
ff_own_track(struct firefox *f, const struct ff_own *own)
{
	struct name name = builder_name_get(f->b, own->track);
	track_id t = builder_track(f->b, name.at, name.len, (enum track_kind)own->kind);
	size_t i = 0;

	if (own->process == NAME_EMPTY)
		return t;
	while (i < f->process.n && f->process.at[i].name != own->process)
		i++;
	if (i == f->process.n) {
		name = builder_name_get(f->b, own->process);
		*vec_push(&f->process) = (struct ff_process){
			.name = own->process,
			.process = builder_process(f->b, name.at, name.len),
		};
	}
	builder_track_under(f->b, t, f->process.at[i].process);
	return t;
}

track_id
ff_track(struct firefox *f, name_id pid, const char *name, size_t len, enum track_kind kind)
{
	const struct ff_process *p = pid != NAME_EMPTY ? process_of(f, pid, NAME_EMPTY) : NULL;
	struct buf own = BUF_INIT;

	buf_add(&own, name, len);
	buf_reset(&f->text);
	if (p && f->process.n > 1) {
		add_name(f, p->name);
		buf_adds(&f->text, " / ");
	}
	buf_add(&f->text, buf_str(&own), own.len);
	buf_release(&own);
	track_id t = builder_track(f->b, buf_str(&f->text), f->text.len, kind);
	if (p)
		builder_track_under(f->b, t, p->process);
	return t;
}

track_id
ff_thread_track(struct firefox *f, const struct ff_thread *t, const char *behind,
		enum track_kind kind)
{
	struct buf own = BUF_INIT;
	struct name tid = builder_name_get(f->b, t->tid);

	if (t->own.track != NAME_EMPTY && t->own.kind < TRACK_COUNTER && !*behind)
		return ff_own_track(f, &t->own);
	buf_reset(&f->text);
	if (t->name != NAME_EMPTY)
		add_name(f, t->name);
	else
		buf_adds(&f->text, "thread");
	if (tid.len)
		buf_addc(&f->text, ' ');
	buf_add(&f->text, tid.at, tid.len);
	buf_adds(&f->text, behind);
	buf_add(&own, buf_str(&f->text), f->text.len);
	track_id made = ff_track(f, t->pid, buf_str(&own), own.len, kind);
	buf_release(&own);
	return made;
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

void
ff_own_extent(struct firefox *f, const struct ff_own *own, track_id t)
{
	if (own->start != FF_NULL)
		builder_track_end(f->b, t, own->start);
	if (own->end != FF_NULL)
		builder_track_end(f->b, t, own->end);
}
