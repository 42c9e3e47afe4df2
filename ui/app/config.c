/* config.c - see config.h.
 *
 *	bind X exclude            # a key and an action, as `:` lists them
 *	unbind ^Z
 *	colour hot 196 - bold     # an ink, its colours (- is the terminal's own), attributes
 *	columns self self% function module
 *	source-dir /build/src=/home/me/src
 *	view functions
 *	by line
 *	color 16
 *	theme light
 *	ascii on
 *	mouse off
 *
 * Actions, inks and columns are named as in their own tables, so that a new one can be
 * configured without a line here.  A file that runs commands (as vim's and tig's do) was
 * rejected: what it does would depend on the profile that happens to be open. */
#include "ui/app/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/lens/words.h"
#include "model/table/columns.h"
#include "ui/view/view.h"

/* Files of this size have copies with `cache on`. */
#define CACHE_FROM (UINT64_C(100) << 20)

void
config_init(struct config *c)
{
	*c = (struct config){.by = BY_FUNCTION, .colours = -1};
}

void
config_release(struct config *c)
{
	for (size_t i = 0; i < c->source_dirs.n; i++)
		free(c->source_dirs.at[i]);
	vec_release(&c->source_dirs);
	vec_release(&c->binds);
	free(c->view);
	faults_release(&c->faults);
}

/* ---- keys ---- */

bool
config_binding(const char *value, struct binding *out, struct err *e)
{
	struct buf key = BUF_INIT;
	bool good = settings_word(&value, &key);
	*out = (struct binding){.action = ACTION_NONE};
	if (!good)
		err_usage(e, "which key?");
	else if (!key_parse(buf_str(&key), key.len, &out->key))
		good = err_usage(e, "no such key: '%s'", buf_str(&key));
	else if (*value && !(out->action = action_named(value)))
		good = err_usage(e, "no such action: '%s'", value);
	buf_release(&key);
	return good;
}

static bool
set_bind(void *ctx, const char *value, struct err *e)
{
	struct binding b;
	if (!config_binding(value, &b, e))
		return false;
	if (!b.action)
		return err_usage(e, "which action?");
	*vec_push(&((struct config *)ctx)->binds) = b;
	return true;
}

static bool
set_unbind(void *ctx, const char *value, struct err *e)
{
	struct binding b;
	if (!config_binding(value, &b, e))
		return false;
	if (b.action)
		return err_usage(e, "unbind takes one key");
	*vec_push(&((struct config *)ctx)->binds) = b;
	return true;
}

/* ---- colours ---- */

static bool
colour_number(const char *word, int16_t *out)
{
	static const char *const names[] = {"black",   "red",  "green", "yellow", "blue",
					    "magenta", "cyan", "white"};
	char *end;
	if (!strcmp(word, "-")) {
		*out = -1;
		return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], word)) {
			*out = (int16_t)i;
			return true;
		}
	long n = strtol(word, &end, 10);
	*out = (int16_t)n;
	return end != word && !*end && n >= 0 && n <= 255;
}

static bool
attribute(const char *word, uint8_t *out)
{
	static const struct {
		const char *name;
		enum style_attr attr;
	} all[] = {
		{"bold", STYLE_BOLD},
		{"dim", STYLE_DIM},
		{"underline", STYLE_UNDERLINE},
		{"reverse", STYLE_REVERSE},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, word)) {
			*out |= (uint8_t)all[i].attr;
			return true;
		}
	return false;
}

static bool
set_colour(void *ctx, const char *value, struct err *e)
{
	struct config *c = ctx;
	struct buf word = BUF_INIT;
	struct style style = {-1, -1, 0};
	enum ink ink = INK_TEXT;
	bool good = settings_word(&value, &word) && theme_ink(buf_str(&word), &ink);
	if (!good)
		err_usage(e, "no such ink: '%s'", buf_str(&word));
	for (int i = 0; good && settings_word(&value, &word); i++) {
		if (i < 2)
			good = colour_number(buf_str(&word),
					     i ? &style.bg : &style.fg) ||
			       err_usage(e, "no such colour: '%s'", buf_str(&word));
		else
			good = attribute(buf_str(&word), &style.attr) ||
			       err_usage(e, "no such attribute: '%s'", buf_str(&word));
	}
	if (good) {
		c->theme.style[ink] = style;
		c->theme.set[ink] = true;
	}
	buf_release(&word);
	return good;
}

bool
config_colours(const char *text, int *out)
{
	static const struct {
		const char *name;
		int colours;
	} choices[] = {
		{"never", 0}, {"auto", -1}, {"always", 256},
		{"8", 8},     {"16", 16},   {"256", 256},
	};
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (!strcmp(choices[i].name, text)) {
			*out = choices[i].colours;
			return true;
		}
	return false;
}

static bool
set_color(void *ctx, const char *value, struct err *e)
{
	if (config_colours(value, &((struct config *)ctx)->colours))
		return true;
	return err_usage(e, "color takes never, auto, always, 8, 16 or 256, not '%s'",
			 value);
}

