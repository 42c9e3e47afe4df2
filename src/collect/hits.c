/* A hit is one period of CPU time, at an address of a process.  Its function depends on the maps at
 * that moment.  So samples and maps are kept for the length of one run (40 bytes each), sorted by
 * time, and replayed.
 *
 * A forked process has its parent's maps until it calls exec: they are looked up in the parent, not
 * copied, since a build forks thousands of times.
 *
 * Functions are only counted in the program under test, in any process that runs it. Everything
 * else is an area with the name of its file in brackets, which no function can have.  Samples of
 * later runs count for the same function, wherever it was loaded. */
#include "src/collect/hits.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/base/ordered.h"
#include "src/collect/record.h"

#define NO_PARENT SIZE_MAX

struct hits_event {
	uint64_t time;
	uint32_t type; /* PERF_RECORD_ SAMPLE, MMAP2, COMM (an exec), FORK */
	uint32_t pid;
	uint64_t at;          /* address; of a FORK the parent */
	uint64_t len, offset; /* of a map; for a sample its weight, and the CPU's mode */
	uint32_t path, order;
};

struct hits_map {
	uint64_t start, len, offset;
	uint32_t path;
};

struct hits_task {
	uint32_t pid;
	size_t parent; /* the process whose maps it still has */
	VEC(struct hits_map) map;
};

struct hits *
hits_new(const char *program, struct functions *f, uint64_t period)
{
	struct hits *h = mem_zalloc(1, sizeof *h);
	h->program = program;
	h->functions = f;
	h->period = period;
	return h;
}

static uint32_t
path_number(struct hits *h, const char *path)
{
	for (size_t i = h->paths.n; i-- > 0;)
		if (!strcmp(h->paths.at[i], path))
			return (uint32_t)i;
	*vec_push(&h->paths) = mem_dup(path, strlen(path));
	return (uint32_t)(h->paths.n - 1);
}

/* Returns how many periods a sample represents: one if the counter has a fixed period. Otherwise
 * the remainder counts for the next one. */
static uint64_t
hits_weight(struct hits *h, uint64_t period)
{
	uint64_t sum = h->rest + period, n = sum / h->period;
	/* the kernel's periods are a few ns off */
	if (period > h->period - h->period / 100 && period < h->period + h->period / 100)
		return 1;
	h->rest = sum % h->period;
	return n;
}

bool
hits_take(void *ctx, const struct perf_event_header *rec, struct err *e)
{
	struct hits *h = ctx;
	struct hits_event v = {.type = rec->type};
	(void)e;
	if (rec->size < sizeof *rec + sizeof(struct record_tail))
		return true; /* the end of a round */
	v.pid = record_half(rec, 8);
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		v.at = record_word(rec, offsetof(struct record_sample, ip));
		v.pid = record_half(rec, offsetof(struct record_sample, pid));
		v.time = record_word(rec, offsetof(struct record_sample, time));
		v.len = hits_weight(h, record_period(rec));
		v.offset = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		break;
	case PERF_RECORD_MMAP2:
		if (rec->misc & PERF_RECORD_MISC_MMAP_DATA)
			return true;
		v.at = record_word(rec, 16);
		v.len = record_word(rec, 24);
		v.offset = record_word(rec, 32);
		v.path = path_number(h, (const char *)rec + 72);
		break;
	case PERF_RECORD_COMM:
		if (!(rec->misc & PERF_RECORD_MISC_COMM_EXEC))
			return true;
		break;
	case PERF_RECORD_FORK:
		v.at = record_half(rec, 12);
		if (v.at == v.pid)
			return true; /* a thread */
		break;
	default:
		return true;
	}
	if (rec->type != PERF_RECORD_SAMPLE)
		v.time = record_tail_of(rec).time;
	v.order = (uint32_t)h->events.n;
	*vec_push(&h->events) = v;
	return true;
}

ORDERED_BY_TWO(compare_events, struct hits_event, time, order)

/* ---- replaying ---- */

static size_t
task_number(struct hits *h, uint32_t pid)
{
	for (size_t i = h->tasks.n; i-- > 0;)
		if (h->tasks.at[i].pid == pid)
			return i;
	*vec_push(&h->tasks) = (struct hits_task){.pid = pid, .parent = NO_PARENT};
	return h->tasks.n - 1;
}

static const struct hits_map *
find_map(const struct hits *h, size_t task, uint64_t at)
{
	for (; task != NO_PARENT; task = h->tasks.at[task].parent) {
		const struct hits_task *t = &h->tasks.at[task];
		for (size_t i = t->map.n; i-- > 0;)
			if (at - t->map.at[i].start < t->map.at[i].len)
				return &t->map.at[i];
	}
	return NULL;
}

