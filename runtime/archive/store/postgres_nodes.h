// The tables and functions of jobs that nodes do, in an archive's PostgreSQL database. The broker
// (runtime/broker) calls the functions.
#pragma once

namespace ws {

/// Tables; `TEXT` gets the order of bytes (postgres_schema.cpp).
extern const char* const kNodeTables;
/// Functions for whoever wants a job done.
extern const char* const kJobFunctions;
/// Functions for nodes.
extern const char* const kNodeFunctions;

}  // namespace ws
