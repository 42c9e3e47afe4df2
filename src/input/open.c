/* Opens inputs by name, refuses what cannot be read, and finds files beside them.
 *
 * pnav refuses what cannot be a profile before it decodes anything, with the words of
 * strerror() if possible: no such file, no permission, a directory.
 *
 * A FIFO is opened without blocking, because opening one waits for its writer and could not be
 * stopped; file.c does the waiting.
 *
 * The refusal of a directory names the first files in it.
 *
 * Some profilers write a directory: `perf record --threads` a file `data` and others beside it,
 * `data.0` and on; uftrace a file `info` and `task.txt`. The directory's name then means that
 * file.
 *
 * DOS wrote X.PRF and X.MAP, and a copy over FTP turned the latter into x.map. So the search
 * for a file beside another ignores case; an exact match wins. */
#include "src/input/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/input/copied.h"
#include "src/input/source.h"
#include "src/input/url.h"

/* A compressed file of this size or more gets a thread. */
#define AHEAD_BYTES (64u << 10)
/* How many files of a directory a refusal names, and the limit of their names. */
#define NAMED_MAX 3u
#define NAMED_BYTES 64u

static bool
open_is_there(const char *dir, const char *name, bool as_file)
{
	struct stat st;
	struct buf path = BUF_INIT;
	buf_addf(&path, "%s/%s", dir, name);
	bool good = !stat(buf_str(&path), &st) && (!as_file || S_ISREG(st.st_mode));
	buf_release(&path);
	return good;
}

static bool
is_file(const char *dir, const char *name)
{
	return open_is_there(dir, name, true);
}

/* Directories that profilers write, by a file in them. */
static const struct {
	const char *inside, *what;
} bundles[] = {
	{"form.template", "is a trace of Instruments (a directory): xctrace export --input FILE "
			  "--xpath '/trace-toc/run/data/table[@schema=\"time-profile\"]' >x.xml, "
			  "and pnav x.xml"},
	{"metadata", "is a CTF trace (a directory): babeltrace2 shows it"},
	{"sqlite-db", "is a result of VTune (a directory): VTune shows it"},
	{"map.xml", "is an experiment of gprofng (a directory): gprofng display text -functions "
		    "shows it"},
};

static int
not_hidden(const struct dirent *d)
{
	return *d->d_name != '.';
}

/* Refuses a directory and names the first files in it. */
static void
refuse_directory(const char *path, struct err *e)
{
	struct dirent **entry = NULL;
	struct buf files = BUF_INIT;
	size_t named = 0;

	for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
		if (open_is_there(path, bundles[i].inside, false)) {
			err_refuse(e, "%s", bundles[i].what);
			return;
		}
	int n = scandir(path, &entry, not_hidden, alphasort);
	for (int i = 0; i < n; i++) {
		const char *name = entry[i]->d_name;
		if (named < NAMED_MAX && strlen(name) < NAMED_BYTES && is_file(path, name))
			buf_addf(&files, "%s%s", named++ ? ", " : "", name);
		free(entry[i]);
	}
	free(entry);
	if (named)
		err_refuse(e, "is a directory; give pnav a file in it, such as %s",
			   buf_str(&files));
	else
		err_refuse(e, "is a directory without any file");
	buf_release(&files);
}

/* Opens path for reading; -1 with a refusal. */
static int
open_file(const char *path, struct err *e)
{
	struct stat st;
	int fd;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, &st)) {
		err_refuse(e, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		refuse_directory(path, e);
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns the file that a directory means, in *name; otherwise path itself. */
static const char *
open_file_of(const char *path, struct buf *name)
{
	static const struct {
		const char *main, *beside;
	} kinds[] = {{"data", "data.0"}, {"info", "task.txt"}};
	struct stat st;
	size_t len = strlen(path);
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return path;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!is_file(path, kinds[i].main) || !is_file(path, kinds[i].beside))
			continue;
		buf_addf(name, "%s%s%s", path, len && path[len - 1] == '/' ? "" : "/",
			 kinds[i].main);
		return buf_str(name);
	}
	return path;
}

/* Opens a URL and decompresses its body if necessary. */
static struct input *
open_url(const char *url, const struct format_options *options, struct watch *w, struct err *e)
{
	struct source *body = source_url(url, w, e);
	if (!body)
		return NULL;
	if (options && options->copy)
		body = source_copied(body, options->copy);
	struct source *src = source_inflate(body);
	if (src->fault.class == ERR_REFUSED) {
		*e = src->fault;
		src->ops->close(src);
		return NULL;
	}
	return input_over(src, url, options, w);
}

