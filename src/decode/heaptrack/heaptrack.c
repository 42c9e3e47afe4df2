/* KDE's heaptrack, files of format 0 to 3: text, a record a line, all numbers hexadecimal.
 *
 *	v 10400 3            version, and that of the format
 *	X shop --open        what ran
 *	I 1000 5e298d        size of a page, pages of the machine
 *	s 5 parse            a string, from 1; with its length from format 3 on
 *	i 1091 1 2 3 c       an address: its module, then function, file, line (strings)
 *	                     and again those into which it was inlined
 *	t 2 1                a trace: an address below another trace; 0 is the root
 *	a 40 2               an allocation: its bytes and its trace
 *	+ 0                  such an allocation was made, - 0 was freed
 *	c 1f                 the time of what follows, in ms
 *	R 2a0                pages in memory
 *
 * (In format 0, `+ SIZE TRACE PTR` and `- PTR` contain size and trace themselves.) */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/row_queue.h"
#include "src/decode/common/words.h"
#include "src/decode/heaptrack/heaptrack_inside.h"
#include "src/input/cursor.h"

/* ---- numbers ---- */

/* The value of each digit + 1; 0: not a digit. */
static const uint8_t digit[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Parses the next hexadecimal number of a line; false if there is none, or if it exceeds 2^63. */
static inline bool
hex(const char **at, const char *end, int64_t *out)
{
	const char *c = skip_blanks(*at, end), *from = c;
	uint64_t v = 0;
	uint8_t d;

	for (; c < end && (d = digit[(unsigned char)*c]) && !(v >> 59); c++)
		v = v << 4 | (d - 1u);
	if (c == from || (c < end && !is_blank(*c)))
		return false;
	*at = c;
	*out = (int64_t)v;
	return true;
}

/* Returns a word with the highest bit of each byte set where one of these eight characters is a
 * digit. */
static inline uint64_t
hex_digit_bytes(uint64_t x)
{
	const uint64_t each = UINT64_C(0x0101010101010101), high = each * 0x80;
	uint64_t low = x & ~high, letter = low | each * 0x20;
	uint64_t figures = (low + each * (0x80 - '0')) & ~(low + each * (0x80 - '9' - 1));
	uint64_t letters = (letter + each * (0x80 - 'a')) & ~(letter + each * (0x80 - 'f' - 1));

	return (figures | letters) & ~x & high;
}

/* Parses a number of up to seven digits at `at` that is followed by the end of its line; eight
 * characters must be readable.  Returns the number of digits, 0 for any other number. */
static inline unsigned
hex_short(const char *at, uint32_t *out)
{
	uint64_t x = bytes_u64((const uint8_t *)at, false);
	uint64_t others = hex_digit_bytes(x) ^ UINT64_C(0x8080808080808080);

	if (!(x & 0xFF) || !others)
		return 0;
	unsigned n = (unsigned)__builtin_ctzll(others) / 8;
	if (!n || at[n] != '\n')
		return 0;
	/* The last digit is the last byte; the bytes before the first digit are 0 */
	x <<= 64 - 8 * n;
	x = (x & UINT64_C(0x0F0F0F0F0F0F0F0F)) + (x >> 6 & UINT64_C(0x0101010101010101)) * 9;
	x = (x << 4 | x >> 8) & UINT64_C(0x00FF00FF00FF00FF);
	x = (x << 8 | x >> 16) & UINT64_C(0x0000FFFF0000FFFF);
	*out = (uint32_t)(x << 16 | x >> 32);
	return n;
}

/* ---- the probe ---- */

static int
heaptrack_probe(struct head head)
{
	static const char letters[] = "XIsitac+-RAS#xm";
	const char *next = NULL, *at, *end;
	int64_t number;
	unsigned lines = 0, others = 0;

	if (!head_line_filled(head, &next, &at, &end) || !begins_with(at, end, "v "))
		return 0;
	at += 2;
	if (!hex(&at, end, &number) || (at < end && !hex(&at, end, &number)) || at < end)
		return 0;
	while (lines + others < 32 && head_line(head, &next, &at, &end)) {
		bool known = end - at >= 2 && strchr(letters, *at) && at[1] == ' ';
		lines += known;
		others += !known; /* strings may hold line ends */
	}
	return lines > others * 4 || (head.whole && !lines && !others) ? 95 : 0;
}

/* ---- strings, addresses, traces ---- */

/* A string may contain line ends: then it continues in the next lines. */
static bool
read_string(struct heaptrack *h, const struct text_line *line)
{
	const char *at = line->at + 1, *end = line->at + line->len;
	struct buf text = BUF_INIT;
	struct text_line more = *line;
	int64_t len;

	if (h->format < 3) {
		at += at < end;
		*vec_push(&h->tables.string) = builder_name(h->b, at, (size_t)(end - at));
		return true;
	}
	if (!hex(&at, end, &len) || len >= LINE_MAX_BYTES)
		return heaptrack_bad_line(h, "a string without its length");
	at += at < end;
	buf_add(&text, at, (size_t)(end - at));
	while ((int64_t)text.len < len && more.ended) {
		buf_adds(&text, more.at[more.len] == '\r' ? "\r\n" : "\n");
		if (!lines_next(&h->lines, &more))
			break;
		buf_add(&text, more.at, more.len);
	}
	if ((int64_t)text.len < len) {
		buf_release(&text);
		return heaptrack_bad_line(h, "a truncated string");
	}
	*vec_push(&h->tables.string) = builder_name(h->b, buf_str(&text), (size_t)len);
	buf_release(&text);
	return true;
}

static name_id
string_of(struct heaptrack *h, int64_t i)
{
	if (!i)
		return NAME_EMPTY;
	if ((uint64_t)i <= h->tables.string.n)
		return h->tables.string.at[i - 1];
	h->counts.unknown++;
	return builder_name(h->b, "[unknown]", 9);
}

static void
heaptrack_add_frame(struct heaptrack *h, int64_t address, name_id module, name_id name,
		    name_id file, int64_t line)
{
	char text[32];
	struct function f = {.name = name, .file = file, .module = module};

	if (name == NAME_EMPTY) {
		int n = snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)address);
		f.name = builder_name(h->b, text, (size_t)n);
	}
	struct name as_text = builder_name_get(h->b, f.name);
	f.kind = (uint8_t)kind_of_name(as_text.at, as_text.len);
	*vec_push(&h->tables.frame) = builder_frame_of(h->b, f, line);
}

