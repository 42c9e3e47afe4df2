/* browse_instructions.c - see browse_instructions.h. */
#include "src/command/browse/browse_instructions.h"

static bool
browse_instructions_make(void *ctx, const struct fold *f, const struct profile *p,
			 function_id fn, uint64_t at, struct pace *pace)
{
	struct browse_instructions *b = ctx;
	const struct instructions_of of = {
		.one = true,
		.function = fn,
		.visits = at != ADDRESS_NONE,
		.address = at,
	};

	return instructions_make(b->all, f, p, &of, pace);
}

static size_t
browse_instructions_count(void *ctx)
{
	return instructions_count(((struct browse_instructions *)ctx)->all);
}

static struct code_hit
at(void *ctx, size_t i)
{
	const struct instruction_hit *hit =
		instructions_at(((struct browse_instructions *)ctx)->all, i);

	return (struct code_hit){&hit->is, hit->self};
}

static void
why(void *ctx, struct buf *out)
{
	struct browse_instructions *b = ctx;
	struct buf one = BUF_INIT;

	instructions_report_again(b->all);
	while (buf_reset(&one), instructions_say(b->all, &one))
		buf_addf(out, "%s%s", out->len ? "; " : "", buf_str(&one));
	buf_release(&one);
}

const struct code_source *
browse_instructions_init(struct browse_instructions *b, const struct profile *p,
			 const struct format_options *how)
{
	b->all = instructions_new(p, how);
	b->source = (struct code_source){b, browse_instructions_make,
					 browse_instructions_count, at, why};
	return &b->source;
}

void
browse_instructions_release(struct browse_instructions *b)
{
	instructions_free(b->all);
}
