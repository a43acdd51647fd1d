// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/campaign/examine_machine.h"
#include "harness/document/document.h"
#include "harness/findings/fields.h"
#include "harness/machine/doctor.h"
#include "harness/machine/environment.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/detectable_change.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

std::string title(const campaign::RanksRequest& request) {
  return text::counted(request.ranks, "rank") + " by " + request.launcher;
}

document::Table table_of(const campaign::RanksSeen& seen) {
  document::Table table{.columns = {{.head = "rank"},
                                    document::words("host"),
                                    {.head = "local rank"},
                                    document::words("CPUs"),
                                    {.head = "OMP_NUM_THREADS"},
                                    {.head = "torch threads"},
                                    {.head = "GPUs"}}};
  for (const campaign::RankSeen& rank : seen.ranks) {
    table.rows.push_back(
        {.cells = {document::count(rank.rank), rank.host, rank.local_rank, rank.cpus,
                   rank.omp_threads.empty() ? "-" : rank.omp_threads,
                   rank.torch_threads ? document::count(*rank.torch_threads) : document::Cell("-"),
                   document::count(rank.devices)}});
  }
  return table;
}

void add_findings(const std::vector<Finding>& findings, std::vector<document::Block>& blocks) {
  for (const Finding& finding : findings) {
    const bool note = finding.severity == Severity::kInfo;
    document::Paragraph paragraph{
        .text = (note ? "note" : std::string(name_of(finding.severity))) + ": " + finding.text,
        .tone = report::tone_of(finding.severity)};
    if (!finding.remedy.empty()) paragraph.below.emplace_back("remedy: " + finding.remedy);
    blocks.emplace_back(document::Heading{});
    blocks.emplace_back(std::move(paragraph));
  }
}

document::Document page_of(const campaign::RanksRequest& request, const campaign::RanksSeen& seen,
                           const std::vector<Finding>& findings) {
  document::Document page{.headline = title(request)};
  document::Chapter chapter{.id = "ranks", .title = "Ranks", .blocks = {}};
  if (!seen.failed.empty()) {
    page.answer = {.text = "Cannot start such a group here: " + seen.failed,
                   .tone = document::Tone::kBad};
    if (!seen.output.empty())
      chapter.blocks.emplace_back(document::Verbatim{"Its output", seen.output});
    page.chapters.push_back(std::move(chapter));
    return page;
  }
  page.answer = {.text = seen.backend.empty()
                             ? "All ranks started; unknown whether they reach each other."
                             : "All ranks started and reach each other.",
                 .tone = seen.backend.empty() ? document::Tone::kDoubt : document::Tone::kGood};
  chapter.blocks.emplace_back(table_of(seen));
  std::vector<std::string> lines = {"rendezvous with rank 0 at " + seen.address +
                                    " (MASTER_ADDR, MASTER_PORT)"};
  if (seen.barrier_ns && seen.all_reduce_ns) {
    lines.push_back(seen.backend + ": a barrier takes " + text::duration(*seen.barrier_ns) +
                    ", an all-reduce of 1 MiB " + text::duration(*seen.all_reduce_ns) +
                    ", with the right sum");
  }
  lines.push_back("start, exchange and end of the group took " + text::duration(seen.start_ns));
  document::add_paragraphs(chapter.blocks, lines);
  add_findings(findings, chapter.blocks);
  page.chapters.push_back(std::move(chapter));
  return page;
}

void print_json(const campaign::RanksRequest& request, const campaign::RanksSeen& seen,
                const std::vector<Finding>& findings, std::ostream& out) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v("launcher", request.launcher)("world", request.ranks)("failed", seen.failed);
  v("address", seen.address)("backend", seen.backend)("barrier_ns", seen.barrier_ns);
  v("all_reduce_ns", seen.all_reduce_ns)("group_ns", seen.start_ns);
  json.open_array("ranks");
  for (const campaign::RankSeen& rank : seen.ranks) {
    json.open_object();
    v("rank", rank.rank)("host", rank.host)("local_rank", rank.local_rank)("cpus", rank.cpus);
    v("omp_num_threads", rank.omp_threads);
    v("torch_threads", rank.torch_threads, json::kSparse)("devices", rank.devices);
    json.close_object();
  }
  json.close_array();
  v("findings", findings);
  out << json.close_object().line() << '\n';
}

// Returns the exit status: 0, or kExitNothingMeasured if the process group cannot be formed.
int examine_ranks_and_report(const campaign::RanksRequest& request, const std::string& format,
                             const Environment& environment) {
  const HostClock clock;
  run::Interrupts interrupts;
  const campaign::RanksSeen seen =
      campaign::examine_ranks(request, campaign_context(environment), interrupts, clock);
  if (seen.interrupted) return exit_status_of_signal(interrupts.first().value_or(SIGINT));
  const std::vector<Finding> findings = campaign::diagnose_ranks(seen);
  if (format == "json") {
    print_json(request, seen, findings, environment.out);
  } else {
    environment.out << render(page_of(request, seen, findings), environment);
  }
  return seen.failed.empty() ? kExitOk : kExitNothingMeasured;
}

