// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/help.h"

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

constexpr std::size_t kMaxHead = 24;  // longer heads get their own line
constexpr std::size_t kIndent = 2;

struct Entry {
  std::string head;
  std::string doc;
};

std::string heading(const std::string& text, bool colour) {
  return colour ? "\033[1m" + text + ":\033[0m\n" : text + ":\n";
}

// Column of heads with the same width in all groups of a command.
class Heads {
 public:
  void add(const std::string& head) {
    if (text::width(head) <= kMaxHead) widest_ = std::max(widest_, text::width(head));
  }
  // Puts meanings to the right of their heads, or below long heads.
  [[nodiscard]] std::string text(const std::vector<Entry>& entries, std::size_t columns) const {
    const std::size_t doc_at = kIndent + widest_ + 2;
    std::string text;
    for (const Entry& entry : entries) {
      const std::string doc = text::wrap(entry.doc, columns, doc_at);
      const std::string head = std::string(kIndent, ' ') + entry.head;
      const bool on_same_line = text::width(entry.head) <= widest_ && doc.size() > doc_at;
      text += on_same_line ? head + doc.substr(text::width(head)) : head + "\n" + doc;
    }
    return text;
  }

 private:
  std::size_t widest_ = 10;
};

// `brief`: only the first clause.
std::string doc_of(const CommandOption& option, bool brief = false) {
  const std::string doc = brief ? first_clause(option.doc) : option.doc;
  const std::string value = option.default_text;
  if (value.empty() || !option.takes_value) return doc;
  return formatted("{}{}{})", doc,
                   option.may_lack_value ? " (without a value: " : " (default: ", value);
}

// Orders groups as in options.h; unknown groups come first.
std::size_t place_of(const std::string& group) {
  constexpr const char* kOrder[] = {kArmOptions, kCaseOptions, kMeasureOptions, kVerdictOptions,
                                    kRunOptions, kOpsOptions,  kOutputOptions,  kGeneralOptions};
  for (std::size_t i = 0; i < std::size(kOrder); ++i) {
    if (group == kOrder[i]) return i + 1;
  }
  return 0;
}

struct Group {
  std::string name;  // "" for arguments
  std::vector<Entry> entries;
};

std::vector<Group> command_groups(const Command& command) {
  std::vector<Group> groups;
  for (const Command& each : command.commands) {
    auto group = std::ranges::find(groups, each.group, &Group::name);
    if (group == groups.end()) group = groups.insert(groups.end(), {each.group, {}});
    group->entries.push_back({each.name, each.doc});
  }
  return groups;
}

// Arguments and common options, with brief docs.
std::vector<Group> common_groups(const Command& command) {
  std::vector<Group> groups = {{"", {}}, {"Common options", {}}};
  for (const CommandOption& option : command.options) {
    if (option.group.empty() || option.group == kGeneralOptions) continue;
    if (!option.is_argument() && !option.is_common) continue;
    groups[option.is_argument() ? 0 : 1].entries.push_back(
        {option_head(option), doc_of(option, true)});
  }
  std::erase_if(groups, [](const Group& group) { return group.entries.empty(); });
  return groups;
}

// Arguments come first.
std::vector<Group> option_groups(const Command& command, const std::string& prefix) {
  std::vector<Group> groups;
  for (const CommandOption& option : command.options) {
    if (option.group.empty()) continue;
    const std::string name = option.is_argument() ? "" : option.group;
    auto group = std::ranges::find(groups, name, &Group::name);
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->entries.push_back({option_head(option, prefix), doc_of(option)});
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    return group.name.empty() ? 0 : 1 + place_of(group.name);
  });
  return groups;
}

std::string groups_text(const std::vector<Group>& groups, const HelpStyle& style) {
  Heads heads;
  for (const Group& group : groups) {
    for (const Entry& entry : group.entries) heads.add(entry.head);
  }
  std::string text;
  for (const Group& group : groups) {
    text += "\n" + (group.name.empty() ? "" : heading(group.name, style.colour)) +
            heads.text(group.entries, style.columns);
  }
  return text;
}

constexpr std::size_t kRemark = 6;  // indent of sentences about an example

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_example(const std::string& line) {
  return indent_of(line) > 0 && indent_of(line) < kRemark;
}

// Position of the gap between an example and its explanation; npos if there is none.
std::size_t gap_of(const std::string& line) { return line.find("   ", indent_of(line)); }

bool fits(const std::string& footer, std::size_t columns) {
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (is_example(line) && gap_of(line) != std::string::npos && text::width(line) > columns)
      return false;
  }
  return true;
}

// Puts the explanation below the example.
std::string example_in_two_lines(const std::string& line, std::size_t columns) {
  const std::size_t gap = gap_of(line);
  if (gap == std::string::npos) return line + "\n";
  return line.substr(0, gap) + "\n" +
         text::wrap(line.substr(line.find_first_not_of(' ', gap)), columns, kRemark);
}

