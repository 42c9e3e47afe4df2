/* inspections.c - see inspections.h.
 *
 * The manual is the source of the guide: playing, listing and testing read the section of the
 * page that people read, since a second text would soon differ. The module is part of the model
 * because the browser and `pnav report` need it, which must not include each other, and because
 * it is pure: text becomes a list, a profile becomes a set of bits.
 *
 * Rejected: questions as tables in C, from which the page is made (the build would write the
 * manual, and prose in C strings is hard to edit). Also the formatter of ui/part/mdoc.c, which
 * knows columns but not the meaning of a line. Here a line of the page is parsed for its
 * meaning, and its prose loses its markup. */
#include "model/table/inspections.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/fold/foldusage.h"
#include "model/profile/profile.h"

#define RANGES_LEAST 10 /* units of the axis, of a run in which ranges can be chosen */

static const struct {
	const char *word, *lack;
} needs[] = {
#define NEED_ROW(id, word, lack) [NEED_PLACE_##id] = {word, lack},
	NEEDS(NEED_ROW)
#undef NEED_ROW
};

static const char *const effects[] = {
#define EFFECT_ROW_OF(id, word) [EFFECT_##id] = word,
	EFFECTS(EFFECT_ROW_OF)
#undef EFFECT_ROW_OF
};

/* ---- words of a line ---- */

/* The destination of what is being read. */
struct inspections_reader {
	struct inspections *all;
	struct inspection *now; /* NULL before the first question */
	struct buf *prose;      /* of the open paragraph or item; NULL: ignored */
	struct buf text;
	char **into; /* receives the prose */
	bool inside; /* inside the section */
	bool views;  /* the item lists views */
	bool step;   /* the item is a step, the last one */
	unsigned line;
	struct err *e;
};

/* Reads the next word, with escapes resolved; quotes keep blanks together. */
static bool
inspections_next_word(const char **at, const char *end, struct buf *out)
{
	buf_reset(out);
	while (*at < end && **at == ' ')
		++*at;
	if (*at == end)
		return false;
	char close = **at == '"' ? '"' : ' ';
	*at += close == '"';
	for (; *at < end && **at != close; ++*at) {
		if (**at != '\\' || *at + 1 == end) {
			buf_addc(out, **at);
			continue;
		}
		++*at;
		if (**at == 'e')
			buf_addc(out, '\\');
		else if (**at == '-' || **at == ' ')
			buf_addc(out, **at);
		else if (end - *at >= 3 && !strncmp(*at, "(aq", 3))
			buf_addc(out, '\'');
		if (**at == '(')
			*at += end - *at >= 3 ? 2 : end - *at - 1;
	}
	*at += *at < end && close == '"';
	return true;
}

/* Returns true for macros that only format their words. */
static bool
is_look(const char *word)
{
	static const char names[] = " Ar Cm Em Fl Fn Ic Li Nm No Ns Pq Ql Sx Sy ";
	char name[8];
	if (strlen(word) != 2)
		return false;
	name[0] = name[3] = ' ';
	memcpy(name + 1, word, 2);
	name[4] = '\0';
	return strstr(names, name) != NULL;
}

static bool
closes(const char *word)
{
	return strlen(word) == 1 && strchr(".,:;)?!", *word);
}

static void
add_prose(struct buf *out, const char *word)
{
	if (out->len && !closes(word))
		buf_addc(out, ' ');
	buf_adds(out, word);
}

/* ---- prose ---- */

/* `.Ql [3 functions] ,`: words that the screen shows; `.Sq live :`: any others in quotes. */
static void
inspections_quoted(struct inspections_reader *r, bool shows, const char *at, const char *end)
{
	struct buf word = BUF_INIT, words = BUF_INIT, after = BUF_INIT;
	while (inspections_next_word(&at, end, &word)) {
		const char *rest = at;
		while (rest < end && *rest == ' ')
			rest++;
		if (rest == end && words.len && closes(buf_str(&word)))
			buf_adds(&after, buf_str(&word));
		else
			buf_addf(&words, "%s%s", words.len ? " " : "", buf_str(&word));
	}
	if (shows && r->step) {
		struct inspection_step *s = &r->now->steps.at[r->now->steps.n - 1];
		*vec_push(&s->shows) = mem_dup(buf_str(&words), words.len);
	}
	buf_addf(r->prose, "%s'%s'%s", r->prose->len ? " " : "", buf_str(&words),
		 buf_str(&after));
	buf_release(&word);
	buf_release(&words);
	buf_release(&after);
}

