#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Dumps of threads by debuggers and runtimes: each thread is a sample, and several dumps in one
 * file add up. A dialect is a row of patterns: how a thread begins, and how a frame looks.
 *
 * A pattern must fit the whole line. It is text with places for the parts of the line:
 *
 *	%#  digits, and the blanks after them    %*  anything, also nothing
 *	%i  letters and digits: the thread's id  %n  its name, maybe empty    %s  its state
 *	%f  a function   %p  FILE:LINE, or what stands there   %l  a line   %m  a module
 *	%x  the rest is a frame of a debugger    %j  of Java   %k  of the kernel
 *
 * A part ends where the text after it first occurs; a part in upper case where it last does. Parts
 * but %n and %* are not empty and do not begin with a blank. */

enum part { PART_ID, PART_NAME, PART_STATE, PART_FUNCTION, PART_PLACE, PART_LINE, PART_MODULE,
	PART_NATIVE, PART_JAVA, PART_KERNEL, PARTS };
static const char part_letters[] = "insfplmxjk";

struct thread_parts {
	struct text_cell part[PARTS]; /* at is NULL: there is none */
};

/* ---- patterns ---- */

static bool
is_alnum(char c)
{
	return is_digit(c) || (unsigned)((c | 32) - 'a') < 26;
}

/* Returns where the literal `len` bytes occur in a text, or NULL: at its end, if the pattern ends
 * with them, or the first or last time. */
static const char *
literal_at(const char *at, const char *end, const char *literal, size_t len, bool last)
{
	const char *found = NULL;

	if ((size_t)(end - at) < len)
		return NULL;
	if (!literal[len])
		return memcmp(end - len, literal, len) ? NULL : end - len;
	for (const char *c = at; (c = memmem(c, (size_t)(end - c), literal, len)) != NULL; c++) {
		found = c;
		if (!last)
			break;
	}
	return found;
}

/* Returns the end of the part `letter` of a line, or NULL; the pattern continues after it. */
static const char *
part_end(char letter, const char *pattern, const char *at, const char *end)
{
	const char *c = at;

	if (letter == '#' || letter == 'i') {
		while (c < end && (letter == '#' ? is_digit(*c) : is_alnum(*c)))
			c++;
		return c > at ? c : NULL;
	}
	if (letter != '*' && letter != 'n' && (at == end || is_blank(*at)))
		return NULL;
	size_t len = strcspn(pattern, "%");
	bool last = letter >= 'A' && letter <= 'Z';
	c = len ? literal_at(at, end, pattern, len, last) : end;
	return c == at && letter != '*' && (letter | 32) != 'n' ? NULL : c;
}

static bool
pattern_fits(const char *pattern, const char *at, const char *end, struct thread_parts *p)
{
	if (*pattern != '%' && (at == end || *at != *pattern))
		return false; /* nearly always */
	*p = (struct thread_parts){0};
	while (*pattern) {
		if (*pattern != '%') {
			if (at == end || *at++ != *pattern++)
				return false;
			continue;
		}
		char letter = pattern[1];
		const char *stop = part_end(letter, pattern += 2, at, end);
		if (!stop)
			return false;
		const char *which = strchr(part_letters, letter | 32);
		if (which && is_alnum(letter))
			p->part[which - part_letters] = (struct text_cell){at, stop};
		at = letter == '#' ? skip_blanks(stop, end) : stop;
	}
	return at == end;
}

/* Returns true if one of `n` patterns fits. */
static bool
patterns_fit(const char *const *patterns, size_t n, const char *at, const char *end,
	     struct thread_parts *p)
{
	for (size_t i = 0; i < n && patterns[i]; i++)
		if (pattern_fits(patterns[i], at, end, p))
			return true;
	return false;
}
#define FIT(patterns, at, end, p) \
	patterns_fit(patterns, sizeof(patterns) / sizeof *(patterns), at, end, p)

static int
threads_probe(const struct stacktext_grammar *g, struct head head)
{
	const char *next = NULL, *at, *end;
	struct thread_parts p;
	bool thread = false;

	while (head_line(head, &next, &at, &end)) {
		if (FIT(g->thread, at, end, &p))
			thread = true;
		else if ((thread && FIT(g->frame, at, end, &p) && !p.part[PART_STATE].at) ||
			 FIT(g->alone, at, end, &p))
			return 95;
	}
	return 0;
}

/* ---- stacks ---- */

