/* perfdata_features.h - perf's descriptions of the machine and the recording. */
#ifndef PNAV_SRC_DECODE_PERF_PERFDATA_FEATURES_H
#define PNAV_SRC_DECODE_PERF_PERFDATA_FEATURES_H

#include "src/decode/perf/perfdata_events.h"
#include "src/decode/perf/perfdata_frames.h"

/* Reads all features of a file, before its records; those of a pipe come as records. Returns false
 * with damage if the file ends inside them; the complete ones are kept. */
bool perfdata_features(struct perfdata_file *f, struct builder *b,
		       struct perfdata_events *v, struct perfdata_frames *frames,
		       struct err *e);
/* Handles a FEATURE or BUILD_ID record. */
void perfdata_feature_record(const struct perfdata_record *rec, bool big_endian,
			     struct builder *b, struct perfdata_events *v,
			     struct perfdata_frames *frames);

#endif
