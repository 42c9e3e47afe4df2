/* sql_reports.h - the reports, as SQL has them for tables. */
#ifndef PNAV_SRC_COMMAND_REPORT_SQL_REPORTS_H
#define PNAV_SRC_COMMAND_REPORT_SQL_REPORTS_H

#include "src/sql/sql.h"

/* All views of `pnav report`: a new one is a new table. */
extern const struct sql_reports sql_reports;

#endif
