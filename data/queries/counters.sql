-- lowest, mean and highest value of each counter
SELECT t.id AS track, t.name, t.unit, count(*) AS points, min(p.value) AS low,
  round(ifnull(sum(1.0 * p.value * (p.finish - p.time)) / sum(p.finish - p.time), avg(p.value)), 3)
    AS mean, -- over time: a value holds until the next one
  max(p.value) AS high
FROM points AS p JOIN tracks AS t ON t.id = p.track
WHERE t.kind = 'counter'
GROUP BY t.id
ORDER BY t.name, t.id;
