// SPDX-License-Identifier: Apache-2.0
// The tables of data kinds and engines, from which catalogue, rules and loaders are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/base/error.h"
#include "tests/unit/loading/case.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/python_kind.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/make_loader.h"

namespace stepbench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(DataKinds, EachHasANameOfItsOwnAndCanBeOpened) {
  std::set<std::string> names;
  for (const data::DataKind& kind : data::data_kinds()) {
    EXPECT_TRUE(names.insert(kind.variant.name).second) << kind.variant.name;
    EXPECT_NE(kind.input, nullptr) << kind.variant.name;
    EXPECT_EQ(kind.open == nullptr, kind.variant.name == data::kPythonName) << kind.variant.name;
    EXPECT_FALSE(kind.variant.doc.empty()) << kind.variant.name;
  }
}

TEST(DataKinds, PythonsIsRefusedWhereThereIsNoInterpreter) {
  ResolvedCase resolved;
  resolved.options["data.kind"] = std::string(data::kPythonName);
  EXPECT_THAT([&] { (void)data::make_dataset(resolved); },
              ThrowsMessage<ConfigError>(HasSubstr("stepbench-worker alone")));
}

TEST(DataKinds, AMakerMakesTheKindOfItsRow) {
  for (const data::DataKind& kind : data::data_kinds()) {
    if (kind.maker == nullptr) continue;
    EXPECT_EQ(kind.maker->kind, kind.variant.name);
  }
  EXPECT_FALSE(data::makers().empty());
}

TEST(DataKinds, TheSectionOffersThemInTheOrderOfTheTable) {
  const Section section = data::data_section();
  ASSERT_EQ(section.variants.size(), data::data_kinds().size());
  for (std::size_t i = 0; i < data::data_kinds().size(); ++i) {
    EXPECT_EQ(section.variants[i].name, data::data_kinds()[i].variant.name);
    EXPECT_EQ(section.options[0].choices[i], data::data_kinds()[i].variant.name);
  }
}

TEST(DataKinds, SyntheticSamplesAreImagesOnlyWithThreeChannels) {
  const auto input = [](const std::vector<std::pair<std::string, Value>>& changes) {
    const ResolvedCase resolved = test::loader_case(changes);
    return data::data_kind("synthetic").input(resolved);
  };
  EXPECT_EQ(input({}), data::InputKind::kImage);
  EXPECT_EQ(input({{"data.channels", std::int64_t{1}}}), data::InputKind::kVector);
  EXPECT_EQ(input({{"data.features", std::int64_t{64}}}), data::InputKind::kVector);
}

TEST(DataKinds, AnUnknownKindIsAMistakeNotAnImage) {
  EXPECT_THAT([] { (void)data::data_kind("parquet"); },
              ThrowsMessage<ConfigError>(HasSubstr("'parquet' is not a kind of data set")));
}

TEST(Engines, EachHasANameOfItsOwnAndOnlyOneHasNoWorkers) {
  std::set<std::string> names;
  int without_workers = 0;
  for (const loader::Engine& engine : loader::engines()) {
    EXPECT_TRUE(names.insert(engine.variant.name).second) << engine.variant.name;
    without_workers += engine.has_workers ? 0 : 1;
  }
  EXPECT_EQ(without_workers, 1);
}

TEST(Engines, TheSectionOffersThemInTheOrderOfTheTable) {
  const Section section = loader::loader_section();
  ASSERT_EQ(section.variants.size(), loader::engines().size());
  for (std::size_t i = 0; i < loader::engines().size(); ++i) {
    EXPECT_EQ(section.variants[i].name, loader::engines()[i].variant.name);
    EXPECT_EQ(section.options[0].choices[i], loader::engines()[i].variant.name);
  }
}

TEST(Engines, AnUnknownEngineIsAMistake) {
  const ResolvedCase resolved = test::loader_case({{"loader.engine", std::string("warp")}});
  EXPECT_THAT([&] { (void)loader::engine_of(resolved); },
              ThrowsMessage<ConfigError>(HasSubstr("'warp' is not an engine")));
}

TEST(Engines, AnOptionWithoutAMeaningKeepsTheDefaultOfTheSection) {
  const Section section = loader::loader_section();
  const auto default_of = [&](const std::string& name) {
    const auto option = std::ranges::find(section.options, name, &Option::name);
    return option->default_value;
  };
  const loader::LoaderOptions usual;
  EXPECT_EQ(default_of("batch_size"), Value(usual.batch_size));
  EXPECT_EQ(default_of("prefetch_factor"), Value(usual.prefetch_factor));
  EXPECT_EQ(default_of("in_order"), Value(usual.in_order));
  EXPECT_EQ(default_of("threads_per_worker"), Value(usual.threads_per_worker));
  EXPECT_EQ(default_of("affinity"), Value(usual.affinity));
}

}  // namespace
}  // namespace stepbench
