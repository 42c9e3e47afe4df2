/* chrome_inside.h - shared by the files of the encoder; no other file includes it.
 *
 * chrome.c         the file: names, slices, counters, marks
 * chrome_samples.c samples, as CPU profiles */
#ifndef PNAV_SRC_ENCODE_CHROME_INSIDE_H
#define PNAV_SRC_ENCODE_CHROME_INSIDE_H

#include <stdint.h>
#include <stdio.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/encode/json_text.h"
#include "src/encode/shown_times.h"
#include "src/encode/temporary.h"
#include "src/encode/track_ids.h"

/* ns before the first event of a file that has samples. */
#define CHROME_SHIFT 1000000

struct chrome_writer {
	struct shown shown;
	FILE *out;
	const char *separator;
	struct track_ids ids;
	track_id track;
	const struct series *series;
	unsigned replayed; /* REPLAY_ bits */
	uint64_t flows;    /* written so far */
	struct spill lasts; /* the duration of each slice */
	VEC(struct open_slice { uint64_t place; int64_t start; }) open;
};

/* Writes the separator before an event. */
static inline void
chrome_separate(struct chrome_writer *x)
{
	fputs(x->separator, x->out);
	x->separator = ",\n";
}

/* Writes a name with quotes. */
static inline void
chrome_string(struct chrome_writer *x, name_id id)
{
	struct buf text = BUF_INIT;

	shown_name(&x->shown, id, &text);
	json_string(x->out, buf_str(&text), text.len);
	buf_release(&text);
}

/* Writes the samples of all shown tracks. Warns if the times that other programs derive from them
 * differ from the weights. */
void chrome_samples(struct chrome_writer *x);

#endif
