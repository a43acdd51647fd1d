// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/sqlite.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "harness/nights/internal/database.h"
#include "harness/nights/internal/postgres.h"
#include "harness/nights/internal/schema.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::nights {
namespace {

class SqliteTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder / "history.db"; }
  static std::vector<SqlValue> column(Database& database, const std::string& sql) {
    std::vector<SqlValue> values;
    database.exec(sql, {}, [&](SqlRow row) { values.push_back(row[0]); });
    return values;
  }
  test::TemporaryFolder folder;
};

TEST_F(SqliteTest, Values_RoundTrip) {
  const auto database = open_sqlite(file());
  database->exec("CREATE TABLE t (w BIGINT, r DOUBLE PRECISION, s TEXT)");
  const std::string text = "Robert'); DROP TABLE t;-- \xC3\xA4 \"quoted\" $1 %s \\";
  for (const double real : {0.1, 1e300, 5e-324, -0.0, 3.0}) {
    const std::vector<SqlValue> row = {std::numeric_limits<std::int64_t>::min(), real, text};
    database->exec("INSERT INTO t VALUES ($1, $2, $3)", row);
  }
  std::size_t rows = 0;
  database->exec("SELECT w, r, s FROM t", {}, [&](SqlRow row) {
    ++rows;
    EXPECT_EQ(row[0], SqlValue(std::numeric_limits<std::int64_t>::min()));
    EXPECT_TRUE(std::holds_alternative<double>(row[1]));
    EXPECT_EQ(row[2], SqlValue(text));
  });
  EXPECT_EQ(rows, 5U);
}

TEST_F(SqliteTest, NonFiniteOrInvalidText_IsReplaced) {
  const auto database = open_sqlite(file());
  database->exec("CREATE TABLE t (v)");
  const std::vector<SqlValue> values = {std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::infinity(),
                                        std::string("a\0b", 3), std::string("a\xFFz")};
  database->insert({"t", {"v"}, ""}, values);
  EXPECT_THAT(column(*database, "SELECT v FROM t"), ElementsAre(SqlValue(), SqlValue(),
                                                                SqlValue("a\xEF\xBF\xBD"
                                                                         "b"),
                                                                SqlValue("a\xEF\xBF\xBD"
                                                                         "z")));
}

TEST_F(SqliteTest, Parameters_GoByNumber) {
  const auto database = open_sqlite(file());
  const std::vector<SqlValue> both = {std::string("first"), std::string("second")};
  database->exec("SELECT CAST($2 AS TEXT), CAST($1 AS TEXT)", both, [](SqlRow row) {
    EXPECT_THAT(row, ElementsAre(SqlValue("second"), SqlValue("first")));
  });
}

TEST_F(SqliteTest, Uncommitted_IsLost) {
  const auto database = open_sqlite(file());
  database->exec("CREATE TABLE t (v)");
  {
    Transaction transaction(*database);
    database->exec("INSERT INTO t VALUES (1)");
  }
  EXPECT_THAT(column(*database, "SELECT v FROM t"), IsEmpty());
  Transaction transaction(*database);
  database->exec("INSERT INTO t VALUES (2)");
  transaction.commit();
  EXPECT_THAT(column(*open_sqlite(file()), "SELECT v FROM t"),
              ElementsAre(SqlValue(std::int64_t{2})));
}

TEST_F(SqliteTest, LockedByAnother_TimesOut) {
  const auto first = open_sqlite(file());
  const auto second =
      open_sqlite(file(), {.busy_timeout = std::chrono::milliseconds(50), .file_system = {}});
  Transaction transaction(*first);
  EXPECT_THAT(test::error_of<ConfigError>([&] { second->begin_write(); }),
              HasSubstr("another process has kept it locked for 0.05 s"));
}

