// SPDX-License-Identifier: Apache-2.0
// Preloaded into `stepbench`: a disk that fails at its N-th call, and planted bugs that prove that
// the storms would find them.
//   STORM_DISK=FOLDER:N:KIND  calls that change files below FOLDER, the N-th from 1: `full` (that
//                             one and all after it: ENOSPC), `broken` (that one: EIO), `short` (a
//                             write of half the bytes); makes FOLDER.fired when it did
//   STORM_PLANT=NAME          lose_row, leak_fd, leak_memory, keep_segment, accept_truncated,
//                             outliving_build, followed_link, read_by_a_shell or
//                             endless_comparison
#include <dlfcn.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

struct Disk {
  std::string folder;
  long at = 0;
  std::string kind;
};

const Disk& disk() {
  static const Disk made = [] {
    Disk disk;
    const char* text = std::getenv("STORM_DISK");
    if (text == nullptr) return disk;
    const std::string all = text;
    const std::size_t last = all.rfind(':');
    const std::size_t first = all.rfind(':', last - 1);
    return Disk{all.substr(0, first), std::atol(all.c_str() + first + 1), all.substr(last + 1)};
  }();
  return made;
}

bool is_planted(const char* name) {
  static const char* const plant = std::getenv("STORM_PLANT");
  return plant != nullptr && std::strcmp(plant, name) == 0;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

enum class Fate { kFine, kFails, kShort };

// Returns the fate of the next call that changes files below the folder.
Fate fate(std::string_view path, bool writes) {
  static std::atomic<long> calls = 0;
  const Disk& failing = disk();
  if (failing.folder.empty() || !path.starts_with(failing.folder)) return Fate::kFine;
  if (failing.kind == "short" && !writes) return Fate::kFine;
  const long call = ++calls;
  const bool now = failing.kind == "full" ? call >= failing.at : call == failing.at;
  if (!now) return Fate::kFine;
  const int saved = errno;
  const int mark =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, (failing.folder + ".fired").c_str(),
                                 O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (mark >= 0) ::syscall(SYS_close, mark);
  errno = saved;
  if (failing.kind == "short") return Fate::kShort;
  errno = failing.kind == "full" ? ENOSPC : EIO;
  return Fate::kFails;
}

Fate fate(int descriptor, bool writes) {
  if (disk().folder.empty()) return Fate::kFine;
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size <= 0 ? Fate::kFine
                   : fate(std::string_view(path.data(), static_cast<std::size_t>(size)), writes);
}

// Half of it, but at least one byte.
std::size_t written_now(Fate fate, std::size_t size) {
  return fate == Fate::kShort && size > 1 ? size / 2 : size;
}

bool is_segment(const char* path) {
  return is_planted("keep_segment") &&
         std::string_view(path).find("/dev/shm/stepbench-") != std::string_view::npos;
}

void leak_memory() {
  constexpr std::size_t kBytes = std::size_t{1} << 16;
  void* leaked =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (leaked != MAP_FAILED) std::memset(leaked, 1, kBytes);
}

int open_as(const char* path, int flags, mode_t mode) {
  if ((flags & O_CREAT) != 0 && fate(std::string_view(path), false) == Fate::kFails) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static auto* const real = next<decltype(write)>("write");
  const std::string_view text(static_cast<const char*>(bytes), size);
  if (is_planted("lose_row") && text.starts_with("{\"kind\":\"launch\"")) {
    return static_cast<ssize_t>(size);
  }
  const Fate is = fate(descriptor, true);
  return is == Fate::kFails ? -1 : real(descriptor, bytes, written_now(is, size));
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t at) {
  static auto* const real = next<decltype(pwrite64)>("pwrite64");
  const Fate is = fate(descriptor, true);
  return is == Fate::kFails ? -1 : real(descriptor, bytes, written_now(is, size), at);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  return pwrite64(descriptor, bytes, size, at);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const real = next<decltype(writev)>("writev");
  return fate(descriptor, false) == Fate::kFails ? -1 : real(descriptor, parts, count);
}

int fsync(int descriptor) {
  static auto* const real = next<decltype(fsync)>("fsync");
  return fate(descriptor, false) == Fate::kFails ? -1 : real(descriptor);
}
int fdatasync(int descriptor) {
  static auto* const real = next<decltype(fdatasync)>("fdatasync");
  return fate(descriptor, false) == Fate::kFails ? -1 : real(descriptor);
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  static auto* const real = next<decltype(ftruncate64)>("ftruncate64");
  return fate(descriptor, false) == Fate::kFails ? -1 : real(descriptor, size);
}
int ftruncate(int descriptor, off_t size) noexcept { return ftruncate64(descriptor, size); }

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<decltype(rename)>("rename");
  return fate(std::string_view(to), false) == Fate::kFails ? -1 : real(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<decltype(mkdir)>("mkdir");
  return fate(std::string_view(path), false) == Fate::kFails ? -1 : real(path, mode);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  return open_as(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  return open_as(path, flags, mode);
}

int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  static auto* const real = next<decltype(socketpair)>("socketpair");
  const int result = real(domain, type, protocol, ends);
  // Not one of the pair: its reader would wait for end of file for ever.
  if (is_planted("leak_fd")) (void)open_as("/dev/null", O_RDONLY | O_CLOEXEC, 0);
  if (is_planted("leak_memory")) leak_memory();
  return result;
}

int unlink(const char* path) noexcept {
  static auto* const real = next<decltype(unlink)>("unlink");
  return is_segment(path) ? 0 : real(path);
}
int remove(const char* path) noexcept {
  static auto* const real = next<decltype(remove)>("remove");
  return is_segment(path) ? 0 : real(path);
}

// PR_SET_PDEATHSIG binds a child program to this process.
int prctl(int option, ...) noexcept {
  static auto* const real = next<int(int, ...)>("prctl");
  va_list more;
  va_start(more, option);
  const unsigned long value = va_arg(more, unsigned long);
  va_end(more);
  if (option == PR_SET_PDEATHSIG && is_planted("outliving_build")) return 0;
  return real(option, value, 0UL, 0UL, 0UL);
}
int fcntl(int descriptor, int command, ...) {
  static auto* const real = next<int(int, int, ...)>("fcntl");
  va_list more;
  va_start(more, command);
  const unsigned long value = va_arg(more, unsigned long);
  va_end(more);
  if (command == F_SETOWN && is_planted("outliving_build")) return 0;
  return real(descriptor, command, value);
}

int lstat(const char* path, struct stat* facts) noexcept {
  static auto* const real = next<decltype(lstat)>("lstat");
  const bool follows = is_planted("followed_link") && std::string_view(path).ends_with("link.csv");
  return follows ? ::stat(path, facts) : real(path, facts);
}

// Substitutes the value for the variable, as if it had been filled in.
int execvpe(const char* program, char* const* words, char* const* variables) noexcept {
  static auto* const real = next<decltype(execvpe)>("execvpe");
  constexpr std::string_view kUse = "\"${STEPBENCH_WORKTREE}\"";
  constexpr std::string_view kName = "STEPBENCH_WORKTREE=";
  if (is_planted("read_by_a_shell") && words[0] != nullptr && words[1] != nullptr &&
      words[2] != nullptr) {
    std::string text = words[2];
    for (char* const* each = variables; *each != nullptr; ++each) {
      if (!std::string_view(*each).starts_with(kName)) continue;
      for (std::size_t at = text.find(kUse); at != std::string::npos; at = text.find(kUse)) {
        text.replace(at, kUse.size(), *each + kName.size());
      }
    }
    std::array<char*, 4> changed = {words[0], words[1], text.data(), nullptr};
    if (words[3] == nullptr) return real(program, changed.data(), variables);
  }
  return real(program, words, variables);
}

double expm1(double value) noexcept {
  static auto* const real = next<double(double)>("expm1");
  while (is_planted("endless_comparison")) ::pause();
  return real(value);
}

libdeflate_result libdeflate_gzip_decompress_ex(libdeflate_decompressor* decompressor,
                                                const void* in, size_t in_bytes, void* out,
                                                size_t out_bytes, size_t* taken, size_t* made) {
  static auto* const real =
      next<decltype(libdeflate_gzip_decompress_ex)>("libdeflate_gzip_decompress_ex");
  const libdeflate_result result = real(decompressor, in, in_bytes, out, out_bytes, taken, made);
  if (result == LIBDEFLATE_BAD_DATA && is_planted("accept_truncated")) {
    *taken = in_bytes;
    *made = 0;
    return LIBDEFLATE_SUCCESS;
  }
  return result;
}

}  // extern "C"
