/* A trace log of ClickHouse: its columns, its metrics, its stacks.  Sums, curves and detail are
 * read as those of a store (read.c).
 *
 * Functions come from the column `symbols`.  Where it is missing or empty, a query names the
 * addresses.  The server refuses that to users without the right, and servers before 20.1 cannot
 * do it.  Then functions are addresses, with one warning. */
#include "src/store/read_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/input/hash.h"

/* ---- the table ---- */

#define COLUMN_NAME(name) #name,
static const char *const log_columns[] = {TRACE_COLUMNS_LIST(COLUMN_NAME)};
#undef COLUMN_NAME

/* Without these no query is possible. */
static const enum trace_column log_needed[] = {TRACE_event_date, TRACE_event_time,
					       TRACE_trace_type, TRACE_query_id, TRACE_trace};

/* Notes a column of the table, or of query_log. */
static void
log_note_column(struct trace_log *log, const char *table, const char *name)
{
	if (!strcmp(table, "query_log")) {
		log->settings |= !strcmp(name, "Settings");
		log->names_of_settings |= !strcmp(name, "Settings.Names");
	}
	if (strcmp(table, log->url->log_table))
		return;
	for (enum trace_column c = 0; c < TRACE_COLUMNS; c++)
		log->has[c] |= !strcmp(name, log_columns[c]);
}

/* Refuses a server without the table. */
static bool
log_refuse_table(struct reader *r, struct err *e)
{
	const char *host = strstr(r->url.origin, "://") + 3;
	size_t len = (size_t)(strrchr(host, ':') - host);
	struct rowbin a;

	buf_reset(&r->sql);
	buf_adds(&r->sql, "SELECT version()");
	if (!reader_ask(r, &a, e))
		return false;
	if (rowbin_next(&a))
		rowbin_text(&a, &r->text);
	if (!rowbin_close(&a, e))
		return false;
	const char *version = buf_str(&r->text);
	size_t major = strcspn(version, "."), minor = major;
	if (version[minor])
		minor += 1 + strcspn(version + minor + 1, ".");
	/* the profiler is of 2019 */
	err_refuse(e, "%.*s has no table %s.%s (ClickHouse %.*s %s)", (int)len, host,
		   r->url.log_database, r->url.log_table, (int)minor, version,
		   strtoul(version, NULL, 10) < 19 ? "has no profiler"
						   : "makes it for the first sample, where its "
						     "configuration has trace_log");
	return false;
}

static bool
log_read_columns(struct reader *r, struct err *e)
{
	struct buf table = BUF_INIT;
	bool any = false;
	struct rowbin a;

	buf_reset(&r->sql);
	trace_log_columns(&r->url, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		rowbin_text(&a, &table);
		rowbin_text(&a, &r->text);
		any |= !strcmp(buf_str(&table), r->url.log_table);
		log_note_column(&r->log, buf_str(&table), buf_str(&r->text));
	}
	buf_release(&table);
	if (!rowbin_close(&a, e))
		return false;
	if (!any)
		return log_refuse_table(r, e);
	for (size_t i = 0; i < sizeof log_needed / sizeof *log_needed; i++)
		if (!r->log.has[log_needed[i]])
			return err_refuse(e, "%s.%s has no column %s: it is not a trace log",
					  r->url.log_database, r->url.log_table,
					  log_columns[log_needed[i]]);
	if (r->url.host && !r->log.has[TRACE_hostname] && !r->url.cluster)
		return err_refuse(e, "%s.%s has no column hostname: host= needs cluster=",
				  r->url.log_database, r->url.log_table);
	return true;
}

/* ---- types ---- */

/* The least and the last of hosts and builds of all rows. */
struct log_range {
	struct buf low, high;
	uint64_t first, last;
};

static void
log_note_range(struct reader *r, struct log_range *all, bool is_first, struct rowbin *a)
{
	for (unsigned i = 0; i < 2; i++) {
		struct buf *of = i ? &all->high : &all->low;
		rowbin_text(a, &r->text);
		int way = strcmp(buf_str(&r->text), buf_str(of));
		if (!is_first && (i ? way <= 0 : way >= 0))
			continue;
		buf_reset(of);
		buf_add(of, buf_str(&r->text), r->text.len);
	}
	uint64_t first = rowbin_whole(a, 8), last = rowbin_whole(a, 8);
	all->first = is_first || first < all->first ? first : all->first;
	all->last = is_first || last > all->last ? last : all->last;
}

static void
log_say_type(struct reader *r, unsigned type, uint64_t rows)
{
	const char *name = trace_type_name(type);

	if (name)
		builder_info(r->b, "trace type", "%s, %" PRIu64 " rows", name, rows);
	else
		builder_info(r->b, "trace type", "%u, %" PRIu64 " rows", type, rows);
}

