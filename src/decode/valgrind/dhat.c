/* DHAT, valgrind's profiler of heap blocks (Valgrind manual, "DHAT"), and dhat for Rust: JSON.
 *
 *	{"dhatFileVersion":2, "mode":"heap", ..., "te":41638952,
 *	 "pps":[{"tb":72704,"tbk":1, ..., "fs":[1,2,3]}, ...],
 *	 "ftbl":["[root]", "0x1091: parse (shop.c:12)", ...]}
 *
 * A program point is a stack, leaf first, with sums.  The table of frames follows the points,
 * whose stacks are kept as numbers until then.  The sums depend on the mode of the recording:
 * sums that no point has do not become metrics. */
#include "src/decode/decoder.h"

#include <stdlib.h>

#include "model/base/vec.h"
#include "src/decode/common/json_read.h"
#include "src/decode/valgrind/valgrind_frame.h"

enum { ALLOC, ALLOCS, LIFETIME, MAX, PEAK, PEAKS, LIVE, LIVES, READS, WRITES, SUMS };
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
	bool has[SUMS];
	size_t first, n; /* its frames, in `of` */
	uint64_t offset;
};

struct dhat {
	struct builder *b;
	struct err *e;
	VEC(struct dhat_point) point;
	VEC(uint64_t) of;
	VEC(frame_id) frame;
	struct buf text;
	bool has[SUMS], has_unit;
	uint8_t unit; /* 1: bytes */
	uint64_t dropped;
};

/* ---- the document ---- */

static void *
point_begin(struct rows_json *r, void *document, void *own)
{
	struct dhat_point *p = own;

	p->first = ((struct dhat *)document)->of.n;
	p->offset = r->offset;
	return own;
}

static bool
point_take(struct rows_json *r UNUSED, void *document, void *element)
{
	struct dhat *d = document;
	struct dhat_point *p = element;

	p->n = d->of.n - p->first;
	for (unsigned i = 0; i < SUMS; i++)
		d->has[i] |= p->has[i];
	*vec_push(&d->point) = *p;
	return true;
}

static bool
sum_refuse(struct rows_json *r, void *sum UNUSED, const struct json_value *v UNUSED)
{
	return err_damage(r->e, r->record, "a sum that is not a number");
}

static bool
frames_take(struct rows_json *r, void *point UNUSED, const int64_t *frame, size_t n)
{
	struct dhat *d = r->context;

	for (size_t i = 0; i < n; i++) {
		if (frame[i] < 0)
			return err_damage(r->e, r->record, "a frame that is not a number");
		*vec_push(&d->of) = (uint64_t)frame[i];
	}
	return true;
}

static bool
text_take(struct rows_json *r, void *document, const struct json_value *v)
{
	struct dhat *d = document;

	if (v->t.kind != JSON_STRING)
		return err_damage(r->e, r->offset, "a frame that is not a text");
	buf_reset(&d->text);
	json_text(&r->j, &v->t, &d->text);
	*vec_push(&d->frame) =
		valgrind_frame(d->b, buf_str(&d->text), buf_str(&d->text) + d->text.len);
	return true;
}

#define SUM_ROW(name, i)                                                                    \
	{name, ROW_NUMBER(struct dhat_point, sum[i]), ROW_HAS(struct dhat_point, has[i]), \
	 .by.take = sum_refuse}
#define FACT_ROW(name) {name, ROW_FACT(name)}

static const struct json_row point_rows[] = {
	SUM_ROW("tb", ALLOC), SUM_ROW("tbk", ALLOCS), SUM_ROW("tl", LIFETIME),
	SUM_ROW("mb", MAX), SUM_ROW("gb", PEAK), SUM_ROW("gbk", PEAKS), SUM_ROW("eb", LIVE),
	SUM_ROW("ebk", LIVES), SUM_ROW("rb", READS), SUM_ROW("wb", WRITES),
	{"fs", ROW_COLUMN(frames_take)},
	{0},
};
static const struct json_list points = {
	.rows = point_rows, .size = sizeof(struct dhat_point), .record = true, .what = "a point",
	.begin = point_begin, .end = point_take};
static const char *const byte[] = {"byte", NULL};
static const struct json_row document_rows[] = {
	FACT_ROW("mode"), FACT_ROW("verb"), FACT_ROW("cmd"), FACT_ROW("pid"),
	FACT_ROW("tu"), FACT_ROW("te"), FACT_ROW("tg"),
	{"bu", ROW_WORD(struct dhat, unit, byte), ROW_HAS(struct dhat, has_unit)},
	{"pps", ROW_LIST(&points)},
	{"ftbl", ROW_EACH(text_take)},
	{0},
};

/* ---- the profile ---- */

/* Leaf first; frame 0 is the root of all stacks.  STACK_EMPTY: frames are missing. */
static stack_id
dhat_stack_of(struct dhat *d, const struct dhat_point *p, frame_id *frame)
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
		frame[n++] = builder_frame(d->b, builder_function_unknown(d->b), line_unknown());
	return builder_stack_leaf_first(d->b, frame, n);
}

static bool
write_points(struct dhat *d)
{
	metric_id metric[SUMS];
	unsigned column[SUMS], n = 0;
	size_t most = 1;
	bool good = true, counts_bytes = !d->has_unit || d->unit;

	d->has[ALLOC] = d->has[ALLOCS] = true;
	for (unsigned i = 0; i < SUMS; i++) {
		bool bytes = sums[i].unit == UNIT_BYTES && counts_bytes;
		if (!d->has[i])
			continue;
		column[n] = i;
		metric[n++] = builder_metric(d->b, sums[i].name, bytes ? UNIT_BYTES : UNIT_COUNT,
					     ROLE_VALUE);
	}
	builder_default_metric(d->b, metric[0]);
	track_id track = builder_main(d->b);
	struct series *s = builder_totals(d->b, track, metric, n);
	for (size_t i = 0; i < d->point.n; i++)
		most = d->point.at[i].n > most ? d->point.at[i].n : most;
	frame_id *frame = mem_alloc(most, sizeof *frame);
	for (size_t i = 0; i < d->point.n && good; i++) {
		const struct dhat_point *p = &d->point.at[i];
		int64_t value[SUMS];
		stack_id stack = dhat_stack_of(d, p, frame);
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
	bool good = json_decode(in, b, e, document_rows, &d, "not a DHAT file");

	good = write_points(&d) && good; /* everything before the damage is shown */
	builder_warn_count(b, d.dropped,
			   "point has frames that are not in the table, left out",
			   "points have frames that are not in the table, left out");
	vec_release_all(&d.point, &d.of, &d.frame);
	buf_release(&d.text);
	return good;
}

const struct decoder decoder_dhat = {
	.name = "dhat",
	.title = "DHAT: heap blocks by where they were allocated (valgrind, dhat-rs)",
	.made_of = MADE_JSON,
	.mangled = true,
	.members = "dhatFileVersion",
	.sure = 100,
	.decode = dhat_decode,
};
