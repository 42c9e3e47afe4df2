/* app_lines.c - the lines around the view: the state of the lens, and the hints.
 *
 * Each line fits the width that it gets and drops the least important parts: the header drops facts
 * about the file before the metric.  The hints are in app_hints.c. */
#include "ui/app/app_lines.h"

#include <string.h>

#include "model/base/chars.h"
#include "model/base/escape.h"
#include "model/profile/human.h"
#include "ui/part/compare.h"
#include "ui/part/show.h"
#include "ui/screen/shorten.h"
#include "ui/screen/text.h"

/* ---- the header ---- */

static void
write_processes(const struct profile *p, struct buf *out)
{
	if (p->n_processes < 2)
		return;
	human_count(out, p->n_processes);
	buf_adds(out, " processes · ");
}

/* Writes "3 threads", or "3 tracks" if they are of different kinds, and the number of processes; "3
 * of 90 threads" if the others were only recorded beside the command.
 * Processes come first if most of them have one thread, such as the shells that start a script. */
static void
app_write_tracks(const struct profile *p, const struct lens *l, struct buf *out)
{
	uint32_t outside = lens_has_tracks(l) ? 0 : profile_tracks_outside(p);
	bool same = true, processes = p->n_tracks < 2 * (uint64_t)p->n_processes, named = false;
	/* stacks of a file without threads are on one track, which has the file's name alone */
	for (uint32_t i = 0; i < p->n_tracks && !named; i++)
		named = profile_own_name(p, p->track[i].group, p->track[i].name).len != 0;
	if (p->n_tracks < 2 || !named)
		return;
	for (uint32_t i = 1; i < p->n_tracks; i++)
		same &= p->track[i].kind == p->track[0].kind;
	if (processes && !outside)
		write_processes(p, out);
	if (outside) {
		human_count(out, p->n_tracks - outside);
		buf_adds(out, " of ");
	}
	human_count(out, p->n_tracks);
	if (same && p->track[0].kind != TRACK_MARKS)
		buf_addf(out, " %ss · ",
			 track_kind_name((enum track_kind)p->track[0].kind));
	else
		buf_adds(out, " tracks · ");
	if (!processes && !outside)
		write_processes(p, out);
}

static void
write_facts(const struct app *a, struct buf *out)
{
	const struct profile *p = a->scene.p;
	/* as long as the axes are; while they stay, what is read */
	bool shown = a->scene.folds && !a->load.paused;
	int64_t run = shown ? a->look.fold->run : lens_run(p);
	if (a->facts.format)
		buf_addf(out, "%s · ", a->facts.format);
	/* the header shows damage at once; the view info gives its place and kind */
	if (a->facts.done && err_is_set(&p->damage))
		buf_adds(out, "damaged · ");
	else if (a->facts.done && !p->complete)
		buf_adds(out, "incomplete · ");
	if (a->load.state.cut)
		buf_adds(out, "earlier data let go · ");
	if (run > 0) {
		human_time(out, run, show_axis(&a->scene));
		buf_adds(out, show_axis(&a->scene) == UNIT_NS ? " · " : " steps · ");
	}
	app_write_tracks(p, &a->look.now.lens, out);
	human_count(out, (int64_t)p->events);
	buf_adds(out, p->events == 1 ? " event" : " events");
}

/* Keeps as many whole facts as fit. */
static void
drop_facts(struct buf *facts, int cols)
{
	static const char between[] = " · ";
	while (facts->len && text_cols(facts->at) > cols) {
		char *last = NULL;
		for (char *s = strstr(facts->at, between); s; s = strstr(s + 1, between))
			last = s;
		facts->len = last ? (size_t)(last - facts->at) : 0;
		facts->at[facts->len] = '\0';
	}
}

/* Writes "why: main, 1.204 s … 1.893 s": the thread of a path, and the range. */
static void
write_path(const struct app *a, struct buf *out)
{
	const char *thread = pattern_text(a->look.now.lens.why);
	int64_t from, to, end = a->scrubber.duration;
	buf_adds(out, "   why: ");
	thread += *thread == '=';
	escape_shown(out, thread, strlen(thread), false);
	if (a->look.fold->whole || !a->look.seen.lens.why)
		return;
	show_range(&a->scene, &from, &to);
	buf_adds(out, ", ");
	show_time(&a->scene, from, out);
	buf_adds(out, " … ");
	show_time(&a->scene, to < end ? to : end, out);
}

