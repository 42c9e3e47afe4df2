#!/bin/sh
# "One file and one row": in a copy of the tree one of each kind is added, as HACKING.md says
# it, and must work.  Each is a file of its own and a row in one list; what has to be touched
# beside that makes this fail.  Only what changes is compiled, and stands before the archives
# of the build, which give the rest.
#
# To add a kind: write its file, add its row with row() or rows(), name the source with the
# list in `sources`, and look at what the program then does.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -n "${PNAV_COMPILE:-}" ] && [ -n "${PNAV_LINK:-}" ] ||
	skip_all "run by make check, which names the compiler"
echo 'int main(void) { return 0; }' >"$scratch/try.c"
# The options are words, as make has them.
# shellcheck disable=SC2086
(cd "$top_builddir" && $PNAV_LINK -o "$scratch/try" "$scratch/try.c") >/dev/null 2>&1 ||
	skip_all "there is no compiler"
[ -f "$top_builddir/src/main.o" ] || skip_all "pnav is not built"

tree=$scratch/tree
mkdir -p "$tree" "$scratch/objects"
(cd "$top_srcdir" && tar -cf - --exclude='*.o' model src ui) | (cd "$tree" && tar -xf -)
sources=

# changed FILE: it is new, or another one
changed()
{
	sources="$sources $1"
}

# rows FILE LIST ROW...: rows at the end of an X-list
rows()
{
	file=$tree/$1
	list=$2
	shift 2
	printf '\t%s\n' "$@" >"$scratch/rows"
	awk -v list="$list" -v rows="$scratch/rows" '
		index($0, "#define " list "(X)") == 1 { inside = 1; found = 1 }
		inside && !/\\$/ {
			while ((getline row <rows) > 0) {
				print $0 " \\"
				$0 = row
			}
			inside = 0
		}
		{ print }
		END { exit !found }' "$file" >"$scratch/new" && cp "$scratch/new" "$file"
}

# row FILE LIST NAME: as most lists have them
row()
{
	rows "$1" "$2" "X($3)"
}

# ---- a format that is read: the decoder of HACKING.md, and an option of it ----
# block WORD: the piece of C in HACKING.md that contains WORD
block()
{
	awk -v wanted="$1" '
		/^```c$/ { inside = 1; piece = ""; next }
		/^```$/ { if (inside && index(piece, wanted)) printf "%s", piece; inside = 0 }
		inside { piece = piece $0 "\n" }' "$top_srcdir/HACKING.md"
}

block "struct decoder decoder_toy =" | sed '/^const struct decoder decoder_toy = {$/i\
static const struct option_row toy_options[] = {\
	{"toy-unit", "UNIT", "toy: times are in ms or s", .kind = OPTION_CHOICE,\
	 .choices = (const char *const[]){"ms", "s", NULL}},\
	{0},\
};
s/^	\.made_of = MADE_TEXT,$/&\
	.options = toy_options,/
s/(int64_t)(ms \* 1e6)/(int64_t)(ms * (input_option(in, "toy-unit") ? 1e9 : 1e6))/' >"$tree/src/decode/toy.c"
check "HACKING.md has a decoder" grep -q toy_options "$tree/src/decode/toy.c"
check "a row for a decoder" row src/decode/decoder.h DECODERS toy
changed src/decode/toy.c
changed src/decode/decoders.c

# ---- formats of JSON and of protocol buffers, by tables ----
block "struct decoder decoder_toyjson =" >"$tree/src/decode/toyjson.c"
block "struct decoder decoder_toyproto =" >"$tree/src/decode/toyproto.c"
check "HACKING.md has one of JSON" grep -q decoder_toyjson "$tree/src/decode/toyjson.c"
check "and one of protocol buffers" grep -q decoder_toyproto "$tree/src/decode/toyproto.c"
check "a row for each" eval 'row src/decode/decoder.h DECODERS toyjson &&
	row src/decode/decoder.h DECODERS toyproto'
changed src/decode/toyjson.c
changed src/decode/toyproto.c

# ---- a format that is written, with an option ----
cat >"$tree/src/encode/toy.c" <<'END'
#include "src/encode/encoder.h"

static bool
toy_write(const struct encode_job *job, struct err *e)
{
	(void)e;
	fprintf(job->out, "%u tracks%s\n", (unsigned)job->profile->n_tracks,
		encode_option(job, "toy-loud") ? "!" : "");
	return true;
}

