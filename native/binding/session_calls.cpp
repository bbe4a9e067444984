// Model sessions: opened and run on libuv's threads, so that neither holds the event loop.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/model_runtime.hpp"

namespace ontomem::binding {
namespace {

/// A task that runs off the JavaScript thread and settles a promise on it.
class Task {
 public:
  virtual ~Task() = default;

  /// Off the thread: fills in the result or `problem`.
  virtual void work() = 0;
  /// On the thread, however it went.
  virtual void finish(Environment&) {}
  /// On the thread: what the promise is fulfilled with.
  virtual napi_value value(napi_env env) = 0;

  static napi_value start(napi_env env, std::unique_ptr<Task> task) {
    napi_value promise = nullptr;
    napi_value name = nullptr;
    napi_create_promise(env, &task->deferred_, &promise);
    napi_create_string_utf8(env, "ontomem model", NAPI_AUTO_LENGTH, &name);
    napi_create_async_work(env, nullptr, name, execute, complete, task.get(), &task->job_);
    napi_queue_async_work(env, task->job_);
    (void)task.release();
    return promise;
  }

 protected:
  std::string problem;

 private:
  static void execute(napi_env, void* data) noexcept {
    auto* const task = static_cast<Task*>(data);
    try {
      task->work();
    } catch (const std::bad_alloc&) {
      task->problem = "memory: not enough";
    } catch (...) {
      task->problem = "failed inside";
    }
  }

  /// In an environment that is ending no JavaScript may run: then every call here fails, and the task goes.
  static void complete(napi_env env, napi_status status, void* data) noexcept {
    const std::unique_ptr<Task> task(static_cast<Task*>(data));
    napi_delete_async_work(env, task->job_);
    if (status != napi_ok) return;
    task->finish(Environment::of(env));
    if (task->problem.empty()) {
      napi_resolve_deferred(env, task->deferred_, task->value(env));
      return;
    }
    napi_value message = nullptr;
    napi_value error = nullptr;
    napi_create_string_utf8(env, task->problem.c_str(), task->problem.size(), &message);
    napi_create_error(env, nullptr, message, &error);
    napi_reject_deferred(env, task->deferred_, error);
  }

  napi_deferred deferred_ = nullptr;
  napi_async_work job_ = nullptr;
};

class OpenTask final : public Task {
 public:
  OpenTask(std::string library, std::string path, int threads)
      : library_(std::move(library)), path_(std::move(path)), threads_(threads) {}

  void work() override { problem = ModelSession::open(library_, path_, threads_, session_); }

  napi_value value(napi_env env) override {
    Environment& environment = Environment::of(env);
    const double handle = environment.nextSession++;
    environment.sessions.emplace(static_cast<std::uint64_t>(handle), session_);
    return numberValue(env, handle);
  }

 private:
  std::string library_;
  std::string path_;
  int threads_;
  std::shared_ptr<ModelSession> session_;
};

class RunTask final : public Task {
 public:
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  RunTask(std::shared_ptr<ModelSession> session, std::shared_ptr<ModelRun> run, Key key, std::vector<std::int32_t> ids, std::vector<std::int32_t> mask,
          std::vector<std::int32_t> types, std::size_t rows, std::size_t length, std::vector<std::string> outputs)
      : session_(std::move(session)),
        run_(std::move(run)),
        key_(key),
        ids_(std::move(ids)),
        mask_(std::move(mask)),
        types_(std::move(types)),
        rows_(rows),
        length_(length),
        outputs_(std::move(outputs)) {}

  void work() override {
    problem = session_->run(*run_, {ids_, mask_, types_, rows_, length_}, outputs_, results_);
  }

  void finish(Environment& environment) override { environment.runs.erase(key_); }

  /// [values, shape, values, shape, ...]
  napi_value value(napi_env env) override {
    napi_value list = nullptr;
    napi_create_array_with_length(env, 2 * results_.size(), &list);
    std::uint32_t place = 0;
    for (const ModelOutput& result : results_) {
      napi_set_element(env, list, place++, floats(env, result.values));
      napi_set_element(env, list, place++, shapeOf(env, result.shape));
    }
    return list;
  }

 private:
  static napi_value floats(napi_env env, const std::vector<float>& values) {
    void* data = nullptr;
    napi_value buffer = nullptr;
    napi_value array = nullptr;
    const std::size_t bytes = values.size() * sizeof(float);
    if (napi_create_arraybuffer(env, bytes, &data, &buffer) != napi_ok) return nullptr;
    if (bytes > 0) std::memcpy(data, values.data(), bytes);
    napi_create_typedarray(env, napi_float32_array, values.size(), buffer, 0, &array);
    return array;
  }

  static napi_value shapeOf(napi_env env, const std::vector<std::int64_t>& shape) {
    napi_value list = nullptr;
    napi_create_array_with_length(env, shape.size(), &list);
    for (std::uint32_t i = 0; i < shape.size(); ++i) {
      napi_set_element(env, list, i, numberValue(env, static_cast<double>(shape[i])));
    }
    return list;
  }

