/* editor.h - the command that opens a file at a line in the user's editor. */
#ifndef PNAV_UI_APP_EDITOR_H
#define PNAV_UI_APP_EDITOR_H

#include <stdint.h>

#include "model/base/buf.h"

#define EDITOR_ARGS 8

/* What is to be run: argv of a shell that runs $VISUAL or $EDITOR, which may hold options. */
struct editor {
	char *argv[EDITOR_ARGS]; /* ended by NULL */
	struct buf shown;        /* the command as a user would type it, quoted for the shell */
};

/* `command` is the editor as the user configured it ("vi" where NULL or empty); `line` 0
 * means no line. */
void editor_init(struct editor *e, const char *command, const char *path, uint32_t line);
void editor_release(struct editor *e);

#endif
