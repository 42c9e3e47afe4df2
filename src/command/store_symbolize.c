/* Hosts often lack symbols, and must not wait for a debuginfod server while they store.  So stacks
 * keep the build id and the address of a frame without a function, and one machine that has the
 * symbols names them later, once for all hosts.  Only files with the same build id are used. */
#include "src/command/store_symbolize.h"

#include <stdio.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/profile/human.h"
#include "src/command/command.h"
#include "src/command/progress.h"
#include "src/command/say.h"
#include "src/store/unnamed.h"
#include "src/store/version.h"
#include "src/symbol/stored.h"
#include "src/symbol/symbols.h"

struct symbolizing {
	const struct store_url *url;
	struct unnamed unnamed;
	struct symbols *symbols;
	struct buf missing; /* a line for each module without symbols */
	uint64_t found;
	struct err e;
	bool good;
};

static bool
symbolize_row(struct symbols *s, uint32_t module, struct unnamed_row *row)
{
	struct symbols_frame f;

	if (!symbols_stored_frame(s, module, row->at, row->call, &f))
		return false;
	row->function = f.name;
	row->file = f.file;
	row->line = f.line;
	row->defined = f.definition;
	return true;
}

static void
symbolize_say_missing(struct symbolizing *z, uint32_t module, const struct unnamed_row *row)
{
	buf_adds(&z->missing, "no symbols: ");
	escape_shown(&z->missing, row->module, strlen(row->module), false);
	buf_adds(&z->missing, ": ");
	size_t was = z->missing.len;
	symbols_say(z->symbols, module, &z->missing);
	buf_adds(&z->missing, z->missing.len == was ? row->build : "");
	buf_addc(&z->missing, '\n');
}

static void
symbolize_all(struct symbolizing *z)
{
	struct unnamed_row *row = z->unnamed.row.at;
	uint32_t module = 0;
	bool is_there = false;

	for (size_t i = 0; i < z->unnamed.row.n; i++) {
		if (!i || strcmp(row[i].build, row[i - 1].build) ||
		    strcmp(row[i].module, row[i - 1].module)) {
			module = symbols_stored_module(z->symbols, row[i].module,
						       row[i].build);
			is_there = symbols_there(z->symbols, module);
		}
		z->found += symbolize_row(z->symbols, module, &row[i]);
		bool last = i + 1 == z->unnamed.row.n || strcmp(row[i].build, row[i + 1].build) ||
			    strcmp(row[i].module, row[i + 1].module);
		if (last && !is_there)
			symbolize_say_missing(z, module, &row[i]);
	}
}

static void
symbolize_call(void *ctx)
{
	struct symbolizing *z = ctx;

	z->good = version_prepare(z->url, &z->e) && unnamed_read(&z->unnamed, z->url, &z->e);
	if (!z->good)
		return;
	symbolize_all(z);
	z->good = unnamed_send(&z->unnamed, z->url, &z->e);
}

static void
symbolize_print(const struct symbolizing *z)
{
	struct buf out = BUF_INIT;

	buf_add(&out, buf_str(&z->missing), z->missing.len);
	human_count(&out, (int64_t)z->found);
	buf_adds(&out, " of ");
	human_count(&out, (int64_t)z->unnamed.row.n);
	buf_adds(&out, " addresses got functions");
	puts(buf_str(&out));
	buf_release(&out);
}

int
store_symbolize(const struct options *o, const struct store_url *url, const char *address)
{
	struct symbolizing z = {.url = url, .symbols = symbols_new()};
	struct progress g;
	int status = STATUS_DONE;

	err_init(&z.e);
	symbols_places(z.symbols, o->format.symbols.at, o->format.symbols.n,
		       o->format.debuginfod);
	progress_init(&g, address, "symbolizing", NULL);
	progress_call(&g, symbolize_call, &z);
	if (z.good)
		symbolize_print(&z);
	else
		status = say_error(address, &z.e);
	unnamed_release(&z.unnamed);
	symbols_free(z.symbols);
	buf_release(&z.missing);
	return status;
}
