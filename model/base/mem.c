#include "model/base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void
exhausted(size_t bytes)
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
		exhausted(SIZE_MAX);
	return bytes ? bytes : 1;
}

void *
mem_alloc(size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = malloc(bytes);

	if (!at)
		exhausted(bytes);
	return at;
}

void *
mem_zalloc(size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = calloc(1, bytes);

	if (!at)
		exhausted(bytes);
	return at;
}

void *
mem_realloc(void *old, size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *at = realloc(old, bytes);

	if (!at)
		exhausted(bytes);
	return at;
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
