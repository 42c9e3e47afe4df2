#include "model/profile/human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"

/* All displayed numbers and names pass here, so 812 ms is written the same in every view. */

void
human_count(struct buf *out, int64_t v)
{
	char digits[32];
	int n = snprintf(digits, sizeof digits, "%" PRIu64,
			 v < 0 ? 0 - (uint64_t)v : (uint64_t)v);

	if (v < 0)
		buf_addc(out, '-');
	for (int i = 0; i < n; i++) {
		buf_addc(out, digits[i]);
		if (i + 1 < n && (n - i - 1) % 3 == 0)
			buf_addc(out, ',');
	}
}

/* Three significant digits of v / scale. */
static void
human_scaled(struct buf *out, double v, const char *unit)
{
	double size = v < 0 ? -v : v;

	buf_addf(out, "%.*f %s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, v, unit);
}

struct human_scale {
	double size;
	const char *unit;
};

static void
human_scales(struct buf *out, int64_t v, const struct human_scale *scales)
{
	double size = v < 0 ? -(double)v : (double)v;

	for (; scales->unit; scales++)
		if (size >= scales->size * 0.9995) {
			human_scaled(out, (double)v / scales->size, scales->unit);
			return;
		}
	human_count(out, v);
}

static const struct human_scale bytes_scales[] = {
	{1024.0 * 1024 * 1024 * 1024, "TiB"},
	{1024.0 * 1024 * 1024, "GiB"},
	{1024.0 * 1024, "MiB"},
	{1024.0, "KiB"},
	{0, NULL},
};

static const struct human_scale count_scales[] = {
	{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {0, NULL},
};

static const struct human_scale ns_scales[] = {
	{1e9, "s"},
	{1e6, "ms"},
	{1e3, "µs"},
	{0, NULL},
};

static void
human_ns(struct buf *out, int64_t v)
{
	double size = v < 0 ? -(double)v : (double)v;

	if (size >= 999.5e9) {
		int64_t s = v / 1000000000, rest = v % 1000000000;
		human_count(out, s + (rest >= 500000000) - (rest <= -500000000));
		buf_adds(out, " s");
	} else if (size < 999.5)
		buf_addf(out, "%" PRId64 " ns", v);
	else
		human_scales(out, v, ns_scales);
}

#define MILLION 1000000

void
human_value(struct buf *out, int64_t v, const struct metric *m)
{
	if (m->decimals) {
		double value = (double)v / 1e6;
		/* three digits suffice; from a thousand on, all digits before the point */
		if (value < 999.5 && value > -999.5)
			buf_addf(out, "%.3g", value);
		else
			human_count(out, v / MILLION +
						 (v % MILLION + (v < 0 ? -MILLION : MILLION) / 2) /
							 MILLION);
		return;
	}
	switch ((enum unit)m->unit) {
	case UNIT_NS:
		human_ns(out, v);
		return;
	case UNIT_BYTES:
		human_scales(out, v, bytes_scales);
		if (v < 1024 && v > -1024)
			buf_adds(out, " B");
		return;
	case UNIT_SAMPLES:
	case UNIT_OPS:
	case UNIT_CALLS:
	case UNIT_ENTRIES:
	case UNIT_COUNT:
		if (v < 100000000 && v > -100000000)
			human_count(out, v);
		else
			human_scales(out, v, count_scales);
		return;
	}
}

void
human_time(struct buf *out, int64_t v, enum unit axis)
{
	if (axis != UNIT_NS) {
		human_count(out, v);
		return;
	}
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	if (size >= 1000000000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " s", v < 0 ? "-" : "",
			 size / 1000000000, size % 1000000000 / 1000000);
	else if (size >= 1000000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " ms", v < 0 ? "-" : "",
			 size / 1000000, size % 1000000 / 1000);
	else if (size >= 1000)
		buf_addf(out, "%s%" PRIu64 ".%03" PRIu64 " µs", v < 0 ? "-" : "",
			 size / 1000, size % 1000);
	else
		buf_addf(out, "%" PRId64 " ns", v);
}

double
human_percent(int64_t part, int64_t whole)
{
	return part ? 100.0 * (double)part / fabs((double)whole) : 0.0;
}

void
human_share(struct buf *out, int64_t part, int64_t whole)
{
	if (whole)
		buf_addf(out, "%.1f %%", human_percent(part, whole));
}

void
human_plain(struct buf *out, int64_t v, unsigned decimals)
{
	if (!decimals) {
		buf_addf(out, "%" PRId64, v);
		return;
	}
	uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	buf_addf(out, "%s%" PRIu64 ".%06" PRIu64, v < 0 ? "-" : "", size / 1000000,
		 size % 1000000);
	while (out->at[out->len - 1] == '0')
		out->len--;
	if (out->at[out->len - 1] == '.')
		out->len--;
	out->at[out->len] = '\0';
}

void
human_real(struct buf *out, double v)
{
	char text[40];

	if (!isfinite(v)) {
		buf_adds(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	buf_adds(out, text);
}

void
human_line(struct buf *out, struct line line)
{
	switch ((enum line_form)line.form) {
	case LINE_UNKNOWN:
		return;
	case LINE_PLAIN:
		buf_addf(out, "%" PRIu32, line.number);
		return;
	case LINE_CLAUSE:
		buf_addf(out, "%" PRIu32 ".%u", line.number, line.clause);
		return;
	}
}