static const struct option_row toy_options[] = {
	{"toy-loud", .help = "toy: with an exclamation mark"},
	{0},
};

const struct encoder encoder_toy = {
	.name = "toy",
	.title = "how many tracks there are",
	.options = toy_options,
	.write = toy_write,
};
END
check "a row for an encoder" row src/encode/encoder.h ENCODERS toy
changed src/encode/toy.c
changed src/encode/encoders.c

# ---- a command ----
cat >"$tree/src/command/toy.c" <<'END'
#include <inttypes.h>
#include <stdio.h>

#include "src/command/command.h"

struct toy_options {
	uint64_t times;
	const char *word;
	bool loud;
};

static const struct option_row toy_rows[] = {
	{"times", "N", "so many lines", .letter = 'n', .kind = OPTION_NUMBER,
	 .at = offsetof(struct toy_options, times)},
	{"word", "WORD", "what to say", .kind = OPTION_TEXT,
	 .at = offsetof(struct toy_options, word)},
	{"loud", .help = "say it loudly", .at = offsetof(struct toy_options, loud)},
	{0},
};

static int
toy_run(const struct command *self, int argc, char **argv)
{
	struct toy_options own = {.times = 1, .word = "toy"};
	struct options o;
	int status;

	options_init(&o, &own);
	if (command_options(self, &o, argc, argv, &status))
		for (uint64_t i = 0; i < own.times; i++)
			printf("%s%s\n", own.word, own.loud ? "!" : "");
	options_release(&o);
	return status;
}

const struct command command_toy = {
	.name = "toy",
	.synopsis = "[OPTION...]",
	.summary = "say a word",
	.options = toy_rows,
	.run = toy_run,
};
END
check "a row for a command" row src/command/command.h COMMANDS toy
changed src/command/toy.c
changed src/command/commands.c
cp "$top_srcdir/src/main.c" "$tree/src/main.c"

# ---- a column, for reports and the browser, and a report that has it ----
awk '
	/^const struct table_column table_columns\[\] = \{$/ {
		print "static struct value\ntwice_number(const struct look *l, const struct row *row)"
		print "{\n\treturn amount(l, 2 * row->self);\n}\n"
		inside = 1
	}
	inside && /^};$/ {
		print "\t{\"twice\", NULL, \"twice\", FOLD_COLUMN, .unit = COLUMN_VALUE, .width = 10,"
		print "\t .number = twice_number},"
		inside = 0
	}
	{ print }' "$top_srcdir/model/table/columns.c" >"$tree/model/table/columns.c"
changed model/table/columns.c
cat >"$tree/src/command/report/report_toy.c" <<'END'
#include "src/command/report/report.h"

static bool
toy_fill(struct report *r)
{
	fold_rows(r->fold, &r->rows);
	return true;
}

const struct report_view view_toy = {
	.name = "toy",
	.rows = ROWS_FOLD,
	.columns = "function,twice",
	.folds = true,
	.fill = toy_fill,
};
END
check "a row for a report" row src/command/report/report.h REPORT_VIEWS toy
changed src/command/report/report_toy.c
changed src/command/report/report.c
changed src/command/report/report_options.c

# ---- a view of the browser, the key that opens it, and a key of its own ----
cat >"$tree/ui/view/toy.c" <<'END'
#include "ui/view/view.h"

#include <stdlib.h>

#include "model/base/mem.h"

struct toy {
	bool marked;
};

static void *
toy_create(void)
{
	return mem_zalloc(1, sizeof(struct toy));
}

static void
toy_arrange(void *view, struct scene *s, struct area a)
{
	(void)view;
	(void)s;
	(void)a;
}

static void
toy_draw(const void *view, const struct scene *s, struct canvas *c, struct area a)
{
	(void)s;
	canvas_text(c, a.y, a.x, a.w, INK_TEXT,
		    ((const struct toy *)view)->marked ? "a marked toy" : "a plain toy");
}

static enum reply
toy_act(void *view, struct scene *s, enum action action)
{
	(void)s;
	if (action != ACTION_TOY_MARK)
		return REPLY_PASS;
	((struct toy *)view)->marked = true;
	return REPLY_DONE;
}

static enum reply
toy_click(void *view, struct scene *s, int y, int x, bool twice)
{
	(void)view;
	(void)s;
	(void)y;
	(void)x;
	(void)twice;
	return REPLY_PASS;
}

