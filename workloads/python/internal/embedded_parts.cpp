// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/internal/embedded_parts.h"

#include <ATen/Parallel.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/workload.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/loader_workload.h"
#include "workloads/model/model.h"
#include "workloads/python/internal/in_python.h"
#include "workloads/python/internal/iterable_loader.h"
#include "workloads/python/internal/python_dataset.h"
#include "workloads/python/internal/python_loader.h"
#include "workloads/python/internal/python_model.h"
#include "workloads/python/internal/python_step.h"
#include "workloads/python/internal/user_function.h"

namespace stepbench::python {
namespace {

std::int64_t compiled_graphs() {
  return in_python([] {
    return pybind11::module_::import("stepbench_user_code.compiled")
        .attr("graphs")()
        .cast<std::int64_t>();
  });
}

}  // namespace

template <typename Body>
auto EmbeddedParts::with_threads_kept(const Body& body) {
  const int before = at::get_num_threads();
  auto made = body();
  const int after = at::get_num_threads();
  if (after == before) return made;
  at::set_num_threads(before);
  notes_.push_back("the user's Python file set torch's threads to " + std::to_string(after) +
                   "; they were set back to " + std::to_string(before) +
                   ": threads.intra_op is where to choose them");
  return made;
}

std::unique_ptr<data::Dataset> EmbeddedParts::open_dataset(const ResolvedCase& resolved) {
  auto dataset = with_threads_kept([&] { return std::make_unique<PythonDataset>(resolved); });
  if (!resolved.has("model.kind") || takes_iterable(resolved) || dataset->fields().size() < 2) {
    return dataset;
  }
  in_python([&] {
    pybind11::list names;
    for (const FieldSpec& field : dataset->fields()) names.append(field.name);
    const pybind11::object note =
        pybind11::module_::import("stepbench_user_code.data").attr("left_out")(names);
    if (!note.is_none()) notes_.push_back(note.cast<std::string>());
  });
  return dataset;
}

std::unique_ptr<loader::Loader> EmbeddedParts::make_loader(const data::Dataset& dataset,
                                                           const loader::LoaderOptions& options,
                                                           const WorkerContext& context) {
  const auto* python = dynamic_cast<const PythonDataset*>(&dataset);
  if (python == nullptr) {
    throw ConfigError("loader.engine", "engine python reads data.kind: python alone");
  }
  if (takes_iterable(python->resolved())) {
    auto made = std::make_unique<IterableLoader>(*python, options, context, waits_.loader);
    const bool ends_early =
        loader::standalone_part_of(python->resolved()) == loader::StandalonePart::kStep;
    iterable_ = ends_early ? nullptr : made.get();
    return made;
  }
  if (context.profiled && python->resolved().flag_or("profile.stacks", false)) {
    in_python([&] {
      stacks_ =
          OwnedPyObject(pybind11::module_::import("stepbench_user_code.stacks").attr("Stacks")());
    });
    loader_workers_ = options.num_workers;
  }
  return make_python_loader(*python, options, context, waits_.loader, stacks_);
}

std::unique_ptr<Model> EmbeddedParts::make_model(const ResolvedCase& resolved,
                                                 const DataShape& data) {
  return with_threads_kept(
      [&] { return std::make_unique<PythonModel>(resolved, data, waits_.model); });
}

std::unique_ptr<Workload> EmbeddedParts::make_step(const ResolvedCase& resolved,
                                                   WorkerContext& context) {
  return std::make_unique<PythonStep>(resolved, context, waits_.step);
}

void EmbeddedParts::window(Edge edge) {
  const std::int64_t graphs = compiled_graphs();
  const auto now_ns = HostClock().now_ns();
  if (edge == Edge::kBegin) {
    graphs_before_ = graphs;
    at_begin_ = waits_;
    began_ns_ = now_ns;
    return;
  }
  graphs_in_windows_ += graphs - graphs_before_;
  windows_ns_ += now_ns - began_ns_;
  for (GilWait Waits::*const site : {&Waits::loader, &Waits::model, &Waits::step}) {
    (in_windows_.*site).wait_ns += (waits_.*site).wait_ns - (at_begin_.*site).wait_ns;
    (in_windows_.*site).calls += (waits_.*site).calls - (at_begin_.*site).calls;
  }
}

void EmbeddedParts::report_gil(ReportSink& sink) const {
  // Minimum share of the step's time; the wait per batch is the cost of a thread that computes
  // during the step.
  constexpr double kMinShare = 0.02;
  const auto& [loader, model, step] = in_windows_;
  const std::int64_t batches = std::max({loader.calls, model.calls, step.calls});
  if (batches == 0 || windows_ns_ <= 0) return;
  const auto waited = static_cast<double>(loader.wait_ns + model.wait_ns + step.wait_ns);
  const double per_batch = waited / static_cast<double>(batches);
  sink.metric("python_gil_wait_ns", per_batch);
  const double share = waited / static_cast<double>(windows_ns_);
  if (share < kMinShare) return;
  sink.finding({.id = "python.gil",
                .severity = severity_of_share(share),
                .text = "the step waits " + text::percent_text(share) + " of its time (" +
                        text::duration(per_batch) +
                        " per batch) for Python's lock (GIL), which another thread holds",
                .value = share,
                .threshold = kMinShare,
                .unit = "ratio",
                .share = share,
                .evidence = {"python_gil_wait_ns"},
                .remedy = "Move the work of that thread (logging, metrics, reading ahead) into a "
                          "process, or into calls that give the lock away."});
}

void EmbeddedParts::report_stacks(ReportSink& sink) const {
  constexpr std::int64_t kMin = 40;
  constexpr double kMinShare = 0.2;
  if (!stacks_) return;
  ops::OpTable table;
  std::int64_t samples = 0;
  in_python([&] {
    const auto intern = [&](const pybind11::handle& text) {
      auto value = text.cast<std::string>();
      if (value.empty()) return ops::kNoIndex;
      table.strings.push_back(std::move(value));
      return static_cast<std::uint32_t>(table.strings.size() - 1);
    };
    for (const pybind11::handle each : stacks_.get().attr("rows")()) {
      const auto row = pybind11::reinterpret_borrow<pybind11::tuple>(each);
      table.stacks.push_back({.part = intern(row[0]),
                              .place = intern(row[1]),
                              .code = intern(row[2]),
                              .calls = intern(row[3]),
                              .stack = intern(row[4]),
                              .samples = row[5].cast<std::int64_t>()});
      samples += table.stacks.back().samples;
    }
  });
  sink.ops(table);
  if (samples < kMin) {
    sink.note("profile.stacks: " + text::counted(samples, "sample") +
              " of the Python code that reads the batches are too few to name a line; raise "
              "profile.active, and schedule.active, which bounds it");
    return;
  }
  const std::vector<ops::SampledLine> lines = ops::sampled_lines(table);
  const ops::SampledLine& most = lines.front();
  const double share = static_cast<double>(most.samples) / static_cast<double>(samples);
  if (share < kMinShare) return;
  sink.finding({.id = "loader.slow_line",
                .severity = Severity::kInfo,
                .text = text::percent_text(share) + " of " +
                        (loader_workers_ > 0 ? "the workers' time" : "the time to read batches") +
                        ": " + ops::in_words(most),
                .value = share,
                .threshold = kMinShare,
                .unit = "ratio",
                .evidence = {"profile.stacks"},
                .remedy = "stepbench show --case ID lists the lines that follow."});
}

// Called after measuring: closing the loader shows which threads and processes continue.
void EmbeddedParts::report_iterable(ReportSink& sink) const {
  if (std::string left = iterable_->close(); !left.empty()) sink.note(std::move(left));
}

void EmbeddedParts::report(ReportSink& sink) const {
  in_python([&] {
    const pybind11::module_ sys = pybind11::module_::import("sys");
    const pybind11::object version = pybind11::module_::import("platform").attr("python_version")();
    sink.effective("python.version", version.cast<std::string>());
    sink.effective("python.executable", sys.attr("executable").cast<std::string>());
  });
  sink.metric("python_import_ns", static_cast<double>(import_torch_ns_));
  for (const std::string& note : notes_) sink.note(note);
  if (iterable_ != nullptr) report_iterable(sink);
  report_gil(sink);
  report_stacks(sink);
  const std::int64_t graphs = compiled_graphs();
  if (graphs == 0) return;
  sink.metric("python_compiled_graphs", static_cast<double>(graphs));
  sink.metric("python_recompiled_graphs", static_cast<double>(graphs_in_windows_));
  if (graphs_in_windows_ == 0) return;
  sink.finding({.id = "python.recompiled",
                .severity = Severity::kProblem,
                .text = "torch.compile compiled " + text::counted(graphs_in_windows_, "graph") +
                        " inside the window: its steps hold the time of the compiler",
                .value = static_cast<double>(graphs_in_windows_),
                .threshold = 0,
                .unit = "graphs",
                .evidence = {"python_recompiled_graphs"},
                .remedy = "Raise schedule.warmup until all shapes were seen; give batches one "
                          "shape (drop_last), or compile with dynamic=True. "
                          "TORCH_LOGS=recompiles says why."});
}

}  // namespace stepbench::python
