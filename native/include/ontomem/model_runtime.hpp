// ONNX models on the CPU, through the library that onnxruntime-node carries. Sessions belong to the process: every
// thread that opens the same file with the same number of threads shares one, and none of them is bound to a
// JavaScript environment, so a worker may end while its model runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ontomem/status.hpp"

namespace ontomem {

/// ONNX's numbers for the element types that are read or written here.
enum class ElementType : int { other = 0, float32 = 1, int32 = 6, int64 = 7 };

/// An input or output of a model.
struct ModelPort {
  std::string name;
  ElementType type = ElementType::other;
  /// Dimensions; 0 for what is no tensor.
  std::size_t rank = 0;
};

/// Token ids of `rows` texts, padded to `length`, row-major. `types` may be empty: all zero.
struct TokenInput {
  std::span<const std::int32_t> ids;
  std::span<const std::int32_t> mask;
  std::span<const std::int32_t> types;
  std::size_t rows = 0;
  std::size_t length = 0;
};

/// One float32 output, copied out of the runtime.
struct ModelOutput {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// What the runtime said, in its own words; empty when all went well.
using RuntimeProblem = std::string;

/// One run, made before it starts, so that any thread may end it.
class ModelRun {
 public:
  virtual ~ModelRun() = default;
  /// Ends the run before its next operator, with a problem; one that is not running yet ends at once.
  virtual void stop() noexcept = 0;
};

class ModelSession {
 public:
  /// The process's session of `path`, loaded when nobody has it. `threads` bounds the cores of one operator; 0
  /// leaves the choice to the runtime. Opening is one at a time. O(bytes of the model).
  static RuntimeProblem open(const std::string& library, const std::string& path, int threads,
                             std::shared_ptr<ModelSession>& session);

  virtual ~ModelSession() = default;
  virtual const std::vector<ModelPort>& inputs() const = 0;
  virtual const std::vector<ModelPort>& outputs() const = 0;

  /// A run for one call of `run`.
  virtual RuntimeProblem begin(std::shared_ptr<ModelRun>& run) = 0;

  /// Feeds the inputs that the model has among input_ids, attention_mask and token_type_ids, in its own integer
  /// width, and reads the float32 outputs named. Threads may run one session at the same time.
  virtual RuntimeProblem run(ModelRun& run, const TokenInput& input, std::span<const std::string> wanted,
                             std::vector<ModelOutput>& results) = 0;
};

}  // namespace ontomem
