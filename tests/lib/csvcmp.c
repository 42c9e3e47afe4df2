/* csvcmp - compares two reports as rows, not as bytes.
 *
 *	csvcmp set|ordered|functions|values|lines EXPECTED ACTUAL
 *
 * A correct CSV and ours may differ in quoting, in line ends and, where pnav(1) leaves it open, in
 * the order of rows, so a diff of bytes would be wrong in both directions. Rows are parsed by RFC
 * 4180 into fields joined by the byte 0x1F, which no report contains, and compared:
 *
 *	set        the same rows, any order
 *	ordered    the same rows in the same order
 *	functions  the same rows; the columns `self` and `function` follow each other as
 *	           expected, rows that are equal in both in any order
 *	values     as set, but where numbers of the last column are no integers they may
 *	           differ by 1e-9 of the larger
 *	lines      as set, of plain lines without quoting (folded stacks)
 *
 * The header row is a row like all others, always the first.  Exit: 0 equal, 1 not, 2 trouble.  At
 * most ten differences are printed. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN '\x1f'
#define SHOWN 10

struct table {
	char *text; /* rows, each ended by a NUL, fields joined */
	char **row;
	size_t n;
};

static void
die(const char *what, const char *path)
{
	fprintf(stderr, "csvcmp: %s: %s\n", path, what);
	exit(2);
}

static char *
slurp(const char *path, size_t *len)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t cap = 1 << 16, n = 0, got;
	char *at = malloc(cap + 1);

	if (!f || !at)
		die(strerror(errno), path);
	while ((got = fread(at + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n == cap) {
			cap *= 2;
			at = realloc(at, cap + 1);
			if (!at)
				die("out of memory", path);
		}
	}
	if (f != stdin)
		fclose(f);
	at[n] = '\0';
	*len = n;
	return at;
}

/* Reads one row from *at and writes its joined fields to *out.  In quotes, "" is a quote and line
 * ends are data. */
static void
parse_row(const char **at, const char *end, char **out, bool quoting, const char *path)
{
	const char *p = *at;
	char *o = *out;
	bool quoted = false, start = true;

	for (; p < end; p++) {
		if (quoted) {
			if (*p != '"')
				*o++ = *p;
			else if (p + 1 < end && p[1] == '"')
				*o++ = *p++;
			else
				quoted = false;
		} else if (*p == '\n') {
			break;
		} else if (*p == '\r' && p + 1 < end && p[1] == '\n') {
			continue;
		} else if (quoting && *p == ',') {
			*o++ = JOIN;
			start = true;
			continue;
		} else if (quoting && start && *p == '"') {
			quoted = true;
		} else {
			*o++ = *p;
		}
		start = false;
	}
	if (quoted)
		die("a quoted field has no end", path);
	*o++ = '\0';
	*out = o;
	*at = p < end ? p + 1 : p;
}

static struct table
table_read(const char *path, bool quoting)
{
	size_t len, rows = 1;
	char *raw = slurp(path, &len), *out;
	const char *at = raw, *end = raw + len;
	struct table t = {.text = malloc(len + 2)};

	for (size_t i = 0; i < len; i++)
		rows += raw[i] == '\n';
	t.row = calloc(rows, sizeof *t.row);
	if (!t.text || !t.row)
		die("out of memory", path);
	out = t.text;
	while (at < end) {
		t.row[t.n++] = out;
		parse_row(&at, end, &out, quoting, path);
	}
	free(raw);
	return t;
}

static void
table_release(struct table *t)
{
	free(t->text);
	free(t->row);
}

/* Returns the field with this index and its length in bytes. */
static const char *
field(const char *row, int index, size_t *len)
{
	while (index-- > 0) {
		row = strchr(row, JOIN);
		if (!row) {
			*len = 0;
			return "";
		}
		row++;
	}
	*len = strcspn(row, "\x1f");
	return row;
}

static int
column_of(const struct table *t, const char *name)
{
	const char *at;
	size_t len, want = strlen(name);

	if (t->n == 0)
		return -1;
	for (int i = 0; (at = field(t->row[0], i, &len)), len || i == 0; i++)
		if (len == want && !memcmp(at, name, len))
			return i;
	return -1;
}

static bool
same_field(const char *a, const char *b, int index)
{
	size_t alen, blen;
	const char *af = field(a, index, &alen), *bf = field(b, index, &blen);

	return alen == blen && !memcmp(af, bf, alen);
}

static bool
is_integer(const char *s)
{
	s += *s == '-';
	return *s && !s[strspn(s, "0123456789")];
}

