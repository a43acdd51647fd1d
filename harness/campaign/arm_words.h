// SPDX-License-Identifier: Apache-2.0
// What the two arms of a comparison differ in, for people. Pure.
#pragma once

#include <string>

#include "harness/campaign/ab_arms.h"

namespace stepbench::campaign {

// "optimizer.implementation=single (default)" and "optimizer.implementation=fused",
// "env.OMP_NUM_THREADS unset" and "env.OMP_NUM_THREADS=1", "worker old/stepbench-worker": each
// thing that an arm sets or has of its own, in both arms. Both are "as the file says" where there
// is none, "as the command says" where no file was named.
struct ArmWords {
  std::string a;
  std::string b;
};
[[nodiscard]] ArmWords arm_words(const ArmsRequest& request, const AbArms& arms);

// Whether both arms run the same program with the same options: no change can be found then, only
// how much equal launches differ.
[[nodiscard]] bool same_arms(const AbArms& arms);
// What to tell of such arms.
[[nodiscard]] std::string same_arms_text(const AbArms& arms);

}  // namespace stepbench::campaign
