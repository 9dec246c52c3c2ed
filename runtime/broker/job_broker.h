// Work that is done on other machines: whoever wants a tool's call made submits it and waits, nodes
// claim it, say that they live, and finish it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/result.h"
#include "runtime/base/viewer.h"

namespace ws {

/// A call of a tool that a node shall make.
struct NodeJob {
  std::string id;  ///< job_<32 hex>, chosen by whoever submits it.
  std::string tool;
  std::string arguments;  ///< JSON.
  std::string lane;       ///< Nodes that offer it may claim the job: "cpu", "cuda".
  std::string key{};      ///< Equal keys of one principal are one question; empty: never joined.
  std::string client{};   ///< As client_key() makes it.
  std::string owner{};    ///< As Viewer has it.
  bool sees_all = false;  ///< The same.
  bool shares = true;     ///< The same.
  std::optional<std::int64_t> most_bytes{};  ///< The same.
  bool background = false;  ///< Others of the same owner go first, and it costs five times as much.
};

struct Submitted {
  std::string id;       ///< The job's, or that of an unfinished one with the same question.
  bool joined = false;  ///< It is one that was there already.
};

enum class NodeJobState : std::uint8_t { kQueued, kRunning, kDone, kFailed, kCancelled, kLost };

/// "queued", "running", "done", "failed", "cancelled"; kLost: "lost".
std::string_view name_of(NodeJobState state);

/// How a job stands.
struct NodeJobView {
  std::string id;
  std::string tool;
  std::string arguments;
  std::string owner;
  bool shares = true;
  NodeJobState state = NodeJobState::kQueued;
  std::string node;           ///< The last one that had it; empty: none had.
  std::int64_t attempt = 0;   ///< How often it was given to a node.
  std::int64_t position = 0;  ///< Jobs of its owner that wait before it, up to 100; kQueued only.
  Progress progress{};
  std::string result{};         ///< JSON, as whoever finished it wrote it; empty: there is none.
  std::int64_t created_ms = 0;  ///< Since the Unix epoch, by the clock of the database.
  std::int64_t changed_ms = 0;  ///< The same.
};

/// The jobs that changed while one waited.
struct JobNews {
  std::vector<std::string> ids;
  bool missed = false;  ///< Some may have been missed: look at all.
};

/// A machine, or a part of one, that works.
struct NodeInfo {
  std::string name;      ///< Up to 64 of a-z A-Z 0-9 _ . -; one node that lives has it.
  std::string instance;  ///< This process.
  std::string host;
  std::string devices;  ///< As list_devices names them, with commas.
  std::vector<std::string> lanes;
  std::string version;
};

/// A node as operators see it.
struct NodeRow {
  NodeInfo node;
  bool lives = false;
  bool revoked = false;
  std::int64_t running = 0;  ///< Jobs that it has now.
  double seen_s = 0;         ///< Since its last sign of life.
  std::string started_at;    ///< As timestamp_now().
};

/// A device that nodes which live have.
struct OfferedDevice {
  std::string id;          ///< As list_devices names it.
  std::int64_t nodes = 0;  ///< So many have one of that name.
};

/// A job that a node has now.
struct NodeClaim {
  std::string id;
  std::string tool;
  std::string arguments;
  std::string client;
  std::string owner;
  bool sees_all = false;
  bool shares = true;
  std::optional<std::int64_t> most_bytes;
  bool background = false;
  std::int64_t attempt = 0;
};

struct ClaimOutcome {
  std::optional<NodeClaim> claim;           ///< Nothing: there is no work now.
  std::chrono::milliseconds look_again{0};  ///< Without a claim: when there may be some, at most.
};

/// How a node stands after a sign of life.
struct BeatOutcome {
  std::vector<WorkLease> cancelled;  ///< Nobody wants these jobs any more.
  std::vector<WorkLease> lost;       ///< The node does not have these any more.
  bool revoked = false;              ///< The node must end: its work is refused.
};

enum class Withdrawal : std::uint8_t {
  kEnded,     ///< The job had not begun, and is cancelled.
  kStopping,  ///< The node that has it was told to stop.
  kStays,     ///< Others want it.
  kOver,      ///< It had ended.
};

/// How a node ends a claim.
enum class NodeFinish : std::uint8_t {
  kDone,
  kFailed,
  kCancelled,
  kGaveBack,  ///< Another node shall do it: this one ends.
  kTryAgain,  ///< Another attempt may succeed; the third is the last one.
};

/// Leases last so long without a beat, by the broker's clock. The functions of
/// runtime/archive/store/postgres_nodes.cpp have this number and the last one, too.
inline constexpr std::chrono::seconds kNodeLease{30};
inline constexpr std::chrono::seconds kNodeBeat{10};
/// As many nodes may fail a job before it is given up.
inline constexpr int kNodeAttempts = 3;

/// The broker as one process, a server or a node, has it. All methods: any thread. @errors of all:
/// kIo, kBusy: the broker cannot be reached now.
class JobBroker {
 public:
  virtual ~JobBroker() = default;

