#include "model/profile/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/utf8.h"

/* Everything that users read passes here, so that 812 ms is 812 ms in every view. */

void
human_count(struct buf *out, int64_t v)
{
	char digits[32];
	int n = snprintf(digits, sizeof digits, "%" PRIu64,
			 v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

	if (v < 0)
		buf_addc(out, '-');
	for (int i = 0; i < n; i++) {
		buf_addc(out, digits[i]);
		if (i + 1 < n && (n - i - 1) % 3 == 0)
			buf_addc(out, ',');
	}
}

/* Three significant digits of v / scale. */
static void
human_scaled(struct buf *out, double v, const char *unit)
{
	double size = v < 0 ? -v : v;

	buf_addf(out, "%.*f %s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, v, unit);
}

struct scale {
	double size;
	const char *unit;
};

static void
human_scales(struct buf *out, int64_t v, const struct scale *scales)
{
	double size = v < 0 ? -(double)v : (double)v;

	for (; scales->unit; scales++)
		if (size >= scales->size * 0.9995) {
			human_scaled(out, (double)v / scales->size, scales->unit);
			return;
		}
	human_count(out, v);
}

static const struct scale bytes_scales[] = {
	{1024.0 * 1024 * 1024 * 1024, "TiB"},
	{1024.0 * 1024 * 1024, "GiB"},
	{1024.0 * 1024, "MiB"},
	{1024.0, "KiB"},
	{0, NULL},
};

static const struct scale count_scales[] = {
	{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {0, NULL},
};

static const struct scale ns_scales[] = {
	{1e9, "s"},
	{1e6, "ms"},
	{1e3, "µs"},
	{0, NULL},
};

static void
human_ns(struct buf *out, int64_t v)
{
	double size = v < 0 ? -(double)v : (double)v;

	if (size >= 999.5e9) {
		int64_t s = v / 1000000000, rest = v % 1000000000;
		human_count(out, s + (rest >= 500000000) - (rest <= -500000000));
		buf_adds(out, " s");
	} else if (size < 999.5)
		buf_addf(out, "%" PRId64 " ns", v);
	else
		human_scales(out, v, ns_scales);
}

#define MILLION 1000000

void
human_value(struct buf *out, int64_t v, const struct metric *m)
{
	if (m->decimals) {
		double value = (double)v / 1e6;
		/* three digits say enough; from a thousand on all before the point */
		if (value < 999.5 && value > -999.5)
			buf_addf(out, "%.3g", value);
		else
			human_count(out, v / MILLION +
						 (v % MILLION + (v < 0 ? -MILLION : MILLION) / 2) /
							 MILLION);
		return;
	}
	switch ((enum unit)m->unit) {
	case UNIT_NS:
		human_ns(out, v);
		return;
	case UNIT_BYTES:
		human_scales(out, v, bytes_scales);
		if (v < 1024 && v > -1024)
			buf_adds(out, " B");
		return;
	case UNIT_SAMPLES:
	case UNIT_OPS:
	case UNIT_CALLS:
	case UNIT_ENTRIES:
	case UNIT_COUNT:
		if (v < 100000000 && v > -100000000)
			human_count(out, v);
		else
			human_scales(out, v, count_scales);
		return;
	}
}

void
human_time(struct buf *out, int64_t v, enum unit axis)
{
	if (axis != UNIT_NS) {
		human_count(out, v);
		return;
	}
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	if (size >= 1000000000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " s", v < 0 ? "-" : "",
			 size / 1000000000, size % 1000000000 / 1000000);
	else if (size >= 1000000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " ms", v < 0 ? "-" : "",
			 size / 1000000, size % 1000000 / 1000);
	else if (size >= 1000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " µs", v < 0 ? "-" : "",
			 size / 1000, size % 1000);
	else
		buf_addf(out, "%" PRId64 " ns", v);
}

void
human_share(struct buf *out, int64_t part, int64_t whole)
{
	if (whole)
		buf_addf(out, "%.1f %%", 100.0 * (double)part / (double)whole);
}

void
human_plain(struct buf *out, int64_t v, unsigned decimals)
{
	if (!decimals) {
		buf_addf(out, "%" PRId64, v);
		return;
	}
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	buf_addf(out, "%s%" PRIu64 ".%06" PRIu64, v < 0 ? "-" : "", size / 1000000,
		 size % 1000000);
	while (out->at[out->len - 1] == '0')
		out->len--;
	if (out->at[out->len - 1] == '.')
		out->len--;
	out->at[out->len] = '\0';
}

void
human_real(struct buf *out, double v)
{
	char text[40];

	if (!isfinite(v)) {
		buf_adds(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_adds(out, text);
}

void
human_line(struct buf *out, struct line line)
{
	switch ((enum line_form)line.form) {
	case LINE_UNKNOWN:
		return;
	case LINE_PLAIN:
		buf_addf(out, "%" PRIu32, line.number);
		return;
	case LINE_CLAUSE:
		buf_addf(out, "%" PRIu32 ".%u", line.number, line.clause);
		return;
	}
}

/* ---- bytes ---- */

bool
human_is_utf8(const char *at, size_t len)
{
	const unsigned char *p = (const unsigned char *)at;

	for (size_t i = 0, n; i < len; i += n) {
		uint64_t eight;
		n = 8; /* most names are ASCII */
		if (len - i >= n && (memcpy(&eight, p + i, n),
				     !(eight & UINT64_C(0x8080808080808080))))
			continue;
		if (!(n = utf8_length(p + i, len - i)))
			return false;
	}
	return true;
}

/* The upper half of code page 437, as UTF-8. */
static const char cp437[128][4] = {
	"Ç", "ü", "é", "â", "ä", "à", "å", "ç", "ê", "ë", "è", "ï", "î", "ì", "Ä", "Å",
	"É", "æ", "Æ", "ô", "ö", "ò", "û", "ù", "ÿ", "Ö", "Ü", "¢", "£", "¥", "₧", "ƒ",
	"á", "í", "ó", "ú", "ñ", "Ñ", "ª", "º", "¿", "⌐", "¬", "½", "¼", "¡", "«", "»",
	"░", "▒", "▓", "│", "┤", "╡", "╢", "╖", "╕", "╣", "║", "╗", "╝", "╜", "╛", "┐",
	"└", "┴", "┬", "├", "─", "┼", "╞", "╟", "╚", "╔", "╩", "╦", "╠", "═", "╬", "╧",
	"╨", "╤", "╥", "╙", "╘", "╒", "╓", "╫", "╪", "┘", "┌", "█", "▄", "▌", "▐", "▀",
	"α", "ß", "Γ", "π", "Σ", "σ", "µ", "τ", "Φ", "Θ", "Ω", "δ", "∞", "φ", "ε", "∩",
	"≡", "±", "≥", "≤", "⌠", "⌡", "÷", "≈", "°", "∙", "·", "√", "ⁿ", "²", "■", "\u00A0",
};

static void
add_high_byte(struct buf *out, unsigned char c, bool dos)
{
	if (dos) {
		buf_adds(out, cp437[c - 0x80]);
	} else if (c < 0xA0) { /* C1 controls */
		buf_addf(out, "\\x%02x", c);
	} else {
		char bytes[4];
		buf_add(out, bytes, utf8_put(c, bytes));
	}
}

void
human_bytes(struct buf *out, const char *at, size_t len, bool dos)
{
	const unsigned char *p = (const unsigned char *)at;
	bool utf8 = human_is_utf8(at, len);
	size_t plain = 0; /* bytes before i that pass as they are */

	for (size_t i = 0; i < len; i++) {
		bool c1 = utf8 && p[i] == 0xC2 && p[i + 1] < 0xA0;
		if (p[i] >= 0x20 && p[i] != 0x7F && (p[i] < 0x80 || utf8) && !c1) {
			plain++;
			continue;
		}
		buf_add(out, p + i - plain, plain);
		plain = 0;
		if (c1)
			buf_addf(out, "\\x%02x", p[++i]);
		else if (p[i] < 0x80)
			buf_addf(out, "\\x%02x", p[i]);
		else
			add_high_byte(out, p[i], dos);
	}
	buf_add(out, p + len - plain, plain);
}

/* ---- bytes on a screen ---- */

/* Controls, and from Unicode's Cf, Zl, Zp and Default_Ignorable_Code_Point what a terminal
 * gives no column of its own.  Combining marks are seen, and stay. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{0x00, 0x1F},       {0x7F, 0x9F},     {0xAD, 0xAD},       {0x34F, 0x34F},
	{0x61C, 0x61C},     {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},
	{0x200B, 0x200F},   {0x2028, 0x202E}, {0x2060, 0x206F},   {0x3164, 0x3164},
	{0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
	{0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool
human_hides(uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7F)
		return false;
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden && ch >= hidden[i].from; i++)
		if (ch <= hidden[i].to)
			return true;
	return false;
}

/* One sequence, or one byte that is none; gives how many bytes that were. */
static size_t
show_one(struct buf *out, const unsigned char *at, size_t len)
{
	size_t n = utf8_length(at, len);
	uint32_t ch = n ? utf8_char(at, n) : 0;

	if (!n || (n == 1 && human_hides(ch))) {
		buf_addf(out, "\\x%02x", at[0]);
		return 1;
	}
	if (human_hides(ch))
		buf_addf(out, "\\u{%" PRIx32 "}", ch);
	else
		buf_add(out, at, n);
	return n;
}

void
human_shown(struct buf *out, const char *at, size_t len, bool dos)
{
	const unsigned char *p = (const unsigned char *)at;

	if (dos && !human_is_utf8(at, len)) {
		human_bytes(out, at, len, true);
		return;
	}
	for (size_t i = 0; i < len;) {
		size_t plain = i;
		while (plain < len && p[plain] >= 0x20 && p[plain] < 0x7F)
			plain++;
		buf_add(out, p + i, plain - i);
		i = plain;
		if (i < len)
			i += show_one(out, p + i, len - i);
	}
}

/* ---- words for a shell ---- */

void
human_quoted(struct buf *out, const char *text)
{
	buf_adds(out, "$'");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '\'' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7F)
			buf_addf(out, "\\%03o", c); /* \x would take digits that follow */
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

void
human_shell_word(struct buf *out, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-./:=%+,@";
	struct buf shown = BUF_INIT;
	size_t len = strlen(text);

	human_shown(&shown, text, len, false);
	bool acts = shown.len != len;
	buf_release(&shown);
	/* some shells look for a program where a word begins with = */
	if (len && *text != '=' && strspn(text, plain) == len) {
		buf_add(out, text, len);
		return;
	}
	if (acts) {
		human_quoted(out, text);
		return;
	}
	buf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}