static bool
toy_find(void *view, struct scene *s, int dir)
{
	(void)view;
	(void)s;
	(void)dir;
	return false;
}

static bool
toy_describe(const void *view, const struct scene *s, struct row *out)
{
	(void)view;
	(void)s;
	(void)out;
	return false;
}

static const enum action toy_keys[] = {ACTION_TOY_MARK, ACTION_NONE};

const struct view_ops toy_view = {
	.name = "toy",
	.digit = '0',
	.open = ACTION_VIEW_TOY,
	.scope = SCOPE_ANY,
	.about = "A toy.\n",
	.enter = "nothing",
	.keys = toy_keys,
	.create = toy_create,
	.destroy = free,
	.arrange = toy_arrange,
	.draw = toy_draw,
	.act = toy_act,
	.click = toy_click,
	.find = toy_find,
	.describe = toy_describe,
};
END
check "a row for a view" row ui/view/view.h VIEWS toy
check "rows for keys" rows ui/part/keys.h ACTIONS \
	'X(VIEW_TOY, ANY, "toy", "toy", "a toy", "0")' \
	'X(TOY_MARK, ANY, "toy-mark", "mark", "mark the toy", "Z")'
changed ui/view/toy.c
changed ui/view/views.c
# who asks how many actions there are, or switches over them
for file in $(cd "$tree" && grep -lE 'ACTION_COUNT|ACTIONS\(|switch \(action\)' ui/*/*.c ui/view/*/*.c); do
	changed "$file"
done

# ---- a verb of the lens, and a subject of its patterns ----
awk '
	{ print }
	/^#include "model\/lens\/sieve.h"$/ {
		print "\n/* Root frames alone are left. */\nstatic void\nlone(struct sieve *v)\n{"
		print "\tfor (stack_id s = 1; s < v->n; s++)\n\t\tv->alive[s] &= !v->up[s];"
		print "\tsieve_settle(v);\n}"
	}' "$top_srcdir/model/lens/verbs.c" >"$tree/model/lens/verbs.c"
check "a row for a verb" rows model/lens/verbs.h VERBS \
	"X(LONE, \"lone\", \"lone \", 'y', \"lone\", \"all below roots goes\", \"only root frames\", lone, NULL)"
awk '
	/^static name_id$/ && !done++ {
		print "static name_id\nits_home(const struct function *f, const char **word)\n{"
		print "\t*word = f->file == NAME_EMPTY ? \"nowhere\" : \"somewhere\";"
		print "\treturn NAME_EMPTY;\n}\n"
	}
	{ print }' "$top_srcdir/model/lens/subject.c" >"$tree/model/lens/subject.c"
check "a row for a subject" rows model/lens/subject.h SUBJECTS 'X(HOME, "home", its_home)'
# who lists verbs or subjects, or asks how many there are
for file in $(cd "$tree" && grep -lE 'VERB_COUNT|VERBS\(|verb_rows|SUBJECT_COUNT|SUBJECTS\(' \
	model/*/*.c src/*.c src/*/*.c src/*/*/*.c ui/*/*.c ui/view/*/*.c); do
	changed "$file"
done

# ---- all of them ----
# compile FILE
compile()
{
	# Headers in quotes come from the copy; -O0 last, since this is not about speed.
	# shellcheck disable=SC2086
	(cd "$top_builddir" && $PNAV_COMPILE -iquote "$tree" -O0 -c \
		-o "$scratch/objects/$(echo "$1" | tr / _).o" "$tree/$1") >"$scratch/objects/$(echo "$1" | tr / _).log" 2>&1
}

