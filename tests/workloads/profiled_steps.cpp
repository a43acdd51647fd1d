// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/profiled_steps.h"

#include "harness/ops/op_table.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "workloads/step/steps.h"

namespace stepbench::test {

WarmWorkload::WarmWorkload(const ResolvedCase& resolved)
    : WarmWorkload(resolved, step::make_train_step) {}

WarmWorkload::WarmWorkload(const ResolvedCase& resolved, Make make)
    : workload_(make(resolved, context_)) {
  EXPECT_EQ(workload_->set_up(), std::nullopt);
  step();
  step();
}

WarmWorkload::~WarmWorkload() { workload_->tear_down(); }

void WarmWorkload::step() {
  StepRecorder recorder(clock_);
  recorder.start_step(index_++);
  workload_->step(recorder);
  (void)recorder.finish_step();
}

ops::OpLog two_steps(profile::OpCollector& collector, WarmWorkload& warm) {
  collector.start();
  warm.step();
  collector.begin_window(3);
  warm.workload().window(Edge::kBegin);
  warm.step();
  warm.step();
  collector.end_window();
  ops::OpLog log = collector.take();
  std::erase_if(log.ops, [&](const ops::OpEvent& op) { return op.thread != log.step_thread; });
  return log;
}

std::vector<std::string> paths_of(const ops::OpLog& log) {
  const traces::Trace trace = traces::trace_of(log);
  const traces::OpTree tree(trace);
  std::vector<std::string> paths;
  for (const traces::OpNode& node : tree.nodes()) {
    const traces::OpDetail* detail = trace.op_detail(*node.row);
    const std::string above = node.parent == ops::kNoIndex ? "" : paths[node.parent] + " > ";
    const std::string shapes(detail == nullptr ? "" : trace.text(detail->shapes));
    paths.push_back(above + tree.name(node) + shapes);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> costs_of(const ops::OpLog& log) {
  const ops::OpTable table = traces::op_table_of(traces::trace_of(log));
  std::vector<std::string> costs;
  for (const ops::OpRow& row : ops::grouped(table.rows, {.shapes = true})) {
    // Frees of older blocks outside all ops: torch reports only those whose address it remembers.
    if (table.text(row.name) == "[memory]") continue;
    costs.push_back(std::string(table.text(row.name)) + std::string(table.text(row.shapes)) + ": " +
                    std::to_string(row.calls) + " calls, " + std::to_string(row.cpu_bytes) + " B");
  }
  std::sort(costs.begin(), costs.end());
  return costs;
}

std::vector<std::string> differences(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  std::vector<std::string> found;
  std::vector<std::string> part;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(part));
  for (const std::string& line : part) found.push_back("- " + line);
  part.clear();
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(part));
  for (const std::string& line : part) found.push_back("+ " + line);
  return found;
}

std::vector<std::string> names_of(const ops::OpLog& log) {
  std::vector<std::string> names;
  for (const ops::OpEvent& op : log.ops) names.push_back(log.names[op.name]);
  return names;
}

}  // namespace stepbench::test
