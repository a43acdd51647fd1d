// SPDX-License-Identifier: Apache-2.0
// Renders chapters as HTML, for a page that supplies its own head, style and script. Figures and
// tables are numbered through the page as link targets. Pure; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "harness/document/document.h"

namespace stepbench::document {

// Rows beyond this are only in the page's data, not in its HTML.
inline constexpr std::size_t kPageRows = 2000;

// Appends JSON to `html` as an element with this id.
using AppendData =
    std::function<void(std::string& html, const std::string& id, std::string_view json)>;

class HtmlChapters {
 public:
  // `append_data` is for figures; empty: the page has no script for them and shows only their
  // words.
  HtmlChapters(std::string& html, AppendData append_data);

  void add(const Chapter& chapter);
  void add(const Answer& answer);

 private:
  void add(const Paragraph& paragraph);
  void add(const Heading& heading);
  void add(const Table& table);
  void add(const Verbatim& verbatim);
  void add(const Figure& figure);

  std::string& html_;
  AppendData append_data_;
  std::string chapter_title_;  // id of its element
  std::string chapter_name_ = {};
  std::size_t figures_ = 0;
  std::size_t tables_ = 0;
  bool table_follows_ = false;  // in this chapter, after the current block
};

}  // namespace stepbench::document
