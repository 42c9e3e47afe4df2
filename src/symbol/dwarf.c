/* DWARF, as far as a profile needs it: the functions and lines of an address.
 *
 * libdw can list the scopes around an address (dwarf_getscopes), but walks the whole unit for each
 * call.  This file walks a unit once, at the first address in it, into a sorted list of ranges of
 * functions and inlined calls; a look-up is a binary search.  Names and files are read from a DIE
 * when it is first shown.
 *
 * .debug_aranges lists the unit of an address, but clang does not write it, so the ranges of the
 * units themselves are used.
 *
 * Ranges nest: an inlined call lies in its caller.  `outer` links each range to the enclosing one,
 * found in one sweep over the sorted list.
 *
 * The walk enters only functions, blocks, inlined calls, namespaces and units: they contain all
 * code, and types are most of the rest.  It keeps its own stack instead of recursing, since a
 * damaged file must not crash the program.
 *
 * Invariants: units and scopes are sorted by (low rising, high falling); indexes in `outer` are +
 * 1, 0 is none, and less than the index of their owner. */
#include "src/symbol/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/vec.h"
#include "src/symbol/room.h"

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define DEPTH_MAX 256u
#define RANGES_MAX 4096u
#define UNITS_AT_ONCE 64u

struct scope {
	uint64_t low, high;
	Dwarf_Off die;
	uint32_t outer;
	bool inlined;
};

struct unit_range {
	uint64_t low, high;
	uint32_t unit, outer;
};

struct unit {
	Dwarf_Off die;
	Dwarf *split; /* where its scopes are; NULL: with the unit */
	bool walked, lines_read, lines_allowed;
	VEC(struct scope) scope;
};

struct symbol_dwarf {
	Dwarf *dwarf;
	struct symbol_budget *budget;
	VEC(struct unit) unit;
	VEC(struct unit_range) range;
};

static bool
spend(struct symbol_dwarf *d, uint64_t cost)
{
	if (d->budget->left < cost) {
		d->budget->spent = true;
		return false;
	}
	d->budget->left -= cost;
	return true;
}

/* ---- units ---- */

static int
compare_ranges(const void *left, const void *right)
{
	const struct unit_range *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void
add_unit(struct symbol_dwarf *d, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t unit = (uint32_t)d->unit.n;
	*vec_push(&d->unit) = (struct unit){.die = dwarf_dieoffset(die)};
	for (unsigned i = 0;
	     i < RANGES_MAX * 16 && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;
	     i++)
		/* The linker leaves dropped code at the address 0. */
		if (low && low < high)
			*vec_push(&d->range) = (struct unit_range){low, high, unit, 0};
}

static void
read_units(struct symbol_dwarf *d)
{
	Dwarf_Off at = 0, next;
	size_t header;
	while (!dwarf_nextcu(d->dwarf, at, &next, &header, NULL, NULL, NULL) &&
	       spend(d, 8)) {
		Dwarf_Die die;
		if (d->unit.n % UNITS_AT_ONCE == 0)
			symbol_room(SYMBOL_ROOM);
		if (dwarf_offdie(d->dwarf, at + header, &die) &&
		    (dwarf_tag(&die) == DW_TAG_compile_unit ||
		     dwarf_tag(&die) == DW_TAG_skeleton_unit))
			add_unit(d, &die);
		at = next;
	}
	if (!d->range.n)
		return;
	qsort(d->range.at, d->range.n, sizeof *d->range.at, compare_ranges);
	for (uint32_t i = 0; i < d->range.n; i++) {
		uint32_t outer = i;
		while (outer && d->range.at[outer - 1].high <= d->range.at[i].low)
			outer = d->range.at[outer - 1].outer;
		d->range.at[i].outer = outer;
	}
}

struct symbol_dwarf *
symbol_dwarf_new(struct symbol_elf *f, struct symbol_budget *budget)
{
	Dwarf_Addr bias;
	if (!f->module || budget->spent)
		return NULL;
	symbol_room(SYMBOL_ROOM);
	Dwarf *dwarf = dwfl_module_getdwarf(f->module, &bias);
	if (!dwarf || bias)
		return NULL;
	struct symbol_dwarf *d = mem_zalloc(1, sizeof *d);
	d->dwarf = dwarf;
	d->budget = budget;
	read_units(d);
	return d;
}

void
symbol_dwarf_free(struct symbol_dwarf *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->unit.n; i++)
		vec_release(&d->unit.at[i].scope);
	vec_release(&d->unit);
	vec_release(&d->range);
	free(d);
}

