// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/recording_loader.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "workloads/loader/replay_loader.h"

namespace stepbench::loader {
namespace {

constexpr const char* kRecordOption = "loader.record_arrivals";
constexpr std::int64_t kUsualAhead = 2;  // of an iterable with threads that says nothing of itself
constexpr double kMostly = 0.5;

std::filesystem::path arrivals_file(const ResolvedCase& resolved, const WorkerContext& context) {
  std::string name = resolved.case_id + "-" + std::to_string(context.launch);
  if (context.world > 1) name += "-" + std::to_string(context.rank);
  return context.run_dir / "arrivals" / (name + ".jsonl");
}

}  // namespace

RecordingLoader::RecordingLoader(std::unique_ptr<Loader> loader, std::int64_t ahead,
                                 std::int64_t workers, const Clock& clock)
    : loader_(std::move(loader)), clock_(clock), began_ns_(clock.now_ns()) {
  arrivals_.ahead = ahead;
  arrivals_.workers = workers;
}

void RecordingLoader::begin_epoch(std::int64_t epoch) {
  if (!epoch_asked_ns_) epoch_asked_ns_ = clock_.now_ns() - began_ns_;
  loader_->begin_epoch(epoch);
}

std::optional<Batch> RecordingLoader::next() {
  const std::int64_t ready = loader_->metrics().ready;
  const std::int64_t asked = clock_.now_ns() - began_ns_;
  std::optional<Batch> batch = loader_->next();
  if (!batch) {
    if (!epoch_asked_ns_) epoch_asked_ns_ = asked;
    return batch;
  }
  if (arrivals_.fields.empty()) arrivals_.fields = recorded_fields(*batch);
  arrivals_.batches.push_back({.asked_ns = epoch_asked_ns_.value_or(asked),
                               .arrived_ns = clock_.now_ns() - began_ns_,
                               .size = batch->size,
                               .bytes = static_cast<std::int64_t>(batch->bytes()),
                               .begins_epoch = epoch_asked_ns_.has_value(),
                               .ready = loader_->metrics().ready > ready,
                               .in_window = in_window_});
  epoch_asked_ns_.reset();
  return batch;
}

Option record_option() {
  return {.name = "record_arrivals",
          .type = OptionType::kBool,
          .doc =
              "Keeps when each batch arrived, in the folder `arrivals` of the run, a file for "
              "each launch: `replay: recorded` plays it back. `stepbench run "
              "--record-arrivals`.",
          .default_value = false,
          .identity = Identity::kContext};
}

void check_recording(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  if (!resolved.flag_or(kRecordOption, false) || replay_of(resolved) == ReplayMode::kNone) return;
  if (!facts.swept) {
    sink.error(kRecordOption,
               "batches that are replayed have no arrivals of their own; record with replay: none");
  }
  resolved.options[kRecordOption] = Value{};
}

std::int64_t batches_ahead(const ResolvedCase& resolved, const Loader& loader) {
  const std::int64_t workers = resolved.integer_or("loader.num_workers", 0);
  if (workers > 0) return workers * resolved.integer_or("loader.prefetch_factor", kUsualAhead);
  return loader.worker_threads().empty() ? 0 : kUsualAhead;
}

void keep_arrivals(const BatchArrivals& arrivals, const ResolvedCase& resolved,
                   const WorkerContext& context, ReportSink& sink) {
  if (std::ranges::none_of(arrivals.batches, &Arrival::in_window)) return;
  const std::filesystem::path file = arrivals_file(resolved, context);
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    throw ConfigError(kRecordOption,
                      "cannot make " + file.parent_path().string() + ": " + error.message());
  }
  BatchArrivals named = arrivals;
  named.case_id = resolved.case_id;
  named.engine = resolved.text_or("loader.engine", "");
  os::write_output_file(kRecordOption, file, arrivals_text(named));
  if (share_in_time(arrivals) <= kMostly) return;
  sink.note(
      "most batches were there before they were asked for, so their recorded times are those of "
      "this step: they say little of a faster one. Record with workload: loader");
}

}  // namespace stepbench::loader
