/* input.h - the bytes that a decoder pulls.
 *
 * A decoder sees one window of contiguous bytes and asks for more; where they come from
 * (file, pipe, gzip, zstd, a file that still grows), how many were read, and who else
 * wants to look at the profile meanwhile, it does not know.
 *
 *	while (input_need(in, 8)) {             -- at least 8 bytes, or the end
 *		const uint8_t *p = input_at(in);
 *		...
 *		input_skip(in, 8);
 *	}
 *
 * Offsets count from the first byte of the uncompressed data.  Files are read into a
 * window that slides, not mapped: a mapped file that somebody truncates kills its
 * reader, and fresh pages cost more than the copy.
 *
 * Refilling hands the profile's lock to a reader that waits for it (src/load.h); a
 * decoder that works long without pulling calls input_breathe(). */
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

/* How the command line wants files to be read. */
struct format_options {
	const char *decoder; /* the name of the only one to be tried, or NULL */
	bool explain;        /* say what a store would be asked, and ask nothing */
	bool follow;         /* wait at the end of a regular file for it to grow */
	bool debuginfod;     /* servers may be asked for symbols */
	bool no_demangle;    /* names of C++ and Rust stay as the compiler wrote them */
	bool match_paths;    /* functions of two files are one only where their paths are equal */
	struct embedding *embedding; /* a recording's decoder notes there what it looks up */
	int silence_s;       /* how long a server may be silent: as in struct url_request */
	struct input_copy *copy; /* what can be read only once goes there, too; or NULL */
	struct {
		const char **at;
		size_t n, cap;
	} symbols; /* folders with symbols */
	struct given given;  /* what formats bring: input_option() */
};

/* The window: at least as many bytes as the last input_need() promised. */
const uint8_t *input_at(const struct input *in);
size_t input_have(const struct input *in);
/* All three in one: the window, how much of it there is, and its offset. */
const uint8_t *input_window(const struct input *in, size_t *have, uint64_t *offset);
/* Makes the window at least n bytes; false when the input ends before (what is there
 * stays readable).  Moves the window: pointers into it are void.  Windows grow up to
 * INPUT_WINDOW_MAX; n beyond that is false. */
bool input_need(struct input *in, size_t n);
/* The same, but once there is something does not wait longer for more than
 * `patience_ms`.  False when the input ended, or the wait did. */
bool input_need_soon(struct input *in, size_t n, int patience_ms);
/* As many bytes as one read gives, at least one more than now; false at the end. */
bool input_more(struct input *in);
/* Steps over n bytes of the window, n <= input_have(). */
void input_skip(struct input *in, size_t n);
/* Steps over n bytes that need not be in the window; false when the input ends before. */
bool input_discard(struct input *in, uint64_t n);
/* Steps over a byte-order mark of UTF-8, where the window begins with one.  Lines (lines.h,
 * input_line()), JSON documents and heads do so at the beginning of an input: no decoder has to. */
void input_skip_bom(struct input *in);
/* The first byte of a text that is no blank; what stands before it is stepped over.  NUL at the
 * end. */
char input_first(struct input *in);
/* Offset of input_at(). */
uint64_t input_offset(const struct input *in);
/* The next line without its end ("\n" or "\r\n"): *len bytes at the result, valid until
 * the next call.  NULL at the end.  *ended tells whether it had a line end.  A line
 * longer than INPUT_WINDOW_MAX comes in pieces, *ended false for all but the last. */
const char *input_line(struct input *in, size_t *len, bool *ended);

/* Size of all the data when that is known before the end, else 0. */
uint64_t input_size(const struct input *in);
/* The user stopped the loading: a decoder seeing an early end need not complain. */
bool input_stopped(const struct input *in);
/* What ended the input early, or NULL: a compressed stream that is cut, a read error. 
 * It is reported after the decoder by whoever loads; a decoder that could take the last
 * bytes for more than they are asks. */
