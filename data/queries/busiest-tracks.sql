-- the threads that do the work, and their times
SELECT t.id AS track, t.name, t.process, sum(s.value) AS value,
  min(s.time) AS start, max(ifnull(s.finish, s.time)) AS "end"
FROM samples AS s JOIN tracks AS t ON t.id = s.track
WHERE s.metric = (SELECT name FROM metrics WHERE is_default)
GROUP BY t.id
ORDER BY value DESC, t.id;
