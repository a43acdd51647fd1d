// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/integrity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::TraceMaker;

// A sound trace: steps of launches that all left their row.
TraceMaker sound(std::int64_t steps = 6, std::int64_t launches = 50) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t at = 1000 * i;
    maker.step(i, at, at + 1000);
    for (std::int64_t j = 0; j < launches; ++j) {
      const std::int64_t call = at + 10 * j;
      maker.op("aten::add", call, call + 8);
      maker.called(maker.kernel("add", call + 6, call + 12), "cudaLaunchKernel", call + 1,
                   call + 5);
    }
  }
  return maker;
}

class Notes {
 public:
  explicit Notes(const trace::Trace& trace) : notes_(analyse(trace).integrity) {}
  [[nodiscard]] const IntegrityNote* find(std::string_view id) const {
    const auto found = std::find_if(notes_.begin(), notes_.end(),
                                    [&](const IntegrityNote& note) { return note.id == id; });
    return found == notes_.end() ? nullptr : &*found;
  }
  void expect(std::string_view id, IntegrityLevel level, std::int64_t count) const {
    const IntegrityNote* note = find(id);
    ASSERT_NE(note, nullptr) << id;
    EXPECT_EQ(note->level, level) << note->text;
    EXPECT_EQ(note->count, count) << note->text;
  }
  [[nodiscard]] bool graver_than_notes() const {
    return !notes_.empty() && notes_.front().level != IntegrityLevel::kNote;
  }
  [[nodiscard]] const std::vector<IntegrityNote>& all() const { return notes_; }

 private:
  std::vector<IntegrityNote> notes_;
};

TEST(Integrity, HasNothingToWarnOfInASoundTrace) {
  const Notes notes(sound().finish());
  for (const IntegrityNote& note : notes.all()) {
    EXPECT_EQ(note.level, IntegrityLevel::kNote) << note.text;
  }
}

TEST(Integrity, WarnsOfFewLaunchesWithoutARowAndBlocksOnMany) {
  TraceMaker few = sound();
  few.call("cudaLaunchKernel", 505, 507);
  Notes(few.finish()).expect("launches_without_record", IntegrityLevel::kWarning, 1);
  TraceMaker many = sound();
  for (std::int64_t i = 0; i < 4; ++i) many.call("cuLaunchKernelEx", 505 + 10 * i, 507 + 10 * i);
  const Notes notes(many.finish());
  notes.expect("launches_without_record", IntegrityLevel::kError, 4);
  EXPECT_EQ(notes.find("launches_without_record")->of, 304);
  EXPECT_TRUE(blocks_numbers(notes.all()));
}

TEST(Integrity, ForgivesLaunchesAfterTheLastRow) {
  TraceMaker maker = sound();
  for (std::int64_t i = 0; i < 9; ++i) maker.call("cudaLaunchKernel", 5900 + i, 5901 + i);
  const Notes notes(maker.finish());
  EXPECT_EQ(notes.find("launches_without_record"), nullptr);
  notes.expect("launches_after_the_end", IntegrityLevel::kNote, 9);
}

TEST(Integrity, CountsALaunchThatTheRuntimePassesToTheDriverOnce) {
  TraceMaker maker = sound();
  maker.call("cudaLaunchKernel", 505, 509);
  maker.called(maker.kernel("add", 507, 512), "cuLaunchKernel", 506, 508,
               trace::EventKind::kDriver);
  const Notes notes(maker.finish());
  EXPECT_EQ(notes.find("launches_without_record"), nullptr);
}

TEST(Integrity, MissesNoRowOfALaunchThatAGraphOnlyCaptured) {
  TraceMaker maker = sound();
  maker.call("cudaStreamBeginCapture", 505, 507);
  for (std::int64_t i = 0; i < 20; ++i) maker.call("cudaLaunchKernel", 510 + 10 * i, 515 + 10 * i);
  maker.call("cudaStreamEndCapture", 720, 725);
  const trace::Trace trace = maker.finish();
  EXPECT_EQ(Notes(trace).find("launches_without_record"), nullptr);
  TraceMaker again = sound();
  again.call("cudaStreamBeginCapture", 505, 507);
  again.call("cudaStreamEndCapture", 508, 509);
  again.call("cudaLaunchKernel", 510, 515);
  Notes(again.finish()).expect("launches_without_record", IntegrityLevel::kWarning, 1);
}

TEST(Integrity, BlocksOnLaunchesWhereNoDeviceWasRecordedAtAll) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.call("cudaLaunchKernel", 10, 20);
  Notes(maker.finish()).expect("device_not_recorded", IntegrityLevel::kError, 1);
}

TEST(Integrity, TellsOfRowsThatNoCallLaunched) {
  TraceMaker few = sound();
  few.kernel("orphan", 700, 710);
  Notes(few.finish()).expect("device_rows_without_call", IntegrityLevel::kNote, 1);
  TraceMaker many = sound();
  for (std::int64_t i = 0; i < 20; ++i) many.kernel("orphan", 700 + 10 * i, 705 + 10 * i);
  Notes(many.finish()).expect("device_rows_without_call", IntegrityLevel::kWarning, 20);
}

