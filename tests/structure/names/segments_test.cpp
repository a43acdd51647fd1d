// SPDX-License-Identifier: Apache-2.0
// Types of two rooms that had one name: the linker took the destructor of one for the other's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/track/segments.h"
#include "tests/structure/names/shared_memory.h"

namespace stepbench::structure {
namespace {

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

// Compiled at -O0, which calls the destructor instead of writing it out. That of shared memory
// closes its first member, here the number of kCohort: 1.
TEST(Names, ASegmentOfAHistoryAndOneOfSharedMemoryAreDestroyedEachByItsOwn) {
  ASSERT_TRUE(has_shared_memory());
  const int kept = dup(STDOUT_FILENO);
  {
    const track::Segment segment{.why = track::SegmentStart::kCohort};
    ASSERT_EQ(int(segment.why), STDOUT_FILENO);
  }
  const bool still_open = is_open(STDOUT_FILENO);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  EXPECT_TRUE(still_open) << "standard output was closed by the destructor of another type";
}

}  // namespace
}  // namespace stepbench::structure
