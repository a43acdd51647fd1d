// SPDX-License-Identifier: Apache-2.0
// A page of gauges in the OpenMetrics 1.0 text format that parsers of Prometheus' older text format
// also accept: for a scrape and for the textfile collector of node_exporter. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/json/json_text.h"

namespace stepbench::report {

class GaugePage {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // Formats labels as they appear between the braces, without the braces, after those in `before`.
  [[nodiscard]] static std::string label_text(const Labels& labels, std::string before = {});
  // Converts to a valid metric or label name: letters, digits and '_', no leading digit.
  [[nodiscard]] static std::string name_text(std::string_view name);

  // Adds a sample to the family `name`, which ends in its unit if that is seconds, bytes or a
  // ratio. Only the first sample's `help` is used. `labels` comes from label_text(); the caller
  // must not add the same labels twice.
  void add(std::string_view name, std::string_view help, std::string_view labels, double value);

  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] std::string text() const;
  void write(const json::TextSink& sink) const;  // text() in pieces

 private:
  struct OneFamily {
    std::string head;
    std::string samples;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<OneFamily> families_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> by_name_;
  std::size_t samples_ = 0;
};

}  // namespace stepbench::report
