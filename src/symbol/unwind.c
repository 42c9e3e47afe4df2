/* Unwinding with libdwfl.
 *
 * libdwfl unwinds a process: modules at addresses, threads, memory, registers.  A process
 * of a profile has its modules in the maps, one thread, the stack that was copied as its
 * memory, and the registers of the sample.  Making one costs more than unwinding a
 * sample, so the last ones are kept, by the key of their maps: on a busy system samples go
 * round among many.  Each module of each keeps its file open, so there are no more than half of
 * the files that a process may open.
 *
 * Memory outside of the copy is not there: frames end where the copy does, and where a
 * module has no file here.  libdwfl follows the frame pointer where there is no call
 * frame information.
 *
 * A budget of frames bounds the whole, in frames and not in seconds, so that the same
 * profile always gives the same result.
 *
 * Rejected: reporting modules one by one while unwinding (as perf does, a new process for
 * each sample): a hundred times the cost.
 *
 * Invariants: kept[0..n_kept) have different keys; `current` is one of them or -1. */
#include "src/symbol/unwind.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "model/mem.h"

#ifdef HAVE_LIBDW

#include <elfutils/libdwfl.h>

#include "src/symbol/places.h"

#define KEPT_MAX 128u
#define MODULES_MAX 4096u
#define STACK_MAX (64u << 20) /* what lies further above is none of the stack */
/* About a minute; a profile of 100,000 samples has a tenth of it. */
#define FRAMES_MAX 30000000u

struct kept {
	uint64_t key, used;
	unsigned modules;
	Dwfl *dwfl; /* NULL when nothing can be unwound there */
};

struct unwinder {
	struct symbols *symbols;
	struct kept kept[KEPT_MAX];
	unsigned n_kept, modules, modules_max;
	int current;
	uint64_t clock, frames;
	const struct unwind_state *state; /* of the sample that is unwound */
	uint64_t *out;
	unsigned n, max;
	bool beyond; /* its stack goes on behind the copy */
};

/* Where the call frame information of a module ends, libdwfl looks for more in its separate debug
 * file, of which it inflates every section: of libc's in some milliseconds, for each process
 * anew.  What has a section of its own for unwinding has nothing more there. */
static int
find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
	       const char *file, const char *link, GElf_Word crc, char **out)
{
	Dwarf_Addr bias;

	if (dwfl_module_eh_cfi(module, &bias))
		return -1;
	return symbol_find_debuginfo(module, data, name, base, file, link, crc, out);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = symbol_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* ---- the process, as libdwfl asks about it ---- */

#define THE_THREAD 1

static pid_t
next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return THE_THREAD;
}

static bool
get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	*thread_arg = arg;
	return tid == THE_THREAD;
}

static bool
memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	struct unwinder *u = arg;
	const struct unwind_state *s = u->state;
	uint64_t word;
	(void)dwfl;
	if (address < s->sp || s->stack_len < sizeof word ||
	    address - s->sp > s->stack_len - sizeof word) {
		u->beyond |= address >= s->sp && address - s->sp < STACK_MAX;
		return false;
	}
	memcpy(&word, s->stack + (address - s->sp), sizeof word);
	*result = word;
	return true;
}

static bool
set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwinder *u = arg;
	dwfl_thread_state_register_pc(thread, u->state->pc);
	return dwfl_thread_state_registers(thread, 0, u->state->n_regs, u->state->reg);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

static int
add_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *u = arg;
	Dwarf_Addr pc;
	bool exact;
	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (u->n == u->max)
		return DWARF_CB_ABORT;
	u->out[u->n++] = exact ? pc : pc - 1;
	u->frames++;
	return DWARF_CB_OK;
}

/* ---- processes ---- */

struct unwinder *
unwinder_new(struct symbols *s)
{
	struct unwinder *u = mem_zalloc(1, sizeof *u);
	struct rlimit files;
	u->symbols = s;
	u->current = -1;
	u->modules_max = getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur / 2 > MODULES_MAX
				 ? MODULES_MAX
				 : (unsigned)(files.rlim_cur / 2);
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (unsigned i = 0; i < u->n_kept; i++)
		if (u->kept[i].dwfl)
			dwfl_end(u->kept[i].dwfl);
	free(u);
}

