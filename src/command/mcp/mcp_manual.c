/* mcp_manual.c - the manual's pages as plain text.
 *
 * The browser formats pages for a screen (ui/part/mdoc.c).  Here the reader is a program: it needs
 * the words in their order and the sections, no columns.  So a macro line becomes its words. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/base/chars.h"
#include "src/command/manual.h"
#include "src/command/mcp/mcp_inside.h"

/* Macros that add no word, and macros that enclose their words. */
static const struct {
	const char name[4], *open, *close;
} macros[] = {
	{"Ar", "", ""},  {"Cm", "", ""},   {"Em", "", ""},   {"Fl", "-", ""},  {"Fn", "", ""},
	{"Ic", "", ""},  {"Li", "", ""},   {"No", "", ""},   {"Ns", "", ""},   {"Pa", "", ""},
	{"Sx", "", ""},  {"Sy", "", ""},   {"Ev", "", ""},   {"Xr", "", ""},   {"Nm", "pnav", ""},
	{"Op", "[", "]"}, {"Pq", "(", ")"}, {"Bq", "[", "]"}, {"Ql", "'", "'"}, {"Sq", "'", "'"},
	{"Dq", "\"", "\""}, {"Oo", "[", ""}, {"Oc", "]", ""}, {"Po", "(", ""}, {"Pc", ")", ""},
};
#define N_MACROS (sizeof macros / sizeof *macros)

static size_t
macro_named(const char *at, size_t len)
{
	size_t i = 0;

	while (i < N_MACROS && (len != 2 || strncmp(macros[i].name, at, 2)))
		i++;
	return i;
}

/* Appends a text without its escapes. */
static void
add_unescaped(struct buf *out, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (at[i] != '\\' || i + 1 == len) {
			buf_addc(out, at[i]);
			continue;
		}
		i++;
		if (at[i] == 'e')
			buf_addc(out, '\\');
		else if (at[i] == '-' || at[i] == ' ')
			buf_addc(out, at[i]);
		else if (at[i] == '(' && len - i > 2) {
			buf_adds(out, !strncmp(at + i + 1, "aq", 2)   ? "'"
				      : !strncmp(at + i + 1, "dq", 2) ? "\""
								      : "");
			i += 2;
		}
	}
}

static bool
mcp_begins(const char *at, const char *end, const char *macro)
{
	size_t len = strlen(macro);

	return begins_with(at, end, macro) && (at + len == end || at[len] == ' ');
}

/* Appends the words of a macro line. */
static void
add_macros(struct buf *out, const char *at, const char *end)
{
	const char *close = "";
	bool joins = true;

	while (at < end) {
		while (at < end && *at == ' ')
			at++;
		bool quote = at < end && *at == '"';
		const char *stop =
			memchr(at + quote, quote ? '"' : ' ', (size_t)(end - at - quote));
		stop = stop ? stop : end;
		size_t len = (size_t)(stop - at - quote), i = macro_named(at + quote, len);
		bool punctuates = len == 1 && strchr(".,:;)]?!", at[quote]);
		if (i < N_MACROS && !quote) {
			joins |= !strcmp(macros[i].name, "Ns");
			/* `.Nm pnav` has the name already */
			bool named =
				!strcmp(macros[i].name, "Nm") && mcp_begins(stop, end, " pnav");
			if (*macros[i].open && !named) {
				buf_adds(out, joins ? "" : " ");
				buf_adds(out, macros[i].open);
				joins = strcmp(macros[i].name, "Nm") != 0;
			}
			close = *macros[i].close ? macros[i].close : close;
		} else if (len) {
			if (punctuates)
				buf_adds(out, close);
			close = punctuates ? "" : close;
			buf_adds(out, joins || punctuates ? "" : " ");
			add_unescaped(out, at + quote, len);
			joins = false;
		}
		at = stop + (quote && stop < end);
	}
	buf_adds(out, close);
}

