/* editor.h - builds the command that opens a file at a line in the user's editor. */
#ifndef PNAV_UI_APP_EDITOR_H
#define PNAV_UI_APP_EDITOR_H

#include <stdint.h>

#include "model/base/buf.h"

#define EDITOR_ARGS 8

/* The command: argv of a shell that runs $VISUAL or $EDITOR, which may contain options. */
struct editor {
	char *argv[EDITOR_ARGS]; /* ends with NULL */
	struct buf shown;        /* the command in a form to type, quoted for the shell */
};

/* `command` is the editor that the user configured ("vi" if NULL or empty); `line` 0 means no
 * line. */
void editor_init(struct editor *e, const char *command, const char *path, uint32_t line);
void editor_release(struct editor *e);

#endif
