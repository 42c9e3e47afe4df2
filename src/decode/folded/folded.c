/* Folded stacks: `frame;frame;... COUNT`, root first, one stack a line (pnav-formats(7)).
 *
 * The format has no header and no escape, so its lines identify it: a line is a stack if a number
 * follows its last blank. Everything before that blank is names, verbatim. Files of `difffolded.pl`
 * have two numbers a line; a file is one of them if all lines of its first window have two.
 *
 * These files are large and repetitive: they contain the same stacks again, and neighbours share
 * most of their frames. So a line costs
 *	one hash of the whole text before the count, looked up in a cache of stacks;
 *	on a miss, only the frames that it does not share with the line of the last miss;
 *	for each of those one hash of the name, looked up in a cache of names.
 * stack_queue.h has the first cache and follows the paths, folded_names.h has the second. A hash
 * represents the text; the text itself is not kept, which keeps memory below a seventh of the file.
 * Lines that may be damaged are taken one by one, since nothing after the damage may be named.
 *
 * Rejected: splitting every line into names (a probe a frame instead of one a line), a 64-bit hash
 * (see text_cache.c).
 *
 * Invariant: values are integers, or millionths after the first fraction. */
#include "src/decode/decoder.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/stack_queue.h"
#include "src/decode/folded/folded_names.h"
#include "src/input/lines.h"

#define MILLION 1000000

/* ---- a line ---- */

enum verdict { LINE_STACK, LINE_EMPTY, LINE_BAD, LINE_HUGE };

struct count {
	int64_t whole;
	int32_t millionths;
	bool fraction;
};

struct item {
	struct text_line line;
	size_t stack_len;
	struct count count[2];
	enum verdict verdict;
	struct folded_part part; /* its frames, if its stack is new */
};

/* Parses an optional minus (frees of earlier allocations make `live` shrink), digits, and an
 * optional fraction, which is rounded to millionths. */
static enum verdict
parse_count(const char *at, size_t len, struct count *out)
{
	bool huge = false, negative = len && at[0] == '-';
	size_t i = 0;
	at += negative;
	len -= negative;
	*out = (struct count){0};
	for (; i < len && is_digit(at[i]); i++)
		huge |= __builtin_mul_overflow(out->whole, 10, &out->whole) ||
			__builtin_add_overflow(out->whole, at[i] - '0', &out->whole);
	if (i == 0)
		return LINE_BAD;
	if (i < len) {
		size_t point = i++;
		int32_t unit = MILLION, half = 0;
		if (at[point] != '.' || i == len)
			return LINE_BAD;
		for (; i < len && is_digit(at[i]); i++) {
			half |= unit == 1 && at[i] >= '5';
			unit /= 10;
			out->millionths += unit * (at[i] - '0');
		}
		out->millionths += half;
		if (out->millionths == MILLION) {
			huge |= __builtin_add_overflow(out->whole, 1, &out->whole);
			out->millionths = 0;
		}
		if (i < len)
			return LINE_BAD;
		out->fraction = out->millionths != 0;
	}
	if (negative && !huge) {
		out->whole = -out->whole;
		out->millionths = -out->millionths;
	}
	return huge ? LINE_HUGE : LINE_STACK;
}

/* Removes the number at the end of a line: sets *len to the length of the text before its
 * blank. */
static enum verdict
take_count(const char *at, size_t *len, struct count *out)
{
	size_t end = *len, first;
	for (first = end; first && is_digit(at[first - 1]); first--)
		;
	if (first < end && end - first <= 18 && first && is_blank(at[first - 1])) {
		*out = (struct count){0};
		for (size_t i = first; i < end; i++)
			out->whole = out->whole * 10 + (at[i] - '0');
		*len = first - 1;
		return LINE_STACK;
	}
	while (end && is_blank(at[end - 1]))
		end--;
	if (!end)
		return LINE_EMPTY;
	for (first = end; first && !is_blank(at[first - 1]); first--)
		;
	if (!first)
		return LINE_BAD;
	*len = first - 1;
	return parse_count(at + first, end - first, out);
}