static bool
read_ip(struct heaptrack *h, const char *at, const char *end)
{
	int64_t address, module, function, file, line;
	size_t first = h->tables.frame.n;

	if (!hex(&at, end, &address) || !hex(&at, end, &module))
		return heaptrack_bad_line(h, "an address without a module");
	name_id name = string_of(h, module);
	while (hex(&at, end, &function)) {
		file = line = 0; /* unknown attributes are omitted */
		if (hex(&at, end, &file) && !hex(&at, end, &line))
			return heaptrack_bad_line(h, "a file without a line");
		heaptrack_add_frame(h, address, name, string_of(h, function),
				    string_of(h, file), line);
	}
	if (skip_blanks(at, end) < end)
		return heaptrack_bad_line(h, "expected a number");
	if (h->tables.frame.n == first)
		heaptrack_add_frame(h, address, name, NAME_EMPTY, NAME_EMPTY, 0);
	for (size_t i = first; i + 1 < h->tables.frame.n; i++)
		h->tables.frame.at[i] = builder_frame_inlined(h->b, h->tables.frame.at[i]);
	if (h->tables.frame.n > UINT32_MAX)
		return heaptrack_bad_line(h, "more frames than pnav reads");
	*vec_push(&h->tables.ip) =
		(struct heap_ip){(uint32_t)first, (uint32_t)(h->tables.frame.n - first)};
	return true;
}

