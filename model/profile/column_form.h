/* column_form.h - what the form of a column says about its values, before they are read. */
#ifndef PNAV_MODEL_PROFILE_COLUMN_FORM_H
#define PNAV_MODEL_PROFILE_COLUMN_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile/tracks.h"

/* Returns true if the form of a column allows n values: the widths that exist, and no value beyond
 * 64 bits. The memory of the column must hold column_bytes(). */
bool column_fits(const struct column *c, uint32_t n);
/* Returns how many bytes n values of this form take, without COLUMN_SLACK. */
uint64_t column_bytes(const struct column *c, uint32_t n);
/* Returns the largest offset from its base that a column of this form can have. */
uint64_t column_largest(const struct column *c);

#endif
