// Latency of a whole recall inside the engine, beside one streaming read of the same user's vectors.
// Usage: recall_bench [--turns 87,100,...] [--threads 1,2] [--users warm,cold] [--format f32|bf16|int8]
//                     [--dimension 384] [--ms 1500]
// One JSON row a cell; judge by p95Us / streamUs, both measured in turns in the same loop.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "conversation.hpp"
#include "kernels_limits.hpp"

namespace ontomem::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// The paper's scorer: 192 inputs, 256 hidden units, 198 KB.
constexpr std::size_t kScorerInputs = 192;
constexpr std::size_t kScorerHidden = 256;
/// Cold users are visited in turn; together they exceed the last-level cache.
constexpr std::size_t kColdBytes = std::size_t{192} << 20;
constexpr std::size_t kQuestions = 64;

struct Options {
  std::vector<std::string> turns{"87", "100", "348", "696", "1000", "10000", "50000"};
  std::vector<std::string> threads{"1", "2"};
  std::vector<std::string> users{"warm"};
  VectorFormat format = VectorFormat::f32;
  std::string formatName = "f32";
  std::size_t dimension = 384;
  double milliseconds = 1500;
};

struct Reader {
  std::vector<double> recallUs;
  std::vector<double> streamUs;
  /// The recalls' own stage times, in the order of kStages.
  std::vector<double> stageUs[7];
};

struct Stage {
  const char* name;
  double RecallStats::* us;
};

constexpr Stage kStages[] = {
    {"visibility", &RecallStats::visibilityUs}, {"dense", &RecallStats::denseUs},
    {"lexical", &RecallStats::lexicalUs},       {"graph", &RecallStats::graphUs},
    {"fusion", &RecallStats::fusionUs},         {"features", &RecallStats::featuresUs},
    {"scorer", &RecallStats::scorerUs},
};
static_assert(std::size(kStages) == std::extent_v<decltype(Reader::stageUs)>);

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * double(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

float streamVectors(const Snapshot& snapshot) {
  float sum = 0;
  for (const VectorBlock& block : snapshot.vectors.blocks()) {
    if (block.f32) {
      const kernels::F32Rows rows = snapshot.vectors.f32Rows(block, snapshot.rows);
      sum += readRows(rows.data, kernels::paddedDimension(kernels::Format::f32, rows.dimension) * 4, rows.stride * 4, rows.count);
    } else {
      const kernels::Bf16Rows rows = snapshot.vectors.bf16Rows(block, snapshot.rows);
      sum += readRows(rows.data, kernels::paddedDimension(kernels::Format::bf16, rows.dimension) * 2, rows.stride * 2, rows.count);
    }
  }
  return sum;
}

double loadScorer() {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 0.05f);
  std::vector<float> weights(kScorerInputs * kScorerHidden + kScorerHidden + kScorerHidden + 1);
  for (float& weight : weights) weight = normal(random);
  std::uint32_t slot = 0;
  const Outcome outcome = loadPerceptron("bench", weights, {kScorerInputs, kScorerHidden, 1}, kernels::Activation::linear, slot);
  if (!outcome.ok()) std::exit(1);
  return slot;
}

/// One thread's share: recalls over its users in turn until the time is up. A streaming read follows each
/// recall of a warm user; a cold user is read by another pass, so that the recall has not warmed it.
void runReader(const std::vector<std::unique_ptr<Shard>>& users, const std::vector<Question>& questions,
               double scorer, double milliseconds, Reader& reader) {
  EpochSlot& slot = EpochDomain::process().acquireSlot();
  ReaderScratch scratch;
  std::vector<Row> rows(10);
  std::vector<float> scores(10), parts(10 * part::count), features(10 * feature::count);
  std::vector<std::uint32_t> paths(10);
  RecallRequest request{};
  request.parameters = benchParameters();
  request.parameters.scorer = scorer;
  request.residency = users.size() > 1 ? kernels::Residency::cold : kernels::Residency::automatic;
  const float viewWeight = 1;
  volatile float sink = 0;
  const auto start = Clock::now();
  const auto warmUp = milliseconds * 0.1;
  for (std::size_t i = 0; microsecondsSince(start) < milliseconds * 1e3; ++i) {
    const Question& question = questions[i % questions.size()];
    request.queries = question.vector;
    request.viewWeights = {&viewWeight, 1};
    request.terms = question.terms;
    request.seeds = question.seeds;
    request.seedWeights = question.seedWeights;
    request.queryFeatures = question.features;
    RecallOutput output{rows, scores, parts, features, paths, {}, 0};
    const bool count = microsecondsSince(start) > warmUp * 1e3;
    const auto recallStart = Clock::now();
    {
      const Pin pin(slot);
      const Outcome outcome = recall(users[i % users.size()]->snapshot(), request, scratch, output);
      if (!outcome.ok() || output.count == 0) std::exit(1);
    }
    if (count) {
      reader.recallUs.push_back(microsecondsSince(recallStart));
      for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
        reader.stageUs[stage].push_back(output.stats.*kStages[stage].us);
      }
    }
    const std::size_t other = (i + users.size() / 2) % users.size();
    const auto streamStart = Clock::now();
    sink = sink + streamVectors(users[other]->snapshot());
    if (count) reader.streamUs.push_back(microsecondsSince(streamStart));
  }
  EpochDomain::process().releaseSlot(slot);
}

