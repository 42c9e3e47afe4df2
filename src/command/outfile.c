/* A recording takes as long as its command, and the command may not even start: what lay
 * there before must not be lost to a typing error.  So a regular file is written beside
 * its name, and renamed when the command runs; from then on it can be looked at, and
 * survives us.  The directory may forbid new files where the old one may be written: then
 * that is opened as it is, and whoever writes it empties it with the first byte.
 *
 * Recordings hold copies of stacks, and logs what a command said: both are their owner's
 * (mode 0600), whatever the umask.
 *
 * Invariant: temp is set only between outfile_open() and outfile_keep() or _close(). */
#include "src/command/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/buf.h"
#include "model/mem.h"

#define OWNER_ONLY 0600

/* A new file beside the target. */
static int
open_beside(struct outfile *f)
{
	struct buf name = BUF_INIT;
	buf_addf(&name, "%s.XXXXXX", f->target);
	char *temp = mem_dup(buf_str(&name), name.len);
	buf_release(&name);
	int fd = mkostemp(temp, O_CLOEXEC);
	if (fd >= 0)
		f->temp = temp;
	else
		free(temp);
	return fd;
}

/* `there`: the name stands for a regular file already. */
static int
open_regular(struct outfile *f, bool there)
{
	if (there && access(f->target, W_OK))
		return -1;
	int fd = open_beside(f);
	if (fd >= 0 || !there || (errno != EACCES && errno != EPERM && errno != EROFS))
		return fd;
	return open(f->target, O_RDWR | O_CLOEXEC);
}

bool
outfile_open(struct outfile *f, const char *name, struct err *e)
{
	struct stat st, link;
	bool there = !stat(name, &st), linked = !lstat(name, &link);
	char *real = there ? realpath(name, NULL) : NULL;
	*f = (struct outfile){.fd = -1};
	f->target = real ? real : mem_dup(name, strlen(name));
	if (there ? S_ISREG(st.st_mode) : !linked)
		f->fd = open_regular(f, there);
	else
		f->fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, OWNER_ONLY);
	if (f->fd >= 0 && lseek(f->fd, 0, SEEK_CUR) < 0) {
		outfile_close(f);
		return err_refuse(e, "it is no file that can be written at any place");
	}
	if (f->fd >= 0)
		return true;
	err_refuse(e, "%s", strerror(errno));
	outfile_close(f);
	return false;
}

bool
outfile_keep(struct outfile *f, const char *old)
{
	struct stat st;
	if (!f->temp)
		return true;
	if (old && !stat(f->target, &st) && S_ISREG(st.st_mode) && st.st_size)
		(void)!rename(f->target, old);
	if (rename(f->temp, f->target))
		return false;
	free(f->temp);
	f->temp = NULL;
	return true;
}

void
outfile_close(struct outfile *f)
{
	if (f->temp)
		unlink(f->temp);
	if (f->fd >= 0)
		close(f->fd);
	free(f->temp);
	free(f->target);
	*f = (struct outfile){.fd = -1};
}
