/* .ninja_log, where ninja records how long each output took to build, versions 5 to 7:
 *
 *	# ninja log v5
 *	START  END  MTIME  OUTPUT  HASH
 *
 * Columns are separated by tabs; times are in ms from the begin of the build.  An end that is
 * earlier than the end in the previous line begins another build; builds are placed one after
 * the other. If an output was built several times, the last time counts.  Outputs of one
 * command are one job, named after the first of them. A job that runs while another one does is not
 * its call. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/cast.h"
#include "src/decode/common/words.h"

#define FIELDS 5u

struct job {
	int64_t start_ms, end_ms; /* on the axis */
	name_id output, command;  /* the hash of it */
	bool again;               /* it was built later once more */
};

struct ninjalog {
	struct builder *b;
	struct err *e;
	uint64_t offset;
	VEC(struct job) job;
	struct idmap last_of; /* output -> its last job */
	int64_t base_ms, latest_ms, before_ms;
	uint64_t builds;
};

static int
ninjalog_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	return head_line_filled(head, &next, &at, &end) && begins_with(at, end, "# ninja log v")
		       ? 100
		       : 0;
}

static bool
ninjalog_entry(void *state, const char *at, const char *end)
{
	struct ninjalog *n = state;
	struct text_cell cell[FIELDS];
	struct job job = {0};

	if (at == end || *at == '#')
		return true;
	if (cells_split(at, end, '\t', cell, FIELDS) < FIELDS ||
	    !number_parse(cell[0].at, cell[0].end, &job.start_ms) ||
	    !number_parse(cell[1].at, cell[1].end, &job.end_ms) || job.start_ms < 0 ||
	    job.end_ms < 0 || job.end_ms > INT64_MAX / 1000000 / 4)
		return false;
	if (job.end_ms < n->before_ms) {
		n->base_ms = n->latest_ms;
		n->builds++;
	}
	n->before_ms = job.end_ms;
	if (job.start_ms > job.end_ms)
		job.start_ms = job.end_ms;
	if (n->base_ms > INT64_MAX / 1000000 / 4)
		return err_damage(n->e, n->offset, "times exceed 2^63");
	job.start_ms += n->base_ms;
	job.end_ms += n->base_ms;
	n->latest_ms = job.end_ms > n->latest_ms ? job.end_ms : n->latest_ms;
	job.output = builder_name(n->b, cell[3].at, (size_t)(cell[3].end - cell[3].at));
	job.command = builder_name(n->b, cell[4].at, (size_t)(cell[4].end - cell[4].at));
	uint32_t last = idmap_get(&n->last_of, job.output);
	if (last != IDMAP_NONE)
		n->job.at[last].again = true;
	idmap_put(&n->last_of, job.output, (uint32_t)n->job.n);
	*vec_push(&n->job) = job;
	return true;
}

static frame_id
ninjalog_frame_of(struct ninjalog *n, name_id output)
{
	struct name name = builder_name_get(n->b, output);
	size_t dir = name.len;

	while (dir && name.at[dir - 1] != '/')
		dir--;
	struct function f = {
		.name = output,
		.file = dir > 1 ? builder_name(n->b, name.at, dir - 1) : NAME_EMPTY,
		.kind = (uint8_t)kind_of_name(name.at, name.len),
	};
	return builder_frame_of(n->b, f, 0);
}

static bool
write_jobs(struct ninjalog *n, struct input *in)
{
	struct cast c = {.in = in, .b = n->b, .ordered = true};
	metric_id time = builder_timeline(n->b);
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_TASK,
				  .nesting = CAST_BESIDE,
				  .name = builder_name(n->b, "job", 3)};
	uint32_t track = cast_add(&c, like);
	struct idmap seen = {0}; /* start and end -> the last job with them, and its predecessors */
	bool good;

	for (size_t i = 0; i < n->job.n; i++) {
		const struct job *j = &n->job.at[i];
		uint64_t key = ((uint64_t)j->start_ms * 0x9E3779B97F4A7C15u ^ (uint64_t)j->end_ms) *
				       0xBF58476D1CE4E5B9u ^ j->command;
		uint32_t before = idmap_get(&seen, key);
		if (j->again)
			continue;
		if (before != IDMAP_NONE) {
			const struct job *k = &n->job.at[before];
			if (k->start_ms == j->start_ms && k->end_ms == j->end_ms &&
			    k->command == j->command)
				continue; /* another output of that command */
		}
		idmap_put(&seen, key, (uint32_t)i);
		cast_slice(&c, track, j->start_ms * 1000000, (j->end_ms - j->start_ms) * 1000000,
			   ninjalog_frame_of(n, j->output), LABELS_NONE);
	}
	cast_made(&c, track);
	good = cast_write(&c, time, METRIC_NONE, true, n->offset, n->e);
	cast_release(&c);
	idmap_release(&seen);
	return good;
}

/* The hash of the command is last, and nothing of a job depends on its length. */
static enum last_line
ninjalog_last_line(const char *at, const char *end)
{
	unsigned tabs = 0;

	for (const char *c = at; c < end; c++)
		tabs += *c == '\t';
	return tabs == 4 && end[-1] != '\t' ? LAST_NUMBER : last_line_open(at, end);
}

static bool
ninjalog_decode(struct input *in, struct builder *b, struct err *e)
{
	struct ninjalog n = {.b = b, .e = e, .builds = 1};
	bool good = text_lines(in, b, e, &n.offset, ninjalog_last_line, ninjalog_entry, &n);
	good = write_jobs(&n, in) && good;
	builder_info(b, "builds", "%" PRIu64, n.builds);
	vec_release(&n.job);
	idmap_release(&n.last_of);
	return good;
}

const struct decoder decoder_ninjalog = {
	.name = "ninjalog",
	.title = ".ninja_log: what a build did when",
	.made_of = MADE_TEXT,
	.probe = ninjalog_probe,
	.decode = ninjalog_decode,
};
