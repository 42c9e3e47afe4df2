#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Dumps of threads by debuggers and runtimes: each thread is a sample, and several dumps in one
 * file add up. */

/* ---- gdb ---- */

static bool
is_thread_line(const char *at, const char *end)
{
	return begins_with(at, end, "Thread ") && end - at > 8 && is_digit(at[7]) &&
	       text_find(at, end, " (");
}

/* Parses `#12 `; returns where the following text begins, or NULL. */
static const char *
numbered(const char *at, const char *end)
{
	const char *c = at;

	if (c == end || *c++ != '#')
		return NULL;
	while (c < end && is_digit(*c))
		c++;
	return c > at + 1 && c < end && is_blank(*c) ? skip_blanks(c, end) : NULL;
}

static int
gdb_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	bool thread = false;

	while (head_line(head, &next, &at, &end)) {
		if (is_thread_line(at, end))
			thread = true;
		else if (thread && numbered(at, end) && begins_with(at, end, "#0 "))
			return 95;
	}
	return 0;
}

/* Returns where ` (` begins the arguments: outside of <> and (). */
static const char *
arguments_of(const char *at, const char *end)
{
	int depth = 0;

	for (const char *c = at; c < end; c++) {
		if (begins_with(c, end, "operator")) {
			for (c += 8; c < end && strchr("<>=-!()", *c); c++)
				;
			c--;
		} else if (*c == '<' || (*c == '(' && (depth || c == at || !is_blank(c[-1])))) {
			depth++;
		} else if (*c == '>' || *c == ')') {
			depth -= depth > 0;
		} else if (*c == '(') {
			return c - 1;
		}
	}
	return end;
}

/* The last place of a text. */
static const char *
last_of(const char *at, const char *end, const char *text)
{
	const char *last = NULL;

	for (const char *c = at; (c = text_find(c, end, text)) != NULL; c++)
		last = c;
	return last;
}

/* Reads a frame after its number, with all its lines: `0x12 in f (a=1) at io.c:5`, `... from
 * LIB`. */
static void
gdb_frame(struct stacktext *s)
{
	const char *at = buf_str(&s->held), *end = at + s->held.len, *address = NULL, *word;
	const char *file = end, *file_end = end, *module = end, *where, *name_end;
	uint32_t line = 0;

	if (!s->held.len)
		return;
	word = word_end(at, end);
	if (begins_with(at, end, "0x") && begins_with(word, end, " in ")) {
		address = at;
		at = word + 4;
	}
	name_end = arguments_of(at, end);
	if ((where = last_of(name_end, end, ") at ")) != NULL &&
	    stacktext_file_line(where + 5, end, &file_end, &line))
		file = where + 5;
	else if ((where = last_of(name_end, end, ") from ")) != NULL)
		module = where + 7;
	if (address && name_end - at == 2 && !memcmp(at, "??", 2)) {
		char text[2 + 16 + 1] = "0x";
		while (address + 2 < word && address[2] == '0')
			address++;
		size_t digits = (size_t)(word - address) - 2;
		digits = digits < 16 ? digits : 16;
		memcpy(text + 2, address + 2, digits);
		stacktext_frame(s, text, 2 + digits, NULL, 0, module, (size_t)(end - module), 0,
				KIND_USER);
	} else {
		stacktext_frame(s, at, (size_t)(name_end - at), file, (size_t)(file_end - file),
			     module, (size_t)(end - module), line,
				*at == '<' ? KIND_SYSTEM
					   : kind_of_name(at, (size_t)(name_end - at)));
	}
	buf_reset(&s->held);
}

static bool
gdb_end(struct stacktext *s)
{
	gdb_frame(s);
	return stacktext_add(s, 1);
}

/* `Thread 2 (Thread 0x7f12 (LWP 42) "shop"):` */
static void
gdb_thread(struct stacktext *s, const char *at, const char *end)
{
	const char *id = text_find(at, end, "LWP "), *quote = memchr(at, '"', (size_t)(end - at));
	const char *close = quote ? memchr(quote + 1, '"', (size_t)(end - quote - 1)) : NULL;
	size_t skip = 4;

	if (!id) {
		id = text_find(at, end, "process ");
		skip = 8;
	}
	if (!id) {
		id = at;
		skip = 7;
	}
	id += skip;
	const char *id_end = id;
	while (id_end < end && is_digit(*id_end))
		id_end++;
	if (quote && close)
		buf_add(&s->track, quote + 1, (size_t)(close - quote) - 1);
	else
		buf_adds(&s->track, "thread");
	buf_addc(&s->track, ' ');
	buf_add(&s->track, id, (size_t)(id_end - id));
}

/* Returns true if the list of arguments continues in the next line. */
static bool
is_open(const struct buf *text)
{
	int depth = 0;

	for (size_t i = 0; i < text->len; i++)
		depth += (text->at[i] == '(') - (text->at[i] == ')');
	return depth > 0;
}

static bool
gdb_line(struct stacktext *s, const char *at, const char *end)
{
	const char *rest = numbered(at, end), *text = skip_blanks(at, end);

	if (is_thread_line(at, end)) {
		if (!gdb_end(s))
			return false;
		gdb_thread(s, at, end);
	} else if (rest) {
		if (begins_with(at, end, "#0 ") && s->frame.n && !gdb_end(s))
			return false;
		gdb_frame(s);
		if (!s->inside) {
			s->inside = true;
			s->begun = s->offset;
		}
		buf_add(&s->held, rest, (size_t)(end - rest));
	} else if (at == end) {
		return gdb_end(s);
	} else if (s->held.len && (is_open(&s->held) || begins_with(text, end, "at ") ||
				   begins_with(text, end, "from "))) {
		buf_addc(&s->held, ' ');
		buf_add(&s->held, text, (size_t)(end - text));
	}
	return true;
}

