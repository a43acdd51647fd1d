// SPDX-License-Identifier: Apache-2.0
#include "harness/run/leftovers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>

#include "harness/machine/process_tree.h"
#include "harness/os/descriptor.h"
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

}  // namespace

std::string pid_namespace(const fs::path& process) {
  std::error_code error;
  return fs::read_symlink(process / "ns/pid", error).string();
}

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

namespace {

constexpr std::string_view kStem = "stepbench-";

constexpr std::string_view kTorchStem = "torch_";

// "stepbench-123-...", "torch_123_...".
std::optional<pid_t> owner_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem)) return std::nullopt;
  name.remove_prefix(stem.size());
  const std::size_t end = name.find(stem.back());
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const auto pid = os::parse_integer(name.substr(0, end));
  if (!pid || *pid <= 0) return std::nullopt;
  return static_cast<pid_t>(*pid);
}

int sweep(const std::filesystem::path& directory, std::string_view stem,
          const std::function<bool(pid_t)>& is_stale) {
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at{directory, error}, end; !error && at != end;
       at.increment(error)) {
    const auto pid = owner_of(at->path().filename().string(), stem);
    std::error_code ignored;
    if (pid && is_stale(*pid) && std::filesystem::remove(at->path(), ignored)) ++removed;
  }
  return removed;
}

bool has_ended(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

std::filesystem::path notes_of(const std::filesystem::path& directory, pid_t controller) {
  return directory / (std::string(kStem) + std::to_string(controller) + "-processes");
}

// Anyone may write to the directory: a pipe of this name would block, another user's file may be of
// any size.
bool is_own_file(const std::filesystem::path& file) {
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

}  // namespace

std::string segment_prefix(pid_t controller) {
  return "/" + std::string{kStem} + std::to_string(controller) + "-";
}

int remove_segments(const std::filesystem::path& directory, pid_t controller) {
  return sweep(directory, kStem, [&](pid_t pid) { return pid == controller; });
}

int remove_segments_of(const std::filesystem::path& directory, const std::set<pid_t>& processes) {
  return sweep(directory, kTorchStem,
               [&](pid_t pid) { return processes.contains(pid) && has_ended(pid); });
}

int remove_stale_segments(const std::filesystem::path& directory) {
  std::set<pid_t> noted;
  (void)sweep(directory, kStem, [&](pid_t controller) {
    const std::filesystem::path notes = notes_of(directory, controller);
    if (!has_ended(controller) || !is_own_file(notes)) return false;
    const std::string text = os::read_text(notes).value_or("");
    const std::vector<std::string_view> words = os::split_words(text);
    // A container may share the directory and not the pids.
    if (words.empty() || words.front() != pid_namespace("/proc/self")) return false;
    for (const std::string_view word : words) {
      if (const auto pid = os::parse_integer(word)) noted.insert(static_cast<pid_t>(*pid));
    }
    return false;
  });
  return remove_segments_of(directory, noted) + sweep(directory, kStem, has_ended);
}

ProcessNotes::ProcessNotes(const std::filesystem::path& directory, pid_t controller)
    : file_(notes_of(directory, controller)) {}

void ProcessNotes::keep(const std::set<pid_t>& processes) {
  if (processes.size() <= noted_) return;
  noted_ = processes.size();
  // O_NONBLOCK: a pipe of this name would block.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const os::Descriptor file(::open(file_.c_str(), kFlags, 0600));
  const std::string text =
      pid_namespace("/proc/self") + "\n" +
      text::join(processes, "\n", [](pid_t each) { return std::to_string(each); });
  // If writing fails, these segments are not swept.
  if (file.is_open()) (void)!::write(file.value(), text.data(), text.size());
}

}  // namespace stepbench::run
