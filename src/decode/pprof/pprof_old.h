/* pprof_old.h - shared by the forms older than profile.proto: addresses and mappings, names
 * that the file gives to addresses, totals on one track.
 *
 * Maps and names follow the samples, so a text is read twice: first for these, then for the
 * samples. */
#ifndef PNAV_SRC_DECODE_PPROF_OLD_H
#define PNAV_SRC_DECODE_PPROF_OLD_H

#include "model/base/buf.h"
#include "src/decode/common/idmap.h"
#include "src/decode/decoder.h"
#include "src/decode/pprof/pprof_frames.h"

#define PPROF_OLD_METRICS 4

/* An address with a name in the file, or listed without one (NAME_EMPTY). */
struct pprof_old_symbol {
	name_id name, file;
	uint32_t line;
};

/* `build=/path` before a map: it replaces $build in the map. */
struct pprof_old_word {
	struct buf name, value;
};

struct pprof_old {
	struct builder *b;
	struct pprof_frames frames;
	VEC(struct pprof_old_symbol) symbol;
	struct idmap symbol_of;  /* address -> symbol */
	VEC(struct pprof_old_word) word;
	/* Address -> place in `first`; its frames end where those of the next place begin */
	struct idmap frames_of;
	VEC(uint32_t) first;
	VEC(frame_id) known;     /* of all addresses, innermost first */
	VEC(frame_id) path;      /* of the current sample */
	VEC(uint64_t) address;   /* leaf first */
	metric_id metric[PPROF_OLD_METRICS];
	unsigned n_metrics;
	bool java;               /* of files the last part is the name */
	name_id bytes;           /* the key of block sizes */
	track_id track;
	struct series *plain, *labelled;
};

void pprof_old_init(struct pprof_old *o, struct input *in, struct builder *b);
void pprof_old_release(struct pprof_old *o);
/* Adds a metric, in a unit of pprof_unit(); call it before the first sample. */
void pprof_old_metric(struct pprof_old *o, const char *name, const char *unit);
/* Handles a line of a memory map, or one that may occur in it; returns false for other lines. */
bool pprof_old_map(struct pprof_old *o, const char *at, const char *end);
/* Handles `0xADDR NAME[+0xOFF] [FILE:LINE]`, which Go writes after `#` and Java after its
 * samples; returns false for other lines. */
bool pprof_old_name(struct pprof_old *o, const char *at, const char *end);
/* Adds a sample of o->address, with a value for each metric, and the size of its blocks (< 0:
 * none). */
bool pprof_old_sample(struct pprof_old *o, const int64_t *values, int64_t block,
		      uint64_t offset, struct err *e);

/* ---- the forms ---- */

/* The probes of these forms, and their dumps. */
int pprof_cpu_probe(struct head head);
bool pprof_cpu_decode(struct input *in, struct builder *b, struct err *e);
bool pprof_cpu_dump(struct input *in, struct dump *d, struct err *e);
int pprof_text_probe(struct head head);
bool pprof_text_decode(struct input *in, struct builder *b, struct err *e);

#endif
