// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/process_tree.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "harness/os/text_file.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t pid;
  pid_t parent;
};

// Returns the words after the name in "/proc/N/stat", "N (name) state parent ..."; the name may
// contain any character, including brackets. Empty if the process does not exist.
std::vector<std::string> words_of_stat(const fs::path& folder) {
  const auto stat = os::read_text(folder / "stat");
  const std::size_t close = stat ? stat->rfind(')') : std::string::npos;
  if (close == std::string::npos) return {};
  const auto words = os::split_words(std::string_view{*stat}.substr(close + 1));
  return {words.begin(), words.end()};
}

std::vector<Process> all_processes(const fs::path& root) {
  std::vector<Process> processes;
  std::error_code error;
  for (fs::directory_iterator at{root / "proc", error}, end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::vector<std::string> words = words_of_stat(at->path());
    const auto pid = os::parse_integer(name);
    const auto parent = words.size() > 1 ? os::parse_integer(words[1]) : std::nullopt;
    if (pid && parent) processes.push_back({static_cast<pid_t>(*pid), static_cast<pid_t>(*parent)});
  }
  return processes;
}

// Reads /proc/N/task/*/children, which not every kernel has.
std::optional<std::vector<pid_t>> listed_children(const fs::path& root, pid_t parent) {
  std::vector<pid_t> children;
  std::error_code error;
  bool known = false;
  const fs::path tasks = root / "proc" / std::to_string(parent) / "task";
  for (fs::directory_iterator at{tasks, error}, end; !error && at != end; at.increment(error)) {
    const auto text = os::read_text(at->path() / "children");
    if (!text) continue;
    known = true;
    for (const std::string_view word : os::split_words(*text)) {
      if (const auto pid = os::parse_integer(word)) children.push_back(static_cast<pid_t>(*pid));
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

std::int64_t kib_field(std::string_view text, std::string_view name) {
  const auto field = os::find_field(text, name);
  if (!field) return 0;
  const auto words = os::split_words(*field);
  return words.empty() ? 0 : os::parse_integer(words.front()).value_or(0) * 1024;
}

fs::path of_process(const fs::path& root, pid_t pid) { return root / "proc" / std::to_string(pid); }

// True for worker processes that torch.compile starts.
bool compiles(const fs::path& root, pid_t pid) {
  const auto command = os::read_text(of_process(root, pid) / "cmdline");
  return command && command->find("compile_worker") != std::string::npos;
}

}  // namespace

std::optional<std::int64_t> start_ticks(const fs::path& root, pid_t pid) {
  constexpr std::size_t kStartTime = 19;  // proc(5): field 22, after removing the first two
  const std::vector<std::string> words = words_of_stat(of_process(root, pid));
  const bool lives = words.size() > kStartTime && words.front() != "Z";
  return lives ? os::parse_integer(words[kStartTime]) : std::nullopt;
}

bool catches(pid_t pid, int signal) {
  const std::string text = os::read_text(of_process("/", pid) / "status").value_or("");
  const std::string mask(os::find_field(text, "SigCgt").value_or(""));
  std::uint64_t caught = 0;
  const std::size_t begin = std::min(mask.find_first_not_of(" \t"), mask.size());
  std::from_chars(mask.data() + begin, mask.data() + mask.size(), caught, 16);
  return (caught >> static_cast<unsigned>(signal - 1) & 1U) != 0;
}

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

// "/proc/N/statm" is "size resident shared ..." in pages.
ResidentMemory resident_memory(const fs::path& root, std::span<const pid_t> tree) {
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  ResidentMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = os::read_text(of_process(root, pid) / "statm").value_or("");
    const auto words = os::split_words(text);
    if (words.size() < 3) continue;
    const std::int64_t resident = os::parse_integer(words[1]).value_or(0);
    sum.rss += resident * page_bytes;
    sum.unshared += (resident - os::parse_integer(words[2]).value_or(0)) * page_bytes;
  }
  return sum;
}

std::int64_t mapped_shared_memory(const fs::path& root, pid_t pid) {
  return kib_field(os::read_text(of_process(root, pid) / "status").value_or(""), "RssShmem");
}

TreeMemory tree_memory(const fs::path& root, std::span<const pid_t> tree) {
  TreeMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = os::read_text(of_process(root, pid) / "smaps_rollup").value_or("");
    const std::int64_t pss = kib_field(text, "Pss");
    sum.pss += pss;
    if (compiles(root, pid)) sum.compilers += pss;
    sum.uss += kib_field(text, "Private_Clean") + kib_field(text, "Private_Dirty");
    sum.shared += kib_field(text, "Pss_Shmem");
  }
  return sum;
}

std::int64_t open_descriptors(const fs::path& root, std::span<const pid_t> tree) {
  std::int64_t count = 0;
  for (const pid_t pid : tree) {
    std::error_code error;
    const fs::directory_iterator entries(of_process(root, pid) / "fd", error);
    if (!error) count += std::distance(begin(entries), end(entries));
  }
  return count;
}

std::optional<std::int64_t> dev_shm_used_bytes(const fs::path& root) {
  struct statvfs facts {};
  if (::statvfs((root / "dev/shm").c_str(), &facts) != 0) return std::nullopt;
  return static_cast<std::int64_t>((facts.f_blocks - facts.f_bfree) * facts.f_frsize);
}

}  // namespace stepbench::machine
