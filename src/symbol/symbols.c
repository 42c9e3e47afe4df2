/* Modules and what they are read from.
 *
 * A profile names hundreds of modules and has samples in a few, so a module is opened
 * when its first address is asked for, and never again when that failed.
 *
 * Symbol table and DWARF disagree about names: a part that the compiler split off is
 * `f.part.0` to the one and `f` to the other.  As in perf, the symbol's name stands for
 * the whole function, and DWARF's, if it is the whole name, where inlined calls are told
 * apart, so that a caller and what is inlined into it are named alike.  File and line
 * come from DWARF in both.
 *
 * The kernel's names are the running kernel's, taken only when its build id is the one
 * that was recorded, or, where none was, when it was recorded here.
 *
 * Rejected: asking libdwfl for every address (150 us each); reading names from any file
 * of the right path (an upgraded library gives wrong names, with certainty in their
 * look).
 *
 * Invariants: `state` only moves from NEW to OPEN or MISSING; a module's number is its
 * index; nothing is freed before symbols_free(), so strings stay valid. */
#include "src/symbol/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/elf.h"
#include "src/symbol/jitdump.h"
#include "src/symbol/table.h"
#include "src/symbol/text.h"

#define BUILD_ID_MAX 32u
#define FILES_WANTED 16384u

enum state { STATE_NEW, STATE_OPEN, STATE_MISSING };

struct module {
	enum symbols_kind kind;
	uint8_t state; /* enum state */
	bool dwarf_tried;
	bool tabled;  /* a file's functions are in the table */
	bool crowded; /* not opened, since too many files were open */
	bool missed; /* something that was asked was not found */
	char *path;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	uint64_t kernel_text;
	size_t kept; /* what came with the recording, + 1; 0: nothing did */
	struct symbol_elf elf;
	struct symbol_table table;
	struct symbol_dwarf *dwarf;
};

/* A text that came with the recording. */
struct kept {
	char *path, *text;
	size_t len;
	struct symbol_jit_layer jit; /* the same, of a dump: then there is no text */
};

struct symbols {
	VEC(struct module) module;
	VEC(struct kept) kept;
	bool local;
	bool raw; /* names stay mangled */
	struct symbol_places *places; /* NULL: the system's alone */
	struct symbol_budget budget;
	void (*leave)(void *ctx); /* around what may take long; NULL: nobody waits */
	void (*back)(void *ctx);
	void *ctx;
};

/* Shells give programs few files that may be open, and let them have more. */
static void
ask_for_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= FILES_WANTED)
		return;
	files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max : FILES_WANTED;
	setrlimit(RLIMIT_NOFILE, &files);
}

struct symbols *
symbols_new(void)
{
	struct symbols *s = mem_zalloc(1, sizeof *s);
	ask_for_files();
	s->local = true;
	s->budget.left = SYMBOL_BUDGET;
	return s;
}

void
symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module.n; i++) {
		struct module *m = &s->module.at[i];
		symbol_dwarf_free(m->dwarf);
		symbol_table_release(&m->table);
		symbol_elf_close(&m->elf);
		free(m->path);
	}
	vec_release(&s->module);
	for (size_t i = 0; i < s->kept.n; i++) {
		free(s->kept.at[i].path);
		free(s->kept.at[i].text);
		symbol_jit_layer_release(&s->kept.at[i].jit);
	}
	vec_release(&s->kept);
	symbol_places_free(s->places);
	free(s);
}

void
symbols_places(struct symbols *s, const char *const *dirs, size_t n, bool server)
{
	if (!s->places && (n || server))
		s->places = symbol_places_new(dirs, n, server);
}

void
symbols_stops(struct symbols *s, bool (*stops)(void *ctx), void *ctx)
{
	symbol_places_stops(s->places, stops, ctx);
}

void
symbols_local(struct symbols *s, bool local)
{
	s->local = local;
}

void
symbols_raw(struct symbols *s)
{
	s->raw = true;
}

void
symbols_keep_jit(struct symbols *s, const char *path, const char *text, size_t len)
{
	*vec_push(&s->kept) = (struct kept){.path = mem_dup(path, strlen(path)),
					    .text = mem_dup(text, len), .len = len};
}

bool
symbols_is_jitdump(const char *path, size_t len)
{
	return symbol_is_jitdump(path, len);
}

void
symbols_jit_layer(const char *map, uint32_t layer, struct buf *out)
{
	buf_adds(out, map);
	if (layer)
		buf_addf(out, "#%u", (unsigned)layer);
}

