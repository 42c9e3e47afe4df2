/* Samples of one thread have byte-identical labels: a set is looked up by its bytes in the
 * file, and parsed once.
 *
 * The key that names threads is known only after all keys: the first one of a list that any
 * sample has.  A name with an id becomes `NAME ID`, the name of threads in other formats. */
#include "src/decode/pprof/pprof_labels.h"

#include <stdlib.h>
#include <string.h>

#include "src/input/hash.h"

static const char *const name_keys[] = {"thread", "thread_name", "thread name", NULL};
static const char *const id_keys[] = {"thread_id", "thread id", "tid", NULL};
static const char *const goroutine_keys[] = {"goroutine", NULL};

void
pprof_labels_init(struct pprof_labels *l, struct builder *b, struct pprof_tables *t)
{
	*l = (struct pprof_labels){.b = b, .t = t};
}

void
pprof_labels_release(struct pprof_labels *l)
{
	vec_release_all(&l->known, &l->track, &l->label, &l->id);
	text_cache_release(&l->cache);
	text_cache_release(&l->track_cache);
	buf_release(&l->text);
}

/* ---- which keys name threads ---- */

/* Returns the position of a name in a list; more than the last if it is missing. */
static unsigned
rank(const struct pprof_labels *l, const char *const *list, name_id key)
{
	struct name n = builder_name_get(l->b, key);
	unsigned i = 0;

	while (list[i] && (strlen(list[i]) != n.len || memcmp(list[i], n.at, n.len)))
		i++;
	return list[i] ? i : UINT32_MAX;
}

/* Returns true if a string of the file is a key that names threads. */
static bool
is_wanted(const struct pprof_labels *l)
{
	const char *const *const lists[] = {name_keys, id_keys, goroutine_keys};

	for (size_t i = 0; i < l->t->string.n; i++)
		for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
			if (rank(l, lists[k], l->t->string.at[i]) != UINT32_MAX)
				return true;
	return false;
}

static void
prefer(const struct pprof_labels *l, const char *const *list, name_id key, name_id *known)
{
	unsigned is = rank(l, list, key);

	if (is != UINT32_MAX && (*known == NAME_EMPTY || is < rank(l, list, *known)))
		*known = key;
}

void
pprof_labels_keys(struct pprof_labels *l)
{
	if (!is_wanted(l))
		return;
	for (size_t i = 0; i < l->t->keys.key.n; i++) {
		const struct pprof_key *k = &l->t->keys.key.at[i];
		name_id key = pprof_string(l->t, k->string);
		if (k->string >= l->t->string.n && k->string)
			l->t->strings_missing += k->n - 1; /* one was counted */
		prefer(l, name_keys, key, &l->name_key);
		prefer(l, id_keys, key, &l->id_key);
		prefer(l, goroutine_keys, key, &l->goroutine_key);
	}
}

/* ---- one set ---- */

/* Returns false for a label without a value. */
static bool
read_label(struct pprof_labels *l, const struct proto_field *f, struct pprof_label *out)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	uint64_t value[5] = {0};
	unsigned there = 0;

	while (proto_next(&p, &in))
		if (in.number < 5 && in.type == PROTO_VARINT) {
			value[in.number] = in.value;
			there |= 1u << in.number;
		}
	if (p.c.bad || !(there & (1u << 2 | 1u << 3 | 1u << 4)))
		return false;
	*out = (struct pprof_label){.key = pprof_string(l->t, value[1]),
				    .is_number = !value[2] && there & (1u << 3 | 1u << 4),
				    .number = (int64_t)value[3]};
	if (out->is_number)
		out->unit = pprof_string(l->t, value[4]);
	else
		out->text = pprof_string(l->t, value[2]);
	return true;
}

static void
pprof_add_value(const struct pprof_labels *l, struct buf *out, const struct pprof_label *label)
{
	struct name n = builder_name_get(l->b, label->is_number ? label->unit : label->text);

	if (label->is_number)
		buf_addf(out, "%lld%s", (long long)label->number, n.len ? " " : "");
	buf_add(out, n.at, n.len);
}

static name_id
value_name(struct pprof_labels *l, const struct pprof_label *label)
{
	buf_reset(&l->text);
	pprof_add_value(l, &l->text, label);
	return builder_name(l->b, buf_str(&l->text), l->text.len);
}

