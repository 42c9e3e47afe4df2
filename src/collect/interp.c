/* interp.c - see interp.h.
 *
 * A process is examined near its first sample, while it runs: an executable map whose file is named
 * after an interpreter, the address of the interpreter's state by the file's symbols, its version.
 * interpreter.h has what differs between interpreters; everything here is the same for all.
 * A process without one is examined again after pauses that double, since programs load libraries
 * later.
 *
 * A look has two parts.  The pointers of all frames are read while the thread is stopped; what they
 * point to lives longer and is read afterwards.  Functions are remembered by the address of their
 * code object, and recognised by its pointers, because addresses are used again.
 *
 * Each function gets a range of addresses of its own, above those that a program can have, and a
 * record that maps its name there.  The record must not come later than any sample that uses it,
 * although the rings of other CPUs may hold earlier ones: so it is dated back to the time before
 * which nothing comes any more: the end of the last round but one (PERF_RECORD_FINISHED_ROUND). */
#include "src/collect/interp.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/elfdata.h"
#include "src/collect/farmem.h"
#include "src/collect/interpreter.h"
#include "src/collect/record.h"

/* src/decode/perf/perfdata_scripts.c has the same range */
#define SCRIPT_FIRST (UINT64_C(1) << 62)
#define SCRIPT_LINES (UINT32_C(1) << 20) /* of a function, and bytes of its range */
#define FUNCTIONS_MAX (UINT32_C(1) << 20)
#define FRAMES_READS 400u /* pages while the thread is stopped */
#define CODE_READS 4000u  /* afterwards */
#define RETRY_NS UINT64_C(20000000)
#define RETRY_MAX_NS UINT64_C(10000000000)
#define ROUND 68u         /* PERF_RECORD_FINISHED_ROUND */
#define RECORD_MAX 65528u
#define MAP_PATH 72u /* of PERF_RECORD_MMAP2: offset of the path */

/* A function, by the key of its frames. */
struct interp_function {
	uint64_t key;
	struct interpreter_code is;
	uint32_t id; /* of its range */
	uint8_t *lines;
	size_t lines_len;
};

struct interp_thread {
	uint32_t tid;
	uint64_t state;
};

struct interp_process {
	pid_t pid;
	const struct interpreter *is; /* of the interpreter that it runs; NULL: none is known */
	void *state;                  /* of that */
	uint64_t since;         /* it exists, or its program runs, from then on */
	uint64_t retry_at, pause;
	bool maps; /* it maps an interpreter, which may not be ready yet */
	VEC(struct interp_function) function;
	struct map of_key;
	VEC(struct interp_thread) thread;
};

/* A file that processes map: where its interpreter's state lies. */
struct interp_file {
	uint32_t major, minor;
	uint64_t inode, first;
	uint64_t symbol[INTERPRETER_SYMBOLS]; /* as the file states them */
	uint32_t stated;
	bool is;
};

/* A version whose layout is unknown, or whose file hides where its state is. */
struct interp_unknown {
	const struct interpreter *is;
	uint32_t version;
	bool hidden;
};

struct interp {
	VEC(struct interp_process) process;
	VEC(struct interp_file) file;
	struct farmem memory;
	uint64_t round[2];  /* when the last two rounds ended; 0: there was none */
	uint32_t functions; /* ranges given away */
	struct interpreter_frames frames; /* of the last look */
	pid_t looked;
	VEC(uint64_t) chain;
	bool reported; /* records of maps are passed, so that no process need be searched twice */
	struct buf text, name_of, file_of;
	VEC(struct interp_unknown) unknown;
};

struct interp *
interp_new(void)
{
	return mem_zalloc(1, sizeof(struct interp));
}

/* ---- processes ---- */

static void
forget_functions(struct interp_process *p)
{
	for (size_t i = 0; i < p->function.n; i++)
		free(p->function.at[i].lines);
	p->function.n = 0;
	p->thread.n = 0;
	map_release(&p->of_key);
	map_init(&p->of_key);
}