static bool
read_trace(struct heaptrack *h, const char *at, const char *end)
{
	struct heap_trace t = {STACK_EMPTY, 0};
	int64_t ip, parent;

	if (!hex(&at, end, &ip) || !hex(&at, end, &parent))
		return heaptrack_bad_line(h, "a trace without an address and a trace above");
	if (!ip || (uint64_t)ip > h->tables.ip.n || (uint64_t)parent > h->tables.trace.n)
		return heaptrack_bad_line(h, "a trace of an undefined address or trace");
	if (parent)
		t = h->tables.trace.at[parent - 1];
	const struct heap_ip *x = &h->tables.ip.at[ip - 1];
	t.depth += x->n;
	for (uint32_t i = x->n; i-- > 0 && t.stack != STACK_NONE;)
		t.stack = t.depth <= STACK_DEPTH_MAX
				  ? builder_child(h->b, t.stack, h->tables.frame.at[x->first + i])
				  : builder_too_deep(h->b);
	*vec_push(&h->tables.trace) = t;
	return true;
}

static bool
stack_of_trace(struct heaptrack *h, int64_t trace, stack_id *out)
{
	if ((uint64_t)trace > h->tables.trace.n)
		return heaptrack_bad_line(h, "an undefined trace");
	*out = STACK_EMPTY;
	if (trace)
		*out = h->tables.trace.at[trace - 1].stack;
	else
		*out = builder_child(h->b, STACK_EMPTY,
				     builder_frame(h->b, builder_function_unknown(h->b),
						   line_unknown()));
	return true;
}

static bool
read_info(struct heaptrack *h, const char *at, const char *end)
{
	int64_t size, trace;
	stack_id stack;

	if (!hex(&at, end, &size) || !hex(&at, end, &trace))
		return heaptrack_bad_line(h, "an allocation without size and trace");
	if (!stack_of_trace(h, trace, &stack))
		return false;
	if (h->tables.info.n >= NO_INFO)
		return heaptrack_bad_line(h, "more allocations than pnav reads");
	*vec_push(&h->tables.info) = (struct heap_info){.size = size, .stack = stack};
	return true;
}

/* ---- events ---- */

static bool
read_event(struct heaptrack *h, const char *at, const char *end, bool made)
{
	int64_t info, trace, pointer;
	stack_id stack;

	if (!hex(&at, end, &info))
		return heaptrack_bad_line(h, "an event without a number");
	if (h->format > 0) {
		if ((uint64_t)info < h->tables.info.n)
			return heaptrack_happened(h, (uint32_t)info, made);
		return heaptrack_bad_line(h, "an undefined allocation");
	}
	if (!made) { /* a pointer */
		uint32_t i = idmap_get(&h->tables.info_of, (uint64_t)info);
		h->counts.unmatched += i == IDMAP_NONE || i == NO_INFO - 1;
		if (i == IDMAP_NONE || i == NO_INFO - 1)
			return true;
		idmap_put(&h->tables.info_of, (uint64_t)info, NO_INFO - 1);
		return heaptrack_happened(h, i, false);
	}
	if (!hex(&at, end, &trace) || !hex(&at, end, &pointer))
		return heaptrack_bad_line(h, "an event without trace and pointer");
	if (!stack_of_trace(h, trace, &stack))
		return false;
	if (h->tables.info.n >= NO_INFO - 1)
		return heaptrack_bad_line(h, "more allocations than pnav reads");
	*vec_push(&h->tables.info) = (struct heap_info){.size = info, .stack = stack};
	idmap_put(&h->tables.info_of, (uint64_t)pointer, (uint32_t)h->tables.info.n - 1);
	return heaptrack_happened(h, (uint32_t)h->tables.info.n - 1, true);
}

/* Notes of events in a queue: the number of bytes of the line, and whether it is a `+`. */
#define NOTE_MADE 1u
#define NOTE_LEN_SHIFT 1

