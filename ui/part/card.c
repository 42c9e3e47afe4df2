/* card.c - see card.h. */
#include "ui/part/card.h"

#include <string.h>

#include "model/profile/human.h"
#include "ui/part/show.h"
#include "ui/screen/text.h"

void
card_wrap(const char *text, int cols, struct buf *out)
{
	while (*text) {
		size_t fits = text_fit(text, cols);
		fits = fits ? fits : text_after(text, strlen(text), 0);
		buf_add(out, text, fits);
		buf_addc(out, '\n');
		text += fits;
	}
}

static void
card_add_name(const char *word, const struct buf *name, int cols, struct buf *out)
{
	struct buf line = BUF_INIT;
	if (name->len) {
		buf_addf(&line, "%s %s", word, buf_str(name));
		card_wrap(buf_str(&line), cols, out);
	}
	buf_release(&line);
}

/* Writes "self 40  40.0 %", in a comparison "self 40  40.0 %, was 30". */
static void
card_add_number(const struct scene *s, const char *word, const char *where, int64_t value,
		struct sides x, struct buf *out)
{
	buf_addf(out, "%s%s ", word, where);
	if (s->fold->compares)
		show_exact(s, x.now, out);
	else
		show_value(s, value, out);
	buf_adds(out, "  ");
	human_share(out, value, s->fold->now.everything);
	if (s->fold->compares) {
		buf_adds(out, ", was ");
		show_exact(s, x.base, out);
	}
	buf_addc(out, '\n');
}

/* Writes the numbers of a row; `where`: behind the word. */
static void
card_add_numbers(const struct scene *s, const struct row *row, const char *where, struct buf *out)
{
	card_add_number(s, "self", where, row->self, row->exact_self, out);
	card_add_number(s, "total", where, row->total, row->exact_total, out);
	if (row->calls >= 0) {
		buf_addf(out, "calls%s ", where);
		human_count(out, row->calls);
		buf_addc(out, '\n');
	}
}

void
card_write(const struct scene *s, const struct row *row, int cols, struct buf *out)
{
	struct buf name = BUF_INIT, place = BUF_INIT, module = BUF_INIT;
	show_key(s, row->key, &name);
	show_place(s, row->key, &place);
	show_module(s, row->key, &module);
	card_wrap(buf_str(&name), cols, out);
	if (place.len || module.len)
		buf_addc(out, '\n');
	card_add_name("in", &place, cols, out);
	card_add_name("of", &module, cols, out);
	if (row->key != KEY_NONE) {
		struct row own;
		bool part = show_is_part(s, row, &own);
		buf_addc(out, '\n');
		card_add_numbers(s, row, part ? " here" : "", out);
		if (part)
			card_add_numbers(s, &own, " everywhere", out);
	}
	buf_release(&name);
	buf_release(&place);
	buf_release(&module);
}
