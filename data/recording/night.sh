#!/bin/sh
# The program behind data/sample.perfscript.gz: a shop's nightly job in two steps.
# README beside it tells how it is built and recorded.
set -eu
rm -f shop.db shop.sql.zst
./sqlite3 shop.db <night.sql >report.txt
./sqlite3 shop.db .dump | ./zstd -q -T2 -B1MB -9 -o shop.sql.zst
