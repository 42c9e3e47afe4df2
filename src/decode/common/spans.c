#include "src/decode/common/spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/spans_inside.h"
#include "src/input/hash.h"

/* Collects spans: their attributes become labels at once, since a file has few different ones. A
 * finished span has 96 bytes, so a file of JSON needs less memory than its size.
 *
 * Ids are compared by 64 bits of their hash: no table of texts is kept. The last reference to a
 * parent may precede it in the file, so parents are found at the end (spans_parents.c). */

static const char *const key_names[SPAN_KEY_COUNT] = {
#define SPAN_KEY_NAME(key, name) [SPAN_KEY_##key] = (name),
	SPAN_KEYS(SPAN_KEY_NAME)
#undef SPAN_KEY_NAME
};

void
spans_init(struct spans *s, struct input *in, struct builder *b)
{
	*s = (struct spans){.in = in, .b = b, .text = BUF_INIT};
	map_init(&s->span_of);
	map_init(&s->trace_of);
	s->keys.first = UINT32_MAX;
	for (unsigned i = 0; i < SPAN_KEY_COUNT; i++) {
		name_id key = builder_name(b, key_names[i], strlen(key_names[i]));
		s->keys.at[i] = key;
		s->keys.first = key < s->keys.first ? key : s->keys.first;
		s->keys.last = key > s->keys.last ? key : s->keys.last;
	}
}

void
spans_release(struct spans *s)
{
	vec_release_all(&s->value.of, &s->drafts, &s->label, &s->mark, &s->ref, &s->span,
			&s->track, &s->trace);
	map_release(&s->span_of);
	map_release(&s->trace_of);
	buf_release(&s->text);
}

/* ---- ids ---- */

#define ID_TEXT_MAX 64u /* longer ids are hashed as they are */

/* Copies the text in lower case. */
static size_t
id_lower(char *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 32) : text[i];
	return len;
}

uint64_t
spans_id(const char *text, size_t len)
{
	char copy[ID_TEXT_MAX];

	while (len && *text == '0') {
		text++;
		len--;
	}
	if (!len)
		return 0;
	uint64_t hash = len > sizeof copy ? hash64(text, len)
					  : hash64(copy, id_lower(copy, text, len));
	return hash ? hash : 1;
}

name_id
spans_trace_name(struct spans *s, const char *text, size_t len)
{
	char copy[ID_TEXT_MAX];

	return len > sizeof copy ? builder_name(s->b, text, len)
				 : builder_name(s->b, copy, id_lower(copy, text, len));
}

/* ---- drafts ---- */

struct span_draft *
spans_begin(struct spans *s)
{
	s->own.n = 0;
	s->draft = (struct span_draft){
		.first_label = (uint32_t)s->label.n,
		.first_mark = (uint32_t)s->mark.n,
		.first_ref = (uint32_t)s->ref.n,
	};
	return &s->draft;
}

static void
labels_add(struct spans *s, struct span_labels *of, name_id key, label_id id)
{
	for (uint32_t i = 0; i < of->n; i++)
		if (of->at[i].key == key) {
			of->at[i].id = id;
			return;
		}
	if (of->n == SPANS_LABELS_MAX)
		s->counts.not_shown++;
	else
		of->at[of->n++] = (struct span_label){key, id};
}

static name_id
value_text(struct spans *s, struct span_value v)
{
	if (!v.is_number)
		return v.text;
	buf_reset(&s->text);
	buf_addf(&s->text, "%" PRId64, v.number);
	return builder_name(s->b, buf_str(&s->text), s->text.len);
}

void
spans_attribute(struct spans *s, struct span_labels *of, name_id key, struct span_value v)
{
	label_id id = v.is_number ? builder_label_number(s->b, key, v.number, NAME_EMPTY)
				  : builder_label_text(s->b, key, v.text);

	labels_add(s, of, key, id);
	if (key < s->keys.first || key > s->keys.last)
		return;
	for (unsigned i = 0; i < SPAN_KEY_COUNT; i++) {
		if (key != s->keys.at[i])
			continue;
		if (of == &s->owner)
			s->owner_text[i] = value_text(s, v);
		else if ((i == SPAN_KEY_FILE_PATH || i == SPAN_KEY_FILE_OLD) && !v.is_number)
			s->draft.file = v.text;
		else if ((i == SPAN_KEY_LINE_NUMBER || i == SPAN_KEY_LINE_OLD) && v.is_number)
			s->draft.line = v.number;
	}
}

void
spans_mark(struct spans *s, int64_t time, name_id name, labels_id labels)
{
	*vec_push(&s->mark) = (struct spans_mark){.time = time, .name = name, .labels = labels};
}

