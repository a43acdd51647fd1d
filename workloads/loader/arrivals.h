// SPDX-License-Identifier: Apache-2.0
// When the batches of a loader arrived: a file that loader.record_arrivals writes and
// loader.replay: recorded plays back. Format: results/SCHEMA.md. Times in nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "workloads/data/batch.h"

namespace stepbench::loader {

// One batch, as its consumer saw it.
struct Arrival {
  std::int64_t asked_ns = 0;  // next() was called; of an epoch's first batch: the end was asked for
  std::int64_t arrived_ns = 0;  // it returned
  std::int64_t size = 0;        // samples
  std::int64_t bytes = 0;
  bool begins_epoch = false;  // nothing of it was read ahead
  bool ready = false;         // it lay there when it was asked for, as far as the loader tells
  bool in_window = false;     // what is played back; the others lead to it
};

// A field of all batches, without the batch dimension.
struct RecordedField {
  std::string dtype;
  std::vector<std::int64_t> shape;
  bool operator==(const RecordedField&) const = default;
};

struct BatchArrivals {
  std::string case_id = {};
  std::string engine = {};
  // Batches that the loader makes before they are asked for, at most; 0: it makes each when asked.
  std::int64_t ahead = 0;
  std::int64_t workers = 1;  // that make batches in turns, from the first one of each epoch on
  std::vector<RecordedField> fields = {};  // of the first batch
  std::vector<Arrival> batches = {};
};

[[nodiscard]] std::vector<RecordedField> recorded_fields(const Batch& batch);
// "32 samples of float32 3x224x224, int64".
[[nodiscard]] std::string words_of(std::int64_t size, const std::vector<RecordedField>& fields);

[[nodiscard]] std::string arrivals_text(const BatchArrivals& arrivals);
// Throws ConfigError("loader.arrivals", ...) naming the file and the line: not there, another file,
// cut off, times that run backwards, no batch in a window.
[[nodiscard]] BatchArrivals read_arrivals(const std::filesystem::path& file);

// What a batch of the window waits for, before anything is known of who will ask for it.
struct ArrivalGap {
  std::int64_t turn_ns = 0;  // of its worker, once that could begin with it
  std::int64_t take_ns = 0;  // of next(), where the batch lay there when it was asked for
  std::int64_t size = 0;
  std::int64_t bytes = 0;
  bool begins_epoch = false;
};

// When workers can begin with batches, for recordings and what is played alike: batch i of an epoch
// is worker i's, modulo their number, who begins when it has made its last one and when at most
// `ahead` lie there. What begins an epoch, or is not made ahead, is begun when it is asked for.
class WorkerTurns {
 public:
  WorkerTurns(std::int64_t workers, std::int64_t ahead, std::int64_t now_ns);

  // Of the next batch.
  [[nodiscard]] std::int64_t begins_ns(std::int64_t asked_ns, bool begins_epoch) const;
  // It was made and given; on to the one after it.
  void made(std::int64_t asked_ns, bool begins_epoch, std::int64_t made_ns, std::int64_t given_ns);

 private:
  std::vector<std::int64_t> made_ns_;   // by worker: its last batch
  std::vector<std::int64_t> given_ns_;  // the last `ahead` that were given, round and round
  std::size_t worker_ = 0;
  std::size_t oldest_ = 0;
};

// A batch that was waited for tells when it was made. One that lay there was made at some time
// after its worker could begin: half of that time is taken for its turn. Of loaders that do not
// tell which lay there it is those whose next() took less than a twentieth of it.
[[nodiscard]] std::vector<ArrivalGap> gaps_of(const BatchArrivals& arrivals);
// Of those in the window: the share that lay there when it was asked for.
[[nodiscard]] double share_in_time(const BatchArrivals& arrivals);

// Tells when the next batch is due. The recorded batches follow each other again and again.
class ArrivalPace {
 public:
  // `gaps` is not empty.
  ArrivalPace(std::vector<ArrivalGap> gaps, WorkerTurns turns)
      : gaps_(std::move(gaps)), turns_(std::move(turns)) {}

  [[nodiscard]] const ArrivalGap& upcoming() const { return gaps_[next_]; }
  // Of the upcoming batch, asked for at `asked_ns`: when next() is to return it.
  [[nodiscard]] std::int64_t due_ns(std::int64_t asked_ns) const;
  // It was given; on to the next one.
  void given(std::int64_t asked_ns, std::int64_t now_ns);

 private:
  [[nodiscard]] std::int64_t made_ns(std::int64_t asked_ns) const;

  std::vector<ArrivalGap> gaps_;
  WorkerTurns turns_;
  std::size_t next_ = 0;
};

}  // namespace stepbench::loader
