/* regroup.c - see regroup.h.
 *
 * The effect of a set of labels is computed once per set: its events are left out, or move below
 * a stack of label frames. Then each event costs an access to that column, and a lookup of its
 * stack below those frames. Series without labelled events, or in which labels change nothing,
 * are not copied but shared with the original profile.
 *
 * A stack that is left out becomes (parent of the stack, a frame without a name), so that its
 * caller stays open when steps are replayed as calls.
 *
 * While a profile grows it is derived again and again, and most threads of a busy machine have
 * ended before the last seconds.  Then their samples of other metrics than the lens's are shared,
 * too: such samples have numbers in a range alone.
 *
 * Rejected: skipping events (what is shown would then look like everything), and labels as part
 * of the stacks from the start (the product of both, for a question that is rarely asked). */
#include "model/lens/regroup.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/sum.h"
#include "model/base/vec.h"
#include "model/lens/labelterm.h"
#include "model/profile/series.h"

/* One of the two derived profiles that a regroup keeps. */
struct regrouped {
	struct profile *p;
	VEC(struct series *) own; /* series that are not shared */
	const struct profile *of;
	uint64_t generation;
	bool grows;
	struct buf words; /* the text of the entries */
	/* Samples before `from`, since the first event, of other metrics are as in the original. */
	metric_id metric;
	int64_t from;
};

struct regroup {
	struct regrouped now, before;
};

/* A stack below label frames. */
struct moved {
	stack_id above, stack, to;
};

enum fate { FATE_UNKNOWN, FATE_KEPT, FATE_LEFT_OUT };

struct regroup_maker {
	struct regrouped *g;
	const struct profile *p; /* the original profile */
	struct profile *out;
	const struct lens *l;
	struct pace *pace; /* if it cancels, the result is freed */
	uint8_t *fate;    /* [set] enum fate */
	stack_id *above;  /* [set] its stack of label frames */
	uint8_t **passes; /* [entry] NULL, or of a `where`: [label] 1 if it matches */
	uint32_t *values; /* [entry] of a `label`: number of frames made */
	struct map moved_map;
	VEC(struct moved) moved;
	uint32_t plain_cap;
	struct series_scratch scratch;
};

/* ---- entries ---- */

static bool
is_on(const struct entry *e, enum verb verb)
{
	return e->verb == verb && !e->off;
}

bool
regroup_asked(const struct lens *l)
{
	for (size_t i = 0; i < l->entries.n; i++)
		if (is_on(&l->entries.at[i], VERB_WHERE) || is_on(&l->entries.at[i], VERB_LABEL))
			return true;
	return false;
}

static void
write_words(const struct lens *l, struct buf *out)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		if (is_on(e, VERB_WHERE) || is_on(e, VERB_LABEL))
			buf_addf(out, "%s %s\n", verb_name(e->verb), pattern_text(e->pattern));
	}
}

/* Returns the key that an entry `label` names; UINT32_MAX if the profile has no such name. */
static name_id
label_key(const struct profile *p, const struct entry *e)
{
	const char *text = pattern_text(e->pattern);

	return names_find(&p->names, text, strlen(text));
}

/* Returns [label] 1 if it matches, before negation; the caller frees it. The text was validated
 * before. */
static uint8_t *
term_passes(const struct profile *p, const struct entry *e, bool *negated)
{
	const char *text = pattern_text(e->pattern);
	uint8_t *passes = mem_zalloc((size_t)p->labels.n_labels + 1, 1);
	struct label_term t;
	struct err none;

	err_init(&none);
	if (label_term_read(&t, text, strlen(text), &none)) {
		name_id key = names_find(&p->names, text + t.key_at, t.key_len);
		for (label_id i = 0; i < p->labels.n_labels; i++)
			passes[i] = p->labels.label[i].key == key &&
				    label_term_matches(&t, &p->names, &p->labels.label[i]);
	}
	*negated = t.negated;
	label_term_release(&t);
	return passes;
}

bool
regroup_unmatched(const struct profile *p, const struct lens *l, size_t i)
{
	const struct entry *e = &l->entries.at[i];
	bool negated, any = false;

	if (is_on(e, VERB_LABEL)) {
		name_id key = label_key(p, e);
		for (label_id k = 0; k < p->labels.n_labels; k++)
			any |= p->labels.label[k].key == key;
		return !any;
	}
	if (!is_on(e, VERB_WHERE))
		return false;
	uint8_t *passes = term_passes(p, e, &negated);
	for (label_id k = 0; k < p->labels.n_labels; k++)
		any |= passes[k];
	free(passes);
	return !any;
}

static bool
has_passing(const struct profile *p, const uint8_t *passes, labels_id set)
{
	uint32_t n;
	const label_id *id = labels_get(&p->labels, set, &n);

	for (uint32_t i = 0; i < n; i++)
		if (passes[id[i]])
			return true;
	return false;
}