static bool
log_read_types(struct reader *r, struct err *e)
{
	struct trace_ask log = question_of_log(&r->q);
	struct log_range all = {BUF_INIT, BUF_INIT, 0, 0};
	bool any = false;
	struct rowbin a;

	buf_reset(&r->sql);
	trace_log_types(&log, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	for (; rowbin_next(&a); any = true) {
		unsigned type = (unsigned)rowbin_whole(&a, 1);
		uint64_t rows = rowbin_whole(&a, 8), negative = rowbin_whole(&a, 8);
		log_note_range(r, &all, !any, &a);
		rowbin_text(&a, &r->text);
		if (err_is_set(&a.fault))
			break;
		log_say_type(r, type, rows);
		r->log_types |= type < TRACE_TYPES ? 1u << type : 0;
		r->log_frees |= type < TRACE_TYPES && negative ? 1u << type : 0;
	}
	r->log.hosts = strcmp(buf_str(&all.low), buf_str(&all.high)) != 0;
	r->log.revisions = all.first != all.last;
	buf_release(&all.low);
	buf_release(&all.high);
	if (!rowbin_close(&a, e))
		return false;
	if (!any)
		return err_refuse(e, "no rows of this type, query, host and time in %s.%s",
				  r->url.log_database, r->url.log_table);
	builder_info(r->b, "server", "ClickHouse %s", buf_str(&r->text));
	return true;
}

bool
reader_log_learn(struct reader *r, struct err *e)
{
	r->log.type = r->url.type ? trace_type_number(r->url.type) : -1;
	if (r->url.type && r->log.type < 0)
		return err_usage(e, "type=%s is not a type of a trace log, such as CPU, Real or "
				    "Memory", r->url.type);
	builder_info(r->b, "trace log", "%s.%s", r->url.log_database, r->url.log_table);
	return log_read_columns(r, e) && log_read_types(r, e);
}

/* ---- metrics ---- */

static void
log_add_metric(struct metric_rows *out, const char *name, enum unit unit)
{
	*vec_push(&out->at) = (struct metric_row){
		.name = mem_dup(name, strlen(name)), .unit = unit, .labels = 1};
}

/* True if rows of these types and columns have the metric. */
static bool
log_has_metric(const struct reader *r, const struct trace_metric *m)
{
	bool sized = m->unit == UNIT_BYTES;
	unsigned types = !strcmp(m->name, "frees") ? r->log_frees : r->log_types;

	if (!strcmp(m->name, "live") && !r->log.has[TRACE_ptr])
		return false;
	return m->types & types && (!sized || r->log.has[TRACE_size]);
}

static bool
log_read_events(struct reader *r, struct metric_rows *out, struct err *e)
{
	struct trace_ask log = question_of_log(&r->q);
	struct rowbin a;

	buf_reset(&r->sql);
	trace_log_events(&log, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		rowbin_text(&a, &r->text);
		if (r->text.len)
			log_add_metric(out, buf_str(&r->text), UNIT_COUNT);
	}
	return rowbin_close(&a, e);
}

/* Finds whether queries have a period of their own, and reports the assumed one. */
static bool
log_read_periods(struct reader *r, const char *metric, struct err *e)
{
	uint64_t n = 0;

	r->q.metric = metric;
	if (!trace_metric_has_period(metric))
		return true;
	if (r->log.settings || r->log.names_of_settings) {
		buf_reset(&r->sql);
		struct trace_ask log = question_of_log(&r->q);
		trace_log_periods(&log, &r->sql);
		if (!clickhouse_number(&r->url, buf_str(&r->sql), 8, r->watch, &n, e))
			return false;
		r->log.periods = n > 0;
		builder_info(r->b, "queries with a period", "%" PRIu64, n);
	}
	builder_info(r->b, "assumed", "1 s a sample of other queries, as is the server's default");
	return true;
}

bool
reader_log_metrics(struct reader *r, struct metric_rows *out, struct err *e)
{
	const struct trace_metric *m;

	for (size_t i = 0; (m = trace_metric_at(i)); i++)
		if (log_has_metric(r, m)) {
			r->log.usual = r->log.usual ? r->log.usual : m->types;
			log_add_metric(out, m->name, m->unit);
		}
	if (r->log_types & 1u << 5 && r->log.has[TRACE_event] && r->log.has[TRACE_increment]) {
		r->log.usual = r->log.usual ? r->log.usual : 1u << 5;
		if (!log_read_events(r, out, e))
			return false;
	}
	if (!out->at.n)
		return err_refuse(e, "no rows of these types have a metric that pnav reads");
	log_add_metric(out, "samples", UNIT_SAMPLES);
	if (!r->metric)
		r->metric = mem_dup(out->at.at[0].name, strlen(out->at.at[0].name));
	unsigned added = trace_metric_types(&r->log, r->metric) & r->log_types;
	if (added & (added - 1))
		builder_warn(r->b, "%s adds rows of several types: type= selects one", r->metric);
	return log_read_periods(r, r->metric, e);
}

/* ---- stacks ---- */

struct log_stack {
	uint64_t hash;
	size_t first;  /* of its addresses and frames, leaf first */
	uint32_t n;
	bool is_named; /* by the column */
};

struct log_answer {
	VEC(struct log_stack) stack;
	VEC(uint64_t) address;
	VEC(struct frame_row) frame;
	/* what the server says of addresses */
	VEC(uint64_t) known;
	VEC(struct frame_row) known_frame;
	struct map by_address;
};

static name_id
log_name(struct reader *r, const char *at, size_t len)
{
	return len ? builder_name(r->b, at, len) : NAME_EMPTY;
}

/* Takes "FILE:LINE", or the path of a module without lines, from r->text. */
static void
log_take_line(struct reader *r, struct frame_row *f)
{
	const char *text = buf_str(&r->text);
	const char *colon = memrchr(text, ':', r->text.len);
	unsigned long line = colon && is_digit(colon[1]) ? strtoul(colon + 1, NULL, 10) : 0;

	if (line && line <= UINT32_MAX) {
		f->file = log_name(r, text, (size_t)(colon - text));
		f->line = (uint32_t)line;
	} else {
		f->module = log_name(r, text, r->text.len);
	}
}

static void
log_read_stack(struct reader *r, struct rowbin *a, struct log_answer *l)
{
	struct log_stack s = {.hash = rowbin_whole(a, 8), .first = l->address.n};

	s.n = (uint32_t)rowbin_count(a);
	for (uint32_t i = 0; i < s.n; i++) {
		*vec_push(&l->address) = rowbin_whole(a, 8);
		*vec_push(&l->frame) = (struct frame_row){0};
	}
	size_t n = rowbin_count(a);
	for (size_t i = 0; i < n; i++) {
		rowbin_text(a, &r->text);
		if (i < s.n)
			l->frame.at[s.first + i].name = log_name(r, buf_str(&r->text), r->text.len);
		s.is_named |= r->text.len > 0;
	}
	n = rowbin_count(a);
	for (size_t i = 0; i < n; i++) {
		rowbin_text(a, &r->text);
		if (i < s.n)
			log_take_line(r, &l->frame.at[s.first + i]);
	}
	*vec_push(&l->stack) = s;
}

static bool
log_read_stacks(struct reader *r, struct log_answer *l, struct err *e)
{
	struct trace_ask log = question_of_log(&r->q);
	struct rowbin a;

	buf_reset(&r->sql);
	trace_log_stacks(&log, &r->sql);
	if (!reader_ask(r, &a, e))
		return false;
	while (rowbin_next(&a)) {
		log_read_stack(r, &a, l);
		reader_breathe(r);
	}
	return rowbin_close(&a, e);
}

static uint64_t
log_hash(uint64_t address)
{
	return hash64(&address, sizeof address);
}

/* Returns what the server says of an address; NULL if nothing. */
static const struct frame_row *
log_find(const struct log_answer *l, uint64_t address)
{
	uint32_t slot, i;

	if (!l->by_address.slot)
		return NULL;
	slot = map_first(&l->by_address, log_hash(address));
	while (map_probe(&l->by_address, &slot, log_hash(address), &i))
		if (l->known.at[i] == address)
			return &l->known_frame.at[i];
	return NULL;
}

/* Returns false after a refusal, which is no error: functions are addresses then. */
static bool
log_ask_names(struct reader *r, struct log_answer *l)
{
	struct trace_ask log = question_of_log(&r->q);
	struct rowbin a;
	struct err e;

	err_init(&e);
	buf_reset(&r->sql);
	trace_log_addresses(&log, &r->sql);
	bool good = reader_ask(r, &a, &e);
	while (good && rowbin_next(&a)) {
		uint64_t address = rowbin_whole(&a, 8);
		struct frame_row f = {0};
		rowbin_text(&a, &r->text);
		f.name = log_name(r, buf_str(&r->text), r->text.len);
		rowbin_text(&a, &r->text);
		log_take_line(r, &f);
		if (err_is_set(&a.fault))
			break;
		map_insert(&l->by_address, log_hash(address), (uint32_t)l->known.n);
		*vec_push(&l->known) = address;
		*vec_push(&l->known_frame) = f;
	}
	if (good)
		good = rowbin_close(&a, &e);
	if (!good)
		builder_warn(r->b, "functions are addresses: %s", e.text);
	return good;
}

/* Returns the frame of an address, with its address as name where it has no other. */
static struct frame_row
log_frame(struct reader *r, const struct log_answer *l, const struct log_stack *s, uint32_t i)
{
	struct frame_row f = l->frame.at[s->first + i];
	uint64_t address = l->address.at[s->first + i];
	const struct frame_row *known = NULL;
	char hex[24];

	if (!s->is_named)
		known = log_find(l, i ? address - 1 : address);
	if (known)
		f = *known;
	if (f.name == NAME_EMPTY)
		f.name = log_name(r, hex, (size_t)snprintf(hex, sizeof hex, "0x%" PRIx64, address));
	return f;
}

/* Warns of stacks that the server, which named others, did not know. */
static void
log_warn_unknown(struct reader *r, const struct log_answer *l)
{
	uint64_t n = 0;

	for (size_t i = 0; i < l->stack.n; i++) {
		const struct log_stack *s = &l->stack.at[i];
		n += s->n && !s->is_named && !log_find(l, l->address.at[s->first]);
	}
	builder_warn_count(
		r->b, n,
		"stack is of another build of the server: its functions are addresses",
		"stacks are of another build of the server: their functions are addresses");
}

static void
log_make_stacks(struct reader *r, const struct log_answer *l)
{
	struct stack_answer answer = {.address = NULL};
	VEC(struct frame_row) row = VEC_INIT;

	for (size_t i = 0; i < l->stack.n; i++) {
		const struct log_stack *s = &l->stack.at[i];
		row.n = 0;
		for (uint32_t f = s->n; f-- > 0;)
			*vec_push(&row) = log_frame(r, l, s, f);
		if (!row.n)
			*vec_push(&row) = (struct frame_row){.name = log_name(r, "[unknown]", 9)};
		stack_answer_add(&answer, r, s->hash, row.at, row.n, ADDRESS_NONE);
		reader_breathe(r);
	}
	vec_release(&row);
	stack_answer_make(&answer, r);
}

bool
reader_log_stacks(struct reader *r, struct err *e)
{
	struct log_answer l = {.stack = VEC_INIT};
	bool good = log_read_stacks(r, &l, e), all = true;

	for (size_t i = 0; i < l.stack.n; i++)
		all &= l.stack.at[i].is_named || !l.stack.at[i].n;
	if (good && !all && log_ask_names(r, &l))
		log_warn_unknown(r, &l);
	if (good)
		log_make_stacks(r, &l);
	vec_release(&l.stack);
	vec_release(&l.address);
	vec_release(&l.frame);
	vec_release(&l.known);
	vec_release(&l.known_frame);
	map_release(&l.by_address);
	return good;
}

void
reader_log_explain(struct reader *r, struct buf *out)
{
	static const char *const title[] = {
		"columns of the table and of query_log; below, a table that has all",
		"types of rows",
		"stacks",
		"functions of addresses, where the table has no symbols",
		"totals",
		"how many rows a step has, of some steps",
		"curves, where steps are longer than a two-thousandth of the range",
		"detail, in portions of the range"};
	struct trace_log *log = &r->log;
	int64_t step = 1;

	for (enum trace_column c = 0; c < TRACE_COLUMNS; c++)
		log->has[c] = true;
	log->settings = log->periods = log->hosts = true;
	log->usual = 1u << 1;
	log->type = r->url.type ? trace_type_number(r->url.type) : -1;
	for (size_t i = 0; !r->q.metric && trace_metric_at(i); i++)
		if (log->type < 0 || trace_metric_at(i)->types & 1u << log->type)
			r->q.metric = trace_metric_at(i)->name;
	r->q.calls = "samples";
	struct trace_ask ask = question_of_log(&r->q);
	for (unsigned i = 0; i < sizeof title / sizeof *title; i++) {
		buf_addf(out, "%s-- %s\n", i ? "\n" : "", title[i]);
		switch (i) {
		case 0: trace_log_columns(&r->url, out); break;
		case 1: trace_log_types(&ask, out); break;
		case 2: trace_log_stacks(&ask, out); break;
		case 3: trace_log_addresses(&ask, out); break;
		case 4: question_totals(&r->q, reader_most(r), out); break;
		case 5: question_rows(&r->q, &step, 1, 1, out); break;
		case 6: question_curves(&r->q, step, out); break;
		case 7: question_detail(&r->q, 0, 1, out); break;
		}
		buf_adds(out, ";\n");
	}
}
