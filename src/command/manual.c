/* manual.c - see manual.h.
 *
 * Installed pages come first: mandoc and man format a file better than pnav does. Distributions
 * compress them.  A static executable has the pages inside.  Another program that was moved away
 * from its pages still works, and reports a missing page when the user opens it. */
#include "src/command/manual.h"
#include "src/command/own_folder.h"
#include "src/input/input.h"
#include "src/inside.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAGE_MAX (4u << 20)

const char *const manual_pages[] = {
	"pnav.1",	 "pnav-browse.1",  "pnav-report.1", "pnav-record.1", "pnav-inspections.7",
	"pnav-formats.7", "pnav-filter.5", "pnav-pack.5",   "pnav-sql.7",    "pnav-store.7",
	"profile.1",	  NULL,
};

static void
manual_add(struct manuals *m, size_t *n, const char *dir, size_t len, const char *rest,
	   const char *page)
{
	struct buf path = BUF_INIT;
	buf_add(&path, dir, len);
	buf_adds(&path, rest);
	buf_adds(&path, page);
	m->at[(*n)++] = mem_dup(buf_str(&path), path.len);
	buf_release(&path);
}

/* Returns the length of a path without its last part. */
static size_t
folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) : 0;
}

/* As `make install` and packages of distributions lay it. profile(1) is installed as
 * pnav-profile(1), since other programs have that name. */
static void
add_installed(struct manuals *m, size_t *n, const char *folder, const char *share, const char *page)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s%s", strncmp(page, "pnav", 4) ? "pnav-" : "", page);
	manual_add(m, n, folder, strlen(folder), share, buf_str(&name));
	buf_adds(&name, ".gz");
	manual_add(m, n, folder, strlen(folder), share, buf_str(&name));
	buf_release(&name);
}

/* Looks where PNAV_MANUAL says: in that folder, or beside that page. */
static void
find_in(struct manuals *m, const char *own, const char *man, const char *page)
{
	struct stat st;
	bool folder = !stat(own, &st) && S_ISDIR(st.st_mode);
	size_t n = 0, len = folder ? strlen(own) : folder_len(own);
	struct buf dir = BUF_INIT;
	buf_add(&dir, own, len);
	if (!folder && !strchr(own, '/'))
		buf_addc(&dir, '.');
	manual_add(m, &n, buf_str(&dir), dir.len, "/", page);
	manual_add(m, &n, buf_str(&dir), dir.len, man, page);
	add_installed(m, &n, buf_str(&dir), man, page);
	buf_adds(&dir, "/..");
	manual_add(m, &n, buf_str(&dir), dir.len, man, page);
	add_installed(m, &n, buf_str(&dir), man, page);
	buf_release(&dir);
}

void
manuals_find(struct manuals *m, const char *page)
{
	char folder[PATH_MAX], man[] = "/man1/", share[] = "/../share/man/man1/";
	size_t n = 0;
	const char *own = getenv("PNAV_MANUAL");
	*m = (struct manuals){0};
	man[sizeof man - 3] = share[sizeof share - 3] = page[strlen(page) - 1];
	if (own) {
		find_in(m, own, man, page);
		return;
	}
	if (!own_folder(folder))
		return;
	size_t len = strlen(folder);
	add_installed(m, &n, folder, share, page);
	manual_add(m, &n, folder, len, "/man/", page);
	manual_add(m, &n, folder, len, "/../man/", page);
}

void
manuals_release(struct manuals *m)
{
	for (size_t i = 0; i < sizeof m->at / sizeof *m->at; i++)
		free(m->at[i]);
}

static bool
read_page(const char *path, struct buf *out)
{
	struct err e;
	size_t before = out->len;

	err_init(&e);
	struct input *in = input_open(path, &e);
	while (in && out->len - before < PAGE_MAX && input_need(in, 1)) {
		buf_add(out, input_at(in), input_have(in));
		input_skip(in, input_have(in));
	}
	bool good = in && !input_fault(in) && out->len > before;
	input_close(in);
	return good;
}

bool
manual_page(const char *page, struct buf *out)
{
	struct manuals m;
	size_t before = out->len;
	bool found = false;
	manuals_find(&m, page);
	for (size_t i = 0; m.at[i] && !found; i++) {
		out->len = before;
		found = read_page(m.at[i], out);
	}
	manuals_release(&m);
	if (!found)
		out->len = before;
	return found || inside_read(page, out);
}

bool
manual_inspections(struct inspections *out, struct err *e)
{
	struct buf page = BUF_INIT;
	bool good = true;
	if (!manual_page("pnav-inspections.7", &page))
		good = err_usage(e, "pnav-inspections(7), with the questions, is not installed");
	else
		good = inspections_read(out, buf_str(&page), page.len, e);
	buf_release(&page);
	return good;
}

const struct inspection *
manual_inspection(const struct inspections *all, const char *name, struct err *e)
{
	const struct inspection *q = inspection_named(all, name);
	struct buf known = BUF_INIT;
	for (size_t i = 0; !q && i < all->list.n; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", all->list.at[i].name);
	if (!q)
		err_usage(e, "--guide: unknown question '%s': choose from %s", name,
			  buf_str(&known));
	buf_release(&known);
	return q;
}
