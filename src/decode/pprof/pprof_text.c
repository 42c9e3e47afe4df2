/* pprof_text.c - the older profiles that are text: heaps, counts, threads, contention.
 *
 *	heap profile: 5: 803440 [13: 4301424] @ heap/1048576     N: B [ N: B ] @ 0x...
 *	heap_v2/524288                                 jemalloc: @ 0x..., then t*: N: B [N: B]
 *	goroutine profile: total 3                               N @ 0x...
 *	--- threadz 1 ---                                        addresses, a thread at a time
 *	--- contentionz 1 ---, --- mutex:, --- contention:       CYCLES N @ 0x...
 *	--- heapz 1 ---                                          Java's: BYTES N @ 0x...
 *
 * Numbers are converted as in pprof: sampled heaps are divided by the probability of sampling a
 * block of that size, return addresses are decreased by one, cycles become nanoseconds.  Names
 * of addresses and memory maps may be anywhere, so all lines are read once for these before the
 * samples. */
#include "src/decode/pprof/pprof_old.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/sum.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/lines.h"

#define JAVA_HEAP_RATE 524288

enum form { FORM_NONE, FORM_HEAP, FORM_JEMALLOC, FORM_COUNT, FORM_THREADS, FORM_CONTENTION,
	    FORM_JAVA_HEAP };

struct pprof_text_state {
	struct pprof_old old;
	enum form form;
	bool java, has_alloc, sums; /* sums: jemalloc's lines t* are there */
	int64_t rate;      /* of sampled heaps; 0: exact */
	int64_t period, hz; /* of contention; hz 0: not cycles */
	int64_t factor;    /* of Java's unit */
	bool stack_read;   /* jemalloc: old.address belongs to the values that follow */
	bool values_read;  /* at least one of them has been read */
	bool fresh, same;  /* threads: no address yet; the stack of the one before */
	/* numbers of heaps and counts: those that the head states, and the sums of the lines */
	int64_t said[2], have[2];
	size_t digits;  /* of the first address */
	struct err cut; /* the last line is truncated */
};

/* ---- pieces of lines ---- */

static bool
pprof_take_text(const char **at, const char *end, const char *text)
{
	*at = skip_blanks(*at, end);
	if (!begins_with(*at, end, text))
		return false;
	*at += strlen(text);
	return true;
}

static bool
take_number(const char **at, const char *end, int64_t *out)
{
	const char *from = *at = skip_blanks(*at, end);

	if (*at < end && **at == '-')
		++*at;
	while (*at < end && is_digit(**at))
		++*at;
	return *at > from && number_parse(from, *at, out);
}

/* `N: B [N: B]` */
static bool
take_counts(const char **at, const char *end, int64_t v[4])
{
	return take_number(at, end, &v[0]) && pprof_take_text(at, end, ":") &&
	       take_number(at, end, &v[1]) && pprof_take_text(at, end, "[") &&
	       take_number(at, end, &v[2]) && pprof_take_text(at, end, ":") &&
	       take_number(at, end, &v[3]) && pprof_take_text(at, end, "]");
}

/* Collects every 0x... of the remaining text.  `less` is subtracted from all but the leaf, or
 * with `leaf_too` from all. */
static void
take_addresses(struct pprof_text_state *t, const char *at, const char *end, unsigned less,
	       bool leaf_too)
{
	while ((at = text_find(at, end, "0x"))) {
		uint64_t a;
		at = hex_digits(at + 2, end, &a);
		a -= a && (leaf_too || t->old.address.n) ? less : 0;
		*vec_push(&t->old.address) = a;
	}
}

static bool
is_map_begin(const char *at, const char *end)
{
	at = skip_blanks(at, end);
	return begins_with(at, end, "--- Memory map:") || begins_with(at, end, "MAPPED_LIBRARIES:");
}

/* ---- the head of a file ---- */

static const char *const heaps[] = {"heapprofile", "heapz_v2", "heap_v2", "growthz", "growth",
				    "fragmentationz", "fragmentation", "heap"};

