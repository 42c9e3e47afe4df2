/* An address is looked up in the maps of the process's session.  The map gives the address in
 * its module, and the module's list of symbols, `NAME.sym`, the function.  If several modules have
 * one name, the others' files are `NAME-XXXX.sym`, and say the path and the build id of theirs:
 *
 *	# path name: /lib/x.so
 *	# build-id: bc3cc55b0c2c1f3d7bc0af602808e807923859ac */
#include "src/decode/uftrace/uftrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/input/lines.h"
#include "src/symbol/symbols.h"

#define FORKS_MAX 64u
#define BUILD_ID " build-id:"

/* ---- sessions ---- */

size_t
uftrace_session_at(const struct uftrace *u, int64_t pid, int64_t time_ns, int64_t *until)
{
	*until = INT64_MAX;
	for (unsigned n = 0; n < FORKS_MAX; n++) {
		size_t found = SIZE_MAX, first = SIZE_MAX;
		int64_t parent = 0;
		for (size_t i = 0; i < u->session.n; i++) {
			const struct uftrace_session *s = &u->session.at[i];
			if (s->pid != pid)
				continue;
			first = first == SIZE_MAX ? i : first;
			if (s->time_ns <= time_ns &&
			    (found == SIZE_MAX || s->time_ns >= u->session.at[found].time_ns))
				found = i;
			else if (s->time_ns > time_ns && s->time_ns < *until)
				*until = s->time_ns;
		}
		if (found != SIZE_MAX)
			return found;
		uint32_t task = idmap_get(&u->task_of, (uint64_t)pid);
		if (task != IDMAP_NONE)
			parent = u->task.at[task].parent;
		if (!parent || parent == pid)
			return first; /* the session was announced a moment late */
		pid = parent;
	}
	return SIZE_MAX;
}

/* ---- maps ---- */

/* Returns the number of the place of the symbol around an address, or IDMAP_NONE. */
static uint32_t
place_at(struct uftrace *u, uint32_t symbols, uint64_t address)
{
	struct symbols_span span;
	uint32_t i;

	if (!symbols_span(u->symbols, symbols, address, &span) || !span.name || !*span.name)
		return IDMAP_NONE;
	uint64_t key = (uint64_t)symbols << 48 ^ span.start;
	if (idmap_add(&u->place, key, u->places, &i))
		u->places++;
	return i;
}

/* Writes the name of the symbol of a line `F: ADDRESS NAME`, whose name may be a short one. Returns
 * the number of its place, or IDMAP_NONE. */
static uint32_t
dbg_function_line(struct uftrace *u, uint32_t symbols, const char *at, const char *end,
	      struct buf *name)
{
	struct symbols_frame found = {0};
	const char *stop = word_end(at, end);
	uint32_t place = IDMAP_NONE;
	uint64_t address;

	buf_reset(name);
	if (hex_digits(at, stop, &address) == stop) {
		symbols_at(u->symbols, symbols, address, false, &found, 1);
		place = place_at(u, symbols, address);
	}
	at = skip_blanks(stop, end);
	if (found.name && *found.name)
		buf_adds(name, found.name);
	else
		buf_add(name, at, (size_t)(end - at));
	return place;
}

/* Reads the values of a module's functions from their file, if it exists. */
static void
dbg_values_of(struct uftrace *u, const char *file, uint32_t symbols)
{
	struct buf name = BUF_INIT; /* of a function */
	uint32_t place = IDMAP_NONE;
	struct text_line line;
	struct lines lines;

	struct input *in = input_open_named(u->in, file);
	if (in)
		lines_init(&lines, in);
	while (in && lines_next(&lines, &line)) {
		const char *at = line.at, *end = at + line.len;
		if (begins_with(at, end, "F: "))
			place = dbg_function_line(u, symbols, at + 3, end, &name);
		if (!name.len || (!begins_with(at, end, "A: ") && !begins_with(at, end, "R: ")))
			continue;
		struct text_slice values = {at + 3, (size_t)(end - at) - 3};
		uftrace_specs_own(u, *at == 'A' ? &u->entry_specs : &u->exit_specs, &name, place,
				  values);
	}
	if (in)
		input_close(in);
	buf_release(&name);
}

