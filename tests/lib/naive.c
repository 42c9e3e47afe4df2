#include "tests/lib/naive.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Everything here follows the words of pnav(1) and not the model's code: events one after the
 * other, each with a list of frames from which entries remove some.  Each frame remembers its
 * position in the event, because a call belongs to the frame that it entered: if that frame is
 * removed, so is the call.
 *
 * Nodes are found by searching all nodes, and sums by adding all events.  So profiles here are
 * small; the model's checkpoints have tests of their own. */

struct list {
	unsigned n;
	unsigned place[NAIVE_DEEP]; /* index of the event's frame */
};

/* ---- patterns ---- */

static bool
has_upper(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

static bool
text_matches(const struct naive_entry *e, const char *name)
{
	size_t n = strlen(e->text), len = strlen(name);
	bool exact = has_upper(e->text);

	switch (e->how) {
	case NAIVE_ANYWHERE:
		return (exact ? strstr(name, e->text) : strcasestr(name, e->text)) !=
		       NULL;
	case NAIVE_BEGINS:
		return (exact ? strncmp : strncasecmp)(name, e->text, n) == 0;
	case NAIVE_ENDS:
		return len >= n &&
		       (exact ? strcmp : strcasecmp)(name + len - n, e->text) == 0;
	case NAIVE_WHOLE:
		return !strcmp(name, e->text);
	case NAIVE_RANGE:
		break;
	}
	return false;
}

static bool
frame_matches(const struct naive_entry *e, const struct naive_frame *f)
{
	static const char *const kinds[] = {"user", "intrinsic", "system", "idle"};
	const char *subject = "";

	switch (e->subject) {
	case SUBJECT_FN:
		subject = f->name;
		break;
	case SUBJECT_FILE:
		subject = f->file;
		break;
	case SUBJECT_MODULE:
		subject = f->module;
		break;
	case SUBJECT_KIND:
		subject = kinds[f->kind];
		if (f->inlined && text_matches(e, "inlined"))
			return !e->negated;
		break;
	}
	return text_matches(e, subject) != e->negated;
}

void
naive_pattern(const struct naive_entry *e, char *text)
{
	static const char *const subjects[] = {"fn:", "file:", "module:", "kind:"};
	static const char *const before[] = {"", "^", "", "=", ""};
	static const char *const after[] = {"", "", "$", "", ""};

	if (e->verb == VERB_LABEL) {
		snprintf(text, 64, "%s", naive_labels[e->key].key);
		return;
	}
	if (e->verb == VERB_WHERE && e->how == NAIVE_RANGE) {
		snprintf(text, 64, "%s%s:%lld..%lldB", e->negated ? "!" : "",
			 naive_labels[e->key].key, (long long)e->low, (long long)e->high);
		return;
	}
	if (e->verb == VERB_WHERE) {
		snprintf(text, 64, "%s%s:%s%s%s", e->negated ? "!" : "",
			 naive_labels[e->key].key, before[e->how], e->text, after[e->how]);
		return;
	}
	snprintf(text, 64, "%s%s%s%s%s", e->negated ? "!" : "",
		 e->subject == SUBJECT_FN && e->how != NAIVE_BEGINS
			 ? ""
			 : subjects[e->subject],
		 before[e->how], e->text, after[e->how]);
}

/* ---- entries ---- */

static bool
any_matches(const struct naive_profile *p, const struct naive_event *ev,
	    const struct list *l, const struct naive_entry *e)
{
	for (unsigned i = 0; i < l->n; i++)
		if (frame_matches(e, &p->frame[ev->frame[l->place[i]]]))
			return true;
	return false;
}

static bool
leaf_matches(const struct naive_profile *p, const struct naive_event *ev,
	     const struct list *l, const struct naive_entry *e)
{
	return frame_matches(e, &p->frame[ev->frame[l->place[l->n - 1]]]);
}

/* Keeps the frames that match, or those that do not. */
static void
keep(const struct naive_profile *p, const struct naive_event *ev, struct list *l,
     const struct naive_entry *e, bool matching)
{
	struct list kept = {0};

	for (unsigned i = 0; i < l->n; i++)
		if (frame_matches(e, &p->frame[ev->frame[l->place[i]]]) == matching)
			kept.place[kept.n++] = l->place[i];
	*l = kept;
}

static void
collapse(const struct naive_profile *p, const struct naive_event *ev, struct list *l,
	 const struct naive_entry *e)
{
	struct list kept = {0};
	bool run = false;

	for (unsigned i = 0; i < l->n; i++) {
		bool matches = frame_matches(e, &p->frame[ev->frame[l->place[i]]]);
		if (!matches || !run)
			kept.place[kept.n++] = l->place[i];
		run = matches;
	}
	*l = kept;
}

/* Goes back to the first frame of the same function, and continues there. */
static void
collapse_recursion(const struct naive_profile *p, const struct naive_event *ev,
		   struct list *l, const struct naive_entry *e)
{
	struct list kept = {0};

	for (unsigned i = 0; i < l->n; i++) {
		const struct naive_frame *f = &p->frame[ev->frame[l->place[i]]];
		unsigned k = 0;
		while (k < kept.n &&
		       !naive_same_key(BY_FUNCTION, &p->frame[ev->frame[kept.place[k]]],
				       f))
			k++;
		if (k < kept.n && frame_matches(e, f))
			kept.n = k + 1;
		else
			kept.place[kept.n++] = l->place[i];
	}
	*l = kept;
}

static void
root(const struct naive_profile *p, const struct naive_event *ev, struct list *l,
     const struct naive_entry *e)
{
	struct list kept = {0};
	bool found = false;

	for (unsigned i = 0; i < l->n; i++) {
		found = found || frame_matches(e, &p->frame[ev->frame[l->place[i]]]);
		if (found)
			kept.place[kept.n++] = l->place[i];
	}
	*l = kept;
}

/* Returns false when the stack is dropped. */
static bool
apply(const struct naive_profile *p, const struct naive_event *ev, struct list *l,
      const struct naive_entry *e)
{
	switch (e->verb) {
	case VERB_INCLUDE:
		return any_matches(p, ev, l, e);
	case VERB_EXCLUDE:
		return !any_matches(p, ev, l, e);
	case VERB_INCLUDE_SELF:
		return leaf_matches(p, ev, l, e);
	case VERB_EXCLUDE_SELF:
		return !leaf_matches(p, ev, l, e);
	case VERB_HIDE:
		keep(p, ev, l, e, false);
		break;
	case VERB_SHOW:
		keep(p, ev, l, e, true);
		break;
	case VERB_COLLAPSE:
		collapse(p, ev, l, e);
		break;
	case VERB_COLLAPSE_RECURSION:
		collapse_recursion(p, ev, l, e);
		break;
	case VERB_ROOT:
		root(p, ev, l, e);
		break;
	case VERB_TRACK:
	case VERB_WHERE:
	case VERB_LABEL:
		break;
	}
	return l->n > 0;
}

/* Lists the visible frames of an event; returns false if it is not counted. */
static bool
frames_shown(const struct naive_profile *p, const struct naive_lens *lens,
	     const struct naive_event *ev, struct list *out)
{
	out->n = ev->n;
	for (unsigned i = 0; i < ev->n; i++)
		out->place[i] = i;
	for (unsigned i = 0; i < lens->n_entries && out->n; i++)
		if (!lens->entry[i].off && !apply(p, ev, out, &lens->entry[i]))
			return false;
	return out->n > 0;
}

static bool
track_shown(const struct naive_profile *p, const struct naive_lens *l, unsigned track)
{
	bool asked = false;

	for (unsigned i = 0; i < l->n_entries; i++) {
		const struct naive_entry *e = &l->entry[i];
		if (e->verb != VERB_TRACK || e->off)
			continue;
		asked = true;
		if (text_matches(e, p->track[track].name) != e->negated)
			return true;
	}
	return !asked;
}

/* ---- labels ---- */

const struct naive_label naive_labels[NAIVE_KEYS_OF_LABELS] = {
	{"state", false, "", {"run", "wait", "Wait!", ""}, {0}, {0}},
	{"worker", true, "", {"0", "1", "2", "-7"}, {0, 1, 2, -7}, {0, 1, 2, -7}},
	{"size", true, "kB", {"0 kB", "1 kB", "4 kB", "64 kB"}, {0, 1, 4, 64},
	 {0, 1024, 4096, 65536}},
};

static bool
label_matches(const struct naive_entry *e, const struct naive_event *ev)
{
	const struct naive_label *l = &naive_labels[e->key];
	char number[24];
	unsigned v = ev->label[e->key];

	if (!v--)
		return false;
	if (e->how == NAIVE_RANGE && l->is_number)
		return l->base[v] >= e->low && l->base[v] <= e->high;
	if (e->how == NAIVE_RANGE) /* such an expression matches no existing text */
		return false;
	snprintf(number, sizeof number, "%lld", (long long)l->number[v]);
	return text_matches(e, l->text[v]) ||
	       (l->is_number && e->how == NAIVE_WHOLE && !strcmp(number, e->text));
}

/* Returns the frame of a value, an existing or a new one. */
static uint8_t
label_frame(struct naive_profile *p, const struct naive_label *l, unsigned v)
{
	static char name[NAIVE_KEYS_OF_LABELS][NAIVE_VALUES][32];
	char *own = name[l - naive_labels][v];

	snprintf(own, sizeof name[0][0], "%s=%s", l->key, l->text[v]);
	struct naive_frame f = {.name = own, .file = "", .module = "", .kind = KIND_SYSTEM};
	for (unsigned i = 0; i < p->n_frames; i++)
		if (naive_same_key(BY_FUNCTION, &p->frame[i], &f) &&
		    p->frame[i].line.form == LINE_UNKNOWN)
			return (uint8_t)i;
	p->frame[p->n_frames] = f;
	return (uint8_t)p->n_frames++;
}

static void
regroup_event(struct naive_profile *p, const struct naive_lens *lens, struct naive_event *ev)
{
	uint8_t frames[NAIVE_DEEP];
	unsigned n = 0;

	for (unsigned i = 0; i < lens->n_entries; i++) {
		const struct naive_entry *e = &lens->entry[i];
		if (e->off)
			continue;
		if (e->verb == VERB_WHERE && label_matches(e, ev) == e->negated)
			ev->left_out = true;
		if (e->verb == VERB_LABEL && ev->label[e->key])
			frames[n++] = label_frame(p, &naive_labels[e->key],
						  ev->label[e->key] - 1u);
	}
	if (!ev->n)
		return;
	memmove(ev->frame + n, ev->frame, ev->n);
	memcpy(ev->frame, frames, n);
	ev->n += n;
}

void
naive_regroup(const struct naive_profile *p, const struct naive_lens *l,
	      struct naive_profile *out)
{
	*out = *p;
	for (unsigned i = 0; i < out->n_events; i++)
		regroup_event(out, l, &out->event[i]);
}

/* ---- time ---- */

static bool
group_span(const struct naive_profile *p, unsigned group, int64_t *start, int64_t *end)
{
	bool found = false;

	for (unsigned i = 0; i < p->n_events; i++) {
		const struct naive_event *e = &p->event[i];
		if (e->kind == NAIVE_TOTAL || p->track[e->track].group != group)
			continue;
		int64_t last = e->kind == NAIVE_STEP ? e->end : e->time;
		if (!found || e->time < *start)
			*start = e->time;
		if (!found || last > *end)
			*end = last;
		found = true;
	}
	return found;
}

static int64_t
moment(const struct naive_profile *p, const struct naive_lens *l, int64_t value)
{
	int64_t longest = 0, start = 0, end = 0;

	if (!l->percent)
		return value;
	for (unsigned g = 0; g < p->n_groups; g++)
		if (group_span(p, g, &start, &end) && end - start > longest)
			longest = end - start;
	return longest / 1000000000 * value + longest % 1000000000 * value / 1000000000;
}

bool
naive_range(const struct naive_profile *p, const struct naive_lens *l, unsigned group,
	    int64_t *from, int64_t *to)
{
	int64_t start = 0, end = 0;

	if (!l->has_from && !l->has_to)
		return false;
	(void)group_span(p, group, &start, &end);
	*from = start + (l->has_from ? moment(p, l, l->from) : 0);
	*to = INT64_MAX;
	if (l->has_to && !(l->percent && l->to >= 1000000000))
		*to = start + moment(p, l, l->to);
	if (l->has_from && l->percent && l->from >= 1000000000) /* the end of the run */
		*from = start + moment(p, l, 1000000000);
	return true;
}

bool
naive_event_in(const struct naive_event *e, bool whole, int64_t from, int64_t to,
	       enum naive_metric m, int64_t *value)
{
	bool begins =
		whole || (e->kind != NAIVE_TOTAL && e->time >= from && e->time < to);
	int64_t a = e->time, b = e->end;

	*value = 0;
	if (e->kind != NAIVE_STEP || m != NAIVE_TIME) {
		*value = begins ? e->value[m] : 0;
		if (e->kind != NAIVE_STEP)
			return begins;
	}
	if (!whole) {
		a = a < from ? from : a;
		b = b > to ? to : b;
	}
	if (m == NAIVE_TIME && b > a)
		*value = b - a;
	return begins || b > a;
}

/* ---- sums ---- */

bool
naive_same_key(enum granularity by, const struct naive_frame *a,
	       const struct naive_frame *b)
{
	switch (by) {
	case BY_FUNCTION:
		return !strcmp(a->name, b->name) && !strcmp(a->file, b->file) &&
		       !strcmp(a->module, b->module) && a->defined == b->defined &&
		       a->kind == b->kind;
	case BY_LINE:
		return naive_same_key(BY_FUNCTION, a, b) &&
		       a->line.form == b->line.form && a->line.number == b->line.number &&
		       a->line.clause == b->line.clause;
	case BY_ADDRESS:
		return naive_same_key(BY_LINE, a, b) && a->address == b->address;
	case BY_FILE:
		return !strcmp(a->file, b->file);
	case BY_MODULE:
		return !strcmp(a->module, b->module);
	}
	return false;
}

static unsigned
child(struct naive_fold *f, unsigned parent, unsigned key)
{
	for (unsigned i = 1; i < f->n_nodes; i++)
		if (f->node[i].parent == parent && f->node[i].key == key)
			return i;
	f->node[f->n_nodes] = (struct naive_node){.parent = parent, .key = key};
	return f->n_nodes++;
}

/* The contribution of an event: to each of its frames, and to the frame that recorded it. */
struct addition {
	int64_t value, calls, lines;
};

static void
add_to_tree(struct naive_fold *f, const unsigned *keys, unsigned n, bool invert,
	    const struct addition *a)
{
	unsigned node = 0;

	f->node[0].x.total += a->value;
	f->node[0].x.present = true;
	for (unsigned i = 0; i < n; i++) {
		node = child(f, node, keys[invert ? n - 1 - i : i]);
		f->node[node].x.total += a->value;
		f->node[node].x.present = true;
		if (invert) { /* the calls of the leaf count for all its callers */
			f->node[node].x.calls += a->calls;
			f->node[node].x.lines += a->lines;
		}
	}
	f->node[node].x.self += a->value;
	if (!invert) {
		f->node[node].x.calls += a->calls;
		f->node[node].x.lines += a->lines;
	}
}

static void
add_to_rows(struct naive_fold *f, const unsigned *keys, unsigned n,
	    const struct addition *a)
{
	bool seen[NAIVE_KEYS] = {false};

	for (unsigned i = 0; i < n; i++) {
		struct naive_numbers *row = &f->row[keys[i]];
		row->present = true;
		if (!seen[keys[i]])
			row->total += a->value;
		seen[keys[i]] = true;
	}
	f->row[keys[n - 1]].self += a->value;
	f->row[keys[n - 1]].calls += a->calls;
	f->row[keys[n - 1]].lines += a->lines;
}

/* By module: a run of frames of one module becomes its first frame; frames without a module
 * stay. */
static void
join_modules(const struct naive_profile *p, const struct naive_event *e, struct list *l)
{
	struct list kept = {0};
	const char *above = "";

	for (unsigned i = 0; i < l->n; i++) {
		const char *module = p->frame[e->frame[l->place[i]]].module;
		if (!*module || strcmp(module, above))
			kept.place[kept.n++] = l->place[i];
		above = module;
	}
	*l = kept;
}

static void
add_event(const struct naive_profile *p, const struct naive_lens *l, struct naive_fold *f,
	  const struct naive_event *e)
{
	struct addition a = {0};
	struct list shown;
	unsigned keys[NAIVE_DEEP];
	int64_t from = 0, to = 0;
	bool whole = !naive_range(p, l, p->track[e->track].group, &from, &to);

	if (e->kind == NAIVE_POINT || !e->n || !track_shown(p, l, e->track) ||
	    !naive_event_in(e, whole, from, to, l->metric, &a.value))
		return;
	f->everything += a.value;
	if (e->left_out || !frames_shown(p, l, e, &shown))
		return;
	if (l->by == BY_MODULE)
		join_modules(p, e, &shown);
	if (shown.place[shown.n - 1] == e->n - 1) { /* the frame that was entered */
		naive_event_in(e, whole, from, to, p->calls_metric, &a.calls);
		naive_event_in(e, whole, from, to, NAIVE_LINES, &a.lines);
	} else if (p->has_calls && l->metric == p->calls_metric) {
		a.value = 0; /* a call of a hidden frame is not moved to another one */
	}
	for (unsigned i = 0; i < shown.n; i++)
		keys[i] = f->key_of[e->frame[shown.place[i]]];
	add_to_tree(f, keys, shown.n, l->invert, &a);
	add_to_rows(f, keys, shown.n, &a);
}

void
naive_fold(const struct naive_profile *p, const struct naive_lens *l,
	   struct naive_fold *out)
{
	memset(out->row, 0, sizeof out->row);
	out->node[0] = (struct naive_node){0};
	out->n_nodes = 1;
	out->everything = 0;
	for (unsigned i = 0; i < p->n_frames; i++) {
		out->key_of[i] = i;
		for (unsigned k = i; k-- > 0;)
			if (naive_same_key(l->by, &p->frame[i], &p->frame[k]))
				out->key_of[i] = k;
	}
	for (unsigned i = 0; i < p->n_events; i++)
		add_event(p, l, out, &p->event[i]);
}
