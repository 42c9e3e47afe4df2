/* record_options.h - the command line of `pnav record`, similar to that of perf. */
#ifndef PNAV_SRC_COMMAND_RECORD_RECORD_OPTIONS_H
#define PNAV_SRC_COMMAND_RECORD_RECORD_OPTIONS_H

#include <sys/types.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/collect/collect.h"
#include "src/collect/eventlist.h"
#include "src/collect/trigger.h"
#include "src/command/record/task_numbers.h"
#include "src/option.h"

#define CONTINUOUS_LABELS_MAX 64u

struct record_options {
	struct collect_options collect; /* complete after record_options_done() */
	struct eventlist events;
	struct task_numbers pids; /* or threads */
	struct buf cgroup;
	const char *out; /* NULL: not given */
	bool quiet, compress;
	bool stacks_given; /* the command line states how stacks are recorded */
	uint64_t max_size; /* limit of the recording in bytes; 0: none */
	uint64_t ring_ns;  /* the time that is kept until a trigger; 0: write everything */
	VEC(struct trigger) triggers;
	bool why;   /* record the scheduler's events of the whole system */
	bool beside; /* the user did not name the whole system, but a command or processes */
	/* --store: record all of the time (continuous.h) */
	const char *store, *service, *spool; /* NULL: not given */
	uint64_t every_ns, duration_ns;      /* of a part; of all, 0: no limit */
	uint64_t spool_bytes;
	VEC(const char *) labels; /* KEY=VALUE */
	bool hz_given;
	bool cache; /* add executed files to perf's build-id cache */
	enum record_embeds { EMBED_NONE, EMBED_NAMES, EMBED_ALL } embeds;
};

extern const struct option_row record_rows[];

void record_options_init(struct record_options *o);
/* Call after the last word: sets pointers in the collection's options. Returns false with usage in
 * *e if --why is not possible here. */
bool record_options_done(struct record_options *o, struct err *e);
void record_options_release(struct record_options *o);
/* Returns the title of a recording in `file`, "perf.data of ./make all"; the caller frees it. */
char *record_options_title(const struct record_options *o, const char *file);
/* Returns the number of words before the command and its options. *dashes: a `--` precedes them. */
int record_own_words(int argc, char **argv, bool *dashes);

#endif
