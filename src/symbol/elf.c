/* ELF files through libdwfl, which reads them together with their separate debug files (places.h),
 * shared files of dwz, and compressed tables in .gnu_debugdata.
 *
 * Every file is a Dwfl of its own with one module at its own addresses (bias 0).  So symbols and
 * DWARF use the file's addresses, and all processes can share them.
 *
 * The path comes from a profile, perhaps from another machine.  So the file must be a plain one (a
 * FIFO would block), with the recorded build id.  perf pads ids of 16 bytes with four zeros, which
 * are not compared.
 *
 * Stubs of the linkage table have no symbols.  The i-th relocation of .rela.plt belongs to the i-th
 * stub of .plt, after a header, and of .plt.sec, which has no header. */
#include "src/symbol/elf.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/symbol/room.h"
#include "src/symbol/roots.h"

#define ID_SURE 8u /* the length of a build id that identifies a file */

static const Dwfl_Callbacks callbacks = {
	.find_elf = symbol_find_elf,
	.find_debuginfo = symbol_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* ---- build ids ---- */

static bool
same_id(const uint8_t *wanted, size_t wanted_len, const uint8_t *have, size_t have_len)
{
	size_t n = wanted_len < have_len ? wanted_len : have_len;
	if (!n || memcmp(wanted, have, n) != 0)
		return false;
	for (size_t i = n; i < wanted_len; i++)
		if (wanted[i])
			return false;
	return true;
}

static bool
elf_is_wanted(Dwfl_Module *m, const struct symbol_wanted *w)
{
	const unsigned char *id;
	GElf_Addr at, bias;
	if (!w->build_id_len)
		return true;
	/* Reading the id requires opening the file. */
	if (!dwfl_module_getelf(m, &bias))
		return false;
	int n = dwfl_module_build_id(m, &id, &at);
	return n > 0 && same_id(w->build_id, w->build_id_len, id, (size_t)n);
}

/* ---- opening ---- */

/* Reads where code is mapped.  Linkers let segments share a page of the file, and may map the
 * same bytes twice (lld: read-only data and code differ in address minus offset).  So an offset
 * alone does not identify a segment, and only executable ones are used.  Maps begin at a page
 * boundary, before the segment's first byte.
 *
 * In a separate debug file a segment of code has no bytes.  GNU objcopy moves it to offset 0.
 * GNU ld had put it at the same distance from the first segment as in memory, so that offset is
 * restored. lld puts it elsewhere, and its offset is kept. */
static void
read_segments(struct symbol_elf *f)
{
	GElf_Addr bias;
	size_t n;
	Elf *elf = dwfl_module_getelf(f->module, &bias);
	if (!elf || elf_getphdrnum(elf, &n))
		return;
	bool first = true;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		f->base = first ? p.p_vaddr : f->base;
		first = false;
		if (!(p.p_flags & PF_X))
			continue;
		f->code |= p.p_filesz != 0;
		if (!p.p_filesz && !p.p_offset)
			p.p_offset = p.p_vaddr - f->base;
		uint64_t before = p.p_offset % (uint64_t)getpagesize();
		if (before > p.p_vaddr)
			before = p.p_vaddr;
		*vec_push(&f->segment) =
			(struct symbol_segment){.offset = p.p_offset - before,
						.size = p.p_memsz + before,
						.address = p.p_vaddr - before};
	}
}

/* Building, copying and renaming all change a file's ctime.  perf inject --jit writes programs
 * jitted-PID-N.so after the recording. */