# Two at a time.
compile_all()
{
	# shellcheck disable=SC2086
	set -- $(printf '%s\n' $sources | sort -u)
	while [ $# -gt 0 ]; do
		compile "$1" &
		first=$!
		second=
		[ $# -lt 2 ] || {
			compile "$2" &
			second=$!
			shift
		}
		shift
		wait $first
		[ -z "$second" ] || wait "$second"
	done
	for file in $sources; do
		name=$scratch/objects/$(echo "$file" | tr / _)
		[ -f "$name.o" ] || {
			echo "$file:"
			cat "$name.log"
			return 1
		}
	done
}

# shellcheck disable=SC2086
link()
{
	cd "$top_builddir" && $PNAV_LINK -o "$scratch/toy" src/main.o "$scratch"/objects/*.o \
		$PNAV_LINK_LIBS && cd - >/dev/null
}

check "they compile" compile_all
check "and link" link
cd "$scratch" || exit 99
printf 'toy 1\n1.0 parse read main\n2.5 draw main\n' >in.toy

# says NAME WANTED COMMAND...: what a command prints
says()
{
	name=$1
	printf '%s\n' "$2" >want
	shift 2
	"$scratch/toy" "$@" >got 2>&1 </dev/null
	diff want got >differ && ok "$name" || not_ok "$name" differ
}

# has NAME PATTERN COMMAND...: that one line of it is this
has()
{
	name=$1
	pattern=$2
	shift 2
	"$scratch/toy" "$@" >got 2>&1 </dev/null
	grep -qE -e "$pattern" got && ok "$name" || not_ok "$name" got
}

says "the format is read" 'function,self
draw,1
parse,1
main,0
read,0' report --format csv --columns function,self in.toy
has "and listed" '^read   toy +toy profiles$' formats
cat >in.json <<'END'
{"samples": [
 {"ms": 1.5, "frames": [{"name": "parse", "line": 3}, {"name": "main"}]},
 {"other": {"ms": 7}, "frames": [{"line": 8, "name": "draw"}, {"name": "main"}], "ms": 2}],
 "toy": 1}
END
says "one of JSON is read" 'function,self
draw,1
main,0
parse,1' report --format csv --columns function,self --sort function in.json
echo '{"toy": 1, "samples": [{"ms": 1, "frames": [{"name": "a"}]}, {"ms": "x"}]}' >bad.json
has "and its damage found" 'bad.json: at byte 61: a sample without its time' report bad.json
# ns 1500, parse main; ns 2000, draw main
printf '\112\020\010\334\013\022\005parse\022\004main\112\017\010\320\017\022\004draw\022\004main' >in.pb
says "one of protocol buffers is read" 'function,self
draw,1
parse,1
main,0' report --input toyproto --format csv --columns function,self in.pb
has "its dump has the names of fields" '^[0-9a-f]+ sample{ ns=1500 frame="parse" frame="main" }$' \
	dump --input toyproto in.pb
# the second time is written as bytes
printf '\112\020\010\334\013\022\005parse\022\004main\112\003\012\001x' >bad.pb
has "and its damage found" 'bad.pb: at byte 18: Sample: ns is written as another type' \
	report --input toyproto bad.pb
has "its option is in the help" '^ +--toy-unit UNIT +toy: ' report --help
has "and takes what it says" "^pnav.*--toy-unit takes ms or s, not 'h'" report --toy-unit h in.toy
has "and gets to the decoder" '^duration,1\.5|^duration,1500000000' report --view info --format csv --toy-unit s in.toy
says "the other format is written" '1 tracks' export --format toy in.toy
says "with its option" '1 tracks!' export --format toy --toy-loud in.toy
has "which no other format has" '^pnav.*--toy-loud: folded has no such option' \
	export --format folded --toy-loud in.toy
says "the command runs, with its options" 'quack!
quack!' toy -n 2 --word quack --loud
has "and is in the help" '^  toy +say a word$' --help
has "and tells its own" '^  -n, --times N +so many lines$' toy --help
says "the report has its column" 'function,twice
draw,2
main,0
parse,2
read,0' report --view toy --format csv --sort function in.toy
has "and is named when another is asked for" ', toy .see' report --view none in.toy
says "and other reports can" 'function,twice
draw,2' report --format csv --columns function,twice --sort twice --limit 1 in.toy
says "the verb does what it says" 'function,self
main,2' report --format csv --columns function,self --lone . in.toy
echo 'lone .' >toy.filter
says "and is in filter files" 'function,self
main,2' report --format csv --columns function,self --filter-file toy.filter in.toy
says "the subject is matched" 'function,self' \
	report --format csv --columns function,self --exclude home:nowhere in.toy
says "in any entry" 'function,self
draw,1
parse,1
main,0
read,0' report --format csv --columns function,self --include home:^now in.toy
has "the view opens" '^a plain toy' --keys 0 --snapshot in.toy
has "by its name too" '^a plain toy' --view toy --snapshot in.toy
has "and has its key" '^a marked toy' --keys '0 Z' --snapshot in.toy
has "which the help knows" 'mark the toy' --size 80x200 --keys '0 ?' --snapshot in.toy
tap_done
