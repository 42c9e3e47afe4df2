/* Processes and threads.
 *
 * Records describe changes: a new mapping replaces those in its range; a fork copies all; an exec
 * removes all. The maps of a process are a sorted array. Builds and shells fork thousands of times
 * and change nothing before the exec, so tables are shared, copied on the first change, and freed
 * with the last thread.
 *
 * Each table has a version, which changes with each modification, and which a copy keeps. Caches of
 * resolved chains use the version as a part of their keys. Programs map data all the time, so there
 * is a separate version, `code`, that only changes of code affect.
 *
 * During an exec the old mappings are gone, but the address of the call is still in the registers:
 * the previous table is kept for that.
 *
 * Threads are identified by tid alone: the numbers are those of the whole machine. A number that
 * appears again in a fork is a new thread.
 *
 * The kernel is the process 0xFFFFFFFF, the kernel of guests 0xFFFFFFFE; neither number is a pid.
 *
 * Invariants: maps of a table are sorted and do not overlap; users >= 1; a thread's process is an
 * index of process[]. */
#include "src/decode/perf/perfdata_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/mem.h"

/* Limit of all copies of maps: 128 MB. Only a malicious file forks more maps. */
#define COPIED_MAX 4000000u

static void
maps_drop(struct perfdata_tasks *t, struct perfdata_maps *m)
{
	while (m && !--m->users) {
		struct perfdata_maps *before = m->before;
		t->copied -= m->copied;
		vec_release(&m->map);
		free(m);
		m = before;
	}
}

void
perfdata_tasks_release(struct perfdata_tasks *t)
{
	for (size_t i = 0; i < t->process.n; i++)
		maps_drop(t, t->process.at[i].maps);
	vec_release_all(&t->process, &t->thread);
	idmap_release_all(&t->pid, &t->tid);
}

bool
perfdata_command(struct perfdata_tasks *t, struct cursor r)
{
	uint32_t n = cursor_u32(&r);

	for (; n && cursor_left(&r) >= 4; n--) {
		uint32_t i = perfdata_process(t, cursor_u32(&r));
		t->process.at[i].inside = t->process.at[i].chosen = t->commanded = true;
	}
	return !n && !r.bad;
}

bool
perfdata_outside(const struct perfdata_tasks *t, uint32_t thread)
{
	return t->commanded && !t->process.at[t->thread.at[thread].process].inside;
}

uint32_t
perfdata_process(struct perfdata_tasks *t, uint32_t pid)
{
	uint32_t i;
	if (!idmap_add(&t->pid, pid, t->process.n, &i))
		return i;
	*vec_push(&t->process) = (struct perfdata_process){0};
	return i;
}

uint32_t
perfdata_thread(struct perfdata_tasks *t, uint32_t pid, uint32_t tid)
{
	uint32_t i = idmap_get(&t->tid, tid);
	if (i != IDMAP_NONE && t->thread.at[i].pid == pid)
		return i;
	struct perfdata_thread new = {.pid = pid,
				      .process = perfdata_process(t, pid),
				      .track = UINT32_MAX,
				      .alive = true};
	if (i != IDMAP_NONE) {
		/* Records of old kernels sometimes have the pid 0 or -1. */
		new.comm = t->thread.at[i].comm;
		new.track = t->thread.at[i].track;
		if (t->thread.at[i].alive)
			t->process.at[t->thread.at[i].process].threads--;
		t->process.at[new.process].threads++;
		t->thread.at[i] = new;
		return i;
	}
	t->process.at[new.process].threads++;
	i = (uint32_t)t->thread.n;
	*vec_push(&t->thread) = new;
	idmap_put(&t->tid, tid, i);
	return i;
}

void
perfdata_fork(struct perfdata_tasks *t, uint32_t pid, uint32_t tid, uint32_t ppid,
	      uint32_t ptid, bool with_maps)
{
	uint32_t parent = perfdata_thread(t, ppid, ptid);
	uint32_t child = perfdata_thread(t, pid, tid);
	if (child == parent)
		return;
	t->thread.at[child].comm = t->thread.at[parent].comm;
	t->thread.at[child].track = UINT32_MAX;
	if (!t->thread.at[child].alive) {
		t->thread.at[child].alive = true;
		t->process.at[t->thread.at[child].process].threads++;
	}
	if (pid == ppid)
		return;
	struct perfdata_process *to = &t->process.at[t->thread.at[child].process];
	struct perfdata_process *from = &t->process.at[t->thread.at[parent].process];
	/* This changes here and not at the exit, because the last samples of a process follow its
	 * exit. */
	to->inside = from->inside || to->chosen;
	maps_drop(t, to->maps);
	to->maps = with_maps ? from->maps : NULL;
	if (to->maps)
		to->maps->users++;
}

