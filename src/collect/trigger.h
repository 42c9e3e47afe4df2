/* trigger.h - conditions under which a recorder writes what it keeps: `psi cpu>20`, `rss>2G`,
 * `latency uprobe:/path:function>50ms`. */
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
	TRIGGER_LATENCY, /* a call of a function lasts longer, in ns; see latency.h */
};

struct trigger {
	enum trigger_kind kind;
	char resource[8]; /* of TRIGGER_PSI: cpu, io, memory */
	pid_t pid;	  /* of TRIGGER_RSS; 0: of the target */
	size_t probe_at, probe_len; /* of TRIGGER_LATENCY: `/path:function` in `text` */
	double limit;
	const char *text; /* as given; borrowed */
};

/* Parses "psi cpu>20", "psi io>5", "psi memory>1", "rss>2G", "rss -p PID>500M" and "latency
 * uprobe:/path:function>50ms".  Returns false with usage in *e, also if this system has no such
 * number. */
bool trigger_parse(const char *text, struct trigger *out, struct err *e);
/* Returns true if the condition holds now; never for TRIGGER_LATENCY.  `target`: the process of
 * TRIGGER_RSS without a pid; 0: there is none, and the condition never holds. */
bool trigger_holds(const struct trigger *t, pid_t target);

#endif
