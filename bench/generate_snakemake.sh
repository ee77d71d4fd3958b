#!/bin/bash
# Prints a Snakefile: the graph of `generate_headway.sh chains N`.
set -euo pipefail
cat <<SNAKE
rule all:
    input: expand("out/b_{i}", i=range($1))
rule root:
    output: "out/root"
    shell: "echo root > {output}"
rule a:
    input: "out/root"
    output: "out/a_{i}"
    shell: "read x < {input}; echo \$x a_{wildcards.i} > {output}"
rule b:
    input: "out/a_{i}"
    output: "out/b_{i}"
    shell: "read x < {input}; echo \$x b_{wildcards.i} > {output}"
SNAKE
