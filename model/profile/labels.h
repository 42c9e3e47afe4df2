/* labels.h - attributes of events beside their stack: `worker=3`, `bytes=1048576`,
 * `state=waiting`.
 *
 * A label is a key and a value, which is text or a number with a unit. A *label set* is the
 * labels of one event: a sorted list without duplicates. Labels and sets are interned: equal
 * contents have equal ids. So an event stores one number, and code that tests labels tests each
 * set once. */
#ifndef PNAV_MODEL_PROFILE_LABELS_H
#define PNAV_MODEL_PROFILE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/profile/names.h"

typedef uint32_t label_id;
typedef uint32_t labels_id;
#define LABEL_NONE UINT32_MAX     /* no label */
#define LABELS_NONE ((labels_id)0) /* the empty set: exists from the start */

/* The label of slices whose end the file lacks. */
#define LABEL_UNFINISHED "unfinished"
#define LABEL_UNFINISHED_YES "yes"

struct label {
	name_id key;
	bool is_number;
	name_id text;   /* the value, if it is not a number */
	int64_t number; /* the value, if it is a number */
	name_id unit;   /* of the number, as written in the file; NAME_EMPTY: none */
};

struct labels {
	struct label *label;
	uint32_t n_labels, labels_cap;
	struct map label_map;
	uint32_t *first; /* [set] index in `of` of its first label; [n_sets] the end */
	uint32_t n_sets, sets_cap;
	label_id *of;
	uint32_t n_of, of_cap;
	struct map set_map;
};

void labels_init(struct labels *t);
void labels_release(struct labels *t);
void labels_copy(struct labels *to, const struct labels *from); /* `to` is uninitialised */
/* Returns the id of a label, new or existing. */
label_id labels_put(struct labels *t, struct label label);
/* Returns the label of slices whose end the file lacks (unfinished=yes), or LABEL_NONE. */
label_id labels_unfinished(const struct labels *t, const struct names *names);
/* Returns the set of these labels, in any order and with duplicates; sorts id[]. */
labels_id labels_set(struct labels *t, label_id *id, size_t n);
/* Returns the labels of a set and their number *n. They are sorted by key, then value, in the
 * order of first appearance. Valid until the next set is made. */
const label_id *labels_get(const struct labels *t, labels_id set, uint32_t *n);
/* Returns true if the set has this label; false for LABEL_NONE. */
bool labels_have(const struct labels *t, labels_id set, label_id id);
/* Finds the label with this key in a set, the first of several; returns false if there is none. */
bool labels_find(const struct labels *t, labels_id set, name_id key, struct label *out);
/* Returns true if the value is a number, or a text that is a decimal number, as formats write those
 * that are not whole; sets *out to it, in the unit of the label. */
bool label_number(const struct names *names, const struct label *l, double *out);
/* Appends a label's value for display: the text, or the number and its unit. */
void label_write_value(struct buf *out, const struct names *names, const struct label *l);

#endif
