/* answers_runtime.c - which share of the cost is work of the runtime: memory, copying, hashing.
 *
 * A table of well-known names says what a function does. The cost of a stack counts for the
 * innermost function of the table on it: what an allocator calls is allocation, and a page fault
 * below it is a page fault. The class ends where the runtime calls the program's own code back
 * (answers_callees.c). Names are those of the usual C libraries, C++, Rust, Go, Java, JavaScript,
 * Python, Ruby, PHP, .NET and the kernel. A `*` at the end means any continuation.
 *
 * A class is no fault by itself. It says where a general remedy may help: pools, fewer copies. */
#include "model/answer/answers_inside.h"

#include <string.h>

#define CLASSES(X)                                                                         \
	X(ALLOCATOR, "allocator", "allocating and freeing memory")                         \
	X(GC, "gc", "collecting garbage")                                                  \
	X(COPY, "copy", "copying and clearing memory")                                     \
	X(HASH, "hash", "hashing")                                                         \
	X(FORMAT, "format", "formatting")                                                  \
	X(REGEX, "regex", "matching regular expressions")                                  \
	X(FAULT, "fault", "handling page faults")

enum runtime_class {
	CLASS_NONE,
#define CLASS_ENUM(id, name, text) CLASS_##id,
	CLASSES(CLASS_ENUM)
#undef CLASS_ENUM
		CLASS_COUNT
};

