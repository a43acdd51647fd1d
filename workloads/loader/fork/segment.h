// SPDX-License-Identifier: Apache-2.0
// One shared-memory segment per tensor, created and passed on as in PyTorch's file_descriptor
// strategy (at::new_shm_fd_storage): shm_open, ftruncate, posix_fallocate, mmap, shm_unlink at
// once; only the descriptor is sent. Python also pays for a connection per descriptor, its
// authentication and pickling, so this is a lower bound of Python's cost.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "harness/os/descriptor.h"

namespace stepbench::loader {

class SharedSegment {
 public:
  // `name` is free again on return. Throws Error naming the bytes needed and those free in
  // /dev/shm.
  [[nodiscard]] static SharedSegment create(const std::string& name, std::size_t bytes);
  // Maps a segment that another process created. Throws Error.
  [[nodiscard]] static SharedSegment map(os::Descriptor descriptor, std::size_t bytes);

  SharedSegment(SharedSegment&& other) noexcept
      : descriptor_(std::move(other.descriptor_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(other.bytes_) {}
  SharedSegment& operator=(SharedSegment&&) = delete;
  ~SharedSegment();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }

 private:
  SharedSegment(os::Descriptor descriptor, std::size_t bytes);

  os::Descriptor descriptor_;  // stays open as long as the tensor lives, as in PyTorch
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Free bytes in /dev/shm; 0 if there is no /dev/shm.
[[nodiscard]] std::size_t shared_memory_free();
[[nodiscard]] std::string in_mib(std::size_t bytes);  // "19.3 MiB"

}  // namespace stepbench::loader