static void
write_lens(const struct app *a, struct buf *out)
{
	const struct fold *f = a->look.fold;
	const struct lens *awaited = app_look_awaited(a);
	enum granularity by = awaited ? awaited->by : f->tree->by;
	if (a->load.paused || a->load.held)
		buf_adds(out, "PAUSED   ");
	else if (a->load.state.live)
		buf_adds(out, "LIVE   ");
	if (f->metric != METRIC_NONE) {
		buf_adds(out, "metric: ");
		profile_show_name(a->scene.p, a->scene.p->metric[f->metric].name, out);
	}
	/* a narrow screen omits the default */
	if (a->canvas.w >= 100 || by != BY_FUNCTION)
		buf_addf(out, "   by: %s", granularity_name(by));
	if (a->look.now.lens.why)
		write_path(a, out);
	if (awaited ? awaited->invert : f->tree->inverted)
		buf_adds(out, "   inverted");
	if (f->tree->depth_cut && !awaited)
		buf_addf(out, ", %u levels", f->tree->depth_cut);
	if (app_look_is_late(a) || f->partial)
		buf_adds(out, ", working…");
	else if (awaited)
		buf_adds(out, " …");
}

/* A click from this word of a text on, up to the next three blanks, does the action. */
static void
link_word(struct canvas *c, struct area at, const struct buf *text, const char *word,
	  enum action action)
{
	const char *found = strstr(buf_str(text), word);
	if (!found)
		return;
	struct buf before = BUF_INIT;
	buf_add(&before, text->at, (size_t)(found - text->at));
	int from = text_cols(buf_str(&before));
	const char *end = strstr(found, "   ");
	buf_add(&before, found, end ? (size_t)(end - found) : strlen(found));
	int to = text_cols(buf_str(&before));
	canvas_link(c, (struct area){at.y, at.x + from, 1, to - from}, action);
	buf_release(&before);
}

/* Writes the names of the files; in a comparison with an arrow after the base. */
static void
app_write_files(const struct app *a, struct buf *out)
{
	const struct app_config *config = a->config;

	if (config->names)
		escape_shown(out, config->common, strlen(config->common), false);
	for (size_t i = 0; i < config->n_files; i++) {
		const char *file = config->names ? config->names[i] : base_name(config->files[i]);
		if (profile_missed(a->look.loaded, config->files[i]))
			continue;
		if (!strcmp(file, "-"))
			file = "standard input";
		if (out->len)
			buf_adds(out, config->command && i && i == config->n_base ? " → " : " ");
		escape_shown(out, file, strlen(file), false);
	}
}

void
app_draw_header(const struct app *a, struct canvas *c)
{
	int w = c->w, y = a->at.header.y;
	struct buf right = BUF_INIT, name = BUF_INIT, facts = BUF_INIT;
	write_lens(a, &right);
	app_write_files(a, &name);
	write_facts(a, &facts);
	canvas_fill(c, (struct area){y, 0, 1, w}, INK_HEADER, ' ');
	int right_cols = text_cols(buf_str(&right));
	int room = w - right_cols - 2;
	int x = canvas_text(c, y, 1, room - 1, INK_HEADER_NAME, "pnav  ");
	int name_cols = text_cols(buf_str(&name));
	if (name_cols > room - x - 2)
		name_cols = room - x - 2;
	canvas_fit(c, y, 1 + x, name_cols, INK_HEADER_NAME, buf_str(&name));
	x += 1 + name_cols + 3;
	drop_facts(&facts, room - x);
	canvas_text(c, y, x, room - x, INK_HEADER, buf_str(&facts));
	canvas_text(c, y, w - right_cols - 1, right_cols, INK_HEADER, buf_str(&right));
	link_word(c, (struct area){y, w - right_cols - 1, 1, right_cols}, &right, "metric:",
		  ACTION_METRIC);
	link_word(c, (struct area){y, w - right_cols - 1, 1, right_cols}, &right, "by:",
		  ACTION_BY);
	link_word(c, (struct area){y, w - right_cols - 1, 1, right_cols}, &right, "inverted",
		  ACTION_INVERT);
	buf_release(&right);
	buf_release(&name);
	buf_release(&facts);
}

/* ---- the range and the filters ---- */

/* Writes "last 10 s: " for a range that slides with the data read. */
static void
write_window(const struct lens *l, const struct scene *s, struct buf *out)
{
	if (!l->from.back || l->to.kind != MOMENT_OPEN)
		return;
	buf_adds(out, "last ");
	if (l->from.kind == MOMENT_PERCENT)
		buf_addf(out, "%.6g %%", (double)l->from.value / 1e7);
	else
		show_time(s, l->from.value, out);
	buf_adds(out, ": ");
}