static const struct {
	const char *name, *text;
} classes[] = {
#define CLASS_ROW(id, name, text) [CLASS_##id] = {name, text},
	CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

/* Names of each class, separated by blanks; `~` means a blank in a name. */
static const char *const known[CLASS_COUNT] = {
	[CLASS_ALLOCATOR] =
		/* C */
		"malloc free calloc realloc cfree memalign posix_memalign aligned_alloc "
		"__libc_malloc __libc_free __libc_calloc __libc_realloc __libc_memalign "
		"_int_malloc _int_free _int_free_* _int_realloc _int_memalign "
		"malloc_consolidate unlink_chunk* sysmalloc systrim* tcache_* ptmalloc_* "
		"mi_malloc* mi_free* mi_heap_* _mi_page_* _mi_malloc* je_* tc_malloc "
		"tc_free tc_new* tc_delete* tcmalloc::* arena_* g_malloc* g_free g_slice_* "
		"xmalloc xrealloc xcalloc "
		/* C++ and Rust */
		"operator~new* operator~delete* __rust_alloc* __rust_dealloc __rust_realloc "
		"alloc::alloc::* __rg_alloc __rdl_alloc* __rdl_dealloc __rdl_realloc "
		/* Go */
		"runtime.mallocgc* runtime.newobject runtime.makeslice runtime.growslice "
		"runtime.(*mcache).* runtime.(*mcentral).* runtime.(*mheap).* "
		"runtime.largeAlloc "
		/* Python, Ruby, PHP, the kernel */
		"_PyObject_Malloc* _PyObject_Free* PyObject_Malloc PyObject_Free pymalloc_* "
		"PyMem_* objspace_xmalloc* objspace_xfree ruby_xmalloc* ruby_xfree "
		"_emalloc* _efree* zend_mm_* kmem_cache_alloc* kmem_cache_free* kmalloc* "
		"kfree* __kmalloc*",
	[CLASS_GC] =
		"runtime.gcBgMarkWorker* runtime.gcDrain* runtime.scanobject "
		"runtime.greyobject runtime.gcAssist* runtime.bgsweep runtime.markroot* "
		"runtime.sweepone runtime.gcStart* runtime.gcMark* GC_* G1* Parallel~GC* "
		"ShenandoahC* ZCollector* ZMark* ZRelocate* GCTaskThread::* WorkGang* "
		"PSParallel* PSScavenge* MarkSweep* DefNewGeneration::* VM_GC* "
		"(garbage~collector) GC (GC) [GC] v8::internal::Heap::* "
		"v8::internal::MarkCompact* v8::internal::Scaveng* V8.GC* MinorGC MajorGC "
		"gc_start gc_marks* gc_sweep* gc_mark* rb_gc* garbage_collect "
		"(garbage~collection) (sweeping) (marking) gc_collect_* gc_collect gc_main "
		"_PyGC_* collect_generations zend_gc_* gc_possible_root* caml_major_* "
		"caml_minor_* caml_garbage_* hs_gc evacuate scavenge* GarbageCollect* "
		"SVR::gc_heap::* WKS::gc_heap::*",
	[CLASS_COPY] =
		"memcpy memmove memset mempcpy bcopy bzero __memcpy_* __memmove_* "
		"__memset_* __GI_memcpy __GI_memmove __GI_memset memcpy@* memmove@* "
		"memset@* _platform_memmove* _platform_memset* __pi_memcpy* __pi_memset* "
		"clear_page* copy_page* copy_user_* _copy_to_iter _copy_from_iter "
		"_copy_to_user _copy_from_user rep_movs* runtime.memmove "
		"runtime.memclrNoHeapPointers runtime.typedmemmove "
		"java.lang.System.arraycopy System.arraycopy arraycopy "
		"jbyte_disjoint_arraycopy* jint_disjoint_arraycopy* "
		"java.util.Arrays.copyOf*",
	[CLASS_HASH] =
		"std::_Hash_bytes std::_Hashtable* runtime.mapaccess* runtime.mapassign* "
		"runtime.mapiter* runtime.mapdelete* runtime.aeshash* runtime.memhash* "
		"runtime.strhash* internal/runtime/maps.* hashbrown::* core::hash::* "
		"siphash* XXH3_* XXH64* XXH32* java.util.HashMap.* "
		"java.util.concurrent.ConcurrentHashMap.* java.lang.String.hashCode "
		"g_hash_table_* lookdict* _Py_dict_lookup* insertdict rb_hash_* st_lookup "
		"zend_hash_* SHA256_* SHA1_* MD5_* sha256_* sha1_* md5_*",
	[CLASS_FORMAT] =
		"printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf "
		"asprintf __printf_* __vfprintf_* __vsnprintf* _IO_vfprintf* __GI_*printf* "
		"vfprintf_* fmt::* std::ostream::_M_insert* std::num_put* std::__format* "
		"core::fmt::* alloc::fmt::* fmt.Sprintf fmt.Fprintf fmt.(*pp).* strconv.* "
		"java.lang.String.format java.util.Formatter.* java.text.* "
		"PyUnicode_Format* PyUnicode_FromFormat* rb_str_format* _IO_padn __mpn_* "
		"__strtod_* strtod strtof ____strtod_*",
	[CLASS_REGEX] =
		"regexec regcomp re_search* re_match* pcre_exec pcre2_match* "
		"pcre2_jit_match* std::regex_* std::__detail::_Executor* regexp.* regex::* "
		"regex_automata::* java.util.regex.* onig_* match_at sre_* _sre_* "
		"sre_ucs1_* v8::internal::RegExp* php_pcre_* RegExp:* "
		"System.Text.RegularExpressions.* rb_reg_*",
	[CLASS_FAULT] =
		"asm_exc_page_fault exc_page_fault page_fault do_user_addr_fault "
		"handle_mm_fault __handle_mm_fault do_page_fault __do_page_fault "
		"do_anonymous_page do_fault* do_mem_abort el0_da",
};

/* Returns true if functions of the class call what the program passes to them. */
static bool
takes_callbacks(enum runtime_class c)
{
	return c == CLASS_HASH || c == CLASS_FORMAT || c == CLASS_REGEX;
}

/* Adds the self of each node to the class of the innermost known function on its path. */
static void
sum_classes(struct answers_work *w, int64_t *sum)
{
	const struct projection *t = w->fold->tree;
	uint8_t *of_key = mem_zalloc(t->n_keys + 1, 1), *of = mem_zalloc(t->n + 1, 1);
	struct answers_callee *callee = answers_callees(w);
	struct answers_words words;

	answers_words_init(&words, known, CLASS_COUNT);
	for (uint32_t i = 0; i < w->rows.n && pace_on(w->pace, 64); i++) {
		key_id key = w->rows.key[i];
		of_key[key] = (uint8_t)answers_class_of(
			&words, names_get(&w->p->names, w->p->frames.function.name[key]));
	}
	answers_words_release(&words);
	for (node_id i = 1; i < t->n && pace_on(w->pace, 1); i++) {
		node_id up = t->parent[i];
		of[i] = of_key[t->key[i]];
		if (!of[i] && of[up] &&
		    !(takes_callbacks((enum runtime_class)of[up]) &&
		      answers_leaves_runtime(w, callee, t->key[up], t->key[i])))
			of[i] = of[up];
		sum[of[i]] += w->fold->now.recorded.self[i];
	}
	for (int c = 0; c < CLASS_COUNT; c++)
		sum[c] = numbers_scaled(sum[c], w->fold->now.by);
	free(callee);
	free(of_key);
	free(of);
}

static void
find_runtime(struct answers_work *w, struct answers_item *out)
{
	const struct metric *m = &w->p->metric[w->fold->metric];
	int64_t sum[CLASS_COUNT] = {0};
	int best = 1;

	if (m->unit == UNIT_BYTES || m->unit == UNIT_OPS) {
		/* memory comes from the allocator by its nature */
		out->lacks = true;
		answers_say(out, "no answer: the metric is neither a time nor a number of samples");
		return;
	}
	sum_classes(w, sum);
	for (int c = 1; c < CLASS_COUNT; c++) {
		answers_add_share(w, out, classes[c].name, (double)sum[c]);
		best = sum[c] > sum[best] ? c : best;
	}
	const struct answers_number *n = &out->numbers.at[best - 1];
	out->notable = answers_level(n->value, 15);
	if (!sum[best]) {
		answers_say(out, "no well-known function of a runtime has a cost");
		return;
	}
	answers_say(out, "%s takes %.1f %%", classes[best].text, n->value);
	answers_say_interval(out, n);
	answers_say_samples(w, out);
}

const struct answers_row answer_runtime = {
	.name = "runtime",
	.question = "What does the runtime cost?",
	.guide = "suspect",
	.words = "--limit 20",
	.needs = ANSWERS_NEED_COSTS,
	.find = find_runtime,
};
