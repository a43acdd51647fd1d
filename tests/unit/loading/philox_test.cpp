// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/random.h"

#include "tests/testing.h"

namespace stepbench {
namespace {

using Block = data::Philox::Block;

// kat_vectors of the authors' Random123 distribution, philox4x32 with 10 rounds.
TEST(Philox, KnownInputs_MatchTheAuthorsAnswers) {
  EXPECT_EQ(data::Philox::rounds({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(data::Philox::rounds({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(data::Philox::rounds({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                 {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeedsAndStreams_Differ) {
  std::set<std::uint64_t> first;
  for (const std::uint64_t seed : {0, 1}) {
    for (const std::uint64_t stream : {0, 1}) {
      for (const std::uint32_t substream : {0, 1})
        first.insert(data::Philox(seed, stream, substream).next64());
    }
  }
  EXPECT_EQ(first.size(), 8U);
}

TEST(Philox, Below_IsUniformAndExclusive) {
  data::Philox random(7, 0);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen.at(static_cast<std::size_t>(random.below(6)));
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
}  // namespace stepbench