/* Parses TYPE/RATE of a heap; returns false for types that pprof does not have. */
static bool
heap_rate(const char *at, const char *end, int64_t *rate)
{
	at = skip_blanks(at, end);
	for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
		size_t len = strlen(heaps[i]);
		const char *number = at + len;
		int64_t period = 0;
		if (!begins_with(at, end, heaps[i]) || (number < end && *number != '/' &&
							 *number != ' ' && *number != '\t'))
			continue;
		if (number < end && *number == '/' &&
		    (number++, !take_number(&number, end, &period)))
			return false;
		bool sampled = strstr(heaps[i], "_v2") || !strcmp(heaps[i], "heap");
		/* Go writes twice the period */
		*rate = !sampled ? 0 : strcmp(heaps[i], "heap") ? period : period / 2;
		return true;
	}
	return false;
}

/* Determines the form from the first line that shows it; *rest is the name of a count's type. */
static enum form
pprof_text_form_of(const char *at, const char *end, const char **rest)
{
	const char *total = text_find(at, end, " profile: total ");

	*rest = total;
	if (begins_with(at, end, "heap profile:") && text_find(at, end, "@"))
		return FORM_HEAP;
	if (begins_with(at, end, "heap_v2/"))
		return FORM_JEMALLOC;
	if (total && total > at && is_digit(total[16 < end - total ? 16 : 0]))
		return FORM_COUNT;
	if (begins_with(at, end, "--- threadz ") || begins_with(at, end, "--- Thread "))
		return FORM_THREADS;
	if (begins_with(at, end, "--- contentionz ") || begins_with(at, end, "--- mutex:") ||
	    begins_with(at, end, "--- contention:"))
		return FORM_CONTENTION;
	if (begins_with(at, end, "--- heapz 1 ---"))
		return FORM_JAVA_HEAP;
	return FORM_NONE;
}

static bool
says_nothing(const char *at, const char *end)
{
	at = skip_blanks(at, end);
	return at == end || *at == '#';
}

int
pprof_text_probe(struct head head)
{
	const char *next = NULL, *at, *end, *rest;

	while (head_line(head, &next, &at, &end))
		if (!says_nothing(at, end))
			return pprof_text_form_of(at, end, &rest) != FORM_NONE ? 100 : 0;
	return 0;
}

/* ---- the first reading ---- */

static void
take_attribute(struct pprof_text_state *t, const char *at, const char *end)
{
	const char *sign = text_find(at, end, "=");
	const char *value = sign ? skip_blanks(sign + 1, end) : NULL;
	int64_t number = 0;

	if (!value)
		return;
	number_parse(value, end, &number);
	if (begins_with(at, end, "cycles/second") && number > 0)
		t->hz = number;
	else if (begins_with(at, end, "sampling period") && number > 0)
		t->period = number;
	else if (begins_with(at, end, "format") && begins_with(value, end, "java"))
		t->java = t->old.java = true;
	else if (begins_with(at, end, "resolution"))
		t->factor = begins_with(value, end, "micro") ? 1000
			    : begins_with(value, end, "milli") ? 1000000
			    : begins_with(value, end, "sec")   ? 1000000000
							       : 1;
}

/* The head of a heap says whether it has the memory allocated in total. */
static void
take_totals(struct pprof_text_state *t, const char *at, const char *end)
{
	int64_t v[4];

	if (!take_counts(&at, end, v))
		return;
	t->has_alloc |= (v[2] != v[0] && v[2]) || (v[3] != v[1] && v[3]);
	t->said[0] = v[0];
	t->said[1] = v[2];
}

static bool
take_first(struct pprof_text_state *t, const char *at, const char *end, struct err *e)
{
	const char *rest, *sign = text_find(at, end, "@");

	t->form = pprof_text_form_of(at, end, &rest);
	t->java = t->old.java = t->form == FORM_JAVA_HEAP;
	if (t->form == FORM_HEAP) {
		take_totals(t, at + strlen("heap profile:"), end);
		if (!heap_rate(sign + 1, end, &t->rate))
			return err_damage(e, 0, "a heap of an unknown type");
	} else if (t->form == FORM_JEMALLOC) {
		number_parse(at + strlen("heap_v2/"), end, &t->rate);
	} else if (t->form == FORM_COUNT) {
		struct buf name = BUF_INIT;
		const char *total = rest + strlen(" profile: total ");
		if (!take_number(&total, end, &t->said[0]))
			t->said[0] = 0;
		buf_add(&name, at, (size_t)(rest - at));
		pprof_old_metric(&t->old, buf_str(&name), "count");
		buf_release(&name);
	}
	return true;
}

