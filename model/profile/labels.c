#include "model/profile/labels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Sets are stored one after the other in one array of label ids, and found by a hash of these. A
 * set is sorted by the labels' keys and then by label ids, which are in order of appearance. So
 * labels of one key are adjacent, and equal sets have equal bytes. */

void
labels_init(struct labels *t)
{
	*t = (struct labels){0};
	map_init(&t->label_map);
	map_init(&t->set_map);
	vec_room(t->first, t->sets_cap, 2);
	t->first[0] = t->first[1] = 0;
	t->n_sets = 1;
}

void
labels_release(struct labels *t)
{
	free(t->label);
	free(t->first);
	free(t->of);
	map_release(&t->label_map);
	map_release(&t->set_map);
	*t = (struct labels){0};
}

void
labels_copy(struct labels *to, const struct labels *from)
{
	*to = (struct labels){.n_labels = from->n_labels, .labels_cap = from->n_labels,
			      .n_sets = from->n_sets, .sets_cap = from->n_sets + 1,
			      .n_of = from->n_of, .of_cap = from->n_of};
	to->label = mem_copy(from->label, from->n_labels, sizeof *from->label);
	to->first = mem_copy(from->first, (size_t)from->n_sets + 1, sizeof *from->first);
	to->of = mem_copy(from->of, from->n_of, sizeof *from->of);
	map_copy(&to->label_map, &from->label_map);
	map_copy(&to->set_map, &from->set_map);
}

static bool
label_equal(const struct label *a, const struct label *b)
{
	if (a->key != b->key || a->is_number != b->is_number)
		return false;
	return a->is_number ? a->number == b->number && a->unit == b->unit : a->text == b->text;
}
static uint64_t
hash_label(const struct label *l)
{
	const uint64_t key[] = {l->key, l->is_number,
				l->is_number ? (uint64_t)l->number : l->text,
				l->is_number ? l->unit : NAME_EMPTY};

	return XXH3_64bits(key, sizeof key);
}

static label_id
find_label(const struct labels *t, const struct label *l)
{
	uint64_t hash = hash_label(l);
	uint32_t slot = map_first(&t->label_map, hash), i;

	while (map_probe(&t->label_map, &slot, hash, &i))
		if (label_equal(&t->label[i], l))
			return i;
	return LABEL_NONE;
}

label_id
labels_put(struct labels *t, struct label label)
{
	uint64_t hash = hash_label(&label);
	label_id known = find_label(t, &label);

	if (known != LABEL_NONE)
		return known;
	vec_room(t->label, t->labels_cap, t->n_labels + 1);
	t->label[t->n_labels] = label;
	map_insert(&t->label_map, hash, t->n_labels);
	return t->n_labels++;
}

label_id
labels_unfinished(const struct labels *t, const struct names *names)
{
	struct label l = {
		.key = names_find(names, LABEL_UNFINISHED, strlen(LABEL_UNFINISHED)),
		.text = names_find(names, LABEL_UNFINISHED_YES, strlen(LABEL_UNFINISHED_YES)),
	};

	return l.key == UINT32_MAX || l.text == UINT32_MAX ? LABEL_NONE : find_label(t, &l);
}

bool
labels_have(const struct labels *t, labels_id set, label_id id)
{
	uint32_t n;
	const label_id *at = labels_get(t, set, &n);

	for (uint32_t i = 0; i < n; i++)
		if (at[i] == id)
			return true;
	return false;
}

static bool
comes_before(const struct labels *t, label_id a, label_id b)
{
	name_id x = t->label[a].key, y = t->label[b].key;

	return x != y ? x < y : a < b;
}

/* Sorts a set by insertion, since sets are small, and removes duplicates. Returns how many
 * remain. */
static size_t
sort_labels(const struct labels *t, label_id *id, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		label_id next = id[i];
		size_t at = kept;
		while (at && comes_before(t, next, id[at - 1]))
			at--;
		if (at && id[at - 1] == next)
			continue;
		memmove(id + at + 1, id + at, (kept - at) * sizeof *id);
		id[at] = next;
		kept++;
	}
	return kept;
}

labels_id
labels_set(struct labels *t, label_id *id, size_t n)
{
	n = sort_labels(t, id, n);
	if (!n)
		return LABELS_NONE;
	uint64_t hash = XXH3_64bits(id, n * sizeof *id);
	uint32_t slot = map_first(&t->set_map, hash), i;

	while (map_probe(&t->set_map, &slot, hash, &i))
		if (t->first[i + 1] - t->first[i] == n &&
		    !memcmp(t->of + t->first[i], id, n * sizeof *id))
			return i;
	vec_room(t->of, t->of_cap, t->n_of + n);
	memcpy(t->of + t->n_of, id, n * sizeof *id);
	t->n_of += (uint32_t)n;
	vec_room(t->first, t->sets_cap, t->n_sets + 2);
	t->first[t->n_sets + 1] = t->n_of;
	map_insert(&t->set_map, hash, t->n_sets);
	return t->n_sets++;
}

const label_id *
labels_get(const struct labels *t, labels_id set, uint32_t *n)
{
	assert(set < t->n_sets);
	*n = t->first[set + 1] - t->first[set];
	return *n ? t->of + t->first[set] : NULL;
}

bool
labels_find(const struct labels *t, labels_id set, name_id key, struct label *out)
{
	uint32_t n;
	const label_id *id = labels_get(t, set, &n);

	for (uint32_t i = 0; i < n; i++)
		if (t->label[id[i]].key == key) {
			*out = t->label[id[i]];
			return true;
		}
	return false;
}

bool
label_number(const struct names *names, const struct label *l, double *out)
{
	char text[64], *end;

	*out = (double)l->number;
	if (l->is_number)
		return true;
	struct name n = names_get(names, l->text);
	if (!n.len || n.len >= sizeof text || strspn(n.at, "+-.0123456789eE") < n.len)
		return false;
	memcpy(text, n.at, n.len);
	text[n.len] = '\0';
	*out = strtod(text, &end);
	return !*end && isfinite(*out);
}

void
label_write_value(struct buf *out, const struct names *names, const struct label *l)
{
	struct name text = names_get(names, l->is_number ? l->unit : l->text);

	if (l->is_number)
		buf_addf(out, "%" PRId64 "%s", l->number, text.len ? " " : "");
	buf_add(out, text.at, text.len);
}
