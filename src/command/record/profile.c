/* profile.c - `pnav profile`, also run as `profile`: profile(1) of MS-DOS, for Linux.
 *
 * The command runs under the collector as often as -# says.  Each sample is a hit of a function
 * or an area, and the report is written beside the program.  The behaviour follows the original
 * document, including its messages; profile(1) lists the differences on this system:
 *
 * - The path names the program, and PATH is not searched: the report is written beside the program,
 * and a report beside /usr/bin/ls would be useless.
 * - Errors in the options, the program, the map and the output are reported before the command
 * runs.
 * - The profiler's own time is the time it used while the command ran, in periods. */
#include "model/base/escape.h"
#include "src/command/record/profile_report.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/base/mem.h"
#include "model/profile/frames.h"
#include "src/command/command.h"
#include "src/command/say.h"

#define PROFILE_HZ 997u /* prime: not in step with periodic work of the program */
#define STATUS_FAILED 1

struct run {
	struct profile_options options;
	char program[PATH_MAX];
	struct functions functions;
	struct hits *hits;
	int status; /* the command's status, as shells report it */
};

__attribute__((format(printf, 1, 2))) static bool
complain(const char *fmt, ...)
{
	char text[PATH_MAX + 256];
	struct buf shown = BUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	escape_shown(&shown, text, strlen(text), false);
	fprintf(stderr, "profile: %s\n", buf_str(&shown));
	buf_release(&shown);
	return false;
}

static void
out_of_memory(size_t bytes)
{
	(void)bytes;
	complain("Insufficient memory for function tables");
	exit(STATUS_FAILED);
}

/* ---- before the command runs ---- */

/* True if the program is on PATH, which the message then mentions. */
static bool
on_path(const char *name, char *out, size_t max)
{
	const char *path = getenv("PATH");
	while (path && *path && *name && !strchr(name, '/')) {
		size_t len = strcspn(path, ":");
		snprintf(out, max, "%.*s/%s", (int)len, path, name);
		if (len && !access(out, X_OK))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* Checks magic, word size, byte order and type of an ELF file. */
static bool
is_elf(const unsigned char *at)
{
	unsigned type = at[EI_DATA] == ELFDATA2LSB ? at[16] | at[17] << 8
						   : at[17] | at[16] << 8;
	return !memcmp(at, ELFMAG, SELFMAG) && at[EI_CLASS] >= ELFCLASS32 &&
	       at[EI_CLASS] <= ELFCLASS64 && at[EI_DATA] >= ELFDATA2LSB &&
	       at[EI_DATA] <= ELFDATA2MSB && (type == ET_EXEC || type == ET_DYN);
}

static bool
find_program(struct run *r)
{
	const char *name = r->options.argv[0];
	struct stat st;
	char other[PATH_MAX];
	if (!*name || stat(name, &st)) {
		complain("Cannot find executable `%s'", name);
		if (on_path(name, other, sizeof other))
			complain("PATH is not searched; say %s", other);
		return false;
	}
	if (S_ISDIR(st.st_mode))
		return complain("`%s' is a directory", name);
	if (!realpath(name, r->program))
		return complain("Cannot find executable `%s'", name);
	unsigned char magic[18] = "";
	FILE *f = fopen(r->program, "re");
	size_t n = f ? fread(magic, 1, sizeof magic, f) : 0;
	if (f)
		fclose(f);
	/* an unreadable file may be executable; then only a map has its functions */
	if (!f || (n == sizeof magic && is_elf(magic)))
		return true;
	complain("Invalid EXE file format in `%s'", name);
	if (n >= 2 && !memcmp(magic, "#!", 2))
		complain(
			"it is a script: profile its interpreter with the script");
	return false;
}

/* Replaces the program's extension, as in .EXE. */
static void
profile_beside(const char *name, const char *extension, char *out, size_t max)
{
	size_t len = strlen(name);
	if (len > 4 && !strcasecmp(name + len - 4, ".exe"))
		len -= 4;
	snprintf(out, max, "%.*s%s", (int)len, name, extension);
}

static bool
profile_read_map(struct run *r, const char *map)
{
	struct err e;
	err_init(&e);
	if (access(map, F_OK))
		return complain("Cannot find linker map file `%s'", map);
	if (functions_read_map(&r->functions, map, &e))
		return true;
	complain("Invalid map file format in `%s'", map);
	return complain("%s: %s", map, e.text);
}

/* A stripped program still has the stubs of library functions. */
static bool
has_own_functions(const struct functions *f)
{
	for (size_t i = 0; i < f->at.n; i++)
		if (kind_of_dos_name(f->at.at[i].name, strlen(f->at.at[i].name)) == KIND_USER)
			return true;
	return false;
}

/* Reads the named map, else the program's symbols, else the map beside it. */
static bool
read_functions(struct run *r)
{
	char map[PATH_MAX + 8];
	functions_open(&r->functions, r->program);
	if (r->options.map)
		return profile_read_map(r, r->options.map);
	if (has_own_functions(&r->functions))
		return true;
	profile_beside(r->options.argv[0], ".map", map, sizeof map);
	if (access(map, F_OK))
		profile_beside(r->options.argv[0], ".MAP", map, sizeof map);
	if (profile_read_map(r, map))
		return true;
	return complain("the program has no symbols: link it without -s, or with "
			"-Wl,-Map=FILE and name that with -m");
}

static bool
is_stdout(const char *out)
{
	return !strcmp(out, "-");
}

static bool
check_output(const char *out)
{
	struct stat st;
	char dir[PATH_MAX];
	if (is_stdout(out))
		return true;
	if (!stat(out, &st)) {
		if (S_ISDIR(st.st_mode))
			return complain("Cannot open output file `%s'", out);
		/* root could write it, but the file is protected */
		if (S_ISREG(st.st_mode) && (!(st.st_mode & 0222) || access(out, W_OK)))
			return complain("Output file `%s' is write-protected", out);
		return !access(out, W_OK) ||
		       complain("Cannot open output file `%s'", out);
	}
	const char *slash = strrchr(out, '/');
	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - out) : 1,
		 slash ? out : ".");
	if (access(*dir ? dir : "/", W_OK))
		return complain("Cannot open output file `%s'", out);
	return true;
}