bool
symbols_keep_jitdump(struct symbols *s, const char *map, const char *path,
		     struct symbols_jitdump_how how, struct symbol_jitdump *told)
{
	struct symbol_jit_layer *layer;

	if (!(how.beside || s->local) ||
	    !symbol_jitdump_read(path, !how.beside, how.timed, &layer, told))
		return false;
	for (uint32_t i = 0; i < told->layers; i++) {
		struct buf name = BUF_INIT;
		symbols_jit_layer(map, i, &name);
		*vec_push(&s->kept) =
			(struct kept){.path = mem_dup(buf_str(&name), name.len), .jit = layer[i]};
		buf_release(&name);
	}
	free(layer);
	return true;
}

bool
symbols_dwarf_spent(const struct symbols *s)
{
	return s->budget.spent;
}

/* "/tmp/x (deleted)" is what the kernel says of a file that has no name any more. */
static size_t
without_deleted(const char *path, size_t len)
{
	static const char suffix[] = " (deleted)";
	size_t n = sizeof suffix - 1;
	return len > n && !memcmp(path + len - n, suffix, n) ? len - n : len;
}

uint32_t
symbols_add(struct symbols *s, const struct symbols_module *m)
{
	size_t id_len = m->build_id_len < BUILD_ID_MAX ? m->build_id_len : BUILD_ID_MAX;
	struct module *new = vec_push(&s->module);
	*new = (struct module){
		.kind = m->kind,
		.build_id_len = id_len,
		.kernel_text = m->kernel_text,
		.path = mem_dup(m->path, without_deleted(m->path, m->path_len)),
		.elf = {.memory_fd = -1},
		.table = {.raw = s->raw},
	};
	if (id_len)
		memcpy(new->build_id, m->build_id, id_len);
	return (uint32_t)s->module.n - 1;
}

/* ---- opening ---- */

static bool
open_kernel(const struct symbols *s, struct module *m)
{
	uint8_t id[BUILD_ID_MAX];
	size_t len;
	if (m->build_id_len) {
		if (!symbol_kernel_build_id(id, &len, sizeof id) || !len ||
		    len > m->build_id_len || memcmp(id, m->build_id, len) != 0)
			return false;
	} else if (!s->local) {
		return false;
	}
	return symbol_text_kernel(&m->table, "/proc/kallsyms", m->kernel_text);
}

static bool
open_file(const struct symbols *s, struct module *m)
{
	bool vdso = m->kind == SYMBOLS_VDSO;
	struct symbol_wanted w = {
		.path = m->path[0] == '/' ? m->path : NULL,
		.build_id = m->build_id,
		.build_id_len = m->build_id_len,
		.places = s->places,
	};
	if (!m->build_id_len && !s->local)
		return false;
	errno = 0;
	bool is = vdso ? symbol_elf_open_vdso(&m->elf, &w) : symbol_elf_open(&m->elf, &w);
	m->crowded = !is && errno == EMFILE;
	return is;
}

/* What a module that is open calls its code.  Reading that may take long, and who only
 * needs the file is not to wait for it. */
static struct symbol_table *
table_of(struct module *m)
{
	if (!m->tabled && (m->kind == SYMBOLS_FILE || m->kind == SYMBOLS_VDSO))
		symbol_elf_symbols(&m->elf, &m->table);
	m->tabled = true;
	return &m->table;
}

static bool
open_jit(struct symbols *s, struct module *m)
{
	for (size_t i = 0; i < s->kept.n; i++)
		if (!strcmp(s->kept.at[i].path, m->path)) {
			const struct kept *k = &s->kept.at[i];
			m->kept = i + 1;
			return symbol_text_jit_kept(&m->table,
						    k->text ? k->text : buf_str(&k->jit.text),
						    k->text ? k->len : k->jit.text.len);
		}
	return s->local && symbol_text_jit(&m->table, m->path);
}

static bool
ready(struct symbols *s, struct module *m)
{
	if (m->state == STATE_NEW) {
		bool ok = false;
		switch (m->kind) {
		case SYMBOLS_FILE:
		case SYMBOLS_VDSO:
			ok = open_file(s, m);
			break;
		case SYMBOLS_KERNEL:
			ok = open_kernel(s, m);
			break;
		case SYMBOLS_JIT:
			ok = open_jit(s, m);
			break;
		case SYMBOLS_LIST:
			ok = symbol_text_list(&m->table, m->path);
			break;
		}
		m->state = ok ? STATE_OPEN : STATE_MISSING;
	}
	return m->state == STATE_OPEN;
}

