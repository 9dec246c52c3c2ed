// The command line's options, as sub-commands have them. The file that reads the environment,
// main.cpp, fills in what options leave open.
#pragma once

#include <string>

#include "runtime/base/log.h"
#include "server/cli/commands.h"
#include "server/cli/manual.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ws::server {

struct CommandLine {
  std::string skills_dir;  ///< --skills, or empty.
  std::string data_dir;    ///< --data; its default is set before the options are added.
  std::string store;       ///< --store, or empty.
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  ServeOptions serve;
  std::string config_file;    ///< --config of serve: read before the other options are parsed.
  bool print_config = false;  ///< --print-config of serve.
  NodeOptions node;
  NodesOptions nodes;
  CallOptions call;
  DemoOptions demo;
  DoctorOptions doctor;
  ConfigOptions config;
  CacheOptions cache;
  ReplayOptions replay;
  StatsOptions stats;
  TuneOptions tune;
  ArchiveOptions archive;
  ProblemsOptions problems;
  ImportOptions imports;
  ExportOptions exports;
  ReportOptions report;
  ViewOptions view;
  LookOptions look;
  std::string colours = "auto";  ///< --color of the commands that look.
  ManualOptions manual;
  OperateOptions operate;
  TokenOptions token;
};

// Options that several sub-commands have.
void add_data(CLI::App& command, CommandLine& line);
void add_store(CLI::App& command, CommandLine& line);
void add_devices(CLI::App& command, ServicesOptions& services);
void add_skills(CLI::App& command, CommandLine& line);
void add_trust(CLI::App& command, HttpTrust& trust);

/// Sub-commands that run tools, or show what is installed. @param line  Outlives `app`.
void add_running(CLI::App& app, CommandLine& line);

/// `node` and `nodes`. @param line  Outlives `app`.
void add_nodes(CLI::App& app, CommandLine& line);

/// Sub-commands for those who operate a server. @param line  Outlives `app`.
void add_operate(CLI::App& app, CommandLine& line);

/// `import`. @param line  Outlives `app`.
void add_import(CLI::App& app, CommandLine& line);

/// Sub-commands that show what is stored. @param line  Outlives `app`.
void add_look(CLI::App& app, CommandLine& line);

/// Sub-commands on what is stored, and on what comes from elsewhere. @param line  Outlives `app`.
void add_stored(CLI::App& app, CommandLine& line);

}  // namespace ws::server
