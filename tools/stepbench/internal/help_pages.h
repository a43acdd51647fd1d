// SPDX-License-Identifier: Apache-2.0
// Documentation pages of `stepbench help`, found by topic or by words, and other files that CMake
// embeds, see CMakeLists.txt. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

struct HelpPage {
  std::string_view topic;  // "cookbook"
  std::string_view file;   // "results/COOKBOOK.md", relative to the source root
  std::string_view text;   // Markdown
};
[[nodiscard]] std::span<const HelpPage> pages();

// End of the help of a command such as "track add": help/track_add.txt.
struct HelpEnd {
  std::string_view command;
  std::string_view text;
};
[[nodiscard]] std::span<const HelpEnd> help_ends();
// Empty if there is none.
[[nodiscard]] std::string help_end(std::string_view command);

// completion/SHELL: what `stepbench completion SHELL` prints.
struct CompletionScript {
  std::string_view shell;
  std::string_view text;
};
[[nodiscard]] std::span<const CompletionScript> completion_scripts();

// The topics with the titles of their pages.
[[nodiscard]] std::string topics_text();
[[nodiscard]] std::vector<std::string> topic_names();

// "cookbook": the page. "cookbook memory": its sections with that word. Other words: the section
// that contains them, or a list of such sections. Empty if there is none. Throws ConfigError if a
// named page lacks the words.
[[nodiscard]] std::string help_page(std::span<const std::string> words);

}  // namespace stepbench::cli
