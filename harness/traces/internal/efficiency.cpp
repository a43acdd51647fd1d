// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/device_work.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/traces/internal/nesting.h"

namespace stepbench::traces {
namespace {

enum class Uncounted : std::uint8_t { kNoShapes, kSymbolic, kNoStrides, kOther };
constexpr std::array<std::string_view, 4> kReasons = {
    "shapes were not recorded (torch.profiler: record_shapes=True)",
    "shapes are symbolic or not lists of numbers",
    "strides and paddings of convolutions were not recorded (older profilers)",
    "the formula does not cover the input shapes"};

bool says_tf32(const TraceName& kernel) {
  return kernel.facts.tensor_core || kernel.text.find("tf32") != std::string::npos;
}

bool is_fused_by_triton(std::string_view kernel) { return kernel.starts_with("triton_"); }

// An operator with a formula, or an autograd function.
struct FormulaNode {
  const TraceEvent* event = nullptr;
  bool autograd = false;
  bool backward = false;       // inside an autograd function
  bool has_inner = false;      // contains another operator with a formula
  std::int64_t work_ns = 0;    // device work of its calls
  std::int64_t tf32_ns = 0;    // in kernels named tf32 or with tensor cores
  std::uint32_t launched = 0;  // device rows
};

class EfficiencyTable {
 public:
  EfficiencyTable(const Timeline& timeline, const Steps& steps, ops::Dtype untyped)
      : timeline_(timeline),
        trace_(*timeline.trace),
        untyped_(untyped),
        windows_(steps.counted_windows()),
        calls_(timeline.calls_of_lanes()) {
    for (const TraceName& name : trace_.names) {
      // Element-wise sums and products are memory-bound: nobody tunes their kernels.
      const bool has_formula = ops::has_work(name.text);
      formulas_.push_back(has_formula && name.text != "aten::add" && name.text != "aten::mul");
      tf32_.push_back(says_tf32(name));
    }
    out_.on_host = timeline.work.empty();
  }

  ValueOrReason<Efficiency> make() {
    if (std::ranges::find(formulas_, true) == formulas_.end()) {
      return Absent{timeline_.ops == 0
                        ? "the trace has no operators of the host"
                        : "no operator is a matrix product, convolution or attention"};
    }
    add_device_work();
    for (std::uint32_t lane = 0; lane < trace_.lanes.size(); ++lane) {
      if (trace_.lanes[lane].kind == LaneKind::kHost) add_lane(lane);
    }
    find_peaks();
    finish();
    return std::move(out_);
  }

 private:
  void add_device_work() {
    tf32_of_call_.resize(timeline_.calls.size());
    for (const WorkRow& row : timeline_.work) {
      if (!is_kernel(row)) continue;
      const std::int64_t ns = row.event->duration_ns();
      const std::uint32_t name = row.event->name;
      if (row.call != ops::kNoIndex && tf32_[name]) tf32_of_call_[row.call] += ns;
      if (row.communication) continue;
      out_.work_ns += ns;
      if (is_fused_by_triton(trace_.names[name].text)) out_.fused_ns += ns;
    }
  }

  void add_lane(std::uint32_t lane) {
    const TraceLane& thread = trace_.lanes[lane];
    const auto counts = [&](const TraceEvent& event) {
      return formulas_[event.name] && event.kind == EventKind::kOp;
    };
    const Nesting rows(thread, [&](const TraceEvent& event) {
      const bool autograd = trace_.facts_of(event).autograd;
      return is_op_or_annotation(event.kind) && (autograd || counts(event));
    });
    std::vector<FormulaNode> nodes;
    for (const auto& [event, parent] : rows.rows()) {
      FormulaNode node{.event = event, .autograd = trace_.facts_of(*event).autograd};
      if (parent != ops::kNoIndex) {
        node.backward = nodes[parent].autograd || nodes[parent].backward;
        if (counts(*event)) nodes[parent].has_inner = true;
      }
      nodes.push_back(node);
    }
    const std::vector<std::uint32_t> node_of = rows.at_events(thread);
    for (const std::uint32_t call : calls_[lane]) {
      const TraceEvent* op = timeline_.calls[call].op;
      if (op == nullptr) continue;
      const std::uint32_t node = node_of[std::size_t(op - thread.events.data())];
      if (node != ops::kNoIndex) give(call, nodes[node]);
    }
    for (const FormulaNode& node : nodes) {
      if (!node.autograd && !node.has_inner) add(node);
    }
  }

