/* Each insert becomes a part on the server's disk, or one part a day.  Large ones are better for
 * the server, small ones for our memory. */
#include "src/store/rowout.h"

void
rowout_open(struct rowout *x, const struct store_url *url, enum schema_table t,
	    const char *columns)
{
	*x = (struct rowout){.url = url};
	err_init(&x->fault);
	buf_adds(&x->insert, "INSERT INTO ");
	schema_name(&x->insert, url, t);
	buf_addf(&x->insert, " (%s) FORMAT RowBinary", columns);
}

bool
rowout_send(struct rowout *x)
{
	if (x->rows.len && !err_is_set(&x->fault))
		clickhouse_insert(x->url, buf_str(&x->insert), x->rows.at, x->rows.len, x->same,
				  &x->rows_there, &x->fault);
	buf_reset(&x->rows);
	return !err_is_set(&x->fault);
}

bool
rowout_end(struct rowout *x)
{
	x->n++;
	return x->rows.len < ROWOUT_PORTION ? !err_is_set(&x->fault) : rowout_send(x);
}

bool
rowout_close(struct rowout *x, bool good, struct err *e)
{
	if (good)
		rowout_send(x);
	if (err_is_set(&x->fault))
		*e = x->fault;
	good = good && !err_is_set(&x->fault);
	buf_release(&x->rows);
	buf_release(&x->insert);
	return good;
}
