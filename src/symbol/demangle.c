/* Demangling by libiberty, for symbols of files and for names that a profile stores mangled.
 *
 * A mangled name refers back to its parts, and a part that refers to another one twice doubles its
 * output.  So two hundred bytes can print terabytes, and libiberty only limits the depth.  With R
 * references in a name of n bytes, the longest chain prints n 3^(R/3) bytes, so names with few
 * references are demangled directly.  For C++ names with more, pnav first walks libiberty's tree in
 * the order of printing until the output is known to be small.  Parts that are printed more often
 * than they occur in the tree (packs) are refused.
 *
 * D is not supported: libiberty limits neither its depth nor its length. */
#include "src/symbol/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/mem.h"

/* Names with at most this many bytes and references are demangled without a walk of the tree. */
#define PLAIN_MAX 2048u
#define REFERENCES_MAX 24u
/* Limits of any name: its bytes, its printed parts, and their depth. */
#define NAME_MAX_BYTES 16384u
#define PARTS_MAX 100000u
#define DEPTH_MAX 2000u

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* libiberty would silently drop text after a name, so a name must be one word of these
 * characters. */
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

/* ---- how much a name prints ---- */

struct demangle_printed {
	size_t parts, params;      /* visited so far; params: the template parameters among them */
	unsigned depth, arguments; /* nesting of parts, and of lists of template arguments */
};

static bool count_parts(struct demangle_printed *p, const struct demangle_component *c);

static bool
count_both(struct demangle_printed *p, const struct demangle_component *c)
{
	return count_parts(p, c->u.s_binary.left) && count_parts(p, c->u.s_binary.right);
}

static bool
count_arguments(struct demangle_printed *p, const struct demangle_component *c)
{
	p->arguments++;
	bool good = count_both(p, c);
	p->arguments--;
	return good;
}

/* Counts a part that is printed as often as the tree has it, with its contents; returns false for
 * other kinds. */
static bool
count_inner(struct demangle_printed *p, const struct demangle_component *c)
{
	switch ((int)c->type) {
	case DEMANGLE_COMPONENT_QUAL_NAME:
	case DEMANGLE_COMPONENT_LOCAL_NAME:
	case DEMANGLE_COMPONENT_TYPED_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE:
	case DEMANGLE_COMPONENT_TAGGED_NAME:
	case DEMANGLE_COMPONENT_CLONE:
	case DEMANGLE_COMPONENT_VTABLE:
	case DEMANGLE_COMPONENT_VTT:
	case DEMANGLE_COMPONENT_TYPEINFO:
	case DEMANGLE_COMPONENT_TYPEINFO_NAME:
	case DEMANGLE_COMPONENT_TYPEINFO_FN:
	case DEMANGLE_COMPONENT_THUNK:
	case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
	case DEMANGLE_COMPONENT_COVARIANT_THUNK:
	case DEMANGLE_COMPONENT_GUARD:
	case DEMANGLE_COMPONENT_RESTRICT:
	case DEMANGLE_COMPONENT_VOLATILE:
	case DEMANGLE_COMPONENT_CONST:
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_POINTER:
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
	case DEMANGLE_COMPONENT_FUNCTION_TYPE:
	case DEMANGLE_COMPONENT_ARRAY_TYPE:
	case DEMANGLE_COMPONENT_PTRMEM_TYPE:
	case DEMANGLE_COMPONENT_ARGLIST:
	case DEMANGLE_COMPONENT_CAST:
	case DEMANGLE_COMPONENT_CONVERSION:
	case DEMANGLE_COMPONENT_UNARY:
	case DEMANGLE_COMPONENT_BINARY:
	case DEMANGLE_COMPONENT_BINARY_ARGS:
	case DEMANGLE_COMPONENT_LITERAL:
	case DEMANGLE_COMPONENT_LITERAL_NEG:
		return count_both(p, c);
	default:
		return false;
	}
}

static bool
count_kind(struct demangle_printed *p, const struct demangle_component *c)
{
	switch ((int)c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return true;
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		p->params++;
		return !p->arguments; /* an argument that is printed inside others */
	case DEMANGLE_COMPONENT_CTOR:
		return count_parts(p, c->u.s_ctor.name);
	case DEMANGLE_COMPONENT_DTOR:
		return count_parts(p, c->u.s_dtor.name);
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
		return count_arguments(p, c);
	default:
		return count_inner(p, c);
	}
}

/* Adds the output of a part, a shared one each time.  Returns false if the kind may be printed
 * several times, or if the limit is exceeded. */
static bool
count_parts(struct demangle_printed *p, const struct demangle_component *c)
{
	if (!c)
		return true;
	if (++p->parts > PARTS_MAX || ++p->depth > DEPTH_MAX)
		return false;
	bool good = count_kind(p, c);
	p->depth--;
	return good;
}

/* A template argument has at most all existing parts. */
static bool
prints_little(const char *word)
{
	struct demangle_printed p = {0};
	void *memory = NULL;
	struct demangle_component *tree =
		cplus_demangle_v3_components(word, DMGL_AUTO, &memory);
	bool good = tree && count_parts(&p, tree) && p.parts * (p.params + 1) <= PARTS_MAX;

	free(memory);
	return good;
}

static bool
is_safe(const char *word, size_t len)
{
	if (len <= PLAIN_MAX && references(word, len) <= REFERENCES_MAX)
		return true;
	return len <= NAME_MAX_BYTES && word[1] == 'Z' && prints_little(word);
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
	char *text = is_safe(word, bare - skip) ? cplus_demangle(word, DMGL_AUTO) : NULL;
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