static int
compare(struct name a, struct name b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.at, b.at, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Joins several values of one key to one text: sorted by bytes, separated by commas. */
static void
join(struct pprof_labels *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->label.n; i++) {
		VEC(name_id) value = VEC_INIT;
		struct pprof_label one = l->label.at[i];
		bool before = false;
		for (size_t k = 0; k < kept; k++)
			before |= l->label.at[k].key == one.key;
		if (before)
			continue;
		for (size_t k = i; k < l->label.n; k++)
			if (l->label.at[k].key == one.key)
				*vec_push(&value) = value_name(l, &l->label.at[k]);
		for (size_t k = 1; k < value.n; k++) {
			name_id moving = value.at[k];
			size_t at = k;
			for (; at && compare(builder_name_get(l->b, value.at[at - 1]),
					     builder_name_get(l->b, moving)) > 0;
			     at--)
				value.at[at] = value.at[at - 1];
			value.at[at] = moving;
		}
		buf_reset(&l->text);
		for (size_t k = 0; k < value.n; k++) {
			struct name n = builder_name_get(l->b, value.at[k]);
			buf_adds(&l->text, k ? "," : "");
			buf_add(&l->text, n.at, n.len);
		}
		if (value.n > 1) {
			one.is_number = false;
			one.text = builder_name(l->b, buf_str(&l->text), l->text.len);
		}
		vec_release(&value);
		l->label.at[kept++] = one;
	}
	l->label.n = kept;
}

static const struct pprof_label *
label_of(const struct pprof_labels *l, name_id key)
{
	for (size_t i = 0; i < l->label.n && key != NAME_EMPTY; i++)
		if (l->label.at[i].key == key)
			return &l->label.at[i];
	return NULL;
}

static uint32_t
track_named(struct pprof_labels *l, const char *name, size_t len)
{
	struct hash128 hash = hash128(name, len);
	uint32_t *known = text_cache_find(&l->track_cache, hash);

	if (*known)
		return *known - 1;
	*vec_push(&l->track) = builder_track(l->b, name, len, TRACK_THREAD);
	text_cache_put(&l->track_cache, known, hash, (uint32_t)l->track.n);
	return (uint32_t)l->track.n - 1;
}

/* Some names end in the id already. */
static void
add_id(struct pprof_labels *l, bool named, const struct pprof_label *id, struct buf *text)
{
	size_t before = text->len;

	buf_adds(text, named ? " " : "thread ");
	pprof_add_value(l, text, id);
	size_t n = text->len - before;
	if (named && before > n && !memcmp(text->at + before - n, text->at + before, n))
		text->len = before;
}

static uint32_t
pprof_track_of(struct pprof_labels *l)
{
	const struct pprof_label *name = label_of(l, l->name_key);
	const struct pprof_label *id = label_of(l, l->id_key);
	const struct pprof_label *goroutine = label_of(l, l->goroutine_key);
	struct buf text = BUF_INIT;

	if (name && name->is_number)
		buf_adds(&text, "thread ");
	if (name)
		pprof_add_value(l, &text, name);
	if (id)
		add_id(l, name != NULL, id, &text);
	if (!name && !id && goroutine) {
		buf_adds(&text, "goroutine ");
		pprof_add_value(l, &text, goroutine);
	}
	if (!text.len)
		buf_adds(&text, "main");
	uint32_t track = track_named(l, buf_str(&text), text.len);
	buf_release(&text);
	return track;
}

static struct pprof_label_set
take_apart(struct pprof_labels *l, const void *raw, size_t len)
{
	struct proto p = proto_over(raw, len);
	struct proto_field f;
	struct pprof_label label;

	l->label.n = l->id.n = 0;
	while (proto_next(&p, &f))
		if (read_label(l, &f, &label))
			*vec_push(&l->label) = label;
	join(l);
	for (size_t i = 0; i < l->label.n; i++) {
		const struct pprof_label *one = &l->label.at[i];
		*vec_push(&l->id) =
			one->is_number
				? builder_label_number(l->b, one->key, one->number, one->unit)
				: builder_label_text(l->b, one->key, one->text);
	}
	return (struct pprof_label_set){.set = l->id.n ? builder_labels(l->b, l->id.at, l->id.n)
						       : LABELS_NONE,
					.track = pprof_track_of(l)};
}

struct pprof_label_set
pprof_labels_of(struct pprof_labels *l, const void *raw, size_t len)
{
	struct hash128 hash = hash128(len ? raw : "", len);
	uint32_t *known = text_cache_find(&l->cache, hash);

	if (*known)
		return l->known.at[*known - 1];
	struct pprof_label_set set = take_apart(l, raw, len);
	*vec_push(&l->known) = set;
	text_cache_put(&l->cache, known, hash, (uint32_t)l->known.n);
	return set;
}

bool
pprof_labels_known(struct pprof_labels *l, const void *raw, size_t len,
		   struct pprof_label_set *out)
{
	uint32_t known = *text_cache_find(&l->cache, hash128(len ? raw : "", len));

	if (known)
		*out = l->known.at[known - 1];
	else
		l->cache.asked--; /* pprof_labels_of() follows */
	return known;
}
