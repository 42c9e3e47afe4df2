/* profile_options.h - the command line of profile(1), which predates getopt. */
#ifndef PNAV_SRC_COMMAND_RECORD_PROFILE_OPTIONS_H
#define PNAV_SRC_COMMAND_RECORD_PROFILE_OPTIONS_H

#include "model/lens/lens.h"
#include "src/collect/collect.h"

struct profile_options {
	bool by_address, by_name, areas, intrinsics, zero;
	bool help, version;
	unsigned long runs;
	const char *map, *out; /* NULL: beside the program */
	struct lens filter;    /* entries of -f, -I and -X */
	char **argv;           /* the command */
};

void profile_options_init(struct profile_options *o);
void profile_options_release(struct profile_options *o);
/* Returns false with the documented message in *e. */
bool profile_options_read(struct profile_options *o, int argc, char **argv,
			  struct err *e);

/* Parses PNAV_SAMPLER: perf, ptrace, or whatever the system allows. */
bool sampler_named(const char *name, enum collect_sampler *out);

#endif
