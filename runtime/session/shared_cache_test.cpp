// Compiled kernels that two machines share, each with a data folder of its own.
#include "runtime/session/shared_cache.h"

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/base/test_stderr.h"
#include "runtime/compile/folder_entries.h"
#include "runtime/compile/store.h"
#include "tests/support/postgres_cluster.h"

namespace ws {
namespace {

const std::string kSecret(kLeastSecret, 's');
const std::string kKey = sha256_hex("question");

std::shared_ptr<const CompileOutcome> outcome_of(std::size_t bytes) {
  CompileOutcome outcome;
  outcome.message = "made elsewhere";
  outcome.image.blob.assign(bytes, 'c');
  return std::make_shared<const CompileOutcome>(std::move(outcome));
}

class Shared {
 public:
  Shared() {
    if (!test::has_postgres()) {
      MESSAGE("left out, as there is no PostgreSQL here: sharing compiled kernels");
      return;
    }
    url_ = test::take_database();
    REQUIRE(Archive::open(ArchivePlace(folder_.path() / "archive", url_)).has_value());
  }

  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  ~Shared() {
    if (!url_.empty()) {
      test::leave_database(url_);
    }
  }

  [[nodiscard]] bool left_out() const { return url_.empty(); }

  /// The cache of a machine.
  std::unique_ptr<CompileStore> machine(const std::string& name,
                                        const std::string& secret = kSecret, bool folder = true,
                                        std::int64_t most = 1 << 20U) {
    return std::make_unique<CompileStore>(CompileStore::Options{
        .folder = folder_.path() / name,
        .shared = std::make_shared<SharedCache>(
            url_, folder ? std::make_shared<FolderEntries>(folder_.path() / "large") : nullptr,
            most),
        .secret = secret});
  }

  /// Its rows, without the rest of a cache.
  [[nodiscard]] SharedCache place() const { return {url_, nullptr, 1 << 20U}; }

  /// Nobody can write to the folder of large entries, nor make it.
  void block_folder() { REQUIRE(write_file(folder_.path() / "large", "").has_value()); }

  void run(const std::string& sql) {
    auto connection = open_postgres(url_);
    REQUIRE(connection.has_value());
    const Status done = connection->execute(sql);
    REQUIRE_MESSAGE(done.has_value(), to_text(done.error()));
  }

  std::int64_t rows() {
    auto connection = open_postgres(url_);
    REQUIRE(connection.has_value());
    auto count = connection->prepare("SELECT count(*) FROM shared_entries");
    REQUIRE(count.has_value());
    REQUIRE(count->step().value());
    return count->integer(0);
  }

 private:
  TestFolder folder_;
  std::string url_;
};

}  // namespace

TEST_SUITE("session.shared_cache") {
  TEST_CASE("one machine finds what another one compiled") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    for (const std::size_t bytes : {std::size_t{20}, std::size_t{3} << 20U}) {
      CAPTURE(bytes);
      const std::string key = sha256_hex(std::to_string(bytes));
      const auto one = shared.machine("one");
      one->keep({.key = kKey, .shared = key}, outcome_of(bytes));
      one->flush();
      const auto found = shared.machine("two")->find_shared(key);
      REQUIRE(found != nullptr);
      CHECK(found->message == "made elsewhere");
      CHECK(found->image.blob.size() == bytes);
    }
    CHECK(shared.rows() == 1);  // The large one lies in the folder.
  }

