// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>

#include <iostream>

#include "tests/gpu/record_activity.h"
#include "tests/gpu/rehearsal.h"
#include "tests/testing.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--record") {
    try {
      return stepbench::gpu::record_activity(argv[2]);
    } catch (const std::exception& error) {
      std::cerr << "--record: " << error.what() << '\n';
      return 1;
    }
  }
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::string_view(argv[1]) == "--rehearse") {
    stepbench::gpu::rehearsing() = true;
    at::set_num_threads(1);
  } else if (argc > 1) {
    std::cerr << "unknown argument '" << argv[1]
              << "'; expected --record NAME, --rehearse or "
                 "GoogleTest's\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
