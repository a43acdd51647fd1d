// SPDX-License-Identifier: Apache-2.0
#include "harness/base/option_values.h"

#include <random>

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

TEST(OptionValues, Copies_ShareTheFrozenValues) {
  OptionValues base = {{"b", std::int64_t{1}}, {"d", std::int64_t{2}}};
  base.share();
  OptionValues copy = base;
  copy["d"] = std::int64_t{3};
  copy["a"] = true;
  EXPECT_EQ(base.at("d"), Value(std::int64_t{2}));
  EXPECT_EQ(copy.at("d"), Value(std::int64_t{3}));
  EXPECT_EQ(copy.size(), 3U);
  EXPECT_FALSE(base.contains("a"));
  EXPECT_THROW(static_cast<void>(base.at("a")), Error);
}

TEST(OptionValues, SharedOrNot_HaveTheSameContent) {
  OptionValues base = {{"b", std::int64_t{1}}, {"d", std::int64_t{2}}, {"e", true}};
  base.share();
  OptionValues typical = base;
  typical["d"] = std::int64_t{3};
  typical.share();
  OptionValues values = base;
  values["b"] = std::int64_t{7};
  const Fields before(values);
  values.share_with(typical);
  EXPECT_TRUE(values.shares(typical));
  EXPECT_EQ(Fields(values), before);
  values["d"] = std::int64_t{9};
  EXPECT_EQ(typical.at("d"), Value(std::int64_t{3}));
  OptionValues others = {{"b", true}};
  others.share();
  values.share_with(others);
  EXPECT_FALSE(values.shares(others)) << "it has other names";
}

TEST(OptionValues, SharedNames_AreRecognised) {
  OptionValues base = {{"b", std::int64_t{1}}, {"d", std::int64_t{2}}};
  EXPECT_FALSE(base.is_shared());
  base.share();
  OptionValues copy = base;
  copy["d"] = std::int64_t{3};
  EXPECT_TRUE(copy.has_names_of(base));
  copy["e"] = true;
  EXPECT_FALSE(copy.is_shared());
  EXPECT_FALSE(copy.has_names_of(base));
  EXPECT_FALSE(OptionValues().has_names_of(OptionValues())) << "nothing is frozen";
}

TEST(OptionValues, Slot_IsAShortcutToAName) {
  OptionValues base = {{"b", std::int64_t{1}}, {"d", std::int64_t{2}}};
  EXPECT_EQ(base.slot("b"), OptionValues::kNoSlot) << "nothing is frozen";
  base.share();
  OptionValues copy = base;
  copy.change_slot(copy.slot("d")) = std::int64_t{5};
  EXPECT_EQ(copy.at("d"), Value(std::int64_t{5}));
  EXPECT_EQ(copy.in_slot(copy.slot("b")), Value(std::int64_t{1}));
  EXPECT_EQ(base.at("d"), Value(std::int64_t{2}));
  EXPECT_EQ(base.slot("c"), OptionValues::kNoSlot);
}

TEST(OptionValues, RandomChanges_BehaveAsAMap) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    OptionValues values;
    Fields map;
    for (int i = 0; i < 30; ++i) {
      const std::string name(1, static_cast<char>('a' + random() % 12));
      switch (random() % 4) {
        case 0:
          EXPECT_EQ(values.erase(name), map.erase(name));
          break;
        case 1:
          values.share();
          break;
        default:
          values[name] = std::int64_t{i};
          map[name] = std::int64_t{i};
      }
      const auto found = values.find(name);
      ASSERT_EQ(found != values.end(), map.contains(name));
      if (found != values.end()) {
        ASSERT_EQ(found->second, map[name]);
      }
    }
    ASSERT_EQ(Fields(values), map);
    ASSERT_EQ(values, OptionValues(map));
  }
}

}  // namespace
}  // namespace stepbench
