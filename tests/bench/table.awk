# table.awk: lays out the lines of make bench, and compares them with those of the last release.
#
#	awk -v last=FILE -f table.awk LINES
#
# Both files have lines `figure,value,unit,budget,ratio,yardstick`; `last` may be missing.  Words,
# not colours, mark missed budgets and figures that are more than 5 % worse.  Only ratios to a
# yardstick of the same run, shares of the file and bytes are compared.  Times depend on the machine
# and on its other work, so they are only printed.  Files of another size are not compared.

function met(value, budget)
{
	if (budget ~ /^<=/)
		return value + 0 <= substr(budget, 3) + 0 ? "" : "missed"
	if (budget ~ /^>=/)
		return value + 0 >= substr(budget, 3) + 0 ? "" : "missed"
	return ""
}

function has_size(unit)
{
	return unit == "of the file" || unit == "bytes"
}

function is_compared(figure, unit, ratio, yardstick)
{
	return ratio + 0 > 0 && was_ratio[figure, yardstick] + 0 > 0 ||
		has_size(unit) && was[figure, unit] + 0 > 0
}

# Returns by how many per cent a figure is worse than it was; at most 0 if it is not, or has no
# counterpart.  A larger ratio is better, fewer bytes are.
function worse(figure, value, unit, ratio, yardstick)
{
	if (ratio + 0 > 0 && was_ratio[figure, yardstick] + 0 > 0)
		return (was_ratio[figure, yardstick] / ratio - 1) * 100
	if (has_size(unit) && was[figure, unit] + 0 > 0)
		return (value / was[figure, unit] - 1) * 100
	return 0
}

# One line for a format: `bsprof 80 MB/s, 0.16 of its limit, 2.5 x under budget`.
function format_line(figure, value, budget, ratio, bad,	limit, line)
{
	sub(/: decode.*/, "", figure)
	line = sprintf("%s %.0f MB/s", figure, value)
	if (ratio != "")
		line = line sprintf(", %.2f of its limit", ratio)
	limit = substr(budget, 3) + 0
	if (limit > 0 && value + 0 > 0)
		line = line (value + 0 >= limit ? ", within budget" : \
			     sprintf(", %.1f × under budget", limit / value))
	return line (bad > 5 ? sprintf(", %.0f %% worse than the last release", bad) : "")
}

BEGIN {
	FS = ","
	while (last != "" && (getline line < last) > 0) {
		if (line ~ /^#/ || split(line, f, ",") < 6)
			continue
		was[f[1], f[3]] = f[2]
		was_ratio[f[1], f[6]] = f[5]
		n_last++
	}
	printf "%-62s %10s %-12s %9s %-7s %s\n", "figure", "value", "unit", "budget", "", "ratio"
}

$1 == "bench: file size" && n_last && was[$1, $3] != $2 {
	other = "the files of the last release's figures had " (was[$1, $3] + 0) " MB"
	split("", was)
	split("", was_ratio)
	n_last = 0
}

{
	ratio = $5 == "" ? "" : sprintf("%.2f of %s", $5, $6)
	word = met($2, $4)
	budgets += $4 != ""
	if (word != "")
		missed[n_missed++] = $1 ": " $2 " " $3 ", " $4
	compared += is_compared($1, $3, $5, $6)
	bad = worse($1, $2, $3, $5, $6)
	mark = bad > 5 ? sprintf("  %.0f %% WORSE", bad) : ""
	if (mark != "")
		worst[n_worse++] = $1 ": " sprintf("%.0f %% worse", bad)
	printf "%-62s %10s %-12s %9s %-7s %s%s\n", $1, $2, $3, $4, word, ratio, mark
	if ($1 ~ /: decode \(processor time\)$/)
		formats[n_formats++] = format_line($1, $2, $4, $5, bad)
}

END {
	if (n_formats)
		printf "\nprocessor time, and the yardstick of the same run:\n"
	for (i = 0; i < n_formats; i++)
		print "  " formats[i]
	printf "\n%d of %d budgets are missed\n", n_missed, budgets
	for (i = 0; i < n_missed; i++)
		print "  " missed[i]
	if (other != "")
		printf "\nnot compared: %s\n", other
	else if (last != "" && compared)
		printf "\n%d of %d figures are worse than in the last release by more than 5 %%\n",
			n_worse, compared
	for (i = 0; i < n_worse; i++)
		print "  " worst[i]
}
