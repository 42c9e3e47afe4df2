/* Sampling by the kernel: perf_event_open(2).
 *
 * There is one counter a CPU and event, inherited by all descendants of the command; an inherited
 * counter on "any CPU" could not be mapped.  Each CPU has a ring.  Counters of further events, and
 * of further threads of running processes, write into the ring of the first one. Counters without a
 * process count the whole system.
 *
 * Rings are emptied when one is half full, and at least when the caller's clock ticks. A pass over
 * all rings is a round: after it every record older than the newest of the previous round has been
 * passed on, which is all that a reader needs to sort them.
 *
 * A counter is an open file: a process of a thousand threads needs more on each CPU than a shell
 * allows, so the limit is raised as far as the system permits.  The command, already waiting at its
 * gate, keeps its own limit.
 *
 * Requests that a system refuses are reduced step by step: the cycle counter (virtual machines have
 * none), build ids in maps (before Linux 5.12), the kernel's own time (perf_event_paranoid 2), the
 * size of the rings (perf_event_mlock_kb). */
#include "src/collect/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/collect/record.h"

/* 2 MB a CPU; an ordinary user may lock 516 kB, and so gets a quarter of this after two halvings */
#define RING_PAGES 512u

struct ring {
	struct perf_event_mmap_page *page;
	size_t page_bytes, data_bytes;
};

struct events {
	VEC(struct ring) rings;
	VEC(int) ring_fds; /* the counters that own the rings */
	VEC(int) others;
	VEC(int) tracking;          /* the counters of the first event */
	uint64_t record[65536 / 8]; /* one record, out of the ring */
	struct perf_event_attr attr;
};

/* Raises the limit of open files; returns true if it rose. */
static bool
raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= files.rlim_max)
		return false;
	files.rlim_cur = files.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &files);
}

/* The pointer to the path of a probe is for the kernel alone: the recording does not get it. */
static int
open_counter(const struct collect_event *event, pid_t pid, int cpu, bool cgroup)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (cgroup ? PERF_FLAG_PID_CGROUP : 0);
	struct perf_event_attr attr = event->attr;
	int fd;

	if (event->probed)
		attr.config1 = (uint64_t)(uintptr_t)event->probed;
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags);
	if (fd < 0 && errno == EMFILE)
		fd = raise_limit() ? (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags)
				   : (errno = EMFILE, -1);
	return fd;
}

/* Reduces the request; returns false if nothing is left to reduce. */
static bool
ask_for_less(struct collect_event *event, int fault)
{
	struct perf_event_attr *attr = &event->attr;

	if (!event->name && attr->type == PERF_TYPE_HARDWARE && fault != EACCES &&
	    fault != EPERM) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	} else if (fault == EINVAL && attr->build_id) {
		attr->build_id = 0;
	} else if (fault == EINVAL && attr->exclude_guest) {
		attr->exclude_guest = 0;
	} else if ((fault == EACCES || fault == EPERM) && !attr->exclude_kernel) {
		attr->exclude_kernel = attr->exclude_hv = 1;
	} else {
		return false;
	}
	return true;
}

