# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts beside it; sourced, with `set -euo pipefail` already on.
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
tool=${0##*/}

say() { printf '%s: %s\n' "$tool" "$*"; }
die() {
  local status=$1
  shift
  printf '%s: %s\n' "$tool" "$@" >&2
  exit "$status"
}

# The comment block on top of a script is its --help.
print_help() { sed -n '/^# SPDX/d; 2,/^[^#]/ { s/^# \{0,1\}//p }' "$0"; }

parallel() { echo "${STEPBENCH_JOBS:-$(nproc)}"; }

# Prints the libtorch to build against when the user names one by STEPBENCH_TORCH or CMAKE_PREFIX_PATH; else nothing.
chosen_torch() {
  if [[ -n ${STEPBENCH_TORCH:-} ]]; then
    realpath -m -- "$STEPBENCH_TORCH"
    return
  fi
  local entry
  local IFS=':;'
  for entry in ${CMAKE_PREFIX_PATH:-}; do
    entry=${entry%/}
    if [[ -f $entry/Torch/TorchConfig.cmake ]]; then
      realpath -- "$entry/../.."
      return
    elif [[ -f $entry/share/cmake/Torch/TorchConfig.cmake ]]; then
      realpath -- "$entry"
      return
    fi
  done
}

# Fails with advice unless $1 is the folder of a torch installation.
check_torch() {
  [[ -f $1/share/cmake/Torch/TorchConfig.cmake ]] && return
  local advice="expected a folder that holds share/cmake/Torch/TorchConfig.cmake"
  if [[ -f $1/torch/share/cmake/Torch/TorchConfig.cmake ]]; then
    advice="did you mean $1/torch?"
  elif [[ ! -d $1 ]]; then
    advice="there is no such folder; leave STEPBENCH_TORCH unset to have torch installed into .venv"
  fi
  die 2 "$1 is no torch installation: $advice"
}

torch_version() {
  local version
  if [[ -f $1/version.py ]]; then
    version=$(sed -n "s/^__version__ = '\(.*\)'$/\1/p" "$1/version.py")
  elif [[ -f $1/build-version ]]; then
    version=$(<"$1/build-version")
  fi
  echo "${version:-of unknown version}"
}

venv_torch() {
  local candidate
  for candidate in "$root"/.venv/lib/python3*/site-packages/torch; do
    [[ -f $candidate/share/cmake/Torch/TorchConfig.cmake ]] && echo "$candidate" && return
  done
  return 1
}

# The build folder of preset ci: one per torch, since CMake keeps what it found.
ci_build_dir() {
  local torch
  torch=$(chosen_torch)
  if [[ -z $torch ]]; then
    echo "$root/build/ci"
  else
    echo "$root/build/ci-$(torch_version "$torch" | tr -c 'A-Za-z0-9.\n' _)-$(cksum <<<"$torch" | cut -c1-6)"
  fi
}

# configure DIR PRESET [-DNAME=VALUE...]: only when DIR is not configured like this yet; Ninja sees to later changes.
configure() {
  local dir=$1 preset=$2
  shift 2
  local wanted="$preset $* ${CXX:-}"
  if [[ -f $dir/build.ninja && -f $dir/configured && $(<"$dir/configured") == "$wanted" ]]; then return; fi
  mkdir -p "$dir"
  say "configuring $preset in ${dir#"$root"/}"
  rm -f "$dir/configured"
  (cd "$root" && cmake --preset "$preset" -B "$dir" "$@" >"$dir/configure.log" 2>&1) || {
    cat "$dir/configure.log" >&2
    die 2 "CMake could not configure preset $preset; its messages are above"
  }
  sed -n '/^-- stepbench /,/^-- Configuring/ { /Configuring/d; s/^-- //p }' "$dir/configure.log"
  echo "$wanted" >"$dir/configured"
}

# Reads ninja's output and says how far it is: on a terminal in one line, written anew every second; otherwise a line
# at every tenth part and whenever 30 s have passed since the last one.
show_progress() {
  local line part="" status begin=$SECONDS last=$SECONDS done=0 total=0 tenth=0 elapsed
  while status=0; IFS= read -r -t 1 part || status=$?; [[ $status == 0 || $status -gt 128 ]]; do
    line+=$part
    if [[ $status == 0 ]]; then
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}; fi
      line=""
    fi
    [[ $total -gt 0 ]] || continue
    elapsed=$((SECONDS - begin))
    if [[ -t 1 ]]; then
      printf '\r%s: %d/%d built, %d:%02d ' "$tool" "$done" "$total" $((elapsed / 60)) $((elapsed % 60))
    elif [[ $((SECONDS - last)) -ge 30 || $((SECONDS - last)) -ge 2 && $((done * 10 / total)) -gt $tenth ]]; then
      say "$done/$total built, $elapsed s"
      last=$SECONDS tenth=$((done * 10 / total))
    fi
  done
  if [[ -t 1 && $total -gt 0 ]]; then printf '\r\033[K'; fi
}

# build DIR TARGET...: progress while it builds, and a failing compiler's words.
build() {
  local dir=$1
  shift
  local log=$dir/build.log
  if ninja -C "$dir" -n "$@" 2>/dev/null | grep -q 'no work to do'; then return; fi
  say "building in ${dir#"$root"/} (log: ${log#"$root"/})"
  local begin=$SECONDS
  # ninja's own status format: the caller's NINJA_STATUS would hide the numbers.
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$dir" -j "$(parallel)" "$@" 2>&1 | tee "$log" | show_progress; then
    grep -A 40 -m 1 -E '^FAILED:' "$log" >&2 || tail -n 40 "$log" >&2
    die 2 "the build failed; the whole log is ${log#"$root"/}"
  fi
  say "built in $((SECONDS - begin)) s"
}
