/* inflated.h - how large an ELF file's compressed parts are when libdwfl has inflated them. */
#ifndef PNAV_SRC_SYMBOL_INFLATED_H
#define PNAV_SRC_SYMBOL_INFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that a .gnu_debugdata (a stream of xz) becomes at most, of n bytes that may be
 * anything; UINT64_MAX where that cannot be known. */
uint64_t symbol_xz_inflated(const uint8_t *at, size_t n);

/* False for an ELF file whose compressed sections become more than INFLATED_TIMES times the file,
 * and more than INFLATED_FREE bytes: no compiler's, whose tables become a tenth of that, but made
 * to take all memory.  True for what is no ELF file.  fd stays the caller's, wherever it stood. */
#define INFLATED_FREE ((uint64_t)64 << 20)
#define INFLATED_TIMES 40u
bool symbol_inflates_little(int fd);

#endif
