// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/state.h"

#include "harness/json/line_object.h"
#include "tests/testing.h"

namespace stepbench::nights {
namespace {

std::vector<BuildRow> odd_rows() {
  return {{.build = "reference", .first_run = "run 1; %w", .last_run = "run 1; %w"},
          {.build = "100 %;", .first_run = "a", .last_run = "%=", .level = Level::kBefore},
          {.build = "",
           .first_run = "=",
           .last_run = "",
           .level = Level::kNone,
           .night = 365,
           .centre = -1.0 / 3,
           .spread = 1e-8,
           .count = 4,
           .pairs = {.01, -.02, 0, 1}}};
}

TEST(BuildRows, OddRows_ReadBackEqual) {
  EXPECT_EQ(rows_of_text(rows_text(odd_rows())), odd_rows());
  EXPECT_THAT(rows_of_text(rows_text({})), IsEmpty());
}

TEST(BuildRows, DamagedText_IsRefused) {
  for (const char* text : {"b", "b r %= now", "b r %= later 1 0 0 0 ", "b r %= now 1 nan 0 0 ",
                           "b r %= now x 0 0 0 ", "b% r %= now 1 0 0 0 ", "b r %= now 1 0 0 0 x"}) {
    EXPECT_THROW((void)rows_of_text(text), json::LineError) << text;
  }
  EXPECT_THAT(rows_of_text("b r %= now 1 0 0 0 "), SizeIs(1));
}

}  // namespace
}  // namespace stepbench::nights
