# widths.awk - src/charset_widths.h from Unicode's data:
#
#	awk -f widths.awk EastAsianWidth.txt UnicodeData.txt
#
# Two sorted tables of ranges, equal to wcwidth() of glibc.  Wide: W and F of EastAsianWidth.txt,
# circled numbers on squares, and hexagrams.  Without width: combining marks (Mn, Me), format
# characters (Cf) but the soft hyphen and the signs that enclose the digits behind them, and the
# vowels and final consonants of Hangul, which join the character before them.
function value(hex,    i, n)
{
	n = 0
	hex = toupper(hex)
	for (i = 1; i <= length(hex); i++)
		n = n * 16 + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
	return n
}
function range(text, end)
{
	split(text, end, /\.\./)
	first = value(end[1])
	last = end[2] == "" ? first : value(end[2])
}
# Adds [first, last] to a table; ranges that touch become one.
function add(table)
{
	if (n[table] && to[table, n[table]] + 1 == first) {
		to[table, n[table]] = last
		return
	}
	n[table]++
	from[table, n[table]] = first
	to[table, n[table]] = last
}
function print_table(table, i)
{
	printf "static const struct char_range %s[] = {\n", table
	for (i = 1; i <= n[table]; i++)
		printf "%s{0x%X, 0x%X},%s", i % 4 == 1 ? "\t" : " ", from[table, i], to[table, i],
			i % 4 == 0 || i == n[table] ? "\n" : ""
	print "};"
}
BEGIN {
	split("600 601 602 603 604 605 6DD 70F 890 891 8E2 110BD 110CD AD", signs, " ")
	for (i in signs)
		has_width[value(signs[i])] = 1
}
FNR == 1 { file++ }
file == 1 && FNR == 1 { version = $0; sub(/^# EastAsianWidth-/, "", version); sub(/\.txt.*/, "", version) }
file == 1 && /^[0-9A-F]/ {
	split($0, part, /[;# ]+/)
	range(part[1])
	if (part[2] == "W" || part[2] == "F" || (first >= 12872 && last <= 12879) ||
	    (first >= 19904 && last <= 19967))
		add("wide_chars")
}
file == 2 {
	split($0, field, ";")
	here = value(field[1])
	first = last = here
	if ((field[3] ~ /^(Mn|Me|Cf)$/ && !(here in has_width)) || (here >= 4448 && here <= 4607) ||
	    (here >= 55216 && here <= 55291))
		add("no_width_chars")
}
END {
	print "/* Made by data/static/widths.awk from Unicode " version "; do not edit. */"
	print "#ifndef PNAV_SRC_CHARSET_WIDTHS_H"
	print "#define PNAV_SRC_CHARSET_WIDTHS_H"
	print ""
	print "#include <stdint.h>"
	print ""
	print "struct char_range {"
	print "\tuint32_t first, last;"
	print "};"
	print ""
	print_table("wide_chars")
	print ""
	print_table("no_width_chars")
	print ""
	print "#endif"
}
