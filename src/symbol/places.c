/* Debug files and moved files, by build id.
 *
 * libdwfl looks beside the file, under /usr/lib/debug, and then, unasked, on each server in
 * DEBUGINFOD_URLS.  Distributions set that variable for everybody, so a profile would reveal to
 * strangers which programs the user runs.  So pnav replaces its callbacks: local searches use
 * libdwfl's own functions, and servers are only queried if the user allowed it.
 *
 * A folder that the user names may be a copy of another machine's /usr/lib/debug, or of its program
 * folders.  Names by build id are tried first.  For other names the folder is walked once, and the
 * build id of each ELF file is noted.  The number of files is limited, because a user may name /.
 *
 * Files found are opened like any other: the id is compared again. */
#include "src/symbol/places.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "model/base/mem.h"
#include "model/base/vec.h"

#define ID_MAX 32u

/* A file of a walked folder. */
struct debug_place {
	uint8_t id[ID_MAX];
	size_t len;
	char *path;
};

/* The functions of libdebuginfod that pnav calls, declared as in its manual, since few systems have
 * its header. */
struct server {
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *id, int len, char **path);
	int (*find_executable)(void *client, const unsigned char *id, int len, char **path);
	void (*end)(void *client);
	void (*set_progressfn)(void *client, int (*progress)(void *client, long a, long b));
};

struct symbol_places {
	VEC(char *) dir;
	VEC(struct debug_place) file;
	bool walked;
	bool server, tried;
	struct server call;
	void *client;             /* NULL: no client */
	struct err unasked;       /* why */
	bool (*stops)(void *ctx); /* NULL: the caller never stops */
	void *ctx;
};

struct symbol_places *
symbol_places_new(const char *const *dirs, size_t n, bool server)
{
	struct symbol_places *p = mem_zalloc(1, sizeof *p);

	for (size_t i = 0; i < n; i++)
		*vec_push(&p->dir) = mem_dup(dirs[i], strlen(dirs[i]));
	p->server = server;
	err_init(&p->unasked);
	return p;
}

void
symbol_places_stops(struct symbol_places *p, bool (*stops)(void *ctx), void *ctx)
{
	if (!p)
		return;
	p->stops = stops;
	p->ctx = ctx;
}

void
symbol_places_free(struct symbol_places *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->dir.n; i++)
		free(p->dir.at[i]);
	for (size_t i = 0; i < p->file.n; i++)
		free(p->file.at[i].path);
	vec_release(&p->dir);
	vec_release(&p->file);
	if (p->client) /* its threads may outlive it, so the library is never closed */
		p->call.end(p->client);
	free(p);
}

bool
symbol_places_dirs(const struct symbol_places *p)
{
	return p && p->dir.n;
}

bool
symbol_places_server(const struct symbol_places *p)
{
	return p && p->server;
}

const char *
symbol_places_unasked(const struct symbol_places *p)
{
	return p && err_is_set(&p->unasked) ? p->unasked.text : NULL;
}

#ifdef HAVE_LIBDW

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/late.h"
#include "src/symbol/inflated.h"
#include "src/symbol/shrunk.h"

#define FILES_MAX 20000u
#define DEPTH_MAX 8u

int
symbol_open_elf(const char *path)
{
	struct stat st;
	char magic[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	shrunk_survive();
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    pread(fd, magic, sizeof magic, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG) &&
	    symbol_inflates_little(fd))
		return fd;
	close(fd);
	return -1;
}

/* Checks a file that libdwfl has opened itself, by the same rule. */
static int
places_opened(int fd)
{
	if (fd < 0 || symbol_inflates_little(fd))
		return fd;
	close(fd);
	return -1;
}

/* Reads the build id of an open file, at most ID_MAX bytes; returns 0 if it has none. */
static size_t
places_id_of(int fd, uint8_t *out)
{
	const void *id;
	size_t n = 0;

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	if (len > 0) {
		n = (size_t)len < ID_MAX ? (size_t)len : ID_MAX;
		memcpy(out, id, n);
	}
	elf_end(elf);
	return n;
}

static bool
has_id(const char *path, struct symbol_id id)
{
	uint8_t have[ID_MAX];
	int fd = symbol_open_elf(path);
	size_t n = fd < 0 ? 0 : places_id_of(fd, have);

	if (fd >= 0)
		close(fd);
	return n && n <= id.len && !memcmp(have, id.at, n);
}

