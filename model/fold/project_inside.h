/* project_inside.h - shared by the files that make a projection. */
#ifndef PNAV_MODEL_FOLD_PROJECT_INSIDE_H
#define PNAV_MODEL_FOLD_PROJECT_INSIDE_H

#include "model/fold/project.h"

/* Prefetch distance, in elements. */
#define PROJECT_AHEAD 24u

/* Computes children, siblings and outermost nodes from the parents and keys of all nodes. If the
 * pace cancels, they are incomplete. */
void projection_link(struct projection *t, struct pace *pace);

#endif
