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
extern const char* const kNodeRoles;
extern const char* const kRowSecurity;
extern const char* const kNewRows;
/// The trigger of kNewRows, which each version makes anew.
extern const char* const kNewRowFunction;
/// Remove the policies and functions of an older version: each version makes its own.
extern const char* const kNoRowPolicies;
extern const char* const kNoNodeFunctions;
/// Functions for whoever wants a job done.
extern const char* const kJobFunctions;
/// Functions for nodes.
extern const char* const kNodeFunctions;
/// Functions that say which node the caller is, and what it may see.
extern const char* const kIdentityFunctions;
/// Functions by which archives store what a node may not write by itself.
extern const char* const kStoringFunctions;
/// Which rows nodes see.
extern const char* const kRowPolicies;
/// The last ones: says which functions nodes may call, and gives roles of nodes their rights anew.
extern const char* const kRoleFunctions;

}  // namespace ws
