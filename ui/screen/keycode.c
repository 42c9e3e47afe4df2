/* keycode.c - see keycode.h.
 *
 * Key scripts, pnavrc, the help and the defaults share one notation and so one parser. */
#include "ui/screen/keycode.h"

#include <string.h>

#include "ui/screen/text.h"

static const struct {
	const char *name;
	uint32_t key;
} key_names[] = {
	{"Enter", KEYCODE_ENTER},
	{"Esc", KEYCODE_ESC},
	{"Tab", KEYCODE_TAB},
	{"Space", KEYCODE_SPACE},
	{"Backspace", KEYCODE_BACKSPACE},
	{"Up", KEYCODE_UP},
	{"Down", KEYCODE_DOWN},
	{"Left", KEYCODE_LEFT},
	{"Right", KEYCODE_RIGHT},
	{"S-Left", KEYCODE_SHIFT_LEFT},
	{"S-Right", KEYCODE_SHIFT_RIGHT},
	{"S-Tab", KEYCODE_SHIFT_TAB},
	{"Home", KEYCODE_HOME},
	{"End", KEYCODE_END},
	{"PgUp", KEYCODE_PAGE_UP},
	{"PgDn", KEYCODE_PAGE_DOWN},
	{"Insert", KEYCODE_INSERT},
	{"Delete", KEYCODE_DELETE},
	{"F1", KEYCODE_F1},
	{"F2", KEYCODE_F1 + 1},
	{"F3", KEYCODE_F1 + 2},
	{"F4", KEYCODE_F1 + 3},
	{"F5", KEYCODE_F1 + 4},
	{"F6", KEYCODE_F1 + 5},
	{"F7", KEYCODE_F1 + 6},
	{"F8", KEYCODE_F1 + 7},
	{"F9", KEYCODE_F1 + 8},
	{"F10", KEYCODE_F1 + 9},
	{"F11", KEYCODE_F1 + 10},
	{"F12", KEYCODE_F12},
};
#define KEY_NAMES (sizeof key_names / sizeof *key_names)

bool
key_parse(const char *text, size_t len, uint32_t *key)
{
	for (size_t i = 0; i < KEY_NAMES; i++)
		if (strlen(key_names[i].name) == len &&
		    !memcmp(key_names[i].name, text, len)) {
			*key = key_names[i].key;
			return true;
		}
	if (len == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= '_') {
		*key = KEYCODE_CTRL(text[1]);
		return true;
	}
	if (!len)
		return false;
	const char *at = text, *end = text + len;
	uint32_t ch = text_next(&at, end);
	if (at != end || ch < 0x20 || (ch == TEXT_BAD && len == 1))
		return false;
	*key = ch;
	return true;
}

bool
key_script_word(const char **at, const char **word, size_t *len, bool *typed)
{
	*at += strspn(*at, " \t\n");
	if (!**at)
		return false;
	*word = *at;
	*len = strcspn(*at, " \t\n");
	/* A lone quote is the key itself; text after it makes it typed text. */
	*typed = (**at == '\'' || **at == '"') && *len > 1;
	if (!*typed) {
		*at += *len;
		return true;
	}
	const char *close = strchr(*at + 1, **at);
	*word = close ? *at + 1 : NULL;
	*len = close ? (size_t)(close - *at - 1) : 0;
	*at = close ? close + 1 : *at;
	return true;
}

void
key_write(uint32_t key, struct buf *out)
{
	for (size_t i = 0; i < KEY_NAMES; i++)
		if (key_names[i].key == key) {
			buf_adds(out, key_names[i].name);
			return;
		}
	if (key < 0x20)
		buf_addf(out, "^%c", (int)key + '@');
	else
		text_add(out, key);
}
