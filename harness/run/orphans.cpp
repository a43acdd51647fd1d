// SPDX-License-Identifier: Apache-2.0
#include "harness/run/orphans.h"

#include <csignal>
#include <optional>
#include <system_error>

#include "harness/machine/process_tree.h"
#include "harness/os/text_file.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;

// The value of the variable in "A=1\0B=2\0".
std::optional<std::string> controller_in(std::string_view environment) {
  while (!environment.empty()) {
    const std::string_view variable = environment.substr(0, environment.find('\0'));
    if (variable.starts_with(kControllerVariable) &&
        variable.substr(kControllerVariable.size()).starts_with('=')) {
      return std::string(variable.substr(kControllerVariable.size() + 1));
    }
    environment.remove_prefix(std::min(variable.size() + 1, environment.size()));
  }
  return std::nullopt;
}

// "pid:[4026531836]"
std::string pid_namespace(const fs::path& process) {
  std::error_code error;
  return fs::read_symlink(process / "ns/pid", error).string();
}

}  // namespace

std::string controller_name(const fs::path& root, pid_t controller) {
  return std::to_string(controller) + "." +
         std::to_string(machine::start_ticks(root, controller).value_or(0));
}

bool lives(const fs::path& root, const std::string& controller) {
  const auto pid = os::parse_integer(controller.substr(0, controller.find('.')));
  return !pid || controller_name(root, static_cast<pid_t>(*pid)) == controller;
}

std::vector<Orphan> find_orphans(const fs::path& root) {
  std::vector<Orphan> orphans;
  const std::string ours = pid_namespace(root / "proc/self");
  std::error_code error;
  for (fs::directory_iterator at{root / "proc", error}, end; !error && at != end;
       at.increment(error)) {
    const auto pid = os::parse_integer(at->path().filename().string());
    const auto environment = pid ? os::read_text(at->path() / "environ") : std::nullopt;
    const auto controller = environment ? controller_in(*environment) : std::nullopt;
    if (!controller || lives(root, *controller)) continue;
    if (pid_namespace(at->path()) != ours) continue;  // the pid means another process there
    orphans.push_back({static_cast<pid_t>(*pid), os::read_line(at->path() / "comm").value_or("")});
  }
  return orphans;
}

std::string end_orphans() {
  std::string names;
  std::int64_t count = 0;
  for (const Orphan& orphan : find_orphans("/")) {
    if (::kill(orphan.pid, SIGKILL) != 0) continue;
    ++count;
    names += (names.empty() ? ": " : ", ") + std::to_string(orphan.pid) + " (" +
             text::printable(orphan.program) + ")";
  }
  if (count == 0) return {};
  return "ended " + text::counted(count, "process") + " that a killed run had left" + names;
}

}  // namespace stepbench::run
