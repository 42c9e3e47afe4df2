/* keycode.h - keys: the number in events, and the word in scripts and in the manual. */
#ifndef PNAV_UI_SCREEN_KEYCODE_H
#define PNAV_UI_SCREEN_KEYCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"

/* A key is a character (control characters as themselves) or one of these. */
enum keycode {
	KEYCODE_TAB = 9,
	KEYCODE_ENTER = 13,
	KEYCODE_ESC = 27,
	KEYCODE_SPACE = 32,
	KEYCODE_BACKSPACE = 127,
	KEYCODE_UP = 0x200000,
	KEYCODE_DOWN,
	KEYCODE_LEFT,
	KEYCODE_RIGHT,
	KEYCODE_SHIFT_LEFT,
	KEYCODE_SHIFT_RIGHT,
	KEYCODE_SHIFT_TAB,
	KEYCODE_HOME,
	KEYCODE_END,
	KEYCODE_PAGE_UP,
	KEYCODE_PAGE_DOWN,
	KEYCODE_INSERT,
	KEYCODE_DELETE,
	KEYCODE_F1,
	KEYCODE_F12 = KEYCODE_F1 + 11,
};
#define KEYCODE_CTRL(c) ((uint32_t)(c)&0x1Fu)

/* Parses "Enter", "^R", "F1", "é". Returns false if there is no such key. */
bool key_parse(const char *text, size_t len, uint32_t *key);
void key_write(uint32_t key, struct buf *out);
/* Reads the next word of a script of keys, separated by blanks, and advances *at: the name of a
 * key, or, with `typed`, the inside of a quoted text. Returns false at the end. For an unclosed
 * quote, `word` is NULL and *at stays. */
bool key_script_word(const char **at, const char **word, size_t *len, bool *typed);

#endif
