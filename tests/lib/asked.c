/* Reads rows in the form of `pnav sql --format csv`. */
#include "tests/lib/asked.h"

#include <string.h>

#include "model/profile/human.h"
#include "src/command/report/sql_reports.h"
#include "tests/lib/unit.h"

unsigned asked_patience = 100000;

static bool
stop(void *ctx)
{
	unsigned *times = ctx;

	return ++*times > asked_patience;
}

unsigned asked_times;

struct sql *
asked_open(const struct profile *p, const struct lens *l)
{
	struct sql_asks asks = {
		.profile = p, .lens = l, .reports = &sql_reports, .memory = 64 << 20, .stop = stop,
		.ctx = &asked_times};
	struct err e;

	err_init(&e);
	struct sql *s = sql_open(&asks, &e);
	ck_assert_msg(s != NULL, "%s", e.text);
	return s;
}

static void
csv_word(const char *at, size_t len, struct buf *out)
{
	bool quote = false;

	for (size_t i = 0; i < len; i++)
		quote |= at[i] && strchr(",\"\r\n", at[i]);
	if (quote)
		buf_addc(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (quote && at[i] == '"')
			buf_addc(out, '"');
		buf_addc(out, at[i]);
	}
	if (quote)
		buf_addc(out, '"');
}

static void
add_row(struct sql *s, struct buf *out)
{
	for (unsigned i = 0; i < sql_columns(s); i++) {
		struct sql_value v = sql_value(s, i);
		if (i)
			buf_addc(out, ',');
		if (v.kind == SQL_WHOLE)
			human_plain(out, v.whole, 0);
		else if (v.kind == SQL_REAL)
			human_real(out, v.real);
		else
			csv_word(v.at, v.len, out);
	}
	buf_addc(out, '\n');
}

void
ask(struct sql *s, const char *query, struct buf *out)
{
	const char *rest;
	struct err e;

	err_init(&e);
	asked_times = 0;
	buf_reset(out);
	if (sql_prepare(s, query, &rest, &e) && sql_ready(s))
		while (sql_step(s, &e))
			add_row(s, out);
	if (err_is_set(&e))
		buf_addf(out, "error: %s\n", e.text);
}

void
asked_same(struct sql *s, const char *a, const char *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	ask(s, a, &x);
	ask(s, b, &y);
	ck_assert_msg(strncmp(buf_str(&x), "error", 5), "%s: %s", a, buf_str(&x));
	ck_assert_msg(!strcmp(buf_str(&x), buf_str(&y)), "%s\n%s%s\n%s", a, buf_str(&x), b,
		      buf_str(&y));
	buf_release(&x);
	buf_release(&y);
}
