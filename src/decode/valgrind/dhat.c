/* DHAT, valgrind's profiler of heap blocks (Valgrind manual, "DHAT"), and dhat for Rust: JSON.
 *
 *	{"dhatFileVersion":2, "mode":"heap", ..., "te":41638952,
 *	 "pps":[{"tb":72704,"tbk":1, ..., "fs":[1,2,3]}, ...],
 *	 "ftbl":["[root]", "0x1091: parse (shop.c:12)", ...]}
 *
 * A program point is a stack, leaf first, with sums; the table of frames comes behind the
 * points, whose stacks are kept as numbers until then.  Which sums there are depends on what
 * was recorded: those that no point has are no metrics. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/vec.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/valgrind/valgrind_frame.h"
#include "src/input/decimal.h"
#include "src/input/json.h"

enum { ALLOC, ALLOCS, LIFETIME, MAX, PEAK, PEAKS, LIVE, LIVES, READS, WRITES, SUMS };
static const char *const sum_keys[SUMS] = {"tb", "tbk", "tl", "mb", "gb",
					   "gbk", "eb", "ebk", "rb", "wb"};
static const struct {
	const char *name;
	enum unit unit;
} sums[SUMS] = {
	{"alloc", UNIT_BYTES}, {"allocs", UNIT_COUNT}, {"lifetime", UNIT_COUNT},
	{"max", UNIT_BYTES},   {"peak", UNIT_BYTES},   {"peaks", UNIT_COUNT},
	{"live", UNIT_BYTES},  {"lives", UNIT_COUNT},  {"reads", UNIT_BYTES},
	{"writes", UNIT_BYTES},
};

struct dhat_point {
	int64_t sum[SUMS];
	size_t first, n; /* its frames, in `of` */
	uint64_t offset;
};

struct dhat {
	struct builder *b;
	struct err *e;
	struct json j;
	VEC(struct dhat_point) point;
	VEC(uint64_t) of;
	VEC(frame_id) frame;
	bool has[SUMS], counts_no_bytes;
	uint64_t dropped;
};

static int
dhat_probe(struct head head)
{
	return head_members(head, "dhatFileVersion") ? 100 : 0;
}

static bool
fault(struct dhat *d)
{
	return json_damage(&d->j, d->j.where, d->e);
}

/* ---- points ---- */

static bool
read_frames_of(struct dhat *d, struct dhat_point *p)
{
	struct json_token t;
	int64_t n;

	p->first = d->of.n;
	while (json_next(&d->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, 0, &n) || n < 0)
			return err_damage(d->e, p->offset, "a frame that is no number");
		*vec_push(&d->of) = (uint64_t)n;
	}
	p->n = d->of.n - p->first;
	return !d->j.failed;
}

static bool
read_point(struct dhat *d, uint64_t offset)
{
	struct dhat_point p = {.offset = offset};
	struct json_token t;
	bool has[SUMS] = {false};

	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, sum_keys, SUMS);
		bool frames = json_is(&t, "fs");
		if (!json_next(&d->j, &t))
			break;
		if (frames && t.kind == JSON_ARRAY) {
			if (!read_frames_of(d, &p))
				break;
			continue;
		}
		if (key < SUMS) {
			if (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, 0, &p.sum[key]))
				return err_damage(d->e, offset, "a sum that is no number");
			has[key] = true;
		}
		if (!json_skip(&d->j, &t))
			break;
	}
	if (err_is_set(d->e))
		return false;
	if (d->j.failed)
		return json_damage(&d->j, offset, d->e);
	for (unsigned i = 0; i < SUMS; i++)
		d->has[i] |= has[i];
	*vec_push(&d->point) = p;
	return true;
}

static bool
read_points(struct dhat *d)
{
	struct json_token t;

	while (json_next(&d->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_OBJECT)
			return err_damage(d->e, t.offset, "a point that is no object");
		if (!read_point(d, t.offset))
			return false;
	}
	return d->j.failed ? fault(d) : true;
}

static bool
read_table(struct dhat *d)
{
	struct buf text = BUF_INIT;
	struct json_token t;
	bool good = true;

	while (good && json_next(&d->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_STRING) {
			good = err_damage(d->e, t.offset, "a frame that is no text");
			break;
		}
		buf_reset(&text);
		json_text(&d->j, &t, &text);
		*vec_push(&d->frame) =
			valgrind_frame(d->b, buf_str(&text), buf_str(&text) + text.len);
	}
	buf_release(&text);
	return good && (d->j.failed ? fault(d) : true);
}

/* ---- the document ---- */

