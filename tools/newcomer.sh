#!/bin/bash
# Runs the README's commands as a new user with an empty home would: on a fresh Debian, made in a folder
# with debootstrap, from what is committed. Needs root and debootstrap.
#
#   tools/newcomer.sh [bookworm] [trixie]        both where none is named
#
# The fresh system gets this machine's settings of apt and pip (mirror, proxies, certificates), copied as
# they are at that moment.
#   NEWCOMER_DIR=/var/tmp/frit-newcomer   where the systems are made; 6 GB each
#   COMMANDS="make demo"                  instead of the README's, one a line
#   KEEP=1                                leave the systems there, and use one that was left
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
root=${NEWCOMER_DIR:-/var/tmp/frit-newcomer}

refuse() {
  printf 'newcomer: %s\n' "$@" >&2
  exit 1
}
[[ $(id -u) == 0 ]] || refuse 'needs root, to make a system in a folder: sudo make newcomer'
command -v debootstrap >/dev/null || refuse 'needs debootstrap: apt-get install debootstrap'

if [[ ${INSIDE:-} != 1 ]]; then
  # Mounts of its own, which end with it however it ends.
  exec env INSIDE=1 unshare --mount --pid --fork --kill-child --propagation private "$0" "$@"
fi

# The commands of the README's first block.
commands=${COMMANDS:-$(awk '/^```/ { if (inside) exit; inside = 1; next } inside' README.md)}
[[ -n $commands ]] || refuse 'the README has no commands'

# Debian's own archive as this machine's apt knows it.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 2>/dev/null | grep . | head -n 1 ||
    sed -n 's/^URIs: *\([^ ]*\/debian\/\?\)$/\1/p; s/^deb [^h]*\(http[^ ]*\/debian\/\?\) .*/\1/p' \
      /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1
}

copy() { # copies a file or folder to the same place in the system, if it is there
  [[ -e $1 ]] || return 0
  mkdir -p "$system$(dirname "$1")"
  cp -aL "$1" "$system$(dirname "$1")/"
}

make_system() {
  local suite=$1 from
  from=$(mirror)
  [[ -n $from ]] || refuse "this machine's apt names no Debian archive (try apt-get update)"
  echo "newcomer: making a fresh $suite"
  mkdir -p "$system"
  debootstrap --variant=minbase --include=ca-certificates,sudo,make "$suite" "$system" "$from" \
    >"$system.log" 2>&1 || {
    tail -n 5 "$system.log" >&2
    refuse "debootstrap failed; all of its output is in $system.log"
  }
  {
    echo "deb $from $suite main"
    echo "deb $from $suite-updates main"
  } >"$system/etc/apt/sources.list"
  copy /etc/apt/apt.conf
  copy /etc/apt/apt.conf.d
  copy /etc/apt/auth.conf.d
  copy /etc/pip.conf
  copy /etc/ssl/certs/ca-certificates.crt
  copy /usr/local/share/ca-certificates
  # Package caches are for those who install once.
  rm -f "$system/etc/apt/apt.conf.d/"*autoremove*
  chroot "$system" useradd --create-home --skel /nonexistent --shell /bin/bash newcomer 2>/dev/null ||
    chroot "$system" useradd --create-home --shell /bin/bash newcomer
  echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$system/etc/sudoers.d/newcomer"
  chmod 0440 "$system/etc/sudoers.d/newcomer"
  touch "$system/made"
}

run_system() {
  local suite=$1 home=$system/home/newcomer
  copy /etc/resolv.conf
  copy /etc/hosts
  mount -t proc proc "$system/proc"
  mount --rbind /sys "$system/sys"
  mount --rbind /dev "$system/dev"
  rm -rf "$home"
  mkdir "$home"
  mkdir "$home/frit"
  git -C "$project" archive HEAD | tar -x -C "$home/frit"
  chroot "$system" chown -R newcomer:newcomer /home/newcomer
  # The settings of the network that this machine keeps in the environment; nothing else of it.
  local keep=()
  while IFS= read -r -d '' entry; do
    case ${entry%%=*} in
    *_proxy | *_PROXY | PIP_*) keep+=("$entry") ;;
    esac
  done < <(env -0)
  local line
  while IFS= read -r line; do
    [[ -n $line ]] || continue
    echo "newcomer: $suite \$ $line"
    local began=$SECONDS
    chroot "$system" setpriv --reuid newcomer --regid newcomer --init-groups env -i "${keep[@]}" \
      HOME=/home/newcomer USER=newcomer LOGNAME=newcomer LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin \
      bash -c "cd ~/frit && $line" </dev/null || refuse "$suite: '$line' failed"
    echo "newcomer: $suite: '$line' took $((SECONDS - began)) s"
  done <<<"$commands"
}

(($#)) || set -- bookworm trixie
for suite in "$@"; do
  system=$root/$suite
  if [[ ! -e $system/made ]]; then
    rm -rf "$system"
    make_system "$suite"
  fi
  run_system "$suite"
  umount --lazy "$system/dev" "$system/sys" "$system/proc"
  [[ ${KEEP:-} == 1 ]] || rm -rf --one-file-system "$system" "$system.log"
done
printf 'newcomer: every command passed on %s\n' "$*"
