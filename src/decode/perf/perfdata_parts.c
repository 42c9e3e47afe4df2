/* The files of a directory, merged.
 *
 * Each file has the contents of one buffer of the kernel, in the order of time and without
 * rounds.  The records of all files must be handled in the order of time, because a thread that
 * moves to another CPU has its mappings in one file and its samples in another.  So the next
 * record always comes from the file whose position has the earliest time.
 *
 * Rejected: one file after the other into the queue (a long recording does not fit in it, and
 * late records would have lost their mappings). */
#include "src/decode/perf/perfdata_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/base/mem.h"

#define FEATURE_DIR_FORMAT 24u
#define PARTS_MAX 65536u

struct perfdata_part {
	struct perfdata_file file;
	uint64_t time; /* of its last record */
	bool ended;
};

struct parts {
	VEC(struct perfdata_part) at;
};

bool
perfdata_has_parts(struct perfdata_file *head)
{
	struct perfdata_section s;
	return perfdata_feature(head, FEATURE_DIR_FORMAT, &s) && s.size;
}

static void
open_parts(struct parts *p, const struct perfdata_file *head, struct err *e)
{
	char number[16];
	for (unsigned i = 0; i < PARTS_MAX; i++) {
		snprintf(number, sizeof number, "%u", i);
		struct input *in = input_open_beside(head->in, number, true);
		if (!in)
			return;
		perfdata_open_part(&vec_push(&p->at)->file, in, head, e);
	}
}

static void
close_parts(struct parts *p)
{
	for (size_t i = 0; i < p->at.n; i++) {
		perfdata_close(&p->at.at[i].file);
		input_close(p->at.at[i].file.in);
	}
	vec_release(&p->at);
}

/* Returns the file whose position has the earliest time; NULL at the end of all.  There are few
 * files, one a CPU. */
static struct perfdata_part *
next_part(struct parts *p)
{
	struct perfdata_part *next = NULL;
	for (size_t i = 0; i < p->at.n; i++)
		if (!p->at.at[i].ended && (!next || p->at.at[i].time < next->time))
			next = &p->at.at[i];
	return next;
}

/* Handles one record, or several if it is compressed. */
static void
read_part(struct parts *p, struct perfdata_part *part, perfdata_take *take, void *arg,
	  uint64_t *newest, struct err *e)
{
	bool first = !err_is_set(e);
	*newest = 0;
	if (!perfdata_step(&part->file, take, arg, &part->ended)) {
		struct err whole;
		part->ended = true;
		err_init(&whole);
		err_damage(&whole, e->offset, "in data.%zu: %s", (size_t)(part - p->at.at),
			   e->text);
		if (first && err_is_set(e))
			*e = whole;
	}
	part->time = *newest > part->time ? *newest : part->time;
}

bool
perfdata_walk_parts(const struct perfdata_file *head, perfdata_take *take, void *arg,
		    uint64_t *newest, struct err *e)
{
	struct parts p = {0};
	struct perfdata_part *part;
	open_parts(&p, head, e);
	if (!p.at.n)
		err_damage(e, 0, "the files data.0, data.1, ... are not beside it");
	for (size_t i = 0; i < p.at.n; i++)
		p.at.at[i].ended = !perfdata_begin(&p.at.at[i].file);
	while ((part = next_part(&p)))
		read_part(&p, part, take, arg, newest, e);
	close_parts(&p);
	return !err_is_set(e);
}
