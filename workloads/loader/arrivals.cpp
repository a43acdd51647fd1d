// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/arrivals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"
#include "workloads/loader/dtype_name.h"

namespace stepbench::loader {
namespace {

constexpr std::string_view kRecord = "arrivals";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kPartOfTurn = 20;      // that next() takes at most of a batch that lay there
constexpr std::int64_t kMostAhead = 1 << 22;  // workers and prefetch_factor at their limits

// Whether a batch lay there when it was asked for, of a loader that tells.
bool tells_ready(const BatchArrivals& arrivals) {
  return std::ranges::any_of(arrivals.batches, &Arrival::ready);
}

bool lay_there(const Arrival& batch, bool told, std::int64_t begun_ns) {
  if (told) return batch.ready;
  return (batch.arrived_ns - batch.asked_ns) * kPartOfTurn < batch.arrived_ns - begun_ns;
}

// Each batch of a recording, with when its worker could begin with it and whether it lay there.
template <typename Seen>
void go_through(const BatchArrivals& arrivals, const Seen& seen) {
  const bool told = tells_ready(arrivals);
  WorkerTurns turns(arrivals.workers, arrivals.ahead, 0);
  bool first = true;
  for (const Arrival& batch : arrivals.batches) {
    const bool begins = std::exchange(first, false) || batch.begins_epoch;
    const std::int64_t begun_ns = turns.begins_ns(batch.asked_ns, begins);
    const bool there = lay_there(batch, told, begun_ns);
    const std::int64_t most_ns = (there ? batch.asked_ns : batch.arrived_ns) - begun_ns;
    const std::int64_t turn_ns = std::max<std::int64_t>(0, there ? most_ns / 2 : most_ns);
    turns.made(batch.asked_ns, begins, begun_ns + turn_ns, batch.arrived_ns);
    if (batch.in_window) seen(batch, there, turn_ns);
  }
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw ConfigError("loader.arrivals", file.string() + why);
}

std::int64_t needed(const json::LineObject& line, std::string_view field) {
  if (!line.find(field)) throw json::LineError("lacks '" + std::string(field) + "'");
  return line.integer(field);
}

BatchArrivals read_head(const json::LineObject& line, std::int64_t& batches) {
  if (line.text("record") != kRecord) {
    throw json::LineError("is no file that --record-arrivals wrote");
  }
  if (const std::int64_t version = needed(line, "version"); version != kVersion) {
    throw json::LineError("is of version " + std::to_string(version) + ", and this program reads " +
                          std::to_string(kVersion));
  }
  BatchArrivals head{.case_id = line.text("case_id"),
                     .engine = line.text("engine"),
                     .ahead = needed(line, "ahead"),
                     .workers = needed(line, "workers")};
  batches = needed(line, "batches");
  if (head.ahead < 0 || head.ahead > kMostAhead) {
    throw json::LineError("has 'ahead' of " + std::to_string(head.ahead) + " batches");
  }
  if (head.workers < 1 || head.workers > kMostAhead) {
    throw json::LineError("has " + std::to_string(head.workers) + " workers");
  }
  const auto fields = line.array("fields");
  if (!fields || fields->empty()) throw json::LineError("lacks 'fields'");
  for (const json::JsonView& each : *fields) {
    const auto field = each.object();
    const auto shape = field ? field->array("shape") : std::nullopt;
    if (!shape) throw json::LineError("has a field without 'shape'");
    RecordedField read{.dtype = field->needed_text("dtype"), .shape = {}};
    for (const json::JsonView& extent : *shape) {
      const auto number = extent.integer();
      if (!number || *number < 0) throw json::LineError("has a shape that is none");
      read.shape.push_back(*number);
    }
    head.fields.push_back(std::move(read));
  }
  return head;
}

Arrival read_batch(const json::LineObject& line, const Arrival* before) {
  const Arrival batch{.asked_ns = needed(line, "asked_ns"),
                      .arrived_ns = needed(line, "arrived_ns"),
                      .size = needed(line, "size"),
                      .bytes = needed(line, "bytes"),
                      .begins_epoch = line.flag("begins_epoch"),
                      .ready = line.flag("ready"),
                      .in_window = line.flag("window")};
  if (batch.size < 1 || batch.bytes < 0) throw json::LineError("has a batch of no samples");
  if (batch.arrived_ns < batch.asked_ns || batch.asked_ns < 0 ||
      (before != nullptr && batch.asked_ns < before->arrived_ns)) {
    throw json::LineError("has times that run backwards");
  }
  return batch;
}

}  // namespace

std::vector<RecordedField> recorded_fields(const Batch& batch) {
  std::vector<RecordedField> fields;
  for (const BatchField& field : batch.fields) {
    fields.push_back({dtype_name(field.spec->dtype), field.spec->shape});
  }
  return fields;
}

std::string words_of(std::int64_t size, const std::vector<RecordedField>& fields) {
  std::vector<std::string> each;
  for (const RecordedField& field : fields) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : field.shape) extents.push_back(std::to_string(extent));
    each.push_back(field.dtype + (extents.empty() ? "" : " " + text::join(extents, "x")));
  }
  return text::counted(size, "sample") + " of " + text::join(each, ", ");
}

