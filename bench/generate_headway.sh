#!/bin/bash
# Prints a pipeline for Headway.
#   generate_headway.sh chains N         a root, N stages that read it, N that read one of those each
#   generate_headway.sh chains-matrix N  the same, as two matrices
#   generate_headway.sh all-to-all N     N producers, and N consumers that each read all of them
set -euo pipefail
kind=$1 n=$2
last=$((n - 1))

case $kind in
  chains)
    cat <<'YAML'
stages:
  root: {uses: shell, outs: {t: t.txt}, with: {run: "echo root > {out.t}"}}
YAML
    awk -v n="$n" 'BEGIN {
      for (i = 0; i < n; i++) {
        printf "  a_%d: {uses: shell, in: {t: root}, outs: {t: t.txt}, with: {run: \"read x < {in.t}; echo $x a_%d > {out.t}\"}}\n", i, i
        printf "  b_%d: {uses: shell, in: {t: a_%d}, outs: {t: t.txt}, with: {run: \"read x < {in.t}; echo $x b_%d > {out.t}\"}}\n", i, i, i
      }
    }'
    ;;
  chains-matrix)
    cat <<YAML
params: {items: [$(seq -s ', ' 0 $last)]}
stages:
  root: {uses: shell, outs: {t: t.txt}, with: {run: "echo root > {out.t}"}}
  a:
    uses: shell
    matrix: {i: "\${items}"}
    in: {t: root}
    outs: {t: t.txt}
    with: {run: "read x < {in.t}; echo \$x a_\${matrix.i} > {out.t}"}
  b:
    uses: shell
    matrix: {i: "\${items}"}
    in: {t: "a@\${matrix.i}"}
    outs: {t: t.txt}
    with: {run: "read x < {in.t}; echo \$x b_\${matrix.i} > {out.t}"}
YAML
    ;;
  all-to-all)
    cat <<YAML
params: {items: [$(seq -s ', ' 0 $last)]}
stages:
  p:
    uses: shell
    matrix: {i: "\${items}"}
    outs: {t: t.txt}
    with: {run: "echo p_\${matrix.i} > {out.t}"}
  c:
    uses: shell
    matrix: {i: "\${items}"}
    in: {t: "p@*"}
    outs: {t: t.txt}
    with: {run: "set -- {in.t}; echo c_\${matrix.i} \$# > {out.t}"}
YAML
    ;;
  *)
    echo "unknown kind: $kind" >&2
    exit 2
    ;;
esac
