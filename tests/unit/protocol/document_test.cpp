// SPDX-License-Identifier: Apache-2.0
// PROTOCOL.md is the only document for authors of workers: the code must accept its examples.
#include "harness/catalogue/json.h"
#include "harness/protocol/messages.h"
#include "tests/testing.h"

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

// Reads the example as its claimed kind and returns the kind.
std::string read(const std::string& line) {
  const auto has = [&](const char* start) { return line.starts_with(start); };
  if (has(R"({"kind": "case")")) return (void)decode_case(line), "case";
  if (has(R"({"kind": "facts")")) return (void)decode_facts(line), "facts";
  // Read where data are shown.
  if (has(R"({"kind": "data")")) return "data";
  if (has(R"({"answer")")) return (void)decode_answer(line), "answer";
  if (has(R"({"stepbench_catalogue")"))
    return (void)catalogue::catalogue_from_json(line, "doc"), "catalogue";
  constexpr const char* kKinds[] = {"hello", "stage",  "cycle",   "samples",
                                    "ops",   "launch", "skipped", "failed"};
  return kKinds[decode_worker(line).index()];
}

TEST(ProtocolDocument, EachExample_IsAccepted) {
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

}  // namespace
}  // namespace stepbench::protocol
