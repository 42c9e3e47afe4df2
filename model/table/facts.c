#include "model/table/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/derive/wall.h"
#include "model/fold/nameless.h"
#include "model/profile/human.h"
#include "model/profile/profile.h"

/* One list in the order of the report. For one file: its format, its amounts, how it was read,
 * its own facts. For several: the facts of all, then each file with its own. */

struct facts_maker {
	struct facts *out;
	const struct profile *p;
	const struct facts_loading *loading; /* may be NULL */
	const struct wall_shares *running;    /* may be NULL */
	uint32_t group;
	enum fact_about about;
	bool programs;
};

static void
drop(struct facts *f)
{
	for (size_t i = 0; i < f->all.n; i++) {
		free(f->all.at[i].key);
		free(f->all.at[i].words);
		free(f->all.at[i].more);
	}
	f->all.n = 0;
}

void
facts_release(struct facts *f)
{
	drop(f);
	vec_release(&f->all);
}

static struct fact *
facts_add(struct facts_maker *m, const char *key)
{
	struct fact *f = vec_push(&m->out->all);

	*f = (struct fact){
		.group = m->group,
		.about = (uint8_t)m->about,
		.key = mem_dup(key, strlen(key)),
	};
	return f;
}

static struct fact *
facts_add_number(struct facts_maker *m, const char *key, enum fact_kind kind, int64_t v)
{
	struct fact *f = facts_add(m, key);

	f->kind = (uint8_t)kind;
	f->number = v;
	return f;
}

/* Adds a fact with the text of *words, which it empties. */
static struct fact *
add_words(struct facts_maker *m, const char *key, struct buf *words)
{
	struct fact *f = facts_add(m, key);

	f->words = mem_dup(buf_str(words), words->len);
	buf_reset(words);
	return f;
}

static struct fact *
facts_add_text(struct facts_maker *m, const char *key, const char *text)
{
	struct fact *f = facts_add(m, key);

	f->words = mem_dup(text, strlen(text));
	return f;
}

static void
facts_put_name(const struct facts_maker *m, name_id name, struct buf *out)
{
	if (m->programs)
		profile_write_name(m->p, name, out);
	else
		profile_show_name(m->p, name, out);
}

static struct fact *
facts_add_name(struct facts_maker *m, const char *key, name_id name)
{
	struct buf words = BUF_INIT;

	if (name == NAME_EMPTY)
		return facts_add(m, key);
	facts_put_name(m, name, &words);
	struct fact *f = add_words(m, key, &words);
	buf_release(&words);
	return f;
}

/* ---- the profile ---- */

static void
list_format(struct facts_maker *m, const struct group *g, const char *title)
{
	struct fact *f = facts_add_name(m, "format", g ? g->format : NAME_EMPTY);
	struct buf more = BUF_INIT;

	if (!title || !f->words)
		return;
	buf_addf(&more, "%s: %s", f->words, title);
	f->more = mem_dup(buf_str(&more), more.len);
	buf_release(&more);
}

static void
facts_add_metric(struct facts_maker *m, metric_id id, struct buf *names, struct buf *more)
{
	const struct profile *p = m->p;
	const char *comma = names->len ? ", " : "";

	buf_adds(names, comma);
	facts_put_name(m, p->metric[id].name, names);
	buf_adds(more, comma);
	profile_show_name(p, p->metric[id].name, more);
	buf_addf(more, " (%s)", unit_name((enum unit)p->metric[id].unit));
}

/* Lists the default metric first; with units on a screen. */
static void
list_metrics(struct facts_maker *m)
{
	const struct profile *p = m->p;
	metric_id first = profile_default_metric(p);
	struct buf names = BUF_INIT, more = BUF_INIT;

	if (first != METRIC_NONE && profile_metric_shown(p, first))
		facts_add_metric(m, first, &names, &more);
	for (metric_id i = 0; i < p->n_metrics; i++)
		if (i != first && profile_metric_shown(p, i) && !p->metric[i].computed)
			facts_add_metric(m, i, &names, &more);
	struct fact *f = add_words(m, "metrics", &names);
	f->more = mem_dup(buf_str(&more), more.len);
	buf_release(&names);
	buf_release(&more);
}