void
spans_refer(struct spans *s, struct span_id to)
{
	*vec_push(&s->ref) = to;
}

void
spans_end(struct spans *s)
{
	struct span_draft *d = vec_push(&s->drafts);

	*d = s->draft;
	d->n_marks = (uint32_t)s->mark.n - d->first_mark;
	d->n_refs = (uint32_t)s->ref.n - d->first_ref;
	d->n_labels = s->own.n;
	vec_reserve(&s->label, s->label.n + s->own.n);
	for (uint32_t i = 0; i < s->own.n; i++)
		s->label.at[s->label.n++] = s->own.at[i];
}

/* ---- tracks and traces ---- */

uint32_t
spans_track(struct spans *s, name_id service, name_id instance)
{
	if (service == NAME_EMPTY)
		service = builder_name(s->b, "[unknown service]", 17);
	for (size_t i = s->track.n; i--;)
		if (s->track.at[i].service == service && s->track.at[i].instance == instance)
			return (uint32_t)i;
	*vec_push(&s->track) = (struct spans_track){.service = service, .instance = instance};
	return (uint32_t)s->track.n - 1;
}

uint32_t
spans_owner_track(struct spans *s)
{
	const name_id *of = s->owner_text;
	name_id instance = of[SPAN_KEY_INSTANCE];

	instance = instance != NAME_EMPTY ? instance : of[SPAN_KEY_POD];
	if (instance == NAME_EMPTY && of[SPAN_KEY_HOST] != NAME_EMPTY &&
	    of[SPAN_KEY_PID] != NAME_EMPTY) {
		struct name host = builder_name_get(s->b, of[SPAN_KEY_HOST]);
		struct name pid = builder_name_get(s->b, of[SPAN_KEY_PID]);
		buf_reset(&s->text);
		buf_add(&s->text, host.at, host.len);
		buf_addc(&s->text, ':');
		buf_add(&s->text, pid.at, pid.len);
		instance = builder_name(s->b, buf_str(&s->text), s->text.len);
	} else if (instance == NAME_EMPTY) {
		instance = of[SPAN_KEY_HOST] != NAME_EMPTY ? of[SPAN_KEY_HOST] : of[SPAN_KEY_PID];
	}
	return spans_track(s, of[SPAN_KEY_SERVICE], instance);
}

static uint32_t
trace_of(struct spans *s, const struct span_draft *d)
{
	uint32_t slot, i;

	if (s->trace.n) {
		slot = map_first(&s->trace_of, d->id.trace);
		while (map_probe(&s->trace_of, &slot, d->id.trace, &i))
			if (s->trace.at[i].id == d->id.trace)
				return i;
	}
	i = (uint32_t)s->trace.n;
	map_insert(&s->trace_of, d->id.trace, i);
	struct spans_trace t = {
		.id = d->id.trace,
		.name = d->trace,
		.root = SPAN_NONE,
		.start = INT64_MAX,
		.end = INT64_MIN,
	};
	if (t.id)
		t.label = builder_label_text(s->b, s->keys.at[SPAN_KEY_TRACE], d->trace);
	*vec_push(&s->trace) = t;
	return i;
}

/* ---- finishing ---- */

static void
word_label(struct spans *s, struct span_labels *of, enum span_key key, const char *word)
{
	name_id id = s->keys.at[key], text = builder_name(s->b, word, strlen(word));

	labels_add(s, of, id, builder_label_text(s->b, id, text));
}

/* Returns the labels of a span: of its owner, its own, and those that the format has as members. */
static labels_id
span_labels_of(struct spans *s, const struct span_draft *d, uint32_t trace)
{
	static const char *const kinds[SPAN_KINDS] = {
		[SPAN_INTERNAL] = "internal", [SPAN_SERVER] = "server",
		[SPAN_CLIENT] = "client",     [SPAN_PRODUCER] = "producer",
		[SPAN_CONSUMER] = "consumer",
	};
	struct span_labels all;
	label_id id[SPANS_LABELS_MAX];

	all.n = 0;
	if (d->id.trace)
		labels_add(s, &all, s->keys.at[SPAN_KEY_TRACE], s->trace.at[trace].label);
	if (d->kind && d->kind < SPAN_KINDS)
		word_label(s, &all, SPAN_KEY_KIND, kinds[d->kind]);
	if (d->bits & (SPAN_ERROR | SPAN_OK))
		word_label(s, &all, SPAN_KEY_STATUS, d->bits & SPAN_ERROR ? "error" : "ok");
	for (uint32_t i = 0; i < s->owner.n; i++)
		labels_add(s, &all, s->owner.at[i].key, s->owner.at[i].id);
	for (uint32_t i = 0; i < d->n_labels; i++)
		labels_add(s, &all, s->label.at[d->first_label + i].key,
			   s->label.at[d->first_label + i].id);
	for (uint32_t i = 0; i < all.n; i++)
		id[i] = all.at[i].id;
	return builder_labels(s->b, id, all.n);
}

