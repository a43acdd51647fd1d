// SPDX-License-Identifier: Apache-2.0
// Findings as a member of a value that many read and few look into: this header does not say what a
// finding is, so that a change of it compiles those few anew. Else a vector.
#pragma once

#include <initializer_list>
#include <vector>

namespace stepbench {
struct Finding;
}  // namespace stepbench

namespace stepbench::findings {

class FindingList {
 public:
  FindingList() noexcept;
  FindingList(std::vector<Finding> findings) noexcept;  // NOLINT: the same by another name
  FindingList(std::initializer_list<Finding> findings);
  FindingList(const FindingList& other);
  FindingList(FindingList&& other) noexcept;
  FindingList& operator=(const FindingList& other);
  FindingList& operator=(FindingList&& other) noexcept;
  ~FindingList();

  [[nodiscard]] bool empty() const noexcept;
  [[nodiscard]] const std::vector<Finding>& all() const noexcept { return findings_; }
  [[nodiscard]] std::vector<Finding>& all() noexcept { return findings_; }
  [[nodiscard]] auto begin() const noexcept { return findings_.begin(); }
  [[nodiscard]] auto end() const noexcept { return findings_.end(); }
  void push_back(Finding finding);

 private:
  std::vector<Finding> findings_;
};

}  // namespace stepbench::findings