static void
interp_release_process(struct interp_process *p)
{
	forget_functions(p);
	free(p->state);
	map_release(&p->of_key);
	vec_release(&p->function);
	vec_release(&p->thread);
}

void
interp_free(struct interp *i)
{
	if (!i)
		return;
	for (size_t k = 0; k < i->process.n; k++)
		interp_release_process(&i->process.at[k]);
	vec_release(&i->process);
	vec_release(&i->file);
	vec_release(&i->frames.at);
	vec_release(&i->chain);
	vec_release(&i->unknown);
	buf_release(&i->text);
	buf_release(&i->name_of);
	buf_release(&i->file_of);
	free(i);
}

static struct interp_process *
interp_find(struct interp *i, pid_t pid)
{
	for (size_t k = 0; k < i->process.n; k++)
		if (i->process.at[k].pid == pid)
			return &i->process.at[k];
	return NULL;
}

static struct interp_process *
interp_process(struct interp *i, pid_t pid)
{
	struct interp_process *p = interp_find(i, pid);

	if (p)
		return p;
	p = vec_push(&i->process);
	*p = (struct interp_process){.pid = pid};
	map_init(&p->of_key);
	return p;
}

static void
interp_drop(struct interp *i, pid_t pid)
{
	struct interp_process *p = interp_find(i, pid);

	if (!p)
		return;
	interp_release_process(p);
	*p = i->process.at[--i->process.n];
}

/* ---- recognising ---- */

#define INTERPRETER_ROW(name) &interpreter_##name,
static const struct interpreter *const interpreters[] = {INTERPRETERS(INTERPRETER_ROW)};
#define INTERPRETERS_N (sizeof interpreters / sizeof *interpreters)

/* Returns the interpreter after which a file is named, NULL: none, and the version in its name:
 * "python3.11", "libruby-3.1.so.3.1.2", "php8.2". */
static const struct interpreter *
named_after(const char *path, uint32_t *version)
{
	const char *base = strrchr(path, '/');
	unsigned major, minor;

	*version = 0;
	base = base ? base : path;
	for (size_t k = 0; k < INTERPRETERS_N; k++) {
		const char *at = strstr(base, interpreters[k]->name);
		if (!at)
			continue;
		at += strlen(interpreters[k]->name);
		if (sscanf(at + (*at == '-'), "%2u.%2u", &major, &minor) == 2)
			*version = major << 24 | minor << 16;
		return interpreters[k];
	}
	return NULL;
}

bool
interp_program(const char *path)
{
	char line[256] = "";
	uint32_t version;
	bool is = named_after(path, &version) != NULL;

	FILE *f = is ? NULL : fopen(path, "re");
	if (f && fgets(line, sizeof line, f) && !strncmp(line, "#!", 2))
		for (size_t k = 0; k < INTERPRETERS_N; k++)
			is |= strstr(line, interpreters[k]->name) != NULL;
	if (f)
		fclose(f);
	return is;
}

/* A mapped file, from /proc/PID/maps. */
struct interp_map {
	uint64_t start, offset, inode;
	uint32_t major, minor;
	const char *path;
};

/* Finds a mapped file. The kernel names it as we see it if our root contains that of the process
 * (chroot); else as the process does. */
static void
path_of_map(pid_t pid, const struct interp_map *m, char *out, size_t size)
{
	struct stat st;

	snprintf(out, size, "/proc/%d/root%s", (int)pid, m->path);
	if (stat(out, &st) != 0 || st.st_ino != m->inode)
		snprintf(out, size, "%s", m->path);
}

static const struct interp_file *
examine_file(struct interp *i, pid_t pid, const struct interpreter *is, const struct interp_map *m)
{
	char path[4096 + 64];
	struct elfdata data[INTERPRETER_SYMBOLS];
	size_t n = 0;

	for (size_t k = 0; k < i->file.n; k++) {
		const struct interp_file *f = &i->file.at[k];
		if (f->inode == m->inode && f->major == m->major && f->minor == m->minor)
			return f;
	}
	struct interp_file *f = vec_push(&i->file);
	*f = (struct interp_file){.major = m->major, .minor = m->minor, .inode = m->inode};
	for (; n < INTERPRETER_SYMBOLS && is->symbol[n]; n++)
		data[n] = (struct elfdata){.name = is->symbol[n]};
	path_of_map(pid, m, path, sizeof path);
	bool good = elfdata_find(path, data, n, &f->first);
	for (size_t k = 0; good && k < n; k++) {
		f->symbol[k] = data[k].address;
		f->is |= data[k].address != 0;
	}
	if (f->is && is->stated)
		f->stated = is->stated(path);
	return f;
}

