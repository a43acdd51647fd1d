// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/relink.h"

#include <fstream>

#include "harness/base/format.h"
#include "harness/os/files.h"

namespace stepbench::bisect {
namespace {

namespace fs = std::filesystem;

// Acts as ld, for gcc and clang. Gaps are marked retained ("R"), against section garbage
// collection. Objects move only among neighbours, so that the search order of archives is
// unchanged. If anything fails, it links with the original arguments.
constexpr const char* kLinker = R"sh(#!/bin/sh
name=${0##*/}
COMPILER_PATH=$STEPBENCH_COMPILER_PATH
export COMPILER_PATH
tool() {
  found=
  [ -z "$COLLECT_GCC" ] || found=$("$COLLECT_GCC" -print-prog-name="$1" 2>/dev/null)
  case $found in /*) echo "$found" ;; *) command -v "$1" ;; esac
}
real=$(tool "$name")
pads=$(mktemp -d) || exec "$real" "$@"
trap 'rm -rf "$pads"' EXIT
as=$(tool as)
for pad in 0 1 2 3 4 5 6 7; do
  awk -v seed="$STEPBENCH_LAYOUT$pad" '
  function gap(section, flags, most) {
    printf ".section %s.gap,\"%sR\"\n.space %d\n", section, flags, 16 + 16 * int(most * rand())
  }
  BEGIN {
    srand(seed)
    for (i = split(".text .text.startup .text.hot .text.unlikely", code); i; --i)
      gap(code[i], "ax", 256)
    gap(".data", "aw", 64); gap(".bss", "aw", 64); gap(".rodata", "a", 64)
    print ".section .note.GNU-stack,\"\""
  }' | "$as" -o "$pads/$pad.o" - || exec "$real" "$@"
done
printf '%s\n' "$@" | sed 's/[\\"'\'' 	]/\\&/g' | awk -v seed="$STEPBENCH_LAYOUT" -v pads="$pads" '
  function flush(i, j, object) {
    for (i = objects; i; --i) {
      j = 1 + int(i * rand()); object = run[j]; run[j] = run[i]
      print pads "/" int(8 * rand()) ".o"; print object
    }
    objects = 0
  }
  function take(word) {
    if (word ~ /\.o$/ && word !~ /(^|\/)[SMgr]*crt[^\/]*\.o$/ && last != "-o") run[++objects] = word
    else { flush(); print word }
    last = word
  }
  BEGIN { srand(seed) }
  /^@/ { file = substr($0, 2); while ((getline line < file) > 0) take(line); close(file); next }
  { take($0) }
  END { flush() }' > "$pads/words"
if [ "$(printf '%s\n' "$@" | wc -l)" -eq $# ] && "$real" "@$pads/words" 2>/dev/null; then exit 0; fi
"$real" "$@"
)sh";

bool is_elf(const fs::path& file) {
  std::string magic(4, '\0');
  std::ifstream in(file, std::ios::binary);
  return in.read(magic.data(), 4) && magic ==
                                         "\x7f"
                                         "ELF";
}

}  // namespace

std::vector<std::string> variables_of_layout(const fs::path& folder, std::size_t number,
                                             const std::string& compiler_path) {
  fs::create_directories(folder);
  for (const char* name : {"ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"}) {
    os::write_output_file("", folder / name, kLinker);
    fs::permissions(folder / name, fs::perms::owner_all);
  }
  return {formatted("COMPILER_PATH={}{}", folder.string(),
                    compiler_path.empty() ? "" : ":" + compiler_path),
          "STEPBENCH_COMPILER_PATH=" + compiler_path, formatted("STEPBENCH_LAYOUT={}", number)};
}

std::vector<fs::path> linked_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error) && is_elf(at->path())) {
      found.push_back(at->path().lexically_relative(folder));
    }
  }
  return found;
}

}  // namespace stepbench::bisect
