/* answers_callees.c - where the work of a runtime ends, and that of the program begins again.
 *
 * A callee of malloc() allocates. But a callee of a map's loop over its entries, or of the writer
 * of a formatted text, is the program's own code. A callee counts as such if it lies in another
 * module or package than its caller, and in none of a runtime; or if it is the loop of an
 * interpreter. A package is the first part of a name: `java` of java.util.HashMap.get, `fmt` of
 * fmt.(*pp).doPrint, `std` of std::string::assign. Names of C have none: where their modules are
 * not known either, only the name of the caller says that it calls back.
 *
 * Rejected: to end at every function without a well-known name. Most of what sorts, counts and
 * searches inside of a runtime has none. */
#include <string.h>

#include "model/answer/answers_inside.h"

enum { LIST_NONE, LIST_INTERPRETERS, LIST_CALLS_BACK, LIST_RUNS, LISTS };

/* Names as in answers_runtime.c. */
static const char *const functions[LISTS] = {
	[LIST_INTERPRETERS] =
		"_PyEval_EvalFrame* rb_vm_exec vm_exec* rb_yield* vm_yield* rb_funcall* "
		"execute_ex zend_call_function luaV_execute lua_call* lua_pcall* JavaCalls::* "
		"v8::internal::Execution::* Builtins_InterpreterEntryTrampoline",
	[LIST_CALLS_BACK] =
		"g_hash_table_foreach* rb_hash_foreach* rb_reg_* st_foreach* zend_hash_apply* "
		"GOMP_parallel* GOMP_task* __kmpc_fork_call* __kmp_invoke_* "
		"threading.Thread.run threading.Thread._bootstrap*",
	/* packages whose functions wait, and run the program's code meanwhile: tasks, handlers,
	 * predicates; mostly they wait in functions that have neither a module nor a package */
	[LIST_RUNS] = "gomp_* omp_* GOMP_* __kmp_* tbb::* threading.* queue.* java.net.* "
		      "sun.nio.ch.* internal/poll.* parking_lot::* std::sync::* "
		      "std::condition_variable::*",
};

static const char *const packages[] = {
	"", "java javax jdk sun System runtime internal reflect unicode std core alloc hashbrown "
	    "parking_lot_core __gnu_cxx boost "
	    /* of Go */
	    "bufio bytes errors fmt io maps math os regexp slices sort strconv strings sync "
	    "syscall time "
	    /* of Python and the JVM */
	    "_thread posix Unsafe",
};

static const char *const libraries[] = {
	"", "libc.* libc-* libc++* libstdc++* libm.* libm-* libgcc_s* libpthread* ld-linux* "
	    "ld-musl* libsystem_* ntdll* ucrtbase* msvcrt*",
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

struct answers_callee {
	name_id module;
	uint16_t package, package_len; /* where it lies in the name; 0 long: it has none */
	bool system, interpreter, calls_back, runs, of_runtime, of_library;
};

/* Returns true if the text behind a dot is a word of compilers, as in `f.constprop.0`. */
static bool
is_suffix(const char *at, const char *end)
{
	static const char *const words[] = {"constprop", "part", "isra", "cold", "llvm", "lto_priv",
					    "localalias", "clone", "_omp_fn"};

	if (at == end || (*at >= '0' && *at <= '9'))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t len = strlen(words[i]);
		if ((size_t)(end - at) >= len && !memcmp(at, words[i], len))
			return true;
	}
	return false;
}

/* Finds the package of a function. In `<app::Row as core::fmt::Display>::fmt` it is `app`. */
static void
find_package(struct name n, struct answers_callee *out)
{
	const char *at = n.at, *end = n.at + (n.len < UINT16_MAX ? n.len : UINT16_MAX), *begin;

	while (at < end && (*at == '<' || *at == '&'))
		at++;
	for (begin = at; at < end && !strchr("(<[", *at); at++) {
		bool colons = *at == ':' && at + 1 < end && at[1] == ':';
		bool dot = *at == '.' && !is_suffix(at + 1, end);
		if (*at == ' ')
			begin = at + 1;
		if (!colons && !dot && *at != '/' && *at != '#')
			continue;
		out->package = (uint16_t)(begin - n.at);
		out->package_len = (uint16_t)(at - begin);
		return;
	}
}

struct callee_words {
	struct answers_words functions, packages, libraries;
};

static void
look_at_function(const struct answers_work *w, const struct callee_words *known, key_id key,
		 struct answers_callee *out)
{
	struct function f = profile_function(w->p, key);
	struct name n = names_get(&w->p->names, f.name), m = names_get(&w->p->names, f.module);
	const char *slash = m.len ? memrchr(m.at, '/', m.len) : NULL;
	int list = answers_class_of(&known->functions, n);

	*out = (struct answers_callee){.module = f.module};
	find_package(n, out);
	const struct name package = {.at = n.at + out->package, .len = out->package_len};
	if (slash)
		m = (struct name){.at = slash + 1, .len = (uint32_t)(m.at + m.len - slash - 1)};
	out->system = f.kind == KIND_SYSTEM || f.kind == KIND_IDLE;
	out->interpreter = list == LIST_INTERPRETERS;
	out->calls_back = list == LIST_CALLS_BACK;
	out->runs = out->calls_back || list == LIST_RUNS;
	out->of_runtime = package.len && answers_class_of(&known->packages, package);
	out->of_library = m.len && answers_class_of(&known->libraries, m);
}

struct answers_callee *
answers_callees(const struct answers_work *w)
{
	uint32_t n = w->fold->tree->n_keys;
	struct answers_callee *of = mem_zalloc(n + 1, sizeof *of);
	struct callee_words known;

	answers_words_init(&known.functions, functions, LISTS);
	answers_words_init(&known.packages, packages, COUNT(packages));
	answers_words_init(&known.libraries, libraries, COUNT(libraries));
	for (key_id key = 0; key < n && pace_on(w->pace, 64); key++)
		look_at_function(w, &known, key, &of[key]);
	answers_words_release(&known.functions);
	answers_words_release(&known.packages);
	answers_words_release(&known.libraries);
	return of;
}

static bool
same_package(const struct answers_work *w, const struct answers_callee *of, key_id a, key_id b)
{
	size_t len = of[a].package_len;
	struct name x = names_get(&w->p->names, w->p->frames.function.name[a]);
	struct name y = names_get(&w->p->names, w->p->frames.function.name[b]);

	return len == of[b].package_len &&
	       !memcmp(x.at + of[a].package, y.at + of[b].package, len);
}

bool
answers_leaves_runtime(const struct answers_work *w, const struct answers_callee *of,
		       key_id caller, key_id callee)
{
	const struct answers_callee *from = &of[caller], *to = &of[callee];
	bool modules = from->module != NAME_EMPTY && to->module != NAME_EMPTY;

	if (to->interpreter)
		return true;
	if (to->system || to->of_runtime)
		return false;
	if (modules && from->module != to->module)
		return !to->of_library;
	if (to->package_len)
		return !same_package(w, of, caller, callee);
	return from->calls_back && !modules;
}

bool
answers_leaves_wait(const struct answers_work *w, const struct answers_callee *of, key_id caller,
		    key_id callee)
{
	return of[callee].interpreter ||
	       (of[caller].runs && answers_leaves_runtime(w, of, caller, callee));
}
