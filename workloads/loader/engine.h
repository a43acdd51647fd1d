// SPDX-License-Identifier: Apache-2.0
// One row of the table behind loader.engine: what the catalogue says of an engine, what it can do,
// and how its loader is made. Each engine declares its row beside its code; the table is engines.h.
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
  // Name and documentation.
  Variant variant;
  // False: the calling thread reads each batch itself.
  bool has_workers = true;
  // With num_workers 0 it reads the batches itself; all others are `inline` then.
  bool reads_alone = false;
  // Its workers are processes, forked before anything uses CUDA or opens an OpenMP region.
  bool forks = false;
  // Offers loader.pin_memory; with workers, in a pin thread.
  bool pins = true;
  // Its workers live over separate epochs, whatever loader.persistent_workers says.
  bool keeps_workers = false;
  // Advice where an error made it end an epoch early; empty: it does not.
  std::string lost_samples_remedy = {};
  // Rule of its own for cases with this engine; null: none.
  Rule check = nullptr;
  // Null in a program that lacks a library which the engine needs.
  EngineMaker make = nullptr;
};

}  // namespace stepbench::loader
