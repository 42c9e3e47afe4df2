/* shrunk.c - see shrunk.h.
 *
 * elfutils maps the files that it reads.  If a linker or cp truncates one meanwhile, to write it
 * anew, reading a page after its new end raises SIGBUS.  The handler puts a page of zeros there:
 * for elfutils the rest of the file is damaged, which it can deal with. */
#include "src/symbol/shrunk.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A handler has no other way to know: */
static struct sigaction shrunk_before; /* what SIGBUS did before */
static size_t shrunk_page_bytes;
static volatile sig_atomic_t shrunk_pages;

/* Calls only what POSIX allows in a handler, and mmap(), which is a plain system call on Linux and
 * on the BSDs. */
static void
shrunk_handler(int sig, siginfo_t *info, void *unused)
{
	int saved = errno;
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(shrunk_page_bytes - 1);

	(void)unused;
	if (info->si_code == BUS_ADRERR &&
	    mmap((void *)page, shrunk_page_bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		shrunk_pages = 1;
	else
		sigaction(sig, &shrunk_before, NULL); /* the access is tried again, and fails */
	errno = saved;
}

void
shrunk_survive(void)
{
	struct sigaction now, a = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (sigaction(SIGBUS, NULL, &now) ||
	    (now.sa_flags & SA_SIGINFO && now.sa_sigaction == shrunk_handler))
		return;
	shrunk_before = now;
	shrunk_page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	a.sa_sigaction = shrunk_handler;
	sigemptyset(&a.sa_mask);
	sigaction(SIGBUS, &a, NULL);
}

bool
shrunk_seen(void)
{
	return shrunk_pages;
}
