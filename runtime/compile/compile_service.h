// Compiles in worker processes, remembers what they gave, and joins identical requests.
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/core_gate.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/file_stamp.h"
#include "runtime/compile/store.h"
#include "runtime/queue/worker_pool.h"

namespace ws {

enum class CacheUse : std::uint8_t { kHit, kMiss, kJoined, kBypass };
std::string_view name_of(CacheUse use);

struct CompileReply {
  std::shared_ptr<const CompileOutcome> outcome;
  CacheUse cache = CacheUse::kMiss;
};

struct CompilerInfo {
  std::string version;  ///< "clang 19.1.7"
  std::string arch;     ///< "x86-64-v3"
};

class CompileService {
 public:
  struct Options {
    std::string executable;
    std::string role = "compile";  ///< The role of the workers; "nvrtc" for CUDA.
    std::string compiler = "the CPU engine's compiler";  ///< For messages.
    std::string setup;        ///< The first frame to each worker, where its role takes one.
    std::size_t workers = 2;  ///< Compiles at the same time.
    std::size_t cache_entries = 256;
    std::chrono::milliseconds deadline{30'000};     ///< A worker that is silent longer is killed.
    std::shared_ptr<CompileStore> store = nullptr;  ///< Outcomes on disk; null: memory only.
    std::shared_ptr<CoreGate> cores = nullptr;  ///< Shared while a worker compiles; null: no gate.
    /// A request comes after the tag of its owner: a worker makes many compiles in one process, and
    /// none for two clients.
    bool by_owner = false;
    /// Digest of all that decides what the compiler makes of a request, but the request: part of
    /// the keys on disk, and, by content, of those that machines share. Called once for each, when
    /// a key is first needed; empty or an error: no disk, or nothing shared.
    std::function<Result<std::string>(Stamp)> identity = nullptr;
  };

  explicit CompileService(Options options);

  /// A verdict other than kCompiled is a value, not an error.
  ///
  /// @param fresh  Compile again even if the outcome is known.
  /// @errors kUnsupported: no compiler plug-in; kCancelled; kIo: no worker can be started.
  /// @threads any; blocks.
  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh = false);

  /// Starts a worker if there is none. @errors as compile().
  Result<CompilerInfo> info();

  /// Starts one worker in the background.
  void warm() { pool_.warm(); }

 private:
  /// A compile that several callers wait for.
  struct Flight {
    bool done = false;
    Result<std::shared_ptr<const CompileOutcome>> result{nullptr};
  };

  /// A worker that has said "ready", lent to one caller at a time.
  struct Worker {
    WorkerProcess process;
    CompilerInfo info;
    std::string owner{};  ///< The tag that was compiled for last.
  };

  struct Identity {
    std::once_flag once;
    std::string text;  ///< Empty: there is none.
  };

  using OutcomePtr = std::shared_ptr<const CompileOutcome>;

  /// From disk, else from a worker.
  Result<OutcomePtr> produce(const std::string& frame, const std::stop_token& stop, bool fresh,
                             CacheUse& use);
  /// The key of an encoded request; empty where nothing is kept by such keys.
  std::string store_key(const std::string& frame, Stamp stamp);
  Result<OutcomePtr> compile_now(const std::string& request, const std::stop_token& stop);
  /// One that compiled for this owner last, if there is one.
  Result<Worker> borrow(const std::stop_token& stop, const std::string& owner = {});
  void give_back(Worker worker);
  void drop_worker();
  /// Where one has died the others may have too.
  void forget_idle();
  Result<Worker> start_worker();
  OutcomePtr find(const std::string& key);
  void remember(const std::string& key, OutcomePtr outcome);

  const Options options_;
  WorkerPool pool_;
  std::array<Identity, 2> identities_;  ///< By Stamp.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Worker> idle_;          // guarded by mutex_
  std::size_t lent_ = 0;              // guarded by mutex_
  std::optional<CompilerInfo> info_;  // guarded by mutex_; of the first worker that was ready
  std::map<std::string, std::shared_ptr<Flight>> flights_;  // guarded by mutex_
  std::list<std::pair<std::string, OutcomePtr>> recent_;    // guarded by mutex_; newest first
  std::map<std::string, std::list<std::pair<std::string, OutcomePtr>>::iterator> cache_;
};

}  // namespace ws