/* Lines end in the address of a root, in the line number of a name, or as `t*: 1: 100 [0: 0]`. */
static enum last_line
pprof_text_last_line(const struct pprof_text_state *t, const char *at, const char *end)
{
	if (last_line_closed(at, end, "]") == LAST_CLOSED)
		return LAST_CLOSED;
	return begins_with(at, end, "#") ? last_line_number(at, end)
					 : last_line_address(at, end, t->digits);
}

/* Reads names, maps and the lines before the samples. */
static bool
read_around(struct pprof_text_state *t, struct input *in, struct err *e)
{
	bool first = true, maps = false, totals = false;
	struct lines lines;
	struct text_line line;

	lines_init(&lines, in);
	while (lines_next(&lines, &line)) {
		const char *at = skip_blanks(line.at, line.at + line.len);
		const char *end = line.at + line.len;
		if (!last_line_whole(in, line.ended, line.offset,
				     pprof_text_last_line(t, at, end), &t->cut))
			break;
		if (!t->digits && !maps && !begins_with(at, end, "#"))
			t->digits = last_line_digits(at, end);
		if (maps) {
			pprof_old_map(&t->old, at, end);
		} else if (is_map_begin(at, end)) {
			maps = true;
		} else if (at < end && *at == '#') {
			pprof_old_name(&t->old, at + 1, end);
		} else if (first && at < end) {
			first = false;
			if (!take_first(t, at, end, e))
				return false;
		} else if (t->java && begins_with(at, end, "0x")) {
			pprof_old_name(&t->old, at, end);
		} else if (t->form == FORM_JEMALLOC && begins_with(at, end, "t*:")) {
			t->sums = true;
			if (!totals)
				take_totals(t, at + 3, end);
			totals = true;
		} else {
			take_attribute(t, at, end);
		}
	}
	return true;
}

static void
pprof_declare(struct pprof_text_state *t)
{
	struct pprof_old *o = &t->old;

	switch (t->form) {
	case FORM_HEAP:
	case FORM_JEMALLOC:
		if (t->has_alloc) {
			pprof_old_metric(o, "alloc_objects", "count");
			pprof_old_metric(o, "alloc_space", "bytes");
		}
		pprof_old_metric(o, t->has_alloc ? "inuse_objects" : "objects", "count");
		pprof_old_metric(o, t->has_alloc ? "inuse_space" : "space", "bytes");
		break;
	case FORM_JAVA_HEAP:
		pprof_old_metric(o, "inuse_objects", "count");
		pprof_old_metric(o, "inuse_space", "bytes");
		break;
	case FORM_THREADS:
		pprof_old_metric(o, "thread", "count");
		break;
	case FORM_CONTENTION:
		pprof_old_metric(o, "contentions", "count");
		pprof_old_metric(o, "delay", "nanoseconds");
		break;
	case FORM_COUNT: /* it is there */
	case FORM_NONE:
		break;
	}
	if (o->n_metrics)
		builder_default_metric(o->b, o->metric[o->n_metrics - 1]);
}

/* ---- samples ---- */

/* Converts a double to a count, with saturation. */
static int64_t
whole_of(double v)
{
	return v >= 9.2e18 ? INT64_MAX : v <= -9.2e18 ? INT64_MIN : (int64_t)v;
}

/* Scales up a number of blocks of this size that were sampled once per `rate` bytes. */
static void
scale_up(int64_t rate, int64_t *count, int64_t *size)
{
	if (rate <= 1)
		return;
	if (!*count || !*size) {
		*count = *size = 0;
		return;
	}
	double scale = 1 / (1 - exp(-((double)*size / (double)*count) / (double)rate));
	*count = whole_of((double)*count * scale);
	*size = whole_of((double)*size * scale);
}

