/* inflated.h - how large an ELF file's compressed parts are when libdwfl has inflated them. */
#ifndef PNAV_SRC_SYMBOL_INFLATED_H
#define PNAV_SRC_SYMBOL_INFLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False for an ELF file whose compressed sections become more than INFLATED_TIMES times the file,
 * and more than INFLATED_FREE bytes: no compiler's, whose tables become a tenth of that, but made
 * to take all memory.  True for what is no ELF file.  fd stays the caller's, wherever it stood. */
#define INFLATED_FREE ((uint64_t)64 << 20)
#define INFLATED_TIMES 40u
bool symbol_inflates_little(int fd);

#endif
