/* mcp_files.c - the profiles that are open.
 *
 * A file is loaded once, on the thread of load.h, and stays.  A request that needs it waits for
 * that thread and can be cancelled meanwhile; the loading goes on.
 *
 * Paths are compared after realpath(), and the file that is read is the result of that, so no link
 * leads out of an allowed folder.  Nothing of a file is read before its path is allowed. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/fold/nameless.h"
#include "model/table/facts.h"
#include "src/command/mcp/mcp_inside.h"
#include "src/input/input.h"

#define WAIT_MS 20
#define PAIRS_MOST 2 /* comparisons are loaded apart; the oldest one goes */

/* A profile: of one file, or the comparison of two. */
struct mcp_file {
	char *path;  /* as given */
	char *real;  /* without links; NULL if it is no file of a folder */
	char *other; /* of a comparison: the new file; path is the old one */
	struct load *load; /* NULL after the end */
	struct err err;    /* of the loading */
	bool bad;          /* nothing could be read */
	struct report_source source;
	struct profile *profile;
};

struct mcp_files {
	const struct options *options;
	VEC(struct mcp_file *) all;
	VEC(struct mcp_file *) pairs;
	VEC(char *) folders; /* allowed ones, real */
	struct mcp_file *last; /* the one opened last */
};

/* Starts to load `from`, and `other` if that is not NULL. */
static struct mcp_file *
file_new(struct mcp_files *f, const char *path, const char *real, const char *from,
	 const char *other)
{
	struct mcp_file *x = mem_zalloc(1, sizeof *x);
	const char *paths[2] = {from, other};

	x->path = mem_dup(path, strlen(path));
	x->real = real ? mem_dup(real, strlen(real)) : NULL;
	x->other = other ? mem_dup(other, strlen(other)) : NULL;
	x->profile = profile_new();
	x->source = (struct report_source){
		.profile = x->profile,
		.how = &f->options->format,
		.compare = other != NULL,
	};
	*vec_push(&x->source.files) = x->path;
	if (other) {
		profile_compare_files(x->profile, 1);
		*vec_push(&x->source.files) = x->other;
	}
	report_line_make(f->options, x->source.files.at, x->source.files.n, other != NULL,
			 &x->source.line);
	x->profile->normalize = f->options->normalize;
	err_init(&x->err);
	x->load = load_start_files(x->profile, paths, other ? 2 : 1, &f->options->format);
	return x;
}

static void
file_free(struct mcp_file *x)
{
	if (x->load)
		load_free(x->load);
	report_source_release(&x->source);
	profile_free(x->profile);
	free(x->path);
	free(x->real);
	free(x->other);
	free(x);
}

struct mcp_files *
mcp_files_new(const struct options *options)
{
	struct mcp_files *f = mem_zalloc(1, sizeof *f);
	char real[PATH_MAX];

	f->options = options;
	for (size_t i = 0; i < options->files.n; i++) {
		const char *path = options->files.at[i];
		struct mcp_file *x =
			file_new(f, path, realpath(path, real) ? real : NULL, path, NULL);
		*vec_push(&f->all) = x;
		f->last = f->last ? f->last : x;
	}
	return f;
}

void
mcp_files_free(struct mcp_files *f)
{
	for (size_t i = 0; i < f->all.n; i++)
		file_free(f->all.at[i]);
	for (size_t i = 0; i < f->pairs.n; i++)
		file_free(f->pairs.at[i]);
	for (size_t i = 0; i < f->folders.n; i++)
		free(f->folders.at[i]);
	vec_release(&f->all);
	vec_release(&f->pairs);
	vec_release(&f->folders);
	free(f);
}

/* ---- which files ---- */

bool
mcp_files_allow(struct mcp_files *f, const char *dir, struct err *e)
{
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(dir, real) || stat(real, &st) || !S_ISDIR(st.st_mode))
		return err_usage(e, "--allow: '%s' is no folder", dir);
	*vec_push(&f->folders) = mem_dup(real, strlen(real));
	return true;
}

static bool
is_under(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	return !strcmp(dir, "/") ||
	       (!strncmp(path, dir, len) && path[len] == '/');
}

static struct mcp_file *
find_open(const struct mcp_files *f, const char *name, const char *real, unsigned *n)
{
	struct mcp_file *found = NULL;

	*n = 0;
	for (size_t i = 0; i < f->all.n; i++) {
		struct mcp_file *x = f->all.at[i];
		if (!strcmp(x->path, name) || (real && x->real && !strcmp(x->real, real))) {
			*n = 1;
			return x;
		}
		if (!strcmp(base_name(x->path), name)) {
			found = x;
			++*n;
		}
	}
	return *n == 1 ? found : NULL;
}