static frame_id
span_frame(struct spans *s, const struct span_draft *d)
{
	struct function f = {
		.name = d->name != NAME_EMPTY ? d->name : builder_name(s->b, "(unnamed)", 9),
		.file = d->file,
		.module = d->module,
		.kind = KIND_USER,
	};
	bool line = d->line > 0 && d->line <= UINT32_MAX;

	return builder_frame(s->b, builder_function(s->b, f),
			     line ? line_plain((uint32_t)d->line) : line_unknown());
}

/* Returns true if the span is one that the file has already. Else it becomes the last of its id. */
static bool
is_duplicate(struct spans *s, struct spans_one *x)
{
	uint64_t hash = spans_hash(x->id);
	uint32_t before = spans_find(s, x->id);

	x->same = before;
	for (uint32_t i = before; i != SPAN_NONE; i = s->span.at[i].same) {
		const struct spans_one *y = &s->span.at[i];
		if (y->track == x->track && y->start == x->start && y->end == x->end &&
		    y->frame == x->frame && y->bits == x->bits)
			return true;
	}
	if (before == SPAN_NONE) {
		map_insert(&s->span_of, hash, (uint32_t)s->span.n);
	} else { /* the first stays in the map, the others follow it */
		x->same = s->span.at[before].same;
		s->span.at[before].same = (uint32_t)s->span.n;
	}
	return false;
}

/* Enters a span into the facts of its trace. */
static void
trace_add(struct spans_trace *t, const struct spans_one *x, uint32_t i)
{
	t->n++;
	t->errors += x->bits & SPAN_ERROR ? 1 : 0;
	t->start = x->start < t->start ? x->start : t->start;
	t->end = x->end > t->end ? x->end : t->end;
	if (!x->parent && !(x->bits & SPAN_BY_REFERENCE && x->n_refs) && t->root == SPAN_NONE)
		t->root = i;
}

void
spans_seal_one(struct spans *s, size_t draft, uint32_t track)
{
	const struct span_draft *d = &s->drafts.at[draft];

	for (uint32_t i = 0; i < d->n_marks; i++)
		s->mark.at[d->first_mark + i].track = track;
	if (d->bits & SPAN_TIMELESS) {
		s->counts.no_time++;
		return;
	}
	if (d->start < 0 || d->start > SPANS_TIME_MAX || d->end > SPANS_TIME_MAX) {
		builder_warn(s->b, "spans with impossible times, left out");
		return;
	}
	uint32_t trace = trace_of(s, d);
	struct spans_one x = {
		.id = d->id,
		.parent = d->parent,
		.start = d->start,
		.end = d->end > d->start ? d->end : d->start,
		.track = track,
		.frame = span_frame(s, d),
		.first_ref = d->first_ref,
		.n_refs = d->n_refs,
		.up = SPAN_NONE,
		.bits = d->bits,
	};
	if (is_duplicate(s, &x)) {
		s->counts.duplicates++;
		for (uint32_t i = 0; i < d->n_marks; i++)
			s->mark.at[d->first_mark + i].track = SPAN_NONE;
		return;
	}
	s->counts.negative += d->end < d->start && !(d->bits & SPAN_UNFINISHED);
	s->counts.errors += d->bits & SPAN_ERROR ? 1 : 0;
	x.labels = span_labels_of(s, d, trace);
	trace_add(&s->trace.at[trace], &x, (uint32_t)s->span.n);
	if (d->value)
		*vec_push(&s->value.of) = (struct spans_value){(uint32_t)s->span.n, d->value};
	*vec_push(&s->span) = x;
}

void
spans_sealed(struct spans *s)
{
	s->drafts.n = 0;
	s->label.n = 0;
}

void
spans_owner_reset(struct spans *s)
{
	s->owner.n = 0;
	memset(s->owner_text, 0, sizeof s->owner_text);
}

void
spans_seal(struct spans *s)
{
	uint32_t track = s->drafts.n ? spans_owner_track(s) : SPAN_NONE;

	for (size_t i = 0; i < s->drafts.n; i++)
		spans_seal_one(s, i, track);
	spans_sealed(s);
	spans_owner_reset(s);
}
