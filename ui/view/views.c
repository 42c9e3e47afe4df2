/* views.c - the views that there are.  A new one is a file and a row here, and a row in
 * the list of actions (keys.h) for the key that opens it. */
#include "ui/view/view.h"

#include <stddef.h>

const struct view_ops *const views[] = {
	&flame_view,  &tree_view,  &functions_view, &callers_view, &timeline_view,
	&source_view, &calls_view, &info_view,      NULL,
};
