// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace stepbench::loader {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

SharedMemory::SharedMemory(std::size_t bytes, Pages pages)
    : bytes_(std::max<std::size_t>(whole_pages(bytes), 1)) {
  const int flags =
      MAP_SHARED | MAP_ANONYMOUS | (pages == Pages::kNow ? MAP_POPULATE : MAP_NORESERVE);
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace stepbench::loader
