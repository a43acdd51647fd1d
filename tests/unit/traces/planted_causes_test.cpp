// SPDX-License-Identifier: Apache-2.0
// Every rule on traces with one cause of known size: above its threshold it comes first with the
// right size, below it is silent.
#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/traces/planted_trace.h"

namespace stepbench::traces {
namespace {

// Causes that delay the device: the gap of each step is the possible gain. Rows in thousandths of
// the gap.
struct Cause {
  std::string_view id;
  const char* rows;
};

constexpr const char* kPageable = "copy up 0 1000 bytes=1048576 < cudaMemcpyAsync 0 1000";
constexpr const char* kSynchronise = "op aten::item 0 1000; call cudaStreamSynchronize 0 1000";
constexpr const char* kAllocate = "op aten::empty 0 1000; call cudaMalloc 0 1000";

// Some copies are as in torch's copy_ without non_blocking: the call returns, and the operation
// waits.
constexpr Cause kTimed[] = {
    {"trace.data_exposed", "load 0 1000"},
    {"trace.pageable_copies", kPageable},
    {"trace.pageable_copies",
     "op aten::copy_ 0 1000; call cudaStreamSynchronize 999 1000; "
     "copy up 0 999 bytes=1048576 < cudaMemcpyAsync 0 999"},
    {"trace.blocking_copies", "copy down 0 1000 bytes=1048576 < cudaMemcpy 0 1000"},
    {"trace.blocking_copies",
     "op aten::copy_ 0 1000; call cudaStreamSynchronize 1 1000; "
     "copy pinned 0 500 bytes=1048576 < cudaMemcpyAsync 0 1"},
    {"trace.copy_exposed",
     "op aten::relu 0 1000; "
     "copy pinned 0 1000 bytes=1048576 < cudaMemcpyAsync -2 -1"},
    {"trace.blocking_sets", "call cudaMemset 0 1000"},
    {"trace.launch_bound", "op aten::add_ 0 1000"},
    {"trace.sync_bound", kSynchronise},
    {"trace.allocations", kAllocate},
    {"trace.communication_exposed",
     "op aten::relu 0 1000; "
     "kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 0 1000 stream=30"},
    {"trace.unattributed", ""}};

double threshold_of(std::string_view id) {
  for (const TraceRule& rule : trace_rules()) {
    if (rule.id == id) return rule.threshold;
  }
  ADD_FAILURE() << "no rule " << id;
  return 0;
}

std::int64_t gap_at(double share) { return std::int64_t(share * double(kStepNs)); }

TEST(PlantedCauses, AboveThreshold_AreNamedFirst) {
  for (const Cause& cause : kTimed) {
    SCOPED_TRACE(std::string(cause.id) + ": " + cause.rows);
    for (const double times : {1.2, 2.0, 4.0}) {
      const std::int64_t gap_ns = gap_at(times * threshold_of(cause.id));
      const std::vector<Finding> findings = causes_of(planted(gap_ns, in_gap(cause.rows)));
      ASSERT_FALSE(findings.empty());
      EXPECT_EQ(findings.front().id, cause.id) << "x" << times << ": " << findings.front().text;
      const Finding* made = find_made(findings, cause.id);
      ASSERT_TRUE(made != nullptr && made->gain_ns);
      EXPECT_NEAR(*made->gain_ns, double(gap_ns), 0.1 * double(gap_ns));
      EXPECT_FALSE(made->remedy.empty());
      EXPECT_EQ(made->window, "host_step");
      EXPECT_TRUE(made->set.empty()) << "nothing of ours can be set for a foreign trace";
    }
    const std::int64_t below_ns = gap_at(0.8 * threshold_of(cause.id));
    EXPECT_EQ(find_made(causes_of(planted(below_ns, in_gap(cause.rows))), cause.id), nullptr);
  }
  for (const Finding& finding : causes_of(planted(0, in_gap("")))) {
    EXPECT_FALSE(finding.undecided.empty()) << finding.id << ": " << finding.text;
  }
}

// Eight steps, or `steps`, in which the device always works, of lengths `length_ns`.
traces::Trace steps_of(std::int64_t steps,
                       const std::function<std::int64_t(std::int64_t number)>& length_ns) {
  TraceMaker trace;
  std::int64_t at_ns = 1'000 * kMs;
  for (std::int64_t number = 0; number < steps; ++number) {
    const std::int64_t end_ns = at_ns + length_ns(number);
    trace.step(number, at_ns, end_ns);
    trace.op("aten::conv2d", at_ns, end_ns);
    trace.called(trace.kernel("work", at_ns + 10, end_ns), "cudaLaunchKernel", at_ns + 2,
                 at_ns + 6);
    at_ns = end_ns;
  }
  return trace.finish();
}

traces::Trace tiny_kernels(double kernel_ns) {
  return planted(gap_at(0.4), [&](PlantedStep& step) {
    step.trace.op("aten::_foreach_add_", step.gap_begin_ns(), step.gap_end_ns());
    for (std::int64_t at = step.gap_begin_ns(); at + 30'000 < step.gap_end_ns(); at += 30'000) {
      step.trace.called(
          step.trace.kernel("tiny", at + 10'000, at + 10'000 + std::int64_t(kernel_ns)),
          "cudaLaunchKernel", at, at + 8'000);
    }
  });
}

traces::Trace long_gap(double gap_ns) {
  return planted(std::int64_t(gap_ns), in_gap("load 0 1000"), 2'000 * kMs);
}

traces::Trace slow_first_batch(double times) {
  return planted(gap_at(0.2), [times](PlantedStep& step) {
    const std::string end = step.number == 0 ? std::to_string(int(100 * times)) : "100";
    in_gap("load 0 " + end)(step);
  });
}

traces::Trace unstable(double more) {
  return steps_of(14, [=](std::int64_t number) { return kStepNs + number % 2 * gap_at(more); });
}

traces::Trace edges(double of_first, double of_last = 0) {
  return steps_of(8, [=](std::int64_t number) {
    return kStepNs + (number == 0 ? gap_at(of_first) : number == 7 ? gap_at(of_last) : 0);
  });
}

traces::Trace overhead(double share, const char* name) {
  return planted(0, [=](PlantedStep& step) {
    step.trace.row(step.trace.builder.other_lane("Profiler"), traces::EventKind::kOverhead, name,
                   step.gap_begin_ns(), step.gap_begin_ns() + gap_at(share));
  });
}

void add_device(TraceMaker& trace) {
  trace.builder.trace().devices.push_back({.id = 0,
                                           .name = "device",
                                           .total_memory_bytes = std::int64_t{80} << 30,
                                           .compute_major = 9});
}

traces::Trace with_occupancy(double percent) {
  return planted(kStepNs - 10 * kMs,
                 in_gap("op aten::mm 0 1000; kernel filled 0 1000 blocks=0.5 occupancy=" +
                        std::to_string(percent) + " < -8 -7"));
}

traces::Trace with_product(const std::string& kernel) {
  return planted(kStepNs - 10 * kMs,
                 in_gap("op aten::mm 0 1000; kernel " + kernel + " 2 1000 < 0 1"), kStepNs,
                 add_device);
}

traces::Trace with_memory(double share) {
  return planted(0, in_gap(""), kStepNs, [share](TraceMaker& made) {
    add_device(made);
    const auto bytes = std::int64_t(share * double(std::int64_t{80} << 30));
    made.builder.add(traces::TraceMemory{.at_ns = 1'100 * kMs,
                                         .bytes = bytes,
                                         .address = 16,
                                         .total_allocated = bytes,
                                         .total_reserved = bytes,
                                         .lane = made.main,
                                         .device = 0});
  });
}

traces::Trace late_launch(double share) {
  return planted(gap_at(share), in_gap("op aten::relu 0 1000; kernel late 999 1000 < 0 1"));
}

traces::Trace full_queue(double launches) {
  return planted(kStepNs - 10 * kMs, [launches](PlantedStep& step) {
    step.trace.op("aten::relu", step.gap_begin_ns(), step.end_ns);
    const std::int64_t each_ns = (step.end_ns - step.gap_begin_ns()) / int(launches);
    for (int i = 0; i < int(launches); ++i) {
      const std::int64_t begin_ns = step.gap_begin_ns() + i * each_ns;
      step.trace.called(step.trace.kernel("queued", begin_ns, begin_ns + each_ns),
                        "cudaLaunchKernel", step.begin_ns + 10 + i, step.begin_ns + 11 + i);
    }
  });
}

// A cause without a gap: the plant, the size at which it is named with `value`, and one at which it
// is not.
struct Sized {
  std::string_view id;
  traces::Trace (*trace)(double);
  double named;
  double silent;
  double value;
  double tolerance;
};

constexpr Sized kSized[] = {
    {"trace.tiny_kernels", tiny_kernels, 4'000, 12'000, 1, 0.01},
    {"trace.low_gpu_utilization",
     [](double share) { return planted(gap_at(share), in_gap("load 0 1000")); }, 0.6, 0.48, 0.4,
     0.001},
    {"trace.gpu_gaps", long_gap, 6e8, 4e8, 6e8, 0},
    {"trace.slow_first_batch", slow_first_batch, 8, 4, 8, 0},
    {"trace.unstable_steps", unstable, 0.25, 0.077, 0.25 / 1.125, 0.01},
    {"trace.edge_step_bias", [](double share) { return edges(share); }, 0.5, 0.08, 0.5, 1e-6},
    {"trace.profiler_overhead",
     [](double share) { return overhead(share, "Activity Buffer Request"); }, 0.04, 0.008, 0.04,
     1e-6},
    {"trace.low_occupancy", with_occupancy, 15, 30, 15, 0},
    {"trace.memory_near_limit", with_memory, 0.95, 0.7, 0.95, 1e-6},
    {"trace.launch_delay", late_launch, 0.05, 0.008, 0.05, 0.005},
    {"trace.launch_queue_full", full_queue, 1'200, 900, 1'200, 1'200},
};

TEST(PlantedCauses, OtherKinds_AreNamedWithSize) {
  for (const Sized& each : kSized) {
    SCOPED_TRACE(each.id);
    const std::vector<Finding> findings = causes_of(each.trace(each.named));
    const Finding* made = find_made(findings, each.id);
    ASSERT_NE(made, nullptr);
    EXPECT_NEAR(made->value, each.value, each.tolerance);
    EXPECT_TRUE(made->low_confidence || each.id != "trace.low_occupancy");
    EXPECT_EQ(find_made(causes_of(each.trace(each.silent)), each.id), nullptr);
  }
}

TEST(PlantedCauses, OtherKinds_HaveAGain) {
  // The device works for 4 of each 30 us.
  EXPECT_NEAR(*find_made(causes_of(tiny_kernels(4'000)), "trace.tiny_kernels")->gain_ns,
              26.0 / 30 * 0.4 * double(kStepNs), 0.1 * 0.4 * double(kStepNs));
  const Finding varies = causes_of(unstable(0.25)).front();
  EXPECT_EQ(varies.id, "trace.unstable_steps");
  EXPECT_NEAR(*varies.gain_ns, 0.125 * double(kStepNs), 0.01 * double(kStepNs));
  EXPECT_THAT(varies.text, HasSubstr("mostly compute varies"));
  const std::vector<Finding> both = causes_of(edges(0.5, 0.83));
  const Finding* two = find_made(both, "trace.edge_step_bias");
  ASSERT_NE(two, nullptr);
  EXPECT_THAT(two->text, HasSubstr("the last recorded step took +83.0 %"));
  EXPECT_EQ(two->places.size(), 2U);
}

TEST(PlantedCauses, DeviceControls_AreSilent) {
  EXPECT_EQ(find_made(causes_of(overhead(0.04, "Command Buffer Full")), "trace.profiler_overhead"),
            nullptr)
      << "the device's queue is full: no doing of the profiler";
  const std::vector<Finding> single = causes_of(with_product("sgemm_32x32x32_NN"));
  const Finding* unused = find_made(single, "trace.tensor_cores_unused");
  ASSERT_NE(unused, nullptr);
  EXPECT_GT(unused->value, 0.8);
  EXPECT_EQ(find_made(causes_of(with_product("ampere_fp16_s16816gemm_fp16_64x64")),
                      "trace.tensor_cores_unused"),
            nullptr);
  // A launch waits while rows run that no recorded call launched.
  for (const bool busy : {false, true}) {
    const std::string orphan = busy ? "kernel orphan 0 999; " : "";
    const auto trace = planted(gap_at(0.2), in_gap(orphan + "kernel late 999 1000 < -1 0"));
    EXPECT_EQ(find_made(causes_of(trace), "trace.launch_delay") == nullptr, busy);
  }
}

// cudaFree waits for the device: its time during device work cannot be gained.
TEST(PlantedCauses, Allocations_GainTheDeviceWaitOnly) {
  const auto with_free = [](const char* rows) {
    return [rows](PlantedStep& step) {
      step.trace.call("cudaFree", step.gap_begin_ns() - 5 * kMs, step.gap_begin_ns() - 1'000);
      in_gap(rows)(step);
    };
  };
  const std::vector<Finding> findings = causes_of(planted(gap_at(0.05), with_free(kAllocate)));
  const Finding* made = find_made(findings, "trace.allocations");
  ASSERT_NE(made, nullptr);
  EXPECT_NEAR(*made->gain_ns, double(gap_at(0.05)), 0.1 * double(gap_at(0.05)));
  EXPECT_EQ(find_made(causes_of(planted(0, with_free(""))), "trace.allocations"), nullptr);
}

TEST(PlantedCauses, UserThreshold_Applies) {
  const traces::Trace trace = planted(gap_at(0.03), in_gap("load 0 1000"));
  EXPECT_EQ(find_made(causes_of(trace), "trace.data_exposed"), nullptr);
  EXPECT_NE(find_made(causes_of(trace, {.thresholds = thresholds_of({"data_exposed=2%"})}),
                      "trace.data_exposed"),
            nullptr);
  EXPECT_THROW((void)thresholds_of({"data_expose=2%"}), ConfigError);
}

TEST(PlantedCauses, OwnRun_ProposesAnUnsetOption) {
  const traces::Trace trace = planted(gap_at(0.2), in_gap(kPageable));
  const Finding off = causes_of(trace, {.options = {{"loader.pin_memory", false}}}).front();
  ASSERT_EQ(off.set.size(), 1U);
  EXPECT_EQ(off.set.front().option, "loader.pin_memory");
  const Finding on = causes_of(trace, {.options = {{"loader.pin_memory", true}}}).front();
  EXPECT_TRUE(on.set.empty());
}

// Text and place of the first finding.
struct Named {
  const char* rows;
  std::string_view id;
  const char* text;
  const char* place;  // of the first one
  std::int64_t duration_ns;
};

// The gap is 20 ms.
constexpr Named kNamed[] = {
    {kSynchronise, "trace.sync_bound", "aten::item", "aten::item", 20 * kMs},
    {kPageable, "trace.pageable_copies", "memory: 1 per step, 1.00 MiB",
     "for Memcpy HtoD (Pageable -> Device)", 20 * kMs},
    {"op aten::add_ 0 1000; kernel tiny_add 999 1000 < 0 998", "trace.launch_bound", "",
     "cudaLaunchKernel in aten::add_ for tiny_add", 998 * kMs / 50},
    {"python 'train.py(10): main' 0 1000; python '<built-in function sleep>' 0 600; "
     "python 'video.py(7): decode' 600 900; python 'numpy/core.py(1): step' 600 700; "
     "python 'numpy/core.py(1): step' 700 800; python 'numpy/core.py(1): step' 800 900; "
     "python 'train.py(90): log' 900 1000",
     "trace.unattributed",
     "12.0 ms in <built-in function sleep>, called at train.py(10): main, 6.00 ms in video.py(7): "
     "decode",
     "<built-in function sleep>", 12 * kMs},
    {"python 'train.py(10): main' 0 1000; python 'torch/serialization.py(940): save' 1 999; "
     "python 'torch/serialization.py(1200): _save' 2 998; "
     "python '<built-in method write_record of PyTorchFileWriter>' 3 997",
     "trace.unattributed", "in torch/serialization.py(940): save, called at train.py(10): main", "",
     -1},
};

TEST(PlantedCauses, EachFinding_NamesCallAndPlace) {
  for (const Named& each : kNamed) {
    SCOPED_TRACE(each.rows);
    const Finding first = causes_of(planted(20 * kMs, in_gap(each.rows))).front();
    EXPECT_EQ(first.id, each.id);
    EXPECT_NEAR(*first.gain_ns, 20.0 * kMs, 0.2 * kMs);
    EXPECT_THAT(first.text, HasSubstr(each.text));
    EXPECT_EQ(first.remedy.find("with_stack"), std::string::npos) << "it is recorded, or no use";
    ASSERT_FALSE(first.places.empty());
    EXPECT_THAT(first.places.front().name, HasSubstr(each.place));
    if (each.duration_ns >= 0) {
      EXPECT_EQ(first.places.front().duration_ns, each.duration_ns);
    }
    EXPECT_GE(first.places.front().step, 1);
  }
  EXPECT_THAT(causes_of(planted(20 * kMs, in_gap(""))).front().remedy,
              HasSubstr("with_stack=True"));
}

// Small results of .item() and .to("cpu"), 15 times: the copying call waits, without a
// synchronising one. Pinning does not help. Large ones are transfers.
TEST(PlantedCauses, SmallReads_AreWaits) {
  const auto reads = [](const std::string& bytes) {
    return causes_of(planted(60 * kMs, [&](PlantedStep& step) {
      for (std::int64_t i = 0; i < 15; ++i) {
        draw(step.trace,
             "python 'train.py(31): evaluate' 0 4000000; op aten::to 0 4000000; "
             "op aten::copy_ 10 3999990; call cudaStreamSynchronize 3999200 3999980; "
             "copy 'Memcpy DtoH (Device -> Pageable)' 3998000 3999000 bytes=" +
                 bytes + " < cudaMemcpyAsync 20 3999100",
             1, step.gap_begin_ns() + 4 * kMs * i);
      }
    }));
  };
  const std::vector<Finding> small = reads("1800");
  EXPECT_EQ(small.front().id, "trace.sync_bound");
  EXPECT_NEAR(*small.front().gain_ns, 60.0 * kMs, 0.6 * kMs);
  EXPECT_THAT(small.front().text, HasSubstr("small results are read 15 times"));
  EXPECT_THAT(small.front().text, HasSubstr("in aten::to, called at train.py(31): evaluate"));
  EXPECT_EQ(find_made(small, "trace.pageable_copies"), nullptr);
  EXPECT_EQ(reads("8388608").front().id, "trace.pageable_copies");
}

// Half of the gap is a call in which the host waits while the device works; then the host prepares
// the work that the device waits for.
TEST(PlantedCauses, LostLead_CountsTheLaterWait) {
  const Finding first =
      causes_of(planted(gap_at(0.06), in_gap("call cudaDeviceSynchronize -1000 500; "
                                             "op aten::add_ 500 1000")))
          .front();
  EXPECT_EQ(first.id, "trace.sync_bound");
  EXPECT_NEAR(*first.gain_ns, double(gap_at(0.06)), 0.01 * double(gap_at(0.06)));
}

// A quarter of each gap is an allocation, a quarter a launching call, and half an operator.
TEST(PlantedCauses, Allocation_CountsOnce) {
  const double gap_ns = double(gap_at(0.4));
  const std::vector<Finding> findings = causes_of(
      planted(gap_at(0.4), in_gap("op aten::empty 0 250; call cudaMalloc 0 250; "
                                  "call cudaLaunchKernel 250 500; op aten::add_ 500 1000")));
  const Finding* launch = find_made(findings, "trace.launch_bound");
  const Finding* allocations = find_made(findings, "trace.allocations");
  ASSERT_TRUE(launch != nullptr && allocations != nullptr);
  EXPECT_NEAR(*launch->gain_ns, 0.75 * gap_ns, 0.01 * gap_ns);
  EXPECT_NEAR(*allocations->gain_ns, 0.25 * gap_ns, 0.01 * gap_ns);
  ASSERT_GE(launch->places.size(), 2U);
  EXPECT_EQ(launch->places[0].name, "aten::add_");
  EXPECT_TRUE(
      std::is_sorted(launch->places.begin(), launch->places.end(),
                     [](const auto& a, const auto& b) { return a.duration_ns > b.duration_ns; }));
}

TEST(PlantedCauses, LowUtilization_NamesTheKnownCause) {
  const auto findings = causes_of(
      planted(gap_at(0.6),
              in_gap("note enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ 0 1000")));
  const Finding* low = find_made(findings, "trace.low_gpu_utilization");
  ASSERT_NE(low, nullptr);
  EXPECT_THAT(low->text, HasSubstr("loading data"));
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const Finding& each) {
    return each.id == "trace.loader_workers" && !each.undecided.empty();
  })) << "a foreign trace does not have them";
}

TEST(PlantedCauses, TraceWithoutADevice_IsOfTheHost) {
  TraceMaker trace;
  for (std::int64_t i = 0; i < 8; ++i) {
    trace.step(i, 1'000 * kMs + i * kStepNs, 1'000 * kMs + (i + 1) * kStepNs);
    draw(trace, "load 0 30; op aten::conv2d 30 100", kMs, 1'000 * kMs + i * kStepNs);
  }
  const std::vector<Finding> findings = causes_of(trace.finish());
  EXPECT_EQ(findings.front().id, "trace.data_exposed");
  EXPECT_NEAR(*findings.front().gain_ns, 30.0 * kMs, 1);
  EXPECT_EQ(find_made(findings, "trace.launch_bound"), nullptr) << "the host's own work is no wait";
}

TEST(TraceRules, NsightRules_AreAllCovered) {
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
}  // namespace stepbench::traces
