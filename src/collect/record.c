/* The kernel reports names, maps and forks as they happen.  Earlier ones, and everything that
 * ptrace sees, are taken from /proc and written as records of the same form (linux/perf_event.h),
 * so readers need not distinguish the writers.
 *
 * A process's executable maps are recorded, and for unwinding the read-only data of files
 * (.eh_frame), marked as data.  When a process is examined again (it may have called dlopen), only
 * new maps are written: an address range with the same file and offset is written once.  An
 * unmapped range needs no record, since nothing runs there.
 *
 * The used size follows a copy of the stack.  Unused space is most of a profile's size;
 * record_trim() removes it. */
#include "src/collect/record.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/buildid.h"
#include "src/input/clock.h"

struct known_map {
	uint64_t start, len, offset, inode;
	bool code;
};

struct record_known {
	VEC(struct known_map) map;
};

uint64_t
record_registers(void)
{
#if defined(__x86_64__)
	return 0xff0fff; /* all of enum perf_event_x86_regs but DS, ES, FS, GS */
#elif defined(__aarch64__)
	return 0x1ffffffff; /* x0 to x30, sp, pc */
#else
	return 0;
#endif
}

uint64_t
record_place_registers(void)
{
#if defined(__x86_64__)
	return 1u << 7 | 1u << 8;
#elif defined(__aarch64__)
	return (uint64_t)3 << 31;
#else
	return 0;
#endif
}

bool
record_sample_registers(const struct perf_event_header *sample, uint64_t sample_type,
			uint64_t to[RECORD_REGISTERS])
{
	const uint8_t *from = (const uint8_t *)sample;
	uint64_t at = sizeof(struct record_sample), words = 0, mask = record_registers();
	size_t size = (size_t)__builtin_popcountll(mask) * sizeof *to;
	uint32_t raw = 0;

	if (!(sample_type & PERF_SAMPLE_REGS_USER) || size > RECORD_REGISTERS * sizeof *to)
		return false;
	if (at + sizeof words <= sample->size)
		memcpy(&words, from + at, sizeof words);
	if (words > sample->size)
		return false;
	at += (words + 1) * sizeof words;
	if (sample_type & PERF_SAMPLE_RAW && at + sizeof raw <= sample->size) {
		memcpy(&raw, from + at, sizeof raw);
		at += sizeof raw + (uint64_t)raw;
	}
	if (at + sizeof words + size > sample->size)
		return false;
	memcpy(&words, from + at, sizeof words);
	memcpy(to, from + at + sizeof words, size);
	return words == PERF_SAMPLE_REGS_ABI_64;
}

uint64_t
record_stack_pointer(const uint64_t *registers)
{
#if defined(__x86_64__)
	return registers[7];
#elif defined(__aarch64__)
	return registers[31];
#else
	(void)registers;
	return 0;
#endif
}

uint64_t
record_now(void)
{
	return (uint64_t)clock_ns();
}

size_t
record_begin(struct buf *out, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = out->len;
	buf_add(out, &h, sizeof h);
	return at;
}

void
record_end(struct buf *out, size_t at)
{
	uint16_t size = (uint16_t)(out->len - at);
	memcpy(out->at + at + offsetof(struct perf_event_header, size), &size,
	       sizeof size);
}

/* Adds text with its NUL, padded to whole words. */
static void
record_add_text(struct buf *out, const char *text, size_t max)
{
	size_t len = strnlen(text, max - 1);
	buf_add(out, text, len);
	do
		buf_addc(out, '\0');
	while (++len % 8);
}

static void
add_tail(struct buf *out, struct record_task t)
{
	struct record_tail tail = {t.pid, t.tid, t.time, 0, 0, 0};
	buf_add(out, &tail, sizeof tail);
}

