/* browse_exports.h - what the browser can write; for its files alone. */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_EXPORTS_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_EXPORTS_H

#include "model/profile/profile.h"
#include "ui/app/app.h"

/* All encoders, of this profile, and texts. */
struct app_exports browse_exports(struct profile *p);

#endif
