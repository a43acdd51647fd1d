// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/interpolate.h"

#include <algorithm>
#include <cctype>

#include "harness/base/error.h"

namespace stepbench::plan {
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
    throw Error("'${" + std::string(body) +
                "}' names no variable; expected ${NAME} or ${NAME:-default}");
  }
  const std::string* value = find_variable(variables, name);
  if (separator == std::string_view::npos) {
    if (value != nullptr) return *value;
    throw Error("the environment variable " + name + " is not set; set it or write ${" + name +
                ":-default}");
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
    throw Error("'$" + name + "' is not filled in; write ${" + name + "}");
  }
  if (!path.starts_with('~')) return std::string(path);
  if (path.size() > 1 && path[1] != '/') {
    throw Error("'" + std::string(path.substr(0, path.find('/'))) +
                "': the home folder of another user is not looked up; write the path out");
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
