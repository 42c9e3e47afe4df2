/* subject.h - what of a frame a pattern is matched against. */
#ifndef PNAV_MODEL_SUBJECT_H
#define PNAV_MODEL_SUBJECT_H

#include <stddef.h>

#include "model/profile/frames.h"
#include "model/profile/names.h"

/* subject, its name before the colon, what of a function it is (subject.c).  The first is meant
 * where a pattern says none. */
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
/* The length of the `NAME:` that these bytes begin with, and whose it is; else 0. */
size_t subject_parse(const char *at, size_t len, enum subject *out);
/* What of f is matched: a name of the profile, or *word where that is not NULL then. */
name_id subject_of(enum subject subject, const struct function *f, const char **word);

#endif