/* ---- the command ---- */

static bool
complain_start(const struct run *r, enum collect_fault fault, const struct err *e)
{
	const char *name = r->options.argv[0];
	switch (fault) {
	case COLLECT_STARTED:
		return complain("%s", e->text);
	case COLLECT_NO_MEMORY:
		return complain("Insufficient memory to execute command");
	case COLLECT_NO_FORMAT:
		return complain("Invalid EXE file format in `%s'", name);
	case COLLECT_NOT_FOUND: /* the dynamic loader is missing: the program itself exists */
	case COLLECT_NOT_RUN:
		break;
	}
	complain("Error executing command `%s'", name);
	return complain("%s", e->text);
}

static uint64_t
own_time(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

static void
say_waiting(void *ctx)
{
	complain("waiting for %s to end; ^C again ends it", *(char **)ctx);
}

/* Runs the command once.  Returns false on failure; clears *again after ^C. */
static bool
run_once(struct run *r, bool last, bool *again)
{
	enum collect_fault fault;
	struct err e;
	struct collect_options o = {
		.argv = r->options.argv,
		.path = r->program,
		.hz = PROFILE_HZ,
		.in = -1,
		.out = -1,
		.err = -1,
		.waits = say_waiting,
		.ctx = r->options.argv,
	};
	err_init(&e);
	if (!sampler_named(getenv("PNAV_SAMPLER"), &o.sampler))
		return complain("PNAV_SAMPLER is perf or ptrace");
	struct collect *c = collect_new(&o, &fault, &e);
	if (!c)
		return complain_start(r, fault, &e);
	uint64_t before = own_time();
	struct collect_sink sink = {hits_take, r->hits};
	bool good = collect_run(c, &sink, &e);
	const struct collect_result *res = collect_result(c);
	if (good) {
		uint64_t used = own_time() - before;
		hits_count(r->hits);
		if (r->hits->total)
			hits_add(r->hits, "Profiler", used / r->hits->period);
		r->status = collect_exit_status(res->status);
		*again = !res->interrupted;
	}
	if (good && (last || !*again)) {
		struct buf how = BUF_INIT;
		collect_describe(c, &how);
		complain("%s", buf_str(&how));
		buf_release(&how);
	}
	fault = res->fault;
	collect_free(c);
	return good || complain_start(r, fault, &e);
}

static void
complain_filter(const struct run *r)
{
	struct buf lines = BUF_INIT;
	profile_report_doubts(r->hits, &r->options, &lines);
	const char *at = buf_str(&lines);
	for (size_t len; *at; at += len + 1) {
		len = strcspn(at, "\n");
		complain("%.*s", (int)len, at);
	}
	buf_release(&lines);
}

static bool
write_report(const struct run *r, const char *out)
{
	FILE *f = is_stdout(out) ? stdout : fopen(out, "we");
	if (!f)
		return complain("Cannot open output file `%s'", out);
	profile_report_write(r->hits, &r->options, f);
	if (f == stdout)
		return true; /* closing it reports whether that worked */
	bool failed = ferror(f) != 0;
	if (fclose(f) || failed)
		return complain("Cannot write output file `%s': %s", out,
				strerror(errno));
	return true;
}

static int
profile_command(struct run *r)
{
	char beside_it[PATH_MAX + 8];
	const char *out = r->options.out;
	if (!find_program(r) || !read_functions(r))
		return STATUS_FAILED;
	if (!out) {
		profile_beside(r->options.argv[0], ".PRF", beside_it, sizeof beside_it);
		out = beside_it;
	}
	if (!check_output(out))
		return STATUS_FAILED;
	r->hits = hits_new(r->program, &r->functions, 1000000000u / PROFILE_HZ);
	bool again = true;
	for (unsigned long i = 0; again && i < r->options.runs; i++)
		if (!run_once(r, i + 1 == r->options.runs, &again))
			return STATUS_FAILED;
	if (!r->hits->total) {
		complain("Program ran too fast - no hits!");
		return r->status;
	}
	complain_filter(r);
	return write_report(r, out) ? r->status : STATUS_FAILED;
}

/* ---- the command line ---- */

static void
print_help(void)
{
	printf("usage: profile [-adin0] [-#N] [-mMAP] [-oOUT] [-fSPEC] [-I RE] [-X RE] "
	       "CMD...\n"
	       "run a command and collect execution time statistics\n\n"
	       "  -a      sort by address, not by hits\n"
	       "  -n      sort by name, not by hits\n"
	       "  -d      list kernel, loader, libraries, and the profiler too\n"
	       "  -i      list intrinsic functions too\n"
	       "  -0      list functions without hits too\n"
	       "  -#N     run the command N times\n"
	       "  -mMAP   read functions from a linker map\n"
	       "  -oOUT   write the report to OUT ('-': standard output)\n"
	       "  -fSPEC  filter the list, see pnav-filter(5)\n"
	       "  -I RE   list only what matches\n"
	       "  -X RE   do not list what matches\n");
}

static int
profile_run(const struct command *self, int argc, char **argv)
{
	struct run r = {.status = STATUS_FAILED};
	struct err e;
	int status;
	(void)self;

	err_init(&e);
	mem_on_exhaustion(out_of_memory);
	profile_options_init(&r.options);
	if (!profile_options_read(&r.options, argc, argv, &e)) {
		complain("%s", e.text);
		status = STATUS_USAGE;
	} else if (r.options.help) {
		print_help();
		status = STATUS_DONE;
	} else if (r.options.version) {
		printf("profile (pnav) %s\n", PACKAGE_VERSION);
		status = STATUS_DONE;
	} else {
		status = profile_command(&r);
	}
	hits_free(r.hits);
	functions_close(&r.functions);
	profile_options_release(&r.options);
	return status;
}

const struct command command_profile = {
	.name = "profile",
	.synopsis = "[-adin0] [-#N] [-mMAP] [-oOUT] [-fSPEC] CMD...",
	.summary = "run a command, and report where its time went",
	.examples = "pnav profile ./program argument\0",
	.run = profile_run,
};
