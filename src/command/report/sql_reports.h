/* sql_reports.h - the reports as tables for SQL. */
#ifndef PNAV_SRC_COMMAND_REPORT_SQL_REPORTS_H
#define PNAV_SRC_COMMAND_REPORT_SQL_REPORTS_H

#include "src/sql/sql.h"

/* All views of `pnav report`; each is a table. */
extern const struct sql_reports sql_reports;

#endif
