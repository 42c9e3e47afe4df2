/* static_left_out.c - leaves out of a static executable what pnav never asks of its libraries:
 * 3.6 MB of 12.
 *
 * Libraries refer to all of their modules from a table or from a function that registers them. The
 * linker takes a module out of an archive only if it does not know the module's function yet, so
 * here these functions are. */

#include <stdint.h>
#include <stdlib.h>

/* Processors of capstone: src/symbol/disasm.c has those that pnav asks for. PowerPC and S/390 are
 * among these, but their programs are rarely looked at on another machine, and they take 0.4 MB. */
#define LEFT_OUT(processor)                                  \
	int processor##_global_init(void *capstone);         \
	int processor##_option(void *capstone, int type, unsigned long value); \
	int processor##_global_init(void *capstone)          \
	{                                                    \
		(void)capstone;                              \
		return 2; /* CS_ERR_ARCH */                  \
	}                                                    \
	int processor##_option(void *capstone, int type, unsigned long value) \
	{                                                    \
		(void)capstone;                              \
		(void)type;                                  \
		(void)value;                                 \
		return 2;                                    \
	}

LEFT_OUT(EVM)
LEFT_OUT(M680X)
LEFT_OUT(M68K)
LEFT_OUT(Mips)
LEFT_OUT(PPC)
LEFT_OUT(Sparc)
LEFT_OUT(SystemZ)
LEFT_OUT(TMS320C64x)
LEFT_OUT(XCore)

/* Capstone's Intel syntax: pnav shows that of AT&T. */
void X86_Intel_printInst(void *instruction, void *out, void *info);
void
X86_Intel_printInst(void *instruction, void *out, void *info)
{
	(void)instruction;
	(void)out;
	(void)info;
}

/* SQLite's full-text and spatial tables, which it registers with each connection. */
#define NO_TABLES(kind)                                                                    \
	int sqlite3##kind##Init(void *db);                                                 \
	int sqlite3##kind##Init(void *db)                                                  \
	{                                                                                  \
		(void)db;                                                                  \
		return 0;                                                                  \
	}

NO_TABLES(Fts3)
NO_TABLES(Fts5)
NO_TABLES(Rtree)

/* The disassemblers of elfutils: pnav uses capstone. */
#define NO_DISASSEMBLER(machine)                                                           \
	int machine##_disasm(void);                                                        \
	int machine##_disasm(void)                                                         \
	{                                                                                  \
		return -1;                                                                 \
	}

NO_DISASSEMBLER(i386)
NO_DISASSEMBLER(x86_64)
NO_DISASSEMBLER(bpf)
NO_DISASSEMBLER(riscv)

/* The processors of elfutils whose programs pnav neither unwinds nor disassembles; their files are
 * read as those of any other processor. */
#define NO_BACKEND(processor)                                                              \
	void *processor##_init(void *elf, int machine, void *ebl);                         \
	void *processor##_init(void *elf, int machine, void *ebl)                          \
	{                                                                                  \
		(void)elf;                                                                 \
		(void)machine;                                                             \
		(void)ebl;                                                                 \
		return 0;                                                                  \
	}

NO_BACKEND(alpha)
NO_BACKEND(bpf)
NO_BACKEND(csky)
NO_BACKEND(ia64)
NO_BACKEND(m68k)
NO_BACKEND(sh)
NO_BACKEND(sparc)

/* The formats of zstd before 0.8 (2016): their functions fail. */
#define RETURNS(value, name)                                                               \
	unsigned long name(void);                                                          \
	unsigned long name(void)                                                           \
	{                                                                                  \
		return (unsigned long)(value);                                             \
	}

