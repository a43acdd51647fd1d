// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/process_tree.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "harness/os/text_file.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  pid_t parent;
};

// "/proc/N/stat" is "N (name) state parent ..."; the name may hold anything, brackets too.
std::vector<Process> all_processes(const fs::path& root) {
  std::vector<Process> processes;
  std::error_code error;
  for (fs::directory_iterator at{root / "proc", error}, end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = read_text(at->path() / "stat");
    if (!stat) continue;
    const std::size_t close = stat->rfind(')');
    if (close == std::string::npos) continue;
    const auto words = split_words(std::string_view{*stat}.substr(close + 1));
    const auto pid = parse_integer(name);
    const auto parent = words.size() > 1 ? parse_integer(words[1]) : std::nullopt;
    if (pid && parent) processes.push_back({static_cast<pid_t>(*pid), static_cast<pid_t>(*parent)});
  }
  return processes;
}

// From /proc/N/task/*/children, which not every kernel has.
std::optional<std::vector<pid_t>> listed_children(const fs::path& root, pid_t parent) {
  std::vector<pid_t> children;
  std::error_code error;
  bool known = false;
  const fs::path tasks = root / "proc" / std::to_string(parent) / "task";
  for (fs::directory_iterator at{tasks, error}, end; !error && at != end; at.increment(error)) {
    const auto text = read_text(at->path() / "children");
    if (!text) continue;
    known = true;
    for (const std::string_view word : split_words(*text)) {
      if (const auto pid = parse_integer(word)) children.push_back(static_cast<pid_t>(*pid));
    }
  }
  return known ? std::optional{std::move(children)} : std::nullopt;
}

std::vector<pid_t> children_among(const std::vector<Process>& processes, pid_t parent) {
  std::vector<pid_t> children;
  for (const Process& process : processes) {
    if (process.parent == parent) children.push_back(process.pid);
  }
  return children;
}

}  // namespace

std::vector<pid_t> children_of(const fs::path& root, pid_t parent) {
  if (auto children = listed_children(root, parent)) return *children;
  return children_among(all_processes(root), parent);
}

std::vector<pid_t> process_tree(const fs::path& root, pid_t top) {
  const bool listed = listed_children(root, top).has_value();
  const std::vector<Process> processes = listed ? std::vector<Process>{} : all_processes(root);
  std::vector<pid_t> tree = {top};
  for (std::size_t index = 0; index < tree.size(); ++index) {
    const auto children = listed ? listed_children(root, tree[index]).value_or(std::vector<pid_t>{})
                                 : children_among(processes, tree[index]);
    for (const pid_t child : children) {
      if (std::find(tree.begin(), tree.end(), child) == tree.end()) tree.push_back(child);
    }
  }
  return tree;
}

}  // namespace stepbench
