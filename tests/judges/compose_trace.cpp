// SPDX-License-Identifier: Apache-2.0
// usage: compose_trace FOLDER
// Writes two traces, host.*.pt.trace.json and device.*.pt.trace.json.gz, each in a folder of its
// own, and expected.json: what readers of traces must find in them. Times are whole microseconds,
// because one of the readers rounds.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/trace/write_trace.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kUs = 1000;
constexpr int kSteps = 5;
constexpr std::int64_t kStepUs = 10'000;

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;  // [begin, end)

Spans merged(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans out;
  for (const auto& [begin, end] : spans) {
    if (!out.empty() && begin <= out.back().second) {
      out.back().second = std::max(out.back().second, end);
    } else if (begin < end) {
      out.emplace_back(begin, end);
    }
  }
  return out;
}

std::int64_t length(const Spans& spans) {
  std::int64_t sum = 0;
  for (const auto& [begin, end] : merged(spans)) sum += end - begin;
  return sum;
}

// |a - b|
std::int64_t length_without(const Spans& a, const Spans& b) {
  Spans both = a;
  both.insert(both.end(), b.begin(), b.end());
  return length(both) - length(b);
}

Spans joined(Spans a, const Spans& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

ops::OpLog compose(bool device) {
  testing::LogMaker maker;
  std::uint64_t correlation = 100;
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t at = (1000 + step * kStepUs) * kUs;
    const auto us = [&](std::int64_t offset) { return at + offset * kUs; };
    maker.step(20 + step, us(0), us(kStepUs));
    maker.phase("data_wait", 20 + step, us(0), us(1200 + 100 * step));
    maker.phase("forward", 20 + step, us(2000), us(5000));
    maker.phase("backward", 20 + step, us(5000), us(8700));
    maker.op("aten::stack", us(300), us(900));
    maker.shaped("aten::linear", "[[8, 32], [64, 32]]", us(2100), us(2900));
    maker.shaped("aten::addmm", "[[64], [8, 32], [32, 64]]", us(2200), us(2800)).sequence = step;
    const auto addmm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    ops::OpEvent& backward = maker.op("AddmmBackward0", us(5100), us(8200), 1);
    backward.scope = ops::OpScope::kBackwardFunction;
    backward.sequence = step;
    backward.forward_thread = 0;
    maker.op("aten::mm", us(5300), us(8000), 1);
    const auto mm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    maker.op("aten::add_", us(9000), us(9400));
    maker.memory(us(2300), 1 << 20, addmm);
    maker.memory(us(8100), -(1 << 20), mm);
    maker.log.foreign.push_back(
        {us(100), us(700), 9001, testing::index_of(maker.log.names, "fetch")});
    if (!device) continue;
    const auto launch = [&](ops::ActivityKind kind, const char* name, std::uint32_t op,
                            std::int64_t call_us, std::int64_t start_us, std::int64_t end_us) {
      ++correlation;
      const char* call =
          kind == ops::ActivityKind::kKernel ? "cudaLaunchKernel" : "cudaMemcpyAsync";
      maker.activity(ops::ActivityKind::kRuntime, call, us(call_us), us(call_us + 10), correlation,
                     op);
      ops::DeviceActivity& work =
          maker.activity(kind, name, us(start_us), us(end_us), correlation, op);
      if (kind == ops::ActivityKind::kMemcpy) work.stream = 20;
      work.bytes = kind == ops::ActivityKind::kMemcpy ? 1 << 20 : 0;
      for (std::int32_t& extent : work.grid) extent = 4;
      for (std::int32_t& extent : work.block) extent = 8;
    };
    launch(ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)", addmm, 2210, 2300, 2500);
    launch(ops::ActivityKind::kKernel, "gemm_forward", addmm, 2300, 2450, 2900);
    launch(ops::ActivityKind::kKernel, "gemm_backward", mm, 5400, 5600, 7900);
    launch(ops::ActivityKind::kKernel, "reduce", mm, 5500, 7900, 8000 + 20 * step);
  }
  return maker.log;
}

