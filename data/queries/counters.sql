-- lowest, mean and highest value of each counter
SELECT t.id AS track, t.name, t.unit, count(*) AS points, min(p.value) AS low,
  round(avg(p.value), 3) AS mean, max(p.value) AS high
FROM points AS p JOIN tracks AS t ON t.id = p.track
WHERE t.kind = 'counter'
GROUP BY t.id
ORDER BY t.name, t.id;
