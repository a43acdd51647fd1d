// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/machine/processes.h"
#include "harness/os/descriptor.h"
#include "harness/os/files.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;

// The value of the variable in "A=1\0B=2\0".
std::optional<std::string> controller_in(std::string_view environment) {
  while (!environment.empty()) {
    const std::string_view variable = environment.substr(0, environment.find('\0'));
    if (variable.starts_with(kControllerVariable) &&
        variable.substr(kControllerVariable.size()).starts_with('=')) {
      return std::string(variable.substr(kControllerVariable.size() + 1));
    }
    environment.remove_prefix(std::min(variable.size() + 1, environment.size()));
  }
  return std::nullopt;
}

}  // namespace

std::string pid_namespace(const fs::path& process) {
  std::error_code error;
  return fs::read_symlink(process / "ns/pid", error).string();
}

std::string controller_name(const fs::path& root, pid_t controller) {
  return formatted("{}.{}", controller, machine::start_ticks(root, controller).value_or(0));
}

bool lives(const fs::path& root, const std::string& controller) {
  const auto pid = os::parse_integer(controller.substr(0, controller.find('.')));
  return !pid || controller_name(root, static_cast<pid_t>(*pid)) == controller;
}

std::vector<Orphan> find_orphans(const fs::path& root) {
  std::vector<Orphan> orphans;
  const std::string ours = pid_namespace(root / "proc/self");
  std::error_code error;
  for (fs::directory_iterator at{root / "proc", error}, end; !error && at != end;
       at.increment(error)) {
    const auto pid = os::parse_integer(at->path().filename().string());
    const auto environment = pid ? os::read_text(at->path() / "environ") : std::nullopt;
    const auto controller = environment ? controller_in(*environment) : std::nullopt;
    if (!controller || lives(root, *controller)) continue;
    if (pid_namespace(at->path()) != ours) continue;  // the pid means another process there
    orphans.push_back({static_cast<pid_t>(*pid), os::read_line(at->path() / "comm").value_or("")});
  }
  return orphans;
}

std::string end_orphans() {
  std::string names;
  std::int64_t count = 0;
  for (const Orphan& orphan : find_orphans("/")) {
    if (::kill(orphan.pid, SIGKILL) != 0) continue;
    ++count;
    names += formatted("{}{} ({})", names.empty() ? ": " : ", ", orphan.pid,
                       text::printable(orphan.program));
  }
  if (count == 0) return {};
  return formatted("ended {} that a killed run had left{}", text::counted(count, "process"), names);
}

namespace {

constexpr std::string_view kStem = "stepbench-";

constexpr std::string_view kTorchStem = "torch_";

// "stepbench-123-...", "torch_123_...".
std::optional<pid_t> owner_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem)) return std::nullopt;
  name.remove_prefix(stem.size());
  const std::size_t end = name.find(stem.back());
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const auto pid = os::parse_integer(name.substr(0, end));
  if (!pid || *pid <= 0) return std::nullopt;
  return static_cast<pid_t>(*pid);
}

int sweep(const std::filesystem::path& directory, std::string_view stem,
          const std::function<bool(pid_t)>& is_stale) {
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at{directory, error}, end; !error && at != end;
       at.increment(error)) {
    const auto pid = owner_of(at->path().filename().string(), stem);
    std::error_code ignored;
    if (pid && is_stale(*pid) && std::filesystem::remove(at->path(), ignored)) ++removed;
  }
  return removed;
}

bool has_ended(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

std::filesystem::path notes_of(const std::filesystem::path& directory, pid_t controller) {
  return directory / formatted("{}{}-processes", kStem, controller);
}

// Anyone may write to the directory: a pipe of this name would block, another user's file may be of
// any size.
bool is_own_file(const std::filesystem::path& file) {
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

}  // namespace

std::string segment_prefix(pid_t controller) { return formatted("/{}{}-", kStem, controller); }

int remove_segments(const std::filesystem::path& directory, pid_t controller) {
  return sweep(directory, kStem, [&](pid_t pid) { return pid == controller; });
}

int remove_segments_of(const std::filesystem::path& directory, const std::set<pid_t>& processes) {
  return sweep(directory, kTorchStem,
               [&](pid_t pid) { return processes.contains(pid) && has_ended(pid); });
}

int remove_stale_segments(const std::filesystem::path& directory) {
  std::set<pid_t> noted;
  (void)sweep(directory, kStem, [&](pid_t controller) {
    const std::filesystem::path notes = notes_of(directory, controller);
    if (!has_ended(controller) || !is_own_file(notes)) return false;
    const std::string text = os::read_text(notes).value_or("");
    const std::vector<std::string_view> words = os::split_words(text);
    // A container may share the directory and not the pids.
    if (words.empty() || words.front() != pid_namespace("/proc/self")) return false;
    for (const std::string_view word : words) {
      if (const auto pid = os::parse_integer(word)) noted.insert(static_cast<pid_t>(*pid));
    }
    return false;
  });
  return remove_segments_of(directory, noted) + sweep(directory, kStem, has_ended);
}

ProcessNotes::ProcessNotes(const std::filesystem::path& directory, pid_t controller)
    : file_(notes_of(directory, controller)) {}

void ProcessNotes::keep(const std::set<pid_t>& processes) {
  if (processes.size() <= noted_) return;
  noted_ = processes.size();
  // O_NONBLOCK: a pipe of this name would block.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const os::Descriptor file(::open(file_.c_str(), kFlags, 0600));
  const std::string text =
      pid_namespace("/proc/self") + "\n" +
      text::join(processes, "\n", [](pid_t each) { return std::to_string(each); });
  // If writing fails, these segments are not swept.
  if (file.is_open()) (void)!::write(file.value(), text.data(), text.size());
}

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
  ::kill(-group, SIGKILL);
  return reap_children(limit);
}

bool reap_children(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
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