const struct stacktext_grammar stacktext_gdb = {gdb_probe, gdb_line, gdb_end};

/* ---- Java ---- */

static int
java_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	while (head_line(head, &next, &at, &end))
		if (begins_with(at, end, "Full thread dump"))
			return 95;
	return 0;
}

/* Skips `module@version/` of the JDK; returns where the following text begins. */
static const char *
java_module(const char *at, const char *end, const char **module, const char **module_end)
{
	const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;

	/* a lambda's class has a slash in its name, too */
	if (!slash || !memchr(at, '@', (size_t)(slash - at)))
		return at;
	*module = at;
	*module_end = slash;
	return slash + 1;
}

/* `pkg.Class.method(module@version/File.java:5)` */
static void
java_frame(struct stacktext *s, const char *at, const char *end)
{
	const char *open = at < end ? memchr(at, '(', (size_t)(end - at)) : NULL;
	const char *name_end = open ? open : end, *file = end, *file_end = end;
	const char *module = at, *module_end = at;
	uint32_t line = 0;
	bool native = false;

	at = java_module(at, name_end, &module, &module_end);
	if (open && end[-1] == ')') {
		const char *close = end - 1;
		const char *place = java_module(open + 1, close, &module, &module_end);
		native = begins_with(place, close, "Native Method");
		if (native || begins_with(place, close, "Unknown Source"))
			place = close;
		else if (!stacktext_file_line(place, close, &file_end, &line))
			file_end = close;
		file = place < close ? place : file_end;
	}
	stacktext_frame(s, at, (size_t)(name_end - at), file, (size_t)(file_end - file), module,
			(size_t)(module_end - module), line,
			native ? KIND_SYSTEM : KIND_USER);
}

static bool
java_end(struct stacktext *s)
{
	return stacktext_add(s, 1);
}

static bool
java_line(struct stacktext *s, const char *at, const char *end)
{
	static const char state[] = "java.lang.Thread.State: ";
	const char *text = skip_blanks(at, end);

	if (at == end || *at == '"') {
		if (!stacktext_add(s, 1))
			return false;
		const char *quote = end;
		while (quote > at + 1 && *--quote != '"') /* names may hold quotes */
			;
		if (at < end && quote > at)
			buf_add(&s->track, at + 1, (size_t)(quote - at) - 1);
	} else if (begins_with(text, end, state)) {
		text += sizeof state - 1;
		stacktext_label(s, "state", text, (size_t)(end - text));
	} else if (text > at && begins_with(text, end, "at ")) {
		java_frame(s, text + 3, end);
	}
	return true;
}

const struct stacktext_grammar stacktext_java = {java_probe, java_line, java_end};

/* ---- Go ---- */

/* Recognises `goroutine 12 [chan receive, 5 minutes]:`; *open is the position after the
 * bracket. */
static bool
is_goroutine(const char *at, const char *end, const char **open)
{
	const char *c = at + 10;

	if (!begins_with(at, end, "goroutine ") || c == end || !is_digit(*c))
		return false;
	while (c < end && is_digit(*c))
		c++;
	if (!(c = text_find(c, end, " [")) || !text_find(c, end, "]:"))
		return false;
	*open = c + 2;
	return true;
}

static int
go_probe(struct head head)
{
	const char *next = NULL, *at, *end, *open;

	while (head_line(head, &next, &at, &end))
		if (is_goroutine(at, end, &open))
			return 95;
	return 0;
}

/* Returns the end of a call without its arguments: the bracket that the last bracket closes. */
static const char *
call_end(const char *at, const char *end)
{
	int depth = 0;

	if (end == at || end[-1] != ')')
		return end;
	for (const char *c = end; c-- > at;) {
		depth += (*c == ')') - (*c == '(');
		if (!depth)
			return c;
	}
	return end;
}

/* Adds the call in `held`; a call without a place is ignored. */
static void
go_frame(struct stacktext *s, const char *file, size_t file_len, uint32_t line)
{
	const char *at = buf_str(&s->held), *end = at + s->held.len, *in;

	if (begins_with(at, end, "created by ")) {
		at += 11;
		if ((in = text_find(at, end, " in goroutine ")) != NULL)
			end = in;
	} else {
		end = call_end(at, end);
	}
	if (at < end)
		stacktext_frame(s, at, (size_t)(end - at), file, file_len, NULL, 0, line,
				go_is_runtime(at, (size_t)(end - at), file, file_len)
					? KIND_SYSTEM
					: KIND_USER);
	buf_reset(&s->held);
}

static bool
go_end(struct stacktext *s)
{
	return stacktext_add(s, 1);
}

static bool
go_line(struct stacktext *s, const char *at, const char *end)
{
	const char *open, *file_end;
	uint32_t line;

	if (is_goroutine(at, end, &open)) {
		if (!go_end(s))
			return false;
		const char *stop = text_find(open, end, "]:"), *comma;
		if ((comma = text_find(open, stop, ",")) != NULL)
			stop = comma;
		stacktext_label(s, "state", open, (size_t)(stop - open));
		s->state = 1;
		s->begun = s->offset;
		return true;
	}
	if (!s->state)
		return true;
	if (at == end)
		return go_end(s);
	if (*at == '\t') { /* the place of the call in the previous line */
		const char *stop = text_find(at, end, " +0x");
		at++;
		if (stacktext_file_line(at, stop ? stop : end, &file_end, &line))
			go_frame(s, at, (size_t)(file_end - at), line);
		return true;
	}
	buf_reset(&s->held);
	buf_add(&s->held, at, (size_t)(end - at));
	return true;
}

const struct stacktext_grammar stacktext_go = {go_probe, go_line, go_end};
