/* buildid.c - see buildid.h.
 *
 * The kernel tells build ids of files as they are mapped.  Of those that were mapped before,
 * they are read from the file: from its notes, which its program headers name (elf(5)).  All
 * sizes are the file's word, so they are checked before anything is read. */
#include "src/collect/buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADERS_MAX 64u
#define NOTES_MAX 4096u

struct notes {
	uint64_t offset, size;
};

static bool
read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* Program header i; false where there is none, or the file ends before it. */
static bool
program_header(int fd, const Elf64_Ehdr *h, bool wide, unsigned i, struct notes *out, bool *is_note)
{
	Elf64_Phdr p;
	Elf32_Phdr q;
	Elf32_Ehdr narrow;
	memcpy(&narrow, h, sizeof narrow);
	if (i >= (wide ? h->e_phnum : narrow.e_phnum) || i >= HEADERS_MAX)
		return false;
	if (wide) {
		if (!read_at(fd, &p, sizeof p, h->e_phoff + i * sizeof p))
			return false;
		*out = (struct notes){p.p_offset, p.p_filesz};
		*is_note = p.p_type == PT_NOTE;
	} else {
		if (!read_at(fd, &q, sizeof q, narrow.e_phoff + (uint64_t)i * sizeof q))
			return false;
		*out = (struct notes){q.p_offset, q.p_filesz};
		*is_note = q.p_type == PT_NOTE;
	}
	return true;
}

static size_t
padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

static size_t
id_in(const uint8_t *note, size_t size, uint8_t out[BUILDID_MAX])
{
	Elf64_Nhdr n; /* that of 32 bit is the same */
	for (size_t at = 0; size - at >= sizeof n;) {
		memcpy(&n, note + at, sizeof n);
		at += sizeof n;
		if (n.n_namesz > size || n.n_descsz > size ||
		    padded(n.n_namesz) + padded(n.n_descsz) > size - at)
			return 0;
		const uint8_t *name = note + at, *id = name + padded(n.n_namesz);
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(name, "GNU", 4) &&
		    n.n_descsz && n.n_descsz <= BUILDID_MAX) {
			memcpy(out, id, n.n_descsz);
			return n.n_descsz;
		}
		at += padded(n.n_namesz) + padded(n.n_descsz);
	}
	return 0;
}

static size_t
id_of(int fd, uint8_t out[BUILDID_MAX])
{
	static const uint8_t order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	uint8_t note[NOTES_MAX];
	Elf64_Ehdr h;
	struct notes notes;
	bool is_note;
	size_t len = 0;
	if (!read_at(fd, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_DATA] != order)
		return 0;
	bool wide = h.e_ident[EI_CLASS] == ELFCLASS64;
	for (unsigned i = 0; !len && program_header(fd, &h, wide, i, &notes, &is_note); i++)
		if (is_note && notes.size <= sizeof note &&
		    read_at(fd, note, (size_t)notes.size, notes.offset))
			len = id_in(note, (size_t)notes.size, out);
	return len;
}

size_t
buildid_of_file(const char *path, uint64_t inode, uint8_t out[BUILDID_MAX])
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = 0;
	if (fd < 0)
		return 0;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_ino == inode)
		len = id_of(fd, out);
	close(fd);
	return len;
}
