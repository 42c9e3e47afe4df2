/* A runtime that compiles while it runs writes its map as it goes and leaves it at its end; some do
 * so only on request.  So the maps are read when the recording ends, for the processes that had
 * samples.  The records give these processes and their names. */
#include "src/collect/jitmaps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/record.h"
#include "src/symbol/roots.h"

#define MAP_BYTES (64u << 20)
#define ALL_BYTES (256u << 20)
#define HINT_SHARE 20u /* with a smaller share of all samples, names would matter little */

/* Names of runtimes, and the option that makes each write its map. */
static const struct runtime {
	const char *comm; /* prefix of the name */
	const char *how;
} runtimes[] = {
	{"node", "node --perf-basic-prof"},
	{"java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (from 17 on), "
		 "or perf-map-agent"},
	{"dotnet", "DOTNET_PerfMapEnabled=1"},
	{"php", "php -dopcache.jit_debug=16"},
};
#define RUNTIMES (sizeof runtimes / sizeof *runtimes)

struct jitmaps_process {
	uint32_t pid;
	uid_t owner; /* at its first record; 0: it was gone */
	bool sampled, mapped;
	bool dumps;  /* it writes a jitdump file */
	bool looked; /* its functions were read from its interpreter */
	uint64_t samples;
	uint8_t runtime; /* index + 1; 0: unknown */
};

struct jitmaps {
	VEC(struct jitmaps_process) process;
	uint64_t samples; /* of all */
	struct map of_pid;
};

struct jitmaps *
jitmaps_new(void)
{
	struct jitmaps *j = mem_zalloc(1, sizeof *j);

	map_init(&j->of_pid);
	return j;
}

static uid_t
owner_of(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof path, "/proc/%u", (unsigned)pid);
	return stat(path, &st) ? 0 : st.st_uid;
}

static struct jitmaps_process *
jitmaps_process_of(struct jitmaps *j, uint32_t pid)
{
	uint64_t hash = (uint64_t)pid * 0x9E3779B97F4A7C15u;
	uint32_t slot = map_first(&j->of_pid, hash), i;

	while (map_probe(&j->of_pid, &slot, hash, &i))
		if (j->process.at[i].pid == pid)
			return &j->process.at[i];
	map_insert(&j->of_pid, hash, (uint32_t)j->process.n);
	*vec_push(&j->process) = (struct jitmaps_process){.pid = pid, .owner = owner_of(pid)};
	return &j->process.at[j->process.n - 1];
}

/* u32 pid, tid; name */
static void
take_comm(struct jitmaps *j, const struct perf_event_header *record)
{
	const char *name = (const char *)record + sizeof *record + 8;
	size_t room = record->size - sizeof *record - 8 - sizeof(struct record_tail);
	uint32_t pid = record_half(record, sizeof *record), tid = record_half(record, 12);

	if (pid != tid)
		return; /* threads have names of their own */
	struct jitmaps_process *p = jitmaps_process_of(j, pid);
	if (record->misc & PERF_RECORD_MISC_COMM_EXEC) /* else only its name changes */
		p->runtime = 0;
	for (uint8_t i = 0; i < RUNTIMES && !p->runtime; i++) {
		size_t n = strlen(runtimes[i].comm);
		if (n < room && !strncmp(name, runtimes[i].comm, n))
			p->runtime = (uint8_t)(i + 1);
	}
}

/* A runtime maps its jitdump file, jit-PID.dump, to make it visible.  A map "//php/..." is a
 * function read from an interpreter (interp.c).  In MMAP pid, tid and three u64 precede the name,
 * in MMAP2 24 bytes for the file and two u32 more. */
static void
take_map(struct jitmaps *j, const struct perf_event_header *record)
{
	size_t at = sizeof *record + (record->type == PERF_RECORD_MMAP ? 32 : 64);
	char name[32];

	if (record->size <= at)
		return;
	const char *path = (const char *)record + at, *slash = NULL;
	size_t room = record->size - at, len = strnlen(path, room);
	for (size_t i = 0; i < len; i++)
		slash = path[i] == '/' ? path + i : slash;
	uint32_t pid = record_half(record, sizeof *record);
	int n = snprintf(name, sizeof name, "/jit-%u.dump", (unsigned)pid);
	if (slash && (size_t)(path + len - slash) == (size_t)n && !memcmp(slash, name, (size_t)n))
		jitmaps_process_of(j, pid)->dumps = true;
	if (len > 6 && !memcmp(path, "//php/", 6))
		jitmaps_process_of(j, pid)->looked = true;
}

