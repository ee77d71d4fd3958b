#!/bin/bash
# Prints build.ninja: the graph of `generate_headway.sh chains N`.
set -euo pipefail
cat <<'NINJA'
rule root
  command = echo root > $out
rule next
  command = read x < $in; echo $$x $name > $out
build out/root: root
NINJA
awk -v n="$1" 'BEGIN {
  for (i = 0; i < n; i++) {
    printf "build out/a_%d: next out/root\n  name = a_%d\n", i, i
    printf "build out/b_%d: next out/a_%d\n  name = b_%d\n", i, i, i
  }
}'
