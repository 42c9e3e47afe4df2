#include "src/decode/stacks/stacktext.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* Frames whose parts only their brackets tell: those of debuggers, which print the names and
 * arguments of C++, and those of Java. */

/* ---- debuggers ---- */

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
		} else if (*c == '<' || (*c == '(' && (depth || c == at || !is_blank(c[-1]) ||
						       begins_with(c, end, "(anonymous ")))) {
			depth++;
		} else if (*c == '>' || *c == ')') {
			depth -= depth > 0;
		} else if (*c == '(') {
			return c - 1;
		}
	}
	return end;
}

/* Returns where lldb's arguments begin, which have values: `(n=1)`. Without debug information
 * it prints their types, which are a part of the name. */
static const char *
native_values(const char *at, const char *end)
{
	for (const char *c = at; (c = text_find(c, end, "(")) != NULL; c++) {
		if (begins_with(c, end, "((null)=") || (c + 2 == end && c[1] == ')'))
			return c;
		const char *stop = c + 1;
		while (stop < end && !strchr("=,()<", *stop))
			stop++;
		if (stop < end && *stop == '=')
			return c;
	}
	return end;
}

/* The parts of a frame of a debugger. */
struct native_frame {
	struct text_cell address, name, file, module;
	uint32_t line;
};

/* Returns where ` + 0x33)` begins at the end of a text, behind the name of a module; NULL: there is
 * none. */
static const char *
module_offset(const char *at, const char *end)
{
	const char *where = text_find_last(at, end, " + 0x"), *c = where ? where + 5 : end;

	while (c < end && hex_digit(*c) < 16)
		c++;
	return c + 1 == end && *c == ')' && !begins_with(at, end, " (n/a ") ? where : NULL;
}

/* Parses what follows a name, and moves the name's end before it: ` at FILE:LINE:COLUMN`,
 * ` from LIBRARY` of gdb, ` (LIBRARY + 0x33)` of coredumpctl, ` - LIBRARY` of eu-stack, ` + 33`
 * of lldb. `args` are gdb's arguments or what else is in parentheses, or the end. */
static void
native_place(struct native_frame *f, const char *args, const char *end)
{
	const char *from = args < end ? args : f->name.at, *where;

	f->name.end = end;
	if ((where = text_find_last(from, end, " at ")) != NULL) {
		const char *stop = end;
		uint32_t column;
		f->file.at = where + 4;
		if (stacktext_file_line(f->file.at, end, &stop, &column) &&
		    stacktext_file_line(f->file.at, stop, &f->file.end, &f->line))
			f->name.end = where;
		else if (stacktext_file_line(f->file.at, end, &f->file.end, &f->line))
			f->name.end = where;
		else
			f->file = (struct text_cell){0};
	}
	if (args < end) {
		f->name.end = args;
		if (!f->file.at && (where = text_find_last(args, end, ") from ")) != NULL)
			f->module = (struct text_cell){where + 7, end};
		else if (!f->file.at && (where = module_offset(args, end)) != NULL)
			f->module = (struct text_cell){args + 2, where};
	} else if ((where = text_find_last(f->name.at, f->name.end, " - ")) != NULL) {
		f->module = (struct text_cell){where + 3, f->name.end};
		f->name.end = where;
	} else if ((where = text_find_last(f->name.at, f->name.end, " + ")) != NULL) {
		f->name.end = where;
	}
}

/* Parses a frame behind its number:
 *
 *	0x12 in f (a=1) at io.c:5                gdb, without an address in inlined code
 *	0x12 f (libc.so.6 + 0x33)                coredumpctl; `n/a` without a name
 *	0x12 - 1 f - /lib/libc.so.6 at io.c:5:1  eu-stack
 *	0x12 shop`main [inlined] f(a=1) at io.c:5:1 [opt]   lldb */
static struct native_frame
native_parse(const char *at, const char *end)
{
	static const char *const marks[] = {" [opt]", " [artificial]"};
	struct native_frame f = {.name = {at, end}};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (end - at > (ptrdiff_t)strlen(marks[i]) &&
		    begins_with(end - strlen(marks[i]), end, marks[i]))
			end -= strlen(marks[i]);
	if (begins_with(at, end, "0x")) {
		f.address = (struct text_cell){at, word_end(at, end)};
		at = skip_blanks(f.address.end, end);
		at += begins_with(at, end, "in ") ? 3 : begins_with(at, end, "- 1 ") ? 4 : 0;
	}
	f.name.at = at;
	const char *args = arguments_of(at, end);
	native_place(&f, args, end);
	const char *tick = memchr(at, '`', (size_t)(f.name.end - at)), *inlined;
	if (tick && !memchr(at, '(', (size_t)(tick - at))) {
		f.module = (struct text_cell){at, tick};
		f.name.at = tick + 1;
		if ((inlined = text_find_last(tick, f.name.end, " [inlined] ")) != NULL)
			f.name.at = inlined + 11;
		if (f.file.at)
			f.name.end = native_values(f.name.at, f.name.end);
	}
	return f;
}

