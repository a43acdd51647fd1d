// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batches.h"

#include <charconv>

#include "tests/testing.h"

namespace stepbench {
namespace {

// The line "VmFlags:" of the mapping that holds `address`.
std::string flags_of(const std::byte* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto [dash, error] = std::from_chars(line.data(), last, begin, 16);
    if (error == std::errc() && dash != last && *dash == '-') {
      (void)std::from_chars(dash + 1, last, end, 16);
      inside = begin <= wanted && wanted < end;
    }
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return {};
}

Batch batch_of(std::int64_t bytes, bool reuse) {
  const loader::BatchMemory memory({{.name = "x", .shape = {bytes}, .dtype = DType::kUInt8}}, 1,
                                   reuse);
  return memory.take(1);
}

TEST(BatchMemory, LargeBatches_AskForHugePages) {
  if (!fs::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "this kernel has no transparent huge pages";
  }
  for (const bool reuse : {false, true}) {
    const Batch large = batch_of(40 << 20, reuse);
    EXPECT_NE(flags_of(large.fields[0].data + (20 << 20)).find(" hg "), std::string::npos);
    const Batch small = batch_of(64 << 10, reuse);
    EXPECT_EQ(flags_of(small.fields[0].data).find(" hg "), std::string::npos);
  }
}

TEST(BatchMemory, Fields_BeginAtCacheLines) {
  for (const std::int64_t bytes : {1, 4'000, 5'000'001}) {
    const Batch batch = batch_of(bytes, false);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.fields[0].data) % 64, 0U) << bytes;
  }
}

}  // namespace
}  // namespace stepbench
