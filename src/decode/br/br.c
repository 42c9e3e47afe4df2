#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/mem.h"
#include "model/base/vec.h"
#include "src/decode/br/br_read.h"
#include "src/input/hash.h"

/* Business Rules! profiler logs ("Profiler File Layout"; pnav-formats(7)).
 *
 * A log consists of groups, CURRENT ... END.  Programs spend their time in few places: most
 * groups repeat an earlier group byte for byte, except for the times.  So the bytes of a group
 * without its TIME records are a key, and a known key gives the stack without parsing frames.
 * When a later MAP changes the meaning of a key, all keys are dropped, which happens once in a
 * program's life.
 *
 * The axis is the sum of the times if the log has TIME records, otherwise the number of the
 * sample. The start of the file does not say which.  A timed log nearly always has a TIME in
 * its first group.  So the first groups are buffered until a TIME comes; without one, the log
 * counts as sampled.  If a TIME comes later (two logs in one file), the axis continues in ns,
 * and each earlier group takes 1 ns: the sums are right either way.  Rejected: reading the file
 * twice (impossible for a pipe, and the first picture would wait for the first pass), and
 * keeping all groups until the end.
 *
 * Invariant: a group counts only after its END was read. */

#define UNDECIDED_MAX 4096u
#define GROUP_MAX (16u << 20)
#define KEYS_MAX (64u << 20)
#define MODULES 65536u
#define NAME_NONE UINT32_MAX

struct br_known {
	uint32_t at, len; /* in keys */
	stack_id stack;
};

/* Frames and stacks: what modules are called, and the stacks of groups by their bytes. */
struct br_stacks {
	struct builder *b;
	bool outermost_first;
	name_id *file;    /* [module], NAME_NONE where not mapped */
	uint8_t *written; /* [module] is in some key */
	struct map known_map;
	VEC(struct br_known) known;
	struct buf keys;
	VEC(frame_id) frames;
};

/* The open group. */
struct br_group {
	enum br_state state;
	uint64_t offset;
	struct buf bytes; /* what was copied of its records; without TIME and END */
	int64_t spent;
};

struct br {
	struct input *in;
	struct builder *b;
	struct br_stacks stacks;
	struct br_group group;
	bool has_backtrace;

	/* the axis */
	track_id track;
	struct series *series;
	metric_id samples;
	bool decided, timed;
	VEC(stack_id) undecided;
	int64_t groups, clock;
};

/* ---- frames ---- */

static void
map_record(struct br_stacks *d, const struct br_record *r)
{
	name_id name = builder_name(d->b, r->name, r->len);

	if (d->file[r->module] == name)
		return;
	d->file[r->module] = name;
	if (!d->written[r->module])
		return;
	memset(d->written, 0, MODULES);
	map_release(&d->known_map);
	map_init(&d->known_map);
	d->known.n = 0;
	buf_reset(&d->keys);
}

static name_id
br_file_of(struct br_stacks *d, uint16_t module)
{
	char text[16];

	if (d->file[module] != NAME_NONE)
		return d->file[module];
	int len = snprintf(text, sizeof text, "module#%u", module);
	return builder_name(d->b, text, (size_t)len);
}

/* Returns the frame at `place`, in the routine that `routine` names; tag 0: no routine. */
static frame_id
br_frame_of(struct br_stacks *d, const struct br_record *place, const struct br_record *routine)
{
	struct line line = {.number = place->line, .clause = place->clause, .form = LINE_CLAUSE};
	name_id file = br_file_of(d, place->module), name = file;

	if (routine->tag == BR_FUNCTION)
		name = builder_name(d->b, routine->name, routine->len);
	else if (routine->tag == BR_GOSUB)
		name = builder_name(d->b, "GOSUB", 5);
	else if (routine->tag == BR_MAIN)
		name = builder_name(d->b, "MAIN", 4);
	struct name text = builder_name_get(d->b, name);
	function_id f = builder_function(
		d->b, (struct function){
			      .name = name,
			      .file = file,
			      .kind = (uint8_t)kind_of_name(text.at, text.len),
		      });
	return builder_frame(d->b, f, line);
}