static void
list_time(struct facts_maker *m, const struct group *g)
{
	if (!g->has_time)
		return;
	facts_add_number(m, "start", FACT_MOMENT, g->start)->axis = g->axis;
	facts_add_number(m, "duration", FACT_LENGTH, difference_clipped(g->end, g->start))->axis =
		g->axis;
	facts_add_text(m, "axis", unit_name((enum unit)g->axis));
}

static void
list_counts(struct facts_maker *m)
{
	const struct profile *p = m->p;

	facts_add_number(m, "events", FACT_COUNT, (int64_t)p->events);
	facts_add_number(m, "functions", FACT_COUNT, p->frames.n_functions);
	facts_add_number(m, "frames", FACT_COUNT, p->frames.n - p->frames.n_variants);
	facts_add_number(m, "stacks", FACT_COUNT, (int64_t)p->stacks.n - 1);
	facts_add_number(m, "tracks", FACT_COUNT, p->n_tracks);
}

/* ---- reading it ---- */

static void
list_complete(struct facts_maker *m, const struct group *g)
{
	const struct profile *p = m->p;
	bool several = p->n_groups > 1;
	const char *why = p->why ? p->why : "not read to the end";
	struct buf text = BUF_INIT;

	m->about = ABOUT_READING;
	if (m->loading && !m->loading->done && (!several || g->why == NAME_EMPTY)) {
		facts_add_text(m, "complete", "not yet: loading");
	} else if (several ? g->why == NAME_EMPTY : p->complete) {
		facts_add_text(m, "complete", "yes");
	} else {
		if (several)
			why = names_get(&p->names, g->why).at;
		buf_addf(&text, "no: %s", why);
		add_words(m, "complete", &text)->bad = true;
	}
	buf_release(&text);
}

/* Lists files that could not be read at all. */
static void
list_missed(struct facts_maker *m)
{
	m->group = FACT_OF_ALL;
	m->about = ABOUT_READING;
	for (uint32_t i = 0; i < m->p->n_warnings; i++)
		if (m->p->warning[i].file)
			facts_add_text(m, "not read", m->p->warning[i].text)->bad = true;
}

/* Lists where the reading ended with an error; `complete` already says why. */
static void
list_damage(struct facts_maker *m, uint32_t group)
{
	const struct err *e = &m->p->damage;
	struct buf text = BUF_INIT;

	if (!err_is_set(e) || m->p->damage_group != group)
		return;
	if (e->has_offset)
		buf_addf(&text, "at byte %llu: ", (unsigned long long)e->offset);
	buf_adds(&text, e->text);
	struct fact *f = add_words(m, "damage", &text);
	f->bad = f->aside = true;
	buf_release(&text);
}

/* Figures that differ from run to run would make snapshots useless, so the caller can omit them. */
static void
list_loading(struct facts_maker *m)
{
	const struct facts_loading *l = m->loading;
	struct buf text = BUF_INIT;

	if (!l || !l->bytes || l->elapsed_ns <= 0)
		return;
	double seconds = (double)l->elapsed_ns / 1e9, megabytes = (double)l->bytes / 1e6;
	if (l->bytes < 1000000)
		buf_addf(&text, "%.1f kB", (double)l->bytes / 1e3);
	else
		buf_addf(&text, "%.1f MB", megabytes);
	buf_addf(&text, " in %.3f s, %.*f MB/s", seconds, megabytes < 10 * seconds,
		 megabytes / seconds);
	m->group = FACT_OF_ALL;
	m->about = ABOUT_READING;
	add_words(m, "loading", &text)->aside = true;
	buf_release(&text);
}

/* ---- facts of the file ---- */

/* Returns true if one of the first n facts has this key and is about the file. */
static bool
facts_have(const struct facts_maker *m, size_t n, const char *key, uint32_t group)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact *f = &m->out->all.at[i];
		if ((f->group == group || f->group == FACT_OF_ALL) && !strcmp(f->key, key))
			return true;
	}
	return false;
}

