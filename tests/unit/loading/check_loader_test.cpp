// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/loading/case.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/loader/sampler.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Said final : RuleSink {
  void error(std::string_view option, std::string reason) override {
    errors.push_back(std::string(option) + ": " + reason);
  }
  void skip(std::string reason) override { skips.push_back(std::move(reason)); }
  void note(std::string text) override { notes.push_back(std::move(text)); }
  std::vector<std::string> errors, skips, notes;
};

ResolvedCase with_workers(std::int64_t workers, const std::string& engine = "thread") {
  return test::loader_case({{"loader.num_workers", workers}, {"loader.engine", engine}});
}

TEST(LoaderRules, WithoutWorkersEveryEngineIsInlineAndWorkerOptionsMeanNothing) {
  ResolvedCase resolved = with_workers(0);
  Said said;
  loader::check_loader(resolved, {.swept = true, .cores = 4}, said);
  EXPECT_EQ(resolved.text("loader.engine"), "inline");
  for (const char* option : {"loader.prefetch_factor", "loader.persistent_workers",
                             "loader.timeout_s", "loader.in_order"}) {
    EXPECT_FALSE(resolved.has(option)) << option;
  }
  EXPECT_THAT(said.errors, IsEmpty());
}

TEST(LoaderRules, InlineWithWorkersIsAnErrorAndInASweepASkippedPoint) {
  ResolvedCase resolved = with_workers(2, "inline");
  Said alone;
  loader::check_loader(resolved, {.cores = 4}, alone);
  EXPECT_THAT(alone.errors, ElementsAre(HasSubstr("loader.engine: engine inline has no workers")));
  Said swept;
  loader::check_loader(resolved, {.swept = true, .cores = 4}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, ElementsAre(HasSubstr("num_workers is 2")));
}

TEST(LoaderRules, LengthsThatCannotBeAreErrorsAndInASweepSkippedPoints) {
  const auto lengths = [](std::int64_t shortest, std::int64_t longest, std::int64_t multiple) {
    return test::loader_case({{"data.kind", std::string("synthetic_tokens")},
                              {"data.lengths", std::string("uniform")},
                              {"data.min_length", shortest},
                              {"data.sequence_length", longest},
                              {"data.pad_to_multiple_of", multiple}});
  };
  Said fine;
  data::check_lengths(lengths(64, 64, 8), {}, fine);
  EXPECT_THAT(fine.errors, IsEmpty());
  Said alone;
  data::check_lengths(lengths(65, 64, 1), {}, alone);
  data::check_lengths(lengths(1, 60, 8), {}, alone);
  EXPECT_THAT(
      alone.errors,
      ElementsAre(HasSubstr("data.min_length: min_length 65 is more than sequence_length 64"),
                  HasSubstr("data.pad_to_multiple_of: sequence_length 60 is no multiple")));
  Said swept;
  data::check_lengths(lengths(65, 64, 1), {.swept = true}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, ElementsAre(HasSubstr("min_length 65")));
}

