// SPDX-License-Identifier: Apache-2.0
// A trace with findings and counters is still the trace, and a viewer's format.
#include "harness/analyze/augment_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/analyze/rules.h"
#include "harness/base/error.h"
#include "harness/trace/read_trace.h"
#include "tests/temporary_folder.h"

namespace stepbench::analyze {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

// 100 us of a step: a copy of 4,000 bytes in 2 us, launched 3 us before it runs, and then nothing
// but an operator. Header keys stand behind the rows, as some profilers write them.
constexpr std::string_view kRows = R"json([
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":50,"dur":50},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":1,"tid":1,"ts":10,"dur":1,
 "args":{"correlation":7}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":13,
 "dur":2,"args":{"device":0,"stream":7,"correlation":7,"bytes":4000}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":20,"args":{"Device Type":1,"Device Id":0,
 "Bytes":512,"Addr":1,"Total Allocated":512,"Total Reserved":1024}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":30,"args":{"Device Type":1,"Device Id":0,
 "Bytes":-256,"Addr":1,"Total Allocated":256,"Total Reserved":1024}}
])json";

class AugmentedTrace : public ::testing::Test {
 protected:
  // Reads, augments and parses.
  Json augmented(const std::string& text, const std::string& to = "seen.json") {
    const std::filesystem::path from = folder_.path() / "trace.json";
    std::ofstream(from) << text;
    trace_ = trace::read_trace(from);
    const Analysis analysis = analyse(trace_);
    augment_trace(trace_, analysis, findings_, folder_.path() / to);
    std::ifstream file(folder_.path() / to);
    return Json::parse(file);
  }
  // Values of a counter by time in us.
  static std::map<double, double> counter(const Json& rows, std::string_view name) {
    std::map<double, double> values;
    for (const Json& row : rows) {
      if (row["ph"] == "C" && row["name"] == name) {
        values[row["ts"]] = row["args"].begin().value();
      }
    }
    return values;
  }

  test::TemporaryFolder folder_;
  std::vector<Finding> findings_ = {{.id = "trace.copy_exposed",
                                     .severity = Severity::kWarning,
                                     .text = "copies \"hold\" the step up",
                                     .remedy = "overlap them",
                                     .places = {{.name = "Memcpy", .at_ns = 13'000}}}};
  trace::Trace trace_;
};

TEST_F(AugmentedTrace, HasCountersCausesAndFindings) {
  const Json made =
      augmented("{\"schemaVersion\":1,\"traceEvents\":" + std::string(kRows) + ",\"later\":true}");
  EXPECT_EQ(made["later"], true) << "what stands behind the rows stays";
  const Json& rows = made["traceEvents"];
  EXPECT_EQ(counter(rows, "launches that wait, device 0, stream 7"),
            (std::map<double, double>{{10, 1}, {13, 0}}));
  EXPECT_EQ(counter(rows, "bandwidth, Memcpy HtoD (Pinned -> Device)"),
            (std::map<double, double>{{13, 2000}, {15, 0}}));
  EXPECT_EQ(counter(rows, "memory allocated, device 0"),
            (std::map<double, double>{{20, 512}, {30, 256}}));
  std::map<std::string, double> idle_us;
  int instants = 0;
  for (const Json& row : rows) {
    if (row["ph"] == "X" && row["pid"] == 900'000'000) {
      idle_us[row["name"]] += double(row["dur"]);
    }
    if (row["ph"] != "i" || row["name"] == "[memory]") continue;
    ++instants;
    EXPECT_EQ(row["name"], "warning: trace.copy_exposed");
    EXPECT_EQ(row["ts"], 13.0);
    EXPECT_EQ(row["args"]["text"], "copies \"hold\" the step up");
  }
  EXPECT_EQ(instants, 1);
  EXPECT_DOUBLE_EQ(idle_us["idle: host op"], 50);
  EXPECT_DOUBLE_EQ(idle_us["idle: copy call"], 1);
  EXPECT_DOUBLE_EQ(idle_us["idle: unattributed"], 100 - 50 - 1 - 2);
}

TEST_F(AugmentedTrace, SaysTheSameAgainAndMayBeABareArrayOrEmpty) {
  EXPECT_GT(augmented(std::string(kRows)).size(), 6U);
  EXPECT_EQ(augmented("{\"traceEvents\":[]}")["traceEvents"].size(), 3U) << "names and the finding";
  (void)augmented("{\"traceEvents\":" + std::string(kRows) + "}");
  const trace::Trace again = trace::read_trace(folder_.path() / "seen.json");
  const Analysis before = analyse(trace_);
  const Analysis after = analyse(again);
  EXPECT_EQ(after.idle.front().counted.idle_ns, before.idle.front().counted.idle_ns);
  EXPECT_EQ(after.counts.device_rows, before.counts.device_rows);
  EXPECT_EQ(after.memory->front().allocated_bytes, before.memory->front().allocated_bytes);
}

TEST_F(AugmentedTrace, OfACompressedFileIsCompressed) {
  const trace::Trace trace = trace::read_trace(DATA "/tracelens/bert_small.json.gz");
  const std::filesystem::path to = folder_.path() / "seen.json.gz";
  augment_trace(trace, analyse(trace), findings_, to);
  const trace::Trace again = trace::read_trace(to);
  EXPECT_TRUE(again.reading.compressed);
  EXPECT_GT(again.reading.counters, trace.reading.counters);
  EXPECT_EQ(again.reading.flows, trace.reading.flows);
}

TEST_F(AugmentedTrace, IsNeverWrittenOverItsOwnFileNorFromADatabase) {
  const std::filesystem::path from = folder_.path() / "trace.json";
  std::ofstream(from) << kRows;
  const trace::Trace trace = trace::read_trace(from);
  try {
    augment_trace(trace, analyse(trace), {}, from);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is the trace itself"));
  }
  EXPECT_EQ(std::filesystem::file_size(from), kRows.size());
  EXPECT_THROW(augment_trace(trace::Trace{}, Analysis{}, {}, folder_.path() / "x.json"),
               ConfigError);
  std::ofstream(from) << "[]";
  EXPECT_THROW(augment_trace(trace, Analysis{}, {}, folder_.path() / "x.json"), ConfigError)
      << "it has changed";
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "x.json"));
}

}  // namespace
}  // namespace stepbench::analyze