  void give(std::uint32_t index, FormulaNode& node) const {
    const CallRow& call = timeline_.calls[index];
    if (node.event->end_ns < call.event->end_ns) return;
    node.work_ns += call.device_ns;
    node.tf32_ns += tf32_of_call_[index];
    node.launched += call.work;
  }

  void add(const FormulaNode& op) {
    // Its tensors are on the host, or its device rows were lost.
    if (!out_.on_host && op.launched == 0) return;
    const std::int64_t ns = out_.on_host ? op.event->duration_ns() : op.work_ns;
    const auto [index, reason] = row_of(*op.event, op.backward);
    if (index == ops::kNoIndex) {
      UncountedWork& uncounted = uncounted_[std::size_t(reason)];
      ++uncounted.calls;
      uncounted.time_ns += ns;
      return;
    }
    EfficiencyRow& row = out_.rows[index];
    tf32_ns_[index] += op.tf32_ns;
    ++row.calls;
    row.time_ns += ns;
    const auto step = window_at(windows_, op.event->start_ns);
    if (step) row.in_steps.add(*step, ns);
  }

  struct Found {
    std::uint32_t row = ops::kNoIndex;  // ops::kNoIndex: not counted, for `reason`
    Uncounted reason = Uncounted::kOther;
  };

  Found row_of(const TraceEvent& event, bool backward) {
    const std::uint64_t key = (std::uint64_t{event.name} << 33U) |
                              (std::uint64_t{event.detail} << 1U) | std::uint64_t{backward};
    const auto [at, is_new] = known_.try_emplace(key);
    if (is_new) at->second = {find_row(event, backward), uncounted_reason(event)};
    return at->second;
  }

  std::uint32_t find_row(const TraceEvent& event, bool backward) {
    const OpDetail* detail = trace_.op_detail(event);
    if (detail == nullptr || detail->shapes == ops::kNoIndex) return ops::kNoIndex;
    const std::optional<ops::OpWork> work = ops::work_of(
        trace_.name_of(event), trace_.text(detail->shapes), trace_.text(detail->arguments));
    if (!work || work->flops <= 0) return ops::kNoIndex;
    const ops::Dtype dtype =
        detail->types == ops::kNoIndex
            ? untyped_
            : ops::dtype_named(ops::quoted_text(trace_.text(detail->types), work->typed_input));
    const bool is_backward = backward || work->backward;
    const auto [at, is_new] =
        rows_.try_emplace({event.name, detail->shapes, detail->arguments, dtype, is_backward},
                          std::uint32_t(out_.rows.size()));
    if (is_new) {
      out_.rows.push_back({.name = event.name,
                           .shapes = detail->shapes,
                           .arguments = detail->arguments,
                           .backward = is_backward,
                           .work = *work,
                           .dtype = dtype});
      tf32_ns_.push_back(0);
    }
    return at->second;
  }

  [[nodiscard]] Uncounted uncounted_reason(const TraceEvent& event) const {
    const OpDetail* detail = trace_.op_detail(event);
    if (detail == nullptr || detail->shapes == ops::kNoIndex) return Uncounted::kNoShapes;
    constexpr std::string_view kPlain = "[]0123456789, ";
    const std::string_view shapes = trace_.text(detail->shapes);
    if (shapes.find_first_not_of(kPlain) != std::string_view::npos) return Uncounted::kSymbolic;
    const bool convolves = trace_.name_of(event).find("conv") != std::string::npos;
    return convolves && detail->arguments == ops::kNoIndex ? Uncounted::kNoStrides
                                                           : Uncounted::kOther;
  }

  void find_peaks() {
    if (out_.on_host) {
      out_.no_peaks =
          "no device: the times are those of host operators, and the host's peak is unknown";
      return;
    }
    for (const int id : timeline_.devices) {
      const ops::TraceDevice* device = trace_.device(id);
      const std::string name = device == nullptr ? std::string() : device->name;
      if (id != timeline_.devices.front() && name != out_.device) {
        out_.device.clear();
        out_.no_peaks = "the trace has several kinds of devices";
        return;
      }
      out_.device = name;
    }
    if (out_.device.empty()) {
      out_.no_peaks = "the trace does not name its device";
      return;
    }
    out_.peaks = ops::device_peaks(out_.device);
    if (!out_.peaks) out_.no_peaks = "the peaks of " + out_.device + " are unknown";
  }