bool continues(const std::string& line) { return line.ends_with('\\'); }

// Lines with a small indent are examples and stay as they are, with their continuation lines; all
// others are sentences and are wrapped.
std::string footer_text(const std::string& footer, std::size_t columns) {
  const bool one_line = fits(footer, columns);
  std::istringstream lines(footer);
  std::string text;
  std::string sentences;
  std::size_t indent = 0;
  bool inside = false;  // within a continued example
  const auto flush = [&] {
    if (!sentences.empty()) text += text::wrap(sentences, columns, indent);
    sentences.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = indent_of(line);
    const bool example = inside || is_example(line);
    inside = example && continues(line);
    if (line.empty() || example || blanks != indent) flush();
    indent = blanks;
    if (line.empty()) {
      text += "\n";
    } else if (example) {
      text += one_line ? line + "\n" : example_in_two_lines(line, columns);
    } else {
      sentences += (sentences.empty() ? "" : " ") + line.substr(blanks);
    }
  }
  flush();
  return text;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string after_blank_line(const std::string& text) { return text.empty() ? text : "\n" + text; }

struct Examples {
  std::string title;               // "Examples:"
  std::vector<std::string> lines;  // each with its continuation lines
};

Examples examples_in(const std::string& footer) {
  Examples examples;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool inside = !examples.title.empty();
    if (line == "Examples:" || line == "Example:" || line == "Start with:") {
      examples.title = line + "\n";
    } else if (line.empty() && inside) {
      break;
    } else if (inside && indent_of(line) == kIndent) {
      examples.lines.push_back(line + "\n");
    } else if (inside && !examples.lines.empty()) {
      examples.lines.back() += line + "\n";
    }
  }
  return examples;
}

std::string head_text(const Command& command, const HelpStyle& style) {
  std::string text = text::wrap(command.doc, style.columns, 0);
  text += formatted("\n{}{}\n", heading("Usage", style.colour),
                    text::wrap_hanging("  " + usage_line(command), style.columns));
  if (!command.needs_command && !command.commands.empty()) {
    text += formatted("  {} COMMAND\n", command.full_name());
  }
  return text + groups_text(command_groups(command), style);
}

// Common options, with as many examples as fit.
std::string command_help_text(const Command& command, const HelpStyle& style) {
  constexpr std::size_t kMin = 2;  // examples
  const std::string head = head_text(command, style) + groups_text(common_groups(command), style);
  const std::string end =
      formatted("\nAll options and examples: {} --help-all. Pages: stepbench help topics\n",
                command.full_name());
  const auto [title, examples] = examples_in(command.footer);
  std::string shown;
  for (std::size_t count = 1; count <= examples.size(); ++count) {
    const std::string some =
        text::join(std::span(examples).first(count), "", [](const auto& each) { return each; });
    std::string more = after_blank_line(title + footer_text(some, style.columns));
    if (count > kMin && lines_in(head + more + end) > kHelpLines) break;
    shown = std::move(more);
  }
  return head + shown + end;
}

}  // namespace

std::string first_clause(std::string text) {
  for (const char* end : {"; ", ". "}) text.resize(std::min(text.size(), text.find(end)));
  return text;
}

std::string usage_line(const Command& command) {
  std::string text = command.full_name();
  for (const CommandOption& option : command.options) {
    if (!option.is_argument()) continue;
    const std::string head = option_head(option);
    text += option.is_required ? " " + head : " [" + head + "]";
  }
  return text + (command.needs_command ? " COMMAND" : " [OPTIONS]");
}

std::string option_head(const CommandOption& option, const std::string& prefix) {
  if (option.is_argument()) {
    return option.names.front() + (option.is_list ? "..." : "");
  }
  std::vector<std::string> names = option.names;
  std::stable_partition(names.begin(), names.end(),
                        [](const auto& name) { return !name.starts_with("--"); });
  for (std::string& name : names) {
    if (name.starts_with("--") && name != "--help") name.insert(2, prefix);
  }
  const std::string& value = option.value_name;
  const std::string head = text::join(names);
  if (!option.takes_value) return head + (value.empty() ? "" : "[=" + value + "]");
  return head + (option.may_lack_value ? " [" + value + "]" : " " + value);
}

std::string help_text(const Command& command, const HelpStyle& style) {
  const std::string whole = head_text(command, style) +
                            groups_text(option_groups(command, style.prefix), style) +
                            after_blank_line(footer_text(command.footer, style.columns));
  if (style.all || lines_in(whole) <= kHelpLines) return whole;
  return command_help_text(command, style);
}

}  // namespace stepbench::cli