/* Returns the stack of a group's bytes.  CURRENT is the leaf; the backtraces lead from its
 * caller to the root, or in the other direction if the user says so. */
static stack_id
stack_read(struct br_stacks *d, const uint8_t *at, size_t left)
{
	struct br_record place = {0}, routine, r;

	d->frames.n = 0;
	while (left) {
		size_t len = br_record(at, left, &place);
		at += len;
		left -= len;
		d->written[place.module] = 1;
		routine = (struct br_record){0};
		len = br_record(at, left, &r);
		if (len && r.tag >= BR_FUNCTION) {
			routine = r;
			at += len;
			left -= len;
		}
		frame_id frame = br_frame_of(d, &place, &routine);
		*vec_push(&d->frames) = frame;
	}
	if (!d->outermost_first)
		return builder_stack_leaf_first(d->b, d->frames.at, d->frames.n);
	frame_id leaf = d->frames.at[0];
	*vec_push(&d->frames) = leaf;
	return builder_stack(d->b, d->frames.at + 1, d->frames.n - 1);
}

static stack_id
br_stack_of(struct br_stacks *d, const uint8_t *key, size_t len)
{
	uint64_t hash = hash64(key, len);
	uint32_t slot = map_first(&d->known_map, hash), i;

	while (map_probe(&d->known_map, &slot, hash, &i))
		if (d->known.at[i].len == len && !memcmp(d->keys.at + d->known.at[i].at, key, len))
			return d->known.at[i].stack;
	stack_id stack = stack_read(d, key, len);
	if (d->keys.len + len > KEYS_MAX)
		return stack;
	map_insert(&d->known_map, hash, (uint32_t)d->known.n);
	*vec_push(&d->known) = (struct br_known){
		.at = (uint32_t)d->keys.len, .len = (uint32_t)len, .stack = stack};
	buf_add(&d->keys, key, len);
	return stack;
}

/* ---- the axis ---- */

static bool
br_sample(struct br *d, stack_id stack, int64_t spent, uint64_t offset, struct err *err)
{
	int64_t when = d->timed ? d->clock : d->groups, after;

	if (__builtin_add_overflow(d->clock, spent, &after))
		return err_damage(err, offset, "the sum of the times exceeds 2^63");
	d->clock = after;
	d->groups++;
	return builder_sample(d->b, d->series, when, stack, &spent, offset, err);
}

/* Decides whether the log is timed, or changes it from sampled to timed. */
static bool
decide(struct br *d, bool timed, uint64_t offset, struct err *err)
{
	metric_id metrics[2] = {d->samples, 0};

	if (d->decided)
		builder_warn(d->b,
			     "the first TIME comes after %" PRId64 " groups without; "
			     "these have a place of 1 ns each on the axis",
			     d->groups);
	d->decided = true;
	d->timed = timed;
	builder_axis(d->b, timed ? UNIT_NS : UNIT_SAMPLES);
	if (timed) {
		metrics[1] = builder_metric(d->b, "time", UNIT_NS, ROLE_VALUE);
		builder_default_metric(d->b, metrics[1]);
	} else {
		builder_default_metric(d->b, metrics[0]);
	}
	d->series = builder_samples(d->b, d->track, metrics, timed ? 2 : 1);
	for (size_t i = 0; i < d->undecided.n; i++)
		if (!br_sample(d, d->undecided.at[i], 0, offset, err))
			return false;
	d->undecided.n = 0;
	return true;
}

/* ---- records ---- */

/* Handles the END of a group, whose records [run, at) were not copied. */
static bool
group_end(struct br *d, const uint8_t *run, const uint8_t *at, uint64_t offset, struct err *err)
{
	size_t len = (size_t)(at - run);

	if (d->group.bytes.len) {
		buf_add(&d->group.bytes, run, len);
		run = (const uint8_t *)d->group.bytes.at;
		len = d->group.bytes.len;
	}
	stack_id stack = br_stack_of(&d->stacks, run, len);
	buf_reset(&d->group.bytes);
	if (!d->decided) {
		*vec_push(&d->undecided) = stack;
		return d->undecided.n < UNDECIDED_MAX || decide(d, false, offset, err);
	}
	return br_sample(d, stack, d->group.spent, offset, err);
}