/* Adds the live and the allocated memory of `N: B [N: B]`. */
static bool
add_heap(struct pprof_text_state *t, const int64_t v[4], uint64_t offset, struct err *e)
{
	int64_t values[4], block = 0;
	unsigned n = 0;

	for (unsigned i = t->has_alloc ? 0 : 1; i < 2; i++) {
		int64_t count = v[i ? 0 : 2], size = v[i ? 1 : 3];
		if (!count && size)
			return false; /* bytes of no block */
		if (count) {
			block = size / count;
			scale_up(t->rate, &count, &size);
		}
		values[n++] = count;
		values[n++] = size;
	}
	return pprof_old_sample(&t->old, values, block < 0 ? 0 : block, offset, e);
}

static void
have_more(struct pprof_text_state *t, int64_t live, int64_t allocated)
{
	t->have[0] = sum_clipped(t->have[0], live);
	t->have[1] = sum_clipped(t->have[1], allocated);
}

/* Returns false with damage at `offset` if the lines have less than the head states: a cut file. */
static bool
has_all(const struct pprof_text_state *t, uint64_t offset, struct err *e)
{
	for (unsigned i = 0; i < 2; i++)
		if (t->have[i] < t->said[i])
			return err_damage(e, offset,
					  "the records have %" PRId64 " of the %" PRId64
					  " that the file states",
					  t->have[i], t->said[i]);
	return true;
}

static bool
take_heap(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	  struct err *e)
{
	int64_t v[4];

	if (!take_counts(&at, end, v) || !pprof_take_text(&at, end, "@"))
		return false;
	t->old.address.n = 0;
	take_addresses(t, at, end, 1, true);
	have_more(t, v[0], v[2]);
	return add_heap(t, v, offset, e);
}

static bool
take_jemalloc(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	      struct err *e)
{
	int64_t v[4];

	if (*at == '@') {
		t->old.address.n = 0;
		take_addresses(t, at, end, 1, true);
		t->stack_read = true;
		t->values_read = false;
		return true;
	}
	const char *colon = memchr(at, ':', (size_t)(end - at));
	if (*at != 't' || !colon) {
		t->stack_read &= !t->values_read; /* it may be the next stack, damaged */
		return false;
	}
	if ((at[1] == '*') != t->sums || !t->stack_read)
		return true; /* the memory is in the sum, or this is the sum of all stacks */
	at = colon + 1;
	t->values_read = true;
	if (!take_counts(&at, end, v))
		return false;
	have_more(t, v[0], v[2]);
	return add_heap(t, v, offset, e);
}

static bool
take_count(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	   struct err *e)
{
	int64_t v;

	if (!take_number(&at, end, &v) || !pprof_take_text(&at, end, "@"))
		return false;
	t->old.address.n = 0;
	take_addresses(t, at, end, 1, true);
	have_more(t, v, 0);
	return pprof_old_sample(&t->old, &v, -1, offset, e);
}

/* Reads VALUE COUNT @ ...: contention, and heaps of Java. */
static bool
take_pair(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	  struct err *e)
{
	int64_t value, count, block = -1;

	if (!take_number(&at, end, &value) || !take_number(&at, end, &count) ||
	    !pprof_take_text(&at, end, "@"))
		return false;
	t->old.address.n = 0;
	take_addresses(t, at, end, t->java ? 0 : 1, true);
	if (t->form == FORM_JAVA_HEAP) {
		if (!count)
			return false; /* bytes of no block */
		block = value / count < 0 ? 0 : value / count;
		scale_up(JAVA_HEAP_RATE, &count, &value);
	} else if (t->period > 0) {
		if (t->hz)
			value = whole_of((double)value * (double)t->period / ((double)t->hz / 1e9));
		else if (t->java)
			value = whole_of((double)value * (double)t->period * (double)t->factor);
		if (__builtin_mul_overflow(count, t->period, &count))
			return err_damage(e, offset, "more than 2^63 contentions");
	}
	const int64_t values[] = {count, value};
	return pprof_old_sample(&t->old, values, block, offset, e);
}

