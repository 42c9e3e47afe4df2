-- the longest times in which a track had no event
SELECT time - before AS gap, before AS start, time AS "end", track, stack
FROM (SELECT track, time, stack, max(ifnull(finish, time)) OVER (PARTITION BY track ORDER BY time
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM samples WHERE time IS NOT NULL)
WHERE time > before
ORDER BY gap DESC, track, start
LIMIT 20;
