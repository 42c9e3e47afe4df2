/* trigger.h - conditions under which a recorder writes what it keeps: `psi cpu>20`, `rss>2G`. */
#ifndef PNAV_SRC_COLLECT_TRIGGER_H
#define PNAV_SRC_COLLECT_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/base/buf.h"
#include "model/base/err.h"

enum trigger_kind {
	TRIGGER_PSI, /* the share of the last ten seconds in which some task waited, in % */
	TRIGGER_RSS, /* resident memory of a process, in bytes */
};

struct trigger {
	enum trigger_kind kind;
	char resource[8]; /* of TRIGGER_PSI: cpu, io, memory */
	pid_t pid;	  /* of TRIGGER_RSS; 0: of the target */
	double limit;
	const char *text; /* as given; borrowed */
};

/* Parses "psi cpu>20", "psi io>5", "psi memory>1", "rss>2G", "rss -p PID>500M".  Returns false with
 * usage in *e, also if this system has no such number. */
bool trigger_parse(const char *text, struct trigger *out, struct err *e);
/* Returns true if the condition holds now.  `target`: the process of TRIGGER_RSS without a pid; 0:
 * there is none, and the condition never holds. */
bool trigger_holds(const struct trigger *t, pid_t target);

#endif
