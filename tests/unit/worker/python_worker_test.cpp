// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "harness/catalogue/json.h"
#include "tests/unit/worker/worker_process.h"

namespace stepbench::worker {
namespace {

const std::filesystem::path kSource = STEPBENCH_SOURCE_DIR;
const std::string kScript = (kSource / "tools/examples/python_worker/python_worker.py").string();

std::string python() {
  const auto path = kSource / ".venv/bin/python";
  return std::filesystem::exists(path) ? path.string() : std::string();
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    text.push_back(static_cast<char>(c));
  }
  return text;
}

protocol::CaseMessage case_with_options(const Catalogue& catalogue) {
  protocol::CaseMessage message;
  message.resolved.case_id = "00000000000000bb";
  message.resolved.workload = "python_mlp";
  for (const Section& section : catalogue.sections) {
    for (const Option& option : section.options) {
      const std::string prefix = section.name.empty() ? "" : section.name + ".";
      message.resolved.options[prefix + option.name] = option.default_value;
    }
  }
  message.resolved.options["schedule.warmup"] = std::int64_t{1};
  message.resolved.options["schedule.active"] = std::int64_t{3};
  message.resolved.options["schedule.repeat"] = std::int64_t{2};
  return message;
}

TEST(PythonWorker, TimesARealTrainingStepOverTheDocumentedProtocol) {
  if (python().empty()) GTEST_SKIP() << "no .venv with torch; tools/setup makes it";
  const Catalogue catalogue =
      catalogue::catalogue_from_json(output_of(python() + " " + kScript + " describe"), kScript);
  WorkerProcess worker({python(), kScript}, case_with_options(catalogue));
  const auto messages = worker.listen();
  ASSERT_FALSE(messages.empty());
  EXPECT_TRUE(std::holds_alternative<protocol::Hello>(messages.front()));
  const auto samples = all_of<record::CycleSamples>(messages);
  ASSERT_EQ(samples.size(), 2U);
  for (const auto& [number, cycle] : samples) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::int64_t rest = 0;
      for (std::size_t i = 0; i < cycle.names.size(); ++i) {
        const std::string& name = cycle.names[i];
        if (name == "step_ns") rest += cycle.columns[i][row];
        if (name.ends_with("_ns") && name != "step_ns") rest -= cycle.columns[i][row];
      }
      EXPECT_EQ(rest, 0);
    }
  }
  EXPECT_THAT(samples[1].steps.columns[0], testing::ElementsAre(7, 8, 9));
  const auto launches = all_of<record::LaunchReport>(messages);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<double>(launches[0].fingerprint.at("loss")));
  EXPECT_EQ(worker.wait(), 0);
}

TEST(PythonWorker, FitsOnOnePage) { EXPECT_LT(std::stoi(output_of("wc -l < " + kScript)), 100); }

}  // namespace
}  // namespace stepbench::worker
