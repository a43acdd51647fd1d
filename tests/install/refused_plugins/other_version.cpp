// SPDX-License-Identifier: Apache-2.0
// An imitation of a plug-in that was built a year ago.
#include "workloads/model/plugin.h"

extern "C" const stepbench::Plugin* stepbench_plugin() {
  static const stepbench::Plugin plugin{stepbench::kPluginAbi, "0.0.7", TORCH_VERSION,
                                        "g++ " __VERSION__,    "[]",    nullptr};
  return &plugin;
}