void
record_comm(struct buf *out, struct record_task t, const char *name, bool exec)
{
	uint16_t misc = PERF_RECORD_MISC_USER | (exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	size_t at = record_begin(out, PERF_RECORD_COMM, misc);
	uint32_t ids[2] = {t.pid, t.tid};
	buf_add(out, ids, sizeof ids);
	record_add_text(out, name, 16);
	add_tail(out, t);
	record_end(out, at);
}

void
record_fork(struct buf *out, struct record_task t, uint32_t ppid, uint32_t ptid)
{
	size_t at = record_begin(out, PERF_RECORD_FORK, PERF_RECORD_MISC_USER);
	uint32_t ids[4] = {t.pid, ppid, t.tid, ptid};
	buf_add(out, ids, sizeof ids);
	buf_add(out, &t.time, sizeof t.time);
	add_tail(out, t);
	record_end(out, at);
}

void
record_switch(struct buf *out, struct record_task t, bool leaves)
{
	size_t at = record_begin(out, PERF_RECORD_SWITCH,
				 leaves ? PERF_RECORD_MISC_SWITCH_OUT : 0);
	add_tail(out, t);
	record_end(out, at);
}

void
record_cgroup(struct buf *out, uint64_t id, const char *path)
{
	size_t at = record_begin(out, PERF_RECORD_CGROUP, 0);

	buf_add(out, &id, sizeof id);
	record_add_text(out, path, PATH_MAX);
	add_tail(out, (struct record_task){0});
	record_end(out, at);
}

void
record_mmap(struct buf *out, struct record_task t, const struct record_map *m)
{
	uint16_t data = m->prot & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA;
	uint16_t id = m->build_id_len ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	size_t at = record_begin(out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | data | id);
	uint32_t ids[2] = {t.pid, t.tid}, device[2] = {m->major, m->minor};
	uint64_t range[3] = {m->start, m->len, m->offset};
	uint64_t inode[2] = {m->inode, 0};
	uint32_t use[2] = {m->prot, MAP_PRIVATE};
	buf_add(out, ids, sizeof ids);
	buf_add(out, range, sizeof range);
	uint8_t build_id[24] = {(uint8_t)m->build_id_len};
	memcpy(build_id + 4, m->build_id, sizeof m->build_id);
	if (id)
		buf_add(out, build_id, sizeof build_id);
	else {
		buf_add(out, device, sizeof device);
		buf_add(out, inode, sizeof inode);
	}
	buf_add(out, use, sizeof use);
	record_add_text(out, m->path, 4096);
	add_tail(out, t);
	record_end(out, at);
}

/* Reads `ffffffff81000000 T _text`; returns 0 if the addresses are hidden. */
static uint64_t
kernel_text(void)
{
	char line[256];
	uint64_t text = 0, at;
	FILE *f = fopen("/proc/kallsyms", "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f)) {
		char *end, *name;
		at = strtoull(line, &end, 16);
		name = strlen(end) > 3 ? end + 3 : end;
		if (!at)
			break;
		if (!strcmp(name, "_text\n")) {
			text = at;
			break;
		}
	}
	fclose(f);
	return text;
}

void
record_kernel(struct buf *out)
{
	uint64_t text = kernel_text();
	if (!text)
		return;
	size_t at = record_begin(out, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	uint32_t ids[2] = {UINT32_MAX, 0};
	uint64_t range[3] = {text, UINT64_MAX - text, text};
	buf_add(out, ids, sizeof ids);
	buf_add(out, range, sizeof range);
	record_add_text(out, "[kernel.kallsyms]_text", 64);
	add_tail(out, (struct record_task){UINT32_MAX, 0, 0});
	record_end(out, at);
}

const char *
record_mmap2_of(const struct perf_event_header *record, struct record_mmap2 *out)
{
	const char *path = (const char *)record + sizeof *out;

	if (record->type != PERF_RECORD_MMAP2 ||
	    record->size <= sizeof *out + sizeof(struct record_tail) ||
	    !memchr(path, 0, record->size - sizeof *out))
		return NULL;
	memcpy(out, record, sizeof *out);
	return path;
}

size_t
record_path_len(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t len = strlen(path), n = sizeof suffix - 1;

	return len > n && !strcmp(path + len - n, suffix) ? len - n : len;
}

void
record_map_link(uint32_t pid, uint64_t start, uint64_t len, char out[96])
{
	snprintf(out, 96, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid, start,
		 start + len);
}

/* ---- a process, from /proc ---- */

static bool
is_code(const struct record_map *m)
{
	return m->prot & PROT_EXEC;
}

static struct known_map
known_map(const struct record_map *m)
{
	return (struct known_map){m->start, m->len, m->offset, m->inode, is_code(m)};
}

static bool
is_news(struct record_known **known, const struct record_map *m)
{
	if (!known)
		return true;
	if (!*known)
		*known = mem_zalloc(1, sizeof **known);
	for (size_t i = 0; i < (*known)->map.n; i++) {
		struct known_map *k = &(*known)->map.at[i];
		if (k->start != m->start)
			continue;
		bool same = k->len == m->len && k->offset == m->offset &&
			    k->inode == m->inode;
		same &= k->code == is_code(m);
		*k = known_map(m);
		return !same;
	}
	*vec_push(&(*known)->map) = known_map(m);
	return true;
}

/* Returns true if /proc/PID/exe is a link to a file of this path. */
static bool
is_program(uint32_t pid, const char *path, char exe[64])
{
	char to[4096 + 64];

	snprintf(exe, 64, "/proc/%" PRIu32 "/exe", pid);
	ssize_t n = readlink(exe, to, sizeof to);
	return n > 0 && (size_t)n == strlen(path) && !memcmp(to, path, (size_t)n);
}

/* Uses the path as the process sees it, since it may have its own root.  A file that has lost its
 * name is found by links: root may follow those of all maps, others that of the program. */
static void
find_build_id(struct record_task t, struct record_map *m, struct buildids *ids)
{
	struct buildid_file file = {
		.major = m->major, .minor = m->minor, .inode = m->inode, .path = m->path};
	bool named = !m->path[record_path_len(m->path)];
	char path[4096 + 64], link[96], exe[64];
	const char *reach = path;

	if (!m->inode || *m->path != '/')
		return;
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", t.pid, m->path);
	record_map_link(t.pid, m->start, m->len, link);
	if (!buildids_get(ids, &file, &reach, named, named ? NULL : link, m->build_id,
			  &m->build_id_len) &&
	    !named && is_program(t.pid, m->path, exe))
		buildids_get(ids, &file, NULL, 0, exe, m->build_id, &m->build_id_len);
}

/* start-end perms offset major:minor inode path */
static void
record_write_map(struct buf *out, struct record_task t, struct record_known **known,
		 struct buildids *ids, char *line)
{
	struct record_map m = {0};
	uint64_t end;
	char perms[8];
	int used = 0;
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &m.start, &end, perms, &m.offset, &m.major, &m.minor, &m.inode,
		   &used) < 7 ||
	    !used)
		return;
	m.prot = strchr(perms, 'x') ? PROT_READ | PROT_EXEC : PROT_READ;
	/* writable maps contain neither code nor call frame information */
	if (!is_code(&m) && (strchr(perms, 'w') || !m.inode))
		return;
	m.len = end - m.start;
	m.path = line[used] ? line + used : "//anon";
	if (!is_news(known, &m))
		return;
	find_build_id(t, &m, ids);
	record_mmap(out, t, &m);
}