/* ---- files of modules ---- */

/* Returns false if the value of a line of a file's head is not this one. */
static bool
head_fits(const struct text_line *line, const char *key, struct name value)
{
	const char *at = line->at, *end = at + line->len;

	if (!value.len || !begins_with(at, end, key))
		return true;
	at += strlen(key);
	return (size_t)(end - at) == value.len && !memcmp(at, value.at, value.len);
}

/* Returns true if a file is there, and not that of another module. */
static bool
is_file_of(struct uftrace *u, const char *file, struct name path, struct name build_id)
{
	struct input *in = input_open_named(u->in, file);
	struct text_line line;
	struct lines lines;
	bool fits = in;

	if (!in)
		return false;
	lines_init(&lines, in);
	while (fits && lines_next(&lines, &line) && line.len && *line.at == '#')
		fits = head_fits(&line, "# path name: ", path) &&
		       head_fits(&line, "# build-id: ", build_id);
	input_close(in);
	return fits;
}

/* Returns the file of a module with this extension; "" if there is none. */
static const char *
file_of(struct uftrace *u, struct name path, struct name build_id, const char *ext,
	struct buf *file)
{
	struct buf names = BUF_INIT;
	const char *base = base_name(path.at);
	size_t len = strlen(base), ext_len = strlen(ext);

	buf_reset(file);
	buf_addf(file, "%s%s", base, ext);
	bool found = is_file_of(u, buf_str(file), path, build_id);
	if (!found)
		input_names_beside(u->in, base, &names);
	for (size_t i = 0; i < names.len && !found; i += strlen(names.at + i) + 1) {
		const char *name = names.at + i;
		found = strlen(name) == len + 5 + ext_len && name[len] == '-' &&
			!strcmp(name + len + 5, ext) && is_file_of(u, name, path, build_id);
		buf_reset(file);
		buf_adds(file, found ? name : "");
	}
	buf_release(&names);
	return found ? buf_str(file) : "";
}

/* build_id: "" if it is not known. */
static uint32_t
symbols_of(struct uftrace *u, name_id module, name_id build_id)
{
	uint64_t key = (uint64_t)module << 32 | build_id;
	uint32_t i = idmap_get(&u->symbols_of, key);
	struct name path = builder_name_get(u->b, module), id = builder_name_get(u->b, build_id);
	struct buf file = BUF_INIT, where = BUF_INIT;

	if (i != IDMAP_NONE)
		return i;
	if (!input_path_beside(u->in, file_of(u, path, id, ".sym", &file), &where))
		buf_reset(&where);
	i = symbols_add(u->symbols, &(struct symbols_module){
					    .kind = SYMBOLS_LIST,
					    .path = buf_str(&where),
					    .path_len = where.len,
				    });
	idmap_put(&u->symbols_of, key, i);
	dbg_values_of(u, file_of(u, path, id, ".dbg", &file), i);
	buf_release_all(&file, &where);
	return i;
}

/* `LOW-HIGH PERM OFFSET DEV INODE PATH [build-id:...]` */
static void
uftrace_map_line(struct uftrace *u, struct uftrace_session *s, const char *at, const char *end)
{
	struct uftrace_map m = {0};
	const char *build_id = text_find(at, end, BUILD_ID);
	name_id id = NAME_EMPTY;
	int n = 0;

	if (end - at > 4096 ||
	    sscanf(at, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &m.low, &m.high, &n) < 2 || !n)
		return;
	if (build_id) {
		const char *from = build_id + sizeof BUILD_ID - 1;
		id = builder_name(u->b, from, (size_t)(word_end(from, end) - from));
		end = build_id;
	}
	at += n;
	if (at >= end || m.low >= m.high)
		return;
	m.module = builder_name(u->b, at, (size_t)(end - at));
	m.base = m.low;
	for (size_t i = 0; i < s->map.n; i++)
		if (s->map.at[i].module == m.module && s->map.at[i].base < m.base)
			m.base = s->map.at[i].base;
	m.symbols = symbols_of(u, m.module, id);
	*vec_push(&s->map) = m;
}

