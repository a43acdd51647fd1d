// SPDX-License-Identifier: Apache-2.0
// Messages of a user, a worker or another rank.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/plan/plan.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/internal/worker_session.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/json/field_types.h"
#include "workloads/built_in.h"

namespace stepbench::fuzz {
namespace {

template <typename Decode>
void read_twice(std::string_view line, const Decode& decode) {
  std::string written;
  try {
    written = protocol::encode(decode(line));
  } catch (const Error&) {
    return;
  }
  require(protocol::encode(decode(written)) == written, "a line is read as it was written");
}

// Messages of the controller to a worker: a case, and facts of the machine.
void case_message(Input input) {
  const std::string line(text_of(input));  // terminated by a NUL
  read_twice(line, [](std::string_view text) { return protocol::decode_case(text); });
  read_twice(line, [](std::string_view text) { return protocol::decode_facts(text); });
}

template <typename Struct>
void read_fields(const std::string& text) {
  std::string written;
  try {
    written = json::object_text(json::read_text<Struct>(text));
  } catch (const Error&) {
    return;
  }
  require(json::object_text(json::read_text<Struct>(written)) == written,
          "fields are read as they were written");
}

template <typename... Structs>
struct FieldReaders {
  static constexpr auto all() { return std::array{&read_fields<Structs>...}; }
};

// Each struct with declared fields; the first byte selects it.
void fields(Input input) {
  if (input.empty()) return;
  const std::string text(text_of(input.subspan(1)));
  constexpr auto kRecords = testing::Records<FieldReaders>::all();
  constexpr auto kMessages = testing::Messages<FieldReaders>::all();
  constexpr auto kNights = testing::Nights<FieldReaders>::all();
  std::vector<void (*)(const std::string&)> all(kRecords.begin(), kRecords.end());
  all.insert(all.end(), kMessages.begin(), kMessages.end());
  all.insert(all.end(), kNights.begin(), kNights.end());
  all[input[0] % all.size()](text);
}

// Output of a worker for `describe` and `check`.
void catalogue(Input input) {
  const std::string text(text_of(input));
  read_twice(text, [](std::string_view line) { return protocol::decode_answer(line); });
  std::string written;
  try {
    written = catalogue::to_json(catalogue::catalogue_from_json(text, "input"));
  } catch (const Error&) {
    return;
  }
  require(catalogue::to_json(catalogue::catalogue_from_json(written, "input")) == written,
          "a catalogue is read as it was written");
}

// An experiment file, with the options and the rules of this project.
void config(Input input) {
  plan::PlanRequest request;
  request.file = "input.yaml";
  request.text = std::string(text_of(input));
  request.max_cases = 1000;
  try {
    const plan::Plan first = plan::make_plan(request, built_in_catalogue(), built_in_rules());
    const plan::Plan again = plan::make_plan(request, built_in_catalogue(), built_in_rules());
    require(first.digest == again.digest && first.cases.size() <= 1000,
            "the same text is the same plan");
  } catch (const Error&) {
  }
}

template <typename Line>
void read(std::string_view text, Line (*decode)(std::string_view)) {
  std::string written;
  try {
    written = run::encode(decode(text));
  } catch (const Error&) {
    return;
  }
  require(run::encode(decode(written)) == written, "a line is read as it was written");
}

// Messages between the controller of a group and its ranks; the first byte selects the line.
void group_lines(Input input) {
  if (input.empty()) return;
  const std::string_view text = text_of(input.subspan(1));
  switch (input[0] % 3) {
    case 0:
      read(text, run::decode_join);
      break;
    case 1:
      read(text, run::decode_begin);
      break;
    default:
      read(text, run::decode_exit);
  }
}

// Messages of a worker, in pieces of any size.
void worker_messages(Input input) {
  if (input.empty()) return;
  const std::size_t piece = std::size_t{1} + input[0] * std::size_t{input[0]};
  const std::string_view text = text_of(input.subspan(1));
  run::WorkerSession whole(std::uint64_t{1} << 20);
  run::WorkerSession pieces(std::uint64_t{1} << 20);
  whole.receive(text);
  for (std::size_t at = 0; at < text.size(); at += piece) pieces.receive(text.substr(at, piece));
  require(whole.messages() == pieces.messages() &&
              whole.protocol_error() == pieces.protocol_error() &&
              whole.last_message() == pieces.last_message(),
          "where the bytes are cut does not matter");
}

}  // namespace

const std::vector<Target>& message_targets() {
  static const std::vector<Target> all = {{"case_message", case_message},
                                          {"catalogue", catalogue},
                                          {"config", config},
                                          {"fields", fields},
                                          {"group_lines", group_lines},
                                          {"worker_messages", worker_messages}};
  return all;
}

}  // namespace stepbench::fuzz
