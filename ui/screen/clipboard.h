/* clipboard.h - what tells a terminal to take a text into its clipboard: OSC 52. */
#ifndef PNAV_UI_SCREEN_CLIPBOARD_H
#define PNAV_UI_SCREEN_CLIPBOARD_H

#include "model/base/buf.h"

/* Appends the sequence; any bytes may be in the text. */
void clipboard_write(struct buf *out, const char *text, size_t len);

#endif
