/* timeline_pins.c - lanes that are pinned on top, and the order of the others, as words of the
 * state that a session stores and Y copies.
 *
 * A lane is written by the place of its series and the name of its track: numbers of tracks differ
 * between recordings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "ui/view/timeline/timeline.h"

static const char *const order_words[ORDER_COUNT] = {
	[ORDER_FILE] = "by-file",
	[ORDER_NAME] = "by-name",
	[ORDER_START] = "by-start",
};

/* Appends the place of a series among those of its track, and the track's name: one word, in which
 * blanks and the like are %XX. */
static void
write_lane(const struct timeline *v, const struct lane *lane, struct buf *out)
{
	const struct profile *p = v->layout.p;
	struct name name = names_get(&p->names, p->track[lane->track].name);
	buf_addf(out, "%" PRIu32 ":", lane->place);
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.at[i];
		if (c <= ' ' || c == '%' || c == 0x7F)
			buf_addf(out, "%%%02x", c);
		else
			buf_addc(out, (char)c);
	}
}

void
timeline_pin_lane(struct timeline *v, struct lane *lane, bool on)
{
	struct buf word = BUF_INIT;
	free(lane->pin_name);
	lane->pin_name = NULL;
	lane->pin = on ? ++v->pins : 0;
	if (!on)
		return;
	write_lane(v, lane, &word);
	lane->pin_name = mem_dup(buf_str(&word), word.len);
	buf_release(&word);
}

void
timeline_save_order(const struct timeline *v, struct buf *out)
{
	if (v->order != ORDER_BUSIEST)
		buf_addf(out, "%s%s", out->len ? " " : "", order_words[v->order]);
	for (uint32_t pin = 1; pin <= v->pins; pin++)
		for (size_t i = 0; i < v->lanes.n; i++) {
			const struct lane *lane = &v->lanes.at[i];
			if (lane->pin != pin)
				continue;
			buf_addf(out, "%spin=%s", out->len ? " " : "", lane->pin_name);
		}
}

size_t
timeline_restore_order(struct timeline *v, const char *word)
{
	for (size_t i = 0; i < ORDER_COUNT; i++) {
		size_t len = order_words[i] ? strlen(order_words[i]) : 0;
		if (!len || strncmp(word, order_words[i], len) != 0)
			continue;
		v->order = (enum timeline_order)i;
		return len;
	}
	size_t len = strcspn(word, " ");
	if (strncmp(word, "pin=", 4) != 0)
		return 0;
	*vec_push(&v->recalled_pins) = mem_dup(word + 4, len - 4);
	return len;
}

void
timeline_forget_pins(struct timeline *v)
{
	for (size_t i = 0; i < v->recalled_pins.n; i++)
		free(v->recalled_pins.at[i]);
	v->recalled_pins.n = 0;
}

void
timeline_restore_pins(struct timeline *v)
{
	if (!v->pins_due || !v->lanes.n)
		return;
	v->pins_due = false;
	v->pins = 0;
	for (size_t i = 0; i < v->lanes.n; i++)
		timeline_pin_lane(v, &v->lanes.at[i], false);
	for (size_t k = 0; k < v->recalled_pins.n; k++)
		for (size_t i = 0; i < v->lanes.n; i++) {
			struct lane *lane = &v->lanes.at[i];
			struct buf word = BUF_INIT;
			write_lane(v, lane, &word);
			if (!lane->pin && !strcmp(buf_str(&word), v->recalled_pins.at[k]))
				timeline_pin_lane(v, lane, true);
			buf_release(&word);
		}
	timeline_forget_pins(v);
}