/* Adds the duration that a file without a time axis states as `NUMBER ns`; returns false for any
 * other text. */
static bool
add_stated_duration(struct facts_maker *m, const char *key, struct name text)
{
	char *end;

	if (strcmp(key, "duration") || !text.len || !is_digit(text.at[0]))
		return false;
	long long ns = strtoll(text.at, &end, 10);
	if (strcmp(end, " ns"))
		return false;
	facts_add_number(m, key, FACT_LENGTH, ns)->axis = UNIT_NS;
	return true;
}

/* Words of the file. A key that pnav uses itself is marked. */
static void
list_words(struct facts_maker *m, uint32_t group)
{
	const struct profile *p = m->p;
	struct buf key = BUF_INIT;
	size_t own = m->out->all.n; /* facts of pnav */

	m->about = ABOUT_WORDS;
	for (uint32_t i = 0; i < p->n_info; i++) {
		if (p->info[i].group != group)
			continue;
		buf_reset(&key);
		facts_put_name(m, p->info[i].key, &key);
		if (facts_have(m, own, buf_str(&key), group))
			buf_adds(&key, " in the file");
		else if (add_stated_duration(m, buf_str(&key),
					     names_get(&p->names, p->info[i].value)))
			continue;
		facts_add_name(m, buf_str(&key), p->info[i].value);
	}
	buf_release(&key);
	m->about = ABOUT_READING;
	for (uint32_t i = 0; i < p->n_warnings; i++) {
		const struct warning *w = &p->warning[i];
		struct buf more = BUF_INIT;
		if (w->group != group)
			continue;
		struct fact *f = facts_add_text(m, "warning", w->text);
		f->bad = true;
		if (w->count > 1) {
			buf_addf(&more, "%s (%llu times)", w->text,
				 (unsigned long long)w->count);
			f->more = mem_dup(buf_str(&more), more.len);
		}
		buf_release(&more);
	}
}

#define KEYS_LISTED 64u

/* Lists how many values each key of labels has. */
static void
list_labels(struct facts_maker *m)
{
	const struct labels *t = &m->p->labels;
	name_id key[KEYS_LISTED];
	uint32_t values[KEYS_LISTED], n = 0;
	struct buf name = BUF_INIT;

	for (label_id i = 0; i < t->n_labels; i++) {
		uint32_t k = 0;
		while (k < n && key[k] != t->label[i].key)
			k++;
		if (k == KEYS_LISTED)
			continue;
		if (k == n) {
			key[n] = t->label[i].key;
			values[n++] = 0;
		}
		values[k]++;
	}
	m->group = FACT_OF_ALL;
	m->about = ABOUT_PROFILE;
	for (uint32_t k = 0; k < n; k++) {
		struct buf words = BUF_INIT;
		buf_reset(&name);
		buf_adds(&name, "label ");
		facts_put_name(m, key[k], &name);
		buf_addf(&words, "%" PRIu32 " value%s", values[k], values[k] == 1 ? "" : "s");
		add_words(m, buf_str(&name), &words);
		buf_release(&words);
	}
	buf_release(&name);
}

/* Says how many tracks run at once, and for which share of the run. */
static void
list_parallelism(struct facts_maker *m, const struct wall_shares *w)
{
	enum unit axis = (enum unit)m->p->group[m->group].axis;
	double length = (double)(w->to - w->from);
	struct buf text = BUF_INIT, key = BUF_INIT;

	if (length <= 0 || (w->whole && w->busy <= 0))
		return;
	if (!w->whole) {
		human_time(&text, w->from, axis);
		buf_adds(&text, " to ");
		human_time(&text, w->to, axis);
		buf_adds(&text, ", ");
		human_time(&text, w->to - w->from, axis);
		add_words(m, "range", &text);
	}
	if (w->busy > 0) {
		buf_addf(&text, "%.2f", w->area / w->busy);
		add_words(m, "parallelism", &text);
	}
	for (unsigned i = 0; i < w->rows || !i; i++) {
		buf_reset(&key);
		if (i < 3)
			buf_addf(&key, "parallelism %u", i);
		else
			buf_addf(&key, "parallelism %u-%u", (1u << (i - 2)) + 1, 1u << (i - 1));
		buf_addf(&text, "%.2f %%", 100 * w->ns[i] / length);
		add_words(m, buf_str(&key), &text);
	}
	buf_release(&text);
	buf_release(&key);
}

