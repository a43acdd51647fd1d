// SPDX-License-Identifier: Apache-2.0
// fuzz_replay CORPUS [TARGET=FOLDER...]: feeds each target the files of CORPUS/TARGET and of the
// other folders. The last printed line names the input that ended the program.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fuzz/targets.h"

using namespace stepbench::fuzz;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

int replay(const Target& target, const std::filesystem::path& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::printf("%s\n", entry.path().c_str());
    (void)std::fflush(stdout);
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    target.read({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    ++files;
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  bool each_has_inputs = argc > 1;
  for (const auto* all : {&data_targets(), &kept_targets(), &message_targets(), &text_targets()}) {
    for (const Target& target : *all) {
      int files = replay(target, std::filesystem::path(argv[1]) / target.name);
      const std::string more = std::string(target.name) + '=';
      for (const std::string word : std::vector(argv + 2, argv + argc)) {
        if (word.starts_with(more)) files += replay(target, word.substr(more.size()));
      }
      each_has_inputs = each_has_inputs && files > 0;
    }
  }
  return each_has_inputs ? 0 : 1;
}
