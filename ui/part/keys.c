/* keys.c - see keys.h.
 *
 * The default keys are texts in the list of actions, in the notation of key scripts and the help,
 * so all three share one parser.  A keymap is a small vector of (key, action) pairs, searched from
 * its end, so that later bindings win.  A hash would only be more code for a hundred bindings.
 *
 * A key may be bound once in each scope; a test checks that. */
#include "ui/part/keys.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

struct action_row {
	enum scope scope;
	const char *name, *word, *help, *keys;
};

static const struct action_row actions[ACTION_COUNT] = {
#define ACTION_ROW(id, scope, name, word, help, keys)                                    \
	[ACTION_##id] = {SCOPE_##scope, name, word, help, keys},
	ACTIONS(ACTION_ROW)
#undef ACTION_ROW
};

const char *
action_name(enum action a)
{
	return actions[a].name;
}

const char *
action_word(enum action a)
{
	return actions[a].word;
}

const char *
action_help(enum action a)
{
	return actions[a].help;
}

enum scope
action_scope(enum action a)
{
	return actions[a].scope;
}

enum action
action_named(const char *name)
{
	for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
		if (!strcmp(actions[a].name, name))
			return (enum action)a;
	return ACTION_NONE;
}

void
keymap_init(struct keymap *m)
{
	*m = (struct keymap){0};
	for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
		const char *keys = actions[a].keys;
		while (*keys) {
			size_t len = strcspn(keys, " ");
			uint32_t key;
			if (key_parse(keys, len, &key))
				*vec_push(m) = (struct binding){key, (enum action)a};
			keys += len;
			keys += strspn(keys, " ");
		}
	}
}

void
keymap_release(struct keymap *m)
{
	vec_release(m);
}

void
keymap_bind(struct keymap *m, uint32_t key, enum action a)
{
	enum scope scope = a ? actions[a].scope : SCOPE_ANY;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].key != key ||
		    (scope != SCOPE_ANY && actions[m->at[i].action].scope != scope))
			m->at[n++] = m->at[i];
	m->n = n;
	if (a)
		*vec_push(m) = (struct binding){key, a};
}

/* The list of calls is a table, so it inherits the keys of tables. */
enum scope
scope_above(enum scope scope)
{
	return scope == SCOPE_CALLS     ? SCOPE_TABLE
	       : scope == SCOPE_CALLERS ? SCOPE_TREE
					: SCOPE_ANY;
}

static enum action
keys_find(const struct keymap *m, uint32_t key, enum scope scope)
{
	for (size_t i = m->n; i-- > 0;)
		if (m->at[i].key == key && actions[m->at[i].action].scope == scope)
			return m->at[i].action;
	return ACTION_NONE;
}

enum action
keymap_action(const struct keymap *m, uint32_t key, enum scope view, bool scrubber)
{
	if (key == '\n')
		key = KEYCODE_ENTER;
	if (key == KEYCODE_CTRL('H'))
		key = KEYCODE_BACKSPACE;
	enum action a = ACTION_NONE;
	if (scrubber)
		a = keys_find(m, key, SCOPE_SCRUBBER);
	for (enum scope s = view; !scrubber && !a && s != SCOPE_ANY; s = scope_above(s))
		a = keys_find(m, key, s);
	return a ? a : keys_find(m, key, SCOPE_ANY);
}

uint32_t
keymap_key_in(const struct keymap *m, enum action a, enum scope view, bool scrubber)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].action == a &&
		    keymap_action(m, m->at[i].key, view, scrubber) == a)
			return m->at[i].key;
	return 0;
}

void
keymap_keys(const struct keymap *m, enum action a, unsigned max, struct buf *out)
{
	bool first = true;
	for (size_t i = 0; i < m->n && max; i++)
		if (m->at[i].action == a) {
			if (!first)
				buf_addc(out, ' ');
			key_write(m->at[i].key, out);
			first = false;
			max--;
		}
}