static struct unit *
unit_at(const struct symbol_dwarf *d, uint64_t address)
{
	size_t low = bisect(i, d->range.n, d->range.at[i].low <= address);

	while (low && d->range.at[low - 1].high <= address)
		low = d->range.at[low - 1].outer;
	return low ? &d->unit.at[d->range.at[low - 1].unit] : NULL;
}

/* ---- scopes of a unit ---- */

static int
compare_scopes(const void *left, const void *right)
{
	const struct scope *a = left, *b = right;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	/* If two ranges are equal, the first one found encloses the other. */
	return a->die < b->die ? -1 : a->die > b->die;
}

static void
add_scope(struct unit *u, Dwarf_Die *die, bool inlined)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	for (unsigned i = 0;
	     i < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0; i++)
		if (low && low < high)
			*vec_push(&u->scope) = (struct scope){.low = low,
							      .high = high,
							      .die = dwarf_dieoffset(die),
							      .inlined = inlined};
}

/* Adds a DIE; returns true if its children may contain code. */
static bool
dwarf_visit(struct unit *u, Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine: {
		size_t before = u->scope.n;
		add_scope(u, die, dwarf_tag(die) == DW_TAG_inlined_subroutine);
		return u->scope.n > before;
	}
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

/* Finds the root of a unit's scopes: in a file .dwo, if they were split off and it is here. */
static bool
dwarf_root(struct symbol_dwarf *d, struct unit *u, Dwarf_Die *root)
{
	Dwarf_Die split = {.cu = NULL};
	Dwarf_Files *files;
	size_t n;
	uint8_t kind;

	if (!dwarf_offdie(d->dwarf, u->die, root))
		return false;
	if (!dwarf_cu_info(root->cu, NULL, &kind, NULL, &split, NULL, NULL, NULL) &&
	    kind == DW_UT_skeleton && split.cu) {
		u->split = dwarf_cu_getdwarf(split.cu);
		*root = split;
		/* without its own files dwarf_decl_file() ends the program */
		return !dwarf_getsrcfiles(&split, &files, &n);
	}
	return true;
}

static void
dwarf_walk(struct symbol_dwarf *d, struct unit *u)
{
	Dwarf_Die path[DEPTH_MAX], root;
	unsigned depth = 0;
	u->walked = true;
	symbol_room(SYMBOL_ROOM);
	if (!dwarf_root(d, u, &root) || dwarf_child(&root, &path[0]))
		return;
	for (;;) {
		Dwarf_Die child;
		if (!spend(d, 1))
			break;
		if (dwarf_visit(u, &path[depth]) && depth + 1 < DEPTH_MAX &&
		    !dwarf_child(&path[depth], &child)) {
			path[++depth] = child;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth])) {
			if (!depth)
				goto out;
			depth--;
		}
	}
out:
	if (!u->scope.n)
		return;
	qsort(u->scope.at, u->scope.n, sizeof *u->scope.at, compare_scopes);
	for (uint32_t i = 0; i < u->scope.n; i++) {
		uint32_t outer = i;
		while (outer && u->scope.at[outer - 1].high <= u->scope.at[i].low)
			outer = u->scope.at[outer - 1].outer;
		u->scope.at[i].outer = outer;
	}
}

static uint32_t
scope_at(const struct unit *u, uint64_t address)
{
	size_t low = bisect(i, u->scope.n, u->scope.at[i].low <= address);

	while (low && u->scope.at[low - 1].high <= address)
		low = u->scope.at[low - 1].outer;
	return (uint32_t)low;
}

/* ---- lines and names ---- */

