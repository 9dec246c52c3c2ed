#include "server/cli/app.h"

#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <sys/resource.h>

#include "runtime/base/log.h"
#include "runtime/base/viewer.h"
#include "runtime/session/skills.h"
#include "server/cli/completions.h"
#include "server/cli/version.h"
#include "server/page/app_page.h"
#include "tools/kernels/archive_resources.h"
#include "tools/kernels/guide.h"

namespace ws::server {
namespace {

/// The files are read again by each call that needs them.
void warn_of_skills(const ServicesOptions& options) {
  for (const SkillProblem& problem : current_skills(options).problems) {
    log(LogLevel::kWarning, "skills", "file=" + problem.file + " left out: " + problem.reason);
  }
}

/// A thread cannot be started either where its stack finds no addresses.
bool has_bounded_addresses() {
  rlimit space = {};
  return ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

}  // namespace

Json ListedResources::rows() const {
  Json rows = guide_rows();
  for (Json& row : recent_.rows(
           [this](const std::string& id) { return archive_.has_kernel(id).value_or(false); })) {
    rows.push_back(std::move(row));
  }
  return rows;
}

ResourceNews ListedResources::note(const Json& answer) {
  RecentResources::News news = recent_.note(answer);
  const Viewer& told = current_viewer();
  return {.list = news.list,
          .contents = std::move(news.contents),
          .in_list =
              [this, id = news.kernel, owner = told.owner, shares = told.shares] {
                const Viewer& viewer = current_viewer();
                return (shares || viewer.sees_all || viewer.owner == owner) &&
                       archive_.has_kernel(id).value_or(false);
              },
          .in_contents = [this, id = news.evidence] { return archive_.evidence(id).has_value(); }};
}

tl::unexpected<Error> cannot_start(const std::system_error& error) {
  std::string hint =
      "raise the limit of processes and threads: ulimit -u, or pids.max of the cgroup";
  if (has_bounded_addresses()) {
    hint += "; or that of addresses, which stacks of threads take: ulimit -v";
  }
  return fail(ErrorCode::kIo, "the server cannot start: the system has no thread left", hint,
              error.what());
}

tl::unexpected<Error> cannot_start(const std::bad_alloc& /*error*/) {
  return fail(ErrorCode::kIo, "the server cannot start: the system has no memory left",
              "raise the limit: ulimit -v, or memory.max of the cgroup");
}

Result<std::unique_ptr<App>> App::open(const ServicesOptions& options) {
  try {
    return open_all(options);
  } catch (const std::system_error& error) {
    return cannot_start(error);
  } catch (const std::bad_alloc& error) {
    return cannot_start(error);
  }
}

Result<std::unique_ptr<App>> App::open_all(const ServicesOptions& options) {
  std::unique_ptr<App> app(new App());
  WS_TRY(app->services_, open_services(options));
  add_all_tools(app->registry_, *app->services_);
  WS_CHECK(app->registry_.status());
  McpServer::Options server;
  server.version = version();
  app->resources_ = make_archive_resources(*app->services_);
  server.resources = app->resources_.get();
  app->listed_ = std::make_unique<ListedResources>(*app->services_->archive);
  server.resource_list = app->listed_.get();
  server.news = [listed = app->listed_.get()](const Json& answer) { return listed->note(answer); };
  server.on_tools_listed = [services = app->services_.get()] { services->warm(); };
  app->completions_ = std::make_unique<Completions>(*app->services_, app->registry_);
  server.completions = app->completions_.get();
  app->view_ = result_app();
  server.app = &app->view_;
  app->pictures_ = std::make_unique<PictureMaker>(
      *app->resources_, executable_path().parent_path() / kPictureLibraryFile);
  server.picture = [own = app->pictures_.get()](const std::string& tool, const Json& answer) {
    return own->png(tool, answer);
  };
  server.talks = true;
  server.adopts_sessions = true;
  server.jobs = dynamic_cast<JobBook*>(app->registry_.find("job")->tool.get());
  server.check_output = WARPSMITH_CHECK_OUTPUT != 0;
  app->server_ = std::make_unique<McpServer>(app->registry_, server);
  // Beside the start, which it would lengthen by some milliseconds.
  app->skills_check_ = std::jthread([own = app->services_->options] { warn_of_skills(own); });
  return app;
}

}  // namespace ws::server
