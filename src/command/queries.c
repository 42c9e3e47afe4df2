/* queries.c - see queries.h.
 *
 * Queries are files, not texts in the program, so that users can add their own and change ours. */
#include "src/command/queries.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/command/own_folder.h"
#include "src/inside.h"
#include "src/whole.h"

#define QUERY_MAX (1u << 20)

static const struct query *
queries_named_by(const struct queries *q, const char *name, size_t len)
{
	for (size_t i = 0; i < q->all.n; i++)
		if (strlen(q->all.at[i].name) == len && !memcmp(q->all.at[i].name, name, len))
			return &q->all.at[i];
	return NULL;
}

static void
queries_add_text(struct queries *q, const char *name, size_t len, const char *text,
		 size_t text_len)
{
	const char *line = text + strspn(text, "- ");
	size_t n = !strncmp(text, "--", 2) ? strcspn(line, "\n") : 0;

	*vec_push(&q->all) = (struct query){
		.name = mem_dup(name, len),
		.about = mem_dup(line, n),
		.text = mem_dup(text, text_len),
	};
}

static void
queries_add_file(struct queries *q, const char *folder, const char *file, size_t len)
{
	struct buf path = BUF_INIT, text = BUF_INIT;

	buf_addf(&path, "%s/%s", folder, file);
	FILE *in = fopen(buf_str(&path), "re");
	if (in && whole_read(in, QUERY_MAX, &text) && text.len && text.len <= QUERY_MAX)
		queries_add_text(q, file, len, buf_str(&text), text.len);
	if (in)
		fclose(in);
	buf_release(&path);
	buf_release(&text);
}

/* Files found earlier take precedence. */
static void
add_folder(struct queries *q, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *d;

	buf_addf(&q->places, "%s%s", q->places.len ? ", " : "", folder);
	while (dir && (d = readdir(dir))) {
		size_t len = strlen(d->d_name);
		if (len > 4 && !strcmp(d->d_name + len - 4, ".sql") &&
		    !queries_named_by(q, d->d_name, len - 4))
			queries_add_file(q, folder, d->d_name, len - 4);
	}
	if (dir)
		closedir(dir);
}

static void
add_user(struct queries *q)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT;

	if (config && *config == '/')
		buf_addf(&path, "%s/pnav/queries", config);
	else if (home)
		buf_addf(&path, "%s/.config/pnav/queries", home);
	if (path.len)
		add_folder(q, path.at);
	buf_release(&path);
}

static void
add_installed(struct queries *q)
{
	static const char *const places[] = {
		"../share/pnav/queries", "data/queries", "../data/queries", "../../data/queries"};
	char folder[PATH_MAX];
	struct buf path = BUF_INIT;
	bool known = own_folder(folder);

	for (size_t i = 0; known && i < sizeof places / sizeof *places; i++) {
		buf_reset(&path);
		buf_addf(&path, "%s/%s", folder, places[i]);
		add_folder(q, path.at);
	}
	buf_release(&path);
}

/* Those of a static executable. */
static void
queries_add_inside(struct queries *q)
{
	for (const struct inside_file *f = inside_files; f->name; f++) {
		size_t len = strlen(f->name);
		struct buf text = BUF_INIT;
		if (len > 4 && !strcmp(f->name + len - 4, ".sql") &&
		    !queries_named_by(q, f->name, len - 4) && inside_read(f->name, &text))
			queries_add_text(q, f->name, len - 4, buf_str(&text), text.len);
		buf_release(&text);
	}
}

static int
queries_by_name(const void *a, const void *b)
{
	return strcmp(((const struct query *)a)->name, ((const struct query *)b)->name);
}

void
queries_find(struct queries *q)
{
	const char *own = getenv("PNAV_QUERIES");

	if (own && *own)
		add_folder(q, own);
	add_user(q);
	add_installed(q);
	queries_add_inside(q);
	if (q->all.n > 1)
		qsort(q->all.at, q->all.n, sizeof *q->all.at, queries_by_name);
}

void
queries_release(struct queries *q)
{
	for (size_t i = 0; i < q->all.n; i++) {
		free(q->all.at[i].name);
		free(q->all.at[i].about);
		free(q->all.at[i].text);
	}
	vec_release(&q->all);
	buf_release(&q->places);
}

const struct query *
queries_named(const struct queries *q, const char *name, struct err *e)
{
	const struct query *found = queries_named_by(q, name, strlen(name));
	struct buf known = BUF_INIT;

	for (size_t i = 0; !found && i < q->all.n; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", q->all.at[i].name);
	if (!found && !q->all.n)
		err_usage(e, "--query: %s has no queries; PNAV_QUERIES names another folder",
			  buf_str(&q->places));
	else if (!found)
		err_usage(e, "--query: unknown query '%s': choose from %s", name,
			  buf_str(&known));
	buf_release(&known);
	return found;
}
