// Compiled kernels that two machines share by a bucket.
#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/hash.h"
#include "runtime/base/test_stderr.h"
#include "runtime/compile/bucket_entries.h"
#include "runtime/compile/paused_entries.h"
#include "runtime/compile/store.h"
#include "tests/support/s3_endpoint.h"

namespace ws {
namespace {

const std::string kQuestion = sha256_hex("a question of two machines");
const std::string kTheirSecret(kLeastSecret, 's');
constexpr std::chrono::hours kLongPause{24 * 365};

std::shared_ptr<const CompileOutcome> large_outcome() {
  CompileOutcome outcome;
  outcome.message = "made elsewhere";
  outcome.image.blob.assign(std::size_t{3} << 20U, 'c');
  return std::make_shared<const CompileOutcome>(std::move(outcome));
}

class Machines {
 public:
  /// The cache of a machine.
  std::unique_ptr<CompileStore> machine(const std::string& name,
                                        const std::string& secret = kTheirSecret,
                                        std::chrono::milliseconds pause = kLongPause) {
    auto entries = BucketEntries::open(endpoint.bucket());
    REQUIRE(entries.has_value());
    return std::make_unique<CompileStore>(
        CompileStore::Options{.folder = folder_.path() / name,
                              .shared = std::make_shared<PausedEntries>(*std::move(entries), pause),
                              .secret = secret});
  }

  /// Another machine has compiled it.
  void share() {
    const auto store = machine("other");
    store->keep({.key = kQuestion, .shared = kQuestion}, large_outcome());
    store->flush();
    REQUIRE(endpoint.objects().size() == 1);
  }

  test::S3Endpoint endpoint;

 private:
  TestFolder folder_;
};

constexpr const char* kNotSigned =
    "invalid_argument: an entry of the shared compile cache is not signed with this server's "
    "secret; give all servers and nodes of a store the same --share-cache file";

}  // namespace

TEST_SUITE("compile.bucket_store") {
  TEST_CASE("one machine finds what another one put into the bucket") {
    if (test::no_s3("machines that share a bucket")) {
      return;
    }
    Machines machines;
    machines.share();
    const auto found = machines.machine("two")->find_shared(kQuestion);
    REQUIRE(found != nullptr);
    CHECK(found->message == "made elsewhere");
    CHECK(found->image.blob.size() == std::size_t{3} << 20U);
    CHECK(machines.machine("two")->find_shared(sha256_hex("another question")) == nullptr);
  }

  TEST_CASE("an object that was changed, or is of somebody without the secret, is refused") {
    if (test::no_s3("machines that share a bucket")) {
      return;
    }
    Machines machines;
    machines.share();
    const StderrPipe log;
    const auto stranger = machines.machine("stranger", std::string(kLeastSecret, 'x'));
    CHECK(stranger->find_shared(kQuestion) == nullptr);
    CHECK(log.text().find(kNotSigned) != std::string::npos);
    for (const auto& change : std::vector<std::function<void(std::string&)>>{
             [](std::string& bytes) { bytes.back() ^= 1; },
             [](std::string& bytes) { bytes.resize(bytes.size() / 2); },
             [](std::string& bytes) { bytes = "<html>"; },
             [](std::string& bytes) { bytes.clear(); }}) {
      machines.endpoint.change_objects(change);
      const StderrPipe changed;
      CHECK(machines.machine("two")->find_shared(kQuestion) == nullptr);
      CHECK(changed.text().find(kNotSigned) != std::string::npos);
    }
  }

  TEST_CASE("while the endpoint is away kernels stay here, and it is left alone") {
    if (test::no_s3("machines that share a bucket")) {
      return;
    }
    Machines machines;
    const auto store = machines.machine("one");
    machines.endpoint.act([](int /*client*/) {});
    const StderrPipe log;
    CHECK(store->find_shared(kQuestion) == nullptr);
    store->keep({.key = kQuestion, .shared = kQuestion}, large_outcome());
    store->flush();
    CHECK(store->find(kQuestion) != nullptr);
    CHECK(store->find_shared(kQuestion) == nullptr);
    CHECK(machines.endpoint.asked() == 1);
    CHECK(log.text().find("io: no answer from the bucket " + machines.endpoint.bucket().url +
                          " (Server returned nothing (no headers, no data))") != std::string::npos);
  }

  TEST_CASE("an endpoint that is there again is used again") {
    if (test::no_s3("machines that share a bucket")) {
      return;
    }
    Machines machines;
    machines.share();
    const auto store = machines.machine("one", kTheirSecret, std::chrono::milliseconds(0));
    machines.endpoint.act([](int /*client*/) {});
    const StderrPipe log;
    CHECK(store->find_shared(kQuestion) == nullptr);
    machines.endpoint.act(nullptr);
    CHECK(store->find_shared(kQuestion) != nullptr);
  }
}

}  // namespace ws
