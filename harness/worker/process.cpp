// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/process.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "harness/base/digest.h"
#include "harness/base/hex.h"

namespace stepbench::worker {
namespace {

std::size_t padded(std::size_t size) { return (size + 3U) & ~std::size_t{3}; }

std::string find_build_id(std::string_view notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const std::size_t name_size = padded(header.n_namesz);
    const std::size_t size = name_size + padded(header.n_descsz);
    if (notes.size() < size) return {};
    if (header.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == std::string_view("GNU\0", 4)) {
      return hex_text(notes.substr(name_size, header.n_descsz));
    }
    notes.remove_prefix(size);
  }
  return {};
}

// The loader lists the program itself first; its notes are mapped.
int read_program_notes(dl_phdr_info* info, std::size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are integers in <link.h>
    const char* notes = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    std::string id = find_build_id({notes, segment.p_memsz});
    if (!id.empty()) {
      *static_cast<std::string*>(out) = std::move(id);
      break;
    }
  }
  return 1;
}

}  // namespace

void init_worker_process(int control_descriptor) {
  ::fcntl(control_descriptor, F_SETFD, FD_CLOEXEC);
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::raise(SIGKILL);  // the parent died before the request
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) {
    (void)std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0) {
    ::dup2(null, STDIN_FILENO);
    if (null != STDIN_FILENO) ::close(null);
  }
}

std::int64_t process_age_ns() {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  constexpr int kFieldsUntilStart = 19;  // proc(5): starttime is field 22, the name is field 2
  std::string skipped;
  for (int i = 0; i < kFieldsUntilStart; ++i) fields >> skipped;
  std::int64_t start_ticks = 0;
  timespec now{};
  if (!(fields >> start_ticks) || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const std::int64_t now_ns = now.tv_sec * kNsPerSecond + now.tv_nsec;
  const std::int64_t age_ns = now_ns - start_ticks * (kNsPerSecond / ::sysconf(_SC_CLK_TCK));
  return age_ns > 0 ? age_ns : 0;
}

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(read_program_notes, &id);
  if (!id.empty()) return id;
  std::ifstream program("/proc/self/exe", std::ios::binary);
  return digest(std::string{std::istreambuf_iterator<char>(program), {}});
}

}  // namespace stepbench::worker
