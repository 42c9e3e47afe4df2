# sentences.awk - prints the prose of files, one sentence per line after "FILE:LINE: ".
#
#	awk -f sentences.awk FILE...
#
# Prose is: the comments and the texts of *.c and *.h, manual pages without their macros, and
# paragraphs of all other files.  Headings, tables, code and what stands indented are left out.

function flush_prose(    i, n, part, text)
{
	gsub(/[ \t]+/, " ", prose)
	gsub(/^ | $/, "", prose)
	if (prose != "") {
		n = split(prose, part, /[.?!:;] +/)
		text = prose
		for (i = 1; i <= n; i++) {
			print file ":" first ": " part[i] substr(text, length(part[i]) + 1, 1)
			text = substr(text, length(part[i]) + 2)
			sub(/^ +/, "", text)
		}
	}
	prose = ""
}

function add(text)
{
	if (prose == "")
		first = FNR
	prose = prose " " text
}

# Adds a line of a comment; an empty one, or an indented one, ends a paragraph.
function comment_line(text)
{
	sub(/^[ \t]*\* ?/, "", text)
	if (text ~ /^[ \t]*$/ || text ~ /^\t|^  /)
		flush_prose()
	else
		add(text)
}

# Comments and strings of a line of C.
function c_line(line,    c, i, n, from)
{
	n = length(line)
	if (inside) {
		i = index(line, "*/")
		comment_line(i ? substr(line, 1, i - 1) : line)
		if (!i)
			return
		flush_prose()
		inside = 0
		i++
	} else {
		i = 0
	}
	while (++i <= n) {
		c = substr(line, i, 1)
		if (c == "'") {
			i += substr(line, i + 1, 1) == "\\" ? 3 : 2
		} else if (c == "\"") {
			from = i
			while (++i <= n && (c = substr(line, i, 1)) != "\"")
				i += c == "\\"
			if (line !~ /^#include/)
				add(substr(line, from + 1, i - from - 1))
			string = 1
		} else if (c == "/" && substr(line, i + 1, 1) == "*") {
			flush_prose()
			from = index(substr(line, i + 2), "*/")
			comment_line(from ? substr(line, i + 2, from - 1) : substr(line, i + 2))
			if (!from) {
				inside = 1
				return
			}
			flush_prose()
			i += from + 2
		}
	}
	# a text goes on in the next line if that begins with a quote
	if (!string || line !~ /"[ \t\\]*$/)
		flush_prose()
	string = 0
}

function page_line(line)
{
	if (line ~ /^\.\\"/)
		return
	if (line ~ /^\.B[dl]|^\.E[dl]|^\.(Pp|It|S[hs])/) {
		flush_prose()
		literal = line ~ /^\.Bd.*literal/ ? 1 : line ~ /^\.Ed/ ? 0 : literal
		return
	}
	if (literal)
		return
	if (sub(/^\.[A-Z][a-z] /, "", line))
		gsub(/(^| )(Ar|Cm|Fl|Pa|Ev|Nm|Ql|Sx|Xr|Ns|No|Pq|Em|Sy|Li|Ic|Dv|Fn) /, " ", line)
	else if (line ~ /^\./)
		return
	gsub(/ [.,:;?]$/, "&\001", line)
	gsub(/ [.,:;?]\001/, "&", line)
	gsub(/\001/, "", line)
	gsub(/\\[&e]/, "", line)
	if (match(line, / [.,:;?]$/))
		line = substr(line, 1, RSTART - 1) substr(line, RSTART + 1)
	add(line)
}

FNR == 1 {
	flush_prose()
	file = FILENAME
	sub(root, "", file)
	inside = literal = string = 0
}

FILENAME ~ /\.[ch]$/ { c_line($0); next }
FILENAME ~ /\.[1-9]$/ { page_line($0); next }
/^```/ { literal = !literal; flush_prose(); next }
literal || /^#|^\||^    |^\t|^[-=]+$|^[0-9.]+/ { flush_prose(); next }
/^[ \t]*$/ { flush_prose(); next }
/^[-*] / { flush_prose(); sub(/^[-*] /, "") }
{ add($0) }
END { flush_prose() }
