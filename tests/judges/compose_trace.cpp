// SPDX-License-Identifier: Apache-2.0
// usage: compose_trace FOLDER
// Writes two traces, host.*.pt.trace.json and device.*.pt.trace.json.gz, each into its own folder,
// and expected.json with the values that readers of traces must find. Times are whole microseconds,
// because one of the readers rounds.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/traces/trace_files.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kUs = 1000;
constexpr int kSteps = 5;
constexpr std::int64_t kStepUs = 10'000;

ops::OpLog compose(bool device) {
  LogMaker maker;
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
    maker.log.foreign.push_back({us(100), us(700), 9001, index_of(maker.log.names, "fetch")});
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

// Values that follow from the times above. HolisticTraceAnalysis excludes the launches of the last
// step.
Json expected(bool device) {
  Json out = {{"steps", kSteps},
              {"categories",
               {{"cpu_op", 7 * kSteps},
                {"user_annotation", 3 * kSteps},
                {"loader_worker", kSteps},
                {"Trace", 1}}},
              {"data_loader_us", 7'000},
              {"cpu_exec_us", device ? 6'300 : 21'500}};
  if (!device) return out;
  out["categories"].update(
      {{"kernel", 3 * kSteps}, {"gpu_memcpy", kSteps}, {"cuda_runtime", 4 * kSteps}});
  out.update({{"kernel_us", 14'450}, {"memcpy_us", 750}});
  out["temporal"] = {{"idle_time(us)", 23'640},
                     {"compute_time(us)", 11'520},
                     {"non_compute_time(us)", 600},
                     {"kernel_time(us)", 35'760}};
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
        folder / name / traces::trace_file_name("worker0", 1'700'000'000'000, device);
    traces::TraceHeader header;
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
    traces::write_trace(traces::trace_of(compose(device), header), path);
    all[name] = expected(device);
    all[name]["path"] = path;
  }
  std::ofstream(folder / "expected.json") << all.dump(1);
  return 0;
}
