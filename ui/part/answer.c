/* answer.c - see answer.h.
 *
 * A cell holds its displayed text and its number.  Rows are sorted by the numbers, which also
 * identify stacks, tracks and times. */
#include "ui/part/answer.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/base/mem.h"
#include "model/profile/human.h"

void
answer_reset(struct answer *a)
{
	for (size_t i = 0; i < a->columns.n; i++)
		free(a->columns.at[i]);
	a->columns.n = a->cells.n = 0;
	buf_reset(&a->words);
	a->cut = false;
}

void
answer_release(struct answer *a)
{
	answer_reset(a);
	vec_release(&a->columns);
	vec_release(&a->cells);
	buf_release(&a->words);
}

void
answer_column(struct answer *a, const char *name)
{
	struct buf shown = BUF_INIT;
	escape_shown(&shown, name, strlen(name), false);
	*vec_push(&a->columns) = mem_dup(buf_str(&shown), shown.len);
	buf_release(&shown);
}

static struct answer_cell *
answer_push(struct answer *a, enum answer_kind kind)
{
	struct answer_cell *c = vec_push(&a->cells);
	*c = (struct answer_cell){.kind = (uint8_t)kind, .at = a->words.len};
	return c;
}

static void
answer_end(struct answer *a, struct answer_cell *c)
{
	c->len = (uint32_t)(a->words.len - c->at);
}

void
answer_nothing(struct answer *a)
{
	answer_push(a, ANSWER_NOTHING);
}

void
answer_whole(struct answer *a, int64_t v)
{
	struct answer_cell *c = answer_push(a, ANSWER_WHOLE);
	c->as.whole = v;
	human_plain(&a->words, v, 0);
	answer_end(a, c);
}

void
answer_real(struct answer *a, double v)
{
	struct answer_cell *c = answer_push(a, ANSWER_REAL);
	c->as.real = v;
	human_real(&a->words, v);
	answer_end(a, c);
}

/* Longer texts are truncated, since no screen has room for them. */
#define SHOWN_MAX 4096u

void
answer_text(struct answer *a, const char *at, size_t len)
{
	struct answer_cell *c = answer_push(a, ANSWER_TEXT);
	escape_shown(&a->words, at, len < SHOWN_MAX ? len : SHOWN_MAX, false);
	answer_end(a, c);
}

size_t
answer_rows(const struct answer *a)
{
	return a->columns.n ? a->cells.n / a->columns.n : 0;
}

const struct answer_cell *
answer_cell(const struct answer *a, size_t row, size_t column)
{
	return &a->cells.at[row * a->columns.n + column];
}

const char *
answer_shown(const struct answer *a, const struct answer_cell *c, size_t *len)
{
	*len = c->len;
	return buf_str(&a->words) + c->at;
}

size_t
answer_find(const struct answer *a, const char *name)
{
	for (size_t i = 0; i < a->columns.n; i++)
		if (!strcmp(a->columns.at[i], name))
			return i;
	return SIZE_MAX;
}

void
question_ask(struct answer_request *q, const char *text)
{
	char *copy = mem_dup(text, strlen(text));
	free(q->text);
	q->text = copy;
	q->n++;
}

void
question_release(struct answer_request *q)
{
	free(q->text);
	q->text = NULL;
}
