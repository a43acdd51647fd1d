// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_input.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::fuzz {
namespace {

constexpr std::int64_t kSamples = 40;
constexpr std::size_t kMaxSampleBytes = std::size_t{1} << 26;

}  // namespace

MemoryFile::MemoryFile(Input bytes) : fd_(memfd_create("input", MFD_CLOEXEC)) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = ::write(fd_, bytes.data() + written, bytes.size() - written);
    if (n <= 0) std::abort();
    written += static_cast<std::size_t>(n);
  }
}

MemoryFile::~MemoryFile() { ::close(fd_); }

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void read_samples(const std::function<std::unique_ptr<data::Dataset>()>& open) {
  try {
    const std::unique_ptr<data::Dataset> data = open();
    std::vector<std::vector<std::byte>> fields;
    std::vector<std::byte*> slots;
    for (const FieldSpec& spec : data->fields()) {
      if (spec.bytes() > kMaxSampleBytes) std::abort();
      slots.push_back(fields.emplace_back(spec.bytes()).data());
    }
    data::ReadCost cost;
    if (const data::IterableDataset* iterable = data->iterable(); iterable != nullptr) {
      const auto stream = iterable->stream({});
      for (std::int64_t i = 0; i < kSamples; ++i) {
        try {
          if (!stream->next(slots, cost)) return;
        } catch (const Error&) {
        }
      }
      return;
    }
    const auto scratch = data->make_scratch();
    for (std::int64_t i = 0; i < std::min(data->size(), kSamples); ++i) {
      try {
        // The first samples and the last.
        const std::int64_t index = i % 2 == 0 ? i / 2 : data->size() - 1 - i / 2;
        data->read({.index = index}, slots, *scratch, cost);
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
}

TwoFiles split(Input input) {
  if (input.size() < 2) return {};
  const std::size_t length = std::min<std::size_t>(input[0] + 256U * input[1], input.size() - 2);
  return {.first = input.subspan(2, length), .second = input.subspan(2 + length)};
}

}  // namespace stepbench::fuzz
