// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_checks.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/campaign/confirm_campaign.h"
#include "harness/campaign/confirm_programs.h"
#include "harness/machine/environment.h"
#include "harness/text/secrets.h"

namespace stepbench::campaign {
namespace {

constexpr std::size_t kBuildDigits = 12;

bool has_masked_value(const std::string& text) {
  return text.find(text::kMask) != std::string::npos;
}

bool holds_secret(const track::TrackedRun& run) {
  const record::CommandLine& asked = run.asked;
  return has_masked_value(run.config_text) ||
         std::any_of(asked.set.begin(), asked.set.end(), has_masked_value) ||
         std::any_of(asked.sweep.begin(), asked.sweep.end(), has_masked_value);
}

// A sentence; empty: the files that the experiment names are those of both nights.
std::string data_change(const ConfirmRequest& request, const run::WorkerProgram& program,
                        const CampaignContext& context) {
  const track::TrackedRun& tonight = request.tonight;
  const std::string was = text_of(tonight.context, "data_digest");
  if (was.empty()) return {};
  if (text_of(tonight.context, "shard", "1of1") != "1of1") return {};
  const PlannableCases now = plannable_cases(tonight, program, context);
  if (!now.why_not.empty() || now.data_digest == was) return {};
  return "the files that the experiment names have changed since tonight's run, by their names and "
         "sizes";
}

std::optional<ConfirmRefusal> refusal_of_night(const track::TrackedRun& tonight) {
  const std::string host = machine::host_name("/");
  if (tonight.host != host) {
    return ConfirmRefusal{.why = "it was measured on " + tonight.host +
                                 " and can only be confirmed there, not on " + host};
  }
  if (holds_secret(tonight)) {
    return ConfirmRefusal{
        .why =
            "the experiment holds a secret, which is not recorded: compare the two programs "
            "with `stepbench ab`"};
  }
  const std::string& folder = tonight.asked.folder;
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    return ConfirmRefusal{.why = "the night was started in " + folder +
                                 ", which is not there, so that its paths cannot be found"};
  }
  return std::nullopt;
}

}  // namespace

std::string short_build(const std::string& build_id) { return build_id.substr(0, kBuildDigits); }

std::variant<ConfirmPrograms, ConfirmRefusal> programs_to_confirm(
    const ConfirmRequest& request, std::span<const track::KeptBuild> kept,
    const CampaignContext& context) {
  const track::TrackedRun& tonight = request.tonight;
  if (auto refusal = refusal_of_night(tonight)) return *refusal;
  const auto now = program_of_night(tonight, kept);
  if (!now) {
    return ConfirmRefusal{.why = "tonight's build " + short_build(tonight.build_id) +
                                 " is no longer on disk, neither at " + tonight.worker_path +
                                 " nor among the kept ones: build it again there"};
  }
  std::optional<run::WorkerProgram> good;
  if (!request.good_worker.empty()) {
    good = run::find_worker(request.good_worker, context.program_dir);
  } else if (!request.good) {
    return ConfirmRefusal{.why =
                              "there is no last good night to measure against; name its program "
                              "with --good PATH"};
  } else {
    good = program_of_night(*request.good, kept);
  }
  if (!good) {
    return ConfirmRefusal{
        .why = "the last good build " + short_build(request.good->build_id) + " (night " +
               request.good->run_id +
               ") is no longer on disk: rebuild it, or confirm by hand with --good PATH; `track "
               "add --keep-worker DIR` keeps the builds to come"};
  }
  if (good->build_id == now->build_id) {
    return ConfirmRefusal{.state = track::AlertState::kNotReproduced,
                          .why = "both nights measured the same build " +
                                 short_build(good->build_id) +
                                 ": what moved is the machine, its data or a plug-in, not the "
                                 "program"};
  }
  std::string changed = data_change(request, *now, context);
  if (!changed.empty()) {
    return ConfirmRefusal{.state = track::AlertState::kEnvironmentChange,
                          .why = std::move(changed)};
  }
  return ConfirmPrograms{*good, *now};
}

}  // namespace stepbench::campaign