/* The same, asked from outside. */
static bool
ready_aside(struct symbols *s, struct module *m)
{
	bool aside = s->leave && m->state == STATE_NEW;

	if (aside)
		s->leave(s->ctx);
	bool is = ready(s, m);
	if (aside)
		s->back(s->ctx);
	return is;
}

/* Its table, asked from outside; NULL where there is nothing. */
static struct symbol_table *
table_aside(struct symbols *s, struct module *m)
{
	bool aside = s->leave && (m->state == STATE_NEW || !m->tabled);

	if (aside)
		s->leave(s->ctx);
	struct symbol_table *t = ready(s, m) ? table_of(m) : NULL;
	if (aside)
		s->back(s->ctx);
	return t;
}

void
symbols_aside(struct symbols *s, void (*leave)(void *ctx), void (*back)(void *ctx), void *ctx)
{
	s->leave = leave;
	s->back = back;
	s->ctx = ctx;
}

bool
symbols_there(struct symbols *s, uint32_t module)
{
	return ready_aside(s, &s->module.at[module]);
}

const char *
symbols_file(struct symbols *s, uint32_t module)
{
	struct module *m = &s->module.at[module];
	return ready_aside(s, m) ? m->elf.path : NULL;
}

const char *
symbols_debug_file(struct symbols *s, uint32_t module)
{
	struct module *m = &s->module.at[module];
	return ready(s, m) ? symbol_elf_debug(&m->elf) : NULL;
}

bool
symbols_stripped(struct symbols *s, uint32_t module)
{
	struct module *m = &s->module.at[module];
	return ready(s, m) && symbol_elf_stripped(&m->elf);
}

bool
symbols_base(struct symbols *s, uint32_t module, uint64_t *base)
{
	struct module *m = &s->module.at[module];
	if (!ready(s, m))
		return false;
	*base = m->elf.base;
	return true;
}

bool
symbols_address(struct symbols *s, uint32_t module, uint64_t offset, uint64_t *address)
{
	struct module *m = &s->module.at[module];
	return ready_aside(s, m) && symbol_elf_address(&m->elf, offset, address);
}

bool
symbols_offset(struct symbols *s, uint32_t module, uint64_t address, uint64_t *offset)
{
	struct module *m = &s->module.at[module];

	return ready_aside(s, m) && symbol_elf_offset(&m->elf, address, offset);
}

bool
symbols_span(struct symbols *s, uint32_t module, uint64_t address, struct symbols_span *out)
{
	struct symbol_table *t = table_aside(s, &s->module.at[module]);

	return t && symbol_table_span(t, address, out);
}

bool
symbols_named(struct symbols *s, uint32_t module, const char *name, uint64_t *address)
{
	struct symbol_table *t = table_aside(s, &s->module.at[module]);
	const struct symbol *symbol = t ? symbol_table_named(t, name) : NULL;

	*address = symbol ? symbol->start : 0;
	return symbol != NULL;
}

/* ---- looking up ---- */

/* What DWARF knows; 0 frames when it does not know the function that the code is in. */
static unsigned
ask_dwarf(struct symbols *s, struct module *m, uint64_t address,
	  struct symbols_frame *out, bool *qualified)
{
	if (!m->dwarf_tried) {
		m->dwarf_tried = true;
		m->dwarf = symbol_dwarf_new(&m->elf, &s->budget);
	}
	unsigned n = m->dwarf ? symbol_dwarf_at(m->dwarf, address, out, SYMBOLS_DEPTH,
						qualified)
			      : 0;
	if (!n || out[n - 1].inlined || !out[n - 1].name)
		return 0;
	for (unsigned i = 0; i < n; i++)
		out[i].name = out[i].name ? symbol_table_readable(&m->table, out[i].name)
					  : "<unnamed>";
	return n;
}

static unsigned
find(struct symbols *s, struct module *m, uint64_t at, bool inlined,
     struct symbols_frame *out, unsigned max)
{
	struct symbols_frame all[SYMBOLS_DEPTH];
	bool qualified = false;
	unsigned n = 0;
	if (!max || !ready(s, m))
		return 0;
	bool is_file = m->kind == SYMBOLS_FILE || m->kind == SYMBOLS_VDSO;
	if (is_file && !symbol_elf_address(&m->elf, at, &at))
		return 0;
	if (is_file)
		n = ask_dwarf(s, m, at, all, &qualified);
	const struct symbol *symbol = symbol_table_at(table_of(m), at);
	if (!symbol && !n)
		return 0;
	if (!n)
		all[n++] = (struct symbols_frame){0};
	if (symbol && !(inlined && qualified))
		all[n - 1].name = symbol->name;
	if (symbol && m->kept)
		all[n - 1].line = symbol_jit_line_at(&s->kept.at[m->kept - 1].jit, symbol->start,
						     at, &all[n - 1].file);
	if (!inlined || max == 1) {
		*out = all[n - 1];
		return 1;
	}
	n = n < max ? n : max;
	memcpy(out, all, n * sizeof *out);
	return n;
}