static bool
is_unchanged(int fd, const char *path, int64_t since_ns)
{
	const char *name = strrchr(path, '/');
	struct stat st;

	if (!strncmp(name ? name + 1 : path, "jitted-", 7))
		return true;
	return !fstat(fd, &st) && (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec <
					  since_ns;
}

/* Takes the file if it is the requested one. */
static bool
try_file(struct symbol_elf *f, const char *path, const struct symbol_wanted *w)
{
	bool undated = w->build_id_len || !w->began_ns;
	int fd = symbol_open_elf(path);
	void **userdata;
	if (fd < 0)
		return false;
	f->dwfl = undated || is_unchanged(fd, path, w->began_ns) ? dwfl_begin(&callbacks) : NULL;
	if (!f->dwfl) {
		close(fd);
		return false;
	}
	dwfl_report_begin(f->dwfl);
	f->module = dwfl_report_elf(f->dwfl, path, path, fd, 0, true);
	if (!f->module)
		close(fd);
	else if (dwfl_module_info(f->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = w->places;
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (f->module && elf_is_wanted(f->module, w)) {
		f->path = mem_dup(path, strlen(path));
		read_segments(f);
		return true;
	}
	symbol_elf_close(f);
	return false;
}

/* Tries `~/.debug/.build-id/ab/cdef.../elf`. */
static bool
try_cache(struct symbol_elf *f, const struct symbol_wanted *w)
{
	static const char *const names[] = {"elf", "vdso"};
	const char *home = getenv("HOME");
	bool found = false;
	if (!home || !*home || w->build_id_len < 2)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
		struct buf path = BUF_INIT;
		buf_addf(&path, "%s/.debug/.build-id/%02x/", home, w->build_id[0]);
		for (size_t j = 1; j < w->build_id_len; j++)
			buf_addf(&path, "%02x", w->build_id[j]);
		buf_addf(&path, "/%s", names[i]);
		found = try_file(f, buf_str(&path), w);
		buf_release(&path);
	}
	return found;
}

static bool
has_symtab(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr s;
	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &s) && s.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

bool
symbol_elf_stripped(struct symbol_elf *f)
{
	GElf_Addr bias;
	if (!f->module)
		return false;
	if (has_symtab(dwfl_module_getelf(f->module, &bias)))
		return false;
	Dwarf *dwarf = dwfl_module_getdwarf(f->module, &bias);
	return !dwarf || !has_symtab(dwarf_getelf(dwarf));
}

struct elf_search {
	struct symbol_elf *f;
	const struct symbol_wanted *w;
	bool debug; /* a separate debug file suffices */
};

static bool
take_file(void *ctx, const char *path)
{
	struct elf_search *s = ctx;

	if (!try_file(s->f, path, s->w))
		return false;
	if (s->debug ? symbol_elf_stripped(s->f) || !s->f->segment.n : !s->f->code)
		symbol_elf_close(s->f);
	return s->f->module != NULL;
}

/* Tries the path in the containers of this host. Other containers may have another program at the
 * same path, so the build id must be known. */
static bool
try_roots(struct symbol_elf *f, const struct symbol_wanted *w)
{
	struct elf_search program = {f, w, false};

	return w->path && w->build_id_len >= ID_SURE &&
	       symbol_roots_find(w->roots, w->path, take_file, &program);
}

/* Looks elsewhere by build id: for the program, else only its debug file, which has the same
 * names. */
static bool
try_build_id(struct symbol_elf *f, const struct symbol_wanted *w)
{
	struct symbol_id id = {w->build_id, w->build_id_len};
	struct elf_search program = {f, w, false}, debug = {f, w, true};

	return id.len >= ID_SURE &&
	       (symbol_places_find(w->places, id, false, take_file, &program) ||
		symbol_places_find(w->places, id, true, take_file, &debug));
}

const char *
symbol_elf_debug(struct symbol_elf *f)
{
	const char *file = NULL;
	GElf_Addr bias;
	if (!f->module)
		return NULL;
	dwfl_module_getdwarf(f->module, &bias); /* this call makes libdwfl search for them */
	dwfl_module_info(f->module, NULL, NULL, NULL, NULL, NULL, NULL, &file);
	return file && strcmp(file, f->path) != 0 ? file : NULL;
}

bool
symbol_elf_open(struct symbol_elf *f, const struct symbol_wanted *w)
{
	struct symbol_elf cached = {.memory_fd = -1};
	*f = (struct symbol_elf){.memory_fd = -1};
	if (!w->path || !try_file(f, w->path, w))
		return try_cache(f, w) || try_roots(f, w) || try_build_id(f, w);
	/* perf caches recorded files, perhaps from before they were stripped. */
	if (symbol_elf_stripped(f) && try_cache(&cached, w)) {
		if (symbol_elf_stripped(&cached)) {
			symbol_elf_close(&cached);
		} else {
			symbol_elf_close(f);
			*f = cached;
		}
	}
	return true;
}

bool
symbol_elf_open_vdso(struct symbol_elf *f, const struct symbol_wanted *w)
{
	*f = (struct symbol_elf){.memory_fd = -1};
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = image;
	if (!image)
		return try_cache(f, w);
	/* Its sections lie at the end; the kernel maps whole pages. */
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	size_t page = (size_t)getpagesize();
	size = (size + page - 1) / page * page;
	/* libdwfl requires a file, so an unnamed one. */
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return try_cache(f, w);
	struct buf path = BUF_INIT;
	buf_addf(&path, "/proc/self/fd/%d", fd);
	struct symbol_wanted here = *w;
	here.began_ns = 0; /* the file is new, its contents are not */
	bool ok = write(fd, image, size) == (ssize_t)size && try_file(f, buf_str(&path), &here);
	buf_release(&path);
	if (ok)
		f->memory_fd = fd; /* the path is valid while it is open */
	else
		close(fd);
	return ok || try_cache(f, w);
}

void
symbol_elf_close(struct symbol_elf *f)
{
	if (f->dwfl)
		dwfl_end(f->dwfl);
	if (f->memory_fd >= 0)
		close(f->memory_fd);
	free(f->path);
	vec_release(&f->segment);
	*f = (struct symbol_elf){.memory_fd = -1};
}

/* ---- symbols ---- */

static enum symbol_binding
binding_of(const GElf_Sym *s)
{
	switch (GELF_ST_BIND(s->st_info)) {
	case STB_WEAK:
		return SYMBOL_WEAK;
	case STB_LOCAL:
		return SYMBOL_LOCAL;
	default:
		return SYMBOL_GLOBAL;
	}
}

static bool
is_code(const GElf_Sym *s, GElf_Word section)
{
	if (section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	switch (GELF_ST_TYPE(s->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* written in assembler */
		return GELF_ST_VISIBILITY(s->st_other) != STV_HIDDEN &&
		       GELF_ST_VISIBILITY(s->st_other) != STV_INTERNAL;
	default:
		return false;
	}
}

/* The addresses of the linkage table's stubs. */
struct plt {
	uint64_t stubs, stubs_size;   /* .plt */
	uint64_t second, second_size; /* .plt.sec */
	Elf_Scn *relocations;
	uint64_t header; /* bytes before the first stub of .plt */
};
#define PLT_STUB 16u

static bool
find_plt(Elf *elf, struct plt *p)
{
	size_t names;
	GElf_Ehdr header;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) || !gelf_getehdr(elf, &header))
		return false;
	if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
		return false;
	p->header = header.e_machine == EM_AARCH64 ? 32 : 16;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr s;
		if (!gelf_getshdr(section, &s))
			continue;
		const char *name = elf_strptr(elf, names, s.sh_name);
		if (!name || s.sh_type == SHT_NOBITS)
			continue;
		if (!strcmp(name, ".plt")) {
			p->stubs = s.sh_addr;
			p->stubs_size = s.sh_size;
		} else if (!strcmp(name, ".plt.sec")) {
			p->second = s.sh_addr;
			p->second_size = s.sh_size;
		} else if (!strcmp(name, ".rela.plt")) {
			p->relocations = section;
		}
	}
	return p->relocations && p->stubs_size > p->header;
}

static void
add_stub(struct symbol_table *t, const struct plt *p, size_t i, const char *name)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "%s@plt", name);
	const char *kept = symbol_table_keep(t, buf_str(&text), text.len);
	buf_release(&text);
	if (p->header + (i + 1) * PLT_STUB <= p->stubs_size)
		symbol_table_add(t, p->stubs + p->header + i * PLT_STUB, PLT_STUB, kept,
				 SYMBOL_GLOBAL);
	if ((i + 1) * PLT_STUB <= p->second_size)
		symbol_table_add(t, p->second + i * PLT_STUB, PLT_STUB, kept,
				 SYMBOL_GLOBAL);
}