  /// Adds a job, or joins an unfinished one of the same owner with the same key. The client wants
  /// it from now on.
  virtual Result<Submitted> submit(const NodeJob& job) = 0;

  /// Those of the jobs that are known, in no order.
  virtual Result<std::vector<NodeJobView>> look(const std::vector<std::string>& ids) = 0;

  /// The client wants the job from this server, too. Nothing for one that is unknown or has ended.
  virtual Status want(const std::string& id, const std::string& client) = 0;

  /// Nobody wants the job from this server any more. It ends when no other one's client does.
  /// @errors kNotFound.
  virtual Result<Withdrawal> withdraw(const std::string& id) = 0;

  /// The client does not want the job any more, whichever servers it asked.
  /// @param wanted_here  Others still want it from this server, which keeps it; else as withdraw().
  /// @errors kNotFound.
  virtual Result<Withdrawal> cancel(const std::string& id, const std::string& client,
                                    bool wanted_here) = 0;

  /// The devices of nodes that live and were not revoked, by name.
  virtual Result<std::vector<OfferedDevice>> devices() = 0;

  /// Waits until jobs change, `most` has passed or `stop` is requested. One thread of a process.
  virtual Result<JobNews> wait(std::chrono::milliseconds most, const std::stop_token& stop) = 0;

  // For nodes:

  /// The node takes part. @errors kConflict: a node of that name lives, or was revoked.
  virtual Status enter(const NodeInfo& node) = 0;

  /// Takes the next job of the node's lanes: one whose node is gone, else one of the owner that had
  /// the least. It is the node's for kNodeLease.
  virtual Result<ClaimOutcome> claim(const NodeInfo& node) = 0;

  /// Renews the leases of jobs, and the node's own.
  virtual Result<BeatOutcome> beat(const NodeInfo& node, const std::vector<WorkLease>& held) = 0;

  /// Says how far a job is. Nothing for one that the node does not have any more.
  virtual Status progress(const WorkLease& lease, const Progress& progress) = 0;

  /// Ends the lease of a job. May be called again after an error. A node that was revoked may only
  /// give back.
  /// @param result  JSON, for whoever waits; of kGaveBack and kTryAgain only where the job is given
  /// up. @return  False: the node did not have it any more, and nothing was kept.
  virtual Result<bool> finish(const WorkLease& lease, NodeFinish how, const std::string& result,
                              double took_ms) = 0;

  /// Waits until there may be work or something was cancelled, as wait() does. Its ids are those of
  /// cancelled jobs.
  virtual Result<JobNews> wait_for_work(std::chrono::milliseconds most,
                                        const std::stop_token& stop) = 0;

  /// The node takes no part any more. Its claims must have ended.
  virtual Status leave(const NodeInfo& node) = 0;

  /// Forgets some jobs that ended a day ago, and nodes and shares that nothing is left of. Takes
  /// no longer than a beat may be late. @return  How many jobs; 0: none is left.
  virtual Result<std::int64_t> forget_ended() = 0;

  // For operators:

  /// By name, without those that were gone for a day and left no evidence behind.
  virtual Result<std::vector<NodeRow>> nodes() = 0;
};

}  // namespace ws
