// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/redact_json.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/text/secrets.h"

namespace stepbench::runs {
namespace {

constexpr std::string_view kVariablePrefix = "env.";

// What programs read: a text here is a name of ours, a digest or a time.
const std::set<std::string, std::less<>>& structural_members() {
  static const std::set<std::string, std::less<>> kMembers = {"kind",
                                                              "schema",
                                                              "version",
                                                              "case_id",
                                                              "candidate_case_id",
                                                              "arm",
                                                              "pass",
                                                              "point_id",
                                                              "workload",
                                                              "worker_id",
                                                              "outcome",
                                                              "stage",
                                                              "columns",
                                                              "swept",
                                                              "table",
                                                              "unit",
                                                              "role",
                                                              "direction",
                                                              "source",
                                                              "config_hash",
                                                              "plan_digest",
                                                              "started_utc",
                                                              "ended_utc",
                                                              "class",
                                                              "state",
                                                              "severity",
                                                              "metric",
                                                              "verdict",
                                                              "design",
                                                              "id",
                                                              "flags",
                                                              "evidence",
                                                              "stop_reason",
                                                              "field",
                                                              "data_digest",
                                                              "worker_build_id",
                                                              "build_id",
                                                              "stepbench_version",
                                                              "ph",
                                                              "cat",
                                                              "git.sha",
                                                              "non_finite",
                                                              "warmup_verdict"};
  return kMembers;
}

// Below these a name is one of ours, too.
constexpr std::array<std::string_view, 3> kOfNames = {"columns", "metrics", "gates"};

constexpr std::array<std::string_view, 5> kOfFacts = {"environment", "machine", "options",
                                                      "effective", "schedule"};

// Texts for people, in which a path ends where the next word begins.
const std::set<std::string, std::less<>>& prose_members() {
  static const std::set<std::string, std::less<>> kMembers = {
      "repeat_command", "output", "reason",   "config_text", "notes", "text", "doc",
      "remedy",         "error",  "warnings", "wrap",        "name"};
  return kMembers;
}

// Names of no one in particular.
bool is_generic(const std::string& name) {
  static const std::set<std::string, std::less<>> kGeneric = {
      "localhost", "unknown", "root", "user", "users", "nobody", "shared", "runner", "none"};
  return name.size() < 2 || kGeneric.contains(name);
}

// "1", "0,1", "true": a setting that tells of nobody.
bool is_plain_setting(const std::string& value) {
  static const std::set<std::string, std::less<>> kSwitches = {
      "", "true", "false", "True", "False", "on", "off", "yes", "no", "ON", "OFF"};
  return kSwitches.contains(value) || value.starts_with(text::kMask) ||
         value.find_first_not_of("0123456789,") == std::string::npos;
}

// A text value and where it stands.
struct Place {
  std::string member;  // of an element, that of its list
  bool of_names = false;
  bool of_facts = false;  // of the machine or the case: a common word is no variable's value
};
using Replace = std::function<std::optional<std::string>(const Place& place, std::string text)>;

// Walks over a JSON text without keeping it. What it does not understand ends the walk.
class Walk {
 public:
  Walk(std::string_view json, const Replace& replace) : rest_(json), replace_(replace) {}

