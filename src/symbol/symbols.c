/* Modules and the files that provide their symbols.
 *
 * A profile names hundreds of modules and has samples in a few.  So a module is opened at the first
 * look-up of an address, and never again after a failure.
 *
 * Symbol table and DWARF disagree about names: a part that the compiler split off is `f.part.0` to
 * the one and `f` to the other.  As in perf, the whole function has the symbol's name.  Where
 * inlined calls are separate it has DWARF's, if that is the whole name, so that a caller and
 * functions inlined into it are named alike.  File and line come from DWARF in both cases.
 *
 * The running kernel's names are used only if its build id is the recorded one, or, without a
 * recorded id, if the recording was made on this machine.
 *
 * Rejected: asking libdwfl for every address (150 us each); reading names from any file of the
 * right path (an upgraded library gives wrong names that look certain).
 *
 * Invariants: `state` only moves from NEW to OPEN or MISSING; a module's number is its index;
 * nothing is freed before symbols_free(), so strings stay valid. */
#include "src/symbol/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/symbol/symbols_inside.h"
#include "src/symbol/text.h"

#define FILES_WANTED 16384u

/* Raises the limit of open files, which shells set low by default. */
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
	s->roots = symbol_roots_new();
	s->budget.left = SYMBOL_BUDGET;
	return s;
}

