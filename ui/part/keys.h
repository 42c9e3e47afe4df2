/* keys.h - actions, and the keys that cause them.
 *
 * One list gives each action its enum, its name (for `:` and pnavrc), the word for the
 * bottom line, the help text and its default keys.  Views see actions, never keys.  The
 * same key may mean different actions in different scopes: the scrubber, when it has the
 * focus, comes first, then the scope of the view, then what holds everywhere. */
#ifndef PNAV_UI_PART_KEYS_H
#define PNAV_UI_PART_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "ui/screen/keycode.h"

enum scope {
	SCOPE_ANY, SCOPE_SCRUBBER, SCOPE_FLAME, SCOPE_TREE, SCOPE_TABLE, SCOPE_TIMELINE,
	SCOPE_SOURCE, SCOPE_CALLS, SCOPE_GUIDE
};

/* clang-format off */
/* action, scope, name, word for the bottom line, help, default keys */
#define ACTIONS(X)                                                                         \
	X(VIEW_FLAME, ANY, "flame", "flame", "boxes as wide as their cost, root on top", "1") \
	X(VIEW_TREE, ANY, "tree", "tree", "an outline that opens and closes", "2")         \
	X(VIEW_FUNCTIONS, ANY, "functions", "functions", "a table of all functions", "3")  \
	X(VIEW_CALLERS, ANY, "callers", "callers", \
	  "a function between its callers and its callees", "4") \
	X(VIEW_TIMELINE, ANY, "timeline", "timeline", "every track over time", "5")        \
	X(VIEW_SOURCE, ANY, "source", "source", "a file with what its lines cost", "6")   \
	X(VIEW_CALLS, ANY, "calls", "calls", "how long the calls of a function took", "7") \
	X(VIEW_INFO, ANY, "info", "info", "what the file says of itself", "8")             \
	X(VIEW_SQL, ANY, "sql", "sql", "the answer to a question in SQL", "9")            \
	X(UP, ANY, "up", "up", "up", "k Up")                                               \
	X(DOWN, ANY, "down", "down", "down", "j Down")                                     \
	X(LEFT, ANY, "left", "left", "left", "h Left")                                     \
	X(RIGHT, ANY, "right", "right", "right", "l Right")                                \
	X(HALF_UP, ANY, "half-page-up", "half up", "half a page up", "^U")                 \
	X(HALF_DOWN, ANY, "half-page-down", "half down", "half a page down", "^D")         \
	X(PAGE_UP, ANY, "page-up", "page up", "a page up", "PgUp ^B")                      \
	X(PAGE_DOWN, ANY, "page-down", "page down", "a page down", "PgDn ^F")              \
	X(FIRST, ANY, "first", "first", "to the first line", "g Home")                     \
	X(LAST, ANY, "last", "last", "to the last line", "G End")                          \
	X(ENTER, ANY, "enter", "zoom", "zoom into the selection, open it, or show it",     \
	  "Enter")                                                                         \
	X(OUT, ANY, "out", "out", "back out of the zoom; to the caller", "Backspace") \
	X(FLIP, FLAME, "flip", "flip", "root on top or at the bottom", "R")                \
	X(CHRONO, FLAME, "chronological", "by time", \
	  "in order of time, or the heaviest at the left", "T") \
	X(CHAINS, ANY, "chains", "chains",                                                 \
	  "frames with one callee and no self as one line (flame, tree)", "c")        \
	X(TOGGLE, TREE, "toggle", "open", "open or close the line", "Space")               \
	X(OPEN, TREE, "open", "open", "open the line", "+")                                \
	X(CLOSE, TREE, "close", "close", "close the line", "-")                            \
	X(HOT, TREE, "hot-path", "hot path", "open the hottest path below the line", "*")  \
	X(OPEN_ALL, TREE, "open-all", "all", "open everything", "E")                       \
	X(CLOSE_ALL, TREE, "close-all", "none", "close everything", "C")                   \
	X(HOTTEST, SOURCE, "hottest", "hottest", "the line that costs the most itself", "*") \
	X(CODE, SOURCE, "instructions", "code",                                           \
	  "the function as instructions, both, and as source again", "a")      \
	X(FILES, SOURCE, "files", "files", \
	  "the files with what they cost; the selected one again", "o") \
	X(FILES_ROWS, SOURCE, "files-rows", "rows", "only the files that match; the numbers stay", \
	  "f")                                                                             \
	X(LINE_ON, SOURCE, "line-on", "next", "the next line that costs something", ".")  \
	X(LINE_BACK, SOURCE, "line-back", "before", "the line before that costs something", ",") \
	X(ZOOM_IN, TIMELINE, "zoom-in", "zoom", "closer, about the cursor", "w")           \
	X(ZOOM_OUT, TIMELINE, "zoom-out", "out", "back, about the cursor", "s")            \
	X(PAN_LEFT, TIMELINE, "pan-left", "left", "a quarter of the screen back", "a")     \
	X(PAN_RIGHT, TIMELINE, "pan-right", "right", "a quarter of the screen on", "d")    \
	X(STEP_ON, TIMELINE, "step-on", "step", "the next slice or sample", ".")           \
	X(STEP_BACK, TIMELINE, "step-back", "step back", "the slice or sample before", ",") \
	X(FIT, TIMELINE, "fit", "fit", "the slice fills the screen; again: the range, the run", \
	  "f")                                                                             \
	X(ORDER, TIMELINE, "order", "order", \
	  "the order of the tracks: busiest, file, name, start", "o") \
	X(PIN, TIMELINE, "pin", "pin", "keep the track on top, or no longer", "P")         \
	X(FOLD, TIMELINE, "fold", "fold", \
	  "fold the process or the idle tracks, and open them", "-") \
	X(SLOWER, TIMELINE, "slower-call", "slower", \
	  "the call before in the list of the slowest", "<") \
	X(FASTER, TIMELINE, "next-slowest", "next slowest",                                \
	  "the next slowest call of the selected function", ">")                         \
	X(CALLS_HALF, CALLS, "calls-half", "list", "the numbers of all calls, or each call", "o") \
	X(CALLS_ALL, CALLS, "calls-all", "all", \
	  "the calls of all functions, or of the selected one", "a") \
	X(CALLS_OVER, CALLS, "calls-over", "over", \
	  "only calls that last longer than what is asked", "O") \
	X(SORT_LEFT, TABLE, "sort-left", "column", "sort by the column to the left", "<")  \
	X(SORT_RIGHT, TABLE, "sort-right", "column", "sort by the column to the right", ">") \
	X(SORT_REVERSE, TABLE, "reverse", "reverse", "turn the order round", "r")          \
	X(ROWS, TABLE, "rows", "rows", "only the rows that match; the numbers stay", "f") \
	X(SEARCH, ANY, "search", "search", "search: matches are marked and counted", "/")  \
	X(NEXT, ANY, "next", "next", "the next match", "n")                                \
	X(PREVIOUS, ANY, "previous", "previous", "the match before", "N")                  \
	X(FILTER, ANY, "filter", "filter",                                                 \
	  "keep the stacks with a frame that matches (!: drop them)", "\\ &")   \
	X(TRANSFORM, ANY, "transform", "transform",                                        \
	  "include, exclude, hide, collapse... the selected frame", "x")                   \
	X(SQL, ANY, "ask", "ask", "ask in SQL, or a stored question", ";")                 \
	X(FILTERS, ANY, "filters", "filters", "the list of filters: switch, move, edit, save", \
	  "F")                                                                             \
	X(METRIC, ANY, "metric", "metric", "choose what is measured", "m")                 \
	X(TRACKS, ANY, "tracks", "tracks", "choose threads, cores, tasks, modules", "t")   \
	X(LABELS, ANY, "labels", "labels",                                                  \
	  "labels of events: group by one, keep or drop a value", "L")                      \
	X(BY, ANY, "by", "granularity",                                                    \
	  "what counts as one frame: function, line, file, module", "b")                   \
	X(INVERT, ANY, "invert", "invert", "leaf first: who calls what costs", "I") \
	X(UNDO, ANY, "undo", "undo", "take back the last change of what is shown", "u")    \
	X(REDO, ANY, "redo", "redo", "make it again", "^R")                                \
	X(FOCUS, ANY, "scrubber", "view", "to the scrubber on top, and back", "Tab")   \
	X(RANGE_START, ANY, "range-start", "start", "the range starts at the scrubber's cursor", \
	  "[")                                                                             \
	X(RANGE_END, ANY, "range-end", "end", "the range ends there", "]")                 \
	X(SLIDE_BACK, ANY, "slide-back", "back", "slide the range back", "{")             \
	X(SLIDE_ON, ANY, "slide-on", "on", "slide the range on", "}")                   \
	X(WIDEN, ANY, "widen", "widen", "make the range wider", "+ =")                     \
	X(NARROW, ANY, "narrow", "narrow", "make the range narrower", "-")                 \
	X(SCRUB_LEFT, SCRUBBER, "scrub-left", "move", "a column back", "Left h")           \
	X(SCRUB_RIGHT, SCRUBBER, "scrub-right", "move", "a column on", "Right l")         \
	X(SCRUB_LEFT_FAST, SCRUBBER, "scrub-left-fast", "ten left", "ten columns back",    \
	  "S-Left")                                                                        \
	X(SCRUB_RIGHT_FAST, SCRUBBER, "scrub-right-fast", "ten right", "ten columns on",   \
	  "S-Right")                                                                       \
	X(SCRUB_FIRST, SCRUBBER, "scrub-first", "begin", "to the begin of the run", "Home") \
	X(SCRUB_LAST, SCRUBBER, "scrub-last", "end", "to the end of the run", "End")       \
	X(RANGE_CLEAR, SCRUBBER, "range-clear", "all", "no range: the whole run", "Esc") \
	X(COMPARE, ANY, "compare", "compare",                                              \
	  "keep the range as the base to compare with; again: end it", "v")                \
	X(SURE_ONLY, ANY, "only-sure", "only sure",                                        \
	  "of a comparison only what is more than chance, or all", "~")                    \
	X(WINDOW, ANY, "window", "last seconds",                                           \
	  "only the last seconds, which slide with what is read", "W")                     \
	X(PAUSE, ANY, "pause", "pause", "hold the picture while more is read, and go on", "p") \
	X(NAME, ANY, "name", "name", "the whole name of the selection, and where it is", "K") \
	X(COPY, ANY, "copy", "copy", "copy the name of the selected frame", "y")           \
	X(COPY_COMMAND, ANY, "copy-command", "command line",                               \
	  "copy the command line that gives this view", "Y")                               \
	X(SAVE, ANY, "save", "save", \
	  "save the screen, an export, a session, or the filters", "s S") \
	X(MARKS, ANY, "marks", "marks", "marks: set one here, list them, go to one", "M")  \
	X(DETAILS, ANY, "details", "details", "show or hide the detail pane", "D")            \
	X(EDIT, ANY, "edit", "edit", "$EDITOR at the line of the selection", "e")          \
	X(PALETTE, ANY, "command", "command", "any of these by name", ":")                 \
	X(HELP, ANY, "help", "help", "the keys of this view", "?")                         \
	X(MANUAL, ANY, "manual", "manual", "the manual page", "F1 H")                      \
	X(GUIDE, ANY, "guide", "guide", "questions to put to this profile, answered step by step", \
	  "F3")                                                                            \
	X(GUIDE_STEP, GUIDE, "guide-step", "next", "play the next step", "Space")          \
	X(GUIDE_BACK, GUIDE, "guide-back", "back", "take the last step back", "Backspace") \
	X(GUIDE_END, GUIDE, "guide-end", "end", "end the guide, here", "Esc")              \
	X(MOUSE, ANY, "mouse", "mouse", "mouse on or off", "F2")                           \
	X(CANCEL, ANY, "cancel", "cancel", "stop loading; drop the search", "Esc")         \
	X(REDRAW, ANY, "redraw", "redraw", "draw the screen anew", "^L")                   \
	X(SUSPEND, ANY, "suspend", "suspend", "to the shell; fg comes back", "^Z")         \
	X(BACK, ANY, "back", "back", "the view before; from the first one, quit", "q")     \
	X(QUIT, ANY, "quit", "quit", "quit", "Q ^C")
