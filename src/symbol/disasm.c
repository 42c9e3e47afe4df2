/* Disassembly.
 *
 * symbols.h gives function, name and line of an address, perhaps from a separate debug file. The
 * code itself is in the executed file, so that is opened as well: the recorded path if it has the
 * recorded build id, else the file of the symbols, which has it.  Code of another build would put
 * the hits on wrong instructions and still look right.  If there is no such file, a recording may
 * hold the code (embedded.h).
 *
 * The text is in the assembler's usual notation, AT&T's on x86, as in perf annotate and objdump.
 * Bytes that are not an instruction are listed one by one, so a table within the code does not end
 * the function. */
#include "src/symbol/disasm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/late.h"
#include "src/symbol/embedded.h"
#include "src/symbol/symbols.h"

struct disasm_code {
	uint32_t symbols;
	char *path;
	uint8_t id[64];
	size_t id_len;
	bool tried;
	int fd;          /* of the file with the code; -1: not open */
	const char *why; /* why there is no code; NULL: there is */
	uint8_t has[64]; /* the build id that the file has instead */
	size_t has_len;
	uint16_t machine;         /* EM_... */
	bool big_endian, wide;    /* 64 bit */
	VEC(struct segment) segment;
};

struct segment {
	uint64_t address, size, offset;
};

struct disasm {
	struct symbols *symbols;
	struct embedding *embedding; /* NULL: not requested */
	VEC(struct disasm_code) code;
};

struct disasm *
disasm_new(const char *const *dirs, size_t n, bool server)
{
	struct disasm *d = mem_zalloc(1, sizeof *d);

	d->symbols = symbols_new();
	symbols_places(d->symbols, dirs, n, server);
	return d;
}

void
disasm_raw(struct disasm *d)
{
	symbols_raw(d->symbols);
}

void
disasm_recorded(struct disasm *d, const struct embedded *e)
{
	symbols_recorded(d->symbols, e);
}

void
disasm_embed(struct disasm *d, struct embedding *e)
{
	d->embedding = e;
	symbols_embed(d->symbols, e);
}

void
disasm_stops(struct disasm *d, bool (*stops)(void *ctx), void *ctx)
{
	symbols_stops(d->symbols, stops, ctx);
}

void
disasm_free(struct disasm *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->code.n; i++) {
		if (d->code.at[i].fd >= 0)
			close(d->code.at[i].fd);
		vec_release(&d->code.at[i].segment);
		free(d->code.at[i].path);
	}
	vec_release(&d->code);
	symbols_free(d->symbols);
	free(d);
}

uint32_t
disasm_module(struct disasm *d, const char *path, size_t path_len, const uint8_t *id,
	      size_t id_len)
{
	struct disasm_code c = {.fd = -1, .id_len = id_len < sizeof c.id ? id_len : sizeof c.id};

	for (uint32_t i = 0; i < d->code.n; i++) {
		const struct disasm_code *known = &d->code.at[i];
		if (strlen(known->path) == path_len && known->id_len == c.id_len &&
		    !memcmp(known->path, path, path_len) &&
		    (!c.id_len || !memcmp(known->id, id, c.id_len)))
			return i;
	}
	if (c.id_len)
		memcpy(c.id, id, c.id_len);
	c.path = mem_dup(path, path_len);
	c.symbols = symbols_add(d->symbols, &(struct symbols_module){.kind = SYMBOLS_FILE,
								     .path = c.path,
								     .path_len = path_len,
								     .build_id = c.id,
								     .build_id_len = c.id_len});
	*vec_push(&d->code) = c;
	return (uint32_t)d->code.n - 1;
}

bool
disasm_span(struct disasm *d, uint32_t module, uint64_t address, uint64_t *start, uint64_t *end)
{
	struct symbols_span span;

	if (!symbols_span(d->symbols, d->code.at[module].symbols, address, &span) ||
	    !span.name || span.end <= span.start || span.end - span.start > DISASM_BYTES_MAX)
		return false;
	*start = span.start;
	*end = span.end;
	return true;
}

