// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/fork/fork_worker.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/os/process.h"
#include "workloads/loader/internal/fork/shared_memory.h"
#include "workloads/loader/internal/prefetching_loader.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench::loader {
namespace {

constexpr std::size_t kLongestError = 8192;
static_assert(std::is_trivially_copyable_v<TaskMessage> &&
              std::is_trivially_copyable_v<ResultMessage>);

struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(kDescriptorsPerMessage * sizeof(int))> bytes{};
};

template <typename Call>
ssize_t retry(const Call& call) {
  for (;;) {
    const ssize_t result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

void attach(msghdr& header, ControlBuffer& control, std::span<const int> descriptors) {
  const std::size_t bytes = descriptors.size_bytes();
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(part), descriptors.data(), bytes);
}

std::vector<os::Descriptor> detach(msghdr& header) {
  std::vector<os::Descriptor> taken;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
      taken.emplace_back(descriptor);
    }
  }
  return taken;
}

}  // namespace

MessageSockets::MessageSockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category());
  }
  consumer = os::Descriptor(ends[0]);
  worker = os::Descriptor(ends[1]);
}

bool try_send(int socket, const TaskMessage& task) {
  const ssize_t sent =
      retry([&] { return ::send(socket, &task, sizeof task, MSG_NOSIGNAL | MSG_DONTWAIT); });
  return sent >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS);
}

std::optional<TaskMessage> wait_for_task(int socket) {
  TaskMessage task;
  const ssize_t got = retry([&] { return ::recv(socket, &task, sizeof task, 0); });
  if (got != static_cast<ssize_t>(sizeof task)) return std::nullopt;
  return task;
}

