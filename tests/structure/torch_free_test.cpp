// SPDX-License-Identifier: Apache-2.0
// Torch-free code must not see torch: neither in its includes nor on its include path.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTorchFree = {
    "harness/",
    "tools/gbench/",
    "tools/stepbench/",
    "workloads/built_in",
    "workloads/data/",
    "workloads/loader/",
    "workloads/model/model_kinds",
    "workloads/model/model_section",
    "workloads/step/optimizer_section",
    "workloads/step/python_step_section",
    "workloads/transfer/placements",
    "workloads/transfer/transfer_section",
};
constexpr std::array kTorchHeaders = {"torch/torch.h", "ATen/ATen.h", "c10/core/Device.h",
                                      "cuda_runtime_api.h", "cupti.h"};

bool is_torch_free(const std::string& file) {
  // The worker program's main() only names the content of workloads/step.
  return std::any_of(kTorchFree.begin(), kTorchFree.end(),
                     [&](const char* folder) { return file.starts_with(folder); });
}

// True for a unity source, which replaces all files of a room.
bool is_torch_free_unit(const std::string& unit) {
  return unit.starts_with("harness/CMakeFiles/") || unit.starts_with("tools/stepbench/") ||
         unit.find("/stepbench_loading.dir/") != std::string::npos ||
         unit.find("/stepbench_workload_catalogue.dir/") != std::string::npos;
}

// CUPTI and NVTX define the layout of its records and ranges; two files include their headers.
bool may_see_cuda(const std::string& file) {
  return file.starts_with("harness/cuda/") && file.ends_with(".cpp");
}

// Contains no code.
constexpr const char* kHoldsDeclarationsAgainstNvidias = "harness/cuda/internal/nvidia_headers.cpp";

bool is_torch_header(const std::string& target) {
  for (const char* prefix : {"torch/", "ATen/", "c10/", "caffe2/", "cuda", "cupti", "nccl"}) {
    if (target.starts_with(prefix)) return true;
  }
  return false;
}

TEST(TorchFree, Harness_IncludesNoTorchOrCuda) {
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      for (const Include& include : includes_of(kRoot, file)) {
        const std::string place =
            file + ':' + std::to_string(include.line) + " includes " + include.target;
        EXPECT_FALSE(include.target.starts_with("nlohmann/")) << place << ": only tests may";
        for (const char* heavy : {"yaml-cpp/", "CLI/", "simdjson"}) {
          EXPECT_FALSE(file.ends_with(".h") && include.target.starts_with(heavy)) << place;
        }
        if (!is_torch_free(file) || file == kHoldsDeclarationsAgainstNvidias) continue;
        if (may_see_cuda(file) && include.target == "cupti.h") continue;
        EXPECT_FALSE(include.angled && is_torch_header(include.target)) << place;
      }
    }
  }
}

// -I DIR, -IDIR, -isystem DIR
std::vector<std::string> include_path(const std::string& command) {
  std::vector<std::string> path;
  std::istringstream words(command);
  std::string word;
  while (words >> word) {
    if (word == "-isystem" || word == "-I") {
      words >> word;
      path.push_back(word);
    } else if (word.starts_with("-I")) {
      path.push_back(word.substr(2));
    }
  }
  return path;
}

TEST(TorchFree, Harness_HasNoTorchIncludePath) {
  const fs::path commands = fs::path(STEPBENCH_BINARY_DIR) / "compile_commands.json";
  ASSERT_TRUE(fs::exists(commands));
  std::ifstream in(commands);
  int checked = 0;
  for (const nlohmann::json& entry : nlohmann::json::parse(in)) {
    const fs::path absolute = entry.at("file").get<std::string>();
    const std::string file = absolute.lexically_relative(kRoot).generic_string();
    const std::string unit = absolute.lexically_relative(STEPBENCH_BINARY_DIR).generic_string();
    if (may_see_cuda(file)) continue;
    if (!is_torch_free(file) && !is_torch_free_unit(unit)) continue;
    ++checked;
    for (const std::string& folder : include_path(entry.at("command").get<std::string>())) {
      for (const char* header : kTorchHeaders) {
        EXPECT_FALSE(fs::exists(fs::path(folder) / header))
            << file << " is compiled with " << folder;
      }
    }
  }
  EXPECT_GT(checked, 20);
}

}  // namespace
}  // namespace stepbench::structure
