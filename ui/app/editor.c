/* editor.c - see editor.h.
 *
 * Editors differ in how they take a line: `vi +12 file`, `code -g file:12`, `subl file:12`, `kate
 * -l 12 file`.  A table maps the name of the program to a form.  An unknown editor gets only the
 * file, because it could take `+12` for a second file.
 *
 * $EDITOR may hold options and quotes, so a shell parses it, as in git: sh -c 'EDITOR "$@"' EDITOR
 * arguments.  The path never passes through the shell. */
#include "ui/app/editor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"

enum argument_form { FORM_NONE, FORM_PLUS, FORM_GOTO, FORM_COLON, FORM_L, FORM_LINE };

static const struct {
	enum argument_form form;
	const char *names; /* each between blanks */
} forms[] = {
	{FORM_PLUS, " vi vim nvim gvim view vis nvi elvis vim.basic vim.tiny vim.nox vim.gtk3 ex "
		    "nano pico emacs emacsclient mg jed joe jmacs jstar ne kak micro gedit xed "
		    "pluma mousepad mcedit less "},
	{FORM_GOTO, " code code-insiders codium vscodium cursor code-oss "},
	{FORM_COLON, " subl sublime_text hx helix zed zeditor "},
	{FORM_L, " kate kwrite "},
	{FORM_LINE, " idea clion pycharm goland rustrover webstorm "},
};

static enum argument_form
editor_form_of(const char *command)
{
	size_t len = strcspn(command, " \t");
	const char *name = command;
	struct buf word = BUF_INIT;
	enum argument_form form = FORM_NONE;
	for (size_t i = 0; i < len; i++)
		if (command[i] == '/')
			name = command + i + 1;
	buf_addc(&word, ' ');
	buf_add(&word, name, len - (size_t)(name - command));
	buf_addc(&word, ' ');
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strstr(forms[i].names, buf_str(&word)))
			form = forms[i].form;
	buf_release(&word);
	return form;
}

static void
editor_add(struct editor *e, int *n, const struct buf *text)
{
	e->argv[(*n)++] = mem_dup(buf_str(text), text->len);
}

static void
editor_add_text(struct editor *e, int *n, const char *text)
{
	e->argv[(*n)++] = mem_dup(text, strlen(text));
}

static void
add_arguments(struct editor *e, int *n, enum argument_form form, const char *path, uint32_t line)
{
	struct buf text = BUF_INIT, file = BUF_INIT;
	if (!line)
		form = FORM_NONE;
	/* prevent a name that begins with a dash or a plus from being read as an option */
	if (*path == '-' || *path == '+')
		buf_adds(&file, "./");
	buf_adds(&file, path);
	switch (form) {
	case FORM_PLUS:
		buf_addf(&text, "+%u", line);
		editor_add(e, n, &text);
		break;
	case FORM_GOTO:
		editor_add_text(e, n, "-g");
		buf_addf(&file, ":%u", line);
		break;
	case FORM_COLON:
		buf_addf(&file, ":%u", line);
		break;
	case FORM_L:
	case FORM_LINE:
		editor_add_text(e, n, form == FORM_L ? "-l" : "--line");
		buf_addf(&text, "%u", line);
		editor_add(e, n, &text);
		break;
	case FORM_NONE:
		break;
	}
	editor_add(e, n, &file);
	buf_release(&text);
	buf_release(&file);
}

void
editor_init(struct editor *e, const char *command, const char *path, uint32_t line)
{
	struct buf script = BUF_INIT;
	int n = 0;
	*e = (struct editor){0};
	command = command ? command + strspn(command, " \t") : "";
	if (!*command)
		command = "vi";
	buf_addf(&script, "%s \"$@\"", command);
	editor_add_text(e, &n, "/bin/sh");
	editor_add_text(e, &n, "-c");
	editor_add(e, &n, &script);
	editor_add_text(e, &n, command);
	int arguments = n;
	add_arguments(e, &n, editor_form_of(command), path, line);
	buf_adds(&e->shown, command);
	for (int i = arguments; i < n; i++) {
		buf_addc(&e->shown, ' ');
		escape_shell_word(&e->shown, e->argv[i]);
	}
	buf_release(&script);
}

void
editor_release(struct editor *e)
{
	for (int i = 0; i < EDITOR_ARGS; i++)
		free(e->argv[i]);
	buf_release(&e->shown);
}