void
symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module.n; i++) {
		struct symbols_entry *m = &s->module.at[i];
		symbol_dwarf_free(m->dwarf);
		symbol_table_release(&m->table);
		symbol_cold_release(&m->cold);
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
	vec_release(&s->recording);
	symbol_places_free(s->places);
	symbol_roots_free(s->roots);
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
symbols_began(struct symbols *s, int64_t began_ns)
{
	if (!s->began_ns || began_ns < s->began_ns)
		s->began_ns = began_ns;
}

void
symbols_raw(struct symbols *s)
{
	s->raw = true;
}

void
symbols_keep_jit(struct symbols *s, const char *path, const char *text, size_t len)
{
	*vec_push(&s->kept) = (struct symbols_kept){.path = mem_dup(path, strlen(path)),
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
		     struct symbols_jitdump_how how, struct symbol_jitdump *result)
{
	struct symbol_jit_layer *layer;

	if (!(how.beside || s->local) ||
	    !symbol_jitdump_read(path, !how.beside, how.timed, &layer, result))
		return false;
	for (uint32_t i = 0; i < result->layers; i++) {
		struct buf name = BUF_INIT;
		symbols_jit_layer(map, i, &name);
		*vec_push(&s->kept) =
			(struct symbols_kept){.path = mem_dup(buf_str(&name), name.len),
					      .jit = layer[i]};
		buf_release(&name);
	}
	free(layer);
	return true;
}

void
symbols_recorded(struct symbols *s, const struct embedded *e)
{
	*vec_push(&s->recording) = e;
}

void
symbols_embed(struct symbols *s, struct embedding *e)
{
	s->embedding = e;
	s->raw = true;
	symbols_began(s, embedding_before(e));
}

bool
symbols_dwarf_spent(const struct symbols *s)
{
	return s->budget.spent;
}

/* The kernel appends " (deleted)" to the path of a file that no longer has this name.  Another file
 * may have it now. */
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
	size_t id_len = m->build_id_len < SYMBOLS_ID_MAX ? m->build_id_len : SYMBOLS_ID_MAX;
	struct symbols_entry *new = vec_push(&s->module);
	*new = (struct symbols_entry){
		.kind = m->kind,
		.build_id_len = id_len,
		.kernel_text = m->kernel_text,
		.path = mem_dup(m->path, without_deleted(m->path, m->path_len)),
		.nameless = without_deleted(m->path, m->path_len) < m->path_len,
		.elf = {.memory_fd = -1},
		.table = {.raw = s->raw},
	};
	if (id_len)
		memcpy(new->build_id, m->build_id, id_len);
	struct symbols_module key = *m;
	key.path_len = strlen(new->path);
	for (size_t i = 0; i < s->recording.n && !new->recorded; i++) {
		new->recording = s->recording.at[i];
		new->recorded = embedded_module(new->recording, &key);
	}
	return (uint32_t)s->module.n - 1;
}

/* ---- opening ---- */

static bool
open_kernel(const struct symbols *s, struct symbols_entry *m)
{
	uint8_t id[SYMBOLS_ID_MAX];
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
open_file(const struct symbols *s, struct symbols_entry *m)
{
	bool vdso = m->kind == SYMBOLS_VDSO;
	struct symbol_wanted w = {
		.path = m->path[0] == '/' ? m->path : NULL,
		.build_id = m->build_id,
		.build_id_len = m->build_id_len,
		.began_ns = s->began_ns,
		.places = s->places,
		.roots = s->roots,
	};
	if (!m->build_id_len && (!s->local || m->nameless))
		return false;
	errno = 0;
	bool is = vdso ? symbol_elf_open_vdso(&m->elf, &w) : symbol_elf_open(&m->elf, &w);
	m->crowded = !is && errno == EMFILE;
	return is;
}

/* Reads the symbol table of an open module.  This may take long, and callers that only need the
 * file do not wait for it. */
static struct symbol_table *
symbols_table_of(struct symbols_entry *m)
{
	if (!m->tabled && (m->kind == SYMBOLS_FILE || m->kind == SYMBOLS_VDSO)) {
		symbol_go_add(&m->elf, &m->table);
		symbol_elf_symbols(&m->elf, &m->table);
	}
	m->tabled = true;
	return &m->table;
}

static bool
open_jit(struct symbols *s, struct symbols_entry *m)
{
	char path[ROOTS_PATH_MOST];
	unsigned pid;

	for (size_t i = 0; i < s->kept.n; i++)
		if (!strcmp(s->kept.at[i].path, m->path)) {
			const struct symbols_kept *k = &s->kept.at[i];
			m->kept = i + 1;
			return symbol_text_jit_kept(&m->table,
						    k->text ? k->text : buf_str(&k->jit.text),
						    k->text ? k->len : k->jit.text.len);
		}
	if (!s->local || symbol_text_jit(&m->table, m->path))
		return s->local;
	return sscanf(m->path, "/tmp/perf-%u.map", &pid) == 1 && symbol_roots_jit(pid, path) &&
	       symbol_text_jit(&m->table, path);
}

static bool
ready(struct symbols *s, struct symbols_entry *m)
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

/* The same for callers outside of this file. */
static bool
ready_aside(struct symbols *s, struct symbols_entry *m)
{
	bool aside = s->leave && m->state == STATE_NEW;

	if (aside)
		s->leave(s->ctx);
	bool is = ready(s, m);
	if (aside)
		s->back(s->ctx);
	return is;
}

/* Returns the table for callers outside of this file; NULL if there is none. */
static struct symbol_table *
table_aside(struct symbols *s, struct symbols_entry *m)
{
	bool aside = s->leave && (m->state == STATE_NEW || !m->tabled);

	if (aside)
		s->leave(s->ctx);
	struct symbol_table *t = ready(s, m) ? symbols_table_of(m) : NULL;
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

/* Returns the module's part of the recording; NULL if the module's file is used instead. */
static const struct embedded_module *
recorded_entry(struct symbols *s, struct symbols_entry *m)
{
	return m->recorded && !(s->places && ready_aside(s, m)) ? m->recorded : NULL;
}

bool
symbols_there(struct symbols *s, uint32_t module)
{
	struct symbols_entry *m = &s->module.at[module];

	return recorded_entry(s, m) || ready_aside(s, m);
}

const char *
symbols_file(struct symbols *s, uint32_t module)
{
	struct symbols_entry *m = &s->module.at[module];
	return ready_aside(s, m) ? m->elf.path : NULL;
}

const char *
symbols_debug_file(struct symbols *s, uint32_t module)
{
	struct symbols_entry *m = &s->module.at[module];
	return ready(s, m) ? symbol_elf_debug(&m->elf) : NULL;
}

bool
symbols_stripped(struct symbols *s, uint32_t module)
{
	struct symbols_entry *m = &s->module.at[module];
	return ready(s, m) && symbol_elf_stripped(&m->elf);
}

bool
symbols_base(struct symbols *s, uint32_t module, uint64_t *base)
{
	struct symbols_entry *m = &s->module.at[module];
	if (!ready(s, m))
		return false;
	*base = m->elf.base;
	return true;
}

bool
symbols_address(struct symbols *s, uint32_t module, uint64_t offset, uint64_t *address)
{
	struct symbols_entry *m = &s->module.at[module];
	const struct embedded_module *recorded = recorded_entry(s, m);

	if (recorded)
		return embedded_address(m->recording, recorded, offset, address);
	return ready_aside(s, m) && symbol_elf_address(&m->elf, offset, address);
}

bool
symbols_offset(struct symbols *s, uint32_t module, uint64_t address, uint64_t *offset)
{
	struct symbols_entry *m = &s->module.at[module];
	const struct embedded_module *recorded = recorded_entry(s, m);

	if (recorded)
		return embedded_offset(m->recording, recorded, address, offset);
	return ready_aside(s, m) && symbol_elf_offset(&m->elf, address, offset);
}

bool
symbols_span(struct symbols *s, uint32_t module, uint64_t address, struct symbols_span *out)
{
	struct symbol_table *t = table_aside(s, &s->module.at[module]);
	struct embedded_code code;

	if (t && symbol_table_span(t, address, out))
		return true;
	if (!symbols_code(s, module, address, &code))
		return false;
	*out = (struct symbols_span){code.start, code.end, code.name};
	return true;
}

bool
symbols_code(const struct symbols *s, uint32_t module, uint64_t address, struct embedded_code *out)
{
	const struct symbols_entry *m = &s->module.at[module];

	return m->recorded && embedded_code_at(m->recording, m->recorded, address, out);
}

static bool
code_named(struct symbols_entry *m, const char *name, uint64_t *address)
{
	struct embedded_code code;

	for (size_t i = 0; m->recorded && embedded_code(m->recording, m->recorded, i, &code); i++)
		if (code.name && !strcmp(symbol_table_readable(&m->table, code.name), name)) {
			*address = code.start;
			return true;
		}
	return false;
}

bool
symbols_named(struct symbols *s, uint32_t module, const char *name, uint64_t *address)
{
	struct symbol_table *t = table_aside(s, &s->module.at[module]);
	const struct symbol *symbol = t ? symbol_table_named(t, name) : NULL;

	*address = symbol ? symbol->start : 0;
	return symbol || code_named(&s->module.at[module], name, address);
}

/* ---- looking up ---- */

/* Returns DWARF's frames; 0 if it does not know the function. */
static unsigned
ask_dwarf(struct symbols *s, struct symbols_entry *m, uint64_t address, struct symbols_answer *a)
{
	const struct symbols_frame *last;

	if (!m->dwarf_tried) {
		m->dwarf_tried = true;
		m->dwarf = symbol_dwarf_new(&m->elf, &s->budget);
	}
	unsigned n = m->dwarf ? symbol_dwarf_at(m->dwarf, address, a->frame, SYMBOLS_DEPTH,
						&a->qualified)
			      : 0;
	last = n ? &a->frame[n - 1] : NULL;
	return last && !last->inlined && last->name ? n : 0;
}

/* Looks up an address in the module's file; returns false if there is no file. */
static bool
ask_file(struct symbols *s, struct symbols_entry *m, uint64_t at, struct symbols_answer *a)
{
	bool is_file = m->kind == SYMBOLS_FILE || m->kind == SYMBOLS_VDSO;

	a->symbol = NULL; /* the array stays as it is: it is large */
	a->n = 0;
	a->qualified = false;
	if (!ready(s, m))
		return false;
	if (is_file && !symbol_elf_address(&m->elf, at, &at))
		return true;
	if (is_file)
		a->n = ask_dwarf(s, m, at, a);
	const struct symbol *symbol = symbol_table_at(symbols_table_of(m), at);
	a->symbol = symbol || !is_file ? symbol ? symbol->name : NULL
				       : symbol_cold_at(&m->cold, &m->elf, &m->table, at);
	if (is_file && symbol && !a->n)
		a->n = symbol_go_line_at(symbols_go_of(m), at, &a->frame[0]);
	if (!symbol || !m->kept)
		return true;
	struct symbols_frame f = {0};
	f.line = symbol_jit_line_at(&s->kept.at[m->kept - 1].jit, symbol->start, at, &f.file);
	a->frame[0] = f;
	a->n = f.line != 0;
	return true;
}

/* Looks up an address in the recording, else in the file. */
static bool
symbols_ask(struct symbols *s, struct symbols_entry *m, uint64_t at, struct symbols_answer *a)
{
	const struct embedded_module *recorded = recorded_entry(s, m);

	return (recorded && embedded_at(m->recording, recorded, at, a)) || ask_file(s, m, at, a);
}

static unsigned
symbols_find(struct symbols *s, struct symbols_entry *m, uint64_t at, bool inlined,
	     struct symbols_frame *out, unsigned max)
{
	struct symbols_answer a;

	if (!max || !symbols_ask(s, m, at, &a))
		return 0;
	if (s->embedding)
		symbols_note(s, m, at, &a);
	if (!a.symbol && !a.n)
		return 0;
	for (unsigned i = 0; i < a.n; i++)
		a.frame[i].name = a.frame[i].name
					  ? symbol_table_readable(&m->table, a.frame[i].name)
					  : "<unnamed>";
	if (!a.n)
		a.frame[a.n++] = (struct symbols_frame){0};
	if (a.symbol && !(inlined && a.qualified))
		a.frame[a.n - 1].name = symbol_table_readable(&m->table, a.symbol);
	if (!inlined || max == 1) {
		*out = a.frame[a.n - 1];
		return 1;
	}
	unsigned n = a.n < max ? a.n : max;
	memcpy(out, a.frame, n * sizeof *out);
	return n;
}

bool
symbols_at_once(const struct symbols *s, uint32_t module, uint64_t at)
{
	const struct symbols_entry *m = &s->module.at[module];
	struct symbols_answer a;

	if (m->recorded && !s->places && embedded_at(m->recording, m->recorded, at, &a))
		return true;
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
	struct symbols_entry *m = &s->module.at[module];
	bool aside = s->leave && !symbols_at_once(s, module, at);

	if (aside)
		s->leave(s->ctx);
	unsigned n = symbols_find(s, m, at, inlined, out, max);
	if (aside)
		s->back(s->ctx);
	m->missed |= max && !n;
	return n;
}

/* ---- build ids ---- */

static int
symbols_hex_digit(char c)
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
		int high = symbols_hex_digit(hex[2 * i]), low = symbols_hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return 0;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return len / 2;
}
