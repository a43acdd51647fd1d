// SPDX-License-Identifier: Apache-2.0
// The interface of a plug-in: a shared library with a user's model, for `model.kind: plugin`.
//
//   #include "workloads/model/module_model.h"
//   #include "workloads/model/plugin.h"
//
//   struct Net : torch::nn::Module { ... at::Tensor forward(const at::Tensor& input); };
//
//   std::unique_ptr<stepbench::Model> make(const stepbench::ResolvedCase& resolved,
//                                          const stepbench::DataShape& data) {
//     return stepbench::model_of(
//         std::make_shared<Net>(resolved.integer("plugin.width"), data.classes));
//   }
//   STEPBENCH_PLUGIN(make, R"([{"name": "width", "type": "integer", "default": 64, "min": 1,
//                               "doc": "Width of the hidden layer."}])")
//
// Built by add_library(mine MODULE mine.cpp) with target_link_libraries(mine PRIVATE
// stepbench::plugin), and measured by `model: {kind: plugin, path: libmine.so}` with its options
// under `plugin:`. Only the worker process loads it, once, and never unloads it.
#pragma once

#include <torch/version.h>

#include <memory>

#include "workloads/model/model.h"

namespace stepbench {

inline constexpr int kPluginAbi = 1;

// All fields before `make` are compared with the worker's own before anything else is used: C++
// types are only compatible between equal builds. The order must never change.
struct Plugin {
  int abi;
  const char* stepbench_version;  // must be equal
  const char* torch_version;      // must be equal
  const char* compiler;           // the major version must be equal
  const char* options_json;       // a list of options as in `WORKER describe`;
                                  // `make` gets them checked and with defaults
  // Called once per launch, on the main thread, after seeding torch. A ConfigError names the option
  // or the data that does not fit; any other exception fails the launch with its text.
  std::unique_ptr<Model> (*make)(const ResolvedCase& resolved, const DataShape& data);
};

inline constexpr const char* kPluginSymbol = "stepbench_plugin";
using PluginSymbol = const Plugin* (*)();

}  // namespace stepbench

#define STEPBENCH_PLUGIN(make_function, options)                               \
  extern "C" __attribute__((visibility("default"))) const ::stepbench::Plugin* \
  stepbench_plugin() {                                                         \
    static const ::stepbench::Plugin plugin{                                   \
        ::stepbench::kPluginAbi, STEPBENCH_VERSION, TORCH_VERSION,             \
        "g++ " __VERSION__,      options,           make_function};            \
    return &plugin;                                                            \
  }