  // The text with its replacements; nullopt where it is no JSON.
  std::optional<std::string> run() {
    if (!value({})) return std::nullopt;
    blanks();
    if (!rest_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMaxDepth = 500;

  void copy(std::size_t bytes) {
    out_ += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }
  void blanks() { copy(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool take(char c) {
    blanks();
    if (!rest_.starts_with(c)) return false;
    copy(1);
    return true;
  }

  bool value(const Place& place) {
    blanks();
    if (rest_.starts_with('"')) return text(place);
    if (rest_.starts_with('{')) return object(place);
    if (rest_.starts_with('[')) return list(place);
    const std::size_t end = std::min(rest_.find_first_of(",]} \t\r\n"), rest_.size());
    if (end == 0) return false;
    copy(end);
    return true;
  }

  bool object(const Place& place) {
    if (++depth_ > kMaxDepth || !take('{')) return false;
    if (!take('}')) {
      do {
        blanks();
        const auto raw = raw_text();
        const auto key = raw ? decoded(*raw) : std::nullopt;
        if (!key) return false;
        copy(raw->size());
        if (!take(':') || !value(inside(place, *key))) return false;
      } while (take(','));
      if (!take('}')) return false;
    }
    --depth_;
    return true;
  }

  bool list(const Place& place) {
    if (++depth_ > kMaxDepth || !take('[')) return false;
    if (!take(']')) {
      do {
        if (!value(place)) return false;
      } while (take(','));
      if (!take(']')) return false;
    }
    --depth_;
    return true;
  }

  static Place inside(const Place& outer, const std::string& key) {
    const bool names = std::find(kOfNames.begin(), kOfNames.end(), key) != kOfNames.end();
    const bool facts = std::find(kOfFacts.begin(), kOfFacts.end(), key) != kOfFacts.end();
    return {
        .member = key, .of_names = outer.of_names || names, .of_facts = outer.of_facts || facts};
  }

  bool text(const Place& place) {
    const auto raw = raw_text();
    if (!raw) return false;
    auto plain = decoded(*raw);
    if (!plain) return false;
    if (const auto other = replace_(place, std::move(*plain))) {
      json::append_json_string(out_, *other);
      rest_.remove_prefix(raw->size());
    } else {
      copy(raw->size());
    }
    return true;
  }

  // With its quotation marks.
  [[nodiscard]] std::optional<std::string_view> raw_text() const {
    if (!rest_.starts_with('"')) return std::nullopt;
    for (std::size_t end = 1; end < rest_.size(); ++end) {
      if (rest_[end] == '\\') {
        ++end;
      } else if (rest_[end] == '"') {
        return rest_.substr(0, end + 1);
      }
    }
    return std::nullopt;
  }

  // By the parser that reads result files.
  std::optional<std::string> decoded(std::string_view raw) {
    if (raw.find('\\') == std::string_view::npos) return std::string(raw.substr(1, raw.size() - 2));
    line_ = "{\"t\":";
    line_.append(raw).append("}\n");
    try {
      return parser_
          .parse(std::string_view(line_).substr(0, line_.size() - 1),
                 json::LineParser::Padding::kNone)
          .object.text("t");
    } catch (const json::LineError&) {
      return std::nullopt;
    }
  }

  std::string_view rest_;
  const Replace& replace_;
  std::string out_;
  std::string line_;
  json::LineParser parser_;
  std::size_t depth_ = 0;
};

bool is_variable(const Place& place) { return place.member.starts_with(kVariablePrefix); }

bool is_user(const Place& place) {
  return place.member == "env.USER" || place.member == "env.LOGNAME" || place.member == "user";
}

bool is_structural(const Place& place) {
  return structural_members().contains(place.member) || (place.of_names && place.member == "name");
}

// A path as a whole, even with blanks in it.
bool is_whole_path(const Place& place, const std::string& text) {
  return text.size() > 2 && (text.starts_with('/') || text.starts_with("~/")) &&
         text.find('\n') == std::string::npos && !prose_members().contains(place.member);
}

}  // namespace

bool learn_from_json(std::string_view json, text::Redactor& redactor) {
  const Replace learn = [&](const Place& place, std::string text) -> std::optional<std::string> {
    for (const std::string& user : text::users_in(text)) {
      if (!is_generic(user)) redactor.know(text::Redactor::Kind::kUser, user);
    }
    if (place.member == "host" && !is_generic(text)) {
      redactor.know(text::Redactor::Kind::kHost, text);
      const std::string first = text.substr(0, text.find('.'));
      if (!is_generic(first)) redactor.know(text::Redactor::Kind::kHost, first);
    } else if (is_user(place) && !is_generic(text)) {
      redactor.know(text::Redactor::Kind::kUser, text);
    } else if (is_variable(place) && !is_plain_setting(text)) {
      redactor.know(text::Redactor::Kind::kVariable, text);
    } else if (is_whole_path(place, text) && text.find(' ') != std::string::npos) {
      redactor.know(text::Redactor::Kind::kPath, text);
    }
    return std::nullopt;
  };
  return Walk(json, learn).run().has_value();
}

std::optional<std::string> redact_json(std::string_view json, text::Redactor& redactor) {
  const Replace replace = [&](const Place& place, std::string text) -> std::optional<std::string> {
    if (is_structural(place) || text.empty()) return std::nullopt;
    if (is_variable(place)) {
      if (is_plain_setting(text)) return std::nullopt;
      return redactor.token(
          is_user(place) ? text::Redactor::Kind::kUser : text::Redactor::Kind::kVariable, text);
    }
    if (is_whole_path(place, text)) return redactor.token(text::Redactor::Kind::kPath, text);
    std::string other = redactor.redact(
        text, place.of_facts ? text::Redactor::Values::kLeave : text::Redactor::Values::kReplace);
    if (other == text) return std::nullopt;
    return other;
  };
  return Walk(json, replace).run();
}

}  // namespace stepbench::runs