/* ---- folders ---- */

static void
note_file(struct symbol_places *p, const char *path)
{
	struct debug_place x = {.path = NULL};
	int fd = symbol_open_elf(path);

	if (fd < 0)
		return;
	x.len = places_id_of(fd, x.id);
	close(fd);
	if (!x.len)
		return;
	x.path = mem_dup(path, strlen(path));
	*vec_push(&p->file) = x;
}

/* Notes the files below a folder; links to folders are not followed, so the walk ends. */
static void
places_walk(struct symbol_places *p, const char *dir, unsigned depth, unsigned *left)
{
	struct buf path = BUF_INIT;
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(dir);

	while (d && *left && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		--*left;
		buf_reset(&path);
		buf_addf(&path, "%s/%s", dir, entry->d_name);
		if (lstat(buf_str(&path), &st))
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			places_walk(p, buf_str(&path), depth + 1, left);
		else if (!S_ISDIR(st.st_mode))
			note_file(p, buf_str(&path));
	}
	if (d)
		closedir(d);
	buf_release(&path);
}

static void
walk_all(struct symbol_places *p)
{
	unsigned left = FILES_MAX;

	if (p->walked)
		return;
	p->walked = true;
	for (size_t i = 0; i < p->dir.n; i++)
		places_walk(p, p->dir.at[i], 0, &left);
}

/* Tries names by build id below a folder; `%` marks a pattern that separates the first byte. */
static bool
try_names(const char *dir, struct symbol_id id, bool debug, symbol_take *take, void *ctx)
{
	static const char *const forms[] = {".build-id/%", "%", ""};
	struct buf path = BUF_INIT;
	bool taken = false;

	for (size_t f = 0; f < 3 && !taken; f++) {
		buf_reset(&path);
		buf_addf(&path, "%s/%.*s", dir, (int)strcspn(forms[f], "%"), forms[f]);
		for (size_t i = 0; i < id.len; i++)
			buf_addf(&path, "%02x%s", id.at[i], !i && *forms[f] ? "/" : "");
		if (debug)
			buf_adds(&path, ".debug");
		taken = !access(buf_str(&path), R_OK) && take(ctx, buf_str(&path));
	}
	buf_release(&path);
	return taken;
}

/* An id shorter than that of the profile was padded there. */
static bool
try_walked(struct symbol_places *p, struct symbol_id id, symbol_take *take, void *ctx)
{
	walk_all(p);
	for (size_t i = 0; i < p->file.n; i++) {
		const struct debug_place *x = &p->file.at[i];
		if (x->len <= id.len && !memcmp(x->id, id.at, x->len) && take(ctx, x->path))
			return true;
	}
	return false;
}

/* ---- servers ---- */

static bool
stopped(const struct symbol_places *p)
{
	return p->stops && p->stops(p->ctx);
}

/* The request of this thread: libdebuginfod calls back on it. */
static _Thread_local const struct symbol_places *asking;

/* A result other than 0 cancels the request. */
static int
progress(void *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return asking && stopped(asking);
}

static bool
connected(struct symbol_places *p)
{
	static const char *const names[] = {
		"debuginfod_begin", "debuginfod_find_debuginfo",
		"debuginfod_find_executable", "debuginfod_end", "debuginfod_set_progressfn",
	};

	if (p->tried)
		return p->client != NULL;
	p->tried = true;
	if (late_load("libdebuginfod.so.1", names, sizeof names / sizeof *names, &p->call,
		      &p->unasked))
		p->client = p->call.begin();
	if (p->client)
		p->call.set_progressfn(p->client, progress);
	return p->client != NULL;
}

static bool
try_server(struct symbol_places *p, struct symbol_id id, bool debug, symbol_take *take, void *ctx)
{
	char *path = NULL;
	bool taken = false;

	if (!p->server || stopped(p) || !connected(p))
		return false;
	asking = p;
	int fd = (debug ? p->call.find_debuginfo : p->call.find_executable)(p->client, id.at,
									    (int)id.len, &path);
	asking = NULL;
	if (fd >= 0) {
		close(fd);
		taken = path && take(ctx, path);
		free(path);
	}
	return taken;
}

