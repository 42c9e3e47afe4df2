/* trigger.c - see trigger.h.
 *
 * /proc/pressure/cpu (Documentation/accounting/psi.rst):
 *
 *	some avg10=1.53 avg60=0.42 avg300=0.11 total=4023
 *
 * The second number of /proc/PID/statm is the resident memory in pages. */
#include "src/collect/trigger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns some avg10 of a resource; -1 without it. */
static double
pressure_of(const char *resource)
{
	char path[64];
	double share = -1;

	snprintf(path, sizeof path, "/proc/pressure/%s", resource);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "some avg10=%lf", &share) != 1)
		share = -1;
	if (f)
		fclose(f);
	return share;
}

static double
resident_of(pid_t pid)
{
	char path[64];
	unsigned long long pages = 0;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Parses a positive number with B, K, M, G or without a unit. */
static bool
limit_of(const char *text, bool bytes, double *out)
{
	static const char units[] = "BKMG";
	char *end;
	double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : units;

	if (end == text || !(n > 0) || !unit || (*end && (!bytes || end[1])))
		return false;
	*out = n;
	for (; unit > units; unit--)
		*out *= 1024;
	return true;
}

/* latency uprobe:/PATH:FUNCTION>50ms; a name of C++ may have a '>', too. */
static bool
parse_latency(const char *text, struct trigger *out)
{
	static const char before[] = "latency uprobe:";
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	const char *limit = strrchr(text, '>');
	size_t n = sizeof before - 1;
	char *end;

	if (strncmp(text, before, n) != 0 || !limit || limit < text + n)
		return false;
	out->kind = TRIGGER_LATENCY;
	out->probe_at = n;
	out->probe_len = (size_t)(limit - text) - n;
	double number = strtod(limit + 1, &end);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit))
			out->limit = number * units[i].ns;
	return out->limit >= 1 && out->limit < 1e15;
}

bool
trigger_parse(const char *text, struct trigger *out, struct err *e)
{
	const char *limit = strchr(text, '>');
	int pid = 0, n = 0;

	*out = (struct trigger){.text = text, .kind = TRIGGER_RSS};
	if (parse_latency(text, out))
		return true;
	if (sscanf(text, "psi %7[a-z]%n", out->resource, &n) == 1)
		out->kind = TRIGGER_PSI;
	else if (sscanf(text, "rss -p %d%n", &pid, &n) != 1 && !strncmp(text, "rss", 3))
		n = 3;
	out->pid = pid;
	while (n && text[n] == ' ')
		n++;
	if (!n || out->kind == TRIGGER_LATENCY || limit != text + n ||
	    !limit_of(limit + 1, out->kind == TRIGGER_RSS, &out->limit))
		return err_usage(e, "--trigger takes 'psi cpu>20', 'psi io>5', 'rss>2G', 'rss -p "
				    "PID>2G' or 'latency uprobe:/path:function>50ms', not '%s'",
				 text);
	if (out->kind == TRIGGER_PSI && pressure_of(out->resource) < 0)
		return err_usage(e, "--trigger: this system has no /proc/pressure/%s",
				 out->resource);
	if (pid && resident_of(pid) <= 0)
		return err_usage(e, "--trigger: there is no process %d", pid);
	return true;
}

bool
trigger_holds(const struct trigger *t, pid_t target)
{
	pid_t pid = t->pid ? t->pid : target;

	if (t->kind == TRIGGER_LATENCY)
		return false;
	if (t->kind == TRIGGER_PSI)
		return pressure_of(t->resource) > t->limit;
	return pid && resident_of(pid) > t->limit;
}
