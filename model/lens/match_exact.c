/* match_exact.c - writes patterns: of a name, and expressions in one line.
 *
 * Such patterns go into command lines, filter files and sessions, so they hold no control
 * characters. */
#include "model/lens/match.h"

#include "model/base/buf.h"

void
pattern_exact(struct buf *out, enum subject subject, const char *at, size_t len)
{
	bool plain = true;

	for (size_t i = 0; i < len; i++)
		plain &= (unsigned char)at[i] >= 0x20 && at[i] != 0x7F;
	/* omit the default subject: before `=` nothing of the name can be parsed as a subject or
	 * a `!` */
	if (subject != SUBJECT_FN)
		buf_addf(out, "%s:", subject_name(subject));
	if (plain) {
		buf_addc(out, '=');
		buf_add(out, at, len);
		return;
	}
	buf_adds(out, "(?-i)\\A");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)at[i];
		if (c < 0x20 || c == 0x7F)
			buf_addf(out, "\\x%02x", c);
		else if (c < 0x80 && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				       (c >= 'A' && c <= 'Z') || c == '_'))
			buf_addf(out, "\\%c", c);
		else
			buf_addc(out, (char)c);
	}
	buf_adds(out, "\\z");
}

/* Appends one byte of RE that a line cannot hold, as an escape; the backslash may already be
 * there. */
static void
add_escaped(struct buf *out, char c, bool quoted, bool behind_backslash)
{
	buf_addf(out, "%s%sx%02x%s", quoted ? "\\E" : "", behind_backslash ? "" : "\\",
		 (unsigned char)c, quoted ? "\\Q" : "");
}

void
pattern_write_expression(struct buf *out, const char *at, size_t len)
{
	bool quoted = false; /* between \Q and \E */

	if (!len)
		buf_adds(out, "(?:)");
	for (size_t i = 0; i < len; i++) {
		bool escape = at[i] == '\\' && i + 1 < len;
		if (at[i] == '\n' || at[i] == '\r' ||
		    (!out->len && (at[i] == ' ' || at[i] == '\t'))) {
			add_escaped(out, at[i], quoted, false);
			continue;
		}
		buf_addc(out, at[i]);
		if (!escape || (quoted && at[i + 1] != 'E'))
			continue;
		quoted = at[++i] == 'Q' || (quoted && at[i] != 'E');
		if (at[i] == '\n' || at[i] == '\r')
			add_escaped(out, at[i], false, true);
		else
			buf_addc(out, at[i]);
	}
}
