// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/process.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "harness/base/digest.h"
#include "harness/base/error.h"

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

namespace {

using Mode = WorkerArguments::Mode;

int descriptor_of(std::string_view text) {
  int descriptor = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
  if (error != std::errc() || end != text.data() + text.size() || descriptor < 0) {
    throw ConfigError("--control-fd",
                      "expected a file descriptor, found '" + std::string(text) + "'");
  }
  return descriptor;
}

}  // namespace

const std::string_view kWorkerHelp =
    R"(Measures one case in this process. `stepbench run` starts it; by hand:

  WORKER --case FILE      measure the case in FILE (one line as stepbench sends it);
                          the answer goes to standard output, line by line
  WORKER describe         print what this worker can measure, as JSON
  WORKER check            read cases from standard input, answer ok, skip or error for each
  WORKER data             read a case and a request, print what the case's loader delivers
  WORKER --control-fd=N   talk to stepbench on an inherited socket

Example, under a debugger:
  gdb --args WORKER --case case.json
)";

WorkerArguments parse_worker_arguments(std::span<const char* const> arguments) {
  WorkerArguments out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&](std::string_view name) -> std::optional<std::string_view> {
      if (!argument.starts_with(name)) return std::nullopt;
      const std::string_view rest = argument.substr(name.size());
      if (rest.starts_with('=')) return rest.substr(1);
      if (!rest.empty()) return std::nullopt;
      if (i + 1 == arguments.size()) throw ConfigError(std::string(name), "needs a value");
      return arguments[++i];
    };
    if (argument == "--help" || argument == "-h") return {};
    if (argument == "describe") {
      out.mode = Mode::kDescribe;
    } else if (argument == "check") {
      out.mode = Mode::kCheck;
    } else if (argument == "data") {
      out.mode = Mode::kData;
    } else if (const auto descriptor = value("--control-fd")) {
      out.mode = Mode::kControlled;
      out.control_descriptor = descriptor_of(*descriptor);
    } else if (const auto file = value("--case")) {
      out.mode = Mode::kCaseFile;
      out.case_file = *file;
    } else {
      throw ConfigError(
          std::string(argument),
          "unknown argument; known: --control-fd, --case, describe, check, data, --help");
    }
  }
  return out;
}

}  // namespace stepbench::worker