bool
disasm_named(struct disasm *d, uint32_t module, const char *name, uint64_t *address)
{
	return symbols_named(d->symbols, d->code.at[module].symbols, name, address);
}

#if defined HAVE_LIBDW && defined HAVE_CAPSTONE

#include <capstone/capstone.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>

/* ---- the file ---- */

static void
read_segments(struct disasm_code *c, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X &&
		    p.p_filesz)
			*vec_push(&c->segment) =
				(struct segment){p.p_vaddr, p.p_filesz, p.p_offset};
}

/* Reads the headers of an open file; returns false, with c->why, if it is not the executed file. */
static bool
read_headers(struct disasm_code *c, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Ehdr h;
	const void *id;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &h)) {
		elf_end(elf);
		c->why = "is no ELF file";
		return false;
	}
	ssize_t len = dwelf_elf_gnu_build_id(elf, &id);
	c->has_len = len > 0 && (size_t)len <= sizeof c->has ? (size_t)len : 0;
	if (c->has_len)
		memcpy(c->has, id, c->has_len);
	if (c->id_len && (c->has_len != c->id_len || memcmp(c->has, c->id, c->id_len) != 0)) {
		elf_end(elf);
		c->why = "is another build";
		return false;
	}
	c->machine = h.e_machine;
	c->wide = h.e_ident[EI_CLASS] == ELFCLASS64;
	c->big_endian = h.e_ident[EI_DATA] == ELFDATA2MSB;
	read_segments(c, elf);
	elf_end(elf);
	c->why = c->segment.n ? NULL : "has no code";
	return c->segment.n > 0;
}

static bool
try_file(struct disasm_code *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		c->why = "is not here";
		return false;
	}
	if (read_headers(c, fd)) {
		c->fd = fd;
		return true;
	}
	close(fd);
	return false;
}

static bool
disasm_opened(struct disasm *d, struct disasm_code *c)
{
	const char *other, *why;

	if (c->tried)
		return c->fd >= 0;
	c->tried = true;
	if (!c->id_len) {
		c->why = "may be another build than the executed one: no build id was recorded";
		return false;
	}
	elf_version(EV_CURRENT);
	if (try_file(c, c->path))
		return true;
	why = c->why;
	other = symbols_file(d->symbols, c->symbols);
	if (other && strcmp(other, c->path) != 0 && try_file(c, other))
		return true;
	c->why = why;
	return false;
}

/* Reads the code of [start, end) within one segment; the caller frees it. */
static uint8_t *
read_code(const struct disasm_code *c, uint64_t start, uint64_t end, size_t *len)
{
	for (size_t i = 0; i < c->segment.n; i++) {
		const struct segment *s = &c->segment.at[i];
		if (start < s->address || start - s->address >= s->size)
			continue;
		uint64_t left = s->size - (start - s->address);
		*len = (size_t)(end - start < left ? end - start : left);
		uint8_t *code = mem_alloc(*len, 1);
		ssize_t n = pread(c->fd, code, *len, (off_t)(s->offset + start - s->address));
		if (n > 0) {
			*len = (size_t)n;
			return code;
		}
		free(code);
	}
	return NULL;
}

/* The same, from the file or from the recording. */
static uint8_t *
code_of(struct disasm *d, struct disasm_code *c, uint64_t start, uint64_t end, size_t *len)
{
	struct embedded_code kept;

	if (disasm_opened(d, c))
		return read_code(c, start, end, len);
	if (!symbols_code(d->symbols, c->symbols, start, &kept) || kept.start != start)
		return NULL;
	c->machine = kept.machine;
	c->wide = kept.wide;
	c->big_endian = kept.big_endian;
	*len = kept.len;
	return mem_copy(kept.at, kept.len, 1);
}

/* ---- capstone ---- */

/* The functions of capstone that pnav calls, loaded at the first use (late.h). */
#define FUNCTIONS(F) \
	F(close) F(disasm_iter) F(free) F(insn_group) \
	F(malloc) F(open) F(option)

static struct {
#define F(name) __typeof__(cs_##name) *name;
	FUNCTIONS(F)
#undef F
} capstone;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define SONAME "libcapstone.so." TEXT(CS_API_MAJOR)