TEST_F(SqliteTest, LockedWithoutLog_TimesOut) {
  const auto first = open_sqlite(file());
  first->exec("CREATE TABLE meta (key TEXT, value TEXT)");
  first->exec("PRAGMA journal_mode = DELETE");
  first->exec("BEGIN EXCLUSIVE");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(test::error_of<ConfigError>([&] {
                (void)open_sqlite(
                    file(), {.busy_timeout = std::chrono::milliseconds(1000), .file_system = {}});
              }),
              HasSubstr("another process has kept it locked for 1 s"));
  // Once, instead of a second for each of a hundred attempts.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

// As a user with read access only.
TEST_F(SqliteTest, ReadOnlyHistory_IsReadable) {
  const std::string odd = folder / "50% of #1?.db";
  {
    const auto database = open_sqlite(odd);
    database->exec("CREATE TABLE meta (v)");
    database->exec("INSERT INTO meta VALUES (7)");
  }
  ::chmod(odd.c_str(), 0444);
  ::chmod(folder.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    const std::string error = test::error_of<ConfigError>([&] {
      const auto database = open_sqlite(odd);
      if (column(*database, "SELECT v FROM meta") != std::vector{SqlValue(std::int64_t{7})}) {
        ::_exit(3);
      }
      database->exec("INSERT INTO meta VALUES (8)");
    });
    ::_exit(error.find("may not be written") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(odd + "-shm"));
}

TEST_F(SqliteTest, UnusableRow_IsNamed) {
  const auto database = open_sqlite(file());
  database->exec("CREATE TABLE run (id, context)");
  database->exec("INSERT INTO run VALUES ('n1', '{'), (x'6E32', '{}')");
  const auto error = [&](const std::string& sql, const std::function<void(SqlRow)>& read) {
    return test::error_of<ConfigError>([&] { database->exec(sql, {}, read); });
  };
  EXPECT_THAT(error("SELECT id, context FROM run WHERE id = 'n1'",
                    [](SqlRow row) { (void)std::get<std::int64_t>(row[1]); }),
              HasSubstr("history.db: a row of the table run is damaged ('n1', '{')"));
  EXPECT_THAT(error("SELECT context, id FROM run WHERE id = 'n1'",
                    [](SqlRow) { throw DamagedRow("not valid JSON"); }),
              AllOf(HasSubstr("history.db: a row of the table run is damaged ('{', 'n1')"),
                    HasSubstr("(not valid JSON)")));
  EXPECT_THAT(error("SELECT id FROM run WHERE context = '{}'", [](SqlRow) {}),
              HasSubstr("a row of the table run is damaged ('n2')"));
}

TEST_F(SqliteTest, RowOver64MiB_IsRejected) {
  const auto database = open_sqlite(file());
  EXPECT_THAT(test::error_of<ConfigError>(
                  [&] { database->exec("SELECT hex(zeroblob(40000000))", {}, [](SqlRow) {}); }),
              HasSubstr("too big"));
}

TEST_F(SqliteTest, ForeignDatabase_KeepsItsJournal) {
  {
    const auto database = open_sqlite(file());
    database->exec("CREATE TABLE recipes (v)");
    database->exec("PRAGMA journal_mode = DELETE");
  }
  EXPECT_THAT(column(*open_sqlite(file()), "PRAGMA journal_mode"), ElementsAre(SqlValue("delete")));
}

TEST(Postgres, SilentServer_TimesOut) {
  EXPECT_EQ(with_connect_limit("postgresql://me@host/db"),
            "postgresql://me@host/db?connect_timeout=10");
  EXPECT_EQ(with_connect_limit("postgresql://me@host/db?sslmode=require"),
            "postgresql://me@host/db?sslmode=require&connect_timeout=10");
  EXPECT_EQ(with_connect_limit("postgresql://me@host/db?connect_timeout=3"),
            "postgresql://me@host/db?connect_timeout=3");
}

std::vector<std::string> first_version(const Database&) { return {"CREATE TABLE a (v TEXT)"}; }
std::vector<std::string> second_version(const Database&) {
  return {"ALTER TABLE a ADD COLUMN w TEXT", "CREATE TABLE b (v TEXT)"};
}

// Runs `work` in eight threads.
void at_once(const std::function<void()>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SqliteTest, ConcurrentOpens_MakeTheSchemaOnce) {
  at_once([&] { (void)open_sqlite(file()); });
  EXPECT_THAT(open_sqlite(file())->tables(), IsEmpty());
  const std::vector<SchemaVersion> versions = {first_version, second_version};
  at_once([&] { migrate(*open_sqlite(file()), versions); });
  EXPECT_THAT(open_sqlite(file())->tables(), ElementsAre("a", "b", "meta"));
  at_once([&] {
    const auto database = open_sqlite(file());
    for (int row = 0; row < 20; ++row) {
      Transaction transaction(*database);
      database->exec("INSERT INTO b VALUES ('1')");
      transaction.commit();
    }
  });
  EXPECT_THAT(column(*open_sqlite(file()), "SELECT COUNT(*) FROM b"),
              ElementsAre(SqlValue(std::int64_t{160})));
}

TEST_F(SqliteTest, OtherFile_IsRejected) {
  folder.write("history.db",
               "case,step\n1,2\nand so on, for more than a hundred bytes of text, so "
               "that it cannot be taken for an empty file\n");
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)open_sqlite(file()); }),
              HasSubstr("is not a SQLite database"));
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)open_sqlite(folder.path()); }),
              HasSubstr("is not a file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)open_sqlite(folder / "pipe"); }),
              HasSubstr("is not a file"));
}

