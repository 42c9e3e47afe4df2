#include "src/command/report/report.h"

#include <inttypes.h>

#include "model/base/escape.h"
#include "model/lens/words.h"
#include "src/options.h"

/* The command line that gives a report again. Its format is left out: the line is for people, who
 * read text. */

void
report_line_make(const struct options *o, const char *const *file, size_t n, uint32_t n_base,
		 struct commandline *out)
{
	*out = (struct commandline){.verb = n_base ? "diff" : "report"};
	for (size_t i = 0; i < o->format.given.n; i++)
		words_option(&out->options, o->format.given.at[i].name,
			     o->format.given.at[i].value);
	if (o->normalize)
		words_option(&out->rest, "normalize", NULL);
	if (o->independent)
		words_option(&out->rest, "assume-independent", NULL);
	commandline_files(out, file, n, n_base);
}

void
report_line_made(char *const *words, struct commandline *out)
{
	if (!words)
		return;
	out->verb = *words;
	while (*++words) {
		buf_addc(&out->rest, ' ');
		escape_shell_word(&out->rest, *words);
	}
}

void
report_write_line(const struct report *r, const struct report_options *own, struct buf *out)
{
	struct buf more = BUF_INIT, value = BUF_INIT;

	if (own->sort)
		words_option(&more, "sort", own->sort);
	if (own->columns)
		words_option(&more, "columns", own->columns);
	if (own->limit != UINT64_MAX)
		buf_addf(&more, " --limit %" PRIu64, own->limit);
	if (own->function)
		words_option(&more, "function", pattern_text(own->function));
	if (own->over.kind != MOMENT_OPEN) {
		moment_write(&value, own->over);
		words_option(&more, "over", buf_str(&value));
	}
	commandline_write(r->line, r->asked, r->kept, own->view->name, buf_str(&more), out);
	buf_release(&more);
	buf_release(&value);
}
