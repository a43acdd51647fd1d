// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/types.h"

#include "harness/worker/worker_main.h"
#include "workloads/catalogue/built_in.h"

namespace stepbench {

int stepbench_worker_main(int argc, char** argv) {
  return worker_main(argc, argv, built_in_catalogue(), {});
}

}  // namespace stepbench
