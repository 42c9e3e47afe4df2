#include "src/encode/encoder.h"

/* The table of a view as report prints it: the same rows and columns. */

static bool
sheet(const struct encode_job *job, const char *format, struct err *e)
{
	const char *view = encode_option(job, "view");

	return job->sheet(job, view ? view : "functions", format, e);
}

static bool
csv_write(const struct encode_job *job, struct err *e)
{
	return sheet(job, "csv", e);
}

static bool
json_write(const struct encode_job *job, struct err *e)
{
	return sheet(job, "json", e);
}

static bool
ndjson_write(const struct encode_job *job, struct err *e)
{
	return sheet(job, "ndjson", e);
}

static const struct option_row sheet_options[] = {
	{"view", "VIEW", "csv, json, ndjson: a view of report; functions if not given",
	 .kind = OPTION_TEXT},
	{0},
};

const struct encoder encoder_csv = {
	.name = "csv",
	.endings = ".csv",
	.title = "table of a view, as report writes it",
	.options = sheet_options,
	.write = csv_write,
};

const struct encoder encoder_json = {
	.name = "json",
	.title = "the same with facts of the profile",
	.options = sheet_options,
	.write = json_write,
};

const struct encoder encoder_ndjson = {
	.name = "ndjson",
	.endings = ".ndjson .jsonl",
	.title = "rows of a view, a JSON object a line",
	.options = sheet_options,
	.write = ndjson_write,
};
