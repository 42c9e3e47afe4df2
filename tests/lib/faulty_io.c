/* faulty_io.so, to be preloaded: makes reads fail as disks, networks and other programs do.
 * FAULTY_IO chooses the failure:
 *
 *	NAME@N      at the Nth read (from 0): NAME is EIO, EINTR, EAGAIN or EISDIR, and
 *	            the read fails with it; `end`: it returns nothing; `half`: the file is cut
 *	            to half its size before it; `empty`: to nothing; `zero`: its bytes are
 *	            overwritten with zeros; `crash`: after it, the thread takes a fault
 *	NAME+N      the same at each read from the Nth on
 *	short       every read returns one to seven bytes
 *
 * Only reads of the file in FAULTY_IO_FILE (an absolute path) are counted, and for `crash` not
 * those of the main thread: the machine's own files stay intact.  The file in FAULTY_IO_LOG gets a
 * byte for each counted read.
 *
 * The variables are those of the process at its first read: forkserver.c forks processes, and then
 * gives them other variables. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_BYTES 7u
#define LOG_FD 200

static struct {
	char name[16];
	long at;
	int from_then_on;
	int log; /* 0: none */
	const char *file;
} fault;
static _Atomic long reads;
static _Atomic pid_t begun; /* the process that has read the variables */
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

static void
begin(void)
{
	const char *what = getenv("FAULTY_IO"), *log = getenv("FAULTY_IO_LOG");
	char sign = 0;

	memset(&fault, 0, sizeof fault);
	reads = 0;
	if (what && sscanf(what, "%15[A-Za-z]%c%ld", fault.name, &sign, &fault.at) < 1)
		fault.name[0] = '\0';
	fault.from_then_on = sign == '+';
	fault.file = getenv("FAULTY_IO_FILE");
	if (log) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		fault.log = fcntl(fd, F_DUPFD_CLOEXEC, LOG_FD);
		close(fd);
	}
}

/* Reads the variables at the first read of a process. */
static void
begin_once(void)
{
	pid_t here = getpid();

	if (begun == here)
		return;
	pthread_mutex_lock(&beginning);
	if (begun != here) {
		begin();
		begun = here;
	}
	pthread_mutex_unlock(&beginning);
}

static int
is(const char *name)
{
	return !strcmp(fault.name, name);
}

/* True if it is the chosen file. */
static int
ours(int fd)
{
	struct stat a, b;

	return fault.file && fstat(fd, &a) == 0 && stat(fault.file, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* True if this read fails. */
static int
strikes(int fd)
{
	if (!ours(fd) || (is("crash") && gettid() == getpid()))
		return 0;
	long n = reads++;
	if (fault.log > 0)
		(void)!write(fault.log, ".", 1);
	return fault.name[0] && !is("short") &&
	       (fault.from_then_on ? n >= fault.at : n == fault.at);
}

/* Opens the file again, to change it. */
static void
change(void)
{
	char zeros[512] = {0};
	struct stat st;
	int other = open(fault.file, O_WRONLY | O_CLOEXEC);

	if (other < 0 || fstat(other, &st) < 0)
		return;
	if (is("half"))
		(void)!ftruncate(other, st.st_size / 2);
	if (is("empty"))
		(void)!ftruncate(other, 0);
	for (off_t at = 0; is("zero") && at < st.st_size; at += (off_t)sizeof zeros)
		(void)!pwrite(other, zeros,
			      st.st_size - at < (off_t)sizeof zeros
				      ? (size_t)(st.st_size - at)
				      : sizeof zeros,
			      at);
	close(other);
}

static int
error_of(void)
{
	return is("EIO")      ? EIO
	       : is("EINTR")  ? EINTR
	       : is("EAGAIN") ? EAGAIN
	       : is("EISDIR") ? EISDIR
			      : 0;
}

/* Runs before a read; returns true if the read is skipped, with its result in *result. */
static int
before(int fd, int struck, size_t *n, ssize_t *result)
{
	if (is("short") && *n > 1 && ours(fd))
		*n = *n < MOST_BYTES ? *n - 1 : 1 + *n % MOST_BYTES;
	if (!struck)
		return 0;
	if (error_of()) {
		errno = error_of();
		*result = -1;
		return 1;
	}
	if (is("half") || is("empty") || is("zero"))
		change();
	*result = 0;
	return is("end");
}

static void
after(int struck)
{
	if (struck && is("crash"))
		*(volatile int *)8 = 1;
}

ssize_t
read(int fd, void *out, size_t n)
{
	begin_once();
	int struck = strikes(fd);
	ssize_t got;

	if (before(fd, struck, &n, &got))
		return got;
	got = syscall(SYS_read, fd, out, n);
	after(struck);
	return got;
}

ssize_t
pread(int fd, void *out, size_t n, off_t offset)
{
	begin_once();
	int struck = strikes(fd);
	ssize_t got;

	if (before(fd, struck, &n, &got))
		return got;
	struct iovec part = {out, n};
	return syscall(SYS_preadv, fd, &part, 1, (long)offset, (long)((uint64_t)offset >> 32));
}

#ifdef __LP64__ /* elsewhere pread is pread64 */
ssize_t
pread64(int fd, void *out, size_t n, off_t offset)
{
	return pread(fd, out, n, offset);
}
#endif