static struct input *
open_counted(const char *path, int fd, const struct format_options *options,
	     struct watch *w, enum source_part part, struct err *e)
{
	bool own = false;
	struct stat st;
	if (fd < 0 && url_is(path))
		return open_url(path, options, w, e);
	if (fd < 0 && !strcmp(path, "-")) {
		fd = STDIN_FILENO;
	} else if (fd < 0) {
		fd = open_file(path, e);
		if (fd < 0)
			return NULL;
		own = true;
	}
	if (!own && (fstat(fd, &st) || S_ISDIR(st.st_mode))) {
		err_refuse(e, "%s", errno == EBADF ? strerror(EBADF) : "is a directory");
		return NULL;
	}
	struct source *file = source_fd(fd, own, options && options->follow, w, part);
	bool large = w && !(options && options->follow) && file->ops->size &&
		     file->ops->size(file) >= AHEAD_BYTES;
	if (options && options->copy && part == SOURCE_MAIN && input_passes_by(path))
		file = source_copied(file, options->copy);
	struct source *src = source_inflate(file);
	if (src->fault.class == ERR_REFUSED) {
		*e = src->fault;
		src->ops->close(src);
		return NULL;
	}
	if (src != file && large)
		src = source_ahead(src);
	return input_over(src, path, options, w);
}

struct input *
input_open_watched(const char *path, int fd, const struct format_options *options,
		   struct watch *w, struct err *e)
{
	struct buf name = BUF_INIT;
	if (fd < 0 && strcmp(path, "-"))
		path = open_file_of(path, &name);
	struct input *in = open_counted(path, fd, options, w, SOURCE_MAIN, e);
	buf_release(&name);
	return in;
}

struct input *
input_open_with(const char *path, const struct format_options *options, struct err *e)
{
	return input_open_watched(path, -1, options, NULL, e);
}

struct input *
input_open(const char *path, struct err *e)
{
	return open_counted(path, -1, NULL, NULL, SOURCE_OTHER, e);
}

size_t
input_bare_len(const char *name)
{
	static const char *const suffixes[] = {".gz", ".zst", ".xz", ".lz4"};
	size_t len = strlen(name);
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(suffixes[i]);
		if (len > n && !strcasecmp(name + len - n, suffixes[i]))
			return len - n;
	}
	return len;
}

/* Finds the name in directory `dir` that equals `want` in any case. Returns false if there is
 * none. */
static bool
find_in(const char *dir, const char *want, struct buf *found)
{
	DIR *d = opendir(dir);
	bool exact = false;
	if (!d)
		return false;
	for (struct dirent *entry; !exact && (entry = readdir(d));) {
		if (strcasecmp(entry->d_name, want))
			continue;
		exact = !strcmp(entry->d_name, want);
		/* If several names differ only in case, the first by bytes is chosen,
		 * independent of the directory's order. */
		if (exact || !found->len || strcmp(entry->d_name, found->at) < 0) {
			buf_reset(found);
			buf_adds(found, entry->d_name);
		}
	}
	closedir(d);
	return found->len > 0;
}

bool
input_path_beside(const struct input *in, const char *name, struct buf *path)
{
	const char *base = base_name(input_name(in));
	buf_reset(path);
	if (!strcmp(input_name(in), "-") || url_is(input_name(in)) || !*name || strchr(name, '/') ||
	    !strcmp(name, ".."))
		return false;
	buf_add(path, input_name(in), (size_t)(base - input_name(in)));
	buf_adds(path, name);
	return true;
}

void
input_names_beside(const struct input *in, const char *prefix, struct buf *names)
{
	struct dirent **entry = NULL;
	struct buf dir = BUF_INIT;

	int n = input_path_beside(in, ".", &dir) ? scandir(buf_str(&dir), &entry, NULL, alphasort)
						  : 0;
	for (int i = 0; i < n; i++) {
		if (!strncmp(entry[i]->d_name, prefix, strlen(prefix)))
			buf_add(names, entry[i]->d_name, strlen(entry[i]->d_name) + 1);
		free(entry[i]);
	}
	free(entry);
	buf_release(&dir);
}

struct input *
input_open_named(struct input *in, const char *name)
{
	struct buf path = BUF_INIT;
	struct input *beside = NULL;
	struct err ignored = {0};
	if (input_path_beside(in, name, &path))
		beside = open_counted(buf_str(&path), -1, input_options(in), input_watch(in),
				      SOURCE_BESIDE, &ignored);
	buf_release(&path);
	return beside;
}

struct input *
input_open_beside(struct input *in, const char *ext, bool append)
{
	const char *path = input_name(in);
	if (!strcmp(path, "-") || url_is(path))
		return NULL;
	const char *base = base_name(path);
	size_t base_len = input_bare_len(base);
	const char *dot = append ? NULL : memrchr(base, '.', base_len);
	if (dot && dot > base)
		base_len = (size_t)(dot - base);

	struct buf dir = BUF_INIT, want = BUF_INIT, found = BUF_INIT;
	struct input *beside = NULL;
	if (base > path)
		buf_add(&dir, path, (size_t)(base - path));
	else
		buf_adds(&dir, "./");
	buf_add(&want, base, base_len);
	buf_addc(&want, '.');
	buf_adds(&want, ext);
	if (find_in(buf_str(&dir), buf_str(&want), &found) &&
	    strcmp(buf_str(&found), base)) {
		struct err ignored = {0};
		buf_add(&dir, found.at, found.len);
		beside = open_counted(buf_str(&dir), -1, input_options(in),
				      input_watch(in), SOURCE_BESIDE, &ignored);
	}
	buf_release_all(&dir, &want, &found);
	return beside;
}