static bool
time_record(struct br *d, const struct br_record *r, uint64_t offset, struct err *err)
{
	int64_t spent;

	if (r->time > INT64_MAX || __builtin_add_overflow(d->group.spent, (int64_t)r->time, &spent))
		return err_damage(err, offset, "the time of the group exceeds 2^63 ns");
	d->group.spent = spent;
	return d->timed || decide(d, true, offset, err);
}

/* Handles the end of the input with `left` bytes that are not a whole record. */
static bool
ends(const struct br *d, uint8_t tag, size_t left, struct err *err)
{
	uint64_t offset = input_offset(d->in);

	if (input_stopped(d->in))
		return true;
	if (left)
		return err_damage(err, offset, "the file ends within %s", br_tag_name(tag));
	if (d->group.state != BR_OUTSIDE)
		return err_damage(err, offset,
				  "the file ends within the group that begins at byte %" PRIu64,
				  d->group.offset);
	return true;
}

static bool
group_copy(struct br *d, const uint8_t *run, const uint8_t *at, uint64_t offset, struct err *err)
{
	buf_add(&d->group.bytes, run, (size_t)(at - run));
	return d->group.bytes.len <= GROUP_MAX ||
	       err_damage(err, offset,
			  "the group that begins at byte %" PRIu64 " is longer than %u bytes",
			  d->group.offset, GROUP_MAX);
}

/* Handles all whole records of the window; sets *used to their length in bytes. */
static bool
records_of_window(struct br *d, size_t *used, struct err *err)
{
	const uint8_t *start = input_at(d->in), *at = start, *run = start;
	const uint8_t *end = start + input_have(d->in);
	struct br_record r;
	bool good = true;
	size_t len;

	while (good && (len = br_record(at, (size_t)(end - at), &r))) {
		uint64_t offset = input_offset(d->in) + (uint64_t)(at - start);
		enum br_state next = br_step(d->group.state, &r);
		if (next == BR_FAULT)
			return err_damage(err, offset, "%s (type %u)", br_fault(d->group.state, &r),
					  r.tag);
		d->group.state = next;
		switch (r.tag) {
		case BR_MAP:
			map_record(&d->stacks, &r);
			break;
		case BR_CURRENT:
			d->group.offset = offset;
			d->group.spent = 0;
			run = at;
			break;
		case BR_TIME:
			good = group_copy(d, run, at, offset, err) &&
			       time_record(d, &r, offset, err);
			run = at + len;
			break;
		case BR_BACKTRACE:
			d->has_backtrace = true;
			break;
		case BR_END:
			good = group_end(d, run, at, offset, err);
			break;
		}
		at += len;
	}
	*used = (size_t)(at - start);
	if (good && d->group.state != BR_OUTSIDE)
		good = group_copy(d, run, at, d->group.offset, err);
	return good;
}

static bool
records(struct br *d, struct err *err)
{
	for (;;) {
		size_t used = 0;
		if (!records_of_window(d, &used, err))
			return false;
		uint8_t tag = used < input_have(d->in) ? input_at(d->in)[used] : 0;
		size_t left = input_have(d->in) - used;
		input_skip(d->in, used);
		if (!input_more(d->in))
			return ends(d, tag, left, err);
	}
}

static bool
br_decode(struct input *in, struct builder *b, struct err *err)
{
	struct br d = {.in = in,
		       .b = b,
		       .stacks = {.b = b,
				  .outermost_first = input_option(in, "br-outermost-first") != NULL,
				  .file = mem_alloc(MODULES, sizeof(name_id)),
				  .written = mem_zalloc(MODULES, 1)}};

	for (unsigned i = 0; i < MODULES; i++)
		d.stacks.file[i] = NAME_NONE;
	map_init(&d.stacks.known_map);
	builder_charset_cp437(b);
	builder_axis(b, UNIT_SAMPLES);
	d.samples = builder_metric(b, "samples", UNIT_SAMPLES, ROLE_EVENTS);
	d.track = builder_main(b);
	bool good = records(&d, err);
	if (!d.decided && d.undecided.n)
		good &= decide(&d, false, input_offset(in), err);
	if (d.groups)
		builder_track_end(b, d.track, d.timed ? d.clock : d.groups);
	if (d.decided)
		builder_info(b, "sampling", "%s", d.timed ? "timed" : "sampled");
	if (d.has_backtrace && !d.stacks.outermost_first)
		builder_info(b, "assumed",
			     "backtraces lead from the innermost caller out "
			     "(--br-outermost-first)");
	buf_release(&d.group.bytes);
	free_all(d.stacks.file, d.stacks.written);
	map_release(&d.stacks.known_map);
	vec_release_all(&d.stacks.known, &d.stacks.frames, &d.undecided);
	buf_release(&d.stacks.keys);
	return good;
}

