#!/bin/bash
# Prints a Makefile: the graph of `generate_headway.sh chains N`. Its folder out/ must be there.
set -euo pipefail
awk -v n="$1" 'BEGIN {
  printf "all:"
  for (i = 0; i < n; i++) printf " out/b_%d", i
  printf "\n.SUFFIXES:\nout/root:\n\t@echo root > $@\n"
  for (i = 0; i < n; i++) {
    printf "out/a_%d: out/root\n\t@read x < $<; echo $$x a_%d > $@\n", i, i
    printf "out/b_%d: out/a_%d\n\t@read x < $<; echo $$x b_%d > $@\n", i, i, i
  }
}'