static void
parse_line(struct item *item, bool two)
{
	size_t len = item->line.len;
	item->verdict = LINE_BAD;
	if (item->line.cut)
		return;
	/* `# comment: 42` */
	if (len > 1 && item->line.at[0] == '#' && item->line.at[1] == ' ' &&
	    !memchr(item->line.at, ';', len)) {
		item->verdict = LINE_EMPTY;
		return;
	}
	item->verdict = take_count(item->line.at, &len, &item->count[0]);
	if (two && item->verdict == LINE_STACK) {
		item->count[1] = item->count[0];
		item->verdict = take_count(item->line.at, &len, &item->count[0]);
		if (item->verdict == LINE_EMPTY)
			item->verdict = LINE_BAD;
	}
	item->stack_len = len; /* 0: one frame without a name */
}

/* ---- the probe ---- */

/* Returns the next line of a run of bytes, without an input. */
static bool
next_line(const char **at, const char *end, bool whole, struct text_line *out)
{
	if (*at == end)
		return false;
	const char *nl = memchr(*at, '\n', (size_t)(end - *at));
	if (!nl && !whole)
		return false;
	const char *stop = nl ? nl : end;
	*out = (struct text_line){.at = *at, .len = (size_t)(stop - *at), .ended = nl};
	if (out->len && out->at[out->len - 1] == '\r')
		out->len--;
	*at = nl ? nl + 1 : end;
	return true;
}

/* How strongly a line suggests the format. A path is strong evidence, a lone name is weak, unless
 * it contains what other formats have before numbers: blanks, `calls=1 20` of callgrind. Columns of
 * numbers, and lines with control characters, are no evidence. */
enum evidence { EVIDENCE_NONE, EVIDENCE_WEAK, EVIDENCE_LONE, EVIDENCE_PATH };

/* Returns true for a name that ends in a column of numbers. */
static bool
ends_in_numbers(const char *at, size_t len)
{
	struct count count;
	unsigned numbers = 0;

	while (numbers < 2 && take_count(at, &len, &count) == LINE_STACK)
		numbers++;
	return numbers == 2;
}

static enum evidence
evidence_of(const char *at, size_t len)
{
	bool letter = false, weak = false;
	if (memchr(at, ';', len))
		return EVIDENCE_PATH;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c < ' ')
			return EVIDENCE_NONE;
		weak |= c == '=' || is_blank(at[i]);
		letter |= isalpha(c) || c >= 0x80;
	}
	letter &= len && !is_blank(at[len - 1]) && !(weak && ends_in_numbers(at, len));
	return !letter ? EVIDENCE_NONE : weak ? EVIDENCE_WEAK : EVIDENCE_LONE;
}

static int
folded_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;
	uint64_t n[4] = {0}, bad = 0;
	struct item item;
	while (next_line(&at, end, head.whole, &item.line)) {
		parse_line(&item, false);
		/* A truncated file is still a file of this format. */
		if (item.verdict == LINE_BAD)
			bad += item.line.ended;
		else if (item.verdict != LINE_EMPTY)
			n[evidence_of(item.line.at, item.stack_len)]++;
	}
	uint64_t paths = n[EVIDENCE_PATH], lone = n[EVIDENCE_LONE];
	uint64_t weak = n[EVIDENCE_WEAK], none = n[EVIDENCE_NONE];
	/* One line larger than the head: only its first frames can identify it. */
	if (!head.whole && !(paths + lone + weak + none + bad))
		return memchr(head.at, ';', head.len) && !memchr(head.at, '{', head.len) &&
				       !memchr(head.at, 0, head.len)
			       ? 5
			       : 0;
	if (paths && paths + lone + weak > bad)
		return paths * 2 >= bad + none + weak ? 40 : 20;
	/* only stacks of one frame: nearly any text has such lines */
	if (bad || !(lone + weak))
		return 0;
	return weak + none ? 10 : 15;
}

