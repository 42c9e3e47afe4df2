/* verbs.h - what an entry of a lens does with the frames that its pattern matches.
 *
 * One list gives each verb its enum, its name, its words for people and what it does.  The
 * option of the command line, filter files, `:`, the menus, the header of the browser and
 * profile(1)'s listing follow from it.  A new verb is a row here and its functions in
 * verbs.c. */
#ifndef PNAV_MODEL_VERBS_H
#define PNAV_MODEL_VERBS_H

#include <stdbool.h>
#include <stddef.h>

struct sieve;

/* clang-format off */
/* verb, name, sign before its pattern, key (0: it is not there) and label in the menu of a
 * frame and what that says of it, help of the option, apply, keeps */
#define VERBS(X)                                                                           \
	X(INCLUDE, "include", "+", 'i', "include", "only the stacks with it",              \
	  "keep stacks in which a frame matches", include, keeps_matching)                 \
	X(EXCLUDE, "exclude", "-", 'e', "exclude", "drop the stacks with it",              \
	  "drop stacks in which a frame matches", exclude, keeps_others)                   \
	X(INCLUDE_SELF, "include-self", "+self ", 'l', "include self",                     \
	  "only where it is the leaf", "keep stacks whose leaf matches", include_self,     \
	  keeps_matching)                                                                  \
	X(EXCLUDE_SELF, "exclude-self", "-self ", 's', "exclude self",                     \
	  "drop where it is the leaf", "drop stacks whose leaf matches", exclude_self,     \
	  keeps_others)                                                                    \
	X(HIDE, "hide", "hide ", 'h', "hide", "its cost goes to its callers",              \
	  "remove frames; callers get their cost", hide, keeps_others)                     \
	X(SHOW, "show", "show ", 'o', "show only", "all other frames are hidden",          \
	  "remove all frames that do not match", show, keeps_matching)                     \
	X(COLLAPSE, "collapse", "collapse ", 'c', "collapse",                              \
	  "runs of it become one frame", "make runs of matching frames one frame",         \
	  collapse, NULL)                                                                  \
	X(COLLAPSE_RECURSION, "collapse-recursion", "no recursion ", 'n',                  \
	  "collapse recursion", "it calls itself no more",                                 \
	  "matching frames that are on the stack already join it there",                   \
	  collapse_recursion, NULL)                                                        \
	X(ROOT, "root", "root ", 'r', "make root", "cut off all above it",                 \
	  "cut what is above the first match", root, keeps_matching)                       \
	X(TRACK, "track", "track ", 't', "tracks", "only the tracks it runs on",           \
	  "only tracks (threads, ...) that match", NULL, NULL)                             \
	X(WHERE, "where", "where ", 0, "where", "only what has such a label",              \
	  "only what has a label KEY:PATTERN", NULL, NULL)                                 \
	X(LABEL, "label", "by label ", 0, "label", "what has it hangs below it",           \
	  "values of the label KEY become root frames", NULL, NULL)
/* clang-format on */

#define VERB_ENUM(verb, ...) VERB_##verb,
#define VERB_ONE(...) +1
enum verb { VERBS(VERB_ENUM) };
enum { VERB_COUNT = 0 VERBS(VERB_ONE) };
#undef VERB_ENUM
#undef VERB_ONE

struct verb_row {
	const char *name; /* "include", "exclude", ... as in the command line without dashes */
	const char *sign; /* what stands before the pattern where room is small */
	char key;
	const char *label, *note, *help;
	/* Takes out of the sieve what an entry of this verb takes out, by sieve.matches;
	 * NULL: frames do not matter to it.  Tracks are the lens's care, labels that of
	 * regroup.h. */
	void (*apply)(struct sieve *v);
	/* Is a stack of one frame kept, that matches or not?  NULL: it always is, the verb
	 * means nothing there. */
	bool (*keeps)(bool matches);
};

extern const struct verb_row verb_rows[VERB_COUNT];

/* Behind all verbs: a frame joins the shown frame above it where both are of one module, as they
 * do where that is merged. */
void verbs_join_modules(struct sieve *v);

const char *verb_name(enum verb verb);
/* false when there is no such verb */
bool verb_parse(const char *text, size_t len, enum verb *out);

#endif
