/* manual.c - see manual.h.
 *
 * The page is read at run time, since what it says of a guide is what the guide does: a copy
 * in the program would be a second text.  A program that was moved away from its page still
 * works, and says that the page is missing where it is asked for. */
#include "src/command/manual.h"
#include "src/whole.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_MAX (4u << 20)

static void
add(struct manuals *m, size_t *n, const char *dir, size_t len, const char *rest)
{
	struct buf path = BUF_INIT;
	buf_add(&path, dir, len);
	buf_adds(&path, rest);
	m->at[(*n)++] = mem_dup(buf_str(&path), path.len);
	buf_release(&path);
}

void
manuals_find(struct manuals *m)
{
	char exe[PATH_MAX];
	size_t n = 0;
	const char *own = getenv("PNAV_MANUAL");
	*m = (struct manuals){0};
	if (own) { /* and no other */
		add(m, &n, own, strlen(own), "");
		return;
	}
	ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (len > 0) {
		exe[len] = '\0';
		char *slash = strrchr(exe, '/');
		size_t dir = slash ? (size_t)(slash - exe) : 0;
		add(m, &n, exe, dir, "/../share/man/man1/pnav.1");
		add(m, &n, exe, dir, "/man/pnav.1");
		add(m, &n, exe, dir, "/../man/pnav.1");
	}
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
	FILE *in = fopen(path, "re");
	if (!in)
		return false;
	bool good = whole_read(in, PAGE_MAX, out) && out->len;
	fclose(in);
	return good;
}

bool
manual_inspections(struct inspections *out, struct err *e)
{
	struct manuals m;
	struct buf page = BUF_INIT;
	bool found = false, good = true;
	manuals_find(&m);
	for (size_t i = 0; m.at[i] && !found; i++) {
		buf_reset(&page);
		found = read_page(m.at[i], &page);
	}
	if (!found)
		good = err_usage(e, "the manual page, which has the questions, is not installed");
	else
		good = inspections_read(out, buf_str(&page), page.len, e);
	manuals_release(&m);
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
		err_usage(e, "--guide: no question is called '%s': there is %s", name,
			  buf_str(&known));
	buf_release(&known);
	return q;
}