/* ---- decoding ---- */

struct folded {
	struct builder *b;
	struct err *e;
	struct lines lines;
	metric_id metric;
	bool two, decimals;
	track_id track[2];
	struct series *series[2];
	uint64_t first_bad, bad_offset; /* the number of the first bad line, and where it is */
	struct carried *n;
	struct stack_queue queue;
	struct item item[STACK_QUEUE];
	struct folded_names names;
};

/* The numbers that all parts of a file share: its lines, the sum of their counts, about, and the
 * form of the file. */
enum { GOOD, BAD, WEIGHT };
enum { TWO_COUNTS = 1, DECIMALS = 2, HEAVY = 4 /* the sum may exceed 2^63 */ };

/* Returns true if all stacks in the window have two numbers and one of them has several frames.
 * A table of names and numbers is not a comparison. */
static bool
has_two_counts(struct input *in)
{
	for (size_t seen = 0; input_have(in) < LINE_MAX_BYTES &&
			      !memchr(input_at(in) + seen, '\n', input_have(in) - seen);) {
		seen = input_have(in);
		if (!input_more(in))
			break;
	}
	const char *at = (const char *)input_at(in), *end = at + input_have(in);
	struct text_line line;
	size_t good = 0;
	bool path = false;
	/* The last line may lack its end: a truncated line proves nothing. */
	while (next_line(&at, end, !good, &line)) {
		struct item item = {.line = line};
		parse_line(&item, false);
		if (item.verdict != LINE_STACK)
			continue;
		item.line = line;
		parse_line(&item, true);
		if (item.verdict != LINE_STACK)
			return false;
		path |= memchr(item.line.at, ';', item.stack_len) != NULL;
		good++;
	}
	return good > 0 && path;
}

/* The form of a part is that of the whole, whatever its own lines look like. */
static bool
folded_form(struct folded *f, struct input *in)
{
	f->n = builder_carried(f->b);
	f->n->begins = 1u << BAD;
	if (!f->n->part && has_two_counts(in))
		f->n->flags |= TWO_COUNTS;
	return f->n->flags & TWO_COUNTS;
}

