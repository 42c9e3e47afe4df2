# Uses CPU time in known shares, line by line: 1/2, 3/10, 1/5.  Says so when it has ended, with the
# nanoseconds of each line by the thread's own clock.
$spent = Hash.new(0)

def now
  Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
end

def burn(ns)
  finish = now + ns
  nil while now < finish
end

def inner(key, ns)
  start = now
  burn(ns)
  $spent[key] += now - start
  0
end

class Shape
  def area(ns)
    inner("half", ns * 5) # half
    inner("three", ns * 3) # three tenths
    [ns].each { |part| fifth(part) } # a fifth, called by C
  end

  def fifth(ns)
    inner("two", ns * 2)
  end
end

def main(ms)
  seed = 1
  while $spent.values.sum < ms * 1_000_000
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    Shape.new.area(100_000 + seed % 400_000) # no period of its own
  end
end

if ARGV[0] == "wait"
  puts "ready"
  $stdout.flush
  [0].each { |_| $stdin.read } # waits
else
  main(ARGV[0].to_i)
  puts $spent.values_at("half", "three", "two").join(" ")
end
