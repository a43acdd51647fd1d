// SPDX-License-Identifier: Apache-2.0
#include "harness/text/names.h"

#include <algorithm>
#include <cctype>

#include "harness/base/error.h"
#include "harness/text/removed.h"
#include "harness/text/words.h"

namespace stepbench::text {
namespace {

bool ends_in(std::string_view name, std::string_view end) {
  return name.size() > end.size() && name.ends_with(end) &&
         name[name.size() - end.size() - 1] == '.';
}

// "Data wait [%]" -> "data wait"
std::string without_unit(std::string_view head) {
  head = head.substr(0, head.find('['));
  while (head.ends_with(' ')) head.remove_suffix(1);
  std::string folded(head);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return folded;
}

std::string join_or(const std::vector<std::string>& texts) {
  const std::span<const std::string> all = texts;
  return join(all.first(all.size() - 1)) + " or " + texts.back();
}

}  // namespace

std::vector<std::string> matching_names(std::string_view given,
                                        std::span<const std::string> known) {
  if (std::find(known.begin(), known.end(), given) != known.end()) return {std::string(given)};
  std::vector<std::string> meant;
  for (const std::string& name : known) {
    const bool is_new = std::find(meant.begin(), meant.end(), name) == meant.end();
    if (!given.empty() && is_new && ends_in(name, given)) meant.push_back(name);
  }
  return meant;
}

std::string resolve_name(std::string_view given, std::span<const std::string> known,
                         std::string_view unknown) {
  const std::vector<std::string> meant = matching_names(given, known);
  if (meant.size() == 1) return meant.front();
  const std::string quoted = "'" + std::string(given) + "'";
  if (!meant.empty()) {
    throw Error(quoted + " may be " + join_or(meant) + "; write one in full");
  }
  if (const std::string removal_note = removed(given); !removal_note.empty())
    throw Error(quoted + ": " + removal_note);
  throw Error(std::string(unknown) + " " + quoted + did_you_mean(nearest_name(given, known)));
}

bool is_same_head(std::string_view head, std::string_view given) {
  return without_unit(head) == without_unit(given);
}

std::string nearest_name(std::string_view given, std::span<const std::string> known) {
  std::string similar = nearest(given, known);
  if (!similar.empty()) return similar;
  std::vector<std::string> ends;
  for (const std::string& name : known) ends.push_back(name.substr(name.find('.') + 1));
  similar = nearest(given, ends);
  const auto found = std::find(ends.begin(), ends.end(), similar);
  return similar.empty() ? similar : known[static_cast<std::size_t>(found - ends.begin())];
}

}  // namespace stepbench::text
