// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/make_loader.h"

#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/words.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/cached_batches.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::loader {
namespace {

// Without workers the calling thread reads each batch itself, unless the engine reads alone.
const Engine& engine_to_make(const std::vector<Engine>& table, const std::string& name,
                             const LoaderOptions& options) {
  std::vector<std::string> known;
  const Engine* named = find_engine(table, name);
  const bool inline_instead = options.num_workers == 0 && (named == nullptr || !named->reads_alone);
  for (const Engine& engine : table) {
    if (engine.make == nullptr) continue;
    if (inline_instead ? !engine.has_workers : engine.variant.name == name) return engine;
    known.push_back(engine.variant.name);
  }
  throw ConfigError("loader.engine",
                    formatted("unknown engine '{}'; known: {}", name, text::join(known)));
}

}  // namespace

EpochOrder make_order(const data::Dataset& dataset, const LoaderOptions& options) {
  if (dataset.size() < 0) return {};
  const std::int64_t draws = epoch_samples(dataset.size(), options);
  if (!options.weights.empty()) {
    return weighted_order(sample_weights(dataset, options), draws, options.with_replacement,
                          options.seed);
  }
  if (options.with_replacement) return drawn_order(dataset.size(), draws, options.seed);
  return options.shuffle ? shuffled_order(dataset.size(), options.seed)
                         : sequential_order(dataset.size());
}

std::unique_ptr<Loader> make_loader(const data::Dataset& dataset, const ResolvedCase& resolved,
                                    EpochOrder order, WorkerContext& context,
                                    const std::vector<Engine>& table, PinnedMemory* pinned,
                                    BatchUpload* upload) {
  const std::int64_t began = context.clock.now_ns();
  LoaderOptions options = loader_options(resolved);
  options.rank = context.rank;
  options.world = context.world;
  options.lengths = dataset.lengths();
  const Engine& engine = engine_to_make(table, resolved.text("loader.engine"), options);
  if (options.pin_memory) {
    if (!engine.pins) {
      throw ConfigError("loader.pin_memory", "is not offered by engine " + engine.variant.name);
    }
    if (pinned == nullptr) {
      throw ConfigError("loader.pin_memory", "needs an accelerator, and this case uses none");
    }
    options.pinned = pinned;
  }
  if (upload != nullptr) {
    if (!options.pin_memory || options.num_workers == 0) {
      throw ConfigError("transfer.placement",
                        "pin_thread needs a pin thread: loader.pin_memory and num_workers > 0");
    }
    options.upload = upload;
  }
  std::unique_ptr<Loader> loader = engine.make(dataset, options, std::move(order), context);
  if (const std::int64_t cached_batches = cached_batch_count(resolved); cached_batches > 0) {
    loader = std::make_unique<CachedBatches>(std::move(loader), cached_batches,
                                             options.pin_memory ? pinned : nullptr, context.clock,
                                             free_memory_bytes());
  }
  context.life_cycle.loader_construct_ns = context.clock.now_ns() - began;
  return loader;
}

void tear_down(std::unique_ptr<Loader>& loader, WorkerContext& context) {
  if (!loader) return;
  const std::int64_t began = context.clock.now_ns();
  loader.reset();
  context.life_cycle.loader_tear_down_ns = context.clock.now_ns() - began;
}

}  // namespace stepbench::loader