/* ---- probe: how far the grammar holds ---- */

static bool
name_is_plausible(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < 0x20)
			return false;
	return true;
}

static int
br_probe(struct head head)
{
	enum br_state state = BR_OUTSIDE;
	struct br_record r = {0};
	size_t at = 0, len;
	unsigned maps = 0, groups = 0;
	bool fault = false;

	while ((len = br_record(head.at + at, head.len - at, &r))) {
		state = br_step(state, &r);
		fault = state == BR_FAULT || ((r.tag == BR_MAP || r.tag == BR_FUNCTION) &&
					      !name_is_plausible(r.name, r.len));
		if (fault)
			break;
		maps += r.tag == BR_MAP;
		groups += r.tag == BR_END;
		at += len;
	}
	if (groups)
		return (fault ? 40 : 70) + (groups < 20 ? (int)groups : 20);
	if (maps)
		return fault ? 20 : 50;
	/* less than one group: a single CURRENT proves nothing */
	return at && !fault ? 10 : 0;
}

/* ---- dump: `profiler.exe FILE raw` ---- */

static bool
br_dump_one(struct dump *d, uint64_t offset, const struct br_record *r, struct buf *scratch)
{
	switch (r->tag) {
	case BR_MAP:
		return dump_record(d, offset, "MAP module=%u file=%s", r->module,
				   dump_bytes(d, scratch, r->name, r->len));
	case BR_CURRENT:
	case BR_BACKTRACE:
		return dump_record(d, offset, "%s module=%u line=%" PRIu32 " clause=%u",
				   r->tag == BR_CURRENT ? "CURRENT" : "BACKTRACE",
				   r->module, r->line, r->clause);
	case BR_TIME:
		return dump_record(d, offset, "TIME ns=%" PRIu64, r->time);
	case BR_FUNCTION:
		return dump_record(d, offset, "FUNCTION name=%s",
				   dump_bytes(d, scratch, r->name, r->len));
	}
	return dump_record(d, offset, "%s",
			   r->tag == BR_END     ? "END"
			   : r->tag == BR_GOSUB ? "GOSUB"
						: "MAIN");
}

/* The dump prints records in any order: only an unreadable one ends it. */
static bool
br_dump(struct input *in, struct dump *d, struct err *err)
{
	struct buf scratch = BUF_INIT;
	struct br_record r = {0};
	bool good = true, more = true;

	d->cp437 = true;
	while (more) {
		size_t len = br_record(input_at(in), input_have(in), &r);
		uint64_t offset = input_offset(in);
		if (!len) {
			more = input_more(in);
			continue;
		}
		if (r.tag < BR_MAP || r.tag > BR_MAIN || r.tag == 2) {
			good = err_damage(err, offset, "%s (type %u)",
					  br_fault(BR_OUTSIDE, &r), r.tag);
			break;
		}
		if (!br_dump_one(d, offset, &r, &scratch))
			break;
		input_skip(in, len);
	}
	if (!more && input_have(in) && !input_stopped(in))
		good = err_damage(err, input_offset(in), "the file ends within %s",
				  br_tag_name(*input_at(in)));
	buf_release(&scratch);
	return good;
}

static const struct option_row br_options[] = {
	{"br-outermost-first", .help = "br: backtraces begin with the outermost line"},
	{0},
};

const struct decoder decoder_br = {
	.name = "br",
	.title = "Business Rules! profiler log",
	.made_of = MADE_BINARY,
	.options = br_options,
	.probe = br_probe,
	.decode = br_decode,
	.dump = br_dump,
};