/* Lists the metrics that pnav computes, and what follows from them. */
static void
list_computed(struct facts_maker *m)
{
	const struct profile *p = m->p;
	struct buf names = BUF_INIT, more = BUF_INIT;

	m->about = ABOUT_READING;
	m->group = p->n_groups > 1 ? FACT_OF_ALL : 0;
	for (metric_id i = 0; i < p->n_metrics; i++)
		if (p->metric[i].computed)
			facts_add_metric(m, i, &names, &more);
	if (names.len) {
		struct fact *f = add_words(m, "computed", &names);
		f->more = mem_dup(buf_str(&more), more.len);
	}
	for (uint32_t g = 0; m->running && g < p->n_groups; g++) {
		m->group = g;
		list_parallelism(m, &m->running[g]);
	}
	buf_release(&names);
	buf_release(&more);
}

/* Lists modules without symbols, if they matter. */
static void
list_nameless(struct facts_maker *m, const struct fold *plain)
{
	struct nameless n = {.bad = 0};
	struct buf text = BUF_INIT;

	if (m->loading && !m->loading->done)
		return;
	nameless_find(&n, m->p, plain);
	m->group = FACT_OF_ALL;
	m->about = ABOUT_READING;
	for (size_t i = 0; nameless_matters(&n) && i < n.bad; i++) {
		const struct nameless_module *x = &n.all.at[i];
		facts_put_name(m, x->module, &text);
		buf_addf(&text, ": %" PRIu32 " of %" PRIu32 " functions found, %" PRIu32
				" missing: ",
			 x->functions - x->unnamed, x->functions, x->unnamed);
		human_share(&text, x->unnamed_self, n.everything);
		buf_adds(&text, " of ");
		facts_put_name(m, m->p->metric[n.metric].name, &text);
		add_words(m, "symbols", &text)->bad = true;
	}
	if (nameless_matters(&n))
		facts_add_text(m, "for symbols",
			       "the module as it ran, at its path, or its debug symbols: "
			       "pnav-formats(7) lists the places")
			->bad = true;
	nameless_release(&n);
	buf_release(&text);
}

static void
list_files(struct facts_maker *m)
{
	const struct profile *p = m->p;

	facts_add_number(m, "files", FACT_COUNT, p->n_groups);
	list_metrics(m);
	list_counts(m);
	list_missed(m);
	for (uint32_t i = 0; i < p->n_groups; i++) {
		m->group = i;
		m->about = ABOUT_PROFILE;
		facts_add_name(m, "file", p->group[i].name);
		list_format(m, &p->group[i],
			    i == 0 && m->loading ? m->loading->title : NULL);
		list_time(m, &p->group[i]);
		list_complete(m, &p->group[i]);
		list_damage(m, i);
		list_words(m, i);
	}
}

void
facts_make(struct facts *out, const struct profile *p, const struct fold *plain,
	   const struct facts_loading *loading, const struct wall_shares *running, bool programs)
{
	const struct group *g = p->n_groups ? &p->group[0] : NULL;
	struct facts_maker m = {out, p, loading, running, FACT_OF_ALL, ABOUT_PROFILE, programs};

	drop(out);
	if (p->n_groups > 1) {
		list_files(&m);
		list_labels(&m);
		list_computed(&m);
		list_nameless(&m, plain);
		list_loading(&m);
		return;
	}
	m.group = 0;
	if (g)
		facts_add_name(&m, "file", g->name)->aside = true;
	list_format(&m, g, loading ? loading->title : NULL);
	list_metrics(&m);
	if (g)
		list_time(&m, g);
	list_counts(&m);
	list_complete(&m, g);
	list_missed(&m);
	m.group = 0;
	list_damage(&m, 0);
	list_words(&m, 0);
	list_labels(&m);
	list_computed(&m);
	list_nameless(&m, plain);
	list_loading(&m);
}
