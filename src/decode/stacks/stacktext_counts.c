#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "model/base/sum.h"
#include "src/decode/common/words.h"

/* Tracers that count stacks: bpftrace's maps, whose keys have stacks and other values, and
 * blocks of frames followed by a number, the aggregations of DTrace and SystemTap.
 *
 * A stack in a key of bpftrace is a line end, frames, one a line, and a comma or bracket at the
 * beginning of the next line; the other parts of a key are texts between commas.  Of two stacks
 * the first one is nearer to the leaf: kstack precedes ustack. */

/* ---- frames ---- */

/* `0xADDR`, or ADDR of at least 8 digits. */
static bool
is_address(const char *at, const char *end)
{
	bool marked = begins_with(at, end, "0x");
	const char *c = at + 2 * marked;

	if (end - c < (marked ? 1 : 8))
		return false;
	while (c < end && hex_digit(*c) < 16)
		c++;
	return c == end;
}

/* `func+1`, `0xADDR`, `ADDR func+1 (path)`, `func+1 [module]`, ``MODULE`func+0x1``,
 * `ADDR : func+0x1/0x2 [module]`. */
void
stacktext_counted(struct stacktext *s, const char *at, const char *end, enum kind kind)
{
	const char *module = end, *module_end = end, *tick, *word;

	at = skip_blanks(at, end);
	end = drop_blanks(at, end);
	if (end > at && (end[-1] == ']' || end[-1] == ')')) {
		const char *open = end - 1;
		while (open > at && *open != (end[-1] == ']' ? '[' : '('))
			open--;
		if (open > at && is_blank(open[-1])) {
			module = open + 1;
			module_end = end - 1;
			if (*open == '[')
				kind = KIND_SYSTEM;
			end = drop_blanks(at, open);
		}
	}
	word = word_end(at, end);
	if (word < end && is_address(at, word)) {
		at = skip_blanks(word, end);
		if (begins_with(at, end, ": "))
			at = skip_blanks(at + 1, end);
	}
	tick = at < end ? memchr(at, '`', (size_t)(end - at)) : NULL;
	if (tick && module == module_end) {
		module = at;
		module_end = tick;
		at = tick + 1;
	}
	word = end;
	while (word > at && word[-1] != '/') /* func+0x1/0x2 */
		word--;
	if (word > at + 1 && is_address(word, end) && stacktext_name_end(at, word - 1) < word - 1)
		end = word - 1;
	end = stacktext_name_end(at, end);
	stacktext_frame(s, at, (size_t)(end - at), NULL, 0, module, (size_t)(module_end - module),
			0, kind == KIND_USER ? kind_of_name(at, (size_t)(end - at)) : kind);
}

/* ---- bpftrace ---- */

/* The parts of a map's row. */
enum { MAP_NONE, MAP_KEY, MAP_HISTOGRAM };

/* Recognises `@NAME[`, the beginning of a map's row; returns where its key begins, or NULL. */
static const char *
map_begin(const char *at, const char *end)
{
	const char *c = at;

	if (c == end || *c++ != '@')
		return NULL;
	while (c < end && (is_digit(*c) || *c == '_' || (unsigned)((*c | 32) - 'a') < 26))
		c++;
	return c < end && *c == '[' ? c + 1 : NULL;
}

/* Returns true for `]:`, the end of a key with a histogram below it. */
static bool
ends_key(const char *at, const char *end)
{
	end = drop_blanks(at, end);
	return end - at > 1 && end[-1] == ':' && end[-2] == ']';
}

/* Parses the number of events in a part of a histogram: `[2, 4)    9 |@@@@    |`. */
static bool
map_bucket(const char *at, const char *end, int64_t *count)
{
	const char *c = at;

	if (c == end || (*c != '[' && *c != '('))
		return false;
	while (c < end && *c != ')' && (*c != ']' || c == at))
		c++;
	c = c < end ? skip_blanks(c + 1, end) : end;
	return c < end && number_parse(c, word_end(c, end), count) && *count >= 0;
}