static bool
set_theme(void *ctx, const char *value, struct err *e)
{
	if (theme_named(value, &((struct config *)ctx)->theme))
		return true;
	return err_usage(e, "theme takes auto, dark, light or colour-blind[-dark|-light], "
			    "not '%s'", value);
}

/* ---- the rest ---- */

static bool
set_columns(void *ctx, const char *value, struct err *e)
{
	struct config *c = ctx;
	struct buf word = BUF_INIT;
	uint64_t columns = 0;
	bool good = true;
	while (good && settings_word(&value, &word)) {
		const struct table_column *of =
			column_find(buf_str(&word), word.len, ROWS_FOLD);
		if (!of || !of->title)
			good = err_usage(e, "no such column: '%s'", buf_str(&word));
		else
			columns |= UINT64_C(1) << column_bit(of);
	}
	if (good)
		c->columns = columns;
	buf_release(&word);
	return good;
}

static bool
set_source_dir(void *ctx, const char *value, struct err *e)
{
	if (!strchr(value, '='))
		return err_usage(e, "source-dir takes FROM=TO, not '%s'", value);
	*vec_push(&((struct config *)ctx)->source_dirs) = mem_dup(value, strlen(value));
	return true;
}

static bool
config_set_view(void *ctx, const char *value, struct err *e)
{
	struct config *c = ctx;
	if (!view_named(value))
		return err_usage(e, "no such view: '%s'", value);
	free(c->view);
	c->view = mem_dup(value, strlen(value));
	return true;
}

static bool
config_set_colour_by(void *ctx, const char *value, struct err *e)
{
	return hue_read(value, &((struct config *)ctx)->colour_by, e);
}

static bool
set_by(void *ctx, const char *value, struct err *e)
{
	return granularity_read(value, &((struct config *)ctx)->by, e);
}

static bool
set_switch(const char *value, bool *out, struct err *e)
{
	*out = !strcmp(value, "on");
	return *out || !strcmp(value, "off") || err_usage(e, "on or off, not '%s'", value);
}

static bool
set_ascii(void *ctx, const char *value, struct err *e)
{
	return set_switch(value, &((struct config *)ctx)->ascii, e);
}

static bool
set_invert(void *ctx, const char *value, struct err *e)
{
	return set_switch(value, &((struct config *)ctx)->invert, e);
}

static bool
set_mouse(void *ctx, const char *value, struct err *e)
{
	bool on;
	if (!set_switch(value, &on, e))
		return false;
	((struct config *)ctx)->no_mouse = !on;
	return true;
}

/* "on", "off", or the size in MB from which on files have copies. */
static bool
set_cache(void *ctx, const char *value, struct err *e)
{
	struct config *c = ctx;
	char *end;
	bool on = !strcmp(value, "on");
	unsigned long megabytes = strtoul(value, &end, 10);

	if (*value >= '0' && *value <= '9' && !strcmp(end, "MB") && megabytes <= UINT32_MAX) {
		c->cache_bytes = megabytes ? (uint64_t)megabytes << 20 : 1;
		return true;
	}
	if (!on && strcmp(value, "off") != 0)
		return err_usage(e, "cache takes on, off, or a size such as 100MB, not '%s'",
				 value);
	c->cache_bytes = on ? CACHE_FROM : 0;
	return true;
}

static const struct settings_row rows[] = {
	{.word = "bind", .set = set_bind},
	{.word = "unbind", .set = set_unbind},
	{.word = "colour", .set = set_colour},
	{.word = "colour-by", .set = config_set_colour_by},
	{.word = "columns", .set = set_columns},
	{.word = "source-dir", .set = set_source_dir},
	{.word = "view", .set = config_set_view},
	{.word = "by", .set = set_by},
	{.word = "invert", .set = set_invert},
	{.word = "color", .set = set_color},
	{.word = "theme", .set = set_theme},
	{.word = "ascii", .set = set_ascii},
	{.word = "mouse", .set = set_mouse},
	{.word = "cache", .set = set_cache},
	{0},
};

void
config_read(struct config *c, const char *file, const char *text, size_t len)
{
	settings_read(file, text, len, rows, c, &c->faults);
}

/* Writes $XDG_CONFIG_HOME/pnav/pnavrc or ~/.config/pnav/pnavrc; nothing without a home folder. */
static void
config_path(struct buf *out)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (base && *base)
		buf_addf(out, "%s/pnav/pnavrc", base);
	else if (home && *home)
		buf_addf(out, "%s/.config/pnav/pnavrc", home);
}

void
config_load(struct config *c)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	struct err e;
	err_init(&e);
	config_path(&path);
	if (path.len && !access(buf_str(&path), F_OK)) {
		if (settings_load(buf_str(&path), &text, &e))
			config_read(c, buf_str(&path), buf_str(&text), text.len);
		else
			*vec_push(&c->faults.lines) = mem_dup(e.text, strlen(e.text));
	}
	buf_release(&path);
	buf_release(&text);
}