bool
record_read_comm(pid_t tid, char name[RECORD_COMM_SIZE])
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/comm", (int)tid);
	FILE *f = fopen(path, "re");
	if (!f || !fgets(name, RECORD_COMM_SIZE, f))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (f)
		fclose(f);
	return f != NULL;
}

/* Adds the name of a thread, if it still exists. */
static bool
record_write_comm(struct buf *out, struct record_task t)
{
	char name[RECORD_COMM_SIZE];
	bool lives = record_read_comm((pid_t)t.tid, name);

	if (*name)
		record_comm(out, t, name, false);
	return lives;
}

pid_t
record_process_of(pid_t tid)
{
	char path[64], line[256];
	int pid = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid > 0 ? pid : tid;
}

/* True unless it is a zombie (Z) or gone (X). */
static bool
is_alive(const char *path)
{
	char line[512] = "";
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	size_t n = fread(line, 1, sizeof line - 1, f);
	fclose(f);
	line[n] = '\0';
	/* PID (NAME) STATE ..., and a name may hold brackets */
	const char *end = strrchr(line, ')');
	return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

bool
record_task_runs(pid_t tid)
{
	char path[64 + NAME_MAX];
	bool runs;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
	runs = is_alive(path);
	if (runs || record_process_of(tid) != tid)
		return runs;
	/* the first thread may end before the others */
	snprintf(path, sizeof path, "/proc/%d/task", (int)tid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && !runs && (d = readdir(dir));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)tid, d->d_name);
		runs = d->d_name[0] != '.' && is_alive(path);
	}
	if (dir)
		closedir(dir);
	return runs;
}

