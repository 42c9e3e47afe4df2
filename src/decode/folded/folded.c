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
 * In many files each stack has one line, and the first cache never hits. So the decoder tries it
 * for some thousand lines, and skips it for sixteen times as many if hardly any hit.
 *
 * The decoder takes lines in batches, so that the cache lines of all their slots are prefetched
 * before the first is used. A hash represents the text; the text itself is not kept, which keeps
 * memory below a seventh of the file. Lines that may be damaged are taken one by one, since nothing
 * after the damage may be named.
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
#include "src/decode/folded/folded_cache.h"
#include "src/input/lines.h"

#define BATCH FOLDED_LINES
#define MILLION 1000000
#define ASK_LINES 4096u /* this many lines show whether lines repeat */

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
	stack_id stack;
	struct hash128 hash;
};

/* Parses an optional minus (frees of earlier allocations make `live` shrink), digits, and an
 * optional fraction. Digits beyond millionths are dropped. */
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
		int32_t unit = MILLION;
		if (at[point] != '.' || i == len)
			return LINE_BAD;
		for (; i < len && is_digit(at[i]); i++) {
			unit /= 10;
			out->millionths += unit * (at[i] - '0');
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

static enum evidence
evidence_of(const char *at, size_t len)
{
	bool letter = false, weak = false;
	if (memchr(at, ';', len))
		return EVIDENCE_PATH;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c < ' ' && c != '\t')
			return EVIDENCE_NONE;
		weak |= c == '=' || is_blank(at[i]);
		letter |= isalpha(c) || c >= 0x80;
	}
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
	struct text_cache stacks;
	struct folded_paths paths;
	bool silent; /* the cache of stacks is not asked */
	/* Number of lines since that decision, and of those that were known */
	uint32_t asked, known;
};

/* The numbers that all parts of a file share: its lines, the sum of their counts, about, and the
 * form of the file. */
enum { GOOD, BAD, WEIGHT };
enum { TWO_COUNTS = 1, DECIMALS = 2 };

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
folded_add(struct folded *f, const struct item *item)
{
	int64_t value[2] = {0};
	stack_id stack = item->stack;
	f->n->count[GOOD]++;
	if (!make_finer(f, item))
		return false;
	for (int i = 0; i <= f->two; i++)
		if (!value_of(f, item, &item->count[i], &value[i]))
			return false;
	for (int i = 0; i <= f->two; i++) {
		/* In a comparison, 0 means that the stack did not occur. */
		if (f->two && !value[i])
			continue;
		if (!builder_total(f->b, f->series[i], stack, &value[i], item->line.offset, f->e))
			return false;
		builder_track_event(f->b, f->track[i]);
	}
	return true;
}

static bool
folded_settle(struct folded *f, const struct item *item, uint64_t number)
{
	switch (item->verdict) {
	case LINE_STACK:
		return folded_add(f, item);
	case LINE_EMPTY:
		return true;
	case LINE_HUGE:
		return err_damage(f->e, item->line.offset, "the count exceeds 2^63");
	case LINE_BAD:
		break;
	}
	if (item->line.cut)
		return err_damage(f->e, item->line.offset, "a line of more than %u bytes",
				  LINE_MAX_BYTES);
	if (!f->n->count[BAD]++) {
		f->first_bad = number;
		f->bad_offset = item->line.offset;
	}
	return true;
}

/* Decides from earlier lines whether to look up stacks in the cache. Call it before the next lines
 * are hashed. */
static void
folded_learn(struct folded *f)
{
	if (f->asked < (f->silent ? 16 * ASK_LINES : ASK_LINES))
		return;
	f->silent = !f->silent && f->known < f->asked / 64;
	f->asked = f->known = 0;
}