static bool
map_ring(struct events *v, int fd)
{
	struct ring r = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
	for (size_t pages = RING_PAGES; pages; pages /= 2) {
		r.data_bytes = pages * r.page_bytes;
		void *at = mmap(NULL, r.page_bytes + r.data_bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED, fd, 0);
		if (at != MAP_FAILED) {
			r.page = at;
			*vec_push(&v->rings) = r;
			*vec_push(&v->ring_fds) = fd;
			return true;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return false;
}

/* The place of a CPU's counters. */
struct events_place {
	int cpu;
	int owner;  /* of its ring; -1: none yet */
	bool first; /* the first CPU, where the system's limits are found */
	bool tasks; /* counters are of tasks, but for probes */
	bool cgroup;
};

/* Opens a counter; returns true also if there is nothing to count. */
static bool
open_one(struct events *v, struct collect_event *event, pid_t tid, bool alone,
	 struct events_place *at, bool tracks)
{
	uint64_t id;
	int fd = open_counter(event, tid, at->cpu, at->cgroup);

	while (fd < 0 && at->first && ask_for_less(event, errno))
		fd = open_counter(event, tid, at->cpu, at->cgroup);
	if (fd < 0 && (errno == ENODEV || (errno == ESRCH && !alone)))
		return true; /* an offline CPU, or an ended thread */
	if (fd < 0)
		return false;
	if (at->owner >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, at->owner)) {
		*vec_push(&v->others) = fd;
	} else if (map_ring(v, fd)) {
		at->owner = fd;
	} else {
		int fault = errno;
		close(fd);
		errno = fault;
		return false;
	}
	if (tracks)
		*vec_push(&v->tracking) = fd;
	if (!ioctl(fd, PERF_EVENT_IOC_ID, &id))
		*vec_push(&event->ids) = id;
	return true;
}

static bool
open_on_cpu(struct events *v, struct eventlist *list, const pid_t *tid, size_t n,
	    struct events_place *at, size_t *failed)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list->at.n; k++) {
			bool all = at->tasks && list->at.at[k].probed;
			*failed = k;
			if (!(all && i > 0) &&
			    !open_one(v, &list->at.at[k], all ? -1 : tid[i], n == 1, at, k == 0))
				return false;
			at->first &= i == 0;
		}
	at->first = false;
	return true;
}

/* ---- whom, and where ---- */

struct threads {
	VEC(pid_t) tid;
};

/* Adds the threads of a process. */
static void
add_threads(struct threads *t, pid_t pid)
{
	char path[64];
	size_t before = t->tid.n;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0)
			*vec_push(&t->tid) = atoi(d->d_name);
	if (dir)
		closedir(dir);
	if (t->tid.n == before)
		*vec_push(&t->tid) = pid;
}

static void
add_target(struct threads *t, const struct sampler_target *target)
{
	if (!target->pid)
		*vec_push(&t->tid) = target->cgroup; /* -1: all */
	for (size_t i = 0; target->pid && i < target->n; i++)
		if (target->threads)
			*vec_push(&t->tid) = target->pid[i];
		else
			add_threads(t, target->pid[i]);
}

/* Reads a range of a list of CPUs, "3" or "0-2"; returns its end, or NULL if it is invalid. */
static const char *
events_read_range(const char *at, long *from, long *to)
{
	char *end;

	if (*at < '0' || *at > '9')
		return NULL;
	*from = *to = strtol(at, &end, 10);
	if (*end == '-') {
		at = end + 1;
		if (*at < '0' || *at > '9')
			return NULL;
		*to = strtol(at, &end, 10);
	}
	return *from <= *to && (!*end || *end == ',') ? end : NULL;
}

static bool
is_asked(const char *cpus, long cpu)
{
	long from, to;

	for (const char *at = cpus; at; at = *at ? at + 1 : NULL) {
		at = events_read_range(at, &from, &to);
		if (!at)
			return false;
		if (from <= cpu && cpu <= to)
			return true;
	}
	return !cpus;
}

bool
events_cpus_good(const char *cpus)
{
	long from, to, n = sysconf(_SC_NPROCESSORS_CONF);

	for (const char *at = cpus; at; at = *at ? at + 1 : NULL) {
		at = events_read_range(at, &from, &to);
		if (!at || to >= n)
			return false;
	}
	return true;
}

/* ---- all of it ---- */

static void
each_counter(struct events *v, unsigned long request)
{
	for (size_t i = 0; i < v->ring_fds.n; i++)
		ioctl(v->ring_fds.at[i], request, 0);
	for (size_t i = 0; i < v->others.n; i++)
		ioctl(v->others.at[i], request, 0);
}

