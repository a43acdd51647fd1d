// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/page_cache.h"

#include <gmock/gmock.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <fstream>

#include "harness/error.h"

namespace stepbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class PageCacheTest : public testing::Test {
 protected:
  PageCacheTest() {
    std::filesystem::create_directories(folder_ / "class");
    for (const char* name : {"a.bin", "class/b.bin"}) {
      std::ofstream(folder_ / name) << std::string(100'000, 'x');
    }
  }
  ~PageCacheTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] ResolvedCase wanting(const std::string& state) const {
    ResolvedCase resolved;
    resolved.options["data.path"] = folder_.string();
    resolved.options["data.page_cache"] = state;
    return resolved;
  }

  std::filesystem::path folder_ = std::filesystem::path(STEPBENCH_BINARY_DIR) /
                                  ("page_cache_test_" + std::to_string(::getpid()));
};

TEST_F(PageCacheTest, WarmFilesAreResidentAndColdOnesAreNot) {
  struct statfs facts {};
  ASSERT_EQ(::statfs(folder_.c_str(), &facts), 0);
  if (facts.f_type == TMPFS_MAGIC) GTEST_SKIP() << "the build folder lies on tmpfs";
  if (!residency({folder_ / "a.bin"})) GTEST_SKIP() << "the kernel has no cachestat(2)";
  PageCache cold(wanting("cold"));
  cold.prepare();
  EXPECT_EQ(cold.effective(), "cold, 0.0 % resident");
  PageCache warm(wanting("warm"));
  warm.prepare();
  EXPECT_EQ(warm.effective(), "warm, 100.0 % resident");
}

TEST_F(PageCacheTest, OnTmpfsColdIsRefusedByName) {
  const std::filesystem::path file =
      "/dev/shm/stepbench-" + std::to_string(::getpid()) + "-page-cache";
  std::ofstream(file) << "x";
  struct statfs facts {};
  const bool tmpfs = ::statfs(file.c_str(), &facts) == 0 && facts.f_type == TMPFS_MAGIC;
  if (tmpfs) {
    EXPECT_THAT([&] { evict_from_page_cache({file}); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr("data.page_cache"),
                                                 HasSubstr(file.string()), HasSubstr("tmpfs"))));
  }
  std::filesystem::remove(file);
  if (!tmpfs) GTEST_SKIP() << "/dev/shm is no tmpfs here";
}

TEST_F(PageCacheTest, AMissingFileIsNamed) {
  EXPECT_THAT([&] { read_into_page_cache({folder_ / "gone.bin"}); },
              ThrowsMessage<ConfigError>(HasSubstr("gone.bin")));
}

TEST_F(PageCacheTest, WithoutTheOptionNothingIsDone) {
  PageCache none{ResolvedCase{}};
  none.prepare();
  EXPECT_EQ(none.effective(), std::nullopt);
}

}  // namespace
}  // namespace stepbench