/* Queues the events at `at` as long as their lines are complete and of the usual form. */
static inline void
queue_events(const struct heaptrack *h, const char *at, struct row_queue *q)
{
	const struct heap_info *info = h->tables.info.at;
	uint32_t i;
	unsigned n;

	while (row_queue_has_room(q) && h->lines.end - at >= 2 + 8 && (*at == '+' || *at == '-') &&
	       at[1] == ' ' && (n = hex_short(at + 2, &i)) && i < h->tables.info.n) {
		n += 2 + 1;
		row_queue_add(q, i, &info[i], sizeof *info,
			      n << NOTE_LEN_SHIFT | (*at == '+' ? NOTE_MADE : 0));
		at += n;
	}
}

/* Handles the events at the front of the window that are complete and of the usual form, as
 * nearly all lines are.  Returns false if one is damaged. */
static bool
read_events(struct heaptrack *h)
{
	struct row_queue q;
	struct lines *l = &h->lines;
	const char *at = l->at;
	bool good = true;

	if (!h->format || l->inside)
		return true;
	do {
		q.n = 0;
		queue_events(h, at, &q);
		for (uint32_t i = 0; i < q.n && good; i++) {
			uint32_t note = q.item[i].note;
			h->offset = l->offset + (uint64_t)(at - l->at);
			good = heaptrack_happened_here(h, q.item[i].row, note & NOTE_MADE);
			at += note >> NOTE_LEN_SHIFT;
			l->number++;
		}
	} while (good && q.n);
	if (at > l->at)
		l->seen = 0;
	l->offset += (uint64_t)(at - l->at);
	l->at = at;
	return good;
}

static bool
read_time(struct heaptrack *h, const char *at, const char *end)
{
	int64_t ms;

	if (!hex(&at, end, &ms) || ms > INT64_MAX / 1000000)
		return heaptrack_bad_line(h, "an invalid time");
	if (ms * 1000000 < h->time_ns)
		h->counts.back++;
	else
		h->time_ns = ms * 1000000;
	builder_track_end(h->b, h->events.track, h->time_ns);
	return true;
}

static bool
read_pages(struct heaptrack *h, const char *at, const char *end)
{
	int64_t pages, bytes;

	if (!hex(&at, end, &pages) || __builtin_mul_overflow(pages, h->page_size, &bytes))
		return heaptrack_bad_line(h, "an invalid number of pages");
	if (!h->rss) {
		track_id t = builder_track(h->b, "rss", 3, TRACK_COUNTER);
		builder_track_unit(h->b, t, "bytes", 5);
		h->rss = builder_points(h->b, t, false);
	}
	return builder_point(h->b, h->rss, h->time_ns, bytes, h->offset, h->e);
}

static bool
read_version(struct heaptrack *h, const char *at, const char *end)
{
	int64_t version;

	if (!hex(&at, end, &version))
		return heaptrack_bad_line(h, "no version");
	h->format = version >= 0x10200;
	if (at < end && !hex(&at, end, &h->format))
		return heaptrack_bad_line(h, "the version of the format is missing");
	builder_info(h->b, "version", "%" PRIx64 ", format %" PRId64, (uint64_t)version, h->format);
	if (h->format > 3)
		builder_warn(h->b, "format %" PRId64 " is newer than what pnav knows: 3",
			     h->format);
	return true;
}

