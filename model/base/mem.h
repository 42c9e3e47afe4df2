/* mem.h - memory that is there or ends the program.
 *
 * Sizes that come from a file are checked against the bytes left before they get
 * here, so exhaustion means that the machine is full: the handler set with
 * mem_on_exhaustion() restores the terminal and ends the program. */
#ifndef PNAV_MODEL_MEM_H
#define PNAV_MODEL_MEM_H

#include <stddef.h>

/* `n` objects of `size` bytes; overflow of the product is exhaustion.  Never NULL
 * (a request for nothing gives one byte).  Free with free(). */
void *mem_alloc(size_t n, size_t size) __attribute__((malloc));
void *mem_zalloc(size_t n, size_t size) __attribute__((malloc));
void *mem_realloc(void *old, size_t n, size_t size);
/* A copy of len bytes with a NUL behind it. */
char *mem_dup(const void *bytes, size_t len) __attribute__((malloc));

/* A copy of n objects; free with free(). */
void *mem_copy(const void *from, size_t n, size_t size) __attribute__((malloc));

/* Called once, with the number of bytes wanted, when there is no more memory.
 * It must not return.  Without one, a message goes to stderr and abort() is called. */
void mem_on_exhaustion(void (*handler)(size_t bytes));

#endif
