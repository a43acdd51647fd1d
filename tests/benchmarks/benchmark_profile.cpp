// SPDX-License-Identifier: Apache-2.0
// Cost of recording operations on a step of many small ones: nothing, an empty observer, the native
// collector and libtorch's profiler in turns, so that a drift of the machine affects all alike.
// Reports medians over rounds of the time added per event.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/ops/op_table.h"
#include "harness/os/process.h"
#include "harness/stats/order_statistics.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"
#include "tests/benchmarks/profiled_step.h"
#include "workloads/model/module_scope.h"
#include "workloads/profile/internal/kineto_collector.h"
#include "workloads/profile/internal/native_collector.h"

namespace {

using namespace stepbench;

constexpr int kRounds = 25;
constexpr int kWarm = 3;
constexpr int kSteps = 20;

std::int64_t now_ns() { return HostClock().now_ns(); }

double ns_per_step(LaunchBoundStep& step) {
  const std::int64_t began = now_ns();
  for (int i = 0; i < kSteps; ++i) step.run();
  return static_cast<double>(now_ns() - began) / kSteps;
}

void warm(LaunchBoundStep& step) {
  for (int i = 0; i < kWarm; ++i) step.run();
}

struct Taken {
  double step_ns = 0;
  double table_ns = 0;  // from the last step to the table
  double events = 0;    // per step
};

Taken collect(LaunchBoundStep& step, profile::OpCollector& collector,
              std::vector<ops::OpRow>* rows = nullptr, ops::OpTable* table = nullptr) {
  Taken taken;
  collector.start();
  warm(step);
  collector.begin_window(1.1 * kSteps / kWarm);
  taken.step_ns = ns_per_step(step);
  const std::int64_t last = now_ns();
  collector.end_window();
  const ops::OpLog log = collector.take();
  ops::OpTable made = traces::op_table_of(traces::trace_of(log));
  taken.table_ns = static_cast<double>(now_ns() - last);
  taken.events = static_cast<double>(log.ops.size()) / kSteps;
  if (rows != nullptr) *rows = ops::grouped(made.rows, {});
  if (table != nullptr) *table = std::move(made);
  return taken;
}

constexpr profile::OpCollectorOptions kPlain{.shapes = false, .memory = false, .modules = false};
constexpr profile::OpCollectorOptions kFull{.shapes = true, .memory = true, .modules = false};

enum Arm { kNone, kEmpty, kNative, kNativeFull, kKineto, kKinetoFull, kArms };

Taken run_arm(Arm arm, LaunchBoundStep& step) {
  const auto kineto = [&](bool full) {
    Taken taken;
    BareKineto bare(full, full, full);
    bare.begin();
    warm(step);
    taken.step_ns = ns_per_step(step);
    bare.end();
    return taken;
  };
  switch (arm) {
    case kEmpty: {
      const EmptyObserver observer;
      warm(step);
      return {.step_ns = ns_per_step(step)};
    }
    case kNative: {
      profile::NativeCollector collector(kPlain);
      return collect(step, collector);
    }
    case kNativeFull: {
      profile::NativeCollector collector(kFull);
      return collect(step, collector);
    }
    case kKineto:
      return kineto(false);
    case kKinetoFull:
      return kineto(true);
    default:
      warm(step);
      return {.step_ns = ns_per_step(step)};
  }
}

const char* verdict(bool passed) { return passed ? "passed" : "failed"; }

void added_per_event(benchmark::State& state) {
  for (auto _ : state) {
    LaunchBoundStep step;
    std::array<std::vector<double>, kArms> added;
    std::vector<double> bare;
    double events = 1;
    for (int round = 0; round < kRounds; ++round) {
      std::array<double, kArms> ns{};
      for (int i = 0; i < kArms; ++i) {
        const auto arm = static_cast<Arm>(round % 2 == 0 ? i : kArms - 1 - i);
        const Taken taken = run_arm(arm, step);
        ns[arm] = taken.step_ns;
        if (arm == kNative) events = taken.events;
      }
      bare.push_back(ns[kNone]);
      for (int i = 0; i < kArms; ++i)
        added[static_cast<std::size_t>(i)].push_back(ns[static_cast<std::size_t>(i)] - ns[kNone]);
    }
    const auto per_event = [&](Arm arm) { return stats::median(added[arm]) / events; };
    state.counters["step_us"] = stats::median(bare) / 1000;
    state.counters["events"] = events;
    state.counters["empty_ns"] = per_event(kEmpty);
    state.counters["native_ns"] = per_event(kNative);
    state.counters["kineto_ns"] = per_event(kKineto);
    state.counters["native_full_ns"] = per_event(kNativeFull);
    state.counters["kineto_full_ns"] = per_event(kKinetoFull);
    const double plain = per_event(kNative) / per_event(kKineto);
    const double full = per_event(kNativeFull) / per_event(kKinetoFull);
    const double above_empty = per_event(kNative) - per_event(kEmpty);
    state.counters["ratio"] = plain;
    state.counters["ratio_full"] = full;
    state.counters["above_empty_ns"] = above_empty;
    state.SetLabel(verdict(plain <= 0.75 && full <= 0.65 && above_empty <= 150));
  }
}
BENCHMARK(added_per_event)->Iterations(1)->Unit(benchmark::kSecond);

// From the last step to the finished table.
void to_table(benchmark::State& state) {
  for (auto _ : state) {
    LaunchBoundStep step;
    std::vector<double> native_ns;
    std::vector<double> kineto_ns;
    for (int round = 0; round < kRounds; ++round) {
      profile::NativeCollector native(kFull);
      native_ns.push_back(collect(step, native).table_ns);
      profile::KinetoCollector kineto(kFull);
      kineto_ns.push_back(collect(step, kineto).table_ns);
    }
    const double ratio = stats::median(native_ns) / stats::median(kineto_ns);
    state.counters["native_us"] = stats::median(native_ns) / 1000;
    state.counters["kineto_us"] = stats::median(kineto_ns) / 1000;
    state.counters["ratio"] = ratio;
    state.SetLabel(verdict(ratio <= 0.2));
  }
}
BENCHMARK(to_table)->Iterations(1)->Unit(benchmark::kSecond);

std::map<std::string, double> shares_of(LaunchBoundStep& step, profile::OpCollector& collector) {
  std::vector<ops::OpRow> rows;
  ops::OpTable table;
  (void)collect(step, collector, &rows, &table);
  const auto total = static_cast<double>(ops::totals_of(rows).self_cpu_ns);
  std::map<std::string, double> shares;
  for (const ops::OpRow& row : rows)
    shares[std::string(table.text(row.name))] += static_cast<double>(row.self_cpu_ns) / total;
  return shares;
}

// Largest difference between both engines' shares of the operations above 5 %; medians over rounds.
void same_shares(benchmark::State& state) {
  for (auto _ : state) {
    LaunchBoundStep step;
    std::map<std::string, std::vector<double>> native;
    std::map<std::string, std::vector<double>> kineto;
    for (int round = 0; round < kRounds; ++round) {
      profile::NativeCollector first(kPlain);
      for (const auto& [op, share] : shares_of(step, first)) native[op].push_back(share);
      profile::KinetoCollector second(kPlain);
      for (const auto& [op, share] : shares_of(step, second)) kineto[op].push_back(share);
    }
    double most = 0;
    for (const auto& [op, shares] : native) {
      const double ours = stats::median(shares);
      const double theirs = kineto.contains(op) ? stats::median(kineto[op]) : 0;
      if (std::max(ours, theirs) > 0.05) most = std::max(most, std::abs(ours - theirs));
    }
    state.counters["points"] = 100 * most;
    state.SetLabel(verdict(most <= 0.03));
  }
}
BENCHMARK(same_shares)->Iterations(1)->Unit(benchmark::kSecond);

void cycles(benchmark::State& state) {
  constexpr int kCycles = 10'000;
  constexpr int kSettled = 1'000;
  for (auto _ : state) {
    std::int64_t settled = 0;
    for (int i = 0; i < kCycles; ++i) {
      profile::NativeCollector collector(kFull);
      collector.start();
      collector.begin_window(1);
      add_small_tensors(4);
      collector.end_window();
      benchmark::DoNotOptimize(collector.take());
      if (i == kSettled) settled = os::peak_rss_bytes();
    }
    const std::int64_t grown = os::peak_rss_bytes() - settled;
    state.counters["cycles"] = kCycles;
    state.counters["grown_bytes"] = static_cast<double>(grown);
    state.counters["observers"] = observers_installed() ? 1 : 0;
    state.SetLabel(verdict(grown < (std::int64_t{1} << 20) && !observers_installed()));
  }
}
BENCHMARK(cycles)->Iterations(1)->Unit(benchmark::kSecond);

// Cost of a module's scope in a timed step.
void module_scope_unheard(benchmark::State& state) {
  for (auto _ : state) {
    const ModuleScope scope(&state);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(module_scope_unheard);

}  // namespace

BENCHMARK_MAIN();
