/* kernelstack.c - see kernelstack.h.
 *
 *	[<0>] do_nanosleep+0x5c/0x1a0
 *	[<0>] ext4_sync_file+0x1b2/0x380 [ext4]
 *
 * The kernel prints names instead of addresses.  Recordings have addresses, so each name is looked
 * up in /proc/kallsyms, which is read at the first stack: "ffffffff81a3b2c0 t do_nanosleep".  Of
 * several functions of one name the first is taken: a report shows the name, which is right.
 *
 * Rejected: symbol_text_kernel(), which keeps one name for each address; the kernel may print
 * another one. */
#include "src/collect/kernelstack.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/input/hash.h"

struct kernelstack_symbol {
	uint64_t address;
	uint32_t name, len; /* in the names */
};

struct kernelstack {
	VEC(uint64_t) frames; /* of the last stack */
	bool listed;
	VEC(struct kernelstack_symbol) symbol;
	struct map by_name;
	struct buf names;
};

/* Returns the address of a function; 0 if it is not known. */
static uint64_t
address_of_name(const struct kernelstack *k, const char *at, size_t len)
{
	uint64_t hash = hash64(at, len);
	uint32_t slot, i;

	if (!k->by_name.slot)
		return 0;
	slot = map_first(&k->by_name, hash);
	while (map_probe(&k->by_name, &slot, hash, &i)) {
		const struct kernelstack_symbol *s = &k->symbol.at[i];
		if (s->len == len && !memcmp(buf_str(&k->names) + s->name, at, len))
			return s->address;
	}
	return 0;
}

static void
list_symbols(struct kernelstack *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	k->listed = true;
	while (f && fgets(line, sizeof line, f)) {
		char *end;
		uint64_t address = strtoull(line, &end, 16);
		if (end[0] != ' ' || !strchr("tTwW", end[1]) || end[2] != ' ' || !address)
			continue;
		const char *name = end + 3;
		size_t len = strcspn(name, "\t\n");
		if (address_of_name(k, name, len))
			continue;
		map_insert(&k->by_name, hash64(name, len), (uint32_t)k->symbol.n);
		*vec_push(&k->symbol) = (struct kernelstack_symbol){
			address, (uint32_t)k->names.len, (uint32_t)len};
		buf_add(&k->names, name, len);
	}
	if (f)
		fclose(f);
}

struct kernelstack *
kernelstack_new(void)
{
	FILE *stack = fopen("/proc/self/stack", "re"), *symbols = fopen("/proc/kallsyms", "re");
	char line[512] = "";
	bool good = stack && symbols && fgets(line, sizeof line, symbols);

	/* an unprivileged reader gets zeros, and an error at the first read */
	good = good && strtoull(line, NULL, 16) && fgets(line, sizeof line, stack);
	if (stack)
		fclose(stack);
	if (symbols)
		fclose(symbols);
	return good ? mem_zalloc(1, sizeof(struct kernelstack)) : NULL;
}

void
kernelstack_free(struct kernelstack *k)
{
	if (!k)
		return;
	vec_release_all(&k->frames, &k->symbol);
	map_release(&k->by_name);
	buf_release(&k->names);
	free(k);
}

void
kernelstack_read(struct kernelstack *k, pid_t pid, pid_t tid)
{
	char path[64], line[512];

	if (!k)
		return;
	k->frames.n = 0;
	if (!k->listed)
		list_symbols(k);
	snprintf(path, sizeof path, "/proc/%d/task/%d/stack", (int)pid, (int)tid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		const char *name = strchr(line, ' ');
		size_t len = name ? strcspn(++name, "+\n") : 0;
		uint64_t address = len ? address_of_name(k, name, len) : 0;
		if (address && name[len] == '+')
			*vec_push(&k->frames) = address + strtoull(name + len + 1, NULL, 16);
	}
	if (f)
		fclose(f);
}

void
kernelstack_put(const struct kernelstack *k, struct buf *out)
{
	uint64_t n = k && k->frames.n ? k->frames.n + 1 : 0, kernel = (uint64_t)PERF_CONTEXT_KERNEL;

	buf_add(out, &n, sizeof n);
	if (!n)
		return;
	buf_add(out, &kernel, sizeof kernel);
	buf_add(out, k->frames.at, k->frames.n * sizeof *k->frames.at);
}