TEST(Integrity, TellsOfTimesThatCannotBe) {
  TraceMaker maker = sound();
  maker.called(maker.kernel("early", 600, 610), "cudaLaunchKernel", 620, 630);
  trace::Trace trace = maker.finish();
  trace.reading.rows = 10'000;
  trace.reading.negative_durations = 3;
  trace.reading.missing_durations = 50;
  const Notes notes(trace);
  notes.expect("work_before_its_call", IntegrityLevel::kError, 1);
  notes.expect("negative_durations", IntegrityLevel::kWarning, 3);
  notes.expect("missing_durations", IntegrityLevel::kError, 50);
}

TEST(Integrity, TellsOfStepsThatAreMissingOrThereTwice) {
  TraceMaker maker = sound();
  maker.step(9, 6000, 6900);
  maker.step(9, 7000, 7900);
  const Notes notes(maker.finish());
  notes.expect("missing_steps", IntegrityLevel::kWarning, 3);
  notes.expect("duplicate_steps", IntegrityLevel::kWarning, 1);
  notes.expect("steps_without_device_rows", IntegrityLevel::kWarning, 1);
}

TEST(Integrity, TellsOfALastStepThatWasCutOff) {
  TraceMaker maker = sound();
  maker.step(6, 6000, 6900);
  maker.called(maker.kernel("add", 6020, 6030), "cudaLaunchKernel", 6010, 6015);
  Notes(maker.finish()).expect("truncated_last_step", IntegrityLevel::kWarning, 1);
}

TEST(Integrity, SaysWhetherTheSummaryRestsOnAStepThatWasCutOff) {
  TraceMaker maker;
  maker.row(maker.builder.other_lane("Spans"), trace::EventKind::kSpan, "PyTorch Profiler (0)", 0,
            10'000'000);
  maker.step(0, 0, 50'000'000);
  maker.op("aten::mm", 10, 9'000'000);
  const Notes notes(maker.finish());
  ASSERT_NE(notes.find("clipped_steps"), nullptr);
  EXPECT_EQ(notes.find("clipped_steps")->text,
            "1 step reaches beyond the interval that the profiler says it recorded: cut there; the "
            "summary rests on it all the same, as there is no whole step");
}

TEST(Integrity, TellsOfRowsThatCrossEachOther) {
  TraceMaker maker = sound();
  maker.op("aten::mm", 800, 850);
  maker.op("aten::mul", 840, 860);
  maker.kernel("add", 5502, 5520);
  maker.kernel("add", 5510, 5530);
  const Notes notes(maker.finish());
  notes.expect("host_rows_cross", IntegrityLevel::kWarning, 1);
  ASSERT_NE(notes.find("stream_rows_overlap"), nullptr);
}

TEST(Integrity, AllowsRoundedTimesToCrossByTheirResolution) {
  TraceMaker maker;
  maker.op("aten::mm", 0, 50'000);
  maker.op("aten::mul", 49'000, 60'000);
  trace::Trace trace = maker.finish();
  EXPECT_NE(Notes(trace).find("host_rows_cross"), nullptr);
  trace.resolution_ns = 1000;
  EXPECT_EQ(Notes(trace).find("host_rows_cross"), nullptr);
}

TEST(Integrity, PassesOnWhatTheProfilerAndTheReaderSaid) {
  trace::Trace trace = sound().finish();
  trace.log_lines = {"INFO: all is well", "WARN: 12 records lost\x1b[2J"};
  trace.reading.bare_words = 2;
  trace.reading.first_damage_at_byte = 1234;
  trace.reading.ignored = {{"xpu_thing", 7, 99}};
  trace.dropped = 5;
  const Notes notes(trace);
  ASSERT_NE(notes.find("profiler_log"), nullptr);
  EXPECT_EQ(notes.find("profiler_log")->text,
            "the profiler reported: WARN: 12 records lost\\x1b[2J");
  notes.expect("damaged_text", IntegrityLevel::kWarning, 2);
  EXPECT_NE(notes.find("damaged_text")->text.find("byte 1,234"), std::string::npos);
  notes.expect("ignored_rows", IntegrityLevel::kNote, 7);
  notes.expect("dropped_records", IntegrityLevel::kWarning, 5);
  EXPECT_TRUE(notes.graver_than_notes());
}

TEST(Integrity, TellsOfSeveralProcessesInOneFile) {
  TraceMaker maker = sound();
  maker.row(maker.builder.host_lane(99, 99), trace::EventKind::kOp, "aten::add", 10, 20);
  Notes(maker.finish()).expect("several_processes", IntegrityLevel::kWarning, 2);
}

}  // namespace
}  // namespace stepbench::analyze
