/* uftrace, a tracer of functions: the directory that `uftrace record` writes, version 4 and 3.
 *
 *	info             features, the command, recorded arguments; pnav opens this file
 *	task.txt         tasks, forks, the program of each process
 *	sid-ID.map       the addresses of a process's modules
 *	NAME.sym         the functions of a module
 *	TID.dat          records of a task: time, and a word of type, depth and address
 *
 * An entry at depth d is below the open calls of smaller depths; an exit at depth d ends the call
 * that is open there. Events of the kernel (perf-cpuN.dat, kernel-cpuN.dat) are not read.
 *
 * The files of the tasks are read one after the other: the clock of each never goes back, and no
 * two share a track. */
#include "src/decode/uftrace/uftrace.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/calls.h"
#include "src/decode/common/native.h"
#include "src/input/cursor.h"
#include "src/symbol/symbols.h"

#define RECORD_LEN 16u
#define MAGIC 5u
#define VALUES_MAX 65536u

enum { TYPE_ENTRY, TYPE_EXIT, TYPE_LOST, TYPE_EVENT };

struct uf_record {
	uint64_t offset;
	int64_t time;
	unsigned type, depth;
	bool more;
	uint64_t address;
};

struct uf_reader {
	struct uftrace *u;
	struct input *in; /* of this task */
	struct calls calls; /* keys are depths */
	size_t session;
	int64_t pid, until;
	struct buf name; /* of the file, for messages */
};

struct uf_totals {
	uint64_t records, lost, events, unmatched, back;
};

/* ---- records ---- */

static bool
damage(struct uf_reader *r, const char *what)
{
	return err_damage(r->u->e, input_offset(r->in), "%s: %s", buf_str(&r->name), what);
}

/* Reads the next record, without its values; returns false at the end. */
static bool
next(struct uf_reader *r, struct uf_record *out)
{
	if (!input_have(r->in) && !input_more(r->in))
		return false;
	out->offset = input_offset(r->in);
	if (!input_need(r->in, RECORD_LEN))
		return input_stopped(r->in) ? false : damage(r, "a truncated record");
	const uint8_t *at = input_at(r->in);
	uint64_t time = bytes_u64(at, r->u->big_endian), word = bytes_u64(at + 8, r->u->big_endian);
	if ((word >> 3 & 7) != MAGIC || time > INT64_MAX)
		return damage(r, "expected a record");
	out->time = (int64_t)time;
	out->type = word & 3;
	out->more = word >> 2 & 1;
	out->depth = word >> 6 & 0x3FF;
	out->address = word >> 16;
	input_skip(r->in, RECORD_LEN);
	return true;
}

/* Skips the values after a record. */
static bool
skip_values(struct uf_reader *r, const struct uf_record *x, frame_id frame)
{
	uint32_t place;
	size_t len;

	input_need(r->in, VALUES_MAX);
	if (x->type == TYPE_EVENT) {
		if (input_have(r->in) < 2)
			return damage(r, "a truncated event");
		len = (bytes_u16(input_at(r->in), r->u->big_endian) + 2u + 7u) & ~(size_t)7;
	} else {
		place = uftrace_place(r->u, r->session, x->address);
		len = uftrace_values(r->u, frame, place, x->type == TYPE_EXIT, input_at(r->in),
				     input_have(r->in));
	}
	if (len != SIZE_MAX)
		return input_discard(r->in, len) || damage(r, "truncated values");
	builder_warn(r->u->b, "%s: arguments whose size is not known: the task is read up to these",
		     buf_str(&r->name));
	return damage(r, "arguments whose size is not known");
}

/* ---- calls ---- */

/* Returns the number of open calls at smaller depths. */
static size_t
above(const struct uf_reader *r, unsigned depth)
{
	size_t n = r->calls.open.n;

	while (n && r->calls.open.at[n - 1].key >= depth)
		n--;
	return n;
}

static bool
uftrace_take(struct uf_reader *r, struct uf_totals *t, const struct uf_record *x)
{
	frame_id frame;

	t->records++;
	t->back += !calls_now(&r->calls, x->time);
	if (x->time >= r->until)
		r->session = uftrace_session_at(r->u, r->pid, x->time, &r->until);
	frame = x->type == TYPE_ENTRY || x->more ? uftrace_frame(r->u, r->session, x->address) : 0;
	if (x->more && !skip_values(r, x, frame))
		return false;
	switch (x->type) {
	case TYPE_ENTRY:
		return calls_leave(&r->calls, above(r, x->depth), x->offset, r->u->e) &&
		       calls_enter(&r->calls, x->depth, frame, x->offset, r->u->e);
	case TYPE_EXIT:
		t->unmatched += above(r, x->depth) == r->calls.open.n;
		return calls_leave(&r->calls, above(r, x->depth), x->offset, r->u->e);
	case TYPE_LOST:
		t->lost += x->address;
		return true;
	default:
		t->events++;
		return true;
	}
}

/* ---- tasks ---- */

