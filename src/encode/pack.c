#include "src/encode/pack_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/lens/words.h"
#include "src/encode/encoder.h"

/* Packed profiles: the tables and the packed columns of the model as they are, in sections with
 * sizes and checksums (pack_form.h, pnav-pack(5)). */

/* Returns true if the lens shows everything; its metric aside, which becomes the default. */
static bool
shows_all(const struct lens *l)
{
	struct lens other;
	struct buf options = BUF_INIT;

	lens_copy(&other, l);
	lens_set_metric(&other, NULL);
	lens_write_options(&other, &options);
	bool all = !options.len;
	lens_release(&other);
	buf_release(&options);
	return all;
}

static void
write_profile(const struct encode_job *job, const struct profile *p, metric_id metric)
{
	struct pack_out x = {.p = p, .out = job->out, .metric = metric};

	pack_head(&x);
	pack_tables(&x);
	pack_tracks(&x);
	pack_facts(&x);
	pack_number(&x, x.n_sections);
	pack_section(&x, "end ");
	buf_release(&x.at);
	buf_release(&x.packed);
}

static bool
pnav_write(const struct encode_job *job, struct err *e)
{
	const struct profile *p = job->profile;
	const char *secret = encode_option(job, "anonymize");
	metric_id metric = p->default_metric;

	if (job->lens->metric)
		metric = profile_metric(p, job->lens->metric, strlen(job->lens->metric));
	if (metric != METRIC_NONE && p->metric[metric].computed)
		return err_usage(e, "a packed profile does not contain the metric '%s', which is "
				    "computed: choose it for the packed profile",
				 job->lens->metric);
	if (job->n_notes)
		encode_warn(job, "the marks of the session are left out: hand it on, too, or write "
				 "html or md");
	if (shows_all(job->lens) && !secret) {
		write_profile(job, p, metric);
		return true;
	}
	struct profile *part = pack_excerpt(job, secret, e);
	if (!part)
		return false;
	write_profile(job, part, part->default_metric);
	profile_free(part);
	return true;
}

static const struct option_row pnav_options[] = {
	{"anonymize", "SECRET", "pnav: replace all names by hashes of SECRET and the name",
	 .kind = OPTION_TEXT, .optional = true},
	{0},
};

const struct encoder encoder_pnav = {
	.name = "pnav",
	.title = "packed profile: everything, to hand on",
	.options = pnav_options,
	.endings = ".pnav",
	.compressed = true,
	.binary = true,
	.write = pnav_write,
};
