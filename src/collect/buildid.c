/* buildid.c - see buildid.h.
 *
 * The kernel reports build ids of files as they are mapped.  For earlier maps, the id is read from
 * the file: from its notes, which its program headers name (elf(5)).  All sizes come from the file,
 * so they are checked before use.
 *
 * Every process maps libc, so the cache reads each file once.  Its key is the device, the inode,
 * the generation and the path: subvolumes of btrfs share the device that /proc/PID/maps shows, and
 * have inodes of the same number; a build writes one program after another to a path, often with
 * the inode of the one before. */
#include "src/collect/buildid.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"

#define HEADERS_MAX 64u
#define NOTES_MAX 4096u
#define CACHED_MOST 20000u /* then the cache begins again */

struct notes {
	uint64_t offset, size;
};

struct buildid_cached {
	struct buildid_file file; /* with the path below */
	char *path;
	int64_t changed_ns; /* its status, when it was read */
	uint8_t id[BUILDID_MAX];
	size_t len;
};

static bool
read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* Reads program header i; returns false if there is none, or if the file ends before it. */
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
	Elf64_Nhdr n; /* the 32-bit one is the same */
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

size_t
buildid_read(int fd, uint8_t out[BUILDID_MAX])
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

static int64_t
stamp_ns(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns true if an open file is the one that was mapped, not a later one with its inode, and was
 * not written since.  A file that is written again keeps its inode and generation.  A link opens
 * the mapped file also if it has lost its name meanwhile, which changes its status, too. */
static bool
is_mapped_file(int fd, const struct buildid_file *file, const struct stat *s, bool is_link)
{
	int generation = 0;

	if (file->generation && !ioctl(fd, FS_IOC_GETVERSION, &generation) &&
	    (uint32_t)generation != (uint32_t)file->generation)
		return false;
	int64_t changed = is_link ? stamp_ns(s->st_mtim) : stamp_ns(s->st_ctim);
	return !file->mapped_ns || changed <= file->mapped_ns;
}

/* Reads the id; returns false if the file cannot be opened, or is another one. */
static bool
read_id(const char *path, const struct buildid_file *file, bool is_link,
	struct buildid_cached *to)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_it = fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) &&
		     is_mapped_file(fd, file, &s, is_link);

	to->changed_ns = is_it ? stamp_ns(s.st_ctim) : 0;
	to->len = is_it ? buildid_read(fd, to->id) : 0;
	if (fd >= 0)
		close(fd);
	return is_it;
}

/* ---- the cache ---- */

struct buildids {
	VEC(struct buildid_cached) file;
	struct map map; /* hash of device and inode -> file */
};

struct buildids *
buildids_new(void)
{
	struct buildids *ids = mem_zalloc(1, sizeof *ids);

	map_init(&ids->map);
	return ids;
}

static void
buildids_forget(struct buildids *ids)
{
	for (size_t i = 0; i < ids->file.n; i++)
		free(ids->file.at[i].path);
	vec_release(&ids->file);
	map_release(&ids->map);
}

void
buildids_free(struct buildids *ids)
{
	if (ids)
		buildids_forget(ids);
	free(ids);
}

static bool
buildid_is_same(const struct buildid_file *a, const struct buildid_file *b)
{
	return a->inode == b->inode && a->generation == b->generation && a->major == b->major &&
	       a->minor == b->minor && !strcmp(a->path, b->path);
}

static uint64_t
buildid_hash_of(const struct buildid_file *file)
{
	uint64_t key = file->inode ^ (uint64_t)file->major << 52 ^ (uint64_t)file->minor << 40;

	return key * 0x9E3779B97F4A7C15u;
}

/* Returns the file's entry; NULL if it was not read yet. */
static struct buildid_cached *
find_cached(struct buildids *ids, const struct buildid_file *file)
{
	uint64_t hash = buildid_hash_of(file);
	uint32_t slot = map_first(&ids->map, hash), i;

	while (map_probe(&ids->map, &slot, hash, &i))
		if (buildid_is_same(&ids->file.at[i].file, file))
			return &ids->file.at[i];
	return NULL;
}

/* Adds an entry, or replaces the known one of this file. */
static void
buildid_keep(struct buildids *ids, const struct buildid_file *file, struct buildid_cached *known,
	     struct buildid_cached new)
{
	if (known) {
		new.file = known->file;
		new.path = known->path;
		*known = new;
		return;
	}
	if (ids->file.n >= CACHED_MOST) {
		buildids_forget(ids);
		map_init(&ids->map);
	}
	new.file = *file;
	new.file.path = new.path = mem_dup(file->path, strlen(file->path));
	map_insert(&ids->map, buildid_hash_of(file), (uint32_t)ids->file.n);
	*vec_push(&ids->file) = new;
}

/* Reads the file at a path, unless it is as it was when the known entry was made.  A link to the
 * mapped file is right also if the file system shows another inode. */
static bool
buildid_try(const struct buildid_file *file, const char *path, bool is_link,
	 const struct buildid_cached *known, struct buildid_cached *out)
{
	struct stat s;

	/* a device must not be opened */
	if (stat(path, &s) || !S_ISREG(s.st_mode) || (!is_link && s.st_ino != file->inode))
		return false;
	if (!known || known->changed_ns != stamp_ns(s.st_ctim))
		return read_id(path, file, is_link, out);
	*out = *known;
	return true;
}

bool
buildids_get(struct buildids *ids, const struct buildid_file *file, const char *const *reach,
	     size_t n_reach, const char *link, uint8_t out[BUILDID_MAX], size_t *len)
{
	struct buildid_cached *known = ids ? find_cached(ids, file) : NULL;
	struct buildid_cached now = {0};
	bool found = false;

	for (size_t i = 0; i < n_reach && !found; i++)
		found = buildid_try(file, reach[i], false, known, &now);
	found = found || (link && buildid_try(file, link, true, known, &now));
	if (found && ids)
		buildid_keep(ids, file, known, now);
	/* what was known before, as nothing says that it had changed when it was mapped */
	if (!found && known && (!file->mapped_ns || known->changed_ns <= file->mapped_ns)) {
		now = *known;
		found = true;
	}
	memcpy(out, now.id, now.len);
	*len = now.len;
	return found;
}
