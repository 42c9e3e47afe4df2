/* calls_list.h - the list of single calls in the view of calls; calls.c alone includes it.
 *
 * The list itself is scene.calls (slowest.h); this module displays it. */
#ifndef PNAV_UI_VIEW_CALLS_CALLS_LIST_H
#define PNAV_UI_VIEW_CALLS_CALLS_LIST_H

#include "ui/part/grid.h"
#include "ui/part/slowest.h"
#include "ui/view/view.h"

struct calls_list {
	struct scroll scroll;
	int w;
};

void calls_list_arrange(struct calls_list *v, struct scene *s, key_id key, struct area a);
void calls_list_draw(const struct calls_list *v, const struct scene *s, key_id key,
		     struct canvas *c, struct area a);
enum reply calls_list_act(struct calls_list *v, struct scene *s, enum action action);
enum reply calls_list_click(struct calls_list *v, struct scene *s, int y, int x, bool twice);
bool calls_list_find(struct calls_list *v, struct scene *s, int dir);

#endif
