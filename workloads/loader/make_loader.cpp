// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/make_loader.h"

#include <utility>

#include "harness/base/error.h"
#include "workloads/loader/fork_loader.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/sample_weights.h"
#include "workloads/loader/thread_loader.h"

namespace stepbench {

LoaderOptions loader_options(const ResolvedCase& resolved) {
  const auto integer = [&](std::string_view name, std::int64_t otherwise) {
    return resolved.has(name) ? resolved.integer(name) : otherwise;
  };
  const auto flag = [&](std::string_view name, bool otherwise) {
    return resolved.has(name) ? resolved.flag(name) : otherwise;
  };
  const auto text = [&](std::string_view name, std::string otherwise) {
    return resolved.has(name) ? resolved.text(name) : otherwise;
  };
  const std::string sampler = text("loader.sampler", {});
  const bool joined = text("loader.epochs", "separate") == "joined";
  return {
      .batch_size = resolved.integer("loader.batch_size"),
      .shuffle = resolved.flag("loader.shuffle"),
      .with_replacement = sampler == "random_with_replacement" || sampler == "weighted",
      .weights = text("loader.weights", {}),
      .num_samples = integer("loader.num_samples", 0),
      .seed = static_cast<std::uint64_t>(integer("loader.seed", integer("seed", 0))),
      .joined = joined,
      .num_workers = resolved.integer("loader.num_workers"),
      .prefetch_factor = integer("loader.prefetch_factor", 2),
      .pin_memory = resolved.flag("loader.pin_memory"),
      .persistent_workers = !joined && flag("loader.persistent_workers", false),
      .drop_last = !joined && flag("loader.drop_last", false),
      .timeout_s = resolved.has("loader.timeout_s") ? resolved.number("loader.timeout_s") : 0,
      .in_order = flag("loader.in_order", true),
      .reuse_buffers = text("loader.buffers", "fresh") == "reused",
      .threads_per_worker = integer("loader.threads_per_worker", 1),
      .transport = text("loader.transport", "shm_ring") == "torch_fd" ? Transport::kTorchFd
                                                                      : Transport::kShmRing,
      .affinity = text("loader.affinity", "none"),
  };
}

EpochOrder make_order(const Dataset& dataset, const LoaderOptions& options) {
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

std::unique_ptr<Loader> make_loader(const Dataset& dataset, const ResolvedCase& resolved,
                                    EpochOrder order, WorkerContext& context,
                                    const OtherEngines& others, PinnedMemory* pinned,
                                    BatchUpload* upload) {
  const std::int64_t began = context.clock.now_ns();
  LoaderOptions options = loader_options(resolved);
  options.rank = context.rank;
  options.world = context.world;
  const std::string& engine = resolved.text("loader.engine");
  if (options.pin_memory) {
    if (others.contains(engine)) {
      throw ConfigError("loader.pin_memory", "is not offered by engine " + engine);
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
  std::unique_ptr<Loader> loader;
  if (engine == "inline" || options.num_workers == 0) {
    loader = std::make_unique<InlineLoader>(dataset, options, std::move(order), context.clock);
  } else if (engine == "thread") {
    loader = make_thread_loader(dataset, options, std::move(order), context.clock);
  } else if (engine == "fork") {
    loader = make_fork_loader(dataset, options, std::move(order), context.clock,
                              context.shared_memory_prefix);
  } else if (const auto other = others.find(engine); other != others.end()) {
    loader = other->second(dataset, options, std::move(order), context.clock);
  } else {
    std::string known = "fork, inline, thread";
    for (const auto& [name, make] : others) known += ", " + name;
    throw ConfigError("loader.engine",
                      "'" + engine + "' is not an engine of this program; known: " + known);
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

}  // namespace stepbench
