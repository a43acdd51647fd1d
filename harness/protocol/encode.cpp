// SPDX-License-Identifier: Apache-2.0
#include "harness/record/encode.h"

#include "harness/json/json_text.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/names.h"

namespace stepbench::protocol {
namespace {

void add_versions(json::JsonText& json, VersionRange range) {
  const std::int64_t ends[] = {range.min, range.max};
  json.integers("protocol", ends);
}

// Text from a workload or an exception may not be UTF-8; it does not cost the launch.
struct ToLine {
  std::string operator()(const Hello& hello) const {
    json::JsonText json;
    json.open_object().text("kind", "hello");
    add_versions(json, hello.protocol);
    json.text("build_id", hello.build_id).text("catalogue_digest", hello.catalogue_digest);
    json.integer("pid", hello.pid);
    json.values("software", hello.software);
    return json.close_object().take();
  }
  std::string operator()(const StageMessage& message) const {
    json::JsonText json;
    json.open_object().text("kind", "stage").text("stage", name_of(message.stage));
    if (message.steps > 0) json.integer("steps", message.steps);
    if (message.step_ns > 0) json.integer("step_ns", message.step_ns);
    if (!message.device_pci.empty()) json.text("device_pci", message.device_pci);
    return json.close_object().take();
  }
  std::string operator()(const CycleMessage& message) const {
    json::JsonText json;
    json.open_object().text("kind", "cycle").integer("cycle", message.cycle);
    json.integer("steps", message.steps).integer("mean_step_ns", message.mean_step_ns);
    json.integer("median_step_ns", message.mean_step_ns);  // older controllers ask for it
    return json.close_object().take();
  }
  std::string operator()(const SkippedMessage& message) const {
    json::JsonText json;
    json.open_object().text("kind", "skipped").text("reason", message.reason);
    return json.close_object().take();
  }
  std::string operator()(const FailedMessage& message) const {
    json::JsonText json;
    json.open_object().text("kind", "failed").text("message", message.message);
    json.text("stage", name_of(message.stage));
    return json.close_object().take();
  }
  // What was measured: samples, ops, launch.
  template <typename Data>
  std::string operator()(const Data& data) const {
    return stepbench::record::encode(data);
  }
};

}  // namespace

std::string encode(const CaseMessage& message) {
  json::JsonText json;
  json.open_object().text("kind", "case");
  add_versions(json, message.protocol);
  json.text("case_id", message.resolved.case_id).text("point_id", message.resolved.point_id);
  json.text("workload", message.resolved.workload);
  json.values("options", message.resolved.options);
  json.text("pass", stepbench::record::name_of(message.pass)).integer("launch", message.launch);
  json.integer("rank", message.rank).integer("world", message.world).flag("smoke", message.smoke);
  json.text("run_dir", message.run_dir);
  json.text("shared_memory_prefix", message.shared_memory_prefix);
  return json.close_object().take();
}

std::string encode(const RuleFacts& facts) {
  json::JsonText json;
  json.open_object().text("kind", "facts").flag("cuda_available", facts.cuda_available);
  json.flag("device_auto", facts.device_auto).flag("swept", facts.swept);
  json.integer("cores", facts.cores).flag("smoke", facts.smoke);
  return json.close_object().take();
}

std::string encode(const WorkerMessage& message) { return std::visit(ToLine{}, message); }

std::string_view name_of(Stage stage) {
  for (const auto& [id, name] : kStageNames) {
    if (id == stage) return name;
  }
  return "unknown";
}

}  // namespace stepbench::protocol
