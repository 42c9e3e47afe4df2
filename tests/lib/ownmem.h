/* ownmem.h - tests that read their own memory as that of another process (src/collect/farmem.h). */
#ifndef PNAV_TESTS_LIB_OWNMEM_H
#define PNAV_TESTS_LIB_OWNMEM_H

#include <stdint.h>
#include <string.h>

static inline uint64_t
own_address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

/* Stores a 64-bit number, or a pointer, anywhere. */
static inline void
own_put(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof value);
}

#endif
