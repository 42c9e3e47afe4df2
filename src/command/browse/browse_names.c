/* browse_names.c - see browse_names.h. */
#include "src/command/browse/browse_names.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "src/store/shortname.h"
#include "src/store/storeurl.h"

void
browse_names_init(struct browse_names *x, const struct options *o)
{
	size_t n = o->files.n;
	bool all = n > 1;

	*x = (struct browse_names){.at = NULL};
	for (size_t i = 0; i < n; i++)
		all &= store_url_is(o->files.at[i]);
	if (!all)
		return;
	x->name = mem_zalloc(n, sizeof *x->name);
	x->at = mem_zalloc(n, sizeof *x->at);
	shortname_common(o->files.at, n, &x->common);
	for (size_t i = 0; i < n; i++) {
		shortname_own(o->files.at, n, i, &x->name[i]);
		x->at[i] = buf_str(&x->name[i]);
	}
}

void
browse_names_release(struct browse_names *x, const struct options *o)
{
	for (size_t i = 0; x->at && i < o->files.n; i++)
		buf_release(&x->name[i]);
	buf_release(&x->common);
	free_all(x->name, x->at);
}
