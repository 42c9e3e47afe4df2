/* mem.h - allocation that succeeds or ends the program.
 *
 * Code checks sizes from a file against the bytes left before it allocates, so exhaustion means
 * that the machine has no memory left. The handler set with mem_on_exhaustion() then restores
 * the terminal and ends the program. */
#ifndef PNAV_MODEL_BASE_MEM_H
#define PNAV_MODEL_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

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
/* Ends the program as a failed allocation of that size does. */
_Noreturn void mem_exhausted(size_t bytes);

/* MEM_EACH(f, a, b, c) is f(a), f(b), f(c): at most 24 arguments. */
#define MEM_EACH_1(f, a) f(a)
#define MEM_EACH_2(f, a, ...) f(a), MEM_EACH_1(f, __VA_ARGS__)
#define MEM_EACH_3(f, a, ...) f(a), MEM_EACH_2(f, __VA_ARGS__)
#define MEM_EACH_4(f, a, ...) f(a), MEM_EACH_3(f, __VA_ARGS__)
#define MEM_EACH_5(f, a, ...) f(a), MEM_EACH_4(f, __VA_ARGS__)
#define MEM_EACH_6(f, a, ...) f(a), MEM_EACH_5(f, __VA_ARGS__)
#define MEM_EACH_7(f, a, ...) f(a), MEM_EACH_6(f, __VA_ARGS__)
#define MEM_EACH_8(f, a, ...) f(a), MEM_EACH_7(f, __VA_ARGS__)
#define MEM_EACH_9(f, a, ...) f(a), MEM_EACH_8(f, __VA_ARGS__)
#define MEM_EACH_10(f, a, ...) f(a), MEM_EACH_9(f, __VA_ARGS__)
#define MEM_EACH_11(f, a, ...) f(a), MEM_EACH_10(f, __VA_ARGS__)
#define MEM_EACH_12(f, a, ...) f(a), MEM_EACH_11(f, __VA_ARGS__)
#define MEM_EACH_13(f, a, ...) f(a), MEM_EACH_12(f, __VA_ARGS__)
#define MEM_EACH_14(f, a, ...) f(a), MEM_EACH_13(f, __VA_ARGS__)
#define MEM_EACH_15(f, a, ...) f(a), MEM_EACH_14(f, __VA_ARGS__)
#define MEM_EACH_16(f, a, ...) f(a), MEM_EACH_15(f, __VA_ARGS__)
#define MEM_EACH_17(f, a, ...) f(a), MEM_EACH_16(f, __VA_ARGS__)
#define MEM_EACH_18(f, a, ...) f(a), MEM_EACH_17(f, __VA_ARGS__)
#define MEM_EACH_19(f, a, ...) f(a), MEM_EACH_18(f, __VA_ARGS__)
#define MEM_EACH_20(f, a, ...) f(a), MEM_EACH_19(f, __VA_ARGS__)
#define MEM_EACH_21(f, a, ...) f(a), MEM_EACH_20(f, __VA_ARGS__)
#define MEM_EACH_22(f, a, ...) f(a), MEM_EACH_21(f, __VA_ARGS__)
#define MEM_EACH_23(f, a, ...) f(a), MEM_EACH_22(f, __VA_ARGS__)
#define MEM_EACH_24(f, a, ...) f(a), MEM_EACH_23(f, __VA_ARGS__)
#define MEM_EACH_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16,       \
		    _17, _18, _19, _20, _21, _22, _23, _24, x, ...)                           \
	MEM_EACH_##x
#define MEM_EACH(f, ...)                                                                   \
	MEM_EACH_OF(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, \
		    8, 7, 6, 5, 4, 3, 2, 1, 0)                                       \
	(f, __VA_ARGS__)

/* Frees all of its arguments. */
#define free_all(...) MEM_EACH(free, __VA_ARGS__)

#endif
