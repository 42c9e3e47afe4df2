/* Short names come from the text of the addresses, as the user wrote it, so a moment stays
 * relative. */
#include "src/store/shortname.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/store/storeurl.h"

enum shortname_part { SHORT_TABLES, SHORT_SERVICE, SHORT_LABEL, SHORT_HOST, SHORT_FROM, SHORT_TO,
		      SHORT_PARTS };
static const char *const short_names[SHORT_PARTS] = {
	[SHORT_TABLES] = "tables", [SHORT_SERVICE] = "service", [SHORT_LABEL] = "label",
	[SHORT_HOST] = "host",	   [SHORT_FROM] = "from",	[SHORT_TO] = "to"};

static void
short_decode(const char *at, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		char digits[3] = "";
		if (at[i] == '%' && i + 2 < len) {
			memcpy(digits, at + i + 1, 2);
			if (strspn(digits, "0123456789abcdefABCDEF") == 2) {
				buf_addc(out, (char)strtoul(digits, NULL, 16));
				i += 2;
				continue;
			}
		}
		buf_addc(out, at[i]);
	}
}

/* Appends all values of a parameter, or the default of `tables`; a label's key and value are
 * separate words. */
static void
short_values(const char *url, enum shortname_part part, struct buf *out)
{
	size_t begin = out->len, name = strlen(short_names[part]);

	for (const char *p = url + strcspn(url, "?"); *p; p += strcspn(p, "&")) {
		p++;
		size_t len = strcspn(p, "&");
		if (len <= name || memcmp(p, short_names[part], name) || p[name] != '=')
			continue;
		buf_adds(out, out->len > begin ? " " : "");
		size_t was = out->len;
		short_decode(p + name + 1, len - name - 1, out);
		char *colon = out->len > was ? memchr(out->at + was, ':', out->len - was) : NULL;
		if (colon && part == SHORT_LABEL)
			*colon = ' ';
	}
	if (part == SHORT_TABLES && out->len == begin)
		buf_adds(out, STORE_TABLES_USUAL);
}

static bool
short_shared(const char *const *url, size_t n, enum shortname_part part)
{
	struct buf first = BUF_INIT, other = BUF_INIT;
	bool same = true;

	short_values(url[0], part, &first);
	for (size_t i = 1; i < n && same; i++) {
		buf_reset(&other);
		short_values(url[i], part, &other);
		same = !strcmp(buf_str(&first), buf_str(&other));
	}
	buf_release_all(&first, &other);
	return same;
}

/* Appends a moment without a zone and zero seconds; without the day if it is `day`. */
static void
short_moment(const char *text, const char *day, struct buf *out)
{
	const char *t = strchr(text, 'T');
	size_t date = t ? (size_t)(t - text) + 1 : 0;

	if (date && day && !strncmp(text, day, date))
		text += date;
	size_t len = strlen(text);
	if (t && len && text[len - 1] == 'Z')
		len--;
	if (t && len > 6 && !memcmp(text + len - 3, ":00", 3) && text[len - 6] == ':')
		len -= 3;
	buf_add(out, text, len);
}

static void
short_range(const char *url, struct buf *out)
{
	struct buf from = BUF_INIT, to = BUF_INIT;

	short_values(url, SHORT_FROM, &from);
	short_values(url, SHORT_TO, &to);
	short_moment(buf_str(&from), NULL, out);
	if (from.len + to.len)
		buf_adds(out, "..");
	short_moment(buf_str(&to), buf_str(&from), out);
	buf_release_all(&from, &to);
}

/* Appends the database; the host if there is none.  Values of parameters may have a `/`. */
static void
short_database(const char *url, struct buf *out)
{
	struct buf address = BUF_INIT;

	buf_add(&address, url, strcspn(url, "?"));
	buf_adds(out, base_name(buf_str(&address)));
	buf_release(&address);
}

void
shortname_common(const char *const *url, size_t n, struct buf *out)
{
	if (short_shared(url, n, SHORT_SERVICE))
		short_values(url[0], SHORT_SERVICE, out);
}

void
shortname_own(const char *const *url, size_t n, size_t i, struct buf *out)
{
	bool range = !short_shared(url, n, SHORT_FROM) || !short_shared(url, n, SHORT_TO);
	size_t begin = out->len;
	bool differs = range;

	for (enum shortname_part part = 0; part < SHORT_FROM; part++) {
		struct buf own = BUF_INIT;
		if (!short_shared(url, n, part)) {
			short_values(url[i], part, &own);
			differs = true;
		}
		if (own.len)
			buf_addf(out, "%s%s", out->len > begin ? " " : "", buf_str(&own));
		buf_release(&own);
	}
	if (range) {
		struct buf own = BUF_INIT;
		short_range(url[i], &own);
		if (own.len)
			buf_addf(out, "%s%s", out->len > begin ? " " : "", buf_str(&own));
		buf_release(&own);
	}
	if (!differs)
		short_database(url[i], out);
	else if (out->len == begin)
		buf_adds(out, "all");
}
