// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/fork/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <new>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"

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

std::shared_ptr<BatchRing> BatchRing::make(std::size_t bytes_per_slot, int slots) {
  return std::shared_ptr<BatchRing>(new BatchRing(bytes_per_slot, slots));
}

BatchRing::BatchRing(std::size_t bytes_per_slot, int slots)
    : stride_(whole_pages(bytes_per_slot)),
      slots_(slots),
      memory_(stride_ * static_cast<std::size_t>(slots), SharedMemory::Pages::kNow) {
  for (int slot = slots; slot-- > 0;) free_.push_back(slot);
}

std::optional<BatchRing::Slot> BatchRing::take() {
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::nullopt;
    number = free_.back();
    free_.pop_back();
  }
  const auto give_back = [ring = shared_from_this(), number](void*) {
    const std::lock_guard lock(ring->mutex_);
    ring->free_.push_back(number);  // within the capacity reserved by the constructor
  };
  return Slot{.number = number, .owner = std::shared_ptr<void>(memory(number), give_back)};
}

namespace {

constexpr std::size_t kCounters = 64;  // bytes in front of the indices

}  // namespace

TaskBoard::TaskBoard(int tasks, std::int64_t samples_per_task)
    : samples_per_task_(samples_per_task),
      memory_(kCounters + static_cast<std::size_t>(tasks) *
                              static_cast<std::size_t>(samples_per_task) * sizeof(std::int64_t)),
      shared_(std::construct_at(reinterpret_cast<Shared*>(memory_.data()))) {
  static_assert(sizeof(Shared) <= kCounters);
}

TaskBoard::~TaskBoard() { std::destroy_at(shared_); }

std::span<std::int64_t> TaskBoard::samples(int task, std::int64_t count) const {
  auto* all = reinterpret_cast<std::int64_t*>(memory_.data() + kCounters);
  return {all + task * samples_per_task_, static_cast<std::size_t>(count)};
}

namespace {

std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace

std::size_t shared_memory_free() {
  struct statvfs facts {};
  if (::statvfs("/dev/shm", &facts) != 0) return 0;
  return static_cast<std::size_t>(facts.f_bavail) * facts.f_frsize;
}

std::string in_mib(std::size_t bytes) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(),
                    static_cast<double>(bytes) / (1U << 20U), std::chars_format::fixed, 1);
  return std::string(text.data(), end) + " MiB";
}

SharedSegment SharedSegment::create(const std::string& name, std::size_t bytes) {
  os::Descriptor descriptor(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) throw Error(formatted("shared memory {}: {}", name, reason(errno)));
  const auto length = static_cast<off_t>(bytes);
  int code = ::ftruncate(descriptor.value(), length) == 0 ? 0 : errno;
  if (code == 0) code = ::posix_fallocate(descriptor.value(), 0, length);
  ::shm_unlink(name.c_str());
  if (code != 0) {
    throw Error(formatted("a batch field needs {} of /dev/shm and {} are free: {}", in_mib(bytes),
                          in_mib(shared_memory_free()), reason(code)));
  }
  return {std::move(descriptor), bytes};
}

SharedSegment SharedSegment::map(os::Descriptor descriptor, std::size_t bytes) {
  return {std::move(descriptor), bytes};
}

SharedSegment::SharedSegment(os::Descriptor descriptor, std::size_t bytes)
    : descriptor_(std::move(descriptor)), bytes_(bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.value(), 0);
  if (memory == MAP_FAILED) throw Error("a shared segment cannot be mapped: " + reason(errno));
  data_ = static_cast<std::byte*>(memory);
}

SharedSegment::~SharedSegment() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace stepbench::loader
