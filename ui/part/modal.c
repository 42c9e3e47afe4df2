/* modal.c - see modal.h.
 *
 * Hooks open and close modals during an event, so nothing is removed from the stack then. Closed
 * modals are skipped, and removed when the next one is pushed.  So the stack never holds more
 * entries than there are modals. */
#include "ui/part/modal.h"

#include <assert.h>

static bool
is_open(const struct modal *m)
{
	return m->ops->is_open(m->self);
}

void
modals_push(struct modals *s, const struct modal_ops *ops, void *self)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].self != self && is_open(&s->at[i]))
			s->at[n++] = s->at[i];
	assert(n < MODALS_MAX);
	s->at[n++] = (struct modal){ops, self};
	s->n = n;
}

const struct modal *
modals_top(const struct modals *s)
{
	for (size_t i = s->n; i-- > 0;)
		if (is_open(&s->at[i]))
			return &s->at[i];
	return NULL;
}

/* Returns the lowest visible modal. */
static size_t
first_seen(const struct modals *s)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->at[i].ops->covers && is_open(&s->at[i]))
			return i;
	return 0;
}

bool
modals_cover(const struct modals *s)
{
	size_t i = first_seen(s);
	return i < s->n && s->at[i].ops->covers && is_open(&s->at[i]);
}

void
modals_arrange(const struct modals *s, const struct canvas *c)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_open(&s->at[i]) && s->at[i].ops->arrange)
			s->at[i].ops->arrange(s->at[i].self, c);
}

void
modals_draw(const struct modals *s, struct canvas *c)
{
	for (size_t i = first_seen(s); i < s->n; i++)
		if (is_open(&s->at[i]))
			s->at[i].ops->draw(s->at[i].self, c);
}

bool
modals_key(const struct modals *s, uint32_t key)
{
	const struct modal *m = modals_top(s);
	if (m)
		m->ops->key(m->self, key);
	return m != NULL;
}

bool
modals_mouse(const struct modals *s, const struct event_in *e, const struct canvas *c)
{
	const struct modal *m = modals_top(s);
	if (m && m->ops->mouse)
		m->ops->mouse(m->self, e, c);
	return m != NULL;
}

bool
modals_text(const struct modals *s, const char *text)
{
	const struct modal *m = modals_top(s);
	if (!m || !m->ops->text)
		return false;
	m->ops->text(m->self, text);
	return true;
}