/* Adds the events of a histogram: what it shows is how often the stack was met. */
static bool
histogram_end(struct stacktext *s)
{
	s->state = MAP_NONE;
	stacktext_map(s, "", 0);
	return stacktext_add(s, s->count);
}

static int
maps_probe(const struct stacktext_grammar *g UNUSED, struct head head)
{
	const char *next = NULL, *at, *end;
	bool open = false, frames = false;

	while (head_line(head, &next, &at, &end)) {
		const char *key = map_begin(at, end);
		const char *close = text_find(at, end, "]: ");
		if (key) {
			open = true;
			frames = false;
		} else if (open && at < end && is_blank(*at)) {
			frames = true;
		}
		if ((close || ends_key(at, end)) && open && frames)
			return 85;
		if (close)
			open = false;
	}
	return 0;
}

/* Handles the parts of a key that are not stacks: `, shop, 42`. */
static void
key_parts(struct stacktext *s, const char *at, const char *end)
{
	while (at < end) {
		const char *comma = text_find(at, end, ", ");
		const char *stop = comma ? comma : end;
		int64_t n;
		if (stop > at) {
			stacktext_label(s, "key", at, (size_t)(stop - at));
			if (!number_parse(at, stop, &n)) {
				buf_reset(&s->track);
				buf_add(&s->track, at, (size_t)(stop - at));
			}
		}
		at = comma ? comma + 2 : end;
	}
}

/* Returns true if a part of a key is empty: its stack, where there was none. */
static bool
has_empty_part(const char *at, const char *end)
{
	return at == end || *at == ',' || end[-1] == ',' || text_find(at, end, ", ,") ||
	       (end - at > 1 && end[-1] == ' ' && end[-2] == ',');
}

/* Parses `count 12, average 34, total 408`: the total. */
static bool
map_total(const char *at, const char *end, int64_t *value)
{
	const char *total = begins_with(at, end, "count ") ? text_find(at, end, ", total ") : NULL;

	return total && number_parse(total + 8, end, value);
}

/* Parses the text after the stacks of a key: `, shop]: 42`, `]: 42`, `,`. Histograms and statistics
 * count if no map before them has numbers. */
static bool
key_line(struct stacktext *s, const char *at, const char *end)
{
	const char *close = NULL, *c;
	int64_t count;

	if (ends_key(at, end))
		close = drop_blanks(at, end) - 2;
	for (c = at; !close && (c = text_find(c, end, "]: ")) != NULL; c++)
		close = text_find(c + 1, end, "]: ") ? NULL : c;
	while (at < end && (*at == ',' || is_blank(*at)))
		at++;
	if (!close) {
		while (end > at && (is_blank(end[-1]) || end[-1] == ','))
			end--;
		key_parts(s, at, end);
		return true;
	}
	if (at < close)
		key_parts(s, at, close);
	bool plain = number_parse(close + 3 < end ? close + 3 : end, end, &count);
	s->counted |= plain;
	if (!plain && s->counted) {
		stacktext_clear(s);
		return true;
	}
	if (ends_key(at, end)) {
		s->state = MAP_HISTOGRAM;
		s->stackless = !s->frame.n;
		s->count = 0;
		return true;
	}
	if (!plain && !map_total(close + 3, end, &count)) {
		stacktext_clear(s);
		return true;
	}
	if (!s->frame.n) {
		stacktext_map(s, buf_str(&s->held), s->held.len);
		s->stackless = true;
	}
	return stacktext_add(s, count);
}

