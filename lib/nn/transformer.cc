#include "lib/nn/transformer.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lib/base/error.h"

namespace headway {

using at::Tensor;

namespace {

// With one stack, names need not say which.
std::string embedding_name(const TransformerConfig& config, bool of_encoder) {
  if (config.kind != ModelKind::kEncoderDecoder) return "embedding";
  return of_encoder ? "encoder.embedding" : "decoder.embedding";
}

// Positions first, first + 1, … of `batch` samples: int32 [B, n].
Tensor counted(std::int64_t batch, std::int64_t first, std::int64_t count) {
  return at::arange(first, first + count, at::kInt)
      .unsqueeze(0)
      .expand({batch, count})
      .contiguous();
}

// int64 [n].
Tensor numbers(const std::vector<int>& values) {
  Tensor tensor = at::empty({std::ssize(values)}, at::kLong);
  std::ranges::copy(values, tensor.data_ptr<std::int64_t>());
  return tensor;
}

// Shows the parts of rows x [B * L, parts * H * D] at these points of hooks, as [B, L, H, D] each.
void pass_parts(const Site& site, std::initializer_list<HookPoint> points,
                const AttentionSizes& sizes, const Hooks& hooks, Tensor& x) {
  const auto any = [&](HookPoint point) { return hooks.wants(point); };
  if (std::ranges::none_of(points, any)) return;
  x = x.clone();  // may be shared
  const Tensor parts = x.view(
      {sizes.batch, x.size(0) / sizes.batch, std::ssize(points), sizes.heads, sizes.head_size});
  for (std::int64_t part = 0; const HookPoint point : points) {
    Tensor here = parts.select(2, part++);
    Tensor shown = here.contiguous();
    if (hooks.pass(site, point, shown.sizes(), shown)) here.copy_(shown);
  }
}

}  // namespace

std::vector<ParameterShape> parameter_shapes(const TransformerConfig& config) {
  std::vector<ParameterShape> shapes;
  const std::int64_t d = config.d_model;
  const bool is_pre = config.norm == NormPlace::kPre;
  using Start = ParameterShape::Start;
  for (const bool of_encoder : {true, false}) {
    if (of_encoder ? config.has_encoder() : config.has_decoder())
      shapes.push_back(
          {embedding_name(config, of_encoder), {config.vocabulary, d}, Start::kEmbedding});
  }
  declare_positions(config, shapes);
  for (const Site& site : config.sites()) {
    const auto units = static_cast<std::int64_t>(config.units_of(site.index).size());
    if (!site.is_feed()) {
      declare_attention(site.name(), site.module == Module::kDecoderCross, d, units,
                        config.head_size(), shapes);
    } else if (units > 0) {
      declare_feed_forward(site.name(), config.ffn, d, config.d_ff, shapes);
    }
    declare_norm(site.name() + ".norm", d, shapes);
  }
  if (is_pre && config.has_encoder()) declare_norm("encoder.norm", d, shapes);
  if (is_pre && config.has_decoder()) declare_norm("decoder.norm", d, shapes);
  if (config.has_decoder()) {
    declare_linear("read_out", d, config.vocabulary, shapes);
    return shapes;
  }
  const auto features = static_cast<std::int64_t>(config.features().size());
  if (features > 1) declare_linear("pool", features * d, d, shapes);
  declare_linear("classify.0", d, d, shapes);
  declare_linear("classify.1", d, config.classes, shapes);
  return shapes;
}

Transformer::Transformer(TransformerConfig config, const Replica& parameters, std::int64_t longest)
    : config_(std::move(config)), longest_(longest), sites_(config_.sites()) {
  config_.check();
  if (config_.has_encoder()) input_table_ = parameters.at(embedding_name(config_, true));
  if (config_.has_decoder()) output_table_ = parameters.at(embedding_name(config_, false));
  encoder_positions_ = Positions(config_, PositionUse::kEncoder, parameters.parameters, longest);
  decoder_positions_ = Positions(config_, PositionUse::kDecoder, parameters.parameters, longest);
  cross_positions_ = Positions(config_, PositionUse::kCross, parameters.parameters, longest);
  for (const Site& site : sites_) {
    decoder_begin_ += site.is_encoder();
    const auto units = static_cast<std::int64_t>(config_.units_of(site.index).size());
    Sublayer sublayer{{}, {}, norm_of(parameters, site.name() + ".norm"), {}};
    if (!site.is_feed()) {
      sublayer.attention = attention_of(parameters, site.name(), units, config_.head_size());
      if (units < config_.n_heads) sublayer.heads = numbers(config_.units_of(site.index));
    } else if (units > 0) {
      sublayer.feed = feed_forward_of(parameters, site.name(), config_.ffn);
    }
    sublayers_.push_back(std::move(sublayer));
  }
  const bool is_pre = config_.norm == NormPlace::kPre;
  if (is_pre && config_.has_encoder()) encoder_norm_ = norm_of(parameters, "encoder.norm");
  if (is_pre && config_.has_decoder()) decoder_norm_ = norm_of(parameters, "decoder.norm");
  if (config_.has_decoder()) {
    read_out_ = linear_of(parameters, "read_out");
    return;
  }
  if (config_.features().size() > 1) gather_ = linear_of(parameters, "pool");
  widen_ = linear_of(parameters, "classify.0");
  choose_ = linear_of(parameters, "classify.1");
}

std::pair<Tensor, Repeats> Transformer::embed_tokens(const Tensor& tokens, const Tensor& table,
                                                     const Positions& encoding,
                                                     const Tensor& positions,
                                                     std::int64_t first) const {
  if (positions.defined()) {
    const auto last = positions.max().item<std::int32_t>();
    if (last >= longest_) throw Error("position {} is not below {}", last, longest_);
  } else if (config_.positions == PositionSource::kData) {
    throw Error("the model takes positions from the data, but a batch has none");
  } else if (first + tokens.size(1) > longest_) {
    throw Error("a sequence of {} is longer than {}", first + tokens.size(1), longest_);
  }
  const double scale = std::sqrt(static_cast<double>(config_.d_model));
  const Tensor added = encoding.added(positions, first, tokens.size(1));
  const bool adds = added.defined();
  std::optional<Occurrences> found;
  if (!adds || !positions.defined()) found = find_occurrences(tokens, config_.vocabulary, adds);
  if (!found) return {embed(tokens, table, added, scale, {}), {}};
  const Tensor places = adds ? at::index_select(added, 0, found->places) : added;  // [P, d]
  const Repeats repeats{embed(found->tokens, table, places, scale, {}), found->numbers};
  return {take_rows(repeats.distinct, repeats.numbers), repeats};
}

// All of a walk's beginning but what the decoder is fed.
Walk Transformer::begin_encoder(const Batch& batch) const {
  Walk walk;
  walk.batch = (config_.has_encoder() ? batch.inputs : batch.fed).size(0);
  walk.encoder_positions = encoder_positions_.in_attention();
  walk.decoder_positions = decoder_positions_.in_attention();
  walk.cross_positions = cross_positions_.in_attention();
  if (!config_.has_encoder()) return walk;
  walk.inputs = batch.inputs.size(1);
  walk.lengths = batch.lengths;
  walk.encoder_positions.queries = walk.encoder_positions.keys = batch.input_positions;
  walk.cross_positions.keys = batch.input_positions;
  std::tie(walk.encoded, walk.encoder_repeats) =
      embed_tokens(batch.inputs, input_table_, encoder_positions_, batch.input_positions, 0);
  return walk;
}

void Transformer::feed_decoder(const Tensor& tokens, const Tensor& positions, Walk& walk) const {
  walk.outputs = tokens.size(1);
  std::tie(walk.decoded, walk.decoder_repeats) =
      embed_tokens(tokens, output_table_, decoder_positions_, positions, walk.before);
  walk.cross_positions.queries = positions;
  // Beside cached keys, queries cannot be counted from 0.
  const bool counts = walk.caches && !positions.defined();
  AttentionPositions& own = walk.decoder_positions;
  own.queries = counts ? counted(walk.batch, walk.before, walk.outputs) : positions;
  own.keys = own.keys.defined() ? at::cat({own.keys, own.queries}, 1) : own.queries;
}

Walk Transformer::begin(const Batch& batch) const {
  Walk walk = begin_encoder(batch);
  if (config_.has_decoder()) feed_decoder(batch.fed, batch.fed_positions, walk);
  return walk;
}

Tensor Transformer::attend(const Site& site, const Tensor& in, const Repeats& repeats, Walk& walk,
                           const Dropout& dropout, const Hooks& hooks) const {
  using enum HookPoint;
  const auto& [attention, feed, norm, heads] = sublayers_[site.index];
  const AttentionPositions& positions = walk.positions(site);
  const auto layer = static_cast<std::size_t>(site.layer);
  const bool is_cross = site.module == Module::kDecoderCross;
  const std::int64_t B = walk.batch, T = walk.length(site), H = attention.heads,
                     D = attention.head_size;
  AttentionSizes sizes{.batch = B,
                       .heads = H,
                       .queries = T,
                       .keys = T,
                       .head_size = D,
                       .causal = site.module == Module::kDecoderSelf,
                       .key_lengths = {},
                       .keep_weights = hooks.wants(kWeights)};
  if (site.is_encoder() || is_cross) {
    sizes.keys = walk.inputs;
    sizes.key_lengths = walk.lengths;
  }
  Tensor q, kv;  // [B * T, H * D], [B * S, 2 * H * D]; or all in q, [B * T, 3 * H * D]
  if (is_cross) {
    q = attention.project_queries(in, T, positions);
    kv = walk.memory[layer];
    pass_parts(site, {kQ}, sizes, hooks, q);
    pass_parts(site, {kK, kV}, sizes, hooks, kv);
  } else {
    q = attention.project_self(in, repeats, T, positions);
    pass_parts(site, {kQ, kK, kV}, sizes, hooks, q);
  }
  if (walk.caches && sizes.causal) {
    Tensor& cache = walk.cache[layer];
    const Tensor fresh = q.narrow(1, H * D, 2 * H * D).reshape({B, T, 2 * H * D});
    cache = cache.defined() ? at::cat({cache, fresh}, 1) : fresh.contiguous();
    sizes.keys = cache.size(1);
    kv = cache.view({B * sizes.keys, 2 * H * D});
    q = q.narrow(1, 0, H * D).contiguous();
  }
  ScoreBias bias = positions.score_bias();
  if (bias.values.defined() && heads.defined())
    bias.values = at::index_select(bias.values, 0, heads);
  AttentionResult result = kv.defined() ? cross_attention(q, kv, bias, sizes, dropout)
                                        : self_attention(q, bias, sizes, dropout);
  if (hooks.pass(site, kWeights, {B, H, T, sizes.keys}, result.weights)) {
    const Tensor values = kv.defined() ? kv.view({B, sizes.keys, 2, H, D}).select(2, 1)
                                       : q.view({B, T, 3, H, D}).select(2, 2);  // [B, S, H, D]
    result.z = at::matmul(result.weights, values.transpose(1, 2)).transpose(1, 2).contiguous();
  }
  hooks.pass(site, kZ, {B, T, H, D}, result.z);
  return result.z;
}

Tensor Transformer::compute(Walk& walk, DropoutStream& dropout, const Hooks& hooks) const {
  const Site& site = sites_.at(walk.next);
  const Sublayer& sublayer = sublayers_[site.index];
  Tensor& stream = walk.stream(site);  // [B * T, d]
  const std::int64_t shape[] = {walk.batch, walk.length(site), config_.d_model};
  Repeats repeats = walk.repeats(site);
  if (hooks.wants(HookPoint::kResidPre) && begins_block(sites_, site)) {
    stream = stream.clone();  // copies of the walk share it
    hooks.pass(site, HookPoint::kResidPre, shape, stream);
    repeats = {};
  }
  Tensor in = stream;
  if (config_.norm == NormPlace::kPre) {
    in = sublayer.norm(stream);
    if (repeats.are_there()) repeats.distinct = sublayer.norm(repeats.distinct);
  }
  if (hooks.wants(HookPoint::kIn)) {
    in = in.clone();  // the residual stream itself stays
    hooks.pass(site, HookPoint::kIn, shape, in);
    repeats = {};
  }
  if (!site.is_feed()) return attend(site, in, repeats, walk, dropout.next_for_attention(), hooks);
  const Dropout inner = dropout.next();
  Tensor out;  // [B * T, d]
  if (sublayer.feed.is_there()) {
    Tensor hidden = sublayer.feed.hidden(in, inner);  // [B * T, d_ff]
    hooks.pass(site, HookPoint::kHidden, {walk.batch, walk.length(site), hidden.size(1)}, hidden);
    out = sublayer.feed.narrow(hidden);
  } else {
    out = at::zeros_like(stream);
  }
  hooks.pass(site, HookPoint::kOut, shape, out);
  return out;
}

void Transformer::absorb(Walk& walk, const Tensor& result, DropoutStream& dropout,
                         const Hooks& hooks) const {
  const Site& site = sites_.at(walk.next);
  const auto& [attention, feed, norm, heads] = sublayers_[site.index];
  Tensor& stream = walk.stream(site);  // [B * T, d]
  const std::int64_t shape[] = {walk.batch, walk.length(site), config_.d_model};
  const Dropout outer = dropout.next();
  Tensor out = result.contiguous();  // [B * T, d]
  if (!site.is_feed()) {
    out = attention.mix(out.view({stream.size(0), attention.heads * attention.head_size}));
    hooks.pass(site, HookPoint::kOut, shape, out);
  }
  stream = config_.norm == NormPlace::kPre ? add_dropped(out, stream, outer)
                                           : add_norm(out, stream, norm.gain, norm.bias, outer);
  walk.repeats(site) = {};
  if (hooks.wants(HookPoint::kResidPost) && ends_block(sites_, site))
    hooks.pass(site, HookPoint::kResidPost, shape, stream);
  if (++walk.next == decoder_begin_) leave_encoder(walk);
}

// The end of the encoder: what the decoder reads of it.
void Transformer::leave_encoder(Walk& walk) const {
  if (encoder_norm_.gain.defined()) walk.encoded = encoder_norm_(walk.encoded);
  for (const Site& site : sites_) {
    if (site.module == Module::kDecoderCross)
      walk.memory.push_back(sublayers_[site.index].attention.project_memory(
          walk.encoded, walk.inputs, walk.cross_positions));  // [B * S, 2 * H * D]
  }
}

void Transformer::walk_to(std::size_t end, Walk& walk, DropoutStream& dropout,
                          const Hooks& hooks) const {
  while (walk.next < end) absorb(walk, compute(walk, dropout, hooks), dropout, hooks);
}

Tensor Transformer::logits(const Walk& walk, DropoutStream& dropout) const {
  if (config_.has_decoder())
    return read_out_(decoder_norm_.gain.defined() ? decoder_norm_(walk.decoded) : walk.decoded);
  Tensor pooled = pool(walk.encoded, walk.batch, walk.lengths, config_.features());  // [B, F * d]
  if (gather_.is_there()) pooled = gather_(pooled);                                  // [B, d]
  return choose_(linear_relu_dropout(pooled, widen_.weight, widen_.bias, dropout.next()));
}

Tensor Transformer::forward(const Batch& batch, DropoutStream& dropout, const Hooks& hooks) const {
  Walk walk = begin(batch);
  finish(walk, dropout, hooks);
  return logits(walk, dropout);
}

Walk Transformer::begin_decoding(const Batch& batch, const Hooks& hooks) const {
  DropoutStream none;
  Walk walk = begin_encoder(batch);
  walk_to(decoder_begin_, walk, none, hooks);
  walk.caches = true;
  walk.cache.resize(static_cast<std::size_t>(config_.n_layers));
  return walk;
}

Tensor Transformer::decode(Walk& walk, const Tensor& tokens, const Tensor& positions,
                           const Hooks& hooks) const {
  DropoutStream none;
  walk.next = decoder_begin_;
  feed_decoder(tokens, positions, walk);
  finish(walk, none, hooks);
  Walk last = walk;  // only the last position is asked for
  last.decoded = walk.decoded.view({walk.batch, walk.outputs, config_.d_model})
                     .select(1, walk.outputs - 1)
                     .contiguous();  // [B, d]
  walk.before += walk.outputs;
  return logits(last, none);
}

Tensor most_likely(const Tensor& logits) {
  const std::int64_t rows = logits.size(0), classes = logits.size(1);
  Tensor best = at::empty({rows}, at::kInt);
  const auto* scores = logits.data_ptr<float>();
  auto* out = best.data_ptr<std::int32_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* first = scores + row * classes;
    out[row] = static_cast<std::int32_t>(std::max_element(first, first + classes) - first);
  }
  return best;
}

}  // namespace headway
