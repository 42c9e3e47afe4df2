/* mem.h - allocation that succeeds or ends the program.
 *
 * Code checks sizes from a file against the bytes left before it allocates, so exhaustion means
 * that the machine has no memory left. The handler set with mem_on_exhaustion() then restores
 * the terminal and ends the program. */
#ifndef PNAV_MODEL_BASE_MEM_H
#define PNAV_MODEL_BASE_MEM_H

#include <stddef.h>

/* Return memory for `n` objects of `size` bytes; overflow of the product is exhaustion. Never
 * NULL (a request for 0 bytes returns one byte). Free it with free(). */
void *mem_alloc(size_t n, size_t size) __attribute__((malloc));
void *mem_zalloc(size_t n, size_t size) __attribute__((malloc));
void *mem_realloc(void *old, size_t n, size_t size);
/* Returns a copy of len bytes, followed by a NUL; free it with free(). */
char *mem_dup(const void *bytes, size_t len) __attribute__((malloc));

/* Returns a copy of n objects; free it with free(). */
void *mem_copy(const void *from, size_t n, size_t size) __attribute__((malloc));

/* Sets the handler called once, with the number of requested bytes, when memory is exhausted. It
 * must not return. Without a handler, mem.c prints a message to stderr and calls abort(). */
void mem_on_exhaustion(void (*handler)(size_t bytes));

#endif
