/* Which profiles are in the range.  Each further query reads the table of profiles, so the range is
 * first narrowed to the starts that a selected profile can have: the server skips parts of the
 * table by them.  For hours and days with sums, the table of their profiles replaces it. */
#include "src/store/read_inside.h"

#include "model/base/mem.h"
#include "src/store/schema.h"
#include "src/store/version.h"

/* Lists the existing services after a request for an unknown one. */
static bool
refuse_nothing(struct reader *r, struct err *e)
{
	struct buf names = BUF_INIT;
	struct rowbin a;
	unsigned n = 0;

	buf_reset(&r->sql);
	question_services(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		rowbin_text(&a, &r->text);
		if (n < 5)
			buf_addf(&names, "%s%s", n ? ", " : "", buf_str(&r->text));
		n++;
	}
	if (!rowbin_close(&a, e)) {
		buf_release(&names);
		return false;
	}
	if (!n)
		err_refuse(e, "this store has no profiles");
	else
		err_refuse(e, "no profiles of this service, host, label and time; services: %s%s",
			   buf_str(&names), n > 5 ? ", ..." : "");
	buf_release(&names);
	return false;
}

/* Finds hours and days whose sums can be used, and reports how many. */
static bool
learn_periods(struct reader *r, struct err *e)
{
	size_t days = 0;

	if (!periods_select(&r->periods, &r->q, r->watch, e))
		return false;
	if (!r->q.periods)
		return true;
	for (size_t i = 0; i < r->periods.at.n; i++)
		days += r->periods.at.at[i].span == PERIOD_DAY;
	size_t hours = r->periods.at.n - days;
	builder_info(r->b, "sums", "of %zu day%s and %zu hour%s", days, days == 1 ? "" : "s",
		     hours, hours == 1 ? "" : "s");
	return true;
}

/* Finds the number of profiles, and the most frequent default metric. */
bool
reader_profiles(struct reader *r, struct err *e)
{
	struct rowbin a;
	int64_t longest = 0;
	bool any;

	if (!version_check(&r->url, r->watch, &any, e))
		return false;
	if (!any)
		return err_refuse(e, "there is no table %s%s: nothing was stored here",
				  r->url.tables, schema_short(SCHEMA_PROFILES));
	if (!learn_periods(r, e))
		return false;
	buf_reset(&r->sql);
	question_profiles(&r->q, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		rowbin_text(&a, &r->text);
		if (!r->metric)
			r->metric = mem_dup(buf_str(&r->text), r->text.len);
		r->profiles += rowbin_whole(&a, 8);
		r->q.cut |= rowbin_whole(&a, 8) > 0;
		r->q.owned |= rowbin_whole(&a, 8) > 0;
		int64_t ns = rowbin_signed(&a);
		longest = ns > longest ? ns : longest;
	}
	if (!rowbin_close(&a, e))
		return false;
	r->q.longest = longest;
	return r->profiles || refuse_nothing(r, e);
}