std::string arrivals_text(const BatchArrivals& arrivals) {
  json::JsonText head;
  head.open_object()
      .text("record", kRecord)
      .integer("version", kVersion)
      .text("case_id", arrivals.case_id)
      .text("engine", arrivals.engine)
      .integer("ahead", arrivals.ahead)
      .integer("workers", arrivals.workers)
      .open_array("fields");
  for (const RecordedField& field : arrivals.fields) {
    head.open_object().text("dtype", field.dtype).integers("shape", field.shape).close_object();
  }
  head.close_array().integer("batches", std::ssize(arrivals.batches)).close_object();
  std::string text = head.take() + '\n';
  for (const Arrival& batch : arrivals.batches) {
    json::JsonText line;
    line.open_object()
        .integer("asked_ns", batch.asked_ns)
        .integer("arrived_ns", batch.arrived_ns)
        .integer("size", batch.size)
        .integer("bytes", batch.bytes);
    if (batch.begins_epoch) line.flag("begins_epoch", true);
    if (batch.ready) line.flag("ready", true);
    if (batch.in_window) line.flag("window", true);
    text += line.close_object().take() + '\n';
  }
  return text;
}

BatchArrivals read_arrivals(const std::filesystem::path& file) {
  const std::optional<std::string> text = os::read_text(file);
  if (!text) refuse(file, " cannot be read");
  json::LineParser parser;
  std::optional<BatchArrivals> read;
  std::int64_t batches = 0;
  std::int64_t number = 1;
  try {
    for (std::size_t at = 0; at < text->size(); ++number) {
      const std::size_t end = text->find('\n', at);
      if (end == std::string::npos) throw json::LineError("is cut off");
      const auto line = parser.parse(std::string_view(*text).substr(at, end - at),
                                     json::LineParser::Padding::kNone);
      if (!read) {
        read = read_head(line.object, batches);
      } else {
        const Arrival* before = read->batches.empty() ? nullptr : &read->batches.back();
        read->batches.push_back(read_batch(line.object, before));
      }
      at = end + 1;
    }
  } catch (const json::LineError& error) {
    refuse(file, ", line " + std::to_string(number) + ": " + error.what());
  }
  if (!read) refuse(file, " is empty");
  if (std::ssize(read->batches) != batches) {
    refuse(file, " has " + text::counted(std::ssize(read->batches), "batch") + " of the " +
                     std::to_string(batches) + " that its first line tells of: it is cut off");
  }
  if (std::ranges::none_of(read->batches, &Arrival::in_window)) {
    refuse(file, " has no batch of a measured window");
  }
  return std::move(*read);
}

std::vector<ArrivalGap> gaps_of(const BatchArrivals& arrivals) {
  std::vector<ArrivalGap> gaps;
  go_through(arrivals, [&](const Arrival& batch, bool there, std::int64_t turn_ns) {
    gaps.push_back({.turn_ns = turn_ns,
                    .take_ns = there ? batch.arrived_ns - batch.asked_ns : 0,
                    .size = batch.size,
                    .bytes = batch.bytes,
                    .begins_epoch = batch.begins_epoch});
  });
  return gaps;
}

double share_in_time(const BatchArrivals& arrivals) {
  std::int64_t in_time = 0;
  std::int64_t all = 0;
  go_through(arrivals, [&](const Arrival&, bool there, std::int64_t) {
    ++all;
    in_time += there ? 1 : 0;
  });
  return all == 0 ? 0 : static_cast<double>(in_time) / static_cast<double>(all);
}

WorkerTurns::WorkerTurns(std::int64_t workers, std::int64_t ahead, std::int64_t now_ns)
    : made_ns_(static_cast<std::size_t>(workers), now_ns),
      given_ns_(static_cast<std::size_t>(ahead), now_ns) {}

std::int64_t WorkerTurns::begins_ns(std::int64_t asked_ns, bool begins_epoch) const {
  if (given_ns_.empty() || begins_epoch) return asked_ns;
  return std::max(made_ns_[worker_], given_ns_[oldest_]);
}

void WorkerTurns::made(std::int64_t asked_ns, bool begins_epoch, std::int64_t made_ns,
                       std::int64_t given_ns) {
  if (begins_epoch) {
    worker_ = 0;
    std::ranges::fill(made_ns_, asked_ns);
  }
  made_ns_[worker_] = made_ns;
  worker_ = (worker_ + 1) % made_ns_.size();
  if (given_ns_.empty()) return;
  given_ns_[oldest_] = given_ns;
  oldest_ = (oldest_ + 1) % given_ns_.size();
}

std::int64_t ArrivalPace::made_ns(std::int64_t asked_ns) const {
  return turns_.begins_ns(asked_ns, upcoming().begins_epoch) + upcoming().turn_ns;
}

std::int64_t ArrivalPace::due_ns(std::int64_t asked_ns) const {
  return std::max(made_ns(asked_ns), asked_ns + upcoming().take_ns);
}

void ArrivalPace::given(std::int64_t asked_ns, std::int64_t now_ns) {
  turns_.made(asked_ns, upcoming().begins_epoch, made_ns(asked_ns), now_ns);
  next_ = (next_ + 1) % gaps_.size();
}

}  // namespace stepbench::loader