static struct hits_area *
area_named(struct hits *h, const char *name, uint64_t address)
{
	struct hits_area *a;
	for (size_t i = 0; i < h->areas.n; i++) {
		a = &h->areas.at[i];
		if (!strcmp(a->name, name)) {
			if (!a->address)
				a->address = address;
			return a;
		}
	}
	a = vec_push(&h->areas);
	*a = (struct hits_area){mem_dup(name, strlen(name)), address, 0};
	return a;
}

/* "/lib/x86_64-linux-gnu/libc.so.6" is [libc.so.6]; memory without a file is one area. */
static struct hits_area *
area_of_path(struct hits *h, const char *path, uint64_t address)
{
	struct buf name = BUF_INIT;
	const char *base = base_name(path);
	if (*path == '[')
		buf_adds(&name, path);
	else if (*path != '/' || !strncmp(path, "//", 2) || base == path)
		buf_adds(&name, "[anonymous memory]");
	else
		buf_addf(&name, "[%s]", base);
	struct hits_area *a = area_named(h, buf_str(&name), address);
	buf_release(&name);
	return a;
}

static bool
is_program(const struct hits *h, uint32_t path)
{
	return !strcmp(h->paths.at[path], h->program);
}

static void
replay_map(struct hits *h, const struct hits_event *v)
{
	size_t task = task_number(h, v->pid);
	uint64_t address;
	*vec_push(&h->tasks.at[task].map) =
		(struct hits_map){v->at, v->len, v->offset, v->path};
	if (!is_program(h, v->path)) {
		area_of_path(h, h->paths.at[v->path], v->at);
	} else if (!h->loaded && functions_address(h->functions, v->offset, &address)) {
		h->loaded = true;
		h->base = v->at - address;
	}
}

static void
replay_sample(struct hits *h, const struct hits_event *v)
{
	uint64_t address = 0;
	h->total += v->len;
	if (v->offset != PERF_RECORD_MISC_USER) {
		area_named(h, "[kernel]", v->at)->hits += v->len;
		return;
	}
	const struct hits_map *m = find_map(h, task_number(h, v->pid), v->at);
	if (!m) {
		area_named(h, "[unknown]", v->at)->hits += v->len;
	} else if (!is_program(h, m->path)) {
		area_of_path(h, h->paths.at[m->path], m->start)->hits += v->len;
	} else {
		struct function_place *f = NULL;
		if (functions_address(h->functions, v->at - m->start + m->offset,
				      &address))
			f = functions_find(h->functions, address);
		if (f)
			f->hits += v->len;
		else
			h->unnamed += v->len;
	}
}

void
hits_count(struct hits *h)
{
	if (h->events.n)
		qsort(h->events.at, h->events.n, sizeof *h->events.at, compare_events);
	for (size_t i = 0; i < h->events.n; i++) {
		const struct hits_event *v = &h->events.at[i];
		struct hits_task *t;
		size_t own;
		switch (v->type) {
		case PERF_RECORD_SAMPLE:
			replay_sample(h, v);
			break;
		case PERF_RECORD_MMAP2:
			replay_map(h, v);
			break;
		case PERF_RECORD_COMM:
			own = task_number(h, v->pid);
			t = &h->tasks.at[own];
			t->map.n = 0;
			t->parent = NO_PARENT;
			break;
		default:
			/* process numbers are reused: this one is new */
			t = vec_push(&h->tasks);
			*t = (struct hits_task){.pid = v->pid, .parent = NO_PARENT};
			own = h->tasks.n - 1;
			size_t parent = task_number(h, (uint32_t)v->at);
			h->tasks.at[own].parent = parent < own ? parent : NO_PARENT;
		}
	}
	for (size_t i = 0; i < h->tasks.n; i++)
		vec_release(&h->tasks.at[i].map);
	h->tasks.n = 0;
	h->events.n = 0;
}

void
hits_add(struct hits *h, const char *area, uint64_t hits)
{
	area_named(h, area, 0)->hits += hits;
	h->total += hits;
}

void
hits_free(struct hits *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->areas.n; i++)
		free(h->areas.at[i].name);
	for (size_t i = 0; i < h->paths.n; i++)
		free(h->paths.at[i]);
	for (size_t i = 0; i < h->tasks.n; i++)
		vec_release(&h->tasks.at[i].map);
	vec_release(&h->areas);
	vec_release(&h->paths);
	vec_release(&h->events);
	vec_release(&h->tasks);
	free(h);
}
