// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/graph_capture.h"

#include "tests/testing.h"

namespace stepbench::step {
namespace {

struct CaptureScene {
  GraphCapture calls() {
    const auto log = [this](const char* call) { return [this, call] { made.emplace_back(call); }; };
    return {.work =
                [this] {
                  made.emplace_back("work");
                  if (++runs == fails_at) throw std::runtime_error("no memory");
                },
            .synchronize = log("synchronize"),
            .release_cached_memory = log("release"),
            .begin = log("begin"),
            .end =
                [this] {
                  made.emplace_back("end");
                  if (fails_at > 0) throw std::logic_error("the capture is invalid");
                }};
  }
  int runs = 0;
  int fails_at = 0;
  std::vector<std::string> made;
};

// Memory cached by the runs before the capture would stay reserved next to the graph's own pool.
TEST(GraphCapture, CachedMemory_IsReleasedFirst) {
  CaptureScene scene;
  capture(scene.calls());
  EXPECT_THAT(scene.made, ElementsAre("work", "work", "work", "synchronize", "release", "begin",
                                      "work", "end", "synchronize"));
}

TEST(GraphCapture, FailedCapture_EndsAndThrows) {
  CaptureScene scene;
  scene.fails_at = 4;
  EXPECT_THROW(capture(scene.calls()), std::runtime_error);
  EXPECT_EQ(scene.made.back(), "end");
}

}  // namespace
}  // namespace stepbench::step
