/* uprobes.c - see uprobes.h.
 *
 * The kernel knows a probe by a file and an offset in it (perf_event_open(2), dynamic PMUs):
 *
 *	type     the number in /sys/bus/event_source/devices/uprobe/type
 *	config   1: at the return
 *	config1  a pointer to the path, while the event is opened
 *	config2  the offset */
#include "src/collect/uprobes.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/symbol/elf.h"
#include "src/symbol/table.h"

static const char at_begin[] = "uprobe:", at_return[] = "uretprobe:";

bool
uprobes_named(const char *at, size_t len)
{
	return (len >= sizeof at_begin - 1 && !memcmp(at, at_begin, sizeof at_begin - 1)) ||
	       (len >= sizeof at_return - 1 && !memcmp(at, at_return, sizeof at_return - 1));
}

/* Returns the kernel's number of this kind of events; 0: it has none. */
static unsigned
uprobes_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type = 0;

	if (f && fscanf(f, "%u", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

struct uprobes_search {
	struct uprobe now;
	const char *pattern;
	bool (*found)(void *ctx, const struct uprobe *u);
	void *ctx;
	bool any;
};

/* Searches the functions of an open file; returns false if a call did. */
static bool
search_functions(struct uprobes_search *x, struct symbol_elf *elf)
{
	struct symbol_table table = {0};
	bool good = true;

	symbol_elf_symbols(elf, &table);
	for (size_t i = 0; i < table.symbol.n && good; i++) {
		const struct symbol *s = &table.symbol.at[i];
		const char *readable = symbol_table_readable(&table, s->name);
		if ((fnmatch(x->pattern, s->name, 0) && fnmatch(x->pattern, readable, 0)) ||
		    strstr(s->name, "@plt") || !symbol_elf_offset(elf, s->start, &x->now.offset))
			continue;
		x->any = true;
		x->now.function = readable;
		good = x->found(x->ctx, &x->now);
	}
	symbol_table_release(&table);
	return good;
}

static bool
search_file(struct uprobes_search *x, struct err *e)
{
	struct symbol_wanted wanted = {.path = x->now.path};
	struct symbol_elf elf;

	x->now.type = uprobes_type();
	if (!x->now.type)
		return err_usage(e, "--event: this kernel has no probes at functions of programs");
	if (!symbol_elf_open(&elf, &wanted))
		return err_usage(e, "--event: %s is not an executable file or a library",
				 x->now.path);
	bool good = search_functions(x, &elf) || err_usage(e, "--event: too many events");
	if (good && !x->any)
		good = err_usage(e, "--event: %s has no function '%s'", x->now.path, x->pattern);
	symbol_elf_close(&elf);
	return good;
}

/* uprobe:/PATH:FUNCTION; a path has no colon, a name of C++ may have several. */
bool
uprobes_find(const char *at, size_t len, bool (*found)(void *ctx, const struct uprobe *u),
	     void *ctx, struct err *e)
{
	bool returns = !strncmp(at, at_return, sizeof at_return - 1);
	size_t from = (returns ? sizeof at_return : sizeof at_begin) - 1;
	const char *colon = memchr(at + from, ':', len - from);

	if (!colon || at[from] != '/' || colon + 1 == at + len)
		return err_usage(e, "--event: %.*s needs a path and a function: "
				    "uprobe:/usr/bin/program:function", (int)len, at);
	char *path = mem_dup(at + from, (size_t)(colon - at) - from);
	char *pattern = mem_dup(colon + 1, len - (size_t)(colon + 1 - at));
	struct uprobes_search x = {.now = {.path = path, .returns = returns},
				   .pattern = pattern, .found = found, .ctx = ctx};
	bool good = search_file(&x, e);
	free(path);
	free(pattern);
	return good;
}
