-- the metric in each twentieth of the run
WITH span AS (SELECT min(start) AS low, max("end") - min(start) + 1 AS width FROM tracks)
SELECT (s.time - low) * 20 / width AS part, min(s.time) AS start, max(s.time) AS "end",
  sum(s.value) AS value, count(DISTINCT s.track) AS tracks
FROM samples AS s, span
WHERE s.metric = (SELECT name FROM metrics WHERE is_default) AND s.time IS NOT NULL
GROUP BY part
ORDER BY part;
