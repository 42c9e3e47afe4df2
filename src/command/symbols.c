#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/symbol/symbols.h"

/* `pnav symbols`: lists the modules of a profile, and whether this machine has their symbols.
 *
 * A profile from another machine shows addresses.  This command shows at once which files to copy,
 * and which files here have another build id. */

struct module_line {
	const struct module_file *module;
	enum { MISSING, UNSURE, FOUND } state;
	char *where; /* the file of the symbols, if printed, or why there is none */
};

/* Names the file of the symbols if it differs from the recorded one, and its separate debug
 * file. */
static void
say_where(struct symbols *s, uint32_t module, const char *file, struct name path, struct buf *out)
{
	const char *debug = symbols_debug_file(s, module);

	if (strcmp(file, path.at) != 0)
		buf_adds(out, file);
	if (debug)
		buf_addf(out, "%sdebug file %s", out->len ? ", " : "", debug);
	else if (symbols_stripped(s, module))
		buf_addf(out, "%sstripped, and its debug file is missing", out->len ? ", " : "");
}

static struct module_line
symbols_look_up(const struct profile *p, struct symbols *s, const struct module_file *m)
{
	struct name path = names_get(&p->names, m->path), hex = names_get(&p->names, m->build_id);
	struct symbols_frame frame;
	struct buf why = BUF_INIT;
	uint8_t id[64];
	struct module_line line = {.module = m};
	uint32_t module = symbols_add(
		s, &(struct symbols_module){
			   .kind = SYMBOLS_FILE,
			   .path = path.at,
			   .path_len = path.len,
			   .build_id = id,
			   .build_id_len = symbols_build_id(hex.at, hex.len, id)});
	const char *file = symbols_file(s, module);

	/* without a build id a file is used only if it is known to be this machine's */
	line.state = !file || !symbols_there(s, module) ? MISSING
		     : m->build_id == NAME_EMPTY	  ? UNSURE
							  : FOUND;
	if (line.state == MISSING) { /* a failed lookup gives symbols_say() its reason */
		symbols_at(s, module, 0, false, &frame, 1);
		symbols_say(s, module, &why);
	}
	if (line.state != MISSING)
		say_where(s, module, file, path, &why);
	else if (!why.len)
		buf_adds(&why, "no symbols");
	line.where = mem_dup(buf_str(&why), why.len);
	buf_release(&why);
	return line;
}

struct symbols_order {
	const struct profile *p;
};

static int
symbols_compare_lines(const void *a, const void *b, void *context)
{
	const struct profile *p = ((const struct symbols_order *)context)->p;
	const struct module_line *x = a, *y = b;

	if (x->state != y->state) /* missing ones first */
		return (int)x->state - (int)y->state;
	return strcmp(names_get(&p->names, x->module->path).at,
		      names_get(&p->names, y->module->path).at);
}

static void
print_line(const struct profile *p, const struct module_line *line)
{
	struct buf text = BUF_INIT;
	struct name id = names_get(&p->names, line->module->build_id);

	static const char *const states[] = {"missing", "unsure", "found"};

	buf_addf(&text, "%-8s %-40s ", states[line->state], id.len ? id.at : "-");
	profile_show_name(p, line->module->path, &text);
	if (*line->where) {
		buf_adds(&text, ": ");
		escape_shown(&text, line->where, strlen(line->where), false);
	}
	puts(buf_str(&text));
	buf_release(&text);
}

/* Returns which names are those of modules with functions, [name]. Files that were only mapped,
 * such as tables of locales, have none; the caller frees the array. */
static uint8_t *
symbols_hit(const struct profile *p)
{
	uint8_t *hit = mem_zalloc((size_t)p->names.n + 1, 1);

	for (function_id i = 0; i < p->frames.n_functions; i++)
		hit[profile_function(p, i).module] = 1;
	return hit;
}

static void
print_modules(const struct profile *p, const struct format_options *how)
{
	struct symbols_order order = {p};
	uint8_t *hit = symbols_hit(p);
	struct symbols *s = symbols_new();
	symbols_places(s, how->symbols.at, how->symbols.n, how->debuginfod);
	struct module_line *line = mem_zalloc((size_t)p->n_module_files + 1, sizeof *line);

	for (uint32_t i = 0; i < p->n_module_files; i++)
		line[i] = symbols_look_up(p, s, &p->module_file[i]);
	if (p->n_module_files > 1)
		qsort_r(line, p->n_module_files, sizeof *line, symbols_compare_lines, &order);
	for (uint32_t i = 0; i < p->n_module_files; i++) {
		const struct module_file *before = i ? line[i - 1].module : NULL;
		if ((line[i].state != MISSING || hit[line[i].module->module]) &&
		    (!before || before->path != line[i].module->path ||
		     before->build_id != line[i].module->build_id))
			print_line(p, &line[i]);
		if (i)
			free(line[i - 1].where);
	}
	if (p->n_module_files)
		free(line[p->n_module_files - 1].where);
	free_all(line, hit);
	symbols_free(s);
}

static int
symbols_run(const struct command *self, int argc, char **argv)
{
	struct options o;
	int status;

	options_init(&o, NULL);
	if (command_options(self, &o, argc, argv, &status)) {
		struct fold *plain = NULL;
		struct profile *p = open_operands(self, &o, &status)
					    ? open_profile(&o, false, &plain, &status)
					    : NULL;
		fold_free(plain);
		if (p)
			print_modules(p, &o.format);
		open_release(p);
	}
	options_release(&o);
	return status;
}

const struct command command_symbols = {
	.name = "symbols",
	.synopsis = "[OPTION...] FILE...",
	.summary = "list modules, and whether their symbols are available",
	.examples = "pnav symbols perf.data\0"
		    "pnav symbols --symbols ./debug perf.data\0",
	.takes = TAKES_FORMATS,
	.run = symbols_run,
};
