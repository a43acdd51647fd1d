// SPDX-License-Identifier: Apache-2.0
// One row of the table behind loader.engine: the engine's catalogue entry, its capabilities and its
// factory. Each engine declares its row in its own file; engines.h has the table.
#pragma once

#include <memory>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/loader/loader.h"

namespace stepbench {
struct WorkerContext;
}  // namespace stepbench

namespace stepbench::loader {

// `dataset` and `context` must outlive the loader.
using EngineMaker = std::unique_ptr<Loader> (*)(const data::Dataset& dataset,
                                                const LoaderOptions& options, EpochOrder order,
                                                const WorkerContext& context);

struct Engine {
  Variant variant;
  // False: the calling thread reads each batch itself.
  bool has_workers = true;
  // Handles num_workers 0 itself; all other engines become `inline` then.
  bool reads_alone = false;
  // Its workers are processes, which must be forked before anything uses CUDA or opens an OpenMP
  // region.
  bool forks = false;
  // Supports loader.pin_memory; with workers, in a pin thread.
  bool pins = true;
  // Its workers survive separate epochs, whatever loader.persistent_workers says.
  bool persists_workers = false;
  // Advice if an error ended an epoch early; empty: errors do not.
  std::string lost_samples_remedy = {};
  // Additional rule for cases with this engine; null: none.
  Rule check = nullptr;
  // Null in programs without a library that the engine needs.
  EngineMaker make = nullptr;
};

}  // namespace stepbench::loader
