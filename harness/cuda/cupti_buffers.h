// SPDX-License-Identifier: Apache-2.0
// The memory that CUPTI writes records into. CUPTI calls take() and give_back() on its own threads:
// they must not call CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stepbench::cuda {

class CuptiBuffers {
 public:
  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t size = 0;  // bytes of records
  };

  CuptiBuffers(std::size_t buffer_bytes, std::size_t most_bytes)
      : buffer_bytes_(buffer_bytes), most_(most_bytes / buffer_bytes) {}
  CuptiBuffers(const CuptiBuffers&) = delete;
  CuptiBuffers& operator=(const CuptiBuffers&) = delete;
  // Leaks buffers that CUPTI has not returned: it may still write to them, at the latest at process
  // exit.
  ~CuptiBuffers() {
    for (auto& buffer : all_) {
      const auto is_buffer = [&](const std::uint8_t* data) { return data == buffer.get(); };
      const bool returned = std::any_of(free_.begin(), free_.end(), is_buffer) ||
                            std::any_of(filled_.begin(), filled_.end(),
                                        [&](const Filled& each) { return is_buffer(each.data); });
      if (!returned) (void)buffer.release();
    }
  }

  [[nodiscard]] std::size_t buffer_bytes() const { return buffer_bytes_; }

  [[nodiscard]] std::uint8_t* take() {  // null: limit of memory for records reached
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      if (all_.size() >= most_) return nullptr;
      all_.push_back(std::make_unique<std::uint8_t[]>(buffer_bytes_));
      free_.push_back(all_.back().get());
    }
    std::uint8_t* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  void give_back(std::uint8_t* data, std::size_t size, std::size_t dropped) {
    const std::lock_guard lock(mutex_);
    filled_.push_back({data, size});
    dropped_ += dropped;
  }

  [[nodiscard]] std::vector<Filled> take_filled() {
    const std::lock_guard lock(mutex_);
    return std::exchange(filled_, {});
  }
  void recycle(const std::vector<Filled>& read) {
    const std::lock_guard lock(mutex_);
    for (const Filled& each : read) free_.push_back(each.data);
  }
  [[nodiscard]] std::size_t take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, 0);
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

 private:
  std::size_t buffer_bytes_;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t[]>> all_;
  std::vector<std::uint8_t*> free_;
  std::vector<Filled> filled_;
  std::size_t dropped_ = 0;
};

}  // namespace stepbench::cuda
