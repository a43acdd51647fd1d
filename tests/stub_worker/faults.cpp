// SPDX-License-Identifier: Apache-2.0
#include "tests/stub_worker/faults.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/protocol/messages.h"

namespace stepbench {
namespace {

void leave_no_core() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

[[noreturn]] void die_of(int signal) {
  leave_no_core();
  (void)std::signal(signal, SIG_DFL);
  (void)std::raise(signal);
  ::_exit(99);
}

void print_much() {
  const std::string line(1023, '#');
  for (int i = 0; i < 4096; ++i) {
    (void)protocol::write_line(STDOUT_FILENO, line);
    (void)protocol::write_line(STDERR_FILENO, line);
  }
}

// Starts a process in its own session that keeps this one's descriptors open.
void leave_an_orphan() {
  constexpr unsigned kAtMostSeconds = 120;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::alarm(kAtMostSeconds);
      hang();
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

// Simulates the kernel's kill in a full cgroup, without filling the memory of the test machine.
[[noreturn]] void be_killed_for_memory() {
  std::vector<char> memory(std::size_t{64} << 20, 1);
  volatile char* kept = memory.data();
  kept[0] = 2;
  die_of(SIGKILL);
}

}  // namespace

void hang() {
  while (true) ::pause();
}

void inject_fault(std::string_view behaviour, int control_descriptor) {
  if (behaviour == "throw_in_step") throw std::runtime_error("scripted exception in step");
  if (behaviour == "hang_in_step") hang();
  if (behaviour == "segfault") die_of(SIGSEGV);
  if (behaviour == "abort") die_of(SIGABRT);
  if (behaviour == "kill_self") die_of(SIGKILL);
  if (behaviour == "oom") be_killed_for_memory();
  if (behaviour == "exit_3") ::_exit(3);
  if (behaviour == "garbage") (void)protocol::write_line(control_descriptor, "\x01 not json {");
  if (behaviour == "flood_output") print_much();
  if (behaviour == "orphan") leave_an_orphan();
  if (behaviour == "flood_protocol") {
    (void)protocol::write_line(control_descriptor, std::string(protocol::kMaxLineBytes + 1, 'x'));
  }
}

}  // namespace stepbench
