/* charset.h - the character set of text that pnav prints: UTF-8, or what the locale says.
 *
 * Machines that people reach by ssh often lack the locale that LANG names, or name none, although
 * the terminal shows UTF-8. So pnav follows the name in the environment if the locale is missing,
 * and the browser may ask the terminal. */
#ifndef PNAV_SRC_CHARSET_H
#define PNAV_SRC_CHARSET_H

#include <stdbool.h>

/* Chooses the character type (LC_CTYPE) that the environment names. Call it once, first. */
void charset_begin(void);
/* Returns true if the environment names no character set: none of LC_ALL, LC_CTYPE and LANG is set,
 * or only LANG is, to C or POSIX. */
bool charset_is_open(void);
/* Switches to UTF-8. Returns false if the C library has no such locale. */
bool charset_widen(void);

#endif
