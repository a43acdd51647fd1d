// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/cached_batches.h"

#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::loader {
namespace {

constexpr const char* kLoaderName = "loader";
constexpr const char* kStepName = "step";
constexpr const char* kAloneOption = "loader.alone";
constexpr std::int64_t kFewBatches = 4;
// For samples of different lengths: enough that their mean length is close to the data set's.
constexpr std::int64_t kManyBatches = 64;

// Copies the data: the loader may need its memory back.
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

Option alone_option() {
  return {.name = "alone",
          .type = OptionType::kEnum,
          .doc =
              "What would a perfect loader save? loader: each batch is taken and dropped, "
              "without the step. step: after the first batches these are given again and "
              "again, from memory, and the loader ends with its workers, so the step neither "
              "waits nor shares its cores. `stepbench run --headroom` measures each of them "
              "beside both together.",
          .default_value = std::string{"none"},
          .choices = {"none", kLoaderName, kStepName},
          .identity_default = std::string{"none"}};
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

StandalonePart standalone_part_of(const ResolvedCase& resolved) {
  const std::string part = resolved.text_or(kAloneOption, "none");
  return part == kLoaderName ? StandalonePart::kLoader
         : part == kStepName ? StandalonePart::kStep
                             : StandalonePart::kNeither;
}

std::int64_t cached_batch_count(const ResolvedCase& resolved) {
  if (standalone_part_of(resolved) != StandalonePart::kStep) return 0;
  return data::lengths_differ(resolved) ? kManyBatches : kFewBatches;
}

void check_alone(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(kAloneOption, reason);
  };
  const std::string placement = resolved.text_or("transfer.placement", "");
  const bool on_device = placement == "pin_thread" || placement == "upstream";
  switch (standalone_part_of(resolved)) {
    case StandalonePart::kNeither:
      return;
    case StandalonePart::kLoader:
      if (resolved.integer_or("distributed.ranks", 1) > 1) {
        refuse("the loader alone runs in one process, and this case has several ranks");
      }
      return;
    case StandalonePart::kStep:
      if (!on_device) return;
      refuse(
          formatted("with transfer.placement: {} the loader's batches are on the device already: "
                    "the step alone would leave out the copies; set placement: prefetch_stream",
                    placement));
  }
}

CachedBatches::CachedBatches(std::unique_ptr<Loader> loader, std::int64_t batches,
                             PinnedMemory* pinned, const Clock& clock, std::int64_t free_bytes)
    : loader_(std::move(loader)),
      batches_(batches),
      pinned_(pinned),
      clock_(clock),
      free_bytes_(free_bytes) {}

void CachedBatches::begin_epoch(std::int64_t epoch) {
  ++metrics_.epochs;
  if (!full()) loader_->begin_epoch(epoch);
}

std::optional<Batch> CachedBatches::next() {
  const std::int64_t began = clock_.now_ns();
  std::optional<Batch> batch;
  if (full()) {
    batch = cached_[static_cast<std::size_t>(given_ % batches_)];
  } else {
    batch = loader_->next();
    if (!batch) return batch;
    keep(*batch);
    if (full()) {
      batch = cached_.back();  // the copy: the loader ends before the batch is used
      loader_.reset();
    }
  }
  batch->index = given_++;
  const std::int64_t took = clock_.now_ns() - began;
  metrics_.wait_ns.push_back(took);
  metrics_.dispatch_ns += took;
  metrics_.count(*batch);
  return batch;
}

std::vector<WorkerThread> CachedBatches::worker_threads() const {
  return loader_ ? loader_->worker_threads() : std::vector<WorkerThread>();
}

void CachedBatches::keep(const Batch& batch) {
  const auto bytes = static_cast<std::int64_t>(batch.bytes());
  if (cached_.empty() && bytes > free_bytes_ / batches_) {
    throw ConfigError(kAloneOption, formatted("{} of {} MiB do not fit into the {} MiB of memory "
                                              "that are free; set a smaller batch_size",
                                              text::counted(batches_, "batch"),
                                              text::with_separators(bytes >> 20),
                                              text::with_separators(free_bytes_ >> 20)));
  }
  cached_.push_back(pinned_ != nullptr ? pinned_copy(batch, *pinned_) : plain_copy(batch));
}

}  // namespace stepbench::loader