/* ---- stacks ---- */

/* Returns the child of a stack; `plain` is the same without frames of labels. */
static stack_id
regroup_child(struct regroup_maker *m, stack_id parent, frame_id frame, stack_id plain)
{
	struct profile *out = m->out;
	stack_id s = stacks_child(&out->stacks, parent, frame);

	if (s == STACK_NONE)
		return parent; /* without room, the cost goes to the caller */
	if (s < m->plain_cap && out->plain[s] != STACK_NONE)
		return s;
	if (s >= m->plain_cap) {
		uint32_t cap = (uint32_t)vec_grown(m->plain_cap, (size_t)s + 1);
		out->plain = mem_realloc(out->plain, cap, sizeof *out->plain);
		memset(out->plain + m->plain_cap, 0xFF,
		       (cap - m->plain_cap) * sizeof *out->plain);
		m->plain_cap = cap;
	}
	out->plain[s] = plain == STACK_NONE ? s : plain;
	return s;
}

static stack_id *
find_moved(struct regroup_maker *m, stack_id above, stack_id stack)
{
	uint64_t hash = map_hash_pair(above, stack);
	uint32_t slot, i;

	slot = map_first(&m->moved_map, hash);
	while (map_probe(&m->moved_map, &slot, hash, &i))
		if (m->moved.at[i].above == above && m->moved.at[i].stack == stack)
			return &m->moved.at[i].to;
	map_insert(&m->moved_map, hash, (uint32_t)m->moved.n);
	*vec_push(&m->moved) = (struct moved){above, stack, STACK_NONE};
	return &m->moved.at[m->moved.n - 1].to;
}

/* Returns the stack below the label frames `above`. */
static stack_id
moved_below(struct regroup_maker *m, stack_id above, stack_id stack)
{
	const struct stacks *t = &m->p->stacks;
	VEC(stack_id) todo = VEC_INIT;
	stack_id to = above;

	if (above == STACK_EMPTY || stack == STACK_EMPTY)
		return stack;
	for (stack_id s = stack; s != STACK_EMPTY; s = t->parent[s]) {
		stack_id known = *find_moved(m, above, s);
		if (known != STACK_NONE) {
			to = known;
			break;
		}
		*vec_push(&todo) = s;
	}
	while (todo.n) {
		stack_id s = todo.at[--todo.n];
		to = regroup_child(m, to, t->frame[s], s);
		*find_moved(m, above, s) = to;
	}
	vec_release(&todo);
	return to;
}

static stack_id
regroup_left_out(struct regroup_maker *m, stack_id stack)
{
	if (stack == STACK_EMPTY)
		return stack;
	return regroup_child(m, m->p->stacks.parent[stack], m->out->left_out, STACK_NONE);
}

/* Returns a frame without a file; `last` marks the one for what has no name. */
static frame_id
frame_named(struct profile *out, const char *name, size_t len, bool last)
{
	struct function f = {.name = names_put(&out->names, name, len),
			     .kind = KIND_SYSTEM,
			     .last = last};

	return frames_put(&out->frames, frames_function(&out->frames, f), line_unknown());
}

/* Returns the frame KEY=VALUE; after REGROUP_VALUES_MAX values of a key all others share one. */
static frame_id
label_frame(struct regroup_maker *m, size_t entry, const struct label *l)
{
	struct profile *out = m->out;
	struct buf name = BUF_INIT;

	buf_addf(&name, "%s=", pattern_text(m->l->entries.at[entry].pattern));
	size_t key_len = name.len;
	label_write_value(&name, &out->names, l);
	name_id known = names_find(&out->names, name.at, name.len);
	bool is_new = known == UINT32_MAX || known >= m->p->names.n;
	uint32_t functions = out->frames.n_functions;
	if (is_new && known == UINT32_MAX && m->values[entry] >= REGROUP_VALUES_MAX) {
		name.len = key_len;
		buf_adds(&name, "\xE2\x80\xA6");
	}
	frame_id frame = frame_named(out, name.at, name.len, false);
	m->values[entry] += out->frames.n_functions - functions;
	buf_release(&name);
	return frame;
}

/* ---- sets ---- */

static void
regroup_decide(struct regroup_maker *m, labels_id set)
{
	const struct lens *l = m->l;
	struct label label;

	m->fate[set] = FATE_KEPT;
	m->above[set] = STACK_EMPTY;
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct entry *e = &l->entries.at[i];
		bool negated = m->passes[i] && *pattern_text(e->pattern) == '!';
		if (m->passes[i] && has_passing(m->p, m->passes[i], set) == negated)
			m->fate[set] = FATE_LEFT_OUT;
		if (is_on(e, VERB_LABEL) &&
		    labels_find(&m->p->labels, set, label_key(m->p, e), &label))
			m->above[set] = regroup_child(m, m->above[set], label_frame(m, i, &label),
						      STACK_EMPTY);
	}
}

