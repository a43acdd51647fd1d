// SPDX-License-Identifier: Apache-2.0
// Every rule on traces that hold one cause of known size: it is named first, its size is right, and
// below its threshold it is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/analyze/rules.h"
#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "tests/unit/analyze/planted_trace.h"

namespace stepbench::analyze {
namespace {

using testing::kStepNs;
using testing::Plant;
using testing::planted;
using testing::PlantedStep;
using testing::TraceMaker;

std::vector<Finding> causes_of(const trace::Trace& trace, const RuleOptions& options = {}) {
  return find_causes(trace, analyse(trace), options);
}

const Finding* find_made(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& each) {
    return each.id == id && each.undecided.empty();
  });
  return found == findings.end() ? nullptr : &*found;
}

// Causes that hold the device up: the gap of each step is what could be won.
struct Cause {
  std::string_view id;
  Plant plant;
  std::int64_t extra_ns = 0;  // of the gap that is not the cause's
};

void loading(PlantedStep& step) { step.trace.loading(step.gap_begin_ns(), step.gap_end_ns()); }

void pageable(PlantedStep& step) {
  step.trace.called(step.trace.copy("Memcpy HtoD (Pageable -> Device)", step.gap_begin_ns(),
                                    step.gap_end_ns(), 1 << 20),
                    "cudaMemcpyAsync", step.gap_begin_ns(), step.gap_end_ns());
}

void blocking(PlantedStep& step) {
  step.trace.called(step.trace.copy("Memcpy DtoH (Device -> Pinned)", step.gap_begin_ns(),
                                    step.gap_end_ns(), 1 << 20),
                    "cudaMemcpy", step.gap_begin_ns(), step.gap_end_ns());
}

// As torch's copy_ without non_blocking: the call returns, and the same operation waits.
void torch_copy(PlantedStep& step, std::string_view name, std::int64_t copy_end_ns,
                std::int64_t call_end_ns) {
  step.trace.op("aten::copy_", step.gap_begin_ns(), step.gap_end_ns());
  step.trace.called(step.trace.copy(name, step.gap_begin_ns(), copy_end_ns, 1 << 20),
                    "cudaMemcpyAsync", step.gap_begin_ns(), call_end_ns);
  step.trace.call("cudaStreamSynchronize", call_end_ns, step.gap_end_ns());
}

