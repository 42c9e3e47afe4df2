#include "tests/lib/encode_text1.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Firmware on one core: contexts preempt each other, functions call functions and themselves,
 * functions with an even number have lines.  The program writes down its true numbers while it
 * runs, by the definitions of the document: NET while the function itself runs, GROSS including its
 * callees, CALL from entry to exit.  Events follow the order of the document's example: `S line, S
 * caller, E callee`, `X callee, R caller, R line`.  The time of switching belongs to no
 * function. */

static uint64_t
draw(struct run *r, uint64_t n)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random % n;
}

static void
emit(struct run *r, uint32_t handle, char event, unsigned context)
{
	*vec_push(&r->events) = (struct run_event){handle, event, r->now, context};
}

static void
number(struct run_numbers *n, int64_t v)
{
	n->min = !n->n || v < n->min ? v : n->min;
	n->max = v > n->max ? v : n->max;
	n->total += v;
	n->n++;
}

static uint32_t
line_handle(unsigned f, unsigned line)
{
	return 0x10000000u + f * RUN_LINES + line;
}

static int64_t call(struct run *r, unsigned context, unsigned f, int depth,
		    unsigned busy);

/* Another context takes the processor, or the function calls another; returns the gross time that
 * this adds to the caller. */
static int64_t
leave(struct run *r, unsigned context, unsigned f, int line, int depth, unsigned busy)
{
	unsigned other = (unsigned)draw(r, r->contexts);
	bool preempted = draw(r, 3) == 0 && !(busy >> other & 1);
	int64_t gross;

	if (r->left <= 0 || depth > 12)
		return 0;
	if (line >= 0)
		emit(r, line_handle(f, (unsigned)line), 'S', context);
	emit(r, f, 'S', context);
	r->now += (int64_t)draw(r, 3);
	if (preempted)
		gross = 0, call(r, other, (unsigned)draw(r, RUN_FUNCTIONS), depth + 1,
				busy | 1u << other);
	else
		gross = call(r, context, (unsigned)draw(r, RUN_FUNCTIONS), depth + 1,
			     busy);
	r->now += (int64_t)draw(r, 3);
	emit(r, f, 'R', context);
	if (line >= 0)
		emit(r, line_handle(f, (unsigned)line), 'R', context);
	return gross;
}

static int64_t
work(struct run *r, unsigned f, int line, struct run_function *own)
{
	int64_t d = (int64_t)draw(r, 50);

	r->now += d;
	own->net += d;
	if (line >= 0)
		r->line_net[f][line] += d;
	return d;
}

static int64_t
call(struct run *r, unsigned context, unsigned f, int depth, unsigned busy)
{
	struct run_function *own = &r->of[context][f];
	int64_t entry = r->now, net = 0, gross = 0;
	int steps = 1 + (int)draw(r, 3);

	r->left--;
	if (own->entries++)
		number(&own->periods, r->now - own->last_entry);
	if (!own->open && own->calls.n)
		number(&own->outsides, r->now - own->last_exit);
	own->last_entry = r->now;
	own->open++;
	emit(r, f, 'E', context);
	for (int i = 0; i < steps; i++) {
		int line = f % 2 ? -1 : (int)draw(r, RUN_LINES);
		if (line >= 0) {
			emit(r, line_handle(f, (unsigned)line), 'E', context);
			r->line_entries[f][line]++;
		}
		net += work(r, f, line, own);
		gross += leave(r, context, f, line, depth, busy);
		net += work(r, f, line, own);
		if (line >= 0)
			emit(r, line_handle(f, (unsigned)line), 'X', context);
	}
	emit(r, f, 'X', context);
	gross += net;
	if (!--own->open)
		own->gross += gross;
	own->last_exit = r->now;
	number(&own->nets, net);
	number(&own->grosses, gross);
	number(&own->calls, r->now - entry);
	return gross;
}

void
run_make(struct run *r, uint64_t seed, unsigned contexts, int calls)
{
	*r = (struct run){.contexts = contexts,
			  .random = seed * 0x9E3779B97F4A7C15u + 1,
			  .now = -1000,
			  .left = calls};
	while (r->left > 0) {
		unsigned context = (unsigned)draw(r, contexts);
		call(r, context, (unsigned)draw(r, RUN_FUNCTIONS), 0, 1u << context);
		r->now += (int64_t)draw(r, 20);
	}
}

void
run_release(struct run *r)
{
	vec_release(&r->events);
}

void
run_function_name(unsigned f, char out[16])
{
	snprintf(out, 16, f == 5 ? "f,%u(a, b)" : "f%u", f);
}

void
run_context_name(unsigned c, char out[32])
{
	snprintf(out, 32, c == 1 ? "TSK: task (%u)" : "task %u", c);
}

struct style {
	const char *contexts, *functions, *timeline, *eol;
};

static const struct style styles[RUN_STYLES] = {
	{"* CONTEXTS %NAME%,%HANDLE%",
	 "* HANDLE(Functions) %HANDLE%,%NAME%,%FILE%,%VALUE%",
	 "* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%,%CONTEXT%", "\n"},
	{"* CONTEXTS %HANDLE% = %NAME%",
	 "* HANDLE(Functions) [%FILE%] %VALUE%; %NAME%; %HANDLE%; of %HANDLE.PARENT%",
	 "* TIMELINE t=%TIME%ns %CONTEXT%: %EVENT%%HANDLE%", "\r\n"},
	{"* CONTEXTS %NAME%\t%HANDLE%",
	 "* HANDLE(Functions) %VALUE%\t%HANDLE%\t%FILE%\t%NAME%",
	 "* TIMELINE <%CONTEXT%>%EVENT%|%TIME%|%HANDLE%|", "\n"},
};

static void
map_row(struct buf *out, unsigned style, uint32_t handle, const char *name,
	const char *file, unsigned value, uint32_t parent)
{
	char v[16] = "", p[16] = "";

	if (value)
		snprintf(v, sizeof v, "%u", value);
	if (value)
		snprintf(p, sizeof p, "0x%X", parent);
	switch (style) {
	case 0:
		buf_addf(out, "%08X,%s,%s,%s", handle, name, file, v);
		break;
	case 1:
		buf_addf(out, "[%s] %s; %s; 0x%X; of %s", file, v, name, handle, p);
		break;
	default:
		buf_addf(out, "%s\t%X\t%s\t%s", v, handle, file, name);
		break;
	}
	buf_adds(out, styles[style].eol);
}

static void
event_row(struct buf *out, unsigned style, const struct run_event *e)
{
	char context[32];

	run_context_name(e->context, context);
	switch (style) {
	case 0:
		buf_addf(out, "%08X,%c,,%lld,%s", e->handle, e->event, (long long)e->time,
			 context);
		break;
	case 1: /* contexts as handles */
		buf_addf(out, "t=%lldns 0x%x: %c%08X", (long long)e->time,
			 e->context + 16, e->event, e->handle);
		break;
	default:
		buf_addf(out, "<%s>%c|%lld|0x%X|", context, e->event, (long long)e->time,
			 e->handle);
		break;
	}
	buf_adds(out, styles[style].eol);
}

void
run_text(const struct run *r, unsigned style, bool timeline, struct buf *out)
{
	const struct style *s = &styles[style];
	char name[32];

	buf_addf(out, "* INFO %%TOTAL_TIME%%%s%lld%s%s%s", s->eol, (long long)r->now,
		 s->eol, s->contexts, s->eol);
	for (unsigned c = 0; c < r->contexts; c++) {
		run_context_name(c, name);
		if (style == 1)
			buf_addf(out, "0x%X = %s%s", c + 16, name, s->eol);
		else
			buf_addf(out, "%s%c0x%X%s", name, style == 0 ? ',' : '\t', c + 16,
				 s->eol);
	}
	buf_addf(out, "%s%s", s->functions, s->eol);
	for (unsigned f = 0; f < RUN_FUNCTIONS; f++) {
		run_function_name(f, name);
		map_row(out, style, f, name, "", 0, 0);
		for (unsigned l = 0; f % 2 == 0 && l < RUN_LINES; l++) {
			char file[16];
			snprintf(file, sizeof file, "src/%u.c", f);
			map_row(out, style, line_handle(f, l), "x = f(a, b); // %TIME%",
				file, 10 * (f + 1) + l, f);
		}
	}
	buf_addf(out, "%s%s", s->timeline, s->eol);
	for (size_t i = 0; timeline && i < r->events.n; i++)
		event_row(out, style, &r->events.at[i]);
}

static void
little(struct buf *out, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(out, (char)(v >> 8 * i & 0xFF));
}

void
run_bin(const struct run *r, int version, struct buf *out)
{
	static const char types[] = "XSRE";

	for (size_t i = 0; i < r->events.n; i++) {
		const struct run_event *e = &r->events.at[i];
		uint32_t type = (uint32_t)(strchr(types, e->event) - types);
		little(out, e->handle, 4);
		little(out, version == 10 ? type << 24 : type | e->context << 4, 4);
		little(out, 0, 8);
		little(out, (uint64_t)e->time, 8);
	}
}
