// SPDX-License-Identifier: Apache-2.0
// loader.replay: batches from memory in place of the loader. At once: what is left of the step
// beside the loader as it is says what a perfect loader would save. At recorded times: what a
// loader that is not here would do to a step.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/loader/arrivals.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// What becomes of the loader whose first batches are given again and again.
enum class ReplayMode : std::uint8_t {
  kNone,     // nothing is replayed
  kStopped,  // it ends, with its workers
  kWorking,  // it goes on beside the step: for each step one batch is taken and thrown away
  kRecorded  // it ends, and they are given when a recorded loader would have given them
};

[[nodiscard]] std::vector<Option> replay_options();
[[nodiscard]] ReplayMode replay_of(const ResolvedCase& resolved);
// How many batches are kept; 0: nothing is replayed.
[[nodiscard]] std::int64_t replayed_batches(const ResolvedCase& resolved);
// Of the machine, as the kernel tells: what programs could still take without swapping.
[[nodiscard]] std::int64_t free_memory_bytes();
// Cases in which replaying is not defined.
void check_replay(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The first `batches` of a loader, again and again, from memory of their own of the kind that they
// came in. One consumer thread; with kWorking a thread of its own reads on.
class ReplayLoader final : public Loader {
 public:
  // `pinned` as in LoaderOptions. `free_bytes`: of memory, in which they must fit.
  ReplayLoader(std::unique_ptr<Loader> loader, std::int64_t batches, ReplayMode replay,
               PinnedMemory* pinned, const Clock& clock, std::int64_t free_bytes);
  // kRecorded: `arrivals` as read_arrivals() gives them, played with this many batches ahead.
  ReplayLoader(std::unique_ptr<Loader> loader, std::int64_t batches, BatchArrivals arrivals,
               std::int64_t ahead, PinnedMemory* pinned, const Clock& clock,
               std::int64_t free_bytes);
  ~ReplayLoader() override;

  void begin_epoch(std::int64_t epoch) override;
  // Throws ConfigError where the batches do not fit into memory, or are not those that were
  // recorded.
  [[nodiscard]] std::optional<Batch> next() override;
  // The end of an epoch never comes.
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return -1; }
  [[nodiscard]] std::vector<WorkerThread> worker_threads() const override;
  [[nodiscard]] const LoaderMetrics& metrics() const override { return metrics_; }
  void reset_metrics() override { metrics_ = {}; }

 private:
  [[nodiscard]] bool full() const { return std::ssize(kept_) == batches_; }
  void keep(const Batch& batch);
  void check_recorded() const;
  // The upcoming one as it was recorded, when it is due.
  [[nodiscard]] Batch recorded(std::int64_t asked_ns);
  void go_on();  // without the loader, or beside it
  void read_on();
  void ask_for_one();

  std::unique_ptr<Loader> loader_;
  std::int64_t batches_;
  ReplayMode replay_;
  PinnedMemory* pinned_;
  const Clock& clock_;
  std::int64_t free_bytes_;
  std::vector<Batch> kept_;
  std::vector<WorkerThread> workers_;
  std::int64_t epoch_ = 0;
  std::int64_t given_ = 0;
  LoaderMetrics metrics_;

  std::optional<BatchArrivals> arrivals_;  // until all is kept
  std::int64_t ahead_ = 0;
  std::optional<ArrivalPace> pace_;  // from then on

  std::mutex mutex_;
  std::condition_variable asked_for_;
  std::int64_t asked_ = 0;  // batches to be taken and thrown away
  bool stopping_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

// The loader as loader.replay wants it. Throws ConfigError where a recording cannot be read.
[[nodiscard]] std::unique_ptr<Loader> replaying(std::unique_ptr<Loader> loader,
                                                const ResolvedCase& resolved, PinnedMemory* pinned,
                                                const Clock& clock);

}  // namespace stepbench::loader