bool send_result(int socket, const ResultMessage& result, std::string_view error,
                 std::span<const int> descriptors) {
  error = error.substr(0, kLongestError);
  std::array<iovec, 2> parts = {
      iovec{.iov_base = const_cast<ResultMessage*>(&result), .iov_len = sizeof result},
      iovec{.iov_base = const_cast<char*>(error.data()), .iov_len = error.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = error.empty() ? 1 : 2;
  ControlBuffer control;
  if (!descriptors.empty()) attach(header, control, descriptors);
  return retry([&] { return ::sendmsg(socket, &header, MSG_NOSIGNAL); }) >= 0;
}

std::optional<ReceivedResult> try_receive_result(int socket) {
  ReceivedResult result;
  std::array<char, kLongestError> error{};
  std::array<iovec, 2> parts = {
      iovec{.iov_base = &result.message, .iov_len = sizeof result.message},
      iovec{.iov_base = error.data(), .iov_len = error.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  ControlBuffer control;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  const ssize_t got =
      retry([&] { return ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC); });
  constexpr auto kWhole = static_cast<ssize_t>(sizeof(ResultMessage));
  if (got < kWhole) return std::nullopt;
  result.error.assign(error.data(), static_cast<std::size_t>(got - kWhole));
  result.segments = detach(header);
  result.descriptors_lost = (header.msg_flags & MSG_CTRUNC) != 0;
  return result;
}

namespace {

// Main loop of a worker process: takes tasks, reads batches and sends results until stopped.
class WorkerLoop {
 public:
  explicit WorkerLoop(const ForkWorker& worker) : worker_(worker) {}

  void run() {
    ::pthread_setname_np(::pthread_self(), ("sb_data_" + std::to_string(worker_.number)).c_str());
    if (worker_.core >= 0) run_on_core(worker_.core);
    cap_threads_of_this_thread(worker_.threads);
    try {
      reader_.emplace(worker_.dataset, worker_.reader, worker_.clock);
    } catch (...) {
      broken_ = current_error_text();
    }
    std::int64_t free_ns = worker_.clock.now_ns();
    std::int64_t blocked_ns = 0;
    while (const std::optional<TaskMessage> task = wait_for_task(worker_.socket)) {
      if (worker_.board.stopping()) return;
      ResultMessage result{.batch = task->batch,
                           .samples = task->samples,
                           .cost = {},
                           .task = task->task,
                           .slot = task->slot};
      const std::int64_t received_ns = worker_.clock.now_ns();
      result.idle_ns = received_ns - free_ns;
      result.cost.began_ns = result.cost.ended_ns = received_ns;
      std::string error = broken_;
      if (error.empty()) error = read(*task, result);
      result.failed = !error.empty();
      result.blocked_ns = blocked_ns + result.cost.began_ns - received_ns;
      result.ticket = worker_.board.next_ticket();
      std::vector<int> descriptors;
      for (const SharedSegment& segment : segments_) descriptors.push_back(segment.descriptor());
      if (!send_result(worker_.socket, result, error, descriptors)) return;
      worker_.board.note_sent();
      segments_.clear();
      free_ns = worker_.clock.now_ns();
      blocked_ns = free_ns - result.cost.ended_ns;
    }
  }

 private:
  // Returns the error, or empty.
  std::string read(const TaskMessage& task, ResultMessage& result) {
    BatchCost& cost = result.cost;
    try {
      if (std::exchange(stream_, task.stream) != task.stream) reader_->restart();
      const BatchSamples samples{.indices = worker_.board.samples(task.task, task.samples),
                                 .epoch = task.epoch,
                                 .left = task.left,
                                 .pass = task.pass};
      result.length = reader_->length(samples);
      std::byte* const memory = worker_.ring != nullptr ? worker_.ring->memory(task.slot) : nullptr;
      Batch batch = worker_.layout.place(memory, task.samples, nullptr);
      if (result.length > 0) set_length(batch, result.length);
      if (memory == nullptr) give_segments(batch);
      cost.began_ns = cost.ended_ns = worker_.clock.now_ns();
      reader_->fill(batch, samples, cost, &worker_.board.stopping());
      result.samples = batch.size;
      result.padding = batch.padding.value_or(0);
      if (batch.size == 0) segments_.clear();
      return {};
    } catch (...) {
      segments_.clear();
      return current_error_text();
    }
  }

  void give_segments(Batch& batch) {
    for (BatchField& field : batch.fields) {
      const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
      field.data = nullptr;
      if (bytes == 0) continue;
      segments_.push_back(SharedSegment::create(worker_.segment_name, bytes));
      field.data = segments_.back().data();
    }
  }

  const ForkWorker& worker_;
  std::optional<BatchReader> reader_;
  std::int64_t stream_ = 0;
  std::string broken_;  // start error, sent as the result of every task
  std::vector<SharedSegment> segments_;
};

}  // namespace

void work(const ForkWorker& worker) {
  WorkerLoop loop(worker);
  if (worker.threads == 1) return loop.run();
  // GNU OpenMP keeps a team per thread. The forked thread's team has lost its threads; a new thread
  // gets its own team.
  std::thread([&loop] { loop.run(); }).join();
}

namespace {

// Inter-process channels and kernel handles, as opposed to files and devices.
bool is_machinery(int descriptor) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return false;
  if (S_ISSOCK(facts.st_mode)) {
    int domain = 0;
    socklen_t size = sizeof domain;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           domain == AF_UNIX;
  }
  return (facts.st_mode & S_IFMT) == 0;  // pidfd, eventfd, epoll
}

void close_machinery(int keep) {
  std::vector<int> open;
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (descriptor > STDERR_FILENO && descriptor != keep) open.push_back(descriptor);
  }
  ::closedir(folder);
  for (const int descriptor : open) {
    if (is_machinery(descriptor)) ::close(descriptor);
  }
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    // Keep the SIGBUS handler: the child needs it too, for truncated mapped files.
    if (signal != SIGBUS) (void)std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Must neither return nor throw: the caller's frames belong to the parent.
[[noreturn]] void run_child(pid_t parent, int keep, const std::function<void()>& body) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // the parent died before prctl()
  close_machinery(keep);
  reset_signals();
  body();
  ::_exit(0);  // skips the parent's destructors and buffered output
}

}  // namespace

ChildProcess ChildProcess::start(int keep, const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no parent handler may run in the child
  const pid_t pid = ::fork();
  if (pid == 0) run_child(parent, keep, body);
  const int code = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw std::system_error(code, std::generic_category());
  ChildProcess child(pid, os::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  if (!child.descriptor_.is_open()) throw std::system_error(errno, std::generic_category());
  return child;
}

ChildProcess::ChildProcess(pid_t pid, os::Descriptor descriptor)
    : pid_(pid), descriptor_(std::move(descriptor)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), descriptor_(std::move(other.descriptor_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);  // not reaped yet, so the pid is still valid
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::ended_within(std::chrono::nanoseconds limit) const {
  constexpr std::int64_t kLongest = std::numeric_limits<int>::max();
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  pollfd one{.fd = descriptor_.value(), .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, static_cast<int>(std::clamp<std::int64_t>(ms, 0, kLongest))) > 0;
}

std::string ChildProcess::ending() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_) {
    return "ended";
  }
  if (info.si_code != CLD_EXITED && info.si_status == SIGKILL) {
    return "was killed by SIGKILL, which the kernel sends when memory runs out";
  }
  return os::exit_text({.status = os::wait_status(info)});
}

}  // namespace stepbench::loader
