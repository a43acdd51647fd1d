// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/options.h"

#include "harness/base/format.h"
#include "harness/catalogue/launchers.h"
#include "harness/plan/plan.h"
#include "harness/run/launch.h"
#include "harness/run/worker_program.h"

namespace stepbench::cli {

CommandOption& add_experiment(Command& command, std::string& file) {
  return command.argument("FILE", file, "The experiment, a YAML file; - is standard input",
                          "EXPERIMENT");
}

void add_which_cases(Command& command, plan::PlanRequest& request, std::string* shard,
                     const std::string& set_doc) {
  add_set(command, request.set, set_doc);
  add_sweep(command, request.sweep);
  add_filter(command, request.filter);
  add_cases(command, request.cases);
  if (shard != nullptr) {
    command.option(
        kCaseOptions, "--shard I/N", *shard,
        "Only the I-th of N equal parts of the plan: 2/4 on the second of four machines");
  }
  command.option(kCaseOptions, "--max-cases N", request.max_cases, "Refuse a sweep with more cases")
      .with_default()
      .whole_number(1, plan::kMostCases);
}

void add_set(Command& command, std::vector<std::string>& set, const std::string& doc) {
  command.option(kCaseOptions, "--set KEY=VALUE", set, doc).common();
}

void add_sweep(Command& command, std::vector<std::string>& sweep) {
  command
      .option(kCaseOptions, "--sweep KEY=V1,V2,...", sweep,
              "Measure each of these values; several --sweep make a matrix. Replaces what the "
              "file sweeps of this option")
      .common();
}

void add_filter(Command& command, std::vector<std::string>& filter) {
  command
      .option(kCaseOptions, "--filter KEY=VALUE[,VALUE]", filter,
              "Only cases with this value, or one of these; several filters must all hold")
      .common();
}

void add_cases(Command& command, std::vector<std::string>& ids) {
  command.option(kCaseOptions, "--case ID", ids,
                 "Only the case whose id begins with ID; may be repeated");
}

void add_launches(Command& command, std::int64_t& launches) {
  command
      .option(kMeasureOptions, "--launches N", launches,
              "Fresh processes per case; default: `launches` of the file")
      .whole_number(1, 1'000'000)
      .common();
}

void add_worker(Command& command, std::string& path) {
  command.option(kMeasureOptions, "--worker PATH", path,
                 "The program that runs the steps; default: stepbench-worker next to this program");
}

void add_interpreter(Command& command, std::vector<std::string>& set) {
  const auto take = [&set](const std::string& path) {
    set.push_back(formatted("env.{}={}", run::kInterpreterVariable, run::interpreter_at(path)));
  };
  command.option_function(
      kMeasureOptions, "--interpreter PATH", take,
      "The Python that runs your Python files; default: the active environment's, else python3");
}

void add_ranks(Command& command, std::vector<std::string>& set) {
  const auto into = [&set](const std::string& option) {
    return [&set, option](const std::string& value) {
      set.push_back(formatted("distributed.{}={}", option, value));
    };
  };
  command
      .option_function(kMeasureOptions, "--ranks N", into("ranks"),
                       "Processes of a launch that train together: distributed.ranks")
      .whole_number(1, 4096);
  command
      .option_function(
          kMeasureOptions, "--launcher", into("launcher"),
          "With --ranks: what starts the processes; local: this program, on this machine")
      .one_of(catalogue::launcher_names());
  command.option_function(kMeasureOptions, "--launcher-args WORDS", into("launcher_args"),
                          "More options for the launcher, as '--nodes 2'");
}

void add_lock_flags(Command& command, campaign::LockPolicy& lock) {
  CommandOption& wait = command.flag_function(
      kMeasureOptions, "--wait-lock", [&lock] { lock = campaign::LockPolicy::kWait; },
      "Wait while another run measures on the same device; default: refuse");
  command
      .flag_function(
          kMeasureOptions, "--no-lock", [&lock] { lock = campaign::LockPolicy::kNone; },
          "Measure even if another run does on the same device; both will be disturbed")
      .excludes(wait);
}

void add_seed(Command& command, std::optional<std::uint64_t>& seed,
              const std::string& default_seed) {
  command
      .option(kMeasureOptions, "--seed N", seed,
              "Seed of the random order of the launches; default: " + default_seed)
      .whole_number(0, std::int64_t{1} << 53U);
}

CommandOption& add_verdict_rule(Command& command, campaign::VerdictRequest& request,
                                const std::string& allow, const std::string& doc) {
  command
      .option(kVerdictOptions, "--metric METRIC[,METRIC]", request.metrics,
              "What is tested and decides, instead of step and peak_bytes: step_p99, "
              "samples_per_s, a phase such as forward, or any that `list metrics` names; each "
              "further one takes more launches to prove")
      .comma_separated()
      .common();
  command
      .option(kVerdictOptions, "--margin METRIC=SHARE", request.margins,
              "The change that does not matter, as step=2%; default: 1% of each metric, and "
              "of peak_bytes 0 where every launch has the same peak")
      .common();
  CommandOption& allowed = command.option(kVerdictOptions, allow, request.allow, doc);
  const auto take = [&request](const std::string& what) { request.gate_counts = what == "counts"; };
  command
      .option_function(kVerdictOptions, "--gate", take,
                       "Overrides compare.gate of the experiment file. times: the tested metrics "
                       "decide; counts: counts per step decide; --margin counts=SHARE is their "
                       "margin, by default 0, and 0.1% of instructions")
      .one_of({"times", "counts"});
  command.flag(kVerdictOptions, "--allow-inconclusive", request.allow_inconclusive,
               "Exit 0, not 3, if the verdict is inconclusive or suspect");
  return allowed;
}

void add_results(Command& command, std::string& folder, const std::string& doc) {
  command.option(kRunOptions, "--results DIR", folder, doc).with_default();
}

CommandOption& add_resume(Command& command, std::string& folder) {
  return command
      .option(kRunOptions, "--resume RUN", folder,
              "Resume an interrupted run in its folder; measured launches are not repeated")
      .common();
}

void add_labels(Command& command, std::vector<std::string>& labels) {
  command.option(kRunOptions, "--label NAME=VALUE", labels,
                 "Record this with the run, to find it again; may be repeated");
}

void add_quiet(Command& command, bool& quiet) {
  command.flag(kOutputOptions, "--quiet,--no-progress", quiet, "No progress on standard error");
}

CommandOption& add_format(Command& command, std::string& format,
                          const std::vector<std::string>& formats) {
  return command.option(kOutputOptions, "--format", format, "Output format")
      .with_default()
      .one_of(formats)
      .common();
}

report::Format format_of(const std::string& name) {
  return one_of<report::Format>(name).value_or(report::Format::kTable);
}

}  // namespace stepbench::cli
