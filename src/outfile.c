/* outfile.c - see outfile.h.
 *
 * The file beside is in the same folder, because a name can only be given within one file
 * system.  Where the folder takes no new file, one that exists is written in place, as
 * every program does: better than not at all. */
#include "src/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/buf.h"
#include "model/mem.h"

static bool
is_read(const struct stat *out, const char *const *reads, size_t n)
{
	struct stat in;

	for (size_t i = 0; i < n; i++)
		if (strcmp(reads[i], "-") && !stat(reads[i], &in) && in.st_dev == out->st_dev &&
		    in.st_ino == out->st_ino)
			return true;
	return false;
}

/* What a new file may be read and written by. */
static mode_t
usual_mode(void)
{
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
open_output(struct outfile *o, const struct stat *there)
{
	if (there && !S_ISREG(there->st_mode))
		return open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (there && access(o->path, W_OK))
		return -1;
	int fd = create_beside(o, there ? there->st_mode & 07777 : usual_mode());
	if (fd < 0 && there && (errno == EACCES || errno == EPERM || errno == EROFS))
		return open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	return fd;
}

bool
outfile_open(struct outfile *o, const char *path, const char *const *reads, size_t n,
	     bool fresh, struct err *e)
{
	struct stat st;
	bool exists = !stat(path, &st);

	*o = (struct outfile){.fresh = fresh};
	if (exists && S_ISREG(st.st_mode) && is_read(&st, reads, n))
		return err_usage(e, "%s: this is a file that is read: it would be lost", path);
	if (fresh && !lstat(path, &st))
		return err_usage(e, "%s: %s", path, strerror(EEXIST));
	char *real = exists ? realpath(path, NULL) : NULL;
	o->path = mem_dup(real ? real : path, strlen(real ? real : path));
	free(real);
	int fd = open_output(o, exists ? &st : NULL);
	o->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->stream)
		return true;
	err_refuse(e, "%s: %s", path, strerror(errno));
	free(o->path);
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
outfile_close(struct outfile *o, bool good, struct err *e)
{
	bool failed = ferror(o->stream) != 0;

	errno = 0;
	failed |= fclose(o->stream) != 0;
	if (failed && good)
		good = err_refuse(e, "%s: cannot write: %s", o->path,
				  errno ? strerror(errno) : "write error");
	if (good && o->beside && !give_name(o))
		good = err_refuse(e, "%s: %s", o->path, strerror(errno));
	if (!good && o->beside)
		unlink(o->beside);
	free(o->beside);
	free(o->path);
	return good;
}
