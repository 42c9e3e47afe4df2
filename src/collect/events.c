/* Sampling by the kernel: perf_event_open(2).
 *
 * One counter a CPU, inherited by all that the command starts; an inherited counter on
 * "any CPU" could not be mapped.  Each CPU has a ring; the counters of further threads of
 * a process that runs already write into the ring of the first one.
 *
 * Rings are emptied when one is half full, and at least when the caller's clock ticks.
 * A pass over all rings is a round: after it every record older than the newest of the
 * round before has been given, which is all that a reader needs to sort them.
 *
 * What a system forbids is given up step by step: the cycle counter (virtual machines
 * have none), build ids in maps (before Linux 5.12), the kernel's own time
 * (perf_event_paranoid 2), the size of the rings (perf_event_mlock_kb). */
#include "src/collect/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/mem.h"
#include "model/vec.h"
#include "src/collect/collect.h"
#include "src/collect/record.h"

#define RING_PAGES 128u /* 516 kB a CPU is what an ordinary user may lock */

struct ring {
	struct perf_event_mmap_page *page;
	size_t page_bytes, data_bytes;
};

struct events {
	VEC(struct ring) rings;
	VEC(int) ring_fds; /* the counters that own them */
	VEC(int) others;
	uint64_t record[65536 / 8]; /* one, out of the ring */
	struct perf_event_attr attr;
};

static int
open_counter(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Takes something off what is asked for; false when nothing is left to give up. */
static bool
ask_for_less(struct perf_event_attr *attr, int fault)
{
	if (attr->type == PERF_TYPE_HARDWARE && fault != EACCES && fault != EPERM) {
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

static bool
open_on_cpu(struct events *v, struct perf_event_attr *attr, const pid_t *tid, size_t n,
	    int cpu)
{
	int owner = -1;
	for (size_t i = 0; i < n; i++) {
		int fd = open_counter(attr, tid[i], cpu);
		while (fd < 0 && cpu == 0 && i == 0 && ask_for_less(attr, errno))
			fd = open_counter(attr, tid[i], cpu);
		if (fd < 0 && (errno == ENODEV || (errno == ESRCH && n > 1)))
			continue; /* a CPU that is off, a thread that has ended */
		if (fd < 0)
			return false;
		if (owner >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner)) {
			*vec_push(&v->others) = fd;
		} else if (map_ring(v, fd)) {
			owner = fd;
		} else {
			int fault = errno;
			close(fd);
			errno = fault;
			return false;
		}
	}
	return true;
}

/* The threads of a process. */
static size_t
list_threads(pid_t pid, pid_t **out)
{
	char path[64];
	VEC(pid_t) tid = VEC_INIT;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		if (atoi(d->d_name) > 0)
			*vec_push(&tid) = atoi(d->d_name);
	if (dir)
		closedir(dir);
	if (!tid.n)
		*vec_push(&tid) = pid;
	*out = tid.at;
	return tid.n;
}

struct events *
events_new(struct perf_event_attr *attr, struct sampler_target target)
{
	struct events *v = mem_zalloc(1, sizeof *v);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	pid_t *tid;
	size_t n = list_threads(target.pid, &tid);
	bool good = true;

	attr->enable_on_exec = !target.runs;
	for (int cpu = 0; good && cpu < cpus; cpu++)
		good = open_on_cpu(v, attr, tid, n, cpu);
	free(tid);
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
	v->attr = *attr;
	for (size_t i = 0; target.runs && i < v->ring_fds.n; i++)
		ioctl(v->ring_fds.at[i], PERF_EVENT_IOC_ENABLE, 0);
	for (size_t i = 0; target.runs && i < v->others.n; i++)
		ioctl(v->others.at[i], PERF_EVENT_IOC_ENABLE, 0);
	return v;
}

/* Bytes [at, at + n) of a ring, which may go over its end. */
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
count(const struct perf_event_header *h, struct collect_result *r)
{
	uint64_t lost;
	if (h->type == PERF_RECORD_SAMPLE) {
		r->samples++;
		r->seen_ns += record_period(h);
	} else if (h->type == PERF_RECORD_LOST) {
		memcpy(&lost, (const uint8_t *)h + 16, sizeof lost);
		r->lost += lost;
	}
}

static bool
drain_ring(struct events *v, struct ring *r, const struct collect_sink *sink,
	   struct collect_result *res, struct err *e)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
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
		count(h, res);
		good = sink->take(sink->ctx, h, e);
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	return good;
}

bool
events_drain(struct events *v, const struct collect_sink *sink, struct collect_result *r,
	     struct err *e)
{
	/* perf's own record: nothing but a header */
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
	for (size_t i = 0; i < v->ring_fds.n; i++)
		ioctl(v->ring_fds.at[i], PERF_EVENT_IOC_DISABLE, 0);
	for (size_t i = 0; i < v->others.n; i++)
		ioctl(v->others.at[i], PERF_EVENT_IOC_DISABLE, 0);
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
	free(v);
}
