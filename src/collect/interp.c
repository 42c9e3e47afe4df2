/* interp.c - see interp.h.
 *
 * A process is examined near its first sample, while it runs: an executable map whose file is named
 * after an interpreter, the address of the interpreter's state by the file's symbols, its version.
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
#include <unistd.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/collect/cpython.h"
#include "src/collect/elfdata.h"
#include "src/collect/farmem.h"
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

/* A function whose code object lay at `code`. */
struct interp_function {
	uint64_t code;
	struct cpython_code is;
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
	bool known;             /* it runs an interpreter that can be read */
	struct cpython python;
	uint64_t since;         /* it exists, or its program runs, from then on */
	uint64_t retry_at, pause;
	VEC(struct interp_function) function;
	struct map of_code;
	VEC(struct interp_thread) thread;
};

/* A file that processes map: where its interpreter's state lies. */
struct interp_file {
	uint32_t major, minor;
	uint64_t inode, runtime, version_at, first;
	bool is;
};

struct interp {
	VEC(struct interp_process) process;
	VEC(struct interp_file) file;
	struct farmem memory;
	uint64_t round[2];  /* when the last two rounds ended; 0: there was none */
	uint32_t functions; /* ranges given away */
	struct cpython_frames frames; /* of the last look */
	pid_t looked;
	VEC(uint64_t) chain;
	struct buf text;
	VEC(uint32_t) unknown; /* versions whose layout is unknown */
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
	map_release(&p->of_code);
	map_init(&p->of_code);
}

static void
interp_release_process(struct interp_process *p)
{
	forget_functions(p);
	map_release(&p->of_code);
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
	map_init(&p->of_code);
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

/* ---- recognising ---- */

/* Returns the minor number in "python3.11" or "libpython3.11.so.1.0", 0 without one; *is: the file
 * is named after Python. */
static unsigned
named_version(const char *path, bool *is)
{
	const char *base = strrchr(path, '/'), *at = strstr(base ? base : path, "python");
	unsigned minor = 0;

	*is = at != NULL;
	return at && sscanf(at, "python3.%2u", &minor) == 1 ? minor : 0;
}

bool
interp_program(const char *path)
{
	char line[256] = "";
	bool is;

	named_version(path, &is);
	FILE *f = is ? NULL : fopen(path, "re");
	if (f && fgets(line, sizeof line, f) && !strncmp(line, "#!", 2))
		is = strstr(line, "python") != NULL;
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

static const struct interp_file *
examine_file(struct interp *i, pid_t pid, const struct interp_map *m)
{
	char path[4096 + 64];

	for (size_t k = 0; k < i->file.n; k++) {
		const struct interp_file *f = &i->file.at[k];
		if (f->inode == m->inode && f->major == m->major && f->minor == m->minor)
			return f;
	}
	struct interp_file *f = vec_push(&i->file);
	*f = (struct interp_file){.major = m->major, .minor = m->minor, .inode = m->inode};
	struct elfdata data[] = {{.name = "_PyRuntime"}, {.name = "Py_Version"}};
	snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, m->path);
	f->is = elfdata_find(path, data, 2, &f->first) && data[0].address;
	f->runtime = data[0].address;
	f->version_at = data[1].address;
	return f;
}

static void
note_unknown(struct interp *i, uint32_t version)
{
	for (size_t k = 0; k < i->unknown.n; k++)
		if (i->unknown.at[k] == version)
			return;
	*vec_push(&i->unknown) = version;
}

static bool
open_python(struct interp *i, struct interp_process *p, const struct interp_map *m,
	    unsigned minor)
{
	const struct interp_file *f = examine_file(i, p->pid, m);

	if (!f->is)
		return false;
	uint64_t bias = m->start - f->first, runtime = f->runtime + bias;
	uint32_t version = cpython_version(&i->memory, runtime);
	if (!version && f->version_at)
		version = farmem_u32(&i->memory, f->version_at + bias);
	if (!version && minor)
		version = 3u << 24 | minor << 16;
	if (cpython_open(&p->python, &i->memory, runtime, version))
		return true;
	note_unknown(i, version);
	return false;
}

/* start-end perms offset major:minor inode path */
static bool
parse_map(char *line, struct interp_map *m)
{
	int used = 0;

	line[strcspn(line, "\n")] = '\0';
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
	bool is;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)p->pid);
	FILE *f = fopen(path, "re");
	while (f && !p->known && fgets(line, sizeof line, f)) {
		if (!parse_map(line, &m))
			continue;
		unsigned minor = named_version(m.path, &is);
		p->known = is && open_python(i, p, &m, minor);
	}
	if (f)
		fclose(f);
	if (p->known)
		return;
	p->pause = !p->pause ? RETRY_NS : p->pause < RETRY_MAX_NS ? 2 * p->pause : p->pause;
	p->retry_at = record_now() + p->pause;
}