/* Appends a line of a page as text. Lines of a paragraph are joined, those of a display are not. */
static void
add_line(struct buf *out, bool display, const char *at, const char *end)
{
	static const char *const silent[] = {".Dd", ".Dt", ".Os", ".Sm", ".Nd"};
	static const char *const breaks[] = {".Pp", ".Bl", ".El", ".Bd", ".Ed"};
	bool macro = at < end && *at == '.';
	bool heading = mcp_begins(at, end, ".Sh") || mcp_begins(at, end, ".Ss");
	bool item = mcp_begins(at, end, ".It") || mcp_begins(at, end, ".Dl") ||
		    mcp_begins(at, end, ".D1");
	const char *last = out->len ? out->at + out->len - 1 : NULL;

	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		if (mcp_begins(at, end, silent[i]) || !strncmp(at, ".\\\"", 3))
			return;
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++)
		if (mcp_begins(at, end, breaks[i])) {
			buf_adds(out, last && *last != '\n' ? "\n" : "");
			return;
		}
	if (heading || item || display)
		buf_adds(out, last && *last != '\n' ? "\n" : "");
	else if (last && !strchr("\n ([", *last) && !mcp_begins(at, end, ".Ns"))
		buf_addc(out, ' ');
	buf_adds(out, heading ? "\n## " : item ? "* " : "");
	if (macro)
		add_macros(out, at + (heading || item ? 3 : 1), end);
	else
		add_unescaped(out, at, (size_t)(end - at));
	if (heading || item)
		buf_addc(out, '\n');
}

/* A request, and the place where the search is. */
struct look_up {
	const char *section, *search;
	struct buf *out;
	const char *page;
	struct buf heading, text; /* of the section, of the paragraph */
	bool inside; /* the section is wanted, */
	bool part;   /* ... a subsection alone */
	bool display; /* lines stay as they are */
	unsigned found;
};

/* Ends a paragraph: appends it if it has what is looked for. */
static void
end_paragraph(struct look_up *l)
{
	if (l->search && strcasestr(buf_str(&l->text), l->search)) {
		buf_addf(l->out, "[%s, %s]\n%s\n", l->page, buf_str(&l->heading),
			 buf_str(&l->text));
		l->found++;
	}
	buf_reset(&l->text);
}

static void
begin_section(struct look_up *l, const char *at, const char *end)
{
	bool whole = l->section && !strncasecmp(l->page, l->section, strlen(l->section)) &&
		     (!l->page[strlen(l->section)] || l->page[strlen(l->section)] == '.');
	const char *name = at + 3 + strspn(at + 3, " ");

	l->part = mcp_begins(at, end, ".Ss");
	buf_reset(&l->heading);
	add_unescaped(&l->heading, name, (size_t)(end - name));
	l->inside = whole || (l->section && !strcasecmp(buf_str(&l->heading), l->section));
	if (!l->section && !l->search)
		buf_addf(l->out, "%s: %s\n", l->page, buf_str(&l->heading));
	else if (l->inside && !whole)
		buf_addf(l->out, "%s\n", l->page);
	l->found += l->inside;
}

static void
look_through(struct look_up *l, const char *at, size_t len)
{
	for (const char *all = at + len, *end; at < all; at = end + 1) {
		end = memchr(at, '\n', (size_t)(all - at));
		end = end ? end : all;
		bool section = mcp_begins(at, end, ".Sh");
		/* a subsection of a section that is not wanted may be wanted */
		bool part = mcp_begins(at, end, ".Ss") &&
			    (!l->inside || l->part || l->search || !l->section);
		l->display =
			(l->display || mcp_begins(at, end, ".Bd")) && !mcp_begins(at, end, ".Ed");
		if (section || part || mcp_begins(at, end, ".Pp") || mcp_begins(at, end, ".It"))
			end_paragraph(l);
		if (section || part)
			begin_section(l, at, end);
		if (l->inside)
			add_line(l->out, l->display, at, end);
		else if (l->search)
			add_line(&l->text, l->display, at, end);
	}
	end_paragraph(l);
}

bool
mcp_manual(const char *section, const char *search, struct buf *out, struct err *e)
{
	struct look_up l = {.section = section, .search = section ? NULL : search, .out = out};
	struct buf page = BUF_INIT;
	bool any = false;

	for (size_t i = 0; manual_pages[i]; i++) {
		buf_reset(&page);
		if (!manual_page(manual_pages[i], &page))
			continue;
		any = true;
		l.page = manual_pages[i];
		l.inside = false;
		buf_reset(&l.heading);
		look_through(&l, buf_str(&page), page.len);
	}
	buf_release(&page);
	buf_release(&l.heading);
	buf_release(&l.text);
	if (!any)
		return err_usage(e, "the manual is not installed");
	if ((section || search) && !l.found)
		return err_usage(e, "the manual has no '%s'; without arguments this tool lists its "
				    "sections", section ? section : search);
	return true;
}
