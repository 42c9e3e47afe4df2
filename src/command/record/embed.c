#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/collect/perfembed.h"
#include "src/command/command.h"
#include "src/command/open.h"
#include "src/command/record/embedder.h"
#include "src/command/say.h"
#include "src/outfile.h"

/* `pnav embed`: makes a recording of perf self-contained, like those of `pnav record`, while the
 * executed files still exist. */

struct embed_options {
	const char *out; /* NULL: in place */
	bool code;
};

static const struct option_row embed_rows[] = {
	{"output", "OUT", "write this file, and keep the recording unchanged", .letter = 'o',
	 .kind = OPTION_TEXT, .at = offsetof(struct embed_options, out)},
	{"code", NULL, "embed the code of the functions that were hit, too",
	 .at = offsetof(struct embed_options, code)},
	{0},
};

static bool
embed_write_file(const char *file, int in, const char *out, const struct buf *section,
		 struct err *e)
{
	/* like recordings, since they hold copies of stacks */
	struct outfile_how how = {
		.reads = &file, .n_reads = out ? 1 : 0, .owner = true, .seeks = true};
	struct outfile to;

	if (!outfile_open(&to, out ? out : file, &how, e))
		return false;
	/* if no file could be created beside it, the recording itself is open */
	bool good = to.beside || to.nameless || out ||
		    err_refuse(e, "%s: its folder is not writable; -o writes another file", file);
	struct err why;
	err_init(&why);
	if (good && !perfembed_copy(in, to.fd, section, &why))
		good = err_refuse(e, "%s: %s", file, why.text);
	return outfile_close(&to, good, e);
}

/* Returns true for texts, such as those of perf script. */
static bool
embed_is_text(int in)
{
	char at[8];

	if (pread(in, at, sizeof at, 0) != sizeof at || !memcmp(at, "PERFILE2", sizeof at) ||
	    !memcmp(at, "2ELIFREP", sizeof at))
		return false;
	for (size_t i = 0; i < sizeof at; i++)
		if (at[i] != '\n' && at[i] != '\t' && (at[i] < ' ' || at[i] == 0x7F))
			return false;
	return true;
}

static int
embed_file(const char *file, const struct embed_options *own, const struct options *o)
{
	int in = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct buf section = BUF_INIT;
	bool whole = true;
	struct stat st;
	struct err e;

	err_init(&e);
	if (in < 0 || fstat(in, &st)) {
		err_refuse(&e, "%s", strerror(errno));
		return say_error(file, &e);
	}
	if (!S_ISREG(st.st_mode)) {
		close(in);
		err_refuse(&e, "names can only be added to a plain file");
		return say_error(file, &e);
	}
	if (embed_is_text(in)) {
		close(in);
		err_refuse(&e, "a text: names can only be added to perf.data");
		return say_error(file, &e);
	}
	int64_t changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	int status = STATUS_DONE;
	struct embedder_how how = {
		.before_ns = changed, .format = &o->format, .code = own->code};
	bool good = embedder_section(file, &how, &section, &whole, &e);
	if (err_is_set(&e))
		status = say_error(file, &e);
	err_init(&e);
	if (good && !section.len) {
		err_refuse(&e, "none of the sampled files is on this machine");
		status = say_error(file, &e);
	} else if (good && !embed_write_file(file, in, own->out, &section, &e))
		status = say_plain(&e);
	else if (!whole)
		say_warning(file, "too many names: some were left out");
	buf_release(&section);
	close(in);
	return status;
}

static int
embed_run(const struct command *self, int argc, char **argv)
{
	struct embed_options own = {0};
	struct options o;
	int status;

	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status)) {
		const char *file = open_operand(self, &o, &status);
		if (file)
			status = embed_file(file, &own, &o);
	}
	options_release(&o);
	return status;
}

const struct command command_embed = {
	.name = "embed",
	.synopsis = "[-o OUT] [OPTION...] FILE",
	.summary = "add the names of the executed files to a perf.data file",
	.examples = "pnav embed perf.data\0"
		    "pnav embed -o whole.data --symbols ./debug perf.data\0",
	.options = embed_rows,
	.takes = TAKES_FORMATS,
	.run = embed_run,
};
