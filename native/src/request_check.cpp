#include "request_check.hpp"

#include <cmath>

namespace ontomem {
namespace {

Outcome notFinite(const char* problem) { return {Status::notFinite, problem}; }

bool isWithin(double value, double least, double most) { return value >= least && value <= most; }

/// A handle of loadModel or loadMaps, or -1 for none.
template <class Slots>
bool isNoneOrLoaded(const Slots& slots, double slot) {
  return slot == -1 || slots.find(slot) != nullptr;
}

Outcome checkViews(const Snapshot& snapshot, const RecallRequest& request) {
  const std::size_t dimension = snapshot.vectors.dimension();
  if (request.queries.size() % dimension != 0) return badArgument("queries: not whole vectors of the shard");
  std::size_t views = request.queries.size() / dimension;
  if (!isNoneOrLoaded(MapSets::process(), request.parameters.maps)) return badArgument("maps: not loaded");
  if (const QueryMaps* const maps = MapSets::process().find(request.parameters.maps)) {
    if (views == 0) return badArgument("maps: no query to map");
    if (maps->dimension != dimension) return badArgument("maps: another dimension than the shard's");
    views += maps->count;
  }
  if (views > kMaxViews) return badArgument("queries: more than 4 views");
  if (request.viewWeights.size() != views) return badArgument("viewWeights: not one a view");
  const kernels::Kernels& kernel = kernels::active();
  if (!kernel.allFinite(request.queries.data(), request.queries.size())) return notFinite("queries: not finite");
  if (!kernel.allFinite(request.viewWeights.data(), views)) return notFinite("viewWeights: not finite");
  return {};
}

Outcome checkTerms(const RecallRequest& request) {
  if (request.terms.size() % 2 != 0) return badArgument("terms: not pairs of words");
  const std::size_t terms = request.terms.size() / 2;
  if (terms > kMaxQueryTerms) return badArgument("terms: more than 1024");
  if (!request.idf.empty() && request.idf.size() != terms) return badArgument("idf: not one a term");
  for (const float idf : request.idf) {
    if (!isWithin(idf, 0, 1e6)) return badArgument("idf: negative, too large or not a number");
  }
  if (!isWithin(request.parameters.bm25K1, 0, 100)) return badArgument("bm25K1: not within 0..100");
  if (!isWithin(request.parameters.bm25B, 0, 1)) return badArgument("bm25B: not within 0..1");
  return {};
}

Outcome checkGraph(const Snapshot& snapshot, const RecallRequest& request) {
  const RecallParameters& parameters = request.parameters;
  if (request.seeds.size() > kMaxSeeds) return badArgument("seeds: more than 4096");
  if (request.seeds.size() != request.seedWeights.size()) return badArgument("seedWeights: not one a seed");
  for (const Node seed : request.seeds) {
    if (nodeKind(seed) == NodeKind::turn && nodeNumber(seed) >= snapshot.rows) {
      return badArgument("seeds: no such row");
    }
  }
  for (const float weight : request.seedWeights) {
    if (!isWithin(weight, 0, 1)) return badArgument("seedWeights: not within 0..1");
  }
  if (!isWithin(parameters.hops, 0, kMaxHops)) return badArgument("hops: not within 0..4");
  const auto hops = static_cast<std::size_t>(parameters.hops);
  if (!request.typeWeights.empty() && (hops == 0 || request.typeWeights.size() % (2 * hops) != 0)) {
    return badArgument("typeWeights: not hops x types x 2");
  }
  for (const float weight : request.typeWeights) {
    if (!isWithin(weight, 0, 1)) return badArgument("typeWeights: not within 0..1");
  }
  if (!isWithin(parameters.hopDecay, 0, 1)) return badArgument("hopDecay: not within 0..1");
  if (!(parameters.halfLifeMs > 0)) return badArgument("halfLifeMs: not above 0");
  if (!isWithin(parameters.hubDamping, 0, 4)) return badArgument("hubDamping: not within 0..4");
  if (!isWithin(parameters.fanOut, 0, kMaxExpansionBudget)) return badArgument("fanOut: not within 0..65536");
  if (!isWithin(parameters.expansionBudget, 0, kMaxExpansionBudget)) {
    return badArgument("expansionBudget: not within 0..65536");
  }
  return {};
}

Outcome checkScoring(const RecallRequest& request) {
  const RecallParameters& p = request.parameters;
  for (const double value :
       {p.denseWeight, p.lexicalWeight, p.previousGain, p.nextGain, p.neighbourFloor, p.densePriorMean, p.densePriorDeviation,
        p.lexicalPriorMean, p.lexicalPriorDeviation, p.contentSlope, p.contentOffset, p.graphWeight,
        p.contentWeight, p.profileWeight, p.scorerWeight, p.calibrationOffset}) {
    if (!std::isfinite(value)) return notFinite("parameters: a weight, gain, prior or offset is not finite");
  }
  if (!isWithin(p.densePriorCount, 0, 1e9)) return badArgument("densePriorCount: negative or not a number");
  if (!isWithin(p.lexicalPriorCount, 0, 1e9)) return badArgument("lexicalPriorCount: negative or not a number");
  if (!isWithin(p.coverageWeighting, 0, 1)) return badArgument("coverageWeighting: not within 0..1");
  if (!isWithin(p.priorOdds, 0, 1)) return badArgument("priorOdds: not within 0..1");
  if (!isWithin(p.calibrationSlope, 1e-9, 1e9)) return badArgument("calibrationSlope: not above 0");
  for (const double time : {p.asOfMs, p.fromMs, p.toMs, p.deadlineUs}) {
    if (std::isnan(time)) return badArgument("asOfMs, fromMs, toMs or deadlineUs: not a number");
  }
  for (const double number : {p.session, p.speaker, p.speakerCue}) {
    if (number != -1 && !isWithin(number, 0, kNodeNumberLimit - 1)) {
      return badArgument("session, speaker or speakerCue: not a number of the scope or -1");
    }
  }
  for (const double count : {p.candidates, p.denseQuota, p.lexicalQuota, p.graphQuota, p.limit}) {
    if (!isWithin(count, 0, kMaxCandidates)) return badArgument("candidates, a quota or limit: not within 0..4096");
  }
  if (!isNoneOrLoaded(Perceptrons::process(), p.scorer)) return badArgument("scorer: not loaded");
  if (const Perceptron* const scorer = Perceptrons::process().find(p.scorer)) {
    if (scorer->packed.shape.inputs != feature::count + request.queryFeatures.size()) {
      return badArgument("queryFeatures: scorer expects another number of inputs");
    }
  }
  if (!kernels::active().allFinite(request.queryFeatures.data(), request.queryFeatures.size())) {
    return notFinite("queryFeatures: not finite");
  }
  return {};
}

Outcome checkOutput(const RecallOutput& output) {
  const std::size_t rows = output.rows.size();
  const auto fits = [rows](std::size_t size, std::size_t perRow) { return size == 0 || size >= rows * perRow; };
  if (!fits(output.scores.size(), 1)) return badArgument("scores: shorter than rows");
  if (!fits(output.paths.size(), 1)) return badArgument("paths: shorter than rows");
  if (!fits(output.parts.size(), part::count)) return badArgument("parts: shorter than rows x parts");
  if (!fits(output.features.size(), feature::count)) return badArgument("features: shorter than rows x features");
  return {};
}

}  // namespace

Outcome checkRequest(const Snapshot& snapshot, const RecallRequest& request, const RecallOutput& output) {
  if (const Outcome outcome = checkViews(snapshot, request); !outcome.ok()) return outcome;
  if (const Outcome outcome = checkTerms(request); !outcome.ok()) return outcome;
  if (const Outcome outcome = checkGraph(snapshot, request); !outcome.ok()) return outcome;
  if (const Outcome outcome = checkScoring(request); !outcome.ok()) return outcome;
  return checkOutput(output);
}

}  // namespace ontomem
