// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/launchers.h"
#include "harness/findings/finding.h"
#include "harness/machine/sampler.h"
#include "harness/os/process.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/internal/group_ranks.h"
#include "harness/run/internal/group_result.h"
#include "harness/run/internal/worker_output.h"
#include "harness/run/internal/worker_process.h"
#include "harness/run/internal/worker_watch.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::int64_t kSettleNs = 100 * kNsInMs;  // wait for consequences of a failed rank
constexpr std::int64_t kStacksNs = kNsPerS;        // time to print a rank's stack
constexpr std::int64_t kTermNs = kNsPerS;  // a launcher whose ranks have ended exits by itself
constexpr std::int64_t kLongestWaitNs = 3 * kNsPerS;
constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

std::string seconds(std::int64_t ns) { return text::seconds_text(static_cast<double>(ns) * 1e-9); }

class GroupLoop {
 public:
  GroupLoop(const GroupRequest& request, const LaunchContext& context)
      : request_(request),
        limits_(request.worker.limits),
        context_(context),
        clock_(context.clock),
        name_(request.launcher.name),
        rank_acceptor_(request.bind, request.launcher.other_machines, request.ranks),
        ranks_(static_cast<std::size_t>(request.ranks)),
        begin_ns_(clock_.now_ns()),
        turned_ns_(begin_ns_),
        launcher_(spawn_worker(launcher_spawn())),
        sampler_(context.root, launcher_.pid, clock_) {
    launcher_.control.close();
  }
  GroupLoop(const GroupLoop&) = delete;
  GroupLoop& operator=(const GroupLoop&) = delete;
  ~GroupLoop() {
    if (!reaped_) static_cast<void>(reap_all(launcher_.pid));
  }

  GroupResult run() {
    while (!is_over()) turn();
    if (cause_weight_ == GroupRank::Weight::kSignalled) {
      attribute_to_signalled_ranks();
    } else {
      attribute_to_killed_launcher();
    }
    while (launcher_.output.is_open() && read_output()) {
    }
    quote_end_of_agent();
    sampler_.worker_ended();
    const bool oom_killed = sampler_.oom_killed();
    const bool all_reaped = reap_all(launcher_.pid);
    reaped_ = true;
    wall_ns_ = clock_.now_ns() - begin_ns_;
    if (oom_killed && cause_ && !cause_->rank)
      notes_.emplace_back("the kernel ended a process for lack of memory");
    const GroupEnd end{ranks_, name_, output_, wall_ns_};
    GroupResult result = interrupted_ ? interrupted_group(end)
                         : cause_     ? failed_group(end, *cause_, stacks_asked_)
                                      : measured_group(end);
    LaunchResult& first = result.ranks.front();
    if (context_.background) first.machine.merge(context_.background->facts());
    if (!all_reaped) first.report.notes.emplace_back("a process of this group could not be killed");
    for (const auto& [what, times] : refused_) {
      notes_.push_back("refused " + what + (times > 1 ? ", " + text::counted(times, "time") : ""));
    }
    first.report.notes.insert(first.report.notes.end(), notes_.begin(), notes_.end());
    if (!cause_ && !interrupted_) label_group(result.ranks);
    return result;
  }

 private:
  [[nodiscard]] SpawnRequest launcher_spawn() const {
    SpawnRequest spawn{request_.launcher_words, request_.worker.spawn.environment};
    spawn.environment.emplace_back(run::kControllersVariable, rank_acceptor_.address());
    spawn.environment.emplace_back(run::kTokenVariable, rank_acceptor_.token());
    const catalogue::Launcher& row = request_.launcher;
    if (const std::string_view name = row.forwarding_variable;
        !name.empty() && std::ranges::count(request_.launcher_words, row.forwarding_option) == 0) {
      std::string names(machine::find_variable(spawn.environment, name).value_or(""));
      for (const std::string_view more : {run::kControllersVariable, run::kTokenVariable}) {
        names += (names.empty() ? "" : ";") + std::string(more);
      }
      std::erase_if(spawn.environment, [&](const auto& each) { return each.first == name; });
      spawn.environment.emplace_back(name, names);
    }
    // The controller's pid is meaningless on another machine.
    spawn.names_controller = !row.other_machines;
    return spawn;
  }

