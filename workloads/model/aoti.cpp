// SPDX-License-Identifier: Apache-2.0
// A model that Python's torch.export and AOTInductor compiled ahead of time: machine code for one
// device, run without Python. The worker's main() enables the package's own input checks; without
// them it silently reads beyond a batch of another shape.
#include <sys/mman.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "harness/base/error.h"
#include "harness/machine/cpu_findings.h"
#include "harness/os/descriptor.h"
#include "harness/text/words.h"
#include "workloads/model/internal/network.h"

namespace stepbench::model {
namespace {

constexpr const char* kPackagePath = "model.path";
constexpr const char* kModelInPackage = "model";

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

// Captures what `body` writes to standard error, from any library.
template <typename Body>
std::string standard_error_of(const Body& body) {
  const os::Descriptor file(::memfd_create("stepbench-standard-error", MFD_CLOEXEC));
  const os::Descriptor before(::dup(STDERR_FILENO));
  if (!file.is_open() || !before.is_open()) {
    body();
    return {};
  }
  ::dup2(file.value(), STDERR_FILENO);
  body();
  ::dup2(before.value(), STDERR_FILENO);
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got =
        ::pread(file.value(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

// Rewords a generated check, "input_handles[0]: unmatched dim value at 0, expected: 8, but got: 4".
// For the batch dimension, adds what to do.
std::string words_of_check(const std::string& check_message) {
  const std::size_t begin = check_message.find("input_handles[");
  if (begin == std::string::npos) return first_line_of(check_message);
  const std::string check = check_message.substr(begin, check_message.find('\n', begin) - begin);
  int input = 0, dimension = 0;
  long long expected = 0, got = 0;
  if (std::sscanf(check.c_str(),
                  "input_handles[%d]: unmatched dim value at %d, expected: %lld, but got: %lld",
                  &input, &dimension, &expected, &got) != 4) {
    return check;
  }
  const std::string size = std::to_string(expected);
  std::string text = "dimension " + std::to_string(dimension) + " of its input was fixed at " +
                     size + " when it was exported, and it was given " + std::to_string(got);
  if (dimension != 0) return text;
  return text + ". This is the batch: set loader.batch_size: " + size +
         " with loader.epochs: joined (or loader.drop_last: true), so that each batch is full; or "
         "export it with a dynamic batch (dynamic_shapes of torch.export.export)";
}

class AotiModel final : public Model {
 public:
  AotiModel(const std::string& path, c10::Device device)
      : loader_(path, kModelInPackage, /*run_single_threaded=*/true, /*num_runners=*/1,
                device.is_cuda() ? std::max<c10::DeviceIndex>(device.index(), 0)
                                 : c10::DeviceIndex{-1}) {
    std::map<std::string, at::Tensor> sorted;
    const auto names = loader_.get_runner()->getConstantNamesToOriginalFQNs();
    for (const auto& [name, tensor] : loader_.get_runner()->extract_constants_map(false)) {
      const auto original = names.find(name);
      sorted.emplace(original == names.end() ? name : original->second, tensor);
    }
    state_.assign(sorted.begin(), sorted.end());
  }

  at::Tensor forward(const at::Tensor& input) override {
    std::vector<at::Tensor> outputs;
    try {
      outputs = loader_.run({input});
    } catch (const std::exception& error) {
      throw Error(refusal_of(input, error));
    }
    if (outputs.size() == 1) return std::move(outputs[0]);
    throw Error("the model returns " + std::to_string(outputs.size()) +
                " tensors; expected one tensor of logits");
  }
  std::vector<at::Tensor> parameters() const override { return {}; }
  NamedTensors state() const override { return state_; }
  void train(bool) override {}
  void to(at::Device, at::MemoryFormat) override {}

 private:
  // The error only names the failed call, and the reason goes to standard error: repeats the failed
  // run to capture it.
  std::string refusal_of(const at::Tensor& input, const std::exception& error) {
    const std::string check_message = standard_error_of([&] {
      try {
        (void)loader_.run({input});
      } catch (const std::exception&) {
      }
    });
    return check_message.empty() ? first_line_of(error.what()) : words_of_check(check_message);
  }

  torch::inductor::AOTIModelPackageLoader loader_;
  NamedTensors state_;
};

// Instructions that the package was compiled for and this CPU lacks.
std::string missing_instructions(const std::string& compiled_for) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"AVX2", "avx2"},
       {"AVX512", "avx512f"},
       {"AVX512_VNNI", "avx512_vnni"},
       {"AMX_TILE", "amx_tile"}}};
  const auto features = machine::cpu_features("/");
  std::vector<std::string> missing;
  std::istringstream words(compiled_for);
  for (std::string word; words >> word;) {
    for (const auto& [torch_name, kernel_name] : kNames) {
      if (torch_name == word && !features.empty() && !features.contains(kernel_name)) {
        missing.push_back(word);
      }
    }
  }
  return text::join(missing);
}

[[noreturn]] void no_package(const std::string& path, const std::string& reason) {
  throw ConfigError(kPackagePath,
                    "'" + path + "' is not an AOTInductor package (" + first_line_of(reason) +
                        "); expected one that torch._inductor.aoti_compile_and_package("
                        "torch.export.export(...), package_path=...) wrote. torch.export.save "
                        "writes a program that is not compiled yet");
}

std::unordered_map<std::string, std::string> metadata_of(const std::string& path) {
  try {
    return torch::inductor::AOTIModelPackageLoader::load_metadata_from_package(path,
                                                                               kModelInPackage);
  } catch (const c10::Error& error) {
    no_package(path, error.what_without_backtrace());
  } catch (const std::exception& error) {
    no_package(path, error.what());
  }
}

void check_target(const std::string& path,
                  const std::unordered_map<std::string, std::string>& metadata,
                  const std::string& device) {
  const auto compiled_for = metadata.find("AOTI_DEVICE_KEY");
  const std::string type = device.substr(0, device.find(':'));
  if (compiled_for != metadata.end() && compiled_for->second != type) {
    throw ConfigError(kPackagePath,
                      "'" + path + "' was compiled for " + compiled_for->second +
                          ", and the case runs on " + device +
                          ": export it on that device, or set device: " + compiled_for->second);
  }
  const auto instructions = metadata.find("AOTI_CPU_ISA");
  if (type != "cpu" || instructions == metadata.end()) return;
  const std::string missing = missing_instructions(instructions->second);
  if (missing.empty()) return;
  throw ConfigError(kPackagePath, "'" + path + "' was compiled for a CPU with " +
                                      instructions->second + "; this one has no " + missing +
                                      ": export it on this machine");
}

}  // namespace

std::unique_ptr<Model> make_aoti(const ResolvedCase& resolved, const DataShape&) {
  const std::string& path = resolved.text("model.path");
  const std::string& device = resolved.text("device");
  check_target(path, metadata_of(path), device);
  try {
    return std::make_unique<AotiModel>(path, c10::Device(device));
  } catch (const c10::Error& error) {
    no_package(path, error.what_without_backtrace());
  } catch (const std::exception& error) {
    no_package(path, error.what());
  }
}

}  // namespace stepbench::model
