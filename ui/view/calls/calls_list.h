/* calls_list.h - the half of the view of calls that lists them; calls.c alone includes it.
 *
 * The list itself is scene.calls (slowest.h); here is how it is shown. */
#ifndef PNAV_UI_VIEW_CALLS_LIST_H
#define PNAV_UI_VIEW_CALLS_LIST_H

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
