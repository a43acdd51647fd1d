// SPDX-License-Identifier: Apache-2.0
// gpu_facts [FILE]: prints the values of CUDA and the management library on this machine, each call
// with its code and duration; writes the library's values to FILE for tests. Needs no torch, so
// that it prints within seconds even if torch cannot be loaded. Exit code: 0, or 77 if neither sees
// a device.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "harness/machine/device_state.h"
#include "tests/gpu/answers.h"

namespace stepbench::gpu {
namespace {

constexpr int kNoGpu = 77;

void fact(const std::string& what, const std::string& value) {
  std::cout << "| " << what << " | " << value << " |\n";
}

// Update interval of the energy counter, which limits energy per step.
void tell_energy_counter(const machine::NvmlSession& session, machine::NvmlDevice device) {
  const HostClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  std::set<std::uint64_t> values;
  int reads = 0;
  while (clock.now_ns() - begin_ns < 1'000'000'000) {
    const auto energy = session.read_counters(device).energy_mj;
    if (!energy) return fact("energy counter", "not told");
    values.insert(*energy);
    ++reads;
  }
  fact("energy counter", "moved " + std::to_string(values.size() - 1) + " times in 1 s, " +
                             std::to_string(reads) + " reads, by " +
                             std::to_string(*values.rbegin() - *values.begin()) + " mJ");
}

// Returns the number of devices.
int tell_management_library(const char* file) {
  auto api = machine::load_nvml_api();
  if (!api) {
    fact("management library", "absent: libnvidia-ml.so.1 cannot be loaded");
    return 0;
  }
  Answers answers;
  const auto session = machine::NvmlSession::open(recording(*api, answers));
  if (session == nullptr) {
    fact("management library", "refuses: nvmlInit_v2 answers " + std::to_string(api->init()));
    return 0;
  }
  const int devices = session->devices();
  (void)session->driver_version();
  (void)session->cuda_version();
  for (int i = 0; i < devices; ++i) {
    (void)session->read(i);
    if (const auto device = session->device(i)) (void)session->read_counters(*device);
  }
  for (const auto& [question, answer] : answers) {
    fact(question, answer.value + " | " + std::to_string(answer.code) + " | " +
                       std::to_string(answer.ns / 1000) + " us");
  }
  if (file != nullptr) {
    std::ofstream out(file);
    write(answers, out);
    if (!out.flush()) throw Error(std::string(file) + " cannot be written");
  }
  if (const auto device = session->device(0)) tell_energy_counter(*session, *device);
  return devices;
}

std::string code_text(const cuda::CudaApi& api, int code) {
  return code == cuda::kCudaSuccess ? "0"
                                    : api.error_name(code) + " (" + std::to_string(code) + ')';
}

// Prints the resolution of the events' clock.
void tell_events(const cuda::CudaApi& api) {
  cuda::CudaEvent first = nullptr;
  cuda::CudaEvent next = nullptr;
  int code = api.set_device(0);
  if (code == 0) code = api.event_create(&first);
  if (code == 0) code = api.event_create(&next);
  if (code == 0) code = api.event_record(first, nullptr);
  float least = 0;
  for (int i = 0; i < 200 && code == 0; ++i) {
    float ms = 0;
    code = api.event_record(next, nullptr);
    if (code == 0) code = api.event_synchronize(next);
    if (code == 0) code = api.event_elapsed_ms(&ms, first, next);
    if (code == 0) code = api.event_record(first, nullptr);
    if (code == 0) code = api.event_synchronize(first);
    if (ms > 0 && (least == 0 || ms < least)) least = ms;
  }
  fact("events", code_text(api, code));
  fact("shortest time between two events", std::to_string(least * 1e6F) + " ns");
}

int tell_cuda() {
  const auto loaded = cuda::load_cuda_api();
  if (const auto* why = std::get_if<std::string>(&loaded)) {
    fact("CUDA", *why);
    return 0;
  }
  const auto& api = std::get<cuda::CudaApi>(loaded);
  int driver = 0;
  int runtime = 0;
  int count = 0;
  fact("cudaDriverGetVersion", code_text(api, api.driver_version(&driver)));
  fact("cudaRuntimeGetVersion", code_text(api, api.runtime_version(&runtime)));
  fact("CUDA of the driver", cuda::cuda_version_text(driver));
  fact("CUDA of the runtime", cuda::cuda_version_text(runtime));
  fact("cudaGetDeviceCount", code_text(api, api.device_count(&count)));
  if (const std::string why = cuda::device_missing(api, 0); !why.empty()) fact("device 0", why);
  for (int i = 0; i < count; ++i) {
    fact("cuda:" + std::to_string(i), api.device_name(i) + ", " + api.device_pci(i) + ", " +
                                          std::to_string(api.device_memory_bytes(i) >> 20) +
                                          " MiB");
  }
  if (count > 0) tell_events(api);
  return count;
}

void tell_libraries() {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> paths;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at);
    if (path.find("libcu") != std::string::npos || path.find("nvidia") != std::string::npos) {
      paths.insert(path);
    }
  }
  for (const std::string& path : paths) fact("loaded", path);
}

}  // namespace
}  // namespace stepbench::gpu

int main(int argc, char** argv) {
  using namespace stepbench::gpu;  // NOLINT
  try {
    std::cout << "| question | answer | code | took |\n|---|---|---|---|\n";
    const int managed = tell_management_library(argc > 1 ? argv[1] : nullptr);
    std::cout << "\n| what | answer |\n|---|---|\n";
    const int seen = tell_cuda();
    tell_libraries();
    return managed == 0 && seen == 0 ? kNoGpu : 0;
  } catch (const std::exception& error) {
    std::cerr << "gpu_facts: " << error.what() << '\n';
    return 1;
  }
}
