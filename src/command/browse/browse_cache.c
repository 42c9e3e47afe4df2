/* browse_cache.c - see browse_cache.h.
 *
 * The name of a copy is a hash of the file's path, size, time of the last change, and its first and
 * last 64 KB. So a changed file gets another copy, and the old copy is among those that are removed
 * first. A child process writes the copy after the user has left, so the user does not wait. The
 * copy gets its name when it is complete. */
#include "src/command/browse/browse_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/encode/encoder.h"
#include "src/encode/sha256.h"
#include "src/outfile.h"

#define END_BYTES 65536u
#define ALL_BYTES (UINT64_C(4) << 30)
#define ENDING ".pnav"

/* ---- names ---- */

/* Appends $XDG_CACHE_HOME/pnav/ or ~/.cache/pnav/. */
static bool
cache_folder(struct buf *out)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (base && *base == '/')
		buf_addf(out, "%s/pnav/", base);
	else if (home && *home == '/')
		buf_addf(out, "%s/.cache/pnav/", home);
	return out->len > 0;
}

/* Appends up to END_BYTES of the file from `offset` on. */
static bool
add_bytes(int fd, off_t offset, struct buf *out)
{
	char part[4096];

	for (size_t n = 0; n < END_BYTES; n += sizeof part) {
		ssize_t got = pread(fd, part, sizeof part, offset + (off_t)n);
		if (got < 0)
			return false;
		buf_add(out, part, (size_t)got);
	}
	return true;
}

/* Appends the name of the copy of a file; false if it is too small or no regular file. */
static bool
cache_name(const char *path, uint64_t least, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct buf all = BUF_INIT;
	char full[PATH_MAX];
	uint8_t hash[SHA256_BYTES];
	struct stat st;
	bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    (uint64_t)st.st_size >= least && realpath(path, full);

	if (good) {
		buf_addf(&all, "%s\n%lld\n%lld.%09ld\n", full, (long long)st.st_size,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		good = add_bytes(fd, 0, &all) &&
		       add_bytes(fd, st.st_size > END_BYTES ? st.st_size - END_BYTES : 0,
				 &all);
	}
	if (good) {
		sha256(buf_str(&all), all.len, hash);
		for (unsigned i = 0; i < 16; i++)
			buf_addf(out, "%02x", hash[i]);
		buf_adds(out, ENDING);
	}
	if (fd >= 0)
		close(fd);
	buf_release(&all);
	return good;
}

/* Options that change what is read would need copies of their own. */
static bool
reads_plainly(const struct options *o)
{
	const struct format_options *f = &o->format;

	return !f->decoder && !f->follow && !f->no_demangle && !f->match_paths &&
	       !f->explain && !f->symbols.n && !f->debuginfod && !f->given.n;
}

void
browse_cache_begin(struct browse_cache *c, uint64_t least, const struct options *o,
		   bool compare)
{
	struct buf path = BUF_INIT;

	*c = (struct browse_cache){0};
	if (least && o->files.n == 1 && !compare && reads_plainly(o) &&
	    cache_folder(&path) && cache_name(o->files.at[0], least, &path)) {
		c->copy = mem_dup(buf_str(&path), path.len);
		c->reads = !access(c->copy, R_OK);
	}
	buf_release(&path);
}

/* ---- writing ---- */

struct cache_entry {
	char name[64];
	uint64_t bytes;
	struct timespec used;
};

static int
by_use(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec < y->used.tv_nsec) - (x->used.tv_nsec > y->used.tv_nsec);
}

/* Removes the copies that were not used for the longest time, beyond ALL_BYTES. */
static void
bound_cache(const char *folder)
{
	VEC(struct cache_entry) all = VEC_INIT;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name), end = sizeof ENDING - 1;
		if (len < end || len >= sizeof all.at->name ||
		    strcmp(entry->d_name + len - end, ENDING) != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		struct cache_entry *c = vec_push(&all);
		*c = (struct cache_entry){.bytes = (uint64_t)st.st_size, .used = st.st_mtim};
		memcpy(c->name, entry->d_name, len + 1);
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_use);
	for (size_t i = 0; i < all.n; i++) {
		bytes += all.at[i].bytes;
		if (bytes > ALL_BYTES)
			unlinkat(dirfd(dir), all.at[i].name, 0);
	}
	if (dir)
		closedir(dir);
	vec_release(&all);
}

/* Creates the last two parts of the path if they are missing. */
static void
make_folder(char *folder)
{
	char *last = strrchr(folder, '/'); /* the slash at the end */

	*last = '\0';
	char *before = strrchr(folder, '/');
	if (before && before > folder) {
		*before = '\0';
		mkdir(folder, 0700);
		*before = '/';
	}
	mkdir(folder, 0700);
	*last = '/';
}

static void
write_copy(const char *copy, const struct profile *p)
{
	static const struct outfile_how how = {.fresh = true, .owner = true};
	size_t len = (size_t)(strrchr(copy, '/') + 1 - copy);
	char *folder = mem_dup(copy, len);
	struct outfile out;
	struct lens whole;
	struct err e;

	err_init(&e);
	lens_init(&whole);
	make_folder(folder);
	struct encode_job job = {.profile = p, .lens = &whole};
	if (outfile_open(&out, copy, &how, &e)) {
		job.out = out.stream;
		outfile_close(&out, encode(encoder_named("pnav"), &job, copy, &e), &e);
		bound_cache(folder);
	}
	lens_release(&whole);
	free(folder);
}

bool
browse_cache_spoiled(struct browse_cache *c, struct load *l)
{
	if (!c->reads || !load_state(l).done)
		return false;
	struct err fault = load_file_error(l, 0);
	if (!err_is_set(&fault))
		return false;
	unlink(c->copy);
	c->reads = false;
	return true;
}

const struct err *
browse_cache_fault(struct err *e)
{
	err_refuse(e, "its copy in pnav's cache is damaged, and removed: open it again");
	return e;
}

void
browse_cache_end(struct browse_cache *c, const struct profile *p, bool whole)
{
	fflush(NULL); /* or the child would write it, too */
	if (c->copy && c->reads && !whole)
		unlink(c->copy);
	else if (c->copy && c->reads)
		utimensat(AT_FDCWD, c->copy, NULL, 0); /* it was used now */
	else if (c->copy && whole && !fork()) {
		setsid();
		(void)!nice(10);
		(void)!freopen("/dev/null", "r+", stdin);
		(void)!freopen("/dev/null", "w", stdout);
		(void)!freopen("/dev/null", "w", stderr);
		write_copy(c->copy, p);
		_exit(0);
	}
	free(c->copy);
	*c = (struct browse_cache){0};
}
