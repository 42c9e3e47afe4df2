/* fuzz.h - shared by the fuzzers of commands, texts and symbols: promises that are checked in
 * pnav's output, a scratch folder, and choices made by bytes.
 *
 * Each fuzz_NAME.c defines libFuzzer's entry and fuzz_choices.  With --enable-fuzzing it is
 * linked with libFuzzer as fuzz_NAME; always with replay.c as replay_NAME, which runs files. */
#ifndef PNAV_TESTS_FUZZ_FUZZ_H
#define PNAV_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Number of bytes at the end of an input that are not data and choose the action.  replay adds
 * them to files, which have none. */
extern const size_t fuzz_choices;

/* Prints the fault and the text around `where`; aborts. */
_Noreturn void fuzz_broken(const char *what, const char *text, size_t len, size_t where);

/* Text for people: valid UTF-8, no control character but the line feed, nothing that
 * turns the direction of writing or takes no room unseen. */
void fuzz_check_shown(const char *what, const char *text, size_t len);
/* The same for text that programs and people read, except for invisible characters, which CSV
 * and JSON keep unchanged. */
void fuzz_check_plain(const char *what, const char *text, size_t len);
/* That, of messages: lines that begin `pnav: `, and not many. */
void fuzz_check_messages(const char *text, size_t len);
/* That, of one message without its line end. */
void fuzz_check_message(const char *what, const char *text);
/* JSON as jansson reads it, where there is jansson. */
void fuzz_check_json(const char *text, size_t len);
/* Rows of as many fields as the header, quoted as RFC 4180 says. */
void fuzz_check_csv(const char *text, size_t len);

/* The working folder is one of this process, which goes at its end, from enter to leave;
 * libFuzzer's own files are where they were.  fuzz_write() makes a file there, and gives
 * false when there is no room. */
void fuzz_enter(void);
void fuzz_leave(void);
bool fuzz_write(const char *name, const void *bytes, size_t len);

/* Captures stdout and stderr in memory, between begin and end; fuzz_catch_release() frees the
 * captured text. */
struct fuzz_caught {
	char *out, *err;
	size_t out_len, err_len;
	FILE *real_out, *real_err;
};
void fuzz_catch_begin(struct fuzz_caught *c);
void fuzz_catch_end(struct fuzz_caught *c);
void fuzz_catch_release(struct fuzz_caught *c);

/* Choices: a byte each, 0 when there are no more. */
struct fuzz_chooser {
	const uint8_t *at;
	size_t left;
};

static inline unsigned
fuzz_choose(struct fuzz_chooser *c, unsigned n)
{
	if (!c->left)
		return 0;
	c->left--;
	return *c->at++ % n;
}

#endif