void
perfdata_exit(struct perfdata_tasks *t, uint32_t pid, uint32_t tid)
{
	uint32_t i = perfdata_thread(t, pid, tid);
	struct perfdata_thread *thread = &t->thread.at[i];
	struct perfdata_process *p = &t->process.at[thread->process];
	if (!thread->alive)
		return;
	thread->alive = false;
	if (--p->threads)
		return;
	maps_drop(t, p->maps);
	p->maps = NULL;
}

void
perfdata_exec(struct perfdata_tasks *t, uint32_t pid)
{
	uint32_t i = perfdata_process(t, pid);
	struct perfdata_process *p = &t->process.at[i];
	struct perfdata_maps *old = p->maps;
	if (!old || !old->map.n)
		return;
	p->maps = mem_zalloc(1, sizeof *p->maps);
	p->maps->users = 1;
	p->maps->version = p->maps->code = ++t->version;
	p->maps->before = old;
	/* One program back is enough. */
	if (old->users == 1) {
		maps_drop(t, old->before);
		old->before = NULL;
	}
}

/* Returns the process's own table, for changes. */
static struct perfdata_maps *
own_maps(struct perfdata_tasks *t, uint32_t process)
{
	struct perfdata_process *p = &t->process.at[process];
	struct perfdata_maps *old = p->maps;
	if (!old || old->users > 1) {
		p->maps = mem_zalloc(1, sizeof *p->maps);
		p->maps->users = 1;
		if (old && t->copied + old->map.n <= COPIED_MAX) {
			vec_reserve(&p->maps->map, old->map.n + 1);
			if (old->map.n)
				memcpy(p->maps->map.at, old->map.at,
				       old->map.n * sizeof *old->map.at);
			p->maps->map.n = p->maps->copied = old->map.n;
			t->copied += old->map.n;
			p->maps->code = old->code;
			p->maps->before = old->before;
			if (old->before)
				old->before->users++;
		}
		maps_drop(t, old);
	}
	p->maps->version = ++t->version;
	return p->maps;
}

/* Returns the first map that ends after an address. */
static size_t
first_behind(const struct perfdata_maps *m, uint64_t address)
{
	return bisect(i, m->map.n, m->map.at[i].end <= address);
}

bool
perfdata_map(struct perfdata_tasks *t, uint32_t process, struct perfdata_map m)
{
	if (m.end <= m.start)
		return false;
	struct perfdata_maps *all = own_maps(t, process);
	size_t first = first_behind(all, m.start), last = first;
	bool code = m.executable || !all->code;
	for (; last < all->map.n && all->map.at[last].start < m.end; last++)
		code |= all->map.at[last].executable;
	if (code)
		all->code = all->version;
	/* [first, last) overlap the range; their parts outside of it remain. */
	struct perfdata_map piece[3];
	size_t n = 0;
	if (last > first && all->map.at[first].start < m.start) {
		piece[n] = all->map.at[first];
		piece[n++].end = m.start;
	}
	piece[n++] = m;
	if (last > first && all->map.at[last - 1].end > m.end) {
		piece[n] = all->map.at[last - 1];
		piece[n].offset += m.end - piece[n].start;
		piece[n++].start = m.end;
	}
	size_t rest = all->map.n - last;
	vec_reserve(&all->map, first + n + rest);
	memmove(all->map.at + first + n, all->map.at + last, rest * sizeof m);
	memcpy(all->map.at + first, piece, n * sizeof m);
	all->map.n = first + n + rest;
	return true;
}

const struct perfdata_map *
perfdata_find(const struct perfdata_tasks *t, uint32_t process, uint64_t address)
{
	const struct perfdata_maps *all = t->process.at[process].maps;
	for (unsigned i = 0; all && i < 2; i++, all = all->before) {
		size_t at = first_behind(all, address);
		if (at < all->map.n && all->map.at[at].start <= address)
			return &all->map.at[at];
	}
	return NULL;
}

bool
perfdata_no_code(const struct perfdata_tasks *t, uint32_t process, uint64_t address)
{
	if (process == UINT32_MAX || !t->process.at[process].maps)
		return false;
	const struct perfdata_map *map = perfdata_find(t, process, address);
	return !map || !map->executable;
}
