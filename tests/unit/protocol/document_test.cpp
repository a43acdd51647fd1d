// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md is all that the author of a worker reads: its examples must be what the code accepts.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/plan/foreign_check.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"

namespace stepbench::protocol {
namespace {

std::vector<std::string> examples() {
  std::ifstream document(STEPBENCH_SOURCE_DIR "/harness/protocol/PROTOCOL.md");
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      inside = line == "```json";
    } else if (inside) {
      out.push_back(line);
    }
  }
  return out;
}

// Reads the example as whatever it claims to be and gives its name.
std::string read(const std::string& line) {
  const auto has = [&](const char* start) { return line.starts_with(start); };
  if (has(R"({"kind": "case")")) return (void)decode_case(line), "case";
  if (has(R"({"kind": "facts")")) return (void)decode_facts(line), "facts";
  // Read where data are shown.
  if (has(R"({"kind": "data")")) return "data";
  if (has(R"({"answer")")) return (void)plan::check_answer_from_json(line), "answer";
  if (has(R"({"stepbench_catalogue")"))
    return (void)catalogue::catalogue_from_json(line, "doc"), "catalogue";
  constexpr const char* kKinds[] = {"hello", "stage",  "cycle",   "samples",
                                    "ops",   "launch", "skipped", "failed"};
  return kKinds[decode_worker(line).index()];
}

TEST(ProtocolDocument, EveryExampleIsAccepted) {
  std::map<std::string, int> seen;
  for (const std::string& line : examples()) {
    SCOPED_TRACE(line);
    EXPECT_NO_THROW(++seen[read(line)]);
  }
  for (const char* name : {"case", "hello", "stage", "cycle", "samples", "ops", "launch", "skipped",
                           "failed", "facts", "answer", "catalogue"}) {
    EXPECT_GE(seen[name], 1) << "no example of " << name;
  }
}

TEST(ProtocolDocument, DamagedExamplesAreReadOrRefusedNeverWorse) {
  std::mt19937 random(11);
  constexpr std::string_view kBytes = "{}[]\",:0123456789eE+-.nulltrue\\ \xFF\x01";
  int refused = 0;
  for (const std::string& line : examples()) {
    if (line.starts_with(R"({"stepbench_catalogue")")) continue;
    for (int i = 0; i < 500; ++i) {
      std::string damaged = line;
      for (std::size_t n = random() % 4 + 1; n > 0; --n) {
        const std::size_t at = random() % damaged.size();
        if (random() % 2 == 0) {
          damaged[at] = kBytes[random() % kBytes.size()];
        } else {
          damaged.erase(at, random() % 8 + 1);
        }
        if (damaged.empty()) break;
      }
      try {
        (void)decode_worker(damaged);
      } catch (const Error&) {
        ++refused;
      }
      try {
        (void)decode_case(damaged);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ProtocolDocument, TheSamplesExampleSumsExactly) {
  for (const std::string& line : examples()) {
    if (!line.starts_with(R"({"kind": "samples")")) continue;
    const auto samples = std::get<record::CycleSamples>(decode_worker(line)).steps;
    for (std::size_t row = 0; row < samples.steps(); ++row) {
      std::int64_t rest = 0;
      for (std::size_t i = 0; i < samples.names.size(); ++i) {
        const std::string& name = samples.names[i];
        if (name == "step_ns") rest += samples.columns[i][row];
        if (name.ends_with("_ns") && name != "step_ns") rest -= samples.columns[i][row];
      }
      EXPECT_EQ(rest, 0);
    }
  }
}

}  // namespace
}  // namespace stepbench::protocol