  [[nodiscard]] bool all_are(bool (GroupRank::*state)() const) const {
    return std::ranges::all_of(ranks_,
                               [&](const auto& rank) { return rank && ((*rank).*state)(); });
  }
  [[nodiscard]] bool is_ending() const { return cause_ || interrupted_; }
  [[nodiscard]] bool is_over() const {
    if (!launcher_dead_ || !(is_ending() || leaving_)) return false;
    const bool none_open =
        std::ranges::none_of(ranks_, [](const auto& rank) { return rank && !rank->is_closed(); });
    return none_open || turned_ns_ >= *launcher_dead_ + limits_.grace_ns;
  }

  void turn() {
    std::vector<pollfd> waits = {
        {launcher_dead_ ? -1 : launcher_.pidfd.value(), POLLIN, 0},
        {launcher_.output.value(), POLLIN, 0},
        {context_.interrupts.descriptor(), POLLIN, 0},
    };
    constexpr std::size_t kFirstRank = 3;
    for (const auto& rank : ranks_) waits.push_back({rank ? rank->descriptor() : -1, POLLIN, 0});
    rank_acceptor_.wait_for(waits, turned_ns_);
    const std::int64_t wake_ns =
        std::min({deadline_ns(), sampler_.next_ns(), next_progress_ns_, rank_acceptor_.next_ns()});
    const std::int64_t wait_ms =
        std::clamp<std::int64_t>((wake_ns - clock_.now_ns() + kNsInMs - 1) / kNsInMs, 0, 1000);
    const bool any = ::poll(waits.data(), waits.size(), static_cast<int>(wait_ms)) > 0;
    exclude_own_sleep();
    if (any) {
      // Handle ranks first: a rank's exit is more informative than the launcher's.
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (waits[kFirstRank + i].revents != 0 && ranks_[i]) ranks_[i]->receive(turned_ns_);
      }
      if (waits[1].revents != 0) read_output();
      if (waits[2].revents != 0) interrupt();
      if (waits[0].revents != 0) launcher_dead_ = turned_ns_;
    }
    rank_acceptor_.receive(std::span(waits).subspan(kFirstRank + ranks_.size()), turned_ns_,
                           acceptor_callbacks_);
    look_at_ranks();
    look_at_launcher();
    if (turned_ns_ >= deadline_ns()) overdue();
    sampler_.sample();
    end_if_over_memory();
    process_notes_.keep(sampler_.processes());
    report_progress();
  }

  // Extends the limits by time in which this program was stopped or not scheduled.
  void exclude_own_sleep() {
    const std::int64_t now_ns = clock_.now_ns();
    const std::int64_t slept_ns = now_ns - turned_ns_ - kLongestWaitNs;
    turned_ns_ = now_ns;
    if (slept_ns <= 0) return;
    for (const auto& rank : ranks_) {
      if (rank && rank->has_begun()) rank->monitor().slept(slept_ns);
    }
    asleep_ns_ += slept_ns;
  }

  // --- joining ranks

  void take(const RankJoin& join, os::Descriptor socket) {
    if (!join.error.empty()) return fail({}, formatted("a rank on {}: {}", join.host, join.error));
    const int rank = join.place.rank;
    const std::string name = formatted("rank {} on {}", rank, join.host);
    if (join.place.world != request_.ranks || rank >= request_.ranks) {
      return fail({}, formatted("{} started {} where {} were asked for", name_,
                                text::counted(join.place.world, "rank"), request_.ranks));
    }
    if (join.version != request_.build) {
      return fail(
          rank,
          formatted("another build of stepbench is on {}: install the same one on all machines",
                    join.host));
    }
    auto& place = ranks_.at(static_cast<std::size_t>(rank));
    if (place) return refuse("a second " + name);
    place = std::make_unique<GroupRank>(std::move(socket), join);
    if (std::ranges::all_of(ranks_, [](const auto& each) { return each != nullptr; })) begin();
  }

  void refuse(const std::string& what) { ++refused_[what]; }

  void begin() {
    rank_acceptor_.stop_listening();
    const RankJoin& first = ranks_.front()->join();
    RankBegin begin{.argv = request_.worker.spawn.argv,
                    .folder = std::filesystem::current_path().string(),
                    .set = request_.set,
                    .unset = request_.unset,
                    .device = device_of(request_.worker.message.resolved)};
    if (!request_.launcher.sets_address) {
      begin.set.emplace_back("MASTER_ADDR", first.address);
      begin.set.emplace_back("MASTER_PORT", std::to_string(first.port));
    }
    protocol::CaseMessage message = request_.worker.message;
    message.world = request_.ranks;
    for (const auto& rank : ranks_) {
      message.rank = rank->join().place.rank;
      rank->begin(begin, message, limits_, request_.worker.rules, turned_ns_);
    }
  }

  // --- end of ranks

  void look_at_ranks() {
    if (interrupted_) return;
    for (const auto& rank : ranks_) {
      if (!rank || !rank->has_begun()) continue;
      const int number = rank->join().place.rank;
      // Later events are consequences of the cause, except for a more telling death.
      const bool is_better =
          cause_ && !ended_ && cause_->rank != number && rank->weight() > cause_weight_;
      if (cause_ && !is_better) continue;
      if (rank->is_done() &&
          rank->monitor().session().final_outcome()->kind == Outcome::Kind::kSkipped) {
        end_with({number, *rank->monitor().session().final_outcome(), {}});
      } else if (const auto trouble = rank->trouble()) {
        if (is_better) cause_.reset();
        fail(number, *trouble);
        cause_weight_ = rank->weight();
      }
    }
    check_builds();
    if (!cause_ && !leaving_ && all_are(&GroupRank::is_done)) {
      leaving_ = turned_ns_;
      for (const auto& rank : ranks_) rank->send_line(run::kEndLine);
    }
  }

  // Ranks with different builds would measure different code.
  void check_builds() {
    if (builds_checked_ || cause_) return;
    for (const auto& rank : ranks_) {
      if (!rank || !rank->has_begun() || !rank->monitor().session().hello()) return;
    }
    builds_checked_ = true;
    const std::string& first = ranks_.front()->monitor().session().hello()->build_id;
    for (const auto& rank : ranks_) {
      const std::string& build = rank->monitor().session().hello()->build_id;
      if (build == first) continue;
      return fail(rank->join().place.rank,
                  formatted("its worker is of build {} on {}, and that of rank 0 of {}", build,
                            rank->join().host, first));
    }
  }

  void look_at_launcher() {
    if (!launcher_dead_ || is_ending() || leaving_) return;
    // Wait for the ranks' own reports of their end.
    if (turned_ns_ < *launcher_dead_ + kSettleNs) return;
    const os::ProcessExit death{.status = peek_status(launcher_.pid).value_or(0)};
    fail({}, end_of_launcher(death));
  }

  // Ranks that were ordered to end are not the cause; the launcher's output may explain it.
  void attribute_to_signalled_ranks() {
    if (!cause_ || !cause_->rank) return;
    std::vector<std::int64_t> signalled_ranks;
    for (const auto& rank : ranks_) {
      if (rank && rank->signalled() != 0) signalled_ranks.push_back(rank->join().place.rank);
    }
    const int signal = ranks_.at(static_cast<std::size_t>(*cause_->rank))->signalled();
    const std::string stage = cause_->stage;
    end_with({{},
              Outcome::failed(formatted("{} told {} to end by {}: it received that signal itself, "
                                        "or the time limit of its job was reached",
                                        launcher_name(), rank_names(signalled_ranks),
                                        os::signal_text(signal))),
              stage});
  }

  // Ranks that end together with a killed launcher are not the cause.
  void attribute_to_killed_launcher() {
    if (!cause_ || !cause_->rank || !launcher_dead_) return;
    if (ended_ && *launcher_dead_ >= *ended_) return;  // killed by us
    const int status = peek_status(launcher_.pid).value_or(0);
    if (!WIFSIGNALED(status)) return;
    const auto& rank = ranks_.at(static_cast<std::size_t>(*cause_->rank));
    const bool has_ended = !rank || rank->exit() || (rank->has_begun() && rank->is_done());
    if (has_ended && *launcher_dead_ > failed_ns_) return;  // ended and reported before it
    const std::string stage = cause_->stage;
    end_with({{}, Outcome::failed(end_of_launcher({.status = status})), stage});
  }

  // The launcher may know why a rank disappeared without a report.
  void quote_end_of_agent() {
    if (!cause_ || !cause_->rank) return;
    const auto& rank = ranks_.at(static_cast<std::size_t>(*cause_->rank));
    if (!rank || !rank->is_closed() || rank->exit() || (rank->has_begun() && rank->is_done()))
      return;
    cause_->outcome.reason += output_.last_words();
  }

  [[nodiscard]] std::string end_of_launcher(const os::ProcessExit& death) const {
    return formatted("{} {}{}{}", launcher_name(), os::exit_text(death),
                     missing().empty() ? " while its ranks measured"
                                       : formatted(" before {} called back", rank_names(missing())),
                     output_.last_words());
  }

  [[nodiscard]] std::string launcher_name() const {
    return request_.launcher.words.empty() ? "the launcher, local," : name_;
  }

  [[nodiscard]] std::vector<std::int64_t> missing() const {
    std::vector<std::int64_t> missing;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (!ranks_[i]) missing.push_back(static_cast<std::int64_t>(i));
    }
    return missing;
  }

  void fail(std::optional<int> rank, const std::string& reason) {
    if (is_ending()) return;
    std::string words = reason;
    std::string stage = "start";
    if (rank) {
      const auto& it = ranks_.at(static_cast<std::size_t>(*rank));
      words = formatted("rank {}: {}", *rank, words);
      if (it && it->has_begun()) stage = it->monitor().stage_name();
    }
    end_with({rank, Outcome::failed(words), stage});
  }

  void end_with(GroupCause cause) {
    cause_ = std::move(cause);
    if (failed_ns_ == 0) failed_ns_ = turned_ns_;
  }

  // --- limits

  [[nodiscard]] std::int64_t wall_end_ns() const {
    return begin_ns_ + limits_.wall_ns + asleep_ns_;
  }

  [[nodiscard]] std::int64_t deadline_ns() const {
    if (is_ending()) return next_end_step_ns();
    if (launcher_dead_ && !leaving_) return *launcher_dead_ + kSettleNs;
    if (leaving_) return *leaving_ + limits_.tear_down_ns;
    std::int64_t first_ns = wall_end_ns();
    if (!ranks_have_begun()) return std::min(first_ns, begin_ns_ + limits_.join_ns + asleep_ns_);
    for (const auto& rank : ranks_) {
      if (!rank->is_done()) first_ns = std::min(first_ns, rank->monitor().deadline_ns());
    }
    return first_ns;
  }

  [[nodiscard]] bool ranks_have_begun() const { return all_are(&GroupRank::has_begun); }

  // Time of the next step of the end: ranks, then the launcher by SIGTERM, then by SIGKILL.
  [[nodiscard]] std::int64_t next_end_step_ns() const {
    if (!ended_) return failed_ns_ + (interrupted_ ? 0 : stacks_asked_ ? kStacksNs : kSettleNs);
    if (launcher_dead_) return *launcher_dead_ + limits_.grace_ns;
    if (!termed_) return *ended_ + (ranks_have_begun() ? kTermNs : 0);
    return killed_ ? kEndless : *ended_ + kTermNs + limits_.grace_ns;
  }

  void overdue() {
    if (is_ending()) return end_step();
    if (leaving_) {
      notes_.emplace_back("the group did not end after its final lines and was killed");
      for (const auto& rank : ranks_) rank->stop();
      kill_launcher(SIGKILL);
      leaving_ = kEndless / 2;
      return;
    }
    if (turned_ns_ >= wall_end_ns()) {
      return fail({}, formatted("timed out: not finished after {} (limits.wall_s)",
                                seconds(limits_.wall_ns)));
    }
    if (!ranks_have_begun()) {
      return fail(
          {}, formatted(
                  "timed out: {} of {} did not call back within {} of {}'s start (limits.join_s){}",
                  rank_names(missing()), request_.ranks, seconds(limits_.join_ns), name_,
                  output_.last_words()));
    }
    std::vector<std::int64_t> silent;
    for (const auto& rank : ranks_) {
      // Ranks that wait for a hanging one have been silent for about as long.
      const std::int64_t left_ns = rank->monitor().deadline_ns() - turned_ns_;
      if (!rank->is_done() && left_ns <= rank->monitor().limit_ns() / 2)
        silent.push_back(rank->join().place.rank);
    }
    if (silent.empty()) return;
    const auto first = static_cast<std::size_t>(silent.front());
    const std::string words = "timed out: " + ranks_[first]->monitor().silence();
    if (silent.size() == 1) return fail(static_cast<int>(first), words);
    // All but one wait for the hanging rank: ask for stacks to find it.
    fail({}, rank_names(silent) + ": " + words);
    cause_->stage = ranks_[first]->monitor().stage_name();
    for (const auto& rank : ranks_) rank->send_line(run::kStacksLine);
    stacks_asked_ = true;
  }

  // Limits the memory of all processes that the launcher started on this machine.
  void end_if_over_memory() {
    if (!limits_.memory_bytes || is_ending() || leaving_) return;
    const std::int64_t used_bytes = sampler_.peak_pss_bytes();
    if (used_bytes > *limits_.memory_bytes) {
      fail({}, over_memory_text(used_bytes, *limits_.memory_bytes));
    }
  }

  void end_step() {
    if (!ended_) {
      ended_ = turned_ns_;
      rank_acceptor_.close();
      for (const auto& rank : ranks_) {
        if (rank) rank->stop();
      }
    } else if (!termed_) {
      termed_ = true;
      kill_launcher(SIGTERM);
    } else if (!killed_) {
      killed_ = true;
      kill_launcher(SIGKILL);
    }
  }

  void kill_launcher(int signal) const {
    if (!launcher_dead_) ::kill(-launcher_.pid, signal);
  }

  void interrupt() {
    while (context_.interrupts.take()) {
      if (interrupted_) {
        killed_ = true;
        kill_launcher(SIGKILL);
      } else if (!leaving_) {
        interrupted_ = true;
        failed_ns_ = turned_ns_;
      }
    }
  }

  // --- records

  bool read_output() {
    const std::string_view bytes = os::read_some(launcher_.output, buffer_);
    output_.append(bytes);
    return !bytes.empty();
  }

  void report_progress() {
    if (!context_.progress || turned_ns_ < next_progress_ns_) return;
    next_progress_ns_ = turned_ns_ + kNsPerS;
    const auto& first = ranks_.front();
    if (first && first->has_begun()) {
      context_.progress(first->monitor().stage_name(),
                        first->monitor().session().last_cycle_step_ns());
    } else {
      context_.progress("start", 0);
    }
  }

  const GroupRequest& request_;
  const LaunchLimits& limits_;
  const LaunchContext& context_;
  const Clock& clock_;
  std::string name_;  // of the launcher
  RankAcceptor rank_acceptor_;
  const RankAcceptor::Callbacks acceptor_callbacks_{
      .join = [this](const auto& join, os::Descriptor socket) { take(join, std::move(socket)); },
      .refused = [this](const std::string& what) { refuse(what); }};
  std::vector<std::unique_ptr<GroupRank>> ranks_;  // by rank; null: not joined
  std::int64_t begin_ns_;
  std::int64_t turned_ns_;
  std::int64_t asleep_ns_ = 0;
  std::int64_t wall_ns_ = 0;
  std::int64_t next_progress_ns_ = 0;
  WorkerProcess launcher_;
  machine::MachineSampler sampler_;  // the launcher's local processes; agents watch their ranks
  ProcessNotes process_notes_{context_.root / "dev/shm", ::getpid()};
  OutputTail output_;  // of the launcher
  std::array<char, 65536> buffer_{};
  std::vector<std::string> notes_;
  std::map<std::string, std::int64_t> refused_;  // refused connections and their number
  std::optional<GroupCause> cause_;
  GroupRank::Weight cause_weight_ = GroupRank::Weight::kFailed;
  bool builds_checked_ = false;
  bool interrupted_ = false;
  bool reaped_ = false;
  std::int64_t failed_ns_ = 0;
  std::optional<std::int64_t> launcher_dead_ = {};
  std::optional<std::int64_t> leaving_ = {};  // all ranks have sent their final line
  std::optional<std::int64_t> ended_ = {};    // when ranks were ordered to end
  bool stacks_asked_ = false;
  bool termed_ = false;
  bool killed_ = false;
};

}  // namespace

GroupResult run_group(const GroupRequest& request, const LaunchContext& context) {
  return GroupLoop{request, context}.run();
}

}  // namespace stepbench::run
