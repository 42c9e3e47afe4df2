/* views.c - the list of views.
 *
 * A new view is a file, a line of VIEWS (view.h), and a row in the list of actions (keys.h) for the
 * key that opens it. */
#include "ui/view/view.h"

#include <stddef.h>
#include <string.h>

const struct view_ops *const views[] = {
#define VIEW_ROW(name) &name##_view,
	VIEWS(VIEW_ROW)
#undef VIEW_ROW
	NULL,
};

const struct view_ops *
view_named(const char *name)
{
	for (size_t i = 0; views[i]; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}
