// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <ostream>

#include "harness/machine/doctor.h"
#include "harness/machine/percent_text.h"
#include "harness/record/findings_json.h"
#include "harness/record/json_text.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {
namespace {

struct Options {
  std::string format = "text";
  double seconds = 5;
  std::string root = "/";
};

Examination examine(const Options& options) {
  constexpr double kNs = 1e9;
  const HostClock clock;
  Examination seen;
  if (const auto nvml = NvmlSession::open(load_nvml_api())) {
    for (int i = 0; i < nvml->devices(); ++i) {
      if (auto state = nvml->read(i)) seen.devices.push_back(std::move(*state));
    }
  }
  seen.before = read_host(options.root);
  const std::int64_t begin_ns = clock.now_ns();
  seen.spin = spin(clock, spin_work, std::llround(options.seconds * kNs));
  seen.spin_ns = clock.now_ns() - begin_ns;
  seen.after = read_host(options.root);
  return seen;
}

bool is_pointless(const std::vector<Finding>& findings) {
  return !findings.empty() && findings.front().severity == Severity::kProblem;
}

const char* verdict(const std::vector<Finding>& findings) {
  if (is_pointless(findings)) return "Measuring here is pointless until the problems are gone.";
  if (findings.empty()) return "Nothing here makes results untrustworthy.";
  return "Results from here carry these doubts.";
}

void print_text(const Examination& seen, const std::vector<Finding>& findings,
                const Environment& environment) {
  std::ostream& out = environment.out;
  out << "The same work, " << seen.spin.times_ns.size() << " times "
      << number_text(seen.spin.median_ns() * 1e-6) << " ms: coefficient of variation "
      << percent_text(seen.spin.variation()) << ", the slowest hundredth "
      << percent_text(seen.spin.slowest() - 1) << " over the median\n";
  for (const Finding& finding : findings) {
    const bool problem = finding.severity == Severity::kProblem;
    const char* word = problem                                  ? "problem"
                       : finding.severity == Severity::kWarning ? "warning"
                                                                : "note";
    out << '\n';
    if (environment.colour) out << (problem ? "\x1b[31m" : "\x1b[1m");
    out << word << ": ";
    if (environment.colour) out << "\x1b[0m";
    out << finding.text << '\n';
    if (!finding.remedy.empty()) out << "  remedy: " << finding.remedy << '\n';
  }
  out << '\n' << verdict(findings) << '\n';
}

void print_json(const Examination& seen, const std::vector<Finding>& findings, std::ostream& out) {
  JsonText json;
  json.open_object();
  json.open_object("spin");
  json.integer("runs", static_cast<std::int64_t>(seen.spin.times_ns.size()));
  json.number("median_ns", seen.spin.median_ns());
  json.number("variation", seen.spin.variation());
  json.number("slowest_over_median", seen.spin.slowest());
  json.close_object();
  json.integer("cores", seen.before.cores);
  json.integer("devices", static_cast<std::int64_t>(seen.devices.size()));
  json.flag("pointless", is_pointless(findings));
  if (findings.empty()) {
    json.open_array("findings").close_array();
  } else {
    add_findings(json, "findings", findings);
  }
  json.close_object();
  out << json.line() << '\n';
}

}  // namespace

void add_doctor(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Say what on this machine would make results untrustworthy, and the remedy");
  command->footer(
      "Examples:\n"
      "  stepbench doctor                  examine this machine for five seconds\n"
      "  stepbench doctor --format json    the same for a program\n"
      "Exit code 4: measuring here is pointless until the problems named are gone.");
  const auto options = std::make_shared<Options>();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "How long to time the same work")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command->add_option("--root", options->root, "Read the machine's state below this folder")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  command->callback([options, &environment, &exit_code] {
    const Examination seen = examine(*options);
    const std::vector<Finding> findings = diagnose(seen);
    if (options->format == "json") {
      print_json(seen, findings, environment.out);
    } else {
      print_text(seen, findings, environment);
    }
    exit_code = is_pointless(findings) ? kNothingMeasured : kOk;
  });
}

}  // namespace stepbench::cli
