// SPDX-License-Identifier: Apache-2.0
// The operations of a step equal those of the same step in Python: calls, shapes and bytes of each,
// from torch.profiler's table.
#include <ATen/Parallel.h>
#include <unistd.h>

#include <charconv>

#include "tests/testing.h"
#include "tests/workloads/profiled_steps.h"
#include "tests/workloads/python.h"
#include "workloads/profile/internal/native_collector.h"
#include "workloads/step/steps.h"

namespace stepbench {
namespace {

const std::vector<std::string>& cases() {
  static const std::vector<std::string> all = [] {
    const std::string image = "loader.batch_size=2 data.image_size=32 model.kind=";
    const std::string tokens = "loader.batch_size=2 data.sequence_length=16 model.kind=";
    std::vector<std::string> made = {
        image + "resnet18 model.size=standard optimizer.momentum=0.9 optimizer.clip_norm=0.5",
        image + "resnet18 model.size=standard workload=eval_step",
        image + "vit_b16 optimizer.kind=adamw optimizer.clip_norm=0.5",
        tokens + "gpt optimizer.kind=adamw optimizer.implementation=foreach",
        tokens + "gpt workload=eval_step",
        tokens + "bert_base optimizer.kind=adamw optimizer.implementation=fused",
        tokens + "bert_base workload=eval_step",
        image + "torchscript scripted=mobilenet_v3_small optimizer.momentum=0.9",
        image + "torchscript scripted=mobilenet_v3_small workload=eval_step",
        image + "mlp model.precision=bf16",
        tokens + "gpt model.precision=bf16 optimizer.kind=adamw",
    };
    for (const std::string kind : {"sgd", "adam", "adamw"}) {
      for (const std::string how : {"single", "foreach", "fused"}) {
        made.push_back(image + "mlp optimizer.weight_decay=0.1 optimizer.kind=" + kind +
                       " optimizer.implementation=" + how +
                       (kind == "sgd" ? " optimizer.momentum=0.9 optimizer.nesterov=true" : ""));
      }
    }
    return made;
  }();
  return all;
}

test::Options options_of(const std::string& text, const std::string& file) {
  test::Options options = test::tiny_images("mlp");
  std::istringstream words(text);
  for (std::string word; words >> word;) test::set_option(options, word);
  if (options.erase("scripted") > 0) options["model.path"] = file;
  if (options.contains("data.sequence_length")) {
    options["data.kind"] = std::string("synthetic_tokens");
    options["data.vocabulary"] = std::int64_t{10};
  }
  return options;
}

// The rows of each case in Python; its files are in `folder`.
std::vector<std::vector<std::string>> rows_in_python(const fs::path& folder) {
  std::vector<std::string> arguments = {folder.string()};
  arguments.insert(arguments.end(), cases().begin(), cases().end());
  std::vector<std::vector<std::string>> rows(cases().size());
  std::istringstream lines(test::run_python("op_rows.py", arguments));
  for (std::string line; std::getline(lines, line);) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{} || number >= rows.size() || *end != ' ') continue;  // of torch itself
    rows[number].emplace_back(end + 1);
  }
  for (auto& of_case : rows) std::sort(of_case.begin(), of_case.end());
  return rows;
}

std::vector<std::string> rows_here(const test::Options& options) {
  test::WarmWorkload warm(test::train_case(options), options.contains("workload")
                                                         ? step::make_eval_step
                                                         : step::make_train_step);
  for (int i = 0; i < 2; ++i) warm.step();
  profile::NativeCollector collector({});
  collector.start();
  collector.begin_window(1);
  for (int i = 0; i < 2; ++i) warm.step();
  collector.end_window();
  return test::costs_of(collector.take());
}

TEST(OpRows, EachStep_MatchesPython) {
  const auto folder =
      fs::path(testing::TempDir()) / ("stepbench-op-rows-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const auto python = rows_in_python(folder);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  for (std::size_t i = 0; i < cases().size(); ++i) {
    EXPECT_GT(python[i].size(), 10U) << cases()[i];
    const auto file = folder / (std::to_string(i) + ".pt");
    EXPECT_THAT(test::differences(python[i], rows_here(options_of(cases()[i], file.string()))),
                IsEmpty())
        << cases()[i];
  }
  at::set_num_threads(threads);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace stepbench
