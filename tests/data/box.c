/* box.c - what runs in a container of tests/containers.t: until its end after some seconds,
 *	box work      computes in box_work
 *	box children  starts children one after the other, which compute in box_child
 *	box jit       computes in memory of its own, whose name, box_jit, it writes to
 *	              /tmp/perf-PID.map */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES 256
#define SECONDS 6

static volatile unsigned sink;

__attribute__((noinline, noclone)) void
box_work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink += (unsigned)i;
}

__attribute__((noinline, noclone)) void
box_child(void)
{
	while (clock() < CLOCKS_PER_SEC / 20)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned)i;
}

/* Calls nothing and reads nothing: its bytes work wherever they lie. */
__attribute__((noinline, noclone, aligned(64))) unsigned
spin(unsigned x)
{
	for (long i = 0; i < 1000000; i++) {
		x = x * 1103515245u + 12345u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void
in_child(const char *self)
{
	pid_t child = fork();

	if (!child) {
		execl(self, self, "child", (char *)0);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

/* Returns the function, in memory of its own. */
static unsigned (*compile(void))(unsigned)
{
	unsigned (*made)(unsigned) = spin;
	char path[64];
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	FILE *f = at == MAP_FAILED ? NULL : fopen(path, "w");
	if (!f)
		return made;
	memcpy(at, (const void *)spin, BYTES);
	__builtin___clear_cache((char *)at, (char *)at + BYTES);
	fprintf(f, "%lx %x box_jit\n", (unsigned long)at, BYTES);
	fclose(f);
	memcpy(&made, &at, sizeof made);
	return made;
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "work";
	time_t end = time(NULL) + SECONDS;
	unsigned (*made)(unsigned) = !strcmp(mode, "jit") ? compile() : spin;

	if (!strcmp(mode, "child"))
		box_child();
	while (strcmp(mode, "child") != 0 && time(NULL) < end) {
		if (!strcmp(mode, "children"))
			in_child(argv[0]);
		else if (!strcmp(mode, "jit"))
			sink += made(sink);
		else
			box_work();
	}
	return 0;
}
