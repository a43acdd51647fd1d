// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/bundle.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/campaign/scratch_folder.h"
#include "harness/os/text_file.h"
#include "harness/record/reader.h"
#include "harness/record/zip.h"
#include "harness/runs/redact_run.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;
using BundledJson = nlohmann::ordered_json;

constexpr const char* kReadme =
    R"(A comparison of two sides, A the base and B the candidate, made by `stepbench ab`: launches in turns,
a fresh process each.

verdict.txt      what became slower or faster, by how much, how sure
verdict.json     the same for programs
environment.txt  hardware and software of both sides, those that differ first
settings.txt     the options of each case on both sides, those that differ first
command.txt      the command line that was measured, to repeat it
run/             every sample of every launch, one JSON object a line; `stepbench show run` reads it

<text1>, <text2>, ... stand for texts of whoever measured: hosts, paths, names, values. The same text
has the same token everywhere.
)";

std::string member_text(const BundledJson& json, const char* member) {
  const auto at = json.find(member);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// "1.00 ms"
std::string quantity(const BundledJson& metric, const char* member) {
  const auto at = metric.find(member);
  if (at == metric.end() || !at->is_number()) return "unknown";
  const auto value = at->get<double>();
  const std::string unit = member_text(metric, "unit");
  if (unit == "ns") return text::duration(value);
  if (unit == "bytes") return text::byte_text(value);
  return text::significant(value) + (unit.empty() ? "" : ' ' + unit);
}

std::string share(const BundledJson& metric, const char* member) {
  const auto at = metric.find(member);
  return at != metric.end() && at->is_number() ? text::signed_percent(at->get<double>()) + " %"
                                               : std::string("unknown");
}

std::string verdict_text(const BundledJson& verdict) {
  std::string text = "verdict: " + member_text(verdict, "verdict") + " (exit code " +
                     std::to_string(verdict.value("exit_code", 0)) + ")\n";
  for (const BundledJson& gate : verdict.value("gates", BundledJson::array())) {
    text += "gate " + member_text(gate, "name") + ": " + member_text(gate, "state") + '\n';
  }
  for (const BundledJson& each : verdict.value("cases", BundledJson::array())) {
    text += "\ncase " + member_text(each, "case_id") + ", " +
            text::counted(each.value("ended_at_pairs", std::int64_t{0}), "pair") + '\n';
    for (const BundledJson& metric : each.value("metrics", BundledJson::array())) {
      text += "  " + member_text(metric, "name") + ": A " + quantity(metric, "base_median") +
              ", B " + quantity(metric, "candidate_median") + ", " + share(metric, "change") +
              ", " + text::percent_text(verdict.value("confidence", 0.0)) + " interval [" +
              share(metric, "change_low") + ", " + share(metric, "change_high") +
              "]: " + member_text(metric, "verdict") + '\n';
    }
  }
  return text;
}

std::string side_by_side(const Fields& a, const Fields& b) {
  Fields names = a;
  names.insert(b.begin(), b.end());
  const auto value_in = [](const Fields& fields, const std::string& name) {
    const auto at = fields.find(name);
    return at == fields.end() || is_null(at->second) ? std::string("-") : to_text(at->second);
  };
  std::string differ;
  std::string same;
  for (const auto& [name, ignored] : names) {
    const std::string of_a = value_in(a, name);
    const std::string of_b = value_in(b, name);
    if (of_a == of_b) {
      same += "  " + name + ": " + of_a + '\n';
    } else {
      differ += "  " + name + ": A " + of_a + ", B " + of_b + '\n';
    }
  }
  return "differ:\n" + (differ.empty() ? "  nothing\n" : differ) + "the same in both:\n" +
         (same.empty() ? "  nothing\n" : same);
}

const record::Launch* launch_of(const record::Results& results, const std::string& arm,
                                const std::string& point_id) {
  for (const record::Launch& launch : results.launches) {
    const bool is_it = launch.row.key.arm == arm && launch.row.key.pass == Pass::kTiming;
    if (is_it && (point_id.empty() || launch.row.point_id == point_id)) return &launch;
  }
  return nullptr;
}

Fields environment_of(const record::Results& results, const std::string& arm) {
  const record::Launch* launch = launch_of(results, arm, "");
  if (launch == nullptr) return {};
  for (const record::WorkerRow& worker : results.workers) {
    if (worker.worker_id != launch->row.worker_id) continue;
    Fields facts = worker.environment;
    facts["worker.build_id"] = worker.build_id;
    return facts;
  }
  return {};
}

std::string settings_text(const record::Results& results) {
  std::vector<std::string> points;
  std::string text;
  for (const record::Launch& launch : results.launches) {
    const std::string& point = launch.row.point_id;
    if (std::find(points.begin(), points.end(), point) != points.end()) continue;
    points.push_back(point);
    const record::Launch* a = launch_of(results, "a", point);
    const record::Launch* b = launch_of(results, "b", point);
    if (a == nullptr || b == nullptr) continue;
    const auto options = [](const record::Launch& of) {
      Fields fields;
      for (const auto& [name, value] : of.row.options) fields.emplace(name, value);
      return fields;
    };
    text += "case " + a->row.key.case_id + ", workload " + a->row.workload + '\n' +
            side_by_side(options(*a), options(*b)) + '\n';
  }
  return text;
}

bool is_number(const std::string& text) {
  const auto dot = std::count(text.begin(), text.end(), '.');
  return !text.empty() && dot <= 1 && text.find_first_not_of("0123456789.") == std::string::npos;
}

std::string redacted_value(const std::string& value, const KnownWords& known, Tokens& tokens) {
  const bool is_share = value.ends_with('%');
  if (is_number(is_share ? value.substr(0, value.size() - 1) : value)) return value;
  const BundledJson json = {{"set", value}};
  const auto text = redact_json(json.dump(), known, tokens);
  return text ? member_text(BundledJson::parse(*text), "set") : tokens.token(value);
}

std::string redacted_word(GivenOption::Value kind, const std::string& value,
                          const KnownWords& known, Tokens& tokens) {
  if (kind == GivenOption::Value::kWord) return value;
  const std::size_t sign = value.find('=');
  if (kind == GivenOption::Value::kText || sign == std::string::npos) {
    return redacted_value(value, known, tokens);
  }
  return value.substr(0, sign + 1) + redacted_value(value.substr(sign + 1), known, tokens);
}

}  // namespace

