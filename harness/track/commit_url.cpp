// SPDX-License-Identifier: Apache-2.0
#include "harness/track/commit_url.h"

namespace stepbench::track {

std::string commit_url(const TrackedRun& run, const std::string& sha) {
  constexpr std::string_view kSha = "{sha}";
  std::string url = text_of(run.context, kCommitUrlOption);
  if (url.empty() || sha.empty()) return {};
  const std::size_t at = url.find(kSha);
  return at == std::string::npos ? url + sha : url.replace(at, kSha.size(), sha);
}

}  // namespace stepbench::track
