// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "harness/base/error.h"
#include "harness/machine/process_tree.h"
#include "harness/os/command.h"
#include "harness/os/file_check.h"
#include "harness/run/leftovers.h"

namespace stepbench::run {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw Error(what + ": " + std::strerror(errno));
}

// Moves above the worker's descriptors, so that dup2() in the child overwrites none of them.
os::Descriptor move_up(os::Descriptor descriptor) {
  return os::moved_up(std::move(descriptor), kLifelineDescriptor + 1);
}

void set_non_blocking(const os::Descriptor& descriptor) {
  const int flags = ::fcntl(descriptor.value(), F_GETFL);
  if (flags < 0 || ::fcntl(descriptor.value(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw_errno("cannot make a descriptor non-blocking");
  }
}

struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int null;
  int output;
  int control;
  int lifeline;
  int error;  // close-on-exec: the parent reads errno from it, or end of stream on success
  pid_t parent;
  rlim_t data_bytes;  // RLIM_INFINITY: the parent's limit
};

void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  const long limit = ::sysconf(_SC_OPEN_MAX);  // for kernels before 5.11
  for (int descriptor = first; descriptor < (limit > 0 ? limit : 1024); ++descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

// Returns false if the kernel rejects the limit.
bool limit_data(rlim_t bytes) {
  if (bytes == RLIM_INFINITY) return true;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  limit.rlim_cur = limit.rlim_max = std::min(bytes, limit.rlim_max);
  return ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

[[noreturn]] void exec_worker(const ChildPlan& plan) {
  const auto fail = [&] {
    const int error = errno;
    [[maybe_unused]] const ssize_t ignored = ::write(plan.error, &error, sizeof error);
    ::_exit(127);
  };
  if (::setpgid(0, 0) != 0) fail();
  os::bind_to_lifeline(plan.lifeline);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail();
  if (::getppid() != plan.parent) ::_exit(127);  // the parent died before the prctl took effect
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  if (::dup2(plan.null, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.output, 2) < 0 ||
      ::dup2(plan.control, kControlDescriptor) < 0 ||
      ::dup2(plan.lifeline, kLifelineDescriptor) < 0) {
    fail();
  }
  close_from(kLifelineDescriptor + 1);
  if (!limit_data(plan.data_bytes)) fail();
  ::execve(plan.program, plan.arguments, plan.environment);
  fail();
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string resolve_program(const std::string& name, const machine::Variables& environment) {
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored))
      throw ConfigError(name, os::why_absent(name, "there is no such program"));
    if (!is_program(name)) throw ConfigError(name, "is not an executable file (chmod +x?)");
    return name;
  }
  const std::string_view path =
      machine::find_variable(environment, "PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::filesystem::path candidate = std::filesystem::path{path.substr(at, end - at)} / name;
    if (end > at && is_program(candidate)) return candidate.string();
    at = end + 1;
  }
  throw ConfigError(name, "there is no such program in PATH");
}

WorkerProcess spawn_worker(const SpawnRequest& request) {
  const std::string program = resolve_program(request.argv.at(0), request.environment);
  std::vector<std::string> variables;
  for (const auto& [name, value] : request.environment) {
    if (name != kControllerVariable) variables.push_back(name + "=" + value);
  }
  if (request.names_controller) {
    variables.push_back(std::string(kControllerVariable) + "=" + controller_name("/", ::getpid()));
  }
  const std::vector<char*> arguments = pointers(request.argv);
  const std::vector<char*> environment = pointers(variables);

  auto [our_control, their_control] = os::make_socket_pair();
  auto [our_output, their_output] = os::make_pipe();
  auto [our_lifeline, their_lifeline] = os::make_socket_pair();
  auto [our_error, their_error] = os::make_pipe();
  their_control = move_up(std::move(their_control));
  their_output = move_up(std::move(their_output));
  their_lifeline = move_up(std::move(their_lifeline));
  their_error = move_up(std::move(their_error));
  const os::Descriptor null = move_up(os::Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)});
  set_non_blocking(our_control);
  set_non_blocking(our_output);

  const ChildPlan plan{
      .program = program.c_str(),
      .arguments = arguments.data(),
      .environment = environment.data(),
      .null = null.value(),
      .output = their_output.value(),
      .control = their_control.value(),
      .lifeline = their_lifeline.value(),
      .error = their_error.value(),
      .parent = ::getpid(),
      .data_bytes = request.data_bytes ? static_cast<rlim_t>(*request.data_bytes) : RLIM_INFINITY};
  const pid_t pid = os::start_child([&] { exec_worker(plan); });
  if (pid < 0) throw_errno("cannot start a process for the worker");
  ::setpgid(pid, pid);  // parent and child both set it, because either may run first
  their_error.close();

  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(our_error.value(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count == sizeof error) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw ConfigError(program, std::string{"cannot be run: "} + std::strerror(error));
  }
  WorkerProcess worker{.pid = pid,
                       .pidfd = os::Descriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))},
                       .control = std::move(our_control),
                       .output = std::move(our_output),
                       .lifeline = std::move(our_lifeline)};
  if (!worker.pidfd.is_open()) throw_errno("pidfd_open (Linux 5.3 or newer is needed)");
  return worker;
}

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    throw Error(std::string{"PR_SET_CHILD_SUBREAPER: "} + std::strerror(errno));
  }
}

std::optional<int> peek_status(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid) {
    return std::nullopt;
  }
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
}

bool is_stopped(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

bool reap_all(pid_t group, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  ::kill(-group, SIGKILL);
  for (;;) {
    const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped > 0 || (reaped < 0 && errno == EINTR)) continue;
    if (reaped < 0) return true;  // ECHILD
    if (std::chrono::steady_clock::now() > deadline) return false;
    for (const pid_t child : machine::children_of("/", ::getpid())) ::kill(child, SIGKILL);
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace stepbench::run
