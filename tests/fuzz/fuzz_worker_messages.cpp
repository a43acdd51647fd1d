// SPDX-License-Identifier: Apache-2.0
// What a worker may say, in pieces of any size.
#include <algorithm>

#include "harness/base/error.h"
#include "harness/run/worker_session.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{1} + data[0] * std::size_t{data[0]};
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  run::WorkerSession whole(std::uint64_t{1} << 20);
  run::WorkerSession pieces(std::uint64_t{1} << 20);
  whole.receive(text);
  for (std::size_t at = 0; at < text.size(); at += piece) pieces.receive(text.substr(at, piece));
  fuzz::require(whole.messages() == pieces.messages() &&
                    whole.protocol_error() == pieces.protocol_error() &&
                    whole.last_message() == pieces.last_message(),
                "where the bytes are cut does not matter");
  return 0;
}
