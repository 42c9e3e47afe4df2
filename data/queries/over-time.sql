-- the metric in each twentieth of the run
WITH RECURSIVE span(low, width) AS (
  SELECT min(start), max("end") - min(start) FROM tracks),
part(n, start, "end") AS (
  SELECT 0, low, low + width / 20 FROM span
  UNION ALL
  SELECT n + 1, "end", low + (n + 2) * width / 20 FROM part, span WHERE n < 19),
event AS ( -- a slice of a trace has time in all parts that it lasts, from `first` to `last`
  SELECT track, time, value, finish - time AS lasts,
    -- a run of one moment has part 0 alone: division by 0 gives NULL
    coalesce(min((20 * (time - low + 1) - 1) / width, 19), 0) AS first,
    iif(finish > time AND (value = finish - time
        OR (SELECT role FROM metrics WHERE is_default) = 'wall'),
      min((20 * (finish - low) - 1) / width, 19), NULL) AS last
  FROM samples, span
  WHERE metric = (SELECT name FROM metrics WHERE is_default) AND time IS NOT NULL),
piece(n, track, value) AS (
  SELECT first, track, value FROM event WHERE last IS NULL OR last = first
  UNION ALL
  SELECT n, track, CAST(
    round((min(time + lasts, "end") - time) * (1.0 * value / lasts))
    - round((max(time, start) - time) * (1.0 * value / lasts)) AS INTEGER)
  FROM event CROSS JOIN part
  WHERE last > first AND n BETWEEN first AND last)
SELECT n AS part, start, "end", sum(value) AS value, count(DISTINCT track) AS tracks
FROM piece JOIN part USING (n)
GROUP BY n
ORDER BY n;
