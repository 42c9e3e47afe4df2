#include "src/encode/html_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "src/encode/json_text.h"
#include "src/encode/sha256.h"
#include "src/encode/zlib.h"

/* One page that shows a profile in any browser and asks no network for anything:
 *
 *	<!DOCTYPE html> ... <meta name="generator" content="pnav VERSION">
 *	                    <meta ... Content-Security-Policy: the hashes of these two alone:>
 *	<style>             page.css
 *	<header> <table id="functions"> <details>      the part that needs no script
 *	<script type="text/plain" id="pnav-profile">   the profile: JSON, zlib, base64
 *	<script>            page.js
 *
 * The rows and the tree are those of the report.  The names of a profile are in two places: as
 * escaped text in the markup, and in base64.  The policy lets no other script run even if one
 * of them got through.
 *
 * src/decode/html reads the page again, so the tree is one of lines where there are lines. */

static const char *const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; ";

static void
base64(FILE *out, const uint8_t *at, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t n = (uint32_t)at[i] << 16 | (i + 1 < len ? at[i + 1] << 8 : 0) |
			     (i + 2 < len ? at[i + 2] : 0);
		putc(digits[n >> 18], out);
		putc(digits[n >> 12 & 63], out);
		putc(i + 1 < len ? digits[n >> 6 & 63] : '=', out);
		putc(i + 2 < len ? digits[n & 63] : '=', out);
	}
}

/* The hash of a part of the page as the policy names it. */
static void
write_hash(FILE *out, const char *directive, const struct buf *part)
{
	uint8_t hash[SHA256_BYTES];

	sha256(part->at, part->len, hash);
	fprintf(out, "%s 'sha256-", directive);
	base64(out, hash, sizeof hash);
	putc('\'', out);
}

static void
write_head(const struct page *x, const struct buf *js, const struct buf *css, FILE *out)
{
	struct buf title = BUF_INIT, text = BUF_INIT;

	shown_title(&x->shown, "pnav", &title);
	html_text(&text, &title);
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"generator\" content=\"pnav " PACKAGE_VERSION "\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"%s", policy);
	write_hash(out, "script-src", js);
	write_hash(out, "; style-src", css);
	fprintf(out, "\">\n<meta name=\"viewport\" "
		     "content=\"width=device-width, initial-scale=1\">\n"
		     "<title>%s</title>\n<style>", buf_str(&text));
	fwrite(css->at, 1, css->len, out);
	fputs("</style>\n</head>\n<body>\n", out);
	buf_release(&title);
	buf_release(&text);
}

static bool
part_text(const struct html_part *part, struct buf *out)
{
	return zlib_expand(part->gzip, part->len, part->size, out);
}

static void
write_parts(struct page *x, const struct buf *data, const struct buf *js,
	    const struct buf *css, FILE *out)
{
	write_head(x, js, css, out);
	html_markup(x, out);
	fputs("<script type=\"text/plain\" id=\"pnav-profile\">", out);
	base64(out, (const uint8_t *)data->at, data->len);
	fputs("</script>\n<script>", out);
	fwrite(js->at, 1, js->len, out);
	fputs("</script>\n</body>\n</html>\n", out);
}

static bool
write_page(struct page *x, FILE *out, struct err *e)
{
	struct buf data = BUF_INIT, js = BUF_INIT, css = BUF_INIT;
	bool good = html_data(x, &data, e);

	if (good && !(part_text(&html_page_js, &js) && part_text(&html_page_css, &css)))
		good = err_refuse(e, "not enough memory for the script of the page");
	if (good)
		write_parts(x, &data, &js, &css, out);
	buf_release(&data);
	buf_release(&js);
	buf_release(&css);
	return good;
}

/* ---- the rows ---- */

/* The order of a report: by self, in a comparison by its change, then by name. */
static int
html_compare_rows(const void *a, const void *b, void *context)
{
	const struct page *x = context;
	const struct key_numbers *of = &x->rows.of;
	key_id r = *(const key_id *)a, s = *(const key_id *)b;

	if (of->base_self) {
		double dr = fabs(key_change(of, r, false));
		double ds = fabs(key_change(of, s, false));
		if (dr != ds)
			return dr > ds ? -1 : 1;
	}
	if (of->self[r] != of->self[s])
		return of->self[r] > of->self[s] ? -1 : 1;
	return projection_compare_keys(x->fold->tree, x->p, r, s, false);
}

static void
html_make_rows(struct page *x)
{
	fold_rows_paced(x->fold, &x->rows, x->job->pace);
	if (x->rows.n > 1)
		qsort_r(x->rows.key, x->rows.n, sizeof *x->rows.key, html_compare_rows, x);
	x->row_of = mem_alloc((size_t)x->fold->tree->n_keys + 1, sizeof *x->row_of);
	memset(x->row_of, 0xff, ((size_t)x->fold->tree->n_keys + 1) * sizeof *x->row_of);
	for (uint32_t i = 0; i < x->rows.n; i++)
		x->row_of[x->rows.key[i]] = i;
	look_init(&x->look, x->p, x->fold);
	x->look.programs = true;
}

/* ---- the encoder ---- */

#define NODES_MANY 200000u

static bool
html_read_limit(struct page *x, struct err *e)
{
	const char *text = encode_option(x->job, "limit-nodes");
	uint32_t n = x->shown.tree->n - 1;
	char *end;

	if (!text) {
		if (n > NODES_MANY)
			encode_warn(x->job, "more than 200,000 nodes: browsers are slow with "
					    "such a page; see --limit-nodes");
		return true;
	}
	unsigned long most = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || most < 2)
		return err_usage(e, "--limit-nodes: '%s' is not a number from 2 on", text);
	if (most < n)
		html_limit(x, (uint32_t)most);
	return true;
}

static bool
page_open(struct page *x, struct err *e)
{
	lens_copy(&x->lens, x->job->lens);
	x->lens.invert = false;
	x->upright = *x->job;
	x->upright.lens = &x->lens;
	x->fold = fold_beside(x->job->fold, x->p, &x->lens);
	x->fold->pace = x->job->pace;
	if (!fold_update(x->fold, x->p, &x->lens, NULL, e))
		return false;
	x->fold->pace = NULL;
	x->upright.fold = x->fold;
	return shown_open(&x->shown, &x->upright,
			  SHOWN_ONE | SHOWN_DIFF | (x->fold->compares ? 0 : SHOWN_LINES), e);
}

static bool
html_write(const struct encode_job *job, struct err *e)
{
	struct page x = {.job = job, .p = job->profile};
	bool open = page_open(&x, e), good = open && html_read_limit(&x, e);

	if (good) {
		html_make_rows(&x);
		good = write_page(&x, job->out, e);
	}
	if (x.large)
		encode_warn(job, JSON_LARGE "the page's script");
	if (open)
		shown_close(&x.shown);
	fold_free(x.fold);
	rows_release(&x.rows);
	rows_release(&x.extra);
	free(x.row_of);
	free(x.keep);
	lens_release(&x.lens);
	return good;
}

static const struct option_row html_options[] = {
	{"limit-nodes", "N", "html: at most N nodes; the smallest ones become (other)",
	 .kind = OPTION_TEXT},
	{0},
};

const struct encoder encoder_html = {
	.name = "html",
	.title = "page for any browser: flame, functions, callers, timeline",
	.options = html_options,
	.endings = ".html .htm",
	.binary = true,
	.write = html_write,
};
