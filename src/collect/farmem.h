/* farmem.h - reads another process's memory, within bounds.
 *
 *	farmem_begin(m, pid);
 *	if (farmem_read(m, address, &value, sizeof value)) ...
 *
 * Each page is read once, until the next farmem_begin().  The number of reads is limited, so
 * garbage in the other process cannot keep the reader busy. */
#ifndef PNAV_SRC_COLLECT_FARMEM_H
#define PNAV_SRC_COLLECT_FARMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FARMEM_PAGE 4096u
#define FARMEM_PAGES 64u

struct farmem {
	pid_t pid;
	unsigned reads, most; /* system calls since the begin, and their limit */
	uint64_t at[FARMEM_PAGES]; /* addresses of the pages; 1: none */
	uint8_t page[FARMEM_PAGES][FARMEM_PAGE];
};

/* Forgets all pages.  `most`: the limit of pages to read. */
void farmem_begin(struct farmem *m, pid_t pid, unsigned most);
/* Copies `len` bytes; returns false, with zeros, if they are not readable or the limit is
 * reached. */
bool farmem_read(struct farmem *m, uint64_t at, void *to, size_t len);
/* Returns the number there, or 0. */
uint64_t farmem_u64(struct farmem *m, uint64_t at);
uint32_t farmem_u32(struct farmem *m, uint64_t at);

#endif
