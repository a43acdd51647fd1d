// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"

#include <vector>

#include "harness/base/error.h"
#include "workloads/data/jpeg/jpeg_sample.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<float> image(3 * 16 * 16);
  for (const bool fast : {false, true}) {
    data::JpegSample sample({.image_size = 16, .augment = fast, .fast_decode = fast});
    try {
      sample.decode({}, std::as_bytes(std::span(data, size)), image.data());
    } catch (const Error&) {
    }
  }
  return 0;
}
