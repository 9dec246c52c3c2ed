// The tables and functions of jobs that nodes do, in an archive's PostgreSQL database. The broker
// (runtime/broker) calls the functions.
#pragma once

namespace ws {

/// Tables, and what later versions changed in them; `TEXT` gets the order of bytes
/// (postgres_schema.cpp). Never change a step of a version that was released: add one.
extern const char* const kNodeTables;
extern const char* const kNodeFronts;
extern const char* const kNodeViewers;
extern const char* const kNodeEvidence;
/// Removes the functions of an older version: each version makes its own.
extern const char* const kNoNodeFunctions;
/// Functions for whoever wants a job done.
extern const char* const kJobFunctions;
/// Functions for nodes.
extern const char* const kNodeFunctions;

}  // namespace ws
