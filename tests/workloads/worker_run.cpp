// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/worker_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace stepbench::test {

std::vector<protocol::WorkerMessage> run_worker(const Options& options, Pass pass) {
  Options all = tiny_images("resnet18");
  all["threads.intra_op"] = std::int64_t{1};
  all["schedule.warmup"] = std::int64_t{1};
  all["schedule.active"] = std::int64_t{4};
  for (const auto& [name, value] : options) all[name] = value;
  protocol::CaseMessage message;
  message.resolved = train_case(all);
  message.pass = pass;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("case-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << protocol::encode(message) << '\n';
  std::FILE* pipe =
      ::popen(("'" STEPBENCH_WORKER "' --case '" + file.string() + "' 2>/dev/null").c_str(), "r");
  std::vector<protocol::WorkerMessage> messages;
  char* line = nullptr;
  std::size_t capacity = 0;
  while (::getline(&line, &capacity, pipe) > 0) messages.push_back(protocol::decode_worker(line));
  std::free(line);
  ::pclose(pipe);
  std::filesystem::remove(file);
  return messages;
}

}  // namespace stepbench::test
