#!/bin/sh
# Installs the packages of packages.txt that are missing. Quick and silent where all are there.
#
#   tools/install.sh           install what is missing (as root, or with sudo)
#   tools/install.sh --list    print what is missing and change nothing
set -eu
cd "$(dirname "$0")/.."

# Not a fault of the program that calls this, so no trace: one line, and what to do.
refuse() {
  printf 'frit: %s\n' "$@" >&2
  exit 1
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
  refuse "this is $(uname -s) on $(uname -m); Frit runs on Linux on x86-64."

packages=$(sed 's/#.*//' tools/packages.txt | tr '\n' ' ')
if ! command -v dpkg-query >/dev/null; then
  command -v clang++-19 >/dev/null && exit 0 # prepared by hand
  refuse "this system has no apt. Frit installs itself on Debian 12, Debian 13 and Ubuntu 24.04;" \
    "elsewhere install the counterparts of tools/packages.txt, clang++-19 first, and try again."
fi

# shellcheck disable=SC2086
missing=$({
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' $packages 2>/dev/null || true
} | awk -v all="$packages" '
  $1 == "installed" { have[$2] = 1 }
  END { n = split(all, p, " "); for (i = 1; i <= n; i++) if (!(p[i] in have)) printf "%s ", p[i] }')
[ -n "$missing" ] || exit 0
if [ "${1:-}" = --list ]; then
  printf '%s\n' "$missing"
  exit 0
fi

. /etc/os-release
case "$ID-${VERSION_ID:-}" in
debian-12 | debian-13 | ubuntu-24.04) ;;
*) refuse "${PRETTY_NAME:-this system} is not one Frit was made for (Debian 12, Debian 13, Ubuntu 24.04)." \
  "Missing here: $missing" "Install these by hand and try again." ;;
esac

if [ "$(id -u)" = 0 ]; then
  root=
elif command -v sudo >/dev/null; then
  root=sudo
else
  refuse "these packages are missing, and only root can install them:" "  apt-get install $missing"
fi

printf 'frit: installing %s\n' "$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  # shellcheck disable=SC2086
  $root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
    -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null
}
[ -z "$root" ] || $root -v || refuse "sudo refused; ask an administrator for: apt-get install $missing"
# shellcheck disable=SC2086
if ! { apt update && apt install -y --no-install-recommends $missing; }; then
  tail -n 20 "$log" >&2
  refuse "apt-get failed; its last lines are above." "Missing: $missing"
fi
