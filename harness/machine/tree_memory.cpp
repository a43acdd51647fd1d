// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/tree_memory.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <system_error>

#include "harness/os/text_file.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

std::int64_t kib_field(std::string_view text, std::string_view name) {
  const auto field = find_field(text, name);
  if (!field) return 0;
  const auto words = split_words(*field);
  return words.empty() ? 0 : parse_integer(words.front()).value_or(0) * 1024;
}

fs::path of_process(const fs::path& root, pid_t pid) { return root / "proc" / std::to_string(pid); }

}  // namespace

// "/proc/N/statm" is "size resident shared ..." in pages.
ResidentMemory resident_memory(const fs::path& root, std::span<const pid_t> tree) {
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  ResidentMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = read_text(of_process(root, pid) / "statm").value_or("");
    const auto words = split_words(text);
    if (words.size() < 3) continue;
    const std::int64_t resident = parse_integer(words[1]).value_or(0);
    sum.rss += resident * page_bytes;
    sum.unshared += (resident - parse_integer(words[2]).value_or(0)) * page_bytes;
  }
  return sum;
}

TreeMemory tree_memory(const fs::path& root, std::span<const pid_t> tree) {
  TreeMemory sum;
  for (const pid_t pid : tree) {
    const std::string text = read_text(of_process(root, pid) / "smaps_rollup").value_or("");
    sum.pss += kib_field(text, "Pss");
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

}  // namespace stepbench
