// The steps of a workflow, run through a client, shown and kept.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/lineage/speedup_chart.h"
#include "runtime/lineage/workflow_script.h"
#include "server/cli/demo_screen.h"
#include "server/cli/stdio_client.h"

namespace ws::server {

/// One thread. The client, the screen and the workflow outlive it.
class ReplaySession {
 public:
  /// @param device  Empty: the server's default. @param quick  Times the last kernel only, briefly,
  ///                and takes recorded parameters in place of searching.
  ReplaySession(StdioClient& client, const DemoScreen& screen, const Workflow& workflow,
                std::string device, bool quick);

  /// Compiles and validates the first kernel, makes each step that is for the device, and times
  /// each transformation's last kernel against the first one and the one before.
  /// @errors What the client says; kInternal: a step that does not hold, with its number and why.
  Status run();

  /// The results so far: {workflow, device, steps[], ...}.
  [[nodiscard]] const Json& report() const { return report_; }

  /// The measured steps, for a chart.
  [[nodiscard]] const std::vector<SpeedupPoint>& points() const { return points_; }

 private:
  /// The steps that one row stands for: all passes of a transformation, an edit or a search.
  struct Group {
    std::string label;
    std::size_t passes = 0;  ///< Those that changed something.
    std::vector<std::string> notes;
  };

  Status choose_device();
  Status begin();
  Status run_step(const WorkflowStep& step);
  Status make_pass(const WorkflowStep& step);
  Status make_lowering(const WorkflowStep& step);
  Status make_edit(const WorkflowStep& step);
  Status make_tune(const WorkflowStep& step);
  Status change(Json arguments);
  Status end_group(bool last);
  Status measure(Json& row, SpeedupPoint& point);
  /// The arguments of `benchmark` on this device.
  [[nodiscard]] Json timing_arguments() const;
  Result<Json> time_against(const std::string& baseline);
  Result<Json> call(const std::string& tool, Json arguments);
  void show(const Json& row);

  StdioClient& client_;
  const DemoScreen& screen_;
  const Workflow& workflow_;
  std::string device_;
  const bool quick_;
  std::string backend_;
  std::string arch_;
  std::set<std::string> tools_;
  std::string root_;      // Kernel ids.
  std::string previous_;  // The last one that was timed, or the root.
  std::string kernel_;
  Group group_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::string doing_;  // The text that the terminal shows beside progress.
  std::vector<SpeedupPoint> points_;
  Json report_ = Json::object();
};

}  // namespace ws::server
