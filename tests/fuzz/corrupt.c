#include "tests/fuzz/fuzz_decode.h"

/* Damages files in many ways, systematic and random, without libFuzzer, and the same on every
 * machine:
 *
 *	corrupt [-c CUTS] [-f FORMAT] [-n CASES] [-s FIRST] [-t SECONDS] [-l] FILE...
 *
 * Each FILE is decoded whole, then cut after every byte (larger files than CUTS bytes, by default
 * 4,096, at CUTS places), and then CASES times with one to eight random edits.  Only the case's
 * number seeds the generator: case 4711 of a file is always the same bytes, and `-n 1 -s 4711` runs
 * it again.  Random damage that no probe recognises would test nothing, so the decoder is chosen
 * once, by the whole file or by -f.
 *
 * A crash must show its input: the current case is written to the file PNAV_FUZZ_CASE before each
 * load (a signal handler that prints was rejected: the sanitizers have their own).  An alarm ends a
 * case that hangs for SECONDS.  After each FILE its line on stdout is `good FILE` or, if no decoder
 * recognises it, `unknown FILE`; a FILE without a line ended the program.  -l lists the formats. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/decode/decoder.h"

/* The exit status for an unknown file: not one that a sanitizer uses. */
#define UNKNOWN 3
#define EDITS_MAX 8u
#define SEED_BYTES_MAX (1u << 20)

struct run {
	const struct decoder *decoder;
	const char *path, *name;
	uint8_t *seed;
	size_t len;
	uint8_t *work; /* room for twice the seed */
	unsigned long cuts, cases, first;
	unsigned seconds;
	int note; /* descriptor of the file with the current case, or -1 */
};

static uint64_t
next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x;
}

static size_t
below(uint64_t *state, size_t n)
{
	return n ? (size_t)(next_random(state) >> 11) % n : 0;
}

static void
load(const struct run *r, size_t len, const char *what, unsigned long number)
{
	char text[512];
	uint8_t *exact = malloc(len ? len : 1);
	int n = snprintf(text, sizeof text, "%s: %s %lu\n", r->path, what, number);

	if (!exact) {
		fprintf(stderr, "corrupt: out of memory\n");
		exit(2);
	}
	if (r->note >= 0 && n > 0)
		(void)!pwrite(r->note, text, strlen(text), 0),
			(void)!ftruncate(r->note, n);
	/* An exact copy, so that sanitizers see an access one byte beyond it. */
	memcpy(exact, r->work, len);
	alarm(r->seconds);
	fuzz_decode(r->decoder, exact, len, r->name);
	alarm(0);
	free(exact);
}

/* Applies one edit to the len bytes of r->work; returns the new length. */
static size_t
edit(const struct run *r, size_t len, uint64_t *state)
{
	static const uint8_t telling[] = {0x00, 0x01, 0x7F, 0x80, 0xFF,
					  '\n', ' ',  ';',  '"',  '%'};
	uint8_t *at = r->work;
	size_t where = below(state, len), n = 1 + below(state, 16);

	if (len == 0)
		return 0;
	if (n > len - where)
		n = len - where;
	switch (below(state, 8)) {
	case 0: /* flip a bit */
		at[where] ^= (uint8_t)(1u << below(state, 8));
		return len;
	case 1: /* set a byte */
		at[where] = (uint8_t)next_random(state);
		return len;
	case 2: /* set a byte with a meaning */
		at[where] = telling[below(state, sizeof telling)];
		return len;
	case 3: /* a run of ones, like huge sizes */
		memset(at + where, 0xFF, n);
		return len;
	case 4: /* remove bytes */
		memmove(at + where, at + where + n, len - where - n);
		return len - n;
	case 5: /* repeat bytes */
		if (len + n > 2 * r->len)
			return len;
		memmove(at + where + n, at + where, len - where);
		return len + n;
	case 6: /* copy bytes from elsewhere */
		memmove(at + where, at + below(state, len - n + 1), n);
		return len;
	default: /* remove the end */
		return len > 1 && below(state, 4) == 0 ? len - below(state, len) : len;
	}
}

static void
corrupt(const struct run *r)
{
	size_t step = r->len / r->cuts + 1;

	if (r->first == 0) {
		memcpy(r->work, r->seed, r->len);
		for (size_t cut = 0; cut < r->len; cut += step)
			load(r, cut, "cut at", cut);
		load(r, r->len, "whole", 0);
	}
	for (unsigned long i = r->first; i < r->first + r->cases; i++) {
		uint64_t state = (i + 1) * 0x9E3779B97F4A7C15u;
		size_t len = r->len;

		memcpy(r->work, r->seed, r->len);
		for (size_t edits = 1 + below(&state, EDITS_MAX); edits > 0; edits--)
			len = edit(r, len, &state);
		load(r, len, "case", i);
	}
}

static bool
read_seed(struct run *r)
{
	FILE *f = fopen(r->path, "rb");
	const char *slash = strrchr(r->path, '/');

	if (!f) {
		fprintf(stderr, "corrupt: %s: %s\n", r->path, strerror(errno));
		return false;
	}
	r->name = slash ? slash + 1 : r->path;
	r->seed = malloc(SEED_BYTES_MAX);
	r->work = malloc(2 * SEED_BYTES_MAX);
	if (!r->seed || !r->work) {
		fprintf(stderr, "corrupt: out of memory\n");
		fclose(f);
		return false;
	}
	r->len = fread(r->seed, 1, SEED_BYTES_MAX, f);
	fclose(f);
	return true;
}

static bool
choose_decoder(struct run *r)
{
	struct json_outline o;
	struct head head = head_of(r->seed, r->len, r->name, &o);
	struct err e;

	err_init(&e);
	r->decoder = decoder_for(head, &e);
	json_outline_release(&o);
	if (!r->decoder)
		fprintf(stderr, "corrupt: %s: %s\n", r->path, e.text);
	return r->decoder != NULL;
}

static unsigned long
number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end) {
		fprintf(stderr, "corrupt: %s is no number\n", text);
		exit(2);
	}
	return n;
}

int
main(int argc, char **argv)
{
	struct run r = {.cuts = 4096, .cases = 1000, .seconds = 20, .note = -1};
	const struct decoder *forced = NULL;
	const char *note = getenv("PNAV_FUZZ_CASE");
	int option, status = 0;

	while ((option = getopt(argc, argv, "c:f:n:s:t:l")) != -1) {
		switch (option) {
		case 'c':
			r.cuts = number(optarg);
			if (r.cuts == 0)
				r.cuts = 1;
			break;
		case 'f':
			forced = decoder_named(optarg);
			if (!forced) {
				fprintf(stderr, "corrupt: no format %s\n", optarg);
				return 2;
			}
			break;
		case 'n':
			r.cases = number(optarg);
			break;
		case 's':
			r.first = number(optarg);
			break;
		case 't':
			r.seconds = (unsigned)number(optarg);
			break;
		case 'l':
			for (size_t i = 0; decoders[i]; i++)
				puts(decoders[i]->name);
			return 0;
		default:
			return 2;
		}
	}
	if (note)
		r.note = open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	for (int i = optind; i < argc; i++) {
		r.path = argv[i];
		if (!read_seed(&r))
			return 2;
		r.decoder = forced;
		if (forced || choose_decoder(&r))
			corrupt(&r);
		else
			status = UNKNOWN;
		printf("%s %s\n", r.decoder ? "good" : "unknown", r.path);
		fflush(stdout);
		free(r.seed);
		free(r.work);
	}
	if (r.note >= 0)
		close(r.note);
	return status;
}
