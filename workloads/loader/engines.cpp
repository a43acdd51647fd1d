// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/engines.h"

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "workloads/loader/external_engines.h"
#include "workloads/loader/fork/fork_loader.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/thread/thread_loader.h"

namespace stepbench::loader {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      fork_engine(),   inline_engine(),    python_engine(),
      thread_engine(), torch_cpp_engine(), iterable_engine(),
  };
  return all;
}

const Engine* find_engine(const std::vector<Engine>& table, std::string_view name) {
  const auto row =
      std::ranges::find_if(table, [&](const Engine& each) { return each.variant.name == name; });
  return row == table.end() ? nullptr : &*row;
}

const Engine& engine_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("loader.engine");
  if (const Engine* row = find_engine(engines(), name)) return *row;
  throw ConfigError("loader.engine", "unknown loader engine '" + name + "'");
}

}  // namespace stepbench::loader