static void
track_new(struct uf_reader *r, const struct uftrace_task *task)
{
	struct uftrace *u = r->u;
	struct buf name = BUF_INIT;

	buf_adds(&name, "task");
	if (r->session != SIZE_MAX && u->session.at[r->session].program != NAME_EMPTY) {
		struct name path = builder_name_get(u->b, u->session.at[r->session].program);
		buf_reset(&name);
		buf_adds(&name, base_name(path.at));
	}
	buf_addf(&name, " %" PRId64, task->tid);
	struct cast_track like = {.process = CAST_NONE, .thread = CAST_NONE, .kind = TRACK_THREAD,
				  .prefix = PREFIX_NEVER,
				  .name = builder_name(u->b, buf_str(&name), name.len)};
	uint32_t track = cast_add(&u->cast, like);
	calls_begin(&r->calls, u->b, cast_made(&u->cast, track));
	cast_under(&u->cast, track, task->pid);
	buf_release(&name);
}

static bool
open_task(struct uf_reader *r, struct uftrace *u, const struct uftrace_task *task)
{
	*r = (struct uf_reader){.u = u, .pid = task->pid};
	buf_addf(&r->name, "%" PRId64 ".dat", task->tid);
	r->in = input_open_named(u->in, buf_str(&r->name));
	return r->in != NULL;
}

static void
close_task(struct uf_reader *r)
{
	if (r->in)
		input_close(r->in);
	calls_release(&r->calls);
	buf_release(&r->name);
}

/* An error in one task's file is reported, and the others are read. */
static bool
read_task(struct uf_reader *r, struct uf_totals *t, const struct uftrace_task *task)
{
	struct uf_record x;
	struct err *e = r->u->e;
	bool good = true;

	r->session = uftrace_session_at(r->u, task->pid, task->time_ns, &r->until);
	track_new(r, task);
	while (good && next(r, &x))
		good = uftrace_take(r, t, &x);
	good = !err_is_set(e);
	/* everything before the damage is shown */
	return calls_end(&r->calls, input_offset(r->in), e) && good;
}

static bool
read_tasks(struct uftrace *u, struct uf_totals *t)
{
	struct err first = {0};
	size_t found = 0;

	for (size_t i = 0; i < u->task.n && !input_stopped(u->in); i++) {
		struct uf_reader r;
		struct err own = {0}, *e = u->e;
		u->e = &own;
		if (open_task(&r, u, &u->task.at[i])) {
			found++;
			if (!read_task(&r, t, &u->task.at[i]) && !err_is_set(&first))
				first = own;
		}
		u->e = e;
		close_task(&r);
	}
	if (!found)
		return err_refuse(u->e,
				  "info of uftrace, without the files of its tasks beside it");
	if (err_is_set(&first))
		*u->e = first;
	return !err_is_set(&first);
}

/* ---- the decoder ---- */

static void
uftrace_report(struct uftrace *u, const struct uf_totals *t)
{
	builder_info(u->b, "records", "%" PRIu64, t->records);
	builder_info(u->b, "tasks", "%zu", u->task.n);
	builder_info_count(u->b, "events", t->events, ", not shown");
	builder_warn_count(u->b, t->lost, "record was lost while recording",
			   "records were lost while recording");
	builder_warn_count(u->b, t->unmatched, "exit of a call that never began, ignored",
			   "exits of calls that never began, ignored");
	builder_warn_count(u->b, t->back,
			   "time goes backwards: it counts as the one before",
			   "times go backwards: each counts as the one before");
}

static bool
uftrace_decode(struct input *in, struct builder *b, struct err *e)
{
	struct uftrace u = {.in = in, .b = b, .e = e, .cast = {.b = b},
			    .symbols = native_symbols(in)};
	struct uf_totals totals = {0};
	bool good;

	builder_timeline(b);
	good = uftrace_info(&u);
	if (good && !uftrace_tasks(&u))
		good = err_refuse(e, "info of uftrace, without the task.txt beside it");
	if (good) {
		good = read_tasks(&u, &totals);
		uftrace_report(&u, &totals);
	}
	uftrace_release(&u);
	return good;
}

static bool
dump_task(struct uf_reader *r, struct dump *d)
{
	static const char *const types[] = {"entry", "exit", "lost", "event"};
	struct uf_record x;
	bool good = dump_record(d, 0, "file %s", buf_str(&r->name));

	r->session = uftrace_session_at(r->u, r->pid, 0, &r->until);
	while (good && next(r, &x)) {
		good = dump_record(
			d, x.offset, "%s time=%" PRId64 " depth=%u address=0x%" PRIx64 "%s",
			types[x.type], x.time, x.depth, x.address, x.more ? " more" : "");
		if (!good || !x.more)
			continue;
		if (x.type != TYPE_EVENT) /* their length follows only from the function's name */
			return dump_record(d, x.offset, "values, and what follows, left out");
		good = skip_values(r, &x, 0);
	}
	return good;
}

static bool
uftrace_dump(struct input *in, struct dump *d, struct err *e)
{
	struct uftrace u = {.in = in, .e = e};
	bool good;

	good = uftrace_info(&u);
	if (good)
		good = dump_record(d, 0, "info version=%u features=0x%" PRIx64, u.version,
				   u.features);
	if (good)
		uftrace_tasks(&u);
	for (size_t i = 0; good && i < u.task.n; i++) {
		struct uf_reader r;
		if (open_task(&r, &u, &u.task.at[i]))
			good = dump_task(&r, d);
		close_task(&r);
	}
	uftrace_release(&u);
	return good && !err_is_set(e);
}

const struct decoder decoder_uftrace = {
	.name = "uftrace",
	.title = "uftrace: the directory of uftrace record, or its file info",
	.mangled = true,
	DECODER_MAGIC("Ftrace!\0"),
	.decode = uftrace_decode,
	.dump = uftrace_dump,
};
