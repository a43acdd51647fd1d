// SPDX-License-Identifier: Apache-2.0
// The blocks of a section as HTML. Figures and tables are numbered through the page, so that links
// lead to them. Pure; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/report/html/section.h"

namespace stepbench::report {

// More rows of a table stand in the page's data alone.
inline constexpr std::size_t kPageRows = 2000;

class PageBlocks {
 public:
  // `draws`: the page holds a script for figures; otherwise only their words stand there.
  PageBlocks(std::string& html, bool draws, bool compact);

  void add(const PageSection& section);

 private:
  void add(const Paragraph& paragraph);
  void add(const Figure& figure);
  void add(const PageTable& table);
  void add(const Verbatim& verbatim);

  std::string& html_;
  bool draws_;
  bool compact_;
  std::size_t figures_ = 0;
  std::size_t tables_ = 0;
  bool table_follows_ = false;  // in this section, after the block at hand
};

// JSON in an element that is no script: plain, or packed where `pack` says so and it is long.
// `attributes` of the element: its id. Fast rather than as small as can be.
void append_data(std::string& html, std::string_view attributes, std::string_view json, bool pack);

}  // namespace stepbench::report