static void
note_unknown(struct interp *i, const struct interpreter *is, uint32_t version, bool hidden)
{
	version &= 0xffff0000u;
	for (size_t k = 0; k < i->unknown.n; k++)
		if (i->unknown.at[k].is == is && i->unknown.at[k].version == version)
			return;
	*vec_push(&i->unknown) = (struct interp_unknown){is, version, hidden};
}

/* Prepares reading of the interpreter in a file, if it has one. */
static void
open_interpreter(struct interp *i, struct interp_process *p, const struct interp_map *m)
{
	uint32_t version, named;
	const struct interpreter *is = named_after(m->path, &named);
	const struct interp_file *f = is ? examine_file(i, p->pid, is, m) : NULL;
	struct interpreter_binary b = {.stated = named};

	if (!f || !f->is)
		return;
	p->maps = true;
	for (size_t k = 0; k < INTERPRETER_SYMBOLS; k++)
		b.symbol[k] = f->symbol[k] ? f->symbol[k] + m->start - f->first : 0;
	if (f->stated)
		b.stated = f->stated;
	p->state = is->open(&i->memory, &b, &version);
	if (p->state)
		p->is = is;
	else
		note_unknown(i, is, version, !b.symbol[0]);
}

/* start-end perms offset major:minor inode path */
static bool
parse_map(char *line, struct interp_map *m)
{
	int used = 0;

	const char *path = strchr(line, '/');
	uint32_t version;

	line[strcspn(line, "\n")] = '\0';
	if (!path || !named_after(path, &version)) /* sscanf() is slow */
		return false;
	if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		   &m->offset, &m->major, &m->minor, &m->inode, &used) < 5)
		return false;
	m->path = line + used;
	return used && m->inode && !m->offset && line[used] == '/';
}

static void
examine(struct interp *i, struct interp_process *p)
{
	char path[64], line[4096 + 256];
	struct interp_map m;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)p->pid);
	FILE *f = fopen(path, "re");
	while (f && !p->is && fgets(line, sizeof line, f))
		if (parse_map(line, &m))
			open_interpreter(i, p, &m);
	if (f)
		fclose(f);
	if (p->is)
		return;
	p->pause = i->reported && !p->maps ? RETRY_MAX_NS
		   : !p->pause		       ? RETRY_NS
		   : p->pause < RETRY_MAX_NS   ? 2 * p->pause
					       : p->pause;
	p->retry_at = record_now() + p->pause;
}

/* A process that maps an interpreter is searched at its next sample. */
static void
take_map(struct interp *i, const struct perf_event_header *record)
{
	const char *path = (const char *)record + MAP_PATH;
	uint32_t pid, version;

	memcpy(&pid, record + 1, sizeof pid);
	if (!memchr(path, '\0', record->size - MAP_PATH) || !named_after(path, &version))
		return;
	struct interp_process *p = interp_find(i, (pid_t)pid);
	if (p && !p->is)
		p->retry_at = p->pause = 0;
}

