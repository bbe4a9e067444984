// What one JavaScript environment (the main thread or a worker) owns.
#pragma once

#include <node_api.h>

#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "ontomem/epoch.hpp"
#include "ontomem/file_lock.hpp"
#include "ontomem/model_runtime.hpp"
#include "ontomem/reader_table.hpp"
#include "ontomem/recall.hpp"
#include "ontomem/registry.hpp"

namespace ontomem::binding {

/// Tickets of files; one reader table may be held more than once.
using TicketSet = std::unordered_multiset<int>;

/// An environment runs one call at a time, so one epoch slot and one scratch serve it. When it ends it
/// gives back its openings and its locks; what it had loaded of a shard stays for the others, who load on from
/// there. Node runs this after every cleanup hook, so LMDB has closed by then.
struct Environment {
  Environment() : slot(EpochDomain::process().acquireSlot()) {}
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  static Environment& of(napi_env env) {
    void* data = nullptr;
    napi_get_instance_data(env, &data);
    return *static_cast<Environment*>(data);
  }

  EpochSlot& slot;
  ReaderScratch scratch;
  std::unordered_map<ShardHandle, std::size_t> openings;
  TicketSet locks;
  TicketSet readerTables;
  std::unordered_map<std::uint64_t, std::shared_ptr<ModelSession>> sessions;
  double nextSession = 1;
  /// Runs under way, by session and the caller's number.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<ModelRun>> runs;
};

inline Environment::~Environment() {
  ShardRegistry& registry = ShardRegistry::process();
  for (const auto& [handle, count] : openings) {
    for (std::size_t i = 0; i < count; ++i) (void)registry.close(handle);
  }
  EpochDomain::process().releaseSlot(slot);
  EpochDomain::process().reclaim();
  for (const int ticket : readerTables) dropReaderTable(ticket);
  for (const int ticket : locks) closeFileLock(ticket);
}

}  // namespace ontomem::binding
