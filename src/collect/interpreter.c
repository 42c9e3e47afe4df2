/* interpreter.c - see interpreter.h: what several interpreters share. */
#include "src/collect/interpreter.h"

#include "src/collect/farmem.h"

/* The tid in the C library's descriptor of a thread, glibc's nptl/descr.h since 2.4. */
#ifdef __x86_64__
#define DESCRIPTOR_TID 720u
#else
#define DESCRIPTOR_TID 208u
#endif

bool
interpreter_bytes(struct farmem *m, uint64_t at, uint64_t len, struct buf *out)
{
	uint8_t bytes[INTERPRETER_TEXT_MAX];

	if (!at || !len || len > INT32_MAX)
		return false;
	size_t n = len < sizeof bytes ? (size_t)len : sizeof bytes;
	if (!farmem_read(m, at, bytes, n))
		return false;
	for (size_t i = 0; i < n && bytes[i]; i++)
		buf_addc(out, bytes[i] < 0x20 || bytes[i] == 0x7f ? '?' : (char)bytes[i]);
	return bytes[0];
}

uint32_t
interpreter_tid(struct farmem *m, uint64_t descriptor)
{
	return descriptor ? farmem_u32(m, descriptor + DESCRIPTOR_TID) : 0;
}