void
record_threads(struct buf *out, struct record_task t)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", t.pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		struct record_task other = {t.pid, (uint32_t)atoi(d->d_name), t.time};
		if (other.tid && other.tid != t.pid)
			record_write_comm(out, other);
	}
	if (dir)
		closedir(dir);
}

/* Returns NULL if the task is gone. */
static FILE *
open_maps(const char *path, bool *empty)
{
	FILE *f = fopen(path, "re");
	int first = f ? getc(f) : EOF;

	*empty = first == EOF;
	if (first != EOF)
		ungetc(first, f);
	return f;
}

/* The same for a process: if its first thread has ended alone, that has none any more, but the
 * other threads have. */
static FILE *
open_process_maps(uint32_t pid)
{
	char path[64];
	bool empty;

	snprintf(path, sizeof path, "/proc/%" PRIu32 "/maps", pid);
	FILE *f = open_maps(path, &empty);
	if (!f || !empty)
		return f;
	snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && empty && (d = readdir(dir));) {
		if (strtoul(d->d_name, NULL, 10) == pid || d->d_name[0] == '.')
			continue;
		if (f)
			fclose(f);
		snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%.20s/maps", pid, d->d_name);
		f = open_maps(path, &empty);
	}
	if (dir)
		closedir(dir);
	return f;
}

bool
record_process(struct buf *out, struct record_task t, struct record_known **known,
	       struct buildids *ids)
{
	char line[4096 + 256];
	if ((!known || !*known) && !record_write_comm(out, t))
		return false;
	FILE *f = open_process_maps(t.pid);
	if (!f)
		return false;
	while (fgets(line, sizeof line, f))
		record_write_map(out, t, known, ids, line);
	fclose(f);
	return true;
}

bool
record_known_has(const struct record_known *k, uint64_t at)
{
	for (size_t i = 0; k && i < k->map.n; i++)
		if (k->map.at[i].code && at - k->map.at[i].start < k->map.at[i].len)
			return true;
	return false;
}

void
record_known_free(struct record_known *k)
{
	if (k)
		vec_release(&k->map);
	free(k);
}

/* ---- the end of a sample ---- */

void
record_trim(struct perf_event_header *rec, const struct perf_event_attr *attr)
{
	uint8_t *base = (uint8_t *)rec;
	size_t at = sizeof(struct record_sample);
	uint64_t n, reserved, used;
	if (rec->type != PERF_RECORD_SAMPLE ||
	    !(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN) {
		memcpy(&n, base + at, 8);
		at += 8 + 8 * n;
	}
	if (attr->sample_type & PERF_SAMPLE_RAW) {
		uint32_t raw;
		memcpy(&raw, base + at, sizeof raw);
		at += sizeof raw + raw;
	}
	if (at + 8 > rec->size)
		return;
	memcpy(&n, base + at, 8); /* which registers: 0, or an ABI */
	at += 8;
	if (n)
		at += 8 * (size_t)__builtin_popcountll(attr->sample_regs_user);
	if (at + 16 > rec->size)
		return;
	memcpy(&reserved, base + at, 8);
	if (!reserved || at + 16 + reserved > rec->size)
		return;
	memcpy(&used, base + at + 8 + reserved, 8);
	/* a copy of size 0 has no used size either, so one word is kept */
	used = used < reserved ? (used + 7) & ~(uint64_t)7 : reserved;
	used = used ? used : 8;
	memcpy(base + at, &used, 8);
	memmove(base + at + 8 + used, base + at + 8 + reserved,
		rec->size - (at + 8 + reserved));
	rec->size = (uint16_t)(rec->size - (reserved - used));
}
