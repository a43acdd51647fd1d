// SPDX-License-Identifier: Apache-2.0
// An auditor of the dynamic linker (LD_AUDIT, see rtld-audit(7)): appends a line to the file named
// by STEPBENCH_TORCH_STARTS for each program that loads libtorch: the first words of its command
// line, and of the test that ctest runs it for. A process forked from such a program loads nothing
// and is not counted. torch_starts.py reads the file.
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string read_proc(pid_t pid, const char* what) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + what;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 4096> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string{};
}

std::string command_of(pid_t pid) {
  std::string words = read_proc(pid, "cmdline").substr(0, 1000);
  for (char& byte : words) {
    if (byte >= 0 && byte <= ' ') byte = ' ';
  }
  return words;
}

pid_t parent_of(pid_t pid) {
  const std::string stat = read_proc(pid, "stat");
  const std::size_t name_end = stat.rfind(')');
  int parent = 0;
  if (name_end == std::string::npos ||
      std::sscanf(stat.c_str() + name_end, ") %*c %d", &parent) != 1) {
    return 0;
  }
  return parent;
}

// The ancestor started by ctest; 0 if there is none.
pid_t test_of(pid_t pid) {
  for (pid_t parent = parent_of(pid); parent > 1; pid = parent, parent = parent_of(pid)) {
    if (read_proc(parent, "comm") == "ctest\n") return pid;
  }
  return 0;
}

}  // namespace

extern "C" unsigned int la_version(unsigned int offered) {
  return std::min<unsigned int>(offered, LAV_CURRENT);
}

extern "C" unsigned int la_objopen(struct link_map* loaded, Lmid_t, uintptr_t*) {
  const char* const slash = std::strrchr(loaded->l_name, '/');
  if (slash == nullptr || std::strcmp(slash, "/libtorch_cpu.so") != 0) return 0;
  const char* const log = std::getenv("STEPBENCH_TORCH_STARTS");
  const int file =
      log == nullptr ? -1 : ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return 0;
  const pid_t test = test_of(::getpid());
  const std::string line =
      command_of(::getpid()) + '\t' + (test > 0 ? command_of(test) : "") + '\n';
  static_cast<void>(!::write(file, line.data(), line.size()));
  ::close(file);
  return 0;
}