struct DoctorOptions {
  std::string format = "text";
  double seconds = 5;
  double measure = 0;  // seconds; 0: not requested
  std::string root = "/";
  campaign::RanksRequest ranks = {.ranks = 0};  // 0: examine a single machine
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

// Shows a line on a terminal while waiting; removed as soon as there is output.
class Waiting {
 public:
  Waiting(const Environment& environment, double seconds) : environment_(environment) {
    if (!environment_.err_is_terminal) return;
    environment_.err << "timing the same work for " << text::seconds_text(seconds) << " ..."
                     << std::flush;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (environment_.err_is_terminal) environment_.err << "\r\x1b[K" << std::flush;
  }

 private:
  const Environment& environment_;
};

machine::Examination examine(const DoctorOptions& options, const Environment& environment) {
  constexpr double kNs = 1e9;
  const HostClock clock;
  machine::Examination seen;
  seen.without_workers = "loader.num_workers=0";
  if (const auto nvml = machine::NvmlSession::open(machine::load_nvml_api())) {
    seen.nvml = true;
    seen.cuda_of_driver = nvml->cuda_version();
    seen.cuda_needed = STEPBENCH_CUDA_VERSION;
    for (int i = 0; i < nvml->devices(); ++i) {
      if (auto state = nvml->read(i)) seen.devices.push_back(std::move(*state));
    }
  }
  const Waiting waiting(environment, options.seconds);
  seen.before = machine::read_host(options.root);
  const std::int64_t begin_ns = clock.now_ns();
  seen.spin = machine::spin(clock, machine::spin_work, std::llround(options.seconds * kNs));
  seen.spin_ns = clock.now_ns() - begin_ns;
  seen.after = machine::read_host(options.root);
  return seen;
}

bool is_pointless(const std::vector<Finding>& findings) {
  return std::ranges::count(findings, Severity::kProblem, &Finding::severity) > 0;
}

document::Answer verdict(const std::vector<Finding>& findings) {
  const auto of = [&](Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  if (const auto problems = of(Severity::kProblem); problems > 0) {
    return {.text = "Measuring here is pointless until the " +
                    (problems == 1 ? std::string("problem is")
                                   : std::to_string(problems) + " problems are") +
                    " gone.",
            .tone = document::Tone::kBad};
  }
  if (const auto doubts = of(Severity::kWarning); doubts > 0) {
    return {.text = "Measuring here is possible; results carry " +
                    (doubts == 1 ? std::string("the doubt")
                                 : "the " + std::to_string(doubts) + " doubts") +
                    " below.",
            .tone = document::Tone::kDoubt};
  }
  return {.text = findings.empty() ? "Nothing here makes results untrustworthy."
                                   : "Nothing here makes results untrustworthy; the notes matter "
                                     "for small differences.",
          .tone = document::Tone::kGood};
}

// "host: 2 CPUs (Some Model), 47 GiB, Linux 6.1, no GPU"
std::string machine_text(const machine::Examination& seen, const Fields& facts) {
  const auto text = [&](const char* name) { return text_of(facts, name); };
  std::string line = text("host") + ": " + std::to_string(seen.before.cores);
  if (seen.before.online > seen.before.cores) line += " of " + std::to_string(seen.before.online);
  line += seen.before.cores == 1 && seen.before.online <= 1 ? " CPU" : " CPUs";
  if (!text("cpu.model").empty()) line += " (" + text("cpu.model") + ")";
  if (seen.before.memory_bytes) {
    line += ", " + std::to_string(*seen.before.memory_bytes >> 30) + " GiB";
  }
  if (!text("kernel").empty()) line += ", Linux " + text("kernel");
  if (seen.devices.empty()) return line + ", no GPU";
  for (const machine::DeviceState& state : seen.devices) line += ", " + state.name;
  return line;
}

document::Document examined(const machine::Examination& seen, const std::vector<Finding>& findings,
                            const Fields& facts) {
  document::Chapter page{.id = "machine", .title = "Machine", .blocks = {}};
  page.blocks.emplace_back(document::Paragraph{
      "The same work, " + std::to_string(seen.spin.times_ns.size()) + " times " +
      text::duration(seen.spin.median_ns()) + ": coefficient of variation " +
      text::percent_text(seen.spin.variation()) + ", the slowest hundredth " +
      text::percent_text(seen.spin.slowest() - 1) + " over the median"});
  add_findings(findings, page.blocks);
  return {.headline = machine_text(seen, facts),
          .answer = verdict(findings),
          .chapters = {std::move(page)}};
}

void print_json(const machine::Examination& seen, const std::vector<Finding>& findings,
                const Fields& facts, const verdict::MachineNoise* measured, std::ostream& out) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v("machine", facts);
  json.open_object("spin");
  v("runs", seen.spin.times_ns.size())("median_ns", seen.spin.median_ns());
  v("variation", seen.spin.variation())("slowest_over_median", seen.spin.slowest());
  json.close_object();
  v("cores", seen.before.cores)("devices", seen.devices.size());
  v("pointless", is_pointless(findings))("findings", findings);
  if (measured != nullptr) json.json("measured", campaign::machine_json(*measured));
  out << json.close_object().line() << '\n';
}

campaign::MachineRun measure(const DoctorOptions& options, const Fields& identity,
                             const Environment& environment) {
  environment.err << "measuring three small cases in turns for "
                  << text::seconds_text(options.measure) << " ...\n"
                  << std::flush;
  auto [clock, progress, interrupts] = Measurement(environment, true);
  campaign::RunRequest request;
  request.lock = options.lock;
  campaign::MachineRun run =
      campaign::measure_machine(campaign::machine_cases(), options.measure, std::move(request),
                                campaign_context(environment), progress, interrupts, clock);
  run.noise.machine = identity;
  return run;
}

// Prints the measurement before saving it, so that a full disk loses nothing.
int keep(const campaign::MachineRun& run, const std::filesystem::path& place,
         const Environment& environment) {
  if (run.noise.cases.empty()) {
    environment.err << "stepbench: --measure: nothing saved: "
                    << (run.failed.empty() ? "no case was launched often enough"
                                           : text::printable(run.failed))
                    << '\n';
    return kExitNothingMeasured;
  }
  environment.out.flush();
  campaign::store_machine(place, run.noise);
  environment.err << "Saved in " << text::printable(place.string())
                  << ", quoted by `plan` and by inconclusive verdicts\n";
  return kExitOk;
}

int examine_and_report(const DoctorOptions& options, const Environment& environment) {
  if (options.ranks.ranks > 0) {
    return examine_ranks_and_report(options.ranks, options.format, environment);
  }
  std::filesystem::path place;
  std::optional<campaign::MachineRun> run;
  const Fields identity = campaign::machine_identity(options.root);
  if (options.measure > 0) place = campaign::place_for_machine(environment.variables, identity);
  const machine::Examination seen = examine(options, environment);
  if (options.measure > 0) {
    run = measure(options, identity, environment);
    if (run->signal) {
      environment.err << "stepbench: interrupted; measurements not saved\n";
      return exit_status_of_signal(*run->signal);
    }
  }
  const std::vector<Finding> findings = machine::diagnose(seen);
  const Fields facts = machine::host_environment(
      options.root, machine::find_devices(options.root, machine::nvml_devices));
  if (options.format == "json") {
    print_json(seen, findings, facts, run ? &run->noise : nullptr, environment.out);
  } else {
    environment.out << render(examined(seen, findings, facts), environment);
    if (run) environment.out << '\n' << machine_text(run->noise, environment);
  }
  const int kept = run ? keep(*run, place, environment) : kExitOk;
  return is_pointless(findings) ? kExitNothingMeasured : kept;
}

}  // namespace

