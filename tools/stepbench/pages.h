// SPDX-License-Identifier: Apache-2.0
// The pages of the documentation as text in the program: CMake makes the .cpp from the files that
// CMakeLists.txt names. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

struct HelpPage {
  std::string_view topic;  // "cookbook"
  std::string_view file;   // "results/COOKBOOK.md", from the root of the source
  std::string_view text;   // Markdown
};

[[nodiscard]] std::span<const HelpPage> pages();
// nullptr: there is none.
[[nodiscard]] const HelpPage* page_of(std::string_view topic);

// A heading with all that stands below it up to the next one of its level.
struct PageSection {
  const HelpPage* page = nullptr;
  std::string heading = {};  // without the marks
  std::string_view text = {};
};
[[nodiscard]] std::vector<PageSection> sections_of(const HelpPage& page);

// Those whose heading has all the words; where none has them those whose text has. Upper and lower
// case are one.
[[nodiscard]] std::vector<PageSection> sections_with(std::span<const PageSection> sections,
                                                     std::span<const std::string> words);

}  // namespace stepbench::cli
