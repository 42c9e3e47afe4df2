-- the longest times in which a track had no event
SELECT time - before AS gap, before AS start, time AS "end", track, stack
FROM (SELECT track, time, stack, lag(time) OVER (PARTITION BY track ORDER BY time) AS before
  FROM samples WHERE time IS NOT NULL)
WHERE before IS NOT NULL AND time > before
ORDER BY gap DESC, track, start
LIMIT 20;