/* The thread before is whole. */
static bool
end_thread(struct pprof_text_state *t, uint64_t offset, struct err *e)
{
	const int64_t one = 1;
	struct pprof_old *o = &t->old;

	if (!t->stack_read || (t->fresh && !t->same) || !o->address.n)
		return true;
	/* a second frame that repeats the leaf */
	if (!t->same && o->address.n > 1 && o->address.at[0] == o->address.at[1] + 1) {
		memmove(&o->address.at[1], &o->address.at[2],
			(o->address.n - 2) * sizeof *o->address.at);
		o->address.n--;
	}
	return pprof_old_sample(o, &one, -1, offset, e);
}

static bool
take_thread(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	    struct err *e)
{
	if (begins_with(at, end, "---")) {
		bool good = end_thread(t, offset, e);
		t->stack_read = begins_with(at, end, "--- Thread ");
		t->fresh = true; /* keep the addresses: the next sample may have the same */
		t->same = false;
		return good;
	}
	if (text_find(at, end, "same as previous thread")) {
		t->same = true;
		return true;
	}
	if (t->fresh)
		t->old.address.n = 0;
	t->fresh = false;
	take_addresses(t, at, end, 1, false);
	return true;
}

/* Returns false if the line is not of the form, without damage in *e. */
static bool
take_line(struct pprof_text_state *t, const char *at, const char *end, uint64_t offset,
	  struct err *e)
{
	bool number = is_digit(*at) || *at == '-';

	switch (t->form) {
	case FORM_HEAP:
		return number && take_heap(t, at, end, offset, e);
	case FORM_JEMALLOC:
		return take_jemalloc(t, at, end, offset, e);
	case FORM_COUNT:
		return number && take_count(t, at, end, offset, e);
	case FORM_CONTENTION:
	case FORM_JAVA_HEAP:
		if (number && !begins_with(at, end, "0x"))
			return take_pair(t, at, end, offset, e);
		return number || memchr(at, '=', (size_t)(end - at)); /* a name; KEY = VALUE */
	case FORM_THREADS:
		return take_thread(t, at, end, offset, e);
	case FORM_NONE:
		break;
	}
	return true;
}

static bool
pprof_read_samples(struct pprof_text_state *t, struct input *in, struct err *e)
{
	bool first = true;
	struct odd_lines odd = {0};
	struct lines lines;
	struct text_line line = {.offset = 0};
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		const char *end = line.at + line.len, *at = skip_blanks(line.at, end);
		if (is_map_begin(at, end) || (!line.ended && err_is_set(&t->cut)))
			break;
		if (t->form == FORM_COUNT && begins_with(at, end, "---"))
			break;
		if (says_nothing(at, end))
			continue;
		bool head = first && !(t->form == FORM_THREADS &&
				       begins_with(at, end, "--- Thread "));
		first = false;
		good = head || take_line(t, at, end, line.offset, e) ||
		       (!err_is_set(e) && odd_line(&odd, in, &line, e));
	}
	odd_lines_report(&odd, t->old.b);
	if (good && !input_stopped(in) && !err_is_set(&t->cut))
		good = has_all(t, line.offset, e);
	return good && (t->form != FORM_THREADS || end_thread(t, line.offset, e));
}

bool
pprof_text_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pprof_text_state t = {.form = FORM_NONE, .period = 1, .factor = 1};
	bool good;

	input_keep(in);
	input_passes(in, 2);
	pprof_old_init(&t.old, in, b);
	good = read_around(&t, in, e);
	if (good) {
		pprof_declare(&t);
		t.sums = t.sums && t.form == FORM_JEMALLOC;
		good = input_seek(in, 0) && pprof_read_samples(&t, in, e);
	}
	if (t.rate > 1)
		builder_info(b, "period", "space %" PRId64 " bytes", t.rate);
	if (good && err_is_set(&t.cut))
		*e = t.cut;
	pprof_old_release(&t.old);
	return good && !err_is_set(e);
}
