/* roll.c - see roll.h.
 *
 * The kept part comes from a ring of records (recring.h), as in a flight recorder.  The reader has
 * no way to forget the oldest records: names, stacks and tasks of a profile belong to no moment.
 * So it reads the kept part again, and thus each record twice.
 *
 * A write waits for the reader.  The kernel's rings hold the samples of some seconds meanwhile. */
#include "src/command/record/roll.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/collect/collect.h"
#include "src/collect/perfwriter.h"
#include "src/collect/record.h"
#include "src/collect/recring.h"
#include "src/command/command.h"
#include "src/command/passing.h"
#include "src/command/record/profile_options.h"
#include "src/command/record/record_options.h"
#include "src/command/say.h"
#include "src/options.h"

#define KEEP_BYTES (16u << 20) /* at most, beside names and maps of the tasks that live */
#define PIPE_BYTES (1 << 20)

struct roll {
	const struct roll_how *how;
	const struct collect *c;
	char *const *line;
	struct recring *ring;
	struct perfwriter *writer; /* NULL: nothing was recorded yet */
	int pipe;
	uint64_t since; /* the stream has no earlier record */
	uint64_t kept;  /* bytes with which it began */
};

static void
end_stream(struct roll *r)
{
	perfwriter_free(r->writer);
	if (r->pipe >= 0)
		close(r->pipe);
	r->writer = NULL;
	r->pipe = -1;
}

/* Begins the next stream with what the ring keeps. */
static bool
begin_stream(struct roll *r, struct err *e)
{
	const struct perfwriter_how form = {.stream = true};
	uint64_t now = record_now();
	int ends[2];

	if (r->writer && !perfwriter_flush(r->writer, e))
		return false;
	if (pipe2(ends, O_CLOEXEC))
		return err_refuse(e, "%s", strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* else it waits more often */
	bool sent = passing_send(r->how->socket, ends[0]);
	close(ends[0]);
	end_stream(r);
	r->pipe = ends[1];
	r->writer = perfwriter_new(r->pipe, collect_events(r->c), r->line, form);
	r->since = now - recring_span(r->ring, now);
	struct collect_sink sink = {perfwriter_take, r->writer};
	if (!sent)
		return err_refuse(e, "its reader is gone");
	bool good = recring_write(r->ring, &sink, e) && perfwriter_flush(r->writer, e);
	r->kept = perfwriter_size(r->writer);
	return good;
}

static bool
roll_take(void *roll, const struct perf_event_header *record, struct err *e)
{
	struct roll *r = roll;

	if (!r->writer && !begin_stream(r, e))
		return false;
	recring_take(r->ring, record, record_now());
	return perfwriter_take(r->writer, record, e);
}

/* Called twenty times a second.  Failures end the recording: the next record fails, too. */
static bool
roll_idle(void *roll)
{
	struct roll *r = roll;
	struct err e;

	err_init(&e);
	if (!r->writer)
		return false;
	if (record_now() - r->since >= 2 * r->how->keep_ns ||
	    perfwriter_size(r->writer) - r->kept >= KEEP_BYTES)
		return !begin_stream(r, &e);
	return !perfwriter_flush(r->writer, &e);
}

static int
roll_collect(struct roll *r, struct record_options *o)
{
	enum collect_fault fault;
	struct err e;

	err_init(&e);
	o->collect.idle = roll_idle;
	o->collect.ctx = r;
	struct collect *c = collect_new(&o->collect, &fault, &e);
	if (!c) {
		fprintf(stderr, "pnav: %s\n", e.text);
		return STATUS_UNREADABLE;
	}
	r->c = c;
	r->ring = recring_new(r->how->keep_ns, KEEP_BYTES);
	bool good = collect_run(c, &(struct collect_sink){roll_take, r}, &e);
	if (good && r->writer)
		good = perfwriter_finish(r->writer, &e);
	int status = good ? collect_exit_status(collect_result(c)->status) : STATUS_UNREADABLE;
	if (!good)
		fprintf(stderr, "pnav: %s\n", e.text);
	end_stream(r);
	recring_free(r->ring);
	collect_free(c);
	return status;
}

int
roll_record(int argc, char **argv, const struct roll_how *how)
{
	struct roll r = {.how = how, .line = argv - 1, .pipe = -1};
	struct record_options own;
	struct options o;
	struct err e;
	int status = STATUS_DONE;

	err_init(&e);
	record_options_init(&own);
	options_init(&o, &own);
	own.collect.argv = argv + argc; /* no command */
	if (!sampler_named(getenv("PNAV_SAMPLER"), &own.collect.sampler)) {
		err_usage(&e, "PNAV_SAMPLER is perf or ptrace");
		status = say_usage(&command_record, &e);
	} else if (command_options(&command_record, &o, argc, argv, &status)) {
		status = record_options_done(&own, &e) ? roll_collect(&r, &own)
						       : say_usage(&command_record, &e);
	}
	options_release(&o);
	record_options_release(&own);
	return status;
}
