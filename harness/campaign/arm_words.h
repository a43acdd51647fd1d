// SPDX-License-Identifier: Apache-2.0
// Describes the differences between the two arms of a comparison for users. Pure.
#pragma once

#include <string>

#include "harness/campaign/ab_arms.h"

namespace stepbench::campaign {

// Lists for both arms each setting that either arm makes: "optimizer.implementation=single
// (default)" and "optimizer.implementation=fused", "env.OMP_NUM_THREADS unset" and
// "env.OMP_NUM_THREADS=1", "worker old/stepbench-worker". Without any, both are "as the file says",
// or "as the command says" if no file was named.
struct ArmWords {
  std::string a;
  std::string b;
};
[[nodiscard]] ArmWords arm_words(const ArmsRequest& request, const AbArms& arms);

// Returns whether both arms run the same program with the same options. Such a comparison cannot
// find a change, only the spread of equal launches.
[[nodiscard]] bool same_arms(const AbArms& arms);
// Note for equal arms.
[[nodiscard]] std::string same_arms_text(const AbArms& arms);

}  // namespace stepbench::campaign
