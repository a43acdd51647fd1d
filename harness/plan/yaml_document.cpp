// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/files.h"

namespace stepbench::plan {
namespace {

Mark to_mark(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

// Builds the tree from the parser's events, to detect repeated keys and expansion by aliases
// immediately.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& source, const YamlLimits& limits)
      : source_(source), limits_(limits), text_(text) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') lines_.push_back(i + 1);
    }
  }

  ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = ConfigNode::Kind::kNull, .mark = to_mark(mark), .entries = {}}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(to_mark(mark), "an alias inside the value that it names");
    count(found->second.size, to_mark(mark));
    ConfigNode copy = found->second;
    copy.mark = to_mark(mark);
    add_counted(std::move(copy), YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(tag, to_mark(mark));
    if (tag == "!") refuse_open_quote(to_mark(mark));
    add({.kind = ConfigNode::Kind::kScalar,
         .mark = to_mark(mark),
         .quoted = tag == "!",
         .text = restore_interpolation(value),
         .entries = {}},
        anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(tag, to_mark(mark));
    open({.kind = ConfigNode::Kind::kList, .mark = to_mark(mark), .entries = {}}, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(tag, to_mark(mark));
    open({.kind = ConfigNode::Kind::kMap, .mark = to_mark(mark), .entries = {}}, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    ConfigNode node;
    YAML::anchor_t anchor;
    bool is_key = false;
    std::optional<std::pair<std::string, Mark>> key = {};
    std::unordered_map<std::string, int> seen = {};  // key -> line
  };

  [[noreturn]] void fail(Mark mark, const std::string& what) const {
    throw ConfigError(place(source_, mark), what);
  }

  // The parser itself tags plain values "?" and quoted ones "!".
  void refuse_tag(const std::string& tag, Mark mark) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    fail(mark, formatted("YAML tags such as '{}' are not supported; write the value alone", tag));
  }

  // The parser does not detect an unterminated quote before the end of the file.
  void refuse_open_quote(Mark mark) const {
    const auto line = static_cast<std::size_t>(mark.line - 1);
    if (line >= lines_.size()) return;
    std::size_t at = lines_[line] + static_cast<std::size_t>(mark.column - 1);
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return;
    const char quote = text_[at];
    for (++at; at < text_.size() && text_[at] != quote; ++at) {
      if (quote == '"' && text_[at] == '\\') ++at;
    }
    if (at >= text_.size()) fail(mark, "YAML syntax: this quote is never closed");
  }

  void count(std::size_t nodes, Mark mark) {
    nodes_ += nodes;
    if (nodes_ > limits_.nodes) {
      fail(mark,
           formatted(
               "the file expands to more than {} values; aliases of aliases grow without bound",
               limits_.nodes));
    }
  }

  [[nodiscard]] bool expects_key() const {
    return !frames_.empty() && frames_.back().node.kind == ConfigNode::Kind::kMap &&
           !frames_.back().key;
  }

  void open(ConfigNode node, YAML::anchor_t anchor) {
    count(1, node.mark);
    if (expects_key()) fail(node.mark, "a key must be a plain text, found " + describe(node));
    if (static_cast<int>(frames_.size()) >= limits_.depth) {
      fail(node.mark, formatted("nested deeper than {} levels", limits_.depth));
    }
    frames_.push_back({.node = std::move(node), .anchor = anchor});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    add_counted(std::move(frame.node), frame.anchor);
  }

  void add(ConfigNode node, YAML::anchor_t anchor) {
    count(1, node.mark);
    add_counted(std::move(node), anchor);
  }

  void add_counted(ConfigNode node, YAML::anchor_t anchor) {
    if (expects_key()) return take_key(node);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    frame.node.size += node.size;
    if (frame.node.kind == ConfigNode::Kind::kList) {
      frame.node.items.push_back(std::move(node));
    } else {
      // The parser locates a missing value at the next token.
      if (node.kind == ConfigNode::Kind::kNull) node.mark = frame.key->second;
      frame.node.entries.push_back(
          {std::move(frame.key->first), frame.key->second, std::move(node)});
      frame.key.reset();
    }
  }

  void take_key(const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::kScalar) {
      fail(node.mark, "a key must be a plain text, found " + describe(node));
    }
    if (node.text == "<<" && !node.quoted) {
      fail(node.mark, "merge keys ('<<') are not supported; write the keys out");
    }
    Frame& frame = frames_.back();
    const auto [earlier, is_new] = frame.seen.emplace(node.text, node.mark.line);
    if (!is_new) {
      fail(node.mark, formatted("repeated key '{}': it stands in line {} already", node.text,
                                earlier->second));
    }
    frame.key.emplace(node.text, node.mark);
  }

  const std::string& source_;
  const YamlLimits& limits_;
  std::string_view text_;
  std::vector<std::size_t> lines_;  // start offsets
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, ConfigNode> anchors_;
  ConfigNode root_;
};

// The first line indented with a tab; nullopt if none is.
std::optional<Mark> tab_in_indentation(std::string_view text) {
  Mark mark;
  for (std::size_t start = 0; start < text.size(); ++mark.line) {
    const std::size_t first = std::min(text.find_first_not_of(' ', start), text.size());
    if (first < text.size() && text[first] == '\t') {
      return Mark{mark.line, static_cast<int>(first - start) + 1};
    }
    start = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  return std::nullopt;
}

void refuse_control_characters(std::string_view text, const std::string& source) {
  Mark mark;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F) {
      throw ConfigError(place(source, mark),
                        formatted("not a text file: found the control character {}", byte));
    }
    mark = c == '\n' ? Mark{mark.line + 1, 1} : Mark{mark.line, mark.column + 1};
  }
}

}  // namespace

