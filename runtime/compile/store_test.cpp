#include "runtime/compile/store.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/compile/compile_service.h"
#include "runtime/compile/store_file.h"
#include "runtime/compile/store_folder.h"

namespace ws {

namespace fs = std::filesystem;

TEST_SUITE("compile.store") {
  std::string key_of(int number) {
    return sha256_hex(std::to_string(number));
  }

  CompileOutcome outcome_of(std::size_t code_bytes) {
    CompileOutcome outcome;
    outcome.message = "m";
    outcome.ptx = std::string("p\0q", 3);
    outcome.image.blob = std::string(code_bytes, 'c');
    return outcome;
  }

  std::shared_ptr<const CompileOutcome> shared(const CompileOutcome& outcome) {
    return std::make_shared<const CompileOutcome>(outcome);
  }

  /// Sets when a file was used last, in minutes before now.
  void age(const fs::path& path, int minutes) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }

  TEST_CASE("what is kept is found again, by another store too, and nothing else is") {
    const TestFolder folder;
    {
      CompileStore store({.folder = folder.path()});
      CHECK(store.find(key_of(1)) == nullptr);
      store.keep({.key = key_of(1)}, shared(outcome_of(5000)));
    }
    const CompileStore store({.folder = folder.path()});
    const auto found = store.find(key_of(1));
    REQUIRE(found != nullptr);
    CHECK((encode(*found) == encode(outcome_of(5000))));
    CHECK(store.find(key_of(2)) == nullptr);
    CHECK(store_usage(folder.path())->entries == 1);
    const auto sub = entry_path(folder.path(), key_of(1)).parent_path();
    CHECK(fs::status(sub).permissions() == fs::perms::owner_all);
  }

  TEST_CASE("an entry with any byte changed, or cut off, is refused") {
    const std::string bytes = encode_entry(key_of(1), outcome_of(20));
    REQUIRE(decode_entry(key_of(1), bytes).has_value());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      CHECK_FALSE_MESSAGE(decode_entry(key_of(1), changed).has_value(), at);
      CHECK_FALSE_MESSAGE(decode_entry(key_of(1), bytes.substr(0, at)).has_value(), at);
    }
  }

  struct Damage {
    const char* name;
    std::string bytes;
    const char* message;
  };

  TEST_CASE("an error says what does not fit") {
    const std::string good = encode_entry(key_of(1), outcome_of(20));
    std::string changed = good;
    changed.back() = 'x';
    const Damage cases[] = {
        {"empty", "", "internal: a damaged entry of the compile cache (another format)"},
        {"of another key", encode_entry(key_of(2), outcome_of(20)),
         "internal: a damaged entry of the compile cache (another key)"},
        {"longer", good + "x", "internal: a damaged entry of the compile cache (another length)"},
        {"changed", changed, "internal: a damaged entry of the compile cache (another checksum)"},
    };
    for (const Damage& c : cases) {
      CAPTURE(std::string(c.name));
      const auto outcome = decode_entry(key_of(1), c.bytes);
      REQUIRE_FALSE(outcome.has_value());
      CHECK(to_text(outcome.error()) == c.message);
    }
  }

  TEST_CASE("a damaged entry is put aside and can be written again") {
    const TestFolder folder;
    CompileStore store({.folder = folder.path()});
    store.keep({.key = key_of(1)}, shared(outcome_of(20)));
    store.flush();
    const fs::path path = entry_path(folder.path(), key_of(1));
    REQUIRE(write_file(path, "nonsense").has_value());
    CHECK(store.find(key_of(1)) == nullptr);
    CHECK_FALSE(fs::exists(path));
    CHECK(store_usage(folder.path())->damaged == 1);
    store.keep({.key = key_of(1)}, shared(outcome_of(20)));
    store.flush();
    CHECK(store.find(key_of(1)) != nullptr);
  }

  TEST_CASE("a full cache loses what was used longest ago") {
    const TestFolder folder;
    constexpr std::size_t code = 10'000;
    CompileStore store({.folder = folder.path(), .max_bytes = 4 * code + code / 2});
    for (int i = 0; i < 4; ++i) {
      store.keep({.key = key_of(i)}, shared(outcome_of(code)));
      store.flush();
      age(entry_path(folder.path(), key_of(i)), 10 - i);
    }
    CHECK(store.find(key_of(0)) != nullptr);  // Now the newest.
    store.keep({.key = key_of(4)}, shared(outcome_of(code)));
    store.flush();
    CHECK(store.find(key_of(0)) != nullptr);
    CHECK(store.find(key_of(1)) == nullptr);
    CHECK(store.find(key_of(3)) != nullptr);
    CHECK(store.find(key_of(4)) != nullptr);
    CHECK(store_usage(folder.path())->bytes <= 4 * code + code / 2);
  }

  TEST_CASE("unfinished files go when they are old, and other files never") {
    const TestFolder folder;
    REQUIRE(write_entry(entry_path(folder.path(), key_of(1)), "x").has_value());
    const fs::path sub = entry_path(folder.path(), key_of(1)).parent_path();
    for (const char* name : {"old.tmp", "new.tmp", "notes.txt"}) {
      REQUIRE(write_file(sub / name, "x").has_value());
    }
    age(sub / "old.tmp", 61);
    age(sub / "notes.txt", 61);
    REQUIRE(trim_store(folder.path(), 1000).has_value());
    CHECK_FALSE(fs::exists(sub / "old.tmp"));
    CHECK(fs::exists(sub / "new.tmp"));
    REQUIRE(clear_store(folder.path()).has_value());
    CHECK_FALSE(fs::exists(sub / "new.tmp"));
    CHECK_FALSE(fs::exists(entry_path(folder.path(), key_of(1))));
    CHECK(fs::exists(sub / "notes.txt"));
  }

  TEST_CASE("verify puts damaged entries aside and leaves the others") {
    const TestFolder folder;
    for (int i = 0; i < 3; ++i) {
      REQUIRE(
          write_entry(entry_path(folder.path(), key_of(i)), encode_entry(key_of(i), outcome_of(10)))
              .has_value());
    }
    REQUIRE(write_file(entry_path(folder.path(), key_of(1)), "x").has_value());
    const auto usage = verify_store(folder.path());
    REQUIRE(usage.has_value());
    CHECK(usage->entries == 2);
    CHECK(usage->damaged == 1);
    CHECK(verify_store(folder.path() / "not_there")->entries == 0);
  }

  TEST_CASE("a folder that cannot be written to costs no outcome") {
    const TestFolder folder;
    const fs::path file = folder.path() / "file";
    REQUIRE(write_file(file, "x").has_value());
    CompileStore store({.folder = file});
    store.keep({.key = key_of(1)}, shared(outcome_of(1)));
    store.flush();
    CHECK(store.find(key_of(1)) == nullptr);
  }
}