static bool
heaptrack_read_line(struct heaptrack *h, const struct text_line *line)
{
	const char *at = line->at + 1, *end = line->at + line->len;
	char letter = line->len ? *line->at : '#';
	int64_t pages;

	switch (letter) {
	case '+':
		return read_event(h, at, end, true);
	case '-':
		return read_event(h, at, end, false);
	case 'a':
		return read_info(h, at, end);
	case 't':
		return read_trace(h, at, end);
	case 'i':
		return read_ip(h, at, end);
	case 's':
		return read_string(h, line);
	case 'c':
		heaptrack_count(h->b, &h->events);
		return read_time(h, at, end);
	case 'R':
		return read_pages(h, at, end);
	case 'v':
		return read_version(h, at, end);
	case 'I':
		if (!hex(&at, end, &h->page_size) || !hex(&at, end, &pages))
			return heaptrack_bad_line(h, "the size of pages is missing");
		builder_info(h->b, "page size", "%" PRId64, h->page_size);
		return true;
	case 'X':
		at = skip_blanks(at, end);
		builder_info_bytes(h->b, "command", at, (size_t)(end - at));
		return true;
	case 'A':
		heaptrack_begin_anew(h);
		return true;
	case 'x':
	case 'm':
		return err_refuse(h->e, "heaptrack's raw data, which has no names yet; "
					"heaptrack --interpret FILE makes them");
	case 'S':
		h->counts.suppressions++;
		return true;
	case '#':
		return true;
	default:
		h->counts.strange++;
		return true;
	}
}

/* ---- the decoder ---- */

static void
heaptrack_begin(struct heaptrack *h)
{
	static const struct {
		const char *name;
		enum unit unit;
	} carried[CARRIED] = {
		{"alloc", UNIT_BYTES}, {"allocs", UNIT_COUNT},	  {"live", UNIT_BYTES},
		{"lives", UNIT_COUNT}, {"temporary", UNIT_COUNT},
	};

	h->page_size = 4096;
	h->format = 1;
	h->events.last_made = NO_INFO;
	for (unsigned i = 0; i < CARRIED; i++)
		h->events.metric[i] =
			builder_metric(h->b, carried[i].name, carried[i].unit, ROLE_VALUE);
	h->peak.metric = builder_metric(h->b, "peak", UNIT_BYTES, ROLE_VALUE);
	builder_default_metric(h->b, h->peak.metric);
	h->events.track = builder_main(h->b);
	heaptrack_begin_events(h->b, &h->events);
}

static void
heaptrack_report(struct heaptrack *h)
{
	builder_warn_count(h->b, h->counts.back, "time goes backwards, ignored",
			   "times go backwards, ignored");
	builder_warn_count(h->b, h->counts.unknown, "missing name: [unknown]",
			   "missing names: [unknown]");
	builder_info_count(h->b, "unmatched frees", h->counts.unmatched, "");
	builder_info_count(h->b, "suppressions", h->counts.suppressions, ", of leaks: not applied");
	builder_warn_count(h->b, h->counts.strange, "line of an unknown kind, left out",
			   "lines of an unknown kind, left out");
}

static bool
heaptrack_decode(struct input *in, struct builder *b, struct err *e)
{
	struct heaptrack h = {.b = b, .e = e};
	struct text_line line;
	bool good = true;

	heaptrack_begin(&h);
	lines_init(&h.lines, in);
	while (good && read_events(&h) && lines_next(&h.lines, &line)) {
		h.offset = line.offset;
		const char *end = line.at + line.len;
		if (line.cut)
			good = heaptrack_bad_line(&h, "the line is too long");
		else
			good = last_line_whole(in, line.ended, line.offset,
					       line.len && *line.at == '#'
						       ? LAST_CLOSED
						       : last_line_open(line.at, end), e) &&
			       heaptrack_read_line(&h, &line);
	}
	heaptrack_count(b, &h.events);
	good = heaptrack_write_peak(&h) && good;
	heaptrack_report(&h);
	vec_release_all(&h.tables.string, &h.tables.ip, &h.tables.frame, &h.tables.trace,
			&h.tables.info, &h.peak.changed);
	idmap_release(&h.tables.info_of);
	return good;
}

const struct decoder decoder_heaptrack = {
	.name = "heaptrack",
	.title = "heaptrack: every allocation of a program on Linux",
	.made_of = MADE_TEXT,
	.mangled = true,
	.probe = heaptrack_probe,
	.decode = heaptrack_decode,
};
