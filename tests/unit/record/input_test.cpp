// SPDX-License-Identifier: Apache-2.0
// Result files that would fill the memory are rejected by name.
#include "harness/record/input.h"

#include <libdeflate.h>
#include <unistd.h>

#include <thread>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::record {
namespace {

std::string packed(const std::string& text) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string result(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  result.resize(
      libdeflate_gzip_compress(compressor, text.data(), text.size(), result.data(), result.size()));
  libdeflate_free_compressor(compressor);
  return result;
}

std::string packed_zeros(std::size_t bytes) { return packed(std::string(bytes, '\0')); }

constexpr std::size_t kMebi = std::size_t{1} << 20;

TEST(Input, GzipBomb_IsRejectedAndNamed) {
  const test::TemporaryFolder root;
  root.write("bomb.jsonl.gz", packed_zeros(4 * kMebi));
  EXPECT_THAT([&] { (void)Input::read(root / "bomb.jsonl.gz", {.unpacked_bytes = kMebi}); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("bomb.jsonl.gz: unpacks to more than"), HasSubstr("1.00 MiB"))));
  EXPECT_EQ(Input::read(root / "bomb.jsonl.gz").text().size(), 4 * kMebi);
}

TEST(Input, TwoGzipMembers_CountTogether) {
  const test::TemporaryFolder root;
  const std::string half = packed_zeros(kMebi);
  root.write("two.gz", half + half);
  const InputLimits limits{.unpacked_ratio = 1, .unpacked_bytes = 3 * kMebi / 2};
  EXPECT_THROW((void)Input::read(root / "two.gz", limits), ConfigError);
  EXPECT_EQ(Input::read(root / "two.gz").text().size(), 2 * kMebi);
}

// No content is kept: 4 MiB would be allowed.
TEST(Input, EndlessPackedLine_IsRejectedEarly) {
  const test::TemporaryFolder root;
  root.write("line.jsonl.gz", packed_zeros(4 * kMebi));
  const InputLimits limits{.unpacked_ratio = 1000, .unpacked_bytes = 1024, .line_bytes = kMebi};
  EXPECT_THAT([&] { (void)Input::read(root / "line.jsonl.gz", limits); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("line.jsonl.gz: has a line longer than 1.00 MiB in it")));
}

TEST(Input, ManyShortLines_MayExpandALot) {
  const test::TemporaryFolder root;
  const std::string lines = packed(std::string(kMebi, '\n'));
  root.write("lines.gz", lines + lines);
  const InputLimits limits{.unpacked_ratio = 2000, .unpacked_bytes = 1024, .line_bytes = 16};
  EXPECT_EQ(Input::read(root / "lines.gz", limits).text(), std::string(2 * kMebi, '\n'));
}

TEST(Input, ManyTinyPackedRows_AreRejected) {
  const test::TemporaryFolder root;
  std::string text;
  for (int i = 0; i < 500'001; ++i) text += "{\"kind\":\"x\"}\n";
  root.write("rows.jsonl.gz", packed(text));
  EXPECT_THAT([&] { (void)Input::read(root / "rows.jsonl.gz"); },
              ThrowsMessage<ConfigError>(HasSubstr(
                  "rows.jsonl.gz: has 500,001 lines; the limit for its size is 500,000")));
  root.write("plain.jsonl", text);
  EXPECT_EQ(Input::read(root / "plain.jsonl").text().size(), text.size());
}

TEST(Input, EndlessDevice_IsRejectedAndNamed) {
  EXPECT_THAT([] { (void)Input::read("/dev/zero", {.device_bytes = kMebi}); },
              ThrowsMessage<ConfigError>(HasSubstr("/dev/zero: does not end within 1.00 MiB")));
  EXPECT_EQ(Input::read("/dev/null").text(), "");
}

TEST(Input, EndlessPipe_IsRejectedAndNamed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    const std::string some(4096, 'x');
    for (std::size_t sent = 0; sent < 2 * kMebi; sent += some.size()) {
      if (::write(ends[1], some.data(), some.size()) < 0) break;
    }
    ::close(ends[1]);
  });
  const std::string path = "/proc/self/fd/" + std::to_string(ends[0]);
  EXPECT_THAT([&] { (void)Input::read(path, {.piped_bytes = kMebi}); },
              ThrowsMessage<ConfigError>(HasSubstr("does not end within 1.00 MiB")));
  // The writer must be able to finish.
  std::string rest(kMebi, '\0');
  while (::read(ends[0], rest.data(), rest.size()) > 0) {
  }
  writer.join();
  ::close(ends[0]);
}

}  // namespace
}  // namespace stepbench::record
