/* record_options.h - the command line of `pnav record`, as perf's users know it. */
#ifndef PNAV_SRC_COMMAND_RECORD_RECORD_OPTIONS_H
#define PNAV_SRC_COMMAND_RECORD_RECORD_OPTIONS_H

#include <sys/types.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/option.h"

struct record_options {
	struct collect_options collect; /* whole after record_options_done() */
	struct eventlist events;
	VEC(pid_t) pids; /* or threads */
	struct buf cgroup;
	const char *out; /* NULL: not told */
	bool quiet, compress;
	bool stacks_told;  /* how stacks are taken stands on the command line */
	uint64_t max_size; /* of the recording, in bytes; 0: no limit */
	bool cache; /* files that ran go into perf's build-id cache */
	enum record_embeds { EMBED_NONE, EMBED_NAMES, EMBED_ALL } embeds;
};

extern const struct option_row record_rows[];

void record_options_init(struct record_options *o);
/* After the last word: the collection's options point to what was gathered. */
void record_options_done(struct record_options *o);
void record_options_release(struct record_options *o);
/* How many words are pnav's own: the command, and its options, begin behind them.  *dashes:
 * a `--` stands in front. */
int record_own_words(int argc, char **argv, bool *dashes);

#endif