void pinned_and_waited_for(PlantedStep& step) {
  const std::int64_t middle_ns = (step.gap_begin_ns() + step.gap_end_ns()) / 2;
  torch_copy(step, "Memcpy HtoD (Pinned -> Device)", middle_ns, step.gap_begin_ns() + 2'000);
}

void pageable_and_waited_for(PlantedStep& step) {
  const std::int64_t nearly_ns = step.gap_end_ns() - 5'000;
  torch_copy(step, "Memcpy HtoD (Pageable -> Device)", nearly_ns, nearly_ns);
}

void exposed_copy(PlantedStep& step) {
  step.trace.called(step.trace.copy("Memcpy HtoD (Pinned -> Device)", step.gap_begin_ns(),
                                    step.gap_end_ns(), 1 << 20),
                    "cudaMemcpyAsync", step.gap_begin_ns() - 1'000, step.gap_begin_ns() - 500);
  step.trace.op("aten::relu", step.gap_begin_ns(), step.gap_end_ns());
}

void set_memory(PlantedStep& step) {
  step.trace.call("cudaMemset", step.gap_begin_ns(), step.gap_end_ns());
}

void slow_operators(PlantedStep& step) {
  step.trace.op("aten::add_", step.gap_begin_ns(), step.gap_end_ns());
}

void synchronise(PlantedStep& step) {
  step.trace.op("aten::item", step.gap_begin_ns(), step.gap_end_ns());
  step.trace.call("cudaStreamSynchronize", step.gap_begin_ns(), step.gap_end_ns());
}

void allocate(PlantedStep& step) {
  step.trace.op("aten::empty", step.gap_begin_ns(), step.gap_end_ns());
  step.trace.call("cudaMalloc", step.gap_begin_ns(), step.gap_end_ns());
}

void all_reduce(PlantedStep& step) {
  step.trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", step.gap_begin_ns(),
                    step.gap_end_ns(), 30);
  step.trace.op("aten::relu", step.gap_begin_ns(), step.gap_end_ns());
}

void nothing(PlantedStep&) {}

std::vector<Cause> timed_causes() {
  return {{"trace.data_exposed", loading},
          {"trace.pageable_copies", pageable},
          {"trace.pageable_copies", pageable_and_waited_for},
          {"trace.blocking_copies", blocking},
          {"trace.blocking_copies", pinned_and_waited_for},
          {"trace.copy_exposed", exposed_copy},
          {"trace.blocking_sets", set_memory},
          {"trace.launch_bound", slow_operators},
          {"trace.sync_bound", synchronise},
          {"trace.allocations", allocate},
          {"trace.communication_exposed", all_reduce},
          {"trace.unattributed", nothing}};
}

double threshold_of(std::string_view id) {
  for (const TraceRule& rule : trace_rules()) {
    if (rule.id == id) return rule.threshold;
  }
  ADD_FAILURE() << "no rule " << id;
  return 0;
}

std::int64_t gap_at(double share) { return std::int64_t(share * double(kStepNs)); }

TEST(PlantedCauses, AreNamedFirstWithTheirSize) {
  for (const Cause& cause : timed_causes()) {
    for (const double times : {1.2, 2.0, 4.0}) {
      const std::int64_t gap_ns = gap_at(times * threshold_of(cause.id));
      const std::vector<Finding> findings = causes_of(planted(gap_ns, cause.plant));
      ASSERT_FALSE(findings.empty()) << cause.id << " x" << times;
      EXPECT_EQ(findings.front().id, cause.id) << "x" << times << ": " << findings.front().text;
      const Finding* made = find_made(findings, cause.id);
      ASSERT_NE(made, nullptr) << cause.id;
      ASSERT_TRUE(made->gain_ns) << cause.id;
      EXPECT_NEAR(*made->gain_ns, double(gap_ns), 0.1 * double(gap_ns)) << cause.id;
      EXPECT_FALSE(made->remedy.empty()) << cause.id;
      EXPECT_EQ(made->window, "host_step");
      EXPECT_TRUE(made->set.empty()) << "nothing of ours can be set for a foreign trace";
    }
  }
}

TEST(PlantedCauses, AreNotNamedBelowTheirThreshold) {
  for (const Cause& cause : timed_causes()) {
    const std::int64_t gap_ns = gap_at(0.8 * threshold_of(cause.id));
    const std::vector<Finding> findings = causes_of(planted(gap_ns, cause.plant));
    EXPECT_EQ(find_made(findings, cause.id), nullptr) << cause.id;
  }
}

// cudaFree waits for the device: what it takes meanwhile cannot be won.
TEST(PlantedCauses, AllocationsGainNoMoreThanTheDeviceWaits) {
  const std::int64_t gap_ns = gap_at(0.05);
  const auto busy_and_gap = [](PlantedStep& step) {
    step.trace.call("cudaFree", step.gap_begin_ns() - 5'000'000, step.gap_begin_ns() - 1'000);
    allocate(step);
  };
  const std::vector<Finding> findings = causes_of(planted(gap_ns, busy_and_gap));
  const Finding* made = find_made(findings, "trace.allocations");
  ASSERT_NE(made, nullptr);
  EXPECT_NEAR(*made->gain_ns, double(gap_ns), 0.1 * double(gap_ns));
  const auto hidden = [](PlantedStep& step) {
    step.trace.call("cudaFree", step.gap_begin_ns() - 5'000'000, step.gap_begin_ns() - 1'000);
  };
  EXPECT_EQ(find_made(causes_of(planted(0, hidden)), "trace.allocations"), nullptr);
}

TEST(PlantedCauses, OfNoSizeLeaveABusyDeviceWithoutFindings) {
  for (const Finding& finding : causes_of(planted(0, nothing))) {
    EXPECT_FALSE(finding.undecided.empty()) << finding.id << ": " << finding.text;
  }
}

TEST(PlantedCauses, OverAThresholdOfTheUsersAreNamed) {
  const trace::Trace trace = planted(gap_at(0.03), loading);
  EXPECT_EQ(find_made(causes_of(trace), "trace.data_exposed"), nullptr);
  EXPECT_NE(find_made(causes_of(trace, {.thresholds = {{"trace.data_exposed", 0.02}}}),
                      "trace.data_exposed"),
            nullptr);
  EXPECT_THROW((void)causes_of(trace, {.thresholds = {{"trace.data_expose", 0.02}}}), ConfigError);
}

TEST(PlantedCauses, OfOwnRunsProposeAnOptionThatIsNotSetYet) {
  const trace::Trace trace = planted(gap_at(0.2), pageable);
  const Finding off = causes_of(trace, {.options = {{"loader.pin_memory", false}}}).front();
  ASSERT_EQ(off.set.size(), 1U);
  EXPECT_EQ(off.set.front().option, "loader.pin_memory");
  const Finding on = causes_of(trace, {.options = {{"loader.pin_memory", true}}}).front();
  EXPECT_TRUE(on.set.empty());
}

TEST(PlantedCauses, NameTheOpThatSynchronises) {
  const Finding finding = causes_of(planted(gap_at(0.1), synchronise)).front();
  EXPECT_THAT(finding.text, ::testing::HasSubstr("aten::item"));
  ASSERT_FALSE(finding.places.empty());
  EXPECT_EQ(finding.places.front().duration_ns, gap_at(0.1));
  EXPECT_GE(finding.places.front().step, 1);
}

// Small results that .item() and .to("cpu") bring back: the call that copies them waits, not one
// that synchronises.
void read_results(PlantedStep& step, std::int64_t bytes) {
  constexpr std::int64_t kReads = 15;
  const std::int64_t each_ns = step.gap_ns / kReads;
  for (std::int64_t i = 0; i < kReads; ++i) {
    const std::int64_t at_ns = step.gap_begin_ns() + i * each_ns;
    step.trace.row(step.trace.main, trace::EventKind::kPython, "train.py(31): evaluate", at_ns,
                   at_ns + each_ns);
    step.trace.op("aten::to", at_ns, at_ns + each_ns);
    step.trace.op("aten::copy_", at_ns + 10, at_ns + each_ns - 10);
    step.trace.called(step.trace.copy("Memcpy DtoH (Device -> Pageable)", at_ns + each_ns - 2'000,
                                      at_ns + each_ns - 1'000, bytes),
                      "cudaMemcpyAsync", at_ns + 20, at_ns + each_ns - 900);
    step.trace.call("cudaStreamSynchronize", at_ns + each_ns - 800, at_ns + each_ns - 20);
  }
}

TEST(PlantedCauses, OfSmallResultsThatAreReadAreWaitsWithTheirOperatorAndLineOfPython) {
  const std::int64_t gap_ns = gap_at(0.6);
  const std::vector<Finding> findings =
      causes_of(planted(gap_ns, [](PlantedStep& step) { read_results(step, 1800); }));
  const Finding& first = findings.front();
  EXPECT_EQ(first.id, "trace.sync_bound") << first.text;
  EXPECT_NEAR(*first.gain_ns, double(gap_ns), 0.01 * double(gap_ns));
  EXPECT_THAT(first.text, ::testing::HasSubstr("waits for the device 15 times per step"));
  EXPECT_THAT(first.text, ::testing::HasSubstr("small results are read 15 times"));
  EXPECT_THAT(first.text, ::testing::HasSubstr("in aten::to, called at train.py(31): evaluate"));
  EXPECT_EQ(find_made(findings, "trace.pageable_copies"), nullptr) << "pinning does not help";
  // Large ones are transfers.
  const std::vector<Finding> large =
      causes_of(planted(gap_ns, [](PlantedStep& step) { read_results(step, 8 << 20); }));
  EXPECT_EQ(large.front().id, "trace.pageable_copies") << large.front().text;
}

TEST(PlantedCauses, OfCopiesSayTheBytesOfAStepAndPointAtRowsOfTheTrace) {
  const trace::Trace trace = planted(gap_at(0.2), pageable);
  const Finding finding = causes_of(trace).front();
  EXPECT_THAT(finding.text, ::testing::HasSubstr("memory: 1 per step, 1.00 MiB"));
  ASSERT_FALSE(finding.places.empty());
  const Finding::Place& place = finding.places.front();
  EXPECT_THAT(place.name, ::testing::StartsWith("cudaMemcpyAsync")) << "the copy has another row";
  EXPECT_THAT(place.name, ::testing::HasSubstr("for Memcpy HtoD (Pageable -> Device)"));
  EXPECT_EQ(place.duration_ns, gap_at(0.2));
}

// A gap of which `sleep` and a decoder of pictures take most; `with_frames`: as with_stack records.
Plant python_gap(bool with_frames) {
  return [with_frames](PlantedStep& step) {
    if (!with_frames) return;
    const std::int64_t begin_ns = step.gap_begin_ns();
    const std::int64_t tenth_ns = step.gap_ns / 10;
    const auto frame = [&](std::string_view name, std::int64_t from, std::int64_t to) {
      step.trace.row(step.trace.main, trace::EventKind::kPython, name, begin_ns + from * tenth_ns,
                     begin_ns + to * tenth_ns);
    };
    frame("train.py(10): main", 0, 10);
    frame("<built-in function sleep>", 0, 6);
    frame("video.py(7): decode", 6, 9);
    for (std::int64_t i = 0; i < 3; ++i) frame("numpy/core.py(1): step", 6 + i, 7 + i);
    frame("train.py(90): log", 9, 10);
  };
}

TEST(PlantedCauses, OfPlainPythonAreNamedByTheFunctionsThatTakeMostOfTheGap) {
  const std::int64_t gap_ns = gap_at(0.2);
  const std::vector<Finding> findings = causes_of(planted(gap_ns, python_gap(true)));
  const Finding& first = findings.front();
  EXPECT_EQ(first.id, "trace.unattributed");
  EXPECT_NEAR(*first.gain_ns, double(gap_ns), 0.01 * double(gap_ns));
  EXPECT_THAT(first.text, ::testing::HasSubstr("12.0 ms in <built-in function sleep>, called at "
                                               "train.py(10): main"));
  EXPECT_THAT(first.text, ::testing::HasSubstr("6.00 ms in video.py(7): decode"));
  EXPECT_THAT(first.remedy, ::testing::Not(::testing::HasSubstr("with_stack")));
  ASSERT_GE(first.places.size(), 2U);
  EXPECT_THAT(first.places[0].name, ::testing::StartsWith("<built-in function sleep>"));
  EXPECT_EQ(first.places[0].duration_ns, 12'000'000) << "the row's own";
  const Finding without = causes_of(planted(gap_ns, python_gap(false))).front();
  EXPECT_EQ(without.id, "trace.unattributed");
  EXPECT_THAT(without.remedy, ::testing::HasSubstr("with_stack=True"));
}

TEST(PlantedCauses, OfALibraryAreNamedByWhatTheUserCalledOfIt) {
  const auto save = [](PlantedStep& step) {
    const std::int64_t begin_ns = step.gap_begin_ns();
    std::int64_t depth = 0;
    for (const char* name : {"train.py(10): main", "torch/serialization.py(940): save",
                             "torch/serialization.py(1200): _save",
                             "<built-in method write_record of PyTorchFileWriter>"}) {
      step.trace.row(step.trace.main, trace::EventKind::kPython, name, begin_ns + depth,
                     step.gap_end_ns() - depth);
      depth += 100;
    }
  };
  const Finding finding = causes_of(planted(gap_at(0.1), save)).front();
  EXPECT_EQ(finding.id, "trace.unattributed");
  EXPECT_THAT(finding.text, ::testing::HasSubstr("in torch/serialization.py(940): save, called at "
                                                 "train.py(10): main"));
}

TEST(PlantedCauses, OfLaunchesPointAtTheCallItsOperatorAndItsKernel) {
  const auto plant = [](PlantedStep& step) {
    step.trace.op("aten::add_", step.gap_begin_ns(), step.gap_end_ns());
    step.trace.called(step.trace.kernel("tiny_add", step.gap_end_ns() - 20, step.gap_end_ns() - 10),
                      "cudaLaunchKernel", step.gap_begin_ns(), step.gap_end_ns() - 30);
  };
  const Finding finding = causes_of(planted(gap_at(0.2), plant)).front();
  EXPECT_EQ(finding.id, "trace.launch_bound");
  ASSERT_FALSE(finding.places.empty());
  EXPECT_EQ(finding.places.front().name, "cudaLaunchKernel in aten::add_ for tiny_add");
}

// A launch waits for 20 ms, during which rows run that no recorded call launched.
TEST(PlantedCauses, OfLateLaunchesAreNoneWhereOrphansKeepTheDeviceBusy) {
  for (const bool busy : {false, true}) {
    const auto plant = [&](PlantedStep& step) {
      const std::int64_t begin_ns = step.gap_begin_ns();
      if (busy) step.trace.kernel("orphan", begin_ns, step.gap_end_ns() - 10);
      step.trace.called(step.trace.kernel("late", step.gap_end_ns() - 10, step.gap_end_ns()),
                        "cudaLaunchKernel", begin_ns - 1'000, begin_ns);
    };
    const std::vector<Finding> findings = causes_of(planted(gap_at(0.2), plant));
    EXPECT_EQ(find_made(findings, "trace.launch_delay") == nullptr, busy);
  }
}

// Half of the gap is a call that the host waits in while the device works; then the host has to
// prepare what the device waits for.
TEST(PlantedCauses, ThatCostTheHostItsLeadCountWhatTheDeviceWaitsForAfterwards) {
  const std::int64_t gap_ns = gap_at(0.06);
  const auto plant = [](PlantedStep& step) {
    const std::int64_t half_ns = step.gap_ns / 2;
    step.trace.call("cudaDeviceSynchronize", step.gap_begin_ns() - 2 * half_ns,
                    step.gap_begin_ns() + half_ns);
    step.trace.op("aten::add_", step.gap_begin_ns() + half_ns, step.gap_end_ns());
  };
  const std::vector<Finding> findings = causes_of(planted(gap_ns, plant));
  EXPECT_EQ(findings.front().id, "trace.sync_bound");
  EXPECT_NEAR(*findings.front().gain_ns, double(gap_ns), 0.01 * double(gap_ns));
}

// Of each gap a fourth is an allocation, a fourth a call that launches, and half an operator.
TEST(PlantedCauses, CountAnAllocationOnceAndPointAtTheLongestPlacesFirst) {
  const std::int64_t gap_ns = gap_at(0.4);
  const auto plant = [](PlantedStep& step) {
    const std::int64_t quarter_ns = step.gap_ns / 4;
    const std::int64_t at_ns = step.gap_begin_ns();
    step.trace.op("aten::empty", at_ns, at_ns + quarter_ns);
    step.trace.call("cudaMalloc", at_ns, at_ns + quarter_ns);
    step.trace.call("cudaLaunchKernel", at_ns + quarter_ns, at_ns + 2 * quarter_ns);
    step.trace.op("aten::add_", at_ns + 2 * quarter_ns, step.gap_end_ns());
  };
  const std::vector<Finding> findings = causes_of(planted(gap_ns, plant));
  const Finding* launch = find_made(findings, "trace.launch_bound");
  ASSERT_NE(launch, nullptr);
  EXPECT_NEAR(*launch->gain_ns, 0.75 * double(gap_ns), 0.01 * double(gap_ns));
  const Finding* allocations = find_made(findings, "trace.allocations");
  ASSERT_NE(allocations, nullptr);
  EXPECT_NEAR(*allocations->gain_ns, 0.25 * double(gap_ns), 0.01 * double(gap_ns));
  ASSERT_GE(launch->places.size(), 2U);
  EXPECT_EQ(launch->places[0].name, "aten::add_");
  EXPECT_TRUE(
      std::is_sorted(launch->places.begin(), launch->places.end(),
                     [](const auto& a, const auto& b) { return a.duration_ns > b.duration_ns; }));
}

TEST(PlantedCauses, ManyTinyKernelsAreNamed) {
  const auto tiny = [](std::int64_t kernel_ns) {
    return [kernel_ns](PlantedStep& step) {
      step.trace.op("aten::_foreach_add_", step.gap_begin_ns(), step.gap_end_ns());
      for (std::int64_t at = step.gap_begin_ns(); at + 30'000 < step.gap_end_ns(); at += 30'000) {
        step.trace.called(step.trace.kernel("tiny", at + 10'000, at + 10'000 + kernel_ns),
                          "cudaLaunchKernel", at, at + 8'000);
      }
    };
  };
  const auto findings = causes_of(planted(gap_at(0.4), tiny(4'000)));
  const Finding* found = find_made(findings, "trace.tiny_kernels");
  ASSERT_NE(found, nullptr);
  EXPECT_GT(found->value, 0.99);
  // Of each 30 us the device works 4.
  EXPECT_NEAR(*found->gain_ns, 26.0 / 30 * 0.4 * double(kStepNs), 0.1 * 0.4 * double(kStepNs));
  EXPECT_EQ(find_made(causes_of(planted(gap_at(0.4), tiny(12'000))), "trace.tiny_kernels"),
            nullptr);
}

TEST(PlantedCauses, ALowUtilizationNamesItsLargestCause) {
  const std::vector<Finding> low = causes_of(planted(gap_at(0.6), loading));
  const Finding* found = find_made(low, "trace.low_gpu_utilization");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->value, 0.4, 0.001);
  EXPECT_THAT(found->text, ::testing::HasSubstr("loading data"));
  EXPECT_THAT(found->text, ::testing::HasSubstr("of 30 equal parts of the time"));
  EXPECT_EQ(find_made(causes_of(planted(gap_at(0.48), loading)), "trace.low_gpu_utilization"),
            nullptr);
}

TEST(PlantedCauses, ALongGapOfTheDeviceIsNamedAcrossSteps) {
  constexpr std::int64_t kLongStep = 2'000'000'000;
  const auto made = [](std::int64_t gap_ns) {
    return causes_of(planted(gap_ns, loading, kLongStep));
  };
  const std::vector<Finding> findings = made(600'000'000);
  const Finding* found = find_made(findings, "trace.gpu_gaps");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 6e8);
  EXPECT_EQ(find_made(made(400'000'000), "trace.gpu_gaps"), nullptr);
}

TEST(PlantedCauses, ASlowFirstBatchIsNamed) {
  const auto trace = [](std::int64_t times) {
    return planted(gap_at(0.2), [times](PlantedStep& step) {
      const std::int64_t each_ns = step.gap_ns / 10;
      step.trace.loading(step.gap_begin_ns(),
                         step.gap_begin_ns() + (step.number == 0 ? times : 1) * each_ns);
    });
  };
  const std::vector<Finding> findings = causes_of(trace(8));
  const Finding* found = find_made(findings, "trace.slow_first_batch");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 8);
  EXPECT_EQ(find_made(causes_of(trace(4)), "trace.slow_first_batch"), nullptr);
}

TEST(PlantedCauses, WorkersOfAForeignTraceAreUndecided) {
  const auto trace = planted(gap_at(0.2), [](PlantedStep& step) {
    step.trace.row(step.trace.main, trace::EventKind::kAnnotation,
                   "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                   step.gap_begin_ns(), step.gap_end_ns());
  });
  const std::vector<Finding> findings = causes_of(trace);
  const auto workers = std::find_if(findings.begin(), findings.end(), [](const Finding& each) {
    return each.id == "trace.loader_workers";
  });
  ASSERT_NE(workers, findings.end());
  EXPECT_THAT(workers->undecided, ::testing::HasSubstr("not in this trace"));
}

// Steps take in turns 100 ms and more.
trace::Trace uneven(std::int64_t more_ns) {
  TraceMaker trace;
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < 14; ++number) {
    const std::int64_t end_ns = at_ns + kStepNs + (number % 2) * more_ns;
    trace.step(number, at_ns, end_ns);
    trace.op("aten::conv2d", at_ns, end_ns);
    trace.called(trace.kernel("work", at_ns + 10, end_ns), "cudaLaunchKernel", at_ns + 2,
                 at_ns + 6);
    at_ns = end_ns;
  }
  return trace.finish();
}

TEST(PlantedCauses, UnstableStepsAreNamedWithThePartThatVaries) {
  const std::vector<Finding> findings = causes_of(uneven(kStepNs / 4));
  EXPECT_EQ(findings.front().id, "trace.unstable_steps");
  EXPECT_THAT(findings.front().text, ::testing::HasSubstr("mostly compute varies"));
  EXPECT_NEAR(findings.front().value, 0.25 / 1.125, 0.01);
  EXPECT_NEAR(*findings.front().gain_ns, 0.125 * double(kStepNs), 0.01 * double(kStepNs));
  EXPECT_EQ(find_made(causes_of(uneven(kStepNs / 13)), "trace.unstable_steps"), nullptr);
}

TEST(PlantedCauses, AFirstStepThatIsUnlikeTheOthersIsNamed) {
  const auto trace = [](double share, double of_last = 0) {
    TraceMaker made;
    std::int64_t at_ns = 1'000'000'000;
    for (std::int64_t number = 0; number < 8; ++number) {
      const std::int64_t end_ns = at_ns + kStepNs +
                                  (number == 0   ? gap_at(share)
                                   : number == 7 ? gap_at(of_last)
                                                 : 0);
      made.step(number, at_ns, end_ns);
      made.op("aten::conv2d", at_ns, end_ns);
      made.called(made.kernel("work", at_ns + 10, end_ns), "cudaLaunchKernel", at_ns + 2,
                  at_ns + 6);
      at_ns = end_ns;
    }
    return made.finish();
  };
  const std::vector<Finding> findings = causes_of(trace(0.5));
  const Finding* found = find_made(findings, "trace.edge_step_bias");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->value, 0.5, 1e-6);
  EXPECT_EQ(find_made(causes_of(trace(0.08)), "trace.edge_step_bias"), nullptr);
  const std::vector<Finding> both = causes_of(trace(0.5, 0.83));
  const Finding* two = find_made(both, "trace.edge_step_bias");
  ASSERT_NE(two, nullptr);
  EXPECT_THAT(two->text, ::testing::HasSubstr("the first recorded step took +50.0 % and the last "
                                              "recorded step took +83.0 % against"));
  EXPECT_EQ(two->places.size(), 2U);
}

TEST(PlantedCauses, WorkOfTheProfilerIsNamed) {
  const auto trace = [](double share, const char* name = "Activity Buffer Request") {
    return planted(0, [=](PlantedStep& step) {
      step.trace.row(step.trace.builder.other_lane("Profiler"), trace::EventKind::kOverhead, name,
                     step.gap_begin_ns(), step.gap_begin_ns() + gap_at(share));
    });
  };
  const std::vector<Finding> findings = causes_of(trace(0.04));
  const Finding* found = find_made(findings, "trace.profiler_overhead");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->value, 0.04, 1e-6);
  EXPECT_EQ(find_made(causes_of(trace(0.008)), "trace.profiler_overhead"), nullptr);
  EXPECT_EQ(find_made(causes_of(trace(0.04, "Command Buffer Full")), "trace.profiler_overhead"),
            nullptr)
      << "the device's queue is full: no doing of the profiler";
}

void add_device(TraceMaker& trace) {
  trace.builder.trace().devices.push_back({.id = 0,
                                           .name = "device",
                                           .total_memory_bytes = std::int64_t{80} << 30,
                                           .compute_major = 9});
}

trace::Trace with_occupancy(double percent) {
  return planted(kStepNs - 10'000'000, [percent](PlantedStep& step) {
    step.trace.op("aten::mm", step.gap_begin_ns(), step.end_ns);
    trace::TraceEvent& kernel = step.trace.kernel("filled", step.gap_begin_ns(), step.end_ns);
    kernel.detail = step.trace.builder.detail(
        trace::KernelDetail{.blocks_per_sm = 0.5, .occupancy_percent = percent});
    step.trace.called(kernel, "cudaLaunchKernel", step.begin_ns + 6, step.begin_ns + 9);
  });
}

TEST(PlantedCauses, LowOccupancyIsNamedWithLowConfidence) {
  const std::vector<Finding> findings = causes_of(with_occupancy(15));
  const Finding* found = find_made(findings, "trace.low_occupancy");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 15);
  EXPECT_TRUE(found->low_confidence);
  EXPECT_EQ(find_made(causes_of(with_occupancy(30)), "trace.low_occupancy"), nullptr);
}

trace::Trace with_product(std::string_view kernel_name) {
  return planted(
      kStepNs - 10'000'000,
      [kernel_name](PlantedStep& step) {
        step.trace.op("aten::mm", step.gap_begin_ns(), step.end_ns);
        step.trace.called(step.trace.kernel(kernel_name, step.gap_begin_ns() + 20, step.end_ns),
                          "cudaLaunchKernel", step.gap_begin_ns() + 2, step.gap_begin_ns() + 9);
      },
      kStepNs, add_device);
}

TEST(PlantedCauses, ProductsWithoutTensorCoresAreNamed) {
  const std::vector<Finding> findings = causes_of(with_product("sgemm_32x32x32_NN"));
  const Finding* found = find_made(findings, "trace.tensor_cores_unused");
  ASSERT_NE(found, nullptr);
  EXPECT_GT(found->value, 0.8);
  EXPECT_EQ(find_made(causes_of(with_product("ampere_fp16_s16816gemm_fp16_64x64")),
                      "trace.tensor_cores_unused"),
            nullptr);
}

TEST(PlantedCauses, MemoryNearItsLimitIsNamed) {
  const auto trace = [](double share) {
    return planted(0, nothing, kStepNs, [share](TraceMaker& made) {
      add_device(made);
      const auto bytes = std::int64_t(share * double(std::int64_t{80} << 30));
      made.builder.add(trace::TraceMemory{.at_ns = 1'100'000'000,
                                          .bytes = bytes,
                                          .address = 16,
                                          .total_allocated = bytes,
                                          .total_reserved = bytes,
                                          .lane = made.main,
                                          .device = 0});
    });
  };
  const std::vector<Finding> findings = causes_of(trace(0.95));
  const Finding* found = find_made(findings, "trace.memory_near_limit");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->value, 0.95, 1e-6);
  EXPECT_EQ(find_made(causes_of(trace(0.7)), "trace.memory_near_limit"), nullptr);
}

TEST(PlantedCauses, WorkThatBeginsLateOnAnIdleDeviceIsNamed) {
  const auto trace = [](std::int64_t gap_ns) {
    return planted(gap_ns, [](PlantedStep& step) {
      step.trace.op("aten::relu", step.gap_begin_ns(), step.gap_end_ns());
      step.trace.called(step.trace.kernel("late", step.gap_end_ns() - 1'000, step.gap_end_ns()),
                        "cudaLaunchKernel", step.gap_begin_ns(), step.gap_begin_ns() + 10);
    });
  };
  const std::vector<Finding> findings = causes_of(trace(gap_at(0.05)));
  const Finding* found = find_made(findings, "trace.launch_delay");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->value, 0.05, 0.005);
  EXPECT_EQ(find_made(causes_of(trace(gap_at(0.008))), "trace.launch_delay"), nullptr);
}

TEST(PlantedCauses, AFullLaunchQueueIsNamed) {
  const auto trace = [](int launches) {
    return planted(kStepNs - 10'000'000, [launches](PlantedStep& step) {
      step.trace.op("aten::relu", step.gap_begin_ns(), step.end_ns);
      const std::int64_t each_ns = (step.end_ns - step.gap_begin_ns()) / launches;
      for (int i = 0; i < launches; ++i) {
        const std::int64_t begin_ns = step.gap_begin_ns() + i * each_ns;
        step.trace.called(step.trace.kernel("queued", begin_ns, begin_ns + each_ns),
                          "cudaLaunchKernel", step.begin_ns + 10 + i, step.begin_ns + 11 + i);
      }
    });
  };
  EXPECT_NE(find_made(causes_of(trace(1'200)), "trace.launch_queue_full"), nullptr);
  EXPECT_EQ(find_made(causes_of(trace(900)), "trace.launch_queue_full"), nullptr);
}

TEST(PlantedCauses, OfATraceWithoutADeviceAreOfTheHost) {
  TraceMaker trace;
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < 8; ++number) {
    trace.step(number, at_ns, at_ns + kStepNs);
    trace.loading(at_ns, at_ns + gap_at(0.3));
    trace.op("aten::conv2d", at_ns + gap_at(0.3), at_ns + kStepNs);
    at_ns += kStepNs;
  }
  const std::vector<Finding> findings = causes_of(trace.finish());
  EXPECT_EQ(findings.front().id, "trace.data_exposed");
  EXPECT_THAT(findings.front().text, ::testing::StartsWith("the step waits for data 30.0 %"));
  const Finding* launches = find_made(findings, "trace.launch_bound");
  EXPECT_EQ(launches, nullptr) << "the host's own work is no wait";
}

TEST(TraceRules, CoverAllOfNsightsRules) {
  std::set<std::string_view> covered;
  std::set<std::string_view> ids;
  for (const TraceRule& rule : trace_rules()) {
    covered.insert(rule.nsys);
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_GT(rule.threshold, 0) << rule.id;
  }
  for (const char* rule : {"cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync",
                           "cuda_api_sync", "gpu_gaps", "gpu_time_util"}) {
    EXPECT_TRUE(covered.contains(rule)) << rule;
  }
}

}  // namespace
}  // namespace stepbench::analyze
