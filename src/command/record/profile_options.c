/* profile(1), "SYNOPSIS": letters follow one dash (-adin0).  The value of -#, -m, -o, -f, -I
 * and -X follows the letter at once (-#3, -mFILE) or is the next word.  Options end at the
 * first word without a dash; the rest is the command.
 *
 * In the document, -? and -$ helped to find where DOS would load a program.  The kernel reports
 * this now, so they are illegal.  A single dash is not an option either. */
#include "src/command/record/profile_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/buf.h"
#include "model/lens/words.h"
#include "src/whole.h"

void
profile_options_init(struct profile_options *o)
{
	memset(o, 0, sizeof *o);
	o->runs = 1;
	lens_init(&o->filter);
}

void
profile_options_release(struct profile_options *o)
{
	lens_release(&o->filter);
}

static bool
illegal(const char *option, struct err *e)
{
	return err_usage(e, "Illegal command line option: `%s'", option);
}

/* A device has no end. */
#define SPEC_MAX (16u << 20)

static bool
read_spec(struct lens *l, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	FILE *f = fopen(path, "re");
	if (!f)
		return err_usage(e, "Cannot open filter specification `%s': %s", path,
				 strerror(errno));
	bool good = (whole_read(f, SPEC_MAX, &text) && text.len <= SPEC_MAX) ||
		    err_usage(e, "Cannot read filter specification `%s'", path);
	fclose(f);
	good = good && lens_read_spec(l, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return good;
}

static bool
read_runs(const char *text, unsigned long *runs, struct err *e)
{
	char *end;
	errno = 0;
	*runs = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *runs)
		return true;
	struct buf option = BUF_INIT;
	buf_addf(&option, "-#%s", text);
	illegal(buf_str(&option), e);
	buf_release(&option);
	return false;
}

static bool
set_value(struct profile_options *o, char letter, const char *value, struct err *e)
{
	switch (letter) {
	case '#':
		return read_runs(value, &o->runs, e);
	case 'm':
		o->map = value;
		return true;
	case 'o':
		o->out = value;
		return true;
	case 'f':
		return read_spec(&o->filter, value, e);
	default:
		return lens_add(&o->filter, letter == 'I' ? VERB_INCLUDE : VERB_EXCLUDE,
				value, strlen(value), e);
	}
}

static bool
set_flag(struct profile_options *o, char letter)
{
	switch (letter) {
	case 'a':
		o->by_address = true;
		o->by_name = false;
		return true;
	case 'n':
		o->by_name = true;
		o->by_address = false;
		return true;
	case 'd':
		return o->areas = true;
	case 'i':
		return o->intrinsics = true;
	case '0':
		return o->zero = true;
	default:
		return false;
	}
}

/* Reads one word of letters at *i; skips a value in the next word. */
static bool
read_cluster(struct profile_options *o, int argc, char **argv, int *i, struct err *e)
{
	for (const char *at = argv[*i] + 1; *at; at++) {
		char letter = *at;
		if (set_flag(o, letter))
			continue;
		if (!strchr("#mofIX", letter)) {
			char name[] = {letter, '\0'};
			return illegal(name, e);
		}
		if (at[1])
			return set_value(o, letter, at + 1, e);
		if (*i + 1 >= argc)
			return illegal(argv[*i], e);
		return set_value(o, letter, argv[++*i], e);
	}
	return true;
}

bool
profile_options_read(struct profile_options *o, int argc, char **argv, struct err *e)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--help"))
			return o->help = true;
		if (!strcmp(argv[i], "--version"))
			return o->version = true;
		if (argv[i][1] == '-')
			return illegal(argv[i], e);
		if (!read_cluster(o, argc, argv, &i, e))
			return false;
	}
	if (i >= argc)
		return err_usage(e, "No command specified for profiling");
	o->argv = argv + i;
	return true;
}

bool
sampler_named(const char *name, enum collect_sampler *out)
{
	if (!name || !*name || !strcmp(name, "any"))
		*out = COLLECT_ANY;
	else if (!strcmp(name, "perf"))
		*out = COLLECT_PERF;
	else if (!strcmp(name, "ptrace"))
		*out = COLLECT_PTRACE;
	else
		return false;
	return true;
}