static stack_id
regroup_stack_of(struct regroup_maker *m, labels_id set, stack_id stack)
{
	if (m->fate[set] == FATE_UNKNOWN)
		regroup_decide(m, set);
	return m->fate[set] == FATE_LEFT_OUT ? regroup_left_out(m, stack)
					     : moved_below(m, m->above[set], stack);
}

static bool
is_kept(struct regroup_maker *m, labels_id set)
{
	if (m->fate[set] == FATE_UNKNOWN)
		regroup_decide(m, set);
	return m->fate[set] == FATE_KEPT;
}

/* ---- series ---- */

static labels_id
labels_at(const struct series *s, const struct chunk *c, uint32_t i)
{
	return s->labelled ? (labels_id)column_get(&c->labels, i) : LABELS_NONE;
}

static void
copy_event(struct regroup_maker *m, struct series *to, const struct series *s,
	   const struct chunk *c, uint32_t i)
{
	int64_t time = column_get(&c->time, i), value[SERIES_METRICS_MAX];
	labels_id set = labels_at(s, c, i);
	uint32_t stack = chunk_stack(c, i);

	if (s->kind == SERIES_POINTS && s->labelled && !is_kept(m, set))
		return;
	for (unsigned v = 0; v < s->n_columns; v++)
		value[v] = s->valued ? chunk_value(c, i) : column_get(&c->value[v], i);
	to->next_labels = set;
	if (s->kind != SERIES_POINTS)
		stack = regroup_stack_of(m, set, stack & STEP_STACK) | (stack & ~STEP_STACK);
	switch ((enum series_kind)s->kind) {
	case SERIES_STEPS:
		series_add_step(to, &m->scratch, time, stack, s->valued ? value[0] : 0);
		break;
	case SERIES_SAMPLES:
		series_add_sample(to, &m->scratch, time, stack, value);
		break;
	case SERIES_TOTALS:
		series_add_total(to, stack, value);
		break;
	case SERIES_POINTS:
		series_add_point(to, time, value[0], value[1]);
		break;
	}
}

/* Copies totals without labels, which are kept as sums. */
static void
copy_sums(struct regroup_maker *m, struct series *to, const struct series *s)
{
	unsigned events = 0;

	while (s->role[events] != ROLE_EVENTS)
		events++;
	int64_t(*value)[TOTALS_PAGE] = mem_alloc(s->n_metrics, sizeof *value);
	for (uint32_t i = 0; i < s->n_pages; i++) {
		const struct totals *page = &s->page[(size_t)i * s->n_metrics];
		for (unsigned k = 0; page[events].at && k < s->n_metrics; k++)
			totals_read(&page[k], value[k]);
		for (uint32_t at = 0; page[events].at && at < TOTALS_PAGE; at++) {
			int64_t sums[SERIES_METRICS_MAX];
			stack_id stack = series_page_stack(s, i) + at;
			if (!value[events][at])
				continue;
			for (unsigned k = 0; k < s->n_metrics; k++)
				sums[k] = value[k][at];
			series_add_sums(to, regroup_stack_of(m, LABELS_NONE, stack), sums);
		}
	}
	free(value);
}

static struct series *
copy_series(struct regroup_maker *m, const struct series *s)
{
	struct series *to = series_like(s);

	to->track = s->track;
	for (uint32_t k = 0; k < s->n_chunks; k++)
		for (uint32_t i = 0; i < s->chunk[k].n && pace_on(m->pace, 1); i++)
			copy_event(m, to, s, &s->chunk[k], i);
	if (s->kind == SERIES_TOTALS && !s->labelled)
		copy_sums(m, to, s);
	if (to->n)
		to->end_time = s->end_time;
	return to;
}

/* Returns true for samples that no number of the lens depends on. */
static bool
is_past(const struct regroup_maker *m, const struct series *s)
{
	const struct profile *p = m->p;
	int64_t origin = p->group[p->track[s->track].group].start;

	if (s->kind != SERIES_SAMPLES || !s->sorted ||
	    s->end_time >= sum_clipped(origin, m->g->from))
		return false;
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metric[i] == m->g->metric)
			return false;
	return true;
}

/* Returns true if a copy would be the same, or is not needed. */
static bool
stays(struct regroup_maker *m, const struct series *s, bool grows)
{
	if (grows)
		return is_past(m, s); /* the others may get stacks that differ here */
	if (s->kind == SERIES_POINTS && !s->labelled)
		return true;
	return !s->labelled && is_kept(m, LABELS_NONE);
}

