/* browse_exports.h - the output formats of the browser; for its files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_EXPORTS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_EXPORTS_H

#include "model/profile/profile.h"
#include "ui/app/app.h"

/* Returns all encoders for this profile, and the text export. */
struct app_exports browse_exports(struct profile *p);

#endif
