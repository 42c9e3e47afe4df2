/* keys.h - actions and their keys.
 *
 * One list gives each action its enum, its name (for `:` and pnavrc), the word for the bottom line,
 * the help text and its default keys.  Views handle actions, never keys.  A key may have several
 * meanings: the scrubber's scope comes first while it has the focus, then that of the view, then
 * the one for all views. */
#ifndef PNAV_UI_PART_KEYS_H
#define PNAV_UI_PART_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "ui/screen/keycode.h"

enum scope {
	SCOPE_ANY, SCOPE_SCRUBBER, SCOPE_FLAME, SCOPE_TREE, SCOPE_TABLE, SCOPE_TIMELINE,
	SCOPE_SOURCE, SCOPE_CALLS, SCOPE_CALLERS, SCOPE_GUIDE
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
	X(VIEW_SOURCE, ANY, "source", "source", "a file with the cost of its lines", "6")   \
	X(VIEW_CALLS, ANY, "calls", "calls", "how long the calls of a function took", "7") \
	X(VIEW_INFO, ANY, "info", "info", "what the file says of itself", "8")             \
	X(VIEW_HEAT, ANY, "heat", "heat", "the run as a map of heat, step beside step", "0") \
	X(VIEW_SQL, ANY, "sql", "sql", "the result of an SQL query", "9")            \
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
	X(OUT, ANY, "out", "out", "leave the zoom; go to the caller", "Backspace") \
	X(FLIP, FLAME, "flip", "flip", "root on top or at the bottom", "R")                \
	X(CHRONO, FLAME, "chronological", "by time", \
	  "by time, or the heaviest at the left", "T") \
	X(CHAINS, ANY, "chains", "chains",                                                 \
	  "frames with one callee and no self as one line (flame, tree)", "c")        \
	X(TOGGLE, TREE, "toggle", "open", "open or close the line", "Space")               \
	X(OPEN, TREE, "open", "open", "open the line", "+")                                \
	X(CLOSE, TREE, "close", "close", "close the line", "-")                            \
	X(HOT, TREE, "hot-path", "hot path", "open the hottest path below the line", "*")  \
	X(OPEN_ALL, TREE, "open-all", "all", "open everything", "E")                       \
	X(CLOSE_ALL, TREE, "close-all", "none", "close everything", "C")                   \
	X(OUTLINE, CALLERS, "outline", "outline", \
	  "callers and callees as flames, or as an outline", "o") \
	X(HOTTEST, SOURCE, "hottest", "hottest", "the line with the highest self cost", "*") \
	X(CODE, SOURCE, "instructions", "code",                                           \
	  "the function as instructions, both, and as source again", "a")      \
	X(FILES, SOURCE, "files", "files", \
	  "the files with their costs; the selected one again", "o") \
	X(FILES_ROWS, SOURCE, "files-rows", "rows", \
	  "only files that match; numbers do not change", "f") \
	X(LINE_ON, SOURCE, "line-on", "next", "the next line with a cost", ".")  \
	X(LINE_BACK, SOURCE, "line-back", "before", "the previous line with a cost", ",") \
	X(ZOOM_IN, TIMELINE, "zoom-in", "zoom", "zoom in, about the cursor", "w")           \
	X(ZOOM_OUT, TIMELINE, "zoom-out", "out", "zoom out, about the cursor", "s")            \
	X(PAN_LEFT, TIMELINE, "pan-left", "left", "a quarter of the screen back", "a")     \
	X(PAN_RIGHT, TIMELINE, "pan-right", "right", "a quarter of the screen forward", "d")    \
	X(STEP_ON, TIMELINE, "step-on", "step", "the next slice or sample", ".")           \
	X(STEP_BACK, TIMELINE, "step-back", "step back", "the slice or sample before", ",") \
	X(FIT, TIMELINE, "fit", "fit", "fit the slice to the screen; again: the range, the run", \
	  "f")                                                                             \
	X(ORDER, TIMELINE, "order", "order", \
	  "the order of the tracks: busiest, file, name, start", "o") \
	X(PIN, TIMELINE, "pin", "pin", "pin the track on top, or unpin it", "P")         \
	X(FOLD, TIMELINE, "fold", "fold", \
	  "fold the process or the idle tracks, and open them", "-") \
	X(SLOWER, TIMELINE, "slower-call", "slower", \
	  "the previous of the slowest calls; a counter's lowest point", "<") \
	X(FASTER, TIMELINE, "next-slowest", "next slowest",                                \
	  "the next slowest call of the function; a counter's peak", ">")   \
	X(EDGE_BACK, TIMELINE, "edge-back", "cause",                                       \
	  "along the edge that arrives here, to the thread that caused it", "(")           \
	X(EDGE_ON, TIMELINE, "edge-on", "effect",                                          \
	  "along the edge that leaves here, to the thread that it reaches", ")")           \
	X(ONLY_TRACK, TIMELINE, "only-track", "only this", \
	  "only the track of the cursor counts; again: all tracks", "T") \
	X(COUNTER, TIMELINE, "counter", "counter", "the next track with a counter", "C")   \
	X(AUTOSCALE, TIMELINE, "scale", "scale", \
	  "counters from their lowest value in the window, or zero", "A") \
	X(CALLS_HALF, CALLS, "calls-half", "list", "the numbers of all calls, or each call", "o") \
	X(CALLS_ALL, CALLS, "calls-all", "all", \
	  "the calls of all functions, or of the selected one", "a") \
	X(CALLS_OVER, CALLS, "calls-over", "over", \
	  "only calls that last longer than a limit", "O") \
	X(SORT_LEFT, TABLE, "sort-left", "column", "sort by the column to the left", "<")  \
	X(SORT_RIGHT, TABLE, "sort-right", "column", "sort by the column to the right", ">") \
	X(SORT_REVERSE, TABLE, "reverse", "reverse", "reverse the order", "r")          \
	X(ROWS, TABLE, "rows", "rows", "only rows that match; numbers do not change", "f") \
	X(SEARCH, ANY, "search", "search", "search: matches are marked and counted", "/")  \
	X(NEXT, ANY, "next", "next", "the next match", "n")                                \
	X(PREVIOUS, ANY, "previous", "previous", "the match before", "N")                  \
	X(FILTER, ANY, "filter", "filter",                                                 \
	  "keep the stacks with a frame that matches (!: drop them)", "\\ &")   \
	X(TRANSFORM, ANY, "transform", "transform",                                        \
	  "include, exclude, hide, collapse... the selected frame", "x")                   \
	X(SQL, ANY, "ask", "ask", "run an SQL query, or a stored one", ";")                 \
	X(FILTERS, ANY, "filters", "filters", "the list of filters: switch, move, edit, save", \
	  "F")                                                                             \
	X(METRIC, ANY, "metric", "metric", "choose the metric", "m")                 \
	X(TRACKS, ANY, "tracks", "tracks", "choose threads, cores, tasks, modules", "t")   \
	X(LABELS, ANY, "labels", "labels",                                                  \
	  "labels of events: group by one, keep or drop a value", "L")                      \
	X(BY, ANY, "by", "granularity",                                                    \
	  "what counts as one frame: function, line, file, module", "b")                   \
	X(INVERT, ANY, "invert", "invert", "invert: leaf first, callers below", "I") \
	X(UNDO, ANY, "undo", "undo", "undo the last change of the lens", "u")    \
	X(REDO, ANY, "redo", "redo", "make it again", "^R")                                \
	X(FOCUS, ANY, "scrubber", "view", "to the scrubber on top, and back", "Tab")   \
	X(RANGE_ASK, ANY, "ask-range", "range", "type a range: two moments", "@")           \
	X(ODD_PART, ANY, "odd-part", "odd part",                                           \
	  "the part of the run that differs most; again: the next one", "!")  \
	X(RANGE_START, ANY, "range-start", "start", "the range starts at the scrubber's cursor", \
	  "[")                                                                             \
	X(RANGE_END, ANY, "range-end", "end", "the range ends there", "]")                 \
	X(SLIDE_BACK, ANY, "slide-back", "back", "slide the range back", "{")             \
	X(SLIDE_ON, ANY, "slide-on", "on", "slide the range forward", "}")                   \
	X(WIDEN, ANY, "widen", "widen", "widen the range", "+ =")                     \
	X(NARROW, ANY, "narrow", "narrow", "narrow the range", "-")                 \
	X(SCRUB_LEFT, SCRUBBER, "scrub-left", "move", "a column back", "Left h")           \
	X(SCRUB_RIGHT, SCRUBBER, "scrub-right", "move", "a column on", "Right l")         \
	X(SCRUB_LEFT_FAST, SCRUBBER, "scrub-left-fast", "ten left", "ten columns back",    \
	  "S-Left")                                                                        \
	X(SCRUB_RIGHT_FAST, SCRUBBER, "scrub-right-fast", "ten right", "ten columns on",   \
	  "S-Right")                                                                       \
	X(SCRUB_FIRST, SCRUBBER, "scrub-first", "begin", "to the beginning of the run", "Home") \
	X(SCRUB_LAST, SCRUBBER, "scrub-last", "end", "to the end of the run", "End")       \
	X(RANGE_CLEAR, SCRUBBER, "range-clear", "all", "no range: the whole run", "Esc") \
	X(COMPARE, ANY, "compare", "compare",                                              \
	  "keep the range as the base to compare with; again: end it", "v")                \
	X(SURE_ONLY, ANY, "only-sure", "only sure",                                        \
	  "in a comparison only changes beyond chance, or all", "~")                    \
	X(WINDOW, ANY, "window", "last seconds",                                           \
	  "only the last seconds, sliding with new data", "W")                     \
	X(WHY, ANY, "why", "why",                                                          \
	  "where the thread's time went: its critical path, or all again", "B")            \
	X(PAUSE, ANY, "pause", "pause", "pause the picture while reading continues", "p") \
	X(NAME, ANY, "name", "name", "a card of the selection: whole name, place, numbers", "K") \
	X(COPY, ANY, "copy", "copy", "copy the name of the selected frame", "y")           \
	X(COPY_COMMAND, ANY, "copy-command", "command line",                               \
	  "copy the command line that gives this view", "Y")                               \
	X(SAVE, ANY, "save", "save", \
	  "save the screen, an export, a session, or the filters", "s S") \
	X(MARKS, ANY, "marks", "marks", "marks: set one here, list them, go to one", "M")  \
	X(DETAILS, ANY, "details", "details", "show or hide the detail pane", "D")            \
	X(EDIT, ANY, "edit", "edit", "$EDITOR at the line of the selection", "e")          \
	X(PALETTE, ANY, "command", "command", "run any action by name", ":")                 \
	X(HELP, ANY, "help", "help", "the keys of this view", "?")                         \
	X(MANUAL, ANY, "manual", "manual", "the manual page", "F1 H")                      \
	X(GUIDE, ANY, "guide", "guide", "questions to this profile, answered step by step", \
	  "F3")                                                                            \
	X(GUIDE_STEP, GUIDE, "guide-step", "next", "play the next step", "Space")          \
	X(GUIDE_BACK, GUIDE, "guide-back", "back", "undo the last step", "Backspace") \
	X(GUIDE_END, GUIDE, "guide-end", "end", "end the guide", "Esc")              \
	X(MOUSE, ANY, "mouse", "mouse", "mouse on or off", "F2")                           \
	X(CANCEL, ANY, "cancel", "cancel", "stop loading; clear the search", "Esc")         \
	X(REDRAW, ANY, "redraw", "redraw", "redraw the screen", "^L")                   \
	X(SUSPEND, ANY, "suspend", "suspend", "suspend; fg resumes", "^Z")         \
	X(BACK, ANY, "back", "back", "the previous view; from the first one, quit", "q")     \
	X(QUIT, ANY, "quit", "quit", "quit", "Q ^C")
/* clang-format on */

enum action {
	ACTION_NONE,
#define ACTION_ENUM(name, ...) ACTION_##name,
	ACTIONS(ACTION_ENUM)
#undef ACTION_ENUM
		ACTION_COUNT
};

/* Return "range-start", the word, and the sentence. */
const char *action_name(enum action a);
const char *action_word(enum action a);
const char *action_help(enum action a);
enum scope action_scope(enum action a);
/* Returns the scope whose keys apply after those of this one; SCOPE_ANY is the last. */
enum scope scope_above(enum scope scope);
/* Returns ACTION_NONE for an unknown name. */
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
/* Binds a key to an action in its scope, or in every scope for an action of all views, and drops
 * its old meaning there.  ACTION_NONE removes the key. */
void keymap_bind(struct keymap *m, uint32_t key, enum action a);
/* Returns the action of a key in a view of this scope; `scrubber`: the scrubber has the focus. */
enum action keymap_action(const struct keymap *m, uint32_t key, enum scope view,
			  bool scrubber);
/* Returns a key of the action that works in a view of this scope; 0 if other actions have all of
 * them. */
uint32_t keymap_key_in(const struct keymap *m, enum action a, enum scope view,
		       bool scrubber);
/* Appends the keys of an action, blank-separated; at most `max` of them. */
void keymap_keys(const struct keymap *m, enum action a, unsigned max, struct buf *out);

#endif