/* `.Bq view flame , total less`: what the step changes. */
static bool
read_effects(struct inspections_reader *r, const char *at, const char *end)
{
	struct inspection_step *s = &r->now->steps.at[r->now->steps.n - 1];
	struct buf word = BUF_INIT, value = BUF_INIT;
	bool good = true;
	while (good && inspections_next_word(&at, end, &word)) {
		int what = 0;
		if (closes(buf_str(&word)))
			continue;
		while (what < EFFECT_COUNT && strcmp(effects[what], buf_str(&word)))
			what++;
		good = what < EFFECT_COUNT && inspections_next_word(&at, end, &value);
		if (good)
			*vec_push(&s->effects) = (struct inspection_effect){
				(enum effect)what, mem_dup(buf_str(&value), value.len)};
		else
			err_usage(r->e, "line %u: a step changes no '%s'", r->line,
				  buf_str(&word));
	}
	buf_release(&word);
	buf_release(&value);
	return good;
}

static void
prose_line(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf word = BUF_INIT;
	bool macro = *at == '.', cm = false;
	at += macro;
	bool shows = macro && end - at > 3 && !strncmp(at, "Ql ", 3);
	if (shows || (macro && end - at > 3 && !strncmp(at, "Sq ", 3))) {
		inspections_quoted(r, shows, at + 3, end);
	} else {
		while (inspections_next_word(&at, end, &word)) {
			if (macro && is_look(buf_str(&word))) {
				cm = !strcmp(buf_str(&word), "Cm");
				continue;
			}
			if (r->views && cm && !closes(buf_str(&word)))
				*vec_push(&r->now->views) = mem_dup(buf_str(&word), word.len);
			add_prose(r->prose, buf_str(&word));
		}
	}
	buf_release(&word);
}

/* Stores the collected prose in its destination. */
static void
end_prose(struct inspections_reader *r)
{
	if (r->into) {
		free(*r->into);
		*r->into = mem_dup(buf_str(&r->text), r->text.len);
	}
	buf_reset(&r->text);
	r->into = NULL;
	r->prose = NULL;
	r->views = r->step = false;
}

static void
begin_prose(struct inspections_reader *r, char **into)
{
	end_prose(r);
	r->into = into;
	r->prose = &r->text;
}

/* ---- items ---- */

static bool
read_need(struct inspections_reader *r, const char *word, unsigned *bits)
{
	for (size_t i = 0; i < NEED_PLACES; i++)
		if (!strcmp(needs[i].word, word)) {
			*bits |= 1u << i;
			return true;
		}
	return err_usage(r->e, "line %u: a question needs no '%s'", r->line, word);
}

/* `Cm hot Pq stacks time`, after the first macro: name and needs. */
static bool
read_name(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf word = BUF_INIT;
	bool good = inspections_next_word(&at, end, &word);
	free(r->now->name);
	r->now->name = mem_dup(buf_str(&word), word.len);
	while (good && inspections_next_word(&at, end, &word))
		good = !strcmp(buf_str(&word), "Pq") ||
		       read_need(r, buf_str(&word), &r->now->needs);
	begin_prose(r, NULL);
	r->views = true;
	buf_release(&word);
	return good;
}

/* `Ic / Ar name Pq lines`: keys, the reader's choice, needs of the step. */
static bool
read_step(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf word = BUF_INIT, keys = BUF_INIT, choice = BUF_INIT;
	struct buf *to = &keys;
	bool good = true;
	struct inspection_step *s = vec_push(&r->now->steps);
	*s = (struct inspection_step){0};
	while (good && inspections_next_word(&at, end, &word)) {
		if (!strcmp(buf_str(&word), "Ar"))
			to = &choice;
		else if (!strcmp(buf_str(&word), "Pq"))
			to = NULL;
		else if (to)
			buf_addf(to, "%s%s", to->len ? " " : "", buf_str(&word));
		else
			good = read_need(r, buf_str(&word), &s->needs);
	}
	s->keys = mem_dup(buf_str(&keys), keys.len);
	s->choice = choice.len ? mem_dup(buf_str(&choice), choice.len) : NULL;
	begin_prose(r, &s->text);
	r->step = true;
	buf_release(&word);
	buf_release(&keys);
	buf_release(&choice);
	return good;
}