/* True if two rows of `values` agree: all columns but the last to the byte. */
static bool
same_value(const char *a, const char *b)
{
	const char *av = strrchr(a, JOIN), *bv = strrchr(b, JOIN);
	double x, y;
	char *xend, *yend;

	if (!strcmp(a, b))
		return true;
	if (!av || !bv || av - a != bv - b || memcmp(a, b, (size_t)(av - a)))
		return false;
	av++;
	bv++;
	if (is_integer(av) && is_integer(bv))
		return false;
	x = strtod(av, &xend);
	y = strtod(bv, &yend);
	return xend != av && yend != bv && !*xend && !*yend &&
	       fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
}

static int
by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Like by_bytes, with the last column as a number, so that close numbers keep their places. */
static int
by_value(const void *a, const void *b)
{
	const char *ra = *(char *const *)a, *rb = *(char *const *)b;
	const char *av = strrchr(ra, JOIN), *bv = strrchr(rb, JOIN);
	double x, y;

	if (!av || !bv || av - ra != bv - rb || memcmp(ra, rb, (size_t)(av - ra)))
		return strcmp(ra, rb);
	x = strtod(av + 1, NULL);
	y = strtod(bv + 1, NULL);
	return (x > y) - (x < y);
}

static void
show(const char *sign, const char *row)
{
	printf("%s ", sign);
	for (; *row; row++)
		putchar(*row == JOIN ? ',' : *row);
	putchar('\n');
}

/* Compares two tables that are both sorted or both in order, and prints the differences. */
static size_t
compare_sorted(const struct table *want, const struct table *got,
	       int (*order)(const void *, const void *), bool lenient)
{
	size_t i = 0, j = 0, bad = 0;

	while (i < want->n || j < got->n) {
		int c;

		if (i == want->n)
			c = 1;
		else if (j == got->n)
			c = -1;
		else if (lenient && same_value(want->row[i], got->row[j]))
			c = 0;
		else
			c = order(&want->row[i], &got->row[j]);
		if (c == 0) {
			i++, j++;
			continue;
		}
		if (bad++ < SHOWN)
			show(c < 0 ? "missing" : "surplus",
			     c < 0 ? want->row[i] : got->row[j]);
		if (c < 0)
			i++;
		else
			j++;
	}
	return bad;
}

static size_t
compare_order(const struct table *want, const struct table *got, bool functions)
{
	int self = column_of(want, "self"), function = column_of(want, "function");
	size_t bad = 0;

	for (size_t i = 0; i < want->n && i < got->n; i++) {
		const char *a = want->row[i], *b = got->row[i];
		bool same = functions
				    ? same_field(a, b, self) && same_field(a, b, function)
				    : !strcmp(a, b);

		if (same)
			continue;
		if (bad++ < SHOWN) {
			printf("row %zu:\n", i);
			show("  expected", a);
			show("  actual  ", b);
		}
	}
	return bad;
}

/* Sorts all rows but the header. */
static void
sort_rows(struct table *t, bool header, int (*order)(const void *, const void *))
{
	if (t->n > header)
		qsort(t->row + header, t->n - header, sizeof *t->row, order);
}

int
main(int argc, char **argv)
{
	static const char *const modes[] = {"set", "ordered", "functions", "values",
					    "lines"};
	size_t mode, bad;
	bool plain, values;
	struct table want, got;
	int (*order)(const void *, const void *);

	for (mode = 0; argc == 4 && mode < 5 && strcmp(argv[1], modes[mode]); mode++)
		;
	if (argc != 4 || mode == 5) {
		fprintf(stderr, "usage: csvcmp set|ordered|functions|values|lines "
				"EXPECTED ACTUAL\n");
		return 2;
	}
	plain = mode == 4;
	values = mode == 3;
	order = values ? by_value : by_bytes;
	want = table_read(argv[2], !plain);
	got = table_read(argv[3], !plain);
	bad = 0;
	if (!plain && (want.n == 0 || got.n == 0 || strcmp(want.row[0], got.row[0]))) {
		show("expected header", want.n ? want.row[0] : "(nothing)");
		show("actual header  ", got.n ? got.row[0] : "(nothing)");
		bad = 1;
	}
	if (!bad && (mode == 1 || mode == 2))
		bad = compare_order(&want, &got, mode == 2);
	if (!bad) {
		sort_rows(&want, !plain, order);
		sort_rows(&got, !plain, order);
		bad = compare_sorted(&want, &got, order, values);
	}
	if (bad > SHOWN)
		printf("... %zu differences in all\n", bad);
	table_release(&want);
	table_release(&got);
	return bad ? 1 : 0;
}