static void
app_write_range(const struct app *a, struct buf *out)
{
	const struct fold *f = a->look.fold;
	int64_t whole = a->scrubber.duration; /* when folded: more is held later */
	if (f->whole && f->compares && !a->look.now.comparing)
		return; /* the two names suffice */
	if (whole <= 0) {
		buf_adds(out, show_no_times(a->scene.p));
		return;
	}
	if (f->whole) {
		buf_adds(out, "whole run");
		return;
	}
	int64_t from, to;
	write_window(&a->look.seen.lens, &a->scene, out);
	show_range(&a->scene, &from, &to);
	if (from > whole) {
		show_time(&a->scene, from, out);
		buf_adds(out, " is beyond the end of the run, ");
		show_time(&a->scene, whole, out);
		return;
	}
	if (to > whole)
		to = whole; /* an open end: the end of the run */
	if (to < from)
		to = from;
	show_time(&a->scene, from, out);
	buf_adds(out, " … ");
	show_time(&a->scene, to, out);
	if (f->compares)
		return; /* the base of the comparison matters more */
	buf_adds(out, " (");
	show_time(&a->scene, to - from, out);
	buf_adds(out, ", ");
	human_share(out, to - from, whole);
	buf_addc(out, ')');
}

static void
write_entry(const struct entry *e, struct buf *out)
{
	const char *text = pattern_text(e->pattern);
	if (e->off)
		buf_addc(out, '~');
	buf_adds(out, verb_rows[e->verb].sign);
	escape_shown(out, text, strlen(text), false);
}

static void
write_filters(const struct app *a, struct buf *out)
{
	const struct lens *awaited = app_look_awaited(a);
	const struct lens *l = awaited ? awaited : &a->look.seen.lens;
	if (!l->entries.n)
		return;
	buf_adds(out, "filters:");
	for (size_t i = 0; i < l->entries.n; i++) {
		buf_adds(out, "  ");
		write_entry(&l->entries.at[i], out);
	}
	if (awaited) {
		buf_adds(out, "  …");
	} else if (a->look.seen.recorded > 0) {
		buf_adds(out, "  leave ");
		human_share(out, a->look.fold->now.total[NODE_ROOT], a->look.seen.recorded);
	}
}

static void
write_search(const struct app *a, struct buf *out)
{
	const struct search *s = &a->search;
	if (!s->pattern)
		return;
	const char *text = pattern_text(s->pattern);
	buf_addc(out, '/');
	escape_shown(out, text, strlen(text), false);
	if (s->due) {
		buf_adds(out, " …");
		return;
	}
	if (!s->keys) {
		buf_adds(out, a->open.view->finds_more ? " no frame" : " none");
		return;
	}
	buf_adds(out, "  ");
	human_count(out, s->keys);
	buf_adds(out, s->keys == 1 ? " match" : " matches");
	if (a->look.fold->now.everything > 0) {
		buf_adds(out, ", ");
		human_share(out, s->value, a->look.fold->now.everything);
	}
}

/* Writes "~ 7 hidden" where a key can show them. */
static void
write_hidden(const struct app *a, struct buf *out)
{
	const struct view_ops *v = a->open.view;
	const void *state = app_shown_state(a);
	uint32_t key = keymap_key_in(&a->keys, ACTION_SURE_ONLY, v->scope, false);
	if (!a->scene.sure_only || !a->look.fold->compares || !v->omitted_rows || !state)
		return;
	uint64_t n = v->omitted_rows(state, &a->scene);
	if (key) {
		key_write(key, out);
		buf_addc(out, ' ');
	}
	if (n)
		human_count(out, (int64_t)n);
	buf_adds(out, n ? " hidden" : "nothing hidden");
}

#define MAY_BE_CHANCE "~ may be chance"

/* True if the mark ~ may be on the screen. */
static bool
has_unsure(const struct app *a)
{
	return a->look.fold->compares && a->open.view->omitted_rows && !a->scene.sure_only &&
	       a->look.fold->changes.n_chance;
}

