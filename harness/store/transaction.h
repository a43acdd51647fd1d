// SPDX-License-Identifier: Apache-2.0
// A transaction that rolls back unless committed. The database must outlive it; one thread.
#pragma once

#include "harness/store/database.h"

namespace stepbench::store {

class Transaction {
 public:
  enum class Kind : bool { kWrite, kRead };

  explicit Transaction(Database& database, Kind kind = Kind::kWrite) : database_(database) {
    kind == Kind::kWrite ? database_.begin_write() : database_.begin_read();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) database_.rollback();
  }

  void commit() {
    database_.commit();
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace stepbench::store