#define NO_FORMAT(version)                                                                 \
	RETURNS(0, ZSTDv##version##_createDCtx)                                            \
	RETURNS(0, ZSTDv##version##_freeDCtx)                                              \
	RETURNS(-1, ZSTDv##version##_getFrameParams)                                       \
	RETURNS(-1, ZSTDv##version##_decompress_usingDict)                                 \
	RETURNS(0, ZBUFFv##version##_createDCtx)                                           \
	RETURNS(0, ZBUFFv##version##_freeDCtx)                                             \
	RETURNS(-1, ZBUFFv##version##_decompressInitDictionary)                            \
	RETURNS(-1, ZBUFFv##version##_decompressContinue)                                  \
	void ZSTDv##version##_findFrameSizeInfoLegacy(const void *at, unsigned long n,     \
						      unsigned long *size,                 \
						      unsigned long long *most);           \
	void ZSTDv##version##_findFrameSizeInfoLegacy(const void *at, unsigned long n,     \
						      unsigned long *size,                 \
						      unsigned long long *most)            \
	{                                                                                  \
		(void)at;                                                                  \
		(void)n;                                                                   \
		*size = (unsigned long)-1;                                                 \
		*most = (unsigned long long)-2; /* ZSTD_CONTENTSIZE_ERROR */               \
	}

NO_FORMAT(05)
NO_FORMAT(06)
NO_FORMAT(07)

/* The slower ways of compressing: pnav writes zstd of levels 1 and 3, which are the fast ones, and
 * no LZ4. A library that calls them after all ends the program instead of writing what is wrong. */
#define NEVER_CALLED(name)                                                               \
	void name(void);                                                                 \
	void name(void)                                                                  \
	{                                                                                \
		abort();                                                                 \
	}

#define NO_LEVEL(way)                                                                    \
	NEVER_CALLED(ZSTD_compressBlock_##way)                                           \
	NEVER_CALLED(ZSTD_compressBlock_##way##_dictMatchState)                          \
	NEVER_CALLED(ZSTD_compressBlock_##way##_extDict)

#define NO_ROWS(way)                                                                     \
	NO_LEVEL(way)                                                                    \
	NEVER_CALLED(ZSTD_compressBlock_##way##_row)                                     \
	NEVER_CALLED(ZSTD_compressBlock_##way##_dictMatchState_row)                      \
	NEVER_CALLED(ZSTD_compressBlock_##way##_extDict_row)                             \
	NEVER_CALLED(ZSTD_compressBlock_##way##_dedicatedDictSearch)                     \
	NEVER_CALLED(ZSTD_compressBlock_##way##_dedicatedDictSearch_row)

NO_ROWS(greedy)
NO_ROWS(lazy)
NO_ROWS(lazy2)
NO_LEVEL(btlazy2)
NO_LEVEL(btopt)
NO_LEVEL(btultra)
NEVER_CALLED(ZSTD_compressBlock_btultra2)
NEVER_CALLED(ZSTD_dedicatedDictSearch_lazy_loadDictionary)
NEVER_CALLED(ZSTD_insertAndFindFirstIndex)
NEVER_CALLED(ZSTD_row_update)
NEVER_CALLED(ZSTD_updateTree)
NEVER_CALLED(LZ4_attach_HC_dictionary)
NEVER_CALLED(LZ4_compress_HC_continue)
NEVER_CALLED(LZ4_compress_HC_extStateHC_fastReset)
NEVER_CALLED(LZ4_favorDecompressionSpeed)
NEVER_CALLED(LZ4_initStreamHC)
NEVER_CALLED(LZ4_loadDictHC)
NEVER_CALLED(LZ4_resetStreamHC_fast)
NEVER_CALLED(LZ4_saveDictHC)
NEVER_CALLED(LZ4_setCompressionLevel)
NEVER_CALLED(LZ4_sizeofStateHC)

/* Compression by libbz2 and its sorting: pnav only reads bzip2. */
NEVER_CALLED(BZ2_compressBlock)
NEVER_CALLED(BZ2_bsInitWrite)

/* Unwinding for exceptions, which needs tables that static.ld leaves out. */
NEVER_CALLED(_Unwind_ForcedUnwind)
NEVER_CALLED(_Unwind_GetCFA)
NEVER_CALLED(_Unwind_Resume)
NEVER_CALLED(__gcc_personality_v0)

#ifdef __GLIBC__
/* Translations of libc's messages: a static file reads no locale. */
char *__dcgettext(const char *domain, const char *message, int category);
char *dcgettext(const char *domain, const char *message, int category);
char *
__dcgettext(const char *domain, const char *message, int category)
{
	(void)domain;
	(void)category;
	return (char *)(uintptr_t)message;
}

char *
dcgettext(const char *domain, const char *message, int category)
{
	return __dcgettext(domain, message, category);
}
#endif

#if defined __GLIBC__ && defined __x86_64__
/* Variants of libm's functions for some processors, which differ from the plain one in their speed:
 * only the functions of SQL call them.  Without the plain one (weak) they are not called either. */
#define NO_VARIANT(name, variant)                           \
	double name##_sse2(double x) __attribute__((weak)); \
	double name##_##variant(double x);                  \
	double name##_##variant(double x)                   \
	{                                                   \
		return name##_sse2(x);                      \
	}

#define NO_FMA(name)          \
	NO_VARIANT(name, fma) \
	NO_VARIANT(name, fma4)

#define NO_AVX(name)          \
	NO_VARIANT(name, avx) \
	NO_FMA(name)

NO_FMA(__ieee754_acos)
NO_FMA(__ieee754_asin)
NO_AVX(__atan)
NO_AVX(__cos)
NO_AVX(__sin)
NO_AVX(__tan)

#define NO_VARIANT_OF_ATAN2(variant)                          \
	double __ieee754_atan2_##variant(double y, double x); \
	double __ieee754_atan2_##variant(double y, double x)  \
	{                                                     \
		return __ieee754_atan2_sse2(y, x);            \
	}

double __ieee754_atan2_sse2(double y, double x) __attribute__((weak));
NO_VARIANT_OF_ATAN2(avx)
NO_VARIANT_OF_ATAN2(fma)
NO_VARIANT_OF_ATAN2(fma4)

/* Numbers of 128 bits in scanf(): none is read. */
NEVER_CALLED(__strtof128_internal)
#endif
