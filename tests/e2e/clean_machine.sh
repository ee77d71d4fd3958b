#!/bin/bash
# Tries a clone of this repository's HEAD on a clean Debian: makes a minimal
# root of the suite, clones into it, and runs the commands there one by one, as
# root, until one fails. For example, from anywhere:
#
#   tests/e2e/clean_machine.sh bookworm './headway test --quick'
#   tests/e2e/clean_machine.sh trixie './headway --help' './headway install-packages cluster' './headway test'
#
# A developer's tool that ctest does not run: it needs root, debootstrap and a
# mirror, several GB of disk and the time of a whole build. The roots stay in
# $ROOTS (/tmp/roots if unset): SUITE.base as bootstrapped, used again by the
# next call, and SUITE, that of the last call, to look into.
set -euo pipefail

if (($# < 2 || EUID != 0)); then
  echo "usage (as root): $0 SUITE COMMAND…" >&2
  exit 2
fi
suite=$1
shift
repository=$(cd -P -- "$(dirname -- "$0")/../.." && pwd)
roots=${ROOTS:-/tmp/roots}
base=$roots/$suite.base
root=$roots/$suite

# The mirror and proxy of this machine: here too, no host is named in a file.
# shellcheck disable=SC2016 # apt expands these
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(COMPONENT) $(SITE)' |
  sed -n 's/^Debian Debian main //p')
mirror=${mirror%%$'\n'*}
eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
export http_proxy=${http_proxy-}

if [[ ! -d $base ]]; then
  mkdir -p "$roots"
  rm -rf "$base.part"
  debootstrap --variant=minbase "$suite" "$base.part" "$mirror"
  mv "$base.part" "$base"
fi
rm -rf "$root"
cp -a "$base" "$root"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
git clone --quiet --no-hardlinks "$repository" "$root/srv/headway"

for command; do
  printf '== %s: %s\n' "$suite" "$command"
  # Namespaces of its own: the mounts and any process left go with the command.
  # shellcheck disable=SC2016 # the inner shells expand these
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 http_proxy="$http_proxy" \
    unshare --mount --pid --fork --kill-child bash -c '
      mount -t proc proc "$1/proc"
      mount --rbind /dev "$1/dev"
      exec chroot "$1" bash -c "cd /srv/headway && $2"' bash "$root" "$command"
done