/* The stacks of lines. */
static void
find_stacks(struct folded *f, struct item *item, size_t n)
{
	struct folded_line line[BATCH];
	struct item *unknown[BATCH];
	size_t lines = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		struct item *it = &item[i];
		if (it->verdict != LINE_STACK)
			continue;
		it->stack = f->silent ? STACK_EMPTY : *text_cache_find(&f->stacks, it->hash);
		if (it->stack != STACK_EMPTY) {
			known++;
			continue;
		}
		line[lines] = (struct folded_line){.text = it->line.at, .len = it->stack_len};
		unknown[lines++] = it;
	}
	folded_paths_find(&f->paths, f->b, line, lines);
	for (size_t i = 0; i < lines; i++) {
		unknown[i]->stack = line[i].stack;
		if (!f->silent && line[i].stack != STACK_NONE)
			text_cache_put_late(&f->stacks, unknown[i]->hash, line[i].stack);
	}
	f->asked += (uint32_t)(lines + known);
	f->known += (uint32_t)known;
}

/* Returns true if none of these lines is damaged, as far as their texts show. */
static bool
is_harmless(struct folded *f, const struct item *item, size_t n)
{
	uint64_t most = (uint64_t)INT64_MAX / (f->decimals ? 2 * MILLION : 2);

	for (size_t i = 0; i < n; i++) {
		if (item[i].verdict == LINE_EMPTY ||
		    (item[i].verdict == LINE_BAD && !item[i].line.cut))
			continue;
		if (item[i].verdict != LINE_STACK)
			return false;
		for (int k = 0; k <= f->two; k++) {
			const struct count *c = &item[i].count[k];
			uint64_t more = c->whole < 0 ? -(uint64_t)c->whole : (uint64_t)c->whole;
			if ((c->fraction && !f->decimals) || f->n->count[WEIGHT] + ++more > most)
				return false;
			f->n->count[WEIGHT] += more;
		}
	}
	return true;
}

/* Adds n lines. `number` is the line number of the first. */
static bool
folded_take(struct folded *f, struct item *item, size_t n, uint64_t number)
{
	size_t some = is_harmless(f, item, n) ? n : 1;

	for (size_t i = 0; i < n; i += some) {
		find_stacks(f, item + i, some);
		for (size_t k = i; k < i + some; k++)
			if (!folded_settle(f, &item[k], number + k))
				return false;
	}
	return true;
}

/* Handles the complete lines of a window, batch by batch. */
static bool
decode_window(struct folded *f)
{
	struct item item[BATCH];
	for (;;) {
		uint64_t before = f->lines.number;
		size_t n = 0;
		folded_learn(f);
		while (n < BATCH && lines_ready(&f->lines, &item[n].line)) {
			struct item *i = &item[n++];
			parse_line(i, f->two);
			if (i->verdict != LINE_STACK || f->silent)
				continue;
			i->hash = hash128(i->line.at, i->stack_len);
			text_cache_prefetch(&f->stacks, i->hash);
		}
		if (!folded_take(f, item, n, before + 1))
			return false;
		if (n < BATCH)
			return true;
	}
}

/* Decodes the rest without a line end: the last line, or a piece of an endless one. */
static bool
decode_rest(struct folded *f)
{
	struct item item;
	while (lines_next(&f->lines, &item.line)) {
		parse_line(&item, f->two);
		if (item.verdict == LINE_STACK)
			item.hash = hash128(item.line.at, item.stack_len);
		/* In a truncated file even a number at the end may be incomplete. */
		bool torn = item.verdict == LINE_BAD || input_fault(f->lines.in);
		bool usual = f->n->count[GOOD] > f->n->count[BAD];
		if (torn && !item.line.ended && !item.line.cut && usual)
			return err_damage(f->e, item.line.offset, "the last line is truncated");
		if (!folded_take(f, &item, 1, f->lines.number))
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
	bool ok = folded_begin(&f, in);
	while (ok && (ok = decode_window(&f)) && lines_more(&f.lines))
		;
	ok = ok && (input_stopped(in) || decode_rest(&f));
	if (!f.n->part)
		ok = folded_end(&f, in, ok);
	text_cache_release(&f.stacks);
	folded_paths_release(&f.paths);
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