  void finish() {
    for (std::size_t i = 0; i < out_.rows.size(); ++i) {
      EfficiencyRow& row = out_.rows[i];
      if (row.dtype == ops::Dtype::kFp32 && 2 * tf32_ns_[i] > row.time_ns) {
        row.dtype = ops::Dtype::kTf32;
      }
      out_.known_ns += row.time_ns;
      out_.step_flops += double(row.flops()) * double(row.in_steps.calls);
      compare_with_peaks(row);
    }
    std::ranges::stable_sort(out_.rows, std::greater(), [](const EfficiencyRow& row) {
      return std::tuple(row.step_lost_ns.value_or(-1), row.in_steps.ns, row.time_ns);
    });
    for (std::size_t i = 0; i < uncounted_.size(); ++i) {
      if (uncounted_[i].calls == 0) continue;
      uncounted_[i].reason = kReasons[i];
      out_.uncounted.push_back(std::move(uncounted_[i]));
    }
  }

  void compare_with_peaks(EfficiencyRow& row) const {
    if (!out_.peaks || row.time_ns <= 0) return;
    row.peak_flops = out_.peaks->flops(row.dtype);
    if (!row.peak_flops) return;
    row.peak_share = row.flops_per_s() / *row.peak_flops;
    row.ridge = *row.peak_flops / out_.peaks->memory_bytes;
    const std::optional<std::int64_t> bytes = row.bytes();
    if (!bytes) return;
    constexpr double kNsPerSecond = 1e9;
    const double best_ns = kNsPerSecond * std::max(double(row.flops()) / *row.peak_flops,
                                                   double(*bytes) / out_.peaks->memory_bytes);
    row.roofline_share = best_ns * double(row.calls) / double(row.time_ns);
    row.lost_ns = std::max(0.0, double(row.time_ns) - best_ns * double(row.calls));
    row.step_lost_ns =
        std::max(0.0, double(row.in_steps.ns) - best_ns * double(row.in_steps.calls));
  }

  const Timeline& timeline_;
  const Trace& trace_;
  ops::Dtype untyped_;
  std::vector<bool> formulas_;                     // indexed by name
  std::vector<bool> tf32_;                         // by name: a kernel that says so
  std::vector<TimeSpan> windows_;                  // the counted steps'
  std::vector<std::vector<std::uint32_t>> calls_;  // indexed by lane
  std::vector<std::int64_t> tf32_of_call_;
  std::unordered_map<std::uint64_t, Found> known_;  // key: name and detail
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, ops::Dtype, bool>, std::uint32_t>
      rows_;
  std::vector<std::int64_t> tf32_ns_;  // indexed by row
  std::array<UncountedWork, kReasons.size()> uncounted_;
  Efficiency out_;
};

}  // namespace

std::optional<std::int64_t> EfficiencyRow::bytes() const {
  const std::int64_t each = ops::element_bytes(dtype);
  // The result of an fp8 product has another type.
  if (each == 0 || work.elements == 0 || dtype == ops::Dtype::kFp8) return std::nullopt;
  return work.elements * each;
}

double EfficiencyRow::flops_per_s() const {
  return time_ns <= 0 ? 0 : double(flops()) * double(calls) / (double(time_ns) / 1e9);
}

std::optional<double> EfficiencyRow::bytes_per_s() const {
  const std::optional<std::int64_t> each = bytes();
  if (!each || time_ns <= 0) return std::nullopt;
  return double(*each) * double(calls) / (double(time_ns) / 1e9);
}

std::optional<double> EfficiencyRow::intensity() const {
  const std::optional<std::int64_t> each = bytes();
  if (!each) return std::nullopt;
  return double(flops()) / double(*each);
}

ValueOrReason<Efficiency> find_efficiency(const Timeline& timeline, const Steps& steps,
                                          ops::Dtype untyped) {
  return EfficiencyTable(timeline, steps, untyped).make();
}

}  // namespace stepbench::traces