/* A debugger prints frame 0 of a thread when it stops, and again with the stack. */
static bool
is_stop(const struct stacktext *s)
{
	return s->held.len && !s->frame.n && !s->track.len;
}

static bool
threads_end(struct stacktext *s)
{
	stacktext_native(s);
	if (s->debugger.unasked && s->frame.n == 1) /* where it stopped, or moved to */
		stacktext_clear(s);
	return stacktext_thread(s);
}

static void
buf_add_part(struct buf *b, struct text_cell part)
{
	buf_add(b, part.at, (size_t)(part.end - part.at));
}

static void
thread_begin(struct stacktext *s, const struct thread_parts *p)
{
	struct text_cell id = p->part[PART_ID], name = p->part[PART_NAME];
	struct text_cell state = p->part[PART_STATE];

	s->begun = s->offset;
	if (name.at)
		stacktext_track(s, name.at, (size_t)(name.end - name.at));
	else if (id.at)
		buf_adds(&s->track, "thread");
	if (id.at) {
		buf_addc(&s->track, ' ');
		buf_add_part(&s->track, id);
	}
	if (state.at)
		stacktext_label(s, "state", state.at, (size_t)(state.end - state.at));
}

/* The last frames of a stack of the kernel: the entry of a system call, the begin of a thread. */
static bool
is_kernel_entry(struct text_cell frame)
{
	static const char *const begins[] = {"entry_", "ret_from_", "el0t_", "system_call"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (begins_with(frame.at, frame.end, begins[i]))
			return true;
	return false;
}

/* /proc/PID/stack of several threads in a row has nothing between them, before Linux 5.2 an
 * address that is none. */
static bool
kernel_frame(struct stacktext *s, struct text_cell frame)
{
	bool entry = is_kernel_entry(frame);

	if (begins_with(frame.at, frame.end, "0xffffffffffffffff"))
		return threads_end(s);
	if (s->state && !entry && !threads_end(s))
		return false;
	s->state = entry;
	stacktext_counted(s, frame.at, frame.end, KIND_SYSTEM);
	return true;
}

/* A frame whose parts the pattern has found. */
static void
plain_frame(struct stacktext *s, const struct thread_parts *p)
{
	struct text_cell name = p->part[PART_FUNCTION], file = p->part[PART_PLACE];
	struct text_cell module = p->part[PART_MODULE], line_text = p->part[PART_LINE];
	int64_t n;
	uint32_t line = 0;

	if (line_text.at && number_parse(line_text.at, line_text.end, &n) && n < UINT32_MAX)
		line = (uint32_t)n;
	if (file.at && !line_text.at &&
	    !stacktext_file_line(file.at, file.end, &file.end, &line)) {
		module = file; /* a native function of Python */
		file.end = file.at;
	}
	if (module.at && !file.at)
		name.end = stacktext_call_end(name.at, name.end);
	stacktext_frame(s, name.at, (size_t)(name.end - name.at), file.at,
			(size_t)(file.end - file.at), module.at, (size_t)(module.end - module.at),
			line, *name.at == '[' ? KIND_SYSTEM
					      : kind_of_name(name.at,
							     (size_t)(name.end - name.at)));
}

static bool
threads_frame(struct stacktext *s, const struct thread_parts *p)
{
	struct text_cell native = p->part[PART_NATIVE], java = p->part[PART_JAVA];

	if (p->part[PART_STATE].at)
		stacktext_label(s, "state", p->part[PART_STATE].at,
				(size_t)(p->part[PART_STATE].end - p->part[PART_STATE].at));
	else if (p->part[PART_KERNEL].at)
		return kernel_frame(s, p->part[PART_KERNEL]);
	else if (java.at)
		stacktext_java(s, java.at, java.end);
	else if (!native.at)
		plain_frame(s, p);
	else {
		stacktext_native(s);
		if (!s->inside) {
			s->inside = true;
			s->begun = s->offset;
		}
		buf_add_part(&s->held, native);
		s->debugger.read = 0;
	}
	return true;
}

/* Returns true if a command of a debugger prints stacks. */
static bool
asks_for_stacks(const char *at, const char *end)
{
	return text_find(at, end, "bt") || text_find(at, end, "backtrace") ||
	       text_find(at, end, "where");
}

static bool
threads_line(struct stacktext *s, const char *at, const char *end)
{
	const struct stacktext_grammar *g = s->grammar;
	struct thread_parts p;

	if (FIT(g->thread, at, end, &p)) {
		if (is_stop(s))
			stacktext_clear(s);
		s->debugger.stopped = true;
		if (!threads_end(s))
			return false;
		if (begins_with(at, end, "Thread ")) /* gdb prints it only with a stack */
			s->debugger.unasked = false;
		thread_begin(s, &p);
	} else if (FIT(g->frame, at, end, &p)) {
		struct text_cell native = p.part[PART_NATIVE];
		if (native.at && text_find(at, native.at, "#0")) {
			size_t len = (size_t)(native.end - native.at);
			if (!s->debugger.stopped && is_stop(s) && s->held.len == len &&
			    !memcmp(s->held.at, native.at, len)) {
				stacktext_clear(s);
				s->debugger.stopped = true; /* equal ones that follow are stacks */
			} else if (s->inside && !threads_end(s)) {
				return false;
			}
		}
		return threads_frame(s, &p);
	} else if (begins_with(at, end, "(lldb) ") || begins_with(at, end, "(gdb) ")) {
		if (!threads_end(s))
			return false;
		s->debugger.unasked = !asks_for_stacks(at, end);
	} else if (is_stop(s) && begins_with(at, end, "[Current thread is")) {
		stacktext_clear(s);
	} else if (begins_with(at, end, "Core was generated by")) {
		s->debugger.stopped = false;
		return threads_end(s);
	} else if (at == end) {
		return (!s->debugger.stopped && is_stop(s)) || threads_end(s);
	} else {
		stacktext_native_more(s, skip_blanks(at, end), end);
	}
	return true;
}

/* ---- the dialects ---- */

#define THREADS .probe = threads_probe, .line = threads_line, .end = threads_end
#define JAVA_THREAD "\"%N\"%*tid=%*"
#define RECENT_FIRST " (most recent call first):"

const struct stacktext_grammar stacktext_dialects[] = {
	/* py-spy dump */
	{THREADS, .thread = {"Thread %i (%s): \"%n\"", "Thread %i (%s)"},
	 .frame = {"    %F (%p)"}},
	/* Python's faulthandler */
	{THREADS, .thread = {"%*hread %i [%N]" RECENT_FIRST, "%*hread %i" RECENT_FIRST,
			     "Stack" RECENT_FIRST},
	 .frame = {"  File \"%P\", line %l in %f"}},
	/* gdb, pstack, gstack */
	{THREADS, .thread = {"Thread %#(%*LWP %i) \"%n\"%*", "Thread %#(%*LWP %i)%*",
			     "Thread %#(%*process %i)%*", "Thread %i (%*"},
	 .frame = {"#%#%x"}, .alone = {"#0  0x%* in %*", "#0  %* (%*) at %*"}},
	/* eu-stack */
	{THREADS, .thread = {"TID %i:"}, .frame = {"#%#%x"}},
	/* coredumpctl info, and the journal */
	{THREADS, .thread = {"%*Stack trace of thread %i:"}, .frame = {"%*#%#%x"}},
	/* lldb */
	{THREADS, .thread = {"%*thread #%i, name = '%n'%*", "%*thread #%i, queue = '%n'%*",
			     "%*thread #%i%*"},
	 .frame = {"%*frame #%#: %x"}},
	/* dotnet-stack report */
	{THREADS, .thread = {"Thread (%i):"}, .frame = {"  %m!%f", "  %f"}},
	/* Java: jstack, jcmd Thread.print, SIGQUIT; traces.txt of Android */
	{THREADS, .thread = {JAVA_THREAD},
	 .frame = {"\tat %j", "  at %j", "   java.lang.Thread.State: %s"}},
	/* Java: jcmd Thread.dump_to_file -format=plain, since JDK 25 and before */
	{THREADS, .thread = {"#%#\"%N\" virtual %s %*", "#%#\"%N\" virtual",
			     "#%#\"%N\" %s %*", "#%#\"%N\""},
	 .frame = {"    at %j", "      %j"}},
	/* Linux: /proc/PID/stack */
	{THREADS, .thread = {"==> /proc/%i/stack <==", "==> /proc/%#/task/%i/stack <=="},
	 .frame = {"[<%i>] %k"},
	 .alone = {"[<%i>] %*+0x%*/0x%*"}},
};
const size_t stacktext_n_dialects = sizeof stacktext_dialects / sizeof *stacktext_dialects;
