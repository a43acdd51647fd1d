// SPDX-License-Identifier: Apache-2.0
// What `stepbench help` says beside the commands: pages of the documentation, found by their topic
// or by words. CMake makes their text from the files that CMakeLists.txt names. Pure; any thread.
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

// The topics, each with the title of its page.
[[nodiscard]] std::string topics_text();
[[nodiscard]] std::vector<std::string> topic_names();

// "cookbook": the page. "cookbook memory": its sections with that word. Other words: the section
// that has them, or where they stand. Empty: nowhere. Throws ConfigError for words that a named
// page has not.
[[nodiscard]] std::string help_page(std::span<const std::string> words);

}  // namespace stepbench::cli