bool
symbols_at_once(const struct symbols *s, uint32_t module, uint64_t at)
{
	const struct module *m = &s->module.at[module];

	if (m->state != STATE_OPEN || (m->kind != SYMBOLS_FILE && m->kind != SYMBOLS_VDSO))
		return m->state != STATE_NEW;
	return m->tabled && m->dwarf_tried &&
	       (!m->dwarf || !symbol_elf_address(&m->elf, at, &at) ||
		symbol_dwarf_knows(m->dwarf, at));
}

unsigned
symbols_at(struct symbols *s, uint32_t module, uint64_t at, bool inlined,
	   struct symbols_frame *out, unsigned max)
{
	struct module *m = &s->module.at[module];
	bool aside = s->leave && !symbols_at_once(s, module, at);

	if (aside)
		s->leave(s->ctx);
	unsigned n = find(s, m, at, inlined, out, max);
	if (aside)
		s->back(s->ctx);
	m->missed |= max && !n;
	return n;
}

/* ---- telling ---- */

static void
say_file(const struct symbols *s, const struct module *m, struct buf *out)
{
	if (m->crowded)
		buf_adds(out, "too many files were open: the limit (ulimit -n) is too low");
	else if (m->state == STATE_OPEN)
		buf_addf(out, "%s has no symbols for all of it, and there are none beside it",
			 m->kind == SYMBOLS_VDSO ? "the vDSO" : "the file");
	else if (!m->build_id_len && !s->local)
		buf_adds(out, "made on another machine, so no file can be trusted");
	else if (m->kind == SYMBOLS_VDSO)
		buf_adds(out, "the running kernel has another one");
	else if (!m->build_id_len)
		buf_adds(out, "no readable file at its path");
	else
		buf_addf(out,
			 "no file with it at its path, in ~/.debug%s or under /usr/lib/debug%s",
			 symbol_places_dirs(s->places) ? ", in the folders of --symbols" : "",
			 symbol_places_server(s->places) ? ", and debuginfod has none" : "");
}

static void
say_kernel(const struct symbols *s, const struct module *m, struct buf *out)
{
	if (m->state == STATE_OPEN)
		buf_adds(out, "not all of it is in /proc/kallsyms");
	else if (!m->build_id_len && !s->local)
		buf_adds(out, "made on another machine, so /proc/kallsyms cannot be trusted");
	else
		buf_adds(out, "/proc/kallsyms is of another kernel, or hides its addresses");
}

bool
symbols_crowded(const struct symbols *s)
{
	for (size_t i = 0; i < s->module.n; i++)
		if (s->module.at[i].crowded)
			return true;
	return false;
}

void
symbols_say(const struct symbols *s, uint32_t module, struct buf *out)
{
	const struct module *m = &s->module.at[module];
	if (!m->missed)
		return;
	buf_adds(out, m->build_id_len	    ? "build id "
		      : m->kind == SYMBOLS_JIT || m->kind == SYMBOLS_LIST ? ""
					       : "no build id: ");
	for (size_t i = 0; i < m->build_id_len; i++)
		buf_addf(out, "%02x", m->build_id[i]);
	buf_adds(out, m->build_id_len ? ": " : "");
	switch (m->kind) {
	case SYMBOLS_FILE:
	case SYMBOLS_VDSO:
		say_file(s, m, out);
		break;
	case SYMBOLS_KERNEL:
		say_kernel(s, m, out);
		break;
	case SYMBOLS_JIT:
		buf_adds(out, m->state == STATE_OPEN ? "the map has not all of it"
			      : s->local	     ? "the map is not there"
						     : "made on another machine");
		break;
	case SYMBOLS_LIST:
		buf_adds(out, m->state == STATE_OPEN ? "the list has not all of it"
						     : "the list is not there");
		break;
	}
}

/* ---- build ids ---- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

size_t
symbols_build_id(const char *hex, size_t len, uint8_t out[64])
{
	if (len % 2 || len > 128)
		return 0;
	for (size_t i = 0; i < len / 2; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return 0;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return len / 2;
}
