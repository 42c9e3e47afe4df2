/* perfdata_file.h - reads a perf.data file as a sequence of records, decompressed if necessary, and
 * the sections around them. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FILE_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FILE_H

#include "model/base/err.h"
#include "model/base/vec.h"
#include "src/decode/perf/perfdata_read.h"
#include "src/input/input.h"

struct unzstd;

struct perfdata_section {
	uint64_t offset, size;
};

#define PERFDATA_FEATURES 256u

struct perfdata_file {
	struct input *in;
	struct err *e;
	bool big_endian;
	bool pipe;       /* no sections: everything is in records */
	/* the header lacks the length of the data, because perf has not finished */
	bool open_ended;
	uint64_t attr_size;
	struct perfdata_section attrs, data;
	uint64_t features[PERFDATA_FEATURES / 64];
	uint64_t end; /* of the data; known after the walk */
	struct unzstd *stream;
	VEC(uint8_t) plain; /* decompressed records */
};

/* Returns true for the magic: "PERFILE2", or from a big-endian machine "2ELIFREP". */
bool perfdata_is_magic(const uint8_t *at, size_t len);
/* Reads the header. */
bool perfdata_open(struct perfdata_file *f, struct input *in, struct err *e);
/* Opens a file of a directory: only records, as in a pipe, in the byte order of `head`. */
void perfdata_open_part(struct perfdata_file *f, struct input *in,
			const struct perfdata_file *head, struct err *e);
void perfdata_close(struct perfdata_file *f);
/* The available bytes of a section; the VEC is emptied first. */
struct perfdata_bytes {
	VEC(uint8_t) v;
};
bool perfdata_section(struct perfdata_file *f, struct perfdata_section s,
		      struct perfdata_bytes *out);
/* Finds the section of feature `bit`; its size is 0 if the file lacks it. Returns false if the
 * table is truncated: out->offset is then where the entry should be. */
bool perfdata_feature(struct perfdata_file *f, unsigned bit,
		      struct perfdata_section *out);
/* Passes all records to `take`, in file order; those of a compressed record follow it. */
bool perfdata_walk(struct perfdata_file *f, perfdata_take *take, void *arg);
/* The same in steps: the first goes to the data, each further one passes a record, with the
 * contents of a compressed one, unless *ended. */
bool perfdata_begin(struct perfdata_file *f);
bool perfdata_step(struct perfdata_file *f, perfdata_take *take, void *arg, bool *ended);

#endif
