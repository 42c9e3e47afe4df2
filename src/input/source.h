/* source.h - sources of bytes for an input; for src/input and src/load.c alone.
 *
 * Sources are stacked: a file at the bottom, perhaps a decompressor over it, perhaps a store over
 * that which remembers all bytes. The input (input.h) puts a window on the top one. A source owns
 * the one below it. */
#ifndef PNAV_SRC_INPUT_SOURCE_H
#define PNAV_SRC_INPUT_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <unistd.h>

#include "model/base/err.h"

/* The link between the thread that reads and the one that started it. All callbacks run on the
 * reading thread; `give` and `take` bracket a wait of unknown length. */
#define LATER_ALL 65536u
struct watch {
	atomic_bool stop;       /* end early */
	_Atomic uint64_t bytes; /* read so far, counted before decompression */
	_Atomic uint64_t size;  /* of the file on disk, and of the files beside it that were opened;
				 * 0 if unknown */
	_Atomic uint64_t beside; /* of the files beside it alone */
	/* For a decoder that reads all data several times: how many times (input_passes()), the
	 * uncompressed length of the data, and how many bytes were read again. */
	_Atomic uint64_t passes, length, again;
	/* For a decoder that works after reading: the percentage of the time that this takes
	 * (input_later()), and how much of it is done, in units of 1/LATER_ALL. */
	_Atomic unsigned later, later_done;
	int wake_fd;            /* becomes readable when `stop` is set; or -1 */
	int silence_s;          /* how long a server may be silent; see struct url_request */
	void (*breathe)(struct watch *w); /* lets threads that wait for the profile use it */
	void (*give)(struct watch *w);
	void (*take)(struct watch *w);
	bool looked; /* the profile was displayed while it is read, and may be again */
	/* The decoder's callback (input_when_idle()): runs before waits, and while the profile is
	 * displayed. */
	void (*idle)(void *ctx);
	void *idle_ctx;
	int64_t idle_after_ms; /* not before this time */
};

/* Returns true if reading should end early; w may be NULL. */
static inline bool
watch_stops(const struct watch *w)
{
	return w && atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* Lets the decoder append what it has, unless it did so recently. Returns the time in ms until the
 * next call, -1 for none. Runs on the decoder's thread. */
int watch_show(struct watch *w);

struct source;
struct source_ops {
	/* Reads 1..n bytes; 0 at the end, when stopped, and after a fault. */
	size_t (*read)(struct source *s, void *out, size_t n);
	/* Reads all n bytes at `offset`, or returns false. NULL if unsupported. */
	bool (*read_at)(struct source *s, uint64_t offset, void *out, size_t n);
	/* Sets the position of the next read; false beyond the end. NULL if unsupported. */
	bool (*seek)(struct source *s, uint64_t offset);
	/* Returns true if a read need not wait; waits up to timeout_ms for that. NULL: always. */
	bool (*ready)(struct source *s, int timeout_ms);
	/* Returns the size of all data, 0 if unknown. NULL: never known. */
	uint64_t (*size)(struct source *s);
	void (*close)(struct source *s);
	bool shared; /* read_at() may be called on several threads, also during a read() */
};

struct source {
	const struct source_ops *ops;
	struct err fault; /* the fault that ended the data early, with its offset in this source */
};

/* Returns a source over a file, pipe or terminal. `own`: close() closes fd. `follow`: waits at the
 * end of a regular file until it grows or the watch stops. `w` may be NULL. `part` selects the
 * counters of the watch: all but SOURCE_OTHER add to w->bytes and to its size. */
enum source_part { SOURCE_OTHER, SOURCE_MAIN, SOURCE_BESIDE };
struct source *source_fd(int fd, bool own, bool follow, struct watch *w,
			 enum source_part part);

/* Returns a source with the bytes of `inner` that also writes them to the copy (copied.h), which is
 * borrowed. Takes ownership of inner. */
struct input_copy;
struct source *source_copied(struct source *inner, struct input_copy *to);

/* Returns a source that decompresses `inner` if it begins like gzip, zstd, xz or lz4; otherwise one
 * with the same bytes. Takes ownership of inner. */
struct source *source_inflate(struct source *inner);

/* Returns a source that reads ahead on a thread of its own. `inner` must not wait for a file to
 * grow, and must not have a fault. Returns inner itself if no thread can be started. Takes
 * ownership of inner. */
struct source *source_ahead(struct source *inner);

/* Returns a source of the same bytes that another thread may read while `of` is read; NULL unless
 * `of` is a regular file, neither followed nor empty. Does not own `of`. It ends when `w` stops. */
struct source *source_part(struct source *of, struct watch *w);

/* Returns a source over `inner` that can seek back: it writes what it reads to an unlinked
 * temporary file. The first `len` bytes have been read already. If the file cannot be written, the
 * source ends there, with a fault. Owns inner. */
struct source *source_keep(struct source *inner, const void *start, size_t len);

/* Reads all n bytes of a file at an offset, for read_at(). */
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