/* clang-format on */

enum action {
	ACTION_NONE,
#define ACTION_ENUM(name, ...) ACTION_##name,
	ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
		ACTION_COUNT
};

/* "range-start", the word, the sentence. */
const char *action_name(enum action a);
const char *action_word(enum action a);
const char *action_help(enum action a);
enum scope action_scope(enum action a);
/* Whose keys hold where those of this scope say nothing; SCOPE_ANY at last. */
enum scope scope_above(enum scope scope);
/* ACTION_NONE when there is no such name. */
enum action action_named(const char *name);

struct binding {
	uint32_t key;
	enum action action;
};

struct keymap {
	struct binding *at;
	size_t n, cap;
};

/* The default keys. */
void keymap_init(struct keymap *m);
void keymap_release(struct keymap *m);
/* A key for an action, in its scope; for an action of all views, in every scope.  What the
 * key meant there is gone.  ACTION_NONE: it means nothing any more. */
void keymap_bind(struct keymap *m, uint32_t key, enum action a);
/* What a key does in a view of this scope; `scrubber`: the scrubber has the focus. */
enum action keymap_action(const struct keymap *m, uint32_t key, enum scope view,
			  bool scrubber);
/* A key for it that means it in a view of this scope; 0: another action has them all. */
uint32_t keymap_key_in(const struct keymap *m, enum action a, enum scope view,
		       bool scrubber);
/* Appends the keys of an action, blank-separated; at most `max` of them. */
void keymap_keys(const struct keymap *m, enum action a, unsigned max, struct buf *out);

#endif