/* Returns the caller's line of an inlined call. */
static uint32_t
call_line(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word value;
	if (!dwarf_attr(die, DW_AT_call_line, &a) || dwarf_formudata(&a, &value) ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static uint32_t
line_at(struct symbol_dwarf *d, struct unit *u, Dwarf_Die *unit_die, uint64_t address)
{
	if (!u->lines_read) {
		Dwarf_Lines *lines;
		size_t n = 0;
		u->lines_read = true;
		symbol_room(SYMBOL_ROOM);
		if (!d->budget->spent && !dwarf_getsrclines(unit_die, &lines, &n))
			u->lines_allowed = spend(d, n);
	}
	Dwarf_Line *line = u->lines_allowed ? dwarf_getsrc_die(unit_die, address) : NULL;
	int n;
	return line && !dwarf_lineno(line, &n) && n > 0 ? (uint32_t)n : 0;
}

static const char *
dwarf_text(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, attribute, &a) ? dwarf_formstring(&a) : NULL;
}

/* In these languages the name of a function equals its symbol. */
static bool
is_plain_language(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

/* Returns the file of a DIE's declaration.  DWARF 5 counts files from 0, the unit's own, and clang
 * does; dwarf_decl_file() takes 0 for none, as in older versions. */
static const char *
decl_file(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Word index;
	Dwarf_Half version;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t n;

	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &index) || index)
		return file;
	if (!dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    version < 5 || dwarf_getsrcfiles(&unit, &files, &n) || !n)
		return NULL;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

/* Returns true if the name is the linkage name. */
static bool
dwarf_describe(Dwarf_Die *die, struct symbols_frame *f)
{
	f->name = dwarf_text(die, DW_AT_linkage_name);
	if (!f->name)
		f->name = dwarf_text(die, DW_AT_MIPS_linkage_name);
	bool linkage = f->name;
	if (!f->name)
		f->name = dwarf_text(die, DW_AT_name);
	f->file = decl_file(die);
	int n;
	f->definition = !dwarf_decl_line(die, &n) && n > 0 ? (uint32_t)n : 0;
	return linkage;
}

bool
symbol_dwarf_knows(const struct symbol_dwarf *d, uint64_t address)
{
	const struct unit *u = unit_at(d, address);

	return !u || (u->walked && u->lines_read);
}

unsigned
symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address, struct symbols_frame *out,
		unsigned max, bool *qualified)
{
	struct unit *u = unit_at(d, address);
	Dwarf_Die unit_die;
	unsigned n = 0;
	*qualified = false;
	if (!u || !dwarf_offdie(d->dwarf, u->die, &unit_die))
		return 0;
	if (!u->walked)
		dwarf_walk(d, u);
	uint32_t line = line_at(d, u, &unit_die, address);
	for (uint32_t i = scope_at(u, address); i && n < max;
	     i = u->scope.at[i - 1].outer) {
		const struct scope *s = &u->scope.at[i - 1];
		Dwarf_Die die;
		/* If ranges only touch, the linked one may not enclose this one. */
		if (s->high <= address)
			continue;
		if (!dwarf_offdie(u->split ? u->split : d->dwarf, s->die, &die))
			break;
		out[n] = (struct symbols_frame){.line = line, .inlined = s->inlined};
		*qualified = dwarf_describe(&die, &out[n++]) || is_plain_language(&unit_die);
		if (!s->inlined)
			break;
		line = call_line(&die);
	}
	return n;
}

#else

struct symbol_dwarf *
symbol_dwarf_new(struct symbol_elf *f, struct symbol_budget *budget)
{
	(void)f;
	(void)budget;
	return NULL;
}

void
symbol_dwarf_free(struct symbol_dwarf *d)
{
	(void)d;
}

bool
symbol_dwarf_knows(const struct symbol_dwarf *d, uint64_t address)
{
	(void)d;
	(void)address;
	return true;
}

unsigned
symbol_dwarf_at(struct symbol_dwarf *d, uint64_t address, struct symbols_frame *out,
		unsigned max, bool *qualified)
{
	(void)d;
	(void)address;
	(void)out;
	(void)max;
	*qualified = false;
	return 0;
}

#endif
