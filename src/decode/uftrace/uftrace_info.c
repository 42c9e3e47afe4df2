/* `info` is a header of 40 bytes, then lines `key:value`; `task.txt` lines of `KEY=VALUE` words:
 *
 *	SESS timestamp=1335.824662356 pid=6566 sid=1f9419e90778568c exename="/srv/depot"
 *	TASK timestamp=1335.824746501 tid=6566 pid=6566
 *	FORK timestamp=1335.9 pid=6600 ppid=6566
 *	DLOP timestamp=1335.9 tid=6566 sid=1f9419e90778568c base=7f00 libname="/lib/x.so" */
#include "src/decode/uftrace/uftrace.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/cursor.h"
#include "src/input/decimal.h"
#include "src/input/lines.h"
#include "src/symbol/symbols.h"

#define HEADER_LEN 40u
#define TASKS_MAX 65536u
#define SESSIONS_MAX 65535u
#define LIBRARIES_MAX 4096u /* that a program loads */

void
uftrace_release(struct uftrace *u)
{
	for (size_t i = 0; i < u->session.n; i++)
		vec_release(&u->session.at[i].map);
	vec_release_all(&u->session, &u->task);
	buf_release_all(&u->entry_specs.text, &u->exit_specs.text);
	vec_release_all(&u->entry_specs.spec, &u->exit_specs.spec);
	idmap_release_all(&u->entry_specs.of_name, &u->exit_specs.of_name,
			  &u->entry_specs.of_place, &u->exit_specs.of_place,
			  &u->entry_specs.of_other, &u->exit_specs.of_other);
	cast_release(&u->cast);
	idmap_release_all(&u->task_of, &u->symbols_of, &u->frame_of, &u->symbol_of, &u->place,
			  &u->place_of);
	if (u->symbols)
		symbols_free(u->symbols);
}

/* ---- info ---- */

static void
info_line(struct uftrace *u, const char *at, const char *end)
{
	static const char *const shown[] = {"cmdline", "exename", "exit_status", "elapsed_time",
					   "record_date", "uftrace_version"};
	const char *colon = memchr(at, ':', (size_t)(end - at)), *value = colon ? colon + 1 : end;
	size_t len = (size_t)(end - value);

	if (!colon || begins_with(value, end, "lines="))
		return;
	bool enters = begins_with(at, end, "argspec:") || begins_with(at, end, "argauto:");
	bool exits = begins_with(at, end, "retspec:") || begins_with(at, end, "retauto:");
	if (u->b && (enters || exits))
		uftrace_specs_add(u, enters ? &u->entry_specs : &u->exit_specs, value, end);
	for (size_t i = 0; u->b && i < sizeof shown / sizeof *shown; i++)
		if (is_key(at, (size_t)(colon - at), shown[i]))
			builder_info_bytes(u->b, shown[i], value, len);
}

bool
uftrace_info(struct uftrace *u)
{
	struct text_line line;
	struct lines lines;

	if (!input_need(u->in, HEADER_LEN))
		return err_damage(u->e, 0, "the header is truncated");
	const uint8_t *at = input_at(u->in);
	if (memcmp(at, "Ftrace!", 8) != 0)
		return err_refuse(u->e, "not an info file of uftrace: it does not begin with "
					"Ftrace!");
	u->big_endian = at[14] == 2;
	u->version = bytes_u32(at + 8, u->big_endian);
	u->features = bytes_u64(at + 16, u->big_endian);
	if (u->version < 3 || u->version > 4)
		return err_refuse(u->e, "version %u of uftrace's data: 3 and 4 are read",
				  u->version);
	unsigned size = bytes_u16(at + 12, u->big_endian);
	if (size < HEADER_LEN || !input_discard(u->in, size))
		return err_damage(u->e, 0, "the header has an impossible size");
	lines_init(&lines, u->in);
	while (lines_next(&lines, &line))
		info_line(u, line.at, line.at + line.len);
	return true;
}

/* ---- task.txt ---- */

/* Returns the value of `key=` among the words of a line, without quotes. */
static bool
uftrace_word_of(const char *at, const char *end, const char *key, const char **from,
		const char **to)
{
	size_t len = strlen(key);

	for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
		const char *stop = word_end(at, end);
		if (!begins_with(at, end, key)) {
			at = stop;
			continue;
		}
		*from = at + len;
		*to = stop;
		if (*from < end && **from == '"') {
			++*from;
			const char *close = *from < end ? memchr(*from, '"', (size_t)(end - *from))
							: NULL;
			*to = close ? close : end;
		}
		return true;
	}
	return false;
}

