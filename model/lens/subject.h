/* subject.h - the part of a frame that a pattern is matched against. */
#ifndef PNAV_MODEL_LENS_SUBJECT_H
#define PNAV_MODEL_LENS_SUBJECT_H

#include <stddef.h>

#include "model/profile/frames.h"
#include "model/profile/names.h"

/* Columns: enum suffix, its name before the colon, the function that returns it (subject.c). A
 * pattern without a subject means the first. */
#define SUBJECTS(X)                                                                        \
	X(FN, "fn", name_itself)                                                           \
	X(FILE, "file", its_file)                                                          \
	X(MODULE, "module", its_module)                                                    \
	X(KIND, "kind", its_kind)

#define SUBJECT_ENUM(subject, ...) SUBJECT_##subject,
#define SUBJECT_ONE(...) +1
enum subject { SUBJECTS(SUBJECT_ENUM) };
enum { SUBJECT_COUNT = 0 SUBJECTS(SUBJECT_ONE) };
#undef SUBJECT_ENUM
#undef SUBJECT_ONE

const char *subject_name(enum subject subject);
/* Returns the length of the `NAME:` at the beginning of these bytes, and its subject; 0 if there
 * is none. */
size_t subject_parse(const char *at, size_t len, enum subject *out);
/* Returns the text of f to match: a name of the profile, or *word if that is not NULL
 * afterwards. */
name_id subject_of(enum subject subject, const struct function *f, const char **word);

#endif
