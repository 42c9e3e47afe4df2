/* static_capstone.c - leaves out of a static executable the processors that pnav never asks
 * capstone for (src/symbol/disasm.c has those that it does): 1.7 MB of 12.
 *
 * Capstone's table of processors refers to a module of each. The linker takes a module out of the
 * archive only if it does not know its two functions yet, so here they are. */
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
LEFT_OUT(Sparc)
LEFT_OUT(TMS320C64x)
LEFT_OUT(XCore)
