// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/cuda/counted_heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> bytes{0};

void* allocate(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations;
  bytes += static_cast<std::int64_t>(::malloc_usable_size(memory));
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory == nullptr) return;
  bytes -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }

namespace stepbench::cuda {

std::int64_t heap_allocations() { return allocations; }
std::int64_t heap_bytes() { return bytes; }

}  // namespace stepbench::cuda
