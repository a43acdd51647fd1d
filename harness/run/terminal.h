// SPDX-License-Identifier: Apache-2.0
// A run at a terminal: signals that end it, and the progress lines that it prints. SIGINT, SIGTERM
// and SIGHUP arrive through a descriptor that an event loop can wait for. Main thread only.
#pragma once

#include <signal.h>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/os/descriptor.h"
#include "harness/record/rows.h"

namespace stepbench::run {

// During its lifetime SIGINT, SIGTERM and SIGHUP arrive only here, and a broken pipe or an exceeded
// file size is an error code instead of a signal. A SIGHUP that was ignored before (nohup) stays
// ignored. At most one object at a time, created on the main thread before any other thread.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;  // signal dispositions belong to the whole process
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // Readable when a signal is pending.
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }
  // Returns the pending signal; never blocks.
  [[nodiscard]] std::optional<int> take();
  // The first signal taken: the run must end.
  [[nodiscard]] std::optional<int> first() const { return first_; }

 private:
  os::Descriptor descriptor_;
  std::optional<int> first_;
  sigset_t old_mask_{};
  struct sigaction old_pipe_ {};
  struct sigaction old_file_size_ {};
};

// Progress lines on standard error during a run.

struct ProgressStyle {
  bool quiet = false;
  bool terminal = false;  // one live line; otherwise a plain line per finished launch
  // Width of a line in cells; queried each time, because a terminal can be resized.
  std::function<int()> columns = [] { return 100; };
};

// Progress display of a run. One thread; `out` and `clock` must outlive it.
class Progress {
 public:
  Progress(std::ostream& out, const ProgressStyle& style, const Clock& clock);

  void print_line(const std::string& text);  // on its own line
  void begin_launch(std::size_t case_number, std::size_t cases, std::string label, int launch,
                    std::size_t remaining);
  void update(const std::string& stage, std::int64_t last_cycle_step_ns);
  void end_launch(const record::LaunchRow& row, std::optional<double> step_ns);
  void end();  // removes the live line

 private:
  [[nodiscard]] std::string position(const std::string& label) const;
  [[nodiscard]] std::string live_line(const std::string& stage, std::size_t cells) const;
  [[nodiscard]] std::optional<std::int64_t> expected_left_ns() const;
  void erase_live_line();

  std::ostream& out_;
  ProgressStyle style_;
  const Clock& clock_;
  std::int64_t begin_ns_;
  std::int64_t launch_begin_ns_ = 0;
  std::int64_t measured_wall_ns_ = 0;  // sum over measured_launches_
  std::int64_t measured_launches_ = 0;
  std::size_t case_number_ = 0;
  std::size_t cases_ = 0;
  std::size_t remaining_ = 0;  // after the current one
  int launch_ = 0;
  std::string label_;
  double last_step_ns_ = 0;
  bool live_ = false;
};

}  // namespace stepbench::run