TEST_SUITE("compile.service_store") {
  // Answers every request with one outcome, and counts them in a file.
  constexpr const char* kWorker =
      "#!/bin/sh\n"
      "printf '\\016\\0\\0\\0ready\\nv\\nx86-64' >&3\n"
      "while [ -n \"$(head -c 1 <&3 | od -c)\" ]; do\n"
      "  echo >> FOLDER/compiles\n"
      "  cat FOLDER/reply >&3\n"
      "  exec sleep 9\n"
      "done\n";

  std::string frame_of(const std::string& payload) {
    std::string frame;
    for (unsigned shift = 0; shift < 32; shift += 8) {
      frame.push_back(static_cast<char>((payload.size() >> shift) & 0xffU));
    }
    return frame + payload;
  }

  struct Bench {
    TestFolder folder;
    std::shared_ptr<CompileStore> store;
    std::string identity = "one";

    explicit Bench(CompileVerdict verdict) {
      CompileOutcome outcome;
      outcome.verdict = verdict;
      outcome.message = "m";
      REQUIRE(write_file(folder.path() / "reply", frame_of(encode(outcome))).has_value());
      std::string script = kWorker;
      for (std::size_t at = script.find("FOLDER"); at != script.npos; at = script.find("FOLDER")) {
        script.replace(at, 6, folder.path().string());
      }
      REQUIRE(write_file(folder.path() / "worker.sh", script).has_value());
      fs::permissions(folder.path() / "worker.sh", fs::perms::owner_all);
      store =
          std::make_shared<CompileStore>(CompileStore::Options{.folder = folder.path() / "cache"});
    }

    /// In a service of its own, as after a restart.
    CacheUse compile(const std::string& source, bool fresh = false) {
      CompileService::Options options;
      options.executable = folder.path() / "worker.sh";
      options.store = store;
      options.identity = [this](Stamp) { return Result<std::string>(identity); };
      CompileService service(options);
      CompileRequest request;
      request.source.source = source;
      const auto reply = service.compile(request, {}, fresh);
      REQUIRE_MESSAGE(reply.has_value(), to_text(reply.error()));
      store->flush();
      return reply->cache;
    }
  };

  TEST_CASE("a restart finds what was compiled, by the request and the compiler") {
    Bench bench(CompileVerdict::kCompiled);
    CHECK(bench.compile("a") == CacheUse::kMiss);
    CHECK(bench.compile("a") == CacheUse::kHit);
    CHECK(bench.compile("b") == CacheUse::kMiss);
    CHECK(bench.compile("a", true) == CacheUse::kBypass);
    bench.identity = "two";
    CHECK(bench.compile("a") == CacheUse::kMiss);
    bench.identity = "";
    CHECK(bench.compile("a") == CacheUse::kMiss);
    CHECK(bench.compile("a") == CacheUse::kMiss);
  }

  struct Kept {
    CompileVerdict verdict;
    CacheUse again;
  };

  TEST_CASE("errors of the text are kept on disk, what a limit ended is not") {
    constexpr Kept kCases[] = {
        {CompileVerdict::kCompileError, CacheUse::kHit},
        {CompileVerdict::kPruned, CacheUse::kHit},
        {CompileVerdict::kUnsupported, CacheUse::kHit},
        {CompileVerdict::kResourceLimit, CacheUse::kMiss},
        {CompileVerdict::kTimeout, CacheUse::kMiss},
    };
    for (const Kept& c : kCases) {
      CAPTURE(static_cast<int>(c.verdict));
      Bench bench(c.verdict);
      CHECK(bench.compile("a") == CacheUse::kMiss);
      CHECK(bench.compile("a") == c.again);
    }
  }
}

}  // namespace ws
