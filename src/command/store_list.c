/* store_list.c - see store_list.h. */
#include "src/command/store_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/base/escape.h"
#include "model/profile/human.h"
#include "src/command/progress.h"
#include "src/command/report/sheet.h"
#include "src/encode/json_text.h"

enum { LIST_SERVICE, LIST_PROFILES, LIST_SAMPLES, LIST_BYTES, LIST_FROM, LIST_TO, LIST_STORED,
       LIST_HOSTS, LIST_LABELS, LIST_TTL, LIST_COLUMNS };
static const char *const list_names[LIST_COLUMNS] = {
	"service", "profiles", "samples", "bytes", "from", "to", "stored", "hosts", "labels",
	"ttl"};

void
store_list_time(struct buf *out, int64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char text[32];
	struct tm t;

	if (gmtime_r(&seconds, &t) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t))
		buf_adds(out, text);
}

/* Writes a number for people or for programs; nothing for an unknown one. */
static void
list_number(struct buf *out, uint64_t v, enum unit unit, bool people)
{
	struct metric m = {.unit = (uint8_t)unit};

	if (!v && unit == UNIT_BYTES)
		return;
	if (people)
		human_value(out, (int64_t)v, &m);
	else
		buf_addf(out, "%" PRIu64, v);
}

static void
list_words(struct buf *out, const struct buf *text, bool people)
{
	if (people)
		escape_shown(out, buf_str(text), text->len, false);
	else
		escape_bytes(out, buf_str(text), text->len, false);
}

/* Replaces the text of `out` by a cell. */
static void
list_cell(const struct store_held *h, size_t service, int column, bool people, struct buf *out)
{
	struct buf text = BUF_INIT;

	const struct held_service *s = &h->service.at[service];

	buf_reset(out);
	switch (column) {
	case LIST_SERVICE:
		list_words(out, &s->name, people);
		break;
	case LIST_PROFILES:
		list_number(out, s->profiles, UNIT_COUNT, people);
		break;
	case LIST_SAMPLES:
		list_number(out, s->samples, UNIT_COUNT, people);
		break;
	case LIST_BYTES:
		list_number(out, s->bytes, UNIT_BYTES, people);
		break;
	case LIST_FROM:
		store_list_time(out, s->from);
		break;
	case LIST_TO:
		store_list_time(out, s->to);
		break;
	case LIST_STORED:
		store_list_time(out, s->stored);
		break;
	case LIST_HOSTS:
		buf_addf(&text, "%" PRIu64 ": %s", s->n_hosts, buf_str(&s->hosts));
		list_words(out, &text, people);
		break;
	case LIST_LABELS:
		held_labels_text(s, &text);
		list_words(out, &text, people);
		break;
	case LIST_TTL:
		list_words(out, &h->ttl, people);
		break;
	}
	buf_release(&text);
}

static bool
list_is_number(int column)
{
	return column >= LIST_PROFILES && column <= LIST_BYTES;
}

static void
list_text(const struct store_held *h, struct buf *cell)
{
	size_t width[LIST_COLUMNS];

	for (int c = 0; c < LIST_COLUMNS; c++) {
		width[c] = sheet_width(list_names[c], strlen(list_names[c]));
		for (size_t i = 0; i < h->service.n; i++) {
			list_cell(h, i, c, true, cell);
			size_t w = sheet_width(buf_str(cell), cell->len);
			width[c] = w > width[c] ? w : width[c];
		}
	}
	sheet_fit(stdout, width, LIST_COLUMNS);
	for (size_t i = 0; i <= h->service.n; i++)
		for (int c = 0; c < LIST_COLUMNS; c++) {
			buf_reset(cell);
			if (i)
				list_cell(h, i - 1, c, true, cell);
			else
				buf_adds(cell, list_names[c]);
			sheet_text_field(stdout, buf_str(cell), cell->len, width[c],
					 list_is_number(c), c + 1 == LIST_COLUMNS);
			fputs(c + 1 == LIST_COLUMNS ? "\n" : "  ", stdout);
		}
}

struct list_asking {
	const struct store_url *url;
	struct store_held *held;
	struct err *e;
	bool good;
};

static void
list_ask(void *ctx)
{
	struct list_asking *l = ctx;

	l->good = held_read(l->held, l->url, (int64_t)time(NULL) * 1000000000, l->e);
}

bool
store_list_read(struct store_held *h, const struct store_url *url, const char *address,
		struct err *e)
{
	struct list_asking l = {.url = url, .held = h, .e = e};
	struct progress g;

	progress_init(&g, address, "asking the server", NULL);
	progress_call(&g, list_ask, &l);
	return l.good;
}

void
store_list_write(const struct store_held *h, enum list_format format)
{
	struct buf cell = BUF_INIT;

	if (format == LIST_TEXT) {
		list_text(h, &cell);
		buf_release(&cell);
		return;
	}
	for (int c = 0; c < LIST_COLUMNS && format == LIST_CSV; c++)
		printf("%s%s", list_names[c], c + 1 < LIST_COLUMNS ? "," : "\n");
	for (size_t i = 0; i < h->service.n; i++)
		for (int c = 0; c < LIST_COLUMNS; c++) {
			bool last = c + 1 == LIST_COLUMNS;
			list_cell(h, i, c, false, &cell);
			if (format == LIST_CSV) {
				sheet_csv_field(stdout, buf_str(&cell), cell.len);
				putchar(last ? '\n' : ',');
				continue;
			}
			printf("%s\"%s\": ", c ? ", " : "{", list_names[c]);
			if (!list_is_number(c))
				json_string(stdout, buf_str(&cell), cell.len);
			else
				fputs(cell.len ? buf_str(&cell) : "null", stdout);
			fputs(last ? "}\n" : "", stdout);
		}
	buf_release(&cell);
}
