/* One command folds one lens once: whole commands run in this process, and the linker brings each
 * call of tally_count() and projection_paced() here (--wrap in Makemodule.am).  No command may
 * count the same slice of the same profile twice for one tree, nor make that tree twice. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/fold/fold.h"
#include "model/lens/words.h"
#include "src/command/command.h"
#include "tests/lib/unit.h"

#define WORK_MAX 64
#define WORDS_MAX 16

/* The work since forget(), one line each. */
static struct {
	char *line[WORK_MAX];
	unsigned n;
	struct buf shape; /* of the tree that was made last */
} done;

static void
forget(void)
{
	while (done.n)
		free(done.line[--done.n]);
	buf_release(&done.shape);
	done.shape = (struct buf)BUF_INIT;
}

/* How often something was done that had been done before. */
static unsigned
repeated(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < done.n; i++)
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(done.line[i], done.line[k])) {
				fprintf(stderr, "# twice: %s\n", done.line[i]);
				n++;
				break;
			}
	return n;
}

static void
remember(struct buf *line)
{
	ck_assert_uint_lt(done.n, WORK_MAX);
	done.line[done.n++] = strdup(buf_str(line));
	buf_release(line);
}

void __real_tally_count(struct tally *t, const struct profile *p, const struct slice *s);
void __wrap_tally_count(struct tally *t, const struct profile *p, const struct slice *s);
struct projection *__real_projection_paced(const struct profile *p, const struct lens *l,
					   const struct tally *recorded, uint32_t nodes_max,
					   const struct first_rows *first, struct pace *pace);
struct projection *__wrap_projection_paced(const struct profile *p, const struct lens *l,
					   const struct tally *recorded, uint32_t nodes_max,
					   const struct first_rows *first, struct pace *pace);

void
__wrap_tally_count(struct tally *t, const struct profile *p, const struct slice *s)
{
	struct buf line = BUF_INIT;

	buf_addf(&line, "tally of profile %llu: metric %u", (unsigned long long)p->names.serial,
		 (unsigned)s->metric);
	if (!s->whole)
		buf_addf(&line, " from %lld to %lld", (long long)s->from, (long long)s->to);
	for (track_id i = 0; s->tracks && i < p->n_tracks; i++)
		if (!s->tracks[i])
			buf_addf(&line, " without %u", (unsigned)i);
	buf_addf(&line, " for the %s", buf_str(&done.shape));
	remember(&line);
	__real_tally_count(t, p, s);
}

struct projection *
__wrap_projection_paced(const struct profile *p, const struct lens *l, const struct tally *recorded,
			uint32_t nodes_max, const struct first_rows *first, struct pace *pace)
{
	struct buf line = BUF_INIT;
	struct lens shape;

	lens_copy(&shape, l);
	lens_set_metric(&shape, "any");
	buf_addf(&line, "tree of profile %llu:", (unsigned long long)p->names.serial);
	lens_write_options(&shape, &line);
	lens_release(&shape);
	buf_reset(&done.shape);
	buf_add(&done.shape, line.at, line.len);
	remember(&line);
	return __real_projection_paced(p, l, recorded, nodes_max, first, pace);
}

/* Runs `pnav WORDS FILE` with nothing on standard output. */
static void
run(const char *words, const char *file)
{
	const char *top = getenv("top_srcdir");
	char text[512], path[512], *argv[WORDS_MAX];
	int argc = 0;

	snprintf(text, sizeof text, "%s", words);
	snprintf(path, sizeof path, "%s/%s", top ? top : ".", file);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc++] = path;
	argv[argc] = NULL;
	const struct command *c = command_named(argv[0]);
	ck_assert_ptr_nonnull(c);
	fflush(stdout);
	int out = dup(1), nothing = open("/dev/null", O_WRONLY);
	dup2(nothing, 1);
	forget();
	int status = c->run(c, argc, argv);
	fflush(stdout);
	dup2(out, 1);
	close(out);
	close(nothing);
	ck_assert_msg(!status, "%s: %d", words, status);
}

struct asked {
	const char *words;
	unsigned tallies; /* one a metric that is written */
};

static const struct asked asked[] = {
	{"report", 1},
	{"report --format json", 1},
	{"report --view tree --format csv", 1},
	{"report --view tree --hide ZSTD", 2}, /* and one without the filter: symbols */
	{"report --view tree --format json --hide ZSTD", 2},
	{"report --view info", 1},
	{"export --format csv -o -", 1},
	{"export --format json -o -", 1},
	{"export --format json --view tree -o -", 1},
	{"export --format json --hide ZSTD -o -", 2},
	{"export --format folded -o -", 1},
	{"export --format svg -o -", 1},
	{"export --format dot -o -", 1},
	{"export --format speedscope -o -", 1},
	{"export --format chrome -o -", 1},
	{"export --format sqlite -o -", 2},
};

START_TEST(once)
{
	const struct asked *a = &asked[_i];
	unsigned tallies = 0;

	run(a->words, "data/sample.perfscript.gz");
	for (unsigned i = 0; i < done.n; i++)
		tallies += !strncmp(done.line[i], "tally", 5);
	ck_assert_msg(!repeated(), "%s", a->words);
	ck_assert_msg(tallies == a->tallies, "%s: %u tallies", a->words, tallies);
	forget();
}
END_TEST

/* This test counts the work itself. */
START_TEST(twice)
{
	run("report", "data/sample.perfscript.gz");
	unsigned n = done.n;
	ck_assert_uint_gt(n, 1);
	for (unsigned i = 0; i < n; i++)
		done.line[done.n++] = strdup(done.line[i]);
	ck_assert_uint_eq(repeated(), n);
	forget();
}
END_TEST

UNIT_ALONE(foldonce)
{
	Suite *s = suite_create("foldonce");
	TCase *t = tcase_create("commands");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, once, 0, sizeof asked / sizeof *asked);
	tcase_add_test(t, twice);
	suite_add_tcase(s, t);
	return s;
}
