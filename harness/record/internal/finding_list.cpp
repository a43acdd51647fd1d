// SPDX-License-Identifier: Apache-2.0
#include "harness/record/internal/finding_list.h"

#include <utility>

#include "harness/findings/finding.h"

namespace stepbench::record {

FindingList::FindingList() noexcept = default;
FindingList::FindingList(std::vector<Finding> findings) noexcept : findings_(std::move(findings)) {}
FindingList::FindingList(std::initializer_list<Finding> findings) : findings_(findings) {}
FindingList::FindingList(const FindingList& other) = default;
FindingList::FindingList(FindingList&& other) noexcept = default;
FindingList& FindingList::operator=(const FindingList& other) = default;
FindingList& FindingList::operator=(FindingList&& other) noexcept = default;
FindingList::~FindingList() = default;

bool FindingList::empty() const noexcept { return findings_.empty(); }

void FindingList::push_back(Finding finding) { findings_.push_back(std::move(finding)); }

}  // namespace stepbench::record
