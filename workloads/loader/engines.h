// SPDX-License-Identifier: Apache-2.0
// The table behind loader.engine, in the order of the catalogue: an engine's catalogue entry, its
// capabilities and its factory. Each engine declares its row in its own file; engine_table.cpp has
// the table, and the rows of engines that need torch or Python.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// The table of all engines, in catalogue order; no other place names them.

// Includes engines that need torch, for planning; programs that link torch make them from their own
// table.
[[nodiscard]] const std::vector<Engine>& engines();

// Returns null if `table` has no engine of that name.
[[nodiscard]] const Engine* find_engine(const std::vector<Engine>& table, std::string_view name);
// The engine that loader.engine names. Throws ConfigError("loader.engine", ...) if it is unknown.
[[nodiscard]] const Engine& engine_of(const ResolvedCase& resolved);

// The part of engines torch_cpp, python and iterable that needs neither torch nor Python, for
// programs that plan.

[[nodiscard]] Engine torch_cpp_engine();

// Of options that have no meaning without workers.
[[nodiscard]] Requires with_workers();

// Engine python is torch.utils.data.DataLoader itself. PythonParts makes its loader.

[[nodiscard]] Engine python_engine();

// Engine iterable takes any Python iterable of batches, returned by loader() in the user's file.
// PythonParts makes its loader.

inline constexpr const char* kIterableName = "iterable";

[[nodiscard]] Engine iterable_engine();
// Returns true if the user's Python code makes the batches, from data.kind: python only.
[[nodiscard]] bool runs_python(const Engine& engine);

}  // namespace stepbench::loader
