// SPDX-License-Identifier: Apache-2.0
// What torch calls what our options say: the arguments of DataLoader, of the optimizers, of the
// profiler and its schedule, of autocast, GradScaler and DistributedDataParallel. They are read
// like ours and recorded as ours. Immutable; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace stepbench::catalogue {

// Upper and lower case are alike. Without "torch."; None is null, a list its elements with commas.
struct TorchValue {
  std::string_view theirs;
  std::string_view ours = {};  // empty: what is so without a word
  // Where several names say one option, the heaviest counts; equal ones must agree.
  int weight = 1;
};

struct TorchName {
  std::string_view name;  // as it is written in our files: "loader.timeout"
  // The options that it says, one for each element of a list; `name` itself where only values have
  // other names; empty: there is no such option.
  std::vector<std::string_view> ours = {};
  std::vector<TorchValue> values = {};
  bool takes_others = true;  // false: no value but these
  // Where another value is refused: what there is instead.
  std::string_view instead = {};
};

[[nodiscard]] std::span<const TorchName> torch_names();

}  // namespace stepbench::catalogue
