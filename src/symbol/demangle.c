/* Demangling, by libiberty, for symbols of files and for names that a profile has as the linker
 * knows them.
 *
 * A mangled name refers back to its parts, and a part that refers to another twice doubles it:
 * two hundred bytes can print terabytes, and libiberty bounds the depth alone.  Names that a
 * profile says are demangled only with few such references: of R in a name of n bytes the
 * longest chain prints n 3^(R/3) bytes.
 *
 * D is left out: libiberty bounds neither its depth nor its length. */
#include "src/symbol/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

/* Of names that a profile says. */
#define FOREIGN_MAX 2048u
#define REFERENCES_MAX 24u

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* Text behind a name would be dropped silently: a name is one word of these. */
static bool
is_one_word(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = name[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$'))
			return false;
	}
	return true;
}

bool
symbol_demangle(const char *name, size_t len, struct buf *out)
{
	if (!symbol_is_mangled(name, len))
		return false;
	size_t skip = name[1] == '_';
	const char *at = memchr(name, '@', len);
	size_t bare = at ? (size_t)(at - name) : len;
	if (!is_one_word(name, bare))
		return false;
	char *word = mem_dup(name + skip, bare - skip);
	char *text = cplus_demangle(word, DMGL_AUTO);
	free(word);
	if (!text)
		return false;
	buf_adds(out, text);
	free(text);
	if (at && len - bare == 4 && !memcmp(at, "@plt", 4))
		buf_adds(out, "@plt");
	return true;
}

#else

bool
symbol_demangle(const char *name, size_t len, struct buf *out)
{
	(void)name, (void)len, (void)out;
	return false;
}

#endif

/* `S1_`, `T_` in C++; `B1c_` in Rust. */
static unsigned
references(const char *name, size_t len)
{
	unsigned n = 0;

	for (size_t i = 2; i < len; i++) {
		if (name[i] != 'S' && name[i] != 'T' && name[i] != 'B')
			continue;
		size_t k = i + 1;
		while (k < len && ((name[k] >= '0' && name[k] <= '9') ||
				   (name[k] >= 'A' && name[k] <= 'Z') ||
				   (name[i] == 'B' && name[k] >= 'a' && name[k] <= 'z')))
			k++;
		n += k < len && name[k] == '_';
	}
	return n;
}

bool
symbol_demangle_foreign(const char *name, size_t len, struct buf *out)
{
	return symbol_is_mangled(name, len) && len <= FOREIGN_MAX &&
	       references(name, len) <= REFERENCES_MAX && symbol_demangle(name, len, out);
}
