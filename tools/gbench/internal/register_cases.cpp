// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/internal/register_cases.h"

#include <benchmark/benchmark.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/gbench/benchmark_names.h"
#include "harness/report/exports.h"
#include "harness/text/printable.h"

namespace stepbench::gbench {

std::optional<record::Launch> LaunchHandOver::measure(const run::Job& job) {
  std::unique_lock lock(mutex_);
  if (ended_) return std::nullopt;
  asked_ = job;
  changed_.notify_all();
  changed_.wait(lock, [this] { return measured_ || ended_; });
  return std::exchange(measured_, std::nullopt);
}

void LaunchHandOver::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool LaunchHandOver::wait_for_first() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return asked_ || closed_; });
  return asked_.has_value();
}

std::optional<run::Job> LaunchHandOver::next(const record::Results& finished) {
  std::unique_lock lock(mutex_);
  if (std::exchange(under_way_, false) && finished.launches.size() > seen_) {
    measured_ = finished.launches.back();
    changed_.notify_all();
  }
  seen_ = finished.launches.size();
  changed_.wait(lock, [this] { return asked_ || closed_; });
  if (!asked_) return std::nullopt;
  under_way_ = true;
  return std::exchange(asked_, std::nullopt);
}

void LaunchHandOver::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

namespace {

constexpr double kNsPerSecond = 1e9;

void report(const std::optional<record::Launch>& launch, benchmark::State& state) {
  const LaunchNumbers numbers =
      launch ? numbers_of(*launch) : LaunchNumbers{.reason = "interrupted"};
  if (!numbers.step_ns) {
    const std::string text = (numbers.skipped ? "skipped: " : "") + text::printable(numbers.reason);
    state.SkipWithError(text.c_str());
    return;
  }
  state.SetIterationTime(*numbers.step_ns / kNsPerSecond);
  for (const auto& [name, value] : numbers.counters) state.counters[name] = value;
}

}  // namespace

std::vector<std::string> register_cases(const plan::Plan& plan, LaunchHandOver& queue,
                                        const RegisterOptions& options) {
  const std::vector<std::string> names = gbench::benchmark_names(plan);
  std::vector<std::string> registered_names;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (!options.wanted(names[i])) continue;
    registered_names.push_back(names[i]);
    const auto launches = std::make_shared<int>(0);
    auto* const registered = benchmark::RegisterBenchmark(
        names[i].c_str(), [&queue, i, launches](benchmark::State& state) {
          for (auto _ : state) {
            report(queue.measure({.case_index = i, .launch = (*launches)++}), state);
          }
        });
    registered->UseManualTime()->Iterations(1);
    if (!options.in_unit) registered->Unit(benchmark::kMillisecond);
    if (options.repeats || plan.cases[i].skip) continue;
    registered->Repetitions(static_cast<int>(plan.cases[i].resolved.integer_or("launches", 1)));
  }
  return registered_names;
}

LaunchNumbers numbers_of(const record::Launch& launch) {
  LaunchNumbers numbers;
  record::Results one_launch;
  one_launch.launches.push_back(launch);
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(one_launch);
  numbers.skipped = launch.row.outcome.kind == Outcome::Kind::kSkipped;
  if (rows.empty() || rows.front().measured.empty()) {
    numbers.reason = estimate::reason_of(launch);
    return numbers;
  }
  report::GbenchRepetition repetition =
      report::gbench_repetition(rows.front().measured.front(), rows.front());
  numbers.step_ns = repetition.real_ns;
  numbers.counters = std::move(repetition.counters);
  return numbers;
}

}  // namespace stepbench::gbench
