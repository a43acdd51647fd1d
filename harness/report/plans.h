// SPDX-License-Identifier: Apache-2.0
// Shows what can be measured and what a command is about to measure: the catalogue, the machine,
// plans, and the output of `plan` and of --dry-run of `run`, `ab` and `tune`, for people and for
// scripts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/catalogue/catalogue.h"
#include "harness/document/document.h"
#include "harness/findings/finding.h"
#include "harness/machine/doctor.h"
#include "harness/plan/plan.h"
#include "harness/report/result_tables.h"
#include "harness/tune/tune_plan.h"
#include "harness/verdict/detectable_change.h"

namespace stepbench::report {

[[nodiscard]] std::string plan_table(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                     const campaign::Probe* probe = nullptr);
// Name, table of cases, `below`, then excluded and merged points and notes.
[[nodiscard]] std::string plan_table(const plan::Plan& plan, const std::string& below,
                                     const campaign::Probe* probe = nullptr);
[[nodiscard]] std::string plan_json(const plan::Plan& plan, const campaign::TimeEstimate& estimate,
                                    const campaign::Probe* probe = nullptr);

// Two runs of a plan: the smallest change that they can detect; empty if there is nothing to run.
// `results_dir`: earlier runs, used to estimate the spread between launches. `machine`: stored
// noise of this machine; may be empty.
[[nodiscard]] std::string power_text(const plan::Plan& plan,
                                     const std::filesystem::path& results_dir,
                                     const std::string& machine);
// "to find 2 %: 14 launches of 170 steps cost least, about 3 min a run ..."; empty if no case of
// the plan was measured in `results_dir`.
[[nodiscard]] std::string noise_plan_text(const plan::Plan& plan,
                                          const std::filesystem::path& results_dir);

// `ab --dry-run`: the arms, the pairs of cases, the tests, launches and time.

// Reads earlier runs in the results folder to estimate the time. Throws ConfigError as measuring
// would.
[[nodiscard]] std::string ab_plan_text(const campaign::AbRequest& request,
                                       const campaign::AbArms& arms);

// `tune --dry-run`: the measurements of a search.

// Points, rungs, their cost by earlier results, and whether the budget suffices.
[[nodiscard]] std::string tune_plan_text(const tune::TuneRequest& request,
                                         const tune::TunePlan& planned);

// `doctor`: whether this machine, or a group of ranks on it, can measure.

[[nodiscard]] document::Document machine_document(const machine::Examination& seen,
                                                  const std::vector<Finding>& findings,
                                                  const Fields& facts);
// `measured`: null if --measure was not given.
[[nodiscard]] std::string machine_json(const machine::Examination& seen,
                                       const std::vector<Finding>& findings, const Fields& facts,
                                       const verdict::MachineNoise* measured);
// True if a problem makes measuring here pointless.
[[nodiscard]] bool is_pointless(const std::vector<Finding>& findings);

[[nodiscard]] document::Document launcher_document(const campaign::RanksRequest& request,
                                                   const campaign::RanksSeen& seen,
                                                   const std::vector<Finding>& findings);
[[nodiscard]] std::string launcher_json(const campaign::RanksRequest& request,
                                        const campaign::RanksSeen& seen,
                                        const std::vector<Finding>& findings);

// The table of `doctor --measure` and its explanation.
[[nodiscard]] std::string machine_noise_text(const verdict::MachineNoise& noise, bool colour,
                                             std::size_t columns);

// `list`: what can be measured, the meaning of every option, and every metric that a result may
// contain, with its unit and source.

struct CatalogueView {
  std::string name =
      {};  // of a workload, a section or an option; "metrics", "all"; empty: overview
  Format format = Format::kTable;  // or JSON or Markdown
  std::size_t width = 80;          // of text for people, in cells
};
// Throws ConfigError with the nearest name for an unknown one.
[[nodiscard]] std::string catalogue_text(const Catalogue& catalogue, const CatalogueView& view);

}  // namespace stepbench::report
