// SPDX-License-Identifier: Apache-2.0
// The body of every worker program: main() of a user's own worker is one call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/measure/instrument.h"
#include "harness/rule.h"
#include "harness/workload.h"

namespace stepbench {

// Differences between worker programs apart from their workloads.
struct WorkerFacts {
  Fields (*software)() = nullptr;                             // versions for `hello`; may be null
  void (*set_threads)(int intra_op, int inter_op) = nullptr;  // applied before set_up; may be null
  std::span<const WorkloadRule> rules = {};                   // for `check`
  const Clock* clock = nullptr;                               // null: the host's
  // For `data`: returns the text to print for a case; null: not supported. `request` is written by
  // `stepbench data show`.
  std::string (*show_data)(const ResolvedCase& resolved, std::string_view request,
                           data::PythonParts* python) = nullptr;
  // See WorkerContext::python; must outlive the worker.
  data::PythonParts* python = nullptr;
  // For `hello`: build id of the program that stepbench started, if that one has handed over to
  // this one. Empty: this program's own.
  std::string build_id = {};
  // For a case with several ranks: called before its workload and instruments are made, to set
  // rank-specific options such as devices. Null: none.
  void (*place_rank)(ResolvedCase&, const WorkerContext&) = nullptr;
  // See WorkerContext::variables; must outlive the worker.
  const std::vector<std::pair<std::string, std::string>>* variables = nullptr;
};

//   WORKER --control-fd=3     driven by stepbench
//   WORKER --case FILE        one case from a file, the same lines on stdout, for debuggers
//   WORKER describe           prints the catalogue as JSON
//   WORKER check              reads resolved cases, prints ok, skip or error for each
//   WORKER data               reads a case and a request, prints the loader's batches
// Returns the process's exit status.
[[nodiscard]] int worker_main(int argc, char** argv, const Catalogue& catalogue,
                              std::span<const WorkloadType> workloads,
                              std::span<const InstrumentType> instruments = {},
                              const WorkerFacts& facts = {});

}  // namespace stepbench
