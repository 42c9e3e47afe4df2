/* perfdata_features.h - what perf wrote about the machine and the recording. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FEATURES_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FEATURES_H

#include "model/build/builder.h"
#include "src/decode/perf/perfdata_events.h"
#include "src/decode/perf/perfdata_file.h"
#include "src/decode/perf/perfdata_frames.h"

/* All of a file's, before its records; those of a pipe come as records.  False, with
 * damage, when the file ends inside them: the others were read. */
bool perfdata_features(struct perfdata_file *f, struct builder *b,
		       struct perfdata_events *v, struct perfdata_frames *frames,
		       struct err *e);
/* A FEATURE or BUILD_ID record. */
void perfdata_feature_record(const struct perfdata_record *rec, bool big_endian,
			     struct builder *b, struct perfdata_events *v,
			     struct perfdata_frames *frames);

#endif
