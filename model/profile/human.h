/* human.h - numbers and times as people read them, and back.
 * All append to a buf; none depends on a locale. */
#ifndef PNAV_MODEL_HUMAN_H
#define PNAV_MODEL_HUMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/profile/frames.h"
#include "model/profile/metrics.h"

/* 48210 -> "48,210" */
void human_count(struct buf *out, int64_t v);
/* A value of a metric, short: "4.1 s", "812 ms", "48,210", "1.2 MB" */
void human_value(struct buf *out, int64_t v, const struct metric *m);
/* A moment or length on an axis: "2.310 s", "48,210" */
void human_time(struct buf *out, int64_t v, enum unit axis);
/* part of whole: "33.1 %", "" when whole is 0; always one decimal */
void human_share(struct buf *out, int64_t part, int64_t whole);
/* Base-unit integer as CSV has it: decimals where the metric has them. */
void human_plain(struct buf *out, int64_t v, unsigned decimals);
/* The shortest decimal that reads back as the same double; "nan", "inf", "-inf". */
void human_real(struct buf *out, double v);
/* "88", "100.2", or nothing */
void human_line(struct buf *out, struct line line);
/* Bytes as UTF-8 for files that programs read: control characters as \x1b, invalid UTF-8
 * from Latin-1 (or CP437). */
void human_bytes(struct buf *out, const char *at, size_t len, bool cp437);
/* The same for a screen, where a text must look like what it is and move nothing: besides,
 * characters that are not seen but turn or join others are \u{202e}, and a byte that is no
 * UTF-8 is \xff (or of CP437).  At most four bytes for one; what it wrote stays as it is
 * when it is given again. */
void human_shown(struct buf *out, const char *at, size_t len, bool cp437);
/* One word for a shell, quoted where it must be; with controls in $'...', which changes
 * nothing on the screen that it is copied to. */
void human_shell_word(struct buf *out, const char *text);
/* The same word always in $'...': the form for a text that its surroundings would change. */
void human_quoted(struct buf *out, const char *text);
/* Is it a control, or does it turn, join or separate others without being seen itself? */
bool human_hides(uint32_t ch);
bool human_is_utf8(const char *at, size_t len);

#endif