static Dwfl *
make_process(struct unwinder *u, const struct unwind_map *map, size_t n, unsigned *modules)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	for (size_t i = 0; i < n; i++) {
		uint64_t address;
		const char *path = symbols_file(u->symbols, map[i].module);
		if (!path ||
		    !symbols_address(u->symbols, map[i].module, map[i].offset, &address))
			continue;
		/* A second map of the same file is within its range: the same module. */
		if (dwfl_report_elf(dwfl, path, path, -1, map[i].start - address, true))
			++*modules;
	}
	dwfl_report_end(dwfl, NULL, NULL);
	if (*modules && dwfl_attach_state(dwfl, NULL, THE_THREAD, &thread_callbacks, u))
		return dwfl;
	dwfl_end(dwfl);
	*modules = 0;
	return NULL;
}

/* The one that was not used for the longest. */
static void
drop_oldest(struct unwinder *u)
{
	unsigned oldest = 0;
	for (unsigned i = 1; i < u->n_kept; i++)
		if (u->kept[i].used < u->kept[oldest].used)
			oldest = i;
	if (u->kept[oldest].dwfl)
		dwfl_end(u->kept[oldest].dwfl);
	u->modules -= u->kept[oldest].modules;
	u->kept[oldest] = u->kept[--u->n_kept];
}

bool
unwinder_maps(struct unwinder *u, uint64_t key, const struct unwind_map *map, size_t n)
{
	unsigned i;
	for (i = 0; i < u->n_kept && u->kept[i].key != key; i++)
		;
	if (i == u->n_kept) {
		while (u->n_kept &&
		       (u->n_kept == KEPT_MAX || u->modules + n > u->modules_max))
			drop_oldest(u);
		i = u->n_kept++;
		u->kept[i] = (struct kept){.key = key};
		u->kept[i].dwfl = make_process(u, map, n, &u->kept[i].modules);
		u->modules += u->kept[i].modules;
	}
	u->kept[i].used = ++u->clock;
	u->current = (int)i;
	return u->kept[i].dwfl != NULL;
}

unsigned
unwinder_run(struct unwinder *u, const struct unwind_state *state, uint64_t *out,
	     unsigned max, enum unwind_end *end)
{
	int fault = -1;
	*end = UNWIND_DEEP;
	if (!max)
		return 0;
	u->state = state;
	u->out = out;
	u->n = 0;
	u->max = max;
	u->beyond = false;
	if (u->current >= 0 && u->kept[u->current].dwfl && !unwinder_spent(u))
		fault = dwfl_getthread_frames(u->kept[u->current].dwfl, THE_THREAD,
					      add_frame, u);
	u->state = NULL;
	/* a return address that cannot be read ends the chain as if it were whole */
	if (u->beyond)
		*end = UNWIND_COPY;
	else if (!fault)
		*end = UNWIND_WHOLE;
	else if (u->n < max && !unwinder_spent(u))
		*end = UNWIND_RULES;
	if (!u->n)
		out[u->n++] = state->pc;
	return u->n;
}

bool
unwinder_spent(const struct unwinder *u)
{
	return u->frames >= FRAMES_MAX;
}

#else

struct unwinder {
	struct symbols *symbols;
};

struct unwinder *
unwinder_new(struct symbols *s)
{
	struct unwinder *u = mem_zalloc(1, sizeof *u);
	u->symbols = s;
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	free(u);
}

bool
unwinder_maps(struct unwinder *u, uint64_t key, const struct unwind_map *map, size_t n)
{
	(void)u;
	(void)key;
	(void)map;
	(void)n;
	return false;
}

unsigned
unwinder_run(struct unwinder *u, const struct unwind_state *state, uint64_t *out,
	     unsigned max, enum unwind_end *end)
{
	(void)u;
	*end = UNWIND_RULES;
	if (!max)
		return 0;
	out[0] = state->pc;
	return 1;
}

bool
unwinder_spent(const struct unwinder *u)
{
	(void)u;
	return false;
}

#endif
