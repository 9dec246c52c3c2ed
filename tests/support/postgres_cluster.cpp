#include "tests/support/postgres_cluster.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/archive/postgres/boundary.h"
#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "tests/support/outside_program.h"

namespace ws::test {
namespace {

/// The folder of initdb and postgres; empty where they are not installed.
const std::string& programs() {
  static const std::string folder = [] {
    const OutsideRun run = run_outside("ls -d /usr/lib/postgresql/*/bin/initdb | tail -n 1", "/");
    return run.status == 0 && run.output.ends_with("initdb\n")
               ? run.output.substr(0, run.output.rfind('/'))
               : std::string();
  }();
  return folder;
}

/// PostgreSQL refuses to run as root.
std::vector<std::string> unprivileged() {
  return ::geteuid() == 0 ? std::vector<std::string>{"setpriv", "--reuid=nobody", "--regid=nogroup",
                                                     "--clear-groups"}
                          : std::vector<std::string>{"setpriv"};
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += word + " ";
  }
  return line;
}

void must_run(const std::string& command, const std::string& folder) {
  const OutsideRun run = run_outside(command, folder);
  REQUIRE_MESSAGE(run.status == 0, run.output);
}

/// Databases for tests: those that are taken, and those that were given back.
struct Databases {
  PostgresCluster cluster;
  std::vector<std::string> free;
  int made = 0;

  Databases() { cluster.start(); }
};

Databases& databases() {
  static Databases all;
  return all;
}

}  // namespace

bool has_postgres() {
  const std::filesystem::path library = executable_path().parent_path() / kPostgresLibraryFile;
  return !programs().empty() && std::filesystem::exists(library);
}

std::string take_database() {
  Databases& all = databases();
  if (all.free.empty()) {
    const std::string name = "archive" + std::to_string(++all.made);
    all.cluster.run("postgres", "CREATE DATABASE " + name);
    return all.cluster.url(name);
  }
  std::string url = all.free.back();
  all.free.pop_back();
  return url;
}

void leave_database(const std::string& url) {
  const std::size_t name = url.find("@/") + 2;
  databases().cluster.run(url.substr(name, url.find('?') - name),
                          "DROP SCHEMA IF EXISTS warpsmith CASCADE");
  databases().free.push_back(url);
}

PostgresCluster::PostgresCluster()
    : folder_("/tmp/ws_pg_" + random_hex(8)) {  // A socket's path has at most 107 bytes.
  std::filesystem::create_directories(folder_);
  if (::geteuid() == 0) {
    must_run("chown nobody:nogroup .", folder_);
  }
  must_run(joined(unprivileged()) + programs() +
               "/initdb -D db -A trust -U warpsmith --no-sync -E UTF8 --locale=C.UTF-8",
           folder_);
}

PostgresCluster::~PostgresCluster() {
  stop();
  std::error_code ignored;  // A destructor cannot report, and the folder is a temporary one.
  std::filesystem::remove_all(folder_, ignored);
}

void PostgresCluster::start(const std::string& settings) {
  std::vector<std::string> words = unprivileged();
  // It ends with the tests, however they end.
  words.insert(words.end(),
               {"--pdeathsig=QUIT", programs() + "/postgres", "-D", folder_ + "/db", "-k", folder_,
                "-c", "listen_addresses=", "-c", "fsync=off", "-c", "logging_collector=on"});
  if (!settings.empty()) {
    words.insert(words.end(), {"-c", settings});
  }
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  REQUIRE(::posix_spawnp(&process_, "setpriv", nullptr, nullptr, argv.data(), environ) == 0);
  must_run("for i in $(seq 200); do " + programs() + "/pg_isready -q -h " + folder_ +
               " && exit 0; sleep 0.05; done; exit 1",
           folder_);
}

void PostgresCluster::stop() {
  if (process_ > 0) {
    ::kill(process_, SIGQUIT);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }
}

std::string PostgresCluster::run(const std::string& database, const std::string& sql) {
  const OutsideRun run =
      run_outside(programs() + "/psql -h " + folder_ + " -U warpsmith -d " + database +
                      " -qAt -v ON_ERROR_STOP=1 -c \"SET client_min_messages = "
                      "warning\" -c \"" +
                      sql + "\"",
                  folder_);
  REQUIRE_MESSAGE(run.status == 0, run.output);
  return run.output;
}

std::string PostgresCluster::url(const std::string& database, const std::string& user) const {
  return "postgres://" + user + "@/" + database + "?host=" + folder_;
}

}  // namespace ws::test
