#include "ontomem/model_runtime.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "onnx_api.hpp"

namespace ontomem {
namespace {

using onnx::Api;
using onnx::Call;
using onnx::Object;
using onnx::Owned;

constexpr int kAllOptimizations = 99;
constexpr int kFatalOnly = 4;
constexpr int kArenaAllocator = 1;
constexpr int kDefaultMemory = 0;

/// Elements of one input in the width that the model asks for.
struct Feed {
  std::vector<std::int32_t> narrow;
  std::vector<std::int64_t> wide;
};

class Run final : public ModelRun {
 public:
  explicit Run(const Api& api) : api_(api), options_(api, Call::releaseRunOptions) {}

  RuntimeProblem create() { return api_(Call::createRunOptions, options_.out()); }
  Object options() const { return options_.get(); }
  void stop() noexcept override { (void)api_(Call::terminateRun, options_.get()); }

 private:
  const Api& api_;
  Owned options_;
};

class Session final : public ModelSession {
 public:
  explicit Session(const Api& api)
      : api_(api), session_(api, Call::releaseSession), memory_(api, Call::releaseMemoryInfo) {}

  RuntimeProblem load(const std::string& path, int threads) {
    Owned options(api_, Call::releaseSessionOptions);
    if (auto problem = api_(Call::createSessionOptions, options.out()); !problem.empty()) return problem;
    if (auto problem = api_(Call::setLogSeverity, options.get(), kFatalOnly); !problem.empty()) return problem;
    if (auto problem = api_(Call::setOptimizationLevel, options.get(), kAllOptimizations); !problem.empty()) return problem;
    if (auto problem = api_(Call::setThreads, options.get(), threads); !problem.empty()) return problem;
    const auto file = onnx::pathOf(path);
    if (auto problem = api_(Call::createSession, api_.environment(), file.c_str(), options.get(), session_.out());
        !problem.empty()) {
      return problem;
    }
    if (auto problem = api_(Call::createCpuMemoryInfo, kArenaAllocator, kDefaultMemory, memory_.out()); !problem.empty()) {
      return problem;
    }
    if (auto problem = readPorts(Call::inputCount, Call::inputName, Call::inputTypeInfo, inputs_); !problem.empty()) {
      return problem;
    }
    return readPorts(Call::outputCount, Call::outputName, Call::outputTypeInfo, outputs_);
  }

  const std::vector<ModelPort>& inputs() const override { return inputs_; }
  const std::vector<ModelPort>& outputs() const override { return outputs_; }

  RuntimeProblem begin(std::shared_ptr<ModelRun>& run) override {
    const auto made = std::make_shared<Run>(api_);
    run = made;
    return made->create();
  }

  RuntimeProblem run(ModelRun& run, const TokenInput& input, std::span<const std::string> wanted,
                     std::vector<ModelOutput>& results) override {
    const std::size_t elements = input.rows * input.length;
    const std::vector<std::int32_t> zeros(input.types.empty() ? elements : 0);
    const std::int64_t shape[] = {static_cast<std::int64_t>(input.rows), static_cast<std::int64_t>(input.length)};
    std::vector<const char*> names;
    std::vector<std::unique_ptr<Owned>> values;
    std::vector<Object> fed;
    std::vector<Feed> feeds(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::span<const std::int32_t> source = sourceOf(inputs_[i].name, input, zeros);
      if (source.size() != elements) return "has no input named " + inputs_[i].name;
      values.push_back(std::make_unique<Owned>(api_, Call::releaseValue));
      if (auto problem = tensor(inputs_[i], source, shape, feeds[i], *values.back()); !problem.empty()) return problem;
      names.push_back(inputs_[i].name.c_str());
      fed.push_back(values.back()->get());
    }
    return runNamed(static_cast<Run&>(run).options(), names, fed, wanted, results);
  }

 private:
  static std::span<const std::int32_t> sourceOf(const std::string& name, const TokenInput& input,
                                                std::span<const std::int32_t> zeros) {
    if (name == "input_ids") return input.ids;
    if (name == "attention_mask") return input.mask;
    if (name == "token_type_ids") return input.types.empty() ? zeros : input.types;
    return {};
  }

  RuntimeProblem tensor(const ModelPort& port, std::span<const std::int32_t> source, const std::int64_t* shape,
                        Feed& feed, Owned& value) const {
    void* data = nullptr;
    std::size_t bytes = 0;
    if (port.type == ElementType::int64) {
      feed.wide.assign(source.begin(), source.end());
      data = feed.wide.data();
      bytes = feed.wide.size() * sizeof(std::int64_t);
    } else if (port.type == ElementType::int32) {
      feed.narrow.assign(source.begin(), source.end());
      data = feed.narrow.data();
      bytes = feed.narrow.size() * sizeof(std::int32_t);
    } else {
      return "wants no integers for " + port.name;
    }
    return api_(Call::createTensorWithData, memory_.get(), data, bytes, shape, std::size_t{2},
                static_cast<int>(port.type), value.out());
  }

