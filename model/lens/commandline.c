#include "model/lens/commandline.h"

#include "model/base/escape.h"
#include "model/lens/words.h"

void
commandline_release(struct commandline *c)
{
	buf_release(&c->options);
	buf_release(&c->rest);
}

void
commandline_files(struct commandline *c, const char *const *file, size_t n, uint32_t n_base)
{
	struct buf path = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		buf_reset(&path);
		/* options may follow, so that `--` before it would not do */
		if (file[i][0] == '-' && file[i][1])
			buf_adds(&path, "./");
		buf_adds(&path, file[i]);
		if (n_base && n > 2) {
			words_option(&c->rest, i < n_base ? "old" : "new", buf_str(&path));
			continue;
		}
		buf_addc(&c->rest, ' ');
		escape_shell_word(&c->rest, buf_str(&path));
	}
	buf_release(&path);
}

void
commandline_write(const struct commandline *c, const struct lens *l, const struct lens *kept,
		  const char *view, const char *more, struct buf *out)
{
	buf_adds(out, "pnav");
	if (c->verb)
		buf_addf(out, " %s", c->verb);
	buf_add(out, buf_str(&c->options), c->options.len);
	lens_write_options(l, out);
	if (kept)
		lens_write_base(kept, l, out);
	if (view)
		words_option(out, "view", view);
	if (more)
		buf_adds(out, more);
	buf_add(out, buf_str(&c->rest), c->rest.len);
}
