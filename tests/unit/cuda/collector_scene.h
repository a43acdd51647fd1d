// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/cuda/device_activity.h"
#include "tests/testing.h"
#include "tests/unit/cuda/scripted_cuda.h"
#include "tests/unit/cuda/scripted_cupti.h"

namespace stepbench::cuda {

// The real collector on a scripted CUPTI and a scripted runtime.
struct CollectorScene {
  CollectorScene() : collector(make_cupti_collector(cupti.api(), cuda.api(), options)) {}
  ops::OpLog collect() {
    ops::OpLog log;
    collector->collect(log);
    return log;
  }
  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  ScriptedCupti cupti;
  CuptiCollectorOptions options{.buffer_bytes = 4096, .most_bytes = 4 * 4096};
  std::unique_ptr<ActivityCollector> collector;
};

struct StartedScene : CollectorScene {
  StartedScene() { EXPECT_EQ(collector->start(), std::nullopt); }
  template <typename... Record>
  ops::OpLog log_of(const Record&... records) {
    (cupti.emit(records), ...);
    return collect();
  }
};

}  // namespace stepbench::cuda
