// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/findings/findings_json.h"
#include "harness/json/json_text.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/names.h"
#include "harness/record/encode.h"

namespace stepbench::protocol {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct ToJson {
  OrderedJson operator()(std::monostate) const { return nullptr; }
  OrderedJson operator()(double number) const {
    return std::isfinite(number) ? OrderedJson(number) : OrderedJson();
  }
  template <typename T>
  OrderedJson operator()(const T& plain) const {
    return plain;
  }
};

OrderedJson to_json(const Value& value) { return std::visit(ToJson{}, value); }

OrderedJson to_json(const Fields& fields) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [name, value] : fields) object[name] = to_json(value);
  return object;
}

OrderedJson to_json(VersionRange range) { return OrderedJson::array({range.min, range.max}); }

// Text from a workload or an exception may not be UTF-8; it must not cost the launch.
std::string dump(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson to_json(const std::vector<Finding>& findings) {
  JsonText text;
  text.open_object();
  add_findings(text, "findings", findings);
  return OrderedJson::parse(text.close_object().line()).at("findings");
}

struct ToLine {
  OrderedJson operator()(const Hello& hello) const {
    return {{"kind", "hello"},
            {"protocol", to_json(hello.protocol)},
            {"build_id", hello.build_id},
            {"catalogue_digest", hello.catalogue_digest},
            {"pid", hello.pid},
            {"software", to_json(hello.software)}};
  }
  OrderedJson operator()(const StageMessage& message) const {
    return {{"kind", "stage"}, {"stage", name_of(message.stage)}};
  }
  OrderedJson operator()(const CycleMessage& message) const {
    return {{"kind", "cycle"},
            {"cycle", message.cycle},
            {"steps", message.steps},
            {"mean_step_ns", message.mean_step_ns},
            {"median_step_ns", message.mean_step_ns}};  // older controllers ask for it
  }
  OrderedJson operator()(const Samples& samples) const {
    return {{"kind", "samples"},
            {"cycle", samples.cycle},
            {"columns", samples.steps.names},
            {"values", samples.steps.columns}};
  }
  OrderedJson operator()(const OpsMessage&) const { return {}; }  // has a line of its own
  OrderedJson operator()(const LaunchMessage& message) const {
    const LaunchReport& report = message.report;
    OrderedJson metrics = OrderedJson::object();
    for (const auto& [name, value] : report.metrics) {
      metrics[name] = value && std::isfinite(*value) ? OrderedJson(*value) : OrderedJson();
    }
    return {{"kind", "launch"},
            {"effective", to_json(report.effective)},
            {"schedule", to_json(report.schedule)},
            {"metrics", std::move(metrics)},
            {"fingerprint", to_json(report.fingerprint)},
            {"flags", report.flags},
            {"notes", report.notes},
            {"findings", to_json(report.findings)}};
  }
  OrderedJson operator()(const SkippedMessage& message) const {
    return {{"kind", "skipped"}, {"reason", message.reason}};
  }
  OrderedJson operator()(const FailedMessage& message) const {
    return {{"kind", "failed"}, {"message", message.message}, {"stage", name_of(message.stage)}};
  }
};

}  // namespace

std::string encode(const CaseMessage& message) {
  return dump({{"kind", "case"},
               {"protocol", to_json(message.protocol)},
               {"case_id", message.resolved.case_id},
               {"point_id", message.resolved.point_id},
               {"workload", message.resolved.workload},
               {"options", to_json(message.resolved.options)},
               {"pass", stepbench::name_of(message.pass)},
               {"launch", message.launch},
               {"rank", message.rank},
               {"world", message.world},
               {"smoke", message.smoke},
               {"run_dir", message.run_dir},
               {"shared_memory_prefix", message.shared_memory_prefix}});
}

std::string encode(const RuleFacts& facts) {
  return dump({{"kind", "facts"},
               {"cuda_available", facts.cuda_available},
               {"device_auto", facts.device_auto},
               {"swept", facts.swept},
               {"cores", facts.cores},
               {"smoke", facts.smoke}});
}

std::string encode(const WorkerMessage& message) {
  if (const auto* ops = std::get_if<OpsMessage>(&message)) {
    JsonText json;
    json.open_object().text("kind", "ops");
    add_frame(json, ops->frame);
    return json.close_object().take();
  }
  return dump(std::visit(ToLine{}, message));
}

std::string_view name_of(Stage stage) {
  for (const auto& [id, name] : kStageNames) {
    if (id == stage) return name;
  }
  return "unknown";
}

}  // namespace stepbench::protocol