const struct err *input_fault(const struct input *in);
void input_breathe(struct input *in);
/* Somebody looks at the profile while it is read: what can be shown before the end should be. */
bool input_looked_at(const struct input *in);
/* Before the input waits for bytes that are not there yet (of a pipe, of a file that is
 * followed), and before any bytes while somebody looks at the profile, work(ctx) is called, which
 * may append to the profile and pulls nothing; no more often than it keeps a tenth of the time
 * for itself.  NULL: nothing is, as when the decoder returns. */
void input_when_idle(struct input *in, void (*work)(void *ctx), void *ctx);
/* Brackets work of unknown length that touches nothing of the profile (symbols of a file that
 * was not opened yet): others may look at it meanwhile. */
void input_give(struct input *in);
void input_take(struct input *in);

/* ---- random access, for formats with offsets ---- */
/* From now on nothing is forgotten, so that input_read_at() works on pipes too.  Call
 * before the first input_skip(). */
void input_keep(struct input *in);
/* Copies n bytes at `offset`; false when the input does not have them. */
bool input_read_at(struct input *in, uint64_t offset, void *out, size_t n);
/* Moves the window to `offset`; backwards only where it can be (kept, or a plain
 * file). */
bool input_seek(struct input *in, uint64_t offset);
/* All of the data is read n times from its beginning, by seeking back there: whoever watches
 * sees how much of that is done.  May be said again, when more is known. */
void input_passes(struct input *in, unsigned n);

/* What is done when all is read takes about `percent` of all the time, below 100: whoever watches
 * sees so much left to do then, until input_later_done() says that it is less. */
void input_later(struct input *in, unsigned percent);
/* `done` of `all` (of any unit) of that is over. */
void input_later_done(struct input *in, uint64_t done, uint64_t all);

/* ---- around the file ---- */
/* The file's name as the user gave it, "-" for standard input. */
const char *input_name(const struct input *in);
/* The length of a file's name without .gz, .zst or .xz. */
size_t input_bare_len(const char *name);
/* Another file beside this one: its directory and base name with the extension replaced
 * by (or, when `append`, followed by) `ext` in any case ("map": x.MAP, x.map).  A new
 * input to be closed with input_close(), or NULL when there is none. */
struct input *input_open_beside(struct input *in, const char *ext, bool append);
/* One of this name in the same directory, or NULL. */
struct input *input_open_named(struct input *in, const char *name);
/* Where that is; false where there is no such place. */
struct buf;
bool input_path_beside(const struct input *in, const char *name, struct buf *path);
/* A file by path, decompressed if need be; NULL with refusal in *e. */
struct input *input_open(const char *path, struct err *e);
/* The same with the command line's options, which are borrowed. */
struct input *input_open_with(const char *path, const struct format_options *options,
			      struct err *e);
/* A borrowed run of bytes, for tests and fuzzers; `name` is copied. */
struct input *input_open_bytes(const void *bytes, size_t len, const char *name);
/* The same of bytes that lie at `offset` of some other input: offsets count from there. */
struct input *input_open_bytes_at(const void *bytes, size_t len, const char *name,
				  uint64_t offset);
void input_close(struct input *in);
/* The compression that this build undoes, by name, one after the other; NULL behind the
 * last. */
const char *input_compression(size_t i);
const struct format_options *input_options(const struct input *in);
/* The value of an option that the format has brought (decoder.h): NULL when it was not
 * given, "" when it takes none. */
const char *input_option(const struct input *in, const char *name);

/* ---- for whoever loads; source.h says what a source and a watch are ---- */
/* As input_open(); fd >= 0 is read instead of opening path; options and watch are
 * borrowed and may be NULL. */
struct input *input_open_watched(const char *path, int fd,
				 const struct format_options *options, struct watch *w,
				 struct err *e);
/* An input over a source, which it takes over. */
struct input *input_over(struct source *src, const char *name,
			 const struct format_options *options, struct watch *w);
struct watch *input_watch(const struct input *in);

#define INPUT_WINDOW_MAX (256u << 20)

#endif
