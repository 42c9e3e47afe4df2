#include "model/base/escape.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/utf8.h"

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
		buf_add_utf8(out, c);
	}
}

void
escape_bytes(struct buf *out, const char *at, size_t len, bool dos)
{
	const unsigned char *p = (const unsigned char *)at;
	bool utf8 = utf8_is_valid(at, len);
	size_t plain = 0; /* bytes before i that are copied unchanged */

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

/* Controls, and those characters of Unicode's Cf, Zl, Zp and Default_Ignorable_Code_Point that
 * get no column on a terminal. Combining marks are visible, so they stay. */
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
escape_hides(uint32_t ch)
{
	if (ch >= 0x20 && ch < 0x7F)
		return false;
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden && ch >= hidden[i].from; i++)
		if (ch <= hidden[i].to)
			return true;
	return false;
}

/* Appends one sequence, or one invalid byte; returns how many bytes that were. */
static size_t
show_one(struct buf *out, const unsigned char *at, size_t len)
{
	size_t n = utf8_length(at, len);
	uint32_t ch = n ? utf8_char(at, n) : 0;

	if (!n || (n == 1 && escape_hides(ch))) {
		buf_addf(out, "\\x%02x", at[0]);
		return 1;
	}
	if (escape_hides(ch))
		buf_addf(out, "\\u{%" PRIx32 "}", ch);
	else
		buf_add(out, at, n);
	return n;
}

void
escape_shown(struct buf *out, const char *at, size_t len, bool dos)
{
	const unsigned char *p = (const unsigned char *)at;

	if (dos && !utf8_is_valid(at, len)) {
		escape_bytes(out, at, len, true);
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
escape_quoted(struct buf *out, const char *text)
{
	buf_adds(out, "$'");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '\'' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7F)
			buf_addf(out, "\\%03o", c); /* \x would include digits that follow */
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

void
escape_shell_word(struct buf *out, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-./:=%+,@";
	struct buf shown = BUF_INIT;
	size_t len = strlen(text);

	escape_shown(&shown, text, len, false);
	bool acts = shown.len != len;
	buf_release(&shown);
	/* some shells look up a program if a word begins with = */
	if (len && *text != '=' && strspn(text, plain) == len) {
		buf_add(out, text, len);
		return;
	}
	if (acts) {
		escape_quoted(out, text);
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
