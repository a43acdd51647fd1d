// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/catalogue/launchers.h"
#include "harness/machine/environment.h"
#include "harness/machine/processes.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/address.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/internal/launch_limits.h"
#include "harness/run/internal/worker_output.h"
#include "harness/run/internal/worker_process.h"
#include "harness/run/internal/worker_watch.h"
#include "harness/run/terminal.h"

namespace stepbench::run {
namespace {

constexpr std::chrono::seconds kConnectLimit{10};
constexpr std::int64_t kHandshakeTimeoutNs = 5'000'000'000;  // for the controller's handshake
constexpr std::string_view kGlooInterface = "GLOO_SOCKET_IFNAME";
constexpr std::int64_t kGraceNs = 3 * kNsPerS;  // between SIGTERM and SIGKILL of the worker

std::string variable_of(const machine::Variables& variables, std::string_view name) {
  return std::string(machine::find_variable(variables, name).value_or(""));
}

void set_variable(machine::Variables& variables, std::string_view name, std::string value) {
  const auto found = std::ranges::find(variables, name, &machine::Variables::value_type::first);
  if (found == variables.end()) {
    variables.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

// "0-3,8"
std::string ranges_of(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) text += formatted("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

RankJoin make_join(const catalogue::Launcher& launcher, const machine::Variables& variables,
                   const std::string& build, int socket, int port) {
  RankJoin join{.version = build};
  join.host = machine::host_name("/");
  join.pid = ::getpid();
  join.address = run::own_address(socket);
  join.cpus = ranges_of(machine::cpus_in_affinity("/"));
  join.threads = variable_of(variables, "OMP_NUM_THREADS");
  join.devices = variable_of(variables, "CUDA_VISIBLE_DEVICES");
  try {
    join.place = run::rank_place(launcher, variables);
    if (join.place.rank == 0) join.port = port;
  } catch (const Error& error) {
    join.error = error.what();
  }
  return join;
}

// Sets the variables that torchrun sets, whatever started the rank.
machine::Variables worker_variables(const machine::Variables& inherited, const RankJoin& join,
                                    const RankBegin& begin) {
  machine::Variables variables;
  for (const auto& variable : inherited) {
    const std::string& name = variable.first;
    if (name == run::kControllersVariable || name == run::kTokenVariable) continue;
    if (std::ranges::find(begin.unset, name) == begin.unset.end()) variables.push_back(variable);
  }
  set_variable(variables, "RANK", std::to_string(join.place.rank));
  set_variable(variables, "WORLD_SIZE", std::to_string(join.place.world));
  set_variable(variables, "LOCAL_RANK", std::to_string(join.place.local_rank));
  set_variable(variables, "LOCAL_WORLD_SIZE", std::to_string(join.place.local_world));
  for (const auto& [name, value] : begin.set) set_variable(variables, name, value);
  if (variable_of(variables, kGlooInterface).empty()) {
    const std::string interface = run::gloo_interface(join.address, join.host);
    if (!interface.empty()) set_variable(variables, kGlooInterface, interface);
  }
  return variables;
}

class RankAgent {
 public:
  RankAgent(const catalogue::Launcher& launcher, const machine::Variables& variables,
            const std::string& build)
      : socket_(run::connect_to(variable_of(variables, run::kControllersVariable), kConnectLimit,
                                [&](int socket) { return handshake(variables, socket); })),
        variables_(variables),
        join_(make_join(launcher, variables, build, socket_.value(), port_.number)) {
    join_.proof = proof_;
  }

  int run() {
    send_line(run::encode(join_));
    const std::optional<RankBegin> begin = wait_for_begin();
    if (!begin || !start(*begin)) return kExitSomeFailed;
    hand_to_worker();  // data that arrived together with the begin message
    while (!dead_) turn();
    finish();
    return WIFEXITED(exit_.status) ? WEXITSTATUS(exit_.status)
                                   : exit_status_of_signal(WTERMSIG(exit_.status));
  }

 private:
  // Authenticates the controller: anyone may listen at that port. Returns an error.
  std::string handshake(const machine::Variables& variables, int socket) {
    const std::string token = variable_of(variables, run::kTokenVariable);
    const std::string own = run::make_token();
    const char* const kClosed = "closed the connection; is the same stepbench on both machines?";
    try {
      if (!protocol::write_line(socket, run::encode(RankHello{own}))) return kClosed;
      const std::int64_t until_ns = clock_.now_ns() + kHandshakeTimeoutNs;
      protocol::LineBuffer lines(buffer_.size());
      for (;;) {
        if (const auto line = lines.next()) {
          const ControllerChallenge theirs = run::decode_challenge(*line);
          const std::string of_controller = theirs.challenge + run::peer_address(socket);
          if (!run::is_same(theirs.proof,
                            run::proof(token, run::kController, own, of_controller))) {
            return "does not know the token of this group";
          }
          proof_ = run::proof(token, run::kRank, own, of_controller);
          return {};
        }
        pollfd waits{socket, POLLIN, 0};
        const std::int64_t left_ms = (until_ns - clock_.now_ns()) / 1'000'000;
        if (left_ms <= 0 || ::poll(&waits, 1, static_cast<int>(left_ms)) == 0) {
          return "says nothing";
        }
        const ssize_t count = ::recv(socket, buffer_.data(), buffer_.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return kClosed;
        lines.append({buffer_.data(), static_cast<std::size_t>(count)});
      }
    } catch (const Error&) {
      return "is not the controller of a group";
    }
  }

  void send_line(std::string_view line) {
    try {
      if (!is_disconnected_) is_disconnected_ = !protocol::write_line(socket_.value(), line);
    } catch (const Error&) {  // the controller's machine is gone
      is_disconnected_ = true;
    }
  }

  // nullopt: the connection was closed, or a signal arrived.
  std::optional<RankBegin> wait_for_begin() {
    for (;;) {
      if (const auto line = from_controller_.next()) return run::decode_begin(*line);
      std::array<pollfd, 2> waits{
          {{socket_.value(), POLLIN, 0}, {interrupts_.descriptor(), POLLIN, 0}}};
      if (::poll(waits.data(), waits.size(), -1) < 0) continue;
      if (waits[1].revents != 0 || !receive()) return std::nullopt;
    }
  }

  // Returns false if the other end is gone.
  bool receive() {
    const ssize_t count = ::recv(socket_.value(), buffer_.data(), buffer_.size(), 0);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    from_controller_.append({buffer_.data(), static_cast<std::size_t>(count)});
    return true;
  }

  bool start(const RankBegin& begin) {
    try {
      std::filesystem::current_path(begin.folder);
      kills_before_ = machine::Cgroup{"/"}.oom_kills();
      const machine::Variables variables = worker_variables(variables_, join_, begin);
      if (!begin.device.empty() && begin.device != "cpu") {
        nvml_ = machine::NvmlSession::open(machine::load_nvml_api());
      }
      worker_ = spawn_worker({begin.argv, variables});
      // The launcher starts all ranks of this machine, unless it ended and init took them over.
      const pid_t job = ::getppid() > 1 ? ::getppid() : worker_.pid;
      watch_.emplace("/", worker_.pid, job, begin.device, variables, nvml_.get(), clock_);
      return true;
    } catch (const std::exception& error) {
      send_line(run::encode(RankExit{.status = -1, .message = error.what()}));
      return false;
    }
  }

  void turn() {
    std::array<pollfd, 5> waits{{{worker_.pidfd.value(), POLLIN, 0},
                                 {worker_.control.value(), POLLIN, 0},
                                 {worker_.output.value(), POLLIN, 0},
                                 {is_disconnected_ ? -1 : socket_.value(), POLLIN, 0},
                                 {interrupts_.descriptor(), POLLIN, 0}}};
    const std::int64_t until_ns =
        kill_at_ns_ == 0 ? watch_->next_ns() : std::min(kill_at_ns_, watch_->next_ns());
    const std::int64_t left_ms =
        std::max<std::int64_t>(0, (until_ns - clock_.now_ns() + 999'999) / 1'000'000);
    if (::poll(waits.data(), waits.size(), static_cast<int>(left_ms)) < 0) return;
    if (waits[1].revents != 0) hand_over();
    if (waits[2].revents != 0) read_output();
    if (waits[3].revents != 0) listen();
    if (waits[4].revents != 0) interrupt();
    if (is_disconnected_ || (kill_at_ns_ > 0 && clock_.now_ns() >= kill_at_ns_))
      kill_group(SIGKILL);
    dead_ = waits[0].revents != 0;
    if (!dead_) watch_->sample();
  }

  // Relays whole lines only; an unfinished one is reported at the end. Returns false if there is no
  // more data now.
  bool hand_over() {
    const std::string_view bytes = os::read_some(worker_.control, buffer_);
    from_worker_.append(bytes);
    while (const auto line = from_worker_.next()) {
      send_line(*line);
      note(*line);
    }
    return !bytes.empty();
  }

  // Tracks the worker's place from its short lines. Ignores invalid lines, which the controller
  // reports.
  void note(std::string_view line) {
    constexpr std::size_t kShort = 1024;
    if (line.size() > kShort || (line.find("stage") == std::string_view::npos &&
                                 line.find("cycle") == std::string_view::npos)) {
      return;
    }
    try {
      const protocol::WorkerMessage message = protocol::decode_worker(std::string(line));
      if (const auto* stage = std::get_if<protocol::StageMessage>(&message)) {
        place_.take(*stage);
        watch_->device_is(stage->device_pci);
      } else if (const auto* cycle = std::get_if<protocol::CycleMessage>(&message)) {
        place_.take(*cycle);
      }
      watch_->is_at(place_);
    } catch (const Error&) {
    }
  }

  bool read_output() {
    const std::string_view bytes = os::read_some(worker_.output, buffer_);
    output_.append(bytes);
    return !bytes.empty();
  }

  // The controller closes the stream when all is done, or by dying.
  void listen() {
    if (!receive()) {
      kill_group(SIGKILL);
      ::shutdown(socket_.value(), SHUT_RD);
      is_disconnected_ = true;
      return;
    }
    hand_to_worker();
  }

  void hand_to_worker() {
    while (const auto line = from_controller_.next()) {
      if (*line == run::kEndLine) {
        ::shutdown(worker_.control.value(), SHUT_WR);
      } else if (*line == run::kStacksLine) {
        if (machine::catches(worker_.pid, SIGUSR1)) ::kill(worker_.pid, SIGUSR1);
      } else if (worker_.control.is_open()) {
        static_cast<void>(protocol::write_line(worker_.control.value(), *line));
      }
    }
  }

  void interrupt() {
    while (const auto signal = interrupts_.take()) {
      if (exit_.signalled == 0) exit_.signalled = *signal;
      kill_group(kill_at_ns_ == 0 ? SIGTERM : SIGKILL);
      kill_at_ns_ = clock_.now_ns() + kGraceNs;
    }
  }

  void kill_group(int signal) const { ::kill(-worker_.pid, signal); }

  void finish() {
    while (worker_.control.is_open() && hand_over()) {
    }
    watch_->worker_ended();
    exit_.machine = watch_->summary();
    const JobMemory memory = watch_->memory();
    exit_.pss_bytes = memory.pss_bytes.value_or(0);
    exit_.compilers_bytes = memory.compilers_bytes;
    exit_.had_children = memory.had_children;
    exit_.cpu_share = watch_->machine().own_share().value_or(0);
    exit_.status = peek_status(worker_.pid).value_or(0);
    const auto kills = machine::Cgroup{"/"}.oom_kills();
    exit_.oom_killed = kills && kills_before_ && *kills > *kills_before_;
    static_cast<void>(reap_all(worker_.pid));
    while (worker_.output.is_open() && read_output()) {
    }
    exit_.cut = !from_worker_.rest().empty();
    exit_.output = output_.text();
    is_disconnected_ = false;  // the controller may have closed only its sending end
    send_line(run::encode(exit_));
  }

  Interrupts interrupts_;
  HostClock clock_;
  std::array<char, 65536> buffer_{};
  std::string proof_;
  os::Descriptor socket_;
  const machine::Variables& variables_;
  ReservedPort port_ = run::reserve_port();  // for the group; used if this is rank 0
  RankJoin join_;
  protocol::LineBuffer from_controller_;
  protocol::LineBuffer from_worker_;
  OutputTail output_;
  WorkerProcess worker_;
  std::unique_ptr<machine::NvmlSession> nvml_;
  std::optional<WorkerWatch> watch_;  // set from the worker's start on
  SchedulePlace place_;
  RankExit exit_;
  std::optional<std::int64_t> kills_before_;
  std::int64_t kill_at_ns_ = 0;
  bool is_disconnected_ = false;  // the controller
  bool dead_ = false;             // the worker
};

void print_to_stderr(const std::string& words) {
  const std::string line = words + '\n';
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line.data(), line.size());
}

int run_agent(const catalogue::Launcher& launcher, const machine::Variables& variables,
              const std::string& build) {
  if (variable_of(variables, run::kControllersVariable).empty()) {
    throw ConfigError(std::string(run::kControllersVariable),
                      "is not set: this command is started by `stepbench run --ranks`");
  }
  become_subreaper();
  return RankAgent(launcher, variables, build).run();
}

[[noreturn]] void run_as_local_rank(const catalogue::Launcher& launcher, int rank, int ranks,
                                    machine::Variables variables, const std::string& build,
                                    pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitSomeFailed);
  set_variable(variables, "RANK", std::to_string(rank));
  set_variable(variables, "LOCAL_RANK", std::to_string(rank));
  set_variable(variables, "WORLD_SIZE", std::to_string(ranks));
  set_variable(variables, "LOCAL_WORLD_SIZE", std::to_string(ranks));
  // As torchrun does: ranks with one thread per core would only contend for the CPUs.
  if (variable_of(variables, "OMP_NUM_THREADS").empty())
    set_variable(variables, "OMP_NUM_THREADS", "1");
  int status = kExitSomeFailed;
  try {
    status = run_agent(launcher, variables, build);
  } catch (const std::exception& error) {
    print_to_stderr(error.what());
  }
  ::_exit(status);
}

int run_local_ranks(const catalogue::Launcher& launcher, int ranks,
                    const machine::Variables& variables, const std::string& build) {
  const pid_t parent = ::getpid();
  std::map<pid_t, int> children;  // pid -> rank
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) run_as_local_rank(launcher, rank, ranks, variables, build, parent);
    if (child < 0) {
      throw Error(formatted("cannot start rank {}: {}", rank, std::strerror(errno)));
    }
    children.emplace(child, rank);
  }
  bool failed = false;
  bool ending = false;
  sigset_t wanted;
  sigset_t old;
  ::sigemptyset(&wanted);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) ::sigaddset(&wanted, signal);
  ::sigprocmask(SIG_BLOCK, &wanted, &old);
  while (!children.empty()) {
    int status = 0;
    if (const pid_t ended = ::waitpid(-1, &status, WNOHANG); ended > 0) {
      failed = failed || status != 0;
      // The controller sees only a closed connection; it quotes this line.
      if (WIFSIGNALED(status) && !ending) {
        print_to_stderr(formatted("the agent of rank {}, process {}, {}", children[ended], ended,
                                  os::exit_text({.status = status})));
      }
      children.erase(ended);
      continue;
    }
    int signal = 0;
    if (::sigwait(&wanted, &signal) != 0 || signal == SIGCHLD) continue;
    ending = true;
    for (const auto& [child, rank] : children) ::kill(child, SIGTERM);
  }
  ::sigprocmask(SIG_SETMASK, &old, nullptr);
  return failed ? kExitSomeFailed : kExitOk;
}

}  // namespace

int run_rank(std::span<const std::string> words, const machine::Variables& variables,
             const std::string& build) {
  if (words.empty()) throw ConfigError(std::string(kRankCommand), "a launcher's name is missing");
  const catalogue::Launcher& launcher = catalogue::launcher_named(words[0]);
  if (!launcher.words.empty()) return run_agent(launcher, variables, build);
  const auto ranks = words.size() > 1 ? os::parse_integer(words[1]) : std::nullopt;
  if (!ranks || *ranks < 1) {
    throw ConfigError(std::string(kRankCommand), "a number of ranks is missing");
  }
  return run_local_ranks(launcher, static_cast<int>(*ranks), variables, build);
}

}  // namespace stepbench::run
