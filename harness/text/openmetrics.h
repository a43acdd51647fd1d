// SPDX-License-Identifier: Apache-2.0
// A page of gauges in the text form of OpenMetrics 1.0 that Prometheus' own, older text form takes
// as well: both for a scrape and for the text files of node_exporter. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/text/text_sink.h"

namespace stepbench::text {

class GaugePage {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // Labels as they stand between braces, without them, behind those of `before`.
  [[nodiscard]] static std::string label_text(const Labels& labels, std::string before = {});
  // What a metric or a label may be called: letters, digits and '_', no digit in front.
  [[nodiscard]] static std::string name_text(std::string_view name);

  // A sample of the family `name`, which ends in its unit where that is seconds, bytes or a ratio.
  // `help` counts of the first sample. `labels` as label_text() gives them; equal ones are the
  // caller's mistake.
  void add(std::string_view name, std::string_view help, std::string_view labels, double value);

  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] std::string text() const;
  void write(const TextSink& sink) const;  // the same in pieces

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

}  // namespace stepbench::text