bool
symbol_places_find(struct symbol_places *p, struct symbol_id id, bool debug, symbol_take *take,
		   void *ctx)
{
	bool taken = false;

	if (id.len < 2)
		return false;
	for (size_t i = 0; p && i < p->dir.n && !taken; i++)
		taken = try_names(p->dir.at[i], id, debug, take, ctx);
	if (symbol_places_dirs(p))
		taken = taken || try_walked(p, id, take, ctx);
	taken = taken || try_names("/usr/lib/debug", id, debug, take, ctx);
	return taken || (p && try_server(p, id, debug, take, ctx));
}

/* ---- for libdwfl ---- */

struct wish {
	struct symbol_id id;
	const char *not; /* the file itself */
	int fd;
	char *path;
};

static bool
has_debug(int fd)
{
	Elf_Scn *section = NULL;
	size_t names;
	bool found = false;

	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !elf_getshdrstrndx(elf, &names) && !found &&
	       (section = elf_nextscn(elf, section))) {
		GElf_Shdr s;
		if (!gelf_getshdr(section, &s))
			continue;
		const char *name = elf_strptr(elf, names, s.sh_name);
		found = s.sh_type == SHT_SYMTAB ||
			(name && s.sh_type != SHT_NOBITS && !strncmp(name, ".debug_", 7));
	}
	elf_end(elf);
	return found;
}

/* Takes a file with this id that has more than the executed one. */
static bool
take_debug(void *ctx, const char *path)
{
	struct wish *w = ctx;

	if ((w->not && !strcmp(w->not, path)) || !has_id(path, w->id))
		return false;
	w->fd = symbol_open_elf(path);
	if (w->fd >= 0 && !has_debug(w->fd)) {
		close(w->fd);
		w->fd = -1;
	}
	if (w->fd < 0)
		return false;
	w->path = strdup(path); /* libdwfl frees it */
	return true;
}

/* Looks beside the file, in .debug there, and under /usr/lib/debug, by the name in its
 * .gnu_debuglink, or by its own name with `.debug`. */
static bool
try_link(struct wish *w, const char *file, const char *link)
{
	const char *name = strrchr(file, '/');
	int dir = (int)(name ? name - file : 0);
	struct buf path = BUF_INIT, own = BUF_INIT;
	bool taken = false;

	if (!name)
		return false;
	buf_addf(&own, "%s.debug", name + 1);
	link = link && *link ? link : buf_str(&own);
	for (size_t i = 0; i < 3 && !taken; i++) {
		buf_reset(&path);
		if (i == 2)
			buf_adds(&path, "/usr/lib/debug");
		buf_add(&path, file, (size_t)dir);
		buf_adds(&path, i == 1 ? "/.debug/" : "/");
		buf_adds(&path, link);
		taken = take_debug(w, buf_str(&path));
	}
	buf_release(&path);
	buf_release(&own);
	return taken;
}

int
symbol_find_elf(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base, char **found,
		Elf **elf)
{
	(void)m;
	(void)userdata;
	(void)module;
	(void)base;
	(void)found;
	(void)elf;
	return -1;
}

int
symbol_find_debuginfo(Dwfl_Module *m, void **userdata, const char *module, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **found)
{
	const unsigned char *id = NULL;
	GElf_Addr at;
	int len = dwfl_module_build_id(m, &id, &at);

	/* servers only know files with an id */
	if (len <= 0)
		return places_opened(dwfl_standard_find_debuginfo(m, userdata, module, base, file,
								  link, crc, found));
	if (!file) { /* the part that dwz shares between files has its own id */
		int fd = places_opened(dwfl_build_id_find_debuginfo(m, userdata, module, base, file,
								    link, crc, found));
		return fd >= 0 || !link || *link != '/' ? fd : symbol_open_elf(link);
	}
	struct wish w = {.id = {id, (size_t)len}, .not = file, .fd = -1};
	if (!symbol_places_dirs(*userdata) && try_link(&w, file, link)) {
		*found = w.path;
		return w.fd;
	}
	if (symbol_places_find(*userdata, w.id, true, take_debug, &w) || try_link(&w, file, link)) {
		*found = w.path;
		return w.fd;
	}
	return -1;
}

#else

bool
symbol_places_find(struct symbol_places *p, struct symbol_id id, bool debug, symbol_take *take,
		   void *ctx)
{
	(void)p;
	(void)id;
	(void)debug;
	(void)take;
	(void)ctx;
	return false;
}

#endif