std::string redacted_command(std::span<const GivenOption> given, const KnownWords& known,
                             Tokens& tokens) {
  std::string command = "stepbench ab";
  for (const GivenOption& option : given) {
    const std::string name = option.name.empty() ? "" : ' ' + option.name;
    if (option.values.empty()) command += name;
    for (const std::string& value : option.values) {
      command += name + ' ' + redacted_word(option.value, value, known, tokens);
    }
  }
  return command + '\n';
}

std::string bundle_of_ab(const fs::path& run_folder, std::span<const GivenOption> given,
                         const KnownWords& known) {
  const campaign::ScratchFolder scratch("stepbench-bundle");
  const std::array<fs::path, 1> runs = {run_folder};
  RedactedRuns done = redact_runs(runs, scratch.path(), known);
  const fs::path copy = scratch.path();
  const std::string json = os::read_text(copy / campaign::kVerdictFile).value_or("");
  const BundledJson verdict = BundledJson::parse(json, nullptr, false);
  if (!verdict.is_object()) throw ConfigError(run_folder.string(), "holds no verdict");
  const record::Results results = record::read_results(copy);
  std::vector<record::ZipEntry> entries = {
      {"README.txt", kReadme},
      {"verdict.txt", verdict_text(verdict)},
      {"verdict.json", json},
      {"environment.txt", side_by_side(environment_of(results, "a"), environment_of(results, "b"))},
      {"settings.txt", settings_text(results)},
      {"command.txt", redacted_command(given, known, done.tokens)}};
  std::vector<fs::path> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(copy)) {
    if (entry.path().filename() != campaign::kVerdictFile) parts.push_back(entry.path());
  }
  std::sort(parts.begin(), parts.end());
  for (const fs::path& part : parts) {
    entries.push_back({"run/" + part.filename().string(), os::read_text(part).value_or("")});
  }
  return record::zip_archive(entries);
}

}  // namespace stepbench::runs