TEST_F(SqliteTest, SharedFileSystem_IsRejectedByName) {
  const auto error_on = [&](std::int64_t type) {
    return test::error_of<ConfigError>(
        [&] { (void)open_sqlite(file(), {.file_system = [=](const auto&) { return type; }}); });
  };
  for (const auto& [type, name] : std::map<std::int64_t, const char*>{{0x6969, "NFS"},
                                                                      {0xFF534D42, "CIFS"},
                                                                      {0xFE534D42, "SMB"},
                                                                      {0x65735546, "FUSE"},
                                                                      {0x00C36400, "Ceph"},
                                                                      {0x0BD00BD0, "Lustre"},
                                                                      {0x47504653, "GPFS"},
                                                                      {0x6B414653, "AFS"},
                                                                      {0x19830326, "BeeGFS"}}) {
    EXPECT_THAT(error_on(type),
                AllOf(HasSubstr(std::string("lies on ") + name), HasSubstr("--db postgresql://")));
    // 32-bit machines give it with a sign.
    EXPECT_THAT(error_on(static_cast<std::int32_t>(type)), HasSubstr(name));
  }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(SqliteTest, LinkToSharedFileSystem_IsRejected) {
  folder.write("nfs/history.db", "");
  fs::create_symlink("nfs/history.db", file());
  const auto is_shared = [&](const fs::path& where) {
    return std::int64_t{where.filename() == "nfs" ? 0x6969 : 0xEF53};
  };
  EXPECT_THAT(
      test::error_of<ConfigError>([&] { (void)open_sqlite(file(), {.file_system = is_shared}); }),
      HasSubstr("lies on NFS"));
  EXPECT_NO_THROW((void)open_sqlite(folder / "local.db", {.file_system = is_shared}));
}

TEST_F(SqliteTest, FullDisk_RollsBack) {
  open_sqlite(file())->exec("CREATE TABLE t (v)");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = test::error_of<ConfigError>([&] {
      const auto database = open_sqlite(file());
      Transaction transaction(*database);
      const std::vector<SqlValue> rows(100, std::string(10'000, 'x'));
      database->insert({"t", {"v"}, ""}, rows);
      transaction.commit();
    });
    ::_exit(error.find("disk") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const auto database = open_sqlite(file());
  EXPECT_THAT(column(*database, "SELECT v FROM t"), IsEmpty());
  EXPECT_THAT(column(*database, "PRAGMA integrity_check"), ElementsAre(SqlValue("ok")));
}

TEST(DatabaseUrl, OtherForm_IsRejectedNamingBoth) {
  for (const char* url : {"", "sqlite:", "history.db", "mysql://h/d", "postgresql:/h", "C:\\x"}) {
    const std::string error = test::error_of<ConfigError>([&] { (void)Database::open(url); });
    EXPECT_THAT(error, HasSubstr("there are sqlite:FILE and postgresql://")) << url;
  }
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)Database::open("history.db"); }),
              HasSubstr("did you mean 'sqlite:history.db'?"));
  EXPECT_EQ(test::error_of<ConfigError>([&] {
              (void)Database::open("mysql://me:secret@h/d");
            }).find("secret"),
            std::string::npos);
}

TEST_F(SqliteTest, OlderSchema_IsUpgradedKeepingRows) {
  const std::vector<SchemaVersion> old = {first_version};
  const std::vector<SchemaVersion> now = {first_version, second_version};
  const auto database = open_sqlite(file());
  migrate(*database, old);
  database->exec("INSERT INTO a VALUES ('kept')");
  migrate(*database, now);
  migrate(*database, now);
  EXPECT_THAT(database->tables(), ElementsAre("a", "b", "meta"));
  EXPECT_THAT(column(*database, "SELECT v FROM a"), ElementsAre(SqlValue("kept")));
  EXPECT_THAT(test::error_of<ConfigError>([&] { migrate(*database, old); }),
              HasSubstr("written in schema version 2; this program knows versions up to 1"));
}

TEST_F(SqliteTest, ForeignDatabase_IsRejectedUnchanged) {
  const std::vector<SchemaVersion> versions = {first_version};
  const auto database = open_sqlite(file());
  migrate(*database, versions);
  database->exec("UPDATE meta SET value = '1.5' WHERE key = 'schema_version'");
  EXPECT_THAT(test::error_of<ConfigError>([&] { migrate(*database, versions); }),
              HasSubstr("is not a history of stepbench"));
  const auto other = open_sqlite(folder / "other.db");
  other->exec("CREATE TABLE recipes (v)");
  EXPECT_THAT(test::error_of<ConfigError>([&] { migrate(*other, versions); }),
              HasSubstr("is not a history of stepbench (it has the table 'recipes')"));
  EXPECT_THAT(other->tables(), ElementsAre("recipes"));
}

TEST(DatabaseUrl, Password_IsNotShown) {
  EXPECT_EQ(without_password("postgresql://me:secret@host:1/x?password=secret"),
            "postgresql://me@host:1/x");
  EXPECT_EQ(without_password("postgresql://me:pa?ss@host:1/x"), "postgresql://me");
  for (const char* harmless : {"postgres://host:1/x", "postgres://[::1]:5432/x",
                               "postgres://host/x:y", "sqlite:results/me:you@night.db"}) {
    EXPECT_EQ(without_password(harmless), harmless);
  }
}

TEST(DatabaseUrl, RejectedUrl_HidesItsPassword) {
  for (const char* url :
       {"mysql://me:secret@host/x", "postgresql:/me:secret@host/x", "me:secret@host/x",
        "host=h password=secret", "sqlite://me:secret@host/x.db"}) {
    EXPECT_THAT(test::error_of<ConfigError>([&] { (void)Database::open(url); }),
                AllOf(HasSubstr("names no database"), Not(HasSubstr("secret"))))
        << url;
  }
}

}  // namespace
}  // namespace stepbench::nights
