/* elfdata.c - see elfdata.h.  All sizes come from the file, so they are checked before use. */
#include "src/collect/elfdata.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/mem.h"

#define SECTIONS_MAX 200u
#define SEGMENTS_MAX 64u
#define TABLE_MAX (64u << 20) /* of symbols, of their names */

struct elfdata_file {
	int fd;
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS_MAX];
	unsigned sections;
};

static bool
elfdata_get(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

static bool
elfdata_open(struct elfdata_file *f, const char *path)
{
	const unsigned char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB
									   : ELFDATA2LSB;
	struct stat st;

	f->sections = 0;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return false;
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode) ||
	    !elfdata_get(f->fd, &f->head, sizeof f->head, 0) ||
	    memcmp(f->head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    f->head.e_ident[EI_CLASS] != ELFCLASS64 || f->head.e_ident[EI_DATA] != order) {
		close(f->fd);
		return false;
	}
	unsigned n = f->head.e_shnum < SECTIONS_MAX ? f->head.e_shnum : SECTIONS_MAX;
	if (f->head.e_shentsize == sizeof *f->section &&
	    elfdata_get(f->fd, f->section, n * sizeof *f->section, f->head.e_shoff))
		f->sections = n;
	return true;
}

/* Returns the address of the segment with the file's first byte. */
static uint64_t
first_address(const struct elfdata_file *f)
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < f->head.e_phnum && i < SEGMENTS_MAX; i++)
		if (elfdata_get(f->fd, &p, sizeof p, f->head.e_phoff + i * sizeof p) &&
		    p.p_type == PT_LOAD && !p.p_offset)
			return p.p_vaddr;
	return 0;
}

/* Returns the content of a section, with a NUL behind it; the caller frees it. */
static void *
section_bytes(const struct elfdata_file *f, const Elf64_Shdr *s)
{
	char *at = NULL;

	if (s->sh_size <= TABLE_MAX)
		at = mem_zalloc((size_t)s->sh_size + 1, 1);
	if (at && !elfdata_get(f->fd, at, (size_t)s->sh_size, s->sh_offset)) {
		free(at);
		return NULL;
	}
	return at;
}

static void
search_table(const struct elfdata_file *f, const Elf64_Shdr *table, struct elfdata *out, size_t n)
{
	const Elf64_Shdr *names = &f->section[table->sh_link];
	Elf64_Sym *symbol = section_bytes(f, table);
	char *text = section_bytes(f, names);

	for (size_t i = 0; symbol && text && i < table->sh_size / sizeof *symbol; i++) {
		const Elf64_Sym *s = &symbol[i];
		if (s->st_name >= names->sh_size || ELF64_ST_TYPE(s->st_info) != STT_OBJECT ||
		    s->st_shndx == SHN_UNDEF)
			continue;
		for (size_t k = 0; k < n; k++)
			if (!out[k].address && !strcmp(text + s->st_name, out[k].name))
				out[k].address = s->st_value;
	}
	free(symbol);
	free(text);
}

bool
elfdata_find(const char *path, struct elfdata *out, size_t n, uint64_t *first)
{
	struct elfdata_file *f = mem_zalloc(1, sizeof *f);
	bool good = elfdata_open(f, path);

	if (good) {
		*first = first_address(f);
		for (unsigned i = 0; i < f->sections; i++) {
			const Elf64_Shdr *s = &f->section[i];
			if ((s->sh_type == SHT_DYNSYM || s->sh_type == SHT_SYMTAB) &&
			    s->sh_link < f->sections)
				search_table(f, s, out, n);
		}
		close(f->fd);
	}
	free(f);
	return good;
}
