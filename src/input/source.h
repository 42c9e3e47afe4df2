/* source.h - where an input's bytes come from; for src/input and src/load.c alone.
 *
 * Sources are stacked: a file at the bottom, perhaps a decompressor over it, perhaps a
 * store over that which remembers everything.  The input (input.h) puts a window on the
 * top one.  A source owns the one below it. */
#ifndef PNAV_SRC_INPUT_SOURCE_H
#define PNAV_SRC_INPUT_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <unistd.h>

#include "model/base/err.h"

/* The link between a reader of bytes and whoever started it.  All callbacks run on the
 * thread that reads; `give` and `take` bracket a wait of unknown length. */
#define LATER_ALL 65536u
struct watch {
	atomic_bool stop;       /* end early */
	_Atomic uint64_t bytes; /* read so far, as they lie on disk */
	_Atomic uint64_t size;  /* of the file on disk, and those beside it that were opened;
				 * 0 where not known */
	_Atomic uint64_t beside; /* of the latter alone, of all files */
	/* Of who reads all of it several times: how often, as said by input_passes(); how long the
	 * data is, inflated; how much of it was read after it had been read before. */
	_Atomic uint64_t passes, length, again;
	/* Of who goes on when all is read: how many percent of the time that takes, as said by
	 * input_later(), and what part of it is over, of LATER_ALL. */
	_Atomic unsigned later, later_done;
	int wake_fd;            /* becomes readable when `stop` was set; or -1 */
	int silence_s;          /* how long a server may be silent: as in struct url_request */
	void (*breathe)(struct watch *w); /* lets those in who wait for the profile */
	void (*give)(struct watch *w);
	void (*take)(struct watch *w);
	bool looked; /* somebody has looked at the profile, and may again */
	/* What the decoder does before a wait, and while it is looked at: input_when_idle(). */
	void (*idle)(void *ctx);
	void *idle_ctx;
	int64_t idle_after_ms; /* not before this moment */
};

/* Lets the decoder show what it has, unless that was done a moment ago; in how many ms it wants
 * to be asked again, -1: no more.  On the decoder's thread. */
int watch_show(struct watch *w);

struct source;
struct source_ops {
	/* 1..n bytes; 0 at the end, when stopped, and after a fault. */
	size_t (*read)(struct source *s, void *out, size_t n);
	/* All n bytes at `offset`, or false.  NULL where that cannot be. */
	bool (*read_at)(struct source *s, uint64_t offset, void *out, size_t n);
	/* Where the next read begins; false beyond the end.  NULL where that cannot
	 * be. */
	bool (*seek)(struct source *s, uint64_t offset);
	/* Whether a read would begin at once, waiting at most so long.  NULL: always. */
	bool (*ready)(struct source *s, int timeout_ms);
	/* Of all the data, 0 when not known.  NULL: never known. */
	uint64_t (*size)(struct source *s);
	void (*close)(struct source *s);
};

struct source {
	const struct source_ops *ops;
	struct err fault; /* what ended the data early, with its offset in this source */
};

/* A file, pipe or terminal.  `own`: close() closes fd.  `follow`: the end of a regular
 * file is waited at until it grows or the watch stops.  `w` may be NULL;
 * `part` says what it is to whoever watches: what is read of all but SOURCE_OTHER goes into
 * w->bytes, and its size where w says. */
enum source_part { SOURCE_OTHER, SOURCE_MAIN, SOURCE_BESIDE };
struct source *source_fd(int fd, bool own, bool follow, struct watch *w,
			 enum source_part part);

/* A source that gives what `inner` gives, and writes it to the copy (copied.h), which is borrowed.
 * Takes inner over. */
struct input_copy;
struct source *source_copied(struct source *inner, struct input_copy *to);

/* The source that decompresses what `inner` gives, when it begins like gzip, zstd or
 * xz; otherwise one that gives the same bytes.  Takes inner over. */
struct source *source_inflate(struct source *inner);

/* A source that reads `inner`, which never waits for more to come, ahead on a thread of its own;
 * inner itself where there can be none.  Takes inner over, which has refused nothing. */
struct source *source_ahead(struct source *inner);

/* A source over `inner` that can seek back: it writes what it reads to an unlinked
 * temporary file.  The first `len` bytes have been read already.  NULL, and inner stays
 * the caller's, when there is no room for such a file. */
struct source *source_keep(struct source *inner, const void *start, size_t len);

/* All n bytes of a file at an offset, for read_at(). */
static inline bool
source_pread(int fd, uint64_t at, void *out, size_t n)
{
	for (size_t done = 0; done < n;) {
		if (at > INT64_MAX || done > INT64_MAX - at)
			return false;
		ssize_t got = pread(fd, (char *)out + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

#endif