static bool
uftrace_number_of(const char *at, const char *end, const char *key, int64_t *out)
{
	const char *from, *to;

	return uftrace_word_of(at, end, key, &from, &to) && number_parse(from, to, out);
}

/* Returns the last session with this id; SIZE_MAX if there is none. */
static size_t
session_of(const struct uftrace *u, const char *sid, size_t len)
{
	size_t i = u->session.n;

	while (i-- > 0)
		if (is_key(sid, len, u->session.at[i].sid))
			return i;
	return SIZE_MAX;
}

/* Returns true if a session has this library at this address, or as many as are read. */
static bool
has_library(const struct uftrace *u, size_t session, name_id library, uint64_t base)
{
	unsigned n = 0;

	for (; session != SIZE_MAX; session = u->session.at[session].before)
		if (++n == LIBRARIES_MAX || (u->session.at[session].library == library &&
					     u->session.at[session].base == base))
			return true;
	return false;
}

/* A library that a program loads while it runs: a session with one more module. */
static void
library_line(struct uftrace *u, const char *at, const char *end, int64_t time_ns)
{
	const char *from, *to;
	uint64_t base;

	if (!u->b || u->session.n >= SESSIONS_MAX || !uftrace_word_of(at, end, "sid=", &from, &to))
		return;
	size_t before = session_of(u, from, (size_t)(to - from));
	if (before == SIZE_MAX || !uftrace_word_of(at, end, "base=", &from, &to) ||
	    hex_digits(from, to, &base) != to ||
	    !uftrace_word_of(at, end, "libname=", &from, &to) || from == to)
		return;
	name_id library = builder_name(u->b, from, (size_t)(to - from));
	if (has_library(u, before, library, base))
		return;
	struct uftrace_session s = u->session.at[before];
	s.time_ns = time_ns;
	s.before = before;
	s.library = library;
	s.base = base;
	*vec_push(&u->session) = s;
}

static void
session_line(struct uftrace *u, const char *at, const char *end, int64_t time_ns)
{
	struct uftrace_session s = {.time_ns = time_ns, .before = SIZE_MAX};
	const char *from, *to;

	if (!uftrace_number_of(at, end, "pid=", &s.pid) ||
	    !uftrace_word_of(at, end, "sid=", &from, &to) || (size_t)(to - from) >= sizeof s.sid ||
	    u->session.n >= SESSIONS_MAX)
		return;
	memcpy(s.sid, from, (size_t)(to - from));
	if (u->b && uftrace_word_of(at, end, "exename=", &from, &to))
		s.program = builder_name(u->b, from, (size_t)(to - from));
	*vec_push(&u->session) = s;
}

static void
task_line(struct uftrace *u, const char *at, const char *end)
{
	struct uftrace_task t = {0};
	const char *from, *to;

	if (!uftrace_word_of(at, end, "timestamp=", &from, &to) ||
	    !decimal_scaled(from, (size_t)(to - from), 9, &t.time_ns))
		return;
	if (begins_with(at, end, "SESS ")) {
		session_line(u, at, end, t.time_ns);
		return;
	}
	if (begins_with(at, end, "DLOP ")) {
		library_line(u, at, end, t.time_ns);
		return;
	}
	bool fork = begins_with(at, end, "FORK ");
	if ((!fork && !begins_with(at, end, "TASK ")) ||
	    !uftrace_number_of(at, end, "pid=", &t.pid))
		return;
	t.tid = t.pid;
	if (fork ? !uftrace_number_of(at, end, "ppid=", &t.parent)
		 : !uftrace_number_of(at, end, "tid=", &t.tid))
		return;
	if (t.tid <= 0 || t.tid > INT32_MAX || u->task.n >= TASKS_MAX ||
	    idmap_get(&u->task_of, (uint64_t)t.tid) != IDMAP_NONE)
		return; /* one is forked, then seen */
	idmap_put(&u->task_of, (uint64_t)t.tid, (uint32_t)u->task.n);
	*vec_push(&u->task) = t;
}

bool
uftrace_tasks(struct uftrace *u)
{
	struct input *in = input_open_named(u->in, "task.txt");
	struct text_line line;
	struct lines lines;

	if (!in)
		return false;
	lines_init(&lines, in);
	while (lines_next(&lines, &line))
		task_line(u, line.at, line.at + line.len);
	input_close(in);
	return true;
}
