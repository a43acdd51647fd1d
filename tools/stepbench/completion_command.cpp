// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>

#include "harness/base/exit_status.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

// bash also splits words at '=' and ':'. The script rejoins the pieces by the text between them on
// the line, and may only return what follows the last such character.
constexpr const char* kBash = R"sh(# bash completion of stepbench
_stepbench() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word i candidate current before
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 0)) && [[ $line != [[:blank:]]* ]]; then
      ((i == COMP_CWORD)) && word=$line
      words[${#words[@]}-1]+=$word
    else
      line=${line#"${line%%[![:blank:]]*}"}
      ((i == COMP_CWORD)) && word=$line
      words+=("$word")
    fi
    line=${line#"$word"}
  done
  current=${words[${#words[@]}-1]}
  before=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    [[ $candidate == *[=/] ]] && compopt -o nospace
    candidate=${candidate#"$before"}
    COMPREPLY+=("$(printf %q "$candidate")")
  done < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _stepbench stepbench
)sh";

constexpr const char* kZsh = R"sh(#compdef stepbench
_stepbench() {
  local line word
  local -a open open_texts closed closed_texts
  for line in "${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    if [[ $word == *[=/] ]]; then
      open+=("$word"); open_texts+=("${line/$'\t'/  -- }")
    else
      closed+=("$word"); closed_texts+=("${line/$'\t'/  -- }")
    fi
  done
  ((${#open})) && compadd -S '' -l -d open_texts -a open
  ((${#closed})) && compadd -l -d closed_texts -a closed
}
if [[ ${funcstack[1]} == _stepbench ]]; then
  _stepbench "$@"
else
  compdef _stepbench stepbench
fi
)sh";

constexpr const char* kFish = R"sh(# fish completion of stepbench
function __stepbench_candidates
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    $program __complete $words (commandline -ct) 2>/dev/null
end
complete -c stepbench -f -a '(__stepbench_candidates)'
)sh";

const char* script_for(const std::string& shell) {
  if (shell == "bash") return kBash;
  return shell == "zsh" ? kZsh : kFish;
}

int print_script(const std::string& shell, const Environment& environment) {
  environment.out << script_for(shell);
  return kExitOk;
}

}  // namespace

void add_completion(Command& command) {
  std::string& shell = command.calls(print_script);
  command.argument("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
}

}  // namespace stepbench::cli
