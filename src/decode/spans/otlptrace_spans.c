/* Spans of otlptrace, and the parts of a span, for both forms. */
#include "src/decode/spans/otlptrace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/decode/decoder.h"
#include "src/input/rows_proto.h"

void
otlptrace_pair(struct otlptrace *t, const struct otlp_pair *p)
{
	struct span_labels *of = t->target == OTLP_RESOURCE ? &t->s.owner
				 : t->target == OTLP_SPAN   ? &t->s.own
							    : &t->moment;

	if (p->kind == OTLP_DEEPER)
		t->s.counts.not_shown++;
	else if (p->kind != OTLP_NO_VALUE && p->key != NAME_EMPTY)
		spans_attribute(&t->s, of, p->key, p->value);
}

name_id
otlptrace_real(struct otlptrace *t, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x || isnan(x))
			break;
	}
	return builder_name(t->b, text, strlen(text));
}

void
otlptrace_moment(struct otlptrace *t, int64_t time, name_id name)
{
	label_id id[SPANS_LABELS_MAX];

	for (uint32_t i = 0; i < t->moment.n; i++)
		id[i] = t->moment.at[i].id;
	spans_mark(&t->s, time, name,
		   t->moment.n ? builder_labels(t->b, id, t->moment.n) : LABELS_NONE);
}

void
otlptrace_span(struct otlptrace *t, uint64_t start, uint64_t end, int status)
{
	struct span_draft *d = &t->s.draft;

	d->start = start > INT64_MAX ? INT64_MAX : (int64_t)start;
	d->end = end > INT64_MAX ? INT64_MAX : (int64_t)end;
	d->bits |= status == 2 ? SPAN_ERROR : status == 1 ? SPAN_OK : 0;
	if (!end) {
		d->end = d->start;
		d->bits |= SPAN_OPEN | SPAN_UNFINISHED;
	}
	spans_end(&t->s);
}

void
otlptrace_scope(struct otlptrace *t, name_id module)
{
	for (size_t i = t->scopes; i < t->s.drafts.n; i++)
		t->s.drafts.at[i].module = module;
	t->scopes = t->s.drafts.n;
}

void
otlptrace_resource(struct otlptrace *t)
{
	spans_seal(&t->s);
	t->scopes = 0;
}
