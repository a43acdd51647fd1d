// SPDX-License-Identifier: Apache-2.0
#include "harness/base/named_values.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace stepbench {
namespace {

using Numbers = NamedValues<int>;

TEST(NamedValues, RandomChanges_BehaveAsAMap) {
  std::mt19937 random(3);
  Numbers values;
  Numbers::Map map;
  for (int i = 0; i < 2'000; ++i) {
    const std::string name(1, static_cast<char>('a' + random() % 12));
    switch (random() % 4) {
      case 0:
        ASSERT_EQ(values.erase(name), map.erase(name));
        break;
      case 1:
        values.emplace(name, i);
        map.emplace(name, i);
        break;
      case 2:
        values.insert_or_assign(name, i);
        map.insert_or_assign(name, i);
        break;
      default:
        ASSERT_EQ(values[name], map[name]);
    }
    ASSERT_EQ(values.contains(name), map.contains(name));
    ASSERT_EQ(values, Numbers(map));
    ASSERT_EQ(Numbers::Map(values.begin(), values.end()), map);
  }
}

TEST(NamedValues, Merge_KeepsOwnValues) {
  Numbers values = {{"b", 1}};
  values.merge({{"a", 2}, {"b", 3}});
  EXPECT_EQ(values, (Numbers{{"a", 2}, {"b", 1}}));
}

TEST(NamedValues, UnknownName_IsAnError) {
  const Numbers values = {{"b", 1}};
  EXPECT_EQ(values.at("b"), 1);
  EXPECT_THROW(static_cast<void>(values.at("a")), Error);
  EXPECT_EQ(values.find("a"), values.end());
}

TEST(NamedValues, SharedNames_AreStoredOnce) {
  NamePool pool;
  Numbers a = {{"x", 1}, {"y", 2}};
  Numbers b = {{"x", 3}, {"y", 4}};
  EXPECT_NE(&a.begin()->first, &b.begin()->first);
  a.share_names(pool);
  b.share_names(pool);
  EXPECT_EQ(&a.begin()->first, &b.begin()->first);
  EXPECT_EQ(b, (Numbers{{"x", 3}, {"y", 4}}));
}

TEST(NamedValues, ChangeOfSharedNames_IsNotShared) {
  NamePool pool;
  Numbers a = {{"x", 1}};
  a.share_names(pool);
  Numbers b = a;
  b["y"] = 2;
  EXPECT_EQ(a, (Numbers{{"x", 1}}));
  EXPECT_EQ(b.erase("x"), 1U);
  EXPECT_EQ(a.at("x"), 1);
}

}  // namespace
}  // namespace stepbench
