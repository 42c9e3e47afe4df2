/* script.c - see script.h.
 *
 * The browser runs here as in a terminal: it asks this back end for events and shows it canvases. A
 * script is checked completely before the first key is played, so a typing error gives a message
 * and not a wrong picture.
 *
 * While a key is read, `shown` holds the canvas of the previous step.  The application draws once
 * for keys that arrive together, so a snapshot has to wait until all earlier keys are drawn.  A
 * step that is a snapshot therefore answers one read with "nothing", which makes the application
 * draw. */
#include "ui/screen/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"
#include "ui/screen/ansi.h"
#include "ui/screen/keycode.h"

enum step_kind { STEP_EVENT, STEP_SNAPSHOT };

struct step {
	enum step_kind kind;
	struct event_in event;
	char *text; /* target of event.text */
};

struct script {
	struct screen screen;
	VEC(struct step) steps;
	size_t next;
	bool settled; /* the screen was shown after the last event */
	int w, h, colours;
	const struct theme *theme;
	bool ansi;
	struct canvas shown;
	struct buf *out;
};

static bool
parse_pair(const char *text, char between, int *a, int *b)
{
	char *end;
	long first = strtol(text, &end, 10);
	if (end == text || *end != between)
		return false;
	text = end + 1;
	long second = strtol(text, &end, 10);
	if (end == text || *end || first < 0 || second < 0 || first > 9999 ||
	    second > 9999)
		return false;
	*a = (int)first;
	*b = (int)second;
	return true;
}

static bool
parse_word(const char *word, size_t len, struct step *s)
{
	char *copy = mem_dup(word, len);
	bool good = true;
	*s = (struct step){.kind = STEP_EVENT};
	if (!strcmp(copy, "Snapshot")) {
		s->kind = STEP_SNAPSHOT;
	} else if (!strncmp(copy, "Resize:", 7)) {
		s->event.kind = EVENT_RESIZE;
		good = parse_pair(copy + 7, 'x', &s->event.w, &s->event.h) &&
		       s->event.w && s->event.h;
	} else if (!strncmp(copy, "Click:", 6)) {
		s->event.kind = EVENT_CLICK;
		good = parse_pair(copy + 6, ',', &s->event.x, &s->event.y);
	} else if (!strncmp(copy, "Drag:", 5)) {
		s->event.kind = EVENT_DRAG;
		good = parse_pair(copy + 5, ',', &s->event.x, &s->event.y);
	} else if (!strncmp(copy, "Hover:", 6)) {
		s->event.kind = EVENT_HOVER;
		good = parse_pair(copy + 6, ',', &s->event.x, &s->event.y);
	} else if (!strncmp(copy, "Wheel:", 6) || !strncmp(copy, "Zoom:", 5)) {
		s->event.kind = EVENT_WHEEL; /* turned up; `zoom`: with Ctrl */
		s->event.key = KEYCODE_UP;
		s->event.ctrl = copy[0] == 'Z';
		good = parse_pair(strchr(copy, ':') + 1, ',', &s->event.x, &s->event.y);
	} else if (!strncmp(copy, "Click2:", 7)) {
		s->event.kind = EVENT_CLICK;
		s->event.twice = true;
		good = parse_pair(copy + 7, ',', &s->event.x, &s->event.y);
	} else {
		s->event.kind = EVENT_KEY;
		good = key_parse(word, len, &s->event.key);
	}
	free(copy);
	return good;
}

static bool
parse(struct script *sc, const char *keys, struct err *e)
{
	const char *at = keys, *word;
	size_t len;
	bool typed;
	while (key_script_word(&at, &word, &len, &typed)) {
		struct step s = {.kind = STEP_EVENT};
		if (!word)
			return err_usage(e, "key script: the quote at %zu is not closed",
					 (size_t)(at - keys) + 1);
		if (typed) {
			s.text = mem_dup(word, len);
			s.event = (struct event_in){.kind = EVENT_TEXT, .text = s.text};
		} else if (!parse_word(word, len, &s)) {
			return err_usage(e, "key script: no such key '%.*s' at %zu",
					 (int)len, word, (size_t)(word - keys) + 1);
		}
		*vec_push(&sc->steps) = s;
	}
	return true;
}

static void
snapshot(struct script *sc)
{
	if (!sc->shown.cell)
		return;
	if (sc->ansi)
		ansi_write(&sc->shown, sc->theme, sc->colours, sc->out);
	else
		canvas_write(&sc->shown, sc->out);
}

static void
script_size(struct screen *s, int *w, int *h)
{
	struct script *sc = (struct script *)s;
	*w = sc->w;
	*h = sc->h;
}

static void
script_show(struct screen *s, const struct canvas *c)
{
	struct script *sc = (struct script *)s;
	if (sc->shown.w != c->w || sc->shown.h != c->h || !sc->shown.cell) {
		canvas_release(&sc->shown);
		canvas_init(&sc->shown, c->w, c->h, c->ascii);
	}
	memcpy(sc->shown.cell, c->cell, (size_t)c->w * (size_t)c->h * sizeof *c->cell);
	sc->settled = true;
}

static struct event_in
script_read(struct screen *s, int timeout_ms)
{
	struct script *sc = (struct script *)s;
	(void)timeout_ms;
	for (;;) {
		bool end = sc->next == sc->steps.n;
		bool snap = !end && sc->steps.at[sc->next].kind == STEP_SNAPSHOT;
		if ((end || snap) && !sc->settled)
			return (struct event_in){.kind = EVENT_NONE};
		if (end)
			return (struct event_in){.kind = EVENT_END};
		struct step *step = &sc->steps.at[sc->next++];
		if (snap) {
			snapshot(sc);
			buf_addc(sc->out, '\f');
			buf_addc(sc->out, '\n');
			continue;
		}
		sc->settled = false;
		if (step->event.kind == EVENT_RESIZE) {
			sc->w = step->event.w;
			sc->h = step->event.h;
		}
		return step->event;
	}
}

/* A script has a clipboard, but nothing reads it. */
static bool
script_copy(struct screen *s, const char *text, size_t len)
{
	(void)s;
	(void)text;
	(void)len;
	return true;
}

static void
script_close(struct screen *s)
{
	struct script *sc = (struct script *)s;
	snapshot(sc);
	for (size_t i = 0; i < sc->steps.n; i++)
		free(sc->steps.at[i].text);
	vec_release(&sc->steps);
	canvas_release(&sc->shown);
	free(sc);
}

static const struct screen_ops script_ops = {
	.size = script_size,
	.show = script_show,
	.read = script_read,
	.copy = script_copy,
	.close = script_close,
};

struct screen *
script_new(const struct script_options *o, struct buf *out, struct err *e)
{
	struct script *sc = mem_zalloc(1, sizeof *sc);
	sc->screen =
		(struct screen){.ops = &script_ops, .ascii = o->ascii, .scripted = true};
	sc->w = o->w;
	sc->h = o->h;
	sc->ansi = o->ansi;
	sc->colours = o->colours;
	sc->theme = o->theme;
	sc->out = out;
	if (o->keys && !parse(sc, o->keys, e)) {
		script_close(&sc->screen);
		return NULL;
	}
	return &sc->screen;
}
