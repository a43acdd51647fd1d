// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/instrument_set.h"

#include "tests/testing.h"
#include "tests/unit/measure/recording_instrument.h"

namespace stepbench::worker {
namespace {

TEST(InstrumentSet, AdjacentWindows_AreEachReported) {
  measure::InstrumentLog log;
  InstrumentSet set(measure::two_instruments(log));
  for (int window = 0; window < 2; ++window) set.change(Action::kRecordAndSave);
  set.change(Action::kRecord);
  EXPECT_THAT(log.lines, ElementsAre("A none>save", "B none>save", "A save>save", "B save>save",
                                     "A save>record", "B save>record"));
}

TEST(InstrumentSet, NoAction_HasNoListener) {
  measure::InstrumentLog log;
  InstrumentSet set(measure::two_instruments(log));
  EXPECT_THAT(set.listening(), IsEmpty());
  set.change(Action::kNone);
  EXPECT_THAT(log.lines, IsEmpty()) << "the same action again tells nobody";
  set.change(Action::kWarmup);
  set.change(Action::kWarmup);
  EXPECT_THAT(log.lines, SizeIs(2));
  EXPECT_THAT(set.listening(), SizeIs(2));
  set.change(Action::kNone);
  EXPECT_THAT(set.listening(), IsEmpty());
}

TEST(InstrumentSet, ThrowingUnwind_UnwindsTheRest) {
  measure::InstrumentLog log;
  log.throw_at = 2;  // B, the first to be unwound
  InstrumentSet set(measure::two_instruments(log));
  set.change(Action::kRecord);
  set.unwind();
  EXPECT_THAT(log.lines, ElementsAre("A none>record", "B none>record", "B record>none throws",
                                     "A record>none"));
}

}  // namespace
}  // namespace stepbench::worker
