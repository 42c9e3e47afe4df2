/* perfdata_file.h - a perf.data file as a run of records, compressed ones opened, and the
 * sections around them. */
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
	bool pipe;       /* no sections: all is in records */
	bool open_ended; /* perf has not (yet) said how long the data is */
	uint64_t attr_size;
	struct perfdata_section attrs, data;
	uint64_t features[PERFDATA_FEATURES / 64];
	uint64_t end; /* of the data, once it is walked */
	struct unzstd *stream;
	VEC(uint8_t) plain; /* decompressed records */
};

/* Bytes of the magic: "PERFILE2", or from a big-endian machine "2ELIFREP". */
bool perfdata_is_magic(const uint8_t *at, size_t len);
/* Reads the header. */
bool perfdata_open(struct perfdata_file *f, struct input *in, struct err *e);
/* A file of a directory: records alone, as in a pipe, in the byte order of `head`. */
void perfdata_open_part(struct perfdata_file *f, struct input *in,
			const struct perfdata_file *head, struct err *e);
void perfdata_close(struct perfdata_file *f);
/* The bytes of a section, as many as there are; VEC emptied first. */
struct perfdata_bytes {
	VEC(uint8_t) v;
};
bool perfdata_section(struct perfdata_file *f, struct perfdata_section s,
		      struct perfdata_bytes *out);
/* Where feature `bit` is, of size 0 when the file has none; false when the table ends
 * before it: out->offset is where that entry should be. */
bool perfdata_feature(struct perfdata_file *f, unsigned bit,
		      struct perfdata_section *out);
/* Gives all records to `take`, in file order; those of a compressed one after it. */
bool perfdata_walk(struct perfdata_file *f, perfdata_take *take, void *arg);
/* The same in steps: to the data; one record, with what a compressed one holds, unless
 * *ended. */
bool perfdata_begin(struct perfdata_file *f);
bool perfdata_step(struct perfdata_file *f, perfdata_take *take, void *arg, bool *ended);

#endif
