/* outfile.c - see outfile.h.
 *
 * The file beside is in the same folder, because a name can only be given within one file
 * system.  Where the folder takes no new file, one that exists is written in place, as
 * every program does: better than not at all.  With `seeks` it is not emptied then; whoever
 * writes it does so with the first byte.
 *
 * Invariant: beside is set only until the file has its name. */
#include "src/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/buf.h"
#include "model/mem.h"

#define OWNER_ONLY 0600

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

/* What the file may be read and written by. */
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

static int
create_beside(struct outfile *o, mode_t mode)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s.XXXXXX", o->path);
	o->beside = mem_dup(buf_str(&name), name.len);
	buf_release(&name);
	int fd = mkostemp(o->beside, O_CLOEXEC);
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

/* The stream over the file, or that it can be written at any place. */
static bool
fits(struct outfile *o, const struct outfile_how *how)
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
		return err_usage(e, "%s: this is a file that is read: it would be lost", path);
	if (how->fresh && !lstat(path, &st))
		return err_usage(e, "%s: %s", path, strerror(EEXIST));
	char *real = exists ? realpath(path, NULL) : NULL;
	o->path = mem_dup(real ? real : path, strlen(real ? real : path));
	free(real);
	o->fd = open_place(o, exists ? &st : NULL, how);
	if (o->fd >= 0 && fits(o, how))
		return true;
	err_refuse(e, "%s: %s", path,
		   o->fd >= 0 && how->seeks ? "it is no file that can be written at any place"
					    : strerror(errno));
	outfile_close(o, false, e);
	return false;
}

/* A fresh file takes no name that somebody else gave away meanwhile. */
static bool
give_name(const struct outfile *o)
{
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

	if (!o->beside)
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
