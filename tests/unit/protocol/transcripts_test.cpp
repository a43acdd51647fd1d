// SPDX-License-Identifier: Apache-2.0
// Messages of workers with older protocols, and the record lines of their controllers, recorded
// with the programs of that time. The current controller must write the same lines.
#include "harness/record/internal/line_codec.h"
#include "harness/run/internal/worker_session.h"
#include "tests/testing.h"

namespace stepbench::protocol {
namespace {

const fs::path kTranscripts = fs::path(STEPBENCH_SOURCE_DIR) / "tests/unit/protocol/data";

std::string record_lines(run::WorkerSession& session, Pass pass) {
  const record::LaunchKey key{"3f2a9c01b4d5e6f7", "", pass, 0, 0};
  std::string lines;
  for (record::CycleSamples& samples : session.take_samples()) {
    lines += record::encode(record::SamplesRow{key, std::move(samples)}) + '\n';
  }
  for (ops::OpFrame& frame : session.take_ops())
    lines += record::encode(record::OpsRow{key, std::move(frame)}) + '\n';
  record::LaunchRow row;
  row.key = key;
  row.outcome = session.final_outcome().value();
  row.report = session.take_report();
  return lines + record::encode(row) + '\n';
}

TEST(Transcripts, OlderWorker_GivesTheSameLines) {
  for (const auto& [name, pass, highest_version] :
       {std::tuple(std::string("protocol_1_python"), Pass::kTiming, 1),
        {std::string("protocol_2_stub"), Pass::kTiming, 2},
        {std::string("protocol_2_profiled"), Pass::kNative, 2}}) {
    SCOPED_TRACE(name);
    run::WorkerSession session{std::uint64_t{1} << 20};
    session.receive(test::text_of_file(kTranscripts / (name + ".worker.jsonl")));
    ASSERT_EQ(session.protocol_error(), std::nullopt);
    EXPECT_EQ(session.hello()->protocol.max, highest_version);
    EXPECT_EQ(record_lines(session, pass),
              test::text_of_file(kTranscripts / (name + ".record.jsonl")));
  }
}

}  // namespace
}  // namespace stepbench::protocol