static void
add_plt(struct symbol_elf *f, struct symbol_table *t)
{
	struct plt p = {0};
	GElf_Addr bias;
	GElf_Shdr section, symbols;
	Elf *elf = dwfl_module_getelf(f->module, &bias);
	if (!elf || !find_plt(elf, &p) || !gelf_getshdr(p.relocations, &section) ||
	    !section.sh_entsize)
		return;
	Elf_Scn *dynamic = elf_getscn(elf, section.sh_link);
	Elf_Data *names = dynamic ? elf_getdata(dynamic, NULL) : NULL;
	Elf_Data *data = elf_getdata(p.relocations, NULL);
	if (!names || !data || !gelf_getshdr(dynamic, &symbols))
		return;
	size_t n = section.sh_size / section.sh_entsize;
	for (size_t i = 0; i < n && (i + 1) * PLT_STUB <= p.stubs_size; i++) {
		GElf_Rela r;
		GElf_Sym s;
		if (!gelf_getrela(data, (int)i, &r) ||
		    !gelf_getsym(names, (int)GELF_R_SYM(r.r_info), &s))
			continue;
		const char *name = elf_strptr(elf, symbols.sh_link, s.st_name);
		if (name && *name)
			add_stub(t, &p, i, name);
	}
}

void
symbol_elf_symbols(struct symbol_elf *f, struct symbol_table *t)
{
	symbol_room(SYMBOL_ROOM);
	int n = dwfl_module_getsymtab(f->module);
	for (int i = 1; i < n; i++) {
		GElf_Sym s;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(f->module, i, &s, &address,
							   &section, NULL, NULL);
		if (name && *name && is_code(&s, section))
			symbol_table_add(t, address, s.st_size, name, binding_of(&s));
	}
	add_plt(f, t);
	symbol_table_sort(t);
}

