// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/ops/op_log.h"
#include "harness/workload.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/profile/internal/op_collector.h"

namespace stepbench::test {

// A workload after set-up and two steps.
class WarmWorkload {
 public:
  using Make = std::unique_ptr<Workload> (*)(const ResolvedCase&, WorkerContext&);

  explicit WarmWorkload(const ResolvedCase& resolved);  // a train_step
  WarmWorkload(const ResolvedCase& resolved, Make make);
  ~WarmWorkload();
  void step();
  [[nodiscard]] Workload& workload() { return *workload_; }

 private:
  TickClock clock_;
  WorkerContext context_{clock_, {}, {}};
  std::unique_ptr<Workload> workload_;
  std::int64_t index_ = 0;
};

// Two steps under the collector: the work of their own thread. Threads started by a kernel are
// invisible to libtorch's profiler.
[[nodiscard]] ops::OpLog two_steps(profile::OpCollector& collector, WarmWorkload& warm);

// Each op as the names from the outermost one to itself, with its shapes; sorted.
[[nodiscard]] std::vector<std::string> paths_of(const ops::OpLog& log);

// "name shapes: calls, bytes" by the rules of torch.profiler's table; sorted.
[[nodiscard]] std::vector<std::string> costs_of(const ops::OpLog& log);

// Lines of one that the other lacks; empty if equal: "- only in a", "+ only in b".
[[nodiscard]] std::vector<std::string> differences(const std::vector<std::string>& a,
                                                   const std::vector<std::string>& b);

[[nodiscard]] std::vector<std::string> names_of(const ops::OpLog& log);  // in order

}  // namespace stepbench::test
