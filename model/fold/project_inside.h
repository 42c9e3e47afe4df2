/* project_inside.h - of a projection, what those who make it share. */
#ifndef PNAV_MODEL_PROJECT_INSIDE_H
#define PNAV_MODEL_PROJECT_INSIDE_H

#include "model/fold/project.h"

/* Elements: so far before something is asked of it, memory is. */
#define PROJECT_AHEAD 24u

/* From parents and keys of all nodes: children, siblings, and which are outermost.  Given up, they
 * are not to be read. */
void projection_link(struct projection *t, struct pace *pace);

#endif
