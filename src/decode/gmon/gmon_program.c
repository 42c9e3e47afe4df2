#include "src/decode/gmon/gmon.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/bisect.h"
#include "model/base/buf.h"
#include "model/base/ordered.h"
#include "src/decode/common/native.h"

/* A gmon.out has addresses and does not say which program has the names.  Next to X.gmon.out
 * there is X or X.exe, next to gmon.out usually a.out or a.exe.  Only ELF and PE files are
 * accepted.
 *
 * Addresses are those of the file, also for a program that was loaded elsewhere (PIE): glibc
 * subtracts the load address. */

/* Returns false with the reason in *e. */
static bool
gmon_program_take(struct gmon_program *p, const char *path, struct err *e)
{
	struct err why = {0};

	struct input *in = input_open(path, &why);
	if (!in)
		return err_refuse(e, "%s: %s", path, why.text);
	bool elf = input_need(in, 4) && !memcmp(input_at(in), "\177ELF", 4);
	bool pe = !elf && input_need(in, 64) && !memcmp(input_at(in), "MZ", 2);
	if (pe) {
		while (input_more(in))
			;
		gmon_pe_read(&p->pe, input_at(in), input_have(in));
	}
	input_close(in);
	p->path = elf || pe ? realpath(path, NULL) : NULL;
	return p->path || err_refuse(e, "%s: no program, of ELF or PE", path);
}

/* Tries NAME with its end replaced; an empty end is not tried. */
static bool
try_beside(struct gmon_program *p, const char *name, const char *end, const char *instead)
{
	size_t len = strlen(name), n = strlen(end);
	struct buf path = BUF_INIT;

	if (len <= n || strcmp(name + len - n, end) != 0 || name[len - n - 1] == '/')
		return false;
	buf_add(&path, name, len - n);
	buf_adds(&path, instead);
	bool found = gmon_program_take(p, buf_str(&path), &(struct err){0});
	buf_release(&path);
	return found;
}

static bool
find_beside(struct gmon_program *p, const char *name)
{
	static const char *const ends[] = {".gmon.out", ".gmon", ".out"};
	static const char *const usual[] = {"a.out", "a.exe"};
	struct buf path = BUF_INIT;
	const char *slash = strrchr(name, '/');
	bool found = false;

	for (size_t i = 0; i < sizeof ends / sizeof *ends && !found; i++)
		found = try_beside(p, name, ends[i], "") || try_beside(p, name, ends[i], ".elf") ||
			try_beside(p, name, ends[i], ".exe");
	for (size_t i = 0; i < sizeof usual / sizeof *usual && !found; i++) {
		buf_reset(&path);
		buf_add(&path, name, slash ? (size_t)(slash - name) + 1 : 0);
		buf_adds(&path, usual[i]);
		found = gmon_program_take(p, buf_str(&path), &(struct err){0});
	}
	buf_release(&path);
	return found;
}

bool
gmon_program_open(struct gmon_program *p, struct input *in, struct err *e)
{
	const char *path = input_option(in, "binary");
	char *name = mem_dup(input_name(in), input_bare_len(input_name(in)));

	bool found = path ? gmon_program_take(p, path, e) : find_beside(p, name);
	p->named = p->pe.symbol.n > 0;
	if (found && !p->named) {
		p->symbols = native_symbols(in);
		p->module = symbols_add(p->symbols, &(struct symbols_module){
							    .kind = SYMBOLS_FILE,
							    .path = p->path,
							    .path_len = strlen(p->path),
						    });
		if (!symbols_there(p->symbols, p->module)) {
			symbols_free(p->symbols);
			p->symbols = NULL;
		}
		p->named = p->symbols != NULL;
	}
	free(name);
	return found || !path;
}

void
gmon_program_release(struct gmon_program *p)
{
	symbols_free(p->symbols);
	gmon_pe_release(&p->pe);
	vec_release(&p->entry);
	free(p->path);
}

/* ---- code by address ---- */

void
gmon_program_entry(struct gmon_program *p, uint64_t address)
{
	*vec_push(&p->entry) = address;
}

ORDERED_NUMBERS(by_address, uint64_t)

void
gmon_program_sort(struct gmon_program *p)
{
	size_t n = 0;

	if (!p->entry.n)
		return;
	vec_sort(&p->entry, by_address);
	for (size_t i = 0; i < p->entry.n; i++)
		if (!n || p->entry.at[n - 1] != p->entry.at[i])
			p->entry.at[n++] = p->entry.at[i];
	p->entry.n = n;
}

struct gmon_code
gmon_program_at(struct gmon_program *p, uint64_t address)
{
	struct symbols_span span;

	if (p->symbols && symbols_span(p->symbols, p->module, address, &span))
		return (struct gmon_code){span.start, span.end, span.name};
	if (p->pe.symbol.n) {
		struct gmon_pe_span s = gmon_pe_at(&p->pe, address);
		return (struct gmon_code){s.start, s.end, s.name};
	}
	size_t next = bisect(i, p->entry.n, p->entry.at[i] <= address);
	return (struct gmon_code){.start = next ? p->entry.at[next - 1] : 0,
				  .end = next < p->entry.n ? p->entry.at[next] : 0};
}

bool
gmon_program_covers(struct gmon_program *p, uint64_t low, uint64_t high)
{
	size_t n = p->pe.symbol.n;

	if (n)
		return p->pe.symbol.at[0].start < high && low < p->pe.symbol.at[n - 1].end;
	struct gmon_code code = gmon_program_at(p, low);
	return code.name || code.end;
}
