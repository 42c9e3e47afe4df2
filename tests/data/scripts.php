<?php
# Uses CPU time in known shares, line by line: 1/2, 3/10, 1/5.  Says so when it has ended, with the
# nanoseconds of each line by the process's own clock.
$spent = ["half" => 0, "three" => 0, "two" => 0];

function now()
{
    $u = getrusage();
    return $u["ru_utime.tv_sec"] * 1000000000 + $u["ru_utime.tv_usec"] * 1000 +
        $u["ru_stime.tv_sec"] * 1000000000 + $u["ru_stime.tv_usec"] * 1000;
}

function burn($ns)
{
    $end = now() + $ns;
    while (now() < $end) {
    }
}

function inner($key, $ns)
{
    global $spent;
    $begin = now();
    burn($ns);
    $spent[$key] += now() - $begin;
    return 0;
}

class Shape
{
    function area($ns)
    {
        inner("half", $ns * 5); # half
        inner("three", $ns * 3); # three tenths
        array_map(fn($part) => $this->fifth($part), [$ns]); # a fifth, called by C
    }

    function fifth($ns)
    {
        return inner("two", $ns * 2);
    }
}

function main($ms)
{
    global $spent;
    $seed = 1;
    while (array_sum($spent) < $ms * 1000000) {
        $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
        (new Shape)->area(100000 + $seed % 400000); # no period of its own
    }
}

if ($argv[1] == "wait") {
    echo "ready\n";
    array_map(function ($_) { fgets(STDIN); }, [0]); # waits
} else {
    main((int)$argv[1]);
    echo implode(" ", $spent), "\n";
}