bool
symbol_elf_address(const struct symbol_elf *f, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < f->segment.n; i++) {
		const struct symbol_segment *s = &f->segment.at[i];
		if (offset >= s->offset && offset - s->offset < s->size) {
			*address = offset - s->offset + s->address;
			return true;
		}
	}
	return false;
}

bool
symbol_elf_offset(const struct symbol_elf *f, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < f->segment.n; i++) {
		const struct symbol_segment *s = &f->segment.at[i];
		if (address >= s->address && address - s->address < s->size) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

#else

bool
symbol_elf_open(struct symbol_elf *f, const struct symbol_wanted *w)
{
	(void)w;
	*f = (struct symbol_elf){.memory_fd = -1};
	return false;
}

bool
symbol_elf_open_vdso(struct symbol_elf *f, const struct symbol_wanted *w)
{
	return symbol_elf_open(f, w);
}

void
symbol_elf_close(struct symbol_elf *f)
{
	(void)f;
}

void
symbol_elf_symbols(struct symbol_elf *f, struct symbol_table *t)
{
	(void)f;
	(void)t;
}

bool
symbol_elf_stripped(struct symbol_elf *f)
{
	(void)f;
	return false;
}

const char *
symbol_elf_debug(struct symbol_elf *f)
{
	(void)f;
	return NULL;
}

bool
symbol_elf_address(const struct symbol_elf *f, uint64_t offset, uint64_t *address)
{
	(void)f;
	(void)offset;
	(void)address;
	return false;
}

bool
symbol_elf_offset(const struct symbol_elf *f, uint64_t address, uint64_t *offset)
{
	return symbol_elf_address(f, address, offset);
}

#endif