static bool
folded_begin(struct folded *f, struct input *in)
{
	const char *name = base_name(input_name(in));
	f->two = folded_form(f, in);
	f->metric = builder_metric(f->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(f->b, f->metric);
	if (f->two) {
		f->track[0] = builder_track(f->b, "before", 6, TRACK_THREAD);
		f->track[1] = builder_track(f->b, "after", 5, TRACK_THREAD);
		f->series[1] = builder_totals(f->b, f->track[1], &f->metric, 1);
		builder_comparison(f->b);
	} else {
		if (!strcmp(name, "-"))
			name = "stdin";
		f->track[0] = builder_track(f->b, name, strlen(name), TRACK_THREAD);
	}
	f->series[0] = builder_totals(f->b, f->track[0], &f->metric, 1);
	lines_init(&f->lines, in);
	f->decimals = f->n->flags & DECIMALS;
	return !f->decimals ||
	       builder_metric_decimals(f->b, f->metric, input_offset(in), f->e);
}

/* The metric's unit becomes finer with the first fraction. */
static bool
make_finer(struct folded *f, const struct item *item)
{
	if (f->decimals || !(item->count[0].fraction || (f->two && item->count[1].fraction)))
		return true;
	f->decimals = builder_metric_decimals(f->b, f->metric, item->line.offset, f->e);
	if (f->decimals)
		f->n->flags |= DECIMALS;
	return f->decimals;
}

/* The value in the metric's unit. */
static bool
value_of(struct folded *f, const struct item *item, const struct count *c, int64_t *out)
{
	*out = c->whole;
	if (f->decimals && (__builtin_mul_overflow(*out, MILLION, out) ||
			    __builtin_add_overflow(*out, c->millionths, out)))
		return err_damage(f->e, item->line.offset, "the count is too large");
	return true;
}

static bool
folded_add(struct folded *f, const struct item *item, stack_id stack)
{
	uint64_t offset = item->line.offset;
	int64_t value[2] = {0};

	if (!make_finer(f, item))
		return false;
	for (int i = 0; i <= f->two; i++)
		if (!value_of(f, item, &item->count[i], &value[i]))
			return false;
	for (int i = 0; i <= f->two; i++) {
		/* In a comparison, 0 means that the stack did not occur. */
		if (f->two && !value[i])
			continue;
		if (!builder_total(f->b, f->series[i], stack, &value[i], offset, f->e))
			return false;
		builder_track_event(f->b, f->track[i]);
	}
	return true;
}

/* ---- what the queue asks for ---- */

static void
folded_split(void *owner, uint32_t i)
{
	struct folded *f = owner;
	struct item *item = &f->item[i];

	item->part = folded_names_split(&f->names, item->line.at, item->stack_len);
}

static bool
folded_path(void *owner, uint32_t i)
{
	struct folded *f = owner;
	struct folded_part part = f->item[i].part;
	const frame_id *frame = folded_names_frames(&f->names, f->b, part);

	stack_queue_path(&f->queue, part.shared, frame, part.n);
	return true;
}

static bool
folded_stack(void *owner, uint32_t i, stack_id stack)
{
	struct folded *f = owner;

	f->n->count[GOOD]++;
	return folded_add(f, &f->item[i], stack);
}

static const struct stack_queue_ops folded_ops = {
	.split = folded_split,
	.path = folded_path,
	.take = folded_stack,
};

/* Handles all lines that wait. Must be called before the window moves. */
static bool
folded_settle(struct folded *f)
{
	bool ok = stack_queue_flush(&f->queue);

	folded_names_keep(&f->names);
	return ok;
}

/* ---- lines ---- */

/* Returns true if this line can be no damage, as far as the counts up to it show. */
static bool
is_harmless(struct folded *f, const struct item *item)
{
	uint64_t most = (uint64_t)INT64_MAX / (f->decimals ? 2 * MILLION : 2);
	bool finer = false;

	for (int k = 0; k <= f->two; k++) {
		const struct count *c = &item->count[k];
		uint64_t more = (c->whole < 0 ? -(uint64_t)c->whole : (uint64_t)c->whole) + 1;
		finer |= c->fraction && !f->decimals;
		if (f->n->count[WEIGHT] + more > most)
			f->n->flags |= HEAVY;
		else
			f->n->count[WEIGHT] += more;
	}
	return !finer && !(f->n->flags & HEAVY);
}

/* Takes a line that is not a stack. */
static bool
folded_odd(struct folded *f, const struct item *item)
{
	if (item->verdict == LINE_EMPTY)
		return true;
	if (item->verdict == LINE_HUGE)
		return folded_settle(f) &&
		       err_damage(f->e, item->line.offset, "the count exceeds 2^63");
	if (item->line.cut)
		return folded_settle(f) &&
		       err_damage(f->e, item->line.offset, "a line of more than %u bytes",
				  LINE_MAX_BYTES);
	if (!f->n->count[BAD]++) {
		f->first_bad = f->lines.number;
		f->bad_offset = item->line.offset;
	}
	return true;
}

/* Takes the next item, whose line was parsed. */
static bool
folded_take(struct folded *f)
{
	struct item *item = &f->item[stack_queue_next(&f->queue)];

	if (item->verdict != LINE_STACK)
		return folded_odd(f, item);
	if (is_harmless(f, item))
		return stack_queue_add(&f->queue, item->line.at, item->stack_len, 0);
	struct item alone = *item;
	if (!folded_settle(f))
		return false;
	f->item[0] = alone;
	return stack_queue_add(&f->queue, alone.line.at, alone.stack_len, 0) && folded_settle(f);
}

/* Handles the complete lines of a window. */
static bool
decode_window(struct folded *f)
{
	struct item *item;

	while (lines_ready(&f->lines, &(item = &f->item[stack_queue_next(&f->queue)])->line)) {
		parse_line(item, f->two);
		if (!folded_take(f))
			return false;
	}
	return folded_settle(f);
}

/* Decodes the rest without a line end: the last line, or a piece of an endless one. */
static bool
decode_rest(struct folded *f)
{
	struct item *item = &f->item[0];
	while (lines_next(&f->lines, &item->line)) {
		parse_line(item, f->two);
		bool usual = f->n->count[GOOD] > f->n->count[BAD];
		if (!item->line.cut && usual &&
		    !last_line_whole(f->lines.in, item->line.ended, item->line.offset,
				     item->verdict == LINE_BAD ? LAST_OPEN : LAST_NUMBER, f->e))
			return false;
		if (!folded_take(f) || !folded_settle(f))
			return false;
	}
	return true;
}

/* Judges the whole file by its lines. */
static bool
folded_end(struct folded *f, struct input *in, bool ok)
{
	uint64_t good = f->n->count[GOOD], bad = f->n->count[BAD];

	if (bad)
		builder_warn(f->b, "%" PRIu64 " line%s, skipped; the first is line %" PRIu64, bad,
			     bad > 1 ? "s are not stacks" : " is not a stack", f->first_bad);
	if (!ok || (bad <= good && good) || input_stopped(in))
		return ok;
	err_refuse(f->e, "not folded stacks: %" PRIu64 " of %" PRIu64 " lines are not stacks", bad,
		   bad + good);
	f->e->offset = f->bad_offset;
	f->e->has_offset = true;
	return false;
}

static bool
folded_decode(struct input *in, struct builder *b, struct err *e)
{
	struct folded f = {.b = b, .e = e};
	f.queue = (struct stack_queue){.b = b, .ops = &folded_ops, .owner = &f};
	bool ok = folded_begin(&f, in);
	while (ok && (ok = decode_window(&f)) && lines_more(&f.lines))
		;
	ok = ok && (input_stopped(in) || decode_rest(&f));
	if (!f.n->part)
		ok = folded_end(&f, in, ok);
	stack_queue_release(&f.queue);
	folded_names_release(&f.names);
	return ok;
}

/* Every line is a record. */
static size_t
folded_record_end(const uint8_t *at, size_t len)
{
	const uint8_t *end = memrchr(at, '\n', len);

	return end ? (size_t)(end - at) + 1 : 0;
}

/* ---- dump ---- */

/* Returns the numbers as they are in the line, with a blank before each. */
static void
counts_text(struct buf *out, const struct item *item)
{
	buf_reset(out);
	for (size_t i = item->stack_len; i < item->line.len; i++) {
		char c = item->line.at[i];
		if (!is_blank(c))
			buf_addc(out, c);
		else if (i + 1 < item->line.len && !is_blank(item->line.at[i + 1]))
			buf_addc(out, ' ');
	}
}

static bool
folded_dump(struct input *in, struct dump *d, struct err *e UNUSED)
{
	struct buf text = BUF_INIT, counts = BUF_INIT;
	struct lines lines;
	struct item item;
	bool written = true;
	bool two = has_two_counts(in);
	lines_init(&lines, in);
	while (written && lines_next(&lines, &item.line)) {
		parse_line(&item, two);
		uint64_t offset = item.line.offset;
		const char *line = item.line.at;
		if (item.verdict == LINE_EMPTY)
			continue;
		if (item.verdict == LINE_BAD) {
			written = dump_record(d, offset, "bad %s",
					      dump_bytes(d, &text, line, item.line.len));
			continue;
		}
		counts_text(&counts, &item);
		written = dump_record(d, offset, "stack %s%s",
				      dump_bytes(d, &text, line, item.stack_len), buf_str(&counts));
	}
	buf_release_all(&counts, &text);
	return written;
}

const struct decoder decoder_folded = {
	.name = "folded",
	.title = "folded stacks: one stack a line, then its count",
	.manual = "Folded stacks",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = folded_probe,
	.decode = folded_decode,
	.record_end = folded_record_end,
	.dump = folded_dump,
};
