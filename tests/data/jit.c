/* jit.c - works in a function in memory of its own, and writes its address to /tmp/perf-PID.map
 * as JIT compilers do: samples there should be named jit_work. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 512

/* Calls nothing and reads nothing: its bytes work wherever they lie. */
__attribute__((noinline, noclone, aligned(64))) unsigned work(unsigned x);
__attribute__((noinline, noclone, aligned(64))) unsigned
work(unsigned x)
{
	for (long i = 0; i < 200000000; i++) {
		x = x * 1103515245u + 12345u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

int
main(void)
{
	char path[64];
	unsigned (*made)(unsigned);
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return 1;
	memcpy(at, (const void *)work, BYTES);
	__builtin___clear_cache((char *)at, (char *)at + BYTES);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	FILE *f = fopen(path, "w");
	if (!f)
		return 1;
	fprintf(f, "%lx %x jit_work\n", (unsigned long)at, BYTES);
	fclose(f);
	memcpy(&made, &at, sizeof made);
	printf("%d %u\n", (int)getpid(), made(1));
	return 0;
}
