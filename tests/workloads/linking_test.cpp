// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <bit>

#include "tests/testing.h"

namespace stepbench {
namespace {

// Wheels of torch carry a second copy that fails with the system's types.
TEST(Linking, Filesystem_IsTheSystemsLibstdcxx) {
  std::uintmax_t (*remove_all)(const fs::path&) = &fs::remove_all;
  Dl_info where{};
  ASSERT_NE(dladdr(std::bit_cast<void*>(remove_all), &where), 0);
  EXPECT_NE(std::string(where.dli_fname).find("libstdc++"), std::string::npos) << where.dli_fname;
}

}  // namespace
}  // namespace stepbench
