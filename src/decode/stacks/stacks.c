/* Stacks in text, from debuggers, runtimes and tracers.
 *
 *	@[                       bpftrace: a map of stacks, leaf first, and their counts
 *	    read+5
 *	    main+12
 *	, shop]: 42
 *
 *	  libc.so.6`read+0x5     DTrace, SystemTap: a stack, then a number alone
 *	  shop`main+0xc
 *	       42
 *
 *	Thread 1 (LWP 42 "shop"):          gdb, `thread apply all bt`
 *	#0  0x00007f12 in read (fd=0) at io.c:5
 *
 *	"main" #1 prio=5 ... runnable      Java, jstack and jcmd Thread.print
 *	   java.lang.Thread.State: RUNNABLE
 *		at shop.Main.main(Main.java:5)
 *
 *	Thread 42 (idle): "MainThread"     Python, py-spy dump
 *	    main (shop.py:5)
 *
 *	goroutine 1 [running]:             Go, a panic or /debug/pprof/goroutine?debug=2
 *	main.main()
 *		/shop/main.go:5 +0x12
 *
 * They have no time: all values are sums of `samples`.  A file of bpftrace may contain several
 * maps; only then the names of maps become metrics.  So all entries are kept until the end of
 * the file. */
#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/input/lines.h"

static const struct stacktext_grammar *const grammars[] = {
	&stacktext_go, &stacktext_maps, &stacktext_blocks};
#define GRAMMARS (sizeof grammars / sizeof *grammars)

/* Returns the grammar that fits best, and how sure it is. */
static const struct stacktext_grammar *
grammar_of(struct head head, int *sure)
{
	const struct stacktext_grammar *best = NULL;

	*sure = 0;
	for (size_t i = 0; i < GRAMMARS + stacktext_n_dialects; i++) {
		const struct stacktext_grammar *g =
			i < GRAMMARS ? grammars[i] : &stacktext_dialects[i - GRAMMARS];
		int n = g->probe(g, head);
		if (n > *sure) {
			*sure = n;
			best = g;
		}
	}
	return best;
}

static int
stacks_probe(struct head head)
{
	int sure;

	/* a text does not contain NUL bytes */
	if (head.len && memchr(head.at, 0, head.len < 4096 ? head.len : 4096))
		return 0;
	grammar_of(head, &sure);
	return sure;
}

/* A frame is whole with all its brackets or the number of its line, a count is a number of its own:
 * `main () at shop.c:40`, `]: 12`. A map of bpftrace `@[...` needs its count. */
static enum last_line
stacks_last_line(const char *at, const char *end)
{
	const char *digits = end = drop_blanks(at, end);
	int open = 0;

	for (const char *p = at; p < end; p++)
		open += (*p == '(') - (*p == ')');
	if (open > 0)
		return LAST_OPEN;
	while (digits > at && is_digit(digits[-1]))
		digits--;
	if (digits == end || (drop_blanks(at, digits) > at && digits[-1] != ':' &&
			      !(digits - at > 1 && digits[-1] == ' ' && digits[-2] == ':')))
		return last_line_closed(at, end, at < end && *at == '@' ? "" : ")]}|\"");
	return LAST_NUMBER;
}

/* Reads a text by the grammar that fits its beginning. */
static bool
stacktext_lines(struct stacktext *s, struct input *in)
{
	struct text_line line;
	struct lines lines;
	struct err cut = {0};
	bool good = true;
	int sure;

	while (input_have(in) < PROBE_BYTES && input_more(in))
		;
	s->grammar = grammar_of(head_plain(input_at(in), input_have(in), ""), &sure);
	if (!s->grammar)
		return err_refuse(s->e, "not stacks of a tracer, a debugger or a runtime");
	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		const char *end = line.at + line.len;
		s->offset = line.offset;
		if (!last_line_whole(in, line.ended, line.offset, stacks_last_line(line.at, end),
				     &cut))
			break;
		good = line.cut ? err_damage(s->e, line.offset, "the line is too long")
				: s->grammar->line(s, line.at, end);
	}
	s->offset = lines.offset;
	good = good && s->grammar->end(s); /* the frames before a truncated one are a stack */
	if (good && err_is_set(&cut))
		*s->e = cut;
	return good && !err_is_set(&cut);
}

static bool
stacks_decode(struct input *in, struct builder *b, struct err *e)
{
	struct stacktext s = {.b = b, .e = e};
	bool good = decoder_json(in) ? stacktext_json(&s, in) : stacktext_lines(&s, in);

	/* everything before the damage is shown */
	good = stacktext_write(&s) && good;
	stacktext_release(&s);
	return good;
}

const struct decoder decoder_stacks = {
	.name = "stacks",
	.title = "stacks in text: bpftrace, DTrace, SystemTap, gdb, lldb, jstack, Go, py-spy",
	.manual = "Stacks in text",
	.made_of = MADE_TEXT | MADE_JSON,
	.mangled = true,
	.members = "threadDump/threadContainers",
	.probe = stacks_probe,
	.decode = stacks_decode,
};
