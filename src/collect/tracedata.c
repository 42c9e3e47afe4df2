/* The layout is that of perf and trace-cmd (perfdata_fields.c draws it).  Each tracepoint is
 * written as a separate system, which readers allow. */
#include "src/collect/tracedata.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/collect/eventlist.h"

/* Appends u64 size, text. */
static void
tracedata_add_text(struct buf *out, const char *text, size_t len)
{
	uint64_t size = len;

	buf_add(out, &size, sizeof size);
	buf_add(out, text, len);
}

/* Appends such a text from a file; false: it cannot be read.  Files of tracefs have no size. */
static bool
tracedata_add_file(struct buf *out, const char *folder, const char *name)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	char part[4096];
	size_t n;

	buf_addf(&path, "%s/%s", folder, name);
	FILE *f = fopen(buf_str(&path), "re");
	while (f && (n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(&text, part, n);
	if (f)
		fclose(f);
	bool good = text.len > 0;
	if (good)
		tracedata_add_text(out, buf_str(&text), text.len);
	buf_release(&path);
	buf_release(&text);
	return good;
}

static void
tracedata_add_number(struct buf *out, uint32_t n)
{
	buf_add(out, &n, sizeof n);
}

/* A text with its NUL. */
static void
tracedata_add_word(struct buf *out, const char *word, size_t len)
{
	buf_add(out, word, len);
	buf_addc(out, '\0');
}

/* `folder`: that of tracefs; NULL: no event needs what it says about the kernel's rings. */
static bool
add_head(struct buf *out, const char *folder)
{
	const uint16_t order = 0x0100; /* its first byte is 1 where the highest one comes first */

	buf_add(out, "\27\10\104tracing0.6", 14);
	buf_add(out, &order, 1);
	buf_addc(out, sizeof(long));
	tracedata_add_number(out, (uint32_t)sysconf(_SC_PAGESIZE));
	bool good = true;
	for (int i = 0; i < 2 && good; i++) {
		const char *name = i ? "header_event" : "header_page";
		tracedata_add_word(out, name, strlen(name));
		if (folder)
			good = tracedata_add_file(out, folder, name);
		else
			tracedata_add_text(out, "", 0);
	}
	tracedata_add_number(out, 0); /* events of ftrace itself */
	return good;
}

/* SYSTEM:NAME, or NAME of an event whose format is given. */
static bool
add_event(struct buf *out, const char *folder, const struct collect_event *v)
{
	const char *name = v->name;
	size_t system = strcspn(name, ":");
	struct buf path = BUF_INIT;

	if (!name[system] && !v->format)
		return false;
	tracedata_add_word(out, name, system);
	tracedata_add_number(out, 1);
	if (v->format) {
		tracedata_add_text(out, v->format, strlen(v->format));
		return true;
	}
	buf_addf(&path, "%.*s/%s/format", (int)system, name, name + system + 1);
	bool good = tracedata_add_file(out, folder, buf_str(&path));
	buf_release(&path);
	return good;
}

bool
tracedata_wanted(const struct eventlist *l)
{
	for (size_t i = 0; i < l->at.n; i++)
		if (l->at.at[i].attr.type == PERF_TYPE_TRACEPOINT && l->at.at[i].name)
			return true;
	return false;
}

void
tracedata_section(const struct eventlist *l, struct buf *out)
{
	struct buf folder = BUF_INIT, all = BUF_INIT;
	uint32_t n = 0;
	bool kernels = false;

	for (size_t i = 0; i < l->at.n; i++)
		if (l->at.at[i].attr.type == PERF_TYPE_TRACEPOINT) {
			n++;
			kernels |= !l->at.at[i].format;
		}
	bool good = tracedata_wanted(l) && (!kernels || eventlist_tracefs(&folder)) &&
		    add_head(&all, kernels ? buf_str(&folder) : NULL);
	tracedata_add_number(&all, n);
	for (size_t i = 0; i < l->at.n && good; i++)
		if (l->at.at[i].attr.type == PERF_TYPE_TRACEPOINT)
			good = l->at.at[i].name &&
			       add_event(&all, buf_str(&folder), &l->at.at[i]);
	/* no symbols of the kernel, no formats of printk, no names of tasks (u64) */
	for (int i = 0; i < 4; i++)
		tracedata_add_number(&all, 0);
	if (good)
		buf_add(out, all.at, all.len);
	buf_release(&folder);
	buf_release(&all);
}
