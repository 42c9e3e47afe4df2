/* cold.c - see cold.h.
 *
 * .eh_frame_hdr lists where each function and each part begins (Linux Standard Base, Core,
 * "DWARF Extensions"):
 *
 *	u8 version 1, u8 encoding of the pointer, u8 of the count 0x03, u8 of the table 0x3b
 *	i32 pointer to .eh_frame    u32 n
 *	n times   i32 begin, i32 its entry in .eh_frame, from the beginning of the section on
 *
 * The entry (with pointers of 4 bytes, as GCC writes them):
 *
 *	u32 length, u32 its common entry, i32 begin, u32 size, u8 m, m bytes, instructions
 *
 * A function begins with the return address on top of the stack, and its first instruction is to
 * advance. A part begins with what its function has pushed: its first instruction says where that
 * is.
 *
 * A part goes back into the middle of its function, where nothing else jumps to. So the code of the
 * part is searched for the bytes of direct jumps, E9 and 0F 80 to 0F 8F, each with an i32: the
 * function with most targets in its middle, at least two, and twice as many as any other, is that
 * of the part. Such bytes also occur by chance, inside other instructions; then they point anywhere
 * in 4 GB. Symbols without a size, like __data_start, are no functions.
 *
 * Rejected: disassembling (capstone is optional); the targets of jumps in the function (a loop with
 * a table of labels reaches its part by indirect jumps). */
#include "src/symbol/cold.h"

#include <string.h>

void
symbol_cold_release(struct symbol_cold *c)
{
	vec_release(&c->part);
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "model/base/bisect.h"
#include "model/base/buf.h"
#include "model/base/bytes.h"

#define HEADER 12u
#define ENTRY 8u
#define FDE_HEAD 17u
#define FUNCTIONS 16u /* that the jumps of a part may go to */
#define JUMPS 2u
#define PART_MAX (1u << 20)

/* Returns n bytes of the file at an address; NULL if it has fewer. */
static const uint8_t *
bytes_at(struct symbol_elf *f, uint64_t address, uint64_t n)
{
	GElf_Addr bias;
	size_t size = 0, segments;
	Elf *elf = dwfl_module_getelf(f->module, &bias);
	const char *file = elf ? elf_rawfile(elf, &size) : NULL;

	if (!file || elf_getphdrnum(elf, &segments))
		return NULL;
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    address < p.p_vaddr || address - p.p_vaddr > p.p_filesz ||
		    n > p.p_filesz - (address - p.p_vaddr))
			continue;
		uint64_t at = p.p_offset + (address - p.p_vaddr);
		return at <= size && n <= size - at ? (const uint8_t *)file + at : NULL;
	}
	return NULL;
}

/* Finds the table; false if the file has none of this form, or its names. */
static bool
find_index(struct symbol_cold *c, struct symbol_elf *f)
{
	GElf_Addr bias;
	GElf_Ehdr header;
	GElf_Phdr p = {0};
	size_t segments;
	Elf *elf = dwfl_module_getelf(f->module, &bias);

	if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    elf_getphdrnum(elf, &segments) || !symbol_elf_stripped(f))
		return false;
	for (size_t i = 0; i < segments; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_GNU_EH_FRAME)
			break;
	const uint8_t *at = p.p_type == PT_GNU_EH_FRAME ? bytes_at(f, p.p_vaddr, HEADER) : NULL;
	if (!at || at[0] != 1 || at[2] != 0x03 || at[3] != 0x3b)
		return false;
	c->index = p.p_vaddr;
	c->n = bytes_u32(at + 8, false);
	return c->n && bytes_at(f, c->index, HEADER + c->n * ENTRY);
}

static uint64_t
begin_of(const struct symbol_cold *c, const uint8_t *table, uint64_t i)
{
	return c->index + (uint64_t)(int64_t)(int32_t)bytes_u32(table + i * ENTRY, false);
}

/* Returns how many rows of the table begin at or before an address. */
static uint64_t
begun_at(const struct symbol_cold *c, const uint8_t *table, uint64_t address)
{
	return bisect(i, c->n, begin_of(c, table, i) <= address);
}

/* Returns the first instruction of a row's entry, and sets the end of its code; NULL if it has none
 * that can be read. */
static const uint8_t *
entry_of(const struct symbol_cold *c, struct symbol_elf *f, const uint8_t *table, uint64_t i,
	 uint64_t *end)
{
	uint64_t start = begin_of(c, table, i), entry = begin_of(c, table + 4, i);
	const uint8_t *at = bytes_at(f, entry, FDE_HEAD);

	if (!at || at[16] > 0x7f || bytes_u32(at, false) <= FDE_HEAD - 4u + at[16] ||
	    entry + 8 + (uint64_t)(int64_t)(int32_t)bytes_u32(at + 8, false) != start)
		return NULL;
	*end = start + bytes_u32(at + 12, false);
	return bytes_at(f, entry + FDE_HEAD + at[16], 1);
}

