/* Reads Text1 through its decoder and answers questions about the result. */
#include "tests/lib/read_text1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/build/builder.h"
#include "model/fold/tally.h"
#include "src/decode/decoder.h"
#include "tests/lib/unit.h"

static struct profile *
load(struct input *in, struct err *e)
{
	struct profile *p = profile_new();
	struct builder *b = builder_new(p, "x.txt", "text1");
	struct err check;
	bool good;

	err_init(e);
	ck_assert_ptr_nonnull(in);
	good = decoder_text1.decode(in, b, e);
	ck_assert_int_eq(good, !err_is_set(e));
	builder_finish(b, e);
	builder_free(b);
	input_close(in);
	err_init(&check);
	ck_assert_msg(profile_check(p, &check), "%s", check.text);
	return p;
}

struct profile *
text1_of_bytes(const void *at, size_t len, struct err *e)
{
	return load(input_open_bytes(at, len, "no/such/folder/x.txt"), e);
}

struct profile *
text1_of_text(const char *text, struct err *e)
{
	return text1_of_bytes(text, strlen(text), e);
}

struct profile *
text1_of_file(const char *name, const struct buf *text, const char *bin_name,
	      const struct buf *bin, const char *version, struct err *e)
{
	struct option_given given = {"bin-version", version};
	const struct format_options options = {.given = {&given, version != NULL, 0}};
	char folder[] = "/tmp/pnav-text1-XXXXXX", path[128], beside[128];
	struct profile *p;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(beside, sizeof beside, "%s/%s", folder, bin_name ? bin_name : "none");
	f = fopen(path, "w");
	fwrite(buf_str(text), 1, text->len, f);
	fclose(f);
	if (bin) {
		f = fopen(beside, "w");
		fwrite(buf_str(bin), 1, bin->len, f);
		fclose(f);
	}
	p = load(input_open_with(path, &options, e), e);
	unlink(path);
	unlink(beside);
	rmdir(folder);
	return p;
}

/* ---- looking ---- */

bool
text1_is_name(const struct profile *p, name_id id, const char *text)
{
	struct name n = names_get(&p->names, id);

	return n.len == strlen(text) && !memcmp(n.at, text, n.len);
}

const struct callstats_row *
text1_row(const struct profile *p, const struct callstats *c, const char *track,
	  const char *function)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (text1_is_name(p, p->track[c->at[i].track].name, track) &&
		    text1_is_name(p, p->frames.function.name[c->at[i].function], function))
			return &c->at[i];
	return NULL;
}

void
text1_calls(const struct profile *p, struct callstats *out)
{
	const struct slice all = {.whole = true};

	*out = (struct callstats){0};
	callstats_compute(p, &all, out, NULL);
}

int64_t
text1_self(const struct profile *p, const char *function, uint32_t line, int64_t *entries)
{
	const struct slice all = {.metric = profile_default_metric(p), .whole = true};
	struct tally t;
	int64_t sum = 0;

	tally_init(&t);
	tally_count(&t, p, &all);
	*entries = 0;
	for (stack_id s = 1; s < t.n; s++) {
		struct frame f = profile_frame(p, p->stacks.frame[s]);
		if (!text1_is_name(p, p->frames.function.name[f.function], function) ||
		    (line && f.line.number != line))
			continue;
		sum += t.cell[s].value;
		*entries +=
			line ? (t.lines ? t.lines[s] : 0) : (t.calls ? t.calls[s] : 0);
	}
	tally_release(&t);
	return sum;
}
