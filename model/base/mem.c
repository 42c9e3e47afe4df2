#include "model/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_BLOCK ((size_t)4 << 20)
#define SMALL_PAGE_MASK ((uintptr_t)4095)

/* The only mutable state of the model outside its structures: the function that ends the
 * program. It is set once, before the first thread starts. Returning NULL through every layer
 * was rejected: a browser that lost a column half way has nothing to show, and decoders limit
 * the sizes that an input can request. */
static void (*on_exhaustion)(size_t bytes);

void
mem_on_exhaustion(void (*handler)(size_t bytes))
{
	on_exhaustion = handler;
}

void
mem_exhausted(size_t bytes)
{
	void (*handler)(size_t) = on_exhaustion;

	on_exhaustion = NULL; /* the handler may allocate, too */
	if (handler)
		handler(bytes);
	fprintf(stderr, "pnav: out of memory (%zu bytes wanted)\n", bytes);
	abort();
}

static size_t
product(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		mem_exhausted(SIZE_MAX);
	return bytes ? bytes : 1;
}

/* Requests large pages for a large block. src/load.c requests them for the heap while a file is
 * read, but not for blocks that malloc() maps by themselves, nor for what the heap grows by
 * later. The first touch of small pages is a fault for each 4 KB. The request is for the whole
 * mapping of a block, since the kernel moves no mapping of two kinds when it grows. A refusal does
 * not matter. */
static void *
spacious(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	if (bytes >= LARGE_BLOCK) {
		uintptr_t from = (uintptr_t)at & ~SMALL_PAGE_MASK;
		uintptr_t to = ((uintptr_t)at + bytes + SMALL_PAGE_MASK) & ~SMALL_PAGE_MASK;
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	}
#else
	(void)bytes;
#endif
	return at;
}

void *
mem_alloc(size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = malloc(bytes);

	if (!at)
		mem_exhausted(bytes);
	return spacious(at, bytes);
}

void *
mem_zalloc(size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = calloc(1, bytes);

	if (!at)
		mem_exhausted(bytes);
	return spacious(at, bytes);
}

void *
mem_realloc(void *old, size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = realloc(old, bytes);

	if (!at)
		mem_exhausted(bytes);
	return spacious(at, bytes);
}

void *
mem_copy(const void *from, size_t n, size_t size)
{
	void *at = mem_alloc(n, size);

	if (n)
		memcpy(at, from, n * size);
	return at;
}

char *
mem_dup(const void *bytes, size_t len)
{
	char *at = mem_alloc(len + 1, 1);

	if (len)
		memcpy(at, bytes, len);
	at[len] = '\0';
	return at;
}
