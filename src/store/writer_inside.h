/* writer_inside.h - the state while a profile is written to a store; for writer*.c alone. */
#ifndef PNAV_SRC_STORE_WRITER_INSIDE_H
#define PNAV_SRC_STORE_WRITER_INSIDE_H

#include <string.h>

#include "src/encode/shown.h"
#include "src/store/paths.h"
#include "src/store/rowout.h"
#include "src/store/sums.h"
#include "src/store/writer.h"

#define SECOND INT64_C(1000000000)

struct writing {
	const struct writer_job *job;
	struct shown shown;
	struct paths paths;
	struct rowout out;
	unsigned char profile[SCHEMA_HASH];
	struct buf *metric;  /* [metric] the columns before those of an event */
	struct buf *rows;    /* [metric] pending rows */
	metric_id *order;    /* sorted by name, as in the table */
	size_t waiting, n_waiting; /* bytes and rows that are pending */
	struct buf track;    /* of track_of */
	track_id track_of;
	bool labelled;
	struct buf *labels;  /* [set] */
	struct sums sums;
	uint32_t *most;      /* [metric] 1 + the maximum number of labels of its rows; 0: no rows */
	struct err fault;
	bool unsure; /* an insert failed, and the server may have its rows */
};

/* Returns the time of the first stored event in ns since 1970. */
static inline int64_t
first_moment(const struct writing *w)
{
	return w->job->start + (w->shown.fold->whole ? 0 : w->shown.fold->from);
}

static inline void
put_name(const struct writing *w, struct buf *out, name_id id)
{
	struct name name = names_get(&w->shown.p->names, id);

	rowout_text(out, name.at, name.len);
}

static inline void
put_words(struct buf *out, const char *text)
{
	rowout_text(out, text, strlen(text));
}

/* Each sends its rows and counts them in *counts. Returns false with *e set. */
bool writer_samples(struct writing *w, struct writer_counts *counts, struct err *e);
/* Call after writer_samples(), which computes the sums. */
bool writer_sums(struct writing *w, struct err *e);

#endif
