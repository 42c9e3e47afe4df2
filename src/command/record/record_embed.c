/* A separate process reads the names: any executed file may be hostile, large or slow to read, and
 * the user may interrupt the process.  The recording is valid before and after, in any case. */
#include "src/command/record/record_embed.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/collect/keptfiles.h"
#include "src/collect/perfwriter.h"
#include "src/command/record/embedder.h"
#include "src/symbol/shrunk.h"

enum { DONE, FAILED, NOT_ALL, CHANGED, NOTHING };

/* Runs in the embedding process; returns its exit status. */
static int
embed(struct perfwriter *w, const struct record_embed *how, int news)
{
	const char *kept = KEPTFILES_FOLDER;
	struct format_options format = {.symbols = {.at = &kept, .n = 1}};
	struct embedder_how reads = {.before_ns = how->began_ns,
				      .format = &format,
				      .code = how->code,
				      .cache = how->cache};
	struct buf section = BUF_INIT;
	bool whole = true;
	struct err e, why;

	err_init(&why);
	bool good = embedder_section(how->path, &reads, &section, &whole, &e);
	if (good && !(section.len && how->names))
		return NOTHING;
	good = good && perfwriter_embed(w, &section, &why);
	if (err_is_set(&why))
		e = why;
	if (!good)
		(void)!write(news, e.text, strlen(e.text));
	buf_release(&section);
	if (!good)
		return FAILED;
	return !whole ? NOT_ALL : shrunk_seen() ? CHANGED : DONE;
}

static void
say_failure(const char *path, int state, int news, struct buf *said)
{
	char why[ERR_TEXT_MAX];
	ssize_t n = read(news, why, sizeof why);
	bool asked = WIFSIGNALED(state) && WTERMSIG(state) == SIGINT;

	if (!WIFSIGNALED(state) && n > 0)
		buf_addf(said, "pnav: %s: no names are embedded: %.*s\n", path, (int)n, why);
	else
		buf_addf(
			said,
			"pnav: %s: no names are embedded: %s; pnav embed can do it while the "
			"executed files exist\n",
			path, asked ? "interrupted" : "reading them failed");
}

void
record_embed(struct perfwriter *w, const struct record_embed *how, struct buf *said)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, standard = {.sa_handler = SIG_DFL};
	struct sigaction before;
	int news[2], state = 0;

	if (pipe(news))
		return;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &before);
	pid_t pid = fork();
	if (!pid) {
		if (how->terminal)
			sigaction(SIGINT, &standard, NULL);
		_exit(embed(w, how, news[1]));
	}
	close(news[1]);
	while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	bool nothing = pid > 0 && WIFEXITED(state) && WEXITSTATUS(state) == NOTHING;
	if (!nothing && (pid < 0 || !perfwriter_embedded(w)))
		say_failure(how->path, pid < 0 ? 0 : state, news[0], said);
	else if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_ALL)
		buf_addf(said, "pnav: %s: too many names: some were left out\n",
			 how->path);
	else if (WIFEXITED(state) && WEXITSTATUS(state) == CHANGED)
		buf_addf(said,
			 "pnav: %s: an executed file was rewritten while its names were read: some "
			 "may be missing\n",
			 how->path);
	close(news[0]);
}