void measure(const Options& options, std::size_t turns, std::size_t threads, const std::string& kind, double scorer) {
  std::mt19937_64 random(turns);
  const std::size_t vectorBytes = turns * options.dimension * sizeof(float);
  const std::size_t userCount = kind == "cold" ? std::max<std::size_t>(2, kColdBytes / vectorBytes) : 1;
  std::vector<std::unique_ptr<Shard>> users;
  for (std::size_t i = 0; i < userCount; ++i) {
    users.push_back(std::make_unique<Shard>(options.dimension, options.format));
    fillShard(*users.back(), options.dimension, turns, random);
  }
  EpochDomain::process().reclaim();
  std::vector<Question> questions;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    questions.push_back(makeQuestion(options.dimension, kScorerInputs - feature::count, random));
  }
  std::vector<Reader> readers(threads);
  std::vector<std::thread> running;
  for (Reader& reader : readers) {
    running.emplace_back(runReader, std::cref(users), std::cref(questions), scorer, options.milliseconds, std::ref(reader));
  }
  for (std::thread& thread : running) thread.join();

  Reader all;
  double qps = 0;
  for (const Reader& reader : readers) {
    double total = 0;
    for (const double us : reader.recallUs) total += us;
    qps += double(reader.recallUs.size()) / total * 1e6;
    all.recallUs.insert(all.recallUs.end(), reader.recallUs.begin(), reader.recallUs.end());
    for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
      all.stageUs[stage].insert(all.stageUs[stage].end(), reader.stageUs[stage].begin(), reader.stageUs[stage].end());
    }
    all.streamUs.insert(all.streamUs.end(), reader.streamUs.begin(), reader.streamUs.end());
  }
  const double stream = percentile(all.streamUs, 0.5);
  const double p95 = percentile(all.recallUs, 0.95);
  std::printf(
      "{\"turns\":%zu,\"threads\":%zu,\"users\":\"%s\",\"format\":\"%s\",\"p50Us\":%.1f,\"p95Us\":%.1f,\"p99Us\":%.1f,"
      "\"streamUs\":%.1f,\"p95OverStream\":%.2f,\"qps\":%.0f,\"bytesPerUser\":%zu,\"stagesUs\":{",
      turns, threads, kind.c_str(), options.formatName.c_str(), percentile(all.recallUs, 0.5), p95,
      percentile(all.recallUs, 0.99), stream, p95 / stream, qps, users[0]->bytes());
  for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
    std::printf("%s\"%s\":%.1f", stage == 0 ? "" : ",", kStages[stage].name, percentile(all.stageUs[stage], 0.5));
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

std::vector<std::string> splitList(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--turns") options.turns = splitList(value);
    else if (name == "--threads") options.threads = splitList(value);
    else if (name == "--users") options.users = splitList(value);
    else if (name == "--dimension") options.dimension = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--ms") options.milliseconds = std::atof(value.c_str());
    else if (name == "--format") {
      options.formatName = value;
      options.format = value == "bf16" ? VectorFormat::bf16 : value == "int8" ? VectorFormat::int8 : VectorFormat::f32;
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  return options;
}

}  // namespace
}  // namespace ontomem::bench

int main(int argc, char** argv) {
  using namespace ontomem::bench;
  const Options options = parse(argc, argv);
  const double scorer = loadScorer();
  for (const std::string& turns : options.turns) {
    for (const std::string& users : options.users) {
      for (const std::string& threads : options.threads) {
        measure(options, std::strtoull(turns.c_str(), nullptr, 10), std::strtoull(threads.c_str(), nullptr, 10), users, scorer);
      }
    }
  }
}
