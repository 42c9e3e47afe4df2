/* input.h - the bytes of an input, which a decoder pulls.
 *
 * A decoder sees one window of contiguous bytes and asks for more. The input hides where they come
 * from (file, pipe, gzip, zstd, a file that still grows), how many were read, and whether another
 * thread displays the profile meanwhile.
 *
 *	while (input_need(in, 8)) {             -- at least 8 bytes, or the end
 *		const uint8_t *p = input_at(in);
 *		...
 *		input_skip(in, 8);
 *	}
 *
 * Offsets count from the first byte of the uncompressed data. Files are read into a sliding window,
 * not mapped: truncating a mapped file kills its reader, and fresh pages cost more than the copy.
 *
 * A refill hands the profile's lock to a waiting reader (src/load.h). A decoder that computes for
 * long without pulling calls input_breathe(). */
#ifndef PNAV_SRC_INPUT_INPUT_H
#define PNAV_SRC_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/option.h"

struct input;
struct source;
struct watch;
struct embedding;
struct input_copy;

/* Options of the command line that concern reading. */
struct format_options {
	const char *decoder; /* the name of the only decoder to try, or NULL */
	bool explain;        /* print the query for a store instead of sending it */
	bool follow;         /* wait at the end of a regular file for it to grow */
	bool debuginfod;     /* debuginfod servers may be queried for symbols */
	bool no_demangle;    /* C++ and Rust names stay mangled */
	bool align_clocks;   /* several files are laid on one time of day */
	bool match_paths;    /* functions of two files are equal only if their paths are */
	/* collects the answers that the decoder of a recording looks up */
	struct embedding *embedding;
	int silence_s;       /* how long a server may be silent; see struct url_request */
	struct input_copy *copy; /* receives an input that can be read only once; or NULL */
	struct {
		const char **at;
		size_t n, cap;
	} symbols; /* folders with symbols */
	struct given given;  /* options that formats define: input_option() */
};

/* Returns the window; it has at least as many bytes as the last input_need() promised. */
const uint8_t *input_at(const struct input *in);
size_t input_have(const struct input *in);
/* Returns the window, its length and its offset. */
const uint8_t *input_window(const struct input *in, size_t *have, uint64_t *offset);
/* Extends the window to at least n bytes. Returns false if the input ends before; the remaining
 * bytes stay readable. May move the window, which invalidates pointers into it. n must not exceed
 * INPUT_WINDOW_MAX; beyond that the result is false. */
bool input_need(struct input *in, size_t n);
/* The same, but once the window is not empty, waits for at most `patience_ms`. Returns false if the
 * input ended or the time is over. */
bool input_need_soon(struct input *in, size_t n, int patience_ms);
/* Extends the window by one read, at least one byte. Returns false at the end. */
bool input_more(struct input *in);
/* Steps over n bytes of the window, n <= input_have(). */
void input_skip(struct input *in, size_t n);
/* Steps over n bytes that need not be in the window. Returns false if the input ends before. */
bool input_discard(struct input *in, uint64_t n);
/* Steps over a byte-order mark of UTF-8 at the beginning of the window. Lines (lines.h,
 * input_line()), JSON documents and probes already do so at the beginning of an input; decoders
 * need not. */
void input_skip_bom(struct input *in);
/* Steps over blanks and returns the first byte that is none; NUL at the end. */
char input_first(struct input *in);
/* Returns the offset of input_at(). */
uint64_t input_offset(const struct input *in);
/* Returns the next line without its end ("\n" or "\r\n") and sets *len; valid until the next call.
 * NULL at the end. Sets *ended if the line has an end. A line longer than INPUT_WINDOW_MAX is
 * returned in pieces, and *ended is false for all but the last. */
const char *input_line(struct input *in, size_t *len, bool *ended);

/* Returns the size of the uncompressed data if it is known before the end, else 0. */
uint64_t input_size(const struct input *in);
/* Returns true if the user has stopped the loading. A decoder then need not report the early
 * end. */
bool input_stopped(const struct input *in);
/* Returns the fault that ended the input early, such as a truncated compressed stream or a read
 * error; NULL if there is none. load.c reports it after the decoder returns. A decoder calls this
 * if it could otherwise misread a truncated last record. */
const struct err *input_fault(const struct input *in);
void input_breathe(struct input *in);
/* Returns true if the profile is displayed while it is read; a decoder should then show early what
 * it can. */
bool input_looked_at(const struct input *in);
/* Sets a callback that appends pending events to the profile. The input calls work(ctx) before it
 * waits for bytes (of a pipe, of a file that is followed), and before any read while the profile is
 * displayed, but never spends more than a tenth of the time there. The callback must not pull
 * bytes. A decoder passes NULL before it returns. */