  std::shared_ptr<ModelSession> session_;
  std::shared_ptr<ModelRun> run_;
  Key key_;
  std::vector<std::int32_t> ids_;
  std::vector<std::int32_t> mask_;
  std::vector<std::int32_t> types_;
  std::size_t rows_;
  std::size_t length_;
  std::vector<std::string> outputs_;
  std::vector<ModelOutput> results_;
};

constexpr int kMostThreads = 1024;

std::shared_ptr<ModelSession> sessionOf(Environment& environment, std::uint64_t handle) {
  const auto found = environment.sessions.find(handle);
  return found == environment.sessions.end() ? nullptr : found->second;
}

/// Names divided by a line feed, which no name of a graph holds.
std::vector<std::string> namesOf(const std::string& joined) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start < joined.size();) {
    const std::size_t end = std::min(joined.find('\n', start), joined.size());
    names.push_back(joined.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

std::vector<std::int32_t> copied(std::span<const std::int32_t> view) { return {view.begin(), view.end()}; }

/// Runs `act(Arguments&)`, which returns a value or throws through `throwOutcome`; no C++ exception leaves it.
template <auto act>
napi_value valueCall(napi_env env, napi_callback_info info) noexcept {
  try {
    Arguments arguments(env, info);
    return act(Environment::of(env), arguments);
  } catch (...) {
    return throwOutcome(env, {Status::outOfMemory, "memory: not enough"});
  }
}

napi_value openSession(Environment&, Arguments& arguments) {
  std::string library = arguments.text("library: not a string");
  std::string path = arguments.text("path: not a string");
  const auto threads = static_cast<int>(arguments.whole("threads: not a small whole number", kMostThreads));
  if (!arguments.problem().ok()) return throwOutcome(arguments.env(), arguments.problem());
  return Task::start(arguments.env(), std::make_unique<OpenTask>(std::move(library), std::move(path), threads));
}

napi_value runSession(Environment& environment, Arguments& arguments) {
  const std::uint64_t handle = arguments.whole("session: not one of openSession");
  const std::uint64_t number = arguments.whole("run: not a whole number");
  const auto session = sessionOf(environment, handle);
  const auto ids = arguments.array<std::int32_t>("ids: not an Int32Array");
  const auto mask = arguments.array<std::int32_t>("mask: not an Int32Array");
  const auto types = arguments.array<std::int32_t>("types: not an Int32Array");
  const std::size_t rows = arguments.whole("rows: not a whole number");
  const std::string outputs = arguments.text("outputs: not a string");
  if (!arguments.problem().ok()) return throwOutcome(arguments.env(), arguments.problem());
  if (session == nullptr) return throwOutcome(arguments.env(), badArgument("session: is not open"));
  const bool fits = rows > 0 && !ids.empty() && ids.size() % rows == 0 && mask.size() == ids.size() &&
                    (types.empty() || types.size() == ids.size());
  if (!fits) return throwOutcome(arguments.env(), badArgument("ids, mask, types: not rows of one length"));
  std::shared_ptr<ModelRun> run;
  if (!session->begin(run).empty()) throw std::bad_alloc();
  const RunTask::Key key{handle, number};
  environment.runs[key] = run;
  return Task::start(arguments.env(),
                     std::make_unique<RunTask>(session, run, key, copied(ids), copied(mask), copied(types), rows,
                                               ids.size() / rows, namesOf(outputs)));
}

/// 'name type rank' of each input, then of each output after an empty line.
napi_value describeSession(Environment& environment, Arguments& arguments) {
  const auto session = sessionOf(environment, arguments.whole("session: not one of openSession"));
  if (!arguments.problem().ok()) return throwOutcome(arguments.env(), arguments.problem());
  if (session == nullptr) return throwOutcome(arguments.env(), badArgument("session: is not open"));
  std::string text;
  for (const auto* ports : {&session->inputs(), &session->outputs()}) {
    for (const ModelPort& port : *ports) {
      text += std::to_string(static_cast<int>(port.type)) + ' ' + std::to_string(port.rank) + ' ' + port.name + '\n';
    }
    text += '\n';
  }
  napi_value value = nullptr;
  napi_create_string_utf8(arguments.env(), text.c_str(), text.size(), &value);
  return value;
}

/// Ends a run early; one that is done is left alone.
Outcome stopRun(Environment& environment, Arguments& arguments, double&) {
  const std::uint64_t handle = arguments.whole("session: not one of openSession");
  const std::uint64_t number = arguments.whole("run: not a whole number");
  if (!arguments.problem().ok()) return arguments.problem();
  const auto found = environment.runs.find({handle, number});
  if (found != environment.runs.end()) found->second->stop();
  return {};
}

/// Runs under way keep the session until they are done.
Outcome closeSession(Environment& environment, Arguments& arguments, double&) {
  const std::uint64_t handle = arguments.whole("session: not one of openSession");
  if (!arguments.problem().ok()) return arguments.problem();
  environment.sessions.erase(handle);
  return {};
}

constexpr NamedCall kCalls[] = {
    {"openSession", valueCall<openSession>},
    {"runSession", valueCall<runSession>},
    {"stopRun", numberCall<stopRun>},
    {"describeSession", valueCall<describeSession>},
    {"closeSession", numberCall<closeSession>},
};

}  // namespace

std::span<const NamedCall> sessionCalls() { return kCalls; }

}  // namespace ontomem::binding
