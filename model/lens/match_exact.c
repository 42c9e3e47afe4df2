/* match_exact.c - the pattern of a name.
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
