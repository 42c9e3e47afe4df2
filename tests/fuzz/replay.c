/* replay_NAME [-m] [-n VARIANTS] [-s FIRST] [-w FOLDER] [-t SECONDS] [-u SECONDS] FILE...
 *
 * The driver of a fuzzer without libFuzzer: runs its entry over files, so make check runs every
 * seed with any compiler.
 *
 * If the fuzzer takes choices at the end of its input, each FILE is run VARIANTS times with choices
 * from a generator seeded with the variant's number, so variant 7 of a file is always the same.  -n
 * 0 runs the files as they are, as libFuzzer left them.  `good FILE` on stdout follows the last
 * variant of a file.  -w writes the inputs into FOLDER, as an
 * initial corpus.  -m changes each file before a variant in a way that keeps its form (mutate.h);
 * variant 0 changes nothing.  -u continues with higher variants of all files until SECONDS have
 * passed, and prints the number of runs at the end. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/mutate.h"

#define FILE_BYTES_MAX (1u << 20)
#define CHOICES_MAX 64u
#define PAIRS 10u
#define CHANGES_MAX 4u

struct replay {
	const char *folder;
	unsigned long variants, first;
	unsigned seconds, until;
	bool mutates;
	unsigned long ran;
};

static void
choose(uint8_t *out, size_t n, unsigned long number)
{
	uint64_t x = (number + 1) * 0x9E3779B97F4A7C15u;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		out[i] = (uint8_t)(x >> 24);
	}
	/* All pairs of the first two choices come soon. */
	if (n > 1) {
		out[0] = (uint8_t)(number / PAIRS);
		out[1] = (uint8_t)(number % PAIRS);
	}
}

static bool
keep(const struct replay *r, const char *path, unsigned long number, const uint8_t *bytes,
     size_t len)
{
	char name[PATH_MAX], *slash;
	int n = snprintf(name, sizeof name, "%s/", r->folder);
	int m = snprintf(name + n, sizeof name - (size_t)n, "%s-%lu", path, number);

	if (m >= (int)sizeof name - n)
		return false;
	while ((slash = strchr(name + n, '/')))
		*slash = '_';
	FILE *f = fopen(name, "wb");
	bool good = f && fwrite(bytes, 1, len, f) == len;
	if (!good)
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
	if (f)
		fclose(f);
	return good;
}

/* Runs an exact copy, so that sanitizers see an access one byte beyond it. */
static bool
run(const struct replay *r, const char *path, unsigned long number, const uint8_t *bytes,
    size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);

	if (!exact) {
		fprintf(stderr, "replay: out of memory\n");
		exit(2);
	}
	memcpy(exact, bytes, len);
	/* The last line identifies a crash. */
	printf("%s %lu\n", path, number);
	fflush(stdout);
	alarm(r->seconds);
	LLVMFuzzerTestOneInput(exact, len);
	alarm(0);
	free(exact);
	return true;
}

static bool
replay(struct replay *r, const char *path)
{
	static uint8_t bytes[FILE_BYTES_MAX + CHOICES_MAX];
	FILE *f = fopen(path, "rb");
	bool good = f != NULL;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	size_t len = fread(bytes, 1, FILE_BYTES_MAX, f);
	fclose(f);
	size_t choices = r->variants ? fuzz_choices : 0, whole = len;
	static uint8_t seed[FILE_BYTES_MAX];
	memcpy(seed, bytes, len);
	unsigned long n = choices || r->mutates ? r->variants : 1;
	for (unsigned long i = r->first; good && i < r->first + n; i++) {
		if (r->mutates) {
			uint64_t state = (i + 1) * 0x9E3779B97F4A7C15u;
			memcpy(bytes, seed, len = whole);
			for (unsigned k = i % (CHANGES_MAX + 1) + (i > CHANGES_MAX); i && k; k--)
				len = fuzz_mutate(bytes, len, FILE_BYTES_MAX, &state);
		}
		choose(bytes + len, choices, i);
		r->ran++;
		good = (r->folder ? keep : run)(r, path, i, bytes, len + choices);
	}
	return good;
}

int
main(int argc, char **argv)
{
	struct replay r = {.variants = 64, .seconds = 60};
	bool good = true;
	int option;

	while ((option = getopt(argc, argv, "mn:s:t:u:w:")) != -1) {
		switch (option) {
		case 'm':
			r.mutates = true;
			break;
		case 'u':
			r.until = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			r.variants = strtoul(optarg, NULL, 10);
			break;
		case 's':
			r.first = strtoul(optarg, NULL, 10);
			break;
		case 't':
			r.seconds = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'w':
			r.folder = optarg;
			break;
		default:
			return 2;
		}
	}
	/* A command that a fuzzer runs may parse options, too, and so change optind. */
	const int first = optind;
	time_t end = time(NULL) + r.until;
	do {
		for (int i = first; i < argc && (!r.until || time(NULL) < end); i++) {
			bool read = replay(&r, argv[i]);
			if (read && !r.until)
				printf("good %s\n", argv[i]);
			good &= read;
		}
		r.first += r.variants;
	} while (good && time(NULL) < end);
	printf("%lu runs\n", r.ran);
	return good ? 0 : 2;
}
