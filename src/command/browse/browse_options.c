/* browse_options.c - the browser's options: rows of the command line, pnavrc, a session. */
#include "src/command/browse/browse_options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/base/buf.h"
#include "src/command/browse/resume.h"
#include "src/command/command.h"
#include "src/command/manual.h"
#include "ui/app/app.h"

static bool
check_view(const struct option_row *row, const char *value, struct err *e)
{
	return app_has_view(value) ||
	       err_usage(e, "--%s: the browser has no view '%s'", row->name, value);
}

static bool
set_size(struct options *o, const struct option_row *row, const char *value,
	 struct err *e)
{
	struct browse_options *own = o->own;
	int used = 0;
	(void)row;
	if (sscanf(value, "%4dx%4d%n", &own->w, &own->h, &used) != 2 || value[used] ||
	    own->w < 1 || own->h < 1)
		return err_usage(e, "--size takes COLUMNSxROWS, such as 120x40, not '%s'",
				 value);
	return true;
}

static bool
set_snapshot(struct options *o, const struct option_row *row, const char *value,
	     struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	own->snapshot = true;
	own->ansi = value && !strcmp(value, "ansi");
	if (value && !own->ansi && strcmp(value, "text"))
		return err_usage(e, "--snapshot takes text or ansi, not '%s'", value);
	return true;
}

static bool
set_color(struct options *o, const struct option_row *row, const char *value,
	  struct err *e)
{
	(void)row;
	if (config_colours(value, &((struct browse_options *)o->own)->colours))
		return true;
	return err_usage(e, "--color takes never, auto, always, 8, 16 or 256, not '%s'",
			 value);
}

static bool
set_theme(struct options *o, const struct option_row *row, const char *value,
	  struct err *e)
{
	(void)row;
	if (theme_named(value, &((struct browse_options *)o->own)->user.theme))
		return true;
	return err_usage(e, "--theme takes auto, dark, light or colour-blind[-dark|-light], "
			    "not '%s'", value);
}

static bool
set_source_dir(struct options *o, const struct option_row *row, const char *value,
	       struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	if (!strchr(value, '='))
		return err_usage(e, "--source-dir takes FROM=TO, not '%s'", value);
	*vec_push(&own->source_dirs) = value;
	return true;
}

/* Reads the state of a view as a session stores it: "flame by-time". */
static bool
set_state(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	struct buf view = BUF_INIT;
	const char *words = value;
	(void)row;
	bool good = settings_word(&words, &view) && app_has_view(buf_str(&view));
	if (good)
		session_add_state(&own->session, buf_str(&view), words);
	else
		err_usage(e, "--state: the browser has no view '%s'", buf_str(&view));
	own->states |= good;
	buf_release(&view);
	return good;
}

static bool
set_chains(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	(void)value;
	(void)e;
	own->session.chains = own->states = true;
	return true;
}

static bool
set_sure_only(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	(void)value;
	(void)e;
	own->session.sure_only = own->states = true;
	return true;
}

static bool
browse_set_colour_by(struct options *o, const struct option_row *row, const char *value,
		     struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	if (!hue_read(value, &own->session.colour_by, e))
		return false;
	own->session.coloured = own->states = true;
	return true;
}

/* Adds one name of the path from the root to a frame; the first one drops the session's path. */
static bool
browse_options_add_name(struct browse_options *own, struct place *p, bool *said, const char *name)
{
	if (!*said)
		place_release(p);
	place_add(p, name);
	return *said = own->states = true;
}

static bool
set_select(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	(void)e;
	return browse_options_add_name(own, &own->session.selected, &own->selects, value);
}

static bool
set_zoom(struct options *o, const struct option_row *row, const char *value, struct err *e)
{
	struct browse_options *own = o->own;
	(void)row;
	(void)e;
	return browse_options_add_name(own, &own->session.zoom, &own->zooms, value);
}

static bool
browse_set_search(struct options *o, const struct option_row *row, const char *value,
		  struct err *e)
{
	struct browse_options *own = o->own;
	struct pattern *p = pattern_new(value, strlen(value), e);
	(void)row;
	if (!p)
		return false;
	pattern_unref(p);
	free(own->session.search);
	own->session.search = mem_dup(value, strlen(value));
	return own->states = true;
}

#define INTO(member) .at = offsetof(struct browse_options, member)
const struct option_row browse_rows[] = {
	{"view", "VIEW", "the first view: flame, tree, timeline, ...", .kind = OPTION_TEXT,
	 .check = check_view, INTO(view)},
	{"color", "WHEN", "never, auto, always, 8, 16 or 256 colours", .set = set_color},
	{"theme", "NAME", "colours for a dark or light background: auto, dark, light, colour-blind",
	 .set = set_theme},
	{"ascii", .help = "draw only ASCII characters", INTO(ascii)},
	{"follow", .help = "continue reading as the file grows", .common = true,
	 .at = offsetof(struct options, format.follow)},
	{"source-dir", "FROM=TO", "source files whose path begins with FROM are in TO",
	 .repeats = true, .set = set_source_dir},
	{"no-mouse", .help = "leave the mouse to the terminal", INTO(no_mouse)},
	SESSION_ROW,
	BASE_ROWS,
	{"state", "'VIEW WORDS'", "the state of a view, as Y writes it", .repeats = true,
	 .set = set_state},
	{"select", "NAME", "the first selection: the names on its path", .repeats = true,
	 .set = set_select},
	{"zoom", "NAME", "the first zoom: the names on its path", .repeats = true, .set = set_zoom},
	{"search", "PATTERN", "the first search", .set = browse_set_search},
	{"chains", .help = "frames that call a single other one share its line", .set = set_chains},
	{"only-sure", .help = "in a comparison show only changes beyond chance",
	 .set = set_sure_only},
	{"colour-by", "WHAT", "what colours of boxes mean: auto, kind, module, file",
	 .set = browse_set_colour_by},
	{"guide", "NAME", "start with a question of the manual: hot, callers, slowest, ...",
	 .kind = OPTION_TEXT, INTO(guide)},
	{"no-config", .help = "leave pnavrc unread", INTO(no_config)},
	{"keys", "SCRIPT", "play these keys without a terminal", .kind = OPTION_TEXT, INTO(keys)},
	{"size", "WxH", "size of the screen for --keys and --snapshot", .set = set_size},
	{"snapshot", "KIND", "print the screen as text (or ansi) and exit", .optional = true,
	 .set = set_snapshot},
	{0},
};

void
browse_options_init(struct browse_options *own, struct options *o, bool config)
{
	session_init(&own->session);
	config_init(&own->user);
	if (config)
		config_load(&own->user);
	own->colours = own->user.colours;
	own->ascii = own->user.ascii;
	own->no_mouse = own->user.no_mouse;
	o->lens.by = own->user.by;
	o->lens.invert = own->user.invert;
}

bool
browse_options_guide(struct browse_options *own, struct err *e)
{
	struct err missing;
	err_init(&missing);
	bool good = manual_inspections(&own->inspections, &missing);
	if (!own->guide)
		return true;
	if (!good)
		*e = missing;
	return good && manual_inspection(&own->inspections, own->guide, e);
}

void
browse_options_say_faults(const struct browse_options *own)
{
	resume_say_faults(&own->user.faults);
	resume_say_faults(&own->session.faults);
}

void
browse_options_release(struct browse_options *own)
{
	inspections_release(&own->inspections);
	vec_release(&own->source_dirs);
	config_release(&own->user);
	session_release(&own->session);
}