void add_doctor(Command& command) {
  DoctorOptions& options = command.calls(examine_and_report);
  command
      .option(kMeasureOptions, "--seconds SECONDS", options.seconds,
              "How long to time the same work")
      .with_default()
      .number(0.01, 3600, "seconds");
  command
      .option(kMeasureOptions, "--measure SECONDS", options.measure,
              "Also measure three small cases in turns for this long, to find the smallest "
              "detectable change; saved in the user's state folder")
      .with_value_when_bare("60")
      .number(10, 86400, "seconds");
  add_lock_flags(command, options.lock);
  CommandOption& ranks = command
                             .option(kMeasureOptions, "--ranks N", options.ranks.ranks,
                                     "Check a group of N processes instead of the machine: what "
                                     "the launcher gives each, a barrier and an all-reduce")
                             .whole_number(1, 4096);
  command.option(kMeasureOptions, "--launcher", options.ranks.launcher, "What starts them")
      .with_default()
      .one_of(launcher_names())
      .needs(ranks);
  command
      .option(kMeasureOptions, "--launcher-args WORDS", options.ranks.launcher_args,
              "More options for the launcher, as '--nodes 2'")
      .needs(ranks);
  command
      .option_function(
          kMeasureOptions, "--interpreter PATH",
          [&options](const std::string& path) { options.ranks.interpreter = interpreter_at(path); },
          "With --ranks: the Python whose torch is tested; default: the active environment's")
      .needs(ranks);
  command
      .option(kMeasureOptions, "--root DIR", options.root,
              "Read the machine's state below this folder")
      .with_default()
      .folder();
  add_format(command, options.format, {"text", "json"});
}

}  // namespace stepbench::cli
