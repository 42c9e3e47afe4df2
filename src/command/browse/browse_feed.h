/* browse_feed.h - connects the loader to the application; for the browser's files alone.
 *
 *	struct browse_feed f = {.options = o, ...};
 *	f.load = load_start_files(...);
 *	struct app_feed feed = browse_feed(&f);		-- valid as long as f and its load */
#ifndef PNAV_SRC_COMMAND_BROWSE_BROWSE_FEED_H
#define PNAV_SRC_COMMAND_BROWSE_BROWSE_FEED_H

#include "src/command/browse/browse_roll.h"
#include "src/command/browse/browse_stream.h"
#include "src/load.h"
#include "src/options.h"
#include "ui/app/app.h"

struct browse_feed {
	struct load *load;
	const struct options *options;
	bool scripted;
	bool compare; /* both files must be readable */
	bool cached;  /* the load reads a packed copy of the file */
	struct browse_stream *stream; /* NULL: files */
	struct browse_roll *roll;     /* what will replace the profile; NULL: nothing */
	const struct profile *p;      /* with `roll`: the profile */
	char line[256];               /* the last line of news */
};

struct app_feed browse_feed(struct browse_feed *f);
/* Waits for what the first picture shows: a script for the whole profile, a user for a moment. */
void browse_feed_wait(const struct browse_feed *f);
/* Returns true if everything has been read, and nothing can be displayed. */
bool browse_feed_refused(const struct browse_feed *f);

#endif
