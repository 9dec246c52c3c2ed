// The sub-commands of the executable. Each returns its exit status.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/reward_pins.h"
#include "runtime/session/services.h"
#include "server/access/bearer_token.h"
#include "server/cli/client_settings.h"
#include "server/cli/http_post.h"
#include "server/cli/serve_oauth.h"
#include "server/cli/share_options.h"
#include "server/look/terminal.h"
#include "server/operate/service_manager.h"
#include "server/transport/tls_context.h"

namespace ws::server {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kSignalled = 128;  ///< Plus the number of the signal that ended it.

struct ServeOptions {
  ServicesOptions services;
  bool stdio = false;
  std::string http;               ///< HOST:PORT, or empty.
  std::string socket;             ///< The path of a Unix socket, or empty.
  TokenSource token;              ///< Needed beyond loopback, or this:
  std::string principals_file;    ///< As parse_principals() reads it; empty: there is none.
  bool on_nodes = false;          ///< Calls that are jobs are made by nodes.
  ShareOptions share;             ///< How compiled kernels are shared.
  OAuthOptions oauth;             ///< The access tokens that are taken beside them.
  TlsPaths tls;                   ///< For `http`; all empty: it is not encrypted.
  RewardPins rewards;             ///< The arguments of evaluate that no call may change.
  bool python_reference = false;  ///< Over HTTP too: who can send one can run Python, sandboxed.
  bool metrics_open = false;      ///< GET /metrics needs no token.
  std::string collector;          ///< Where spans are sent: http://HOST:PORT; empty: nowhere.
  std::string audit_file;         ///< Where calls are written down; empty: nowhere.
  std::chrono::milliseconds drain_time{10000};  ///< Running work may last so long after SIGTERM.
  ServiceSocket service;
};

/// `serve`: until the end of input (stdio), SIGINT or SIGTERM.
int serve_command(const ServeOptions& options);

struct NodeOptions {
  ServicesOptions services;           ///< With a store.
  std::string lanes = "auto";         ///< "cpu": only the CPU engine; "auto": what is here.
  std::string name;                   ///< Empty: made of the host's name and the process id.
  RewardPins rewards;                 ///< As ServeOptions has them.
  ShareOptions share;                 ///< The same.
  bool python_reference = false;      ///< The same.
  std::chrono::seconds idle_exit{0};  ///< Ends after so long without work; 0: never.
  std::chrono::milliseconds drain_time{10000};  ///< As ServeOptions has it.
  ServiceSocket service;
};

/// `node`: does jobs of servers until SIGINT or SIGTERM, or until it was idle for long. 1: it
/// cannot take part; stderr says why.
int node_command(const NodeOptions& options);

struct NodesOptions {
  std::string store;
  std::string action = "list";  ///< list, revoke, allow, grant or deny.
  std::string name;             ///< revoke, allow, grant; empty in grant: that of the role.
  std::string role;             ///< grant, deny.
  bool json = false;
};

/// `nodes`: lists the nodes of an archive, refuses one and what it measured, or allows it again,
/// and gives nodes roles of their own. 1: there is no such node or role, or the archive does not
/// answer; stderr says which.
int nodes_command(const NodesOptions& options);

struct CallOptions {
  ServicesOptions services;
  std::string server_url;  ///< Empty: in this process.
  TokenSource token;       ///< Shown to that server.
  HttpTrust trust;         ///< Between it and this command.
  std::string tool;
  std::string arguments;  ///< JSON, @file, or - for stdin.
};

/// `call`: prints structuredContent and a line end. 0: a result, with any verdict. 1: a tool error,
/// or no server; its text goes to stderr. 2: the tool or the JSON is not one.
int call_command(const CallOptions& options);

struct DemoOptions {
  std::filesystem::path data_dir;  ///< Empty: a fresh folder that is gone afterwards.
  bool json = false;
};

/// `demo`: the main job through a server process of its own, as a table that grows, or as one JSON
/// object. 1: a step did not give what it should, or there was no answer; stderr says which.
int demo_command(const DemoOptions& options);

struct DoctorOptions {
  std::filesystem::path data_dir;
  std::vector<std::string> cuda_folders;      ///< As ServicesOptions::cuda_folders.
  std::optional<std::string> cuda_visible;    ///< As ServicesOptions::cuda_visible.
  std::vector<std::string> interpreters;      ///< As ServicesOptions::interpreters.
  std::vector<std::string> hip_folders;       ///< As ServicesOptions::hip_folders.
  std::optional<std::string> vulkan_drivers;  ///< As ServicesOptions::vulkan_drivers.
  std::vector<std::filesystem::path> skills;  ///< As ServicesOptions::skills.
  bool json = false;
};

/// `doctor`: what is here and what is missing, each with what fixes it. 1: the default device does
/// not work. Changes nothing.
int doctor_command(const DoctorOptions& options);

struct ConfigOptions {
  ClientFolders folders;
  std::string client;  ///< One of client_words().
  std::string url;     ///< A running server; empty: the client starts one.
  bool token = false;  ///< That server asks for a token.
  bool write = false;  ///< Does not ask.
};

/// `config`: the lines that add this server to a client, on stdout; then, if the user agrees, in
/// the client's file. 1: the file cannot be extended or written; stderr says why.
int config_command(const ConfigOptions& options);

struct CacheOptions {
  std::filesystem::path data_dir;
  std::string action;  ///< One of cache_actions().
  bool json = false;
};

/// "stats", "clear", "verify".
std::vector<std::string> cache_actions();

/// `cache`: counts, deletes or reads all that the compile cache holds on disk, also while servers
/// use it. 1: it cannot be listed, or `verify` found damaged entries, which are put aside.
int cache_command(const CacheOptions& options);

struct ReplayOptions {
  std::filesystem::path workflow;  ///< A folder with workflow.json, or such a file.
  std::filesystem::path data_dir;  ///< Empty: a fresh folder that is gone afterwards.
  std::filesystem::path svg;       ///< Where the chart goes; empty: nowhere.
  std::string device;              ///< Empty: the default one.
  std::string skills_dir;          ///< A folder of the user's transformations, or empty.
  bool gpus = true;                ///< As ServicesOptions::gpus.
  bool quick = false;              ///< Times only the last kernel, briefly, and searches nothing.
  bool json = false;
};

/// `replay`: every step of a recorded workflow through a server process of its own, each compiled
/// and judged, each transformation timed; as a table that grows, or as one JSON object. 1: the
/// workflow cannot be read, or a step does not hold any more; stderr says which and why.
int replay_command(const ReplayOptions& options);

struct StatsOptions {
  ArchivePlace place;
  bool json = false;
};

/// `stats`: which passes of transformations were tried, how often, and how they ended. 1: the
/// archive cannot be read.
int stats_command(const StatsOptions& options);

struct TuneOptions {
  ArchivePlace place;
  std::string action;  ///< export or import.
  std::string kernel;  ///< export: an id or a ref.
  std::string device;  ///< export: as evidence names it; empty: any.
  std::string file;    ///< import: a T1 file, or - for stdin.
};

/// `tune`: what was measured as a cache file of Kernel Tuner, or a T1 file's search space as the
/// fields of a kernel, on stdout. 1: there is none, or it cannot be read; stderr says why.
int tune_command(const TuneOptions& options);

struct ProblemsOptions {
  ArchivePlace place;
  std::string folder;
  std::optional<double> least_us;  ///< As CurateOptions.
  std::optional<double> most_us;
  bool json = false;
};

/// `problems curate`: a set of the problems in a folder, with difficulties and weights. 1: the
/// folder or the archive cannot be read.
int problems_command(const ProblemsOptions& options);

struct ImportOptions {
  std::string source;  ///< pytorch, flashinfer, kernelbench or kernel-tuner.
  std::vector<std::filesystem::path> files;
  std::string sizes;                      ///< flashinfer: "NAME=SIZE NAME=SIZE,SIZE"
  std::vector<std::string> interpreters;  ///< As ServicesOptions::interpreters.
};

/// `import`: prints the problem that files of another project describe, or with a kernel both, as
/// compile_kernel takes them; notes go to stderr. 1: they cannot be taken; stderr says why.
int import_command(const ImportOptions& options);

struct ExportOptions {
  ServicesOptions services;
  std::string ref;               ///< A kernel: an id or a ref.
  std::string form;              ///< As the argument `as` of workflow.
  std::filesystem::path folder;  ///< Where the files go: new, or empty.
  std::string device;            ///< Its evidence counts first; empty: the default one.
  bool allow_unverified = false;
};

/// `export`: writes a kernel as files of another program, and prints their names. 1: the folder is
/// not empty or cannot be written, or there is no such export; stderr says why.
int export_command(const ExportOptions& options);

struct ReportOptions {
  ArchivePlace place;
  std::string ref;     ///< A kernel's id or a ref.
  std::string device;  ///< As evidence is kept under; empty: that of the newest benchmark.
  std::filesystem::path file;
};

/// Writes a page about a kernel. 1: there is no such kernel, or the file cannot be written; stderr
/// says why.
int report_command(const ReportOptions& options);

struct ViewOptions {
  ArchivePlace place;
  int port = 0;  ///< On loopback; 0: any free one.
};

/// `view`: serves the page about a data folder and prints its address, until SIGINT or SIGTERM.
/// 1: there is no archive, or the port is in use; stderr says why.
int view_command(const ViewOptions& options);

struct LookOptions {
  ArchivePlace place;
  std::string action;              ///< log, show, diff or compare.
  std::vector<std::string> names;  ///< Kernels: ids or refs; log: one of them, or a problem's id.
  int most = 30;                   ///< log: rows.
  Terminal terminal;
  bool json = false;
};

/// `log`, `show`, `diff` and `compare`: what the archive of a data folder holds, as text for a
/// terminal or as one JSON object, also while servers use it. 1: there is no archive, or no such
/// kernel or problem; stderr says which.
int look_command(const LookOptions& options);

struct ArchiveOptions {
  ServicesOptions services;  ///< data_dir; the rest is for what `verify` runs again.
  std::string action;        ///< The name of the sub-command.
  std::string file;      ///< export, import, backup, restore: a path, or - for stdout and stdin.
  std::string target;    ///< move: a URL of PostgreSQL, or a folder.
  std::string kernel;    ///< note, tag, and an import of tuning results: an id or a ref.
  std::string text;      ///< note, tag.
  std::string id;        ///< share, unshare: of a kernel, a problem, evidence or a job.
  GarbageRules rules;    ///< gc.
  bool remove = false;   ///< gc: else it only says what would go.
  bool force = false;    ///< gc: removes what is younger than a day too, where `days` is 0. backup:
                         ///< replaces a file. move: while servers use the archive.
  bool dry_run = false;  ///< migrate: only says what would change.
  std::string audit_file;  ///< Where a change is written down; empty: nowhere.
  int rerun = 0;           ///< verify: so many kernels that passed are validated again.
  bool json = false;
};

/// `archive`: progress goes to stderr. 1: it could not be done, lines of an import were
/// refused, or `verify` found something; 2: a note or tag that cannot be one.
int archive_command(const ArchiveOptions& options);

struct OperateOptions {
  ArchivePlace place;      ///< jobs: what is asked where no server answers.
  std::string server_url;  ///< http://HOST:PORT/mcp; empty: one on this machine.
  TokenSource token;       ///< Shown to that server.
  HttpTrust trust;         ///< Between it and this command.
  std::string cancel;      ///< jobs: the id of one that shall end; empty: none.
  bool follow = false;     ///< jobs: goes on with what changes.
  bool json = false;
};

/// `jobs`: lists the jobs of a running server, or of the data folder where none answers; ends one.
/// 1: the server does not answer, or refuses; stderr says why.
int jobs_command(const OperateOptions& options);

/// `sessions` and `top`: the sessions of older clients, and the load of a running server. 1: as
/// jobs_command().
int sessions_command(const OperateOptions& options);
int top_command(const OperateOptions& options);

struct TokenOptions {
  std::string action;   ///< new, add, list or revoke.
  std::string name;     ///< All but list.
  std::string expires;  ///< new, add: such as "90d" or "2027-01-31"; empty: never.
  bool old = false;     ///< revoke: all tokens but the last.
  std::string role = "use";
  std::string file;
  bool json = false;
};

/// `token`: makes the token of a new principal, or another one of a principal, which it prints,
/// lists the principals of a file, or removes one, or its older tokens. 1: the file cannot be read
/// or written, or has no such principal, or has it already; stderr says which.
int token_command(const TokenOptions& options);

/// `metrics`: the list of what GET /metrics has, as a table of Markdown.
int metrics_command();

}  // namespace ws::server
