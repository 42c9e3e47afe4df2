/* owners.h - the user and the container of each process, as records.
 *
 *	struct owners *o = owners_new();
 *	owners_put(o, pid, time, &out);          -- a process that runs already
 *	owners_take(o, record, &out);            -- each record about tasks, after it was passed on
 *	owners_free(o);
 *
 * They are maps that no program can have; src/decode/perf/perfdata_labels.c makes labels of them:
 *
 *	PERF_RECORD_MMAP2   "//process/user=www-data", "//process/container=docker:0123456789ab" */
#ifndef PNAV_SRC_COLLECT_OWNERS_H
#define PNAV_SRC_COLLECT_OWNERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct owners;

/* Writes the name of a user in /etc/passwd, at most size - 1 bytes.  Returns false if it has none;
 * the name then stays as it is. */
bool owners_name(uid_t uid, char *name, size_t size);
struct owners *owners_new(void);
void owners_free(struct owners *o);
/* Appends the records of a process; none if it is gone. */
void owners_put(struct owners *o, pid_t pid, uint64_t time, struct buf *out);
/* Appends those of the process whose exec the record reports.  Other records are ignored: a child
 * has its parent's owners. */
void owners_take(struct owners *o, const struct perf_event_header *record, struct buf *out);

#endif