#ifdef PNAV_STATIC
static bool
have_capstone(void)
{
#define F(name) capstone.name = cs_##name;
	FUNCTIONS(F)
#undef F
	return true;
}
#else
static const char *const names[] = {
#define F(name) "cs_" #name,
	FUNCTIONS(F)
#undef F
};

static bool
have_capstone(void)
{
	struct err ignored;

	err_init(&ignored);
	return late_load(SONAME, names, sizeof names / sizeof *names, &capstone, &ignored);
}
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void
load_capstone(void)
{
	loaded = have_capstone();
}

static bool
engine(const struct disasm_code *c, csh *h)
{
	static const struct {
		uint16_t machine;
		bool wide;
		cs_arch arch;
		cs_mode mode;
	} known[] = {
		{EM_X86_64, true, CS_ARCH_X86, CS_MODE_64},
		{EM_X86_64, false, CS_ARCH_X86, CS_MODE_64},
		{EM_386, false, CS_ARCH_X86, CS_MODE_32},
		{EM_AARCH64, true, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN},
		{EM_ARM, false, CS_ARCH_ARM, CS_MODE_ARM},
		{EM_PPC64, true, CS_ARCH_PPC, CS_MODE_64},
		{EM_S390, true, CS_ARCH_SYSZ, CS_MODE_BIG_ENDIAN},
#if CS_API_MAJOR >= 5
		{EM_RISCV, true, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC},
		{EM_RISCV, false, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC},
#endif
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].machine == c->machine && known[i].wide == c->wide) {
			unsigned mode = (unsigned)known[i].mode;
			if (c->big_endian)
				mode |= (unsigned)CS_MODE_BIG_ENDIAN;
			if (capstone.open(known[i].arch, (cs_mode)mode, h) != CS_ERR_OK)
				return false;
			if (known[i].arch == CS_ARCH_X86)
				capstone.option(*h, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
			capstone.option(*h, CS_OPT_DETAIL, CS_OPT_ON);
			capstone.option(*h, CS_OPT_SKIPDATA, CS_OPT_ON);
			return true;
		}
	return false;
}

/* Returns the number at the end of a jump's or call's operands: its target.  After a register, a
 * star or a bracket there is none. */
static uint64_t
target_of(const char *operands)
{
	const char *at = strrchr(operands, ' '), *from;
	char *end;

	at = at ? at + 1 : operands;
	from = at + (*at == '#' || *at == '$');
	if (strncmp(from, "0x", 2) != 0)
		return 0;
	uint64_t to = strtoull(from, &end, 16);
	return *end ? 0 : to;
}

struct talk {
	struct disasm *d;
	const struct disasm_code *c;
	csh h;
	struct buf text;
};

static bool
symbol_at(struct talk *t, uint64_t address, struct symbols_frame *out)
{
	uint64_t offset;

	return symbols_offset(t->d->symbols, t->c->symbols, address, &offset) &&
	       symbols_at(t->d->symbols, t->c->symbols, offset, true, out, SYMBOLS_DEPTH) > 0;
}

static void
disasm_emit(struct talk *t, const cs_insn *i, disasm_take *take, void *ctx)
{
	struct symbols_frame here[SYMBOLS_DEPTH], there[SYMBOLS_DEPTH];
	struct disasm_instruction x = {.address = i->address};

	if (i->id) { /* bytes that are not an instruction have no details */
		x.calls = capstone.insn_group(t->h, i, CS_GRP_CALL);
		x.jumps = capstone.insn_group(t->h, i, CS_GRP_JUMP) && !x.calls;
	}
	buf_reset(&t->text);
	buf_adds(&t->text, i->mnemonic);
	if (*i->op_str)
		buf_addf(&t->text, " %s", i->op_str);
	if (x.calls || x.jumps)
		x.to = target_of(i->op_str);
	if (x.to && symbol_at(t, x.to, there)) {
		unsigned last = 0; /* the function itself, not an inlined one */
		while (there[last].inlined && last + 1 < SYMBOLS_DEPTH)
			last++;
		x.to_name = there[last].name;
	}
	if (symbol_at(t, x.address, here)) {
		x.file = here[0].file;
		x.line = here[0].line;
	}
	x.text = buf_str(&t->text);
	take(ctx, &x);
}

