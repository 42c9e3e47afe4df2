/* decoder.h - an input format: one file, and a line of DECODERS below.
 *
 * Decoders are plain pull loops over an input (src/input/input.h) that write a profile through
 * model/build/builder.h. They print nothing, and handle no threads, progress or exit statuses. A
 * decoder keeps everything before damage: it appends as it reads, and returns false with the offset
 * of the unreadable record. */
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

/* The input of a probe. */
struct head {
	const uint8_t *at; /* the first bytes, uncompressed, after a byte-order mark */
	size_t len;        /* up to PROBE_BYTES */
	bool whole;        /* the head is the whole file */
	const char *name;  /* of the file, without directories; compressed suffix removed */
	/* Members of a JSON document found so far; NULL for other files. JSON documents are offered
	 * only to formats that declare MADE_JSON. */
	const struct json_outline *json;
};
#define PROBE_BYTES 65536u

/* Makes a head of `len` bytes; bytes after the first PROBE_BYTES are ignored. Borrows everything
 * except *o, which the caller releases with json_outline_release(). */
struct head head_of(const void *bytes, size_t len, const char *name, struct json_outline *o);

/* The same without the members of a JSON document. */
struct head head_plain(const void *bytes, size_t len, const char *name);

/* Drops the zeros at the end of a head, as a crash leaves them in a preallocated file.
 * Returns false if there are none. */
static inline bool
head_drop_zeros(struct head *head)
{
	size_t len = head->len;

	while (head->len && !head->at[head->len - 1])
		head->len--;
	return head->len < len;
}

/* Returns true if this is a JSON document with these members (json_outline_has()). */
static inline bool
head_members(struct head head, const char *paths)
{
	return head.json && json_outline_has(head.json, paths);
}

/* Returns true if the head contains these bytes anywhere. */
static inline bool
head_has(struct head head, const char *word)
{
	return memmem(head.at, head.len, word, strlen(word)) != NULL;
}

/* The output of a dump: one line a record, `OFFSET KIND fields...`. */
struct dump {
	FILE *out;
	bool cp437; /* how to display bytes that are not UTF-8 */
};
/* Writes one record: its offset, then the text; format bytes of the file with dump_bytes(). Returns
 * false if the output cannot be written; stop then. */
bool dump_record(struct dump *d, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Quotes and escapes bytes, in a buffer of the caller. */
struct buf;
const char *dump_bytes(struct dump *d, struct buf *scratch, const void *bytes, size_t len);

/* Kinds of file contents: bits. */
enum made_of { MADE_TEXT = 1, MADE_JSON = 2, MADE_BINARY = 4 };

struct decoder {
	const char *name;   /* "bsprof" */
	const char *title;  /* "Roku BrightScript profile": one line, for `pnav formats` */
	const char *manual; /* the section in pnav-formats(7); NULL: `name` */
	/* Bits of enum made_of: an unrecognised file of this kind is refused with a hint to the
	 * format. */
	unsigned made_of;
	/* Functions may have mangled C++ and Rust names, which are demangled. Not for formats of
	 * managed languages, whose names may only look mangled. */
	bool mangled;
	/* Options of the format, or NULL; input_option() returns their values. An option that two
	 * formats share must mean the same. */
	const struct option_row *options;
	/* Three ways to recognise a file. A format has at least one; the first that fits
	 * decides. Bytes at its beginning, which are certain: DECODER_MAGIC(). */
	const char *magic;
	size_t magic_len;
	/* Members of a JSON document (json_outline_has()), and how sure they are; 0: 90. */
	const char *members;
	int sure;
	/* Returns 0 (not this format) .. 100 (certain). Must be cheap and stay within the head.
	 * Gets JSON documents only if the format is always JSON. */
	int (*probe)(struct head head);
	/* Reads everything. Returns false with *e set; what was built before stays. */
	bool (*decode)(struct input *in, struct builder *b, struct err *e);
	/* Large files of this format are read in parts on several cores (src/load_parts.h): returns
	 * the length of the bytes up to the end of the last whole record in them, 0 if there is
	 * none. A decoder that begins there must need nothing of what precedes but what
	 * builder_carried() says. NULL: files are read as a whole. */
	size_t (*record_end)(const uint8_t *at, size_t len);
	/* Dumps every record, undecoded, in the order of the file. NULL for formats of text, JSON
	 * and protocol buffers: decoder_dump() prints lines, values or fields. */
	bool (*dump)(struct input *in, struct dump *d, struct err *e);
	/* The message that a file of protocol buffers is, for its dump; NULL for other formats. */
	const struct proto_table *schema;
};
#define DECODER_MAGIC(bytes) .magic = (bytes), .magic_len = sizeof(bytes) - 1

/* The formats, in the order of preference for equal probes (decoders.c gives reasons). */
#define DECODERS(X)                                                                        \
	X(bsprof)                                                                          \
	X(hqnplog)                                                                         \
	X(perfdata)                                                                        \
	X(nytprof)                                                                         \
	X(jfr)                                                                             \
	X(perfetto)                                                                        \
	X(gotrace)                                                                         \
	X(tachyon)                                                                         \
	X(memray)                                                                          \
	X(nettrace)                                                                        \
	X(eventlog)                                                                        \
	X(flamegraph)                                                                      \
	X(html)                                                                            \
	X(pnav)                                                                            \
	X(nsys)                                                                            \
	X(pnavdb)                                                                          \
	X(otlp)                                                                            \
	X(pprof)                                                                           \
	X(chrome)                                                                          \
	X(callgrind)                                                                       \
	X(speedscope)                                                                      \
	X(cpuprofile)                                                                      \
	X(pstats)                                                                          \
	X(massif)                                                                          \
	X(dhat)                                                                            \
	X(otlptrace)                                                                       \
	X(jaeger)                                                                          \
	X(zipkin)                                                                          \
	X(har)                                                                             \
	X(explain)                                                                         \
	X(flamebearer)                                                                     \
	X(perfstat)                                                                        \
	X(pyinstrument)                                                                    \
	X(sentry)                                                                          \
	X(junit)                                                                           \
	X(xctrace)                                                                         \
	X(heaptrack)                                                                       \
	X(lprof)                                                                           \
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

/* The same as a table, which ends with NULL. */
extern const struct decoder *const decoders[];

/* Returns how sure a decoder is of this head, 0 .. 100; 0 if the contents are of another kind. */
int decoder_sure(const struct decoder *d, struct head head);
/* Returns true if the input begins as a JSON document does; leaves the position unchanged. */
bool decoder_json(struct input *in);
/* Dumps every record of an input. Returns false at damage (*e), and if the output accepts no
 * more. */
bool decoder_dump(const struct decoder *d, struct input *in, struct dump *out, struct err *e);
/* Returns the best decoder for this head, or NULL with a refusal in *e that names the
 * candidates. */
const struct decoder *decoder_for(struct head head, struct err *e);
/* The same for the beginning of an input, or the decoder named by its options; leaves the position
 * unchanged. If the beginning of a JSON document decides nothing, reads on, to its end if
 * necessary. Refuses an empty input. */
const struct decoder *decoder_of(struct input *in, struct err *e);
/* Returns the decoder of this name, or NULL. */
const struct decoder *decoder_named(const char *name);

#endif
