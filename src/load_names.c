/* A store has frames without a function if the recording host had no symbols (src/store/unnamed.h).
 * The machine of the reader may have them.  Other threads may use the profile while files are
 * read. */
#include "src/load_names.h"

#include <string.h>

#include "model/base/vec.h"
#include "src/input/clock.h"
#include "src/input/input.h"
#include "src/input/source.h"
#include "src/symbol/stored.h"
#include "src/symbol/symbols.h"

struct load_module {
	char *path, *build;
	uint32_t id;
};

struct load_names {
	struct symbols *symbols;
	VEC(struct load_module) modules;
	struct watch *watch;
};

static uint32_t
load_names_module(struct load_names *x, const char *path, const char *build)
{
	for (size_t i = x->modules.n; i--;)
		if (!strcmp(x->modules.at[i].build, build) && !strcmp(x->modules.at[i].path, path))
			return x->modules.at[i].id;
	struct load_module *m = vec_push(&x->modules);
	*m = (struct load_module){mem_dup(path, strlen(path)), mem_dup(build, strlen(build)), 0};
	return m->id = symbols_stored_module(x->symbols, m->path, m->build);
}

static bool
load_names_find(void *ctx, const struct store_unnamed *frame, struct store_name *out)
{
	struct load_names *x = ctx;
	struct symbols_frame f;

	if (!symbols_stored_frame(x->symbols, load_names_module(x, frame->module, frame->build),
				  frame->at, frame->call, &f))
		return false;
	*out = (struct store_name){f.name, f.file ? f.file : "", f.line, f.definition};
	return true;
}

static bool
load_names_stops(void *ctx)
{
	struct load_names *x = ctx;

	return x->watch && atomic_load_explicit(&x->watch->stop, memory_order_relaxed);
}

static void
load_names_leave(void *ctx)
{
	struct load_names *x = ctx;

	if (x->watch && x->watch->give)
		x->watch->give(x->watch);
}

static void
load_names_back(void *ctx)
{
	struct load_names *x = ctx;

	if (x->watch && x->watch->take)
		x->watch->take(x->watch);
}

bool
load_names_store(const char *url, struct builder *b, const struct format_options *o,
		 struct watch *w, struct err *e)
{
	struct load_names x = {.symbols = symbols_new(), .watch = w};

	symbols_places(x.symbols, o->symbols.at, o->symbols.n, o->debuginfod);
	if (o->no_demangle)
		symbols_raw(x.symbols);
	symbols_stops(x.symbols, load_names_stops, &x);
	symbols_aside(x.symbols, load_names_leave, load_names_back, &x);
	bool good = store_read(url, b, w, clock_day_ns(),
			       &(struct store_names){load_names_find, &x}, e);
	symbols_free(x.symbols);
	for (size_t i = 0; i < x.modules.n; i++)
		free_all(x.modules.at[i].path, x.modules.at[i].build);
	vec_release(&x.modules);
	return good;
}
