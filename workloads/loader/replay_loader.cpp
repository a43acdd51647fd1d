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
#include "workloads/data/sample_lengths.h"
#include "workloads/loader/iterable_engine.h"

namespace stepbench::loader {
namespace {

constexpr const char* kStoppedName = "stopped";
constexpr const char* kWorkingName = "working";
constexpr const char* kRecordedName = "recorded";
constexpr const char* kArrivalsOption = "loader.arrivals";

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
  const Requires recorded{.option = "loader.replay",
                          .op = Requires::Op::kEqual,
                          .value = std::string{kRecordedName},
                          .doc =
                              "needs batches that are given at recorded times (replay: "
                              "recorded)"};
  return {
      {.name = "replay",
       .type = OptionType::kEnum,
       .doc = "What would a perfect loader save? After the first batches these are given again "
              "and again, from memory. stopped: the loader ends with its workers, so the step "
              "neither waits nor shares its cores. working: it goes on beside the step, and one "
              "batch per step is thrown away. `stepbench run --headroom` measures all three. "
              "recorded: the loader ends, and batches are given when the one that `arrivals` was "
              "recorded of would have given them.",
       .default_value = std::string{"none"},
       .choices = {"none", kStoppedName, kWorkingName, kRecordedName},
       .identity_default = std::string{"none"}},
      {.name = "replay_batches",
       .type = OptionType::kInteger,
       .doc = "Batches that are kept and given again.",
       .unit = "batches",
       .default_value = std::int64_t{4},
       .min = 1,
       .max = 4096,
       .identity_default = std::int64_t{4},
       .requires_ = Requires{.option = "loader.replay",
                             .op = Requires::Op::kNotEqual,
                             .value = std::string{"none"},
                             .doc = "needs batches that are replayed (replay: stopped, working or "
                                    "recorded)"}},
      {.name = "arrivals",
       .type = OptionType::kPath,
       .doc = "The file that `stepbench run --record-arrivals` wrote of the loader to be replayed.",
       .identity = Identity::kContext,
       .requires_ = recorded,
       .must_exist = true},
      {.name = "arrivals_id",
       .type = OptionType::kString,
       .doc = "A name for the recording. Cases with different ids are different cases; the path "
              "alone makes no difference.",
       .requires_ = recorded},
      {.name = "ahead",
       .type = OptionType::kInteger,
       .doc = "Batches that the replayed loader makes before they are asked for, at most. Unset: "
              "as many as the recorded one, by its workers and prefetch_factor.",
       .unit = "batches",
       .min = 0,
       .max = 4096,
       .requires_ = recorded},
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
  return replay == kStoppedName    ? ReplayMode::kStopped
         : replay == kWorkingName  ? ReplayMode::kWorking
         : replay == kRecordedName ? ReplayMode::kRecorded
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
  if (data::lengths_differ(resolved)) {
    sink.note("samples have different lengths, and the " +
              text::counted(replayed_batches(resolved), "batch") +
              " that are given again may be longer or shorter than all in the mean: raise "
              "loader.replay_batches");
  }
  const std::string placement = resolved.text_or("transfer.placement", "");
  if (replay == ReplayMode::kRecorded && !resolved.has(kArrivalsOption)) {
    refuse(
        "replay: recorded needs the file of a recording: set loader.arrivals to one that "
        "`stepbench run --record-arrivals` wrote");
  } else if (placement == "pin_thread" || placement == "upstream") {
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

ReplayLoader::ReplayLoader(std::unique_ptr<Loader> loader, std::int64_t batches,
                           BatchArrivals arrivals, std::int64_t ahead, PinnedMemory* pinned,
                           const Clock& clock, std::int64_t free_bytes)
    : ReplayLoader(std::move(loader), batches, ReplayMode::kRecorded, pinned, clock, free_bytes) {
  arrivals_ = std::move(arrivals);
  ahead_ = ahead;
}

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
    batch = pace_ ? recorded(began) : kept_[static_cast<std::size_t>(given_ % batches_)];
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
  (pace_ ? metrics_.blocked_ns : metrics_.dispatch_ns) += took;
  metrics_.count(*batch);
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

void ReplayLoader::check_recorded() const {
  const auto larger = [](const auto& a, const auto& b) { return a.size < b.size; };
  const Batch& ours = *std::ranges::max_element(kept_, larger);
  const Arrival& theirs = *std::ranges::max_element(arrivals_->batches, larger);
  const std::vector<RecordedField> fields = recorded_fields(ours);
  // Sequences may be of any length where they are of several.
  const bool one_length = std::ranges::all_of(arrivals_->batches, [&](const Arrival& each) {
    return each.bytes * theirs.size == theirs.bytes * each.size;
  });
  const auto alike = [&](const RecordedField& a, const RecordedField& b) {
    return one_length ? a == b : a.dtype == b.dtype && a.shape.size() == b.shape.size();
  };
  if (ours.size == theirs.size && std::ranges::equal(fields, arrivals_->fields, alike)) return;
  throw ConfigError(kArrivalsOption, "batches of " + words_of(theirs.size, arrivals_->fields) +
                                         " were recorded, and this case's are of " +
                                         words_of(ours.size, fields));
}

Batch ReplayLoader::recorded(std::int64_t asked_ns) {
  const ArrivalGap& upcoming = pace_->upcoming();
  // In turns, among those that are as large as it was, or come nearest.
  const Batch* nearest = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::int64_t i = 0; i < batches_; ++i) {
    const Batch& each = kept_[static_cast<std::size_t>((given_ + i) % batches_)];
    const std::size_t bytes = each.bytes() / static_cast<std::size_t>(each.size) *
                              static_cast<std::size_t>(upcoming.size);
    const auto wanted = static_cast<std::size_t>(upcoming.bytes);
    const std::size_t off = bytes > wanted ? bytes - wanted : wanted - bytes;
    if (each.size >= upcoming.size && off < least) {
      nearest = &each;
      least = off;
      if (off == 0) break;
    }
  }
  Batch batch = nearest != nullptr ? *nearest : kept_.front();
  batch.partial |= upcoming.size < batch.size;
  const std::int64_t size = std::min(batch.size, upcoming.size);
  if (batch.padding) batch.padding = *batch.padding * size / batch.size;
  batch.size = size;
  clock_.wait_until(pace_->due_ns(asked_ns));
  pace_->given(asked_ns, clock_.now_ns());
  return batch;
}

void ReplayLoader::go_on() {
  if (arrivals_) {
    check_recorded();
    pace_.emplace(gaps_of(*arrivals_), WorkerTurns(arrivals_->workers, ahead_, clock_.now_ns()));
    arrivals_.reset();
    loader_.reset();
    return;
  }
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

std::unique_ptr<Loader> replaying(std::unique_ptr<Loader> loader, const ResolvedCase& resolved,
                                  PinnedMemory* pinned, const Clock& clock) {
  const ReplayMode replay = replay_of(resolved);
  if (replay == ReplayMode::kNone) return loader;
  const std::int64_t batches = replayed_batches(resolved);
  if (replay != ReplayMode::kRecorded) {
    return std::make_unique<ReplayLoader>(std::move(loader), batches, replay, pinned, clock,
                                          free_memory_bytes());
  }
  BatchArrivals arrivals = read_arrivals(resolved.text(kArrivalsOption));
  const std::int64_t ahead = resolved.integer_or("loader.ahead", arrivals.ahead);
  return std::make_unique<ReplayLoader>(std::move(loader), batches, std::move(arrivals), ahead,
                                        pinned, clock, free_memory_bytes());
}

}  // namespace stepbench::loader