  TEST_CASE("a large entry is not shared where there is no folder") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const auto one = shared.machine("one", kSecret, /*folder=*/false);
    one->keep({.key = kKey, .shared = kKey}, outcome_of(std::size_t{3} << 20U));
    one->flush();
    CHECK(one->find_shared(kKey) == nullptr);
    CHECK(one->find(kKey) != nullptr);
  }

  TEST_CASE("an entry that was changed, or is of somebody without the secret, is refused") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const StderrPipe log;
    const std::string refused =
        "invalid_argument: an entry of the shared compile cache is not signed with this server's "
        "secret; give all servers and nodes of a store the same --share-cache file";
    const auto one = shared.machine("one");
    one->keep({.key = kKey, .shared = kKey}, outcome_of(20));
    one->flush();
    CHECK(shared.machine("other", std::string(kLeastSecret, 'x'))->find_shared(kKey) == nullptr);
    CHECK(log.text().find(refused) != std::string::npos);
    shared.run("UPDATE shared_entries SET bytes = set_byte(bytes, length(bytes) - 1, 9)");
    CHECK(one->find_shared(kKey) == nullptr);
    shared.run("UPDATE shared_entries SET bytes = ''");
    CHECK(one->find_shared(kKey) == nullptr);
    // A good entry under another name answers another question.
    one->keep({.key = kKey, .shared = kKey}, outcome_of(20));
    one->flush();
    const std::string other = sha256_hex("other");
    shared.run("UPDATE shared_entries SET key = '" + other + "'");
    CHECK(one->find_shared(other) == nullptr);
    CHECK(log.text().find("a damaged entry of the compile cache") != std::string::npos);
  }

  TEST_CASE("a database that is gone costs a line in the log") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const StderrPipe log;
    const auto one = shared.machine("one");
    shared.run("DROP TABLE shared_entries");
    CHECK(one->find_shared(kKey) == nullptr);
    one->keep({.key = kKey, .shared = kKey}, outcome_of(20));
    one->flush();
    CHECK(one->find(kKey) != nullptr);
    CHECK(log.text().find("shared_entries") != std::string::npos);
  }

  TEST_CASE("a row that is too long is not read") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    SharedCache place = shared.place();
    const std::string longest(SharedCache::kMostRowBytes, 'k');
    REQUIRE(place.put(kKey, longest).has_value());
    CHECK(place.find(kKey).value() == longest);
    shared.run("UPDATE shared_entries SET bytes = bytes || '\\x00'::bytea");
    CHECK_FALSE(place.find(kKey).value().has_value());
  }

  TEST_CASE("an entry is found where its use cannot be noted") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const StderrPipe log;
    SharedCache place = shared.place();
    REQUIRE(place.put(kKey, "kernel").has_value());
    shared.run("UPDATE shared_entries SET used_at = now() - interval '2 days'");
    shared.run(
        "CREATE FUNCTION no_use() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION 'no use'; END $$");
    shared.run(
        "CREATE TRIGGER no_use BEFORE UPDATE ON shared_entries "
        "FOR EACH ROW EXECUTE FUNCTION no_use()");
    CHECK(place.find(kKey).value() == "kernel");
    CHECK(log.text().find("no use") != std::string::npos);
  }

  TEST_CASE("where large entries have no place, the rows serve on") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const StderrPipe log;
    const auto one = shared.machine("one");
    shared.block_folder();
    one->keep({.key = kKey, .shared = kKey}, outcome_of(std::size_t{3} << 20U));
    one->flush();
    CHECK(log.text().find("cannot write to the compile cache") != std::string::npos);
    one->keep({.key = kKey, .shared = kKey}, outcome_of(20));
    one->flush();
    CHECK(shared.rows() == 1);
    CHECK(shared.machine("two")->find_shared(kKey) != nullptr);
  }

  TEST_CASE("what nobody has used for long goes when there is too much") {
    Shared shared;
    if (shared.left_out()) {
      return;
    }
    const auto one = shared.machine("one", kSecret, /*folder=*/false, 40'000);
    for (int i = 0; i < 64; ++i) {
      one->keep({.key = kKey, .shared = sha256_hex(std::to_string(i))}, outcome_of(1000));
    }
    one->flush();
    CHECK(shared.rows() < 40);
    CHECK(one->find_shared(sha256_hex("63")) != nullptr);
  }
}

}  // namespace ws
