-- the durations of calls of each function: median, 99th percentile, longest
SELECT f.name, count(*) AS calls, percentile(s.duration, 50) AS p50,
  percentile(s.duration, 99) AS p99, max(s.duration) AS longest, f.id AS function
FROM slices AS s JOIN functions AS f ON f.id = s.function
GROUP BY f.id
ORDER BY p99 DESC, f.name, f.id;
