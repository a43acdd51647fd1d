// SPDX-License-Identifier: Apache-2.0
// For any worker output, the controller neither crashes nor records nonsense as measured.
#include <random>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"
#include "harness/run/internal/launch_rules.h"
#include "harness/run/internal/worker_session.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kActive = 4;
constexpr std::int64_t kCycles = 2;
constexpr std::int64_t kAgeNs = 2'000'000'000;

std::vector<std::string> good_lines() {
  std::vector<std::string> lines = {
      R"({"kind":"hello","protocol":[1,3],"build_id":"b","pid":7,"software":{"a":1}})",
      R"({"kind":"stage","stage":"set_up"})",
      R"({"kind":"stage","stage":"warmup"})",
      R"({"kind":"stage","stage":"active","steps":4,"step_ns":1000})",
      R"({"kind":"cycle","cycle":0,"steps":4,"mean_step_ns":1000})",
      R"({"kind":"stage","stage":"active"})",
      R"({"kind":"cycle","cycle":1,"steps":4,"mean_step_ns":1000})"};
  for (const char* head : {R"("cycle":0,"steps":4)", R"("cycle":1,"steps":4)"}) {
    lines.push_back(std::string(R"({"kind":"samples",)") + head +
                    R"(,"columns":["index","step_ns","forward_ns","other_ns","samples","flags"],)" +
                    R"("values":[[11,12,13,14],[1000,1000,1000,1000],[600,500,400,300],)" +
                    R"([400,500,600,700],[64,64,64,64],[0,0,0,0]]})");
  }
  lines.emplace_back(R"({"kind":"stage","stage":"tear_down"})");
  lines.emplace_back(
      R"({"kind":"launch","schedule":{"stop_reason":"count","cycles":2,"active":8,"warmup":2},)"
      R"("metrics":{"set_up_ns":5,"peak_rss_bytes":9},"fingerprint":{"loss":0.5},"flags":[]})");
  return lines;
}

LaunchRules rules_of_two_cycles() {
  ResolvedCase resolved;
  resolved.options = {{"schedule.active", Value{kActive}}, {"schedule.repeat", Value{kCycles}}};
  return launch_rules(resolved, Pass::kTiming, record::ColumnRow{estimate::harness_metrics()});
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

class Mutation {
 public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  std::string of(std::vector<std::string> lines) {
    const int changes = 1 + below(3);
    for (int change = 0; change < changes && !lines.empty(); ++change) mutate(lines);
    std::string text = joined(lines);
    if (below(8) == 0) text.resize(static_cast<std::size_t>(below(static_cast<int>(text.size()))));
    return text;
  }
  int below(int bound) { return std::uniform_int_distribution<int>{0, bound - 1}(random_); }

 private:
  void mutate(std::vector<std::string>& lines) {
    const auto at = static_cast<std::size_t>(below(static_cast<int>(lines.size())));
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0:
        lines.erase(line);
        return;
      case 1:
        lines.insert(line, *line);
        return;
      case 2:
        std::swap(*line, lines[static_cast<std::size_t>(below(static_cast<int>(lines.size())))]);
        return;
      case 3:
        change_byte(*line);
        return;
      default:
        change_number(*line);
    }
  }

  void change_byte(std::string& line) {
    if (line.empty()) return;
    line[static_cast<std::size_t>(below(static_cast<int>(line.size())))] =
        static_cast<char>(below(256));
  }

  void change_number(std::string& line) {
    std::istringstream numbers(
        "-1 0 1 4611686018427387904 9223372036854775807 99999999999999999999 1e99 null 1.5 "
        "-9223372036854775808 1001 true [] \"x\" 12345");
    const std::vector<std::string> all(std::istream_iterator<std::string>{numbers}, {});
    std::vector<std::size_t> starts;
    for (std::size_t i = 1; i < line.size(); ++i) {
      const bool digit = line[i] >= '0' && line[i] <= '9';
      const bool first = line[i - 1] == ':' || line[i - 1] == '[' || line[i - 1] == ',';
      if (digit && first) starts.push_back(i);
    }
    if (starts.empty()) return;
    const std::size_t from =
        starts[static_cast<std::size_t>(below(static_cast<int>(starts.size())))];
    const std::size_t to = std::min(line.find_first_not_of("0123456789.", from), line.size());
    line.replace(from, to - from,
                 all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]);
  }

  std::mt19937 random_;
};

void feed(WorkerSession& session, std::string_view text, Mutation& random) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), static_cast<std::size_t>(1 + random.below(400)));
    session.receive(text.substr(0, size), kAgeNs);
    text.remove_prefix(size);
  }
}

// An independent definition of a measurement of this schedule.
void expect_a_measurement(const std::vector<record::CycleSamples>& samples) {
  std::int64_t steps = 0;
  for (const record::CycleSamples& part : samples) {
    const auto& step_ns = part.steps.column("step_ns");
    steps += std::ssize(step_ns);
    for (std::size_t row = 0; row < step_ns.size(); ++row) {
      EXPECT_GE(step_ns[row], 0);
      EXPECT_LE(step_ns[row], 2 * kAgeNs);
      std::int64_t sum = 0;
      for (const char* phase : {"forward_ns", "other_ns"}) {
        const auto* column = part.steps.find(phase);
        if (column == nullptr) continue;
        EXPECT_GE((*column)[row], 0);
        sum += (*column)[row];
      }
      EXPECT_LE(sum, step_ns[row]);
    }
  }
  EXPECT_EQ(steps, kActive * kCycles);
}

TEST(HostileTranscript, MutatedLine_IsRefusedOrMeasured) {
  int measured = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mutation mutation{seed};
    WorkerSession session{1 << 20, rules_of_two_cycles()};
    feed(session, mutation.of(good_lines()), mutation);
    if (session.protocol_error()) {
      ++refused;
      EXPECT_LT(session.protocol_error()->size(), 1000U);
      continue;
    }
    const auto& outcome = session.final_outcome();
    if (!outcome || outcome->kind != Outcome::Kind::kMeasured) continue;
    ++measured;
    // A worker may state by `effective`, its flags or `truncated` that it measured something else:
    // no mutation does.
    expect_a_measurement(session.take_samples());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(measured, 500);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace stepbench::run
