// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/mapped_file.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT: sigaction
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

std::span<const std::byte> map(int fd, const std::string& path) {
  const auto refuse = [&](const char* what) {
    throw ConfigError(path, std::string(what) + ": " + std::generic_category().message(errno));
  };
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse("cannot be inspected");
  if (!S_ISREG(status.st_mode)) throw ConfigError(path, "is not a regular file");
  if (status.st_size == 0) throw ConfigError(path, "is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) refuse("cannot be mapped");
  return {static_cast<const std::byte*>(memory), size};
}

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: it may be a pipe.
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    throw ConfigError(path_, "cannot be opened: " + std::generic_category().message(errno));
  }
  try {
    bytes_ = map(fd, path_);
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
  watch_.begin(bytes_);
}

void MappedFile::expect_before_loss(std::uint64_t end) const {
  struct stat status {};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  const auto now = there ? static_cast<std::uint64_t>(status.st_size) : bytes_.size();
  // Beyond the end of a file, the rest of its last page reads as zeros without a fault.
  if (end <= std::min(now, watch_.lost_from())) return;
  if (now < bytes_.size()) {
    throw file_error(path_, now,
                     "the file was cut here while it was in use; it had " +
                         std::to_string(bytes_.size()) + " bytes when it was opened");
  }
  throw file_error(path_, watch_.lost_from(),
                   "the file was cut while it was in use, or its disk could not read it");
}

void MappedFile::release_pages() const {
  (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);  // NOLINT
}

MappedFile::~MappedFile() {
  watch_.end();
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature
}

namespace {

struct Slot {
  std::atomic<std::uintptr_t> begin = 0;  // 0: free
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<std::atomic<std::uint64_t>*> lost_from = nullptr;
};

// A signal handler can only reach the mappings through a table at a fixed address. The thread that
// faults keeps its mapping alive, so the slot does not change while the handler runs.
constexpr std::size_t kSlots = 4096;
std::array<Slot, kSlots> g_slots;
struct sigaction g_before {};
std::once_flag g_taken_over;

// Replaces the page of `address` and all following ones by zeros; false if no watched mapping has
// it or mapping fails.
bool mend(std::uintptr_t address) {
  for (Slot& slot : g_slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::uintptr_t end = slot.end.load(std::memory_order_relaxed);
    if (begin == 0 || address < begin || address >= end) continue;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = address / page * page;
    void* const at = reinterpret_cast<void*>(first);  // NOLINT: an address
    // All pages after the first lost one are lost as well.
    if (::mmap(at, end - first, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at) {
      return false;
    }
    std::atomic<std::uint64_t>& lost = *slot.lost_from.load(std::memory_order_relaxed);
    std::uint64_t known = lost.load(std::memory_order_relaxed);
    while (first - begin < known &&
           !lost.compare_exchange_weak(known, first - begin, std::memory_order_relaxed)) {
    }
    return true;
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const bool access = info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR;
  if (access && mend(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;  // NOLINT
  const auto handler = g_before.sa_handler;
  if ((g_before.sa_flags & SA_SIGINFO) != 0) return g_before.sa_sigaction(signal, info, context);
  if (handler != SIG_DFL && handler != SIG_IGN) return handler(signal);
  // Not a watched mapping: let the signal end the process.
  ::signal(signal, SIG_DFL);
  if (!access) ::raise(signal);
}

void take_over() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &g_before);
}

}  // namespace

void FaultWatch::begin(std::span<const std::byte> mapping) {
  std::call_once(g_taken_over, take_over);
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.data());  // NOLINT: an address
  for (std::size_t i = 0; i < kSlots; ++i) {
    std::atomic<std::uint64_t>* none = nullptr;
    if (!g_slots[i].lost_from.compare_exchange_strong(none, &lost_from_)) continue;
    // Faults are reported for whole pages.
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    g_slots[i].end.store(begin + (mapping.size() + page - 1) / page * page);
    g_slots[i].begin.store(begin, std::memory_order_release);
    slot_ = i;
    return;
  }
}

void FaultWatch::end() {
  if (slot_ == SIZE_MAX) return;
  g_slots[slot_].begin.store(0);
  g_slots[slot_].lost_from.store(nullptr);
  slot_ = SIZE_MAX;
}

}  // namespace stepbench::data
