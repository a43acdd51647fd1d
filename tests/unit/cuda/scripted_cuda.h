// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "harness/cuda/cuda_api.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::cuda {

// One device with streams that execute launched work in virtual time. The host's clock is the
// test's; the device's runs `drift` times as fast from another zero. If a stream has a queue, the
// host waits for a free place in it, as with a real one.
class ScriptedCuda {
 public:
  explicit ScriptedCuda(ScriptedClock& clock) : clock_(clock) {}

  void launch(CudaStream stream, std::int64_t ns) {
    clock_.pass(launch_cost_ns);
    take_a_place(stream);
    std::int64_t& busy_until = busy_until_[stream];
    busy_until = std::max(busy_until, clock_.now_ns()) + ns;
    queued(stream, busy_until);
  }
  // The end of all work launched on it.
  [[nodiscard]] std::int64_t end_of(CudaStream stream) { return busy_until_[stream]; }
  // Later work on `stream` waits for `ns`, as for an event of another stream.
  void hold(CudaStream stream, std::int64_t ns) {
    busy_until_[stream] = std::max(busy_until_[stream], ns);
  }
  void wait_for(CudaStream stream) { wait_until(busy_until_[stream]); }  // on the host

  [[nodiscard]] CudaApi api() {
    CudaApi api;
    api.driver_version = [this](int* version) {
      *version = driver_version;
      return kCudaSuccess;
    };
    api.runtime_version = [](int* version) {
      *version = 13000;
      return kCudaSuccess;
    };
    api.device_pci = [](int ordinal) { return "0000:0" + std::to_string(ordinal) + ":00.0"; };
    api.device_count = [this](int* count) {
      *count = devices;
      return enter("device_count");
    };
    api.set_device = [this](int ordinal) {
      device = ordinal;
      return enter("set_device");
    };
    api.device_synchronize = [this] {
      const int code = enter("synchronize");
      for (const auto& [stream, until] : busy_until_) wait_until(until);
      return code;
    };
    api.event_create = [this](CudaEvent* event) {
      const int code = enter("create");
      if (code != 0) return code;
      ++events;
      *event = new std::int64_t(0);
      return code;
    };
    api.event_destroy = [this](CudaEvent event) {
      --events;
      delete time_of(event);
      return 0;
    };
    api.event_record = [this](CudaEvent event, CudaStream stream) {
      clock_.pass(record_cost_ns);
      const int code = enter("record");
      if (code != 0) return code;
      take_a_place(stream);
      *time_of(event) = std::max(busy_until_[stream], clock_.now_ns());
      queued(stream, *time_of(event));
      return code;
    };
    api.event_query = [this](CudaEvent event) {
      const int code = enter("query");
      if (code != 0) return code;
      return *time_of(event) <= clock_.now_ns() ? 0 : kCudaNotReady;
    };
    api.event_synchronize = [this](CudaEvent event) {
      const int code = enter("event_synchronize");
      wait_until(*time_of(event) + synchronize_cost_ns);
      return code;
    };
    api.event_elapsed_ms = [this](float* ms, CudaEvent from, CudaEvent to) {
      const int code = enter("elapsed");
      *ms = static_cast<float>(static_cast<double>(device_ns(to) - device_ns(from)) * 1e-6);
      return code;
    };
    api.profiler_start = [this] { return enter("profiler_start"); };
    api.profiler_stop = [this] { return enter("profiler_stop"); };
    api.device_attribute = [this](int* value, int attribute, int) {
      *value = attribute;
      return enter("attribute");
    };
    api.device_name = [](int ordinal) { return "Scripted GPU " + std::to_string(ordinal); };
    api.device_memory_bytes = [](int) { return std::int64_t{16} << 30; };
    api.error_name = [](int code) { return "cudaError" + std::to_string(code); };
    return api;
  }

  int driver_version = 0;  // 12080: that of CUDA 12.8
  int devices = 1;
  int device = -1;
  std::int64_t events = 0;          // existing ones
  std::size_t queue_depth = 0;      // of each stream; 0: unlimited
  std::int64_t launch_cost_ns = 0;  // on the host
  std::int64_t record_cost_ns = 0;
  std::int64_t synchronize_cost_ns = 0;
  double drift = 1;
  std::int64_t resolution_ns = 1;           // of the device's clock
  std::map<std::string, int> failing = {};  // result of this call from now on
  std::map<std::string, int> calls = {};    // number of calls
  int fail_at = -1;                         // index among all calls, from 0, that fails
  int fail_with = 0;
  int made = 0;             // total number of calls
  std::string failed = {};  // the call that failed
  bool keep_log = false;
  std::vector<std::string> log = {};

 private:
  static std::int64_t* time_of(CudaEvent event) { return static_cast<std::int64_t*>(event); }
  [[nodiscard]] std::int64_t device_ns(CudaEvent event) const {
    const auto ns =
        static_cast<std::int64_t>(std::llround(static_cast<double>(*time_of(event)) * drift));
    return ns / resolution_ns * resolution_ns;
  }
  void wait_until(std::int64_t ns) {
    if (ns > clock_.now_ns()) clock_.pass(ns - clock_.now_ns());
  }
  void take_a_place(CudaStream stream) {
    if (queue_depth == 0) return;
    std::deque<std::int64_t>& queue = queues_[stream];
    while (!queue.empty() && queue.front() <= clock_.now_ns()) queue.pop_front();
    if (queue.size() < queue_depth) return;
    wait_until(queue.front());
    queue.pop_front();
  }
  void queued(CudaStream stream, std::int64_t end_ns) {
    if (queue_depth > 0) queues_[stream].push_back(end_ns);
  }
  int enter(const char* call) {
    ++calls[call];
    if (keep_log) log.emplace_back(call);
    if (made++ == fail_at) {
      failed = call;
      return fail_with;
    }
    const auto found = failing.find(call);
    return found == failing.end() ? 0 : found->second;
  }

  ScriptedClock& clock_;
  std::map<CudaStream, std::int64_t> busy_until_;
  // Ends of launched work.
  std::map<CudaStream, std::deque<std::int64_t>> queues_;
};

}  // namespace stepbench::cuda
