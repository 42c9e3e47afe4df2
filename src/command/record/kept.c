/* kept.c - see kept.h.
 *
 * The files lie in $XDG_STATE_HOME/pnav, else ~/.local/state/pnav: temporary folders are
 * emptied before the user looks.  Only the owner reads them, as recordings. */
#include "src/command/record/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "src/command/say.h"

bool
kept_folder(struct buf *path)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/') {
		buf_addf(path, "%s/pnav", state);
	} else if (home && *home == '/') {
		buf_addf(path, "%s/.local/state/pnav", home);
	} else {
		errno = ENOENT;
		return false;
	}
	for (char *slash = path->at + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path->at, 0700);
		*slash = '/';
	}
	return !mkdir(path->at, 0700) || errno == EEXIST;
}

/* `not-stored-20260501T120000Z-4711`: when, and by whom. */
static void
kept_add_name(struct buf *path)
{
	char when[32] = "";
	time_t now = time(NULL);
	struct tm t;

	if (gmtime_r(&now, &t))
		strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &t);
	buf_addf(path, "/not-stored-%s-%ld", when, (long)getpid());
}

void
kept_open(struct kept *k, const char *name)
{
	struct outfile_how how = {.owner = true, .seeks = true};
	struct buf path = BUF_INIT, full = BUF_INIT;
	struct err e;

	*k = (struct kept){.open = false};
	if (!input_passes_by(name))
		return;
	err_init(&e);
	if (kept_folder(&path)) {
		kept_add_name(&path);
		for (unsigned i = 0; !full.len || !access(buf_str(&full), F_OK); i++) {
			buf_reset(&full);
			buf_addf(&full, i ? "%s-%u" : "%s", buf_str(&path), i);
		}
		k->open = outfile_open(&k->file, buf_str(&full), &how, &e);
	}
	if (k->open)
		k->copy.fd = k->file.fd;
	else
		say_warning(name, "it will not be kept if it cannot be stored: %s",
			    err_is_set(&e) ? e.text : strerror(errno));
	buf_release(&path);
	buf_release(&full);
}

struct input_copy *
kept_copy(struct kept *k)
{
	return k->open ? &k->copy : NULL;
}

void
kept_close(struct kept *k, const char *name, bool wanted)
{
	struct buf path = BUF_INIT;
	struct err e;

	if (!k->open)
		return;
	err_init(&e);
	wanted = wanted && k->copy.bytes;
	if (k->copy.failed)
		err_refuse(&e, "%s", strerror(k->copy.failed));
	buf_adds(&path, k->file.path);
	bool good = outfile_close(&k->file, wanted && !k->copy.failed, &e);
	if (wanted && good)
		say_warning(name, "not stored: kept in %s for another pnav store", buf_str(&path));
	else if (wanted)
		say_warning(name, "not stored, and not kept: %s", e.text);
	buf_release(&path);
	k->open = false;
}
