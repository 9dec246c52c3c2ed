#include "server/cli/stdio_client.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/cli/version.h"
#include "server/protocol/message.h"

namespace ws::server {
namespace {

/// Above the 45 s after which a tool answers `running`.
constexpr long kAnswerSeconds = 120;
constexpr long kEndSeconds = 5;

struct Pipe {
  Fd read;
  Fd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno("pipe2", "cannot start the server");
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<pid_t> spawn(std::vector<std::string> words, int input, int output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return fail_errno("posix_spawn", "cannot start " + words.front());
  }
  return pid;
}

/// Found out by a write or by a read, whichever comes first.
tl::unexpected<Error> server_ended() {
  return fail(ErrorCode::kIo, "the server has ended", "its last output is above");
}

}  // namespace

Result<std::unique_ptr<StdioClient>> StdioClient::start(const std::filesystem::path& executable,
                                                        const std::vector<std::string>& options) {
  // A server that ends early is an error of the next write, not the end of this program.
  std::signal(SIGPIPE, SIG_IGN);
  WS_TRY(Pipe in, make_pipe());
  WS_TRY(Pipe out, make_pipe());
  Fd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid()) {
    return fail_errno("timerfd_create", "cannot start the server");
  }
  std::vector<std::string> words = {executable.string(), "serve", "--stdio", "--log-level",
                                    "warning"};
  words.insert(words.end(), options.begin(), options.end());
  WS_TRY(const pid_t pid, spawn(std::move(words), in.read.get(), out.write.get()));
  return std::unique_ptr<StdioClient>(
      new StdioClient(pid, std::move(in.write), std::move(out.read), std::move(timer)));
}

StdioClient::StdioClient(pid_t pid, Fd input, Fd output, Fd timer)
    : pid_(pid),
      input_(std::move(input)),
      output_(std::move(output)),
      timer_(std::move(timer)),
      reader_(output_.get(), timer_.get(), kMaxBodyBytes) {}

StdioClient::~StdioClient() {
  input_.reset();
  arm_timer(kEndSeconds);
  LineReader::Event event = LineReader::Event::kLine;
  while (event == LineReader::Event::kLine || event == LineReader::Event::kTooLong) {
    event = reader_.next();
  }
  if (event == LineReader::Event::kStopped) {
    ::kill(pid_, SIGKILL);
  }
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void StdioClient::arm_timer(long seconds) const {
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_nsec = 0}};
  ::timerfd_settime(timer_.get(), 0, &once, nullptr);
}

Status StdioClient::send(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = ::write(input_.get(), line.data(), line.size());
    if (count < 0 && errno == EPIPE) {
      return server_ended();
    }
    if (count < 0 && errno != EINTR) {
      return fail_errno("write", "the server does not take a request");
    }
    line.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

Result<Json> StdioClient::receive(const ProgressFn& progress) {
  while (true) {
    const LineReader::Event event = reader_.next();
    if (event == LineReader::Event::kStopped) {
      return fail(ErrorCode::kTimeout,
                  "the server is silent for " + std::to_string(kAnswerSeconds) + " s");
    }
    if (event != LineReader::Event::kLine) {
      return server_ended();
    }
    Json message = Json::parse(reader_.line(), nullptr, false);
    if (!message.is_object()) {
      return fail(ErrorCode::kInternal, "the server wrote a line that is not a message");
    }
    if (message.contains("method")) {
      if (progress && message["method"] == "notifications/progress") {
        progress(message["params"].value("message", ""));
      }
    } else if (message.value("id", Json()) == last_id_) {
      return message;
    }
  }
}

Result<Json> StdioClient::request(const std::string& method, Json params,
                                  const ProgressFn& progress) {
  ++last_id_;
  params["_meta"] = {{meta::kVersion, name_of(kModern)},
                     {meta::kCapabilities, Json::object()},
                     {meta::kClientInfo, {{"name", "warpsmith"}, {"version", version()}}},
                     {"progressToken", last_id_}};
  const Json message = {
      {"jsonrpc", "2.0"}, {"id", last_id_}, {"method", method}, {"params", std::move(params)}};
  arm_timer(kAnswerSeconds);
  WS_CHECK(send(to_line(message) + "\n"));
  WS_TRY(Json answer, receive(progress));
  if (answer.contains("error")) {
    return fail(ErrorCode::kInternal,
                method + " was refused: " + answer["error"].value("message", ""));
  }
  return answer.value("result", Json::object());
}

Result<Json> StdioClient::call_tool(const std::string& tool, Json arguments,
                                    const ProgressFn& progress) {
  WS_TRY(Json result,
         request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}, progress));
  if (result.value("isError", false)) {
    return fail(ErrorCode::kInternal,
                tool + " failed: " + result["content"].at(0).value("text", ""));
  }
  Json answer = result.value("structuredContent", Json::object());
  const std::string status = answer.value("status", "");
  if (status != "running" && status != "queued") {
    return answer;
  }
  return call_tool("job", {{"job_id", answer.value("job_id", "")}, {"action", "wait"}}, progress);
}

}  // namespace ws::server
