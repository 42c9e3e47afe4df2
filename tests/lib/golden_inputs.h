/* golden_inputs.h - the inputs of all golden cases. */
#ifndef PNAV_TESTS_LIB_GOLDEN_INPUTS_H
#define PNAV_TESTS_LIB_GOLDEN_INPUTS_H

#include <glob.h>

#include "model/base/err.h"
#include "model/profile/profile.h"

/* Returns the paths of all golden inputs, sorted; the caller ends with globfree(). Fails the test
 * if there are few. */
glob_t golden_inputs(void);

/* Decodes a file. Returns its profile, of a damaged file the good part, with *e set; NULL if its
 * format is unknown or it was refused. The caller frees the profile. */
struct profile *golden_profile(const char *path, struct err *e);

#endif