static bool
maps_line(struct stacktext *s, const char *at, const char *end)
{
	const char *key = map_begin(at, end);
	int64_t count;

	if (s->state == MAP_HISTOGRAM) {
		if (map_bucket(at, end, &count)) {
			s->count = sum_clipped(s->count, count);
			return true;
		}
		if (!histogram_end(s))
			return false;
	}
	if (key) {
		if (s->inside)
			return err_damage(s->e, s->begun, "a stack without a count");
		const char *close = text_find(key, end, "]: ");
		stacktext_clear(s);
		s->begun = s->offset;
		buf_add(&s->held, at + 1, (size_t)(key - at) - 2);
		if (close) /* else the keys of another map, which have no stack */
			return !has_empty_part(key, close) || key_line(s, key, end);
		if (end == key || !begins_with(key, end, "]"))
			s->state = MAP_KEY;
		while (end > key && (is_blank(end[-1]) || end[-1] == ','))
			end--;
		key_parts(s, key, end);
		return true;
	}
	if (!s->state)
		return true;
	if (at < end && is_blank(*at)) {
		if (!s->inside)
			stacktext_map(s, buf_str(&s->held), s->held.len);
		uint64_t begun = s->begun;
		stacktext_counted(s, at, end, KIND_USER);
		s->begun = begun;
		return true;
	}
	return at == end ? true : key_line(s, at, end);
}

static bool
counts_end(struct stacktext *s)
{
	return s->inside ? err_damage(s->e, s->begun, "a stack without a count") : true;
}

static bool
maps_end(struct stacktext *s)
{
	return s->state == MAP_HISTOGRAM ? histogram_end(s) : counts_end(s);
}

const struct stacktext_grammar stacktext_maps = {
	.probe = maps_probe, .line = maps_line, .end = maps_end};

/* ---- blocks ---- */

enum block_line { BLOCK_EMPTY, BLOCK_FRAME, BLOCK_COUNT, BLOCK_OTHER };

static enum block_line
block_line_of(const char *at, const char *end, int64_t *count)
{
	const char *first = skip_blanks(at, end), *word;

	end = drop_blanks(first, end);
	if (first == end)
		return BLOCK_EMPTY;
	if (first == at)
		return BLOCK_OTHER;
	word = word_end(first, end);
	if (word == end && is_digit(*first) && number_parse(first, end, count))
		return begins_with(first, end, "0x") ? BLOCK_FRAME : BLOCK_COUNT;
	if (memchr(first, '`', (size_t)(end - first)) || is_address(first, word))
		return BLOCK_FRAME;
	return stacktext_name_end(first, word) < word ? BLOCK_FRAME : BLOCK_OTHER;
}

static int
blocks_probe(const struct stacktext_grammar *g UNUSED, struct head head)
{
	const char *next = NULL, *at, *end;
	unsigned blocks = 0, frames = 0, other = 0, lines = 0;
	int64_t count;

	while (lines < 2000 && head_line(head, &next, &at, &end)) {
		switch (block_line_of(at, end, &count)) {
		case BLOCK_EMPTY:
			continue;
		case BLOCK_FRAME:
			frames++;
			break;
		case BLOCK_COUNT:
			blocks += frames > 0;
			other += !frames;
			frames = 0;
			break;
		case BLOCK_OTHER:
			other++;
			frames = 0;
			break;
		}
		lines++;
	}
	return blocks && other * 4 < lines + 4 ? 70 : 0;
}

static bool
blocks_line(struct stacktext *s, const char *at, const char *end)
{
	int64_t count;

	switch (block_line_of(at, end, &count)) {
	case BLOCK_EMPTY: /* between stack() and ustack() of one key, and before the next */
		return true;
	case BLOCK_FRAME:
		stacktext_counted(s, at, end, KIND_USER);
		return true;
	case BLOCK_COUNT:
		return stacktext_add(s, count);
	case BLOCK_OTHER:
		break;
	}
	stacktext_clear(s); /* a heading, or other output */
	return true;
}

const struct stacktext_grammar stacktext_blocks = {
	.probe = blocks_probe, .line = blocks_line, .end = counts_end};
