/* nameless.c - see nameless.h.
 *
 * A module has no symbols if most of its cost is in functions without a name: a stripped library
 * still exports some names, but those are not what runs in it. A module that cost nothing is
 * ignored. */
#include "model/fold/nameless.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/fold/fold.h"
#include "model/profile/human.h"
#include "model/profile/profile.h"

#define SAID_MAX 8

static bool
nameless_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool
nameless_name(const char *at, size_t len)
{
	static const char unknown[] = "[unknown]";
	if (len == sizeof unknown - 1 && !memcmp(at, unknown, len))
		return true;
	if (len < 3 || at[0] != '0' || at[1] != 'x')
		return false;
	for (size_t i = 2; i < len; i++)
		if (!nameless_is_hex(at[i]))
			return false;
	return true;
}

static bool
is_nameless(const struct profile *p, const struct function *f)
{
	struct name n = names_get(&p->names, f->name);
	return nameless_name(n.at, n.len);
}

bool
nameless_any(const struct profile *p)
{
	for (uint32_t i = 0; i < p->frames.n_functions; i++) {
		struct function f = profile_function(p, i);
		if (is_nameless(p, &f))
			return true;
	}
	return false;
}

/* Returns the entry of a module in n->all. `slot` maps a name to the index + 1; 0: none yet. */
static struct nameless_module *
nameless_module_of(struct nameless *n, uint32_t *slot, name_id module)
{
	if (!slot[module]) {
		*vec_push(&n->all) = (struct nameless_module){.module = module};
		slot[module] = (uint32_t)n->all.n;
	}
	return &n->all.at[slot[module] - 1];
}

static void
count_functions(struct nameless *n, const struct profile *p, uint32_t *slot)
{
	for (uint32_t i = 0; i < p->frames.n_functions; i++) {
		struct function f = profile_function(p, i);
		if (f.module == NAME_EMPTY)
			continue;
		struct nameless_module *m = nameless_module_of(n, slot, f.module);
		m->functions++;
		m->unnamed += is_nameless(p, &f);
	}
}

static void
nameless_add_costs(struct nameless *n, const struct profile *p, const struct fold *f,
		   uint32_t *slot)
{
	for (node_id i = 1; i < f->tree->n; i++) {
		function_id id = projection_key_function(f->tree, p, f->tree->key[i]);
		int64_t self = numbers_recorded_self(&f->now, f->tree, i);
		if (id == UINT32_MAX || !self)
			continue;
		struct function fn = profile_function(p, id);
		bool unnamed = is_nameless(p, &fn);
		n->unnamed_self += unnamed ? self : 0;
		if (fn.module == NAME_EMPTY)
			continue;
		struct nameless_module *m = nameless_module_of(n, slot, fn.module);
		m->self += self;
		m->unnamed_self += unnamed ? self : 0;
	}
	n->unnamed_self = numbers_scaled(n->unnamed_self, f->now.by);
	for (size_t i = 0; i < n->all.n; i++) {
		struct nameless_module *m = &n->all.at[i];
		m->self = numbers_scaled(m->self, f->now.by);
		m->unnamed_self = numbers_scaled(m->unnamed_self, f->now.by);
	}
}

static bool
is_bad(const struct nameless_module *m)
{
	return m->unnamed_self > 0 && m->unnamed_self > m->self / 2;
}

static int
worst_first(const void *a, const void *b)
{
	const struct nameless_module *x = a, *y = b;
	if (is_bad(x) != is_bad(y))
		return is_bad(x) ? -1 : 1;
	if (x->unnamed_self != y->unnamed_self)
		return x->unnamed_self > y->unnamed_self ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

static void
nameless_add_all(struct nameless *n, const struct profile *p, const struct fold *f, uint32_t *slot)
{
	struct fold *own = NULL;
	struct lens l;
	struct err e;

	err_init(&e);
	lens_init(&l);
	f = f && fold_is_of(f, p, &l) ? f : NULL;
	own = f ? NULL : fold_new();
	if (f || fold_update(own, p, &l, NULL, &e)) {
		f = f ? f : own;
		nameless_add_costs(n, p, f, slot);
		n->everything = f->now.everything;
		n->metric = f->metric;
	}
	lens_release(&l);
	fold_free(own);
}

void
nameless_find(struct nameless *n, const struct profile *p, const struct fold *f)
{
	n->all.n = n->bad = 0;
	n->unnamed_self = n->everything = 0;
	n->metric = METRIC_NONE;
	if (!nameless_any(p))
		return;
	uint32_t *slot = mem_zalloc(p->names.n, sizeof *slot);
	count_functions(n, p, slot);
	nameless_add_all(n, p, f, slot);
	if (n->all.n)
		qsort(n->all.at, n->all.n, sizeof *n->all.at, worst_first);
	while (n->bad < n->all.n && is_bad(&n->all.at[n->bad]))
		n->bad++;
	free(slot);
}

bool
nameless_matters(const struct nameless *n)
{
	return n->bad > 0 && n->metric != METRIC_NONE && n->everything > 0 &&
	       n->unnamed_self > n->everything / 10;
}

void
nameless_say(const struct nameless *n, const struct profile *p, struct buf *out)
{
	buf_addf(out, "%zu of %zu" NAMELESS_SAID, n->bad, n->all.n);
	human_share(out, n->unnamed_self, n->everything);
	buf_adds(out, " of ");
	profile_show_name(p, p->metric[n->metric].name, out);
	buf_adds(out, "): ");
	for (size_t i = 0; i < n->bad && i < SAID_MAX; i++) {
		buf_adds(out, i ? ", " : "");
		profile_show_name(p, n->all.at[i].module, out);
	}
	if (n->bad > SAID_MAX)
		buf_addf(out, ", … %zu more", n->bad - SAID_MAX);
	buf_adds(out, "; see info");
}

void
nameless_release(struct nameless *n)
{
	vec_release(&n->all);
}
