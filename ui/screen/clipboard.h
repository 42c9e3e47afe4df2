/* clipboard.h - the sequence that copies a text to the terminal's clipboard: OSC 52. */
#ifndef PNAV_UI_SCREEN_CLIPBOARD_H
#define PNAV_UI_SCREEN_CLIPBOARD_H

#include "model/base/buf.h"

/* Appends the sequence; the text may contain any bytes. */
void clipboard_write(struct buf *out, const char *text, size_t len);

#endif