struct events *
events_new(struct eventlist *list, struct sampler_target target, size_t *failed)
{
	struct events *v = mem_zalloc(1, sizeof *v);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct threads t = {VEC_INIT};
	struct events_place at = {
		.first = true, .tasks = target.pid != NULL, .cgroup = target.cgroup >= 0};
	bool good = true;

	for (size_t i = 0; i < list->at.n; i++) {
		struct collect_event *event = &list->at.at[i];
		bool all = at.tasks && event->probed; /* it sees no exec */
		event->ids.n = 0;
		event->attr.enable_on_exec = !all && !target.runs && (!target.waits || i == 0);
		event->attr.disabled = !all || target.runs || target.waits;
	}
	add_target(&t, &target);
	for (at.cpu = 0; good && at.cpu < cpus; at.cpu++)
		if (is_asked(target.cpus, at.cpu)) {
			at.owner = -1;
			good = open_on_cpu(v, list, t.tid.at, t.tid.n, &at, failed);
		}
	vec_release(&t.tid);
	if (good && !v->rings.n) {
		errno = ESRCH;
		good = false;
	}
	if (!good) {
		int fault = errno;
		events_free(v);
		errno = fault;
		return NULL;
	}
	v->attr = list->at.at[0].attr;
	return v;
}

void
events_start_tracking(struct events *v)
{
	for (size_t i = 0; i < v->tracking.n; i++)
		ioctl(v->tracking.at[i], PERF_EVENT_IOC_ENABLE, 0);
}

void
events_start(struct events *v)
{
	each_counter(v, PERF_EVENT_IOC_ENABLE);
}

/* Copies bytes [at, at + n) of a ring, which may wrap. */
static void
copy_out(const struct ring *r, uint64_t at, void *out, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + r->page_bytes;
	size_t from = (size_t)(at % r->data_bytes);
	size_t first = n < r->data_bytes - from ? n : r->data_bytes - from;
	memcpy(out, data + from, first);
	memcpy((uint8_t *)out + first, data, n - first);
}

static void
events_count(const struct perf_event_header *h, struct collect_result *r)
{
	if (h->type == PERF_RECORD_SAMPLE) {
		r->samples++;
		r->seen_ns += record_period(h);
	} else if (h->type == PERF_RECORD_LOST) {
		r->lost += record_word(h, 16);
	}
}

/* The kernel writes such a position in one piece. Compilers for 32 bits assume that the header's
 * fields are aligned to 4 bytes; they are to 8, since a page is. */
typedef uint64_t ring_position __attribute__((aligned(8)));

static bool
drain_ring(struct events *v, struct ring *r, const struct collect_sink *sink,
	   struct collect_result *res, struct err *e)
{
	const ring_position *data_head = (const void *)&r->page->data_head;
	ring_position *data_tail = (void *)&r->page->data_tail;
	uint64_t head = __atomic_load_n(data_head, __ATOMIC_ACQUIRE), tail = *data_tail;
	struct perf_event_header *h = (struct perf_event_header *)v->record;
	bool good = true;

	while (good && tail < head) {
		copy_out(r, tail, h, sizeof *h);
		uint16_t size = h->size;
		if (size < sizeof *h)
			break;
		copy_out(r, tail, h, size);
		tail += size;
		record_trim(h, &v->attr);
		events_count(h, res);
		good = sink->take(sink->ctx, h, e);
	}
	__atomic_store_n(data_tail, tail, __ATOMIC_RELEASE);
	return good;
}

bool
events_drain(struct events *v, const struct collect_sink *sink, struct collect_result *r,
	     struct err *e)
{
	/* perf's own record: only a header */
	const struct perf_event_header round = {.type = 68, .size = sizeof round};
	for (size_t i = 0; i < v->rings.n; i++)
		if (!drain_ring(v, &v->rings.at[i], sink, r, e))
			return false;
	return sink->take(sink->ctx, &round, e);
}

size_t
events_fds(const struct events *v, const int **fds)
{
	*fds = v->ring_fds.at;
	return v->ring_fds.n;
}

void
events_stop(struct events *v)
{
	each_counter(v, PERF_EVENT_IOC_DISABLE);
}

void
events_free(struct events *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->rings.n; i++)
		munmap(v->rings.at[i].page,
		       v->rings.at[i].page_bytes + v->rings.at[i].data_bytes);
	for (size_t i = 0; i < v->ring_fds.n; i++)
		close(v->ring_fds.at[i]);
	for (size_t i = 0; i < v->others.n; i++)
		close(v->others.at[i]);
	vec_release(&v->rings);
	vec_release(&v->ring_fds);
	vec_release(&v->others);
	vec_release(&v->tracking);
	free(v);
}
