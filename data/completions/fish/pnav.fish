# fish completion for pnav(1).  Formats come from `pnav formats`.

function __pnav_written_formats
	pnav formats 2>/dev/null | awk '$1 == "write" { print $2 }'
end

function __pnav_read_formats
	pnav formats 2>/dev/null | awk '$1 == "read" { print $2 }'
end

set -l commands browse report export dump record profile diff formats
set -l no_command "not __fish_seen_subcommand_from $commands"
set -l reports '__fish_seen_subcommand_from report diff'
set -l export '__fish_seen_subcommand_from export'

complete -c pnav -n $no_command -a browse -d 'Browse a profile'
complete -c pnav -n $no_command -a report -d 'Print one view'
complete -c pnav -n $no_command -a export -d 'Write another profile format'
complete -c pnav -n $no_command -a dump -d 'List every record of a file'
complete -c pnav -n $no_command -a record -d 'Run a command and sample it'
complete -c pnav -n $no_command -a profile -d 'profile(1): run, sample, report'
complete -c pnav -n $no_command -a diff -d 'Browse or report the difference'
complete -c pnav -n $no_command -a formats -d 'What can be read and written'
complete -c pnav -n $no_command -l version -d 'Print the version'
complete -c pnav -l help -d 'Print help'

complete -c pnav -l metric -x -d 'Which quantity is measured'
complete -c pnav -l from -x -d 'Keep the time from here'
complete -c pnav -l to -x -d 'Keep the time up to here'
complete -c pnav -l track -x -d 'Keep these tracks'
complete -c pnav -l include -x -d 'Keep stacks with a matching frame'
complete -c pnav -l exclude -x -d 'Drop stacks with a matching frame'
complete -c pnav -l include-self -x -d 'Keep stacks whose leaf matches'
complete -c pnav -l exclude-self -x -d 'Drop stacks whose leaf matches'
complete -c pnav -l hide -x -d 'Remove matching frames'
complete -c pnav -l show -x -d 'Keep only matching frames'
complete -c pnav -l collapse -x -d 'Runs of matching frames become one'
complete -c pnav -l collapse-recursion -x -d 'Join frames that are on the stack already'
complete -c pnav -l root -x -d 'Cut above the root-most match'
complete -c pnav -l where -x -d 'Keep what has such a label'
complete -c pnav -l label -x -d 'Values of a label become root frames'
complete -c pnav -l by -x -a 'function line file module' -d 'What counts as one frame'
complete -c pnav -l invert -d 'Callers, leaf first'
complete -c pnav -l filter-file -r -d 'Read a filter specification'

complete -c pnav -l br-outermost-first -d 'BR backtraces begin with the outermost'
complete -c pnav -l bsprof-time-unit -x -a 'ms us ns' -d 'Unit of bsprof times'
complete -c pnav -l bin-version -x -a '1.0 1.1' -d 'Layout of a binary timeline'
complete -c pnav -l hqn-timestamp -x -a 'start end' -d 'What HQNplog times mean'
complete -c pnav -l input -x -a '(__pnav_read_formats)' -d 'Read as this format'
complete -c pnav -l binary -r -d 'The program that wrote gmon.out'
complete -c pnav -l map -r -d 'The linker map'
complete -c pnav -l zero -d 'List functions without hits'

complete -c pnav -l keys -x -d 'Run a key script'
complete -c pnav -l size -x -d 'Size of the screen'
complete -c pnav -l snapshot -d 'Print the screen'
complete -c pnav -l color -x -a 'never auto always 8 16 256' -d 'Colours'
complete -c pnav -l theme -x -a 'auto dark light colour-blind colour-blind-dark colour-blind-light' -d 'Colours for this ground'
complete -c pnav -l ascii -d 'Draw with ASCII'
complete -c pnav -l follow -d 'Go on reading as the file grows'
complete -c pnav -l no-mouse -d 'Leave the mouse to the terminal'
complete -c pnav -l guide -d 'Questions of the manual'
complete -c pnav -l no-config -d 'Leave pnavrc unread'
complete -c pnav -l source-dir -x -d 'Where sources are: FROM=TO'
complete -c pnav -l state -x -d 'How a view is set up'
complete -c pnav -l chains -d 'Single callees share a line'
complete -c pnav -l colour-by -x -a 'kind module file' -d 'What colours of boxes tell'
complete -c pnav -l session -r -d 'Go on with a session'
complete -c pnav -l base-from -x -d 'Compare with the range from here'
complete -c pnav -l base-to -x -d 'Compare with the range up to here'
complete -c pnav -l base-track -x -d 'Compare with these tracks'

complete -c pnav -n "not __fish_seen_subcommand_from $commands; or __fish_seen_subcommand_from browse diff" \
	-l view -x -a 'flame tree functions callers timeline source calls info' -d 'The view to begin with'
complete -c pnav -n '__fish_seen_subcommand_from report' -l view -x \
	-a 'functions tree callers lines calls slices tracks labels values info' -d 'Which view'
complete -c pnav -n $reports -l format -x -a 'text csv json' -d 'How to print it'
complete -c pnav -n '__fish_seen_subcommand_from formats' -l format -x -a 'text json' -d 'How to print it'
complete -c pnav -n $reports -l sort -x -d 'Column to sort by'
complete -c pnav -n $reports -l limit -x -d 'Rows at most'
complete -c pnav -n '__fish_seen_subcommand_from report diff' -l function -x -d 'Slices: calls of these functions'
complete -c pnav -n '__fish_seen_subcommand_from report diff' -l over -x -d 'Slices: calls that last longer'
complete -c pnav -n $reports -l columns -x -d 'These columns; +NAME adds'
complete -c pnav -n $export -l format -x -a '(__pnav_written_formats)' -d 'What to write'
complete -c pnav -n $export -l with-tracks -d 'The track in front of each stack'
complete -c pnav -n $export -s o -l output -r -d 'Write to'

set -l record '__fish_seen_subcommand_from record'
complete -c pnav -n $record -s F -l freq -x -d 'Samples a second'
complete -c pnav -n $record -s o -l output -r -d 'Write to'
complete -c pnav -n $record -s p -l pid -x -d 'Sample a process that runs'
complete -c pnav -n $record -l call-graph -x -a 'dwarf dwarf,16384 fp no' -d 'How stacks are found'
complete -c pnav -n $record -l sampler -x -a 'perf ptrace any' -d 'What takes samples'
