// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/kept_machine.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/os/output_file.h"
#include "harness/os/text_file.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFlag = "--measure";

fs::path machine_file(const machine::Variables& variables, const Fields& identity) {
  fs::path folder;
  if (const auto state = machine::find_variable(variables, "XDG_STATE_HOME");
      state && !state->empty()) {
    folder = *state;
  } else if (const auto home = machine::find_variable(variables, "HOME"); home && !home->empty()) {
    folder = fs::path{*home} / ".local/state";
  } else {
    return {};
  }
  std::string host = text_of(identity, "host");
  std::replace(host.begin(), host.end(), '/', '_');
  return folder / "stepbench" / ("machine-" + host + ".json");
}

double positive(const json::LineObject& object, std::string_view field) {
  const auto value = object.number(field);
  if (!value || *value < 0) throw json::LineError(std::string(field) + " is not given");
  return *value;
}

compare::CaseSpread read_spread(const json::LineObject& source) {
  compare::CaseSpread spread{.name = source.needed_text("name"),
                             .launches = static_cast<std::size_t>(source.count("launches")),
                             .step_ns = positive(source, "step_ns"),
                             .step_sd = source.number("step_sd"),
                             .launch_sd = positive(source, "launch_sd"),
                             .minutes_sd = positive(source, "minutes_sd"),
                             .found_by_10 = positive(source, "found_by_10_pairs"),
                             .found_by_40 = positive(source, "found_by_40_pairs")};
  spread.aa_change = source.number("aa_change").value_or(0);
  spread.aa_interval = {source.number("aa_low").value_or(-1),
                        source.number("aa_high").value_or(std::numeric_limits<double>::infinity())};
  spread.differs = source.flag("differs");
  return spread;
}

compare::MachineNoise read_noise(const std::string& text) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(text, json::LineParser::Padding::kNone).object;
  if (source.text("schema") != kMachineSchema || !source.text("version").starts_with("1.")) {
    throw json::LineError("it is no " + std::string(kMachineSchema) + " 1.x");
  }
  compare::MachineNoise noise{.measured_utc = source.needed_text("measured_utc"),
                              .machine = source.fields("machine"),
                              .seconds = positive(source, "seconds"),
                              .steal_share = source.number("steal_share"),
                              .others_share = source.number("others_share")};
  if (const auto cases = source.array("cases")) {
    for (const json::JsonView& view : *cases) {
      if (const auto one = view.object()) noise.cases.push_back(read_spread(*one));
    }
  }
  if (noise.cases.empty()) throw json::LineError("it has no case");
  return noise;
}

}  // namespace

Fields machine_identity(const fs::path& root) {
  const Fields all = machine::host_environment(root, {});
  return {{"host", text_of(all, "host")},
          {"cpu.model", text_of(all, "cpu.model")},
          {"cores", std::int64_t{machine::cores_in_affinity(root)}}};
}

KeptMachine kept_machine(const machine::Variables& variables, const Fields& identity) {
  KeptMachine kept{.file = machine_file(variables, identity)};
  std::error_code ignored;
  if (kept.file.empty() || !fs::exists(kept.file, ignored)) return kept;
  const auto again = [&](const std::string& why) {
    kept.problem = "what this machine can show is not known: " + kept.file.string() + ": " + why +
                   "; `stepbench doctor --measure` measures it anew";
  };
  const auto text = os::read_text(kept.file);
  if (!text) {
    again("cannot be read");
    return kept;
  }
  try {
    compare::MachineNoise noise = read_noise(*text);
    for (const auto& [name, value] : identity) {
      const auto then = noise.machine.find(name);
      if (then != noise.machine.end() && then->second == value) continue;
      again("was measured with another " + name + " (" +
            (then == noise.machine.end() ? "not given" : to_text(then->second)) + ", now " +
            to_text(value) + ")");
      return kept;
    }
    kept.noise = std::move(noise);
  } catch (const Error& error) {
    again(error.what());
  }
  return kept;
}

fs::path place_for_machine(const machine::Variables& variables, const Fields& identity) {
  fs::path file = machine_file(variables, identity);
  const std::string remedy = "; set XDG_STATE_HOME to a folder that can be written";
  if (file.empty()) throw ConfigError(kFlag, "has no place to keep what it finds" + remedy);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error && ::access(file.parent_path().c_str(), W_OK | X_OK) != 0) {
    error.assign(errno, std::generic_category());
  }
  if (error) {
    throw ConfigError(kFlag, "cannot keep what it finds in " + file.parent_path().string() + ": " +
                                 error.message() + remedy);
  }
  return file;
}

void keep_machine(const fs::path& file, const compare::MachineNoise& noise) {
  os::OutputFile out(kFlag, file);
  out.write(machine_json(noise) + '\n');
  out.close();
}

std::string machine_json(const compare::MachineNoise& noise) {
  json::JsonText json;
  json.open_object().text("schema", kMachineSchema).text("version", kMachineVersion);
  json.text("measured_utc", noise.measured_utc).values("machine", noise.machine);
  json.number("seconds", noise.seconds);
  json.number("steal_share", noise.steal_share);
  json.number("others_share", noise.others_share);
  json.open_array("cases");
  for (const compare::CaseSpread& each : noise.cases) {
    json.open_object().text("name", each.name);
    json.integer("launches", static_cast<std::int64_t>(each.launches));
    json.number("step_ns", each.step_ns);
    json.number("step_sd", each.step_sd);
    json.number("launch_sd", each.launch_sd).number("minutes_sd", each.minutes_sd);
    json.number("found_by_10_pairs", each.found_by_10);
    json.number("found_by_40_pairs", each.found_by_40);
    json.number("aa_change", each.aa_change);
    json.number("aa_low", each.aa_interval.low).number("aa_high", each.aa_interval.high);
    json.flag("differs", each.differs).close_object();
  }
  json.close_array().texts("too_few", noise.too_few).close_object();
  return json.take();
}

}  // namespace stepbench::campaign
