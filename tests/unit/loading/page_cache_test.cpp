// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_kinds.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/formats.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/internal/formats/token_bin.h"
#include "workloads/data/internal/mapped_file.h"

namespace stepbench {
namespace {

bool is_tmpfs(const fs::path& path) {
  struct statfs facts {};
  return ::statfs(path.c_str(), &facts) == 0 && facts.f_type == TMPFS_MAGIC;
}

class PageCacheTest : public testing::Test {
 protected:
  PageCacheTest() {
    fs::create_directories(folder_ / "class");
    for (const char* name : {"a.bin", "class/b.bin"}) {
      std::ofstream(folder_ / name) << std::string(100'000, 'x');
    }
  }
  ~PageCacheTest() override { fs::remove_all(folder_); }

  [[nodiscard]] ResolvedCase wanting(const std::string& state) const {
    ResolvedCase resolved;
    resolved.options["data.path"] = folder_.string();
    resolved.options["data.page_cache"] = state;
    return resolved;
  }

  fs::path folder_ =
      fs::path(STEPBENCH_BINARY_DIR) / ("page_cache_test_" + std::to_string(::getpid()));
};

TEST_F(PageCacheTest, Warm_IsResidentAndColdIsNot) {
  if (is_tmpfs(folder_)) GTEST_SKIP() << "the build folder lies on tmpfs";
  if (!data::residency({folder_ / "a.bin"})) GTEST_SKIP() << "the kernel has no cachestat(2)";
  const test::IndexDataset data(1);
  data::PageCache cold(wanting("cold"));
  cold.prepare(data);
  EXPECT_EQ(cold.effective(), "cold, 0.0 % resident");
  data::PageCache warm(wanting("warm"));
  warm.prepare(data);
  EXPECT_EQ(warm.effective(), "warm, 100.0 % resident");
}

// Uses mincore(2), which the code under test uses only if cachestat(2) is missing.
std::size_t resident_pages(const fs::path& file) {
  const data::MappedFile mapped(file.string());
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((mapped.bytes().size() + page - 1) / page);
  void* const memory = const_cast<std::byte*>(mapped.bytes().data());  // NOLINT: its signature
  EXPECT_EQ(::mincore(memory, mapped.bytes().size(), pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count(pages, 1));
}

TEST_F(PageCacheTest, MappedFiles_BecomeColdAndReadable) {
  if (is_tmpfs(folder_)) GTEST_SKIP() << "the build folder lies on tmpfs";
  const fs::path file = folder_ / "a.bin";
  const auto tokens = std::make_unique<data::TokenBin>(
      data::TokenBinOptions{.path = file, .sequence_length = 64, .vocabulary = 65536});
  std::vector<std::int64_t> window;
  const auto read_all = [&] {
    for (std::int64_t i = 0; i < tokens->size(); ++i) {
      window = test::numbers<std::int64_t>(test::sample(*tokens, {.index = i}).at(0));
    }
  };
  read_all();
  EXPECT_EQ(resident_pages(file), 25U);
  data::evict_from_page_cache({file});
  EXPECT_EQ(resident_pages(file), 25U) << "the kernel forgets mapped pages: nothing is left to do";
  ResolvedCase resolved = wanting("cold");
  resolved.options["data.path"] = file.string();
  data::PageCache cold(resolved);
  cold.prepare(*tokens);
  EXPECT_EQ(resident_pages(file), 0U);
  EXPECT_EQ(cold.effective(), "cold, 0.0 % resident");
  read_all();
  EXPECT_EQ(window[0], 0x7878) << "'xx'";
}

TEST_F(PageCacheTest, ForeignMapping_IsReportedAsWarm) {
  if (is_tmpfs(folder_)) GTEST_SKIP() << "the build folder lies on tmpfs";
  const fs::path file = folder_ / "a.bin";
  const data::MappedFile held(file.string());  // not the data set's
  std::size_t sum = 0;
  for (const std::byte byte : held.bytes()) sum += static_cast<std::size_t>(byte);
  EXPECT_EQ(sum, 100'000U * 'x');
  ResolvedCase resolved = wanting("cold");
  resolved.options["data.path"] = file.string();
  data::PageCache cold(resolved);
  cold.prepare(test::IndexDataset(1));
  ASSERT_TRUE(cold.effective().has_value());
  EXPECT_THAT(*cold.effective(),
              HasSubstr("cold, 100.0 % resident: another process, as a worker that stays"));
}

TEST_F(PageCacheTest, ColdOnTmpfs_IsRejected) {
  const fs::path file = "/dev/shm/stepbench-" + std::to_string(::getpid()) + "-page-cache";
  std::ofstream(file) << "x";
  const bool tmpfs = is_tmpfs(file);
  if (tmpfs) {
    EXPECT_THAT([&] { data::evict_from_page_cache({file}); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr("data.page_cache"),
                                                 HasSubstr(file.string()), HasSubstr("tmpfs"))));
  }
  fs::remove(file);
  if (!tmpfs) GTEST_SKIP() << "/dev/shm is no tmpfs here";
}

TEST_F(PageCacheTest, MissingFile_IsNamed) {
  EXPECT_THAT([&] { data::read_into_page_cache({folder_ / "gone.bin"}); },
              ThrowsMessage<ConfigError>(HasSubstr("gone.bin")));
}

TEST_F(PageCacheTest, NoOption_DoesNothing) {
  data::PageCache none{ResolvedCase{}};
  none.prepare(test::IndexDataset(1));
  EXPECT_EQ(none.effective(), std::nullopt);
}

}  // namespace
}  // namespace stepbench