void
app_draw_range(const struct app *a, struct canvas *c)
{
	int y = a->at.range.y, w = c->w;
	struct buf text = BUF_INIT;
	write_search(a, &text);
	int hits = text_cols(buf_str(&text));
	if (hits > w / 2)
		hits = w / 2;
	if (hits)
		canvas_fit(c, y, w - hits - 1, hits, INK_HIT, buf_str(&text));
	int room = w - hits - 3;
	buf_reset(&text);
	app_write_range(a, &text);
	scrubber_say(&a->scrubber, &a->scene, &text);
	int x = 1 + canvas_text(c, y, 1, room, INK_RANGE, buf_str(&text));
	if (lens_run(a->scene.p) > 0)
		canvas_link(c, (struct area){y, 1, 1, x - 1}, ACTION_FOCUS);
	buf_reset(&text);
	write_hidden(a, &text);
	if (text.len && room - x - 3 > 0) {
		x += x > 1 ? 3 : 0;
		x += canvas_text(c, y, x, room - x, INK_STRONG, buf_str(&text));
	}
	buf_reset(&text);
	compare_say(&a->scene, a->look.now.comparing ? &a->look.now.base : NULL,
		    a->config->names && a->config->n_base == 1 ? a->config->names[0] : NULL, &text);
	if (text.len && room - x - 3 > 0) {
		int cols = text_cols(buf_str(&text));
		x += x > 1 ? 3 : 0;
		cols = cols < room - x ? cols : room - x;
		canvas_fit(c, y, x, cols, INK_KEY, buf_str(&text));
		x += cols;
	}
	buf_reset(&text);
	write_filters(a, &text);
	if (text.len && room - x - 3 > 0) {
		canvas_fit(c, y, x + 3, room - x - 3, INK_FILTER, buf_str(&text));
		canvas_link(c, (struct area){y, x + 3, 1, room - x - 3}, ACTION_FILTERS);
	} else if (has_unsure(a) && room - x - 3 >= (int)strlen(MAY_BE_CHANCE))
		canvas_text(c, y, w - hits - 1 - (int)strlen(MAY_BE_CHANCE), c->w, INK_DIM,
			    MAY_BE_CHANCE);
	buf_release(&text);
}

/* ---- the selection ---- */

/* The parts after the name; the last ones are dropped first if there is no room. */
struct app_parts {
	struct buf text[4];
	size_t n;
};

static struct buf *
app_part(struct app_parts *p, const char *what)
{
	struct buf *out = &p->text[p->n++];
	buf_addf(out, "   %s", what);
	return out;
}

static void
add_change(const struct scene *s, const char *what, struct sides x, struct app_parts *p)
{
	struct buf *out = app_part(p, what);
	buf_addc(out, ' ');
	show_exact(s, x.now, out);
	buf_adds(out, ", was ");
	show_exact(s, x.base, out);
	buf_addc(out, ' ');
	compare_share(x, out);
}

static void
add_number(const struct scene *s, const char *what, int64_t value, struct app_parts *p)
{
	struct buf *out = app_part(p, what);
	buf_addc(out, ' ');
	show_value(s, value, out);
	buf_addc(out, ' ');
	human_share(out, value, s->fold->now.everything);
}

static bool
is_shown_above(const struct app *a, const char *column)
{
	const struct view_ops *v = a->open.view;
	return v->shows_column && v->shows_column(app_shown_state(a), &a->scene, column);
}

/* Returns false for rows that have numbers, but none of a base, as those of lines. */
static bool
has_base(const struct row *r)
{
	bool exact = r->exact_self.now != 0 || r->exact_self.base != 0 ||
		     r->exact_total.now != 0 || r->exact_total.base != 0;

	return exact || (!r->self && !r->total);
}

static void
app_add_numbers(const struct app *a, const struct row *r, struct app_parts *p)
{
	const struct scene *s = &a->scene;
	if (s->nav->away) { /* the range has no events of it */
		app_part(p, s->fold->whole ? "not among what is shown" : "not in this range");
		return;
	}
	if (s->fold->compares && has_base(r)) {
		add_change(s, "self", r->exact_self, p);
		add_change(s, "total", r->exact_total, p);
		return;
	}
	if (!is_shown_above(a, "self"))
		add_number(s, "self", r->self, p);
	if (!is_shown_above(a, "total"))
		add_number(s, "total", r->total, p);
	if (r->calls > 0 && r->key != KEY_NONE && !is_shown_above(a, "calls"))
		human_count(app_part(p, "calls "), r->calls);
	if (r->key != KEY_NONE && show_kind(s, r->key) != KIND_USER && !is_shown_above(a, "kind"))
		app_part(p, kind_name(show_kind(s, r->key)));
}

static int
parts_cols(const struct app_parts *p)
{
	int cols = 0;
	for (size_t i = 0; i < p->n; i++)
		cols += text_cols(buf_str(&p->text[i]));
	return cols;
}