bool
interp_any(const struct interp *i)
{
	for (size_t k = 0; k < i->process.n; k++)
		if (i->process.at[k].known)
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

	if (p->known || record_now() < p->retry_at)
		return;
	farmem_begin(&i->memory, pid, FRAMES_READS);
	examine(i, p);
}

bool
interp_look(struct interp *i, pid_t pid, pid_t tid)
{
	struct interp_process *p = interp_process(i, pid);

	i->frames.at.n = 0;
	i->looked = pid;
	if (!p->known)
		return false;
	farmem_begin(&i->memory, pid, FRAMES_READS);
	uint64_t *state = cached_state(p, (uint32_t)tid);
	if (!cpython_thread(&p->python, &i->memory, (uint32_t)tid, state))
		return false;
	cpython_walk(&p->python, &i->memory, *state, &i->frames);
	return i->frames.at.n > 0;
}

/* ---- functions ---- */

static uint64_t
hash_code(uint64_t code)
{
	return map_hash_pair((uint32_t)(code >> 32), (uint32_t)code);
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

	buf_reset(&i->text);
	buf_adds(&i->text, "//python/");
	if (i->functions >= FUNCTIONS_MAX ||
	    !cpython_text(&p->python, &i->memory, f->is.name, &i->text))
		return false;
	buf_adds(&i->text, " (");
	if (!cpython_text(&p->python, &i->memory, f->is.file, &i->text))
		return false;
	buf_addc(&i->text, ')');
	cpython_lines(&p->python, &i->memory, &f->is, &lines);
	free(f->lines);
	f->lines_len = lines.len;
	f->lines = lines.len ? (uint8_t *)mem_dup(lines.at, lines.len) : NULL;
	buf_release(&lines);
	f->id = i->functions++;
	uint64_t time = i->round[0] && i->round[0] < s->time ? i->round[0] : s->time;
	struct record_map m = {.start = range_of(f->id),
			       .len = SCRIPT_LINES,
			       .offset = (uint32_t)f->is.first_line,
			       .prot = PROT_READ,
			       .path = buf_str(&i->text)};
	record_mmap(out, (struct record_task){s->pid, s->tid, time > p->since ? time : p->since},
		    &m);
	return true;
}

static struct interp_function *
interp_function_of(struct interp_process *p, uint64_t code)
{
	uint64_t hash = hash_code(code);
	uint32_t slot, index;

	if (p->of_code.slot) {
		slot = map_first(&p->of_code, hash);
		while (map_probe(&p->of_code, &slot, hash, &index))
			if (p->function.at[index].code == code)
				return &p->function.at[index];
	}
	*vec_push(&p->function) = (struct interp_function){.code = code, .id = UINT32_MAX};
	map_insert(&p->of_code, hash, (uint32_t)p->function.n - 1);
	return &p->function.at[p->function.n - 1];
}

/* Returns the address of a frame, in the range of its function; 0 if its code is not readable. */
static uint64_t
address_of_frame(struct interp *i, struct interp_process *p, const struct cpython_frame *f,
		 const struct record_sample *s, struct buf *out)
{
	struct cpython_code code;

	if (!cpython_code(&p->python, &i->memory, f->code, &code))
		return 0;
	struct interp_function *fn = interp_function_of(p, f->code);
	if (fn->id == UINT32_MAX || memcmp(&fn->is, &code, sizeof code) != 0) {
		fn->is = code;
		fn->id = UINT32_MAX;
		if (!describe_function(i, p, fn, s, out)) {
			fn->id = UINT32_MAX;
			return 0;
		}
	}
	uint32_t line = cpython_line(&p->python, f, code.first_line, fn->lines, fn->lines_len);
	return range_of(fn->id) + (line < SCRIPT_LINES ? line : 0);
}

static void
make_chain(struct interp *i, struct interp_process *p, const struct record_sample *s,
	   struct buf *out)
{
	i->chain.n = 0;
	*vec_push(&i->chain) = (uint64_t)PERF_CONTEXT_USER;
	for (size_t k = 0; k < i->frames.at.n; k++) {
		const struct cpython_frame *f = &i->frames.at.at[k];
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
	if (p && p->known) {
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
		uint32_t v = i->unknown.at[k];
		buf_adds(said, before);
		if (v)
			buf_addf(said,
				 "Python %" PRIu32 ".%" PRIu32 " is not one of 3.8 to 3.13: its "
				 "stacks show C functions; python -X perf makes it write names\n",
				 v >> 24, v >> 16 & 0xff);
		else
			buf_adds(said, "a Python of unknown version: its stacks show C "
				       "functions\n");
	}
}