/* Finds the code around an address, and whether it is a part. */
static bool
code_around(const struct symbol_cold *c, struct symbol_elf *f, uint64_t address,
	    struct symbol_cold_part *out, bool *part)
{
	const uint8_t *table = bytes_at(f, c->index + HEADER, c->n * ENTRY);
	uint64_t i = table ? begun_at(c, table, address) : 0;
	const uint8_t *first = i ? entry_of(c, f, table, i - 1, &out->end) : NULL;

	if (!first)
		return false;
	out->start = begin_of(c, table, i - 1);
	out->name = NULL;
	if (i < c->n && out->end > begin_of(c, table, i))
		out->end = begin_of(c, table, i);
	*part = out->end - out->start <= PART_MAX && *first != DW_CFA_nop &&
		*first >> 6 != DW_CFA_advance_loc >> 6 && *first != DW_CFA_advance_loc1 &&
		*first != DW_CFA_advance_loc2 && *first != DW_CFA_advance_loc4;
	return address < out->end;
}

/* A function or another part, and the jumps into its middle. */
struct target {
	uint64_t start;
	unsigned n;
};

static void
count_target(const struct symbol_cold *c, struct symbol_elf *f, const uint8_t *table,
	     uint64_t address, struct target to[FUNCTIONS])
{
	uint64_t i = begun_at(c, table, address), end;
	uint64_t start = i ? begin_of(c, table, i - 1) : address;

	if (start == address || !entry_of(c, f, table, i - 1, &end) || address >= end)
		return;
	for (size_t k = 0; k < FUNCTIONS; k++)
		if (!to[k].n || to[k].start == start) {
			to[k].start = start;
			to[k].n++;
			return;
		}
}

/* Names the function to whose middle most of the part's jumps go. */
static void
name_part(const struct symbol_cold *c, struct symbol_elf *f, struct symbol_table *t,
	  struct symbol_cold_part *part)
{
	struct target to[FUNCTIONS] = {{0, 0}};
	uint64_t n = part->end - part->start;
	const uint8_t *code = bytes_at(f, part->start, n);
	const uint8_t *table = bytes_at(f, c->index + HEADER, c->n * ENTRY);
	struct target best = {0, 0};
	unsigned second = 0;
	struct buf name = BUF_INIT;

	for (uint64_t i = 0; code && i + 5 <= n; i++) {
		bool condition = code[i] == 0x0f && code[i + 1] >> 4 == 8;
		if (code[i] != 0xe9 && (!condition || i + 6 > n))
			continue;
		uint64_t next = i + (condition ? 6 : 5);
		int32_t by = (int32_t)bytes_u32(code + next - 4, false);
		uint64_t target = part->start + next + (uint64_t)(int64_t)by;
		if (target < part->start || target >= part->end)
			count_target(c, f, table, target, to);
	}
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (to[i].n > best.n) {
			second = best.n;
			best = to[i];
		} else if (to[i].n > second) {
			second = to[i].n;
		}
	const struct symbol *s = symbol_table_at(t, best.start);
	if (best.n < JUMPS || best.n < 2 * second || !s || !s->sized || s->start != best.start)
		return;
	buf_addf(&name, "%s.cold", s->name);
	part->name = symbol_table_keep(t, buf_str(&name), name.len);
	buf_release(&name);
}

const char *
symbol_cold_at(struct symbol_cold *c, struct symbol_elf *f, struct symbol_table *t,
	       uint64_t address)
{
	struct symbol_cold_part part;
	bool is_cold;
	size_t low = bisect(i, c->part.n, c->part.at[i].end <= address);

	if (low < c->part.n && c->part.at[low].start <= address)
		return c->part.at[low].name;
	if (!c->tried)
		c->usable = f->module && find_index(c, f);
	c->tried = true;
	if (!c->usable || !code_around(c, f, address, &part, &is_cold))
		return NULL;
	if (is_cold)
		name_part(c, f, t, &part);
	vec_push(&c->part);
	memmove(c->part.at + low + 1, c->part.at + low,
		(c->part.n - 1 - low) * sizeof *c->part.at);
	c->part.at[low] = part;
	return part.name;
}

#else

const char *
symbol_cold_at(struct symbol_cold *c, struct symbol_elf *f, struct symbol_table *t,
	       uint64_t address)
{
	(void)c;
	(void)f;
	(void)t;
	(void)address;
	return NULL;
}

#endif