/* Sets the name to the address, without leading zeros. */
static void
native_address(struct native_frame *f, char text[2 + 16])
{
	const char *at = f->address.at + 2;

	while (at + 1 < f->address.end && *at == '0')
		at++;
	size_t digits = (size_t)(f->address.end - at);
	digits = digits < 16 ? digits : 16;
	memcpy(text, "0x", 2);
	memcpy(text + 2, at, digits);
	f->name = (struct text_cell){text, text + 2 + digits};
}

void
stacktext_native(struct stacktext *s)
{
	if (!s->held.len)
		return;
	struct native_frame f = native_parse(buf_str(&s->held), buf_str(&s->held) + s->held.len);
	size_t len = (size_t)(f.name.end - f.name.at);
	enum kind kind = len && *f.name.at == '<' ? KIND_SYSTEM : kind_of_name(f.name.at, len);
	char text[2 + 16];

	if (f.address.at && (!len || is_key(f.name.at, len, "??") ||
			     is_key(f.name.at, len, "n/a"))) {
		native_address(&f, text);
		len = (size_t)(f.name.end - f.name.at);
		kind = KIND_USER;
	}
	stacktext_frame(s, f.name.at, len, f.file.at, (size_t)(f.file.end - f.file.at),
			f.module.at, (size_t)(f.module.end - f.module.at), f.line, kind);
	buf_reset(&s->held);
}

/* Returns true if the list of arguments continues in the next line. Brackets in strings, "a (b",
 * and in single characters, 40 '(', are none. */
static bool
is_open(struct stacktext *s)
{
	struct stacktext_debugger *d = &s->debugger;
	const char *text = buf_str(&s->held);

	if (!d->read) {
		d->depth = 0;
		d->quoted = false;
	}
	for (; d->read < s->held.len; d->read++) {
		char c = text[d->read];
		bool lone = d->read && text[d->read - 1] == '\'' && text[d->read + 1] == '\'';
		if (d->quoted && c == '\\' && d->read + 1 < s->held.len)
			d->read++;
		else if (c == '"')
			d->quoted = !d->quoted;
		else if (!d->quoted && !lone)
			d->depth += (c == '(') - (c == ')');
	}
	return d->depth > 0;
}

#define HELD_MAX 65536u

void
stacktext_native_more(struct stacktext *s, const char *at, const char *end)
{
	const char *stop;
	uint32_t line;

	if (!s->held.len || s->held.len > HELD_MAX)
		return;
	if (stacktext_file_line(at, end, &stop, &line) && !memchr(at, ' ', (size_t)(end - at)) &&
	    stacktext_file_line(at, stop, &stop, &line))
		buf_adds(&s->held, " at "); /* the place of a frame of eu-stack */
	else if (is_open(s) || begins_with(at, end, "at ") || begins_with(at, end, "from "))
		buf_addc(&s->held, ' ');
	else
		return;
	buf_add(&s->held, at, (size_t)(end - at));
}

/* ---- calls with arguments ---- */

const char *
stacktext_call_end(const char *at, const char *end)
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

/* ---- Java ---- */

/* Skips `loader/module@version/`; returns where the following text begins. */
static const char *
java_module(const char *at, const char *end, struct text_cell *module)
{
	const char *slash;

	/* a hidden class has a slash in its name, too, before a number */
	while (at < end && (slash = memchr(at, '/', (size_t)(end - at))) != NULL &&
	       slash + 1 < end && !is_digit(slash[1])) {
		*module = (struct text_cell){at, slash};
		at = slash + 1;
	}
	return at;
}

void
stacktext_java(struct stacktext *s, const char *at, const char *end)
{
	const char *open = at < end ? memchr(at, '(', (size_t)(end - at)) : NULL;
	const char *name_end = open ? open : end, *file = end, *file_end = end;
	struct text_cell module = {at, at};
	uint32_t line = 0;
	bool native = false;

	at = java_module(at, name_end, &module);
	if (open && end[-1] == ')') {
		const char *close = end - 1;
		const char *place = java_module(open + 1, close, &module);
		native = begins_with(place, close, "Native Method") ||
			 begins_with(place, close, "Native method");
		if (native || begins_with(place, close, "Unknown Source"))
			place = close;
		else if (!stacktext_file_line(place, close, &file_end, &line))
			file_end = close;
		file = place < close ? place : file_end;
	}
	stacktext_frame(s, at, (size_t)(name_end - at), file, (size_t)(file_end - file), module.at,
			(size_t)(module.end - module.at), line, native ? KIND_SYSTEM : KIND_USER);
}
