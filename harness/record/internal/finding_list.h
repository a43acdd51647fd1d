// SPDX-License-Identifier: Apache-2.0
// A vector of findings that hides the type: many files include a value with this member, few look
// into it, so that a change of Finding recompiles only those few.
#pragma once

#include <initializer_list>
#include <vector>

namespace stepbench {
struct Finding;
}  // namespace stepbench

namespace stepbench::record {

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

}  // namespace stepbench::record
