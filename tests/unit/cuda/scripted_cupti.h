// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "harness/cuda/internal/cupti_api.h"
#include "tests/testing.h"

namespace stepbench::cuda {

// CUPTI for the collector: delivers buffers of records that a test composed.
class ScriptedCupti {
 public:
  // Copies a record into a buffer of the collector, like the driver; lost without one.
  template <typename Record>
  void emit(const Record& record) {
    if (buffer_ == nullptr || used_ + sizeof record > size_) next_buffer();
    if (buffer_ == nullptr || used_ + sizeof record > size_) {
      ++lost;
      return;
    }
    std::memcpy(buffer_ + used_, &record, sizeof record);
    starts_[buffer_].push_back(used_);
    used_ += (sizeof record + 7) / 8 * 8;
  }

  // A whole recorded buffer, with the offsets of its records.
  void emit_buffer(const std::vector<std::uint8_t>& bytes, const std::vector<std::size_t>& starts) {
    next_buffer();
    if (buffer_ == nullptr || bytes.size() > size_) {
      lost += starts.size();
      return;
    }
    std::memcpy(buffer_, bytes.data(), bytes.size());
    starts_[buffer_] = starts;
    used_ = bytes.size();
  }

  [[nodiscard]] CuptiApi api() {
    CuptiApi api;
    api.version = [this](std::uint32_t* out) {
      *out = version;
      return answer("version");
    };
    api.subscribe = [this](void** subscriber) {
      *subscriber = this;
      return answer("subscribe");
    };
    api.unsubscribe = [this](void*) { return answer("unsubscribe"); };
    api.register_timestamp = [this](CuptiApi::Timestamp now) {
      timestamp = now;
      return answer("timestamp");
    };
    api.register_callbacks = [this](CuptiApi::BufferRequested requested,
                                    CuptiApi::BufferCompleted completed) {
      requested_ = requested;
      completed_ = completed;
      return answer("callbacks");
    };
    api.use_system_thread_ids = [this] { return answer("thread ids"); };
    api.enable = [this](std::uint32_t kind) {
      return answer(("enable " + std::to_string(kind)).c_str());
    };
    api.disable = [this](std::uint32_t) { return answer("disable"); };
    api.ignore_runtime_call = [this](std::uint32_t) { return answer("ignore runtime call"); };
    api.ignore_driver_call = [this](std::uint32_t) { return answer("ignore driver call"); };
    api.flush_all = [this](std::uint32_t) {
      complete();
      return answer("flush");
    };
    api.next_record = [this](std::uint8_t* buffer, std::size_t, void** record) {
      const std::vector<std::size_t>& starts = starts_[buffer];
      const std::size_t at = next_[buffer];
      if (at == starts.size()) {
        next_[buffer] = 0;
        starts_[buffer].clear();
        return kCuptiMaxLimitReached;
      }
      *record = buffer + starts[at];
      ++next_[buffer];
      return kCuptiSuccess;
    };
    api.dropped = [this](void*, std::uint32_t, std::size_t* count) {
      *count = std::exchange(lost, 0);
      return kCuptiSuccess;
    };
    api.push = [this](std::uint32_t kind, std::uint64_t id) {
      external[kind].push_back(id);
      return answer("push");
    };
    api.pop = [this](std::uint32_t kind, std::uint64_t* id) {
      if (external[kind].empty()) return kCuptiQueueEmpty;
      *id = external[kind].back();
      external[kind].pop_back();
      return answer("pop");
    };
    api.callback_name = [this](std::uint32_t domain, std::uint32_t callback) {
      return callbacks.at({domain, callback});
    };
    api.error_name = [](int code) { return "CUPTI_ERROR_" + std::to_string(code); };
    return api;
  }

  // Takes one, like CUPTI for a thread that then records nothing.
  [[nodiscard]] std::uint8_t* take_buffer() const {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t most = 0;
    requested_(&buffer, &size, &most);
    return buffer;
  }

  // Domain and number.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> callbacks = {
      {{2, 211}, "cudaLaunchKernel_v7000"},
      {{2, 214}, "cudaLaunchKernel_ptsz_v7000"},
      {{2, 41}, "cudaMemcpyAsync_v3020"},
      {{2, 138}, "cudaEventQuery_v3020"},
      {{2, 505}, "__cudaLaunchKernel_v13000"},
      {{2, 311}, "cudaGraphLaunch_v10000"},
      {{1, 307}, "cuLaunchKernel"},
      {{1, 652}, "cuLaunchKernelEx"},
      {{1, 514}, "cuGraphLaunch"}};
  std::uint32_t version = 1'000'000;
  std::size_t lost = 0;
  CuptiApi::Timestamp timestamp = nullptr;
  std::map<std::string, int> failing = {};
  bool keep_log = true;
  std::vector<std::string> log = {};
  std::set<std::uint8_t*> buffers = {};  // buffers ever received
  std::int64_t buffers_taken = 0;
  std::int64_t buffers_returned = 0;
  std::map<std::uint32_t, std::vector<std::uint64_t>> external = {};

 private:
  int answer(const char* call) {
    if (keep_log) log.emplace_back(call);
    const auto found = failing.find(call);
    return found == failing.end() ? 0 : found->second;
  }
  void complete() {
    if (buffer_ != nullptr) {
      ++buffers_returned;
      completed_(nullptr, 0, buffer_, size_, used_);
    }
    buffer_ = nullptr;
    used_ = 0;
  }
  void next_buffer() {
    complete();
    std::size_t most = 0;
    requested_(&buffer_, &size_, &most);
    if (buffer_ == nullptr) return;
    ++buffers_taken;
    buffers.insert(buffer_);
    starts_[buffer_].clear();
    next_[buffer_] = 0;
  }

  CuptiApi::BufferRequested requested_ = nullptr;
  CuptiApi::BufferCompleted completed_ = nullptr;
  std::uint8_t* buffer_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::map<std::uint8_t*, std::vector<std::size_t>> starts_;
  std::map<std::uint8_t*, std::size_t> next_;
};

}  // namespace stepbench::cuda
