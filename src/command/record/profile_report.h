/* profile_report.h - profile(1)'s report: "OUTPUT LISTING FORMAT". */
#ifndef PNAV_SRC_COMMAND_RECORD_PROFILE_REPORT_H
#define PNAV_SRC_COMMAND_RECORD_PROFILE_REPORT_H

#include <stdio.h>

#include "model/base/buf.h"
#include "src/collect/hits.h"
#include "src/command/record/profile_options.h"

/* Writes the counts, as the options select. */
void profile_report_write(const struct hits *h, const struct profile_options *o,
			  FILE *out);
/* Appends a line for each entry of the filter that matches nothing, or has no meaning for
 * functions. */
void profile_report_doubts(const struct hits *h, const struct profile_options *o,
			   struct buf *out);

#endif