TEST(LoaderRules, StacksAreOfEnginePythonAndLeftOutOfOtherEnginesInASweep) {
  ResolvedCase without_loader;
  without_loader.options["profile.stacks"] = true;
  Said said;
  loader::check_stacks(without_loader, {.swept = true}, said);
  EXPECT_THAT(said.errors, ElementsAre(HasSubstr("loader.engine: python alone")));
  ResolvedCase threads = with_workers(2);
  threads.options["profile.stacks"] = true;
  Said swept;
  loader::check_stacks(threads, {.swept = true}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_FALSE(threads.has("profile.stacks"));
  ResolvedCase python = with_workers(2, "python");
  python.options["profile.stacks"] = true;
  loader::check_stacks(python, {}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_TRUE(python.has("profile.stacks"));
}

TEST(LoaderRules, AnIterableKeepsItsOptionsForLoaderToTakeAndEndsItsOwnEpochs) {
  ResolvedCase resolved = with_workers(2, "iterable");
  resolved.options["data.kind"] = std::string("python");
  Said swept;
  loader::check_loader(resolved, {.swept = true, .cores = 4}, swept);
  EXPECT_THAT(swept.errors, IsEmpty());
  EXPECT_THAT(swept.skips, IsEmpty());
  EXPECT_EQ(resolved.text("loader.epochs"), "separate");
  EXPECT_EQ(resolved.text("loader.engine"), "iterable");
  EXPECT_EQ(resolved.integer("loader.num_workers"), 2);
  EXPECT_FALSE(resolved.has("loader.affinity"));

  resolved.options["loader.num_workers"] = std::int64_t{0};
  loader::check_loader(resolved, {.cores = 4}, swept);
  EXPECT_EQ(resolved.text("loader.engine"), "iterable") << "it is never inline";
}

TEST(LoaderRules, WhatAnIterableCannotBeToldIsAnErrorWhereItWasAskedForAlone) {
  for (const auto& [option, value] :
       {std::pair{"loader.epochs", "joined"}, std::pair{"loader.affinity", "spread"},
        std::pair{"loader.buffers", "reused"}, std::pair{"transfer.placement", "upstream"}}) {
    ResolvedCase resolved = with_workers(0, "iterable");
    resolved.options["data.kind"] = std::string("python");
    resolved.options["loader.epochs"] = std::string("separate");
    resolved.options["loader.affinity"] = Value{};
    resolved.options[option] = std::string(value);
    if (std::string_view(option) == "loader.affinity") {
      resolved.options["loader.num_workers"] = std::int64_t{2};
    }
    Said said;
    loader::check_loader(resolved, {.cores = 4}, said);
    EXPECT_THAT(said.errors, ElementsAre(HasSubstr(option))) << option;
  }
  ResolvedCase files = with_workers(2, "iterable");
  Said said;
  loader::check_loader(files, {.cores = 4}, said);
  EXPECT_THAT(said.errors, ElementsAre(HasSubstr("takes its batches from loader()")));
}

TEST(LoaderRules, TorchsLoaderHasNoSayInThreadsAndPersistence) {
  ResolvedCase resolved = with_workers(2, "torch_cpp");
  resolved.options["loader.epochs"] = std::string("separate");
  resolved.options["loader.persistent_workers"] = true;
  Said said;
  loader::check_loader(resolved, {.cores = 4}, said);
  EXPECT_FALSE(resolved.has("loader.persistent_workers")) << "its threads always persist";
  EXPECT_FALSE(resolved.has("loader.threads_per_worker"));
  EXPECT_TRUE(resolved.has("loader.timeout_s"));
  EXPECT_THAT(said.errors, IsEmpty());
  resolved.options["loader.threads_per_worker"] = std::int64_t{4};
  loader::check_loader(resolved, {.cores = 4}, said);
  EXPECT_THAT(said.errors, ElementsAre(HasSubstr("does not cap the threads of its workers")));
}

TEST(LoaderRules, JoinedEpochsKeepTheirWorkersAndAskingForItIsAnErrorOutsideASweep) {
  ResolvedCase resolved = with_workers(2);
  EXPECT_EQ(resolved.text("loader.epochs"), "joined");
  Said unasked;
  loader::check_loader(resolved, {.cores = 4}, unasked);
  EXPECT_FALSE(resolved.has("loader.persistent_workers"));
  EXPECT_THAT(unasked.errors, IsEmpty());
  for (const bool swept : {false, true}) {
    resolved.options["loader.persistent_workers"] = true;
    Said said;
    loader::check_loader(resolved, {.swept = swept, .cores = 4}, said);
    EXPECT_FALSE(resolved.has("loader.persistent_workers"));
    EXPECT_EQ(said.errors.empty(), swept);
  }
  resolved.options["loader.epochs"] = std::string("separate");
  resolved.options["loader.persistent_workers"] = true;
  Said separate;
  loader::check_loader(resolved, {.cores = 4}, separate);
  EXPECT_TRUE(resolved.flag("loader.persistent_workers"));
  EXPECT_THAT(separate.errors, IsEmpty());
}

TEST(LoaderRules, OnlySeparateEpochsHaveALastBatchToDrop) {
  const Section section = loader::loader_section();
  const auto drop_last = std::ranges::find(section.options, "drop_last", &Option::name);
  ASSERT_TRUE(drop_last->requires_.has_value());
  EXPECT_EQ(drop_last->requires_->option, "loader.epochs");
  EXPECT_EQ(std::get<std::string>(drop_last->requires_->value), "separate");
}

TEST(LoaderRules, MoreWorkersThanCoresAreAllowedAndNoted) {
  ResolvedCase resolved = with_workers(8);
  Said said;
  loader::check_loader(resolved, {.cores = 2}, said);
  EXPECT_THAT(said.notes, ElementsAre(HasSubstr("num_workers 8 exceeds the 2 cores")));
  EXPECT_THAT(said.errors, IsEmpty());
}

TEST(LoaderRules, PinningWithoutAnAcceleratorIsSkippedUnlessCudaWasDemanded) {
  ResolvedCase resolved = with_workers(1);
  resolved.options["loader.pin_memory"] = true;
  resolved.options["device"] = std::string("cuda:0");
  Said demanded;
  loader::check_loader(resolved, {.cores = 4}, demanded);
  EXPECT_THAT(demanded.errors,
              ElementsAre(HasSubstr("loader.pin_memory: pin_memory needs an accelerator")));
  Said automatic;
  loader::check_loader(resolved, {.device_auto = true, .cores = 4}, automatic);
  EXPECT_THAT(automatic.skips, ElementsAre(HasSubstr("needs an accelerator")));
  Said swept;
  loader::check_loader(resolved, {.swept = true, .cores = 4}, swept);
  EXPECT_THAT(swept.skips, ElementsAre(HasSubstr("needs an accelerator")));
  EXPECT_THAT(swept.errors, IsEmpty());
}

TEST(LoaderRules, PinningThatTheEngineCannotDoIsNeverDroppedSilently) {
  for (const char* engine : {"thread", "fork", "torch_cpp"}) {
    ResolvedCase resolved = with_workers(1, engine);
    resolved.options["loader.pin_memory"] = true;
    Said said;
    loader::check_loader(resolved, {.cuda_available = true, .swept = true, .cores = 4}, said);
    EXPECT_EQ(said.skips.empty(), std::string_view(engine) != "torch_cpp") << engine;
  }
}

TEST(LoaderRules, TransportBelongsToWorkerProcessesAndReplacesBuffers) {
  const Section section = loader::loader_section();
  const auto transport = std::ranges::find(section.options, "transport", &Option::name);
  ASSERT_TRUE(transport->requires_.has_value());
  EXPECT_EQ(transport->requires_->option, "loader.engine");
  EXPECT_EQ(std::get<std::string>(transport->requires_->value), "fork");
  for (const char* engine : {"thread", "fork"}) {
    ResolvedCase resolved = with_workers(1, engine);
    Said said;
    loader::check_loader(resolved, {.cores = 4}, said);
    EXPECT_EQ(resolved.has("loader.buffers"), std::string_view(engine) == "thread");
  }
  ResolvedCase without = with_workers(0, "fork");
  Said said;
  loader::check_loader(without, {.swept = true, .cores = 4}, said);
  EXPECT_EQ(without.text("loader.engine"), "inline");
  EXPECT_FALSE(without.has("loader.transport"));
  EXPECT_TRUE(without.has("loader.buffers"));
}

TEST(SamplerRules, ShuffleAndSamplerExcludeEachOtherAsInPython) {
  ResolvedCase resolved = with_workers(0);
  resolved.options["loader.shuffle"] = true;
  resolved.options["loader.sampler"] = std::string("random");
  Said said;
  loader::check_sampler(resolved, {}, said);
  EXPECT_THAT(said.errors, ElementsAre(HasSubstr("loader.sampler: sampler and shuffle exclude")));
}

TEST(SamplerRules, ASamplerThatSaysWhatShuffleSaysIsTheSameCase) {
  for (const bool shuffle : {false, true}) {
    ResolvedCase resolved = with_workers(0);
    resolved.options["loader.sampler"] = std::string(shuffle ? "random" : "sequential");
    Said said;
    loader::check_sampler(resolved, {}, said);
    EXPECT_EQ(resolved.flag("loader.shuffle"), shuffle);
    EXPECT_FALSE(resolved.has("loader.sampler"));
    EXPECT_THAT(said.errors, IsEmpty());
  }
}

TEST(SamplerRules, WeightsAndWeightedSamplersNeedEachOther) {
  const auto errors = [](const char* sampler, const char* weights) {
    ResolvedCase resolved = with_workers(0);
    if (sampler != nullptr) resolved.options["loader.sampler"] = std::string(sampler);
    if (weights != nullptr) resolved.options["loader.weights"] = std::string(weights);
    Said said;
    loader::check_sampler(resolved, {}, said);
    return said.errors;
  };
  for (const char* sampler : {"weighted", "weighted_without_replacement"}) {
    EXPECT_THAT(errors(sampler, "balanced"), IsEmpty());
    EXPECT_THAT(errors(sampler, nullptr), ElementsAre(HasSubstr("needs weights: balanced, or a")));
  }
  for (const char* sampler : {"random", "random_with_replacement"}) {
    EXPECT_THAT(errors(sampler, "balanced"), ElementsAre(HasSubstr("set sampler: weighted")));
  }
  EXPECT_THAT(errors(nullptr, "w.txt"), ElementsAre(testing::StartsWith("loader.weights: ")));
}

TEST(SamplerRules, HowManyAreDrawnIsSaidOnlyWhereSamplesAreDrawn) {
  for (const auto& [sampler, draws] :
       {std::pair("random_with_replacement", true), std::pair("random", false),
        std::pair("sequential", false)}) {
    ResolvedCase resolved = with_workers(0);
    resolved.options["loader.sampler"] = std::string(sampler);
    resolved.options["loader.num_samples"] = std::int64_t{5};
    Said said;
    loader::check_sampler(resolved, {}, said);
    EXPECT_EQ(said.errors.empty(), draws) << sampler;
  }
  const Section section = loader::loader_section();
  EXPECT_EQ(std::ranges::find(section.options, "num_samples", &Option::name)->min, 1);
}

TEST(SamplerRules, AnIterableDataSetHasNoIndicesToShuffle) {
  for (const char* option : {"loader.shuffle", "loader.sampler"}) {
    ResolvedCase resolved = with_workers(2);
    resolved.options["data.kind"] = std::string("webdataset");
    const bool shuffle = option == std::string("loader.shuffle");
    resolved.options[option] = shuffle ? Value(true) : Value(std::string("random"));
    Said alone;
    loader::check_sampler(resolved, {}, alone);
    EXPECT_THAT(alone.errors, ElementsAre(testing::StartsWith(option)));
    Said swept;
    loader::check_sampler(resolved, {.swept = true}, swept);
    EXPECT_THAT(swept.errors, IsEmpty());
    EXPECT_THAT(swept.skips, ElementsAre(HasSubstr("data.shuffle_buffer")));
  }
}

// What Python's constructor refuses, the option's own data refuses: Requires and ranges.
TEST(LoaderRules, WorkerOptionsDeclareThatTheyNeedWorkers) {
  const Section section = loader::loader_section();
  for (const char* name : {"prefetch_factor", "persistent_workers", "timeout_s", "affinity"}) {
    const auto option = std::ranges::find(section.options, name, &Option::name);
    ASSERT_NE(option, section.options.end()) << name;
    ASSERT_TRUE(option->requires_.has_value()) << name;
    EXPECT_EQ(option->requires_->option, "loader.num_workers");
  }
  const auto minimum = [&](const char* name) {
    return std::ranges::find(section.options, name, &Option::name)->min;
  };
  EXPECT_EQ(minimum("batch_size"), 1);
  EXPECT_EQ(minimum("num_workers"), 0);
  EXPECT_EQ(minimum("prefetch_factor"), 1);
  EXPECT_EQ(minimum("timeout_s"), 0);
}

}  // namespace
}  // namespace stepbench