void input_when_idle(struct input *in, void (*work)(void *ctx), void *ctx);
/* Bracket work of unknown length that does not touch the profile, such as reading the symbols of
 * another file. Readers may use the profile meanwhile. */
void input_give(struct input *in);
void input_take(struct input *in);

/* ---- random access, for formats with offsets ---- */
/* Keeps all bytes from now on, so that input_read_at() works on pipes, too. Call it before the
 * first input_skip(). */
void input_keep(struct input *in);
/* Copies n bytes at `offset`. Returns false if the input does not have them. */
bool input_read_at(struct input *in, uint64_t offset, void *out, size_t n);
/* Moves the window to `offset`; backwards only in a kept input or a plain file. */
bool input_seek(struct input *in, uint64_t offset);
/* Announces that the decoder reads all data n times, seeking back to the beginning; progress
 * accounts for it. May be called again with a better number. */
void input_passes(struct input *in, unsigned n);

/* Reserves `percent` (below 100) of the progress for work after reading, until input_later_done()
 * reports less. */
void input_later(struct input *in, unsigned percent);
/* Reports that `done` of `all` units of that work are done. */
void input_later_done(struct input *in, uint64_t done, uint64_t all);

/* ---- reading a file in parts (src/load_parts.h) ---- */
/* Reads only up to `offset` at first, which is not before the end of the window. When the decoder
 * asks for more bytes there, calls next(ctx, in), which may input_seek() if the window is empty,
 * and sets the next limit; UINT64_MAX: none. If it leaves the limit, the input ends there. */
void input_limit(struct input *in, uint64_t offset, void (*next)(void *ctx, struct input *in),
		 void *ctx);
/* Returns the number of lines before the window, which lines.h keeps. */
uint64_t *input_lines(struct input *in);
/* Opens the bytes of a regular file again, for another thread. Returns NULL for other inputs, and
 * if the file has been emptied. `in` must stay open, but may be read meanwhile. */
struct input *input_open_part(const struct input *in);
/* Counts bytes as read that were read through such an input. */
void input_has_read(struct input *in, uint64_t bytes);

/* ---- around the file ---- */
/* Returns the name of the file as the user gave it; "-" for standard input. */
const char *input_name(const struct input *in);
/* Returns the length of a file's name without .gz, .zst, .xz or .lz4. */
size_t input_bare_len(const char *name);
/* Opens another file beside this one: its name with the extension replaced by `ext` (or followed by
 * it, if `append`), in any case ("map": x.MAP, x.map). Close it with input_close(). NULL if there
 * is none. */
struct input *input_open_beside(struct input *in, const char *ext, bool append);
/* Opens the file of this name in the same directory; NULL if there is none. */
struct input *input_open_named(struct input *in, const char *name);
/* Where that is; false where there is no such place. */
struct buf;
bool input_path_beside(const struct input *in, const char *name, struct buf *path);
/* Appends the names in the same directory that begin with `prefix`, sorted, each with a NUL. */
void input_names_beside(const struct input *in, const char *prefix, struct buf *names);
/* Opens a file by path and decompresses it if necessary. NULL with a refusal in *e. */
struct input *input_open(const char *path, struct err *e);
/* The same with the options of the command line, which are borrowed. */
struct input *input_open_with(const char *path, const struct format_options *options,
			      struct err *e);
/* Opens len borrowed bytes, for tests and fuzzers. `name` is copied. */
struct input *input_open_bytes(const void *bytes, size_t len, const char *name);
/* The same for bytes that lie at `offset` of another input; offsets count from its beginning. */
struct input *input_open_bytes_at(const void *bytes, size_t len, const char *name,
				  uint64_t offset);
void input_close(struct input *in);
/* Returns the name of the i-th compression that this build supports; NULL after the last. */
const char *input_compression(size_t i);
const struct format_options *input_options(const struct input *in);
/* Returns the value of an option that the format defines (decoder.h); NULL if it was not given, ""
 * if it takes no value. */
const char *input_option(const struct input *in, const char *name);

/* ---- for load.c; source.h describes sources and watches ---- */
/* As input_open(), but reads fd if it is not negative. options and watch are borrowed and may be
 * NULL. */
struct input *input_open_watched(const char *path, int fd,
				 const struct format_options *options, struct watch *w,
				 struct err *e);
/* Returns an input over a source and takes ownership of the source. */
struct input *input_over(struct source *src, const char *name,
			 const struct format_options *options, struct watch *w);
struct watch *input_watch(const struct input *in);

#define INPUT_WINDOW_MAX (256u << 20)

#endif