/* `pnav Cm report Fl -limit Cm 5 Ar file`: the words after `pnav report`. */
static void
read_command(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf word = BUF_INIT, text = BUF_INIT;
	bool blank = false, option = false;
	unsigned n = 0;
	while (inspections_next_word(&at, end, &word)) {
		if (is_look(buf_str(&word))) {
			blank = !strcmp(buf_str(&word), "Ar");
			option = !strcmp(buf_str(&word), "Fl");
			continue;
		}
		buf_reset(&text);
		buf_addf(&text, "%s%s", option ? "-" : "", buf_str(&word));
		if (n++ >= 2)
			*vec_push(&r->now->command) = (struct inspection_word){
				mem_dup(buf_str(&text), text.len), blank};
		option = false;
	}
	begin_prose(r, NULL);
	buf_release(&word);
	buf_release(&text);
}

static bool
read_item(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf kind = BUF_INIT;
	bool good = inspections_next_word(&at, end, &kind);
	if (good && !strcmp(buf_str(&kind), "Cm"))
		good = read_name(r, at, end);
	else if (good && (!strcmp(buf_str(&kind), "Ic") || !strcmp(buf_str(&kind), "Ar")))
		/* a step without keys begins with the choice */
		good = read_step(r, !strcmp(buf_str(&kind), "Ar") ? at - 2 : at, end);
	else if (good && !strcmp(buf_str(&kind), "Nm"))
		read_command(r, at, end);
	else
		good = err_usage(r->e, "line %u: no item of a question: '%s'", r->line,
				 buf_str(&kind));
	buf_release(&kind);
	return good;
}

/* ---- the page ---- */

static void
begin_question(struct inspections_reader *r, const char *at, const char *end)
{
	struct buf word = BUF_INIT, title = BUF_INIT;
	while (inspections_next_word(&at, end, &word))
		add_prose(&title, buf_str(&word));
	end_prose(r);
	r->now = vec_push(&r->all->list);
	*r->now = (struct inspection){
		.name = mem_dup("", 0),
		.title = mem_dup(buf_str(&title), title.len),
	};
	begin_prose(r, &r->now->when);
	buf_release(&word);
	buf_release(&title);
}

static bool
inspections_read_line(struct inspections_reader *r, const char *at, const char *end)
{
	if (begins_with(at, end, ".\\\""))
		return true;
	if (begins_with(at, end, ".Sh")) {
		end_prose(r);
		r->inside = begins_with(at, end, ".Sh INSPECTIONS");
		r->now = NULL;
	} else if (!r->inside) {
		;
	} else if (begins_with(at, end, ".Ss ")) {
		begin_question(r, at + 4, end);
	} else if (!r->now) {
		; /* text before the first question */
	} else if (begins_with(at, end, ".It ")) {
		return read_item(r, at + 4, end);
	} else if (begins_with(at, end, ".Bl") || begins_with(at, end, ".El") ||
		   begins_with(at, end, ".Pp")) {
		end_prose(r);
	} else if (r->step && begins_with(at, end, ".Bq ")) {
		return read_effects(r, at + 4, end);
	} else if (r->prose && at < end) {
		prose_line(r, at, end);
	}
	return true;
}

bool
inspections_read(struct inspections *all, const char *page, size_t len, struct err *e)
{
	struct inspections_reader r = {.all = all, .e = e};
	const char *end = page + len, *stop;
	bool good = true;
	for (; good && page < end; page = stop + (stop < end)) {
		stop = memchr(page, '\n', (size_t)(end - page));
		stop = stop ? stop : end;
		r.line++;
		good = inspections_read_line(&r, page, stop);
	}
	end_prose(&r);
	buf_release(&r.text);
	return good;
}

static void
step_release(struct inspection_step *s)
{
	free(s->keys);
	free(s->choice);
	free(s->text);
	for (size_t i = 0; i < s->shows.n; i++)
		free(s->shows.at[i]);
	vec_release(&s->shows);
	for (size_t i = 0; i < s->effects.n; i++)
		free(s->effects.at[i].value);
	vec_release(&s->effects);
}

static void
inspection_release(struct inspection *q)
{
	free(q->name);
	free(q->title);
	free(q->when);
	for (size_t i = 0; i < q->views.n; i++)
		free(q->views.at[i]);
	for (size_t i = 0; i < q->steps.n; i++)
		step_release(&q->steps.at[i]);
	for (size_t i = 0; i < q->command.n; i++)
		free(q->command.at[i].text);
	vec_release(&q->views);
	vec_release(&q->steps);
	vec_release(&q->command);
}

void
inspections_release(struct inspections *all)
{
	for (size_t i = 0; i < all->list.n; i++)
		inspection_release(&all->list.at[i]);
	vec_release(&all->list);
}

