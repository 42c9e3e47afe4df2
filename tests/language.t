#!/bin/sh
# Plain English (HACKING.md, "Style"): habits that make readers read a sentence twice stay out of
# comments, messages, manual pages and documents.  tests/language.t --list prints every sentence that
# has one.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

# habits ROOT: FILE:LINE: RULE: SENTENCE for each sentence of a tree with a habit
habits()
{
	(cd "$1" && find README.md HACKING.md NEWS man model src ui tests -type f \
		\( -name '*.[ch]' -o -name '*.[1-9]' -o -name README.md -o -name HACKING.md \
		-o -name NEWS \) ! -path 'tests/data/*' 2>/dev/null | LC_ALL=C sort |
		xargs awk -f "$top_srcdir/tests/lib/sentences.awk") >"$scratch/sentences"
	while IFS='|' read -r rule pattern; do
		grep -E -- "$pattern" "$scratch/sentences" | sed "s|^\([^:]*:[0-9]*\): |\1: $rule: |"
	done <<-'END'
	is told|[ :](is|are|was|were|been) told( |[.,;:]|$)
	be it|, be it | be it [a-z]* or |[;,] be it$
	so many|[ :][Ss]o many( |[.,;:]|$)
	taken apart|(is|are|was|were|be) taken apart
	is looked at|(is|are|was|were|be) looked at
	is asked for|(is|are|was|were|be) asked for
	is given up|(is|are|was|were) given up
	stands|[ :][Ss]tands?([.,;:]|$| [^o]| o[^u])
	at hand| at hand( |[.,;:]|$)
	anybody else|(some|no|any)body( else|[.,;:]| [a-z])
	behind for after|(ends?|begins?|follows?|comes?|lies?|number|header|data|blank) behind[ ]
	nobody includes|nobody else includes
	leapt|[Ll]eapt
	told apart|[Tt]old apart
	which is which|which is which
	whoever|[Ww]hoever
	begins with Who|^[^:]*:[0-9]*: Who [^?]*$
	begins with Whether|^[^:]*:[0-9]*: Whether[ ]
	begins with What|^[^:]*:[0-9]*: What [^?]*$
	END
}

habits "$top_srcdir" >"$scratch/all"
if [ "${1:-}" = --list ]; then
	cat "$scratch/all"
	exit 0
fi
check "no sentence has a habit" sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/all"

# planted RULE FILE LINE...: a tree with this file is found to break the rule
planted()
{
	habit=$1 file=$2
	shift 2
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/$(dirname "$file")"
	printf '%s\n' "$@" >"$scratch/tree/$file"
	habits "$scratch/tree" >"$scratch/found"
	check "found: $habit, in $file" grep -q "^$file:[0-9]*: $habit: " "$scratch/found"
}

# innocent FILE LINE...: the same tree breaks none
innocent()
{
	file=$1
	shift
	rm -rf "$scratch/tree"
	mkdir -p "$scratch/tree/$(dirname "$file")"
	printf '%s\n' "$@" >"$scratch/tree/$file"
	habits "$scratch/tree" >"$scratch/found"
	check "innocent: $1" sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/found"
}

planted 'is told' model/x.c '/* The caller' ' * is told. */'
planted 'is told' src/x.c 'f("the rest is told "' '  "at once");'
planted 'be it' ui/x.h 'int x; /* each row, be it long or short */'
planted 'so many' man/pnav.1 '.Nm' 'reads so many' '.Cm rows .'
planted 'taken apart' README.md 'A record is taken apart.'
planted 'is looked at' NEWS '* A file that is looked at grows.'
planted 'is asked for' HACKING.md 'Memory' 'is asked for early.'
planted 'is given up' NEWS '* A slow server' 'is given up.'
planted 'stands' model/x.h '/* A process stands above' ' * its threads. */'
planted 'stands' NEWS 'The first value' 'stands.'
planted 'at hand' src/x.c 'int x; /* of the sample at hand */'
planted 'anybody else' src/x.h '/* Symbols that nobody' ' * has asked for. */'
planted 'behind for after' src/x.h 'int n; /* bytes that lie behind the header */'
planted 'nobody includes' src/x.h '/* x.h - shared parts; nobody else' ' * includes it. */'
planted 'begins with Whether' ui/x.h '/* Whether the row' ' * is shown. */'
planted 'leapt' src/x.h 'int x; /* values are leapt over */'
planted 'told apart' model/x.h '/* Two names that are' ' * told apart by their hash. */'
planted 'which is which' man/pnav.1 'Labels say' 'which is which .'
planted 'whoever' HACKING.md 'Whoever adds a view' 'adds a row.'
planted 'begins with Who' src/x.c '/* x.c - see x.h.' ' *' ' * Who asks gets a number. */'
planted 'begins with What' src/x.c 'f("What is read counts");'
planted 'begins with What' tests/unit/x.c '/* Rows.  What is left goes. */'
innocent src/x.c '/* What is hot?  The caller is a toll. */'
innocent model/x.c "c = '\"'; /* a quote */ d = \"so\"; /* many */"
innocent man/pnav.1 '.Ss What a profile is' '.Bd -literal' 'What is told' '.Ed'
innocent ui/x.c '/* Matches stand out; the picture of a key waits behind them. */'
innocent README.md '## What it reads' '| What | is told |'
tap_done