static void
copy_tracks(struct regroup_maker *m, bool grows)
{
	struct profile *out = m->out;

	for (track_id i = 0; i < out->n_tracks; i++) {
		struct track *t = &out->track[i];
		for (uint32_t k = 0; k < t->n_series; k++)
			if (!stays(m, t->series[k], grows)) {
				t->series[k] = copy_series(m, t->series[k]);
				*vec_push(&m->g->own) = t->series[k];
			}
	}
}

/* ---- the profile ---- */

/* Sets what the lens reads: its metric, and the begin of its range. */
static void
regroup_reads(struct regrouped *g, const struct profile *p, const struct lens *l)
{
	int64_t to;
	bool whole;
	struct err e;

	err_init(&e);
	g->metric = lens_metric(l, p, &e);
	if (g->metric == METRIC_NONE || !lens_range(l, p, &g->from, &to, &whole, &e) || whole)
		g->from = INT64_MIN;
}

static void
regroup_make(struct regrouped *g, const struct profile *p, const struct lens *l, bool grows,
	     struct pace *pace)
{
	struct regroup_maker m = {.g = g, .p = p, .l = l, .pace = pace, .plain_cap = p->stacks.n};
	bool negated;

	g->p = m.out = profile_branch(p);
	m.out->plain = mem_alloc(p->stacks.n, sizeof *m.out->plain);
	for (stack_id s = 0; s < p->stacks.n; s++)
		m.out->plain[s] = s;
	g->of = p;
	g->generation = p->generation;
	g->grows = grows;
	regroup_reads(g, p, l);
	write_words(l, &g->words);
	m.out->left_out = frame_named(m.out, "", 0, true);
	m.fate = mem_zalloc(p->labels.n_sets, 1);
	m.above = mem_zalloc(p->labels.n_sets, sizeof *m.above);
	m.passes = mem_zalloc(l->entries.n, sizeof *m.passes);
	m.values = mem_zalloc(l->entries.n, sizeof *m.values);
	map_init(&m.moved_map);
	for (size_t i = 0; i < l->entries.n; i++)
		if (is_on(&l->entries.at[i], VERB_WHERE))
			m.passes[i] = term_passes(p, &l->entries.at[i], &negated);
	copy_tracks(&m, grows);
	for (size_t i = 0; i < l->entries.n; i++)
		free(m.passes[i]);
	free(m.passes);
	free(m.values);
	free(m.fate);
	free(m.above);
	map_release(&m.moved_map);
	vec_release(&m.moved);
	series_scratch_release(&m.scratch);
}

static void
regrouped_release(struct regrouped *g)
{
	for (size_t i = 0; i < g->own.n; i++)
		series_free(g->own.at[i]);
	vec_release(&g->own);
	profile_free(g->p);
	buf_release(&g->words);
	*g = (struct regrouped){.p = NULL};
}

struct regroup *
regroup_new(void)
{
	return mem_zalloc(1, sizeof(struct regroup));
}

void
regroup_free(struct regroup *g)
{
	if (!g)
		return;
	regrouped_release(&g->now);
	regrouped_release(&g->before);
	free(g);
}

static bool
regroup_is_same(const struct regrouped *g, const struct profile *p, const struct lens *l,
		const struct buf *words, bool grows)
{
	struct regrouped asked = {.p = NULL};

	if (!g->p || g->of != p || g->generation != p->generation || g->grows != grows ||
	    g->words.len != words->len || memcmp(g->words.at, words->at, words->len) != 0)
		return false;
	regroup_reads(&asked, p, l);
	return !grows || g->from == INT64_MIN ||
	       (g->metric == asked.metric && g->from <= asked.from);
}

const struct profile *
regroup_look(struct regroup *g, const struct profile *p, const struct lens *l, bool grows,
	     struct pace *pace)
{
	struct buf words = BUF_INIT;

	if (!regroup_asked(l))
		return p;
	write_words(l, &words);
	bool same = regroup_is_same(&g->now, p, l, &words, grows);
	/* the user went back to the previous entries */
	if (!same && regroup_is_same(&g->before, p, l, &words, grows)) {
		struct regrouped swap = g->now;
		g->now = g->before;
		g->before = swap;
		same = true;
	}
	buf_release(&words);
	if (!same) {
		regrouped_release(&g->before);
		if (!grows || g->now.of != p || g->now.generation == p->generation)
			g->before = g->now;
		else
			regrouped_release(&g->now); /* it lacks events: no one can go back to it */
		g->now = (struct regrouped){.p = NULL};
		regroup_make(&g->now, p, l, grows, pace);
		if (pace_gives_up(pace)) {
			regrouped_release(&g->now);
			g->now = (struct regrouped){.p = NULL};
		}
	}
	return g->now.p;
}
