// SPDX-License-Identifier: Apache-2.0
// Every recording in recorded/ goes through the collector again; its README.md describes how they
// are made. Composed buffers check that writer and reader agree.
#include "tests/unit/cuda/recorded_activity.h"

#include <cupti.h>

#include "harness/cuda/device_activity.h"
#include "tests/testing.h"
#include "tests/unit/cuda/composed_records.h"
#include "tests/unit/cuda/scripted_cuda.h"
#include "tests/unit/cuda/scripted_cupti.h"

namespace stepbench::cuda {
namespace {

std::string replayed(RecordedActivity recorded) {
  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  ScriptedCupti cupti;
  cupti.version = recorded.version;
  cupti.callbacks = recorded.callbacks;
  std::size_t largest = 8;
  for (RecordedBuffer& buffer : recorded.buffers) {
    largest = std::max(largest, (buffer.bytes.size() + 7) / 8 * 8);
    for (const auto& [at, name] : buffer.names) {
      const char* text = name.c_str();
      std::memcpy(buffer.bytes.data() + at, &text, sizeof text);
    }
  }
  const auto collector = make_cupti_collector(
      cupti.api(), cuda.api(), {.buffer_bytes = largest, .most_bytes = std::size_t{1} << 30});
  if (const auto why = collector->start()) return *why;
  for (const RecordedBuffer& buffer : recorded.buffers) {
    cupti.emit_buffer(buffer.bytes, buffer.records);
  }
  ops::OpLog log;
  collector->collect(log);
  return summary_text(log);
}

struct Recorded {
  RecordedActivity activity;
  std::string summary;
};

// Two kernels, a copy and their calls, in buffers of a few records each.
Recorded composed() {
  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  ScriptedCupti cupti;
  cupti.version = CUPTI_API_VERSION;
  Recorded recorded;
  const auto collector = make_cupti_collector(recording(cupti.api(), recorded.activity), cuda.api(),
                                              {.buffer_bytes = 512, .most_bytes = 16 * 512});
  EXPECT_EQ(collector->start(), std::nullopt);
  for (std::uint32_t i = 1; i <= 2; ++i) {
    const CUpti_ActivityAPI launched = launch(i, i * 100ULL);
    CUpti_ActivityKernel10 ran = kernel(i, launched.end + 10, launched.end + 50);
    if (i == 2) ran.name = "_Z3mulPfS_i";
    cupti.emit(external(i, 70 + i));
    cupti.emit(launched);
    cupti.emit(ran);
  }
  CUpti_ActivityMemcpy6 copied =
      copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
           CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  copied.start = 300;
  copied.end = 330;
  cupti.emit(copied);
  ops::OpLog log;
  collector->collect(log);
  recorded.summary = summary_text(log);
  return recorded;
}

TEST(RecordedActivity, WrittenActivity_ReadsBackEqual) {
  const Recorded recorded = composed();
  EXPECT_THAT(recorded.summary, HasSubstr("1 x 40 ns 0 bytes: kernel add(float*, float*, int)\n"));
  EXPECT_THAT(recorded.summary, HasSubstr("4 under a mark"));
  EXPECT_GT(recorded.activity.buffers.size(), 1U);
  std::stringstream file;
  write(recorded.activity, file);
  EXPECT_EQ(replayed(read_recorded(file)), recorded.summary);
}

TEST(RecordedActivity, RealDevices_ReadAsRecorded) {
  int files = 0;
  for (const auto& entry :
       fs::directory_iterator(STEPBENCH_SOURCE_DIR "/tests/unit/cuda/recorded")) {
    if (entry.path().extension() != ".activity") continue;
    ++files;
    std::ifstream file(entry.path());
    std::ifstream expected(fs::path(entry.path()).replace_extension(".expected"));
    ASSERT_TRUE(expected) << entry.path() << " has no .expected beside it";
    const std::string summary{std::istreambuf_iterator<char>(expected), {}};
    EXPECT_EQ(replayed(read_recorded(file)), summary) << entry.path();
  }
  if (files == 0) GTEST_SKIP() << "no recording yet: it needs a CUDA device";
}

}  // namespace
}  // namespace stepbench::cuda