Json expected(const ops::OpLog& log, bool device) {
  Spans steps;
  Spans data;
  Spans host;
  Spans kernels;
  Spans copies;
  std::map<std::string, std::int64_t> counts;
  for (const ops::StepMark& mark : log.marks) {
    const bool wait = mark.phase != ops::kNoIndex && log.names[mark.phase] == "data_wait";
    ++counts[wait ? "cpu_op" : "user_annotation"];
    if (mark.phase == ops::kNoIndex) steps.emplace_back(mark.start_ns, mark.end_ns);
    if (wait) data.emplace_back(mark.start_ns, mark.end_ns);
  }
  for (const ops::OpEvent& op : log.ops) {
    ++counts["cpu_op"];
    host.emplace_back(op.start_ns, op.end_ns);
  }
  std::map<std::uint64_t, std::int64_t> called_ns;
  for (const ops::DeviceActivity& activity : log.activities) {
    const bool kernel = activity.kind == ops::ActivityKind::kKernel;
    const bool copy = activity.kind == ops::ActivityKind::kMemcpy;
    ++counts[kernel ? "kernel" : copy ? "gpu_memcpy" : "cuda_runtime"];
    if (kernel) kernels.emplace_back(activity.start_ns, activity.end_ns);
    if (copy) copies.emplace_back(activity.start_ns, activity.end_ns);
    if (!kernel && !copy) called_ns[activity.correlation] = activity.start_ns;
  }
  counts["loader_worker"] = static_cast<std::int64_t>(log.foreign.size());
  counts["Trace"] = 1;
  const Spans work = joined(kernels, copies);
  Json out = {{"steps", steps.size()}, {"categories", counts}};
  out["data_loader_us"] = length_without(data, work) / kUs;
  out["cpu_exec_us"] = length_without(host, joined(work, data)) / kUs;
  if (!device) return out;
  out["kernel_us"] = length(kernels) / kUs;
  out["memcpy_us"] = length_without(copies, kernels) / kUs;

  // The other reader leaves out what the last step launched.
  Spans early_kernels;
  Spans early;
  const std::int64_t last_step_ns = steps.back().first;
  for (const ops::DeviceActivity& activity : log.activities) {
    const auto call = called_ns.find(activity.correlation);
    if (activity.kind == ops::ActivityKind::kRuntime || call->second >= last_step_ns) continue;
    early.emplace_back(activity.start_ns, activity.end_ns);
    if (activity.kind == ops::ActivityKind::kKernel) early_kernels.push_back(early.back());
  }
  const Spans busy = merged(early);
  const std::int64_t extent = busy.back().second - busy.front().first;
  out["temporal"] = {{"idle_time(us)", (extent - length(early)) / kUs},
                     {"compute_time(us)", length(early_kernels) / kUs},
                     {"non_compute_time(us)", length_without(early, early_kernels) / kUs},
                     {"kernel_time(us)", extent / kUs}};
  return out;
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  using namespace stepbench;
  if (argc != 2) {
    std::cerr << "usage: compose_trace FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  Json all;
  for (const bool device : {false, true}) {
    const std::string name = device ? "device" : "host";
    std::filesystem::create_directories(folder / name);
    const std::filesystem::path path =
        folder / name / trace::trace_file_name("worker0", 1'700'000'000'000, device);
    trace::TraceHeader header;
    header.engine = "native";
    header.unix_offset_ns = 1'700'000'000'000'000'000;
    if (device) {
      header.devices = {{.id = 0,
                         .name = "Scripted GPU",
                         .total_memory_bytes = std::int64_t{16} << 30,
                         .compute_major = 8,
                         .max_threads_per_block = 1024,
                         .max_threads_per_multiprocessor = 2048,
                         .registers_per_block = 65536,
                         .multiprocessors = 108}};
    }
    const ops::OpLog log = compose(device);
    trace::write_trace(log, header, path);
    all[name] = expected(log, device);
    all[name]["path"] = path;
  }
  std::ofstream(folder / "expected.json") << all.dump(1);
  return 0;
}