static void
read_maps(struct uftrace *u, struct uftrace_session *s)
{
	struct buf name = BUF_INIT, text = BUF_INIT;
	struct text_line line;
	struct lines lines;

	s->mapped = true;
	buf_addf(&name, "sid-%s.map", s->sid);
	struct input *in = input_open_named(u->in, buf_str(&name));
	if (in) {
		lines_init(&lines, in);
		while (lines_next(&lines, &line)) {
			buf_reset(&text); /* sscanf() wants an end */
			buf_add(&text, line.at, line.len);
			uftrace_map_line(u, s, buf_str(&text), buf_str(&text) + text.len);
		}
		input_close(in);
	}
	buf_release_all(&name, &text);
}

/* ---- functions ---- */

/* Returns the name of the function at an address of a module; NULL if it has none. */
static const char *
name_at(struct uftrace *u, uint32_t symbols, uint64_t at)
{
	struct symbols_frame found = {0};

	symbols_at(u->symbols, symbols, at, false, &found, 1);
	return found.name && *found.name ? found.name : NULL;
}

/* Looks an address up in the libraries that the program loaded, the latest first. The end of none
 * is known, so it is in the first that has a function there. */
static const char *
find_loaded(struct uftrace *u, const struct uftrace_session *s, uint64_t address,
	    struct function *f, uint32_t *place)
{
	for (; s->before != SIZE_MAX; s = &u->session.at[s->before]) {
		uint32_t symbols = symbols_of(u, s->library, NAME_EMPTY);
		const char *name = address < s->base ? NULL
						     : name_at(u, symbols, address - s->base);
		if (!name)
			continue;
		f->module = s->library;
		*place = place_at(u, symbols, address - s->base);
		return name;
	}
	return NULL;
}

/* Looks an address up in the maps of the program's beginning, then in what it loaded. */
static const char *
find_name(struct uftrace *u, size_t session, uint64_t address, struct function *f, uint32_t *place)
{
	struct uftrace_session *s = &u->session.at[session];

	while (s->before != SIZE_MAX)
		s = &u->session.at[s->before];
	if (!s->mapped)
		read_maps(u, s);
	for (size_t i = 0; i < s->map.n; i++) {
		const struct uftrace_map *m = &s->map.at[i];
		if (address < m->low || address >= m->high)
			continue;
		uint64_t at = u->features & UFTRACE_SYM_REL_ADDR ? address - m->base : address;
		f->module = m->module;
		*place = place_at(u, m->symbols, at);
		return name_at(u, m->symbols, at);
	}
	return find_loaded(u, &u->session.at[session], address, f, place);
}

static frame_id
find_frame(struct uftrace *u, size_t session, uint64_t address, uint32_t *place)
{
	struct function f = {0};
	const char *name =
		session < u->session.n ? find_name(u, session, address, &f, place) : NULL;

	if (name) {
		f.name = builder_name(u->b, name, strlen(name));
		f.kind = (uint8_t)kind_of_name(name, strlen(name));
	} else {
		f.name = builder_namef(u->b, "0x%" PRIx64, address);
	}
	frame_id frame = builder_frame_of(u->b, f, 0);
	idmap_put(&u->symbol_of, frame, f.name);
	return frame;
}

static uint64_t
frame_key(size_t session, uint64_t address)
{
	return (uint64_t)(session & 0xFFFF) << 48 | address;
}

frame_id
uftrace_frame(struct uftrace *u, size_t session, uint64_t address)
{
	uint64_t key = frame_key(session, address);
	uint32_t frame = idmap_get(&u->frame_of, key), place = IDMAP_NONE;

	if (frame != IDMAP_NONE)
		return frame;
	frame = find_frame(u, session, address, &place);
	idmap_put(&u->frame_of, key, frame);
	if (place != IDMAP_NONE)
		idmap_put(&u->place_of, key, place);
	return frame;
}

uint32_t
uftrace_place(const struct uftrace *u, size_t session, uint64_t address)
{
	return idmap_get(&u->place_of, frame_key(session, address));
}
