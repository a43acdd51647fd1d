// SPDX-License-Identifier: Apache-2.0
// The fields of the messages between controller and worker; PROTOCOL.md documents them.
#pragma once

#include <limits>

#include "harness/json/fields.h"
#include "harness/protocol/messages.h"
#include "harness/rule.h"

namespace stepbench {

template <typename V>
void fields(V& v, json::Of<RuleFacts> auto& facts) {
  v.constant("kind", "facts")("cuda_available", facts.cuda_available);
  v("device_auto", facts.device_auto)("swept", facts.swept)("cores", facts.cores);
  v("smoke", facts.smoke);
}

template <typename V>
void fields(V& v, json::Of<CheckAnswer> auto& answer) {
  v("answer", answer.kind, json::kNeeded)("option", answer.option, json::kSparse);
  v("reason", answer.reason, json::kSparse)("notes", answer.notes, json::kSparse);
  v("plan_notes", answer.plan_notes, json::kSparse)("schedule", answer.schedule, json::kSparse);
  v("options", answer.options, json::kSparse);
}

}  // namespace stepbench

namespace stepbench::protocol {

inline void write_json(json::JsonText& json, std::string_view field, VersionRange range) {
  const std::int64_t ends[] = {range.min, range.max};
  json.integers(field, ends);
}

inline void read_json(std::string_view field, const json::JsonView& view, VersionRange& range) {
  const auto ends = view.elements();
  if (!ends || ends->size() != 2) json::wrong_type(field, "[min, max]", view);
  const std::int64_t min = (*ends)[0].integer().value_or(0);
  const std::int64_t max = (*ends)[1].integer().value_or(0);
  if (min < 1 || max < min || max > std::numeric_limits<int>::max()) {
    json::wrong_type(field, "[min, max]", view);
  }
  range = {static_cast<int>(min), static_cast<int>(max)};
}

template <typename V>
void fields(V& v, json::Of<CaseMessage> auto& message) {
  v.constant("kind", "case")("protocol", message.protocol, json::kNeeded);
  v("case_id", message.resolved.case_id, json::kNeeded)("point_id", message.resolved.point_id);
  v("workload", message.resolved.workload, json::kNeeded)("options", message.resolved.options);
  v("pass", message.pass)("launch", message.launch)("rank", message.rank);
  v("world", message.world)("smoke", message.smoke)("run_dir", message.run_dir);
  v("shared_memory_prefix", message.shared_memory_prefix);
}

template <typename V>
void fields(V& v, json::Of<Hello> auto& hello) {
  v.constant("kind", "hello")("protocol", hello.protocol, json::kNeeded);
  v("build_id", hello.build_id, json::kNeeded)("catalogue_digest", hello.catalogue_digest);
  v("pid", hello.pid, json::kNeeded)("software", hello.software);
}

template <typename V>
void fields(V& v, json::Of<StageMessage> auto& message) {
  v.constant("kind", "stage")("stage", message.stage, json::kNeeded);
  v("steps", message.steps, {.written = message.steps > 0});
  v("step_ns", message.step_ns, {.written = message.step_ns > 0});
  v("device_pci", message.device_pci, json::kSparse);
}

template <typename V>
void fields(V& v, json::Of<CycleMessage> auto& message) {
  v.constant("kind", "cycle")("cycle", message.cycle, json::kNeeded);
  v("steps", message.steps, json::kNeeded);
  v("mean_step_ns", message.mean_step_ns, {.needed = true, .also = "median_step_ns"});
}

template <typename V>
void fields(V& v, json::Of<SkippedMessage> auto& message) {
  v.constant("kind", "skipped")("reason", message.reason, json::kNeeded);
}

template <typename V>
void fields(V& v, json::Of<FailedMessage> auto& message) {
  v.constant("kind", "failed")("message", message.message, json::kNeeded);
  v("stage", message.stage, json::kNeeded);
}

}  // namespace stepbench::protocol
