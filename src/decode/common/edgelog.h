/* edgelog.h - the begins and ends of slices of one track, packed, if they are in the order of time
 * and nest.
 *
 *	struct edgelog l = {0};
 *	if (!edgelog_begin(&l, &x) || !edgelog_end(&l, time_ns, name)) ...	-- it cannot take it
 *	edgelog_read(&r, &l, takes);
 *	while (edgelog_next(&r, &x)) ...	-- in the order of adding
 *	edgelog_release(&l);
 *
 * A begin takes about five bytes, an end three. */
#ifndef PNAV_SRC_DECODE_COMMON_EDGELOG_H
#define PNAV_SRC_DECODE_COMMON_EDGELOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/build/builder.h"

enum logged_kind { LOGGED_BEGIN, LOGGED_END, LOGGED_LONE /* an end without a begin */ };

struct logged_edge {
	int64_t time_ns;
	enum logged_kind kind;
	uint32_t number;  /* of a begin: the slice's function, below UINT32_MAX */
	labels_id labels; /* of a begin */
	name_id name;     /* of a begin; NAME_EMPTY */
	bool named;       /* of an end: it states the name of its begin */
};

/* A slice that has begun and not ended. */
struct logged_open {
	uint64_t begin; /* its number among all begins */
	int64_t start_ns;
	labels_id labels;
	name_id name;
};

struct edgelog_block; /* see the .c file */

/* Zero-initialised, it is empty. */
struct edgelog {
	VEC(struct edgelog_block) block;
	uint8_t *at, *end; /* the room left in the last block */
	int64_t last_ns;
	int64_t outer_ns; /* the length of all outermost slices that have ended */
	uint64_t n, lone; /* begins; ends without one */
	VEC(struct logged_open) open;
};

/* Adds a begin. Returns false if it precedes the edge before it. */
bool edgelog_begin(struct edgelog *l, const struct logged_edge *x);
/* Adds the end of the innermost slice. Returns false if it precedes the edge before it, or if it
 * has a name and that slice another one. */
bool edgelog_end(struct edgelog *l, int64_t time_ns, name_id name);
void edgelog_release(struct edgelog *l);

static inline bool
edgelog_any(const struct edgelog *l)
{
	return l->block.n;
}

struct edgelog_reader {
	struct edgelog *l;
	size_t block;
	const uint8_t *at, *end;
	int64_t time_ns;
	bool takes;
};

/* Begins to return the edges. With `takes`, their memory is freed on the way. */
void edgelog_read(struct edgelog_reader *r, struct edgelog *l, bool takes);
/* Returns the next one; false after the last. */
bool edgelog_next(struct edgelog_reader *r, struct logged_edge *out);

#endif