bool
disasm_run(struct disasm *d, uint32_t module, uint64_t start, uint64_t end, disasm_take *take,
	   void *ctx)
{
	struct disasm_code *c = &d->code.at[module];
	struct talk t = {.d = d, .c = c, .text = BUF_INIT};
	size_t len;

	if (end <= start || end - start > DISASM_BYTES_MAX)
		return false;
	uint8_t *code = code_of(d, c, start, end, &len);
	if (!code)
		return false;
	pthread_once(&once, load_capstone);
	if (!loaded) {
		free(code);
		c->why = "is not disassembled: " SONAME " is not installed";
		return false;
	}
	if (!engine(c, &t.h)) {
		free(code);
		c->why = "is for a processor without disassembler";
		return false;
	}
	const uint8_t *at = code;
	uint64_t address = start;
	cs_insn *i = capstone.malloc(t.h);
	while (i && capstone.disasm_iter(t.h, &at, &len, &address, i))
		disasm_emit(&t, i, take, ctx);
	capstone.free(i, 1);
	capstone.close(&t.h);
	buf_release(&t.text);
	free(code);
	return true;
}

static void
ignore(void *ctx, const struct disasm_instruction *i)
{
	(void)ctx;
	(void)i;
}

void
disasm_embed_at(struct disasm *d, uint32_t module, uint64_t offset)
{
	struct disasm_code *c = &d->code.at[module];
	struct symbols_module key = {.kind = SYMBOLS_FILE,
				     .path = c->path,
				     .path_len = strlen(c->path),
				     .build_id = c->id,
				     .build_id_len = c->id_len};
	uint32_t number = embedding_module(d->embedding, &key, NULL);
	struct symbols_span span;
	uint64_t at;

	if (!symbols_address(d->symbols, c->symbols, offset, &at) ||
	    embedding_has_code(d->embedding, number, at) ||
	    !symbols_span(d->symbols, c->symbols, at, &span) || !span.name ||
	    span.end <= span.start || span.end - span.start > DISASM_BYTES_MAX)
		return;
	struct embedded_code f = {.start = span.start, .end = span.end, .name = span.name};
	uint8_t *code = code_of(d, c, f.start, f.end, &f.len);
	if (!code)
		return;
	f.machine = c->machine;
	f.wide = c->wide;
	f.big_endian = c->big_endian;
	f.at = code;
	embedding_code(d->embedding, number, &f);
	free(code);
	/* what this looks up is noted */
	disasm_run(d, module, span.start, span.end, ignore, NULL);
}

static void
add_id(struct buf *out, const uint8_t *id, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%02x", id[i]);
	if (!n)
		buf_adds(out, "none");
}

void
disasm_say(struct disasm *d, uint32_t module, struct buf *out)
{
	struct disasm_code *c = &d->code.at[module];

	if (disasm_opened(d, c) && !c->why)
		return;
	buf_addf(out, "%s %s", c->path, c->why ? c->why : "cannot be read");
	if (c->id_len || c->has_len) {
		buf_adds(out, ": its build id was ");
		add_id(out, c->id, c->id_len);
	}
	if (c->has_len) {
		buf_adds(out, ", that of the file here is ");
		add_id(out, c->has, c->has_len);
	}
}

#else

void
disasm_embed_at(struct disasm *d, uint32_t module, uint64_t offset)
{
	(void)d;
	(void)module;
	(void)offset;
}

bool
disasm_run(struct disasm *d, uint32_t module, uint64_t start, uint64_t end, disasm_take *take,
	   void *ctx)
{
	(void)d;
	(void)module;
	(void)start;
	(void)end;
	(void)take;
	(void)ctx;
	return false;
}

void
disasm_say(struct disasm *d, uint32_t module, struct buf *out)
{
	(void)d;
	(void)module;
	buf_adds(out, "this pnav was built without capstone or elfutils");
}

#endif
