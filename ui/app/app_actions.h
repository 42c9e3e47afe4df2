/* app_actions.h - actions and their functions: one row each, in the file of the topic. */
#ifndef PNAV_UI_APP_APP_ACTIONS_H
#define PNAV_UI_APP_APP_ACTIONS_H

#include "ui/part/keys.h"

struct app;

/* Ended by ACTION_NONE.  Keys, names and help are in keys.h; actions of the views and of the
 * scrubber, and those that open a view, have no row. */
struct app_action {
	enum action action;
	void (*act)(struct app *a);
};

/* X(name): app_name.c has app_name_actions[]. */
#define APP_TOPICS(X)                                                                    \
	X(act)                                                                           \
	X(answers)                                                                       \
	X(ask)                                                                           \
	X(calls)                                                                         \
	X(command)                                                                       \
	X(edit)                                                                          \
	X(filters)                                                                       \
	X(help)                                                                          \
	X(labels)                                                                        \
	X(marks)                                                                         \
	X(menus)                                                                         \
	X(name)                                                                          \
	X(odd)                                                                           \
	X(range)                                                                         \
	X(rows)                                                                          \
	X(save)                                                                          \
	X(sql)                                                                           \
	X(tracks)                                                                        \
	X(why)

#define APP_TOPIC_ACTIONS(name) extern const struct app_action app_##name##_actions[];
APP_TOPICS(APP_TOPIC_ACTIONS)
#undef APP_TOPIC_ACTIONS

#endif
