/* outfile.c - see outfile.h.
 *
 * The temporary file is in the same folder, because a rename only works within one file system. At
 * first it has no name (O_TMPFILE), so a killed program leaves nothing behind.  If the file system
 * does not support this, or /proc is missing and it cannot get a name later, it has a temporary
 * name from the start.  If the folder accepts no new file, an existing one is written in place, as
 * in other programs.  With `seeks` it is then not truncated before the caller writes the first
 * byte.
 *
 * Invariant: `beside` is set, or `nameless`, only until the file has its name. */
#include "src/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

#define OWNER_ONLY 0600
#define NAMES_TRIED 100u

static bool
is_read(const struct stat *out, const struct outfile_how *how)
{
	struct stat in;

	for (size_t i = 0; i < how->n_reads; i++)
		if (strcmp(how->reads[i], "-") && !stat(how->reads[i], &in) &&
		    in.st_dev == out->st_dev && in.st_ino == out->st_ino)
			return true;
	return false;
}

/* Returns the permissions of the file. */
static mode_t
mode_of(const struct stat *there, const struct outfile_how *how)
{
	if (how->owner)
		return OWNER_ONLY;
	if (there)
		return there->st_mode & 07777;
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

#define PROC_NAME_MAX 32

/* Writes the name by which linkat() finds the file. */
static void
proc_name(char *out, int fd)
{
	snprintf(out, PROC_NAME_MAX, "/proc/self/fd/%d", fd);
}

/* Creates a file without a name in the folder of the path; returns -1 if that is not supported. */
static int
create_nameless(const struct outfile *o)
{
	char proc[PROC_NAME_MAX];
	size_t len = strlen(o->path);

	if (!len || o->path[len - 1] == '/')
		return -1;
	char *path = mem_dup(o->path, len);
	int fd = open(dirname(path), O_TMPFILE | O_RDWR | O_CLOEXEC, OWNER_ONLY);

	free(path);
	if (fd < 0)
		return -1;
	proc_name(proc, fd);
	if (!access(proc, F_OK))
		return fd;
	close(fd);
	return -1;
}

static int
create_beside(struct outfile *o, mode_t mode)
{
	struct buf name = BUF_INIT;
	int fd = create_nameless(o);

	o->nameless = fd >= 0;
	if (o->nameless) {
		(void)!fchmod(fd, mode);
		return fd;
	}
	buf_addf(&name, "%s.XXXXXX", o->path);
	o->beside = mem_dup(buf_str(&name), name.len);
	buf_release(&name);
	fd = mkostemp(o->beside, O_CLOEXEC);
	if (fd >= 0) {
		(void)!fchmod(fd, mode);
		return fd;
	}
	free(o->beside);
	o->beside = NULL;
	return -1;
}

static int
open_place(struct outfile *o, const struct stat *there, const struct outfile_how *how)
{
	int flags = (how->seeks ? O_RDWR | O_NONBLOCK : O_WRONLY) | O_CLOEXEC | O_NOCTTY;

	if (there && !S_ISREG(there->st_mode))
		return open(o->path, flags);
	if (there && access(o->path, W_OK))
		return -1;
	int fd = create_beside(o, mode_of(there, how));
	if (fd < 0 && there && (errno == EACCES || errno == EPERM || errno == EROFS))
		return open(o->path, how->seeks ? flags : flags | O_TRUNC);
	return fd;
}

/* Opens the stream over the file, or checks that the file is seekable. */
static bool
outfile_fits(struct outfile *o, const struct outfile_how *how)
{
	if (how->seeks)
		return lseek(o->fd, 0, SEEK_CUR) >= 0;
	o->stream = fdopen(o->fd, "w");
	return o->stream != NULL;
}

bool
outfile_open(struct outfile *o, const char *path, const struct outfile_how *how,
	     struct err *e)
{
	struct stat st;
	bool exists = !stat(path, &st);

	*o = (struct outfile){.fd = -1, .fresh = how->fresh};
	if (exists && S_ISREG(st.st_mode) && is_read(&st, how))
		return err_usage(e, "%s: this is an input file, which would be lost", path);
	if (how->fresh && !lstat(path, &st))
		return err_usage(e, "%s: %s", path, strerror(EEXIST));
	char *real = exists ? realpath(path, NULL) : NULL;
	o->path = mem_dup(real ? real : path, strlen(real ? real : path));
	free(real);
	o->fd = open_place(o, exists ? &st : NULL, how);
	if (o->fd >= 0 && outfile_fits(o, how))
		return true;
	err_refuse(e, "%s: %s", path,
		   o->fd >= 0 && how->seeks ? "it is not seekable"
					    : strerror(errno));
	outfile_close(o, false, e);
	return false;
}

/* Gives a nameless file a temporary name, since only a rename replaces an existing file. */
static bool
name_beside(struct outfile *o, const char *proc)
{
	struct buf name = BUF_INIT;
	int failed = -1;

	errno = EEXIST;
	for (unsigned i = 0; failed && errno == EEXIST && i < NAMES_TRIED; i++) {
		buf_reset(&name);
		buf_addf(&name, "%s.%ld-%u", o->path, (long)getpid(), i);
		failed = linkat(AT_FDCWD, proc, AT_FDCWD, name.at, AT_SYMLINK_FOLLOW);
	}
	if (!failed)
		o->beside = mem_dup(name.at, name.len);
	buf_release(&name);
	return !failed;
}

/* Returns true once the file has its final or a temporary name. */
static bool
name_nameless(struct outfile *o)
{
	char proc[PROC_NAME_MAX];

	proc_name(proc, o->fd);
	if (!linkat(AT_FDCWD, proc, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW))
		return true;
	return errno == EEXIST && !o->fresh && name_beside(o, proc);
}

/* A fresh file never takes a name that another program has created meanwhile. */
static bool
give_name(struct outfile *o)
{
	if (o->nameless && !name_nameless(o))
		return false;
	o->nameless = false;
	if (!o->beside)
		return true;
	if (!o->fresh)
		return !rename(o->beside, o->path);
	if (!link(o->beside, o->path))
		return !unlink(o->beside);
	/* a file system without links */
	return errno != EEXIST && !rename(o->beside, o->path);
}

bool
outfile_keep(struct outfile *o, const char *old, struct err *e)
{
	struct stat st;

	if (!o->beside && !o->nameless)
		return true;
	if (old && !stat(o->path, &st) && S_ISREG(st.st_mode) && st.st_size)
		(void)!rename(o->path, old);
	if (!give_name(o))
		return err_refuse(e, "%s: %s", o->path, strerror(errno));
	free(o->beside);
	o->beside = NULL;
	return true;
}

const char *
outfile_why(FILE *failed)
{
	int fd = fileno(failed);

	return fd < 0 || write(fd, "\n", 1) == 1 ? "write error" : strerror(errno);
}

bool
outfile_close(struct outfile *o, bool good, struct err *e)
{
	bool failed = o->stream && ferror(o->stream);
	const char *why = failed ? outfile_why(o->stream) : "write error";

	errno = 0;
	failed |= o->stream && fflush(o->stream) != 0;
	if (!failed && good && o->nameless) /* closing has deleted it */
		good = outfile_keep(o, NULL, e);
	if (o->stream)
		failed |= fclose(o->stream) != 0;
	else if (o->fd >= 0)
		failed |= close(o->fd) != 0;
	if (failed && good)
		good = err_refuse(e, "%s: cannot write: %s", o->path,
				  errno ? strerror(errno) : why);
	if (good)
		good = outfile_keep(o, NULL, e);
	if (o->beside)
		unlink(o->beside);
	free(o->beside);
	free(o->path);
	*o = (struct outfile){.fd = -1};
	return good;
}
