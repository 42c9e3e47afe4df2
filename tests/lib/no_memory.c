/* no_memory.c - preloaded into a program, lets one request for memory fail, or all from there on.
 *
 *	NO_MEMORY_AT=N     request number N (from 0) fails
 *	NO_MEMORY_FROM=N   this one and all later ones
 *	NO_MEMORY_COUNT=F  writes the number of requests into file F
 *
 * Needs glibc, because it calls the allocator by glibc's internal names. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);

static atomic_long requests;
static long one = LONG_MAX, from = LONG_MAX;
static int ready;

static long
number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : LONG_MAX;
}

__attribute__((constructor)) static void
start(void)
{
	one = number("NO_MEMORY_AT");
	from = number("NO_MEMORY_FROM");
	ready = 1;
}

__attribute__((destructor)) static void
end(void)
{
	const char *path = getenv("NO_MEMORY_COUNT");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return;
	dprintf(fd, "%ld\n", (long)requests);
	close(fd);
}

static int
fails(void)
{
	if (!ready)
		return 0;
	long i = atomic_fetch_add(&requests, 1);
	if (i != one && i < from)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *at, size_t size)
{
	return fails() ? NULL : __libc_realloc(at, size);
}