const ConfigEntry* ConfigNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const ConfigEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::string describe(const ConfigNode& node) {
  constexpr std::size_t kMaxLength = 60;
  switch (node.kind) {
    case ConfigNode::Kind::kNull:
      return "nothing";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kMap:
      return "a group of keys";
    case ConfigNode::Kind::kScalar:
      break;
  }
  const bool is_long = node.text.size() > kMaxLength;
  std::string text = node.quoted ? "the text \"" : "'";
  text.append(node.text, 0, is_long ? kMaxLength - 3 : std::string::npos);
  if (is_long) text += "...";
  return text += node.quoted ? '"' : '\'';
}

std::string place(const std::string& source, Mark mark) {
  if (mark.line == 0) return source;
  return formatted("{}:{}:{}", source, mark.line, mark.column);
}

std::string read_config_text(const std::filesystem::path& file, const YamlLimits& limits) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw ConfigError(file.string(), "is a folder; expected a YAML file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw ConfigError(file.string(),
                      os::why_absent(file, "cannot be read: no such file, or no permission" +
                                               os::similar_file_hint(file)));
  }
  return read_config_text(stream, file.string(), limits);
}

std::string read_config_text(std::istream& stream, const std::string& name,
                             const YamlLimits& limits) {
  std::string text(limits.bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > limits.bytes) {
    throw ConfigError(name, formatted("is larger than {} MiB", limits.bytes >> 20));
  }
  text.shrink_to_fit();
  return text;
}

ConfigNode parse_yaml(std::string_view text, const std::string& source, const YamlLimits& limits) {
  refuse_control_characters(text, source);
  std::istringstream stream(protect_interpolation(text));
  TreeBuilder builder(text, source, limits);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    ConfigNode root = builder.take();
    TreeBuilder rest(text, source, limits);
    if (parser.HandleNextDocument(rest)) {
      throw ConfigError(place(source, rest.take().mark), "a second document ('---'); expected one");
    }
    return root;
  } catch (const YAML::Exception& error) {
    const std::optional<Mark> tab = tab_in_indentation(text);
    if (tab && tab->line <= to_mark(error.mark).line) {
      throw ConfigError(place(source, *tab), "tabs are not allowed for indentation; use spaces");
    }
    throw ConfigError(place(source, to_mark(error.mark)), "YAML syntax: " + error.msg);
  }
}

namespace {

constexpr std::string_view kHidden = "{},[]";  // replaced by the bytes 1 to 5

const std::string* find_variable(InterpolationVariables variables, std::string_view name) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& variable) { return variable.first == name; });
  return found == variables.end() ? nullptr : &found->second;
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string expand(std::string_view body, InterpolationVariables variables) {
  if (body.find("${") != std::string_view::npos) {
    throw Error(
        "a ${...} inside a ${...} is not supported; name one variable, with a plain default");
  }
  const std::size_t separator = body.find(":-");
  const std::string name(body.substr(0, separator));
  if (!is_variable_name(name)) {
    throw Error(
        formatted("'${{{}}}' names no variable; expected ${{NAME}} or ${{NAME:-default}}", body));
  }
  const std::string* value = find_variable(variables, name);
  if (separator == std::string_view::npos) {
    if (value != nullptr) return *value;
    throw Error(formatted(
        "the environment variable {} is not set; set it or write ${{{}:-default}}", name, name));
  }
  if (value != nullptr && !value->empty()) return *value;
  return std::string(body.substr(separator + 2));
}

}  // namespace

std::string interpolate(std::string_view text, InterpolationVariables variables) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("$$")) {
      result += '$';
      ++i;
    } else if (rest.starts_with("${")) {
      const std::size_t close = rest.find('}');
      if (close == std::string_view::npos) throw Error("'${' without its '}'");
      result += expand(rest.substr(2, close - 2), variables);
      i += close;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string expand_home(std::string_view path, InterpolationVariables variables) {
  if (path.starts_with('$') && path.size() > 1 && is_variable_name(path.substr(1, 1))) {
    const std::string name(path.substr(1, std::min(path.find('/'), path.size()) - 1));
    throw Error(formatted("'${}' is not filled in; write ${{{}}}", name, name));
  }
  if (!path.starts_with('~')) return std::string(path);
  if (path.size() > 1 && path[1] != '/') {
    throw Error(
        formatted("'{}': the home folder of another user is not looked up; write the path out",
                  path.substr(0, path.find('/'))));
  }
  const std::string* home = find_variable(variables, "HOME");
  if (home == nullptr || home->empty())
    throw Error("'~' needs the variable HOME, which is not set");
  return *home + std::string(path.substr(1));
}

std::string protect_interpolation(std::string_view text) {
  std::string result(text);
  for (std::size_t start = result.find("${"); start != std::string::npos;
       start = result.find("${", start + 1)) {
    const std::size_t close = result.find_first_of("}\n", start);
    if (close == std::string::npos || result[close] == '\n') continue;
    for (std::size_t i = start; i <= close; ++i) {
      const std::size_t index = kHidden.find(result[i]);
      if (index != std::string_view::npos) result[i] = static_cast<char>(index + 1);
    }
  }
  return result;
}

std::string restore_interpolation(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 1 && static_cast<std::size_t>(c) <= kHidden.size()) {
      c = kHidden[static_cast<std::size_t>(c) - 1];
    }
  }
  return result;
}

}  // namespace stepbench::plan