/* The name gets the room that the numbers leave.  Numbers are dropped until the name has a third of
 * the line; the place appears only if the name still has that third. */
static void
draw_parts(struct canvas *c, int y, struct app_parts *p, const struct buf *place,
	   const struct buf *before, const struct buf *name)
{
	struct buf shown = BUF_INIT;
	int w = c->w, ahead = text_cols(buf_str(before)), least = w / 3 > 16 ? w / 3 : 16;
	int name_cols = ahead + text_cols(buf_str(name)), place_cols = text_cols(buf_str(place));
	least = name_cols < least ? name_cols : least;
	while (p->n && least + parts_cols(p) > w - 1)
		buf_release(&p->text[--p->n]);
	int room = w - 1 - parts_cols(p);
	if (place_cols + 3 + least > room)
		place_cols = 0;
	room -= place_cols ? place_cols + 3 : 0;
	name_cols = name_cols < room ? name_cols : room;
	buf_adds(&shown, buf_str(before));
	shorten_name(buf_str(name), name_cols - ahead > 0 ? name_cols - ahead : 0, &shown);
	canvas_fit(c, y, 1, name_cols, INK_STRONG, buf_str(&shown));
	int x = 1 + text_cols(buf_str(&shown));
	x = x > 1 + name_cols ? 1 + name_cols : x;
	for (size_t i = 0; i < p->n; i++)
		x += canvas_text(c, y, x, w - x, INK_TEXT, buf_str(&p->text[i]));
	if (place_cols)
		canvas_text(c, y, x + 3, place_cols, INK_TEXT, buf_str(place));
	buf_release(&shown);
}

void
app_draw_details(const struct app *a, struct canvas *c)
{
	const struct scene *s = &a->scene;
	struct row row;
	struct buf before = BUF_INIT, name = BUF_INIT, place = BUF_INIT;
	struct app_parts parts = {0};
	void *state = app_shown_state(a);
	if (!state || (!a->open.view->describe(state, s, &row) && !s->nav->away))
		return;
	if (s->nav->away)
		row = (struct row){.key = s->nav->key};
	app_add_numbers(a, &row, &parts);
	if (!a->open.view->caption || !a->open.view->caption(state, s, &before, &name)) {
		show_key(s, row.key, &name);
		show_place(s, row.key, &place);
	}
	if (!place.len)
		show_module(s, row.key, &place);
	draw_parts(c, a->at.details.y, &parts, &place, &before, &name);
	canvas_late(c, a->at.details, 0);
	for (size_t i = 0; i < parts.n; i++)
		buf_release(&parts.text[i]);
	buf_release(&before);
	buf_release(&name);
	buf_release(&place);
}

/* ---- loading ---- */

void
app_draw_progress(const struct app *a, struct canvas *c)
{
	const struct app_state *st = &a->load.state;
	struct buf text = BUF_INIT;
	double seconds = (double)st->elapsed_ns / 1e9;
	int y = a->at.progress.y, bar = 20;
	if (!a->at.progress.h)
		return;
	if (st->live && st->bytes < 100000)
		buf_addf(&text, "read so far: %.1f kB", (double)st->bytes / 1e3);
	else
		buf_addf(&text, st->live ? "read so far: %.1f MB" : "loading %.1f MB",
			 (double)st->bytes / 1e6);
	if (st->size)
		buf_addf(&text, " of %.1f MB", (double)st->size / 1e6);
	int x = 1 + canvas_text(c, y, 1, c->w - 1, INK_PROGRESS, buf_str(&text)) + 1;
	if (st->size && c->w - x > bar + 30) {
		canvas_char(c, y, x, INK_PROGRESS, 0x2595);
		canvas_bar(c, y, x + 1, bar, INK_PROGRESS, (int64_t)st->bytes,
			   (int64_t)st->size);
		canvas_char(c, y, x + 1 + bar, INK_PROGRESS, 0x258F);
		x += bar + 3;
	}
	buf_reset(&text);
	if (seconds > 0 && !st->live)
		buf_addf(&text, "%.3g MB/s · ", (double)st->bytes / 1e6 / seconds);
	human_count(&text, (int64_t)a->scene.p->events);
	buf_adds(&text, " events · ");
	human_count(&text, a->scene.p->frames.n_functions);
	buf_adds(&text, " functions   Esc stops");
	canvas_fit(c, y, x, c->w - x, INK_PROGRESS, buf_str(&text));
	buf_release(&text);
}
