/* decoder.h - a format that can be read: one file, and a line of DECODERS below.
 *
 * Decoders are plain pull loops over an input (src/input/input.h) that write a profile
 * through model/build/builder.h.  They print nothing, and know no threads, progress or exit
 * codes.  A decoder keeps all that was good before damage: it appends as it goes and
 * returns false with the offset of the record that it could not read. */
#ifndef PNAV_SRC_DECODE_DECODER_H
#define PNAV_SRC_DECODE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/base/err.h"
#include "model/build/builder.h"
#include "src/input/input.h"
#include "src/input/json_outline.h"
#include "src/option.h"

/* What a probe sees. */
struct head {
	const uint8_t *at; /* the first bytes, uncompressed, behind a byte-order mark */
	size_t len;        /* up to PROBE_BYTES */
	bool whole;        /* that is all there is */
	const char *name;  /* of the file, without directories; compressed suffix removed */
	/* Of a JSON document the members that were met so far, else NULL.  Formats that are made
	 * of no JSON are not asked about one. */
	const struct json_outline *json;
};
#define PROBE_BYTES 65536u

/* A head of `len` bytes, of which at most PROBE_BYTES are looked at; all but *o, which is released
 * with json_outline_release(), is borrowed. */
struct head head_of(const void *bytes, size_t len, const char *name, struct json_outline *o);

/* The same without a look at what is in a JSON document. */
struct head head_plain(const void *bytes, size_t len, const char *name);

/* Is it a JSON document that has all of these members, paths with blanks between them
 * (json_outline.h)? */
static inline bool
head_members(struct head head, const char *paths)
{
	return head.json && json_outline_has_all(head.json, paths);
}

/* Do these bytes stand anywhere there? */
static inline bool
head_has(struct head head, const char *word)
{
	return memmem(head.at, head.len, word, strlen(word)) != NULL;
}

/* Where a dump goes: one line a record, `OFFSET KIND fields...`. */
struct dump {
	FILE *out;
	bool cp437; /* how bytes that are not UTF-8 are shown */
};
/* One record: its offset, then the text; bytes from the file go through %-arguments made
 * with dump_bytes().  Gives false when the output cannot be written (then stop). */
bool dump_record(struct dump *d, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Bytes, quoted and escaped, in a buffer of the caller. */
struct buf;
const char *dump_bytes(struct dump *d, struct buf *scratch, const void *bytes, size_t len);

/* What files are made of: bits. */
enum made_of { MADE_TEXT = 1, MADE_JSON = 2, MADE_BINARY = 4 };

struct decoder {
	const char *name;   /* "bsprof" */
	const char *title;  /* "Roku BrightScript profile": one line, for `pnav formats` */
	const char *manual; /* the section in pnav-formats(7) */
	/* Bits of enum made_of: named for files of that kind that nobody knows (nearest.h). */
	unsigned made_of;
	/* Functions may have the names that linkers know: those of C++ and Rust are demangled.  Not
	 * of formats of managed languages, whose names only look like those. */
	bool mangled;
	/* Its own options, or NULL; input_option() tells what was given.  An option that two
	 * formats have is one: they say the same of it. */
	const struct option_row *options;
	/* 0 not this format .. 100 certain; cheap, never reads beyond the head.  JSON is told by
	 * its members, whatever their order. */
	int (*probe)(struct head head);
	/* Reads all.  False: *e is set; what was built before stands. */
	bool (*decode)(struct input *in, struct builder *b, struct err *e);
	/* Every record, raw, in file order. */
	bool (*dump)(struct input *in, struct dump *d, struct err *e);
};

/* The formats, in the order in which equal probes are preferred (decoders.c says why). */
#define DECODERS(X)                                                                        \
	X(bsprof)                                                                          \
	X(hqnplog)                                                                         \
	X(perfdata)                                                                        \
	X(nytprof)                                                                         \
	X(jfr)                                                                             \
	X(perfetto)                                                                        \
	X(otlp)                                                                            \
	X(pprof)                                                                           \
	X(chrome)                                                                          \
	X(callgrind)                                                                       \
	X(speedscope)                                                                      \
	X(cpuprofile)                                                                      \
	X(pstats)                                                                          \
	X(massif)                                                                          \
	X(dhat)                                                                            \
	X(heaptrack)                                                                       \
	X(gmon)                                                                            \
	X(art)                                                                             \
	X(simpleperf)                                                                      \
	X(uftrace)                                                                         \
	X(ftrace)                                                                          \
	X(stackprof)                                                                       \
	X(xdebug)                                                                          \
	X(strace)                                                                          \
	X(rprof)                                                                           \
	X(ghcprof)                                                                         \
	X(ninjalog)                                                                        \
	X(safari)                                                                          \
	X(sample)                                                                          \
	X(tracycsv)                                                                        \
	X(v8log)                                                                           \
	X(xhprof)                                                                          \
	X(fprof)                                                                           \
	X(austin)                                                                          \
	X(instruments)                                                                     \
	X(firefox)                                                                         \
	X(br)                                                                              \
	X(text1)                                                                           \
	X(prf)                                                                             \
	X(map)                                                                             \
	X(stacks)                                                                          \
	X(perfscript)                                                                      \
	X(folded)

#define DECODER_DECLARED(name) extern const struct decoder decoder_##name;
DECODERS(DECODER_DECLARED)
#undef DECODER_DECLARED

/* The same as a table, ended by NULL. */
extern const struct decoder *const decoders[];

/* How sure a decoder is of this head; 0 where it is made of something else. */
int decoder_sure(const struct decoder *d, struct head head);
/* The best decoder for this head, or NULL with refusal in *e that names those tried. */
const struct decoder *decoder_for(struct head head, struct err *e);
/* The same for what an input begins with, or the one that its options name; steps over
 * nothing.  A JSON document whose beginning decides nothing is read on, to its end if need be.  An
 * empty input is refused. */
const struct decoder *decoder_of(struct input *in, struct err *e);
/* By name, or NULL. */
const struct decoder *decoder_named(const char *name);

#endif
