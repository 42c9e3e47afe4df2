/* store_periods.c - see store_periods.h. */
#include "src/command/store_periods.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/command/command.h"
#include "src/command/progress.h"
#include "src/command/say.h"
#include "src/store/periods.h"
#include "src/store/version.h"

struct periods_summing {
	const struct store_url *url;
	const char *service; /* NULL: that of the address, or all */
	struct periods_made made;
	struct err e;
	bool good;
};

static void
sum_periods(void *ctx)
{
	struct periods_summing *s = ctx;

	if (s->service)
		s->good = periods_update(s->url, s->service, false, &s->made, &s->e);
	else
		s->good = version_prepare(s->url, &s->e) &&
			  periods_update_all(s->url, &s->made, &s->e);
}

static void
sum_slowly(struct periods_summing *s, const char *address)
{
	struct progress g;

	err_init(&s->e);
	progress_init(&g, address, "summing hours and days", NULL);
	progress_call(&g, sum_periods, s);
}

void
store_periods_after(const struct store_url *url, const char *service, const char *address)
{
	struct periods_summing s = {.url = url, .service = service};

	sum_slowly(&s, address);
	if (!s.good)
		say_warning(address, "sums of hours and days are not computed: %s", s.e.text);
}

int
store_periods_summarize(const struct store_url *url, const char *address)
{
	struct periods_summing s = {.url = url};

	sum_slowly(&s, address);
	if (!s.good)
		return say_error(address, &s.e);
	printf("summed %" PRIu64 " day%s and %" PRIu64 " hour%s\n", s.made.days,
	       s.made.days == 1 ? "" : "s", s.made.hours, s.made.hours == 1 ? "" : "s");
	return STATUS_DONE;
}