  RuntimeProblem runNamed(Object options, const std::vector<const char*>& names, const std::vector<Object>& fed,
                          std::span<const std::string> wanted, std::vector<ModelOutput>& results) {
    std::vector<const char*> outputNames;
    for (const std::string& name : wanted) outputNames.push_back(name.c_str());
    std::vector<Object> outputs(wanted.size(), nullptr);
    const RuntimeProblem failed =
        api_(Call::run, session_.get(), options, names.data(), fed.data(), names.size(), outputNames.data(),
             outputNames.size(), outputs.data());
    RuntimeProblem problem = failed;
    results.assign(wanted.size(), {});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (problem.empty()) problem = copyOut(wanted[i], outputs[i], results[i]);
      api_.release(Call::releaseValue, outputs[i]);
    }
    return problem;
  }

  RuntimeProblem copyOut(const std::string& name, Object value, ModelOutput& result) const {
    Owned info(api_, Call::releaseTensorInfo);
    if (auto problem = api_(Call::tensorInfoOfValue, value, info.out()); !problem.empty()) return problem;
    int type = 0;
    if (auto problem = api_(Call::elementType, info.get(), &type); !problem.empty()) return problem;
    if (type != static_cast<int>(ElementType::float32)) return "gives no float32 for " + name;
    std::size_t rank = 0;
    if (auto problem = api_(Call::dimensionCount, info.get(), &rank); !problem.empty()) return problem;
    result.shape.resize(rank);
    if (auto problem = api_(Call::dimensions, info.get(), result.shape.data(), rank); !problem.empty()) return problem;
    void* data = nullptr;
    if (auto problem = api_(Call::tensorData, value, &data); !problem.empty()) return problem;
    std::size_t count = 1;
    for (const std::int64_t size : result.shape) count *= static_cast<std::size_t>(size);
    const auto* const values = static_cast<const float*>(data);
    result.values.assign(values, values + count);
    return {};
  }

  RuntimeProblem readPorts(Call count, Call name, Call typeInfo, std::vector<ModelPort>& ports) const {
    Object allocator = nullptr;
    if (auto problem = api_(Call::defaultAllocator, &allocator); !problem.empty()) return problem;
    std::size_t size = 0;
    if (auto problem = api_(count, session_.get(), &size); !problem.empty()) return problem;
    for (std::size_t i = 0; i < size; ++i) {
      ModelPort port;
      char* text = nullptr;
      if (auto problem = api_(name, session_.get(), i, allocator, &text); !problem.empty()) return problem;
      port.name = text;
      if (auto problem = api_(Call::allocatorFree, allocator, static_cast<void*>(text)); !problem.empty()) return problem;
      Owned type(api_, Call::releaseTypeInfo);
      if (auto problem = api_(typeInfo, session_.get(), i, type.out()); !problem.empty()) return problem;
      if (auto problem = readType(type.get(), port); !problem.empty()) return problem;
      ports.push_back(std::move(port));
    }
    return {};
  }

  RuntimeProblem readType(Object type, ModelPort& port) const {
    // Belongs to the type; null for what is no tensor.
    Object info = nullptr;
    if (auto problem = api_(Call::tensorInfoOfType, type, &info); !problem.empty()) return problem;
    if (info == nullptr) return {};
    int element = 0;
    if (auto problem = api_(Call::elementType, info, &element); !problem.empty()) return problem;
    if (element == 1 || element == 6 || element == 7) port.type = static_cast<ElementType>(element);
    return api_(Call::dimensionCount, info, &port.rank);
  }

  const Api& api_;
  Owned session_;
  Owned memory_;
  std::vector<ModelPort> inputs_;
  std::vector<ModelPort> outputs_;
};

}  // namespace

RuntimeProblem ModelSession::open(const std::string& library, const std::string& path, int threads,
                                  std::shared_ptr<ModelSession>& session) {
  static std::mutex mutex;
  static auto& sessions = *new std::unordered_map<std::string, std::weak_ptr<ModelSession>>;
  const std::lock_guard lock(mutex);
  std::string problem;
  const Api* const api = Api::load(library, problem);
  if (api == nullptr) return problem;
  const std::string key = std::to_string(threads) + ' ' + path;
  session = sessions[key].lock();
  if (session != nullptr) return {};
  const auto made = std::make_shared<Session>(*api);
  problem = made->load(path, threads);
  if (!problem.empty()) return problem;
  sessions[key] = session = made;
  return {};
}

}  // namespace ontomem
