/* labels.h - what events say beside their stack: `worker=3`, `bytes=1048576`, `state=waiting`.
 *
 * A label is a key and a value, which is text or a number with a unit.  A *label set* is what
 * one event has of them: a sorted list without doubles.  Labels and sets are interned: equal
 * contents are equal ids, so that an event keeps one number, and what is asked of labels is
 * asked once for each set. */
#ifndef PNAV_MODEL_LABELS_H
#define PNAV_MODEL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/profile/names.h"

typedef uint32_t label_id;
typedef uint32_t labels_id;
#define LABELS_NONE ((labels_id)0) /* the empty set: exists from the start */

struct label {
	name_id key;
	bool is_number;
	name_id text;   /* the value, where it is no number */
	int64_t number; /* else this */
	name_id unit;   /* of the number, as the file writes it; NAME_EMPTY: none */
};

struct labels {
	struct label *label;
	uint32_t n_labels, labels_cap;
	struct map label_map;
	uint32_t *first; /* [set] where its labels begin in `of`; [n_sets] the end */
	uint32_t n_sets, sets_cap;
	label_id *of;
	uint32_t n_of, of_cap;
	struct map set_map;
};

void labels_init(struct labels *t);
void labels_release(struct labels *t);
void labels_copy(struct labels *to, const struct labels *from); /* `to` is uninitialised */
/* The id of a label, new or known. */
label_id labels_put(struct labels *t, struct label label);
/* The set of these labels, in any order and with doubles; id[] is sorted on return. */
labels_id labels_set(struct labels *t, label_id *id, size_t n);
/* The labels of a set, by key, then value, in the order in which they came up first; valid
 * until the next set is made. */
const label_id *labels_get(const struct labels *t, labels_id set, uint32_t *n);
/* The label of this key in a set; false where it has none.  Of several the first. */
bool labels_find(const struct labels *t, labels_id set, name_id key, struct label *out);
/* Appends a label's value as people read it: the text, or the number and its unit. */
void label_write_value(struct buf *out, const struct names *names, const struct label *l);

#endif
