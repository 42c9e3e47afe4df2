/* verbs.h - the effect of a lens entry on the frames that its pattern matches.
 *
 * One list gives each verb its enum, name, texts and effect. The options of the command line,
 * filter files, `:`, the menus, the browser's header and the listing in the style of profile(1)
 * derive from it. A new verb is a row here and its functions in verbs.c. */
#ifndef PNAV_MODEL_LENS_VERBS_H
#define PNAV_MODEL_LENS_VERBS_H

#include <stdbool.h>
#include <stddef.h>

struct sieve;

/* clang-format off */
/* Columns: verb, name, sign before its pattern, key in the menu of a frame (0: not in it), label
 * and note there, help of the option, apply, keeps. */
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
	  "its runs become one frame", "join runs of matching frames into one",         \
	  collapse, NULL)                                                                  \
	X(COLLAPSE_RECURSION, "collapse-recursion", "no recursion ", 'n',                  \
	  "collapse recursion", "it no longer calls itself",                                 \
	  "join matching frames with the same function further up",                   \
	  collapse_recursion, NULL)                                                        \
	X(ROOT, "root", "root ", 'r', "make root", "cut off everything above it",                 \
	  "cut the frames above the first match", root, keeps_matching)                       \
	X(TRACK, "track", "track ", 't', "tracks", "only the tracks it runs on",           \
	  "only tracks (threads, ...) that match", NULL, NULL)                             \
	X(WHERE, "where", "where ", 0, "where", "only events with such a label",              \
	  "only events with a label KEY:PATTERN", NULL, NULL)                                 \
	X(LABEL, "label", "by label ", 0, "label", "its stacks are below it",             \
	  "values of the label KEY become root frames", NULL, NULL)
/* clang-format on */

#define VERB_ENUM(verb, ...) VERB_##verb,
#define VERB_ONE(...) +1
enum verb { VERBS(VERB_ENUM) };
enum { VERB_COUNT = 0 VERBS(VERB_ONE) };
#undef VERB_ENUM
#undef VERB_ONE

struct verb_row {
	const char *name; /* "include", "exclude", ...: the option without dashes */
	const char *sign; /* precedes the pattern where space is short */
	char key;
	const char *label, *note, *help;
	/* Removes from the sieve what an entry of this verb removes, using sieve.matches; NULL:
	 * the verb does not affect frames. The lens handles tracks, regroup.h handles labels. */
	void (*apply)(struct sieve *v);
	/* Returns whether a stack of one frame is kept that matches or not. NULL: always, since
	 * the verb has no meaning there. */
	bool (*keeps)(bool matches);
};

extern const struct verb_row verb_rows[VERB_COUNT];

/* Runs after all verbs: joins a frame with the shown frame above it if both belong to one
 * module, when the granularity merges modules. */
void verbs_join_modules(struct sieve *v);

const char *verb_name(enum verb verb);
/* Returns false if there is no such verb. */
bool verb_parse(const char *text, size_t len, enum verb *out);

#endif