void
interp_take(struct interp *i, const struct perf_event_header *record)
{
	uint32_t id[4]; /* FORK, EXIT: pid, ppid, tid, ptid; COMM: pid, tid */
	uint64_t time = record_now();

	if (record->type == ROUND) {
		i->round[0] = i->round[1];
		i->round[1] = time;
		return;
	}
	if (record->type == PERF_RECORD_MMAP2 && record->size > MAP_PATH)
		take_map(i, record);
	if (record->type != PERF_RECORD_FORK && record->type != PERF_RECORD_EXIT &&
	    record->type != PERF_RECORD_COMM)
		return;
	if (record->size < sizeof *record + sizeof id)
		return;
	memcpy(id, record + 1, sizeof id);
	if (record->type == PERF_RECORD_COMM && !(record->misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	if (record->type != PERF_RECORD_COMM && id[0] != id[2])
		return; /* a thread */
	interp_drop(i, (pid_t)id[0]);
	if (record->type == PERF_RECORD_EXIT)
		return;
	if (record->type == PERF_RECORD_FORK)
		memcpy(&time, (const char *)(record + 1) + sizeof id, sizeof time);
	interp_process(i, (pid_t)id[0])->since = time;
}

void
interp_reported(struct interp *i)
{
	i->reported = true;
}

bool
interp_any(const struct interp *i)
{
	for (size_t k = 0; k < i->process.n; k++)
		if (i->process.at[k].is)
			return true;
	return false;
}

/* ---- a look ---- */

static uint64_t *
cached_state(struct interp_process *p, uint32_t tid)
{
	for (size_t k = 0; k < p->thread.n; k++)
		if (p->thread.at[k].tid == tid)
			return &p->thread.at[k].state;
	struct interp_thread *t = vec_push(&p->thread);
	*t = (struct interp_thread){.tid = tid};
	return &t->state;
}

void
interp_prepare(struct interp *i, pid_t pid)
{
	struct interp_process *p = interp_process(i, pid);

	if (p->is || record_now() < p->retry_at)
		return;
	farmem_begin(&i->memory, pid, FRAMES_READS);
	examine(i, p);
}

bool
interp_look(struct interp *i, pid_t pid, pid_t tid, const uint64_t *registers)
{
	struct interp_process *p = interp_process(i, pid);

	i->frames.at.n = 0;
	i->looked = pid;
	if (!p->is)
		return false;
	farmem_begin(&i->memory, pid, FRAMES_READS);
	struct interpreter_thread t = {(uint32_t)tid, registers, cached_state(p, (uint32_t)tid)};
	p->is->walk(p->state, &i->memory, &t, &i->frames);
	return i->frames.at.n > 0;
}

/* ---- functions ---- */

static uint64_t
hash_key(uint64_t key)
{
	return map_hash_pair((uint32_t)(key >> 32), (uint32_t)key);
}

static uint64_t
range_of(uint32_t id)
{
	return SCRIPT_FIRST + (uint64_t)id * SCRIPT_LINES;
}

/* Gives a function its range, and appends the record that says so.  Returns false if its code is
 * not readable. */
static bool
describe_function(struct interp *i, struct interp_process *p, struct interp_function *f,
		  const struct record_sample *s, struct buf *out)
{
	struct buf lines = BUF_INIT;

	buf_reset(&i->name_of);
	buf_reset(&i->file_of);
	if (i->functions >= FUNCTIONS_MAX ||
	    !p->is->text(p->state, &i->memory, &f->is, &i->name_of, &i->file_of))
		return false;
	buf_reset(&i->text);
	buf_addf(&i->text, "//%s/%s (%s)", p->is->name, buf_str(&i->name_of),
		 buf_str(&i->file_of));
	if (p->is->lines)
		p->is->lines(p->state, &i->memory, &f->is, &lines);
	free(f->lines);
	f->lines_len = lines.len;
	f->lines = lines.len ? (uint8_t *)mem_dup(lines.at, lines.len) : NULL;
	buf_release(&lines);
	f->id = i->functions++;
	uint64_t time = i->round[0] && i->round[0] < s->time ? i->round[0] : s->time;
	struct record_map m = {.start = range_of(f->id),
			       .len = SCRIPT_LINES,
			       .offset = f->is.first_line,
			       .prot = PROT_READ,
			       .path = buf_str(&i->text)};
	record_mmap(out, (struct record_task){s->pid, s->tid, time > p->since ? time : p->since},
		    &m);
	return true;
}

static struct interp_function *
interp_function_of(struct interp_process *p, uint64_t key)
{
	uint64_t hash = hash_key(key);
	uint32_t slot, index;

	if (p->of_key.slot) {
		slot = map_first(&p->of_key, hash);
		while (map_probe(&p->of_key, &slot, hash, &index))
			if (p->function.at[index].key == key)
				return &p->function.at[index];
	}
	*vec_push(&p->function) = (struct interp_function){.key = key, .id = UINT32_MAX};
	map_insert(&p->of_key, hash, (uint32_t)p->function.n - 1);
	return &p->function.at[p->function.n - 1];
}

/* Returns the address of a frame, in the range of its function; 0 if its code is not readable. */
static uint64_t
address_of_frame(struct interp *i, struct interp_process *p, const struct interpreter_frame *f,
		 const struct record_sample *s, struct buf *out)
{
	struct interpreter_code code;

	if (!p->is->code(p->state, &i->memory, f, &code))
		return 0;
	struct interp_function *fn = interp_function_of(p, f->key);
	if (fn->id == UINT32_MAX || memcmp(&fn->is, &code, sizeof code) != 0) {
		fn->is = code;
		fn->id = UINT32_MAX;
		if (!describe_function(i, p, fn, s, out)) {
			fn->id = UINT32_MAX;
			return 0;
		}
	}
	uint32_t line = p->is->line(p->state, f, &code, fn->lines, fn->lines_len);
	return range_of(fn->id) + (line < SCRIPT_LINES ? line : 0);
}

static void
make_chain(struct interp *i, struct interp_process *p, const struct record_sample *s,
	   struct buf *out)
{
	i->chain.n = 0;
	*vec_push(&i->chain) = (uint64_t)PERF_CONTEXT_USER;
	for (size_t k = 0; k < i->frames.at.n; k++) {
		const struct interpreter_frame *f = &i->frames.at.at[k];
		uint64_t at = address_of_frame(i, p, f, s, out);
		if (at)
			*vec_push(&i->chain) = at;
		if (f->ends && i->chain.at[i->chain.n - 1] < (uint64_t)PERF_CONTEXT_MAX)
			*vec_push(&i->chain) = (uint64_t)PERF_CONTEXT_USER;
	}
}

void
interp_put(struct interp *i, const struct perf_event_header *sample, struct buf *out)
{
	struct interp_process *p = interp_find(i, i->looked);
	const uint8_t *from = (const uint8_t *)sample;
	struct record_sample s;
	uint64_t n;

	memcpy(&s, sample, sizeof s);
	memcpy(&n, from + sizeof s, sizeof n);
	i->chain.n = 0;
	if (p && p->is) {
		farmem_begin(&i->memory, i->looked, CODE_READS);
		make_chain(i, p, &s, out);
	}
	size_t room = (RECORD_MAX - sample->size) / sizeof n, more = i->chain.n;
	size_t end = sizeof s + (size_t)(n + 1) * sizeof n;
	if (more > room) {
		more = room;
		if (more)
			i->chain.at[more - 1] = (uint64_t)PERF_CONTEXT_USER;
	}
	n += more;
	s.header.size = (uint16_t)(sample->size + more * sizeof n);
	buf_add(out, &s, sizeof s);
	buf_add(out, &n, sizeof n);
	buf_add(out, from + sizeof s + sizeof n, end - sizeof s - sizeof n);
	buf_add(out, i->chain.at, more * sizeof n);
	buf_add(out, from + end, sample->size - end);
}

void
interp_say(const struct interp *i, const char *before, struct buf *said)
{
	for (size_t k = 0; k < i->unknown.n; k++) {
		const struct interp_unknown *u = &i->unknown.at[k];
		bool states = u->version && !u->hidden;
		buf_addf(said, "%s%s%s", before, u->version ? "" : "a ", u->is->title);
		if (u->version)
			buf_addf(said, " %u.%u", u->version >> 24, u->version >> 16 & 0xff);
		if (u->hidden)
			buf_addf(said, " hides %s", u->is->symbol[0]);
		else if (states)
			buf_addf(said, " is not one of %s", u->is->versions);
		else
			buf_adds(said, " of unknown version");
		buf_addf(said, ": its stacks show C functions%s\n", states ? u->is->advice : "");
	}
}