static bool
is_allowed(const struct mcp_files *f, const char *real)
{
	bool under = false;

	for (size_t i = 0; i < f->folders.n; i++)
		under |= is_under(f->folders.at[i], real);
	return under;
}

/* Formats that are folders read the files in it: none may be a link to another place. */
static bool
folder_stays_inside(const struct mcp_files *f, const char *folder, struct err *e)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;
	struct buf path = BUF_INIT;
	char real[PATH_MAX];
	bool good = true;

	if (!d)
		return err_usage(e, "'%s' cannot be read", folder);
	while (good && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, "..") || !strcmp(entry->d_name, "."))
			continue;
		buf_reset(&path);
		buf_addf(&path, "%s/%s", folder, entry->d_name);
		if (realpath(buf_str(&path), real) && !is_allowed(f, real))
			good = err_usage(e, "'%s' leads out of the folders that --allow names",
					 buf_str(&path));
	}
	closedir(d);
	buf_release(&path);
	return good;
}

/* Finds the real path of a file that may be opened. */
static bool
may_open(const struct mcp_files *f, const char *path, char *real, struct err *e)
{
	struct stat st;
	bool under = realpath(path, real) && is_allowed(f, real);

	/* a client must not learn which files exist elsewhere */
	if (!under)
		return err_usage(e,
				 f->folders.n ? "'%s' is not in a folder that --allow names"
					      : "'%s' is not among the files given to pnav mcp, "
						"and no --allow names a folder",
				 path);
	if (stat(real, &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return err_usage(e, "'%s' is no regular file and no folder", path);
	return S_ISREG(st.st_mode) || folder_stays_inside(f, real, e);
}

/* ---- loading ---- */

static void
file_loaded(struct mcp_file *x)
{
	bool refused = load_refused(x->load);

	for (size_t i = 0; i < (x->other ? 2 : 1); i++) {
		struct err e = load_file_error(x->load, i);
		if (err_is_set(&e) && !err_is_set(&x->err))
			x->err = e;
		refused |= err_is_set(&e) && e.class != ERR_DAMAGED;
	}
	x->bad = refused;
	load_free(x->load);
	x->load = NULL;
}

/* Waits until a file is loaded. Returns false if the request should stop, or with the reason in *e
 * if nothing could be read. */
static bool
wait_for(struct mcp_file *x, struct mcp_wire *w, struct err *e)
{
	while (x->load && !load_wait(x->load, WAIT_MS))
		if (mcp_wire_stops(w))
			return false;
	if (x->load)
		file_loaded(x);
	if (!x->bad)
		return true;
	if (x->err.has_offset)
		return err_usage(e, "%s: at byte %" PRIu64 ": %s", x->path, x->err.offset,
				 x->err.text);
	return err_usage(e, "%s: %s", x->path, x->err.text);
}

/* Forgets a file that could not be read: it may be there later. */
static void
mcp_forget(struct mcp_files *f, struct mcp_file *x)
{
	for (size_t i = 0; i < f->all.n; i++)
		if (f->all.at[i] == x) {
			memmove(&f->all.at[i], &f->all.at[i + 1],
				(--f->all.n - i) * sizeof *f->all.at);
			break;
		}
	if (f->last == x)
		f->last = f->all.n ? f->all.at[f->all.n - 1] : NULL;
	file_free(x);
}

bool
mcp_files_open(struct mcp_files *f, struct mcp_wire *w, const char *path, struct err *e)
{
	char real[PATH_MAX];
	unsigned n;
	struct mcp_file *x = find_open(f, path, realpath(path, real) ? real : NULL, &n);

	if (!x) {
		if (!may_open(f, path, real, e))
			return false;
		x = file_new(f, path, real, real, NULL);
		*vec_push(&f->all) = x;
	}
	f->last = x;
	bool good = wait_for(x, w, e);
	if (!good && x->bad)
		mcp_forget(f, x);
	return good;
}

static struct mcp_file *
file_named(struct mcp_files *f, const char *name, struct err *e)
{
	struct buf known = BUF_INIT;
	unsigned n;
	struct mcp_file *x = name ? find_open(f, name, NULL, &n) : f->last;

	for (size_t i = 0; !x && i < f->all.n; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", f->all.at[i]->path);
	if (!x && !known.len)
		err_usage(e, "no profile is open: use the tool open");
	else if (!x)
		err_usage(e, n > 1 ? "'%s' is the name of several profiles: %s"
				   : "'%s' is not open: choose from %s",
			  name ? name : "", buf_str(&known));
	buf_release(&known);
	return x;
}

struct report_source *
mcp_files_find(struct mcp_files *f, struct mcp_wire *w, const char *name, struct err *e)
{
	struct mcp_file *x = file_named(f, name, e);

	return x && wait_for(x, w, e) ? &x->source : NULL;
}

struct report_source *
mcp_files_compare(struct mcp_files *f, struct mcp_wire *w, const char *old, const char *new,
		  struct err *e)
{
	struct mcp_file *a = file_named(f, old, e), *b = a ? file_named(f, new, e) : NULL;
	struct mcp_file *x = NULL;

	if (!b)
		return NULL;
	const char *from = a->real ? a->real : a->path, *to = b->real ? b->real : b->path;
	for (size_t i = 0; i < f->pairs.n && !x; i++)
		if (!strcmp(f->pairs.at[i]->real, from) && !strcmp(f->pairs.at[i]->other, to))
			x = f->pairs.at[i];
	if (!x && f->pairs.n == PAIRS_MOST) {
		file_free(f->pairs.at[0]);
		memmove(f->pairs.at, f->pairs.at + 1, --f->pairs.n * sizeof *f->pairs.at);
	}
	if (!x)
		*vec_push(&f->pairs) = x = file_new(f, from, from, from, to);
	return wait_for(x, w, e) ? &x->source : NULL;
}

/* ---- what they are ---- */

static void
list_warnings(struct mcp_file *x, struct buf *out)
{
	const struct profile *p = x->profile;
	struct nameless n = {.bad = 0};

	for (uint32_t i = 0; i < p->n_warnings; i++)
		buf_addf(out, "warning: %s\n", p->warning[i].text);
	if (!nameless_any(p))
		return;
	if (!x->source.plain) {
		struct lens none;
		struct err e;
		err_init(&e);
		lens_init(&none);
		x->source.plain = fold_new();
		fold_update(x->source.plain, p, &none, NULL, &e);
		lens_release(&none);
	}
	nameless_find(&n, p, x->source.plain);
	if (nameless_matters(&n)) {
		buf_adds(out, "warning: ");
		nameless_say(&n, p, out);
		buf_addc(out, '\n');
	}
	nameless_release(&n);
}

static void
list_one(struct mcp_file *x, struct buf *out)
{
	const struct profile *p = x->profile;
	struct facts facts = {0};

	escape_bytes(out, x->path, strlen(x->path), false);
	buf_addc(out, '\n');
	facts_make(&facts, p, x->source.plain, NULL, NULL, true);
	for (size_t i = 0; i < facts.all.n; i++) {
		const struct fact *fact = &facts.all.at[i];
		if (fact->aside || fact->about == ABOUT_WORDS)
			continue;
		escape_bytes(out, fact->key, strlen(fact->key), false);
		if (fact->words) {
			buf_adds(out, ": ");
			escape_bytes(out, fact->words, strlen(fact->words), false);
			buf_addc(out, '\n');
		} else {
			buf_addf(out, ": %" PRId64 "%s\n", fact->number,
				 fact->kind == FACT_LENGTH && fact->axis == UNIT_NS ? " ns" : "");
		}
	}
	facts_release(&facts);
	for (metric_id m = 0; m < p->n_metrics; m++) {
		buf_adds(out, "metric: ");
		profile_write_name(p, p->metric[m].name, out);
		buf_addf(out, " in %s%s\n", unit_name((enum unit)p->metric[m].unit),
			 m == profile_default_metric(p) ? " (default)" : "");
	}
	if (err_is_set(&x->err))
		buf_addf(out, "damaged at byte %" PRIu64 ": %s\n", x->err.offset, x->err.text);
	list_warnings(x, out);
}

bool
mcp_files_list(struct mcp_files *f, struct mcp_wire *w, const struct report_source *only,
	       struct buf *out, struct err *e)
{
	size_t before = out->len;

	for (size_t i = 0; i < f->all.n; i++) {
		struct mcp_file *x = f->all.at[i];
		struct err why;
		if (only && only != &x->source)
			continue;
		err_init(&why);
		if (out->len > before)
			buf_addc(out, '\n');
		if (wait_for(x, w, &why))
			list_one(x, out);
		else if (!err_is_set(&why))
			return false;
		else
			buf_addf(out, "%s\n", why.text);
	}
	if (out->len == before && !f->folders.n)
		return err_usage(e, "no profile is open, and none may be: start pnav mcp with "
				    "files or with --allow");
	if (out->len == before)
		buf_adds(out, "no profile is open: use the tool open\n");
	for (size_t i = 0; !only && i < f->folders.n; i++) {
		buf_adds(out, "files may be opened in ");
		escape_bytes(out, f->folders.at[i], strlen(f->folders.at[i]), false);
		buf_addc(out, '\n');
	}
	return true;
}