const struct inspection *
inspection_named(const struct inspections *all, const char *name)
{
	for (size_t i = 0; i < all->list.n; i++)
		if (!strcmp(all->list.at[i].name, name))
			return &all->list.at[i];
	return NULL;
}

bool
inspection_is_for(const struct inspection *q, const char *view)
{
	for (size_t i = 0; i < q->views.n; i++)
		if (!strcmp(q->views.at[i], view))
			return true;
	return false;
}

/* ---- properties of a profile ---- */

static bool
has_depth(const struct profile *p)
{
	for (stack_id i = 1; i < p->stacks.n; i++)
		if (p->stacks.parent[i])
			return true;
	return false;
}

/* True for functions in files of interpreted languages. */
static bool
is_of_script(const struct profile *p, const struct function *f)
{
	static const char *const ends[] = {".py", ".rb", ".php"};
	struct name file = names_get(&p->names, f->file);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n = strlen(ends[i]);
		if (file.len > n && !memcmp(file.at + file.len - n, ends[i], n))
			return true;
	}
	return false;
}

static unsigned
of_functions(const struct profile *p)
{
	unsigned has = 0;
	name_id module = NAME_EMPTY;
	for (function_id i = 0; i < p->frames.n_functions; i++) {
		struct function f = profile_function(p, i);
		if (f.kind == KIND_SYSTEM && !f.last)
			has |= NEED_SYSTEM;
		if (is_of_script(p, &f))
			has |= NEED_SCRIPTS;
		if (f.module != NAME_EMPTY && module != NAME_EMPTY && f.module != module)
			has |= NEED_MODULES;
		module = f.module != NAME_EMPTY ? f.module : module;
	}
	return has;
}

static unsigned
of_tracks(const struct profile *p)
{
	unsigned has = 0, stacked = 0;
	for (track_id i = 0; i < p->n_tracks; i++)
		switch ((enum track_kind)p->track[i].kind) {
		case TRACK_COUNTER:
		case TRACK_STATE:
		case TRACK_MARKS:
			has |= NEED_VALUES;
			break;
		case TRACK_THREAD:
		case TRACK_CORE:
		case TRACK_TASK:
			stacked++;
			break;
		case TRACK_MODULE:
			break;
		}
	return has | (stacked > 1 ? NEED_TRACKS : 0);
}

static unsigned
of_metrics(const struct profile *p)
{
	bool usage = foldusage_has(p);
	unsigned has = usage ? NEED_USAGE : 0, shown = 0;
	for (metric_id m = 0; m < p->n_metrics; m++) {
		if (p->metric[m].computed)
			has |= NEED_RUNNING;
		if (!profile_metric_shown(p, m) || p->metric[m].computed)
			continue;
		shown++;
		if (p->metric[m].unit == UNIT_BYTES && !usage)
			has |= NEED_MEMORY;
		if (!strcmp(names_get(&p->names, p->metric[m].name).at, "live"))
			has |= NEED_LIVE;
	}
	return has | (shown > 1 ? NEED_METRICS : 0);
}

unsigned
needs_of(const struct profile *p)
{
	unsigned has = of_functions(p) | of_tracks(p) | of_metrics(p);
	bool time = false, seconds = false;
	for (uint32_t g = 0; g < p->n_groups; g++) {
		bool ranges =
			p->group[g].has_time &&
			difference_clipped(p->group[g].end, p->group[g].start) >= RANGES_LEAST;
		time |= ranges;
		seconds |= ranges && p->group[g].axis == UNIT_NS;
	}
	has |= has_depth(p) ? NEED_STACKS : 0;
	has |= (time ? NEED_TIME : 0) | (seconds ? NEED_CLOCK : 0);
	has |= p->has_call_edges ? NEED_CALLS : 0;
	has |= p->calls_metric != METRIC_NONE && !p->metric[p->calls_metric].unused ? NEED_COUNTS
										    : 0;
	has |= p->has_lines ? NEED_LINES : 0;
	if (names_find(&p->names, "waits_for", 9) != UINT32_MAX && p->labels.n_sets > 1)
		has |= NEED_LOOK;
	for (actor_id i = 0; i < p->n_actors; i++)
		has |= p->actor[i].n ? NEED_STATES : 0;
	return has | (p->comparison ? NEED_COMPARISON : NEED_SINGLE);
}

void
needs_say(unsigned lacking, struct buf *out)
{
	for (size_t i = 0; i < NEED_PLACES; i++)
		if (lacking & 1u << i)
			buf_addf(out, "%s%s", out->len ? ", " : "", needs[i].lack);
}
