/* pprof_labels.h - the labels of pprof's samples, and the tracks that some of them name. */
#ifndef PNAV_SRC_DECODE_PPROF_LABELS_H
#define PNAV_SRC_DECODE_PPROF_LABELS_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "src/decode/common/text_cache.h"
#include "src/decode/pprof/pprof_tables.h"

/* The meaning of one set of labels. */
struct pprof_label_set {
	labels_id set;
	uint32_t track; /* of pprof_labels.track */
};

struct pprof_label {
	name_id key, text, unit;
	int64_t number;
	bool is_number;
};

struct pprof_labels {
	struct builder *b;
	struct pprof_tables *t;
	name_id name_key, id_key, goroutine_key; /* that the file has; NAME_EMPTY: not */
	VEC(struct pprof_label_set) known;
	struct text_cache cache;       /* raw labels -> known + 1 */
	struct text_cache track_cache; /* name -> track + 1 */
	VEC(track_id) track;
	VEC(struct pprof_label) label; /* of the current sample */
	VEC(label_id) id;
	struct buf text;
};

void pprof_labels_init(struct pprof_labels *l, struct builder *b, struct pprof_tables *t);
void pprof_labels_release(struct pprof_labels *l);
/* Chooses the keys that name threads among those counted. Call it before the first set is used. */
void pprof_labels_keys(struct pprof_labels *l);
/* Finds the set of a sample if one before had the same labels. */
bool pprof_labels_known(struct pprof_labels *l, const void *raw, size_t len,
			struct pprof_label_set *out);
/* Returns the set of a sample.  `raw` has its label fields, one after the other, each with its
 * tag. */
struct pprof_label_set pprof_labels_of(struct pprof_labels *l, const void *raw, size_t len);

#endif
