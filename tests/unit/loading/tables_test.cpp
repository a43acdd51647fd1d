// SPDX-License-Identifier: Apache-2.0
// The tables of data kinds and engines, which define catalogue, rules and loaders.
#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/python_parts.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/make_loader.h"

namespace stepbench {
namespace {

TEST(DataKinds, NoInterpreter_RejectsPython) {
  ResolvedCase resolved;
  resolved.options["data.kind"] = std::string(data::kPythonName);
  EXPECT_THAT([&] { (void)data::make_dataset(resolved); },
              ThrowsMessage<ConfigError>(HasSubstr("read only by stepbench-worker")));
}

TEST(DataKinds, ThreeChannels_AreImages) {
  const auto input = [](const std::vector<std::pair<std::string, Value>>& changes) {
    const ResolvedCase resolved = test::loader_case(changes);
    return data::data_kind("synthetic").input(resolved);
  };
  EXPECT_EQ(input({}), data::InputKind::kImage);
  EXPECT_EQ(input({{"data.channels", std::int64_t{1}}}), data::InputKind::kVector);
  EXPECT_EQ(input({{"data.features", std::int64_t{64}}}), data::InputKind::kVector);
}

TEST(DataKinds, UnknownKind_IsAnError) {
  EXPECT_THAT([] { (void)data::data_kind("parquet"); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown data kind 'parquet'")));
}

TEST(Engines, UnknownEngine_IsAnError) {
  const ResolvedCase resolved = test::loader_case({{"loader.engine", std::string("warp")}});
  EXPECT_THAT([&] { (void)loader::engine_of(resolved); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown loader engine 'warp'")));
}

TEST(Engines, UnusedOption_KeepsItsDefault) {
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
