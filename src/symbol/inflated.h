/* inflated.h - limits the size to which libdwfl may inflate an ELF file's compressed sections. */
#ifndef PNAV_SRC_SYMBOL_INFLATED_H
#define PNAV_SRC_SYMBOL_INFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false for an ELF file whose compressed sections inflate to more than INFLATED_TIMES times
 * the file and more than INFLATED_FREE bytes. Compilers produce at most a tenth of that; such a
 * file is meant to exhaust memory. Returns true for other files. The caller keeps fd; its position
 * does not matter. */
#define INFLATED_FREE ((uint64_t)64 << 20)
#define INFLATED_TIMES 40u
bool symbol_inflates_little(int fd);

#endif
