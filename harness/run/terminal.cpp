// SPDX-License-Identifier: Apache-2.0
#include "harness/run/terminal.h"

#include <sys/signalfd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::run {

Interrupts::Interrupts() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  struct sigaction hang_up {};
  if (::sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
    sigaddset(&wanted, SIGHUP);
  }
  ::pthread_sigmask(SIG_BLOCK, &wanted, &old_mask_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &old_pipe_);
  ::sigaction(SIGXFSZ, &ignore, &old_file_size_);
  descriptor_ = os::Descriptor{::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC)};
  if (!descriptor_.is_open()) throw Error(std::string{"signalfd: "} + std::strerror(errno));
}

Interrupts::~Interrupts() {
  while (take()) {
  }
  ::sigaction(SIGPIPE, &old_pipe_, nullptr);
  ::sigaction(SIGXFSZ, &old_file_size_, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<int> Interrupts::take() {
  signalfd_siginfo info{};
  if (::read(descriptor_.value(), &info, sizeof info) != sizeof info) return std::nullopt;
  const int signal = static_cast<int>(info.ssi_signo);
  if (!first_) first_ = signal;
  return signal;
}

namespace {

constexpr int kMinColumns = 20;
constexpr std::size_t kMinLabel = 14;  // cells; a shorter part of a label is not useful

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Progress::Progress(std::ostream& out, const ProgressStyle& style, const Clock& clock)
    : out_(out), style_(style), clock_(clock), begin_ns_(clock.now_ns()) {}

void Progress::erase_live_line() {
  if (live_) out_ << "\r\033[K";
  live_ = false;
}

void Progress::print_line(const std::string& text) {
  if (style_.quiet) return;
  erase_live_line();
  out_ << text::printable(text, text::LineEnds::kKeep) << '\n' << std::flush;
}

void Progress::begin_launch(std::size_t case_number, std::size_t cases, std::string label,
                            int launch, std::size_t remaining) {
  case_number_ = case_number;
  cases_ = cases;
  label_ = std::move(label);
  launch_ = launch;
  remaining_ = remaining;
  launch_begin_ns_ = clock_.now_ns();
  update("start", 0);
}

std::string Progress::position(const std::string& label) const {
  return formatted("case {} of {}, launch {}{}", case_number_, cases_, launch_,
                   label.empty() ? "" : ": " + label);
}

std::optional<std::int64_t> Progress::expected_left_ns() const {
  if (measured_launches_ == 0) return std::nullopt;
  const std::int64_t mean_ns = measured_wall_ns_ / measured_launches_;
  const std::int64_t current_ns =
      std::max<std::int64_t>(mean_ns - (clock_.now_ns() - launch_begin_ns_), 0);
  return current_ns + mean_ns * static_cast<std::int64_t>(remaining_);
}

void Progress::update(const std::string& stage, std::int64_t last_cycle_step_ns) {
  if (style_.quiet || !style_.terminal) return;
  if (last_cycle_step_ns > 0) last_step_ns_ = static_cast<double>(last_cycle_step_ns);
  const int columns = std::max(style_.columns() - 1, kMinColumns);
  out_ << "\r\033[K" << live_line(stage, static_cast<std::size_t>(columns)) << std::flush;
  live_ = true;
}

// Drops what does not fit, starting at the end; the label is shortened before the rest is dropped.
// The remaining time is always kept.
std::string Progress::live_line(const std::string& stage, std::size_t cells) const {
  const auto left_ns = expected_left_ns();
  const std::string head =
      (left_ns ? formatted("about {} left, ", text::clock_text(*left_ns)) : std::string()) +
      position("");
  const std::string label = label_.empty() ? "" : ": " + text::printable(label_);
  std::vector<std::string> tails = {"  [" + text::printable(stage) + "]",
                                    "  " + text::clock_text(clock_.now_ns() - begin_ns_)};
  if (last_step_ns_ > 0) tails.push_back(", last step " + text::duration(last_step_ns_));
  for (;; tails.pop_back()) {
    const std::string tail = text::join(tails, "");
    const std::size_t others = text::width(head) + text::width(tail);
    const std::size_t room = cells > others ? cells - others : 0;
    if (others <= cells && room >= std::min(text::width(label), kMinLabel)) {
      return head + text::shortened_inside(label, room) + tail;
    }
    if (tails.empty()) return text::shortened(head, cells);
  }
}

void Progress::end_launch(const record::LaunchRow& row, std::optional<double> step_ns) {
  if (row.wall_ns > 0) {
    measured_wall_ns_ += row.wall_ns;
    ++measured_launches_;
  }
  if (step_ns) last_step_ns_ = *step_ns;
  const bool failed = row.outcome.kind == Outcome::Kind::kFailed;
  if (style_.terminal && !failed) return;
  std::string line = position(label_) + "  ";
  if (row.outcome.kind == Outcome::Kind::kMeasured) {
    line += step_ns ? "step " + text::duration(*step_ns) : "measured";
  } else {
    line += (failed ? "FAILED: " : "skipped: ") + first_line(row.outcome.reason);
    if (failed && !row.stage.empty()) line += ", in " + row.stage;
  }
  line += "  (" + text::clock_text(clock_.now_ns() - begin_ns_);
  if (remaining_ > 0) {
    if (const auto left_ns = expected_left_ns())
      line += formatted(", about {} left", text::clock_text(*left_ns));
  }
  print_line(line + ")");
}

void Progress::end() {
  erase_live_line();
  out_ << std::flush;
}

}  // namespace stepbench::run
