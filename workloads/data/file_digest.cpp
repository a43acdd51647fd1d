// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/file_digest.h"

#include <xxhash.h>

#include <array>
#include <cstdio>
#include <memory>

#include "harness/base/error.h"

namespace stepbench::data {
namespace {

constexpr std::size_t kDigestBlockBytes = std::size_t{1} << 16;

}  // namespace

std::string file_digest(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw Error(path + " cannot be opened");
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::array<char, kDigestBlockBytes> block;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file.get())) {
    XXH3_128bits_update(state.get(), block.data(), bytes);
  }
  if (std::ferror(file.get()) != 0) throw Error(path + " cannot be read");
  std::array<char, 17> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx",
                      static_cast<unsigned long long>(XXH3_128bits_digest(state.get()).high64));
  return text.data();
}

}  // namespace stepbench::data
