// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/replay_loader.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/loader/iterable_engine.h"

namespace stepbench::loader {
namespace {

constexpr const char* kStoppedName = "stopped";
constexpr const char* kWorkingName = "working";

// Of its own: the loader may want its memory back.
Batch plain_copy(const Batch& batch) {
  Batch copy = batch;
  const auto memory = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (BatchField& field : copy.fields) {
    const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    memory->emplace_back(field.data, field.data + bytes);
    field.data = memory->back().data();
  }
  copy.owner = memory;
  copy.device_copy = {};
  return copy;
}

}  // namespace

std::vector<Option> replay_options() {
  return {
      {.name = "replay",
       .type = OptionType::kEnum,
       .doc = "What would a perfect loader save? After the first batches these are given again "
              "and again, from memory. stopped: the loader ends with its workers, so the step "
              "neither waits nor shares its cores. working: it goes on beside the step, and one "
              "batch per step is thrown away. `stepbench run --headroom` measures all three.",
       .default_value = std::string{"none"},
       .choices = {"none", kStoppedName, kWorkingName},
       .identity_default = std::string{"none"}},
      {.name = "replay_batches",
       .type = OptionType::kInteger,
       .doc = "Batches that are kept and given again.",
       .unit = "batches",
       .default_value = std::int64_t{4},
       .min = 1,
       .max = 4096,
       .identity_default = std::int64_t{4},
       .requires_ =
           Requires{.option = "loader.replay",
                    .op = Requires::Op::kNotEqual,
                    .value = std::string{"none"},
                    .doc = "needs batches that are replayed (replay: stopped or working)"}},
  };
}

std::int64_t free_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    std::int64_t kib = 0;
    if (name == "MemAvailable:" && file >> kib) return kib * 1024;
    std::getline(file, unit);
  }
  return std::numeric_limits<std::int64_t>::max();
}

ReplayMode replay_of(const ResolvedCase& resolved) {
  const std::string replay = resolved.text_or("loader.replay", "none");
  return replay == kStoppedName   ? ReplayMode::kStopped
         : replay == kWorkingName ? ReplayMode::kWorking
                                  : ReplayMode::kNone;
}

std::int64_t replayed_batches(const ResolvedCase& resolved) {
  return replay_of(resolved) == ReplayMode::kNone ? 0
                                                  : resolved.integer_or("loader.replay_batches", 4);
}

void check_replay(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const ReplayMode replay = replay_of(resolved);
  if (replay == ReplayMode::kNone) return;
  const auto refuse = [&](const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error("loader.replay", reason);
  };
  const std::string placement = resolved.text_or("transfer.placement", "");
  if (placement == "pin_thread" || placement == "upstream") {
    refuse("with transfer.placement: " + placement +
           " the loader's batches are on the device already: replaying them would leave out the "
           "copies; set placement: prefetch_stream");
  } else if (replay == ReplayMode::kWorking && resolved.integer("loader.num_workers") == 0 &&
             resolved.text("loader.engine") != kIterableName) {
    refuse("without workers nothing goes on beside the step: replay: stopped says it all");
  }
}

ReplayLoader::ReplayLoader(std::unique_ptr<Loader> loader, std::int64_t batches, ReplayMode replay,
                           PinnedMemory* pinned, const Clock& clock, std::int64_t free_bytes)
    : loader_(std::move(loader)),
      batches_(batches),
      replay_(replay),
      pinned_(pinned),
      clock_(clock),
      free_bytes_(free_bytes) {}

ReplayLoader::~ReplayLoader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_for_.notify_one();
  thread_.join();
}

void ReplayLoader::begin_epoch(std::int64_t epoch) {
  epoch_ = epoch;
  ++metrics_.epochs;
  if (!full()) loader_->begin_epoch(epoch);
}

std::optional<Batch> ReplayLoader::next() {
  const std::int64_t began = clock_.now_ns();
  std::optional<Batch> batch;
  if (full()) {
    if (replay_ == ReplayMode::kWorking) ask_for_one();
    batch = kept_[static_cast<std::size_t>(given_ % batches_)];
  } else {
    batch = loader_->next();
    if (!batch) return batch;
    keep(*batch);
    if (full()) {
      batch = kept_.back();  // its loader may be gone before it is used
      go_on();
    }
  }
  batch->index = given_++;
  const std::int64_t took = clock_.now_ns() - began;
  metrics_.wait_ns.push_back(took);
  metrics_.dispatch_ns += took;
  ++metrics_.batches;
  metrics_.samples += batch->size;
  metrics_.bytes += static_cast<std::int64_t>(batch->bytes());
  return batch;
}

std::vector<WorkerThread> ReplayLoader::worker_threads() const {
  return full() || !loader_ ? workers_ : loader_->worker_threads();
}

void ReplayLoader::keep(const Batch& batch) {
  const auto bytes = static_cast<std::int64_t>(batch.bytes());
  if (kept_.empty() && bytes > free_bytes_ / batches_) {
    throw ConfigError("loader.replay_batches", text::counted(batches_, "batch") + " of " +
                                                   text::with_separators(bytes >> 20) +
                                                   " MiB do not fit into the " +
                                                   text::with_separators(free_bytes_ >> 20) +
                                                   " MiB of memory that are free; keep fewer");
  }
  kept_.push_back(pinned_ != nullptr ? pinned_copy(batch, *pinned_) : plain_copy(batch));
}

void ReplayLoader::go_on() {
  if (replay_ == ReplayMode::kWorking) workers_ = loader_->worker_threads();
  if (workers_.empty()) {
    loader_.reset();
    replay_ = ReplayMode::kStopped;
  } else {
    thread_ = std::thread([this] { read_on(); });
  }
}

void ReplayLoader::ask_for_one() {
  {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    // As far as the consumer was behind at most: what is missed is not made up for.
    asked_ = std::min<std::int64_t>(asked_ + 1, 2);
  }
  asked_for_.notify_one();
}

void ReplayLoader::read_on() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      asked_for_.wait(lock, [this] { return asked_ > 0 || stopping_; });
      if (stopping_) return;
      --asked_;
    }
    try {
      if (!loader_->next()) loader_->begin_epoch(++epoch_);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      return;
    }
  }
}

}  // namespace stepbench::loader