static void
tell(struct dhat *d, const struct json_token *key, const struct json_token *t)
{
	static const char *const told[] = {"mode", "verb", "cmd", "pid", "tu", "te", "tg"};
	unsigned i = json_key(key, told, 7);
	struct buf text = BUF_INIT;

	if (i == 7 || (t->kind != JSON_STRING && t->kind != JSON_NUMBER))
		return;
	if (t->kind == JSON_STRING)
		json_text(&d->j, t, &text);
	else
		buf_add(&text, t->at, t->len);
	builder_info_bytes(d->b, told[i], buf_str(&text), text.len);
	buf_release(&text);
}

static bool
read_document(struct dhat *d)
{
	struct json_token t, key;
	char name[32] = "";

	if (!json_next(&d->j, &t) || t.kind != JSON_OBJECT)
		return d->j.failed ? fault(d) : err_refuse(d->e, "no DHAT file: it is no object");
	while (json_next(&d->j, &t) && t.kind != JSON_OBJECT_END) {
		/* the key is gone with the next token */
		size_t len = t.len < sizeof name ? t.len : sizeof name;
		memcpy(name, t.at, len);
		key = (struct json_token){.kind = JSON_KEY, .at = name, .len = len};
		if (!json_next(&d->j, &t))
			break;
		if (t.kind == JSON_ARRAY && (json_is(&key, "pps") || json_is(&key, "ftbl"))) {
			if (!(json_is(&key, "pps") ? read_points(d) : read_table(d)))
				return false;
			continue;
		}
		if (json_is(&key, "bu") && t.kind == JSON_STRING)
			d->counts_no_bytes = !json_is(&t, "byte");
		tell(d, &key, &t);
		if (!json_skip(&d->j, &t))
			break;
	}
	return d->j.failed ? fault(d) : true;
}

/* ---- the profile ---- */

/* Leaf first; the frame 0 is the root that all have.  STACK_EMPTY: frames are missing. */
static stack_id
stack_of(struct dhat *d, const struct dhat_point *p, frame_id *frame)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		uint64_t f = d->of.at[p->first + i];
		if (f >= d->frame.n)
			return STACK_EMPTY;
		if (f)
			frame[n++] = d->frame.at[f];
	}
	if (!n)
		frame[n++] = builder_frame(d->b, builder_function_unknown(d->b),
					   line_unknown());
	return builder_stack_leaf_first(d->b, frame, n);
}

static bool
write_points(struct dhat *d)
{
	metric_id metric[SUMS];
	unsigned column[SUMS], n = 0;
	size_t most = 1;
	bool good = true;

	d->has[ALLOC] = d->has[ALLOCS] = true;
	for (unsigned i = 0; i < SUMS; i++) {
		bool bytes = sums[i].unit == UNIT_BYTES && !d->counts_no_bytes;
		if (!d->has[i])
			continue;
		column[n] = i;
		metric[n++] = builder_metric(d->b, sums[i].name, bytes ? UNIT_BYTES : UNIT_COUNT,
					     ROLE_VALUE);
	}
	builder_default_metric(d->b, metric[0]);
	track_id track = builder_track(d->b, "main", 4, TRACK_THREAD);
	struct series *s = builder_totals(d->b, track, metric, n);
	for (size_t i = 0; i < d->point.n; i++)
		most = d->point.at[i].n > most ? d->point.at[i].n : most;
	frame_id *frame = mem_alloc(most, sizeof *frame);
	for (size_t i = 0; i < d->point.n && good; i++) {
		const struct dhat_point *p = &d->point.at[i];
		int64_t value[SUMS];
		stack_id stack = stack_of(d, p, frame);
		for (unsigned c = 0; c < n; c++)
			value[c] = p->sum[column[c]];
		d->dropped += stack == STACK_EMPTY;
		if (stack == STACK_EMPTY)
			continue;
		builder_track_event(d->b, track);
		good = builder_total(d->b, s, stack, value, p->offset, d->e);
	}
	free(frame);
	return good;
}

static bool
dhat_decode(struct input *in, struct builder *b, struct err *e)
{
	struct dhat d = {.b = b, .e = e};
	struct err none;

	json_init(&d.j, in);
	bool good = read_document(&d);
	err_init(&none);
	d.e = good ? e : &none; /* what stands before damage is shown */
	good = write_points(&d) && good;
	if (d.dropped)
		builder_warn(b,
			     "%" PRIu64 " points have frames that are not in the table, left out",
			     d.dropped);
	json_say(&d.j, b);
	vec_release(&d.point);
	vec_release(&d.of);
	vec_release(&d.frame);
	return good;
}

const struct decoder decoder_dhat = {
	.name = "dhat",
	.title = "DHAT: heap blocks by where they were allocated (valgrind, dhat-rs)",
	.manual = "dhat",
	.made_of = MADE_JSON,
	.mangled = true,
	.probe = dhat_probe,
	.decode = dhat_decode,
	.dump = json_dump,
};
