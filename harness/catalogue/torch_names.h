// SPDX-License-Identifier: Apache-2.0
// Torch's names for options: the arguments of DataLoader, of the optimizers, of the profiler and
// its schedule, of autocast, GradScaler and DistributedDataParallel. They are accepted as input and
// recorded under the option's own name. Immutable; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace stepbench::catalogue {

// Case-insensitive. Without "torch."; None is null, a list is its elements joined by commas.
struct TorchValue {
  std::string_view theirs;
  std::string_view ours = {};  // empty: the behaviour without the argument
  // If several names set one option, the largest weight wins; equal weights must agree.
  int weight = 1;
};

struct TorchName {
  std::string_view name;  // as written in YAML files: "loader.timeout"
  // The options that it sets, one per element of a list. `name` itself if only values have other
  // names; empty: no such option.
  std::vector<std::string_view> ours = {};
  std::vector<TorchValue> values = {};
  bool takes_others = true;  // false: rejects other values
  // Shown if another value is rejected: what to use instead.
  std::string_view instead = {};
};

[[nodiscard]] std::span<const TorchName> torch_names();

}  // namespace stepbench::catalogue