/* Counts a sample in a process. */
static void
take_sample(struct jitmaps *j, uint32_t pid)
{
	struct jitmaps_process *p = jitmaps_process_of(j, pid);

	p->sampled = true;
	p->samples++;
	j->samples++;
}

void
jitmaps_take(struct jitmaps *j, const struct perf_event_header *record)
{
	if (record->type == PERF_RECORD_COMM &&
	    record->size > sizeof *record + 8 + sizeof(struct record_tail))
		take_comm(j, record);
	else if (record->type == PERF_RECORD_SAMPLE &&
		 record->size >= sizeof(struct record_sample))
		take_sample(j, record_half(record, offsetof(struct record_sample, pid)));
	else if (record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2)
		take_map(j, record);
}

/* A map of names is trusted if it belongs to root, to the recording user, or to the owner of the
 * process: any other user can put a file there, too. */
static bool
is_trusted(uid_t owner, const struct jitmaps_process *p)
{
	return owner == 0 || owner == geteuid() || owner == p->owner;
}

static int
jitmaps_open(uint32_t pid)
{
	char path[ROOTS_PATH_MOST];

	snprintf(path, sizeof path, "/tmp/perf-%u.map", (unsigned)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && symbol_roots_jit(pid, path))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	return fd;
}

/* Reads the text of a map, up to `max` bytes; returns false if there is no trusted one. */
static bool
jitmaps_read_map(const struct jitmaps_process *p, struct buf *text, size_t max)
{
	char part[16384];
	struct stat st;
	ssize_t n;

	int fd = jitmaps_open(p->pid);
	if (fd < 0)
		return false;
	bool good = !fstat(fd, &st) && S_ISREG(st.st_mode) && is_trusted(st.st_uid, p);
	while (good && text->len < max && (n = read(fd, part, sizeof part)) > 0)
		buf_add(text, part,
			(size_t)n < max - text->len ? (size_t)n : max - text->len);
	close(fd);
	return good && text->len > 0;
}

void
jitmaps_feature(struct jitmaps *j, struct buf *out)
{
	size_t count_at = out->len;
	struct buf text = BUF_INIT;
	uint32_t n = 0;

	buf_add(out, &n, sizeof n);
	for (size_t i = 0; i < j->process.n && out->len - count_at < ALL_BYTES; i++) {
		struct jitmaps_process *p = &j->process.at[i];
		buf_reset(&text);
		if (!p->sampled || !jitmaps_read_map(p, &text, MAP_BYTES))
			continue;
		uint32_t head[2] = {p->pid, (uint32_t)text.len};
		p->mapped = true;
		buf_add(out, head, sizeof head);
		buf_add(out, text.at, text.len);
		while ((out->len - count_at) % 8)
			buf_addc(out, '\0');
		n++;
	}
	memcpy(out->at + count_at, &n, sizeof n);
	if (!n)
		out->len = count_at;
	buf_release(&text);
}

void
jitmaps_hint(const struct jitmaps *j, struct buf *said)
{
	bool reported[RUNTIMES] = {false};

	for (size_t i = 0; i < j->process.n; i++) {
		const struct jitmaps_process *p = &j->process.at[i];
		if (p->samples < j->samples / HINT_SHARE + 1 || p->mapped || p->dumps ||
		    p->looked || !p->runtime || reported[p->runtime - 1])
			continue;
		const struct runtime *r = &runtimes[p->runtime - 1];
		reported[p->runtime - 1] = true;
		buf_addf(said, "pnav: %s can write the names of its functions if started as: %s\n",
			 r->comm, r->how);
	}
}

void
jitmaps_free(struct jitmaps *j)
{
	vec_release(&j->process);
	map_release(&j->of_pid);
	free(j);
}
