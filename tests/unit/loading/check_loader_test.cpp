// SPDX-License-Identifier: Apache-2.0
// Rules of the sections data and loader: their changes, errors, and points skipped in a sweep.
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/loader/loader_section.h"

namespace stepbench {
namespace {

using test::OptionList;
using test::Said;
using test::said_by;

const RuleFacts kAlone{.cores = 4};
const RuleFacts kSwept{.swept = true, .cores = 4};

Said loader_rule(const std::string& engine, std::int64_t workers, OptionList changes = {},
                 const RuleFacts& context = kAlone) {
  changes.insert(changes.begin(), {{"loader.num_workers", workers}, {"loader.engine", engine}});
  return said_by(loader::check_loader, changes, context);
}

Said sampler_rule(const OptionList& changes, bool swept = false) {
  return said_by(loader::check_sampler, changes, {.swept = swept});
}

// The same rule is an error for a single case and skips a point of a sweep.
template <typename Of>
void expect_refused(const Of& of, const std::string& error, const std::string& skip) {
  EXPECT_THAT(of(kAlone).errors, ElementsAre(HasSubstr(error)));
  EXPECT_THAT(of(kSwept).errors, IsEmpty());
  EXPECT_THAT(of(kSwept).skips, ElementsAre(HasSubstr(skip)));
}

TEST(LoaderRules, NoWorkers_MakeEachEngineInline) {
  for (const char* engine : {"thread", "fork"}) {
    const Said said = loader_rule(engine, 0, {}, kSwept);
    EXPECT_EQ(said.resolved.text("loader.engine"), "inline");
    for (const char* option : {"loader.prefetch_factor", "loader.persistent_workers",
                               "loader.timeout_s", "loader.in_order", "loader.transport"}) {
      EXPECT_FALSE(said.resolved.has(option)) << option;
    }
    EXPECT_TRUE(said.resolved.has("loader.buffers"));
    EXPECT_THAT(said.errors, IsEmpty());
  }
  expect_refused([](const RuleFacts& context) { return loader_rule("inline", 2, {}, context); },
                 "loader.engine: engine inline has no workers", "num_workers is 2");
}

TEST(LoaderRules, ImpossibleLengths_AreRejected) {
  const auto lengths = [](std::int64_t shortest, std::int64_t longest, std::int64_t multiple) {
    return [=](const RuleFacts& context) {
      return said_by(data::check_lengths,
                     {{"data.kind", "synthetic_tokens"},
                      {"data.lengths", "uniform"},
                      {"data.min_length", shortest},
                      {"data.sequence_length", longest},
                      {"data.pad_to_multiple_of", multiple}},
                     context);
    };
  };
  EXPECT_THAT(lengths(64, 64, 8)(kAlone).errors, IsEmpty());
  expect_refused(lengths(65, 64, 1), "data.min_length: min_length 65 is more", "min_length 65");
  expect_refused(lengths(1, 60, 8), "data.pad_to_multiple_of: sequence_length 60", "60");
}

TEST(LoaderRules, Stacks_NeedEnginePython) {
  ResolvedCase without_loader;
  without_loader.options["profile.stacks"] = true;
  EXPECT_THAT(said_by(loader::check_stacks, without_loader, kSwept).errors,
              ElementsAre(HasSubstr("loader.engine: python alone")));
  for (const char* engine : {"thread", "python"}) {
    const bool python = std::string_view(engine) == "python";
    const Said of =
        said_by(loader::check_stacks,
                OptionList{{"loader.engine", engine}, {"profile.stacks", true}}, kSwept);
    EXPECT_THAT(of.errors, IsEmpty());
    EXPECT_EQ(of.resolved.has("profile.stacks"), python) << "left out of other engines in a sweep";
  }
}

TEST(LoaderRules, Iterable_KeepsItsWorkers) {
  for (const std::int64_t workers : {0, 2}) {
    const Said said = loader_rule("iterable", workers, {{"data.kind", "python"}}, kSwept);
    EXPECT_THAT(said.errors, IsEmpty());
    EXPECT_THAT(said.skips, IsEmpty());
    EXPECT_EQ(said.resolved.text("loader.epochs"), "separate");
    EXPECT_EQ(said.resolved.text("loader.engine"), "iterable");
    EXPECT_EQ(said.resolved.integer("loader.num_workers"), workers);
    EXPECT_FALSE(said.resolved.has("loader.affinity"));
  }
}

TEST(LoaderRules, IterableWithOtherOptions_IsAnError) {
  for (const auto& [option, value] :
       {std::pair{"loader.epochs", "joined"}, std::pair{"loader.affinity", "spread"},
        std::pair{"loader.buffers", "reused"}, std::pair{"transfer.placement", "upstream"}}) {
    const std::int64_t workers = std::string_view(option) == "loader.affinity" ? 2 : 0;
    const OptionList changes = {{"data.kind", "python"},
                                {"loader.epochs", "separate"},
                                {"loader.affinity", Value{}},
                                {option, value}};
    EXPECT_THAT(loader_rule("iterable", workers, changes).errors, ElementsAre(HasSubstr(option)));
  }
  EXPECT_THAT(loader_rule("iterable", 2).errors,
              ElementsAre(HasSubstr("takes its batches from loader()")));
}

TEST(LoaderRules, TorchLoader_IgnoresThreadOptions) {
  OptionList changes = {{"loader.epochs", "separate"}, {"loader.persistent_workers", true}};
  const Said said = loader_rule("torch_cpp", 2, changes);
  EXPECT_FALSE(said.resolved.has("loader.persistent_workers")) << "its threads always persist";
  EXPECT_FALSE(said.resolved.has("loader.threads_per_worker"));
  EXPECT_TRUE(said.resolved.has("loader.timeout_s"));
  EXPECT_THAT(said.errors, IsEmpty());
  changes.emplace_back("loader.threads_per_worker", std::int64_t{4});
  EXPECT_THAT(loader_rule("torch_cpp", 2, changes).errors,
              ElementsAre(HasSubstr("does not cap the threads of its workers")));
}

TEST(LoaderRules, JoinedEpochs_KeepTheirWorkers) {
  const Said unasked = loader_rule("thread", 2);
  EXPECT_EQ(unasked.resolved.text("loader.epochs"), "joined");
  EXPECT_FALSE(unasked.resolved.has("loader.persistent_workers"));
  EXPECT_THAT(unasked.errors, IsEmpty());
  for (const bool swept : {false, true}) {
    const Said said =
        loader_rule("thread", 2, {{"loader.persistent_workers", true}}, swept ? kSwept : kAlone);
    EXPECT_FALSE(said.resolved.has("loader.persistent_workers"));
    EXPECT_THAT(said.errors, IsEmpty());
    EXPECT_THAT(said.without_effect,
                ElementsAre("loader.persistent_workers without loader.epochs: separate"));
  }
  const Said separate = loader_rule(
      "thread", 2, {{"loader.epochs", "separate"}, {"loader.persistent_workers", true}});
  EXPECT_TRUE(separate.resolved.flag("loader.persistent_workers"));
  EXPECT_THAT(separate.errors, IsEmpty());
}

TEST(LoaderRules, MoreWorkersThanCores_AreNoted) {
  const Said said = loader_rule("thread", 8, {}, {.cores = 2});
  EXPECT_THAT(said.notes, ElementsAre(HasSubstr("num_workers 8 exceeds the 2 cores")));
  EXPECT_THAT(said.errors, IsEmpty());
}

TEST(LoaderRules, ImpossiblePinning_IsReported) {
  const OptionList pinned = {
      {"loader.pin_memory", true}, {"device", "cuda:0"}, {"loader.epochs", "separate"}};
  EXPECT_THAT(loader_rule("thread", 1, pinned).errors,
              ElementsAre(HasSubstr("loader.pin_memory: pin_memory needs an accelerator")));
  for (const RuleFacts& facts : {kSwept, RuleFacts{.device_auto = true, .cores = 4}}) {
    const Said said = loader_rule("thread", 1, pinned, facts);
    EXPECT_THAT(said.without_effect, ElementsAre("loader.pin_memory without an accelerator"));
    EXPECT_FALSE(said.resolved.flag("loader.pin_memory"));
    EXPECT_THAT(said.skips, IsEmpty());
  }
  for (const char* engine : {"thread", "fork", "torch_cpp"}) {
    const Said said = loader_rule(engine, 1, {{"loader.pin_memory", true}},
                                  {.cuda_available = true, .swept = true, .cores = 4});
    EXPECT_EQ(said.skips.empty(), std::string_view(engine) != "torch_cpp") << engine;
  }
}

TEST(LoaderRules, Transport_ReplacesProcessBuffers) {
  EXPECT_TRUE(loader_rule("thread", 1).resolved.has("loader.buffers"));
  EXPECT_FALSE(loader_rule("fork", 1).resolved.has("loader.buffers"));
}

TEST(SamplerRules, SamplerAndShuffle_ExcludeEachOther) {
  EXPECT_THAT(sampler_rule({{"loader.shuffle", true}, {"loader.sampler", "random"}}).errors,
              ElementsAre(HasSubstr("loader.sampler: sampler and shuffle exclude")));
  for (const bool shuffle : {false, true}) {
    const Said said = sampler_rule({{"loader.sampler", shuffle ? "random" : "sequential"}});
    EXPECT_EQ(said.resolved.flag("loader.shuffle"), shuffle);
    EXPECT_FALSE(said.resolved.has("loader.sampler"));
    EXPECT_THAT(said.errors, IsEmpty());
  }
}

TEST(SamplerRules, WeightsAndWeightedSampler_GoTogether) {
  for (const char* sampler : {"weighted", "weighted_without_replacement"}) {
    EXPECT_THAT(sampler_rule({{"loader.sampler", sampler}, {"loader.weights", "balanced"}}).errors,
                IsEmpty());
    EXPECT_THAT(sampler_rule({{"loader.sampler", sampler}}).errors,
                ElementsAre(HasSubstr("needs weights: balanced, or a")));
  }
  for (const char* sampler : {"random", "random_with_replacement"}) {
    EXPECT_THAT(sampler_rule({{"loader.sampler", sampler}, {"loader.weights", "balanced"}}).errors,
                ElementsAre(HasSubstr("set sampler: weighted")));
  }
  EXPECT_THAT(sampler_rule({{"loader.weights", "w.txt"}}).errors,
              ElementsAre(StartsWith("loader.weights: ")));
}

TEST(SamplerRules, SampleCount_NeedsADrawingSampler) {
  for (const auto& [sampler, draws] :
       {std::pair("random_with_replacement", true), std::pair("random", false),
        std::pair("sequential", false)}) {
    const Said said =
        sampler_rule({{"loader.sampler", sampler}, {"loader.num_samples", std::int64_t{5}}});
    EXPECT_EQ(said.errors.empty(), draws) << sampler;
  }
}

TEST(SamplerRules, IterableData_CannotBeShuffled) {
  for (const OptionList::value_type& option :
       {OptionList::value_type{"loader.shuffle", true},
        OptionList::value_type{"loader.sampler", "random"}}) {
    const OptionList changes = {{"data.kind", "webdataset"}, option};
    EXPECT_THAT(sampler_rule(changes).errors, ElementsAre(StartsWith(option.first)));
    EXPECT_THAT(sampler_rule(changes, true).errors, IsEmpty());
    EXPECT_THAT(sampler_rule(changes, true).skips, ElementsAre(HasSubstr("data.shuffle_buffer")));
  }
}

}  // namespace
}  // namespace stepbench
