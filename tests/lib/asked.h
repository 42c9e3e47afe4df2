/* asked.h - queries in SQL, and their results. */
#ifndef PNAV_TESTS_LIB_ASKED_H
#define PNAV_TESTS_LIB_ASKED_H

#include "model/base/buf.h"
#include "src/sql/sql.h"

/* How often a query asks whether it should go on before it is stopped, and has asked. */
extern unsigned asked_patience, asked_times;

/* To be closed by sql_close(), before the profile and the lens go. */
struct sql *asked_open(const struct profile *p, const struct lens *l);
/* Replaces *out by all rows of a query as CSV; by the error of a query that fails. */
void ask(struct sql *s, const char *query, struct buf *out);
/* Fails the test where two queries do not answer the same, or not at all. */
void asked_same(struct sql *s, const char *a, const char *b);

#endif
