// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/worker_main.h"

namespace stepbench {

int worker_main(int, char**, const Catalogue&, std::span<const WorkloadType>,
                std::span<InstrumentFactory* const>, const WorkerFacts&) {
  return 2;
}

}  // namespace stepbench
